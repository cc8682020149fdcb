//! What a pattern is called and made of: SCIL's library by name, and patterns put together by hand.
//!
//! `GENERATOR[:ARGUMENT[:ARGUMENT]][/MUTATOR:N]...`, for example `sin:3:5` or `random/repeater:10`.

use frazil_types::ErrorCode;

use frazil_file::error::{Error, Result};

/// More frequencies or zeros than this only cost time.
const MOST_PASSES: u32 = 30;
const MOST_ZEROS: u32 = 64;

/// What makes the values of a pattern.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Generator {
    /// The least value of the range everywhere.
    Constant,
    /// Independent uniform numbers.
    Random,
    /// The sum of the indices counts through this many levels per axis, over and over.
    Steps {
        /// Levels per axis, at least 2.
        levels: u64,
    },
    /// Sines along all axes, `passes` of them with rising frequency and halved amplitude.
    Sine {
        /// Waves of the first pass along each axis.
        waves: f64,
        /// Number of passes.
        passes: u32,
    },
    /// OpenSimplex noise, `passes` octaves of it.
    Simplex {
        /// Hills of the first octave along each axis, about.
        hills: f64,
        /// Number of octaves.
        passes: u32,
    },
    /// The sum of one polynomial per axis, each with its zeros at random places.
    Polynomial {
        /// Chooses the places, together with the user's seed.
        seed: i64,
        /// Zeros between the first and the last element.
        zeros: u32,
    },
}

/// Coarsens a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mutator {
    /// Blocks of this many elements along each axis have the value of their first element.
    Repeater(u64),
    /// Every so many elements (and the last one) keep their value; cosine curves join them.
    Interpolator(u64),
}

/// A named or stated pattern.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pattern {
    /// As the user wrote it.
    pub(super) name: String,
    /// What it is made of, in the grammar of this module.
    pub(super) definition: String,
    pub(super) generator: Generator,
    /// Applied one after the other.
    pub(super) mutators: Vec<Mutator>,
    /// Least and largest value before noise.
    pub(super) range: (f64, f64),
}

/// Name, definition and range of a library pattern.
type Entry = (&'static str, &'static str, (f64, f64));

/// SCIL's library (`scil-patterns.c`), by SCIL's names.
const LIBRARY: [Entry; 27] = [
    ("randomRep10-100", "random/repeater:10", (1.0, 100.0)),
    ("randomRep2-100", "random/repeater:2", (1.0, 100.0)),
    ("randomRep10-1-+1", "random/repeater:10", (-1.0, 1.0)),
    ("randomRep2-1-+1", "random/repeater:2", (-1.0, 1.0)),
    ("randomIpol10-100", "random/interpolator:10", (1.0, 100.0)),
    ("randomIpol2-100", "random/interpolator:2", (1.0, 100.0)),
    ("randomIpol10-1-+1", "random/interpolator:10", (-1.0, 1.0)),
    ("randomIpol2-1-+1", "random/interpolator:2", (-1.0, 1.0)),
    ("constant0", "constant", (0.0, 0.0)),
    ("constant35", "constant", (35.333_535_3, 35.333_535_3)),
    ("random0-1", "random", (0.0, 1.0)),
    ("random1-100", "random", (1.0, 100.0)),
    ("random-1-+1", "random", (-1.0, 1.0)),
    ("steps2", "steps:2", (0.0, 100.0)),
    ("steps16", "steps:16", (0.0, 100.0)),
    ("steps100", "steps:100", (1.0, 100.0)),
    ("sin11", "sin:1:1", (1.0, 100.0)),
    ("sin16", "sin:1:6", (0.0, 100.0)),
    ("sin31", "sin:3:1", (1.0, 100.0)),
    ("sin35", "sin:3:5", (0.0, 100.0)),
    ("sin23", "sin:2:3", (1.0, 100.0)),
    ("poly4--1-5", "poly4:-1:5", (1.0, 100.0)),
    ("poly4-234-3", "poly4:234:3", (0.0, 100.0)),
    ("poly4-65432-14", "poly4:65432:14", (0.0, 100.0)),
    ("simplex102", "simplex:1:2", (0.0, 100.0)),
    ("simplex106", "simplex:1:6", (0.0, 100.0)),
    ("simplex206", "simplex:3:6", (0.0, 100.0)),
];

/// Range of patterns put together by hand.
const OWN_RANGE: (f64, f64) = (0.0, 1.0);

/// A pattern of the library, for lists.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct NamedPattern {
    /// SCIL's name.
    pub name: &'static str,
    /// What it is made of: `GENERATOR[:ARGUMENT...][/MUTATOR:N]`.
    pub definition: &'static str,
    /// Least value before noise.
    pub min: f64,
    /// Largest value before noise.
    pub max: f64,
}

/// The patterns that have names, in SCIL's order.
#[must_use]
pub fn synth_patterns() -> Vec<NamedPattern> {
    let named = |&(name, definition, (min, max)): &Entry| NamedPattern {
        name,
        definition,
        min,
        max,
    };
    LIBRARY.iter().map(named).collect()
}

