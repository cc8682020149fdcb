//! netCDF's names that this library exports: every function with the number of a file, and those that
//! make files.

/// Hands all names to a macro.
macro_rules! all_calls {
    ($use:ident) => {
        $use! {
            nc__create nc__enddef nc__open nc_abort nc_close nc_close_memio nc_copy_att nc_copy_data
            nc_copy_data_all nc_copy_var nc_create nc_create_par nc_create_par_fortran nc_def_compound
            nc_def_dim nc_def_enum nc_def_grp nc_def_opaque nc_def_var nc_def_var_blosc nc_def_var_bzip2
            nc_def_var_chunking nc_def_var_chunking_ints nc_def_var_deflate nc_def_var_endian nc_def_var_fill nc_def_var_filter
            nc_def_var_fletcher32 nc_def_var_quantize nc_def_var_szip nc_def_var_zstandard nc_def_vlen
            nc_del_att nc_dump_data nc_enddef nc_get_att nc_get_att_double nc_get_att_float
            nc_get_att_int nc_get_att_long nc_get_att_longlong nc_get_att_schar nc_get_att_short
            nc_get_att_string nc_get_att_text nc_get_att_ubyte nc_get_att_uchar nc_get_att_uint
            nc_get_att_ulonglong nc_get_att_ushort nc_get_var nc_get_var1 nc_get_var1_double
            nc_get_var1_float nc_get_var1_int nc_get_var1_long nc_get_var1_longlong nc_get_var1_schar
            nc_get_var1_short nc_get_var1_string nc_get_var1_text nc_get_var1_ubyte nc_get_var1_uchar
            nc_get_var1_uint nc_get_var1_ulonglong nc_get_var1_ushort nc_get_var_chunk_cache
            nc_get_var_chunk_cache_ints
            nc_get_var_double nc_get_var_float nc_get_var_int nc_get_var_long nc_get_var_longlong
            nc_get_var_schar nc_get_var_short nc_get_var_string nc_get_var_text nc_get_var_ubyte
            nc_get_var_uchar nc_get_var_uint nc_get_var_ulonglong nc_get_var_ushort nc_get_vara
            nc_get_vara_double nc_get_vara_float nc_get_vara_int nc_get_vara_long nc_get_vara_longlong
            nc_get_vara_schar nc_get_vara_short nc_get_vara_string nc_get_vara_text nc_get_vara_ubyte
            nc_get_vara_uchar nc_get_vara_uint nc_get_vara_ulonglong nc_get_vara_ushort nc_get_varm
            nc_get_varm_double nc_get_varm_float nc_get_varm_int nc_get_varm_long nc_get_varm_longlong
            nc_get_varm_schar nc_get_varm_short nc_get_varm_string nc_get_varm_text nc_get_varm_ubyte
            nc_get_varm_uchar nc_get_varm_uint nc_get_varm_ulonglong nc_get_varm_ushort nc_get_vars
            nc_get_vars_double nc_get_vars_float nc_get_vars_int nc_get_vars_long nc_get_vars_longlong
            nc_get_vars_schar nc_get_vars_short nc_get_vars_string nc_get_vars_text nc_get_vars_ubyte
            nc_get_vars_uchar nc_get_vars_uint nc_get_vars_ulonglong nc_get_vars_ushort
            nc_get_vlen_element nc_inq nc_inq_att nc_inq_attid nc_inq_attlen nc_inq_attname
            nc_inq_atttype nc_inq_base_pe nc_inq_compound nc_inq_compound_field
            nc_inq_compound_fielddim_sizes nc_inq_compound_fieldindex nc_inq_compound_fieldname
            nc_inq_compound_fieldndims nc_inq_compound_fieldoffset nc_inq_compound_fieldtype
            nc_inq_compound_name nc_inq_compound_nfields nc_inq_compound_size nc_inq_dim nc_inq_dimid
            nc_inq_dimids nc_inq_dimlen nc_inq_dimname nc_inq_enum nc_inq_enum_ident nc_inq_enum_member
            nc_inq_filter_avail nc_inq_format nc_inq_format_extended nc_inq_grp_full_ncid
            nc_inq_grp_ncid nc_inq_grp_parent nc_inq_grpname nc_inq_grpname_full nc_inq_grpname_len
            nc_inq_grps nc_inq_natts nc_inq_ncid nc_inq_ndims nc_inq_nvars nc_inq_opaque nc_inq_path
            nc_inq_type nc_inq_type_equal nc_inq_typeid nc_inq_typeids nc_inq_unlimdim nc_inq_unlimdims
            nc_inq_user_type nc_inq_var nc_inq_var_blosc nc_inq_var_bzip2 nc_inq_var_chunking
            nc_inq_var_chunking_ints
            nc_inq_var_deflate nc_inq_var_endian nc_inq_var_fill nc_inq_var_filter nc_inq_var_filter_ids
            nc_inq_var_filter_info nc_inq_var_fletcher32 nc_inq_var_quantize nc_inq_var_szip
            nc_inq_var_zstandard nc_inq_vardimid nc_inq_varid nc_inq_varids nc_inq_varname
            nc_inq_varnatts nc_inq_varndims nc_inq_vartype nc_inq_vlen nc_insert_array_compound
            nc_insert_compound nc_insert_enum nc_open nc_open_par nc_open_par_fortran nc_put_att nc_put_att_double nc_put_att_float
            nc_put_att_int nc_put_att_long nc_put_att_longlong nc_put_att_schar nc_put_att_short
            nc_put_att_string nc_put_att_text nc_put_att_ubyte nc_put_att_uchar nc_put_att_uint
            nc_put_att_ulonglong nc_put_att_ushort nc_put_var nc_put_var1 nc_put_var1_double
            nc_put_var1_float nc_put_var1_int nc_put_var1_long nc_put_var1_longlong nc_put_var1_schar
            nc_put_var1_short nc_put_var1_string nc_put_var1_text nc_put_var1_ubyte nc_put_var1_uchar
            nc_put_var1_uint nc_put_var1_ulonglong nc_put_var1_ushort nc_put_var_double nc_put_var_float
            nc_put_var_int nc_put_var_long nc_put_var_longlong nc_put_var_schar nc_put_var_short
            nc_put_var_string nc_put_var_text nc_put_var_ubyte nc_put_var_uchar nc_put_var_uint
            nc_put_var_ulonglong nc_put_var_ushort nc_put_vara nc_put_vara_double nc_put_vara_float
            nc_put_vara_int nc_put_vara_long nc_put_vara_longlong nc_put_vara_schar nc_put_vara_short
            nc_put_vara_string nc_put_vara_text nc_put_vara_ubyte nc_put_vara_uchar nc_put_vara_uint
            nc_put_vara_ulonglong nc_put_vara_ushort nc_put_varm nc_put_varm_double nc_put_varm_float
            nc_put_varm_int nc_put_varm_long nc_put_varm_longlong nc_put_varm_schar nc_put_varm_short
            nc_put_varm_string nc_put_varm_text nc_put_varm_ubyte nc_put_varm_uchar nc_put_varm_uint
            nc_put_varm_ulonglong nc_put_varm_ushort nc_put_vars nc_put_vars_double nc_put_vars_float
            nc_put_vars_int nc_put_vars_long nc_put_vars_longlong nc_put_vars_schar nc_put_vars_short
            nc_put_vars_string nc_put_vars_text nc_put_vars_ubyte nc_put_vars_uchar nc_put_vars_uint
            nc_put_vars_ulonglong nc_put_vars_ushort nc_put_vlen_element nc_reclaim_data
            nc_reclaim_data_all nc_redef nc_rename_att nc_rename_dim nc_rename_grp nc_rename_var
            nc_set_base_pe nc_set_default_format nc_set_fill nc_set_var_chunk_cache
            nc_set_var_chunk_cache_ints nc_sync
            nc_var_par_access
        }
    };
}

macro_rules! declare {
    ($($name:ident)*) => {
        /// The calls by number.
        #[expect(non_camel_case_types, reason = "netCDF's names")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(usize)]
        pub(crate) enum Call { $($name),* }

        /// Their names.
        pub(crate) static NAMES: &[&str] = &[$(stringify!($name)),*];
        /// How many there are.
        pub(crate) const CALLS: usize = [$(Call::$name),*].len();
    };
}

all_calls!(declare);

pub(crate) use all_calls;
