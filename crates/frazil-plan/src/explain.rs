//! The wording of reasons: one line each, the decision first, its ground after a colon.

use frazil_types::{DeflateEncoder, FilterPipeline};

use crate::chunking::{ReadCosts, ReadEstimate, ServingShape};

/// Filters as people write them, and who encodes where the file does not say: `deflate(9)`, `deflate(9) by
/// libdeflate 11`, `deflate(9) by zlib`.
#[must_use]
pub fn filters_by(pipeline: &FilterPipeline, encoder: Option<DeflateEncoder>) -> String {
    let name = pipeline.summary();
    match encoder {
        // The format knows zlib's levels only.
        Some(DeflateEncoder::Libdeflate(level)) if level > 9 => {
            format!("{name} by libdeflate {level}")
        }
        Some(DeflateEncoder::Zlib(_)) => format!("{name} by zlib"),
        _ => name,
    }
}

/// `400 B`, `57.0 KiB`, `1.2 MiB`.
pub(crate) fn bytes(count: u64) -> String {
    let mut value = count as f64;
    if count < 1024 {
        return format!("{count} B");
    }
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB"] {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    format!("{value:.1} {unit}")
}

/// `1 chunk`, `14 chunks`.
fn chunks(count: u64) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} chunk{plural}")
}

pub(crate) fn contiguous_small(raw_bytes: u64) -> String {
    format!(
        "contiguous: {} are too few for chunks to pay",
        bytes(raw_bytes)
    )
}

pub(crate) fn contiguous_asked() -> String {
    "contiguous: kept as asked".to_owned()
}

pub(crate) fn contiguous_empty() -> String {
    "contiguous: no data".to_owned()
}

pub(crate) fn kept_asked() -> String {
    "kept: existing chunk shape, as asked".to_owned()
}

pub(crate) fn kept_good(factor: f64) -> String {
    if factor <= 1.0 {
        "kept: map and series reads cost no more than with the balanced shape".to_owned()
    } else {
        format!("kept: map and series reads within {factor:.1}x of the balanced shape")
    }
}

pub(crate) fn single_chunk(chunk_bytes: u64) -> String {
    format!("single chunk: {} in all", bytes(chunk_bytes))
}

pub(crate) fn even(count: u64, chunk_bytes: u64) -> String {
    format!("even: {} of {}", chunks(count), bytes(chunk_bytes))
}

pub(crate) fn balanced(costs: &ReadCosts, chunk_bytes: u64) -> String {
    format!(
        "balanced: a map reads {}, a series {}, of {} each",
        chunks(costs.map.chunks),
        chunks(costs.series().chunks),
        bytes(chunk_bytes)
    )
}

pub(crate) fn kept_for_reads(factor: f64) -> String {
    format!("kept: the wanted reads cost within {factor:.2}x of the best shape for them")
}

/// `for reads: map 6.1x its best (36 chunks), series 5.9x (390 chunks); 15.3 KiB each`.
pub(crate) fn for_reads(reads: &[ReadEstimate], chunk_bytes: u64) -> String {
    let each: Vec<String> = reads
        .iter()
        .map(|read| {
            let touched = chunks(read.chunks.round() as u64);
            format!("{} {:.1}x its best ({touched})", read.read, read.times_best)
        })
        .collect();
    format!(
        "for reads: {}; {} each",
        each.join(", "),
        bytes(chunk_bytes)
    )
}

/// Why a variable has smaller chunks than the standard ones, which take `growth` more of its samples:
/// `for reads: map 3.5x its best (48 chunks), series 3.7x (260 chunks); 32.0 KiB each, 1.2 % more bytes`.
#[must_use]
pub fn explain_finer(shape: &ServingShape, element_bytes: usize, growth: f64) -> String {
    let elements = shape.chunk.iter().product::<u64>();
    let chunk_bytes = elements.saturating_mul(element_bytes as u64);
    let growth = per_cent(growth.max(0.0));
    format!(
        "{}, {growth} more bytes than larger ones",
        for_reads(&shape.reads, chunk_bytes)
    )
}

/// Why a variable has another chunk shape than the rule chose: `larger chunks: of 5 shapes tried the smallest, 49.3 %
/// less than 1x80x1x101`; `name`: what its chunks are.
#[must_use]
pub fn explain_smaller(name: &str, tried: usize, saved: f64, than: &[u64]) -> String {
    let than: Vec<String> = than.iter().map(ToString::to_string).collect();
    let (saved, than) = (per_cent(saved), than.join("x"));
    format!("{name} chunks: of {tried} shapes tried the smallest, {saved} less than {than}")
}

/// A size relative to another, as a change in per cent.
fn per_cent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

pub(crate) fn no_compression_asked() -> String {
    "unfiltered: level 0 asked for".to_owned()
}

pub(crate) fn contiguous() -> String {
    "unfiltered: values that are not in chunks have no filters".to_owned()
}

pub(crate) fn indirect() -> String {
    "unfiltered: chunks hold references, not values".to_owned()
}

pub(crate) fn does_not_shrink(best_share: f64) -> String {
    format!(
        "unfiltered: does not shrink (best trial {} of raw)",
        per_cent(best_share)
    )
}

