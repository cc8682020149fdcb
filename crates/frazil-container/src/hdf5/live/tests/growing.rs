//! Files whose objects come, change and go between commits.

use std::path::Path;

use super::model::{atomic, atomic_type, commit, create, ncdump, reopened, strings, text};
use crate::classic::{AttributeValue, NcType};
use crate::commit::faults::{self, Fault};
use crate::error::Result;
use crate::hdf5::{Hdf5Input, Hyperslab, LiveOutput, recover};
use crate::schema::{
    AttributeOwner, DimensionId, Fill, GroupId, Schema, SchemaAttribute, Text, ValueType,
    VariableId,
};

const ROOT: GroupId = Schema::ROOT;

/// The file after the steps that were taken so far.
struct Life {
    output: LiveOutput,
    schema: Schema,
}

impl Life {
    /// Number of steps that there are.
    const STEPS: usize = 5;

    fn new(path: &Path) -> Self {
        Self {
            output: create(path),
            schema: Schema::default(),
        }
    }

    fn step(&mut self, number: usize) -> Result<()> {
        match number {
            0 => self.dimensions_without_variables(),
            1 => self.coordinates_of_known_dimensions()?,
            2 => self.groups_and_strings(),
            3 => self.attributes()?,
            _ => self.names()?,
        }
        commit(&mut self.output, &self.schema)
    }

    fn put(&mut self, owner: AttributeOwner, attribute: SchemaAttribute) -> Result<()> {
        self.output.put_attribute(owner, &attribute, &[])?;
        let all = self.schema.attributes_mut(owner);
        all.retain(|present| present.name != attribute.name);
        all.push(attribute);
        Ok(())
    }

    fn dimensions_without_variables(&mut self) {
        let schema = &mut self.schema;
        schema.groups[0].attributes.push(text("title", "growth"));
        let time = schema.with_dimension(ROOT, "time", None);
        let y = schema.with_dimension(ROOT, "y", Some(3));
        let x = schema.with_dimension(ROOT, "x", Some(4));
        let t = schema.with_variable(ROOT, "t", atomic_type(NcType::Float), &[time, y, x]);
        let t = &mut schema.variables[t.0];
        t.fill = Fill::Value(AttributeValue::Float(vec![-1.5]));
        t.attributes
            .push(atomic("_FillValue", AttributeValue::Float(vec![-1.5])));
        t.attributes.push(text("units", "K"));
    }

    fn coordinates_of_known_dimensions(&mut self) -> Result<()> {
        let schema = &mut self.schema;
        let [time, y, x] = [0, 1, 2].map(DimensionId);
        // Not in the order of the dimensions.
        let own_x = schema.with_variable(ROOT, "x", atomic_type(NcType::Short), &[x]);
        schema.variables[own_x.0].is_big_endian = true;
        schema.with_variable(ROOT, "time", atomic_type(NcType::Double), &[time]);
        // Two-dimensional.
        schema.with_variable(ROOT, "y", atomic_type(NcType::Int), &[y, x]);
        let first = VariableId(0);
        let extended = self.output.extend(first, &[1, 3, 4]);
        self.schema.dimensions[time.0].length = 1;
        extended
    }

    fn groups_and_strings(&mut self) {
        let schema = &mut self.schema;
        let x = DimensionId(2);
        let model = schema.with_group(ROOT, "model");
        let ocean = schema.with_group(model, "ocean");
        schema.with_group(model, "empty");
        schema.groups[ocean.0]
            .attributes
            .push(strings("authors", &["Ærø", "", "b"]));
        let depth = schema.with_dimension(model, "depth", Some(2));
        let own_x = schema.with_dimension(ocean, "x", Some(5));
        // The root's `x`, though there is one in the group: no coordinate of that.
        schema.with_variable(ocean, "x", atomic_type(NcType::UByte), &[x]);
        let salt = schema.with_variable(ocean, "salt", atomic_type(NcType::Int64), &[depth, own_x]);
        schema.variables[salt.0].fill = Fill::Nothing;
        schema.with_variable(model, "names", ValueType::String, &[depth]);
        schema.with_variable(ocean, "depth", ValueType::String, &[DimensionId(0), depth]);
        schema.with_variable(model, "letter", atomic_type(NcType::Char), &[]);
    }

