!> Kinds by the size of their values, under the names that programs written for netCDF use.
module typesizes
  implicit none
  private

  integer, parameter, public :: OneByteInt = selected_int_kind(2)
  integer, parameter, public :: TwoByteInt = selected_int_kind(4)
  integer, parameter, public :: FourByteInt = selected_int_kind(9)
  integer, parameter, public :: EightByteInt = selected_int_kind(18)
  integer, parameter, public :: FourByteReal = selected_real_kind(p=6, r=37)
  integer, parameter, public :: EightByteReal = selected_real_kind(p=13, r=307)

  public :: byteSizesOK

contains

  !> Whether this compiler's kinds are as large as their names say.
  logical function byteSizesOK()
    byteSizesOK = storage_size(0_OneByteInt) == 8 .and. storage_size(0_TwoByteInt) == 16 &
                  .and. storage_size(0_FourByteInt) == 32 .and. storage_size(0_EightByteInt) == 64 &
                  .and. storage_size(0.0_FourByteReal) == 32 .and. storage_size(0.0_EightByteReal) == 64
  end function byteSizesOK
end module typesizes
