!> Values for the module frazil: of all types, kinds and ranks that netCDF has types for. Written in
!> C (writer_values.c), which learns them from the descriptors.
module frazil_writer_values
  use, intrinsic :: iso_c_binding, only: c_int, c_null_ptr, c_ptr
  implicit none
  private
  public :: frazil_writer
  public :: frazil_put, frazil_read, frazil_put_attribute, frazil_put_group_attribute, frazil_set_fill_value

  !> A netCDF-4 file being written.
  type, bind(C) :: frazil_writer
    type(c_ptr) :: handle = c_null_ptr
  end type frazil_writer

  interface
    !> Puts values, of the variable's own type, into `count` elements along each axis from `start` (default: 1),
    !> every `stride`-th of the variable. `count` is by default the shape of `values`; frazil ignores elements
    !> beyond `count`. It copies the values: you may change the array when the call returns. `start`, `count`
    !> and `stride` are integers of four or eight bytes.
    function frazil_put(writer, variable, values, start, count, stride) &
      bind(C, name='frz_fortran_put') result(status)
      import :: c_int, frazil_writer
      type(frazil_writer), intent(in) :: writer
      integer(c_int), intent(in), value :: variable
      type(*), dimension(..), intent(in) :: values
      type(*), dimension(:), intent(in), optional :: start, count, stride
      integer(c_int) :: status
    end function frazil_put

    !> Reads values back, including values that no sync has committed yet.
    function frazil_read(writer, variable, values, start, count, stride) &
      bind(C, name='frz_fortran_read') result(status)
      import :: c_int, frazil_writer
      type(frazil_writer), intent(in) :: writer
      integer(c_int), intent(in), value :: variable
      type(*), dimension(..), intent(inout) :: values
      type(*), dimension(:), intent(in), optional :: start, count, stride
      integer(c_int) :: status
    end function frazil_read

    !> Sets an attribute of a variable: a text, a number, or numbers.
    function frazil_put_attribute(writer, variable, name, values) &
      bind(C, name='frz_fortran_put_attribute') result(status)
      import :: c_int, frazil_writer
      type(frazil_writer), intent(in) :: writer
      integer(c_int), intent(in), value :: variable
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in) :: values
      integer(c_int) :: status
    end function frazil_put_attribute

    !> Sets an attribute of a group; of frazil_root: a global one.
    function frazil_put_group_attribute(writer, group, name, values) &
      bind(C, name='frz_fortran_put_group_attribute') result(status)
      import :: c_int, frazil_writer
      type(frazil_writer), intent(in) :: writer
      integer(c_int), intent(in), value :: group
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in) :: values
      integer(c_int) :: status
    end function frazil_put_group_attribute

    !> Sets the value of elements that are never written, in the variable's own type.
    function frazil_set_fill_value(writer, variable, value) &
      bind(C, name='frz_fortran_set_fill_value') result(status)
      import :: c_int, frazil_writer
      type(frazil_writer), intent(in) :: writer
      integer(c_int), intent(in), value :: variable
      type(*), dimension(..), intent(in) :: value
      integer(c_int) :: status
    end function frazil_set_fill_value
  end interface
end module frazil_writer_values
