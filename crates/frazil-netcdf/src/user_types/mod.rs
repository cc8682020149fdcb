//! Types that programs define: compounds, enumerations, sequences of any length, opaque bytes.
//!
//! netCDF-C numbers them in the order in which it meets them, and takes two of the same form for one: a
//! variable is of the first type that looks like its own, whatever name that has.

mod values;

use frazil_container::classic::NcType;
use frazil_container::model::{MemberDescription, TypeClass, TypeDescription};
use frazil_container::native::{self, native};
use frazil_types::ByteOrder;

pub use frazil_container::elements::{Elements, Pointer};
pub use values::UserValues;

use crate::names::MAX_NAME;
use crate::status::{Outcome, Status};
use crate::types::{GroupNumber, STRING};

/// `NC_FIRSTUSERTYPEID`
pub(crate) const FIRST_USER_TYPE: i32 = 32;

/// The types of a file, by their numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserTypes(Vec<UserType>);

/// A type that a program has defined.
#[derive(Debug, Clone, PartialEq)]
pub struct UserType {
    /// Its name.
    pub name: String,
    /// The group that it is in.
    pub group: GroupNumber,
    /// Bytes of an element in memory.
    pub size_bytes: usize,
    /// What elements are.
    pub kind: TypeKind,
    /// Whether elements point to something.
    pub is_indirect: bool,
    comparable: TypeDescription,
}

/// What elements of a type are.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeKind {
    /// Structures.
    Compound(Vec<Field>),
    /// Named integers.
    Enumeration {
        /// `nc_type` of the integers.
        base: i32,
        /// Names and values, in this machine's byte order.
        members: Vec<(String, Vec<u8>)>,
    },
    /// Any number of elements: `nc_vlen_t`.
    VariableLength {
        /// `nc_type` of the elements.
        base: i32,
    },
    /// Bytes.
    Opaque,
}

/// A member of a structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Where it begins, in bytes.
    pub offset: usize,
    /// `nc_type` of its elements.
    pub nc_type: i32,
    /// Its shape; none if it is one element.
    pub shape: Vec<i32>,
}

impl UserTypes {
    /// No types.
    pub(crate) const NONE: Self = Self(Vec::new());

    /// A type by its number.
    ///
    /// # Errors
    /// `NC_EBADTYPE`
    pub fn get(&self, nc_type: i32) -> Outcome<&UserType> {
        let index = usize::try_from(nc_type - FIRST_USER_TYPE).ok();
        let found = index.and_then(|index| self.0.get(index));
        found.ok_or(Status::EBADTYPE)
    }

