! Boundary strips where all tasks write: WRF hands every strip to every task, but only those at this
! edge of the domain have its values. With EMPTY defined the others hand over an empty range, as WRF
! does for PnetCDF; without, the package asks WRF where the task is.
!
!   strips OUTPUT COLUMNS ROWS
program strips
  use mpi
  implicit none
  integer, parameter :: nx = 23, ny = 17, nz = 4, width = 3, wrf_real = 104
  character(19), parameter :: dates(2) = ['2000-01-01_00:00:00', '2000-01-01_06:00:00']
  integer :: task, columns, rows, status, provided, handle, record, comm
  character(256) :: output, argument
  call mpi_init_thread(mpi_thread_funneled, provided, status)
  call mpi_comm_rank(mpi_comm_world, task, status)
  call get_command_argument(1, output)
  call get_command_argument(2, argument)
  read (argument, *) columns
  call get_command_argument(3, argument)
  read (argument, *) rows
  call share_decomposition(task, columns, rows)
  comm = mpi_comm_world
  call ext_frz_ioinit(' ', status)
  call ext_frz_open_for_write_begin(output, comm, comm, 'DATASET=BOUNDARY', handle, status)
  call check('create')
  call put_all(1)
  call ext_frz_put_dom_td_char(handle, 'THISBDYTIME', dates(1), dates(1), status)
  call check('metadata')
  call ext_frz_open_for_write_commit(handle, status)
  call check('commit')
  do record = 1, 2
    call ext_frz_put_dom_td_char(handle, 'THISBDYTIME', dates(record), dates(record), status)
    call check('metadata')
    call put_all(record)
  end do
  call ext_frz_ioclose(handle, status)
  call check('close')
  call ext_frz_open_for_read(output, comm, comm, ' ', handle, status)
  call check('open')
  call read_back()
  call ext_frz_ioexit(status)
  call mpi_finalize(status)

contains

  subroutine check(what)
    character(*), intent(in) :: what
    if (status == 0) return
    print '(a,a,i0)', what, ': status ', status
    call mpi_abort(mpi_comm_world, 1, status)
  end subroutine

  subroutine put_all(record)
    integer, intent(in) :: record
    call put_strip(record, 'XS', mod(task, columns) == 0, task/columns, rows, ny)
    call put_strip(record, 'XE', mod(task, columns) == columns - 1, task/columns, rows, ny)
    call put_strip(record, 'YS', task/columns == 0, mod(task, columns), columns, nx)
    call put_strip(record, 'YE', task/columns == rows - 1, mod(task, columns), columns, nx)
  end subroutine

  ! A strip with levels, and one without.
  subroutine put_strip(record, edge, is_mine, place, places, length)
    integer, intent(in) :: record, place, places, length
    character(2), intent(in) :: edge
    logical, intent(in) :: is_mine
    integer :: low, high, last, i, k, w, io_comm
    real, allocatable :: deep(:, :, :), flat(:, :)
    character(8) :: deep_axes(3), flat_axes(2)
    deep_axes(1) = 'along'//edge(1:1)
    deep_axes(2) = 'levels'
    deep_axes(3) = 'width'
    flat_axes = deep_axes(1:3:2)
    low = 1 + place*length/places
    high = (place + 1)*length/places
    allocate (deep(low - 2:high + 2, nz, width), flat(low - 2:high + 2, width))
    deep = -9999 - task
    flat = -9999 - task
    if (is_mine) then
      do w = 1, width
        do i = low, high
          flat(i, w) = 10000*record + 100*i + w
          do k = 1, nz
            deep(i, k, w) = 10000*record + 100*i + 10*k + w
          end do
        end do
      end do
    end if
    last = high
#ifdef EMPTY
    if (.not. is_mine) last = low - 1
#endif
    io_comm = comm
    call ext_frz_write_field(handle, dates(record), 'U_B'//edge, deep, wrf_real, comm, io_comm, 0, edge//'Z', '', &
                             deep_axes, [1, 1, 1], [length, nz, width], &
                             [low - 2, 1, 1], [high + 2, nz, width], [low, 1, 1], [last, nz, width], status)
    call check('strip '//edge)
    call ext_frz_write_field(handle, dates(record), 'MU_B'//edge, flat, wrf_real, comm, io_comm, 0, edge, '', &
                             flat_axes, [1, 1], [length, width], &
                             [low - 2, 1], [high + 2, width], [low, 1], [last, width], status)
    call check('strip '//edge//' without levels')
  end subroutine

  subroutine read_back()
    real, allocatable :: flat(:, :)
    integer :: low, high, i, w, io_comm
    character(19) :: told
    low = 1 + (task/columns)*ny/rows
    high = (task/columns + 1)*ny/rows
    allocate (flat(low - 2:high + 2, width))
    flat = -1
    io_comm = comm
    call ext_frz_read_field(handle, dates(2), 'MU_BXS', flat, wrf_real, comm, io_comm, 0, 'XS', '', &
                            ['alongX', 'width '], [1, 1], [ny, width], &
                            [low - 2, 1], [high + 2, width], [low, 1], [high, width], status)
    call check('strip back')
    do w = 1, width
      do i = low, high
        if (flat(i, w) /= 20000 + 100*i + w) status = 99
      end do
    end do
    call check('values of the strip')
    if (any(flat(low - 2:low - 1, :) /= -1)) status = 98
    call check('the halo')
    call ext_frz_get_dom_td_char(handle, 'THISBDYTIME', dates(2), told, status)
    if (told /= dates(2)) status = 97
    call check('metadata back')
  end subroutine
end program

#ifdef EMPTY
subroutine share_decomposition(task, columns, rows)
  integer, intent(in) :: task, columns, rows
end subroutine
#else
module decomposition
  integer :: task = 0, columns = 1, rows = 1
end module
subroutine share_decomposition(its_task, its_columns, its_rows)
  use decomposition
  integer, intent(in) :: its_task, its_columns, its_rows
  task = its_task
  columns = its_columns
  rows = its_rows
end subroutine
! What the package asks of WRF.
subroutine wrf_get_nprocx(count)
  use decomposition
  integer, intent(out) :: count
  count = columns
end subroutine
subroutine wrf_get_nprocy(count)
  use decomposition
  integer, intent(out) :: count
  count = rows
end subroutine
subroutine wrf_get_myproc(number)
  use decomposition
  integer, intent(out) :: number
  number = task
end subroutine
#endif
