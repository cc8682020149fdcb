!> The functions of frazil's netCDF face in C that the nf90 procedures call: netCDF-C's own, with
!> the prefix frz_. Numbers of variables and dimensions begin at 0 here, axes are in C order.
! Written by scripts/write_fortran_interfaces.py.
module frazil_netcdf_c
  use, intrinsic :: iso_c_binding, only: c_char, c_float, c_int, c_ptr, c_size_t
  implicit none
  public
  private :: c_char, c_float, c_int, c_ptr, c_size_t

  interface
    ! Texts
    function nc_strerror(status) bind(C, name='frz_netcdf_status_words') result(pointer)
      import :: c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: pointer
    end function
    function last_message() bind(C, name='frz_last_message') result(pointer)
      import :: c_ptr
      type(c_ptr) :: pointer
    end function
    function set_last_message(message) bind(C, name='frz_set_last_message') result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: message(*)
      integer(c_int) :: status
    end function
    function nc_inq_libvers() bind(C, name='frz_nc_inq_libvers') result(pointer)
      import :: c_ptr
      type(c_ptr) :: pointer
    end function
    ! Files
    function nc_create(path, cmode, ncidp) bind(C, name='frz_nc_create') result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: cmode
      integer(c_int), intent(out) :: ncidp
      integer(c_int) :: status
    end function
    function nc_open_par(path, mode, fortran_comm, ncid) &
      bind(C, name='frz_netcdf_open_parallel') result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
      integer(c_int), value :: fortran_comm
      integer(c_int), intent(out) :: ncid
      integer(c_int) :: status
    end function
    function nc_create_par(path, cmode, fortran_comm, ncid) &
      bind(C, name='frz_netcdf_create_parallel') result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: cmode
      integer(c_int), value :: fortran_comm
      integer(c_int), intent(out) :: ncid
      integer(c_int) :: status
    end function
    function nc_var_par_access(ncid, varid, access) &
      bind(C, name='frz_netcdf_var_par_access') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), value :: access
      integer(c_int) :: status
    end function
    function nc_open(path, mode, ncidp) bind(C, name='frz_nc_open') result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
      integer(c_int), intent(out) :: ncidp
      integer(c_int) :: status
    end function
    function nc__create(path, cmode, initialsz, chunksizehintp, ncidp) &
      bind(C, name='frz_nc__create') result(status)
      import :: c_char, c_int, c_size_t
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: cmode
      integer(c_size_t), value :: initialsz
      integer(c_size_t), intent(inout) :: chunksizehintp
      integer(c_int), intent(out) :: ncidp
      integer(c_int) :: status
    end function
    function nc__open(path, mode, chunksizehintp, ncidp) bind(C, name='frz_nc__open') result(status)
      import :: c_char, c_int, c_size_t
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
      integer(c_size_t), intent(inout) :: chunksizehintp
      integer(c_int), intent(out) :: ncidp
      integer(c_int) :: status
    end function
    function nc_delete(path) bind(C, name='frz_nc_delete') result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: status
    end function
    function nc_redef(ncid) bind(C, name='frz_nc_redef') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int) :: status
    end function
    function nc_enddef(ncid) bind(C, name='frz_nc_enddef') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int) :: status
    end function
    function nc_sync(ncid) bind(C, name='frz_nc_sync') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int) :: status
    end function
    function nc_abort(ncid) bind(C, name='frz_nc_abort') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int) :: status
    end function
    function nc_close(ncid) bind(C, name='frz_nc_close') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int) :: status
    end function
    function nc__enddef(ncid, h_minfree, v_align, v_minfree, r_align) &
      bind(C, name='frz_nc__enddef') result(status)
      import :: c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_size_t), value :: h_minfree
      integer(c_size_t), value :: v_align
      integer(c_size_t), value :: v_minfree
      integer(c_size_t), value :: r_align
      integer(c_int) :: status
    end function
    function nc_set_fill(ncid, fillmode, old_modep) bind(C, name='frz_nc_set_fill') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: fillmode
      integer(c_int), intent(out) :: old_modep
      integer(c_int) :: status
    end function
    function nc_inq(ncid, ndimsp, nvarsp, nattsp, unlimdimidp) &
      bind(C, name='frz_nc_inq') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), intent(out) :: ndimsp
      integer(c_int), intent(out) :: nvarsp
      integer(c_int), intent(out) :: nattsp
      integer(c_int), intent(out) :: unlimdimidp
      integer(c_int) :: status
    end function
    function nc_inq_format(ncid, formatp) bind(C, name='frz_nc_inq_format') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), intent(out) :: formatp
      integer(c_int) :: status
    end function
    function nc_inq_path(ncid, pathlen, path) bind(C, name='frz_nc_inq_path') result(status)
      import :: c_char, c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_size_t), intent(out) :: pathlen
      character(kind=c_char), intent(out) :: path(*)
      integer(c_int) :: status
    end function
    function nc_get_chunk_cache(sizep, nelemsp, preemptionp) &
      bind(C, name='frz_nc_get_chunk_cache') result(status)
      import :: c_float, c_int, c_size_t
      integer(c_size_t), intent(out) :: sizep
      integer(c_size_t), intent(out) :: nelemsp
      real(c_float), intent(out) :: preemptionp
      integer(c_int) :: status
    end function
    function nc_set_chunk_cache(size, nelems, preemption) &
      bind(C, name='frz_nc_set_chunk_cache') result(status)
      import :: c_float, c_int, c_size_t
      integer(c_size_t), value :: size
      integer(c_size_t), value :: nelems
      real(c_float), value :: preemption
      integer(c_int) :: status
    end function
    ! Dimensions
    function nc_def_dim(ncid, name, len, idp) bind(C, name='frz_nc_def_dim') result(status)
      import :: c_char, c_int, c_size_t
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: len
      integer(c_int), intent(out) :: idp
      integer(c_int) :: status
    end function
    function nc_inq_dimid(ncid, name, idp) bind(C, name='frz_nc_inq_dimid') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: idp
      integer(c_int) :: status
    end function
    function nc_inq_dim(ncid, dimid, name, lenp) bind(C, name='frz_nc_inq_dim') result(status)
      import :: c_char, c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_int), value :: dimid
      character(kind=c_char), intent(out) :: name(*)
      integer(c_size_t), intent(out) :: lenp
      integer(c_int) :: status
    end function
    function nc_rename_dim(ncid, dimid, name) bind(C, name='frz_nc_rename_dim') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: dimid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: status
    end function
    ! Groups
    function nc_def_grp(parent_ncid, name, new_ncid) bind(C, name='frz_nc_def_grp') result(status)
      import :: c_char, c_int
      integer(c_int), value :: parent_ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: new_ncid
      integer(c_int) :: status
    end function
    function nc_rename_grp(grpid, name) bind(C, name='frz_nc_rename_grp') result(status)
      import :: c_char, c_int
      integer(c_int), value :: grpid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: status
    end function
    function nc_inq_ncid(ncid, name, grp_ncid) bind(C, name='frz_nc_inq_ncid') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: grp_ncid
      integer(c_int) :: status
    end function
    function nc_inq_grp_ncid(ncid, grp_name, grp_ncid) &
      bind(C, name='frz_nc_inq_grp_ncid') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: grp_name(*)
      integer(c_int), intent(out) :: grp_ncid
      integer(c_int) :: status
    end function
    function nc_inq_grp_full_ncid(ncid, full_name, grp_ncid) &
      bind(C, name='frz_nc_inq_grp_full_ncid') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: full_name(*)
      integer(c_int), intent(out) :: grp_ncid
      integer(c_int) :: status
    end function
    function nc_inq_grp_parent(ncid, parent_ncid) &
      bind(C, name='frz_nc_inq_grp_parent') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), intent(out) :: parent_ncid
      integer(c_int) :: status
    end function
    function nc_inq_grpname(ncid, name) bind(C, name='frz_nc_inq_grpname') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(out) :: name(*)
      integer(c_int) :: status
    end function
    function nc_inq_grpname_len(ncid, lenp) bind(C, name='frz_nc_inq_grpname_len') result(status)
      import :: c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_size_t), intent(out) :: lenp
      integer(c_int) :: status
    end function
    function nc_inq_grpname_full(ncid, lenp, full_name) &
      bind(C, name='frz_nc_inq_grpname_full') result(status)
      import :: c_char, c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_size_t), intent(out) :: lenp
      character(kind=c_char), intent(out) :: full_name(*)
      integer(c_int) :: status
    end function
    function nc_inq_grps(ncid, numgrps, ncids) bind(C, name='frz_nc_inq_grps') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), intent(out), optional :: numgrps
      integer(c_int), intent(out), optional :: ncids(*)
      integer(c_int) :: status
    end function
    function nc_inq_varids(ncid, nvars, varids) bind(C, name='frz_nc_inq_varids') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), intent(out), optional :: nvars
      integer(c_int), intent(out), optional :: varids(*)
      integer(c_int) :: status
    end function
    function nc_inq_typeids(ncid, ntypes, typeids) bind(C, name='frz_nc_inq_typeids') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), intent(out), optional :: ntypes
      integer(c_int), intent(out), optional :: typeids(*)
      integer(c_int) :: status
    end function
    function nc_inq_dimids(ncid, ndims, dimids, include_parents) &
      bind(C, name='frz_nc_inq_dimids') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), intent(out), optional :: ndims
      integer(c_int), intent(out), optional :: dimids(*)
      integer(c_int), value :: include_parents
      integer(c_int) :: status
    end function
    ! Attributes
    function nc_copy_att(ncid_in, varid_in, name, ncid_out, varid_out) &
      bind(C, name='frz_nc_copy_att') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid_in
      integer(c_int), value :: varid_in
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: ncid_out
      integer(c_int), value :: varid_out
      integer(c_int) :: status
    end function
    function nc_rename_att(ncid, varid, name, newname) &
      bind(C, name='frz_nc_rename_att') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: newname(*)
      integer(c_int) :: status
    end function
    function nc_del_att(ncid, varid, name) bind(C, name='frz_nc_del_att') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: status
    end function
    function nc_inq_attname(ncid, varid, attnum, name) &
      bind(C, name='frz_nc_inq_attname') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), value :: attnum
      character(kind=c_char), intent(out) :: name(*)
      integer(c_int) :: status
    end function
    function nc_inq_attid(ncid, varid, name, idp) bind(C, name='frz_nc_inq_attid') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: idp
      integer(c_int) :: status
    end function
    function nc_inq_att(ncid, varid, name, xtypep, lenp) &
      bind(C, name='frz_nc_inq_att') result(status)
      import :: c_char, c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: xtypep
      integer(c_size_t), intent(out) :: lenp
      integer(c_int) :: status
    end function
    ! Variables
    function nc_def_var(ncid, name, xtype, ndims, dimidsp, varidp) &
      bind(C, name='frz_nc_def_var') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: xtype
      integer(c_int), value :: ndims
      integer(c_int), intent(in) :: dimidsp(*)
      integer(c_int), intent(out) :: varidp
      integer(c_int) :: status
    end function
    function nc_inq_varid(ncid, name, varidp) bind(C, name='frz_nc_inq_varid') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: varidp
      integer(c_int) :: status
    end function
    function nc_inq_var(ncid, varid, name, xtypep, ndimsp, dimidsp, nattsp) &
      bind(C, name='frz_nc_inq_var') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      character(kind=c_char), intent(out) :: name(*)
      integer(c_int), intent(out) :: xtypep
      integer(c_int), intent(out) :: ndimsp
      integer(c_int), intent(out) :: dimidsp(*)
      integer(c_int), intent(out) :: nattsp
      integer(c_int) :: status
    end function
    function nc_inq_varndims(ncid, varid, ndimsp) bind(C, name='frz_nc_inq_varndims') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), intent(out) :: ndimsp
      integer(c_int) :: status
    end function
    function nc_rename_var(ncid, varid, name) bind(C, name='frz_nc_rename_var') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: status
    end function
    function nc_def_var_chunking(ncid, varid, storage, chunksizesp) &
      bind(C, name='frz_nc_def_var_chunking') result(status)
      import :: c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), value :: storage
      integer(c_size_t), intent(in) :: chunksizesp(*)
      integer(c_int) :: status
    end function
    function nc_inq_var_chunking(ncid, varid, storagep, chunksizesp) &
      bind(C, name='frz_nc_inq_var_chunking') result(status)
      import :: c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), intent(out) :: storagep
      integer(c_size_t), intent(out) :: chunksizesp(*)
      integer(c_int) :: status
    end function
    function nc_def_var_deflate(ncid, varid, shuffle, deflate, deflate_level) &
      bind(C, name='frz_nc_def_var_deflate') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), value :: shuffle
      integer(c_int), value :: deflate
      integer(c_int), value :: deflate_level
      integer(c_int) :: status
    end function
    function nc_inq_var_deflate(ncid, varid, shufflep, deflatep, deflate_levelp) &
      bind(C, name='frz_nc_inq_var_deflate') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), intent(out) :: shufflep
      integer(c_int), intent(out) :: deflatep
      integer(c_int), intent(out) :: deflate_levelp
      integer(c_int) :: status
    end function
    function nc_def_var_fletcher32(ncid, varid, fletcher32) &
      bind(C, name='frz_nc_def_var_fletcher32') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), value :: fletcher32
      integer(c_int) :: status
    end function
    function nc_inq_var_fletcher32(ncid, varid, fletcher32p) &
      bind(C, name='frz_nc_inq_var_fletcher32') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), intent(out) :: fletcher32p
      integer(c_int) :: status
    end function
    function nc_def_var_endian(ncid, varid, endian) &
      bind(C, name='frz_nc_def_var_endian') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), value :: endian
      integer(c_int) :: status
    end function
    function nc_inq_var_endian(ncid, varid, endianp) &
      bind(C, name='frz_nc_inq_var_endian') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), intent(out) :: endianp
      integer(c_int) :: status
    end function
    function nc_def_var_szip(ncid, varid, options_mask, pixels_per_block) &
      bind(C, name='frz_nc_def_var_szip') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), value :: options_mask
      integer(c_int), value :: pixels_per_block
      integer(c_int) :: status
    end function
    function nc_inq_var_szip(ncid, varid, options_maskp, pixels_per_blockp) &
      bind(C, name='frz_nc_inq_var_szip') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), intent(out) :: options_maskp
      integer(c_int), intent(out) :: pixels_per_blockp
      integer(c_int) :: status
    end function
    function nc_def_var_zstandard(ncid, varid, level) &
      bind(C, name='frz_nc_def_var_zstandard') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), value :: level
      integer(c_int) :: status
    end function
    function nc_inq_var_zstandard(ncid, varid, hasfilterp, levelp) &
      bind(C, name='frz_nc_inq_var_zstandard') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), intent(out) :: hasfilterp
      integer(c_int), intent(out) :: levelp
      integer(c_int) :: status
    end function
    function nc_def_var_quantize(ncid, varid, quantize_mode, nsd) &
      bind(C, name='frz_nc_def_var_quantize') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), value :: quantize_mode
      integer(c_int), value :: nsd
      integer(c_int) :: status
    end function
    function nc_inq_var_quantize(ncid, varid, quantize_modep, nsdp) &
      bind(C, name='frz_nc_inq_var_quantize') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), intent(out) :: quantize_modep
      integer(c_int), intent(out) :: nsdp
      integer(c_int) :: status
    end function
    function nc_def_var_filter(ncid, varid, id, nparams, parms) &
      bind(C, name='frz_nc_def_var_filter') result(status)
      import :: c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), value :: id
      integer(c_size_t), value :: nparams
      integer(c_int), intent(in) :: parms(*)
      integer(c_int) :: status
    end function
    function nc_inq_var_filter(ncid, varid, idp, nparams, params) &
      bind(C, name='frz_nc_inq_var_filter') result(status)
      import :: c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_int), intent(out) :: idp
      integer(c_size_t), intent(out) :: nparams
      integer(c_int), intent(out), optional :: params(*)
      integer(c_int) :: status
    end function
    function nc_set_var_chunk_cache(ncid, varid, size, nelems, preemption) &
      bind(C, name='frz_nc_set_var_chunk_cache') result(status)
      import :: c_float, c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_size_t), value :: size
      integer(c_size_t), value :: nelems
      real(c_float), value :: preemption
      integer(c_int) :: status
    end function
    function nc_get_var_chunk_cache(ncid, varid, sizep, nelemsp, preemptionp) &
      bind(C, name='frz_nc_get_var_chunk_cache') result(status)
      import :: c_float, c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_int), value :: varid
      integer(c_size_t), intent(out) :: sizep
      integer(c_size_t), intent(out) :: nelemsp
      real(c_float), intent(out) :: preemptionp
      integer(c_int) :: status
    end function
  end interface
end module frazil_netcdf_c
