//! The files whose metadata readers keep at hand, and which libhdf5 keeps open where it must read.

use std::sync::Arc;

use frazil_container::hdf5::{Contents, Hdf5Input};
use frazil_container::outside_forks;
use frazil_types::sync::Mutex;

/// Files that libhdf5 keeps open for readers, of all readers of the process: open files that are
/// not used cost no memory.
const MOST_OPEN: usize = 32;

/// The last one used comes last.
static OPEN: Mutex<Files> = Mutex::new(Vec::new());

/// Files by the number of their generation.
type Files = Vec<(u64, Arc<Hdf5Input>)>;

/// The open file of a generation; opened again, by its name, if it was closed meanwhile. Whether it was.
pub(super) fn open(generation: u64, contents: &Arc<Contents>) -> (Arc<Hdf5Input>, bool) {
    if let Some(found) = take(generation) {
        keep(generation, Arc::clone(&found));
        return (found, false);
    }
    let opened = Arc::new(Hdf5Input::reopen(contents));
    keep(generation, Arc::clone(&opened));
    (opened, true)
}

/// Whether libhdf5 has opened the file of a generation, which it does by its name.
pub(super) fn has_opened(generation: u64) -> bool {
    with_open(|open| {
        let mut open = open.iter();
        open.any(|(number, input)| *number == generation && input.is_in_library())
    })
}

/// Keeps a file open, and closes the one that was not used for longest if there are too many.
pub(super) fn keep(generation: u64, input: Arc<Hdf5Input>) {
    input.forget_metadata();
    let closing = with_open(|open| {
        open.push((generation, input));
        (open.len() > MOST_OPEN).then(|| open.remove(0))
    });
    // Closing waits for libhdf5's lock.
    drop(closing);
}

/// Closes the file of a generation.
pub(super) fn close(generation: u64) {
    drop(take(generation));
}

fn take(generation: u64) -> Option<Arc<Hdf5Input>> {
    with_open(|open| {
        let at = open.iter().position(|(number, _)| *number == generation)?;
        Some(open.remove(at).1)
    })
}

fn with_open<T>(work: impl FnOnce(&mut Files) -> T) -> T {
    outside_forks(|| work(&mut OPEN.lock()))
}
