! Stands in for WRF: makes the calls that the model makes of an I/O package, in its order, with the
! fields of a file that the model wrote. The prefix ext_frz_ is replaced by that of the package.
!
!   standin LIST SOURCE OUTPUT history|restart [COLUMNS ROWS]
!
! LIST has a line for each global attribute and each field, made by tests/test_wrf.py. Fields are read
! from SOURCE by the package, as the model reads its input, into memory in the model's order with a
! halo; then a training pass, and all frames. At the end OUTPUT is read back and compared with SOURCE,
! bit by bit. With PARALLEL defined, tasks have patches of COLUMNS times ROWS.
module model
#ifdef PARALLEL
  use mpi
#endif
  implicit none
  integer, parameter :: halo = 5, unset = -987654321
  integer, parameter :: wrf_real = 104, wrf_double = 105
  type field_type
    character(64) :: name, order, stagger, axis(3), coordinates
    character(200) :: description, units
    integer :: kind, axes
    integer :: length(3) = 1                     ! of the domain, by axis in memory
    integer :: memory_start(3) = 1, memory_end(3) = 1, patch_start(3) = 1, patch_end(3) = 1
    integer :: domain_start(3) = 1
  end type
  type attribute_type
    character(64) :: name
    character(8) :: kind
    character(512) :: text
    integer :: count
    real :: reals(64)
    double precision :: doubles(64)
    integer :: integers(64)
  end type
  type(field_type), allocatable :: fields(:)
  type(attribute_type), allocatable :: attributes(:)
  character(19), allocatable :: dates(:)
  integer :: comm = 0, task = 0, tasks = 1, columns = 1, rows = 1

contains

  ! The text between two bars.
  function part(line, number) result(text)
    character(*), intent(in) :: line
    integer, intent(in) :: number
    character(512) :: text
    integer :: start, found, i
    start = 1
    do i = 1, number - 1
      start = start + index(line(start:), '|')
    end do
    found = index(line(start:), '|')
    text = line(start:start + found - 2)
  end function

  subroutine check(status, what)
    integer, intent(in) :: status
    character(*), intent(in) :: what
    if (status == 0) return
    print '(a,a,a,i0,a,i0)', 'failed: ', trim(what), ' status ', status, ' task ', task
#ifdef PARALLEL
    call mpi_abort(mpi_comm_world, 1, columns)
