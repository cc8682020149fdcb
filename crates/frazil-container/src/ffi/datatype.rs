//! Datatypes: what one element is.

use std::ptr::null_mut;

use frazil_types::ElementClass;
use hdf5_sys::h5i::hid_t;
use hdf5_sys::h5t::{H5T_class_t, H5T_cset_t, H5T_order_t, H5T_str_t};

use super::dataspace;
use super::handle::{DEFAULT, Handle, api, check, failure, own, truth};
use super::known::{Class, DATATYPE_CLASSES, known};
use super::property::PropertyList;
use crate::error::{ContainerError, Result};
use crate::lock::library_lock;
use frazil_hdf5::{Extent, TypeDescription};

/// An owned datatype.
#[derive(Debug)]
pub(crate) struct Datatype(Handle);

impl Datatype {
    pub(super) fn from_handle(handle: Handle) -> Self {
        Self(handle)
    }

    pub(super) fn id(&self) -> hid_t {
        self.0.id()
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.0
    }

    /// A predefined type, by the library's own identifier.
    fn predefined(id: hid_t) -> Result<Self> {
        let _guard = library_lock();
        api();
        // SAFETY: a predefined type of the initialised library.
        own(unsafe { (api().H5Tcopy)(id) }, "copy datatype").map(Self)
    }

    /// A little-endian type for a plain number of this class and size.
    pub(crate) fn little_endian(class: ElementClass, size_bytes: usize) -> Result<Self> {
        use hdf5_sys::h5t::{
            H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_STD_I8LE, H5T_STD_I16LE, H5T_STD_I32LE,
            H5T_STD_I64LE, H5T_STD_U8LE, H5T_STD_U16LE, H5T_STD_U32LE, H5T_STD_U64LE,
        };
        api();
        let id = match (class, size_bytes) {
            (ElementClass::SignedInteger, 1) => *H5T_STD_I8LE,
            (ElementClass::SignedInteger, 2) => *H5T_STD_I16LE,
            (ElementClass::SignedInteger, 4) => *H5T_STD_I32LE,
            (ElementClass::SignedInteger, 8) => *H5T_STD_I64LE,
            (ElementClass::UnsignedInteger, 1) => *H5T_STD_U8LE,
            (ElementClass::UnsignedInteger, 2) => *H5T_STD_U16LE,
            (ElementClass::UnsignedInteger, 4) => *H5T_STD_U32LE,
            (ElementClass::UnsignedInteger, 8) => *H5T_STD_U64LE,
            (ElementClass::Float, 4) => *H5T_IEEE_F32LE,
            (ElementClass::Float, 8) => *H5T_IEEE_F64LE,
            _ => {
                return Err(ContainerError::Internal(format!(
                    "no plain number of class {class:?} and {size_bytes} bytes"
                )));
            }
        };
        Self::predefined(id)
    }

    /// As [`Self::little_endian`], in the other order.
    pub(crate) fn big_endian(class: ElementClass, size_bytes: usize) -> Result<Self> {
        let number = Self::little_endian(class, size_bytes)?;
        let _guard = library_lock();
        // SAFETY: a number type of our own.
        let status = unsafe { (api().H5Tset_order)(number.id(), H5T_order_t::H5T_ORDER_BE) };
        check(status, "set byte order")?;
        Ok(number)
    }

    /// `H5T_IEEE_F32BE`: what netCDF-C gives to dimensions without a variable.
    pub(crate) fn float32_big_endian() -> Result<Self> {
        api();
        Self::predefined(*hdf5_sys::h5t::H5T_IEEE_F32BE)
    }

    /// Fixed-length text of `bytes` (at least 1), NUL-terminated as netCDF-C writes it.
    pub(crate) fn text(bytes: usize, utf8: bool) -> Result<Self> {
        api();
        let text = Self::predefined(*hdf5_sys::h5t::H5T_C_S1)?;
        let _guard = library_lock();
        // SAFETY: a string type of our own.
        unsafe {
            check((api().H5Tset_size)(text.id(), bytes), "set text size")?;
            check(
                (api().H5Tset_strpad)(text.id(), H5T_str_t::H5T_STR_NULLTERM),
                "set padding",
            )?;
            if utf8 {
                check(
                    (api().H5Tset_cset)(text.id(), H5T_cset_t::H5T_CSET_UTF8),
                    "set encoding",
                )?;
            }
        }
        Ok(text)
    }

    /// Text of any length in UTF-8: netCDF's `NC_STRING`.
    pub(crate) fn variable_text() -> Result<Self> {
        /// `H5T_VARIABLE`.
        const VARIABLE: usize = usize::MAX;
        Self::text(VARIABLE, true)
    }

    /// Whether two types are the same.
    pub(crate) fn equals(&self, other: &Self) -> Result<bool> {
        let _guard = library_lock();
        // SAFETY: live datatypes.
        truth(
            unsafe { (api().H5Tequal)(self.id(), other.id()) },
            "compare datatypes",
        )
    }

    /// A modifiable copy in memory form: variable-length parts become pointers on reading.
    ///
    /// It goes through the type's bytes. A copy by `H5Tcopy` alone still says that its message lies in its
    /// file's heap of shared messages; an object of another file made with it could not be read.
    pub(crate) fn memory_copy(&self) -> Result<Self> {
        let _guard = library_lock();
        let mut size = 0;
        // SAFETY: a live datatype; without a buffer only the size is stored.
        let status = unsafe { (api().H5Tencode)(self.id(), null_mut(), &raw mut size) };
        check(status, "measure datatype")?;
        let mut bytes = vec![0_u8; size];
        // SAFETY: the buffer has the size that libhdf5 named for this type.
        let status =
            unsafe { (api().H5Tencode)(self.id(), bytes.as_mut_ptr().cast(), &raw mut size) };
        check(status, "encode datatype")?;
        // SAFETY: bytes that libhdf5 has just encoded.
        unsafe { Self::decode(&bytes) }
    }

