//! The search for the method that makes a chunk smallest.
//!
//! All methods are tried. Where only some are to be compressed by LZMA, which is slow, those are
//! taken that zstd's fastest level makes smallest on a part of the chunk. No clock and no random
//! number has a say.

use super::Elements;
use super::methods::{ADAPTIVE, BITS, SIGN, differences};
use super::number::{Number, written};
use super::step::Step;
use super::xz;
use crate::CodecError;
use crate::compress::excerpt::Excerpt;
use crate::compress::zstd::Zstd;

/// Bytes on which methods are compared by zstd.
const TRIAL_BYTES: usize = 64 << 10;
const ZSTD_FASTEST: i32 = 1;

/// A method: its steps and letters.
#[derive(Debug, Clone, Default)]
struct Method {
    steps: Vec<Step>,
    letters: String,
}

impl Method {
    fn with(&self, step: Option<(Step, &str)>) -> Self {
        let mut longer = self.clone();
        if let Some((step, letters)) = step {
            longer.steps.push(step);
            longer.letters += letters;
        }
        longer
    }
}

/// The letters of the best method and its .xz stream. `finalists`: methods that LZMA is tried with;
/// `None` for all.
pub(crate) fn best<T: Number>(
    elements: &Elements,
    finalists: Option<usize>,
    raw: &[u8],
    zstd: &mut Zstd,
) -> Result<(String, Vec<u8>), CodecError> {
    let numbers: Vec<T> = elements.numbers(raw);
    let mut best: Option<(String, Vec<u8>)> = None;
    let mut consider = |method: &Method, filtered: &[u8]| {
        let stream = xz::encode(filtered)?;
        let length = |(letters, stream): &(String, Vec<u8>)| letters.len() + stream.len();
        let made = (method.letters.clone(), stream);
        if best
            .as_ref()
            .is_none_or(|best| length(&made) < length(best))
        {
            best = Some(made);
        }
        Ok(())
    };
    match finalists {
        None => each_method(&numbers, &elements.shape, &mut consider)?,
        Some(most) => {
            for method in promising::<T>(elements, most.max(1), raw, zstd)? {
                let mut filtered = numbers.clone();
                for step in &method.steps {
                    step.apply(&mut filtered, &elements.shape);
                }
                consider(&method, &written(&filtered))?;
            }
        }
    }
    best.ok_or(CodecError::EncodeFailed {
        filter: super::NAME,
        reason: "no method was tried",
    })
}

/// The methods that promise the smallest chunks, best first.
fn promising<T: Number>(
    elements: &Elements,
    most: usize,
    raw: &[u8],
    zstd: &mut Zstd,
) -> Result<Vec<Method>, CodecError> {
    let chunk: Vec<u64> = elements.shape.iter().map(|&length| length as u64).collect();
    let part = Excerpt::of(&chunk, (TRIAL_BYTES / elements.bytes) as u64);
    let bytes = part.take(raw, elements.bytes, &chunk);
    let shape: Vec<usize> = part.shape.iter().map(|&length| length as usize).collect();
    let numbers: Vec<T> = elements.numbers(&bytes);
    let mut tried = Vec::new();
    let mut packed = Vec::new();
    each_method(&numbers, &shape, &mut |method: &Method, filtered: &[u8]| {
        zstd.encode(ZSTD_FASTEST, filtered, &mut packed)?;
        tried.push((packed.len() + method.letters.len(), method.clone()));
        Ok(())
    })?;
    // Stable: of equal sizes the first stays in front.
    tried.sort_by_key(|&(bytes, _)| bytes);
    tried.truncate(most);
    Ok(tried.into_iter().map(|(_, method)| method).collect())
}

/// What is done with each method and what it makes of a chunk.
type Visit<'a> = dyn FnMut(&Method, &[u8]) -> Result<(), CodecError> + 'a;

/// Calls `visit` for each method with the chunk under it. What methods begin with in common is
/// computed once.
fn each_method<T: Number>(
    numbers: &[T],
    shape: &[usize],
    visit: &mut Visit<'_>,
) -> Result<(), CodecError> {
    for steps in differences(shape.len()) {
        let mut method = Method::default();
        let mut different = numbers.to_vec();
        for step in steps {
            method = method.with(Some(step));
            step.0.apply(&mut different, shape);
        }
        for adaptive in ADAPTIVE {
            let method = method.with(adaptive);
            let adapted = under(&different, adaptive, shape);
            for sign in SIGN {
                let method = method.with(sign);
                let signed = under(&adapted, sign, shape);
                for bits in BITS {
                    // A single byte has its bits in order.
                    if T::BYTES == 1 && matches!(bits, Some((Step::BitsOfEach, _))) {
                        continue;
                    }
                    let method = method.with(bits);
                    visit(&method, &written(&under(&signed, bits, shape)))?;
                }
            }
        }
    }
    Ok(())
}

/// The numbers after one more step.
fn under<T: Number>(numbers: &[T], step: Option<(Step, &str)>, shape: &[usize]) -> Vec<T> {
    let mut changed = numbers.to_vec();
    if let Some((step, _)) = step {
        step.apply(&mut changed, shape);
    }
    changed
}
