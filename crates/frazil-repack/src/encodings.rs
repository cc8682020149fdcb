//! Plans in the words of other writers: xarray, NCO, nccopy, Fortran's nf90.

use std::fmt::Write as _;

use frazil_types::{
    ErrorCode, FilterPipeline, Rounding, StorageLayout, VariablePlan, filter_id, is_plain,
};

use crate::plan_report::{PlanReport, VariableDecision};
use frazil_file::error::{Error, Result};

/// Whose words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodingStyle {
    /// A dictionary for `Dataset.to_netcdf(encoding=...)`.
    Xarray,
    /// One `ncks` command for each variable: NCO has one chunk extent for each dimension.
    Nco,
    /// One `nccopy` command.
    Nccopy,
    /// A call of `nf90_def_var` for each variable.
    Nf90,
}

impl EncodingStyle {
    /// Its name in a sentence.
    #[must_use]
    pub const fn writer(self) -> &'static str {
        match self {
            Self::Xarray => "xarray",
            Self::Nco => "NCO",
            Self::Nccopy => "nccopy",
            Self::Nf90 => "netCDF-Fortran",
        }
    }

    /// Whether its words can name a variable; `path` without its first slash.
    fn can_name(self, path: &str) -> bool {
        match self {
            // Both write one group at a time.
            Self::Xarray | Self::Nf90 => !path.contains('/'),
            // What it takes for lists, and for patterns that do not match themselves.
            Self::Nco => {
                !path.contains([',', '*', '^', '$', '\\', '|', '(', ')', '[', '?', '+', '{'])
            }
            // It looks for extents behind the first colon.
            Self::Nccopy => !path.contains([':', ',']),
        }
    }
}

/// What a pipeline says in words that all of these writers have.
#[derive(Debug, Clone, Copy, Default)]
struct Words {
    has_shuffle: bool,
    has_checksum: bool,
    deflate: Option<u32>,
    zstd: Option<u32>,
}

impl Words {
    /// # Errors
    /// [`ErrorCode::Unsupported`] for filters that these writers have no words for.
    fn of(pipeline: &FilterPipeline) -> Result<Self> {
        let mut words = Self::default();
        for filter in &pipeline.0 {
            let level = filter.cd_values.first().copied();
            match filter.id {
                filter_id::SHUFFLE => words.has_shuffle = true,
                filter_id::FLETCHER32 => words.has_checksum = true,
                filter_id::DEFLATE => words.deflate = level,
                filter_id::ZSTD => words.zstd = level,
                id => {
                    let cause = format!("other writers have no common words for filter {id}");
                    return Err(Error::new(ErrorCode::Unsupported, cause)
                        .with_cure("ask for filters that all readers have: --readable-by any"));
                }
            }
        }
        Ok(words)
    }
}

/// Rounding that other writers have: netCDF-C's own three algorithms, which NCO has as well.
#[derive(Debug, Clone, Copy)]
struct Quantize {
    /// `quantize_mode` of netCDF4-python and xarray.
    mode: &'static str,
    /// The constant of netCDF-Fortran.
    constant: &'static str,
    /// The number of NCO's `--baa`.
    nco: u32,
    /// Mantissa bits of BitRound, decimal digits of the others.
    digits: u32,
}

impl Quantize {
    /// `None`: other writers have no such rounding.
    fn of(rounding: &Rounding) -> Option<Self> {
        let (mode, constant, nco, digits) = match *rounding {
            Rounding::BitRound { significant_bits } => {
                ("BitRound", "nf90_quantize_bitround", 8, significant_bits)
            }
            Rounding::GranularBitRound { significant_digits } => (
                "GranularBitRound",
                "nf90_quantize_granularbr",
                4,
                significant_digits,
            ),
            Rounding::BitGroom { significant_digits } => {
                ("BitGroom", "nf90_quantize_bitgroom", 0, significant_digits)
            }
            Rounding::BoundedBitRound { .. }
            | Rounding::Linear { .. }
            | Rounding::PackedIntegers { .. } => return None,
        };
        Some(Self {
            mode,
            constant,
            nco,
            digits,
        })
    }
}

/// A plan in the words of another writer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoding {
    /// A dictionary, commands or calls.
    pub text: String,
    /// Variables that the plan rounds, and that writer cannot: by `text` they stay exact.
    pub exact: Vec<String>,
    /// Variables that `text` cannot name: in groups, or with characters that mean something else there.
    pub left_out: Vec<String>,
}

/// One variable as the other writers see it.
struct Row<'a> {
    name: &'a str,
    decision: &'a VariableDecision,
    chunk: &'a [u64],
    words: Words,
    quantize: Option<Quantize>,
}

