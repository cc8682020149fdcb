//! What cannot be is refused by the call that brings it; one variable keeps no other out of the file.

use std::path::Path;

use super::read;
use super::script::options;
use crate::{
    DimensionLength, FilterRequest, LayoutRequest, VariableSettings, Writer, WriterOptions,
};
use frazil_container::classic::{AttributeValue, NcType};
use frazil_container::schema::{
    AttributeOwner, DimensionId, Schema, SchemaValue, ValueType, VariableId,
};
use frazil_file::error::Result;
use frazil_types::{ErrorCode, FilterPipeline, FilterSpec, PrecisionRequest, filter_id};

const FLOAT: ValueType = ValueType::Atomic(NcType::Float);

fn writer(folder: &Path) -> Writer {
    Writer::create(&folder.join("out.nc"), &options(64 << 20, 1)).unwrap()
}

fn x(writer: &mut Writer, length: u64) -> DimensionId {
    let fixed = DimensionLength::Fixed(length);
    writer.add_dimension(Schema::ROOT, "x", fixed).unwrap()
}

fn add(
    writer: &mut Writer,
    name: &str,
    dimension: DimensionId,
    settings: VariableSettings,
) -> Result<VariableId> {
    writer.add_variable(Schema::ROOT, name, FLOAT, &[dimension], settings)
}

fn rounded(set: impl FnOnce(&mut PrecisionRequest)) -> VariableSettings {
    let mut request = PrecisionRequest::default();
    set(&mut request);
    VariableSettings {
        precision: Some(request),
        ..VariableSettings::default()
    }
}

#[test]
fn names_that_netcdf_refuses_are_refused_for_every_kind_of_object() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = writer(folder.path());
    let fixed = DimensionLength::Fixed(2);
    let (root, owner) = (Schema::ROOT, AttributeOwner::Group(Schema::ROOT));
    let d = writer.add_dimension(root, "d", fixed).unwrap();
    let value = || SchemaValue::Atomic(AttributeValue::Int(vec![1]));
    writer.put_attribute(owner, "a", value()).unwrap();
    let before = writer.schema().clone();
    let long = "y".repeat(257);
    for name in [
        "", ".", "..", "-a", "(b", "a ", "a/b", "nl\n", "tab\t", "\u{7f}", &long,
    ] {
        let settings = VariableSettings::default;
        let outcomes = [
            writer.add_dimension(root, name, fixed).map(drop),
            writer.add_group(root, name).map(drop),
            add(&mut writer, name, d, settings()).map(drop),
            writer.put_attribute(owner, name, value()),
            writer.rename_attribute(owner, "a", name),
            writer.rename_dimension(d, name),
        ];
        for outcome in outcomes {
            assert_eq!(
                outcome.unwrap_err().code,
                ErrorCode::InvalidArgument,
                "{name:?}"
            );
        }
    }
    assert_eq!(*writer.schema(), before);
}

#[test]
fn names_are_written_composed_as_netcdf_looks_them_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = writer(folder.path());
    let fixed = DimensionLength::Fixed(2);
    writer
        .add_dimension(Schema::ROOT, "e\u{301}", fixed)
        .unwrap();
    assert_eq!(writer.schema().dimensions[0].name, "é");
    let again = writer.add_dimension(Schema::ROOT, "é", fixed);
    assert!(again.unwrap_err().cause.contains("already"));
}

#[test]
fn lengths_beyond_any_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = writer(folder.path());
    let root = Schema::ROOT;
    for length in [(1 << 60) + 1, 1 << 62, 3_u64.wrapping_neg(), u64::MAX - 1] {
        let grows = DimensionLength::Unlimited {
            expected: Some(length),
        };
        for length in [DimensionLength::Fixed(length), grows] {
            let error = writer.add_dimension(root, "n", length).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument);
        }
    }
    let negative = DimensionLength::Fixed(3_u64.wrapping_neg());
    let error = writer.add_dimension(root, "n", negative).unwrap_err();
    assert!(error.cause.contains("the length -3"), "{error}");

    let wide = x(&mut writer, 1 << 60);
    let settings = VariableSettings::default;
    assert!(add(&mut writer, "long", wide, settings()).is_ok());
    let axes = [wide, wide];
    let error = writer.add_variable(root, "square", FLOAT, &axes, settings());
    assert!(error.unwrap_err().cause.contains("2^63 bytes"));
    let many = [wide; 33];
    let error = writer.add_variable(root, "deep", FLOAT, &many, settings());
    assert!(error.unwrap_err().cause.contains("at most 32"));
}

#[test]
fn a_variable_grows_to_no_more_than_a_file_can_have() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = writer(folder.path());
    let wide = x(&mut writer, 1 << 30);
    let grows = DimensionLength::Unlimited { expected: None };
    let time = writer.add_dimension(Schema::ROOT, "time", grows).unwrap();
    let settings = VariableSettings::default();
    let v = writer
        .add_variable(Schema::ROOT, "v", FLOAT, &[time, wide], settings)
        .unwrap();
    let error = writer.put(v, &[1 << 40, 0], &[1, 1], None, &[0; 4]);
    assert_eq!(error.unwrap_err().code, ErrorCode::InvalidArgument);
    writer.put(v, &[0, 0], &[1, 1], None, &[0; 4]).unwrap();
    writer.close().unwrap();
}

