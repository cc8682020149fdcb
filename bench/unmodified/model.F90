! Writes records as a model does, with netcdf-fortran's calls, and prints the seconds that the calls took.
!
!   model OUTPUT FIELDS RECORDS Y X WORK_MS
!
! FIELDS has RECORDS maps of Y x X float32. Each is put after WORK_MS of computation, in one chunk, with
! shuffle and deflate 4.
program model
  use netcdf
  implicit none
  integer :: nc, varid, dimids(3), records, y, x, work, record, unit
  real, allocatable :: values(:, :, :)
  real(8) :: in_calls, began
  character(512) :: output, fields
  call get_command_argument(1, output)
  call get_command_argument(2, fields)
  records = number(3)
  y = number(4)
  x = number(5)
  work = number(6)
  allocate (values(x, y, records))
  open (newunit=unit, file=fields, access='stream', form='unformatted', status='old')
  read (unit) values
  close (unit)
  began = now()
  call must(nf90_create(output, ior(nf90_clobber, nf90_netcdf4), nc))
  call must(nf90_def_dim(nc, 'x', x, dimids(1)))
  call must(nf90_def_dim(nc, 'y', y, dimids(2)))
  call must(nf90_def_dim(nc, 'time', nf90_unlimited, dimids(3)))
  call must(nf90_def_var(nc, 'v', nf90_float, dimids, varid, chunksizes=[x, y, 1], &
    deflate_level=4, shuffle=.true.))
  call must(nf90_enddef(nc))
  in_calls = now() - began
  do record = 1, records
    call compute(1e-3_8*work)
    began = now()
    call must(nf90_put_var(nc, varid, values(:, :, record:record), start=[1, 1, record]))
    in_calls = in_calls + now() - began
  end do
  began = now()
  call must(nf90_close(nc))
  print '(f0.4)', in_calls + now() - began

contains

  integer function number(position)
    integer, intent(in) :: position
    character(32) :: text
    call get_command_argument(position, text)
    read (text, *) number
  end function

  real(8) function now()
    integer(8) :: count, rate
    call system_clock(count, rate)
    now = real(count, 8)/real(rate, 8)
  end function

  ! It keeps its core busy.
  subroutine compute(seconds)
    real(8), intent(in) :: seconds
    real(8) :: until
    real, volatile :: waste
    integer :: i
    until = now() + seconds
    waste = 0
    do while (now() < until)
      do i = 1, 1000
        waste = waste + i
      end do
    end do
  end subroutine

  subroutine must(status)
    integer, intent(in) :: status
    if (status == nf90_noerr) return
    print *, trim(nf90_strerror(status))
    error stop 1
  end subroutine
end program