/// A plan in the words of another writer: chunked variables only, since contiguous ones need no
/// words.
///
/// # Errors
/// [`ErrorCode::Unsupported`] for filters that these writers have no words for.
pub fn render_encoding(report: &PlanReport, style: EncodingStyle) -> Result<Encoding> {
    let mut rows = Vec::new();
    let mut exact = Vec::new();
    let mut left_out = Vec::new();
    for (decision, plan) in report.variables.iter().zip(&report.plan.variables) {
        let StorageLayout::Chunked { chunk } = &plan.layout else {
            continue;
        };
        let name = bare_name(plan);
        if !style.can_name(name) {
            left_out.push(name.to_owned());
            continue;
        }
        let rounding = plan.quantize.as_ref().map(|quantize| &quantize.rounding);
        let quantize = match style {
            // Its own command line knows of none.
            EncodingStyle::Nccopy => None,
            _ => rounding.and_then(Quantize::of),
        };
        if rounding.is_some() && quantize.is_none() {
            exact.push(name.to_owned());
        }
        rows.push(Row {
            name,
            decision,
            chunk,
            words: Words::of(&plan.pipeline).map_err(|error| error.at_variable(&plan.path))?,
            quantize,
        });
    }
    let text = match style {
        EncodingStyle::Xarray => xarray(&rows),
        EncodingStyle::Nco => nco(&rows, report),
        EncodingStyle::Nccopy => nccopy(&rows, report),
        EncodingStyle::Nf90 => nf90(&rows),
    };
    Ok(Encoding {
        text,
        exact,
        left_out,
    })
}

/// The name below the root group; in groups, the path without its first slash.
fn bare_name(plan: &VariablePlan) -> &str {
    plan.path.trim_start_matches('/')
}

fn joined(extents: &[u64]) -> String {
    let extents: Vec<String> = extents.iter().map(u64::to_string).collect();
    extents.join(",")
}

/// Text as a literal of Python.
fn python_literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for character in text.chars() {
        let number = u32::from(character);
        match character {
            '"' | '\\' => literal.extend(['\\', character]),
            _ if is_plain(character) => literal.push(character),
            _ if number <= 0xffff => literal.push_str(&format!("\\u{number:04x}")),
            _ => literal.push_str(&format!("\\U{number:08x}")),
        }
    }
    literal.push('"');
    literal
}

/// Text as an expression of Fortran, in which no literal has escapes.
fn fortran_expression(text: &str) -> String {
    let mut expression = String::from("\"");
    for character in text.chars() {
        if is_plain(character) {
            expression.extend(std::iter::repeat_n(
                character,
                if character == '"' { 2 } else { 1 },
            ));
            continue;
        }
        expression.push('"');
        for byte in character.encode_utf8(&mut [0; 4]).bytes() {
            expression.push_str(&format!("//achar({byte})"));
        }
        expression.push_str("//\"");
    }
    expression.push('"');
    expression
}

fn xarray(rows: &[Row<'_>]) -> String {
    let mut text = String::from("encoding = {\n");
    for row in rows {
        let mut entries = Vec::new();
        if let Some(level) = row.words.deflate {
            entries.push(format!("\"zlib\": True, \"complevel\": {level}"));
        }
        if let Some(level) = row.words.zstd {
            entries.push(format!("\"compression\": \"zstd\", \"complevel\": {level}"));
        }
        let word = |flag: bool| if flag { "True" } else { "False" };
        entries.push(format!("\"shuffle\": {}", word(row.words.has_shuffle)));
        if row.words.has_checksum {
            entries.push("\"fletcher32\": True".to_owned());
        }
        if let Some(Quantize { mode, digits, .. }) = row.quantize {
            entries.push(format!(
                "\"quantize_mode\": \"{mode}\", \"significant_digits\": {digits}"
            ));
        }
        let comma = if row.chunk.len() == 1 { "," } else { "" };
        entries.push(format!("\"chunksizes\": ({}{comma})", joined(row.chunk)));
        // Writing to a String cannot fail.
        let name = python_literal(row.name);
        let _ = writeln!(text, "    {name}: {{{}}},", entries.join(", "));
    }
    text.push_str("}\n");
    text
}

/// A word of a shell command.
fn quoted(text: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "/._-+,:=".contains(c);
    if !text.is_empty() && text.chars().all(is_bare) {
        return text.to_owned();
    }
    if text.chars().all(is_plain) {
        return format!("'{}'", text.replace('\'', "'\\''"));
    }
    // bash's and zsh's way to write what is no plain text; POSIX.1-2024 has it, too.
    let mut word = String::from("$'");
    for character in text.chars() {
        match character {
            '\'' | '\\' => word.extend(['\\', character]),
            _ if is_plain(character) => word.push(character),
            _ => {
                for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                    word.push_str(&format!("\\x{byte:02x}"));
                }
            }
        }
    }
    word.push('\'');
    word
}

