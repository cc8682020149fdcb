! What frazil's nf90 interface does beyond netcdf-fortran 4.5: quantization, zstandard, and refusals
! where netcdf-fortran would write to or read from memory that is not there.
!
!   nf90_more FOLDER
program nf90_more
  use frazil_netcdf
  use typesizes, only: OneByteInt, TwoByteInt, EightByteInt
  implicit none
  character(len=512) :: folder
  integer :: failures = 0

  call get_command_argument(1, folder)
  call stored
  call refused
  call filled
  if (failures > 0) error stop 1

contains

  subroutine expect(what, status, wanted)
    character(len=*), intent(in) :: what
    integer, intent(in) :: status, wanted

    if (status == wanted) return
    failures = failures + 1
    print '(a, ": ", i0, " where ", i0, " was expected: ", a)', what, status, wanted, trim(nf90_strerror(status))
  end subroutine expect

  function path(name)
    character(len=*), intent(in) :: name
    character(len=:), allocatable :: path

    path = trim(folder)//'/'//name//'.nc'
  end function path

  subroutine stored
    integer :: ncid, x, y, q, z, d, f, mode, digits, has, level, length, form, i
    integer :: id, number, parameters(4)
    real :: values(64, 32)
    character(len=512) :: name
    logical :: shuffle

    values = reshape([(280.0 + 10.0*sin(0.1*i), i=1, 64*32)], [64, 32])
    call expect('create', nf90_create(path('more'), NF90_NETCDF4, ncid), 0)
    call expect('x', nf90_def_dim(ncid, 'x', 64, x), 0)
    call expect('y', nf90_def_dim(ncid, 'y', 32, y), 0)
    call expect('quantized', nf90_def_var(ncid, 'quantized', NF90_FLOAT, [x, y], q, deflate_level=1, &
                                          quantize_mode=nf90_quantize_granularbr, nsd=3), 0)
    call expect('no nsd', nf90_def_var(ncid, 'no_nsd', NF90_FLOAT, [x, y], i, &
                                       quantize_mode=nf90_quantize_bitround), NF90_EINVAL)
    call expect('zstandard', nf90_def_var(ncid, 'zstandard', NF90_FLOAT, [x, y], z, zstandard_level=3, &
                                          shuffle=.true.), 0)
    call expect('two compressors', nf90_def_var(ncid, 'two', NF90_FLOAT, [x, y], i, zstandard_level=3, &
                                                deflate_level=3), NF90_EFILTER)
    if (index(nf90_strerror(NF90_EFILTER), 'deflate or zstandard, not both') == 0) call expect('words', 1, 0)
    if (index(frazil_last_message(), 'ask for one of them only') == 0) call expect('message', 1, 0)
    call expect('two is not there', nf90_inq_varid(ncid, 'two', i), NF90_ENOTVAR)
    call expect('one dimension', nf90_def_var(ncid, 'one', NF90_FLOAT, x, d, deflate_level=4), 0)
    call expect('filter', nf90_def_var(ncid, 'filter', NF90_FLOAT, [x, y], f), 0)
    call expect('def filter', nf90_def_var_filter(ncid, f, 1, 1, [6]), 0)
    call expect('enddef', nf90_enddef(ncid), 0)
    call expect('put quantized', nf90_put_var(ncid, q, values), 0)
    call expect('put zstandard', nf90_put_var(ncid, z, values), 0)
    call expect('put one', nf90_put_var(ncid, d, values(:, 1)), 0)
    call expect('put filter', nf90_put_var(ncid, f, values), 0)

    call expect('inq quantize', nf90_inq_var_quantize(ncid, q, mode, digits), 0)
    call expect('mode', mode, nf90_quantize_granularbr)
    call expect('nsd', digits, 3)
    call expect('inquire', nf90_inquire_variable(ncid, q, quantize_mode=mode, nsd=digits), 0)
    call expect('nsd again', digits, 3)
    call expect('inq zstandard', nf90_inq_var_zstandard(ncid, z, has, level), 0)
    call expect('has', has, 1)
    call expect('level', level, 3)
    call expect('inquire zstandard', nf90_inquire_variable(ncid, z, zstandard=has, zstandard_level=level, &
                                                           shuffle=shuffle), 0)
    call expect('shuffle', merge(1, 0, shuffle), 1)
    ! netcdf-fortran forgets the level of a variable with one dimension that says nothing of shuffle.
    call expect('inquire one', nf90_inquire_variable(ncid, d, deflate_level=level), 0)
    call expect('level of one', level, 4)
    call expect('inq filter', nf90_inq_var_filter(ncid, f, id, number, parameters), 0)
    call expect('filter id', id, 1)
    call expect('filter parameter', parameters(1), 6)
    call expect('path', nf90_inq_path(ncid, length, name), 0)
    call expect('path length', length, len(path('more')))
    call expect('format', nf90_inq_format(ncid, form), 0)
    call expect('netCDF-4', form, NF90_FORMAT_NETCDF4)
    call expect('close', nf90_close(ncid), 0)
    call expect('parallel', nf90_create(path('parallel'), NF90_NETCDF4, ncid, comm=0, info=0), NF90_ENOPAR)
  end subroutine stored

  subroutine refused
    integer :: ncid, x, y, v, w, c
    logical :: switches(4)
    complex :: waves(4)
    real :: few(3), one, field(4, 2)
    integer :: whole
    character(len=4) :: short
    character(len=12) :: long
    type :: pair
      real :: a, b
    end type pair
    type(pair) :: pairs(4)

    switches = .true.
    waves = 0
    few = [1.0, 2.0, 3.0]
    pairs = pair(1.0, 2.0)
    field = 0
    call expect('create', nf90_create(path('refused'), NF90_NETCDF4, ncid), 0)
    call expect('x', nf90_def_dim(ncid, 'x', 4, x), 0)
    call expect('y', nf90_def_dim(ncid, 'y', NF90_UNLIMITED, y), 0)
    call expect('v', nf90_def_var(ncid, 'v', NF90_FLOAT, [x], v), 0)
    call expect('w', nf90_def_var(ncid, 'w', NF90_FLOAT, [x, y], w), 0)
    call expect('c', nf90_def_var(ncid, 'c', NF90_CHAR, [x], c), 0)
    call expect('text', nf90_put_att(ncid, v, 'units', 'kilogram'), 0)
    call expect('three', nf90_put_att(ncid, v, 'three', few), 0)
    call expect('enddef', nf90_enddef(ncid), 0)
    call expect('logical', nf90_put_var(ncid, v, switches), NF90_EBADTYPE)
    call expect('complex', nf90_put_var(ncid, v, waves), NF90_EBADTYPE)
    call expect('derived type', nf90_put_var(ncid, v, pairs), NF90_EBADTYPE)
    call expect('component', nf90_put_var(ncid, v, pairs%b), 0)
    call expect('logical attribute', nf90_put_att(ncid, v, 'l', .true.), NF90_EBADTYPE)
    call expect('too few', nf90_put_var(ncid, v, few, count=[4]), NF90_EINVAL)
    call expect('too few for records', nf90_put_var(ncid, w, few, count=[4, 9]), NF90_EINVAL)
    call expect('too few by map', nf90_put_var(ncid, v, few, count=[2], map=[3]), NF90_EINVAL)
    call expect('negative map', nf90_put_var(ncid, v, few, count=[2], map=[-1]), NF90_EINVAL)
    call expect('too few to read', nf90_get_var(ncid, v, few, count=[4]), NF90_EINVAL)
    call expect('too many and beyond', nf90_put_var(ncid, v, few, count=[5]), NF90_EEDGE)
    call expect('one number', nf90_put_var(ncid, v, 1.0, start=[1], count=[1]), 0)
    call expect('long start', nf90_put_var(ncid, v, 2.0, start=[4, 1, 1]), 0)
    call expect('read', nf90_get_var(ncid, v, one, start=[4]), 0)
    call expect('value', nint(one), 2)
    call expect('text too long', nf90_get_att(ncid, v, 'units', short), NF90_ESTS)
    call expect('text', nf90_get_att(ncid, v, 'units', long), 0)
    if (long /= 'kilogram') call expect(long, 1, 0)
    call expect('attribute too long', nf90_get_att(ncid, v, 'three', one), NF90_EINVAL)
    call expect('attribute', nf90_get_att(ncid, v, 'three', few), 0)
    call expect('kind', nf90_get_att(ncid, v, 'three', whole), NF90_EINVAL)
    call expect('nothing', nf90_put_var(ncid, w, field(:, 1:0)), 0)
    call expect('close', nf90_close(ncid), 0)
  end subroutine refused

  subroutine filled
    integer :: ncid, x, f, s, b, n, none, whole
    real :: real_fill
    double precision :: double_fill
    integer(OneByteInt) :: byte_fill
    integer(EightByteInt) :: long_fill

    call expect('create', nf90_create(path('filled'), NF90_NETCDF4, ncid), 0)
    call expect('x', nf90_def_dim(ncid, 'x', 4, x), 0)
    call expect('f', nf90_def_var(ncid, 'f', NF90_FLOAT, [x], f), 0)
    call expect('s', nf90_def_var(ncid, 's', NF90_SHORT, [x], s), 0)
    call expect('b', nf90_def_var(ncid, 'b', NF90_UBYTE, [x], b), 0)
    call expect('n', nf90_def_var(ncid, 'n', NF90_INT, [x], n), 0)
    call expect('real by integer', nf90_def_var_fill(ncid, f, 0, -999), 0)
    call expect('short by integer', nf90_def_var_fill(ncid, s, 0, -999), 0)
    call expect('short by too large', nf90_def_var_fill(ncid, s, 0, 100000), NF90_ERANGE)
    call expect('short by a fraction', nf90_def_var_fill(ncid, s, 0, 1.5), NF90_ERANGE)
    call expect('byte without sign', nf90_def_var_fill(ncid, b, 0, 200_TwoByteInt), 0)
    call expect('no fill', nf90_def_var_fill(ncid, n, 1, 0), 0)
    call expect('logical', nf90_def_var_fill(ncid, n, 0, .true.), NF90_EBADTYPE)
    call expect('real', nf90_inq_var_fill(ncid, f, none, real_fill), 0)
    call expect('real value', nint(real_fill), -999)
    call expect('real as double', nf90_inq_var_fill(ncid, f, none, double_fill), 0)
    call expect('double value', nint(double_fill), -999)
    call expect('short as long', nf90_inq_var_fill(ncid, s, none, long_fill), 0)
    call expect('long value', int(long_fill), -999)
    call expect('byte as integer', nf90_inq_var_fill(ncid, b, none, whole), 0)
    call expect('byte value', whole, 200)
    call expect('short as byte', nf90_inq_var_fill(ncid, s, none, byte_fill), NF90_ERANGE)
    call expect('none', nf90_inq_var_fill(ncid, n, none, whole), 0)
    call expect('is none', none, 1)
    call expect('close', nf90_close(ncid), 0)
  end subroutine filled
end program nf90_more
