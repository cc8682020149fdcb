//! BloscLZ streams inside Blosc buffers, decoding.
//!
//! Source: `blosclz.c` of C-Blosc 1.21. A relative of FastLZ: a control byte below 32 starts a
//! literal run; any other holds the length and the high bits of the distance of a match.

/// Distances from here on are written in two more bytes.
const MAX_DISTANCE: usize = 8191;
/// Length code that is continued in more bytes.
const LONG_MATCH: usize = 6;

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
