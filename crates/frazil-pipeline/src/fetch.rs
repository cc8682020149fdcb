//! Reading stored bytes with few, long reads.

use std::io;

use frazil_types::FileExtent;

use crate::ByteSource;

/// Neighbours this close are read together: skipping a gap costs more than reading it.
pub(crate) const MAX_GAP_BYTES: u64 = 16 << 10;
/// Longest merged read.
pub(crate) const MAX_READ_BYTES: u64 = 4 << 20;

/// The end of the run `[start, end)` once `next` has joined it, or `None` if it should not.
///
/// Extents come in order of address; a run is at most `limit_bytes` long.
pub(crate) fn joined_end(
    (start, end): (u64, u64),
    next: &FileExtent,
    limit_bytes: u64,
) -> Option<u64> {
    if next.segments != 1 || next.address.saturating_sub(end) > MAX_GAP_BYTES {
        return None;
    }
    let joined = end.max(next.end()?);
    (joined.checked_sub(start)? <= limit_bytes).then_some(joined)
}

/// Most bytes held while an extent is read: its own, and the window that records are picked from.
/// `None` on overflow.
pub(crate) fn working_bytes(extent: &FileExtent) -> Option<u64> {
    let total = extent.total_bytes()?;
    let window = window_segments(extent).map_or(Some(0), |n| n.checked_mul(extent.stride_bytes))?;
    total.checked_add(window)
}

/// How many segments are read together with the gaps between them; `None` if each is read alone.
fn window_segments(extent: &FileExtent) -> Option<u64> {
    let gap = extent.stride_bytes.checked_sub(extent.segment_bytes)?;
    if extent.segments < 2 || extent.segment_bytes == 0 || gap > MAX_GAP_BYTES {
        return None;
    }
    let window_bytes = extent.total_bytes()?.min(MAX_READ_BYTES);
    Some((window_bytes / extent.stride_bytes).max(1))
}

/// Reads from one byte source and counts.
pub(crate) struct Fetcher<'a> {
    pub(crate) bytes: &'a dyn ByteSource,
    pub(crate) fetched_bytes: u64,
}

impl<'a> Fetcher<'a> {
    pub(crate) fn new(bytes: &'a dyn ByteSource) -> Self {
        Self {
            bytes,
            fetched_bytes: 0,
        }
    }

    /// Reads `[start, end)`.
    pub(crate) fn read_run(&mut self, start: u64, end: u64) -> io::Result<Vec<u8>> {
        let mut buffer = zeroed(end.saturating_sub(start))?;
        self.read_into(&mut buffer, start)?;
        Ok(buffer)
    }

    /// Reads all segments of an extent, one after the other in the result.
    pub(crate) fn read_extent(&mut self, extent: &FileExtent) -> io::Result<Vec<u8>> {
        let total = extent.total_bytes().ok_or_else(too_large)?;
        extent.end().ok_or_else(too_large)?;
        let mut gathered = zeroed(total)?;
        if extent.segments == 1 {
            self.read_into(&mut gathered, extent.address)?;
            return Ok(gathered);
        }
        let segment_bytes = to_usize(extent.segment_bytes)?;
        if segment_bytes == 0 {
            return Ok(gathered);
        }
        match window_segments(extent) {
            Some(segments) => self.read_windows(extent, to_usize(segments)?, &mut gathered)?,
            None => {
                let mut address = extent.address;
                for segment in gathered.chunks_exact_mut(segment_bytes) {
                    self.read_into(segment, address)?;
                    // The last sum may overflow; it is not used.
                    address = address.wrapping_add(extent.stride_bytes);
                }
            }
        }
        Ok(gathered)
    }

    /// Reads `segments` segments at a time, gaps included, and keeps the segments.
    fn read_windows(
        &mut self,
        extent: &FileExtent,
        segments: usize,
        gathered: &mut [u8],
    ) -> io::Result<()> {
        let (segment, stride) = (
            to_usize(extent.segment_bytes)?,
            to_usize(extent.stride_bytes)?,
        );
        let mut window = Vec::new();
        let mut address = extent.address;
        for part in gathered.chunks_mut(segments * segment) {
            // The gap after the last segment may lie past the end of the file.
            let span = (part.len() / segment - 1) * stride + segment;
            window.resize(span, 0);
            self.read_into(&mut window, address)?;
            for (target, read) in part.chunks_exact_mut(segment).zip(window.chunks(stride)) {
                target.copy_from_slice(&read[..segment]);
            }
            address = address.wrapping_add(segments as u64 * extent.stride_bytes);
        }
        Ok(())
    }

