!> Writes netCDF-4 files from running programs: values are copied, packed by background threads, and
!> put into a file that is always at its last commit.
!>
!>     use frazil
!>     type(frazil_writer) :: writer
!>     integer :: status, time, temperature
!>     status = frazil_create('out.nc', writer)
!>     status = frazil_add_unlimited_dimension(writer, 'time', time)
!>     status = frazil_add_variable(writer, 'temperature', frazil_real32, [time], temperature)
!>     status = frazil_put(writer, temperature, values, start=[1])
!>     status = frazil_close(writer)
!>
!> Every function returns 0 or a status that `frazil_message` explains. Positions count from 1, the
!> fastest axis first. The numbers of groups, dimensions and variables are those that frazil hands
!> out.
module frazil
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_loc, c_null_ptr, c_ptr, c_size_t, &
                                         c_sizeof
  use frazil_axes, only: other_order
  use frazil_text, only: c_text, copy_c_pointer
  use frazil_writer_c
  use frazil_writer_values
  implicit none
  private

  public :: frazil_writer, frazil_report
  public :: frazil_create, frazil_append, frazil_sync, frazil_get_report, frazil_close, frazil_abandon
  public :: frazil_recover, frazil_message, frazil_version
  public :: frazil_add_group, frazil_add_dimension, frazil_add_unlimited_dimension, frazil_add_variable
  public :: frazil_find_group, frazil_find_dimension, frazil_find_variable
  public :: frazil_dimension_length, frazil_inquire_variable
  public :: frazil_put, frazil_read, frazil_put_attribute, frazil_put_group_attribute
  public :: frazil_set_fill_value, frazil_set_no_fill, frazil_set_chunk_shape, frazil_set_contiguous
  public :: frazil_set_uncompressed, frazil_set_deflate, frazil_set_zstd, frazil_set_checksum
  public :: frazil_set_significant_digits, frazil_set_significant_bits
  public :: frazil_set_absolute_tolerance, frazil_set_relative_tolerance

  !> The root group.
  integer, parameter, public :: frazil_root = 0

  !> Types of variables.
  integer, parameter, public :: frazil_int8 = 1, frazil_character = 2, frazil_int16 = 3, frazil_int32 = 4, &
                                frazil_real32 = 5, frazil_real64 = 6, frazil_int64 = 10

  !> Done; and what this module refuses before frazil sees it.
  integer, parameter, public :: frazil_ok = 0, frazil_no_such_type = -1, frazil_array_too_short = -2, &
                                frazil_too_many_axes = -3

  !> What `frazil_recover` found and did: nothing to do; a commit not yet begun was discarded; one
  !> was finished; one was taken back.
  integer, parameter, public :: frazil_clean = 0, frazil_discarded = 1, frazil_completed = 2, &
                                frazil_taken_back = 3

  !> What a writer did; as frz_report in frazil.h, with the size that C asks for in front.
  type, bind(C) :: frazil_report
    integer(c_size_t) :: size_bytes = 0
    !> Seconds that calls waited: for memory, for commits, for the end.
    real(c_double) :: stalled_seconds = 0
    !> Seconds of packing and placing behind the caller's back, less the seconds stalled.
    real(c_double) :: hidden_seconds = 0
    !> Bytes that were put, and bytes that they take in the file.
    integer(c_int64_t) :: raw_bytes = 0, stored_bytes = 0
    !> Raw bytes by stored bytes.
    real(c_double) :: ratio = 1
    !> Bytes that went to the scratch file because memory was short.
    integer(c_int64_t) :: spilled_bytes = 0
    !> Chunks placed; of those, such as were equal to one before; chunks of fill values not stored.
    integer(c_int64_t) :: chunks = 0, chunks_reused = 0, chunks_omitted = 0
  end type frazil_report

  !> Adds a dimension of this length to a group (default: the root group). `length` is a default
  !> integer or one of eight bytes.
  interface frazil_add_dimension
    module procedure add_dimension, add_long_dimension
  end interface frazil_add_dimension

