//! Which elements of a variable, and where they lie in the caller's memory.

use frazil_container::schema::Text;
use std::borrow::Cow;

use crate::status::{Answer, Refusal, Status};
use crate::types::{CText, MemorySpan, Region};
use frazil_file::counting;
use frazil_types::AxisSelection;

/// netCDF-C's limit of a variable's rank (`NC_MAX_VAR_DIMS`).
const MAX_RANK: usize = 1024;
static ZEROS: [u64; MAX_RANK] = [0; MAX_RANK];
static ONES: [u64; MAX_RANK] = [1; MAX_RANK];

/// A region with everything filled in that was left out, as long as the variable's rank.
#[derive(Debug)]
pub(super) struct Slab<'a> {
    pub(super) start: Cow<'a, [u64]>,
    pub(super) count: Cow<'a, [u64]>,
    /// `None`: every element.
    pub(super) stride: Option<&'a [i64]>,
    map: Option<&'a [i64]>,
}

impl<'a> Slab<'a> {
    /// Fills in what was left out, from the lengths of a variable's axes.
    pub(super) fn new(
        region: &Region<'a>,
        rank: usize,
        length: impl Fn(usize) -> u64,
    ) -> Answer<Self> {
        let fits = |given: Option<usize>| given.is_none_or(|it| it == rank);
        let is_whole = region.start.is_none() && region.count.is_none();
        if rank > MAX_RANK
            || !fits(region.start.map(<[u64]>::len))
            || !fits(region.count.map(<[u64]>::len))
            || !fits(region.stride.map(<[i64]>::len))
            || !fits(region.map.map(<[i64]>::len))
        {
            return Err(Refusal::new(
                Status::EINVALCOORDS,
                format!("start, count, stride and map must have {rank} numbers each"),
            ));
        }
        let stride = region.stride.filter(|it| it.iter().any(|&step| step != 1));
        if stride.is_some_and(|it| it.iter().any(|&step| step <= 0)) {
            return Err(Status::ESTRIDE.into());
        }
        let whole = |axis: usize| match stride {
            Some(stride) => length(axis).div_ceil(stride[axis].unsigned_abs()),
            None => length(axis),
        };
        let count = match region.count {
            Some(count) => Cow::Borrowed(count),
            None if is_whole => Cow::Owned((0..rank).map(whole).collect()),
            None => Cow::Borrowed(&ONES[..rank]),
        };
        Ok(Self {
            start: Cow::Borrowed(region.start.unwrap_or(&ZEROS[..rank])),
            count,
            stride,
            map: region.map,
        })
    }

    /// Checks one axis after the other against lengths; `None` is an axis without an end.
    pub(super) fn check(&self, length: impl Fn(usize) -> Option<u64>, is_put: bool) -> Answer<()> {
        let reads_nothing = self.count.contains(&0);
        for axis in 0..self.start.len() {
            let (start, count) = (self.start[axis], self.count[axis]);
            let step = self.step(axis);
            let last = start.checked_add(step.saturating_mul(count.saturating_sub(1)));
            let Some(length) = length(axis) else {
                // No file holds so many elements.
                if last.is_none_or(|last| last > i64::MAX.unsigned_abs()) {
                    return Err(Refusal::new(
                        Status::EINVALCOORDS,
                        format!(
                            "{}: {count} from {} on along {} are no positions of any file",
                            Status::EINVALCOORDS.message(),
                            counting::position(start),
                            self.axis(axis)
                        ),
                    ));
                }
                continue;
            };
            if start > length || (start == length && count > 0) {
                return Err(self.outside(Status::EINVALCOORDS, axis, start, length));
            }
            let counts = if is_put { !reads_nothing } else { count > 0 };
            if counts && last.is_none_or(|last| last >= length) {
                let last = last.unwrap_or(u64::MAX);
                return Err(self.outside(Status::EEDGE, axis, last, length));
            }
        }
        Ok(())
    }

    /// What netCDF-C looks at before all else where memory is mapped: every axis but that of records, if
    /// `first_grows`, is taken as it is long now, and steps are not counted. `false`: nothing moves.
    pub(super) fn check_mapped(
        &self,
        shape: &[u64],
        is_put: bool,
        first_grows: bool,
    ) -> Answer<bool> {
        let looked_at: Vec<usize> = match is_put {
            true => (usize::from(first_grows)..shape.len()).collect(),
            false => (0..shape.len()).rev().collect(),
        };
        for axis in looked_at {
            let (start, count, length) = (self.start[axis], self.count[axis], shape[axis]);
            if start > length || (start == length && count > 0) {
                return Err(self.outside(Status::EINVALCOORDS, axis, start, length));
            }
            let end = start.saturating_add(count);
            if end > length {
                return Err(self.outside(Status::EEDGE, axis, end - 1, length));
            }
        }
        Ok(!self.count.contains(&0))
    }

    fn axis(&self, axis: usize) -> String {
        counting::axis(axis, self.start.len())
    }