#endif
    stop 1
  end subroutine

  subroutine read_list(path)
    character(*), intent(in) :: path
    character(2048) :: line
    character(512) :: numbers
    integer :: unit, counts(2), i, j, axis
    open (newunit=unit, file=path, action='read')
    read (unit, *) counts
    allocate (attributes(counts(1)), fields(counts(2)))
    do i = 1, counts(1)
      read (unit, '(a)') line
      attributes(i)%name = part(line, 1)
      attributes(i)%kind = part(line, 2)
      attributes(i)%text = part(line, 4)
      numbers = part(line, 3)
      read (numbers, *) attributes(i)%count
      associate (a => attributes(i))
        if (a%kind == 'real') read (a%text, *) a%reals(:a%count)
        if (a%kind == 'double') read (a%text, *) a%doubles(:a%count)
        if (a%kind == 'integer') read (a%text, *) a%integers(:a%count)
      end associate
    end do
    do i = 1, counts(2)
      read (unit, '(a)') line
      associate (f => fields(i))
        f%name = part(line, 1)
        numbers = part(line, 2)
        read (numbers, *) f%kind, f%axes
        f%order = part(line, 3)
        f%stagger = part(line, 4)
        f%description = part(line, 5)
        f%units = part(line, 6)
        f%coordinates = part(line, 7)
        do j = 1, f%axes
          f%axis(j) = part(line, 6 + 2*j)
          numbers = part(line, 7 + 2*j)
          read (numbers, *) f%length(j)
        end do
        do axis = 1, f%axes
          call place(f, axis)
        end do
      end associate
    end do
    close (unit)
  end subroutine

  ! The patch of this task along an axis, and memory around it.
  subroutine place(f, axis)
    type(field_type), intent(inout) :: f
    integer, intent(in) :: axis
    integer :: number, parts
    number = 0
    parts = 1
    if (len_trim(f%order) > 1 .and. f%order(axis:axis) == 'X') then
      number = mod(task, columns)
      parts = columns
    else if (len_trim(f%order) > 1 .and. f%order(axis:axis) == 'Y') then
      number = task/columns
      parts = rows
    end if
    f%patch_start(axis) = 1 + number*f%length(axis)/parts
    f%patch_end(axis) = (number + 1)*f%length(axis)/parts
    f%memory_start(axis) = f%patch_start(axis)
    f%memory_end(axis) = f%patch_end(axis)
    if (f%order(axis:axis) == 'X' .or. f%order(axis:axis) == 'Y') then
      f%memory_start(axis) = f%patch_start(axis) - halo
      f%memory_end(axis) = f%patch_end(axis) + halo
    end if
  end subroutine

  function memory_of(f) result(words)
    type(field_type), intent(in) :: f
    integer, allocatable :: words(:)
    allocate (words(product(f%memory_end - f%memory_start + 1)*merge(2, 1, f%kind == wrf_double)))
    words = unset
  end function

  subroutine read_source(handle, date, f, words)
    integer, intent(in) :: handle
    character(*), intent(in) :: date
    type(field_type), intent(in) :: f
    integer, intent(inout) :: words(*)
    integer :: status, io_comm
    io_comm = comm
    call ext_frz_read_field(handle, date, f%name, words, f%kind, comm, io_comm, 0, trim(f%order), &
                            trim(f%stagger), f%axis, f%domain_start, f%length, f%memory_start, &
                            f%memory_end, f%patch_start, f%patch_end, status)
    call check(status, 'read of '//f%name)
  end subroutine

  subroutine write_output(handle, date, f, words)
    integer, intent(in) :: handle
    character(*), intent(in) :: date
    type(field_type), intent(in) :: f
    integer, intent(inout) :: words(*)
    integer :: status, io_comm
    io_comm = comm
    call ext_frz_write_field(handle, date, f%name, words, f%kind, comm, io_comm, 0, trim(f%order), &
                             trim(f%stagger), f%axis, f%domain_start, f%length, f%memory_start, &
                             f%memory_end, f%patch_start, f%patch_end, status)
    call check(status, 'write of '//f%name)
  end subroutine

  ! What share/output_wrf.F does with every frame, and in the training pass.
  subroutine put_attributes(handle)
    integer, intent(in) :: handle
    integer :: i, status
    character(512) :: text
    do i = 1, size(attributes)
      associate (a => attributes(i))
        select case (a%kind)
        case ('real')
          call ext_frz_put_dom_ti_real(handle, trim(a%name), a%reals, a%count, status)
        case ('double')
          call ext_frz_put_dom_ti_double(handle, trim(a%name), a%doubles, a%count, status)
        case ('integer')
          call ext_frz_put_dom_ti_integer(handle, trim(a%name), a%integers, a%count, status)
        case default
          text = a%text
          if (a%text == '' .and. a%count == 1) text(1:1) = char(0)
          call ext_frz_put_dom_ti_char(handle, trim(a%name), text(:a%count + 3), status)
        end select
        call check(status, 'attribute '//a%name)
      end associate
    end do
  end subroutine

  ! What the model's input does with attributes.
  subroutine compare_attributes(handle)
    integer, intent(in) :: handle
    integer :: i, status, count, integers(64)
    real :: reals(64)
    character(512) :: text
    do i = 1, size(attributes)
      associate (a => attributes(i))
        count = a%count
        select case (a%kind)
        case ('real')
          call ext_frz_get_dom_ti_real(handle, trim(a%name), reals, 64, count, status)
          if (any(reals(:count) /= a%reals(:count))) status = 99
        case ('double')
          status = 0
        case ('integer')
          call ext_frz_get_dom_ti_integer(handle, trim(a%name), integers, 64, count, status)
          if (any(integers(:count) /= a%integers(:count))) status = 99
        case default
          text = 'something else'
          call ext_frz_get_dom_ti_char(handle, trim(a%name), text, status)
          ! An empty attribute is a warning of WRF's own package as well.
          if (a%count == 0 .and. status == -1022) cycle
          ! Tools end texts by a NUL, which the list of attributes has not.
          count = max(1, len_trim(text))
          if (text(count:count) == char(0)) text(count:count) = ' '
          count = a%count
          if (text /= a%text) status = 99
        end select
        if (count /= a%count) status = 98
        call check(status, 'attribute back '//a%name)
      end associate
    end do
    call ext_frz_get_dom_ti_integer(handle, 'NOT_THERE', integers, 64, count, status)
    if (status == 0) call check(97, 'an attribute that is not there')
  end subroutine

  subroutine put_variable_attributes(handle, f)
    integer, intent(in) :: handle
    type(field_type), intent(in) :: f
    integer :: status
    call ext_frz_put_var_ti_char(handle, 'description', trim(f%name), trim(f%description), status)
    call check(status, 'description of '//f%name)
    call ext_frz_put_var_ti_char(handle, 'units', trim(f%name), trim(f%units), status)
    call check(status, 'units of '//f%name)
    call ext_frz_put_var_ti_char(handle, 'stagger', trim(f%name), trim(f%stagger), status)
    call check(status, 'stagger of '//f%name)
    if (f%coordinates == '') return
    call ext_frz_put_var_ti_char(handle, 'coordinates', trim(f%name), trim(f%coordinates), status)
    call check(status, 'coordinates of '//f%name)
  end subroutine

  subroutine collect_dates(handle)
    integer, intent(in) :: handle
    character(19) :: date
    integer :: status
    allocate (dates(0))
    do
      call ext_frz_get_next_time(handle, date, status)
      if (status /= 0) exit
      dates = [dates, date]
    end do
    if (status /= -4) call check(status, 'the end of times')
  end subroutine

  ! A pass over all fields in the training pass: values that must not be stored.
  subroutine train(handle, date)
    integer, intent(in) :: handle
    character(*), intent(in) :: date
    integer, allocatable :: words(:)
    integer :: i
    do i = 1, size(fields)
      words = memory_of(fields(i))
      call write_output(handle, date, fields(i), words)
      call put_variable_attributes(handle, fields(i))
    end do
  end subroutine

  subroutine compare(first, second)
    integer, intent(in) :: first, second
    integer, allocatable :: words(:), others(:)
    integer :: i, j
    do j = 1, size(dates)
      do i = 1, size(fields)
        words = memory_of(fields(i))
        others = words
        call read_source(first, dates(j), fields(i), words)
        call read_source(second, dates(j), fields(i), others)
        if (any(words /= others)) call check(96, 'comparison of '//fields(i)%name)
        ! The halo is nobody's but the model's.
        if (fields(i)%axes > 1 .and. words(1) /= unset) call check(95, 'halo of '//fields(i)%name)
      end do
    end do
  end subroutine
end module

program standin
  use model
  implicit none
  character(256) :: list, source, output, kind, argument, told
  character(64) :: description
  integer :: input, handle, status, state, i, j
  integer, allocatable :: words(:)
  call get_command_argument(1, list)
  call get_command_argument(2, source)
  call get_command_argument(3, output)
  call get_command_argument(4, kind)
#ifdef PARALLEL
  call mpi_init_thread(mpi_thread_funneled, i, status)
  comm = mpi_comm_world
  call mpi_comm_rank(comm, task, status)
  call mpi_comm_size(comm, tasks, status)
  call get_command_argument(5, argument)
  read (argument, *) columns
  call get_command_argument(6, argument)
  read (argument, *) rows
#endif
  call read_list(trim(list))
  call ext_frz_ioinit(' ', status)
  call check(status, 'ioinit')

  call ext_frz_open_for_read(trim(source), comm, comm, 'DATASET=INPUT', input, status)
  call check(status, 'open of '//source)
  call ext_frz_inquire_filename(input, told, state, status)
  if (told /= source .or. state /= 103) call check(94, 'name of the input')
  call compare_attributes(input)
  call collect_dates(input)

  description = 'DATASET=HISTORY,GRIDID=1,NOFILL=.TRUE.'
  if (kind == 'restart') description = 'DATASET=RESTART,GRIDID=1'
  call ext_frz_open_for_write_begin(output, comm, comm, trim(description), handle, status)
  call check(status, 'create of '//output)
  call ext_frz_inquire_filename(handle, told, state, status)
  if (told /= output .or. state /= 101) call check(93, 'state in the training pass')
  call put_attributes(handle)
  call train(handle, dates(1))
  call ext_frz_open_for_write_commit(handle, status)
  call check(status, 'commit of the training pass')

  do j = 1, size(dates)
    call ext_frz_inquire_filename(handle, told, state, status)
    if (told /= output .or. state /= 102) call check(92, 'state in a frame')
    call put_attributes(handle)
    do i = 1, size(fields)
      words = memory_of(fields(i))
      call read_source(input, dates(j), fields(i), words)
      call write_output(handle, dates(j), fields(i), words)
    end do
#ifndef PARALLEL
    call ext_frz_iosync(handle, status)
    call check(status, 'iosync')
#endif
  end do
  call ext_frz_ioclose(handle, status)
  call check(status, 'close of '//output)
  call ext_frz_inquire_filename(handle, told, state, status)
  if (state /= 100 .or. status == 0) call check(91, 'a closed handle')

  call ext_frz_open_for_read(trim(output), comm, comm, 'DATASET=RESTART', handle, status)
  call check(status, 'open of '//output)
  call compare_attributes(handle)
  call compare(input, handle)
  call ext_frz_ioclose(handle, status)
  call check(status, 'close')
  call ext_frz_ioexit(status)
  call check(status, 'ioexit')
  if (task == 0) print '(a,i0,a,i0,a)', 'equal: ', size(fields), ' fields of ', size(dates), ' frames'
#ifdef PARALLEL
  call mpi_finalize(status)
#endif
end program