    fn read_into(&mut self, buffer: &mut [u8], address: u64) -> io::Result<()> {
        self.fetched_bytes += buffer.len() as u64;
        if buffer.is_empty() {
            return Ok(());
        }
        self.bytes.read_exact_at(buffer, address)
    }
}

fn zeroed(bytes: u64) -> io::Result<Vec<u8>> {
    Ok(vec![0; to_usize(bytes)?])
}

fn to_usize(bytes: u64) -> io::Result<usize> {
    usize::try_from(bytes).map_err(|_| too_large())
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the extent is too large")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// A file that remembers the reads made of it.
    struct Recorder {
        content: Vec<u8>,
        reads: Mutex<Vec<(u64, usize)>>,
    }

    impl Recorder {
        fn new(bytes: usize) -> Self {
            Self {
                content: (0..bytes).map(|i| (i % 253) as u8).collect(),
                reads: Mutex::default(),
            }
        }
    }

    impl ByteSource for Recorder {
        fn read_exact_at(&self, buffer: &mut [u8], address: u64) -> io::Result<()> {
            self.reads.lock().unwrap().push((address, buffer.len()));
            let start = usize::try_from(address).unwrap();
            let found = self.content.get(start..start + buffer.len());
            buffer.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        }
    }

    fn records(segment_bytes: u64, segments: u64, stride_bytes: u64) -> FileExtent {
        FileExtent {
            address: 5,
            segment_bytes,
            segments,
            stride_bytes,
        }
    }

    fn expected(file: &Recorder, extent: &FileExtent) -> Vec<u8> {
        (0..extent.segments)
            .flat_map(|i| {
                let at = (extent.address + i * extent.stride_bytes) as usize;
                file.content[at..at + extent.segment_bytes as usize].to_vec()
            })
            .collect()
    }

    #[test]
    fn near_records_are_read_in_windows_and_far_ones_one_by_one() {
        let file = Recorder::new(2_000_000);
        for (extent, reads) in [
            (records(4, 100, 10), 100_usize.div_ceil(40)),
            (records(1000, 7, 1000), 1),
            (records(100, 50, 30_000), 50),
            (records(8, 1, 8), 1),
        ] {
            file.reads.lock().unwrap().clear();
            let read = Fetcher::new(&file).read_extent(&extent).unwrap();
            assert_eq!(read, expected(&file, &extent));
            assert_eq!(file.reads.lock().unwrap().len(), reads, "{extent:?}");
        }
    }

    #[test]
    fn the_gap_after_the_last_record_is_not_read() {
        let extent = records(4, 10, 16);
        let file = Recorder::new(extent.end().unwrap() as usize);
        assert_eq!(
            Fetcher::new(&file).read_extent(&extent).unwrap(),
            expected(&file, &extent)
        );
    }

    #[test]
    fn runs_join_over_small_gaps_up_to_the_limit() {
        let next = |address, bytes| FileExtent::contiguous(address, bytes);
        assert_eq!(joined_end((0, 100), &next(100, 50), 1000), Some(150));
        assert_eq!(joined_end((0, 100), &next(100, 950), 1000), None);
        assert_eq!(
            joined_end((0, 100), &next(100 + MAX_GAP_BYTES + 1, 1), u64::MAX),
            None
        );
        // Overlapping and hostile extents neither shrink a run nor overflow.
        assert_eq!(joined_end((0, 100), &next(20, 10), 1000), Some(100));
        assert_eq!(joined_end((0, 100), &next(100, u64::MAX), u64::MAX), None);
    }

    #[test]
    fn extents_past_the_address_space_are_errors() {
        let file = Recorder::new(10);
        let extent = records(u64::MAX / 2, 3, u64::MAX / 2);
        assert!(Fetcher::new(&file).read_extent(&extent).is_err());
        let far = FileExtent::contiguous(u64::MAX - 1, 4);
        assert!(Fetcher::new(&file).read_extent(&far).is_err());
        assert_eq!(working_bytes(&extent), None);
    }

    #[test]
    fn working_bytes_count_the_window() {
        assert_eq!(working_bytes(&FileExtent::contiguous(0, 77)), Some(77));
        assert_eq!(working_bytes(&records(4, 100, 10)), Some(400 + 400));
        assert_eq!(working_bytes(&records(4, 100, 1 << 20)), Some(400));
    }
}
