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
  use frazil_text, only: c_text, copy_c_pointer, take_c_pointer
  use frazil_writer_c
  use frazil_writer_options
  use frazil_writer_settings
  use frazil_writer_values
  implicit none
  private

  public :: frazil_writer, frazil_report
  public :: frazil_create, frazil_append, frazil_end_definitions, frazil_sync, frazil_get_report, frazil_close, frazil_abandon
  public :: frazil_is_io_rank
  public :: frazil_recover, frazil_message, frazil_version
  public :: frazil_add_group, frazil_add_dimension, frazil_add_unlimited_dimension, frazil_add_variable
  public :: frazil_find_group, frazil_find_dimension, frazil_find_variable
  public :: frazil_dimension_length, frazil_inquire_variable
  public :: frazil_inquire_storage, frazil_get_plan
  public :: frazil_put, frazil_read, frazil_put_attribute, frazil_put_group_attribute
  public :: frazil_delete_attribute, frazil_delete_group_attribute
  public :: frazil_rename_attribute, frazil_rename_group_attribute
  public :: frazil_set_fill_value, frazil_set_no_fill, frazil_set_chunk_shape, frazil_set_contiguous
  public :: frazil_set_big_endian, frazil_state_block
  public :: frazil_set_uncompressed, frazil_set_deflate, frazil_set_zstd, frazil_set_checksum
  public :: frazil_set_significant_digits, frazil_set_significant_bits
  public :: frazil_set_absolute_tolerance, frazil_set_relative_tolerance, frazil_set_quantize
  public :: frazil_ok, frazil_no_such_type, frazil_array_too_short, frazil_too_many_axes, frazil_too_few_numbers
  public :: frazil_goal_balanced, frazil_goal_size, frazil_goal_speed, frazil_goal_archive, frazil_goal_energy
  public :: frazil_storage_any, frazil_storage_local, frazil_storage_disk
  public :: frazil_storage_parallel_fs, frazil_storage_object_store
  public :: frazil_cores_spare, frazil_cores_any
  public :: frazil_bitgroom, frazil_granular_bitround, frazil_bitround

  !> The root group.
  integer, parameter, public :: frazil_root = 0

  !> Types of variables.
  integer, parameter, public :: frazil_int8 = 1, frazil_character = 2, frazil_int16 = 3, frazil_int32 = 4, &
                                frazil_real32 = 5, frazil_real64 = 6, frazil_int64 = 10

  !> Who must be able to read a file: every reader; readers with the registered filter plugins; frazil and
  !> readers with its own plugins.
  integer, parameter, public :: frazil_readers_any = 0, frazil_readers_plugins = 1, frazil_readers_frazil = 2

  !> Outcomes of `frazil_recover`: nothing to do; an undecided commit was discarded; a commit was completed; a
  !> commit was taken back.
  integer, parameter, public :: frazil_clean = 0, frazil_discarded = 1, frazil_completed = 2, &
                                frazil_taken_back = 3

  !> Report of a writer: frz_report of frazil.h. The size that C needs comes first.
  type, bind(C) :: frazil_report
    integer(c_size_t) :: size_bytes = 0
    !> Seconds that calls waited: for memory, for commits, for the end.
    real(c_double) :: stalled_seconds = 0
    !> Seconds of packing and placing in the background, minus the seconds stalled.
    real(c_double) :: hidden_seconds = 0
    !> Bytes that were put, and bytes that they take in the file.
    integer(c_int64_t) :: raw_bytes = 0, stored_bytes = 0
    !> Raw bytes divided by stored bytes.
    real(c_double) :: ratio = 1
    !> Bytes that went to the scratch file because memory was short.
    integer(c_int64_t) :: spilled_bytes = 0
    !> Chunks placed; chunks among these that are equal to an earlier one; chunks of fill values that are not
    !> stored.
    integer(c_int64_t) :: chunks = 0, chunks_reused = 0, chunks_omitted = 0
    !> Bytes of all chunks that were written: more than stored_bytes where chunks were written again.
    integer(c_int64_t) :: written_bytes = 0
    !> Commits, the last one included.
    integer(c_int64_t) :: commits = 0
    !> Variables that shared rules would have rounded, had a model not started from this file again.
    integer(c_int64_t) :: kept_exact = 0
  end type frazil_report

  !> Adds a dimension of this length to a group (default: the root group). `length` is a default
  !> integer or one of eight bytes.
  interface frazil_add_dimension
    module procedure add_dimension, add_long_dimension
  end interface frazil_add_dimension

