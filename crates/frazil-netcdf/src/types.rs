//! What the calls take and return, beside numbers and names.

use frazil_container::schema::Text;
use std::ops::BitOr;

use frazil_container::classic::NcType;

use crate::user_types::UserValues;

/// Number of a group: the low 16 bits of a netCDF id. The root group is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct GroupNumber(pub u16);

impl GroupNumber {
    /// The root group.
    pub const ROOT: Self = Self(0);
}

/// `NC_GLOBAL`: the variable number that means the group itself.
pub const GLOBAL: i32 = -1;

/// `NC_STRING`, the one number type that is not in [`NcType`].
pub const STRING: i32 = 12;

/// `NC_FORMAT_NETCDF4_CLASSIC`.
pub const FORMAT_NETCDF4_CLASSIC: i32 = 4;
/// `NC_FORMAT_NETCDF4`.
pub(super) const FORMAT_NETCDF4: i32 = 3;

/// `NC_UNLIMITED`: the length of a dimension that grows.
pub const UNLIMITED: u64 = 0;

/// Flags of `nc_create` and `nc_open`, with netCDF-C's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Mode(pub i32);

impl Mode {
    /// `NC_NOWRITE`: read only.
    pub const NOWRITE: Self = Self(0);
    /// `NC_CLOBBER`: replace an existing file.
    pub const CLOBBER: Self = Self(0);
    /// `NC_WRITE`: read and write.
    pub const WRITE: Self = Self(0x0001);
    /// `NC_NOCLOBBER`: do not replace an existing file.
    pub const NOCLOBBER: Self = Self(0x0004);
    /// `NC_DISKLESS`: keep the file in memory; refused.
    pub const DISKLESS: Self = Self(0x0008);
    /// `NC_MMAP`: refused.
    pub const MMAP: Self = Self(0x0010);
    /// `NC_64BIT_DATA`: the CDF-5 format.
    pub const CDF5: Self = Self(0x0020);
    /// `NC_CLASSIC_MODEL`: only what the classic formats can, in a netCDF-4 file.
    pub const CLASSIC_MODEL: Self = Self(0x0100);
    /// `NC_64BIT_OFFSET`: the CDF-2 format.
    pub const CDF2: Self = Self(0x0200);
    /// `NC_SHARE`: no buffering of classic files.
    pub const SHARE: Self = Self(0x0800);
    /// `NC_NETCDF4`: the netCDF-4 format.
    pub const NETCDF4: Self = Self(0x1000);
    /// `NC_INMEMORY`: refused.
    pub const INMEMORY: Self = Self(0x8000);

    /// Whether a flag is among these.
    #[must_use]
    pub fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }
}

impl BitOr for Mode {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Type of values in the caller's memory, native byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryType {
    /// `char` as text.
    Text,
    /// `signed char`
    SChar,
    /// `unsigned char`
    UChar,
    /// `short`
    Short,
    /// `unsigned short`
    UShort,
    /// `int`
    Int,
    /// `unsigned int`
    UInt,
    /// `long long`, and `long` where it has 64 bits.
    Int64,
    /// `unsigned long long`
    UInt64,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `char *`; such values go by the calls for strings.
    String,
}

impl MemoryType {
    /// The memory type whose values need no conversion to `nc_type`; `None`: no number or text.
    #[must_use]
    pub fn of_number(nc_type: i32) -> Option<Self> {
        if nc_type == STRING {
            return Some(Self::String);
        }
        let number = u32::try_from(nc_type).ok()?;
        NcType::from_number(number).map(Self::of)
    }

    /// The memory type whose values need no conversion to `nc_type`.
    #[must_use]
    pub fn of(nc_type: NcType) -> Self {
        match nc_type {
            NcType::Byte => Self::SChar,
            NcType::Char => Self::Text,
            NcType::Short => Self::Short,
            NcType::Int => Self::Int,
            NcType::Float => Self::Float,
            NcType::Double => Self::Double,
            NcType::UByte => Self::UChar,
            NcType::UShort => Self::UShort,
            NcType::UInt => Self::UInt,
            NcType::Int64 => Self::Int64,
            NcType::UInt64 => Self::UInt64,
        }
    }

    /// The external type whose values look the same; `None`: strings.
    #[must_use]
    pub fn nc_type(self) -> Option<NcType> {
        Some(match self {
            Self::Text => NcType::Char,
            Self::SChar => NcType::Byte,
            Self::UChar => NcType::UByte,
            Self::Short => NcType::Short,
            Self::UShort => NcType::UShort,
            Self::Int => NcType::Int,
            Self::UInt => NcType::UInt,
            Self::Int64 => NcType::Int64,
            Self::UInt64 => NcType::UInt64,
            Self::Float => NcType::Float,
            Self::Double => NcType::Double,
            Self::String => return None,
        })
    }

