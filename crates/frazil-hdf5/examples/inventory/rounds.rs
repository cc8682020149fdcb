//! Requests that it takes to find the chunks of a dataset.

use std::error::Error;
use std::fs;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use frazil_hdf5::{File, LinkTarget, Object, Source};

/// What was asked of a source.
#[derive(Default)]
struct Counts {
    rounds: AtomicU64,
    bytes: AtomicU64,
}

struct Counting {
    file: fs::File,
    head_bytes: u64,
    counts: Arc<Counts>,
}

impl Source for Counting {
    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Vec<u8>>> {
        let bytes = ranges.iter().map(|range| range.end - range.start).sum();
        self.counts.rounds.fetch_add(1, Ordering::Relaxed);
        self.counts.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.file.read_ranges(ranges)
    }

    fn block_bytes(&self) -> u64 {
        1024
    }

    fn head_bytes(&self) -> u64 {
        self.head_bytes
    }
}

/// Opens a file, locates the chunks of a dataset, and prints rounds, bytes and chunks.
pub(crate) fn run(path: &str, dataset: &str, head_bytes: u64) -> Result<(), Box<dyn Error>> {
    let counts = Arc::new(Counts::default());
    let source = Counting {
        file: fs::File::open(path)?,
        head_bytes,
        counts: Arc::clone(&counts),
    };
    let file = File::open(Box::new(source), None)?;
    let mut object = file.root()?;
    for name in dataset.split('/').filter(|name| !name.is_empty()) {
        object = member(&file, &object, name)?;
    }
    let chunks = file.locate(&file.dataset(&object)?)?.len();
    let (rounds, bytes) = (&counts.rounds, &counts.bytes);
    println!(
        "{} {} {chunks}",
        rounds.load(Ordering::Relaxed),
        bytes.load(Ordering::Relaxed)
    );
    Ok(())
}

fn member(file: &File, group: &Object, name: &str) -> Result<Object, Box<dyn Error>> {
    let links = file.links(group)?;
    let link = links.into_iter().find(|link| link.name == name);
    match link.map(|link| link.target) {
        Some(LinkTarget::Hard(address)) => Ok(file.object(address)?),
        _ => Err(format!("there is no {name}").into()),
    }
}