contains

  !> Begins a new file, as [`frz_create`] does. Absent options are frazil's.
  function frazil_create(path, writer, threads, memory_bytes, durable, synchronous, overwrite, classic_model) &
    result(status)
    character(len=*), intent(in) :: path
    type(frazil_writer), intent(out) :: writer
    integer, intent(in), optional :: threads
    integer(c_int64_t), intent(in), optional :: memory_bytes
    logical, intent(in), optional :: durable, synchronous, overwrite, classic_model
    integer :: status
    type(c_ptr) :: options

    options = frz_options_new()
    status = set_options(options, threads, memory_bytes, durable, synchronous)
    if (status == frazil_ok .and. present(overwrite)) &
      status = frz_options_set_overwrite(options, c_logical(overwrite))
    if (status == frazil_ok .and. present(classic_model)) &
      status = frz_options_set_classic_model(options, c_logical(classic_model))
    if (status == frazil_ok) status = frz_create(c_text(path), options, writer%handle)
    call frz_options_free(options)
  end function frazil_create

  !> Goes on writing an existing file, which is brought in order first if its writer was killed.
  function frazil_append(path, writer, threads, memory_bytes, durable, synchronous) result(status)
    character(len=*), intent(in) :: path
    type(frazil_writer), intent(out) :: writer
    integer, intent(in), optional :: threads
    integer(c_int64_t), intent(in), optional :: memory_bytes
    logical, intent(in), optional :: durable, synchronous
    integer :: status
    type(c_ptr) :: options

    options = frz_options_new()
    status = set_options(options, threads, memory_bytes, durable, synchronous)
    if (status == frazil_ok) status = frz_append(c_text(path), options, writer%handle)
    call frz_options_free(options)
  end function frazil_append

  function set_options(options, threads, memory_bytes, durable, synchronous) result(status)
    type(c_ptr), intent(in) :: options
    integer, intent(in), optional :: threads
    integer(c_int64_t), intent(in), optional :: memory_bytes
    logical, intent(in), optional :: durable, synchronous
    integer :: status

    status = frazil_ok
    if (present(threads)) status = frz_options_set_threads(options, threads)
    if (status == frazil_ok .and. present(memory_bytes)) &
      status = frz_options_set_memory_bytes(options, memory_bytes)
    if (status == frazil_ok .and. present(durable)) &
      status = frz_options_set_durable(options, c_logical(durable))
    if (status == frazil_ok .and. present(synchronous)) &
      status = frz_options_set_synchronous(options, c_logical(synchronous))
  end function set_options

  pure integer(c_int) function c_logical(wanted)
    logical, intent(in) :: wanted

    c_logical = merge(1, 0, wanted)
  end function c_logical

  !> Makes everything put so far what readers see and what survives the end of the process.
  function frazil_sync(writer) result(status)
    type(frazil_writer), intent(in) :: writer
    integer :: status

    status = frz_sync(writer%handle)
  end function frazil_sync

  !> What was done so far.
  function frazil_get_report(writer, report) result(status)
    type(frazil_writer), intent(in) :: writer
    type(frazil_report), intent(out), target :: report
    integer :: status

    report%size_bytes = c_sizeof(report)
    status = frz_writer_report(writer%handle, c_loc(report))
  end function frazil_get_report

  !> Commits everything and closes the file. The writer is gone, also after an error.
  function frazil_close(writer, report) result(status)
    type(frazil_writer), intent(inout) :: writer
    type(frazil_report), intent(out), target, optional :: report
    integer :: status

    if (present(report)) then
      report%size_bytes = c_sizeof(report)
      status = frz_close(writer%handle, c_loc(report))
    else
      status = frz_close(writer%handle, c_null_ptr)
    end if
    writer%handle = c_null_ptr
  end function frazil_close

  !> Gives up: the file goes back to its last commit; a new one without any is removed.
  function frazil_abandon(writer) result(status)
    type(frazil_writer), intent(inout) :: writer
    integer :: status

    status = frz_abandon(writer%handle)
    writer%handle = c_null_ptr
  end function frazil_abandon

  !> Brings a file back to its last commit after its writer was killed.
  function frazil_recover(path, outcome) result(status)
    character(len=*), intent(in) :: path
    integer, intent(out), optional :: outcome
    integer :: status
    integer(c_int) :: found

    status = frz_recover(c_text(path), found)
    if (status == frazil_ok .and. present(outcome)) outcome = found
  end function frazil_recover

  !> What went wrong in this thread's last call that failed and gave `status`: file, variable, cause,
  !> and what to do about it.
  function frazil_message(status) result(text)
    integer, intent(in) :: status
    character(len=512) :: text

    select case (status)
    case (frazil_ok)
      text = 'done'
    case (frazil_no_such_type)
      text = 'netCDF has no type for these values, or they are not of the type that is asked for'
    case (frazil_array_too_short)
      text = '`values` has fewer elements than `count` asks for'
    case (frazil_too_many_axes)
      text = 'the variable has more than 1024 dimensions'
    case default
      call copy_c_pointer(frz_last_message(), text)
      if (text == '') call copy_c_pointer(frz_strerror(status), text)
    end select
  end function frazil_message

  !> The version of the library, `0.1.0`.
  function frazil_version() result(text)
    character(len=80) :: text

    call copy_c_pointer(frz_version(), text)
  end function frazil_version

  !> Adds a group to the group `parent` (default: the root group).
  function frazil_add_group(writer, name, group, parent) result(status)
    type(frazil_writer), intent(in) :: writer
    character(len=*), intent(in) :: name
    integer, intent(out) :: group
    integer, intent(in), optional :: parent
    integer :: status

    status = frz_add_group(writer%handle, or_root(parent), c_text(name), group)
  end function frazil_add_group

  pure integer(c_int) function or_root(group)
    integer, intent(in), optional :: group

    or_root = frazil_root
    if (present(group)) or_root = group
  end function or_root

  function add_dimension(writer, name, length, dimension, group) result(status)
    type(frazil_writer), intent(in) :: writer
    character(len=*), intent(in) :: name
    integer, intent(in) :: length
    integer, intent(out) :: dimension
    integer, intent(in), optional :: group
    integer :: status

    status = add_long_dimension(writer, name, int(length, c_int64_t), dimension, group)
  end function add_dimension

  function add_long_dimension(writer, name, length, dimension, group) result(status)
    type(frazil_writer), intent(in) :: writer
    character(len=*), intent(in) :: name
    integer(c_int64_t), intent(in) :: length
    integer, intent(out) :: dimension
    integer, intent(in), optional :: group
    integer :: status

    status = frz_add_dimension(writer%handle, or_root(group), c_text(name), length, dimension)
  end function add_long_dimension

  !> Adds a dimension that grows as it is written. The expected length, if known, serves to choose
  !> chunk shapes and binds nobody.
  function frazil_add_unlimited_dimension(writer, name, dimension, expected_length, group) result(status)
    type(frazil_writer), intent(in) :: writer
    character(len=*), intent(in) :: name
    integer, intent(out) :: dimension
    integer, intent(in), optional :: expected_length
    integer, intent(in), optional :: group
    integer :: status
    integer(c_int64_t) :: expected

    expected = 0
    if (present(expected_length)) expected = expected_length
    status = frz_add_unlimited_dimension(writer%handle, or_root(group), c_text(name), expected, dimension)
  end function frazil_add_unlimited_dimension

  !> Adds a variable over `dimensions`, the fastest first; none: a scalar.
  function frazil_add_variable(writer, name, type, dimensions, variable, group) result(status)
    type(frazil_writer), intent(in) :: writer
    character(len=*), intent(in) :: name
    integer, intent(in) :: type
    integer, intent(in) :: dimensions(:)
    integer, intent(out) :: variable
    integer, intent(in), optional :: group
    integer :: status

    status = frz_add_variable(writer%handle, or_root(group), c_text(name), type, size(dimensions), &
                              other_order(dimensions), variable)
  end function frazil_add_variable

  !> Finds a group in the group `parent` (default: the root group) by its name.
  function frazil_find_group(writer, name, group, parent) result(status)
    type(frazil_writer), intent(in) :: writer
    character(len=*), intent(in) :: name
    integer, intent(out) :: group
    integer, intent(in), optional :: parent
    integer :: status

    status = frz_find_group(writer%handle, or_root(parent), c_text(name), group)
  end function frazil_find_group

  !> Finds a dimension of a group (default: the root group) or of the groups above it by its name; the
  !> nearest counts.
  function frazil_find_dimension(writer, name, dimension, group) result(status)
    type(frazil_writer), intent(in) :: writer
    character(len=*), intent(in) :: name
    integer, intent(out) :: dimension
    integer, intent(in), optional :: group
    integer :: status

    status = frz_find_dimension(writer%handle, or_root(group), c_text(name), dimension)
  end function frazil_find_dimension

  !> Finds a variable of a group (default: the root group) by its name.
  function frazil_find_variable(writer, name, variable, group) result(status)
    type(frazil_writer), intent(in) :: writer
    character(len=*), intent(in) :: name
    integer, intent(out) :: variable
    integer, intent(in), optional :: group
    integer :: status

    status = frz_find_variable(writer%handle, or_root(group), c_text(name), variable)
  end function frazil_find_variable

  !> Length of a dimension; of an unlimited one as of the last put.
  function frazil_dimension_length(writer, dimension, length) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: dimension
    integer(c_int64_t), intent(out) :: length
    integer :: status

    status = frz_dimension_length(writer%handle, dimension, length)
  end function frazil_dimension_length

  !> Type of a variable, and its shape as of the last put, the fastest axis first.
  function frazil_inquire_variable(writer, variable, type, shape) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    integer, intent(out), optional :: type
    integer(c_int64_t), intent(out), allocatable, optional :: shape(:)
    integer :: status
    integer(c_int) :: c_type, rank
    integer(c_int64_t), allocatable :: c_shape(:)

    status = frz_inquire_variable(writer%handle, variable, c_type, rank)
    if (status /= frazil_ok) return
    allocate (c_shape(rank))
    status = frz_inquire_variable(writer%handle, variable, c_type, rank, c_shape)
    if (status /= frazil_ok) return
    if (present(type)) type = c_type
    if (present(shape)) allocate (shape, source=other_order(c_shape))
  end function frazil_inquire_variable

  !> Elements that were never written hold anything.
  function frazil_set_no_fill(writer, variable) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    integer :: status

    status = frz_set_no_fill(writer%handle, variable)
  end function frazil_set_no_fill

  !> Chunks of this shape, one element for each dimension of the variable, the fastest first.
  function frazil_set_chunk_shape(writer, variable, shape) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    integer, intent(in) :: shape(:)
    integer :: status
    integer(c_int) :: type, rank

    status = frz_inquire_variable(writer%handle, variable, type, rank)
    if (status == frazil_ok .and. size(shape) < rank) status = frazil_array_too_short
    if (status /= frazil_ok) return
    status = frz_set_chunk_shape(writer%handle, variable, int(other_order(shape(:rank)), c_int64_t))
  end function frazil_set_chunk_shape

  !> One run of bytes, no filters.
  function frazil_set_contiguous(writer, variable) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    integer :: status

    status = frz_set_contiguous(writer%handle, variable)
  end function frazil_set_contiguous

  !> No compression, no shuffle.
  function frazil_set_uncompressed(writer, variable) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    integer :: status

    status = frz_set_uncompressed(writer%handle, variable)
  end function frazil_set_uncompressed

  !> Deflate with this level, 1 to 9, after a byte shuffle if asked for.
  function frazil_set_deflate(writer, variable, level, shuffle) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable, level
    logical, intent(in) :: shuffle
    integer :: status

    status = frz_set_deflate(writer%handle, variable, level, c_logical(shuffle))
  end function frazil_set_deflate

  !> Zstandard with this level, after a byte shuffle if asked for. Readers need its plugin.
  function frazil_set_zstd(writer, variable, level, shuffle) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable, level
    logical, intent(in) :: shuffle
    integer :: status

    status = frz_set_zstd(writer%handle, variable, level, c_logical(shuffle))
  end function frazil_set_zstd

  !> A Fletcher-32 checksum with each chunk.
  function frazil_set_checksum(writer, variable) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    integer :: status

    status = frz_set_checksum(writer%handle, variable)
  end function frazil_set_checksum

  !> Rounds values so that this many decimal digits stay significant.
  function frazil_set_significant_digits(writer, variable, digits) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable, digits
    integer :: status

    status = frz_set_significant_digits(writer%handle, variable, digits)
  end function frazil_set_significant_digits

  !> Rounds values to this many bits of the mantissa.
  function frazil_set_significant_bits(writer, variable, bits) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable, bits
    integer :: status

    status = frz_set_significant_bits(writer%handle, variable, bits)
  end function frazil_set_significant_bits

  !> No value errs by more than this, in the variable's units.
  function frazil_set_absolute_tolerance(writer, variable, tolerance) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    real(c_double), intent(in) :: tolerance
    integer :: status

    status = frz_set_absolute_tolerance(writer%handle, variable, tolerance)
  end function frazil_set_absolute_tolerance

  !> No value errs by more than this share of it, in percent.
  function frazil_set_relative_tolerance(writer, variable, percent) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    real(c_double), intent(in) :: percent
    integer :: status

    status = frz_set_relative_tolerance(writer%handle, variable, percent)
  end function frazil_set_relative_tolerance
end module frazil
