!> Files as a whole: opened, defined, synced, closed, asked about.
module frazil_netcdf_files
  use, intrinsic :: iso_c_binding, only: c_char, c_float, c_int, c_size_t
  use frazil_netcdf_c
  use frazil_netcdf_parameters
  use frazil_text, only: c_text, copy_c_pointer, copy_c_text
  implicit none
  private
  public :: nf90_inq_libvers, nf90_strerror, frazil_last_message
  public :: nf90_create, nf90_create_par, nf90_open, nf90_open_par, nf90_delete
  public :: nf90_redef, nf90_enddef, nf90_sync, nf90_abort, nf90_close, nf90_set_fill
  public :: nf90_inquire, nf90_inq_format, nf90_inq_path

  !> Chunk cache of files opened from now on: kept aside while one file gets another.
  type :: chunk_cache
    integer(c_size_t) :: size, nelems
    real(c_float) :: preemption
    logical :: is_changed = .false.
  end type chunk_cache

contains

  function nf90_inq_libvers() result(version)
    character(len=80) :: version

    call copy_c_pointer(nc_inq_libvers(), version)
  end function nf90_inq_libvers

  function nf90_strerror(ncerr) result(text)
    integer, intent(in) :: ncerr
    character(len=80) :: text

    call copy_c_pointer(nc_strerror(ncerr), text)
  end function nf90_strerror

  !> Returns what is known about this thread's last failed call beyond the text of its status: often the cause
  !> and the cure.
  function frazil_last_message() result(text)
    character(len=512) :: text

    call copy_c_pointer(last_message(), text)
  end function frazil_last_message

  !> `initialsize` and `chunksize` are hints for files of the classic format.
  !> `cache_preemption` counts percent here and is a fraction in [`nf90_open`], as in netCDF.
  !>
  !> With `comm`, a communicator of MPI, all its ranks write the file together (netCDF-4 only), and
  !> nf90_enddef, nf90_sync and nf90_close are calls of all; the program is linked with frazil_mpi.
  !> The hints of `info` go unheeded.
  function nf90_create(path, cmode, ncid, initialsize, chunksize, cache_size, cache_nelems, &
                       cache_preemption, comm, info) result(status)
    character(len=*), intent(in) :: path
    integer, intent(in) :: cmode
    integer, intent(out) :: ncid
    integer, intent(in), optional :: initialsize
    integer, intent(inout), optional :: chunksize
    integer, intent(in), optional :: cache_size, cache_nelems, cache_preemption
    integer, intent(in), optional :: comm, info
    integer :: status
    type(chunk_cache) :: saved
    real, allocatable :: preemption
    integer(c_size_t) :: initial, chunk

    if (present(info) .and. .not. present(comm)) then
      status = nf90_einval
      return
    end if
    if (present(cache_preemption)) preemption = cache_preemption/100.0
    status = change_cache(saved, cache_size, cache_nelems, preemption)
    if (status /= nf90_noerr) return
    if (present(comm)) then
      status = nc_create_par(c_text(path), cmode, int(comm, c_int), ncid)
    else if (present(initialsize) .or. present(chunksize)) then
      initial = 0
      chunk = nf90_sizehint_default
      if (present(initialsize)) initial = initialsize
      if (present(chunksize)) chunk = chunksize
      status = nc__create(c_text(path), cmode, initial, chunk, ncid)
      if (present(chunksize)) chunksize = int(chunk)
    else
      status = nc_create(c_text(path), cmode, ncid)
    end if
    call restore_cache(saved, status)
  end function nf90_create

  !> `chunksize` is a hint for files of the classic format. With `comm` every rank reads for itself;
  !> with nf90_write all ranks go on writing the file (netCDF-4 only) together.
  function nf90_open(path, mode, ncid, chunksize, cache_size, cache_nelems, cache_preemption, &
                     comm, info) result(status)
    character(len=*), intent(in) :: path
    integer, intent(in) :: mode
    integer, intent(out) :: ncid
    integer, intent(inout), optional :: chunksize
    integer, intent(in), optional :: cache_size, cache_nelems
    real, intent(in), optional :: cache_preemption
    integer, intent(in), optional :: comm, info
    integer :: status
    type(chunk_cache) :: saved
    integer(c_size_t) :: chunk

    status = nf90_noerr
    if (present(info) .and. .not. present(comm)) status = nf90_einval
    if (status /= nf90_noerr) return
    status = change_cache(saved, cache_size, cache_nelems, cache_preemption)
    if (status /= nf90_noerr) return
    if (present(comm)) then
      status = nc_open_par(c_text(path), mode, int(comm, c_int), ncid)
    else if (present(chunksize)) then
      chunk = chunksize
      status = nc__open(c_text(path), mode, chunk, ncid)
      chunksize = int(chunk)
    else
      status = nc_open(c_text(path), mode, ncid)
    end if
    call restore_cache(saved, status)
  end function nf90_open

  !> As [`nf90_create`] with a communicator.
  function nf90_create_par(path, cmode, comm, info, ncid, cache_size, cache_nelems, &
                           cache_preemption) result(status)
    character(len=*), intent(in) :: path
    integer, intent(in) :: cmode, comm, info
    integer, intent(out) :: ncid
    integer, intent(in), optional :: cache_size, cache_nelems
    real, intent(in), optional :: cache_preemption
    integer :: status
    integer, allocatable :: percent

    if (present(cache_preemption)) percent = nint(100*cache_preemption)
    status = nf90_create(path, cmode, ncid, cache_size=cache_size, cache_nelems=cache_nelems, &
                         cache_preemption=percent, comm=comm, info=info)
  end function nf90_create_par

  !> As [`nf90_open`] with a communicator.
  function nf90_open_par(path, cmode, comm, info, ncid, cache_size, cache_nelems, &
                         cache_preemption) result(status)
    character(len=*), intent(in) :: path
    integer, intent(in) :: cmode, comm, info
    integer, intent(out) :: ncid
    integer, intent(in), optional :: cache_size, cache_nelems
    real, intent(in), optional :: cache_preemption
    integer :: status

    status = nf90_open(path, cmode, ncid, cache_size=cache_size, cache_nelems=cache_nelems, &
                       cache_preemption=cache_preemption, comm=comm, info=info)
  end function nf90_open_par

  !> Sets those parts of the chunk cache that are given; `saved` remembers it as it was.
  function change_cache(saved, size, nelems, preemption) result(status)
    type(chunk_cache), intent(out) :: saved
    integer, intent(in), optional :: size, nelems
    real, intent(in), optional :: preemption
    integer :: status
    type(chunk_cache) :: wanted

    status = nf90_noerr
    if (.not. (present(size) .or. present(nelems) .or. present(preemption))) return
    status = nc_get_chunk_cache(saved%size, saved%nelems, saved%preemption)
    if (status /= nf90_noerr) return
    wanted = saved
    if (present(size)) wanted%size = size
    if (present(nelems)) wanted%nelems = nelems
    if (present(preemption)) wanted%preemption = preemption
    status = nc_set_chunk_cache(wanted%size, wanted%nelems, wanted%preemption)
    saved%is_changed = status == nf90_noerr
  end function change_cache

  subroutine restore_cache(saved, status)
    type(chunk_cache), intent(in) :: saved
    integer, intent(inout) :: status
    integer :: restored

    if (.not. saved%is_changed) return
    restored = nc_set_chunk_cache(saved%size, saved%nelems, saved%preemption)
    if (status == nf90_noerr) status = restored
  end subroutine restore_cache

  function nf90_delete(name) result(status)
    character(len=*), intent(in) :: name
    integer :: status

    status = nc_delete(c_text(name))
  end function nf90_delete

  function nf90_redef(ncid) result(status)
    integer, intent(in) :: ncid
    integer :: status

    status = nc_redef(ncid)
  end function nf90_redef

  !> Room and alignment concern files of the classic format.
  function nf90_enddef(ncid, h_minfree, v_align, v_minfree, r_align) result(status)
    integer, intent(in) :: ncid
    integer, intent(in), optional :: h_minfree, v_align, v_minfree, r_align
    integer :: status
    integer(c_size_t) :: header_room, variable_alignment, variable_room, record_alignment

    if (.not. (present(h_minfree) .or. present(v_align) .or. present(v_minfree) .or. present(r_align))) then
      status = nc_enddef(ncid)
      return
    end if
    header_room = 0
    variable_alignment = 4
    variable_room = 0
    record_alignment = 4
    if (present(h_minfree)) header_room = h_minfree
    if (present(v_align)) variable_alignment = v_align
    if (present(v_minfree)) variable_room = v_minfree
    if (present(r_align)) record_alignment = r_align
    status = nc__enddef(ncid, header_room, variable_alignment, variable_room, record_alignment)
  end function nf90_enddef

  function nf90_sync(ncid) result(status)
    integer, intent(in) :: ncid
    integer :: status

    status = nc_sync(ncid)
  end function nf90_sync

  function nf90_abort(ncid) result(status)
    integer, intent(in) :: ncid
    integer :: status

    status = nc_abort(ncid)
  end function nf90_abort

  function nf90_close(ncid) result(status)
    integer, intent(in) :: ncid
    integer :: status

    status = nc_close(ncid)
  end function nf90_close

  function nf90_set_fill(ncid, fillmode, old_mode) result(status)
    integer, intent(in) :: ncid, fillmode
    integer, intent(out) :: old_mode
    integer :: status

    status = nc_set_fill(ncid, fillmode, old_mode)
  end function nf90_set_fill

  function nf90_inquire(ncid, nDimensions, nVariables, nAttributes, unlimitedDimId, formatNum) result(status)
    integer, intent(in) :: ncid
    integer, intent(out), optional :: nDimensions, nVariables, nAttributes, unlimitedDimId, formatNum
    integer :: status
    integer(c_int) :: ndims, nvars, natts, unlimited

    status = nc_inq(ncid, ndims, nvars, natts, unlimited)
    if (status /= nf90_noerr) return
    if (present(nDimensions)) nDimensions = ndims
    if (present(nVariables)) nVariables = nvars
    if (present(nAttributes)) nAttributes = natts
    if (present(unlimitedDimId)) unlimitedDimId = merge(-1, unlimited + 1, unlimited == -1)
    if (present(formatNum)) status = nc_inq_format(ncid, formatNum)
  end function nf90_inquire

  function nf90_inq_format(ncid, format_type) result(status)
    integer, intent(in) :: ncid
    integer, intent(out) :: format_type
    integer :: status

    status = nc_inq_format(ncid, format_type)
  end function nf90_inq_format

  function nf90_inq_path(ncid, pathlen, path) result(status)
    integer, intent(in) :: ncid
    integer, intent(inout) :: pathlen
    character(len=*), intent(inout) :: path
    integer :: status
    ! As long as a path can be on the systems that frazil runs on.
    integer, parameter :: MAX_PATH = 4096
    character(kind=c_char, len=MAX_PATH + 1) :: buffer
    integer(c_size_t) :: length

    path = ''
    status = nc_inq_path(ncid, length, buffer)
    if (status /= nf90_noerr) return
    pathlen = min(int(length), len(path))
    call copy_c_text(buffer, path)
  end function nf90_inq_path
end module frazil_netcdf_files
