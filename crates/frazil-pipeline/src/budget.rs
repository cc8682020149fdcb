//! How many bytes may be held at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that all runs of a process may hold in chunk buffers together.
///
/// The budget only counts; nobody ever sleeps on it, so it cannot be part of a deadlock. A run
/// that gets no more bytes waits for its own tasks, or asks again a little later when another run
/// holds them.
#[derive(Debug)]
pub struct MemoryBudget {
    capacity_bytes: AtomicU64,
    used_bytes: AtomicU64,
    peak_bytes: AtomicU64,
    /// What is taken of this one is taken of that one, too.
    whole: Option<Arc<MemoryBudget>>,
}

impl MemoryBudget {
    /// A budget of `capacity_bytes`.
    #[must_use]
    pub const fn new(capacity_bytes: u64) -> Self {
        Self {
            capacity_bytes: AtomicU64::new(capacity_bytes),
            used_bytes: AtomicU64::new(0),
            peak_bytes: AtomicU64::new(0),
            whole: None,
        }
    }

    /// A share of at most `capacity_bytes` of a budget that others have shares of, too.
    #[must_use]
    pub fn share_of(whole: &Arc<Self>, capacity_bytes: u64) -> Self {
        Self {
            whole: Some(Arc::clone(whole)),
            ..Self::new(capacity_bytes)
        }
    }

    /// Bytes that may be held at a time.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.capacity_bytes.load(Ordering::Relaxed)
    }

    /// Changes how many bytes may be held at a time. Who holds more keeps it, but nobody gets more
    /// before enough was given back.
    pub fn set_capacity_bytes(&self, bytes: u64) {
        self.capacity_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Bytes held now.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// Most bytes ever held at a time.
    #[must_use]
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes.load(Ordering::Relaxed)
    }

    /// An empty lease on this budget.
    #[must_use]
    pub fn lease(&self) -> Lease<'_> {
        Lease {
            budget: self,
            held_bytes: 0,
            peak_bytes: 0,
        }
    }

    /// Takes `bytes` for as long as the charge lives, if the budget has them; never waits.
    #[must_use]
    pub fn charge(self: &Arc<Self>, bytes: u64) -> Option<Charge> {
        self.try_acquire(bytes).then(|| Charge {
            budget: Arc::clone(self),
            bytes,
        })
    }

    /// A charge of no bytes.
    #[must_use]
    pub fn free_charge(self: &Arc<Self>) -> Charge {
        Charge {
            budget: Arc::clone(self),
            bytes: 0,
        }
    }

    /// Takes `bytes` whether the budget has them or not: for those who could not go on otherwise.
    #[must_use]
    pub fn overdraw(self: &Arc<Self>, bytes: u64) -> Charge {
        self.take(bytes);
        Charge {
            budget: Arc::clone(self),
            bytes,
        }
    }

    fn take(&self, bytes: u64) {
        let before = self.used_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.peak_bytes.fetch_max(before + bytes, Ordering::Relaxed);
        if let Some(whole) = &self.whole {
            whole.take(bytes);
        }
    }

    fn try_acquire(&self, bytes: u64) -> bool {
        if !self.try_acquire_own(bytes) {
            return false;
        }
        let has_all = self.whole.as_ref().is_none_or(|it| it.try_acquire(bytes));
        if !has_all {
            self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
        has_all
    }

    fn try_acquire_own(&self, bytes: u64) -> bool {
        let acquired = self
            .used_bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                used.checked_add(bytes)
                    .filter(|&sum| sum <= self.capacity_bytes())
            });
        if let Ok(before) = acquired {
            self.peak_bytes.fetch_max(before + bytes, Ordering::Relaxed);
        }
        acquired.is_ok()
    }

    fn release(&self, bytes: u64) {
        self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(whole) = &self.whole {
            whole.release(bytes);
        }
    }
}

/// One holder's share of a [`MemoryBudget`]; what is left goes back when it is dropped.
#[derive(Debug)]
pub struct Lease<'a> {
    budget: &'a MemoryBudget,
    held_bytes: u64,
    peak_bytes: u64,
}