    /// All with their numbers, in ascending order.
    pub fn all(&self) -> impl Iterator<Item = (i32, &UserType)> {
        (FIRST_USER_TYPE..).zip(&self.0)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of the first type in a group that is like a type of another file.
    pub(crate) fn first_like(
        &self,
        group: GroupNumber,
        (others, nc_type): (&Self, i32),
    ) -> Option<i32> {
        let mut here = self.all().filter(|(_, one)| one.group == group);
        let found = here.find(|&(number, _)| self.is_like(number, (others, nc_type)));
        found.map(|(number, _)| number)
    }

    /// Whether `nc_copy_att` takes a type of another file for one of this: both have the same name, and elements are
    /// the same in memory. As in netCDF-C, members may have other names.
    fn is_like(&self, nc_type: i32, (others, other): (&Self, i32)) -> bool {
        if nc_type < FIRST_USER_TYPE {
            return nc_type == other;
        }
        let (Ok(one), Ok(two)) = (self.get(nc_type), others.get(other)) else {
            return false;
        };
        let are_like = |one: i32, two: i32| self.is_like(one, (others, two));
        one.name == two.name
            && one.size_bytes == two.size_bytes
            && match (&one.kind, &two.kind) {
                (TypeKind::Compound(ours), TypeKind::Compound(theirs)) => {
                    let is_same = |(one, two): (&Field, &Field)| {
                        one.offset == two.offset
                            && one.shape == two.shape
                            && are_like(one.nc_type, two.nc_type)
                    };
                    ours.len() == theirs.len() && ours.iter().zip(theirs).all(is_same)
                }
                (
                    TypeKind::VariableLength { base: one },
                    TypeKind::VariableLength { base: two },
                ) => are_like(*one, *two),
                (TypeKind::Enumeration { .. } | TypeKind::Opaque, _) => one.kind == two.kind,
                _ => false,
            }
    }

    /// The number of the first type of the file that looks so in memory, among so many from the first on.
    pub(crate) fn number_among(&self, known: usize, native: &TypeDescription) -> Option<i32> {
        let comparable = native::comparable(native);
        let mut all = self.all().take(known);
        let found = all.find(|(_, known)| known.comparable == comparable);
        found.map(|(number, _)| number)
    }

    /// Adds a type as it lies in a file.
    ///
    /// # Errors
    /// What of it netCDF-C takes otherwise, or not at all.
    pub(crate) fn add(
        &mut self,
        name: &str,
        group: GroupNumber,
        stored: &TypeDescription,
    ) -> Result<(), &'static str> {
        let native = native(stored).ok_or("the kind")?;
        let kind = match (&native.class, &stored.class) {
            (TypeClass::Compound { members }, _) => {
                let fields = members
                    .iter()
                    .map(|member| self.field(&member.name, member.offset, &member.datatype));
                TypeKind::Compound(fields.collect::<Option<_>>().ok_or("a member")?)
            }
            (
                TypeClass::Enumeration { base, members },
                TypeClass::Enumeration { base: there, .. },
            ) if there.number_order() != Some(ByteOrder::Big) => TypeKind::Enumeration {
                base: self.nc_type_of(base).ok_or("the integers")?,
                members: members.iter().map(native_member).collect(),
            },
            (TypeClass::VariableLength { base }, _) => TypeKind::VariableLength {
                base: self.nc_type_of(base).ok_or("the elements")?,
            },
            (TypeClass::Opaque { .. }, _) => TypeKind::Opaque,
            _ => return Err("the kind"),
        };
        self.0.push(UserType {
            name: name.to_owned(),
            group,
            size_bytes: native.size_bytes,
            kind,
            is_indirect: native.is_indirect(),
            comparable: native::comparable(&native),
        });
        Ok(())
    }

    fn field(&self, name: &str, offset: usize, native: &TypeDescription) -> Option<Field> {
        let (one, shape) = match &native.class {
            TypeClass::Array { base, shape } => (&**base, &shape[..]),
            _ => (native, &[][..]),
        };
        let lengths = shape.iter().map(|&length| i32::try_from(length).ok());
        (name.len() <= MAX_NAME).then_some(Field {
            name: name.to_owned(),
            offset,
            nc_type: self.nc_type_of(one)?,
            shape: lengths.collect::<Option<_>>()?,
        })
    }

    /// Bytes of an element of a type, of netCDF's own or of one of these.
    pub(crate) fn element_bytes(&self, nc_type: i32) -> Outcome<usize> {
        match atomic(nc_type) {
            Some(atomic) => Ok(atomic.size_bytes()),
            None if nc_type == STRING => Ok(size_of::<usize>()),
            None => Ok(self.get(nc_type)?.size_bytes),
        }
    }

    /// Adds a type as a program begins to define it; its number.
    pub(crate) fn push(
        &mut self,
        name: &str,
        group: GroupNumber,
        size_bytes: usize,
        kind: TypeKind,
    ) -> i32 {
        let comparable = NcType::Byte.description();
        self.0.push(UserType {
            name: name.to_owned(),
            group,
            size_bytes,
            is_indirect: matches!(kind, TypeKind::VariableLength { .. }),
            kind,
            comparable,
        });
        let index = i32::try_from(self.0.len() - 1).unwrap_or(i32::MAX);
        FIRST_USER_TYPE.saturating_add(index)
    }

    fn get_mut(&mut self, nc_type: i32) -> Option<&mut UserType> {
        let index = usize::try_from(nc_type - FIRST_USER_TYPE).ok()?;
        self.0.get_mut(index)
    }

