//! Small models, written in a few words.

use std::path::Path;
use std::process::Command;

use crate::classic::{AttributeValue, NcType};
use crate::error::Result;
use crate::hdf5::{LiveOutput, OutputStorage};
use crate::schema::{
    DimensionId, Fill, GroupId, Schema, SchemaAttribute, SchemaDimension, SchemaGroup, SchemaValue,
    SchemaVariable, ValueType, VariableId,
};
use frazil_types::FilterPipeline;

pub(super) const BLOCK_BYTES: u64 = 512;

pub(super) fn text(name: &str, value: &str) -> SchemaAttribute {
    let value = AttributeValue::Char(value.as_bytes().to_vec());
    atomic(name, value)
}

pub(super) fn atomic(name: &str, value: AttributeValue) -> SchemaAttribute {
    let (name, value) = (name.to_owned(), SchemaValue::Atomic(value));
    SchemaAttribute { name, value }
}

pub(super) fn strings(name: &str, values: &[&str]) -> SchemaAttribute {
    let values = values.iter().map(|&value| value.into()).collect();
    let (name, value) = (name.to_owned(), SchemaValue::Strings(values));
    SchemaAttribute { name, value }
}

impl Schema {
    pub(super) fn with_group(&mut self, parent: GroupId, name: &str) -> GroupId {
        self.groups.push(SchemaGroup {
            name: name.to_owned(),
            parent: Some(parent),
            attributes: Vec::new(),
        });
        GroupId(self.groups.len() - 1)
    }

    /// A dimension; `None`: unlimited.
    pub(super) fn with_dimension(
        &mut self,
        group: GroupId,
        name: &str,
        length: Option<u64>,
    ) -> DimensionId {
        self.dimensions.push(SchemaDimension {
            name: name.to_owned(),
            group,
            length: length.unwrap_or(0),
            is_unlimited: length.is_none(),
        });
        DimensionId(self.dimensions.len() - 1)
    }

    pub(super) fn with_variable(
        &mut self,
        group: GroupId,
        name: &str,
        value_type: ValueType,
        dimensions: &[DimensionId],
    ) -> VariableId {
        self.variables.push(SchemaVariable {
            name: name.to_owned(),
            group,
            value_type,
            is_big_endian: false,
            dimensions: dimensions.to_vec(),
            fill: Fill::Default,
            attributes: Vec::new(),
        });
        VariableId(self.variables.len() - 1)
    }
}

pub(super) fn atomic_type(nc_type: NcType) -> ValueType {
    ValueType::Atomic(nc_type)
}

/// Defines what is not yet defined (chunked where it must be), and commits.
pub(super) fn commit(output: &mut LiveOutput, schema: &Schema) -> Result<()> {
    for id in (0..schema.variables.len()).map(VariableId) {
        if output.is_defined(id) {
            continue;
        }
        let storage = if schema.limits(id).contains(&None) {
            OutputStorage::Chunked {
                chunk: vec![2; schema.limits(id).len()],
                pipeline: FilterPipeline::default(),
            }
        } else {
            OutputStorage::Contiguous
        };
        output.define_variable(schema, id, &storage)?;
    }
    output.complete(schema)?;
    output.commit(false)
}

/// Creates an empty file to write.
pub(super) fn create(path: &Path) -> LiveOutput {
    std::fs::File::create(path).unwrap();
    LiveOutput::create_empty(path, false, BLOCK_BYTES).unwrap()
}

/// The objects of a file as appending sees them.
pub(super) fn reopened(path: &Path) -> Schema {
    let copy = path.with_extension("copy");
    std::fs::copy(path, &copy).unwrap();
    let (output, found) = LiveOutput::open(&copy, BLOCK_BYTES).unwrap();
    drop(output);
    std::fs::remove_file(&copy).unwrap();
    found.schema
}

/// The file as stock `ncdump` prints it, without indents; `None`: it is not installed.
pub(super) fn ncdump(path: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("ncdump").args(arguments).arg(path).output();
    let output = match output {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: there is no ncdump");
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().skip(1).map(str::trim);
    Some(
        lines
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

/// A netCDF-4 file that stock `ncgen` makes of CDL; false: it is not installed.
pub(super) fn ncgen(path: &Path, cdl: &str) -> bool {
    let source = path.with_extension("cdl");
    std::fs::write(&source, cdl).unwrap();
    let outcome = Command::new("ncgen")
        .args(["-4", "-o"])
        .arg(path)
        .arg(&source)
        .status();
    match outcome {
        Ok(status) => {
            assert!(status.success());
            true
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: there is no ncgen");
            false
        }
        Err(error) => panic!("{error}"),
    }
}