impl Pattern {
    /// A pattern by its name or definition.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let known = LIBRARY.iter().find(|(name, ..)| *name == text);
        let (definition, range) = known.map_or((text, OWN_RANGE), |&(_, d, range)| (d, range));
        let mut parts = definition.split('/');
        let head = parts.next().unwrap_or_default();
        let generator = Generator::parse(head).map_err(|cause| refused(text, &cause))?;
        let mutators = parts
            .map(|part| Mutator::parse(part).map_err(|cause| refused(text, &cause)))
            .collect::<Result<_>>()?;
        Ok(Self {
            name: text.to_owned(),
            definition: definition.to_owned(),
            generator,
            mutators,
            range,
        })
    }

    /// The patterns that a list of names asks for; `all` stands for the whole library.
    pub(super) fn parse_list(names: &[String]) -> Result<Vec<Self>> {
        let mut patterns: Vec<Self> = Vec::new();
        let all = LIBRARY.map(|(name, ..)| name);
        for name in names {
            let single = [name.as_str()];
            let wanted: &[&str] = if name == "all" { &all } else { &single };
            for &name in wanted {
                let pattern = Self::parse(name)?;
                let taken = |other: &Self| other.variable_name() == pattern.variable_name();
                if patterns.iter().any(taken) {
                    return Err(refused(name, "asked for twice"));
                }
                patterns.push(pattern);
            }
        }
        if patterns.is_empty() {
            return Err(
                Error::new(ErrorCode::InvalidArgument, "no pattern is named")
                    .with_cure("`frazil synth --list` shows them"),
            );
        }
        Ok(patterns)
    }

    /// The name of its variable: its own, without what netCDF and shells find hard to read.
    pub(super) fn variable_name(&self) -> String {
        self.name.replace([':', '/'], "-")
    }
}

impl Generator {
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let mut words = text.split(':');
        let name = words.next().unwrap_or_default();
        let arguments: Vec<&str> = words.collect();
        let generator = match (name, arguments.as_slice()) {
            ("constant", []) => Self::Constant,
            ("random", []) => Self::Random,
            ("steps", [levels]) => Self::Steps {
                levels: number(levels, 2..=1 << 32)?,
            },
            ("sin", [waves, passes]) => Self::Sine {
                waves: positive(waves)?,
                passes: number(passes, 1..=MOST_PASSES)?,
            },
            ("simplex", [hills, passes]) => Self::Simplex {
                hills: positive(hills)?,
                passes: number(passes, 1..=MOST_PASSES)?,
            },
            ("poly4", [seed, zeros]) => Self::Polynomial {
                seed: number(seed, i64::MIN..=i64::MAX)?,
                zeros: number(zeros, 1..=MOST_ZEROS)?,
            },
            ("constant" | "random", _) => return Err(format!("`{name}` takes no argument")),
            ("steps", _) => return Err("write steps:LEVELS".to_owned()),
            ("sin", _) => return Err("write sin:WAVES:PASSES".to_owned()),
            ("simplex", _) => return Err("write simplex:HILLS:PASSES".to_owned()),
            ("poly4", _) => return Err("write poly4:SEED:ZEROS".to_owned()),
            _ => return Err("no such pattern".to_owned()),
        };
        Ok(generator)
    }
}

impl Mutator {
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let length = |text| number(text, 2..=1 << 32);
        match text.split_once(':') {
            Some(("repeater", n)) => Ok(Self::Repeater(length(n)?)),
            Some(("interpolator", n)) => Ok(Self::Interpolator(length(n)?)),
            _ => Err(format!(
                "`{text}` is not a mutator: write repeater:N or interpolator:N"
            )),
        }
    }
}

fn refused(pattern: &str, cause: &str) -> Error {
    Error::new(
        ErrorCode::InvalidArgument,
        format!("pattern `{pattern}`: {cause}"),
    )
    .with_cure("`frazil synth --list` shows the patterns")
}

fn number<T>(text: &str, allowed: std::ops::RangeInclusive<T>) -> std::result::Result<T, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let number = text.parse().ok().filter(|number| allowed.contains(number));
    number.ok_or_else(|| {
        let (least, most) = allowed.into_inner();
        format!("`{text}` is no whole number from {least} to {most}")
    })
}

fn positive(text: &str) -> std::result::Result<f64, String> {
    let number = text.parse().ok();
    number
        .filter(|number: &f64| (1e-6..=1e6).contains(number))
        .ok_or_else(|| format!("`{text}` is no number from 0.000001 to 1000000"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_the_library_is_understood() {
        let all = Pattern::parse_list(&["all".to_owned()]).unwrap();
        assert_eq!(all.len(), LIBRARY.len());
        let last = all.last().unwrap();
        assert_eq!(last.name, "simplex206");
        assert_eq!(
            last.generator,
            Generator::Simplex {
                hills: 3.0,
                passes: 6
            }
        );
        assert_eq!(all[0].mutators, [Mutator::Repeater(10)]);
    }

    #[test]
    fn patterns_can_be_put_together() {
        let own = Pattern::parse("sin:2.5:3/interpolator:4/repeater:2").unwrap();
        assert_eq!(
            own.mutators,
            [Mutator::Interpolator(4), Mutator::Repeater(2)]
        );
        assert_eq!(own.variable_name(), "sin-2.5-3-interpolator-4-repeater-2");
    }

    #[test]
    fn what_is_no_pattern_is_refused_with_its_name() {
        for text in [
            "",
            "sin",
            "sin36",
            "sin:0:1",
            "sin:1:31",
            "steps:1",
            "random:1",
            "poly4:1:0",
            "random/repeater:1",
            "random/blur:3",
            "simplex:nan:2",
            "sin:inf:1",
        ] {
            let error = Pattern::parse(text).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidArgument, "{text}");
            assert!(error.cause.contains(text) && error.cure.is_some(), "{text}");
        }
        let twice = ["sin11".to_owned(), "all".to_owned()];
        assert!(
            Pattern::parse_list(&twice)
                .unwrap_err()
                .cause
                .contains("twice")
        );
    }
}
