//! The table of libhdf5 functions: every call of the crate goes through it, so that a host
//! program's own libhdf5 can be put behind the same door.

//!
//! What libhdf5 returns may come from a damaged file, and a Rust enumeration that holds a number
//! without a name is undefined behaviour. So enumerations only ever go to libhdf5; those that come
//! from it are declared here as plain numbers, and `known` checks them. The table does
//! not compile with a function that returns anything but numbers and pointers.

#![allow(non_snake_case, reason = "the table keeps libhdf5's names")]

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};

use hdf5_sys::h5::{H5_index_t, H5_iter_order_t, hbool_t, herr_t, hsize_t, htri_t};
use hdf5_sys::h5a::H5A_operator2_t;
use hdf5_sys::h5d::{H5D_alloc_time_t, H5D_chunk_iter_op_t, H5D_fill_time_t, H5D_layout_t};
use hdf5_sys::h5e::{H5E_auto2_t, H5E_direction_t, H5E_walk2_t};
use hdf5_sys::h5f::H5F_libver_t;
use hdf5_sys::h5i::hid_t;
use hdf5_sys::h5l::H5L_iterate2_t;
use hdf5_sys::h5r::H5R_type_t;
use hdf5_sys::h5s::{H5S_class_t, H5S_seloper_t};
use hdf5_sys::h5t::{H5T_class_t, H5T_cset_t, H5T_order_t, H5T_str_t};
use libc::{size_t, ssize_t};

/// Facts about an object (`H5O_info2_t`); the type is a plain number, as above.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ObjectInfo {
    pub(crate) file_number: c_ulong,
    pub(crate) token: [u8; 16],
    pub(crate) object_type: c_int,
    pub(crate) links: c_uint,
    /// Access, modification, change, birth.
    pub(crate) times: [libc::time_t; 4],
    pub(crate) attributes: hsize_t,
}

/// `H5L_class_t` (version 1).
#[repr(C)]
pub(crate) struct LinkClass {
    pub(super) version: c_int,
    pub(super) id: c_int,
    pub(super) comment: *const c_char,
    pub(super) create: Option<unsafe extern "C" fn()>,
    pub(super) move_: Option<unsafe extern "C" fn()>,
    pub(super) copy: Option<unsafe extern "C" fn()>,
    pub(super) traverse: Option<
        unsafe extern "C" fn(*const c_char, hid_t, *const c_void, size_t, hid_t, hid_t) -> hid_t,
    >,
    pub(super) delete: Option<unsafe extern "C" fn()>,
    pub(super) query: Option<
        unsafe extern "C" fn(*const c_char, *const c_void, size_t, *mut c_void, size_t) -> ssize_t,
    >,
}

/// Functions that `hdf5-sys` links but does not declare, or declares too narrowly: with
/// enumerations for numbers that a file may choose.
mod declared_here {
    use std::ffi::{c_char, c_int, c_uint};

    use hdf5_sys::h5::{herr_t, htri_t};
    use hdf5_sys::h5i::hid_t;

    unsafe extern "C" {
        // Behind H5Zregister, which refuses libhdf5's own numbers: that of szip, too, where libhdf5
        // was built without it.
        pub(super) fn H5Z_register(class: *const std::ffi::c_void) -> herr_t;
        pub(super) fn H5DSset_scale(dataset: hid_t, name: *const c_char) -> herr_t;
        pub(super) fn H5DSattach_scale(dataset: hid_t, scale: hid_t, axis: c_uint) -> herr_t;
        pub(super) fn H5DSdetach_scale(dataset: hid_t, scale: hid_t, axis: c_uint) -> herr_t;
        // hdf5-sys has a pointer for the flags that are set, which libhdf5 takes by value.
        pub(super) fn H5PLset_loading_state(flags: c_uint) -> herr_t;
        pub(super) fn H5PLget_loading_state(flags: *mut c_uint) -> herr_t;
        pub(super) fn H5Oget_info3(
            object: hid_t,
            info: *mut super::ObjectInfo,
            fields: c_uint,
        ) -> herr_t;
        pub(super) fn H5Dget_chunk_index_type(dataset: hid_t, kind: *mut c_int) -> herr_t;
        pub(super) fn H5Dget_chunk_storage_size(
            dataset: hid_t,
            offset: *const u64,
            bytes: *mut u64,
        ) -> herr_t;
        pub(super) fn H5Pget_layout(list: hid_t) -> c_int;
        pub(super) fn H5Sget_simple_extent_type(space: hid_t) -> c_int;
        pub(super) fn H5Tget_class(datatype: hid_t) -> c_int;
        // hdf5-sys calls it deprecated; for comments that are there, nothing else will do.
        pub(super) fn H5Oset_comment(object: hid_t, comment: *const c_char) -> herr_t;
        pub(super) fn H5Fset_libver_bounds(
            file: hid_t,
            low: hdf5_sys::h5f::H5F_libver_t,
            high: hdf5_sys::h5f::H5F_libver_t,
        ) -> herr_t;
        // The enumeration of hdf5-sys cannot hold the numbers of user-defined links.
        pub(super) fn H5Lis_registered(class: c_int) -> htri_t;
        pub(super) fn H5Lcreate_ud(
            group: hid_t,
            name: *const c_char,
            class: c_int,
            value: *const std::ffi::c_void,
            bytes: libc::size_t,
            creation: hid_t,
            access: hid_t,
        ) -> herr_t;
        pub(super) fn H5Lregister(class: *const super::LinkClass) -> herr_t;
        pub(super) fn H5FDregister(class: *const super::super::driver::DriverClass) -> hid_t;
    }
}

