//! Requests for the filters of variables: by rules, and by a variable's own settings.

use std::path::Path;

use frazil_container::classic::AttributeValue;
use serde_json::json;

use super::script::options;
use crate::{
    DimensionLength, FilterRequest, LayoutRequest, VariableSettings, Writer, WriterOptions,
};
use frazil_container::classic::NcType;
use frazil_container::schema::{AttributeOwner, Schema, SchemaValue, ValueType, VariableId};
use frazil_file::error::{Error, Result};
use frazil_plan::Goal;
use frazil_precision::rules::VariableRule;
use frazil_types::{
    ErrorCode, FilterConstraints, FilterPipeline, FilterSpec, ReaderLevel, filter_id,
};

const ROW: u64 = 40_000;

fn rule(pattern: &str, stated: serde_json::Value) -> VariableRule {
    let serde_json::Value::Object(stated) = stated else {
        panic!("a rule is an object")
    };
    VariableRule::from_json(vec![pattern.to_owned()], stated).unwrap()
}

/// For archives, by readers with plugins.
fn ruled(rules: Vec<VariableRule>) -> WriterOptions {
    WriterOptions {
        goal: Goal::Archive,
        readable_by: ReaderLevel::Plugins,
        rules,
        ..options(64 << 20, 2)
    }
}

fn create(
    path: &Path,
    options: &WriterOptions,
    settings: VariableSettings,
) -> Result<(Writer, VariableId)> {
    let mut writer = Writer::create(path, options)?;
    let grows = DimensionLength::Unlimited { expected: None };
    let time = writer.add_dimension(Schema::ROOT, "time", grows)?;
    let x = writer.add_dimension(Schema::ROOT, "x", DimensionLength::Fixed(ROW))?;
    let float = ValueType::Atomic(NcType::Float);
    let v = writer.add_variable(Schema::ROOT, "v", float, &[time, x], settings)?;
    Ok((writer, v))
}

/// Smooth, with noise in the last bits.
fn record(number: u64) -> Vec<u8> {
    let value = |i: u64| {
        let noise = (i.wrapping_mul(2_654_435_761) >> 12) % 1000;
        280.0 + 20.0 * ((i + 7 * number) as f32 / 900.0).sin() + noise as f32 * 1e-4
    };
    (0..ROW).map(value).flat_map(f32::to_le_bytes).collect()
}

/// Filters and why, of a file that was written so.
fn written(options: &WriterOptions, settings: VariableSettings) -> Result<(String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.nc");
    let (mut writer, v) = create(&path, options, settings)?;
    let mut all = Vec::new();
    for number in 0..8 {
        all.extend(record(number));
        writer.put(v, &[number, 0], &[1, ROW], None, &record(number))?;
    }
    writer.sync()?;
    let plan = writer.plan()?;
    writer.close()?;
    assert!(super::read(&path, "/v").1 == all);
    let variable = &plan.variables[0];
    Ok((variable.pipeline.summary(), variable.reason.clone()))
}

fn refused(options: &WriterOptions, settings: VariableSettings) -> Error {
    written(options, settings).unwrap_err()
}

fn own(stated: serde_json::Value) -> VariableSettings {
    VariableSettings {
        demand: rule("v", stated).demand,
        ..VariableSettings::default()
    }
}

/// The chunk shape of a file that was written so.
fn chunk(options: &WriterOptions, settings: VariableSettings) -> Result<Option<Vec<u64>>> {
    let folder = tempfile::tempdir().unwrap();
    let (mut writer, v) = create(&folder.path().join("v.nc"), options, settings)?;
    writer.put(v, &[0, 0], &[1, ROW], None, &record(0))?;
    let report = writer.close()?;
    Ok(report.variables[0].chunk.clone())
}

#[test]
fn rules_state_chunk_shapes() {
    let of = |rules: &[VariableRule]| {
        let all = ruled(rules.to_vec());
        chunk(&all, VariableSettings::default())
    };
    let ours = of(&[]).unwrap().unwrap();
    let all = rule("*", json!({"chunks": {"time": 3, "lev": 7}}));
    assert_eq!(
        of(std::slice::from_ref(&all)).unwrap(),
        Some(vec![3, ours[1]])
    );
    let named = rule("v", json!({"chunks": {"x": 500}}));
    assert_eq!(of(&[all.clone(), named]).unwrap(), Some(vec![3, 500]));
    let asked = VariableSettings {
        layout: LayoutRequest::Chunked(vec![2, ROW]),
        ..VariableSettings::default()
    };
    assert_eq!(chunk(&ruled(vec![all]), asked).unwrap(), Some(vec![2, ROW]));
    let misspelt = rule("v", json!({"chunks": {"tine": 3}}));
    let error = of(&[misspelt]).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    assert!(error.to_string().contains("is `time` meant?"), "{error}");
}

