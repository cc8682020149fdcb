//! Every run ends: errors, panics, cancellation, memory taken by others.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail the test"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::support::{Layout, Mishap, World, collect, smallest_budget, values_task, watched};
use frazil_pipeline::{
    ArraySource, MemoryBudget, PipelineError, Request, RunOptions, Task, TilingHint, WantedTiles,
    run_ordered,
};
use frazil_types::{ChunkGrid, ErrorCode, Selection};

const THREADS: [usize; 4] = [1, 2, 4, 8];

/// A rechunking with shared chunks and all tiles asked for.
fn rechunking(mishap: Mishap, fail_at_read: Option<u64>) -> (ArraySource, Vec<Selection>) {
    let layout = Layout {
        gap_bytes: 20_000,
        ..Layout::new(&[40, 30], &[7, 5], 4)
    };
    let mut world = World::with_mishap(layout, mishap, fail_at_read);
    let tiles = world.tiles(&[6, 6]);
    world.source.tiling = Some(TilingHint {
        grid: ChunkGrid::new(&[40, 30], &[6, 6]).unwrap(),
        wanted: WantedTiles::All,
    });
    (world.source, tiles)
}

fn tasks(tiles: &[Selection]) -> Vec<Task<usize>> {
    let task = |(number, tile): (usize, &Selection)| values_task(number, vec![tile.clone()]);
    tiles.iter().enumerate().map(task).collect()
}

/// Runs at all thread counts, with an ample and with the smallest budget.
fn outcomes(
    mishap: Mishap,
    fail_at_read: Option<u64>,
    check: impl Fn(PipelineError) + Send + Copy + 'static,
) {
    watched(move || {
        let (healthy, tiles) = rechunking(Mishap::None, None);
        let healthy = [healthy];
        let tight = smallest_budget(|budget| collect(&healthy, tasks(&tiles), 1, budget).map(drop));
        for threads in THREADS {
            for capacity in [1 << 30, tight] {
                let (source, tiles) = rechunking(mishap, fail_at_read);
                let budget = MemoryBudget::new(capacity);
                let outcome = collect(&[source], tasks(&tiles), threads, &budget);
                check(outcome.map(drop).unwrap_err());
                assert_eq!(budget.used_bytes(), 0);
            }
        }
    });
}

#[test]
fn a_failing_decoder_ends_the_run() {
    for at in [0, 1, 17, 33] {
        outcomes(Mishap::Error(at), None, |error| {
            assert!(matches!(error, PipelineError::Decode { .. }), "{error}");
            assert_eq!(error.code(), ErrorCode::Corrupt);
        });
    }
}

#[test]
fn a_decoder_with_the_wrong_length_ends_the_run() {
    outcomes(Mishap::TooShort(5), None, |error| {
        assert!(matches!(error, PipelineError::Decode { .. }), "{error}");
    });
}

#[test]
fn a_panicking_decoder_ends_the_run() {
    for at in [0, 20] {
        outcomes(Mishap::Panic(at), None, |error| {
            assert!(matches!(error, PipelineError::WorkerPanicked(_)), "{error}");
        });
    }
}

#[test]
fn a_failing_read_ends_the_run() {
    for at in [0, 3, 30] {
        outcomes(Mishap::None, Some(at), |error| {
            assert!(matches!(error, PipelineError::Io { .. }), "{error}");
            assert_eq!(error.code(), ErrorCode::Io);
        });
    }
}

/// Where a caller's own code goes wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Where {
    WorkFails,
    WorkPanics,
    DeliverFails,
    DeliverPanics,
    TasksPanic,
}

fn run_with_fault(threads: usize, fault: Where, at: usize) -> (Vec<usize>, PipelineError) {
    let (source, tiles) = rechunking(Mishap::None, None);
    let budget = MemoryBudget::new(1 << 20);
    let cancel = AtomicBool::new(false);
    let options = RunOptions {
        threads,
        budget: &budget,
        cancel: &cancel,
    };
    let mut delivered = Vec::new();
    let here = |wanted, number: usize| fault == wanted && number == at;
    let feed = tasks(&tiles).into_iter().inspect(|task| {
        assert!(
            !here(Where::TasksPanic, task.meta),
            "tasks panic on purpose"
        );
    });
    let outcome = run_ordered(
        &[source],
        feed,
        &options,
        |&number, _, _| {
            assert!(!here(Where::WorkPanics, number), "work panics on purpose");
            if here(Where::WorkFails, number) {
                return Err(PipelineError::Interrupted);
            }
            Ok(number)
        },
        |number, result| {
            assert_eq!(number, result);
            assert!(
                !here(Where::DeliverPanics, number),
                "deliver panics on purpose"
            );
            if here(Where::DeliverFails, number) {
                return Err(PipelineError::Interrupted);
            }
            delivered.push(number);
            Ok(())
        },
    );
    assert_eq!(budget.used_bytes(), 0);
    (delivered, outcome.unwrap_err())
}

#[test]
fn errors_and_panics_of_the_caller_end_the_run_in_order() {
    watched(|| {
        for fault in [
            Where::WorkFails,
            Where::WorkPanics,
            Where::DeliverFails,
            Where::DeliverPanics,
            Where::TasksPanic,
        ] {
            for threads in THREADS {
                for at in [0, 1, 13, 34] {
                    let (delivered, error) = run_with_fault(threads, fault, at);
                    let panics = !matches!(fault, Where::WorkFails | Where::DeliverFails);
                    assert_eq!(matches!(error, PipelineError::WorkerPanicked(_)), panics);
                    assert!(
                        delivered.len() <= at,
                        "nothing after the fault is delivered"
                    );
                    assert!(delivered.iter().copied().eq(0..delivered.len()));
                }
            }
        }
    });
}

