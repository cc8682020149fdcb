! Stands in for WRF in bench/wrf.py: makes the calls by which the model writes history, and says as
! the model does how long each frame took.
!
!   frames FIELDS OUTPUT FRAMES X Z Y COUNT KEPT WORK COLUMNS ROWS
!
! FIELDS has KEPT frames of COUNT fields in the model's order (x, z, y), float32. FRAMES of them are
! written to OUTPUT, with WORK units of computation before each; 0 frames is the model without output.
! With RAW defined, records of Fortran take the place of the package, as in WRF's io_form 1.
program frames
#ifdef PARALLEL
  use mpi
#endif
  implicit none
  integer, parameter :: halo = 5
  integer, parameter :: unit_rounds = 1000000
  integer :: task = 0, comm = 0
  integer :: wanted, x, z, y, fields, kept, work, columns, rows, status, handle, i, j, frame
  integer :: from(3), to(3), low(3), high(3)
  character(256) :: source, output
  character(19) :: date
  real, allocatable :: values(:, :, :, :, :)
  real :: waste
  integer(8) :: began, ended, rate
  call get_command_argument(1, source)
  call get_command_argument(2, output)
  wanted = number(3)
  x = number(4)
  z = number(5)
  y = number(6)
  fields = number(7)
  kept = number(8)
  work = number(9)
  columns = number(10)
  rows = number(11)
#ifdef PARALLEL
  call mpi_init_thread(mpi_thread_funneled, i, status)
  comm = mpi_comm_world
  call mpi_comm_rank(comm, task, status)
#endif
  from = [1 + mod(task, columns)*x/columns, 1, 1 + task/columns*y/rows]
  to = [(mod(task, columns) + 1)*x/columns, z, (task/columns + 1)*y/rows]
  low = from - [halo, 0, halo]
  high = to + [halo, 0, halo]
  allocate (values(low(1):high(1), z, low(3):high(3), fields, kept))
  values = 0
  call read_fields()
  waste = 0
  handle = 0
  do frame = 1, wanted
    call compute()
    write (date, '(a,i2.2,a,i2.2,a)') '0001-01-01_', frame/60, ':', mod(frame, 60), ':00'
    call system_clock(began, rate)
    if (handle == 0) call create()
    call write_frame(mod(frame - 1, kept) + 1)
    call system_clock(ended)
    if (task == 0) print '(a,a,a,f12.5,a)', 'Timing for Writing wrfout_d01_', date, &
      ' for domain        1:', real(ended - began)/real(rate), ' elapsed seconds'
  end do
  ! As many steps of the model, and no output.
  if (wanted == 0) then
    do frame = 1, number(12)
      call compute()
    end do
  end if
  if (handle /= 0) call finish()
  if (waste > 1e30) print *, waste
#ifdef PARALLEL
  call mpi_finalize(status)
#endif

contains

  integer function number(position)
    integer, intent(in) :: position
    character(32) :: text
    call get_command_argument(position, text)
    read (text, *) number
  end function

  subroutine check(what)
    character(*), intent(in) :: what
    if (status == 0) return
    print '(a,a,i0)', what, ' failed, status ', status
    stop 1
  end subroutine

  ! This task's part of all fields.
  subroutine read_fields()
    real, allocatable :: whole(:, :, :)
    integer :: unit
    allocate (whole(x, z, y))
    open (newunit=unit, file=source, access='stream', form='unformatted', action='read')
    do j = 1, kept
      do i = 1, fields
        read (unit) whole
        values(from(1):to(1), :, from(3):to(3), i, j) = whole(from(1):to(1), :, from(3):to(3))
      end do
    end do
    close (unit)
  end subroutine

  ! Work that stays in the first cache.
  subroutine compute()
    real :: a(256)
    integer :: round
    a = 1.0 + task
    do round = 1, work*unit_rounds/256
      a = a*0.999 + 0.001
    end do
    waste = waste + sum(a)
#ifdef PARALLEL
    call mpi_barrier(comm, status)
#endif
  end subroutine

  character(8) function name_of(index)
    integer, intent(in) :: index
    name_of = 'T'
    if (index > 1) write (name_of, '(a,i2.2)') 'FIELD', index
  end function

#ifdef RAW
  subroutine create()
    open (newunit=handle, file=output, form='unformatted', convert='big_endian', action='write')
  end subroutine

  subroutine write_frame(which)
    integer, intent(in) :: which
    write (handle) date
    do i = 1, fields
      write (handle) values(from(1):to(1), :, from(3):to(3), i, which)
    end do
    flush (handle)
  end subroutine

  subroutine finish()
    close (handle)
  end subroutine
#else
  subroutine create()
    call ext_frz_ioinit(' ', status)
    call check('ioinit')
    call ext_frz_open_for_write_begin(output, comm, comm, 'DATASET=HISTORY,GRIDID=1,NOFILL=.TRUE.', &
                                      handle, status)
    call check('create')
    call write_frame(1)
    call ext_frz_open_for_write_commit(handle, status)
    call check('end of the training pass')
  end subroutine

  subroutine write_frame(which)
    integer, intent(in) :: which
    character(16) :: axes(3)
    axes = ['west_east       ', 'bottom_top      ', 'south_north     ']
    do i = 1, fields
      call ext_frz_write_field(handle, date, trim(name_of(i)), values(:, :, :, i, which), 104, comm, &
                               comm, 0, 'XZY', '', axes, [1, 1, 1], [x, z, y], low, high, from, to, &
                               status)
      call check('write')
    end do
  end subroutine

  subroutine finish()
    call ext_frz_ioclose(handle, status)
    call check('close')
    call ext_frz_ioexit(status)
    call check('ioexit')
  end subroutine
#endif
end program
