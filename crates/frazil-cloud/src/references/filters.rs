//! Filters as numcodecs names them.

use frazil_file::sources::cure_of_filter;
use frazil_types::{ChunkGrid, ChunkRecord, FilterPipeline, FilterSpec, filter_id};
use serde_json::{Value, json};

use super::Refusal;

/// The compressors of Blosc, by their numbers.
const BLOSC: [&str; 6] = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];

/// The codecs that undo a variable's filters, in the order in which they were applied.
///
/// Zarr has one list for all chunks. Filters that no chunk went through are left out.
pub(super) fn codecs(
    pipeline: &FilterPipeline,
    records: &[ChunkRecord],
    edges: Option<&ChunkGrid>,
) -> Result<Vec<Value>, Refusal> {
    let counts = |filter: &(usize, &FilterSpec)| !is_identity(filter.1.id);
    let filters: Vec<(usize, &FilterSpec)> = pipeline.0.iter().enumerate().filter(counts).collect();
    let all = filters
        .iter()
        .fold(0_u32, |mask, (position, _)| mask | bit(*position));
    let skipped = |record: &ChunkRecord| match edges {
        Some(grid) if grid.is_partial_edge(record.index) => all,
        _ => record.filter_mask & all,
    };
    let mask = records.first().map_or(all, skipped);
    if records.iter().any(|record| skipped(record) != mask) {
        return Err(with_cure(
            "some of its chunks skipped a filter, which Zarr cannot express",
        ));
    }
    (filters.iter())
        .filter(|(position, _)| mask & bit(*position) == 0)
        .map(|(_, filter)| codec(filter))
        .collect()
}

fn bit(position: usize) -> u32 {
    u32::try_from(position)
        .ok()
        .and_then(|position| 1_u32.checked_shl(position))
        .unwrap_or(0)
}

/// What was rounded on the way in comes out as it is.
fn is_identity(id: i32) -> bool {
    [
        filter_id::BITGROOM,
        filter_id::GRANULAR_BITROUND,
        filter_id::BITROUND,
    ]
    .contains(&id)
}

fn codec(filter: &FilterSpec) -> Result<Value, Refusal> {
    let value = |position: usize| filter.cd_values.get(position).copied();
    Ok(match filter.id {
        filter_id::DEFLATE => json!({"id": "zlib", "level": value(0).unwrap_or(1)}),
        filter_id::SHUFFLE => match value(0) {
            Some(size) if size > 0 => json!({"id": "shuffle", "elementsize": size}),
            _ => {
                return Err(with_cure(
                    "its shuffle filter does not say of how many bytes",
                ));
            }
        },
        filter_id::FLETCHER32 => json!({"id": "fletcher32"}),
        filter_id::ZSTD => json!({"id": "zstd", "level": value(0).unwrap_or(3)}),
        filter_id::BZIP2 => json!({"id": "bz2", "level": value(0).unwrap_or(9)}),
        filter_id::BLOSC => {
            let name = value(6).and_then(|code| BLOSC.get(code as usize));
            json!({
                "id": "blosc",
                "cname": name.unwrap_or(&BLOSC[0]),
                "clevel": value(4).unwrap_or(5),
                "shuffle": value(5).unwrap_or(1),
                // The size of a chunk, as kerchunk has it: reading needs none of these.
                "blocksize": value(3).unwrap_or(0),
            })
        }
        _ => {
            let cause = format!(
                "numcodecs, which Zarr's readers use, cannot decode {} (filter {})",
                filter.display_name(),
                filter.id
            );
            return Err(match cure_of_filter(filter.id) {
                None => with_cure(&cause),
                cure => Refusal { cause, cure },
            });
        }
    })
}

/// What to do about filters.
fn with_cure(cause: &str) -> Refusal {
    Refusal {
        cause: cause.to_owned(),
        cure: Some("pack the file first: frazil pack --readable-by netcdf4 IN -o OUT".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipeline(ids: &[i32]) -> FilterPipeline {
        let specs = ids.iter().map(|&id| FilterSpec::new(id, vec![4]));
        FilterPipeline(specs.collect())
    }

    fn record(index: u64, filter_mask: u32) -> ChunkRecord {
        ChunkRecord {
            index,
            filter_mask,
            address: 0,
            stored_bytes: 1,
        }
    }

    #[test]
    fn filters_that_no_chunk_went_through_are_left_out() {
        let filters = pipeline(&[filter_id::BITROUND, filter_id::SHUFFLE, filter_id::DEFLATE]);
        let all = codecs(&filters, &[record(0, 0), record(1, 1)], None).unwrap();
        assert_eq!(
            all,
            [
                json!({"id": "shuffle", "elementsize": 4}),
                json!({"id": "zlib", "level": 4})
            ]
        );
        let raw = codecs(&filters, &[record(0, 0b100)], None).unwrap();
        assert_eq!(raw, [json!({"id": "shuffle", "elementsize": 4})]);
        assert!(
            codecs(&pipeline(&[filter_id::SZIP]), &[], None)
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn chunks_of_different_filters_are_refused() {
        let filters = pipeline(&[filter_id::DEFLATE]);
        let mixed = codecs(&filters, &[record(0, 0), record(1, 1)], None);
        assert!(mixed.unwrap_err().cure.unwrap().contains("frazil pack"));
        // The last chunk sticks out of the array, and is stored as it is.
        let grid = ChunkGrid::new(&[5], &[2]).unwrap();
        assert!(codecs(&filters, &[record(0, 0), record(2, 0)], Some(&grid)).is_err());
        assert_eq!(
            codecs(&filters, &[record(2, 0)], Some(&grid)).unwrap(),
            [] as [Value; 0]
        );
    }

    #[test]
    fn filters_that_zarr_lacks_are_named() {
        let refused = codecs(&pipeline(&[filter_id::SZIP]), &[record(0, 0)], None).unwrap_err();
        assert!(
            refused.cause.contains("szip (filter 4)"),
            "{}",
            refused.cause
        );
    }
}
