!> Names and texts between Fortran (padded with blanks) and C (ended by a null character).
module frazil_text
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_null_char, c_ptr, c_size_t
  implicit none
  private
  public :: c_text, copy_c_text, copy_c_pointer, take_c_pointer

  interface
    pure function strlen(text) bind(C, name='strlen') result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), intent(in), value :: text
      integer(c_size_t) :: length
    end function strlen
  end interface

contains

  !> `text` without its trailing blanks, for C. One that has a null character already ends there.
  pure function c_text(text)
    character(len=*), intent(in) :: text
    character(kind=c_char, len=len_trim(text) + 1) :: c_text

    c_text = trim(text)//c_null_char
  end function c_text

  !> Copies what C wrote into `buffer` up to its null character; cut where `text` is shorter.
  pure subroutine copy_c_text(buffer, text)
    character(kind=c_char, len=*), intent(in) :: buffer
    character(len=*), intent(out) :: text
    integer :: length

    length = index(buffer, c_null_char) - 1
    if (length < 0) length = len(buffer)
    text = buffer(:length)
  end subroutine copy_c_text

  !> Copies the text that C points to; blank for a null pointer.
  subroutine copy_c_pointer(pointer, text)
    type(c_ptr), intent(in) :: pointer
    character(len=*), intent(out) :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i

    text = ''
    if (.not. c_associated(pointer)) return
    call c_f_pointer(pointer, characters, [strlen(pointer)])
    do i = 1, min(size(characters), len(text))
      text(i:i) = characters(i)
    end do
  end subroutine copy_c_pointer

  !> The text that C points to, in its own length; none for a null pointer.
  subroutine take_c_pointer(pointer, text)
    type(c_ptr), intent(in) :: pointer
    character(len=:), allocatable, intent(out) :: text
    integer :: length

    length = 0
    if (c_associated(pointer)) length = int(strlen(pointer))
    allocate (character(len=length) :: text)
    call copy_c_pointer(pointer, text)
  end subroutine take_c_pointer
end module frazil_text
