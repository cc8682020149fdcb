//! Values of types that programs define, as they are in a program's memory.

use std::ops::Deref;

use frazil_container::ContainerError;
use frazil_container::elements::Elements;
use frazil_container::model::{Expanded, TypeDescription};

use crate::status::{Answer, Refusal, Status};

/// Elements of a type, and what they point to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserValues {
    nc_type: i32,
    elements: Elements,
}

impl UserValues {
    pub(crate) fn new(nc_type: i32, elements: Elements) -> Self {
        Self { nc_type, elements }
    }

    /// Values of a type in memory from their expanded form.
    pub(crate) fn of(nc_type: i32, native: &TypeDescription, expanded: &Expanded) -> Answer<Self> {
        let elements = Elements::of(native, expanded.iter()).map_err(|error| refusal(&error))?;
        Ok(Self::new(nc_type, elements))
    }

    /// One value of zeros: numbers, and nothing behind pointers.
    pub(crate) fn zeros(nc_type: i32, native: &TypeDescription) -> Answer<Self> {
        let elements = Elements::zeros(1, native.size_bytes).map_err(|error| refusal(&error))?;
        Ok(Self::new(nc_type, elements))
    }

    /// The elements alone.
    #[must_use]
    pub fn into_elements(self) -> Elements {
        self.elements
    }

    /// `nc_type` of the elements.
    #[must_use]
    pub fn nc_type(&self) -> i32 {
        self.nc_type
    }
}

impl Deref for UserValues {
    type Target = Elements;

    fn deref(&self) -> &Elements {
        &self.elements
    }
}

fn refusal(error: &ContainerError) -> Refusal {
    let status = match error {
        ContainerError::Unsupported(_) => Status::ENOMEM,
        _ => Status::EHDFERR,
    };
    Refusal::new(status, error.to_string())
}