pub(crate) fn index_takes_more(best_share: f64, index_bytes: u64) -> String {
    format!(
        "unfiltered: an index of chunks takes {}, more than filters save (best trial {} of raw)",
        bytes(index_bytes),
        per_cent(best_share)
    )
}

/// `compared`: how many others were.
/// `saved`: by which share what was taken is smaller than what samples said, if it is another.
pub(crate) fn confirmed(
    reason: &str,
    taken: &str,
    compared: usize,
    on: &str,
    saved: Option<f64>,
) -> String {
    let others = if compared == 1 { "other" } else { "others" };
    match saved {
        None => format!("{reason}; confirmed on {on} beside {compared} {others}"),
        Some(share) if share <= 0.0 => format!(
            "{taken}: on {on} as small but for {}, and faster than what samples said ({reason})",
            per_cent(-share)
        ),
        Some(share) => format!(
            "{taken}: on {on} smaller by {} than what samples said ({reason})",
            per_cent(share)
        ),
    }
}

pub(crate) fn no_samples(summary: &str) -> String {
    format!("{summary}: no data to try")
}

/// With what was taken account of beside the goal, and the questions of a decision tree and what it
/// named, as far as there are any.
pub(crate) fn for_goal(summary: &str, goal: &str, share: f64, grounds: &[&str]) -> String {
    let mut reason = format!("{summary}: {} of raw by trial, for {goal}", per_cent(share));
    for ground in grounds.iter().filter(|ground| !ground.is_empty()) {
        reason.push_str("; ");
        reason.push_str(ground);
    }
    reason
}

/// What a tolerance did to a choice, if somebody stated one: `within 3 % of the ratio of
/// shuffle+zstd(22) at 40.1 %, and faster`.
pub(crate) fn within(tolerance: f64, what: &str, best: Option<(&str, f64)>) -> String {
    let tolerance = round_per_cent(tolerance);
    match best {
        Some((best, share)) => format!(
            "within {tolerance} of {what} of {best} at {}, and faster",
            per_cent(share)
        ),
        None => format!("nothing faster within {tolerance} of {what}"),
    }
}

/// `3 %`, `0.5 %`: no more digits than it has.
fn round_per_cent(share: f64) -> String {
    format!("{} %", (share * 1e5).round() / 1e3)
}

pub(crate) fn does_not_pay(summary: &str, goal: &str, share: f64, floors: &str) -> String {
    let share = per_cent(share);
    let comma = if floors.is_empty() { "" } else { ", " };
    format!(
        "unfiltered: filters do not pay for {goal}{comma}{floors} (best trial {summary}, {share} \
         of raw)"
    )
}

pub(crate) fn no_better_than_none(summary: &str, share: f64, tolerance: f64, what: &str) -> String {
    format!(
        "unfiltered: without filters {what} is within {} of the best ({summary}, {} of raw by \
         trial)",
        round_per_cent(tolerance),
        per_cent(share)
    )
}

pub(crate) fn too_slow(floors: &str) -> String {
    format!("unfiltered: no filters are that fast on one core ({floors})")
}

/// `origin`: `as asked`, `from rules`.
pub(crate) fn chain_asked(summary: &str, origin: &str, share: Option<f64>) -> String {
    match share {
        Some(share) => format!("{summary}: {origin}, {} of raw by trial", per_cent(share)),
        None => format!("{summary}: {origin}"),
    }
}

pub(crate) fn kept_filters(
    summary: &str,
    current_share: f64,
    best: Option<f64>,
    floors: &str,
) -> String {
    let semicolon = if floors.is_empty() { "" } else { "; " };
    match best {
        Some(best) => format!(
            "kept: {summary} at {} of raw, best trial {}{semicolon}{floors}",
            per_cent(current_share),
            per_cent(best)
        ),
        None => format!("kept: {summary}, no data to try"),
    }
}

pub(crate) fn kept_on(current: &str, other: &str, chunks: &str) -> String {
    format!("kept: {current}; {other} makes no less of {chunks}")
}

pub(crate) fn chosen(summary: &str, encoder: &str, share: f64, shuffle: &str) -> String {
    format!(
        "{summary}: {} of raw by trial, {shuffle}{encoder}",
        per_cent(share)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_say_what_was_taken_account_of() {
        assert_eq!(
            for_goal(
                "lz4",
                "archive",
                0.5,
                &["", "read floor of 2 MB/s as asked", "a > 1"]
            ),
            "lz4: 50.0 % of raw by trial, for archive; read floor of 2 MB/s as asked; a > 1"
        );
        assert_eq!(
            within(0.03, "the ratio", Some(("zstd(22)", 0.401))),
            "within 3 % of the ratio of zstd(22) at 40.1 %, and faster"
        );
        assert!(within(0.005, "the joules", None).contains("0.5 %"));
    }

    #[test]
    fn byte_counts_read_naturally() {
        assert_eq!(bytes(400), "400 B");
        assert_eq!(bytes(1024), "1.0 KiB");
        assert_eq!(bytes(1 << 20), "1.0 MiB");
        assert_eq!(bytes(5 << 29), "2.5 GiB");
    }
}
