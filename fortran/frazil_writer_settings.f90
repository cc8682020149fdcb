!> How a variable is stored, where a program does not leave that to frazil.
module frazil_writer_settings
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t
  use frazil_axes, only: other_order
  use frazil_writer_c
  use frazil_writer_values, only: frazil_writer
  implicit none
  private

  public :: c_logical
  public :: frazil_set_big_endian, frazil_set_no_fill, frazil_set_chunk_shape, frazil_set_contiguous, frazil_state_block
  public :: frazil_set_uncompressed, frazil_set_deflate, frazil_set_zstd, frazil_set_checksum
  public :: frazil_set_significant_digits, frazil_set_significant_bits
  public :: frazil_set_absolute_tolerance, frazil_set_relative_tolerance, frazil_set_quantize

  !> Algorithms of rounding, with netCDF's numbers.
  integer, parameter, public :: frazil_bitgroom = 1, frazil_granular_bitround = 2, frazil_bitround = 3

  !> Success; and errors of this module itself.
  integer, parameter, public :: frazil_ok = 0, frazil_no_such_type = -1, frazil_array_too_short = -2, &
                                frazil_too_many_axes = -3, frazil_too_few_numbers = -4

contains

  pure integer(c_int) function c_logical(wanted)
    logical, intent(in) :: wanted

    c_logical = merge(1, 0, wanted)
  end function c_logical

  pure integer(c_int) function c_logical_or_true(wanted)
    logical, intent(in), optional :: wanted

    c_logical_or_true = 1
    if (present(wanted)) c_logical_or_true = c_logical(wanted)
  end function c_logical_or_true

  !> Leaves elements that are never written undefined.
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
    integer(c_int) :: type, rank, before

    status = frz_inquire_variable(writer%handle, variable, type, rank)
    if (status == frazil_ok .and. size(shape) < rank) status = frazil_too_few_numbers
    if (status /= frazil_ok) return
    before = frz_set_message_counting(1_c_int)
    status = frz_set_chunk_shape(writer%handle, variable, int(other_order(shape(:rank)), c_int64_t))
    before = frz_set_message_counting(before)
  end function frazil_set_chunk_shape

  !> States that this process will put blocks like this one: `count` elements along each dimension from `start`,
  !> fastest dimension first; unlimited ones are ignored. With `reproducible=.false.`, chunks follow the blocks
  !> of all processes.
  function frazil_state_block(writer, variable, start, count) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    integer, intent(in) :: start(:), count(:)
    integer :: status
    integer(c_int) :: type, rank, before

    status = frz_inquire_variable(writer%handle, variable, type, rank)
    if (status == frazil_ok .and. min(size(start), size(count)) < rank) status = frazil_too_few_numbers
    if (status /= frazil_ok) return
    before = frz_set_message_counting(1_c_int)
    status = frz_state_block(writer%handle, variable, int(other_order(start(:rank)) - 1, c_int64_t), &
                             int(other_order(count(:rank)), c_int64_t))
    before = frz_set_message_counting(before)
  end function frazil_state_block

  !> The elements are stored big-endian (or, with .false., little-endian). Values are put and read in this
  !> machine's order either way.
  function frazil_set_big_endian(writer, variable, big_endian) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    logical, intent(in), optional :: big_endian
    integer :: status

    status = frz_set_big_endian(writer%handle, variable, c_logical_or_true(big_endian))
  end function frazil_set_big_endian

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

  !> Deflate with this level, 1 to 9, after a byte shuffle unless `shuffle` is .false.
  function frazil_set_deflate(writer, variable, level, shuffle) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable, level
    logical, intent(in), optional :: shuffle
    integer :: status

    status = frz_set_deflate(writer%handle, variable, level, c_logical_or_true(shuffle))
  end function frazil_set_deflate

  !> Zstandard with this level, after a byte shuffle unless `shuffle` is .false. Readers need its plugin.
  function frazil_set_zstd(writer, variable, level, shuffle) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable, level
    logical, intent(in), optional :: shuffle
    integer :: status

    status = frz_set_zstd(writer%handle, variable, level, c_logical_or_true(shuffle))
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

  !> Sets the largest error of any value, in the variable's units.
  function frazil_set_absolute_tolerance(writer, variable, tolerance) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    real(c_double), intent(in) :: tolerance
    integer :: status

    status = frz_set_absolute_tolerance(writer%handle, variable, tolerance)
  end function frazil_set_absolute_tolerance

  !> Sets the largest error of any value, in percent of the value.
  function frazil_set_relative_tolerance(writer, variable, percent) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable
    real(c_double), intent(in) :: percent
    integer :: status

    status = frz_set_relative_tolerance(writer%handle, variable, percent)
  end function frazil_set_relative_tolerance

  !> Sets the rounding algorithm: frazil_bitgroom, frazil_granular_bitround (both to digits) or frazil_bitround
  !> (to bits). State how far it rounds with frazil_set_significant_digits or ..._bits.
  function frazil_set_quantize(writer, variable, algorithm) result(status)
    type(frazil_writer), intent(in) :: writer
    integer, intent(in) :: variable, algorithm
    integer :: status

    status = frz_set_quantize(writer%handle, variable, algorithm)
  end function frazil_set_quantize
end module frazil_writer_settings