    fn attributes(&mut self) -> Result<()> {
        let t = AttributeOwner::Variable(VariableId(0));
        let root = AttributeOwner::Group(ROOT);
        self.put(
            t,
            atomic("valid_range", AttributeValue::Float(vec![0.0, 400.0])),
        )?;
        self.put(t, text("units", "kelvin"))?;
        self.put(t, strings("comment", &["one\ntwo"]))?;
        self.put(root, strings("title", &["growth, again"]))?;
        self.put(root, text("nothing", ""))?;
        self.put(root, atomic("count", AttributeValue::UInt64(vec![7])))?;
        self.output.delete_attribute(t, "valid_range")?;
        self.schema.variables[0]
            .attributes
            .retain(|a| a.name != "valid_range");
        // One that is not there is gone already.
        self.output.delete_attribute(t, "valid_range")
    }

    fn names(&mut self) -> Result<()> {
        // A coordinate variable becomes an ordinary one.
        self.rename_variable(1, "easting")?;
        // A dimension leaves its coordinate variable behind, and the variable gives way.
        self.rename_dimension(1, "row")?;
        self.rename_variable(0, "row")?;
        // A variable becomes a coordinate variable.
        self.rename_dimension(1, "y")?;
        self.rename_dimension(1, "northing")?;
        self.rename_variable(3, "northing")?;
        let group = GroupId(2);
        let old = std::mem::replace(&mut self.schema.groups[group.0].name, "sea".to_owned());
        self.output.rename_group(&self.schema, group, &old)?;
        self.rename_dimension(3, "level")
    }

    fn rename_variable(&mut self, number: usize, new: &str) -> Result<()> {
        let variable = &mut self.schema.variables[number];
        let old = std::mem::replace(&mut variable.name, new.to_owned());
        let id = VariableId(number);
        self.output.rename_variable(&self.schema, id, &old)
    }

    fn rename_dimension(&mut self, number: usize, new: &str) -> Result<()> {
        let dimension = &mut self.schema.dimensions[number];
        let old = std::mem::replace(&mut dimension.name, new.to_owned());
        let id = DimensionId(number);
        self.output.rename_dimension(&self.schema, id, &old)
    }
}

#[test]
fn every_commit_is_a_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("growing.nc");
    let mut life = Life::new(&path);
    for number in 0..Life::STEPS {
        life.step(number).unwrap();
        assert_eq!(
            sorted(reopened(&path)),
            sorted(life.schema.clone()),
            "step {number}"
        );
        Hdf5Input::open(&path).unwrap();
        let header = ncdump(&path, &["-h", "-s"]);
        if let Some(header) = header {
            println!("{header}");
            check_header(number, &header);
        }
    }
    life.output.finish(false).unwrap();
    assert_eq!(sorted(reopened(&path)), sorted(life.schema));
}

/// Variables of other groups may come in another order.
fn sorted(mut schema: Schema) -> Schema {
    schema.variables.sort_by_key(|variable| variable.group);
    schema
}

fn check_header(step: usize, header: &str) {
    let has: &[&str] = match step {
        0 => &[
            "time = UNLIMITED ; // (0 currently)\ny = 3 ;\nx = 4 ;",
            "float t(time, y, x) ;\nt:_FillValue = -1.5f ;\nt:units = \"K\" ;",
            ":title = \"growth\" ;",
        ],
        1 => &[
            "time = UNLIMITED ; // (1 currently)\ny = 3 ;\nx = 4 ;",
            "short x(x) ;",
            "x:_Endianness = \"big\" ;",
            "double time(time) ;",
            "int y(y, x) ;",
        ],
        2 => &[
            "group: model {\ndimensions:\ndepth = 2 ;\nvariables:\nstring names(depth) ;",
            "char letter ;",
            "group: ocean {\ndimensions:\nx = 5 ;\nvariables:\n",
            // So ncdump writes a dimension of the root that has a namesake.
            "ubyte x(/model/x) ;",
            "int64 salt(depth, x) ;",
            "salt:_NoFill = \"true\" ;",
            "string depth(time, depth) ;",
            "string :authors = \"Ærø\", \"\", \"b\" ;",
            "} // group ocean",
        ],
        3 => &[
            "t:units = \"kelvin\" ;\nstring t:comment = \"one\\ntwo\" ;",
            "string :title = \"growth, again\" ;\n:nothing = \"\" ;\n:count = 7ULL ;",
        ],
        _ => &[
            "time = UNLIMITED ; // (1 currently)\nnorthing = 3 ;\nx = 4 ;",
            "float row(time, northing, x) ;",
            "short easting(x) ;",
            "double time(time) ;",
            "int northing(northing, x) ;",
            "group: sea {",
            "level = 2 ;",
            "int64 salt(level, x) ;",
            "string depth(time, level) ;",
        ],
    };
    for part in has {
        assert!(
            header.contains(part),
            "step {step}: no {part:?} in\n{header}"
        );
    }
    assert!(!header.contains("_nc4_non_coord_"));
}