fn input_of(report: &PlanReport) -> String {
    quoted(&report.input.to_string_lossy())
}

fn nco(rows: &[Row<'_>], report: &PlanReport) -> String {
    let mut text = String::new();
    for (place, row) in rows.iter().enumerate() {
        let level = row
            .words
            .deflate
            .map_or_else(|| "0".to_owned(), |level| level.to_string());
        let _ = write!(text, "ncks -4 {}", if place == 0 { "-O" } else { "-A" });
        match row.words.zstd {
            Some(level) => {
                let _ = write!(text, " --cmp='shf|zst,{level}'");
            }
            None => {
                let _ = write!(text, " -L {level}");
            }
        }
        if let Some(Quantize { nco, digits, .. }) = row.quantize {
            let stated = quoted(&format!("{}={digits}", row.name));
            let _ = write!(text, " --baa={nco} --ppc {stated}");
        }
        let names = &row.decision.dimensions;
        for (name, extent) in names
            .iter()
            .zip(row.chunk)
            .filter(|(name, _)| !name.is_empty())
        {
            let _ = write!(text, " --cnk_dmn {}", quoted(&format!("{name},{extent}")));
        }
        let _ = writeln!(text, " -v {} {} out.nc", quoted(row.name), input_of(report));
    }
    text
}

/// nccopy has one level for all variables: that of the largest one.
fn nccopy(rows: &[Row<'_>], report: &PlanReport) -> String {
    let largest = rows.iter().max_by_key(|row| row.decision.raw_bytes);
    let mut text = String::from("nccopy -k nc4");
    let words = largest.map(|row| row.words).unwrap_or_default();
    if let Some(level) = words.deflate {
        let _ = write!(text, " -d {level}");
    }
    if let Some(level) = words.zstd {
        let _ = write!(text, " -F '*,32015,{level}'");
    }
    if words.has_shuffle {
        text.push_str(" -s");
    }
    for row in rows {
        // It refuses chunks that are longer than an unlimited dimension is now.
        let lengths = row.chunk.iter().zip(&row.decision.shape);
        let extents: Vec<u64> = lengths
            .map(|(&chunk, &now)| chunk.min(now.max(1)))
            .collect();
        let chunk = quoted(&format!("{}:{}", row.name, joined(&extents)));
        let _ = write!(text, " -c {chunk}");
    }
    let _ = writeln!(text, " {} out.nc", input_of(report));
    text
}

fn nf90(rows: &[Row<'_>]) -> String {
    let mut text = String::new();
    for row in rows {
        let kind = match row.decision.element.as_str() {
            "int8" => "nf90_byte",
            "uint8" => "nf90_ubyte",
            "int16" => "nf90_short",
            "uint16" => "nf90_ushort",
            "int32" => "nf90_int",
            "uint32" => "nf90_uint",
            "int64" => "nf90_int64",
            "uint64" => "nf90_uint64",
            "float32" => "nf90_float",
            "float64" => "nf90_double",
            _ => "nf90_char",
        };
        // Fortran's first dimension is the fastest.
        let extents: Vec<u64> = row.chunk.iter().rev().copied().collect();
        let _ = write!(
            text,
            "status = nf90_def_var(ncid, {}, {kind}, dimids, varid, chunksizes=[{}]",
            fortran_expression(row.name),
            joined(&extents)
        );
        let word = |flag: bool| if flag { ".true." } else { ".false." };
        let _ = write!(text, ", shuffle={}", word(row.words.has_shuffle));
        if let Some(level) = row.words.deflate {
            let _ = write!(text, ", deflate_level={level}");
        }
        if row.words.has_checksum {
            text.push_str(", fletcher32=.true.");
        }
        text.push_str(")\n");
        if let Some(level) = row.words.zstd {
            let _ = writeln!(
                text,
                "status = nf90_def_var_zstandard(ncid, varid, {level})"
            );
        }
        if let Some(Quantize {
            constant, digits, ..
        }) = row.quantize
        {
            let _ = writeln!(
                text,
                "status = nf90_def_var_quantize(ncid, varid, {constant}, {digits})"
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use frazil_types::{ErrorBound, FilterSpec, ProtectedValues, QuantizePlan, WritePlan};

    use super::*;

    fn report(filters: Vec<FilterSpec>, rounding: Option<Rounding>) -> PlanReport {
        let decision = VariableDecision {
            path: "/pr".to_owned(),
            element: "float32".to_owned(),
            dimensions: ["time", "lat", "lon"].map(str::to_owned).to_vec(),
            shape: vec![1560, 128, 256],
            raw_bytes: 1,
            ..VariableDecision::default()
        };
        let plan = VariablePlan {
            path: "/pr".to_owned(),
            layout: StorageLayout::Chunked {
                chunk: vec![6, 32, 43],
            },
            quantize: rounding.map(|rounding| QuantizePlan {
                rounding,
                bound: ErrorBound::default(),
                protected: ProtectedValues::default(),
                keep_information: None,
                forced: false,
            }),
            pipeline: FilterPipeline(filters),
            deflate_encoder: None,
            copy_raw: false,
            predicted_bytes: None,
            cache: None,
            reason: String::new(),
        };
        PlanReport {
            input: PathBuf::from("my file.nc"),
            plan: WritePlan {
                layout: None,
                variables: vec![plan],
            },
            variables: vec![decision],
            precision: Vec::new(),
            notices: Vec::new(),
            seconds: 0.0,
        }
    }

    #[test]
    fn others_are_told_in_their_words() {
        let filters = vec![
            FilterSpec::new(filter_id::SHUFFLE, vec![4]),
            FilterSpec::new(filter_id::DEFLATE, vec![1]),
        ];
        let report = report(filters, None);
        let text = |style| render_encoding(&report, style).unwrap().text;
        assert_eq!(
            text(EncodingStyle::Xarray),
            "encoding = {\n    \"pr\": {\"zlib\": True, \"complevel\": 1, \"shuffle\": True, \
             \"chunksizes\": (6,32,43)},\n}\n"
        );
        assert_eq!(
            text(EncodingStyle::Nco),
            "ncks -4 -O -L 1 --cnk_dmn time,6 --cnk_dmn lat,32 --cnk_dmn lon,43 -v pr \
             'my file.nc' out.nc\n"
        );
        assert_eq!(
            text(EncodingStyle::Nccopy),
            "nccopy -k nc4 -d 1 -s -c pr:6,32,43 'my file.nc' out.nc\n"
        );
        assert_eq!(
            text(EncodingStyle::Nf90),
            "status = nf90_def_var(ncid, \"pr\", nf90_float, dimids, varid, \
             chunksizes=[43,32,6], shuffle=.true., deflate_level=1)\n"
        );
    }

    #[test]
    fn rounding_is_told_where_others_have_it() {
        let text = |rounding, style| {
            let report = report(Vec::new(), Some(rounding));
            let found = render_encoding(&report, style).unwrap();
            (found.text, found.exact)
        };
        let bits = Rounding::BitRound {
            significant_bits: 7,
        };
        let digits = Rounding::GranularBitRound {
            significant_digits: 3,
        };
        let (xarray, exact) = text(bits, EncodingStyle::Xarray);
        assert!(xarray.contains("\"quantize_mode\": \"BitRound\", \"significant_digits\": 7"));
        assert!(exact.is_empty());
        let (nco, exact) = text(digits, EncodingStyle::Nco);
        assert!(nco.contains(" --baa=4 --ppc pr=3 ") && exact.is_empty());
        let (nf90, exact) = text(digits, EncodingStyle::Nf90);
        let call = "status = nf90_def_var_quantize(ncid, varid, nf90_quantize_granularbr, 3)\n";
        assert!(nf90.ends_with(call) && exact.is_empty());
        assert_eq!(text(bits, EncodingStyle::Nccopy).1, ["pr"]);
        let bounded = Rounding::BoundedBitRound {
            least_significant_bits: 0,
        };
        assert_eq!(text(bounded, EncodingStyle::Xarray).1, ["pr"]);
    }

    #[test]
    fn names_that_others_cannot_say_are_left_out() {
        let left_out = |path: &str, style| {
            let mut report = report(Vec::new(), None);
            report.plan.variables[0].path = path.to_owned();
            let found = render_encoding(&report, style).unwrap();
            let is_there = found.text.contains(path.trim_start_matches('/'));
            assert_eq!(is_there, found.left_out.is_empty(), "{}", found.text);
            !is_there
        };
        assert!(left_out("/g/T", EncodingStyle::Xarray) && left_out("/g/T", EncodingStyle::Nf90));
        assert!(!left_out("/g/T", EncodingStyle::Nco) && !left_out("/g/T", EncodingStyle::Nccopy));
        assert!(left_out("/T:2", EncodingStyle::Nccopy) && !left_out("/T:2", EncodingStyle::Nco));
        assert!(left_out("/T[2]", EncodingStyle::Nco) && left_out("/a,b", EncodingStyle::Nco));
    }

    #[test]
    fn filters_without_common_words_are_refused() {
        let report = report(vec![FilterSpec::new(32_000, Vec::new())], None);
        let error = render_encoding(&report, EncodingStyle::Nf90).unwrap_err();
        assert_eq!(error.code, ErrorCode::Unsupported);
        assert_eq!(error.variable.as_deref(), Some("/pr"));
    }
}
