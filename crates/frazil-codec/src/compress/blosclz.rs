//! BloscLZ streams inside Blosc buffers.
//!
//! Source: `blosclz.c` of C-Blosc 1.21. A relative of FastLZ: a control byte below 32 starts a
//! literal run; any other holds the length and the high bits of the distance of a match.

/// Distances from here on are written in two more bytes.
const MAX_DISTANCE: usize = 8191;
/// Length code that is continued in more bytes.
const LONG_MATCH: usize = 6;

/// Bytes of a match at least.
const SHORTEST_MATCH: usize = 4;
/// Bytes of a literal run at most.
const LONGEST_RUN: usize = 32;
/// Farthest match that is written: the far form reaches 65 535 bytes further.
const FARTHEST: usize = MAX_DISTANCE + 65_535;
/// Positions in the table, by a hash of 4 bytes.
const TABLE_BITS: u32 = 13;
/// Bytes at the end that stay literal: C-Blosc's decoder takes no match that ends a stream.
const TAIL: usize = 12;
/// Set in the first byte; its other bits are the first literal run.
const MARKER: u8 = 32;

/// Appends `raw` as one BloscLZ stream; returns its length.
pub(crate) fn append(raw: &[u8], out: &mut Vec<u8>) -> usize {
    let start = out.len();
    // Positions are one more than they are; 0: none.
    let mut table = [0_u32; 1 << TABLE_BITS];
    let (mut at, mut literal) = (1, 0);
    while at + SHORTEST_MATCH + TAIL <= raw.len() {
        let Some(cell) = raw[at..].first_chunk::<4>() else {
            break;
        };
        let word = u32::from_le_bytes(*cell);
        let hash = (word.wrapping_mul(2_654_435_761) >> (32 - TABLE_BITS)) as usize;
        let candidate = std::mem::replace(&mut table[hash], at as u32 + 1) as usize;
        let matched = candidate.checked_sub(1).filter(|&before| {
            at - before <= FARTHEST && raw[before..before + SHORTEST_MATCH] == *cell
        });
        let Some(before) = matched else {
            at += 1;
            continue;
        };
        let behind = raw[before + SHORTEST_MATCH..].iter();
        let ahead = raw[at + SHORTEST_MATCH..raw.len() - TAIL].iter();
        let equal = ahead.zip(behind).take_while(|(a, b)| a == b).count();
        push_literals(&raw[literal..at], out);
        push_match(at - before, SHORTEST_MATCH + equal, out);
        at += SHORTEST_MATCH + equal;
        literal = at;
    }
    push_literals(&raw[literal..], out);
    if let Some(first) = out.get_mut(start) {
        *first |= MARKER;
    }
    out.len() - start
}

fn push_literals(literals: &[u8], out: &mut Vec<u8>) {
    for run in literals.chunks(LONGEST_RUN) {
        out.push(run.len() as u8 - 1);
        out.extend_from_slice(run);
    }
}

fn push_match(distance: usize, length: usize, out: &mut Vec<u8>) {
    let (code, mut more) = (distance - 1, length - 3);
    let near = code.min(MAX_DISTANCE);
    let short = more.min(LONG_MATCH);
    out.push(((short + 1) << 5 | near >> 8) as u8);
    if short == LONG_MATCH {
        more -= LONG_MATCH;
        while more >= 255 {
            out.push(255);
            more -= 255;
        }
        out.push(more as u8);
    }
    out.push(near as u8);
    if near == MAX_DISTANCE {
        out.extend_from_slice(&((code - MAX_DISTANCE) as u16).to_be_bytes());
    }
}

/// Decodes `stored`, which must fill `out`; `None` if it does not.
pub(crate) fn decode(stored: &[u8], out: &mut [u8]) -> Option<()> {
    let mut rest = stored;
    let mut at = 0;
    // The first control byte always starts a literal run: its upper bits mean something else.
    let mut control = usize::from(next(&mut rest)?) & 31;
    loop {
        let end = if control < 32 {
            let (run, tail) = rest.split_at_checked(control + 1)?;
            rest = tail;
            let end = at + run.len();
            out.get_mut(at..end)?.copy_from_slice(run);
            end
        } else {
            let (distance, length) = match_at(control, &mut rest)?;
            copy_match(out, at, distance, length)?
        };
        at = end;
        let Some(following) = next(&mut rest) else {
            return (at == out.len()).then_some(());
        };
        control = usize::from(following);
    }
}

fn next(rest: &mut &[u8]) -> Option<u8> {
    let (&byte, tail) = rest.split_first()?;
    *rest = tail;
    Some(byte)
}

/// Distance and length of a match.
fn match_at(control: usize, rest: &mut &[u8]) -> Option<(usize, usize)> {
    let mut length = (control >> 5) - 1;
    if length == LONG_MATCH {
        loop {
            let code = next(rest)?;
            length = length.checked_add(usize::from(code))?;
            if code != 255 {
                break;
            }
        }
    }
    let code = usize::from(next(rest)?);
    let mut distance = (control & 31) << 8 | code;
    if distance == MAX_DISTANCE {
        let far = [next(rest)?, next(rest)?];
        distance += usize::from(u16::from_be_bytes(far));
    }
    Some((distance + 1, length.checked_add(3)?))
}

/// Copies within `out` to `at`; the two runs may overlap. Returns the end.
fn copy_match(out: &mut [u8], at: usize, distance: usize, length: usize) -> Option<usize> {
    let start = at.checked_sub(distance)?;
    let end = at.checked_add(length).filter(|&end| end <= out.len())?;
    if distance >= length {
        out.copy_within(start..start + length, at);
    } else {
        for i in 0..length {
            out[at + i] = out[start + i];
        }
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_come_back() {
        let mut state = 3_u32;
        let mut next = |limit: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((u64::from(state) * u64::from(limit)) >> 32) as u8
        };
        let noise: Vec<u8> = (0..100_000).map(|_| next(256)).collect();
        let far = [&noise[..40_000], &noise[..9000]].concat();
        let text: Vec<u8> = (0..9000).map(|_| b'a' + next(3)).collect();
        let zeros = vec![0; 70_000];
        for raw in [
            &noise[..],
            &far,
            &text,
            &zeros,
            &text[..13],
            &text[..1],
            b"abcabcabcabcabcabc",
        ] {
            let mut stored = vec![9];
            let length = append(raw, &mut stored);
            assert_eq!(stored.len(), length + 1);
            let mut back = vec![1; raw.len()];
            decode(&stored[1..], &mut back).unwrap();
            assert!(back == raw);
        }
        let mut stored = Vec::new();
        assert!(append(&zeros, &mut stored) < 400 && append(&far, &mut stored) < 44_000);
    }
}