#[test]
fn precision_that_the_type_has_not_is_refused_when_it_is_stated() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = writer(folder.path());
    let x = x(&mut writer, 5000);
    let digits = |digits| rounded(|request| request.significant_digits = Some(digits));
    let bits = |bits| rounded(|request| request.significant_bits = Some(bits));
    let absolute = |bound| rounded(|request| request.absolute_tolerance = Some(bound));
    for settings in [
        digits(0),
        digits(7),
        digits(12),
        digits(40),
        bits(24),
        bits(99),
    ] {
        assert!(add(&mut writer, "v", x, settings).is_err());
    }
    for bound in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(add(&mut writer, "v", x, absolute(bound)).is_err());
    }
    let v = add(&mut writer, "v", x, digits(6)).unwrap();
    let error = writer.set_settings(v, digits(7)).unwrap_err();
    assert!(error.cause.contains("1 to 6"), "{error}");
    add(&mut writer, "w", x, bits(23)).unwrap();
    let double = ValueType::Atomic(NcType::Double);
    let mut doubles =
        |name, settings| writer.add_variable(Schema::ROOT, name, double, &[x], settings);
    assert!(doubles("d", digits(16)).is_err());
    assert!(doubles("d", bits(53)).is_err());
    doubles("d", digits(15)).unwrap();
    writer.close().unwrap();
}

#[test]
fn chunks_and_filters_that_cannot_be_are_refused_when_they_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = writer(folder.path());
    let x = x(&mut writer, 1 << 40);
    let chunked = |edge| VariableSettings {
        layout: LayoutRequest::Chunked(vec![edge]),
        ..VariableSettings::default()
    };
    for edge in [0, (1 << 40) + 1, 1 << 32] {
        let error = add(&mut writer, "v", x, chunked(edge)).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument, "{error}");
    }
    let too_much = add(&mut writer, "v", x, chunked(1 << 24)).unwrap_err();
    assert_eq!(too_much.code, ErrorCode::MemoryBudget);
    let contiguous = VariableSettings {
        layout: LayoutRequest::Contiguous,
        ..VariableSettings::default()
    };
    let too_much = add(&mut writer, "v", x, contiguous).unwrap_err();
    assert_eq!(too_much.code, ErrorCode::MemoryBudget);
    let filters = |spec| VariableSettings {
        filters: FilterRequest::Exactly(FilterPipeline(vec![spec])),
        ..chunked(1000)
    };
    for spec in [
        FilterSpec::new(31_999, vec![]),
        FilterSpec::new(filter_id::SZIP, vec![4, 7]),
    ] {
        assert!(add(&mut writer, "v", x, filters(spec)).is_err());
    }
    let deflate = FilterSpec::new(filter_id::DEFLATE, vec![4]);
    let v = add(&mut writer, "v", x, filters(deflate)).unwrap();
    writer.put(v, &[0], &[2], None, &[0; 8]).unwrap();
    writer.close().unwrap();
}

#[test]
fn a_file_of_the_classic_model_gets_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let options = WriterOptions {
        classic_model: true,
        ..options(64 << 20, 1)
    };
    let mut writer = Writer::create(&folder.path().join("out.nc"), &options).unwrap();
    let grows = DimensionLength::Unlimited { expected: None };
    let root = Schema::ROOT;
    let time = writer.add_dimension(root, "time", grows).unwrap();
    let settings = VariableSettings::default;
    assert!(writer.add_dimension(root, "more", grows).is_err());
    assert!(writer.add_group(root, "g").is_err());
    for value_type in [ValueType::String, ValueType::Atomic(NcType::UShort)] {
        let outcome = writer.add_variable(root, "v", value_type, &[time], settings());
        assert!(outcome.unwrap_err().cause.contains("classic model"));
    }
    let value = SchemaValue::Atomic(AttributeValue::Int64(vec![1]));
    assert!(
        writer
            .put_attribute(AttributeOwner::Group(root), "a", value)
            .is_err()
    );
    add(&mut writer, "v", time, settings()).unwrap();
    writer.close().unwrap();
}

/// Two variables of 3000 values; chunks of `bad` cannot be packed.
fn one_of_two(path: &Path, threads: usize) -> (Writer, VariableId, VariableId) {
    let mut writer = Writer::create(path, &options(64 << 20, threads)).unwrap();
    let x = x(&mut writer, 3000);
    let settings = || VariableSettings {
        layout: LayoutRequest::Chunked(vec![1000]),
        filters: FilterRequest::Exactly(FilterPipeline(vec![FilterSpec::new(
            filter_id::DEFLATE,
            vec![1],
        )])),
        ..VariableSettings::default()
    };
    let good = add(&mut writer, "good", x, settings()).unwrap();
    let bad = add(&mut writer, "bad", x, settings()).unwrap();
    writer.break_filters(bad);
    (writer, good, bad)
}

#[test]
fn a_variable_that_cannot_be_packed_keeps_no_other_out_of_the_file() {
    let values: Vec<u8> = (0..3000_u32)
        .flat_map(|n| (n as f32).to_le_bytes())
        .collect();
    for threads in [0, 2] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.nc");
        let (mut writer, good, bad) = one_of_two(&path, threads);
        // Its first chunk fails; where, is said when the file is committed.
        let _ = writer.put(bad, &[0], &[3000], None, &values);
        writer.put(good, &[0], &[3000], None, &values).unwrap();
        let error = writer.sync().unwrap_err();
        assert_eq!(error.variable.as_deref(), Some("/bad"), "{error}");
        assert!(
            error.cause.ends_with("all other variables are in the file"),
            "{error}"
        );
        writer
            .put(good, &[0], &[1], None, &7_f32.to_le_bytes())
            .unwrap();
        let error = writer.close().unwrap_err();
        assert_eq!(error.variable.as_deref(), Some("/bad"), "{error}");
        let (shape, found) = read(&path, "/good");
        assert_eq!(shape, [3000]);
        assert_eq!(found[..4], 7_f32.to_le_bytes());
        assert_eq!(found[4..], values[4..]);
    }
}
