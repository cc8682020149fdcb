!> Dimensions and groups. Numbers of dimensions and variables begin at 1 in Fortran and at 0 in C.
module frazil_netcdf_groups
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_size_t
  use frazil_netcdf_c
  use frazil_netcdf_parameters
  use frazil_text, only: c_text, copy_c_text
  implicit none
  private
  public :: nf90_def_dim, nf90_inq_dimid, nf90_inquire_dimension, nf90_rename_dim, nf90_inq_dimids
  public :: nf90_def_grp, nf90_rename_grp, nf90_inq_ncid, nf90_inq_grp_ncid, nf90_inq_grp_full_ncid
  public :: nf90_inq_grp_parent, nf90_inq_grps, nf90_inq_grpname, nf90_inq_grpname_full
  public :: nf90_inq_grpname_len, nf90_inq_varids, nf90_inq_typeids

contains

  function nf90_def_dim(ncid, name, len, dimid) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(in) :: len
    integer, intent(out) :: dimid
    integer :: status
    integer(c_int) :: c_dimid

    status = nc_def_dim(ncid, c_text(name), int(len, c_size_t), c_dimid)
    if (status == nf90_noerr) dimid = c_dimid + 1
  end function nf90_def_dim

  function nf90_inq_dimid(ncid, name, dimid) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(out) :: dimid
    integer :: status
    integer(c_int) :: c_dimid

    dimid = -1
    status = nc_inq_dimid(ncid, c_text(name), c_dimid)
    if (status == nf90_noerr) dimid = c_dimid + 1
  end function nf90_inq_dimid

  function nf90_inquire_dimension(ncid, dimid, name, len) result(status)
    integer, intent(in) :: ncid, dimid
    character(len=*), intent(out), optional :: name
    integer, intent(out), optional :: len
    integer :: status
    character(kind=c_char, len=nf90_max_name + 1) :: buffer
    integer(c_size_t) :: length

    status = nc_inq_dim(ncid, dimid - 1, buffer, length)
    if (status /= nf90_noerr) return
    if (present(name)) call copy_c_text(buffer, name)
    if (present(len)) len = int(length)
  end function nf90_inquire_dimension

  function nf90_rename_dim(ncid, dimid, name) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(in) :: dimid
    integer :: status

    status = nc_rename_dim(ncid, dimid - 1, c_text(name))
  end function nf90_rename_dim

  function nf90_def_grp(parent_ncid, name, new_ncid) result(status)
    integer, intent(in) :: parent_ncid
    character(len=*), intent(in) :: name
    integer, intent(out) :: new_ncid
    integer :: status

    status = nc_def_grp(parent_ncid, c_text(name), new_ncid)
  end function nf90_def_grp

  function nf90_rename_grp(grpid, name) result(status)
    integer, intent(in) :: grpid
    character(len=*), intent(in) :: name
    integer :: status

    status = nc_rename_grp(grpid, c_text(name))
  end function nf90_rename_grp

  function nf90_inq_ncid(ncid, name, grp_ncid) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(out) :: grp_ncid
    integer :: status

    status = nc_inq_ncid(ncid, c_text(name), grp_ncid)
  end function nf90_inq_ncid

  function nf90_inq_grp_ncid(ncid, name, grpid) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(out) :: grpid
    integer :: status

    status = nc_inq_grp_ncid(ncid, c_text(name), grpid)
  end function nf90_inq_grp_ncid

  function nf90_inq_grp_full_ncid(ncid, full_name, grpid) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: full_name
    integer, intent(out) :: grpid
    integer :: status

    status = nc_inq_grp_full_ncid(ncid, c_text(full_name), grpid)
  end function nf90_inq_grp_full_ncid

  function nf90_inq_grp_parent(ncid, parent_ncid) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: parent_ncid
    integer :: status

    status = nc_inq_grp_parent(ncid, parent_ncid)
  end function nf90_inq_grp_parent

  function nf90_inq_grpname(ncid, name) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(out) :: name
    integer :: status
    character(kind=c_char, len=nf90_max_name + 1) :: buffer

    name = ''
    status = nc_inq_grpname(ncid, buffer)
    if (status == nf90_noerr) call copy_c_text(buffer, name)
  end function nf90_inq_grpname

  function nf90_inq_grpname_len(ncid, len) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: len
    integer :: status
    integer(c_size_t) :: length

    status = nc_inq_grpname_len(ncid, length)
    if (status == nf90_noerr) len = int(length)
  end function nf90_inq_grpname_len

  function nf90_inq_grpname_full(ncid, len, name) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: len
    character(len=*), intent(out) :: name
    integer :: status

    name = ''
    status = nf90_inq_grpname_len(ncid, len)
    if (status == nf90_noerr) status = full_name(ncid, len, name)
  end function nf90_inq_grpname_full

  function full_name(ncid, length, name) result(status)
    integer, intent(in) :: ncid, length
    character(len=*), intent(out) :: name
    integer :: status
    character(kind=c_char, len=length + 1) :: buffer
    integer(c_size_t) :: c_length

    status = nc_inq_grpname_full(ncid, c_length, buffer)
    if (status == nf90_noerr) call copy_c_text(buffer, name)
  end function full_name

  function nf90_inq_grps(ncid, numgrps, ncids) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: numgrps
    integer, intent(out) :: ncids(:)
    integer :: status
    integer(c_int), allocatable :: found(:)

    numgrps = 0
    status = nc_inq_grps(ncid, numgrps)
    if (status /= nf90_noerr) return
    allocate (found(numgrps))
    status = nc_inq_grps(ncid, ncids=found)
    if (status == nf90_noerr) status = hand_out(found, ncids)
  end function nf90_inq_grps

  function nf90_inq_varids(ncid, nvars, varids) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: nvars
    integer, intent(out) :: varids(:)
    integer :: status
    integer(c_int), allocatable :: found(:)

    nvars = 0
    status = nc_inq_varids(ncid, nvars)
    if (status /= nf90_noerr) return
    allocate (found(nvars))
    status = nc_inq_varids(ncid, varids=found)
    if (status == nf90_noerr) status = hand_out(found + 1, varids)
  end function nf90_inq_varids

  function nf90_inq_dimids(ncid, ndims, dimids, include_parents) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: ndims
    integer, intent(out) :: dimids(:)
    integer, intent(in) :: include_parents
    integer :: status
    integer(c_int), allocatable :: found(:)

    ndims = 0
    status = nc_inq_dimids(ncid, ndims, include_parents=include_parents)
    if (status /= nf90_noerr) return
    allocate (found(ndims))
    status = nc_inq_dimids(ncid, dimids=found, include_parents=include_parents)
    if (status == nf90_noerr) status = hand_out(found + 1, dimids)
  end function nf90_inq_dimids

  function nf90_inq_typeids(ncid, ntypes, typeids) result(status)
    integer, intent(in) :: ncid
    integer, intent(out), optional :: ntypes
    integer, intent(out), optional :: typeids(:)
    integer :: status
    integer(c_int), allocatable :: found(:)
    integer(c_int) :: number

    status = nc_inq_typeids(ncid, number)
    if (status /= nf90_noerr) return
    allocate (found(number))
    status = nc_inq_typeids(ncid, typeids=found)
    if (status /= nf90_noerr) return
    if (present(ntypes)) ntypes = number
    if (present(typeids)) status = hand_out(found, typeids)
  end function nf90_inq_typeids

  !> Copies numbers into the caller's array; nf90_einval where it is too short.
  function hand_out(found, ids) result(status)
    integer, intent(in) :: found(:)
    integer, intent(inout) :: ids(:)
    integer :: status

    status = merge(nf90_noerr, nf90_einval, size(found) <= size(ids))
    if (status == nf90_noerr) ids(:size(found)) = found
  end function hand_out
end module frazil_netcdf_groups
