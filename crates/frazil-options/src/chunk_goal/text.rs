//! Goals as people write them, the same at every face.

use frazil_plan::{AxisRole, WantedRead};
use frazil_types::{ErrorCode, Storage};

use frazil_file::error::{Error, Result};

/// Reads from text: `map,series=2`, `time:200/lat:40/lon:60`; a number behind `=` is the weight.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] names the read that is not understood.
pub fn parse_reads(text: &str) -> Result<Vec<WantedRead>> {
    frazil_plan::parse_reads(text).map_err(|error| {
        let cause = error.to_string();
        let meant = text.split(',').find_map(|one| {
            let word = one.split('=').next().unwrap_or(one).trim();
            meant_read(word).filter(|_| cause.contains(one.trim()))
        });
        let meant = meant.map_or_else(String::new, |read| format!("; is `{read}` meant?"));
        Error::new(error.code(), format!("{cause}{meant}"))
    })
}

/// The read that people may mean by another word.
fn meant_read(word: &str) -> Option<&'static str> {
    Some(
        match word.to_lowercase().replace(['_', ' '], "-").as_str() {
            "timeseries" | "time-series" | "time" | "point" | "points" | "station" => "series",
            "slice" | "slices" | "field" | "image" | "frame" | "snapshot" => "map",
            "column" | "columns" | "level" | "levels" | "sounding" => "profile",
            "all" | "whole" | "everything" | "full" | "cube" => "volume",
            _ => return None,
        },
    )
}

/// Storage from text: `local`, `disk`, `parallel-fs`, `object-store`.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] for any other word.
pub fn parse_storage(text: &str) -> Result<Storage> {
    text.trim().parse().map_err(invalid)
}

/// What axes are, from text: `t=time,lev=level,y=lat,x=lon,member=other`.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] for what is not of this form.
pub fn parse_axes(text: &str) -> Result<Vec<(String, AxisRole)>> {
    pairs(text, "DIM=ROLE")?
        .into_iter()
        .map(|(name, role)| Ok((name, role.parse().map_err(invalid)?)))
        .collect()
}

/// Expected lengths of unlimited dimensions, from text: `time=1000`.
///
/// # Errors
/// [`ErrorCode::InvalidArgument`] for what is not of this form.
pub fn parse_expected(text: &str) -> Result<Vec<(String, u64)>> {
    pairs(text, "DIM=ELEMENTS")?
        .into_iter()
        .map(|(name, length)| match length.parse() {
            Ok(0) | Err(_) => Err(invalid(format!(
                "`{length}` is not a length that `{name}` can reach"
            ))),
            Ok(length) => Ok((name, length)),
        })
        .collect()
}

fn pairs<'a>(text: &'a str, form: &str) -> Result<Vec<(String, &'a str)>> {
    text.split(',')
        .map(|one| match one.rsplit_once('=') {
            Some((name, value)) if !name.trim().is_empty() => {
                Ok((name.trim().to_owned(), value.trim()))
            }
            _ => {
                let meant = match one.rsplit_once(':') {
                    Some((name, value)) => format!("; is `{name}={value}` meant?"),
                    None => String::new(),
                };
                Err(invalid(format!("`{one}` is not of the form {form}{meant}")))
            }
        })
        .collect()
}

fn invalid(cause: String) -> Error {
    Error::new(ErrorCode::InvalidArgument, cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_understood() {
        let axes = parse_axes("t=time, lev=level,y=Y").unwrap();
        assert_eq!(axes[0], ("t".to_owned(), AxisRole::Time));
        assert_eq!(axes[2], ("y".to_owned(), AxisRole::Latitude));
        let expected = parse_expected("time=1000").unwrap();
        assert_eq!(expected, [("time".to_owned(), 1000)]);
        assert_eq!(parse_storage("parallel-fs").unwrap(), Storage::ParallelFs);
        assert_eq!(parse_reads("map,series=2").unwrap().len(), 2);
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let causes = [
            (parse_axes("time").unwrap_err(), "DIM=ROLE"),
            (parse_axes("t=clock").unwrap_err(), "clock"),
            (parse_expected("time=0").unwrap_err(), "time"),
            (parse_expected("=4").unwrap_err(), "DIM=ELEMENTS"),
            (parse_storage("tape").unwrap_err(), "tape"),
            (parse_reads("maps").unwrap_err(), "maps"),
            (
                parse_reads("map,time-series=3").unwrap_err(),
                "`series` meant",
            ),
            (parse_reads("x=5").unwrap_err(), "x=5"),
            (parse_expected("time:5").unwrap_err(), "`time=5` meant"),
        ];
        for (error, part) in causes {
            assert_eq!(error.code, ErrorCode::InvalidArgument);
            assert!(error.cause.contains(part), "{}", error.cause);
        }
    }
}
