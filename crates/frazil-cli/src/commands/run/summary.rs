//! What is said at the end of a run.

use frazil::size::human;

use super::events::{Deflated, Fate, Report, WrittenFile};
use crate::args::Level;
use crate::text;

/// So many files that were read are told of one by one.
const MOST_READ: usize = 10;

/// The report in words.
pub(super) fn text(report: &Report, level: Level) -> String {
    let (read, others): (Vec<_>, Vec<_>) = report.files.iter().partition(|f| f.fate == Fate::Read);
    let mut lines: Vec<String> = match read.len() {
        0..=MOST_READ => read.into_iter().map(line).collect(),
        many => vec![format!("{many} files read by frazil")],
    };
    lines.extend(others.into_iter().map(line));
    lines.extend(report.deflated.iter().map(deflated));
    lines.extend(report.hdf5.lines());
    let why = match level {
        Level::Engine => why_nothing(report),
        Level::Hdf5 => report.hdf5.why_nothing(),
        Level::Codec => report.deflated.is_empty().then(|| {
            "no process called compress2 of a shared zlib: none deflated, or none did so through \
             this function"
                .to_owned()
        }),
    };
    if let Some(why) = why {
        lines.push(format!("nothing was accelerated, because {why}"));
    }
    let lines = lines
        .iter()
        .map(|line| format!("frazil run: {}\n", text::plain(line)));
    lines.collect()
}

fn deflated(done: &Deflated) -> String {
    format!(
        "process {}: {} deflated to {} (ratio {})",
        done.process,
        human(done.raw_bytes),
        human(done.stored_bytes),
        text::ratio(done.raw_bytes, done.stored_bytes)
    )
}

fn line(file: &WrittenFile) -> String {
    let path = &file.path;
    let why = file.why.as_deref().unwrap_or("no reason is known");
    let mut line = match file.fate {
        Fate::Written => format!("{path}: written by frazil, {}{}", amounts(file), kept(file)),
        Fate::Unchanged => format!("{path}: opened for writing by frazil, not changed"),
        Fate::Failed => format!("{path}: FAILED: {why}"),
        Fate::Unclosed => format!(
            "{path}: FAILED: its process ended without closing it; the file is at its last \
             commit, or \
             not there"
        ),
        Fate::LeftWhole => format!(
            "{path}: its process ended without closing it. It had changed nothing since the last \
             nc_sync, or since it opened the file: the file is whole"
        ),
        Fate::Aborted => format!("{path}: discarded by the program (nc_abort)"),
        Fate::GivenBack => {
            format!("{path}: given back to the program's own netCDF library, because {why}")
        }
        Fate::NotTaken => format!("{path}: left to the program's own netCDF library: {why}"),
        Fate::Read => format!("{path}: read by frazil"),
        Fate::ReadInPart => format!(
            "{path}: read by frazil, then by the program's own netCDF library, because of {why}"
        ),
        Fate::NotRead => format!("{path}: read by the program's own netCDF library: {why}"),
    };
    for refused in &file.refused {
        line.push_str(&format!(
            "; FAILED: a call that frazil does not serve: {refused}"
        ));
    }
    line
}

/// What rules would have rounded.
fn kept(file: &WrittenFile) -> String {
    match file.amounts.kept_exact {
        0 => String::new(),
        count => format!(
            "; {count} variables that rules would round are exact, because it is a restart file \
             (--restart-files says which are)"
        ),
    }
}

fn amounts(file: &WrittenFile) -> String {
    let amounts = &file.amounts;
    let ratio = text::ratio(amounts.raw_bytes, amounts.stored_bytes);
    format!(
        "{} as {} (ratio {ratio}); calls waited {:.2} s, {:.2} s of work ran in the background",
        human(amounts.raw_bytes),
        human(amounts.stored_bytes),
        amounts.waited_seconds,
        amounts.hidden_seconds
    )
}

/// Why frazil has written and read nothing, if so.
fn why_nothing(report: &Report) -> Option<String> {
    let others = [
        Fate::NotTaken,
        Fate::GivenBack,
        Fate::NotRead,
        Fate::Unchanged,
    ];
    let is_ours = |file: &WrittenFile| !others.contains(&file.fate);
    if report.files.iter().any(is_ours) {
        return None;
    }
    Some(
        match (report.files.is_empty(), report.processes.is_empty()) {
            (false, _) => "of the reasons above".to_owned(),
            (true, false) => {
                "the program created or changed no netCDF file, and read no large netCDF-4 file"
                    .to_owned()
            }
            (true, true) => {
                "no process called nc_create or nc_open of a shared netCDF library by name \
                         (for HDF5 and h5py there is --level hdf5; bindings that look functions up go other ways)"
                    .to_owned()
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_file_says_why() {
        let none = text(&Report::default(), Level::Engine);
        assert!(none.starts_with("frazil run: nothing was accelerated, because no process"));
        let passed = r#"{"event":"passed","process":1,"path":"a.nc","why":"it is classic"}"#;
        let words = text(&Report::of_lines(passed), Level::Engine);
        assert!(words.contains("it is classic") && words.contains("nothing was accelerated"));
    }

    #[test]
    fn a_file_that_was_left_after_its_last_commit_is_whole() {
        let lines = [
            r#"{"event":"taken","process":1,"path":"a.nc"}"#,
            r#"{"event":"committed","process":1,"path":"a.nc"}"#,
            r#"{"event":"changed","process":1,"path":"a.nc"}"#,
        ];
        let told = |count: usize| Report::of_lines(&lines[..count].join("\n"));
        let is_whole = |count| text(&told(count), Level::Engine).contains("the file is whole");
        assert_eq!([1, 2, 3].map(is_whole), [false, true, false]);
        assert_eq!(
            [1, 2, 3].map(|count| told(count).has_failures()),
            [true, false, true]
        );
    }

    #[test]
    fn deflate_is_told_of_by_process() {
        let none = text(&Report::default(), Level::Codec);
        assert!(none.contains("nothing was accelerated, because no process called compress2"));
        let done = r#"{"event":"codec","process":5,"raw_bytes":300,"stored_bytes":100}"#;
        let words = text(&Report::of_lines(done), Level::Codec);
        assert!(
            words.contains("process 5") && words.contains("3.00"),
            "{words}"
        );
    }

    #[test]
    fn a_written_file_has_its_ratio() {
        let closed =
            r#"{"event":"closed","process":1,"path":"a.nc","raw_bytes":300,"stored_bytes":100}"#;
        let words = text(&Report::of_lines(closed), Level::Engine);
        assert!(
            words.contains("3.00") && !words.contains("nothing"),
            "{words}"
        );
    }
}
