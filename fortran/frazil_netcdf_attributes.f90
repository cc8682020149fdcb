!> Attributes, but for their values, which `frazil_netcdf_values` puts and gets.
module frazil_netcdf_attributes
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_size_t
  use frazil_netcdf_c
  use frazil_netcdf_parameters
  use frazil_text, only: c_text, copy_c_text
  implicit none
  private
  public :: nf90_copy_att, nf90_rename_att, nf90_del_att, nf90_inq_attname, nf90_inquire_attribute

contains

  function nf90_copy_att(ncid_in, varid_in, name, ncid_out, varid_out) result(status)
    integer, intent(in) :: ncid_in, varid_in
    character(len=*), intent(in) :: name
    integer, intent(in) :: ncid_out, varid_out
    integer :: status

    status = nc_copy_att(ncid_in, varid_in - 1, c_text(name), ncid_out, varid_out - 1)
  end function nf90_copy_att

  function nf90_rename_att(ncid, varid, curname, newname) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: curname, newname
    integer :: status

    status = nc_rename_att(ncid, varid - 1, c_text(curname), c_text(newname))
  end function nf90_rename_att

  function nf90_del_att(ncid, varid, name) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer :: status

    status = nc_del_att(ncid, varid - 1, c_text(name))
  end function nf90_del_att

  function nf90_inq_attname(ncid, varid, attnum, name) result(status)
    integer, intent(in) :: ncid, varid, attnum
    character(len=*), intent(out) :: name
    integer :: status
    character(kind=c_char, len=nf90_max_name + 1) :: buffer

    name = ''
    status = nc_inq_attname(ncid, varid - 1, attnum - 1, buffer)
    if (status == nf90_noerr) call copy_c_text(buffer, name)
  end function nf90_inq_attname

  function nf90_inquire_attribute(ncid, varid, name, xtype, len, attnum) result(status)
    integer, intent(in) :: ncid, varid
    character(len=*), intent(in) :: name
    integer, intent(out), optional :: xtype, len, attnum
    integer :: status
    integer(c_int) :: c_xtype, c_attnum
    integer(c_size_t) :: length

    status = nc_inq_att(ncid, varid - 1, c_text(name), c_xtype, length)
    if (status /= nf90_noerr) return
    if (present(xtype)) xtype = c_xtype
    if (present(len)) len = int(length)
    if (.not. present(attnum)) return
    status = nc_inq_attid(ncid, varid - 1, c_text(name), c_attnum)
    if (status == nf90_noerr) attnum = c_attnum + 1
  end function nf90_inquire_attribute
end module frazil_netcdf_attributes
