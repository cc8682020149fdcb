//! Who makes which chunk whole: decided by rank 0 from what all ranks have.

use std::collections::BTreeMap;

use super::super::books::Stored;
use super::super::key::Name;
use super::wire::{Assignment, Claim, ClaimTransfer, Owned};

/// One rank's values of a chunk.
#[derive(Debug, Clone, Copy)]
struct Share {
    rank: usize,
    /// Its number among the rank's claims.
    claim: usize,
    is_whole: bool,
    bytes: u64,
}

/// What the decision depends on beside the claims.
pub(super) struct Circumstances<'a> {
    /// Bytes that a rank sends, or gets, in one round; a chunk may be more.
    pub(super) round_bytes: u64,
    /// Whether a variable is stored in one run, by rank 0.
    pub(super) is_contiguous: &'a dyn Fn(usize) -> bool,
    /// Where the stored form of a chunk is.
    pub(super) base: &'a dyn Fn(&Name) -> Option<Stored>,
}

/// Shares the work out.
///
/// Where several ranks have values of a chunk, the rank with the least bytes so far gets the
/// others' and makes it whole. A rank that has all of a chunk replaces what lower ranks have of
/// it; higher ranks' values come over its own.
pub(super) fn share_out(
    claims: &[Vec<Claim>],
    circumstances: &Circumstances<'_>,
) -> Vec<Assignment> {
    let mut shares: BTreeMap<&Name, Vec<Share>> = BTreeMap::new();
    let mut loads = vec![0; claims.len()];
    for (rank, claims) in claims.iter().enumerate() {
        for (number, claim) in claims.iter().enumerate() {
            shares.entry(&claim.name).or_default().push(Share {
                rank,
                claim: number,
                is_whole: claim.is_whole,
                bytes: claim.bytes,
            });
            loads[rank] += if claim.is_whole { claim.bytes } else { 0 };
        }
    }
    let mut table = Table {
        assignments: vec![Assignment::default(); claims.len()],
        loads,
        moved: vec![(0, 0); claims.len()],
        round: 0,
    };
    for (name, mut shares) in shares {
        table.settle(name, &mut shares, circumstances);
    }
    let rounds = table.round + 1;
    table.assignments.iter_mut().for_each(|d| d.rounds = rounds);
    table.assignments
}

struct Table {
    assignments: Vec<Assignment>,
    /// Bytes that each rank packs.
    loads: Vec<u64>,
    /// Bytes that each rank sends and gets in this round.
    moved: Vec<(u64, u64)>,
    round: usize,
}

impl Table {
    fn settle(&mut self, name: &Name, shares: &mut Vec<Share>, around: &Circumstances<'_>) {
        if let Some(last_whole) = shares.iter().rposition(|share| share.is_whole) {
            for share in shares.drain(..last_whole) {
                self.assignments[share.rank].drops.push(share.claim);
                self.loads[share.rank] -= if share.is_whole { share.bytes } else { 0 };
            }
        }
        let owner = match (around.is_contiguous)(name.variable) {
            true => 0,
            false => self.owner_of(shares),
        };
        let is_kept = shares.len() == 1 && shares[0].is_whole && shares[0].rank == owner;
        if is_kept {
            return;
        }
        let handed: Vec<Share> = shares.iter().filter(|s| s.rank != owner).copied().collect();
        self.find_round(owner, &handed, around.round_bytes);
        for share in &handed {
            self.assignments[share.rank].sends.push(ClaimTransfer {
                claim: share.claim,
                to: owner,
                round: self.round,
            });
        }
        let has_all = shares.first().is_some_and(|share| share.is_whole);
        self.assignments[owner].owns.push(Owned {
            name: name.clone(),
            from: handed.iter().map(|share| share.rank).collect(),
            round: self.round,
            base: if has_all { None } else { (around.base)(name) },
        });
    }

