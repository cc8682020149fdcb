//! Words of other programs for what frazil can do, too: a usage error then names frazil's own.

use std::path::Path;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use frazil::{meant_word, spelling};

/// Commands.
const COMMANDS: [(&str, &str); 17] = [
    ("compress", "pack"),
    ("repack", "pack"),
    ("copy", "pack"),
    ("convert", "pack, or frazil unpack --format classic"),
    ("decompress", "unpack"),
    ("uncompress", "unpack"),
    ("compare", "verify"),
    ("diff", "verify"),
    ("cmp", "verify"),
    ("check", "verify"),
    ("dump", "info"),
    ("show", "info"),
    ("header", "info"),
    ("inspect", "info"),
    ("ls", "info"),
    ("version", "--version"),
    ("bitinfo", "analyze"),
];
/// Flags of nccopy, h5repack, ncks, CDO and of frazil's files of rules.
const FLAGS: [(&str, &str); 34] = [
    ("-v", "-V, or --version"),
    ("-d", "--level N"),
    ("-L", "--level N"),
    ("-z", "--level N"),
    ("--deflate", "--level N"),
    ("--dfl_lvl", "--level N"),
    ("--compression-level", "--level N"),
    ("--gzip", "--level N"),
    ("--compression", "--level N"),
    ("--complevel", "--level N"),
    ("--zlib", "the default; with a level, --level N"),
    ("--tolerance", "--abs-error NAME:BOUND, or --rel-error"),
    ("--report", "frazil verify IN OUT --report PAGE.html"),
    ("--html", "frazil verify IN OUT --report PAGE.html"),
    ("--plot", "frazil plan IN --compare --plot PICTURE.svg"),
    ("--error", "--abs-error NAME:BOUND, or --rel-error"),
    ("--error-bound", "--abs-error NAME:BOUND, or --rel-error"),
    ("--accuracy", "--abs-error NAME:BOUND, or --rel-error"),
    ("--chunksizes", "--chunks time=24,lat=64"),
    ("--fletcher32", "--checksum"),
    ("--baa", "--quantizer"),
    ("--force-overwrite", "--overwrite"),
    ("-c", "--chunks time=24,lat=64"),
    ("--cnk_dmn", "--chunks time=24,lat=64"),
    ("-s", "--shuffle on"),
    (
        "--zstd",
        "--readable-by plugins --filters 'shuffle+zstd(3)'",
    ),
    ("--ppc", "--digits 3"),
    ("--nsd", "--digits 3"),
    ("--significant-digits", "--digits 3"),
    ("--significant-bits", "--bits 9"),
    ("--quantize", "--digits 3, or --bits 9"),
    ("-O", "--overwrite"),
    ("--force", "--overwrite"),
    ("-j", "--threads 4"),
];

/// Of `--variables` where all variables are meant.
const NO_SUBSETS: &str = "here all variables are meant; precision is stated by name, --abs-error NAME:BOUND, and ncks -v \
                          or xarray cut variables out";

/// The file whose name was taken for several flags, of which the first is unknown: `-dash.nc`.
fn file_spelled_as_flags(flag: &str) -> Option<String> {
    let is_one_letter = flag.len() == 2 && flag.starts_with('-');
    let longer = |word: &String| {
        is_one_letter
            && word.len() > flag.len()
            && word.starts_with(flag)
            && Path::new(word).is_file()
    };
    std::env::args().skip(1).find(longer)
}

/// Whether a word that no command takes stands where `frazil run` has its program.
fn is_a_program(word: &str) -> bool {
    let mut arguments = std::env::args().skip(1);
    !word.starts_with('-') && arguments.next().as_deref() == Some("run")
}

/// Takes away suggestions that are not spelled alike: an option that somebody adds unread may do anything.
fn drop_far_suggestions(error: &mut clap::Error) {
    // It has the suggestion in it.
    error.remove(ContextKind::Usage);
    // "Pass it as a value" is for programs that take any.
    error.remove(ContextKind::Suggested);
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.trim_start_matches('-')),
        _ => None,
    };
    let (Some(word), Some(near)) = (
        text(ContextKind::InvalidArg),
        text(ContextKind::SuggestedArg),
    ) else {
        return;
    };
    if !near.starts_with(word) && spelling::nearest(word, [near]).is_none() {
        error.remove(ContextKind::SuggestedArg);
    }
}

/// The error with the word that a value is likely to mean.
fn with_meant_value(mut error: clap::Error) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let meant = text(ContextKind::InvalidArg)
        .zip(text(ContextKind::InvalidValue))
        .and_then(|(option, value)| {
            let option = option.split(' ').next().unwrap_or_default();
            meant_word(&option.trim_start_matches('-').replace('-', "_"), value)
        });
    if let Some(meant) = meant {
        error.remove(ContextKind::SuggestedValue);
        let tips = vec![StyledStr::from(format!("here this is '{meant}'"))];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}

/// The error with a tip for `--json FILE`, where a name behind `--json` is that of a text to write.
fn with_file_before_json(mut error: clap::Error) -> clap::Error {
    let words: Vec<String> = std::env::args().collect();
    let behind = words.windows(2).find(|pair| pair[0] == "--json");
    if let Some([_, file]) = behind.filter(|pair| Path::new(&pair[1]).is_file()) {
        let tip = format!(
            "name the file before --json: frazil {} {file} --json",
            words[1]
        );
        let tips = vec![StyledStr::from(tip)];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}

/// The error with what is meant here, if its word is known from elsewhere.
pub(super) fn explained(mut error: clap::Error) -> clap::Error {
    let (context, wrong) = match error.kind() {
        ErrorKind::UnknownArgument => {
            drop_far_suggestions(&mut error);
            (ContextKind::InvalidArg, ContextKind::SuggestedArg)
        }
        ErrorKind::InvalidValue => return with_meant_value(error),
        ErrorKind::MissingRequiredArgument => return with_file_before_json(error),
        ErrorKind::InvalidSubcommand => (
            ContextKind::InvalidSubcommand,
            ContextKind::SuggestedSubcommand,
        ),
        _ => return error,
    };
    let Some(ContextValue::String(word)) = error.get(context).cloned() else {
        return error;
    };
    let known = |table: &[(&str, &'static str)]| {
        let found = table.iter().find(|(theirs, _)| *theirs == word);
        found.map(|(_, ours)| *ours)
    };
    let tip = match context {
        ContextKind::InvalidArg if is_a_program(&word) => {
            Some(format!("put -- before the program: frazil run -- {word}"))
        }
        ContextKind::InvalidArg if Path::new(&word).is_file() => {
            Some(format!("if you mean the file, name it ./{word}"))
        }
        ContextKind::InvalidArg => file_spelled_as_flags(&word)
            .map(|file| format!("if you mean the file, name it ./{file}"))
            .or_else(|| (word == "--variables").then(|| NO_SUBSETS.to_owned()))
            .or_else(|| known(&FLAGS).map(|ours| format!("here this is {ours}"))),
        _ if Path::new(&word).is_file() => Some(format!(
            "to make the file smaller: frazil pack {word} -o OUT; to look at it: frazil info {word}"
        )),
        _ => known(&COMMANDS).map(|ours| format!("here this is frazil {ours}")),
    };
    if let Some(tip) = tip {
        error.remove(wrong);
        let tips = vec![StyledStr::from(tip)];
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}
