! Single values into one variable, from Fortran: puts PATH COUNT. netcdf-fortran, or with -DUSE_FRAZIL
! the drop-in. Prints seconds of all puts, and of the close.
program puts
#ifdef USE_FRAZIL
  use frazil_netcdf
#else
  use netcdf
#endif
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  implicit none
  character(len=1024) :: path, text
  integer :: count, file, dimension, variable, i
  integer(int64) :: start, done, closed, rate
  real(real64) :: value

  call get_command_argument(1, path)
  call get_command_argument(2, text)
  read (text, *) count
  call check(nf90_create(trim(path), NF90_NETCDF4, file))
  call check(nf90_def_dim(file, 'x', count, dimension))
  call check(nf90_def_var(file, 'v', NF90_DOUBLE, dimension, variable))
  call check(nf90_enddef(file))
  call system_clock(start, rate)
  do i = 1, count
    value = 280.0_real64 + 1e-3_real64*mod(i - 1, 4096) + 1e-6_real64*((i - 1)/4096)
    call check(nf90_put_var(file, variable, value, start=(/i/)))
  end do
  call system_clock(done)
  call check(nf90_close(file))
  call system_clock(closed)
  print '(a, f0.6, a, f0.6)', 'puts ', real(done - start, real64)/rate, ' close ', &
    real(closed - done, real64)/rate

contains

  subroutine check(status)
    integer, intent(in) :: status

    if (status == NF90_NOERR) return
    write (error_unit, '(a)') trim(nf90_strerror(status))
    error stop 1
  end subroutine check
end program puts