    /// A type in memory form; `None` if HDF5 1.8 does not know it.
    pub(crate) fn in_memory(datatype: &TypeDescription) -> Result<Option<Self>> {
        /// `H5O_DTYPE_ID` and `H5T_ENCODE_VERSION`, with which libhdf5 begins an encoded type.
        const BEGIN: [u8; 2] = [3, 0];
        let in_memory = datatype.clone().in_memory();
        let Some(message) = in_memory.to_message() else {
            return Ok(None);
        };
        let _guard = library_lock();
        // SAFETY: a whole message of a type, encoded here.
        let made = unsafe { Self::decode(&[&BEGIN[..], &message].concat()) }?;
        match made.size_bytes()? == in_memory.size_bytes {
            true => Ok(Some(made)),
            false => Err(ContainerError::Internal(
                "libhdf5 has another size for a type".to_owned(),
            )),
        }
    }

    /// Decodes an encoded type.
    ///
    /// # Safety
    /// The bytes are a whole encoded type: libhdf5 is not told how many they are.
    unsafe fn decode(bytes: &[u8]) -> Result<Self> {
        // SAFETY: promised by the caller.
        let decoded = unsafe { (api().H5Tdecode1)(bytes.as_ptr().cast()) };
        let decoded = own(decoded, "decode datatype")?;
        // What was decoded is in disk form below its outermost level; a copy is in memory form.
        // SAFETY: a live datatype.
        own(unsafe { (api().H5Tcopy)(decoded.id()) }, "copy datatype").map(Self)
    }

    /// Bytes of one element.
    pub(crate) fn size_bytes(&self) -> Result<usize> {
        let _guard = library_lock();
        // SAFETY: a live datatype.
        match unsafe { (api().H5Tget_size)(self.id()) } {
            0 => Err(failure("read datatype size")),
            size => Ok(size),
        }
    }

    /// The class.
    pub(crate) fn class(&self) -> Result<Class> {
        let _guard = library_lock();
        // SAFETY: a live datatype.
        let class = unsafe { (api().H5Tget_class)(self.id()) };
        known(class, "class of a datatype", &DATATYPE_CLASSES)
    }

    /// Whether the type is or holds one of a class, at any depth.
    fn detects(&self, class: H5T_class_t) -> Result<bool> {
        let _guard = library_lock();
        // SAFETY: a live datatype.
        truth(
            unsafe { (api().H5Tdetect_class)(self.id(), class) },
            "inspect datatype",
        )
    }

    /// Whether the type holds references at any depth.
    pub(crate) fn holds_references(&self) -> Result<bool> {
        self.detects(H5T_class_t::H5T_REFERENCE)
    }

    /// Whether values of the type live (partly) in a heap.
    pub(crate) fn holds_variable_length(&self) -> Result<bool> {
        if self.detects(H5T_class_t::H5T_VLEN)? {
            return Ok(true);
        }
        // H5Tdetect_class calls variable-length strings strings; look for them one by one.
        match self.class()? {
            Class::String => self.is_variable_text(),
            Class::Array => self.base()?.holds_variable_length(),
            Class::Compound => {
                for i in 0..self.member_count()? {
                    if self.member(i)?.holds_variable_length()? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// Whether this is a variable-length string.
    pub(crate) fn is_variable_text(&self) -> Result<bool> {
        let _guard = library_lock();
        // SAFETY: a live datatype.
        truth(
            unsafe { (api().H5Tis_variable_str)(self.id()) },
            "inspect text type",
        )
    }

    /// Commits the type to a file without a name; [`super::link::link_object`] names it.
    pub(crate) fn commit(&self, location: &Handle, creation: &PropertyList) -> Result<()> {
        let _guard = library_lock();
        // SAFETY: live identifiers.
        let status =
            unsafe { (api().H5Tcommit_anon)(location.id(), self.id(), creation.0.id(), DEFAULT) };
        check(status, "commit datatype")
    }

    /// Base type of an array, enumeration or variable-length type.
    pub(crate) fn base(&self) -> Result<Self> {
        let _guard = library_lock();
        // SAFETY: a live datatype.
        own(unsafe { (api().H5Tget_super)(self.id()) }, "read base type").map(Self)
    }

    /// Members of a compound or enumeration.
    pub(crate) fn member_count(&self) -> Result<u32> {
        let _guard = library_lock();
        // SAFETY: a live datatype.
        let count = unsafe { (api().H5Tget_nmembers)(self.id()) };
        u32::try_from(count).map_err(|_| failure("count members"))
    }

    /// One member of a compound.
    fn member(&self, i: u32) -> Result<Self> {
        let _guard = library_lock();
        // SAFETY: a live compound type; the member number is checked by libhdf5.
        let id = unsafe { (api().H5Tget_member_type)(self.id(), i) };
        own(id, "read member type").map(Self)
    }

    /// Frees what libhdf5 allocated inside values of this (memory) type.
    pub(crate) fn reclaim(&self, extent: &Extent, mut values: Vec<u8>) -> Result<()> {
        if values.is_empty() || !self.holds_variable_length()? {
            return Ok(());
        }
        let space = dataspace::create(extent)?;
        let _guard = library_lock();
        // SAFETY: `values` holds the extent's elements as libhdf5 wrote them; they are given up.
        let status = unsafe {
            (api().H5Treclaim)(self.id(), space.id(), DEFAULT, values.as_mut_ptr().cast())
        };
        check(status, "free values")
    }
}
