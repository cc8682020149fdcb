//! Plans as text: printed by one run, replayed by another.

use std::collections::HashSet;
use std::path::Path;

use frazil_plan::FilterTree;
use frazil_types::{ErrorCode, WritePlan, plain, type_fault};
use serde_json::Value;

use frazil_file::error::{Error, Result};
use frazil_file::text_file::read_text;
use serde_path_to_error::Segment;

/// The attribute of a file's root group that keeps what was decided about the file.
pub const PLAN_ATTRIBUTE: &str = "frazil_plan";

/// What to do about a plan that does not fit.
pub const OTHER_PLAN: &str = "correct the plan, or make one for this file: frazil plan --json FILE";

/// The flags that HDF5 keeps in files; those above are for calls only.
const MOST_FLAGS: u32 = 0xff;

/// A plan as JSON, one line to a member, for [`parse_plan`] and for people.
///
/// # Errors
/// [`ErrorCode::Internal`]: there is no plan that cannot be written.
pub fn render_plan(plan: &WritePlan) -> Result<String> {
    serde_json::to_string_pretty(plan).map_err(|error| {
        let cause = format!("the plan cannot be written as JSON: {error}");
        Error::new(ErrorCode::Internal, cause)
    })
}

/// The plan that a JSON text holds.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] says what is wrong: where in the text, or of which variable.
pub fn parse_plan(text: &str) -> Result<WritePlan> {
    let mut json = serde_json::Deserializer::from_str(text);
    let plan: WritePlan = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| no_plan(&fault(text, &error)))?;
    json.end().map_err(|error| no_plan(&error.to_string()))?;
    check_plan(&plan)?;
    Ok(plan)
}

/// Refuses what no file can follow: a variable that is planned twice, or flags that filters cannot have.
fn check_plan(plan: &WritePlan) -> Result<()> {
    let mut paths = HashSet::new();
    for variable in &plan.variables {
        let refuse = |why: String| {
            let cause = format!("the plan cannot be followed: {why}");
            let error = Error::new(ErrorCode::InvalidArgument, cause);
            Err(error.at_variable(&variable.path).with_cure(OTHER_PLAN))
        };
        if !paths.insert(&variable.path) {
            return refuse("it names the variable twice".to_owned());
        }
        let spec = (variable.pipeline.0.iter()).find(|spec| spec.flags > MOST_FLAGS);
        if let Some(spec) = spec {
            let (name, flags) = (spec.display_name(), spec.flags);
            return refuse(format!(
                "the flags of {name} are {flags}; they are 0 (readers need the filter) or 1 (optional)"
            ));
        }
    }
    Ok(())
}

fn no_plan(why: &str) -> Error {
    let cause = format!("this is not a plan in JSON: {why}");
    Error::new(ErrorCode::InvalidArgument, cause).with_cure(
        "a plan is what `frazil plan --json FILE` writes, what a writer was asked for at its end, \
         or the attribute `frazil_plan` of a file that keeps it",
    )
}

/// What is wrong with a text that is no plan, with the variable and its key where these are known.
fn fault(text: &str, error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    let (path, inner) = (error.path(), error.inner());
    if !inner.is_data() {
        return inner.to_string();
    }
    let mut segments = path.iter();
    let mut place = Vec::new();
    let mut rest = path.to_string();
    if let (Some(Segment::Map { key }), Some(Segment::Seq { index })) =
        (segments.next(), segments.next())
        && key == "variables"
    {
        let text: Option<Value> = serde_json::from_str(text).ok();
        let name = text.and_then(|plan| plan["variables"][*index]["path"].as_str().map(plain_name));
        place.push(name.unwrap_or_else(|| format!("variable {}", index + 1)));
        let begin = format!("variables[{index}]");
        rest = rest
            .trim_start_matches(&begin)
            .trim_start_matches('.')
            .to_owned();
    }
    if !rest.is_empty() && rest != "." {
        place.push(rest);
    }
    place.push(type_fault(&inner.to_string()));
    match text.trim_end().contains('\n') {
        true => format!("line {}: {}", inner.line(), place.join(": ")),
        false => place.join(": "),
    }
}

fn plain_name(name: &str) -> String {
    plain(name).into_owned()
}

/// Reads a plan from a JSON file.
///
/// # Errors
/// If the file cannot be read; as [`parse_plan`].
pub fn read_plan(path: &Path) -> Result<WritePlan> {
    let text = read_text(path)?;
    parse_plan(&text).map_err(|error| error.in_file(path))
}