    /// The rank that has the whole chunk, else the one with the least to do.
    fn owner_of(&mut self, shares: &[Share]) -> usize {
        if let Some(first) = shares.first().filter(|share| share.is_whole) {
            return first.rank;
        }
        let least = shares.iter().min_by_key(|s| (self.loads[s.rank], s.rank));
        let owner = least.map_or(0, |share| share.rank);
        self.loads[owner] += shares.iter().map(|share| share.bytes).sum::<u64>();
        owner
    }

    /// Goes on to the next round if this one would get too large.
    fn find_round(&mut self, owner: usize, handed: &[Share], round_bytes: u64) {
        let total: u64 = handed.iter().map(|share| share.bytes).sum();
        let is_over = |before: u64, bytes: u64| before > 0 && before + bytes > round_bytes;
        let is_full = is_over(self.moved[owner].1, total)
            || handed
                .iter()
                .any(|share| is_over(self.moved[share.rank].0, share.bytes));
        if is_full {
            self.round += 1;
            self.moved.fill((0, 0));
        }
        self.moved[owner].1 += total;
        for share in handed {
            self.moved[share.rank].0 += share.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(variable: usize, at: u64, is_whole: bool) -> Claim {
        Claim {
            name: Name {
                variable,
                offset: vec![at],
            },
            is_whole,
            bytes: 10,
        }
    }

    fn shared_out(claims: &[Vec<Claim>], round_bytes: u64) -> Vec<Assignment> {
        let circumstances = Circumstances {
            round_bytes,
            is_contiguous: &|variable| variable == 9,
            base: &|_| None,
        };
        share_out(claims, &circumstances)
    }

    #[test]
    fn whole_chunks_stay_where_they_are() {
        let claims = [vec![claim(0, 0, true)], vec![claim(0, 5, true)]];
        for assignments in shared_out(&claims, 100) {
            assert!(
                assignments.drops.is_empty()
                    && assignments.sends.is_empty()
                    && assignments.owns.is_empty()
            );
        }
    }

    #[test]
    fn shared_chunks_are_spread_over_the_ranks() {
        let parts: Vec<Claim> = (0..8).map(|at| claim(0, at, false)).collect();
        let assignments = shared_out(&[parts.clone(), parts.clone(), parts], 1000);
        let owned: Vec<usize> = assignments.iter().map(|d| d.owns.len()).collect();
        assert_eq!(owned, [3, 3, 2]);
        assert_eq!(assignments[0].sends.len(), 5);
        assert_eq!(assignments[2].owns[0].from, [0, 1]);
    }

    #[test]
    fn higher_ranks_win() {
        let claims = [
            vec![claim(0, 0, false), claim(0, 1, true)],
            vec![claim(0, 0, true), claim(0, 1, false)],
            vec![claim(0, 0, false)],
        ];
        let assignments = shared_out(&claims, 100);
        assert_eq!(assignments[0].drops, [0]);
        assert_eq!(assignments[1].owns[0].from, [2]);
        assert_eq!(assignments[2].sends[0].to, 1);
        // What rank 0 has wholly gets rank 1's part.
        assert_eq!(assignments[0].owns[0].name.offset, [1]);
        assert_eq!(assignments[0].owns[0].from, [1]);
    }

    #[test]
    fn rounds_are_bounded_and_contiguous_values_go_to_rank_0() {
        let parts: Vec<Claim> = (0..6).map(|at| claim(0, at, false)).collect();
        let assignments = shared_out(&[parts.clone(), parts], 20);
        assert!(assignments[0].rounds >= 2, "{assignments:?}");
        for rank in &assignments {
            for round in 0..rank.rounds {
                let sent = rank.sends.iter().filter(|s| s.round == round).count();
                assert!(sent <= 2);
            }
        }
        let assignments = shared_out(&[vec![], vec![claim(9, 0, true)]], 100);
        assert_eq!(
            (assignments[0].owns.len(), assignments[1].sends[0].to),
            (1, 0)
        );
    }
}
