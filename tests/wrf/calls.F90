! Calls that history files do not need: boundary strips, all kinds of metadata in all times and in one,
! other orders of memory, doubles, and the status codes of calls that make no sense.
program calls
  implicit none
  integer, parameter :: nx = 5, ny = 4, nz = 3, width = 2
  integer, parameter :: wrf_real = 104, wrf_double = 105, wrf_integer = 106
  character(19), parameter :: dates(2) = ['2000-01-01_00:00:00', '2000-01-01_06:00:00']
  character(256) :: folder
  call get_command_argument(1, folder)
  call before_ioinit()
  call write_file(trim(folder)//'/calls.nc')
  call read_file(trim(folder)//'/calls.nc')
  call misuse(trim(folder)//'/calls.nc', trim(folder)//'/misuse.nc')
  print '(a)', 'done'

contains

  subroutine expect(status, wanted, what)
    integer, intent(in) :: status, wanted
    character(*), intent(in) :: what
    if (status == wanted) return
    print '(a,a,i0,a,i0)', what, ': status ', status, ', wanted ', wanted
    stop 1
  end subroutine

  subroutine before_ioinit()
    integer :: handle, status
    call ext_frz_open_for_write_begin('x', 0, 0, ' ', handle, status)
    call expect(status, -1010, 'open before ioinit')
    call ext_frz_ioinit(' ', status)
    call expect(status, 0, 'ioinit')
  end subroutine

  ! Values that tell where they are.
  real function told(record, x, y, z)
    integer, intent(in) :: record, x, y, z
    told = 1000*record + 100*z + 10*y + x
  end function

  subroutine put_field(handle, date, name, values, kind, order, axes, length, low, high, status)
    integer, intent(in) :: handle, kind, length(*), low(*), high(*)
    character(*), intent(in) :: date, name, order, axes(*)
    real, intent(inout) :: values(*)
    integer, intent(out) :: status
    integer :: comm, io_comm
    call ext_frz_write_field(handle, date, name, values, kind, comm, io_comm, 0, order, '', axes, &
                             [1, 1, 1], length, low, high, [1, 1, 1], length, status)
  end subroutine

  subroutine put_fields(handle, record)
    integer, intent(in) :: handle, record
    real :: xzy(0:nx + 1, nz, 0:ny + 1), zyx(nz, ny, nx), xyz(nx, ny, nz)
    real :: strip(0:ny + 1, nz, width), line(0:nx + 1, width), plane(nx, ny), column(0:nz)
    double precision :: wide(nx, ny)
    integer :: whole(nx, ny), i, j, k, status
    xzy = -1; strip = -1; line = -1; column = -1
    do k = 1, nz; do j = 1, ny; do i = 1, nx
      xzy(i, k, j) = told(record, i, j, k)
      zyx(k, j, i) = told(record, i, j, k)
      xyz(i, j, k) = told(record, i, j, k)
      plane(i, j) = told(record, i, j, 0)
    end do; end do; end do
    do i = 1, width
      do j = 1, ny; do k = 1, nz
        strip(j, k, i) = told(record, i, j, k)
      end do; end do
      line(1:nx, i) = [(told(record, j, i, 0), j=1, nx)]
    end do
    column(1:nz) = [(told(record, 0, 0, k), k=1, nz)]
    wide = plane + 1d-9
    whole = int(plane)
    call put_field(handle, dates(record), 'XZY', xzy, wrf_real, 'XZY', &
                   ['we', 'bt', 'sn'], [nx, nz, ny], [0, 1, 0], [nx + 1, nz, ny + 1], status)
    call expect(status, 0, 'XZY')
    call put_field(handle, dates(record), 'ZYX', zyx, wrf_real, 'ZYX', &
                   ['bt', 'sn', 'we'], [nz, ny, nx], [1, 1, 1], [nz, ny, nx], status)
    call expect(status, 0, 'ZYX')
    call put_field(handle, dates(record), 'XYZ', xyz, wrf_real, 'XYZ', &
                   ['we', 'sn', 'bt'], [nx, ny, nz], [1, 1, 1], [nx, ny, nz], status)
    call expect(status, 0, 'XYZ')
    call put_field(handle, dates(record), 'STRIP', strip, wrf_real, 'XSZ', &
                   ['sn', 'bt', 'bw'], [ny, nz, width], [0, 1, 1], [ny + 1, nz, width], status)
    call expect(status, 0, 'strip')
    call put_field(handle, dates(record), 'LINE', line, wrf_real, 'YE', &
                   ['we', 'bw'], [nx, width], [0, 1], [nx + 1, width], status)
    call expect(status, 0, 'line')
    call put_field(handle, dates(record), 'NAMELESS', column, wrf_real, 'Z', &
                   ['  '], [nz], [0], [nz], status)
    call expect(status, 0, 'column')
    call put_field(handle, dates(record), 'ONE', plane, wrf_real, '0', ['  '], [1], [1], [1], status)
    call expect(status, 0, 'one value')
    call put_more(handle, record, wide, whole)
  end subroutine

  subroutine put_more(handle, record, wide, whole)
    integer, intent(in) :: handle, record
    double precision, intent(inout) :: wide(nx, ny)
    integer, intent(inout) :: whole(nx, ny)
    integer :: status, comm, io_comm
    call ext_frz_write_field(handle, dates(record), 'WIDE', wide, wrf_double, comm, io_comm, 0, 'XY', '', &
                             ['we', 'sn'], [1, 1], [nx, ny], [1, 1], [nx, ny], [1, 1], [nx, ny], status)
    call expect(status, 0, 'doubles')
    call ext_frz_write_field(handle, dates(record), 'WHOLE', whole, wrf_integer, comm, io_comm, 0, 'XY', '', &
                             ['we', 'sn'], [1, 1], [nx, ny], [1, 1], [nx, ny], [1, 1], [nx, ny], status)
    call expect(status, 0, 'integers')
  end subroutine

  ! Metadata of one time: of the file and of a field.
  subroutine put_timed(handle, record)
    integer, intent(in) :: handle, record
    integer :: status
    call ext_frz_put_dom_td_char(handle, 'THISBDYTIME', dates(record), dates(3 - record), status)
    call expect(status, 0, 'put_dom_td_char')
    call ext_frz_put_dom_td_real(handle, 'R', dates(record), [1.5*record], 1, status)
    call expect(status, 0, 'put_dom_td_real')
    call ext_frz_put_dom_td_double(handle, 'D', dates(record), [2.5d0*record, 1d0], 2, status)
    call expect(status, 0, 'put_dom_td_double')
    call ext_frz_put_dom_td_integer(handle, 'I', dates(record), [record, 2, 3], 3, status)
    call expect(status, 0, 'put_dom_td_integer')
    call ext_frz_put_dom_td_logical(handle, 'L', dates(record), [record == 1, .true.], 2, status)
    call expect(status, 0, 'put_dom_td_logical')
    call ext_frz_put_var_td_char(handle, 'NOTE', dates(record), 'XZY', 'note'//dates(record), status)
    call expect(status, 0, 'put_var_td_char')
    call ext_frz_put_var_td_real(handle, 'R', dates(record), 'XZY', [-1.5*record], 1, status)
    call expect(status, 0, 'put_var_td_real')
    call ext_frz_put_var_td_double(handle, 'D', dates(record), 'XZY', [-2.5d0*record], 1, status)
    call expect(status, 0, 'put_var_td_double')
    call ext_frz_put_var_td_integer(handle, 'I', dates(record), 'XZY', [-record], 1, status)
    call expect(status, 0, 'put_var_td_integer')
    call ext_frz_put_var_td_logical(handle, 'L', dates(record), 'XZY', [record == 2], 1, status)
    call expect(status, 0, 'put_var_td_logical')
  end subroutine

  subroutine put_attributes(handle)
    integer, intent(in) :: handle
    integer :: status
    call ext_frz_put_dom_ti_real(handle, 'R', [1.5, 2.5], 2, status)
    call expect(status, 0, 'put_dom_ti_real')
    call ext_frz_put_dom_ti_double(handle, 'D', [1.5d0], 1, status)
    call expect(status, 0, 'put_dom_ti_double')
    call ext_frz_put_dom_ti_integer(handle, 'I', [7], 1, status)
    call expect(status, 0, 'put_dom_ti_integer')
    call ext_frz_put_dom_ti_logical(handle, 'L', [.true., .false.], 2, status)
    call expect(status, 0, 'put_dom_ti_logical')
    call ext_frz_put_dom_ti_char(handle, 'T', 'a title   ', status)
    call expect(status, 0, 'put_dom_ti_char')
  end subroutine

  subroutine put_of_field(handle)
    integer, intent(in) :: handle
    integer :: status
    call ext_frz_put_var_ti_real(handle, 'R', 'XZY', [1.5, 2.5], 2, status)
    call expect(status, 0, 'put_var_ti_real')
    call ext_frz_put_var_ti_double(handle, 'D', 'XZY', [1.5d0], 1, status)
    call expect(status, 0, 'put_var_ti_double')
    call ext_frz_put_var_ti_integer(handle, 'I', 'XZY', [7], 1, status)
    call expect(status, 0, 'put_var_ti_integer')
    call ext_frz_put_var_ti_logical(handle, 'L', 'XZY', [.true., .false.], 2, status)
    call expect(status, 0, 'put_var_ti_logical')
    call ext_frz_put_var_ti_char(handle, 'T', 'XZY', 'a title   ', status)
    call expect(status, 0, 'put_var_ti_char')
    call ext_frz_put_var_ti_char(handle, 'EMPTY', 'XZY', '   ', status)
    call expect(status, 0, 'put_var_ti_char')
  end subroutine

  subroutine write_file(path)
    character(*), intent(in) :: path
    integer :: handle, status, record
    call ext_frz_open_for_write_begin(path, 0, 0, 'DATASET=BOUNDARY', handle, status)
    call expect(status, 0, 'create')
    call put_fields(handle, 1)
    call put_of_field(handle)
    call put_timed(handle, 1)
    call ext_frz_put_dom_td_real(handle, 'R', dates(1), [1.0], 1, status)
    call expect(status, -12, 'metadata told twice')
    call ext_frz_open_for_write_commit(handle, status)
    call expect(status, 0, 'commit')
    do record = 1, 2
      call put_attributes(handle)
      call put_timed(handle, record)
      call put_fields(handle, record)
      call ext_frz_iosync(handle, status)
      call expect(status, 0, 'iosync')
    end do
    call ext_frz_put_dom_ti_integer(handle, 'I', [8], 1, status)
    call expect(status, 0, 'a repeated attribute')
    call ext_frz_put_var_ti_integer(handle, 'I', 'XZY', [8], 1, status)
    call expect(status, 0, 'a repeated attribute of a field')
    call ext_frz_put_dom_td_real(handle, 'NEW', dates(2), [1.0], 1, status)
    call expect(status, -2, 'metadata that were not told')
    call ext_frz_put_dom_td_integer(handle, 'I', dates(2), [1, 2, 3, 4], 4, status)
    call expect(status, -17, 'metadata that are longer than told')
    call ext_frz_ioclose(handle, status)
    call expect(status, 0, 'close')
  end subroutine

  subroutine read_attributes(handle)
    integer, intent(in) :: handle
    integer :: status, count, i(2)
    real :: r(2)
    double precision :: d(2)
    logical :: l(2)
    character(12) :: t
    character(3) :: short
    call ext_frz_get_dom_ti_real(handle, 'R', r, 2, count, status)
    if (status /= 0 .or. count /= 2 .or. any(r /= [1.5, 2.5])) call expect(status, 99, 'get_dom_ti_real')
    call ext_frz_get_dom_ti_real(handle, 'R', r, 1, count, status)
    if (count /= 1) call expect(status, 99, 'count of less')
    call expect(status, -1023, 'less than there is')
    call ext_frz_get_dom_ti_real(handle, 'D', r, 2, count, status)
    if (status /= 0 .or. r(1) /= 1.5) call expect(status, 99, 'a double as a real')
    call ext_frz_get_dom_ti_double(handle, 'D', d, 2, count, status)
    if (status /= 0 .or. count /= 1 .or. d(1) /= 1.5d0) call expect(status, 99, 'get_dom_ti_double')
    call ext_frz_get_dom_ti_integer(handle, 'I', i, 2, count, status)
    if (status /= 0 .or. count /= 1 .or. i(1) /= 7) call expect(status, 99, 'get_dom_ti_integer')
    call ext_frz_get_dom_ti_logical(handle, 'L', l, 2, count, status)
    if (status /= 0 .or. .not. l(1) .or. l(2)) call expect(status, 99, 'get_dom_ti_logical')
    call ext_frz_get_dom_ti_char(handle, 'T', t, status)
    if (status /= 0 .or. t /= 'a title') call expect(status, 99, 'get_dom_ti_char')
    call ext_frz_get_dom_ti_char(handle, 'T', short, status)
    if (short /= 'a t') call expect(status, 99, 'the beginning of a text')
    call expect(status, -21, 'a text that has no room')
    call ext_frz_get_dom_ti_integer(handle, 'R', i, 2, count, status)
    call expect(status, -8, 'a real as an integer')
    call ext_frz_get_var_ti_real(handle, 'R', 'XZY', r, 2, count, status)
    if (status /= 0 .or. any(r /= [1.5, 2.5])) call expect(status, 99, 'get_var_ti_real')
    call ext_frz_get_var_ti_double(handle, 'D', 'XZY', d, 2, count, status)
    if (status /= 0 .or. d(1) /= 1.5d0) call expect(status, 99, 'get_var_ti_double')
    call ext_frz_get_var_ti_integer(handle, 'I', 'XZY', i, 2, count, status)
    if (status /= 0 .or. i(1) /= 7) call expect(status, 99, 'get_var_ti_integer')
    call ext_frz_get_var_ti_logical(handle, 'L', 'XZY', l, 2, count, status)
    if (status /= 0 .or. .not. l(1) .or. l(2)) call expect(status, 99, 'get_var_ti_logical')
    call ext_frz_get_var_ti_char(handle, 'T', 'XZY', t, status)
    if (status /= 0 .or. t /= 'a title') call expect(status, 99, 'get_var_ti_char')
  end subroutine

  subroutine read_timed(handle, record)
    integer, intent(in) :: handle, record
    integer :: status, count, i(3)
    real :: r(2)
    double precision :: d(2)
    logical :: l(2)
    character(19) :: t
    character(30) :: note
    call ext_frz_get_dom_td_char(handle, 'THISBDYTIME', dates(record), t, status)
    if (status /= 0 .or. t /= dates(3 - record)) call expect(status, 99, 'get_dom_td_char')
    call ext_frz_get_dom_td_real(handle, 'R', dates(record), r, 2, count, status)
    if (status /= 0 .or. count /= 1 .or. r(1) /= 1.5*record) call expect(status, 99, 'get_dom_td_real')
    call ext_frz_get_dom_td_double(handle, 'D', dates(record), d, 2, count, status)
    if (status /= 0 .or. any(d /= [2.5d0*record, 1d0])) call expect(status, 99, 'get_dom_td_double')
    call ext_frz_get_dom_td_integer(handle, 'I', dates(record), i, 3, count, status)
    if (status /= 0 .or. any(i /= [record, 2, 3])) call expect(status, 99, 'get_dom_td_integer')
    call ext_frz_get_dom_td_logical(handle, 'L', dates(record), l, 2, count, status)
    if (status /= 0 .or. (l(1) .neqv. record == 1) .or. .not. l(2)) call expect(status, 99, 'get_dom_td_logical')
    call ext_frz_get_var_td_char(handle, 'NOTE', dates(record), 'XZY', note, status)
    if (status /= 0 .or. note /= 'note'//dates(record)) call expect(status, 99, 'get_var_td_char')
    call ext_frz_get_var_td_real(handle, 'R', dates(record), 'XZY', r, 2, count, status)
    if (status /= 0 .or. r(1) /= -1.5*record) call expect(status, 99, 'get_var_td_real')
    call ext_frz_get_var_td_double(handle, 'D', dates(record), 'XZY', d, 2, count, status)
    if (status /= 0 .or. d(1) /= -2.5d0*record) call expect(status, 99, 'get_var_td_double')
    call ext_frz_get_var_td_integer(handle, 'I', dates(record), 'XZY', i, 3, count, status)
    if (status /= 0 .or. i(1) /= -record) call expect(status, 99, 'get_var_td_integer')
    call ext_frz_get_var_td_logical(handle, 'L', dates(record), 'XZY', l, 2, count, status)
    if (status /= 0 .or. (l(1) .neqv. record == 2)) call expect(status, 99, 'get_var_td_logical')
  end subroutine

  subroutine read_file(path)
    character(*), intent(in) :: path
    character(19) :: date
    character(32) :: name
    character(3) :: order
    integer :: handle, status, axes, start(3), end(3), count, comm, io_comm
    double precision :: wide(0:nx + 1, 0:ny + 1)
    real :: narrow(nx, ny)
    call ext_frz_open_for_read(path, 0, 0, ' ', handle, status)
    call expect(status, 0, 'open')
    call read_attributes(handle)
    call read_timed(handle, 1)
    call read_timed(handle, 2)
    count = 0
    do
      call ext_frz_get_next_var(handle, name, status)
      if (status /= 0) exit
      count = count + 1
    end do
    call expect(status, -6, 'the end of variables')
    call expect(count, 9, 'the number of fields')
    call ext_frz_get_var_info(handle, 'XZY', axes, order, name, start, end, status)
    call expect(status, 0, 'get_var_info')
    if (axes /= 3 .or. order /= 'XYZ' .or. any(end /= [nx, ny, nz])) call expect(axes, 99, 'what XZY is')
    call ext_frz_get_next_time(handle, date, status)
    call ext_frz_get_next_time(handle, date, status)
    if (date /= dates(2)) call expect(status, 99, 'the second time')
    call ext_frz_get_next_time(handle, date, status)
    call expect(status, -4, 'the end of times')
    call ext_frz_get_previous_time(handle, date, status)
    if (date /= dates(1)) call expect(status, 99, 'the time before')
    call ext_frz_set_time(handle, dates(2), status)
    call expect(status, 0, 'set_time')
    call ext_frz_set_time(handle, '1999-01-01_00:00:00', status)
    call expect(status, -3, 'a time that is not there')
    ! Reals and doubles are read as each other.
    call ext_frz_read_field(handle, dates(2), 'WIDE', narrow, wrf_real, comm, io_comm, 0, 'XY', '', ['a', 'b'], &
                            [1, 1], [nx, ny], [1, 1], [nx, ny], [1, 1], [nx, ny], status)
    if (status /= 0 .or. narrow(2, 3) /= told(2, 2, 3, 0)) call expect(status, 99, 'doubles as reals')
    wide = -1
    call ext_frz_read_field(handle, dates(2), 'WIDE', wide, wrf_double, comm, io_comm, 0, 'XY', '', ['a', 'b'], &
                            [1, 1], [nx, ny], [0, 0], [nx + 1, ny + 1], [1, 1], [nx, ny], status)
    if (status /= 0 .or. wide(2, 3) /= told(2, 2, 3, 0) + 1d-9) call expect(status, 99, 'doubles')
    if (any(wide(0, :) /= -1) .or. any(wide(:, ny + 1) /= -1)) call expect(status, 99, 'the halo')
    call ext_frz_read_field(handle, dates(2), 'WHOLE', narrow, wrf_real, comm, io_comm, 0, 'XY', '', ['a', 'b'], &
                            [1, 1], [nx, ny], [1, 1], [nx, ny], [1, 1], [nx, ny], status)
    call expect(status, -8, 'integers as reals')
    call ext_frz_read_field(handle, dates(2), 'WIDE', narrow, wrf_real, comm, io_comm, 0, 'XY', '', ['a', 'b'], &
                            [1, 1], [nx + 1, ny], [1, 1], [nx + 1, ny], [1, 1], [nx + 1, ny], status)
    call expect(status, -13, 'more than there is')
    call ext_frz_ioclose(handle, status)
    call expect(status, 0, 'close')
  end subroutine

  subroutine misuse(there, path)
    character(*), intent(in) :: there, path
    integer :: handle, status, axes
    real :: plane(nx, ny)
    character(19) :: date
    plane = 1
    call ext_frz_ioclose(77, status)
    call expect(status, -14, 'a handle that is none')
    call ext_frz_open_for_read(path, 0, 0, ' ', handle, status)
    if (status == 0) call expect(status, 99, 'a file that is not there')
    call ext_frz_open_for_read(there, 0, 0, ' ', handle, status)
    call put_field(handle, dates(1), 'A', plane, wrf_real, 'XY', ['we', 'sn'], [nx, ny], [1, 1], [nx, ny], status)
    call expect(status, -9, 'writing to a file that is read')
    call ext_frz_ioclose(handle, status)
    call ext_frz_open_for_write_begin(path, 0, 0, 'DATASET=HISTORY', handle, status)
    call put_field(handle, dates(1), 'A', plane, wrf_real, 'XY', ['we', 'sn'], [nx, ny], [1, 1], [nx, ny], status)
    call expect(status, 0, 'the training pass')
    call put_field(handle, dates(1), 'A', plane, wrf_real, 'XY', ['we', 'sn'], [nx, ny], [1, 1], [nx, ny], status)
    call expect(status, -12, 'a field told twice')
    call put_field(handle, dates(1), 'B', plane, wrf_real, 'XY', ['we', 'sn'], [nx, 1], [1, 1], [nx, 1], status)
    call expect(status, -20, 'a dimension of two lengths')
    call put_field(handle, dates(1), 'C', plane, wrf_real, 'XQ', ['we', 'sn'], [nx, ny], [1, 1], [nx, ny], status)
    call expect(status, -19, 'an order that is none')
    call put_field(handle, 'yesterday', 'C', plane, wrf_real, 'XY', ['we', 'sn'], [nx, ny], [1, 1], [nx, ny], status)
    call expect(status, -1017, 'a date that is none')
    call put_field(handle, dates(1), 'C', plane, 108, 'XY', ['we', 'sn'], [nx, ny], [1, 1], [nx, ny], status)
    call expect(status, -1016, 'a type that cannot be written')
    call ext_frz_iosync(handle, status)
    call expect(status, -1008, 'iosync in the training pass')
    call ext_frz_open_for_write_commit(handle, status)
    call put_field(handle, dates(1), 'A', plane, wrf_real, 'XY', ['we', 'sn'], [nx, 1], [1, 1], [nx, 1], status)
    call expect(status, -15, 'another length than told')
    call put_field(handle, dates(1), 'NEW', plane, wrf_real, 'XY', ['we', 'sn'], [nx, ny], [1, 1], [nx, ny], status)
    call expect(status, -5, 'a field that was not told')
    call put_field(handle, dates(1), 'A', plane, wrf_real, 'XY', ['we', 'sn'], [nx, ny], [2, 1], [nx, ny], status)
    call expect(status, -18, 'a patch outside the memory')
    call ext_frz_get_next_time(handle, date, status)
    call expect(status, -10, 'reading a file that is written')
    call ext_frz_ioexit(status)
    call expect(status, 0, 'ioexit closes what is open')
    axes = 0
  end subroutine
end program