#[test]
fn the_cancel_flag_stops_an_endless_run() {
    watched(|| {
        for threads in THREADS {
            let (source, tiles) = rechunking(Mishap::None, None);
            let budget = MemoryBudget::new(1 << 20);
            let cancel = AtomicBool::new(false);
            let options = RunOptions {
                threads,
                budget: &budget,
                cancel: &cancel,
            };
            let endless = (0..).map(|number: usize| {
                values_task(number, vec![tiles[number % tiles.len()].clone()])
            });
            let outcome = std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(30));
                    cancel.store(true, Ordering::Relaxed);
                });
                run_ordered(
                    &[source],
                    endless,
                    &options,
                    |_, _, _| Ok(()),
                    |_, ()| Ok::<(), PipelineError>(()),
                )
            });
            assert!(matches!(outcome, Err(PipelineError::Interrupted)));
            assert_eq!(budget.used_bytes(), 0);
        }
    });
}

#[test]
fn slow_delivery_holds_the_workers_back() {
    watched(|| {
        let (source, tiles) = rechunking(Mishap::None, None);
        let budget = MemoryBudget::new(100_000);
        let cancel = AtomicBool::new(false);
        let options = RunOptions {
            threads: 4,
            budget: &budget,
            cancel: &cancel,
        };
        let begun = AtomicU64::new(0);
        let mut ahead = 0;
        let mut delivered = 0;
        let mut feed = tasks(&tiles);
        for task in &mut feed {
            task.output_bytes = 20_000;
        }
        let stats = run_ordered(
            &[source],
            feed.into_iter(),
            &options,
            |_, _, _| {
                begun.fetch_add(1, Ordering::Relaxed);
                Ok(())
            },
            |_, ()| {
                std::thread::sleep(Duration::from_millis(3));
                ahead = ahead.max(begun.load(Ordering::Relaxed) - delivered);
                delivered += 1;
                Ok::<(), PipelineError>(())
            },
        )
        .unwrap();
        // 20 000 bytes each: at most 5 fit at a time.
        assert!(ahead <= 5, "{ahead} tasks ahead of the caller");
        assert!(stats.delivery_wait_seconds > 0.0);
    });
}

/// Several runs share a budget that is just enough for one of them.
#[test]
fn runs_that_share_a_tight_budget_all_finish() {
    watched(|| {
        let (source, tiles) = rechunking(Mishap::None, None);
        let source = [source];
        let tight = smallest_budget(|budget| collect(&source, tasks(&tiles), 1, budget).map(drop));
        let budget = Arc::new(MemoryBudget::new(tight));
        std::thread::scope(|scope| {
            for threads in [1, 2, 4] {
                let (budget, source, tiles) = (&budget, &source, &tiles);
                scope.spawn(move || {
                    let cancel = AtomicBool::new(false);
                    let options = RunOptions {
                        threads,
                        budget,
                        cancel: &cancel,
                    };
                    let mut count = 0;
                    run_ordered(
                        source,
                        tasks(tiles).into_iter(),
                        &options,
                        |_, _, _| Ok(()),
                        |_, ()| {
                            count += 1;
                            Ok::<(), PipelineError>(())
                        },
                    )
                    .unwrap();
                    assert_eq!(count, tiles.len());
                });
            }
        });
        assert_eq!(budget.used_bytes(), 0);
        assert!(budget.peak_bytes() <= tight);
    });
}

#[test]
fn requests_that_fit_no_source_are_errors() {
    let (source, _) = rechunking(Mishap::None, None);
    let sources = [source];
    let budget = MemoryBudget::new(1 << 20);
    let wrong = [
        Request::Values {
            source: 1,
            selection: Selection::whole(&[1, 1]),
        },
        Request::Values {
            source: 0,
            selection: Selection::whole(&[1]),
        },
        Request::Stored {
            source: 0,
            index: 36,
        },
    ];
    for request in wrong {
        let task = Task {
            meta: 0,
            requests: vec![request],
            output_bytes: 0,
        };
        let error = collect(&sources, vec![task], 2, &budget).unwrap_err();
        assert!(
            matches!(error, PipelineError::InvalidRequest { .. }),
            "{error}"
        );
    }
}

#[test]
fn sources_that_contradict_themselves_are_errors() {
    let broken: [fn(&mut ArraySource); 4] = [
        |source| source.element_bytes = 0,
        |source| source.fill = vec![1],
        |source| source.byte_swap = Some(3),
        |source| {
            source.tiling = Some(TilingHint {
                grid: ChunkGrid::new(&[3], &[1]).unwrap(),
                wanted: WantedTiles::All,
            });
        },
    ];
    for break_it in broken {
        let (mut source, tiles) = rechunking(Mishap::None, None);
        break_it(&mut source);
        let budget = MemoryBudget::new(1 << 20);
        let error = collect(&[source], tasks(&tiles), 2, &budget).unwrap_err();
        assert!(
            matches!(error, PipelineError::InvalidSource { .. }),
            "{error}"
        );
    }
}
