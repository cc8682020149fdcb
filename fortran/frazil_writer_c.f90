!> The functions of frazil's C face (frazil.h) that the module frazil calls. Axes are in C order.
! Written by scripts/write_fortran_interfaces.py.
module frazil_writer_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t
  implicit none
  public
  private :: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t

  interface
    ! Texts
    function frz_strerror(status) bind(C) result(pointer)
      import :: c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: pointer
    end function
    function frz_last_message() bind(C) result(pointer)
      import :: c_ptr
      type(c_ptr) :: pointer
    end function
    function frz_version() bind(C) result(pointer)
      import :: c_ptr
      type(c_ptr) :: pointer
    end function
    ! Options
    function frz_options_new() bind(C) result(pointer)
      import :: c_ptr
      type(c_ptr) :: pointer
    end function
    subroutine frz_options_free(options) bind(C)
      import :: c_ptr
      type(c_ptr), value :: options
    end subroutine
    function frz_options_set_threads(options, threads) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: threads
      integer(c_int) :: status
    end function
    function frz_options_set_memory_bytes(options, bytes) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: options
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function frz_options_set_durable(options, durable) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: durable
      integer(c_int) :: status
    end function
    function frz_options_set_synchronous(options, synchronous) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: synchronous
      integer(c_int) :: status
    end function
    function frz_options_set_overwrite(options, overwrite) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: overwrite
      integer(c_int) :: status
    end function
    function frz_options_set_classic_model(options, classic_model) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: classic_model
      integer(c_int) :: status
    end function
    function frz_options_set_readable_by(options, readers) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: readers
      integer(c_int) :: status
    end function
    function frz_options_set_commit_bytes(options, bytes) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: options
      integer(c_int64_t), value :: bytes
      integer(c_int) :: status
    end function
    function frz_options_set_records_per_sync(options, records) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: options
      integer(c_int64_t), value :: records
      integer(c_int) :: status
    end function
    function frz_options_set_longest_wait(options, seconds) bind(C) result(status)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: options
      real(c_double), value :: seconds
      integer(c_int) :: status
    end function
    function frz_options_set_io_ranks(options, io_ranks) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: io_ranks
      integer(c_int) :: status
    end function
    function frz_is_io_rank(writer, is_io_rank) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), intent(out) :: is_io_rank
      integer(c_int) :: status
    end function
    function frz_options_set_reproducible(options, reproducible) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: reproducible
      integer(c_int) :: status
    end function
    function frz_options_read_plan(options, path) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: status
    end function
    function frz_options_read_precision(options, path) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int) :: status
    end function
    function frz_options_set_keep_plan(options, keep_plan) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: keep_plan
      integer(c_int) :: status
    end function
    function frz_options_set_list(options, list) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: list(*)
      integer(c_int) :: status
    end function
    function frz_options_set_goal(options, goal) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: goal
      integer(c_int) :: status
    end function
    function frz_options_set_storage(options, storage) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: storage
      integer(c_int) :: status
    end function
    function frz_options_set_cores(options, cores) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: cores
      integer(c_int) :: status
    end function
    function frz_options_set_filters(options, filters) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: filters(*)
      integer(c_int) :: status
    end function
    function frz_options_set_reads(options, reads) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: reads(*)
      integer(c_int) :: status
    end function
    function frz_options_set_core_list(options, count, cores) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: count
      integer(c_int), intent(in) :: cores(*)
      integer(c_int) :: status
    end function
    function frz_set_message_counting(from_one) bind(C) result(status)
      import :: c_int
      integer(c_int), value :: from_one
      integer(c_int) :: status
    end function
    function frz_set_big_endian(writer, variable, big_endian) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      integer(c_int), value :: big_endian
      integer(c_int) :: status
    end function
    ! Files
    function frz_create(path, options, writer) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: writer
      integer(c_int) :: status
    end function
    function frz_create_parallel_fortran(path, fortran_comm, options, writer) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: fortran_comm
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: writer
      integer(c_int) :: status
    end function
    function frz_append_parallel_fortran(path, fortran_comm, options, writer) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: fortran_comm
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: writer
      integer(c_int) :: status
    end function
    function frz_end_definitions(writer) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int) :: status
    end function
    function frz_append(path, options, writer) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: writer
      integer(c_int) :: status
    end function
    function frz_sync(writer) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int) :: status
    end function
    function frz_writer_report(writer, report) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      type(c_ptr), value :: report
      integer(c_int) :: status
    end function
    function frz_close(writer, report) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      type(c_ptr), value :: report
      integer(c_int) :: status
    end function
    function frz_abandon(writer) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int) :: status
    end function
    function frz_recover(path, outcome) bind(C) result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), intent(out) :: outcome
      integer(c_int) :: status
    end function
    ! Definitions
    function frz_add_group(writer, parent, name, id) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: parent
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: id
      integer(c_int) :: status
    end function
    function frz_add_dimension(writer, group, name, length, id) bind(C) result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: group
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: length
      integer(c_int), intent(out) :: id
      integer(c_int) :: status
    end function
    function frz_add_unlimited_dimension(writer, group, name, expected_length, id) &
      bind(C) result(status)
      import :: c_char, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: group
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: expected_length
      integer(c_int), intent(out) :: id
      integer(c_int) :: status
    end function
    function frz_add_variable(writer, group, name, type, rank, dimensions, id) &
      bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: group
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: type
      integer(c_int), value :: rank
      integer(c_int), intent(in) :: dimensions(*)
      integer(c_int), intent(out) :: id
      integer(c_int) :: status
    end function
    function frz_find_group(writer, parent, name, id) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: parent
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: id
      integer(c_int) :: status
    end function
    function frz_find_dimension(writer, group, name, id) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: group
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: id
      integer(c_int) :: status
    end function
    function frz_find_variable(writer, group, name, id) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: group
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: id
      integer(c_int) :: status
    end function
    function frz_dimension_length(writer, dimension, length) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: dimension
      integer(c_int64_t), intent(out) :: length
      integer(c_int) :: status
    end function
    function frz_inquire_variable(writer, variable, type, rank, shape) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      integer(c_int), intent(out) :: type
      integer(c_int), intent(out) :: rank
      integer(c_int64_t), intent(out), optional :: shape(*)
      integer(c_int) :: status
    end function
    ! How a variable is stored
    function frz_set_no_fill(writer, variable) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      integer(c_int) :: status
    end function
    function frz_set_chunk_shape(writer, variable, shape) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      integer(c_int64_t), intent(in) :: shape(*)
      integer(c_int) :: status
    end function
    function frz_state_block(writer, variable, start, count) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      integer(c_int64_t), intent(in) :: start(*)
      integer(c_int64_t), intent(in) :: count(*)
      integer(c_int) :: status
    end function
    function frz_set_contiguous(writer, variable) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      integer(c_int) :: status
    end function
    function frz_set_uncompressed(writer, variable) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      integer(c_int) :: status
    end function
    function frz_set_deflate(writer, variable, level, shuffle) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      integer(c_int), value :: level
      integer(c_int), value :: shuffle
      integer(c_int) :: status
    end function
    function frz_set_zstd(writer, variable, level, shuffle) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      integer(c_int), value :: level
      integer(c_int), value :: shuffle
      integer(c_int) :: status
    end function
    function frz_set_checksum(writer, variable) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      integer(c_int) :: status
    end function
    function frz_set_significant_digits(writer, variable, digits) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      integer(c_int), value :: digits
      integer(c_int) :: status
    end function
    function frz_set_significant_bits(writer, variable, bits) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      integer(c_int), value :: bits
      integer(c_int) :: status
    end function
    function frz_set_quantize(writer, variable, algorithm) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      integer(c_int), value :: algorithm
      integer(c_int) :: status
    end function
    function frz_set_absolute_tolerance(writer, variable, tolerance) bind(C) result(status)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      real(c_double), value :: tolerance
      integer(c_int) :: status
    end function
    function frz_set_relative_tolerance(writer, variable, percent) bind(C) result(status)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      real(c_double), value :: percent
      integer(c_int) :: status
    end function
    ! What was decided
    function frz_inquire_storage(writer, variable, chunked, shape, filters) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      integer(c_int), intent(out) :: chunked
      integer(c_int64_t), intent(inout) :: shape(*)
      type(c_ptr), intent(out) :: filters
      integer(c_int) :: status
    end function
    function frz_plan(writer, plan) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: writer
      type(c_ptr), intent(out) :: plan
      integer(c_int) :: status
    end function
    subroutine frz_free_strings(length, texts) bind(C)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: length
      type(c_ptr), intent(inout) :: texts
    end subroutine
    ! Attributes; those with values are in writer_values.c
    function frz_delete_attribute(writer, variable, name) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: status
    end function
    function frz_rename_attribute(writer, variable, name, new_name) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: variable
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: new_name(*)
      integer(c_int) :: status
    end function
    function frz_delete_group_attribute(writer, group, name) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: group
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: status
    end function
    function frz_rename_group_attribute(writer, group, name, new_name) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: writer
      integer(c_int), value :: group
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: new_name(*)
      integer(c_int) :: status
    end function
  end interface
end module frazil_writer_c
