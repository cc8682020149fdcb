!> Values of variables and attributes: of every type that netCDF has, every kind and every rank.
!>
!> The procedures are written in C (netcdf_values.c, netcdf_attributes.c), which learns type, kind
!> and shape from the descriptors. What netCDF has no type for, such as logical and complex, gives
!> nf90_ebadtype; an array shorter than what is asked for gives nf90_einval.
module frazil_netcdf_values
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  private
  public :: nf90_put_var, nf90_get_var, nf90_put_att, nf90_get_att, nf90_def_var_fill, nf90_inq_var_fill

  interface
    !> Writes values to `count` elements along each axis from `start`, every `stride`-th of the variable. By
    !> default, `count` is the shape of `values`; frazil ignores elements beyond `count`.
    function nf90_put_var(ncid, varid, values, start, count, stride, map) &
      bind(C, name='frz_nf90_put_var') result(status)
      import :: c_int
      integer(c_int), intent(in), value :: ncid, varid
      type(*), dimension(..), intent(in) :: values
      integer(c_int), dimension(:), intent(in), optional :: start, count, stride, map
      integer(c_int) :: status
    end function nf90_put_var

    function nf90_get_var(ncid, varid, values, start, count, stride, map) &
      bind(C, name='frz_nf90_get_var') result(status)
      import :: c_int
      integer(c_int), intent(in), value :: ncid, varid
      type(*), dimension(..), intent(inout) :: values
      integer(c_int), dimension(:), intent(in), optional :: start, count, stride, map
      integer(c_int) :: status
    end function nf90_get_var

    !> Sets an attribute of the type and kind of `values`. Trailing blanks of a text are not stored.
    function nf90_put_att(ncid, varid, name, values) bind(C, name='frz_nf90_put_att') result(status)
      import :: c_int
      integer(c_int), intent(in), value :: ncid, varid
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(in) :: values
      integer(c_int) :: status
    end function nf90_put_att

    !> A text is padded with blanks. If `values` is too short for the whole attribute: nf90_ests for a text,
    !> else nf90_einval.
    function nf90_get_att(ncid, varid, name, values) bind(C, name='frz_nf90_get_att') result(status)
      import :: c_int
      integer(c_int), intent(in), value :: ncid, varid
      character(len=*), intent(in) :: name
      type(*), dimension(..), intent(inout) :: values
      integer(c_int) :: status
    end function nf90_get_att

    !> Sets the fill value, converted to the variable's type; none if `no_fill` is not 0.
    function nf90_def_var_fill(ncid, varid, no_fill, fill) &
      bind(C, name='frz_nf90_def_var_fill') result(status)
      import :: c_int
      integer(c_int), intent(in), value :: ncid, varid, no_fill
      type(*), dimension(..), intent(in) :: fill
      integer(c_int) :: status
    end function nf90_def_var_fill

    function nf90_inq_var_fill(ncid, varid, no_fill, fill) &
      bind(C, name='frz_nf90_inq_var_fill') result(status)
      import :: c_int
      integer(c_int), intent(in), value :: ncid, varid
      integer(c_int), intent(inout) :: no_fill
      type(*), dimension(..), intent(inout) :: fill
      integer(c_int) :: status
    end function nf90_inq_var_fill
  end interface
end module frazil_netcdf_values