contains

  !> Creates a file, as [`frz_create`] does. frazil chooses options that you leave out.
  !>
  !> `readable_by` is frazil_readers_any, frazil_readers_plugins or frazil_readers_frazil. The writer commits by
  !> itself after `commit_bytes` (0: never). `records_per_sync` is the number of records that the program writes
  !> between two syncs. `plan_file` has the plan of an earlier run, which this run uses; `keep_plan` keeps this
  !> run's plan in the file. `precision_file` states options for all variables and by variable: precision,
  !> filters, chunk shapes ([`frz_options_read_precision`]). Other arguments override its options for all
  !> variables.
  !>
  !> `goal`, one of frazil_goal_..., is what to optimize the choice of filters for. `filters`, such as
  !> 'shuffle+zstd(3)', apply to all variables that state none. frazil chooses chunk shapes for the `reads`,
  !> such as 'map,series=2', and the `storage`, one of frazil_storage_... ([`frz_options_set_reads`]). Packing
  !> threads run on `cores`, one of frazil_cores_..., or on `core_list`, numbers as the system counts them from
  !> 0.
  !>
  !> `options` states any option of [docs/options.md](options.md) as text, 'goal=size,threads=4'; other arguments
  !> override it.
  !>
  !> With `comm`, a communicator of MPI (of the module mpi_f08: `comm%mpi_val`), all its ranks write the file
  !> together. All of them make this call, and frazil_end_definitions, frazil_sync and frazil_close. A rank
  !> waits at most `longest_wait` seconds for a silent one. With `reproducible=.false.` the file's bytes may
  !> depend on the ranks: chunks follow their blocks ([`frazil_state_block`]), and packed chunks are written
  !> before the next sync. The last `io_ranks` ranks pack and write for the others ([`frazil_is_io_rank`]). Link
  !> the program with frazil_mpi (docs/mpi.md).
  function frazil_create(path, writer, threads, memory_bytes, durable, synchronous, overwrite, classic_model, &
                         readable_by, commit_bytes, records_per_sync, plan_file, keep_plan, comm, &
                         longest_wait, reproducible, io_ranks, precision_file, goal, filters, reads, storage, &
                         cores, core_list, options) result(status)
    character(len=*), intent(in) :: path
    type(frazil_writer), intent(out) :: writer
    integer, intent(in), optional :: threads
    integer(c_int64_t), intent(in), optional :: memory_bytes
    logical, intent(in), optional :: durable, synchronous, overwrite, classic_model
    integer, intent(in), optional :: readable_by
    integer(c_int64_t), intent(in), optional :: commit_bytes
    integer, intent(in), optional :: records_per_sync
    character(len=*), intent(in), optional :: plan_file
    logical, intent(in), optional :: keep_plan
    integer, intent(in), optional :: comm
    real(c_double), intent(in), optional :: longest_wait
    logical, intent(in), optional :: reproducible
    integer, intent(in), optional :: io_ranks
    character(len=*), intent(in), optional :: precision_file
    integer, intent(in), optional :: goal
    character(len=*), intent(in), optional :: filters, reads
    integer, intent(in), optional :: storage, cores, core_list(:)
    character(len=*), intent(in), optional :: options
    integer :: status
    type(c_ptr) :: chosen

    chosen = frz_options_new()
    status = set_options(chosen, options, precision_file, threads, memory_bytes, durable, synchronous)
    if (status == frazil_ok) &
      status = set_choices(chosen, readable_by, commit_bytes, records_per_sync, plan_file, keep_plan)
    if (status == frazil_ok) status = set_requests(chosen, goal, filters, reads, storage)
    if (status == frazil_ok) status = set_cores(chosen, cores, core_list)
    if (status == frazil_ok .and. present(overwrite)) &
      status = frz_options_set_overwrite(chosen, c_logical(overwrite))
    if (status == frazil_ok .and. present(classic_model)) &
      status = frz_options_set_classic_model(chosen, c_logical(classic_model))
    if (status == frazil_ok .and. present(longest_wait)) &
      status = frz_options_set_longest_wait(chosen, longest_wait)
    if (status == frazil_ok .and. present(reproducible)) &
      status = frz_options_set_reproducible(chosen, c_logical(reproducible))
    if (status == frazil_ok .and. present(io_ranks)) &
      status = frz_options_set_io_ranks(chosen, int(io_ranks, c_int))
    if (status == frazil_ok) then
      if (present(comm)) then
        status = frz_create_parallel_fortran(c_text(path), int(comm, c_int), chosen, writer%handle)
      else
        status = frz_create(c_text(path), chosen, writer%handle)
      end if
    end if
    call frz_options_free(chosen)
  end function frazil_create

  !> Continues an existing file. If its writer was killed, this first recovers it. With `comm` all its ranks
  !> write together, as with [`frazil_create`].
  function frazil_append(path, writer, threads, memory_bytes, durable, synchronous, readable_by, commit_bytes, &
                         records_per_sync, plan_file, keep_plan, comm, longest_wait, io_ranks, &
                         precision_file, goal, filters, reads, storage, cores, core_list, options) result(status)
    character(len=*), intent(in) :: path
    type(frazil_writer), intent(out) :: writer
    integer, intent(in), optional :: threads
    integer(c_int64_t), intent(in), optional :: memory_bytes
    logical, intent(in), optional :: durable, synchronous
    integer, intent(in), optional :: readable_by
    integer(c_int64_t), intent(in), optional :: commit_bytes
    integer, intent(in), optional :: records_per_sync
    character(len=*), intent(in), optional :: plan_file
    logical, intent(in), optional :: keep_plan
    integer, intent(in), optional :: comm
    real(c_double), intent(in), optional :: longest_wait
    integer, intent(in), optional :: io_ranks
    character(len=*), intent(in), optional :: precision_file
    integer, intent(in), optional :: goal
    character(len=*), intent(in), optional :: filters, reads
    integer, intent(in), optional :: storage, cores, core_list(:)
    character(len=*), intent(in), optional :: options
    integer :: status
    type(c_ptr) :: chosen

    chosen = frz_options_new()
    status = set_options(chosen, options, precision_file, threads, memory_bytes, durable, synchronous)
    if (status == frazil_ok) &
      status = set_choices(chosen, readable_by, commit_bytes, records_per_sync, plan_file, keep_plan)
    if (status == frazil_ok) status = set_requests(chosen, goal, filters, reads, storage)
    if (status == frazil_ok) status = set_cores(chosen, cores, core_list)
    if (status == frazil_ok .and. present(longest_wait)) &
      status = frz_options_set_longest_wait(chosen, longest_wait)
    if (status == frazil_ok .and. present(io_ranks)) &
      status = frz_options_set_io_ranks(chosen, int(io_ranks, c_int))
    if (status == frazil_ok) then
      if (present(comm)) then
        status = frz_append_parallel_fortran(c_text(path), int(comm, c_int), chosen, writer%handle)
      else
        status = frz_append(c_text(path), chosen, writer%handle)
      end if
    end if
    call frz_options_free(chosen)
  end function frazil_append

  !> Compares the definitions of all ranks that write a file together. For a writer of one process it does
  !> nothing.
  function frazil_end_definitions(writer) result(status)
    type(frazil_writer), intent(in) :: writer
    integer :: status

    status = frz_end_definitions(writer%handle)
  end function frazil_end_definitions

  !> Whether this process packs and writes for others (`io_ranks` of [`frazil_create`]). Such a process makes
  !> the same definitions as all, and calls frazil_close, which returns when the others have closed.
  function frazil_is_io_rank(writer, is_io_rank) result(status)
    type(frazil_writer), intent(in) :: writer
    logical, intent(out) :: is_io_rank
    integer :: status
    integer(c_int) :: answer

    answer = 0
    status = frz_is_io_rank(writer%handle, answer)
    is_io_rank = answer /= 0
  end function frazil_is_io_rank

  !> Commits: readers see everything put so far, and it survives the end of the process.
  function frazil_sync(writer) result(status)
    type(frazil_writer), intent(in) :: writer
    integer :: status

    status = frz_sync(writer%handle)
  end function frazil_sync

  !> Reports what the writer has done so far.
  function frazil_get_report(writer, report) result(status)
    type(frazil_writer), intent(in) :: writer
    type(frazil_report), intent(out), target :: report
    integer :: status

    report%size_bytes = c_sizeof(report)
    status = frz_writer_report(writer%handle, c_loc(report))
  end function frazil_get_report

  !> Commits everything and closes the file. You cannot use the writer afterwards, also not after an error.
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

  !> Closes without a commit: the file stays at its last commit; a new file without a commit is removed.
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

  !> Returns the error of this thread's last failed call, which returned `status`: file, variable, cause and
  !> cure.
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
    case (frazil_too_few_numbers)
      text = 'fewer numbers than the variable has dimensions: each needs one'
    case (frazil_too_many_axes)
      text = 'the variable has more than 1024 dimensions'
    case default
      call copy_c_pointer(frz_last_message(), text)
      if (text == '') call copy_c_pointer(frz_strerror(status), text)
    end select
  end function frazil_message

  !> The version of the library, `1.0.0`; of one before a release, `1.0.0-rc.1`.
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

  !> Finds a dimension of a group (default: the root group), or of the nearest group above it, by its name.
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

  !> Returns the length of a dimension. An unlimited one has the length as of the last put.
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

  !> Returns how a variable is stored in the file, or how it would be stored if its first values came now.
  !> `chunk` is its chunk shape, the fastest axis first, with no elements if the values are one run of bytes;
  !> `filters` is a text like `shuffle+deflate(4)`, `none`, or blank before the trial on the first values.
  function frazil_inquire_storage(writer, variable, chunk, filters) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    integer(c_int64_t), intent(out), allocatable, optional :: chunk(:)
    character(len=:), intent(out), allocatable, optional :: filters
    integer :: status
    integer(c_int) :: type, rank, is_chunked
    integer(c_int64_t), allocatable :: c_shape(:)
    type(c_ptr) :: c_filters

    status = frz_inquire_variable(writer%handle, variable, type, rank)
    if (status /= frazil_ok) return
    allocate (c_shape(rank))
    status = frz_inquire_storage(writer%handle, variable, is_chunked, c_shape, c_filters)
    if (status /= frazil_ok) return
    if (is_chunked == 0) c_shape = c_shape(:0)
    if (present(chunk)) allocate (chunk, source=other_order(c_shape))
    if (present(filters)) call take_c_pointer(c_filters, filters)
    call frz_free_strings(1_c_size_t, c_filters)
  end function frazil_inquire_storage

  !> Returns the plan so far, as JSON. Write it to a file to use it as `plan_file` of frazil_create.
  function frazil_get_plan(writer, plan) result(status)
    type(frazil_writer), intent(in) :: writer
    character(len=:), intent(out), allocatable :: plan
    integer :: status
    type(c_ptr) :: c_plan

    status = frz_plan(writer%handle, c_plan)
    if (status /= frazil_ok) return
    call take_c_pointer(c_plan, plan)
    call frz_free_strings(1_c_size_t, c_plan)
  end function frazil_get_plan

  !> Deletes an attribute of a variable.
  function frazil_delete_attribute(writer, variable, name) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    character(len=*), intent(in) :: name
    integer :: status

    status = frz_delete_attribute(writer%handle, variable, c_text(name))
  end function frazil_delete_attribute

  !> Renames an attribute of a variable.
  function frazil_rename_attribute(writer, variable, name, new_name) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    character(len=*), intent(in) :: name, new_name
    integer :: status

    status = frz_rename_attribute(writer%handle, variable, c_text(name), c_text(new_name))
  end function frazil_rename_attribute

  !> Deletes an attribute of a group; of frazil_root: a global one.
  function frazil_delete_group_attribute(writer, group, name) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: group
    character(len=*), intent(in) :: name
    integer :: status

    status = frz_delete_group_attribute(writer%handle, group, c_text(name))
  end function frazil_delete_group_attribute

  !> Renames an attribute of a group.
  function frazil_rename_group_attribute(writer, group, name, new_name) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: group
    character(len=*), intent(in) :: name, new_name
    integer :: status

    status = frz_rename_group_attribute(writer%handle, group, c_text(name), c_text(new_name))
  end function frazil_rename_group_attribute
end module frazil
