! Writes the surface temperature of a small model, one record for each step, with the module frazil.
!
!   surface_temperature [FILE]
!
! Nothing is said about chunks, filters or levels: frazil decides.
program surface_temperature
  use frazil
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer, parameter :: nlon = 72, nlat = 36, nsteps = 24
  real :: temperature(0:nlon + 1, 0:nlat + 1), latitude(nlat), longitude(nlon)
  type(frazil_writer) :: writer
  type(frazil_report) :: report
  integer :: lon_dimension, lat_dimension, time_dimension
  integer :: lon_variable, lat_variable, time_variable, temperature_variable
  integer :: i, j, step
  character(len=1024) :: path

  path = 'surface_temperature.nc'
  if (command_argument_count() >= 1) call get_command_argument(1, path)
  longitude = [(5.0*(i - 1), i=1, nlon)]
  latitude = [(-87.5 + 5.0*(j - 1), j=1, nlat)]

  call check(frazil_create(trim(path), writer, overwrite=.true.))
  call check(frazil_add_dimension(writer, 'lon', nlon, lon_dimension))
  call check(frazil_add_dimension(writer, 'lat', nlat, lat_dimension))
  call check(frazil_add_unlimited_dimension(writer, 'time', time_dimension, expected_length=nsteps))
  call check(frazil_add_variable(writer, 'lon', frazil_real32, [lon_dimension], lon_variable))
  call check(frazil_put_attribute(writer, lon_variable, 'units', 'degrees_east'))
  call check(frazil_add_variable(writer, 'lat', frazil_real32, [lat_dimension], lat_variable))
  call check(frazil_put_attribute(writer, lat_variable, 'units', 'degrees_north'))
  call check(frazil_add_variable(writer, 'time', frazil_real64, [time_dimension], time_variable))
  call check(frazil_put_attribute(writer, time_variable, 'units', 'hours since 2000-01-01'))
  call check(frazil_add_variable(writer, 'tas', frazil_real32, [lon_dimension, lat_dimension, time_dimension], &
                                 temperature_variable))
  call check(frazil_put_attribute(writer, temperature_variable, 'standard_name', 'air_temperature'))
  call check(frazil_put_attribute(writer, temperature_variable, 'units', 'K'))
  call check(frazil_put_group_attribute(writer, frazil_root, 'Conventions', 'CF-1.11'))

  call check(frazil_put(writer, lon_variable, longitude))
  call check(frazil_put(writer, lat_variable, latitude))
  do step = 1, nsteps
    do j = 1, nlat
      do i = 1, nlon
        temperature(i, j) = 300.0 - 0.5*abs(latitude(j)) + 5.0*sin(0.0872665*longitude(i)/5.0 + 0.2618*step)
      end do
    end do
    call check(frazil_put(writer, time_variable, real(step - 1, kind(1.0d0)), start=[step]))
    ! The model's field has a halo, which stays behind.
    call check(frazil_put(writer, temperature_variable, temperature(1:nlon, 1:nlat), start=[1, 1, step], &
                          count=[nlon, nlat, 1]))
    ! From here on readers see the record, and it survives whatever happens to this program.
    call check(frazil_sync(writer))
  end do
  call check(frazil_close(writer, report))
  print '(i0, a, i0, a)', report%raw_bytes, ' bytes put, ', report%stored_bytes, ' bytes stored'
  print '(i0, a, i0, a)', report%commits, ' commits wrote ', report%written_bytes, ' bytes'

contains

  subroutine check(status)
    integer, intent(in) :: status

    if (status == frazil_ok) return
    write (error_unit, '(a)') trim(frazil_message(status))
    error stop 1
  end subroutine check
end program surface_temperature