    fn outside(&self, status: Status, axis: usize, index: u64, length: u64) -> Refusal {
        let (words, place) = (status.message(), counting::position(index));
        let axis = self.axis(axis);
        Refusal::new(
            status,
            format!("{words}: index {place} along {axis}, which has length {length}"),
        )
    }

    fn step(&self, axis: usize) -> u64 {
        self.stride.map_or(1, |stride| stride[axis].unsigned_abs())
    }

    /// The stride as the writer takes it.
    pub(super) fn steps(&self) -> Option<Vec<u64>> {
        let stride = self.stride?;
        Some(stride.iter().map(|step| step.unsigned_abs()).collect())
    }

    /// The elements as a reader takes them.
    pub(super) fn selections(&self) -> Vec<AxisSelection> {
        let axes = self.start.iter().zip(self.count.iter()).enumerate();
        axes.map(|(axis, (&start, &count))| AxisSelection::Range {
            start,
            count,
            stride: self.step(axis),
        })
        .collect()
    }

    /// Number of elements.
    pub(super) fn elements(&self) -> Answer<usize> {
        let product = (self.count.iter())
            .try_fold(1_u64, |product, &count| product.checked_mul(count))
            .and_then(|product| usize::try_from(product).ok());
        product.ok_or_else(|| Status::EINVAL.into())
    }

    /// The memory that the elements take.
    pub(super) fn span(&self) -> Answer<MemorySpan> {
        let elements = self.elements()?;
        let Some(map) = self.map else {
            return Ok(MemorySpan {
                before: 0,
                after: elements,
            });
        };
        if elements == 0 {
            return Ok(MemorySpan::default());
        }
        let too_far = || Refusal::new(Status::EINVAL, "the map leads out of any memory");
        let (mut before, mut after) = (0_i64, 1_i64);
        for (&count, &distance) in self.count.iter().zip(map) {
            let steps = i64::try_from(count - 1).map_err(|_| too_far())?;
            let reach = distance.checked_mul(steps).ok_or_else(too_far)?;
            let side = if reach < 0 { &mut before } else { &mut after };
            *side = side.checked_add(reach).ok_or_else(too_far)?;
        }
        Ok(MemorySpan {
            before: usize::try_from(before.unsigned_abs()).map_err(|_| too_far())?,
            after: usize::try_from(after).map_err(|_| too_far())?,
        })
    }

    /// Whether elements do not simply lie one after the other.
    pub(super) fn is_mapped(&self) -> bool {
        self.map.is_some()
    }

    /// The place in memory of each element, in row-major order. The span must have been computed.
    pub(super) fn places(&self) -> Answer<Vec<usize>> {
        let span = self.span()?;
        let elements = self.elements()?;
        let Some(map) = self.map else {
            return Ok((0..elements).collect());
        };
        let mut index = vec![0_u64; self.count.len()];
        let mut place = i64::try_from(span.before).map_err(|_| Refusal::from(Status::EINVAL))?;
        let mut places = Vec::with_capacity(elements);
        for _ in 0..elements {
            places.push(usize::try_from(place).map_err(|_| Refusal::from(Status::EINVAL))?);
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                place += map[axis];
                if index[axis] < self.count[axis] {
                    break;
                }
                place -= map[axis] * self.count[axis].cast_signed();
                index[axis] = 0;
            }
        }
        Ok(places)
    }

    /// The values of a put in row-major order; borrowed where they lie so already.
    pub(super) fn gather<'b>(&self, bytes: &'b [u8], size: usize) -> Answer<Cow<'b, [u8]>> {
        let bytes = self.own_part(bytes, size)?;
        if !self.is_mapped() {
            return Ok(Cow::Borrowed(bytes));
        }
        let places = self.places()?;
        let mut values = Vec::with_capacity(places.len() * size);
        for place in places {
            values.extend_from_slice(&bytes[place * size..(place + 1) * size]);
        }
        Ok(Cow::Owned(values))
    }

    /// Puts the values of a get, row-major, where they belong in memory.
    pub(super) fn scatter(&self, values: &[u8], bytes: &mut [u8], size: usize) -> Answer<()> {
        self.own_part(bytes, size)?;
        if !self.is_mapped() {
            bytes[..values.len()].copy_from_slice(values);
            return Ok(());
        }
        for (value, place) in values.chunks_exact(size).zip(self.places()?) {
            bytes[place * size..(place + 1) * size].copy_from_slice(value);
        }
        Ok(())
    }

    /// The strings of a put in row-major order.
    pub(super) fn gather_strings(&self, values: &[Text]) -> Answer<Vec<Text>> {
        let places = self.places()?;
        let values = places.iter().map(|&place| values.get(place).cloned());
        values.collect::<Option<_>>().ok_or_else(too_few)
    }

    /// Puts the strings of a get, row-major, where they belong in memory.
    pub(super) fn scatter_strings(
        &self,
        strings: Vec<CText>,
        values: &mut [Option<CText>],
    ) -> Answer<()> {
        for (string, place) in strings.into_iter().zip(self.places()?) {
            *values.get_mut(place).ok_or_else(too_few)? = Some(string);
        }
        Ok(())
    }

    fn own_part<'b>(&self, bytes: &'b [u8], size: usize) -> Answer<&'b [u8]> {
        let needed = self.span()?.len().checked_mul(size);
        needed
            .and_then(|needed| bytes.get(..needed))
            .ok_or_else(too_few)
    }
}

