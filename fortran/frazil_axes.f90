!> Fortran names the fastest axis first, C the slowest. Lists with one element for each axis change
!> their order here; the start, count and stride of values do so in region.c.
module frazil_axes
  implicit none
  private
  public :: other_order

  interface other_order
    module procedure reversed_default, reversed_long
  end interface other_order

contains

  pure function reversed_default(list) result(reversed)
    integer, intent(in) :: list(:)
    integer :: reversed(size(list))

    reversed = list(size(list):1:-1)
  end function reversed_default

  pure function reversed_long(list) result(reversed)
    integer, parameter :: long = selected_int_kind(18)
    integer(long), intent(in) :: list(:)
    integer(long) :: reversed(size(list))

    reversed = list(size(list):1:-1)
  end function reversed_long
end module frazil_axes