    /// Bytes of one element; a string is a pointer in C.
    #[must_use]
    pub fn size_bytes(self) -> usize {
        self.nc_type()
            .map_or(size_of::<usize>(), NcType::size_bytes)
    }
}

/// Which elements of a variable, and where they lie in memory. What is not given is as in
/// `nc_put_var`: the whole variable, every element, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Region<'a> {
    /// First element along each axis.
    pub start: Option<&'a [u64]>,
    /// Number of elements along each axis. Without it, but with a start: one element.
    pub count: Option<&'a [u64]>,
    /// Every how many-th element of the variable.
    pub stride: Option<&'a [i64]>,
    /// Distance in memory, in elements, between neighbours along each axis; may be negative.
    pub map: Option<&'a [i64]>,
}

/// Where a file that is written is between its making and its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// Whether define mode was left last.
    pub is_in_data_mode: bool,
    /// Whether `nc_enddef` was called, ever.
    pub is_ended: bool,
    /// Whether values were put.
    pub has_values: bool,
}

/// The memory that a [`Region`] covers, in elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemorySpan {
    /// Elements before the caller's pointer: not 0 only if a map has negative distances.
    pub before: usize,
    /// Elements from the caller's pointer on.
    pub after: usize,
}

impl MemorySpan {
    /// All elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.before + self.after
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What `nc_inq` says of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupInquiry {
    /// Dimensions defined in the group.
    pub dimensions: i32,
    /// Variables defined in the group.
    pub variables: i32,
    /// Attributes of the group.
    pub attributes: i32,
    /// Number of the (first) unlimited dimension of the group; -1: none.
    pub unlimited: i32,
}

/// What `nc_inq_dim` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DimensionInquiry {
    /// Its name.
    pub name: String,
    /// Its length; of an unlimited one, as of the last put.
    pub length: u64,
}

/// What `nc_inq_var` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableInquiry {
    /// Its name.
    pub name: String,
    /// `nc_type` of its elements.
    pub nc_type: i32,
    /// Its dimensions, slowest first.
    pub dimensions: Vec<i32>,
    /// Number of its attributes.
    pub attributes: i32,
}

/// What `nc_inq_att` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeInquiry {
    /// `nc_type` of its values.
    pub nc_type: i32,
    /// Number of values.
    pub length: u64,
}

/// A text as C has it; `None` is a NULL, which files can hold.
pub type CText = Option<Text>;

/// An attribute's values with their type, to be copied elsewhere. A text that is not there is an empty one.
#[derive(Debug, Clone, PartialEq)]
pub enum AttributeValues {
    /// Numbers or text bytes.
    Atomic(frazil_container::classic::AttributeValue),
    /// `NC_STRING`.
    Strings(Vec<Text>),
    /// Of a type that a program has defined.
    User(UserValues),
}

/// What `nc_inq_var_fill` says.
#[derive(Debug, Clone, PartialEq)]
pub struct FillInquiry {
    /// Whether elements that were never written hold nothing in particular.
    pub no_fill: i32,
    /// The fill value: one value of the variable's type, the type's own if none was set.
    pub value: AttributeValues,
}

/// How a variable is stored, with the values of `nc_inq_var_chunking`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Storage {
    /// `NC_CHUNKED`
    Chunked = 0,
    /// `NC_CONTIGUOUS`
    Contiguous = 1,
    /// `NC_COMPACT`
    Compact = 2,
}

/// What `nc_inq_var_deflate` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeflateInquiry {
    /// Whether bytes are shuffled.
    pub shuffle: bool,
    /// Whether values are deflated.
    pub deflate: bool,
    /// The level; 0 if they are not.
    pub level: i32,
}

/// A chunk cache: handed on where netCDF-C reads, kept for the caller's sake where frazil writes, whose
/// memory is set for a whole file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChunkCache {
    /// Bytes.
    pub size_bytes: u64,
    /// Number of slots.
    pub slots: u64,
    /// Preference for chunks read to the end, 0 to 1.
    pub preemption: f32,
}

impl Default for ChunkCache {
    /// netCDF-C's.
    fn default() -> Self {
        Self {
            size_bytes: 64 << 20,
            slots: 1000,
            preemption: 0.75,
        }
    }
}