/// Commits that define, rename and delete fail at every system call.
#[test]
fn a_failing_call_leaves_the_objects_of_the_last_commit() {
    let folder = tempfile::tempdir().unwrap();
    for number in 1..Life::STEPS {
        for call in 1.. {
            let path = folder.path().join(format!("{number}-{call}.nc"));
            let mut life = Life::new(&path);
            (0..number).for_each(|step| life.step(step).unwrap());
            let before = sorted(life.schema.clone());
            faults::plan(call, Fault::Fail(libc::ENOSPC));
            let outcome = life.step(number);
            let was_hit = faults::clear() >= call;
            let after = sorted(life.schema.clone());
            drop(life);
            recover(&path).unwrap();
            let found = sorted(reopened(&path));
            if outcome.is_ok() {
                assert_eq!(found, after);
            } else {
                assert!(
                    found == before || found == after,
                    "step {number}, call {call}"
                );
            }
            ncdump(&path, &["-h"]);
            if !was_hit {
                assert!(call > 3, "step {number} has {call} calls");
                break;
            }
        }
    }
}

#[test]
fn strings_and_numbers_are_written_by_parts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("values.nc");
    let mut output = create(&path);
    let mut schema = Schema::default();
    let time = schema.with_dimension(ROOT, "time", None);
    let x = schema.with_dimension(ROOT, "x", Some(5));
    let name = schema.with_variable(ROOT, "name", ValueType::String, &[time, x]);
    let single = schema.with_variable(ROOT, "single", ValueType::String, &[]);
    let number = schema.with_variable(ROOT, "number", atomic_type(NcType::Short), &[x]);
    schema.variables[number.0].is_big_endian = true;
    schema.variables[name.0]
        .attributes
        .push(strings("_FillValue", &["none"]));
    commit(&mut output, &schema).unwrap();
    output.extend(name, &[2, 5]).unwrap();
    let part = Hyperslab {
        start: &[1, 0],
        count: &[1, 3],
        stride: Some(&[1, 2]),
    };
    output
        .write_strings(name, Some(part), &["a", "", "ß"])
        .unwrap();
    output.write_strings(single, None, &["alone"]).unwrap();
    let scalar = Hyperslab::dense(&[], &[]);
    let read = |variable, slab| -> Vec<Text> {
        let texts = output.read_strings(variable, slab).unwrap();
        texts.into_iter().flatten().collect()
    };
    assert_eq!(read(single, Some(scalar)), ["alone"]);
    let odd = Hyperslab {
        start: &[1],
        count: &[2],
        stride: Some(&[2]),
    };
    output
        .write_values(number, Some(odd), &[1, 2, 3, 4])
        .unwrap();
    assert!(output.write_values(number, Some(odd), &[1, 2]).is_err());
    assert!(output.write_values(number, Some(scalar), &[1, 2]).is_err());
    assert!(output.read_values(number, Some(scalar)).is_err());
    assert!(output.write_strings(single, None, &["a\0b"]).is_err());
    assert!(output.write_strings(number, None, &["a"; 5]).is_err());
    let fill = (-32767_i16).to_be_bytes();
    let expected = [fill, [1, 2], fill, [3, 4], fill].concat();
    assert_eq!(output.read_values(number, None).unwrap(), expected);
    output.commit(false).unwrap();
    let all = [
        "none", "none", "none", "none", "none", "a", "none", "", "none", "ß",
    ];
    assert_eq!(read(name, None), all);
    // Over what was committed, again and again.
    for text in ["alone again", "", "a longer text than both of them"] {
        output.write_strings(single, None, &[text]).unwrap();
        output.commit(false).unwrap();
        assert_eq!(read(single, None), [text]);
    }
    output.finish(false).unwrap();
    let Some(dump) = ncdump(&path, &[]) else {
        return;
    };
    println!("{dump}");
    assert!(dump.contains("single = \"a longer text than both of them\" ;"));
    assert!(dump.contains("\"a\", _, \"\", _, \"ß\" ;"));
    assert!(dump.contains("number = _, 258, _, 772, _ ;"));
}
