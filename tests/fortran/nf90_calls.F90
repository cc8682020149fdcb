! Calls of the nf90 interface that must mean the same in netcdf-fortran and in frazil: statuses and
! values are printed, files stay for the test to compare. Only what netcdf-fortran 4.5 has.
!
!   nf90_calls FOLDER FORMAT     FORMAT: classic or netcdf4
program nf90_calls
#ifdef USE_FRAZIL
  use frazil_netcdf
#else
  use netcdf
#endif
  use typesizes, only: OneByteInt, TwoByteInt, FourByteInt, EightByteInt, FourByteReal, EightByteReal, byteSizesOK
  implicit none
  character(len=512) :: folder, format
  logical :: is_netcdf4
  integer :: mode

  call get_command_argument(1, folder)
  call get_command_argument(2, format)
  is_netcdf4 = format == 'netcdf4'
  mode = merge(NF90_NETCDF4, NF90_CLOBBER, is_netcdf4)
  print *, 'sizes ', byteSizesOK()

  call kinds_and_ranks
  call slabs
  call texts
  call attributes
  call definitions
  call errors
  if (is_netcdf4) then
    call groups
    call storage
  end if

contains

  subroutine say(what, status)
    character(len=*), intent(in) :: what
    integer, intent(in) :: status

    print '(a, 1x, i0, 1x, a)', what, status, trim(nf90_strerror(status))
  end subroutine say

  function path(name)
    character(len=*), intent(in) :: name
    character(len=:), allocatable :: path

    path = trim(folder)//'/'//name//'.nc'
  end function path

  ! Every kind, ranks 0 to 7, by shape alone.
  subroutine kinds_and_ranks
    integer :: ncid, status, i, dims(7), v(0:9), xtypes(7)
    integer, parameter :: lengths(7) = [2, 3, 2, 2, 1, 2, 2]
    integer(OneByteInt) :: b(2), b0
    integer(TwoByteInt) :: s(2, 3), s0
    integer(FourByteInt) :: n(2, 3, 2), n0
    integer(EightByteInt) :: l(2, 3, 2, 2), l0
    real(FourByteReal) :: r(2, 3, 2, 2, 1), r0
    real(EightByteReal) :: d(2, 3, 2, 2, 1, 2), d0
    real(FourByteReal) :: r7(2, 3, 2, 2, 1, 2, 2), back7(2, 3, 2, 2, 1, 2, 2)

    xtypes = [NF90_BYTE, NF90_SHORT, NF90_INT, merge(NF90_INT64, NF90_INT, is_netcdf4), NF90_FLOAT, &
              NF90_DOUBLE, NF90_FLOAT]
    status = nf90_create(path('kinds'), mode, ncid)
    call say('create', status)
    do i = 1, 7
      call say('def_dim', nf90_def_dim(ncid, 'd'//achar(48 + i), lengths(i), dims(i)))
      call say('def_var', nf90_def_var(ncid, 'v'//achar(48 + i), xtypes(i), dims(:i), v(i)))
    end do
    call say('scalar', nf90_def_var(ncid, 'v0', NF90_DOUBLE, v(0)))
    call say('one dimension', nf90_def_var(ncid, 'line', NF90_DOUBLE, dims(2), v(8)))
    call say('enddef', nf90_enddef(ncid))

    b = [-127_OneByteInt, 127_OneByteInt]
    s = reshape([(int(i*1000, TwoByteInt), i=-3, 2)], [2, 3])
    n = reshape([(i*100000, i=1, 12)], [2, 3, 2])
    l = reshape([(int(i, EightByteInt)*1000, i=1, 24)], [2, 3, 2, 2])
    r = reshape([(i*0.5, i=1, 24)], [2, 3, 2, 2, 1])
    d = reshape([(i*0.1d0, i=1, 48)], [2, 3, 2, 2, 1, 2])
    r7 = reshape([(i*0.25, i=1, 96)], [2, 3, 2, 2, 1, 2, 2])
    call say('put 1', nf90_put_var(ncid, v(1), b))
    call say('put 2', nf90_put_var(ncid, v(2), s))
    call say('put 3', nf90_put_var(ncid, v(3), n))
    call say('put 4', nf90_put_var(ncid, v(4), l))
    call say('put 5', nf90_put_var(ncid, v(5), r))
    call say('put 6', nf90_put_var(ncid, v(6), d))
    call say('put 7', nf90_put_var(ncid, v(7), r7))
    call say('put 0', nf90_put_var(ncid, v(0), 3.25d0))
    call say('put 8', nf90_put_var(ncid, v(8), [1, 2, 3]))
    call say('put element', nf90_put_var(ncid, v(8), 2.5, start=[2]))
    call say('put element of 3', nf90_put_var(ncid, v(3), 7_TwoByteInt, start=[2, 1, 2]))

    b = 0; s = 0; n = 0; l = 0; r = 0; d = 0
    call say('get 1', nf90_get_var(ncid, v(1), b)); print *, b
    call say('get 2', nf90_get_var(ncid, v(2), s)); print *, s
    call say('get 3', nf90_get_var(ncid, v(3), n)); print *, n
    call say('get 4', nf90_get_var(ncid, v(4), l)); print *, l
    call say('get 5', nf90_get_var(ncid, v(5), r)); print *, r
    call say('get 6', nf90_get_var(ncid, v(6), d)); print *, d
    call say('get 7', nf90_get_var(ncid, v(7), back7)); print *, all(back7 == r7)
    call say('get b', nf90_get_var(ncid, v(1), b0, start=[2])); print *, b0
    call say('get s', nf90_get_var(ncid, v(2), s0, start=[2, 3])); print *, s0
    call say('get n', nf90_get_var(ncid, v(3), n0, start=[1, 2, 1])); print *, n0
    call say('get l', nf90_get_var(ncid, v(4), l0, start=[1, 1, 2, 2])); print *, l0
    call say('get r', nf90_get_var(ncid, v(5), r0)); print *, r0
    call say('get d', nf90_get_var(ncid, v(0), d0)); print *, d0
    call say('get other kind', nf90_get_var(ncid, v(6), r(:, :, 1, 1, 1))); print *, r(:, :, 1, 1, 1)
    call say('close', nf90_close(ncid))
  end subroutine kinds_and_ranks

  ! start, count, stride and map; sections; vectors that are shorter or longer than needed.
  subroutine slabs
    integer :: ncid, x, y, t, v, w, i, j
    real :: field(0:5, 0:4), record(4, 3), back(4, 3), flat(12), transposed(3, 4), wide(4, 3)

    call say('create', nf90_create(path('slabs'), mode, ncid))
    call say('x', nf90_def_dim(ncid, 'x', 4, x))
    call say('y', nf90_def_dim(ncid, 'y', 3, y))
    call say('t', nf90_def_dim(ncid, 't', NF90_UNLIMITED, t))
    call say('v', nf90_def_var(ncid, 'v', NF90_FLOAT, [x, y, t], v))
    call say('w', nf90_def_var(ncid, 'w', NF90_FLOAT, [x, y], w))
    call say('enddef', nf90_enddef(ncid))
    field = reshape([(real(i), i=1, 30)], [6, 5])
    call say('inner part', nf90_put_var(ncid, v, field(1:4, 1:3), start=[1, 1, 1], count=[4, 3, 1]))
    call say('backwards', nf90_put_var(ncid, v, field(4:1:-1, 3:1:-1), start=[1, 1, 2]))
    call say('longer than count', nf90_put_var(ncid, v, field, start=[1, 1, 3], count=[4, 2, 1]))
    call say('row', nf90_put_var(ncid, v, field(1:4, 2), start=[1, 3, 3], count=[4, 1, 1]))
    call say('short start', nf90_put_var(ncid, v, field(1:2, 1), start=[3]))
    call say('long start', nf90_put_var(ncid, w, field(1:4, 1:3), start=[1, 1, 9, 9], count=[4, 3, 7, 7]))
    call say('strided', nf90_put_var(ncid, w, [-1.0, -2.0], start=[1, 2], count=[2, 1], stride=[3, 1]))
    call say('strided columns', nf90_put_var(ncid, w, reshape([-3.0, -4.0, -5.0, -6.0], [2, 2]), start=[2, 1], &
                                             stride=[1, 2]))
    call say('empty', nf90_put_var(ncid, w, flat(1:0)))
    call say('zero count', nf90_put_var(ncid, w, flat, start=[1, 1], count=[0, 3]))
    do i = 1, 3
      do j = 1, 4
        transposed(i, j) = 100*i + j
      end do
    end do
    call say('map', nf90_put_var(ncid, v, transposed, start=[1, 1, 4], count=[4, 3, 1], map=[3, 1, 12]))
    call say('sync', nf90_sync(ncid))

    back = 0
    call say('get record', nf90_get_var(ncid, v, back, start=[1, 1, 2])); print *, back
    wide = -9
    call say('get stride', nf90_get_var(ncid, v, wide(::3, ::2), start=[1, 1, 1], stride=[3, 2, 1])); print *, wide
    flat = -9
    call say('get longer', nf90_get_var(ncid, w, flat, start=[2, 1], count=[3, 1])); print *, flat
    transposed = 0
    call say('get map', nf90_get_var(ncid, v, transposed, start=[1, 1, 4], count=[4, 3, 1], map=[3, 1, 12]))
    print *, transposed
    call say('get w', nf90_get_var(ncid, w, record)); print *, record
    do i = 1, 4
      call say('get t', nf90_get_var(ncid, v, record, start=[1, 1, i])); print *, record
    end do
    call say('close', nf90_close(ncid))
  end subroutine slabs

  subroutine texts
    integer :: ncid, length, n, m, a, b, c, one
    character(len=8) :: words(3), back(3), word
    character(len=4) :: grid(2, 2), grid_back(2, 2), short(3)
    character :: letter

    call say('create', nf90_create(path('texts'), mode, ncid))
    call say('length', nf90_def_dim(ncid, 'length', 8, length))
    call say('n', nf90_def_dim(ncid, 'n', 3, n))
    call say('m', nf90_def_dim(ncid, 'm', 2, m))
    call say('a', nf90_def_var(ncid, 'a', NF90_CHAR, [length, n], a))
    call say('b', nf90_def_var(ncid, 'b', NF90_CHAR, [length], b))
    call say('c', nf90_def_var(ncid, 'c', NF90_CHAR, [length, m, m], c))
    call say('one', nf90_def_var(ncid, 'one', NF90_CHAR, one))
    call say('enddef', nf90_enddef(ncid))
    words = [character(len=8) :: 'alpha', 'beta', 'gamma']
    grid = reshape(['aaaa', 'bbbb', 'cccc', 'dddd'], [2, 2])
    call say('words', nf90_put_var(ncid, a, words))
    call say('one word', nf90_put_var(ncid, a, 'delta', start=[1, 2]))
    call say('part of a word', nf90_put_var(ncid, a, 'epsilon', start=[2, 3], count=[3, 1]))
    call say('b', nf90_put_var(ncid, b, 'frozen'))
    call say('grid', nf90_put_var(ncid, c, grid, start=[3, 1, 1]))
    call say('letter', nf90_put_var(ncid, one, 'z'))
    call say('number into text', nf90_put_var(ncid, b, [1, 2]))

    back = '********'
    call say('get words', nf90_get_var(ncid, a, back)); print '(3("[", a, "]"))', back
    word = '********'
    call say('get word', nf90_get_var(ncid, a, word, start=[1, 3])); print '("[", a, "]")', word
    short = '****'
    call say('get short', nf90_get_var(ncid, a, short, start=[1, 1])); print '(3("[", a, "]"))', short
    grid_back = '****'
    call say('get grid', nf90_get_var(ncid, c, grid_back, start=[3, 1, 1])); print '(4("[", a, "]"))', grid_back
    call say('get letter', nf90_get_var(ncid, one, letter)); print *, letter
    call say('text from number', nf90_get_var(ncid, 99, word))
    call say('close', nf90_close(ncid))
  end subroutine texts

  subroutine attributes
    integer :: ncid, copy, v, x, xtype, length, number, i4, i4s(3)
    integer(OneByteInt) :: i1
    integer(TwoByteInt) :: i2s(2)
    integer(EightByteInt) :: i8
    real :: r4, r4s(5)
    double precision :: r8s(2)
    character(len=20) :: text, name
    character(len=30) :: long

    call say('create', nf90_create(path('attributes'), mode, ncid))
    call say('x', nf90_def_dim(ncid, 'x', 2, x))
    call say('v', nf90_def_var(ncid, 'v', NF90_INT, [x], v))
    call say('text', nf90_put_att(ncid, v, 'units', 'm s-1   '))
    call say('empty', nf90_put_att(ncid, v, 'empty', ''))
    call say('blank name', nf90_put_att(ncid, v, 'padded   ', 'p'))
    call say('i1', nf90_put_att(ncid, v, 'i1', -5_OneByteInt))
    call say('i2', nf90_put_att(ncid, v, 'i2', [1_TwoByteInt, 2_TwoByteInt]))
    call say('i4', nf90_put_att(ncid, NF90_GLOBAL, 'i4', [10, 20, 30]))
    if (is_netcdf4) call say('i8', nf90_put_att(ncid, NF90_GLOBAL, 'i8', 1234567890123_EightByteInt))
    call say('r4', nf90_put_att(ncid, v, 'r4', 0.5))
    call say('r8', nf90_put_att(ncid, v, 'r8', [1.5d0, 2.5d0]))
    r4s = [1.0, 2.0, 3.0, 4.0, 5.0]
    call say('section', nf90_put_att(ncid, v, 'section', r4s(1:5:2)))
    call say('rename', nf90_rename_att(ncid, v, 'r4', 'renamed'))
    call say('delete', nf90_del_att(ncid, v, 'padded'))
    call say('delete again', nf90_del_att(ncid, v, 'padded'))
    call say('enddef', nf90_enddef(ncid))

    call say('get text', nf90_get_att(ncid, v, 'units', text)); print '("[", a, "]")', text
    call say('get empty', nf90_get_att(ncid, v, 'empty', text)); print '("[", a, "]")', text
    call say('get i1', nf90_get_att(ncid, v, 'i1', i1)); print *, i1
    call say('get i2', nf90_get_att(ncid, v, 'i2', i2s)); print *, i2s
    call say('get i4', nf90_get_att(ncid, NF90_GLOBAL, 'i4', i4s)); print *, i4s
    if (is_netcdf4) then
      call say('get i8', nf90_get_att(ncid, NF90_GLOBAL, 'i8', i8)); print *, i8
    end if
    call say('get r4', nf90_get_att(ncid, v, 'renamed', r4)); print *, r4
    call say('get r8', nf90_get_att(ncid, v, 'r8', r8s)); print *, r8s
    r4s = -1
    call say('get into section', nf90_get_att(ncid, v, 'section', r4s(1:5:2))); print *, r4s
    call say('get i4 as r8', nf90_get_att(ncid, v, 'i2', r8s)); print *, r8s
    call say('get text as number', nf90_get_att(ncid, v, 'units', r4s))
    call say('get number as text', nf90_get_att(ncid, v, 'r8', long))
    call say('get none', nf90_get_att(ncid, v, 'nothing', i4))
    call say('inquire', nf90_inquire_attribute(ncid, v, 'r8', xtype, length, number)); print *, xtype, length, number
    call say('inquire none', nf90_inquire_attribute(ncid, v, 'nothing'))
    call say('name', nf90_inq_attname(ncid, v, 2, name)); print '("[", a, "]")', name
    call say('no name', nf90_inq_attname(ncid, v, 99, name))
    call say('copy', nf90_create(path('copy'), mode, copy))
    call say('copy_att', nf90_copy_att(ncid, v, 'r8', copy, NF90_GLOBAL))
    call say('copy none', nf90_copy_att(ncid, v, 'nothing', copy, NF90_GLOBAL))
    call say('close copy', nf90_close(copy))
    call say('close', nf90_close(ncid))
  end subroutine attributes

  subroutine definitions
    integer :: ncid, x, t, v, w, found, length, ndims, nvars, natts, unlimited, form, dims(2), xtype, old
    character(len=NF90_MAX_NAME) :: name
    real :: values(4), back(4)

    call say('create', nf90_create(path('definitions'), ior(mode, NF90_NOCLOBBER), ncid))
    call say('x', nf90_def_dim(ncid, 'x', 4, x))
    call say('t', nf90_def_dim(ncid, 'time', NF90_UNLIMITED, t)); print *, x, t
    call say('v', nf90_def_var(ncid, 'v', NF90_FLOAT, [x, t], v))
    call say('set_fill', nf90_set_fill(ncid, NF90_FILL, old)); print *, old
    call say('enddef', nf90_enddef(ncid))
    values = [1.0, 2.0, 3.0, 4.0]
    call say('put', nf90_put_var(ncid, v, values, start=[1, 3]))
    call say('redef', nf90_redef(ncid))
    call say('w', nf90_def_var(ncid, 'w', NF90_SHORT, [x], w))
    call say('att', nf90_put_att(ncid, w, 'scale_factor', 0.5))
    call say('rename var', nf90_rename_var(ncid, w, 'width'))
    call say('rename dim', nf90_rename_dim(ncid, x, 'longitude'))
    call say('enddef', nf90_enddef(ncid))
    call say('get filled', nf90_get_var(ncid, v, back, start=[1, 2])); print *, back
    call say('get', nf90_get_var(ncid, v, back, start=[1, 3])); print *, back
    call say('inquire', nf90_inquire(ncid, ndims, nvars, natts, unlimited, form))
    print *, ndims, nvars, natts, unlimited, form
    call say('dimension', nf90_inquire_dimension(ncid, t, name, length)); print *, trim(name), length
    call say('dimid', nf90_inq_dimid(ncid, 'longitude', found)); print *, found
    call say('no dimid', nf90_inq_dimid(ncid, 'nowhere', found)); print *, found
    call say('varid', nf90_inq_varid(ncid, 'width', found)); print *, found
    call say('variable', nf90_inquire_variable(ncid, v, name, xtype, ndims, dims, natts))
    print *, trim(name), xtype, ndims, dims, natts
    call say('close', nf90_close(ncid))
    call say('open', nf90_open(path('definitions'), NF90_NOWRITE, ncid))
    call say('get', nf90_get_var(ncid, v, back, start=[1, 1])); print *, back
    call say('close', nf90_close(ncid))
    call say('open to write', nf90_open(path('definitions'), NF90_WRITE, ncid))
    call say('append', nf90_put_var(ncid, v, values + 10, start=[1, 4], count=[4, 1]))
    call say('close', nf90_close(ncid))
  end subroutine definitions

  subroutine errors
    integer :: ncid, x, v, c, other
    integer(OneByteInt) :: small
    real :: values(4)

    values = 300.0
    call say('no file', nf90_open(path('nowhere'), NF90_NOWRITE, ncid))
    call say('bad id', nf90_close(12345))
    call say('create', nf90_create(path('errors'), mode, ncid))
    call say('no clobber', nf90_create(path('slabs'), ior(mode, NF90_NOCLOBBER), other))
    call say('x', nf90_def_dim(ncid, 'x', 4, x))
    call say('x again', nf90_def_dim(ncid, 'x', 4, other))
    call say('bad name', nf90_def_dim(ncid, 'a/b', 4, other))
    call say('v', nf90_def_var(ncid, 'v', NF90_FLOAT, [x], v))
    call say('v again', nf90_def_var(ncid, 'v', NF90_FLOAT, [x], other))
    call say('no dimension', nf90_def_var(ncid, 'u', NF90_FLOAT, [77], other))
    call say('no type', nf90_def_var(ncid, 'u', 99, [x], other))
    call say('c', nf90_def_var(ncid, 'c', NF90_BYTE, [x], c))
    call say('enddef', nf90_enddef(ncid))
    call say('no variable', nf90_put_var(ncid, 77, values))
    call say('beyond', nf90_put_var(ncid, v, values, start=[2]))
    call say('far beyond', nf90_put_var(ncid, v, values, start=[6]))
    call say('before', nf90_put_var(ncid, v, values, start=[0]))
    call say('stride 0', nf90_put_var(ncid, v, values, start=[1], count=[2], stride=[0]))
    call say('stride too far', nf90_put_var(ncid, v, values, start=[1], count=[4], stride=[2]))
    call say('out of range', nf90_put_var(ncid, c, values))
    ! What the elements hold now depends on the version of netCDF-C.
    call say('in range', nf90_put_var(ncid, c, [1, 2, 3, 4]))
    call say('put', nf90_put_var(ncid, v, values))
    call say('get out of range', nf90_get_var(ncid, v, small, start=[1]))
    call say('text', nf90_put_var(ncid, v, 'text'))
    call say('get beyond', nf90_get_var(ncid, v, values, start=[2]))
    call say('get text', nf90_get_att(ncid, v, 'units', values))
    call say('close', nf90_close(ncid))
    call say('closed', nf90_put_var(ncid, v, values))
    call say('open', nf90_open(path('errors'), NF90_NOWRITE, ncid))
    call say('read only', nf90_put_var(ncid, v, values))
    call say('close', nf90_close(ncid))
  end subroutine errors

  subroutine groups
    integer :: ncid, g, h, found, parent, x, y, v, length, number, ids(8)
    integer :: with_parents = 1, without_parents = 0
    character(len=NF90_MAX_NAME) :: name

    call say('create', nf90_create(path('groups'), mode, ncid))
    call say('x', nf90_def_dim(ncid, 'x', 3, x))
    call say('g', nf90_def_grp(ncid, 'physics', g))
    call say('h', nf90_def_grp(g, 'clouds', h))
    call say('y', nf90_def_dim(g, 'y', 2, y))
    call say('v', nf90_def_var(h, 'water', NF90_FLOAT, [x, y], v))
    call say('att', nf90_put_att(h, NF90_GLOBAL, 'title', 'clouds'))
    call say('rename', nf90_rename_grp(h, 'cloud'))
    call say('put', nf90_put_var(h, v, reshape([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [3, 2])))
    call say('inq_ncid', nf90_inq_ncid(ncid, 'physics', found)); print *, found == g
    call say('inq_grp_ncid', nf90_inq_grp_ncid(g, 'cloud', found)); print *, found == h
    call say('no group', nf90_inq_ncid(ncid, 'nowhere', found))
    call say('full_ncid', nf90_inq_grp_full_ncid(ncid, '/physics/cloud', found)); print *, found == h
    call say('parent', nf90_inq_grp_parent(h, parent)); print *, parent == g
    call say('no parent', nf90_inq_grp_parent(ncid, parent))
    call say('grpname', nf90_inq_grpname(h, name)); print *, trim(name)
    call say('grpname_len', nf90_inq_grpname_len(h, length)); print *, length
    call say('grpname_full', nf90_inq_grpname_full(h, length, name)); print *, length, trim(name)
    call say('grps', nf90_inq_grps(ncid, number, ids)); print *, number, ids(1) == g
    call say('varids', nf90_inq_varids(h, number, ids)); print *, number, ids(:number)
    ! Variables: netcdf-fortran 4.5 has no constants here.
    call say('dimids', nf90_inq_dimids(h, number, ids, with_parents)); print *, number
    call say('own dimids', nf90_inq_dimids(h, number, ids, without_parents)); print *, number
    call say('close', nf90_close(ncid))
  end subroutine groups

  subroutine storage
    integer :: ncid, x, y, v(9), level, endian, chunk(2), kind, has_shuffle, has_deflate, none, cache
    logical :: contiguous, shuffle, checksum
    real :: fill, values(8, 6), back(8, 6)
    integer(TwoByteInt) :: short_fill

    call say('create', nf90_create(path('storage'), mode, ncid))
    call say('x', nf90_def_dim(ncid, 'x', 8, x))
    call say('y', nf90_def_dim(ncid, 'y', 6, y))
    call say('chunks', nf90_def_var(ncid, 'chunks', NF90_FLOAT, [x, y], v(1), chunksizes=[4, 3]))
    call say('deflate', nf90_def_var(ncid, 'deflate', NF90_FLOAT, [x, y], v(2), chunksizes=[8, 2], &
                                     deflate_level=5, shuffle=.true.))
    call say('checksum', nf90_def_var(ncid, 'checksum', NF90_FLOAT, [x, y], v(3), fletcher32=.true., &
                                      chunksizes=[8, 6]))
    call say('contiguous', nf90_def_var(ncid, 'contiguous', NF90_FLOAT, [x, y], v(4), contiguous=.true.))
    call say('big', nf90_def_var(ncid, 'big', NF90_FLOAT, [x, y], v(5), endianness=NF90_ENDIAN_BIG))
    call say('one', nf90_def_var(ncid, 'one', NF90_FLOAT, x, v(6), chunksizes=4, deflate_level=1, shuffle=.false.))
    call say('both', nf90_def_var(ncid, 'both', NF90_FLOAT, [x, y], v(9), contiguous=.true., chunksizes=[4, 3]))
    call say('too few', nf90_def_var(ncid, 'few', NF90_FLOAT, [x, y], v(9), chunksizes=[4]))
    call say('too large', nf90_def_var(ncid, 'large', NF90_FLOAT, [x, y], v(9), chunksizes=[9, 3]))
    call say('later', nf90_def_var(ncid, 'later', NF90_SHORT, [x, y], v(7)))
    call say('def chunking', nf90_def_var_chunking(ncid, v(7), NF90_CHUNKED, [2, 3]))
    call say('def deflate', nf90_def_var_deflate(ncid, v(7), 1, 1, 3))
    call say('def fletcher32', nf90_def_var_fletcher32(ncid, v(7), NF90_FLETCHER32))
    call say('def endian', nf90_def_var_endian(ncid, v(7), NF90_ENDIAN_LITTLE))
    call say('def fill', nf90_def_var_fill(ncid, v(7), 0, -99_TwoByteInt))
    call say('fill float', nf90_def_var_fill(ncid, v(1), 0, -1.5))
    call say('cached', nf90_def_var(ncid, 'cached', NF90_FLOAT, [x, y], v(8), chunksizes=[4, 3], cache_size=65536, &
                                    cache_nelems=101, cache_preemption=50))

    call say('inq', nf90_inquire_variable(ncid, v(2), contiguous=contiguous, chunksizes=chunk, &
                                          deflate_level=level, shuffle=shuffle, fletcher32=checksum))
    print *, contiguous, chunk, level, shuffle, checksum
    call say('inq', nf90_inquire_variable(ncid, v(3), fletcher32=checksum)); print *, checksum
    call say('inq', nf90_inquire_variable(ncid, v(4), contiguous=contiguous)); print *, contiguous
    call say('inq', nf90_inquire_variable(ncid, v(5), endianness=endian)); print *, endian
    call say('inq cache', nf90_inquire_variable(ncid, v(8), cache_size=cache)); print *, cache
    call say('inq chunking', nf90_inq_var_chunking(ncid, v(7), kind, chunk)); print *, kind, chunk
    call say('inq deflate', nf90_inq_var_deflate(ncid, v(7), has_shuffle, has_deflate, level))
    print *, has_shuffle, has_deflate, level
    call say('inq endian', nf90_inq_var_endian(ncid, v(7), endian)); print *, endian
    none = 9
    call say('inq fill', nf90_inq_var_fill(ncid, v(7), none, short_fill)); print *, none, short_fill
    call say('inq fill', nf90_inq_var_fill(ncid, v(1), none, fill)); print *, none, fill
    call say('enddef', nf90_enddef(ncid))
    values = reshape([(modulo(37*level, 101), level=1, 48)], [8, 6])
    do level = 1, 5
      call say('put', nf90_put_var(ncid, v(level), values(:4, :), start=[1, 1]))
      call say('put', nf90_put_var(ncid, v(level), values(5:, :3), start=[5, 1]))
    end do
    call say('put', nf90_put_var(ncid, v(6), values(:, 1)))
    call say('put', nf90_put_var(ncid, v(7), nint(values(:, :4))))
    call say('get', nf90_get_var(ncid, v(1), back)); print *, all(back(:4, :) == values(:4, :)), back(8, 6)
    call say('too late', nf90_def_var_deflate(ncid, v(1), 1, 1, 3))
    call say('close', nf90_close(ncid))
  end subroutine storage
end program nf90_calls