    /// Adds a member to a compound.
    pub(crate) fn insert_field(&mut self, nc_type: i32, field: Field) {
        let is_indirect =
            field.nc_type == STRING || self.get(field.nc_type).is_ok_and(|one| one.is_indirect);
        if let Some(one) = self.get_mut(nc_type)
            && let TypeKind::Compound(fields) = &mut one.kind
        {
            fields.push(field);
            one.is_indirect |= is_indirect;
        }
    }

    /// Adds a name to an enumeration.
    pub(crate) fn insert_member(&mut self, nc_type: i32, name: String, value: Vec<u8>) {
        if let Some(one) = self.get_mut(nc_type)
            && let TypeKind::Enumeration { members, .. } = &mut one.kind
        {
            members.push((name, value));
        }
    }

    /// A type is what it is from now on.
    pub(crate) fn settle(&mut self, nc_type: i32, datatype: &TypeDescription) {
        if let Some(one) = self.get_mut(nc_type) {
            one.comparable = native::comparable(datatype);
        }
    }

    /// What goes into a file for a type; `None`: one without members, which no file has.
    pub(crate) fn description(&self, nc_type: i32) -> Option<TypeDescription> {
        if let Some(atomic) = atomic(nc_type) {
            return Some(atomic.description());
        }
        if nc_type == STRING {
            return Some(native::string());
        }
        let one = self.get(nc_type).ok()?;
        let class = match &one.kind {
            TypeKind::Compound(fields) if fields.is_empty() => return None,
            TypeKind::Compound(fields) => {
                let members = fields.iter().map(|field| self.member(field));
                let members = members.collect::<Option<_>>()?;
                TypeClass::Compound { members }
            }
            TypeKind::Enumeration { members, .. } if members.is_empty() => return None,
            TypeKind::Enumeration { base, members } => TypeClass::Enumeration {
                base: Box::new(self.description(*base)?),
                members: members.iter().map(native_member).collect(),
            },
            TypeKind::VariableLength { base } => TypeClass::VariableLength {
                base: Box::new(self.description(*base)?),
            },
            TypeKind::Opaque => TypeClass::Opaque { tag: String::new() },
        };
        Some(TypeDescription {
            size_bytes: one.size_bytes,
            committed: None,
            class,
        })
    }

    fn member(&self, field: &Field) -> Option<MemberDescription> {
        let base = self.description(field.nc_type)?;
        let mut datatype = base;
        if !field.shape.is_empty() {
            let lengths = field.shape.iter().map(|&length| u64::try_from(length).ok());
            let shape: Vec<u64> = lengths.collect::<Option<_>>()?;
            let bytes =
                |bytes: usize, &length: &u64| bytes.checked_mul(usize::try_from(length).ok()?);
            datatype = TypeDescription {
                size_bytes: shape.iter().try_fold(datatype.size_bytes, bytes)?,
                committed: None,
                class: TypeClass::Array {
                    base: Box::new(datatype),
                    shape,
                },
            };
        }
        Some(MemberDescription {
            name: field.name.clone(),
            offset: field.offset,
            datatype,
        })
    }

    /// The number of a type in memory, of netCDF's own or of one that is there already.
    fn nc_type_of(&self, native: &TypeDescription) -> Option<i32> {
        if let Some(nc_type) = NcType::of(native) {
            return Some(nc_type.number().cast_signed());
        }
        match native.class {
            TypeClass::VariableText { .. } => Some(STRING),
            _ => self.number_among(usize::MAX, native),
        }
    }
}

impl UserType {
    /// What elements are in memory: the same for types that are the same, whatever their names and files.
    #[must_use]
    pub fn form(&self) -> &TypeDescription {
        &self.comparable
    }
}

fn atomic(nc_type: i32) -> Option<NcType> {
    NcType::from_number(u32::try_from(nc_type).ok()?)
}

/// The value in the other of this machine's byte order and little-endian.
fn native_member((name, value): &(String, Vec<u8>)) -> (String, Vec<u8>) {
    let mut value = value.clone();
    if cfg!(target_endian = "big") {
        value.reverse();
    }
    (name.clone(), value)
}