#[test]
fn rules_decide_filters_as_they_do_when_a_file_is_packed() {
    let by = |rules| written(&ruled(rules), VariableSettings::default()).unwrap();
    let (smallest, reason) = by(Vec::new());
    assert!(!reason.contains("requests"), "{reason}");

    let fast = rule(
        "*",
        json!({"min_write_speed": "2GB/s", "min_read_speed": "shared"}),
    );
    let (filters, reason) = by(vec![fast]);
    assert_ne!(filters, smallest);
    for said in [
        "write floor of 2000 MB/s from rules",
        "read floor of 800 MB/s (shared) from rules",
    ] {
        assert!(reason.contains(said), "{reason}");
    }
    let (filters, reason) = by(vec![rule("*", json!({"min_write_speed": "100GB/s"}))]);
    assert_eq!(filters, "none", "{reason}");
    let (_, reason) = by(vec![rule("v", json!({"ratio_tolerance_percent": 50}))]);
    assert!(reason.contains("within 50 %"), "{reason}");

    let forced = json!({"filters": "bitshuffle+zstd(4)"});
    let (filters, reason) = by(vec![rule("v", forced.clone())]);
    assert_eq!(filters, "bitshuffle+zstd(4)");
    assert_eq!(reason, "from rules");
    assert_eq!(by(vec![rule("w*", forced)]).0, smallest);
}

#[test]
fn what_is_nearer_to_the_variable_goes_before_rules() {
    let deflate = FilterPipeline(vec![FilterSpec::new(filter_id::DEFLATE, vec![3])]);
    let rules = || vec![rule("*", json!({"filters": "shuffle+lz4"}))];
    let stated = VariableSettings {
        filters: FilterRequest::Exactly(deflate),
        ..VariableSettings::default()
    };
    assert_eq!(written(&ruled(rules()), stated).unwrap().0, "deflate(3)");
    let chain = own(json!({"filters": "shuffle+zstd(5)"}));
    let (filters, reason) = written(&ruled(rules()), chain.clone()).unwrap();
    assert_eq!(
        (filters.as_str(), reason.as_str()),
        ("shuffle+zstd(5)", "from rules")
    );
    let (filters, reason) = written(&ruled(rules()), own(json!({"min_write_speed": 1}))).unwrap();
    assert_ne!(filters, "shuffle+lz4");
    assert!(
        reason.contains("write floor of 1 MB/s from rules"),
        "{reason}"
    );
    // For all variables that ask for none themselves.
    let for_all = WriterOptions {
        filters: "shuffle+deflate(2)".parse().ok(),
        ..ruled(rules())
    };
    let (filters, reason) = written(&for_all, VariableSettings::default()).unwrap();
    assert_eq!(
        (filters.as_str(), reason.as_str()),
        ("shuffle+deflate(2)", "as asked")
    );
    assert_eq!(written(&for_all, chain).unwrap().0, "shuffle+zstd(5)");
}

#[test]
fn rules_of_precision_round_what_states_nothing_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.nc");
    let rules = vec![rule(
        "*",
        json!({"significant_bits": 5, "min_write_speed": 100}),
    )];
    let exact = VariableSettings {
        precision: Some(rule("v", json!({"lossless": true})).request),
        ..VariableSettings::default()
    };
    for (settings, is_rounded) in [(VariableSettings::default(), true), (exact, false)] {
        let options = WriterOptions {
            overwrite: true,
            ..ruled(rules.clone())
        };
        let (mut writer, v) = create(&path, &options, settings).unwrap();
        writer.put(v, &[0, 0], &[1, ROW], None, &record(0)).unwrap();
        writer.close().unwrap();
        assert_eq!(super::read(&path, "/v").1 != record(0), is_rounded);
    }
}

/// Whether values of a variable with this attribute are rounded by rules for all.
fn is_rounded_with(path: &Path, name: &str, text: &str) -> Result<bool> {
    let rules = vec![rule("*", json!({"significant_bits": 5}))];
    let options = WriterOptions {
        overwrite: true,
        ..ruled(rules)
    };
    let (mut writer, v) = create(path, &options, VariableSettings::default()).unwrap();
    let value = SchemaValue::Atomic(AttributeValue::Char(text.as_bytes().to_vec()));
    writer.put_attribute(AttributeOwner::Variable(v), name, value)?;
    writer.put(v, &[0, 0], &[1, ROW], None, &record(0))?;
    writer.close()?;
    Ok(super::read(path, "/v").1 != record(0))
}

