//! What was packed of each dataset and what was not, for `frazil run`.

use std::collections::BTreeMap;
use std::ffi::c_char;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::time::Duration;

use frazil_interpose::tell;
use frazil_types::sync::Mutex;
use serde_json::json;

use crate::library::{Functions, Hid};

/// Bytes of a name that are read.
const NAME_BYTES: usize = 4096;
/// How long the end of the process waits for a thread that counts.
const PATIENCE: Duration = Duration::from_secs(1);

/// What this process has written.
struct Counted {
    process: u32,
    datasets: Mutex<BTreeMap<(String, String), Amounts>>,
}

#[derive(Default)]
struct Amounts {
    raw_bytes: u64,
    stored_bytes: u64,
    never: Option<String>,
    /// Calls that were left, by the reason.
    left: BTreeMap<&'static str, u64>,
}

/// A child of a fork gets its own: another thread of its parent may hold the lock of this one.
static COUNTED: AtomicPtr<Counted> = AtomicPtr::new(ptr::null_mut());
/// Calls that write little.
static FEW: AtomicU64 = AtomicU64::new(0);

impl Counted {
    fn of_this_process() -> &'static Self {
        let known = COUNTED.load(Ordering::Acquire);
        let process = std::process::id();
        // SAFETY: never freed.
        if let Some(counted) = unsafe { known.as_ref() }.filter(|known| known.process == process) {
            return counted;
        }
        if !known.is_null() {
            FEW.store(0, Ordering::Relaxed);
        }
        at_exit();
        let made: &'static mut Self = Box::leak(Box::new(Self {
            process,
            datasets: Mutex::new(BTreeMap::new()),
        }));
        let made = ptr::from_mut(made);
        let first = COUNTED.compare_exchange(known, made, Ordering::AcqRel, Ordering::Acquire);
        let place = match first {
            Ok(_) => made,
            Err(first) => first,
        };
        // SAFETY: either was leaked, and is not null.
        unsafe { &*place }
    }
}

fn at_exit() {
    static IS_ASKED: AtomicBool = AtomicBool::new(false);
    if !IS_ASKED.swap(true, Ordering::Relaxed) {
        // SAFETY: the function lives as long as the library, which is never unloaded.
        unsafe { libc::atexit(tell_all) };
    }
}

/// A call wrote so little that nobody looked at it.
pub(crate) fn few_bytes() {
    if FEW.fetch_add(1, Ordering::Relaxed) == 0 {
        Counted::of_this_process();
    }
}

/// Chunks of a dataset were written.
pub(crate) fn packed(hdf5: &Functions, dataset: Hid, raw: u64, stored: u64) {
    count(hdf5, dataset, |amounts| {
        amounts.raw_bytes += raw;
        amounts.stored_bytes += stored;
    });
}

/// A call was left to the program's own library.
pub(crate) fn left(hdf5: &Functions, dataset: Hid, why: &'static str) {
    count(hdf5, dataset, |amounts| {
        *amounts.left.entry(why).or_default() += 1;
    });
}

/// All calls of a dataset are left.
pub(crate) fn never(hdf5: &Functions, dataset: Hid, why: &str) {
    count(hdf5, dataset, |amounts| {
        amounts.never = Some(why.to_owned());
    });
}

fn count(hdf5: &Functions, dataset: Hid, change: impl FnOnce(&mut Amounts)) {
    let named = (
        name(|place, room| {
            // SAFETY: a dataset, and room for its name.
            unsafe { (hdf5.H5Fget_name)(dataset, place, room) }
        }),
        name(|place, room| {
            // SAFETY: as above.
            unsafe { (hdf5.H5Iget_name)(dataset, place, room) }
        }),
    );
    let counted = Counted::of_this_process();
    let mut datasets = counted.datasets.lock();
    if let Some(amounts) = datasets.get_mut(&named) {
        return change(amounts);
    }
    // At once: a process may end without its handlers.
    tell("dataset", json!({ "path": named.0, "dataset": named.1 }));
    change(datasets.entry(named).or_default());
}

fn name(ask: impl FnOnce(*mut c_char, usize) -> isize) -> String {
    let mut text = [0_u8; NAME_BYTES];
    let length = usize::try_from(ask(text.as_mut_ptr().cast(), NAME_BYTES)).unwrap_or(0);
    let text = &text[..length.min(NAME_BYTES - 1)];
    String::from_utf8_lossy(text).into_owned()
}

extern "C" fn tell_all() {
    // SAFETY: never freed.
    let Some(counted) = (unsafe { COUNTED.load(Ordering::Acquire).as_ref() }) else {
        return;
    };
    if counted.process != std::process::id() {
        return;
    }
    let Some(datasets) = counted.datasets.try_lock_for(PATIENCE) else {
        return;
    };
    for ((path, dataset), amounts) in datasets.iter() {
        tell(
            "dataset_done",
            json!({
                "path": path,
                "dataset": dataset,
                "raw_bytes": amounts.raw_bytes,
                "stored_bytes": amounts.stored_bytes,
                "why": amounts.never,
                "left": amounts.left,
            }),
        );
    }
    match FEW.load(Ordering::Relaxed) {
        0 => {}
        few => tell("few_bytes", json!({ "writes": few })),
    }
}
