!> A drop-in for `use netcdf`: the nf90 interface of netcdf-fortran with frazil's engine behind it.
!>
!> Change `use netcdf` to `use frazil_netcdf` and link with frazil instead of netcdff.
module frazil_netcdf
  use frazil_netcdf_attributes
  use frazil_netcdf_files
  use frazil_netcdf_groups
  use frazil_netcdf_parameters
  use frazil_netcdf_storage, only: nf90_def_var_chunking, nf90_inq_var_chunking, nf90_def_var_deflate, &
                                   nf90_inq_var_deflate, nf90_def_var_fletcher32, nf90_inq_var_fletcher32, &
                                   nf90_def_var_endian, nf90_inq_var_endian, nf90_def_var_szip, &
                                   nf90_inq_var_szip, nf90_def_var_zstandard, nf90_inq_var_zstandard, &
                                   nf90_def_var_quantize, nf90_inq_var_quantize, nf90_def_var_filter, &
                                   nf90_inq_var_filter, nf90_var_par_access
  use frazil_netcdf_values
  use frazil_netcdf_variables
  implicit none
  public
end module frazil_netcdf
