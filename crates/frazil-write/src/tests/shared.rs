//! Writers that share memory and threads.

use super::*;
use crate::key::Key;
use crate::local::LocalSink;
use crate::mask::Mask;
use crate::partial::PartialChunk;

/// Bytes of the chunks of these tests.
const CHUNK: u64 = 1 << 10;

fn writer(shared: &Arc<Shared>, allowed_bytes: u64) -> (Membership, Store) {
    let store = Store::new(&std::env::temp_dir().join("frazil-shared-test"));
    let no_sink = Weak::<Mutex<Placing<LocalSink>>>::new();
    let division = Division::of(allowed_bytes);
    let membership = Membership::join_in(Arc::clone(shared), division, &store, no_sink);
    (membership, store)
}

/// Gathers chunks until there is no room.
fn fill(writer: &(Membership, Store)) -> u64 {
    let (membership, store) = writer;
    let mut chunks = 0;
    while let Some(charge) = membership.budget.charge(CHUNK) {
        let mut chunk = PartialChunk::new(
            vec![0; CHUNK as usize].into(),
            Mask::new(CHUNK as usize),
            CHUNK,
            false,
            charge,
        );
        chunk.write(0, &[1, 2, 3], 1);
        let offset = [chunks].as_slice().into();
        store.insert(
            Key {
                variable: 0,
                offset,
            },
            chunk,
        );
        chunks += 1;
    }
    chunks
}

#[test]
fn all_writers_together_take_what_the_largest_may() {
    let shared = Arc::new(Shared::new(fork_generation()));
    let small = writer(&shared, 64 * CHUNK);
    let large = writer(&shared, 128 * CHUNK);
    let most = Division::of(128 * CHUNK).in_use_bytes;
    assert_eq!(shared.budget.capacity_bytes(), most);
    let chunks = fill(&small) + fill(&large);
    assert_eq!(chunks, most / CHUNK);
    assert!(small.0.budget.used_bytes() <= Division::of(64 * CHUNK).in_use_bytes);
    drop(large);
    let least = Division::of(64 * CHUNK).in_use_bytes;
    assert_eq!(shared.budget.capacity_bytes(), least);
}

#[test]
fn what_another_writer_gathers_gives_room_but_for_the_chunk_in_use() {
    let shared = Arc::new(Shared::new(fork_generation()));
    let idle = writer(&shared, 64 * CHUNK);
    let chunks = fill(&idle);
    let other = writer(&shared, 64 * CHUNK);
    assert!(other.0.budget.charge(2 * CHUNK).is_none());
    // The one that was added last is in use.
    for _ in 1..chunks {
        assert!(other.0.spill_others());
    }
    assert!(!other.0.spill_others());
    assert!(idle.1.spilled_bytes() >= (chunks - 1) * CHUNK);
    idle.1.leave();
    assert!(other.0.spill_others());
    assert_eq!(shared.budget.used_bytes(), 0);
    assert!(other.0.budget.charge(2 * CHUNK).is_some());
}

#[test]
fn nobody_waits_for_others_that_have_nothing_under_way() {
    let shared = Arc::new(Shared::new(fork_generation()));
    let idle = writer(&shared, 64 * CHUNK);
    fill(&idle);
    let other = writer(&shared, 64 * CHUNK);
    let began = Instant::now();
    assert!(!other.0.wait_for_others(2 * CHUNK));
    assert!(began.elapsed() < PATIENCE);
    shared.under_way.store(1, Ordering::Release);
    assert!(!other.0.wait_for_others(2 * CHUNK));
    assert!(began.elapsed() >= PATIENCE);
    assert!(other.0.wait_for_others(0));
}

#[test]
fn memory_left_to_a_caller_is_taken_of_all() {
    let shared = Arc::new(Shared::new(fork_generation()));
    let all = [writer(&shared, 64 * CHUNK), writer(&shared, 64 * CHUNK)];
    let whole = shared.budget.capacity_bytes();
    all[0].0.leave(8 * CHUNK, 4 * CHUNK);
    all[1].0.leave(8 * CHUNK, 2 * CHUNK);
    // Threads pack for one of them at a time.
    assert_eq!(shared.budget.capacity_bytes(), whole - 20 * CHUNK);
    all[1].0.leave(1 << 40, 0);
    assert_eq!(shared.budget.capacity_bytes(), whole / 2);
}

#[test]
fn writers_of_the_same_request_share_their_threads() {
    let shared = Arc::new(Shared::new(fork_generation()));
    let all = [writer(&shared, 64 * CHUNK), writer(&shared, 64 * CHUNK)];
    let pool = all[0].0.pool(&Cores::Spare);
    assert!(Arc::ptr_eq(&pool, &all[1].0.pool(&Cores::Spare)));
    assert!(!Arc::ptr_eq(&pool, &all[1].0.pool(&Cores::Any)));
    let before = Arc::downgrade(&pool);
    drop(pool);
    assert!(
        before.upgrade().is_none(),
        "threads end with the last writer"
    );
}