/// What libhdf5 may return or write: every bit pattern is a value.
trait Plain {}

/// What may be passed to libhdf5: also enumerations, and pointers to what it may write.
trait Passed {}

impl<T: Plain> Passed for *mut T {}
impl<T> Passed for *const T {}
impl<T> Plain for *mut T {}
impl<T> Plain for *const T {}

macro_rules! implement {
    ($trait:ident: $($type:ty),*) => { $(impl $trait for $type {})* };
}

implement!(Plain: c_void, i8, u8, i32, u32, i64, u64, isize, usize);
implement!(Plain: ObjectInfo, hdf5_sys::h5f::H5F_info2_t);
implement!(Passed: u8, i32, u32, i64, u64, usize);
implement!(Passed: H5_index_t, H5_iter_order_t, H5F_libver_t, H5T_class_t, H5T_cset_t);
implement!(Passed: H5T_order_t, H5T_str_t, H5S_class_t, H5S_seloper_t, H5R_type_t, H5D_layout_t);
implement!(Passed: H5D_alloc_time_t, H5D_fill_time_t, H5E_direction_t);
implement!(Passed: hdf5_sys::h5f::H5F_scope_t, hdf5_sys::h5f::H5F_close_degree_t);
implement!(Passed: H5A_operator2_t, H5D_chunk_iter_op_t, H5E_auto2_t, H5E_walk2_t, H5L_iterate2_t);

macro_rules! function_table {
    ($($module:ident :: { $($name:ident ( $($argument:ty),* ) -> $result:ty;)* })*) => {
        /// One pointer for each libhdf5 function that frazil uses.
        pub(crate) struct Hdf5Api {
            $($(pub(crate) $name: unsafe extern "C" fn($($argument),*) -> $result,)*)*
        }

        /// The libhdf5 that is linked into this binary.
        static BUNDLED: Hdf5Api = Hdf5Api {
            $($($name: function_table!(@path $module $name),)*)*
        };

        /// Refuses to compile a function that could bring an enumeration back.
        const _: () = {
            const fn returned<T: Plain>() {}
            const fn passed<T: Passed>() {}
            $($(returned::<$result>(); $(passed::<$argument>();)*)*)*
        };
    };
    (@path declared_here $name:ident) => { declared_here::$name };
    (@path $module:ident $name:ident) => { hdf5_sys::$module::$name };
}

