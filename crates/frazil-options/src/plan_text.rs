//! Plans as text: printed by one run, replayed by another.

use std::path::Path;

use frazil_plan::FilterTree;
use frazil_types::{ErrorCode, WritePlan};

use frazil_file::error::{Error, Result};
use frazil_file::text_file::read_text;

/// The attribute of a file's root group that keeps what was decided about the file.
pub const PLAN_ATTRIBUTE: &str = "frazil_plan";

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
/// [`ErrorCode::InvalidArgument`] says what is wrong, and where in the text.
pub fn parse_plan(text: &str) -> Result<WritePlan> {
    serde_json::from_str(text).map_err(|error| {
        let cause = format!("this is not a plan in JSON: {error}");
        Error::new(ErrorCode::InvalidArgument, cause).with_cure(
            "a plan is what `frazil plan --json FILE` writes, what a writer was asked for at its \
             end, or the attribute `frazil_plan` of a file that keeps it",
        )
    })
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
    fn what_is_no_plan_is_refused() {
        let error = parse_plan("{\"variables\": 3}").unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
        assert!(error.cause.contains("line 1"), "{}", error.cause);
        let missing = read_plan(Path::new("/no/such/plan.json")).unwrap_err();
        assert_eq!(missing.code, ErrorCode::NotFound);
    }
}
