!> The functions of frazil's netCDF face in C that the nf90 procedures call: netCDF-C's own, with
!> the prefix frz_. Numbers of variables and dimensions begin at 0 here, axes are in C order.
module frazil_netcdf_c
  use, intrinsic :: iso_c_binding, only: c_char, c_float, c_int, c_ptr, c_size_t
  implicit none
  public
  private :: c_char, c_float, c_int, c_ptr, c_size_t

  interface
    ! Texts
    function nc_strerror(status) bind(C, name='frz_netcdf_status_words') result(text)
      import :: c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: text
    end function
    function last_message() bind(C, name='frz_last_message') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function set_last_message(message) bind(C, name='frz_set_last_message') result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: message(*)
      integer(c_int) :: status
    end function
    function nc_inq_libvers() bind(C, name='frz_nc_inq_libvers') result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    ! Files
    function nc_create(path, mode, ncid) bind(C, name='frz_nc_create') result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
      integer(c_int), intent(out) :: ncid
      integer(c_int) :: status
    end function
    function nc_open_par(path, mode, comm, ncid) bind(C, name='frz_netcdf_open_parallel') result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode, comm
      integer(c_int), intent(out) :: ncid
      integer(c_int) :: status
    end function
    function nc_create_par(path, mode, comm, ncid) bind(C, name='frz_netcdf_create_parallel') result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode, comm
      integer(c_int), intent(out) :: ncid
      integer(c_int) :: status
    end function
    function nc_var_par_access(ncid, varid, access) bind(C, name='frz_netcdf_var_par_access') result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid, access
      integer(c_int) :: status
    end function
    function nc_open(path, mode, ncid) bind(C, name='frz_nc_open') result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
      integer(c_int), intent(out) :: ncid
      integer(c_int) :: status
    end function
    function nc__create(path, mode, initialsize, chunksize, ncid) bind(C, name='frz_nc__create') result(status)
      import :: c_char, c_int, c_size_t
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
      integer(c_size_t), value :: initialsize
      integer(c_size_t), intent(inout) :: chunksize
      integer(c_int), intent(out) :: ncid
      integer(c_int) :: status
    end function
    function nc__open(path, mode, chunksize, ncid) bind(C, name='frz_nc__open') result(status)
      import :: c_char, c_int, c_size_t
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
      integer(c_size_t), intent(inout) :: chunksize
      integer(c_int), intent(out) :: ncid
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
      integer(c_size_t), value :: h_minfree, v_align, v_minfree, r_align
      integer(c_int) :: status
    end function
    function nc_set_fill(ncid, fillmode, old_mode) bind(C, name='frz_nc_set_fill') result(status)
      import :: c_int
      integer(c_int), value :: ncid, fillmode
      integer(c_int), intent(out) :: old_mode
      integer(c_int) :: status
    end function
    function nc_inq(ncid, ndims, nvars, natts, unlimited) bind(C, name='frz_nc_inq') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), intent(out) :: ndims, nvars, natts, unlimited
      integer(c_int) :: status
    end function
    function nc_inq_format(ncid, format) bind(C, name='frz_nc_inq_format') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), intent(out) :: format
      integer(c_int) :: status
    end function
    function nc_inq_path(ncid, length, path) bind(C, name='frz_nc_inq_path') result(status)
      import :: c_char, c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_size_t), intent(out) :: length
      character(kind=c_char), intent(out) :: path(*)
      integer(c_int) :: status
    end function
    function nc_get_chunk_cache(size, nelems, preemption) &
      bind(C, name='frz_nc_get_chunk_cache') result(status)
      import :: c_float, c_int, c_size_t
      integer(c_size_t), intent(out) :: size, nelems
      real(c_float), intent(out) :: preemption
      integer(c_int) :: status
    end function
    function nc_set_chunk_cache(size, nelems, preemption) &
      bind(C, name='frz_nc_set_chunk_cache') result(status)
      import :: c_float, c_int, c_size_t
      integer(c_size_t), value :: size, nelems
      real(c_float), value :: preemption
      integer(c_int) :: status
    end function
    ! Dimensions
    function nc_def_dim(ncid, name, length, dimid) bind(C, name='frz_nc_def_dim') result(status)
      import :: c_char, c_int, c_size_t
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      integer(c_int), intent(out) :: dimid
      integer(c_int) :: status
    end function
    function nc_inq_dimid(ncid, name, dimid) bind(C, name='frz_nc_inq_dimid') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: dimid
      integer(c_int) :: status
    end function
    function nc_inq_dim(ncid, dimid, name, length) bind(C, name='frz_nc_inq_dim') result(status)
      import :: c_char, c_int, c_size_t
      integer(c_int), value :: ncid, dimid
      character(kind=c_char), intent(out) :: name(*)
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: status
    end function
    function nc_rename_dim(ncid, dimid, name) bind(C, name='frz_nc_rename_dim') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid, dimid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: status
    end function
    ! Groups
    function nc_def_grp(ncid, name, grpid) bind(C, name='frz_nc_def_grp') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: grpid
      integer(c_int) :: status
    end function
    function nc_rename_grp(grpid, name) bind(C, name='frz_nc_rename_grp') result(status)
      import :: c_char, c_int
      integer(c_int), value :: grpid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: status
    end function
    function nc_inq_ncid(ncid, name, grpid) bind(C, name='frz_nc_inq_ncid') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: grpid
      integer(c_int) :: status
    end function
    function nc_inq_grp_ncid(ncid, name, grpid) bind(C, name='frz_nc_inq_grp_ncid') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: grpid
      integer(c_int) :: status
    end function
    function nc_inq_grp_full_ncid(ncid, name, grpid) bind(C, name='frz_nc_inq_grp_full_ncid') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: grpid
      integer(c_int) :: status
    end function
    function nc_inq_grp_parent(ncid, parent) bind(C, name='frz_nc_inq_grp_parent') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), intent(out) :: parent
      integer(c_int) :: status
    end function
    function nc_inq_grpname(ncid, name) bind(C, name='frz_nc_inq_grpname') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(out) :: name(*)
      integer(c_int) :: status
    end function
    function nc_inq_grpname_len(ncid, length) bind(C, name='frz_nc_inq_grpname_len') result(status)
      import :: c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: status
    end function
    function nc_inq_grpname_full(ncid, length, name) bind(C, name='frz_nc_inq_grpname_full') result(status)
      import :: c_char, c_int, c_size_t
      integer(c_int), value :: ncid
      integer(c_size_t), intent(out) :: length
      character(kind=c_char), intent(out) :: name(*)
      integer(c_int) :: status
    end function
    function nc_inq_grps(ncid, number, ids) bind(C, name='frz_nc_inq_grps') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), intent(out), optional :: number
      integer(c_int), intent(out), optional :: ids(*)
      integer(c_int) :: status
    end function
    function nc_inq_varids(ncid, number, ids) bind(C, name='frz_nc_inq_varids') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), intent(out), optional :: number
      integer(c_int), intent(out), optional :: ids(*)
      integer(c_int) :: status
    end function
    function nc_inq_typeids(ncid, number, ids) bind(C, name='frz_nc_inq_typeids') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), intent(out), optional :: number
      integer(c_int), intent(out), optional :: ids(*)
      integer(c_int) :: status
    end function
    function nc_inq_dimids(ncid, number, ids, include_parents) &
      bind(C, name='frz_nc_inq_dimids') result(status)
      import :: c_int
      integer(c_int), value :: ncid
      integer(c_int), intent(out), optional :: number
      integer(c_int), intent(out), optional :: ids(*)
      integer(c_int), value :: include_parents
      integer(c_int) :: status
    end function
    ! Attributes
    function nc_copy_att(ncid_in, varid_in, name, ncid_out, varid_out) &
      bind(C, name='frz_nc_copy_att') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid_in, varid_in
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: ncid_out, varid_out
      integer(c_int) :: status
    end function
    function nc_rename_att(ncid, varid, name, newname) bind(C, name='frz_nc_rename_att') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid, varid
      character(kind=c_char), intent(in) :: name(*), newname(*)
      integer(c_int) :: status
    end function
    function nc_del_att(ncid, varid, name) bind(C, name='frz_nc_del_att') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid, varid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: status
    end function
    function nc_inq_attname(ncid, varid, attnum, name) bind(C, name='frz_nc_inq_attname') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid, varid, attnum
      character(kind=c_char), intent(out) :: name(*)
      integer(c_int) :: status
    end function
    function nc_inq_attid(ncid, varid, name, attnum) bind(C, name='frz_nc_inq_attid') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid, varid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: attnum
      integer(c_int) :: status
    end function
    function nc_inq_att(ncid, varid, name, xtype, length) bind(C, name='frz_nc_inq_att') result(status)
      import :: c_char, c_int, c_size_t
      integer(c_int), value :: ncid, varid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: xtype
      integer(c_size_t), intent(out) :: length
      integer(c_int) :: status
    end function
    ! Variables
    function nc_def_var(ncid, name, xtype, ndims, dimids, varid) bind(C, name='frz_nc_def_var') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: xtype, ndims
      integer(c_int), intent(in) :: dimids(*)
      integer(c_int), intent(out) :: varid
      integer(c_int) :: status
    end function
    function nc_inq_varid(ncid, name, varid) bind(C, name='frz_nc_inq_varid') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: varid
      integer(c_int) :: status
    end function
    function nc_inq_var(ncid, varid, name, xtype, ndims, dimids, natts) &
      bind(C, name='frz_nc_inq_var') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid, varid
      character(kind=c_char), intent(out) :: name(*)
      integer(c_int), intent(out) :: xtype, ndims
      integer(c_int), intent(out) :: dimids(*)
      integer(c_int), intent(out) :: natts
      integer(c_int) :: status
    end function
    function nc_inq_varndims(ncid, varid, ndims) bind(C, name='frz_nc_inq_varndims') result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid
      integer(c_int), intent(out) :: ndims
      integer(c_int) :: status
    end function
    function nc_rename_var(ncid, varid, name) bind(C, name='frz_nc_rename_var') result(status)
      import :: c_char, c_int
      integer(c_int), value :: ncid, varid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: status
    end function
    function nc_def_var_chunking(ncid, varid, storage, chunksizes) &
      bind(C, name='frz_nc_def_var_chunking') result(status)
      import :: c_int, c_size_t
      integer(c_int), value :: ncid, varid, storage
      integer(c_size_t), intent(in) :: chunksizes(*)
      integer(c_int) :: status
    end function
    function nc_inq_var_chunking(ncid, varid, storage, chunksizes) &
      bind(C, name='frz_nc_inq_var_chunking') result(status)
      import :: c_int, c_size_t
      integer(c_int), value :: ncid, varid
      integer(c_int), intent(out) :: storage
      integer(c_size_t), intent(out) :: chunksizes(*)
      integer(c_int) :: status
    end function
    function nc_def_var_deflate(ncid, varid, shuffle, deflate, level) &
      bind(C, name='frz_nc_def_var_deflate') result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid, shuffle, deflate, level
      integer(c_int) :: status
    end function
    function nc_inq_var_deflate(ncid, varid, shuffle, deflate, level) &
      bind(C, name='frz_nc_inq_var_deflate') result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid
      integer(c_int), intent(out) :: shuffle, deflate, level
      integer(c_int) :: status
    end function
    function nc_def_var_fletcher32(ncid, varid, fletcher32) &
      bind(C, name='frz_nc_def_var_fletcher32') result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid, fletcher32
      integer(c_int) :: status
    end function
    function nc_inq_var_fletcher32(ncid, varid, fletcher32) &
      bind(C, name='frz_nc_inq_var_fletcher32') result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid
      integer(c_int), intent(out) :: fletcher32
      integer(c_int) :: status
    end function
    function nc_def_var_endian(ncid, varid, endian) bind(C, name='frz_nc_def_var_endian') result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid, endian
      integer(c_int) :: status
    end function
    function nc_inq_var_endian(ncid, varid, endian) bind(C, name='frz_nc_inq_var_endian') result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid
      integer(c_int), intent(out) :: endian
      integer(c_int) :: status
    end function
    function nc_def_var_szip(ncid, varid, options_mask, pixels_per_block) &
      bind(C, name='frz_nc_def_var_szip') result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid, options_mask, pixels_per_block
      integer(c_int) :: status
    end function
    function nc_inq_var_szip(ncid, varid, options_mask, pixels_per_block) &
      bind(C, name='frz_nc_inq_var_szip') result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid
      integer(c_int), intent(out) :: options_mask, pixels_per_block
      integer(c_int) :: status
    end function
    function nc_def_var_zstandard(ncid, varid, level) bind(C, name='frz_nc_def_var_zstandard') result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid, level
      integer(c_int) :: status
    end function
    function nc_inq_var_zstandard(ncid, varid, zstandard, level) &
      bind(C, name='frz_nc_inq_var_zstandard') result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid
      integer(c_int), intent(out) :: zstandard, level
      integer(c_int) :: status
    end function
    function nc_def_var_quantize(ncid, varid, mode, nsd) &
      bind(C, name='frz_nc_def_var_quantize') result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid, mode, nsd
      integer(c_int) :: status
    end function
    function nc_inq_var_quantize(ncid, varid, mode, nsd) &
      bind(C, name='frz_nc_inq_var_quantize') result(status)
      import :: c_int
      integer(c_int), value :: ncid, varid
      integer(c_int), intent(out) :: mode, nsd
      integer(c_int) :: status
    end function
    function nc_def_var_filter(ncid, varid, id, nparams, params) &
      bind(C, name='frz_nc_def_var_filter') result(status)
      import :: c_int, c_size_t
      integer(c_int), value :: ncid, varid, id
      integer(c_size_t), value :: nparams
      integer(c_int), intent(in) :: params(*)
      integer(c_int) :: status
    end function
    function nc_inq_var_filter(ncid, varid, id, nparams, params) &
      bind(C, name='frz_nc_inq_var_filter') result(status)
      import :: c_int, c_size_t
      integer(c_int), value :: ncid, varid
      integer(c_int), intent(out) :: id
      integer(c_size_t), intent(out) :: nparams
      integer(c_int), intent(out), optional :: params(*)
      integer(c_int) :: status
    end function
    function nc_set_var_chunk_cache(ncid, varid, size, nelems, preemption) &
      bind(C, name='frz_nc_set_var_chunk_cache') result(status)
      import :: c_float, c_int, c_size_t
      integer(c_int), value :: ncid, varid
      integer(c_size_t), value :: size, nelems
      real(c_float), value :: preemption
      integer(c_int) :: status
    end function
    function nc_get_var_chunk_cache(ncid, varid, size, nelems, preemption) &
      bind(C, name='frz_nc_get_var_chunk_cache') result(status)
      import :: c_float, c_int, c_size_t
      integer(c_int), value :: ncid, varid
      integer(c_size_t), intent(out) :: size, nelems
      real(c_float), intent(out) :: preemption
      integer(c_int) :: status
    end function
  end interface
end module frazil_netcdf_c