function_table! {
    h5::{
        H5open() -> herr_t;
        H5get_libversion(*mut c_uint, *mut c_uint, *mut c_uint) -> herr_t;
        H5free_memory(*mut c_void) -> herr_t;
        H5allocate_memory(size_t, hbool_t) -> *mut c_void;
    }
    h5a::{
        H5Acreate2(hid_t, *const c_char, hid_t, hid_t, hid_t, hid_t) -> hid_t;
        H5Aopen(hid_t, *const c_char, hid_t) -> hid_t;
        H5Aexists(hid_t, *const c_char) -> htri_t;
        H5Adelete(hid_t, *const c_char) -> herr_t;
        H5Aget_name(hid_t, size_t, *mut c_char) -> ssize_t;
        H5Aget_type(hid_t) -> hid_t;
        H5Aget_space(hid_t) -> hid_t;
        H5Aread(hid_t, hid_t, *mut c_void) -> herr_t;
        H5Awrite(hid_t, hid_t, *const c_void) -> herr_t;
    }
    h5d::{
        H5Dcreate2(hid_t, *const c_char, hid_t, hid_t, hid_t, hid_t, hid_t) -> hid_t;
        H5Dopen2(hid_t, *const c_char, hid_t) -> hid_t;
        H5Dget_space(hid_t) -> hid_t;
        H5Dget_type(hid_t) -> hid_t;
        H5Dget_create_plist(hid_t) -> hid_t;
        H5Dget_storage_size(hid_t) -> hsize_t;
        H5Dchunk_iter(hid_t, hid_t, H5D_chunk_iter_op_t, *mut c_void) -> herr_t;
        H5Dread(hid_t, hid_t, hid_t, hid_t, hid_t, *mut c_void) -> herr_t;
        H5Dwrite(hid_t, hid_t, hid_t, hid_t, hid_t, *const c_void) -> herr_t;
        H5Dset_extent(hid_t, *const hsize_t) -> herr_t;
        H5Dwrite_chunk(hid_t, hid_t, u32, *const hsize_t, size_t, *const c_void) -> herr_t;
    }
    h5e::{
        H5Eset_auto2(hid_t, H5E_auto2_t, *mut c_void) -> herr_t;
        H5Ewalk2(hid_t, H5E_direction_t, H5E_walk2_t, *mut c_void) -> herr_t;
        H5Eclear2(hid_t) -> herr_t;
    }
    h5f::{
        H5Fcreate(*const c_char, c_uint, hid_t, hid_t) -> hid_t;
        H5Fopen(*const c_char, c_uint, hid_t) -> hid_t;
        H5Fflush(hid_t, hdf5_sys::h5f::H5F_scope_t) -> herr_t;
        H5Fget_vfd_handle(hid_t, hid_t, *mut *mut c_void) -> herr_t;
        H5Fclose(hid_t) -> herr_t;
    }
    h5g::{
        H5Gcreate2(hid_t, *const c_char, hid_t, hid_t, hid_t) -> hid_t;
        H5Gopen2(hid_t, *const c_char, hid_t) -> hid_t;
        H5Gget_create_plist(hid_t) -> hid_t;
    }
    h5i::{
        H5Idec_ref(hid_t) -> c_int;
    }
    h5l::{
        H5Lmove(hid_t, *const c_char, hid_t, *const c_char, hid_t, hid_t) -> herr_t;
        H5Ldelete(hid_t, *const c_char, hid_t) -> herr_t;
        H5Lcreate_soft(*const c_char, hid_t, *const c_char, hid_t, hid_t) -> herr_t;
        H5Lcopy(hid_t, *const c_char, hid_t, *const c_char, hid_t, hid_t) -> herr_t;
    }
    h5o::{
        H5Oopen(hid_t, *const c_char, hid_t) -> hid_t;
        H5Olink(hid_t, hid_t, *const c_char, hid_t, hid_t) -> herr_t;
    }
    h5p::{
        H5Pcreate(hid_t) -> hid_t;
        H5Pset_driver(hid_t, hid_t, *const c_void) -> herr_t;
        H5Pset_libver_bounds(hid_t, H5F_libver_t, H5F_libver_t) -> herr_t;
        H5Pset_meta_block_size(hid_t, hsize_t) -> herr_t;
        H5Pset_small_data_block_size(hid_t, hsize_t) -> herr_t;
        H5Pset_sieve_buf_size(hid_t, size_t) -> herr_t;
        H5Pset_fclose_degree(hid_t, hdf5_sys::h5f::H5F_close_degree_t) -> herr_t;
        H5Pset_userblock(hid_t, hsize_t) -> herr_t;
        H5Pset_link_creation_order(hid_t, c_uint) -> herr_t;
        H5Pget_link_creation_order(hid_t, *mut c_uint) -> herr_t;
        H5Pset_attr_creation_order(hid_t, c_uint) -> herr_t;
        H5Pset_obj_track_times(hid_t, hbool_t) -> herr_t;
        H5Pset_char_encoding(hid_t, H5T_cset_t) -> herr_t;
        H5Pset_layout(hid_t, H5D_layout_t) -> herr_t;
        H5Pget_chunk(hid_t, c_int, *mut hsize_t) -> c_int;
        H5Pset_chunk(hid_t, c_int, *const hsize_t) -> herr_t;
        H5Pget_chunk_opts(hid_t, *mut c_uint) -> herr_t;
        H5Pget_nfilters(hid_t) -> c_int;
        H5Pget_filter2(hid_t, c_uint, *mut c_uint, *mut size_t, *mut c_uint, size_t, *mut c_char, *mut c_uint) -> c_int;
        H5Pset_filter(hid_t, c_int, c_uint, size_t, *const c_uint) -> herr_t;
        H5Pset_virtual(hid_t, hid_t, *const c_char, *const c_char, hid_t) -> herr_t;
        H5Pget_external_count(hid_t) -> c_int;
        H5Pget_external(hid_t, c_uint, size_t, *mut c_char, *mut libc::off_t, *mut hsize_t) -> herr_t;
        H5Pset_fill_value(hid_t, hid_t, *const c_void) -> herr_t;
        H5Pset_fill_time(hid_t, H5D_fill_time_t) -> herr_t;
        H5Pset_alloc_time(hid_t, H5D_alloc_time_t) -> herr_t;
    }
    h5pl::{
        H5PLsize(*mut c_uint) -> herr_t;
        H5PLget(c_uint, *mut c_char, size_t) -> ssize_t;
    }
    h5r::{
        H5Rcreate(*mut c_void, hid_t, *const c_char, H5R_type_t, hid_t) -> herr_t;
    }
    h5s::{
        H5Screate(H5S_class_t) -> hid_t;
        H5Screate_simple(c_int, *const hsize_t, *const hsize_t) -> hid_t;
        H5Scopy(hid_t) -> hid_t;
        H5Sget_simple_extent_ndims(hid_t) -> c_int;
        H5Sget_simple_extent_dims(hid_t, *mut hsize_t, *mut hsize_t) -> c_int;
        H5Sselect_all(hid_t) -> herr_t;
        H5Sselect_none(hid_t) -> herr_t;
        H5Sselect_elements(hid_t, H5S_seloper_t, size_t, *const hsize_t) -> herr_t;
        H5Sselect_hyperslab(hid_t, H5S_seloper_t, *const hsize_t, *const hsize_t, *const hsize_t, *const hsize_t) -> herr_t;
    }
    h5t::{
        H5Tcopy(hid_t) -> hid_t;
        H5Tencode(hid_t, *mut c_void, *mut size_t) -> herr_t;
        H5Tdecode1(*const c_void) -> hid_t;
        H5Tequal(hid_t, hid_t) -> htri_t;
        H5Tget_size(hid_t) -> size_t;
        H5Tset_size(hid_t, size_t) -> herr_t;
        H5Tset_order(hid_t, H5T_order_t) -> herr_t;
        H5Tset_cset(hid_t, H5T_cset_t) -> herr_t;
        H5Tset_strpad(hid_t, H5T_str_t) -> herr_t;
        H5Tis_variable_str(hid_t) -> htri_t;
        H5Tdetect_class(hid_t, H5T_class_t) -> htri_t;
        H5Tget_super(hid_t) -> hid_t;
        H5Tget_nmembers(hid_t) -> c_int;
        H5Tget_member_type(hid_t, c_uint) -> hid_t;
        H5Tcommit_anon(hid_t, hid_t, hid_t, hid_t) -> herr_t;
        H5Treclaim(hid_t, hid_t, hid_t, *mut c_void) -> herr_t;
    }
    h5z::{
        H5Zregister(*const c_void) -> herr_t;
        H5Zfilter_avail(c_int) -> htri_t;
    }
    declared_here::{
        H5Z_register(*const c_void) -> herr_t;
        H5DSset_scale(hid_t, *const c_char) -> herr_t;
        H5DSattach_scale(hid_t, hid_t, c_uint) -> herr_t;
        H5DSdetach_scale(hid_t, hid_t, c_uint) -> herr_t;
        H5Oset_comment(hid_t, *const c_char) -> herr_t;
        H5Lis_registered(c_int) -> htri_t;
        H5Lcreate_ud(hid_t, *const c_char, c_int, *const c_void, size_t, hid_t, hid_t) -> herr_t;
        H5Lregister(*const LinkClass) -> herr_t;
        H5PLset_loading_state(c_uint) -> herr_t;
        H5PLget_loading_state(*mut c_uint) -> herr_t;
        H5Dget_chunk_index_type(hid_t, *mut c_int) -> herr_t;
        H5Dget_chunk_storage_size(hid_t, *const hsize_t, *mut hsize_t) -> herr_t;
        H5Fset_libver_bounds(hid_t, H5F_libver_t, H5F_libver_t) -> herr_t;
        H5Oget_info3(hid_t, *mut ObjectInfo, c_uint) -> herr_t;
        H5Pget_layout(hid_t) -> c_int;
        H5Sget_simple_extent_type(hid_t) -> c_int;
        H5Tget_class(hid_t) -> c_int;
        H5FDregister(*const crate::ffi::driver::DriverClass) -> hid_t;
    }
}

/// The functions to call.
pub(crate) fn table() -> &'static Hdf5Api {
    &BUNDLED
}
