//! A plain parallel map for work that needs no chunks: trials, plans, checks.

use std::sync::atomic::{AtomicBool, Ordering};

use frazil_types::sync::Mutex;

use crate::PipelineError;
use crate::error::guarded;
use crate::threads::guest;

/// Maps `items` on up to `threads` threads; the results are in the order of the items.
///
/// With 1 thread (or 0) or a single item everything runs on the calling thread.
///
/// # Errors
/// `WorkerPanicked` if `f` panics; no item is begun after that.
pub fn map_ordered<T, R, F>(items: Vec<T>, threads: usize, f: F) -> Result<Vec<R>, PipelineError>
where
    T: Send,
    R: Send,
    F: Fn(T) -> R + Sync,
{
    if threads <= 1 || items.len() <= 1 {
        return guarded(|| items.into_iter().map(&f).collect());
    }
    let workers = threads.min(items.len());
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let queue = Mutex::new(items.into_iter().zip(results.iter_mut()));
    let failed = AtomicBool::new(false);
    let failure = Mutex::new(None);
    let work = || {
        while !failed.load(Ordering::Relaxed) {
            let Some((item, place)) = queue.lock().next() else {
                return;
            };
            match guarded(|| f(item)) {
                Ok(result) => *place = Some(result),
                Err(error) => {
                    failure.lock().get_or_insert(error);
                    failed.store(true, Ordering::Relaxed);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        // The calling thread is one of the workers, so it goes on even where no thread starts.
        for _ in 1..workers {
            let worker = std::thread::Builder::new().name("frazil-worker".to_owned());
            if worker.spawn_scoped(scope, guest(work)).is_err() {
                break;
            }
        }
        work();
    });
    drop(queue);
    match failure.into_inner() {
        Some(error) => Err(error),
        None => Ok(results.into_iter().flatten().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    #[test]
    fn results_keep_the_order_of_the_items() {
        for threads in [0, 1, 2, 3, 8] {
            let squares = map_ordered((0..1000_u64).collect(), threads, |i| i * i).unwrap();
            assert_eq!(squares, (0..1000).map(|i| i * i).collect::<Vec<u64>>());
        }
        assert!(map_ordered(Vec::<u8>::new(), 4, |i| i).unwrap().is_empty());
    }

    #[test]
    fn a_panic_is_an_error_and_stops_the_rest() {
        const ITEMS: u32 = 100_000;
        let begun = AtomicUsize::new(0);
        for threads in [1, 4] {
            begun.store(0, Ordering::Relaxed);
            let outcome = map_ordered((0..ITEMS).collect(), threads, |i| {
                begun.fetch_add(1, Ordering::Relaxed);
                assert_ne!(i, 17, "unlucky");
                // Reporting a panic takes a while: the others must not get through all items in it.
                if i > 17 {
                    std::thread::sleep(Duration::from_millis(2));
                }
            });
            assert!(matches!(outcome, Err(PipelineError::WorkerPanicked(_))));
            assert!(begun.load(Ordering::Relaxed) < ITEMS as usize);
        }
    }
}
