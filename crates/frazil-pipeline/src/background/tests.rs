use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

fn pool() -> Option<Arc<Pool>> {
    Some(Arc::new(Pool::new(|| (), Arc::default())))
}

type Log = Arc<Mutex<Vec<Result<u64, String>>>>;

fn logging(log: &Log) -> impl FnMut(Outcome<u64>) + Send + 'static {
    let log = Arc::clone(log);
    move |outcome| log.lock().push(outcome.map_err(|error| error.to_string()))
}

#[test]
fn results_come_in_order_whatever_the_threads() {
    for threads in [0, 1, 2, 4] {
        let log = Log::default();
        let slow_evens = |n: u64, _: &mut Scratch| {
            if n.is_multiple_of(7) {
                std::thread::sleep(Duration::from_millis(1));
            }
            n * n
        };
        let background = Background::start(pool(), threads, slow_evens, logging(&log));
        (0..200).for_each(|n| background.submit(n));
        background.wait_idle();
        let expected: Vec<_> = (0..200).map(|n| Ok(n * n)).collect();
        assert_eq!(*log.lock(), expected, "{threads} threads");
    }
}

#[test]
fn small_jobs_keep_their_place_among_others() {
    for threads in [0, 1, 2, 4] {
        let log = Log::default();
        let same = |n: u64, _: &mut Scratch| n;
        let background = Background::start(pool(), threads, same, logging(&log));
        for n in 0..1000 {
            match n % 131 {
                0 => background.submit(n),
                _ => background.submit_small(n),
            }
        }
        background.wait_idle();
        assert_eq!(*log.lock(), (0..1000).map(Ok).collect::<Vec<_>>());
        background.submit_small(1000);
        background.wait_idle();
        assert_eq!(log.lock().len(), 1001, "{threads} threads");
    }
}

#[test]
fn a_panicking_job_is_delivered_as_an_error() {
    for threads in [0, 2] {
        let log = Log::default();
        let work = |n: u64, _: &mut Scratch| {
            assert_ne!(n, 3, "unlucky");
            n
        };
        let background = Background::start(pool(), threads, work, logging(&log));
        (0..6).for_each(|n| background.submit(n));
        background.wait_idle();
        let log = log.lock();
        assert!(log[3].as_ref().unwrap_err().contains("unlucky"));
        assert_eq!(log.len(), 6);
        assert_eq!(log.iter().filter(|outcome| outcome.is_ok()).count(), 5);
    }
}

#[test]
fn memory_is_waited_for_only_while_jobs_are_under_way() {
    for threads in [0, 1, 3] {
        let budget = Arc::new(MemoryBudget::new(100));
        let work = |charge: Charge, _: &mut Scratch| {
            std::thread::sleep(Duration::from_micros(200));
            charge
        };
        let background = Background::start(pool(), threads, work, drop::<Outcome<Charge>>);
        for _ in 0..100 {
            background.submit(background.acquire(&budget, 60).unwrap());
        }
        background.wait_idle();
        assert_eq!(budget.used_bytes(), 0);
        assert!(background.acquire(&budget, 101).is_none());
    }
}

#[test]
fn a_job_may_wait_for_earlier_ones() {
    for threads in [0, 1, 2, 4] {
        let first = Arc::new(OnceLock::new());
        let log = Log::default();
        let cell = Arc::clone(&first);
        let work = move |n: u64, _: &mut Scratch| match n {
            0 => {
                std::thread::sleep(Duration::from_millis(5));
                *cell.get_or_init(|| 42)
            }
            _ => *cell.wait() + n,
        };
        let background = Background::start(pool(), threads, work, logging(&log));
        (0..9).for_each(|n| background.submit(n));
        background.wait_idle();
        assert_eq!(*log.lock(), (0..9).map(|n| Ok(42 + n)).collect::<Vec<_>>());
    }
}

#[test]
fn dropped_it_ends_without_the_jobs_that_wait() {
    let log = Log::default();
    let work = |n: u64, _: &mut Scratch| {
        std::thread::sleep(Duration::from_millis(2));
        n
    };
    let background = Background::start(pool(), 1, work, logging(&log));
    (0..10_000).for_each(|n| background.submit(n));
    drop(background);
    assert!(log.lock().len() < 10_000);
}

#[test]
fn all_share_the_threads_of_a_pool_and_get_on() {
    let under_way = Arc::new(AtomicU64::new(0));
    let pool = Arc::new(Pool::new(|| (), Arc::clone(&under_way)));
    let at_work = Arc::new(AtomicU64::new(0));
    let most = Arc::new(AtomicU64::new(0));
    let logs: Vec<Log> = (0..20).map(|_| Log::default()).collect();
    let all: Vec<_> = (logs.iter())
        .map(|log| {
            let (at_work, most) = (Arc::clone(&at_work), Arc::clone(&most));
            let work = move |n: u64, _: &mut Scratch| {
                let now = at_work.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                std::thread::sleep(Duration::from_micros(200));
                at_work.fetch_sub(1, Ordering::SeqCst);
                n
            };
            Background::start(Some(Arc::clone(&pool)), 2, work, logging(log))
        })
        .collect();
    (0..50).for_each(|n| all.iter().for_each(|one| one.submit(n)));
    all.iter().for_each(Background::wait_idle);
    for log in &logs {
        assert_eq!(*log.lock(), (0..50).map(Ok).collect::<Vec<_>>());
    }
    assert!(most.load(Ordering::SeqCst) <= 2);
    assert_eq!(pool.grow(2), 2);
    assert_eq!(under_way.load(Ordering::SeqCst), 0);
}

#[test]
fn one_that_goes_leaves_the_others_alone() {
    let under_way = Arc::new(AtomicU64::new(0));
    let pool = Arc::new(Pool::new(|| (), Arc::clone(&under_way)));
    let work = |n: u64, _: &mut Scratch| {
        std::thread::sleep(Duration::from_micros(100));
        n
    };
    let log = Log::default();
    let stays = Background::start(Some(Arc::clone(&pool)), 2, work, logging(&log));
    for round in 0..100 {
        let goes = Background::start(Some(Arc::clone(&pool)), 2, work, |_| ());
        (0..20).for_each(|n| goes.submit(n));
        stays.submit(round);
    }
    stays.wait_idle();
    assert_eq!(*log.lock(), (0..100).map(Ok).collect::<Vec<_>>());
    assert_eq!(under_way.load(Ordering::SeqCst), 0);
}