impl Lease<'_> {
    /// Takes `bytes` more if the budget has them; never waits.
    #[must_use]
    pub fn try_grow(&mut self, bytes: u64) -> bool {
        let grown = self.budget.try_acquire(bytes);
        if grown {
            self.held_bytes += bytes;
            self.peak_bytes = self.peak_bytes.max(self.held_bytes);
        }
        grown
    }

    /// Gives `bytes` back (at most what is held).
    pub fn shrink(&mut self, bytes: u64) {
        let bytes = bytes.min(self.held_bytes);
        self.held_bytes -= bytes;
        self.budget.release(bytes);
    }

    /// Bytes this lease holds.
    #[must_use]
    pub fn held_bytes(&self) -> u64 {
        self.held_bytes
    }

    /// Most bytes this lease ever held.
    #[must_use]
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes
    }

    /// Bytes of the budget that nobody holds now.
    #[must_use]
    pub fn available_bytes(&self) -> u64 {
        let used = self.budget.used_bytes();
        self.budget.capacity_bytes().saturating_sub(used)
    }

    /// Capacity of the whole budget.
    #[must_use]
    pub fn capacity_bytes(&self) -> u64 {
        self.budget.capacity_bytes()
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.budget.release(self.held_bytes);
    }
}

/// Bytes of a [`MemoryBudget`] that travel with what they were taken for; they go back on drop.
#[derive(Debug)]
pub struct Charge {
    budget: Arc<MemoryBudget>,
    bytes: u64,
}

impl Charge {
    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives back what is held beyond `bytes`.
    pub fn shrink_to(&mut self, bytes: u64) {
        if bytes < self.bytes {
            self.budget.release(self.bytes - bytes);
            self.bytes = bytes;
        }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_never_takes_more_than_the_capacity() {
        let budget = MemoryBudget::new(100);
        let mut first = budget.lease();
        let mut second = budget.lease();
        assert!(first.try_grow(60));
        assert!(!second.try_grow(41));
        assert!(!second.try_grow(u64::MAX));
        assert!(second.try_grow(40));
        first.shrink(50);
        assert_eq!((budget.used_bytes(), budget.peak_bytes()), (50, 100));
        assert_eq!((first.held_bytes(), first.peak_bytes()), (10, 60));
    }

    #[test]
    fn a_dropped_lease_gives_everything_back() {
        let budget = MemoryBudget::new(10);
        let mut lease = budget.lease();
        assert!(lease.try_grow(10));
        drop(lease);
        assert_eq!(budget.used_bytes(), 0);
    }

    #[test]
    fn a_charge_goes_back_in_parts_and_on_drop() {
        let budget = Arc::new(MemoryBudget::new(10));
        let mut charge = budget.charge(8).unwrap();
        assert!(budget.charge(3).is_none());
        charge.shrink_to(5);
        charge.shrink_to(7);
        assert_eq!((charge.bytes(), budget.used_bytes()), (5, 5));
        drop(charge);
        assert_eq!(budget.used_bytes(), 0);
    }

    #[test]
    fn shares_stay_within_the_whole() {
        let whole = Arc::new(MemoryBudget::new(10));
        let shares = [8, 8].map(|bytes| Arc::new(MemoryBudget::share_of(&whole, bytes)));
        let first = shares[0].charge(7).unwrap();
        assert!(shares[0].charge(2).is_none(), "more than its share");
        assert!(shares[1].charge(4).is_none(), "more than the whole");
        assert_eq!((shares[1].used_bytes(), whole.used_bytes()), (0, 7));
        let over = shares[1].overdraw(4);
        assert_eq!((whole.used_bytes(), whole.peak_bytes()), (11, 11));
        drop((first, over));
        assert!(shares[1].charge(8).is_some());
        assert_eq!(whole.used_bytes(), 0);
    }

    #[test]
    fn concurrent_leases_balance() {
        let budget = MemoryBudget::new(1000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut lease = budget.lease();
                    for step in 1..2000_u64 {
                        if lease.try_grow(step % 300) {
                            lease.shrink(step % 300);
                        }
                    }
                });
            }
        });
        assert_eq!(budget.used_bytes(), 0);
        assert!(budget.peak_bytes() <= 1000);
    }
}
