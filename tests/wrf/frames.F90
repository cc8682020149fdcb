! Writes frames: a field that changes and does not compress, one that is zero, one that repeats.
!
!   frames OUTPUT FRAMES KILL_AFTER [FIRST [RESTART]]
!
! From frame FIRST on, as after a restart; kills itself behind the commit of frame KILL_AFTER (0:
! never), or when it has closed the restart file RESTART, which it writes behind that frame.
#ifndef NX
#define NX 40
#define NY 30
#endif
program frames
  use iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function getpid() bind(c)
      import c_int
    end function
    integer(c_int) function kill(pid, signal) bind(c)
      import c_int
      integer(c_int), value :: pid, signal
    end function
  end interface
  integer, parameter :: nx = NX, ny = NY, wrf_real = 104
  integer :: count, last, first, handle, history, status, frame
  real :: field(nx, ny), zero(nx, ny), repeated(nx, ny)
  character(19) :: date
  character(256) :: output, argument, restart
  call get_command_argument(1, output)
  call get_command_argument(2, argument)
  read (argument, *) count
  call get_command_argument(3, argument)
  read (argument, *) last
  first = 1
  call get_command_argument(4, argument)
  if (argument /= '') read (argument, *) first
  call get_command_argument(5, restart)
  call random_number(repeated)
  zero = 0
  call ext_frz_ioinit(' ', status)
  call ext_frz_open_for_write_begin(output, 0, 0, 'DATASET=HISTORY', handle, status)
  call check('create')
  call put_all(first)
  call ext_frz_put_var_ti_char(handle, 'units', 'FIELD', 'K', status)
  call check('units')
  call ext_frz_open_for_write_commit(handle, status)
  call check('commit')
  do frame = first, count
    call ext_frz_put_dom_ti_integer(handle, 'FIRST_FRAME', [first], 1, status)
    call check('attribute')
    call random_number(field)
    field(1, 1) = frame
    field(nx, ny) = frame + 999
    call put_all(frame)
    call ext_frz_iosync(handle, status)
    call check('iosync')
    if (frame == last .and. restart /= '') call write_restart()
    if (frame == last) status = kill(getpid(), 9)
  end do
  call ext_frz_ioclose(handle, status)
  call check('close')

contains

  subroutine check(what)
    character(*), intent(in) :: what
    if (status == 0) return
    print '(a,a,i0)', what, ': status ', status
#ifndef GOES_ON
    call ext_frz_ioexit(status)
    stop 1
#endif
  end subroutine

  subroutine write_restart()
    history = handle
    call ext_frz_open_for_write_begin(restart, 0, 0, 'DATASET=RESTART', handle, status)
    call check('create of the restart file')
    call put('ZERO', zero)
    call ext_frz_open_for_write_commit(handle, status)
    call check('commit of the restart file')
    call put('ZERO', zero)
    call ext_frz_ioclose(handle, status)
    call check('close of the restart file')
    handle = history
  end subroutine

  subroutine put_all(frame)
    integer, intent(in) :: frame
    write (date, '(a,i2.2,a,i2.2,a)') '2000-01-01_', frame/60, ':', mod(frame, 60), ':00'
    call put('FIELD', field)
    call put('ZERO', zero)
    call put('REPEATED', repeated)
  end subroutine

  subroutine put(name, values)
    character(*), intent(in) :: name
    real, intent(inout) :: values(nx, ny)
    integer :: comm, io_comm
    call ext_frz_write_field(handle, date, name, values, wrf_real, comm, io_comm, 0, 'XY', '', &
                             ['we', 'sn'], [1, 1], [nx, ny], [1, 1], [nx, ny], [1, 1], [nx, ny], status)
    call check(name)
  end subroutine
end program

#ifdef WRF_ENDS
! As WRF's own.
subroutine wrf_error_fatal(text)
  character(*), intent(in) :: text
  print '(2a)', 'FATAL: ', text
  call exit(3)
end subroutine
#endif
