!> How a writer works and what it decides by, as a program states it when it creates or opens a file.
module frazil_writer_options
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_ptr
  use frazil_text, only: c_text
  use frazil_writer_c
  use frazil_writer_settings, only: c_logical, frazil_ok
  implicit none
  private

  public :: set_options, set_choices, set_requests, set_cores

  !> What to optimize the choice of filters for: small files at little cost; small files; fast writing; the
  !> smallest files at any cost; the fewest joules.
  integer, parameter, public :: frazil_goal_balanced = 0, frazil_goal_size = 1, frazil_goal_speed = 2, &
                                frazil_goal_archive = 3, frazil_goal_energy = 4

  !> Storage that a file will be read from: not stated; the machine's own solid-state disk; a rotating disk; a
  !> parallel file system; an object store.
  integer, parameter, public :: frazil_storage_any = 0, frazil_storage_local = 1, frazil_storage_disk = 2, &
                                frazil_storage_parallel_fs = 3, frazil_storage_object_store = 4

  !> Cores of packing threads: those to which the program has not bound its own threads; any.
  integer, parameter, public :: frazil_cores_spare = 0, frazil_cores_any = 1

contains

  !> How the writer works.
  function set_options(options, list, precision_file, threads, memory_bytes, durable, synchronous) result(status)
    type(c_ptr), intent(in) :: options
    character(len=*), intent(in), optional :: list, precision_file
    integer, intent(in), optional :: threads
    integer(c_int64_t), intent(in), optional :: memory_bytes
    logical, intent(in), optional :: durable, synchronous
    integer :: status

    status = frazil_ok
    ! First: other options override the defaults of a file.
    if (present(precision_file)) status = frz_options_read_precision(options, c_text(precision_file))
    if (status == frazil_ok .and. present(list)) status = frz_options_set_list(options, c_text(list))
    if (status == frazil_ok .and. present(threads)) status = frz_options_set_threads(options, threads)
    if (status == frazil_ok .and. present(memory_bytes)) &
      status = frz_options_set_memory_bytes(options, memory_bytes)
    if (status == frazil_ok .and. present(durable)) &
      status = frz_options_set_durable(options, c_logical(durable))
    if (status == frazil_ok .and. present(synchronous)) &
      status = frz_options_set_synchronous(options, c_logical(synchronous))
  end function set_options

  !> What the writer decides by.
  function set_choices(options, readable_by, commit_bytes, records_per_sync, plan_file, keep_plan) result(status)
    type(c_ptr), intent(in) :: options
    integer, intent(in), optional :: readable_by
    integer(c_int64_t), intent(in), optional :: commit_bytes
    integer, intent(in), optional :: records_per_sync
    character(len=*), intent(in), optional :: plan_file
    logical, intent(in), optional :: keep_plan
    integer :: status

    status = frazil_ok
    if (present(readable_by)) status = frz_options_set_readable_by(options, readable_by)
    if (status == frazil_ok .and. present(commit_bytes)) &
      status = frz_options_set_commit_bytes(options, commit_bytes)
    if (status == frazil_ok .and. present(records_per_sync)) &
      status = frz_options_set_records_per_sync(options, int(max(records_per_sync, 0), c_int64_t))
    if (status == frazil_ok .and. present(plan_file)) &
      status = frz_options_read_plan(options, c_text(plan_file))
    if (status == frazil_ok .and. present(keep_plan)) &
      status = frz_options_set_keep_plan(options, c_logical(keep_plan))
  end function set_choices

  !> What is requested of all variables.
  function set_requests(options, goal, filters, reads, storage) result(status)
    type(c_ptr), intent(in) :: options
    integer, intent(in), optional :: goal
    character(len=*), intent(in), optional :: filters, reads
    integer, intent(in), optional :: storage
    integer :: status

    status = frazil_ok
    if (present(goal)) status = frz_options_set_goal(options, int(goal, c_int))
    if (status == frazil_ok .and. present(filters)) &
      status = frz_options_set_filters(options, c_text(filters))
    if (status == frazil_ok .and. present(reads)) status = frz_options_set_reads(options, c_text(reads))
    if (status == frazil_ok .and. present(storage)) &
      status = frz_options_set_storage(options, int(storage, c_int))
  end function set_requests

  !> Where packing threads run.
  function set_cores(options, cores, core_list) result(status)
    type(c_ptr), intent(in) :: options
    integer, intent(in), optional :: cores, core_list(:)
    integer :: status

    status = frazil_ok
    if (present(cores)) status = frz_options_set_cores(options, int(cores, c_int))
    if (status == frazil_ok .and. present(core_list)) &
      status = frz_options_set_core_list(options, size(core_list, kind=c_int), int(core_list, c_int))
  end function set_cores
end module frazil_writer_options
