!> Variables: defined with all that netCDF lets one ask for in one call, inquired, renamed.
module frazil_netcdf_variables
  use, intrinsic :: iso_c_binding, only: c_char, c_int
  use frazil_axes, only: other_order
  use frazil_netcdf_c
  use frazil_netcdf_parameters
  use frazil_netcdf_storage
  use frazil_text, only: c_text, copy_c_text
  implicit none
  private
  public :: nf90_def_var, nf90_inq_varid, nf90_inquire_variable, nf90_rename_var

  !> Defines a variable without dimensions, with one, or with as many as `dimids` has.
  interface nf90_def_var
    module procedure define_scalar, define_one_axis, define_axes
  end interface nf90_def_var

contains

  function define_scalar(ncid, name, xtype, varid) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(in) :: xtype
    integer, intent(out) :: varid
    integer :: status

    status = define_axes(ncid, name, xtype, [integer ::], varid)
  end function define_scalar

  function define_one_axis(ncid, name, xtype, dimids, varid, contiguous, chunksizes, deflate_level, &
                           shuffle, fletcher32, endianness, cache_size, cache_nelems, cache_preemption, &
                           quantize_mode, nsd, zstandard_level) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(in) :: xtype
    integer, intent(in) :: dimids
    integer, intent(out) :: varid
    logical, intent(in), optional :: contiguous
    integer, intent(in), optional :: chunksizes, deflate_level
    logical, intent(in), optional :: shuffle, fletcher32
    integer, intent(in), optional :: endianness, cache_size, cache_nelems, cache_preemption
    integer, intent(in), optional :: quantize_mode, nsd, zstandard_level
    integer :: status
    ! Not allocated, it counts as an argument that is absent.
    integer, allocatable :: chunk(:)

    if (present(chunksizes)) allocate (chunk(1), source=chunksizes)
    status = define_axes(ncid, name, xtype, [dimids], varid, contiguous, chunk, deflate_level, &
                         shuffle, fletcher32, endianness, cache_size, cache_nelems, cache_preemption, &
                         quantize_mode, nsd, zstandard_level)
  end function define_one_axis

  !> What is not asked for is decided by frazil. Two compressors for one variable are refused with
  !> nf90_efilter before anything is defined.
  function define_axes(ncid, name, xtype, dimids, varid, contiguous, chunksizes, deflate_level, &
                       shuffle, fletcher32, endianness, cache_size, cache_nelems, cache_preemption, &
                       quantize_mode, nsd, zstandard_level) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(in) :: xtype
    integer, intent(in) :: dimids(:)
    integer, intent(out) :: varid
    logical, intent(in), optional :: contiguous
    integer, intent(in), optional :: chunksizes(:), deflate_level
    logical, intent(in), optional :: shuffle, fletcher32
    integer, intent(in), optional :: endianness, cache_size, cache_nelems, cache_preemption
    integer, intent(in), optional :: quantize_mode, nsd, zstandard_level
    integer :: status
    integer(c_int) :: c_varid

    status = check_layout(size(dimids), contiguous, chunksizes)
    if (status == nf90_noerr) status = check_compressors(deflate_level, zstandard_level)
    if (status /= nf90_noerr) return
    status = nc_def_var(ncid, c_text(name), xtype, size(dimids), other_order(dimids) - 1, c_varid)
    if (status /= nf90_noerr) return
    varid = c_varid + 1

    status = request_layout(ncid, varid, contiguous, chunksizes)
    if (status == nf90_noerr) status = request_deflate(ncid, varid, deflate_level, is_true(shuffle))
    if (status /= nf90_noerr) return
    if (is_true(fletcher32)) status = nf90_def_var_fletcher32(ncid, varid, nf90_fletcher32)
    if (status /= nf90_noerr) return
    if (present(endianness)) status = nf90_def_var_endian(ncid, varid, endianness)
    if (status /= nf90_noerr) return
    status = set_cache(ncid, varid, cache_size, cache_nelems, cache_preemption)
    if (status /= nf90_noerr) return
    if (present(quantize_mode)) status = request_quantize(ncid, varid, quantize_mode, nsd)
    if (status /= nf90_noerr) return
    if (present(zstandard_level)) status = request_zstandard(ncid, varid, zstandard_level, is_true(shuffle))
  end function define_axes

  pure logical function is_true(request)
    logical, intent(in), optional :: request

    is_true = .false.
    if (present(request)) is_true = request
  end function is_true

  !> Contiguous with chunk sizes is a contradiction; so is not contiguous without any.
  pure integer function check_layout(ndims, contiguous, chunksizes) result(status)
    integer, intent(in) :: ndims
    logical, intent(in), optional :: contiguous
    integer, intent(in), optional :: chunksizes(:)

    status = nf90_noerr
    if (present(contiguous)) then
      if (contiguous .eqv. present(chunksizes)) status = nf90_einval
    end if
    if (present(chunksizes)) then
      if (size(chunksizes) /= ndims) status = nf90_einval
    end if
  end function check_layout

  integer function check_compressors(deflate_level, zstandard_level) result(status)
    integer, intent(in), optional :: deflate_level, zstandard_level

    status = nf90_noerr
    if (.not. (present(deflate_level) .and. present(zstandard_level))) return
    if (deflate_level <= 0) return
    status = set_last_message(c_text('deflate_level and zstandard_level were asked for one variable: the ' &
      //'second would compress what is compressed already; ask for one of them only'))
    status = nf90_efilter
  end function check_compressors

  function request_layout(ncid, varid, contiguous, chunksizes) result(status)
    integer, intent(in) :: ncid, varid
    logical, intent(in), optional :: contiguous
    integer, intent(in), optional :: chunksizes(:)
    integer :: status

    status = nf90_noerr
    if (present(chunksizes)) then
      status = nf90_def_var_chunking(ncid, varid, nf90_chunked, chunksizes)
    else if (is_true(contiguous)) then
      status = nf90_def_var_chunking(ncid, varid, nf90_contiguous, [integer ::])
    end if
  end function request_layout

  !> Level 0 asks for no compression; in a classic file, which has none, that is no error.
  function request_deflate(ncid, varid, deflate_level, shuffle) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(in), optional :: deflate_level
    logical, intent(in) :: shuffle
    integer :: status

    status = nf90_noerr
    if (.not. present(deflate_level)) return
    if (deflate_level > 0) then
      status = nf90_def_var_deflate(ncid, varid, merge(1, 0, shuffle), 1, deflate_level)
    else
      status = nf90_def_var_deflate(ncid, varid, 0, 0, 0)
      if (any(status == [nf90_enotnc4, nf90_estrictnc3])) status = nf90_noerr
    end if
  end function request_deflate

  function request_quantize(ncid, varid, quantize_mode, nsd) result(status)
    integer, intent(in) :: ncid, varid, quantize_mode
    integer, intent(in), optional :: nsd
    integer :: status

    status = nf90_einval
    if (present(nsd)) status = nf90_def_var_quantize(ncid, varid, quantize_mode, nsd)
  end function request_quantize

  function request_zstandard(ncid, varid, zstandard_level, shuffle) result(status)
    integer, intent(in) :: ncid, varid, zstandard_level
    logical, intent(in) :: shuffle
    integer :: status

    status = nf90_def_var_zstandard(ncid, varid, zstandard_level)
    if (status == nf90_noerr .and. shuffle) status = nf90_def_var_deflate(ncid, varid, 1, 0, 0)
  end function request_zstandard

  function nf90_inq_varid(ncid, name, varid) result(status)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: name
    integer, intent(out) :: varid
    integer :: status
    integer(c_int) :: c_varid

    status = nc_inq_varid(ncid, c_text(name), c_varid)
    if (status == nf90_noerr) varid = c_varid + 1
  end function nf90_inq_varid

  function nf90_rename_var(ncid, varid, newname) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: newname
    integer :: status

    status = nc_rename_var(ncid, varid - 1, c_text(newname))
  end function nf90_rename_var

  function nf90_inquire_variable(ncid, varid, name, xtype, ndims, dimids, nAtts, contiguous, chunksizes, &
                                 deflate_level, shuffle, fletcher32, endianness, cache_size, cache_nelems, &
                                 cache_preemption, quantize_mode, nsd, zstandard, zstandard_level) &
    result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(out), optional :: name
    integer, intent(out), optional :: xtype, ndims
    integer, intent(out), optional :: dimids(:)
    integer, intent(out), optional :: nAtts
    logical, intent(out), optional :: contiguous
    integer, intent(out), optional :: chunksizes(:), deflate_level
    logical, intent(out), optional :: shuffle, fletcher32
    integer, intent(out), optional :: endianness, cache_size, cache_nelems, cache_preemption
    integer, intent(out), optional :: quantize_mode, nsd, zstandard, zstandard_level
    integer :: status

    status = inquire_definition(ncid, varid, name, xtype, ndims, dimids, nAtts)
    if (status /= nf90_noerr) return
    if (present(contiguous) .or. present(chunksizes)) &
      status = inquire_layout(ncid, varid, contiguous, chunksizes)
    if (status /= nf90_noerr) return
    status = inquire_filters(ncid, varid, deflate_level, shuffle, fletcher32, zstandard, zstandard_level)
    if (status /= nf90_noerr) return
    if (present(endianness)) status = nf90_inq_var_endian(ncid, varid, endianness)
    if (status /= nf90_noerr) return
    if (present(cache_size) .or. present(cache_nelems) .or. present(cache_preemption)) &
      status = get_cache(ncid, varid, cache_size, cache_nelems, cache_preemption)
    if (status /= nf90_noerr) return
    if (present(quantize_mode) .or. present(nsd)) &
      status = inquire_quantize(ncid, varid, quantize_mode, nsd)
  end function nf90_inquire_variable

  function inquire_definition(ncid, varid, name, xtype, ndims, dimids, natts) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(out), optional :: name
    integer, intent(out), optional :: xtype, ndims
    integer, intent(out), optional :: dimids(:)
    integer, intent(out), optional :: natts
    integer :: status
    character(kind=c_char, len=nf90_max_name + 1) :: buffer
    integer(c_int) :: c_xtype, c_ndims, c_dimids(nf90_max_var_dims), c_natts

    status = nc_inq_var(ncid, varid - 1, buffer, c_xtype, c_ndims, c_dimids, c_natts)
    if (status /= nf90_noerr) return
    if (present(name)) call copy_c_text(buffer, name)
    if (present(xtype)) xtype = c_xtype
    if (present(ndims)) ndims = c_ndims
    if (present(natts)) natts = c_natts
    if (.not. present(dimids)) return
    if (size(dimids) >= c_ndims) then
      dimids(:c_ndims) = other_order(c_dimids(:c_ndims)) + 1
    else
      status = nf90_einval
    end if
  end function inquire_definition

  function inquire_layout(ncid, varid, contiguous, chunksizes) result(status)
    integer, intent(in) :: ncid, varid
    logical, intent(out), optional :: contiguous
    integer, intent(out), optional :: chunksizes(:)
    integer :: status
    integer :: storage
    integer, allocatable :: chunk(:)

    allocate (chunk(nf90_max_var_dims))
    chunk = 0
    status = nf90_inq_var_chunking(ncid, varid, storage, chunk)
    if (status /= nf90_noerr) return
    if (present(contiguous)) contiguous = storage /= nf90_notcontiguous
    if (present(chunksizes)) call copy_axes(ncid, varid, chunk, chunksizes)
  end function inquire_layout

  !> One value for each axis of the variable; elements of `values` beyond that stay as they are.
  subroutine copy_axes(ncid, varid, found, values)
    integer, intent(in) :: ncid, varid
    integer, intent(in) :: found(:)
    integer, intent(inout) :: values(:)
    integer :: status, ndims

    status = nc_inq_varndims(ncid, varid - 1, ndims)
    if (status /= nf90_noerr) return
    ndims = min(ndims, size(values))
    values(:ndims) = found(:ndims)
  end subroutine copy_axes

  function inquire_filters(ncid, varid, deflate_level, shuffle, fletcher32, zstandard, zstandard_level) &
    result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out), optional :: deflate_level
    logical, intent(out), optional :: shuffle, fletcher32
    integer, intent(out), optional :: zstandard, zstandard_level
    integer :: status
    integer :: has_shuffle, has_deflate, has_checksum, has_zstandard, level

    status = nf90_noerr
    if (present(fletcher32)) then
      status = nf90_inq_var_fletcher32(ncid, varid, has_checksum)
      if (status /= nf90_noerr) return
      fletcher32 = has_checksum > 0
    end if
    if (present(deflate_level) .or. present(shuffle)) then
      status = nf90_inq_var_deflate(ncid, varid, has_shuffle, has_deflate, level)
      if (status /= nf90_noerr) return
      if (present(deflate_level)) deflate_level = level
      if (present(shuffle)) shuffle = has_shuffle /= 0
    end if
    if (present(zstandard) .or. present(zstandard_level)) then
      status = nf90_inq_var_zstandard(ncid, varid, has_zstandard, level)
      if (status /= nf90_noerr) return
      if (present(zstandard)) zstandard = has_zstandard
      if (present(zstandard_level)) zstandard_level = level
    end if
  end function inquire_filters

  function inquire_quantize(ncid, varid, quantize_mode, nsd) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out), optional :: quantize_mode, nsd
    integer :: status
    integer :: mode, digits

    status = nf90_inq_var_quantize(ncid, varid, mode, digits)
    if (status /= nf90_noerr) return
    if (present(quantize_mode)) quantize_mode = mode
    if (present(nsd)) nsd = digits
  end function inquire_quantize
end module frazil_netcdf_variables
