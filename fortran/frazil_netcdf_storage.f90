!> How one variable is stored: layout, filters, byte order, rounding, cache.
module frazil_netcdf_storage
  use, intrinsic :: iso_c_binding, only: c_float, c_int, c_size_t
  use frazil_axes, only: other_order
  use frazil_netcdf_c
  use frazil_netcdf_parameters
  implicit none
  private
  public :: nf90_def_var_chunking, nf90_inq_var_chunking, nf90_def_var_deflate, nf90_inq_var_deflate
  public :: nf90_def_var_fletcher32, nf90_inq_var_fletcher32, nf90_def_var_endian, nf90_inq_var_endian
  public :: nf90_def_var_szip, nf90_inq_var_szip, nf90_def_var_zstandard, nf90_inq_var_zstandard
  public :: nf90_def_var_quantize, nf90_inq_var_quantize, nf90_def_var_filter, nf90_inq_var_filter
  public :: nf90_var_par_access
  public :: set_cache, get_cache

contains

  !> `chunksizes` may have any length where the layout is not in chunks.
  function nf90_def_var_chunking(ncid, varid, contiguous, chunksizes) result(status)
    integer, intent(in) :: ncid, varid, contiguous
    integer, intent(in) :: chunksizes(:)
    integer :: status
    integer(c_int) :: ndims

    status = nc_inq_varndims(ncid, varid - 1, ndims)
    if (status /= nf90_noerr) return
    if (contiguous /= nf90_chunked) then
      status = nc_def_var_chunking(ncid, varid - 1, contiguous, [0_c_size_t])
    else if (size(chunksizes) < ndims) then
      status = nf90_einval
    else if (any(chunksizes(:ndims) < 0)) then
      status = nf90_ebadchunk
    else
      status = nc_def_var_chunking(ncid, varid - 1, contiguous, int(other_order(chunksizes(:ndims)), c_size_t))
    end if
  end function nf90_def_var_chunking

  function nf90_inq_var_chunking(ncid, varid, contiguous, chunksizes) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: contiguous
    integer, intent(out) :: chunksizes(:)
    integer :: status
    integer(c_size_t), allocatable :: chunk(:)
    integer(c_int) :: ndims

    contiguous = nf90_notcontiguous
    status = nc_inq_varndims(ncid, varid - 1, ndims)
    if (status /= nf90_noerr) return
    allocate (chunk(max(ndims, 1)))
    chunk = 0
    status = nc_inq_var_chunking(ncid, varid - 1, contiguous, chunk)
    if (status /= nf90_noerr) return
    if (contiguous == nf90_chunked .and. size(chunksizes) < ndims) then
      status = nf90_einval
    else
      chunk = other_order(chunk)
      ndims = min(ndims, size(chunksizes))
      chunksizes(:ndims) = int(chunk(:ndims))
    end if
  end function nf90_inq_var_chunking

  function nf90_def_var_deflate(ncid, varid, shuffle, deflate, deflate_level) result(status)
    integer, intent(in) :: ncid, varid, shuffle, deflate, deflate_level
    integer :: status

    status = nc_def_var_deflate(ncid, varid - 1, shuffle, deflate, deflate_level)
  end function nf90_def_var_deflate

  function nf90_inq_var_deflate(ncid, varid, shuffle, deflate, deflate_level) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: shuffle, deflate, deflate_level
    integer :: status

    status = nc_inq_var_deflate(ncid, varid - 1, shuffle, deflate, deflate_level)
  end function nf90_inq_var_deflate

  function nf90_def_var_fletcher32(ncid, varid, fletcher32) result(status)
    integer, intent(in) :: ncid, varid, fletcher32
    integer :: status

    status = nc_def_var_fletcher32(ncid, varid - 1, fletcher32)
  end function nf90_def_var_fletcher32

  function nf90_inq_var_fletcher32(ncid, varid, fletcher32) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: fletcher32
    integer :: status

    status = nc_inq_var_fletcher32(ncid, varid - 1, fletcher32)
  end function nf90_inq_var_fletcher32

  function nf90_def_var_endian(ncid, varid, endian) result(status)
    integer, intent(in) :: ncid, varid, endian
    integer :: status

    status = nc_def_var_endian(ncid, varid - 1, endian)
  end function nf90_def_var_endian

  function nf90_inq_var_endian(ncid, varid, endian) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: endian
    integer :: status

    status = nc_inq_var_endian(ncid, varid - 1, endian)
  end function nf90_inq_var_endian

  function nf90_def_var_szip(ncid, varid, options_mask, pixels_per_block) result(status)
    integer, intent(in) :: ncid, varid, options_mask, pixels_per_block
    integer :: status

    status = nc_def_var_szip(ncid, varid - 1, options_mask, pixels_per_block)
  end function nf90_def_var_szip

  function nf90_inq_var_szip(ncid, varid, options_mask, pixels_per_block) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: options_mask, pixels_per_block
    integer :: status

    status = nc_inq_var_szip(ncid, varid - 1, options_mask, pixels_per_block)
  end function nf90_inq_var_szip

  function nf90_def_var_zstandard(ncid, varid, zstandard_level) result(status)
    integer, intent(in) :: ncid, varid, zstandard_level
    integer :: status

    status = nc_def_var_zstandard(ncid, varid - 1, zstandard_level)
  end function nf90_def_var_zstandard

  function nf90_inq_var_zstandard(ncid, varid, zstandard, zstandard_level) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: zstandard, zstandard_level
    integer :: status

    status = nc_inq_var_zstandard(ncid, varid - 1, zstandard, zstandard_level)
  end function nf90_inq_var_zstandard

  function nf90_def_var_quantize(ncid, varid, quantize_mode, nsd) result(status)
    integer, intent(in) :: ncid, varid, quantize_mode, nsd
    integer :: status

    status = nc_def_var_quantize(ncid, varid - 1, quantize_mode, nsd)
  end function nf90_def_var_quantize

  function nf90_inq_var_quantize(ncid, varid, quantize_mode, nsd) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: quantize_mode, nsd
    integer :: status

    status = nc_inq_var_quantize(ncid, varid - 1, quantize_mode, nsd)
  end function nf90_inq_var_quantize

  function nf90_def_var_filter(ncid, varid, filterid, nparams, params) result(status)
    integer, intent(in) :: ncid, varid, filterid, nparams
    integer, intent(in) :: params(*)
    integer :: status

    status = nc_def_var_filter(ncid, varid - 1, filterid, int(nparams, c_size_t), params)
  end function nf90_def_var_filter

  function nf90_inq_var_filter(ncid, varid, filterid, nparams, params) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out) :: filterid, nparams
    integer, intent(out) :: params(:)
    integer :: status
    integer(c_size_t) :: number
    integer(c_int), allocatable :: found(:)

    status = nc_inq_var_filter(ncid, varid - 1, filterid, number)
    if (status /= nf90_noerr) return
    nparams = int(number)
    allocate (found(nparams))
    status = nc_inq_var_filter(ncid, varid - 1, filterid, number, found)
    if (status /= nf90_noerr) return
    if (size(params) < nparams) then
      status = nf90_einval
    else
      params(:nparams) = found
    end if
  end function nf90_inq_var_filter

  !> Independent and collective access are the same: no rank waits for another.
  function nf90_var_par_access(ncid, varid, access) result(status)
    integer, intent(in) :: ncid, varid, access
    integer :: status

    status = nc_var_par_access(ncid, varid - 1, access)
  end function nf90_var_par_access

  !> Sets those parts of a variable's chunk cache that are given and not negative;
  !> `preemption` counts percent.
  function set_cache(ncid, varid, size, nelems, preemption) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(in), optional :: size, nelems, preemption
    integer :: status
    integer(c_size_t) :: c_size, c_nelems
    real(c_float) :: c_preemption

    status = nf90_noerr
    if (.not. (present(size) .or. present(nelems) .or. present(preemption))) return
    status = nc_get_var_chunk_cache(ncid, varid - 1, c_size, c_nelems, c_preemption)
    if (status /= nf90_noerr) return
    if (present(size)) c_size = merge(int(size, c_size_t), c_size, size >= 0)
    if (present(nelems)) c_nelems = merge(int(nelems, c_size_t), c_nelems, nelems >= 0)
    if (present(preemption)) c_preemption = merge(preemption/100.0_c_float, c_preemption, preemption >= 0)
    status = nc_set_var_chunk_cache(ncid, varid - 1, c_size, c_nelems, c_preemption)
  end function set_cache

  function get_cache(ncid, varid, size, nelems, preemption) result(status)
    integer, intent(in) :: ncid, varid
    integer, intent(out), optional :: size, nelems, preemption
    integer :: status
    integer(c_size_t) :: c_size, c_nelems
    real(c_float) :: c_preemption

    status = nc_get_var_chunk_cache(ncid, varid - 1, c_size, c_nelems, c_preemption)
    if (status /= nf90_noerr) return
    if (present(size)) size = int(c_size)
    if (present(nelems)) nelems = int(c_nelems)
    if (present(preemption)) preemption = nint(c_preemption*100)
  end function get_cache
end module frazil_netcdf_storage