#[test]
fn rules_leave_coordinates_and_flags_exact() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.nc");
    for (name, text, expected) in [
        ("units", "K", true),
        ("units", "degreeN ", false),
        ("units", "s @ 1990-01-01", false),
        ("standard_name", "air_temperature status_flag", false),
        ("coordinates", "v", false),
        ("coordinates", "lat lon", true),
    ] {
        let is_rounded = is_rounded_with(&path, name, text).unwrap();
        assert_eq!(is_rounded, expected, "{name} = {text}");
    }
}

#[test]
fn an_attribute_of_the_program_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.nc");
    let error = is_rounded_with(&path, "quantization_nsb", "8 bit ADC").unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    assert!(error.cause.contains("`quantization_nsb`"), "{error}");
}

#[test]
fn a_plan_gives_way_to_requests() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v.nc");
    let (mut writer, v) = create(&path, &ruled(Vec::new()), VariableSettings::default()).unwrap();
    writer.put(v, &[0, 0], &[1, ROW], None, &record(0)).unwrap();
    writer.sync().unwrap();
    let plan = writer.plan().unwrap();
    assert_eq!(plan.variables.len(), 1);
    drop(writer);
    let replayed = WriterOptions {
        plan: Some(plan),
        ..ruled(vec![rule("v", json!({"filters": "shuffle+lz4"}))])
    };
    let (filters, _) = written(&replayed, VariableSettings::default()).unwrap();
    assert_eq!(filters, "shuffle+lz4");
}

#[test]
fn a_commit_before_any_values_keeps_to_the_floors() {
    let folder = tempfile::tempdir().unwrap();
    for (speed, readers, expected) in [
        ("150MB/s", ReaderLevel::Any, "shuffle+deflate(4)"),
        ("200MB/s", ReaderLevel::Any, "shuffle+deflate(1)"),
        ("network", ReaderLevel::Any, "none"),
        ("network", ReaderLevel::Plugins, "shuffle+zstd(3)"),
        ("3.3GB/s", ReaderLevel::Plugins, "shuffle+zstd(1)"),
    ] {
        let path = folder.path().join(format!("{}.nc", speed.replace('/', "")));
        let options = WriterOptions {
            readable_by: readers,
            overwrite: true,
            ..ruled(vec![rule("v", json!({"min_write_speed": speed}))])
        };
        let (mut writer, v) = create(&path, &options, VariableSettings::default()).unwrap();
        writer.sync().unwrap();
        let filters = writer.storage(v).unwrap().filters.unwrap();
        assert_eq!(filters.summary(), expected, "{speed}");
        writer.put(v, &[0, 0], &[1, ROW], None, &record(0)).unwrap();
        writer.sync().unwrap();
        let plan = writer.plan().unwrap();
        let reason = &plan.variables[0].reason;
        assert!(reason.contains("from rules"), "{reason}");
        writer.close().unwrap();
        assert!(super::read(&path, "/v").1 == record(0), "{speed}");
    }
}

#[test]
fn requests_that_cannot_be_honoured_name_what_is_wrong() {
    let any = |rules| WriterOptions {
        readable_by: ReaderLevel::Any,
        ..ruled(rules)
    };
    let rules = vec![
        rule("w", json!({"filters": "shuffle+lz4"})),
        rule("v", json!({"filters": "shuffle+lz4"})),
    ];
    let error = refused(&any(rules), VariableSettings::default());
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    assert!(error.file.is_some() && error.variable.as_deref() == Some("v"));
    assert!(
        error.cause.contains("readers with filter plugins"),
        "{error}"
    );
    let cure = error.cure.unwrap();
    assert!(
        cure.contains("\"plugins\"") && cure.contains("rule 2 (v)"),
        "{cure}"
    );
    let error = refused(&any(Vec::new()), own(json!({"filters": "shuffle+lz4"})));
    assert!(error.cure.unwrap().contains("its options"));

    let both = VariableSettings {
        filters: FilterRequest::Exactly(FilterPipeline::default()),
        ..own(json!({"min_write_speed": 3}))
    };
    let error = refused(&any(Vec::new()), both);
    assert!(
        error.cause.contains("rules about filters cannot apply"),
        "{error}"
    );
    let contradiction = VariableSettings {
        demand: FilterConstraints {
            filters: "none".parse().ok(),
            ratio_tolerance_percent: Some(3.0),
            ..FilterConstraints::default()
        },
        ..VariableSettings::default()
    };
    let error = refused(&any(Vec::new()), contradiction);
    assert!(error.cause.contains("leaves nothing to choose"), "{error}");
    let no_glob = VariableRule {
        variables: vec!["a[".to_owned()],
        ..VariableRule::default()
    };
    let error = refused(&any(vec![no_glob]), VariableSettings::default());
    assert!(
        error.file.as_ref().is_some_and(|path| !path.exists()),
        "{error}"
    );
    assert!(error.cause.contains("no pattern"), "{error}");
}