fn too_few() -> Refusal {
    Refusal::new(
        Status::EINVAL,
        "fewer values in memory than start and count say",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: [u64; 2] = [3, 4];

    fn slab<'a>(region: &Region<'a>) -> Answer<Slab<'a>> {
        Slab::new(region, 2, |axis| SHAPE[axis])
    }

    fn checked(region: &Region<'_>) -> Status {
        let outcome = slab(region).and_then(|slab| slab.check(|axis| Some(SHAPE[axis]), true));
        outcome.map_or_else(|refusal| refusal.status, |()| Status::NOERR)
    }

    fn vara<'a>(start: &'a [u64], count: &'a [u64]) -> Region<'a> {
        Region {
            start: Some(start),
            count: Some(count),
            ..Region::default()
        }
    }

    #[test]
    fn what_is_left_out_means_the_whole_variable_or_one_element() {
        let whole = slab(&Region::default()).unwrap();
        assert_eq!((&*whole.start, &*whole.count), (&[0, 0][..], &[3, 4][..]));
        let one = Region {
            start: Some(&[2, 1]),
            ..Region::default()
        };
        assert_eq!(slab(&one).unwrap().elements(), Ok(1));
        let thinned = Region {
            stride: Some(&[2, 3]),
            ..Region::default()
        };
        assert_eq!(&*slab(&thinned).unwrap().count, [2, 2]);
        assert_eq!(checked(&thinned), Status::NOERR);
    }

    #[test]
    fn a_start_outside_and_an_end_outside_are_told_apart() {
        assert_eq!(checked(&vara(&[0, 0], &[3, 4])), Status::NOERR);
        assert_eq!(checked(&vara(&[3, 0], &[1, 1])), Status::EINVALCOORDS);
        assert_eq!(checked(&vara(&[3, 0], &[0, 1])), Status::NOERR);
        assert_eq!(checked(&vara(&[4, 0], &[0, 1])), Status::EINVALCOORDS);
        assert_eq!(checked(&vara(&[0, 2], &[3, 3])), Status::EEDGE);
        assert_eq!(checked(&vara(&[0, 2], &[3, u64::MAX])), Status::EEDGE);
        for stride in [[0, 1], [-1, 1]] {
            let region = Region {
                stride: Some(&stride),
                ..vara(&[0, 0], &[1, 1])
            };
            assert_eq!(checked(&region), Status::ESTRIDE);
        }
        assert_eq!(checked(&vara(&[0], &[1])), Status::EINVALCOORDS);
    }

    #[test]
    fn maps_have_checks_of_their_own() {
        let mapped = |start, count| Region {
            map: Some(&[4, 1]),
            ..vara(start, count)
        };
        let checked = |start, count, is_put, first_grows| {
            let region = mapped(start, count);
            let moves = slab(&region).unwrap();
            let moves = moves.check_mapped(&SHAPE, is_put, first_grows);
            moves.map_err(|refusal| refusal.status)
        };
        assert_eq!(checked(&[3, 0], &[2, 4], true, true), Ok(true));
        assert_eq!(
            checked(&[3, 0], &[2, 4], true, false),
            Err(Status::EINVALCOORDS)
        );
        assert_eq!(checked(&[0, 0], &[0, 4], true, false), Ok(false));
        // To read, the last axis comes first.
        assert_eq!(checked(&[4, 2], &[1, 3], false, true), Err(Status::EEDGE));
        assert_eq!(
            checked(&[4, 2], &[1, 3], true, false),
            Err(Status::EINVALCOORDS)
        );
    }

    #[test]
    fn an_axis_without_an_end_still_has_one() {
        let far = vara(&[u64::MAX, 0], &[2, 1]);
        let outcome = slab(&far).unwrap().check(|_| None, true);
        assert_eq!(outcome.unwrap_err().status, Status::EINVALCOORDS);
        let next = vara(&[1 << 40, 0], &[2, 1]);
        assert!(slab(&next).unwrap().check(|_| None, true).is_ok());
    }

    #[test]
    fn a_map_says_where_values_lie() {
        let transposed = Region {
            map: Some(&[1, 3]),
            ..Region::default()
        };
        let memory: Vec<u8> = (0..12).collect();
        let transposed = slab(&transposed).unwrap();
        let values = transposed.gather(&memory, 1).unwrap();
        assert_eq!(*values, [0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11]);
        let mut back = vec![0; 12];
        transposed.scatter(&values, &mut back, 1).unwrap();
        assert_eq!(back, memory);

        let backwards = Region {
            map: Some(&[4, -1]),
            ..Region::default()
        };
        let backwards = slab(&backwards).unwrap();
        let span = backwards.span().unwrap();
        assert_eq!((span.before, span.after), (3, 9));
        let values = backwards.gather(&memory, 1).unwrap();
        assert_eq!(*values, [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8]);
        assert!(backwards.gather(&memory[1..], 1).is_err());
    }
}
