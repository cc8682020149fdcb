! The module frazil: every kind, sections, text, attributes, groups, settings, append, refusals.
!
!   writer_calls FOLDER
program writer_calls
  use frazil
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  implicit none
  character(len=512) :: folder
  integer :: failures = 0

  call get_command_argument(1, folder)
  call write_all
  call go_on
  call replay
  call request
  if (failures > 0) error stop 1

contains

  subroutine expect(what, status, wanted)
    character(len=*), intent(in) :: what
    integer, intent(in) :: status, wanted

    if (status == wanted) return
    failures = failures + 1
    print '(a, ": ", i0, " where ", i0, " was expected: ", a)', what, status, wanted, trim(frazil_message(status))
  end subroutine expect

  subroutine write_all
    type(frazil_writer) :: writer
    type(frazil_report) :: report
    integer :: x, y, time, length, v(7), words, group, tuned, row, found, kind, i
    integer(int64), allocatable :: shape(:)
    integer(int64) :: steps
    integer(int8) :: i1(4)
    integer(int16) :: i2(4)
    integer(int64) :: i8(4)
    real(real64) :: r8(4)
    real :: field(0:5, 0:4), back(4, 3), number
    character(len=6) :: texts(3)

    field = reshape([(real(i), i=1, 30)], [6, 5])
    i1 = [1_int8, 2_int8, 3_int8, -4_int8]
    i2 = 1000_int16*i1
    i8 = 10000000000_int64*i1
    r8 = i1/8.0_real64
    texts = [character(len=6) :: 'alpha', 'beta', 'gamma']
    call expect('create', frazil_create(trim(folder)//'/writer.nc', writer, threads=2, &
                                        memory_bytes=67108864_int64, durable=.false., overwrite=.true.), 0)
    call expect('x', frazil_add_dimension(writer, 'x', 4, x), 0)
    call expect('y', frazil_add_dimension(writer, 'y', 3_int64, y), 0)
    call expect('length', frazil_add_dimension(writer, 'length', 6, length), 0)
    call expect('time', frazil_add_unlimited_dimension(writer, 'time', time, expected_length=10), 0)
    call expect('name in use', frazil_add_dimension(writer, 'x', 4, found), 1)
    call expect('i1', frazil_add_variable(writer, 'i1', frazil_int8, [x], v(1)), 0)
    call expect('i2', frazil_add_variable(writer, 'i2', frazil_int16, [x], v(2)), 0)
    call expect('i4', frazil_add_variable(writer, 'i4', frazil_int32, [x], v(3)), 0)
    call expect('i8', frazil_add_variable(writer, 'i8', frazil_int64, [x], v(4)), 0)
    call expect('r8', frazil_add_variable(writer, 'r8', frazil_real64, [x], v(5)), 0)
    call expect('field', frazil_add_variable(writer, 'field', frazil_real32, [x, y, time], v(6)), 0)
    call expect('scalar', frazil_add_variable(writer, 'scalar', frazil_real32, [integer ::], v(7)), 0)
    call expect('words', frazil_add_variable(writer, 'words', frazil_character, [length, y], words), 0)
    call expect('tuned', frazil_add_variable(writer, 'tuned', frazil_real32, [x, y], tuned), 0)
    call expect('chunk', frazil_set_chunk_shape(writer, tuned, [4, 2]), 0)
    call expect('short chunk', frazil_set_chunk_shape(writer, tuned, [4]), frazil_too_few_numbers)
    call expect('deflate', frazil_set_deflate(writer, tuned, 6, shuffle=.true.), 0)
    call expect('fill', frazil_set_fill_value(writer, tuned, -1.0), 0)
    call expect('fill of another type', frazil_set_fill_value(writer, tuned, -1), frazil_no_such_type)
    call expect('group', frazil_add_group(writer, 'physics', group), 0)
    call expect('row', frazil_add_variable(writer, 'row', frazil_real32, [x], row, group=group), 0)
    call expect('units', frazil_put_attribute(writer, v(6), 'units', 'm s-1'), 0)
    call expect('numbers', frazil_put_attribute(writer, v(6), 'numbers', r8(1:4:3)), 0)
    call expect('title', frazil_put_group_attribute(writer, frazil_root, 'title', 'all of it   '), 0)
    call expect('group attribute', frazil_put_group_attribute(writer, group, 'level', 7), 0)

    call expect('put i1', frazil_put(writer, v(1), i1), 0)
    call expect('put i2', frazil_put(writer, v(2), i2), 0)
    call expect('put i4', frazil_put(writer, v(3), int(i1, int32)), 0)
    call expect('put i8', frazil_put(writer, v(4), i8), 0)
    call expect('put r8', frazil_put(writer, v(5), r8), 0)
    call expect('put scalar', frazil_put(writer, v(7), 2.5), 0)
    call expect('put words', frazil_put(writer, words, texts), 0)
    call expect('put one word', frazil_put(writer, words, 'BETA', start=[1, 2]), 0)
    call expect('inner part', frazil_put(writer, v(6), field(1:4, 1:3), start=[1, 1, 1]), 0)
    call expect('backwards', frazil_put(writer, v(6), field(4:1:-1, 3:1:-1), start=[1_int64, 1_int64, 2_int64]), 0)
    call expect('longer', frazil_put(writer, v(6), field, start=[1, 1, 3], count=[4, 3, 1]), 0)
    call expect('one number', frazil_put(writer, v(6), -7.0, start=[4, 3, 3]), 0)
    call expect('columns', frazil_put(writer, tuned, reshape([1.0, 2.0, 3.0, 4.0], [2, 2]), stride=[3, 2]), 0)
    call expect('row', frazil_put(writer, row, [1.0, 2.0, 3.0, 4.0]), 0)

    call expect('another type', frazil_put(writer, v(3), r8), 1)
    call expect('logical', frazil_put(writer, v(1), .true.), frazil_no_such_type)
    call expect('too short', frazil_put(writer, v(3), [1, 2], count=[4]), frazil_array_too_short)
    call expect('beyond', frazil_put(writer, v(3), [1, 2, 3, 4], start=[2]), 1)
    call expect('no variable', frazil_put(writer, 99, 1.0), 1)
    if (index(frazil_message(1), '99') == 0) call expect('message of it', 1, 0)

    call expect('read', frazil_read(writer, v(6), back, start=[1, 1, 2]), 0)
    if (any(back /= field(4:1:-1, 3:1:-1))) call expect('read values', 1, 0)
    call expect('read number', frazil_read(writer, v(6), number, start=[4, 3, 3]), 0)
    call expect('number', nint(number), -7)
    call expect('sync', frazil_sync(writer), 0)
    call expect('length', frazil_dimension_length(writer, time, steps), 0)
    call expect('steps', int(steps), 3)
    call expect('inquire', frazil_inquire_variable(writer, v(6), kind, shape), 0)
    if (any(shape /= [4, 3, 3]) .or. kind /= frazil_real32) call expect('shape', 1, 0)
    call decided(writer, tuned)
    call expect('close', frazil_close(writer, report), 0)
    if (report%raw_bytes <= 0) call expect('report', 1, 0)
    if (report%written_bytes < report%stored_bytes) call expect('written bytes', 1, 0)
    call expect('commits', int(report%commits), 2)
    call expect('closed', frazil_sync(writer), 1)
  end subroutine write_all

  !> Attributes deleted and renamed; what was decided, and its plan put into a file.
  subroutine decided(writer, tuned)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: tuned
    integer(int64), allocatable :: chunk(:)
    character(len=:), allocatable :: filters, plan
    integer :: unit

    call expect('storage', frazil_inquire_storage(writer, tuned, chunk, filters), 0)
    if (any(chunk /= [4, 2])) call expect('chunk', 1, 0)
    if (filters /= 'shuffle+deflate(6)') call expect('filters', 1, 0)
    call expect('old', frazil_put_attribute(writer, tuned, 'old', 1), 0)
    call expect('rename', frazil_rename_attribute(writer, tuned, 'old', 'new'), 0)
    call expect('old is gone', frazil_delete_attribute(writer, tuned, 'old'), 2)
    call expect('delete', frazil_delete_attribute(writer, tuned, 'new'), 0)
    call expect('old', frazil_put_group_attribute(writer, frazil_root, 'old', 1), 0)
    call expect('rename', frazil_rename_group_attribute(writer, frazil_root, 'old', 'new'), 0)
    call expect('delete', frazil_delete_group_attribute(writer, frazil_root, 'new'), 0)
    call expect('plan', frazil_get_plan(writer, plan), 0)
    open (newunit=unit, file=trim(folder)//'/plan.json', status='replace', action='write')
    write (unit, '(a)') plan
    close (unit)
  end subroutine decided

  !> A second run by the plan of the first.
  subroutine replay
    type(frazil_writer) :: writer
    integer :: x, y, tuned, groomed
    integer(int64), allocatable :: chunk(:)
    character(len=:), allocatable :: filters

    call expect('no plan', frazil_create(trim(folder)//'/again.nc', writer, plan_file='/nowhere.json'), 2)
    call expect('create', frazil_create(trim(folder)//'/again.nc', writer, readable_by=frazil_readers_plugins, &
                                        commit_bytes=0_int64, records_per_sync=2, &
                                        plan_file=trim(folder)//'/plan.json', keep_plan=.true.), 0)
    call expect('x', frazil_add_dimension(writer, 'x', 4, x), 0)
    call expect('y', frazil_add_dimension(writer, 'y', 3, y), 0)
    call expect('tuned', frazil_add_variable(writer, 'tuned', frazil_real32, [x, y], tuned), 0)
    call expect('groomed', frazil_add_variable(writer, 'groomed', frazil_real32, [x, y], groomed), 0)
    call expect('groom', frazil_set_quantize(writer, groomed, frazil_bitgroom), 0)
    call expect('digits', frazil_set_significant_digits(writer, groomed, 3), 0)
    call expect('no algorithm', frazil_set_quantize(writer, groomed, 9), 1)
    call expect('put', frazil_put(writer, tuned, 1.5), 0)
    call expect('put', frazil_put(writer, groomed, 3.14159), 0)
    call expect('storage', frazil_inquire_storage(writer, tuned, chunk, filters), 0)
    if (any(chunk /= [4, 2])) call expect('chunk again', 1, 0)
    if (filters /= 'shuffle+deflate(6)') call expect('filters again', 1, 0)
    call expect('close', frazil_close(writer), 0)
  end subroutine replay

  !> Filters as a file of rules states them.
  subroutine request
    type(frazil_writer) :: writer
    integer :: x, requested, unit
    integer(int64), allocatable :: chunk(:)
    character(len=:), allocatable :: filters, file

    file = trim(folder)//'/rules.toml'
    open (newunit=unit, file=file, status='replace', action='write')
    write (unit, '(a)') '[[rule]]', 'variables = ["requested"]', 'filters = "shuffle+deflate(3)"'
    close (unit)
    call expect('no requests', frazil_create(trim(folder)//'/requested.nc', writer, precision_file='/nowhere.toml'), 2)
    call expect('no option', frazil_create(trim(folder)//'/requested.nc', writer, options='gaol=size'), 1)
    call expect('requests', frazil_create(trim(folder)//'/requested.nc', writer, options='goal=size', precision_file=file), 0)
    call expect('x', frazil_add_dimension(writer, 'x', 400, x), 0)
    call expect('requested', frazil_add_variable(writer, 'requested', frazil_real32, [x], requested), 0)
    call expect('chunk', frazil_set_chunk_shape(writer, requested, [100]), 0)
    call expect('put', frazil_put(writer, requested, 1.5), 0)
    call expect('storage', frazil_inquire_storage(writer, requested, chunk, filters), 0)
    if (filters /= 'shuffle+deflate(3)') call expect('requested filters', 1, 0)
    call expect('close', frazil_close(writer), 0)
  end subroutine request

  subroutine go_on
    type(frazil_writer) :: writer
    integer :: field, group, dimension, outcome
    real :: values(4, 3)

    values = 100.0
    call expect('no file', frazil_append(trim(folder)//'/nowhere.nc', writer), 2)
    call expect('append', frazil_append(trim(folder)//'/writer.nc', writer), 0)
    call expect('find', frazil_find_variable(writer, 'field', field), 0)
    call expect('find none', frazil_find_variable(writer, 'nothing', dimension), 2)
    call expect('find dimension', frazil_find_dimension(writer, 'time', dimension), 0)
    call expect('find group', frazil_find_group(writer, 'physics', group), 0)
    call expect('put', frazil_put(writer, field, values, start=[1, 1, 4]), 0)
    call expect('close', frazil_close(writer), 0)
    call expect('abandon', frazil_create(trim(folder)//'/given_up.nc', writer), 0)
    call expect('abandoned', frazil_abandon(writer), 0)
    call expect('recover', frazil_recover(trim(folder)//'/writer.nc', outcome), 0)
    call expect('outcome', outcome, frazil_clean)
    if (frazil_version() == '') call expect('version', 1, 0)
  end subroutine go_on
end program writer_calls
