//! Selections along one axis, cut into regular runs.

use crate::AxisSelection;

/// `count` elements from `from` on, every `step`-th, that go to places `to`, `to + 1`, ... of the
/// result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxisRun {
    /// First element.
    pub from: u64,
    /// From one element to the next; 0 where one element is wanted several times.
    pub step: u64,
    /// Place of the first element in the result.
    pub to: u64,
    /// Number of elements.
    pub count: u64,
}

impl AxisRun {
    /// The last element; the run must not be empty.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.from + self.count.saturating_sub(1) * self.step
    }
}

impl AxisSelection {
    /// The runs of a selection that lie below `extent`, in the order of the result; every element of
    /// the selection below `extent` is in one of them, and none of them is empty.
    #[must_use]
    pub fn runs_below(&self, extent: u64) -> Vec<AxisRun> {
        match self {
            Self::Range {
                start,
                count,
                stride,
            } => {
                if *count == 0 || *start >= extent {
                    return Vec::new();
                }
                let step = (*stride).max(1);
                let fitting = (extent - start).div_ceil(step);
                vec![AxisRun {
                    from: *start,
                    step,
                    to: 0,
                    count: (*count).min(fitting),
                }]
            }
            Self::List(list) => {
                let mut runs: Vec<AxisRun> = Vec::new();
                for (to, &at) in list.iter().enumerate() {
                    let to = to as u64;
                    if at >= extent {
                        continue;
                    }
                    match runs.last_mut() {
                        Some(run) if continues(run, at, to) => {
                            run.step = at - run.last().min(at);
                            run.count += 1;
                        }
                        _ => runs.push(AxisRun {
                            from: at,
                            step: 1,
                            to,
                            count: 1,
                        }),
                    }
                }
                runs
            }
        }
    }
}

/// Whether element `at`, which goes to `to`, is the next one of a run.
fn continues(run: &AxisRun, at: u64, to: u64) -> bool {
    if to != run.to + run.count {
        return false;
    }
    let last = run.last();
    match run.count {
        1 => at >= last,
        _ => at.checked_sub(last) == Some(run.step),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(runs: &[AxisRun]) -> Vec<(u64, u64)> {
        let one = |run: &AxisRun| {
            let run = *run;
            (0..run.count).map(move |i| (run.to + i, run.from + i * run.step))
        };
        runs.iter().flat_map(one).collect()
    }

    #[test]
    fn lists_become_runs_without_losing_an_element() {
        let list = vec![4, 4, 4, 9, 7, 5, 6, 7, 8, 10, 12, 99, 3, 5];
        let runs = AxisSelection::List(list.clone()).runs_below(50);
        let expected: Vec<(u64, u64)> = (0..).zip(list).filter(|pair| pair.1 < 50).collect();
        assert_eq!(elements(&runs), expected);
        assert!(runs.len() < 9, "{runs:?}");
    }

    #[test]
    fn ranges_end_at_the_extent() {
        let range = AxisSelection::Range {
            start: 2,
            count: 9,
            stride: 3,
        };
        assert_eq!(elements(&range.runs_below(9)), [(0, 2), (1, 5), (2, 8)]);
        assert!(range.runs_below(2).is_empty());
        assert!(AxisSelection::all(0).runs_below(5).is_empty());
    }
}