/// Reads a decision tree for filters, as `frazil train` writes it, from a JSON file.
///
/// # Errors
/// If the file cannot be read; [`ErrorCode::InvalidArgument`] for what is no such tree.
pub fn read_tree(path: &Path) -> Result<FilterTree> {
    let text = read_text(path)?;
    FilterTree::parse(&text).map_err(|error| {
        Error::new(error.code(), error.to_string())
            .in_file(path)
            .with_cure("grow one: frazil train --table FILE -o TREE.json")
    })
}

#[cfg(test)]
mod tests {
    use frazil_types::{
        FilterPipeline, FilterSpec, LayoutProfile, StorageLayout, VariablePlan, filter_id,
    };

    use super::*;

    #[test]
    fn a_plan_survives_its_text() {
        let deflate = FilterSpec::new(filter_id::DEFLATE, vec![3]);
        let plan = WritePlan {
            layout: Some(LayoutProfile::Cmip7),
            variables: vec![VariablePlan {
                path: "/ocean/t".to_owned(),
                layout: StorageLayout::Chunked { chunk: vec![1, 8] },
                quantize: None,
                pipeline: FilterPipeline(vec![deflate]),
                deflate_encoder: None,
                copy_raw: false,
                predicted_bytes: None,
                cache: None,
                reason: "a test".to_owned(),
            }],
        };
        let text = render_plan(&plan).unwrap();
        assert_eq!(parse_plan(&text).unwrap(), plan);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("plan.json");
        std::fs::write(&file, text).unwrap();
        assert_eq!(read_plan(&file).unwrap(), plan);
    }

    #[test]
    fn what_is_wrong_is_named_in_words() {
        let plan = |variable: &str| format!("{{\n\"variables\": [\n{variable}]}}");
        let filters = r#""layout": {"kind": "contiguous"}, "pipeline": "#;
        for (text, said) in [
            (
                r#"{"layout": "cmip8", "variables": []}"#.to_owned(),
                "this is not a plan in JSON: layout: \"cmip8\" is none of standard, cmip7",
            ),
            (
                plan(r#"{"path": "/t", "layout": {"kind": "compact"}, "pipeline": []}"#),
                "line 3: /t: layout.kind: \"compact\" is none of contiguous, chunked",
            ),
            (
                plan(&format!(
                    r#"{{"path": "/t", {filters} [{{"id": 1, "flags": -1, "cd_values": []}}]}}"#
                )),
                "/t: pipeline[0].flags: -1 is no whole number from 0 on",
            ),
            (
                plan(&format!(r#"{{"path": "/t", {filters} "deflate(4)"}}"#)),
                "/t: pipeline: \"deflate(4)\" is no list",
            ),
            (plan(r#"{"path": "/t"}"#), "/t: `layout` is missing"),
            (
                plan(r#"{"path": "/t", "layot": 1}"#),
                "/t: layot: there is no `layot`; is `layout` meant?",
            ),
            (
                plan(r#"{"path": "/t", "layout": {"kind": "chunked", "chnk": [2]}}"#),
                "/t: layout: there is no `chnk`; is `chunk` meant?",
            ),
            ("{\"variables\": [}".to_owned(), "line 1 column 16"),
        ] {
            let cause = parse_plan(&text).unwrap_err().cause;
            assert!(cause.contains(said), "{cause}\n{said}");
        }
    }

    #[test]
    fn what_no_file_can_follow_is_refused() {
        let one = |flags: u32| {
            format!(
                r#"{{"path": "/t", "layout": {{"kind": "contiguous"}},
                "pipeline": [{{"id": 1, "flags": {flags}, "cd_values": [4]}}]}}"#
            )
        };
        let plan = |variables: &str| parse_plan(&format!(r#"{{"variables": [{variables}]}}"#));
        // Neither a reason nor a word about raw copies is needed.
        assert!(!plan(&one(0)).unwrap().variables[0].copy_raw);
        let twice = plan(&format!("{},{}", one(0), one(1))).unwrap_err();
        assert!(twice.cause.contains("names the variable twice"), "{twice}");
        assert_eq!(twice.variable.as_deref(), Some("/t"));
        let flags = plan(&one(65536)).unwrap_err();
        assert!(
            flags.cause.contains("the flags of deflate are 65536"),
            "{flags}"
        );
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        let error = parse_plan("{\"variables\": 3}").unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert!(
            error.cause.contains("variables: 3 is no list"),
            "{}",
            error.cause
        );
        let missing = read_plan(Path::new("/no/such/plan.json")).unwrap_err();
        assert_eq!(missing.code, ErrorCode::NotFound);
    }
}
