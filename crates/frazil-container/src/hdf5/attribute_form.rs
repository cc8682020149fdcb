//! The form in which netCDF-C writes an attribute: type, shape, bytes.

use std::ffi::CString;

use crate::classic::{AttributeValue, NcType};
use crate::elements::Pinned;
use crate::error::{ContainerError, Result};
use crate::ffi::Handle;
use crate::ffi::attribute::{self, Attribute};
use crate::ffi::datatype::Datatype;
use crate::hdf5::committed_types::in_memory;
use crate::native::native;
use crate::schema::{DefinedType, SchemaType, SchemaValue};
use frazil_hdf5::Extent;

/// An attribute's value as it goes into a file.
pub(super) struct Form {
    datatype: Datatype,
    extent: Extent,
    /// Elements as they lie in memory.
    memory: Memory,
}

/// Elements, and what pointers among them lead to.
enum Memory {
    Plain(Vec<u8>),
    Texts(
        Vec<u8>,
        #[expect(dead_code, reason = "the bytes point to it")] Texts,
    ),
    /// In the form of the type that is theirs in memory.
    Elements(Datatype, Pinned),
}

impl Memory {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Plain(bytes) | Self::Texts(bytes, _) => bytes,
            Self::Elements(_, pinned) => &pinned.elements,
        }
    }
}

impl Form {
    /// A value of the netCDF-4 data model.
    pub(super) fn of(value: &SchemaValue, types: &[SchemaType]) -> Result<Self> {
        match value {
            SchemaValue::Defined(of, elements) => {
                let known = known_type(types, *of)?;
                let native = native(&known.datatype).ok_or_else(no_form)?;
                Ok(Self {
                    datatype: in_memory(&known.datatype)?,
                    extent: one_dimensional(elements.len()),
                    memory: Memory::Elements(in_memory(&native)?, elements.pinned()?),
                })
            }
            SchemaValue::Atomic(AttributeValue::Char(text)) => Self::text(text),
            SchemaValue::Atomic(value) => {
                let datatype = number_type(value.nc_type(), false)?;
                Self::numbers(datatype, little_endian_bytes(value))
            }
            SchemaValue::Strings(texts) => {
                let texts = Texts::new(texts)?;
                Ok(Self {
                    datatype: Datatype::variable_text()?,
                    extent: one_dimensional(texts.0.len()),
                    memory: Memory::Texts(texts.pointers(), texts),
                })
            }
        }
    }

    /// Text (`NC_CHAR`): one fixed-length string, or null if it is empty.
    pub(super) fn text(text: &[u8]) -> Result<Self> {
        let extent = if text.is_empty() {
            Extent::Null
        } else {
            Extent::Scalar
        };
        Ok(Self {
            datatype: Datatype::text(text.len().max(1), !text.is_ascii())?,
            extent,
            memory: Memory::Plain(text.to_vec()),
        })
    }

    /// A list of numbers, given in the bytes of `datatype`; null if it is empty.
    pub(super) fn numbers(datatype: Datatype, bytes: Vec<u8>) -> Result<Self> {
        let extent = one_dimensional(bytes.len() / datatype.size_bytes()?);
        Ok(Self {
            datatype,
            extent,
            memory: Memory::Plain(bytes),
        })
    }

    /// One `NC_INT` without a shape: what netCDF-C's own marks are.
    pub(super) fn mark(value: i32) -> Result<Self> {
        Ok(Self {
            datatype: number_type(NcType::Int, false)?,
            extent: Extent::Scalar,
            memory: Memory::Plain(value.to_le_bytes().to_vec()),
        })
    }

    /// Writes the value as a new attribute.
    pub(super) fn create(&self, object: &Handle, name: &str) -> Result<()> {
        let target = attribute::create(object, name, &self.datatype, &self.extent)?;
        self.write(&target)
    }

    fn write(&self, target: &Attribute) -> Result<()> {
        let datatype = match &self.memory {
            Memory::Elements(native, _) => native,
            Memory::Plain(_) | Memory::Texts(..) => &self.datatype,
        };
        target.write(datatype, &self.extent, self.memory.bytes())
    }

    /// Writes the value, in place of one that is there. An attribute of the same form keeps its
    /// place among the others, as in netCDF-C.
    pub(super) fn put(&self, object: &Handle, name: &str) -> Result<()> {
        let Some(present) = attribute::open_by_name(object, name)? else {
            return self.create(object, name);
        };
        if present.datatype()?.equals(&self.datatype)? && present.extent()? == self.extent {
            return self.write(&present);
        }
        drop(present);
        attribute::delete(object, name)?;
        self.create(object, name)
    }
}

/// Texts as C has them.
#[derive(Default)]
pub(super) struct Texts(Vec<CString>);

impl Texts {
    /// Copies texts.
    ///
    /// # Errors
    /// If one holds a NUL, where C would end it.
    pub(super) fn new<T: AsRef<[u8]>>(texts: &[T]) -> Result<Self> {
        let copies = texts.iter().map(|text| CString::new(text.as_ref()));
        let copies: std::result::Result<_, _> = copies.collect();
        copies.map(Self).map_err(|error| {
            let text = String::from_utf8_lossy(&error.into_vec()).into_owned();
            ContainerError::Unsupported(format!("{text:?} holds a NUL, which no string can"))
        })
    }

    /// Elements of a variable-length string type: addresses of the texts, which must live on while
    /// these bytes are used.
    pub(super) fn pointers(&self) -> Vec<u8> {
        let addresses = self.0.iter().map(|text| text.as_ptr().expose_provenance());
        addresses.flat_map(usize::to_ne_bytes).collect()
    }
}

/// The HDF5 type of a netCDF type.
pub(super) fn number_type(nc_type: NcType, is_big_endian: bool) -> Result<Datatype> {
    let (class, size_bytes) = (nc_type.element().class, nc_type.size_bytes());
    match nc_type {
        NcType::Char => Datatype::text(1, false),
        _ if is_big_endian && size_bytes > 1 => Datatype::big_endian(class, size_bytes),
        _ => Datatype::little_endian(class, size_bytes),
    }
}

/// The HDF5 type of a type that the program has defined.
pub(super) fn defined_type(types: &[SchemaType], of: DefinedType) -> Result<Datatype> {
    in_memory(&known_type(types, of)?.datatype)
}

fn known_type(types: &[SchemaType], of: DefinedType) -> Result<&SchemaType> {
    let known = types.get(of.id.0);
    known.ok_or_else(|| ContainerError::Internal(format!("type {} is not defined", of.id.0)))
}

fn no_form() -> ContainerError {
    ContainerError::Internal("a type that memory has no form for".to_owned())
}

fn little_endian_bytes(value: &AttributeValue) -> Vec<u8> {
    let mut bytes = value.to_be_bytes();
    for element in bytes.chunks_exact_mut(value.nc_type().size_bytes()) {
        element.reverse();
    }
    bytes
}

fn one_dimensional(elements: usize) -> Extent {
    if elements == 0 {
        return Extent::Null;
    }
    let elements = elements as u64;
    Extent::Simple {
        shape: vec![elements],
        max_shape: vec![Some(elements)],
    }
}
