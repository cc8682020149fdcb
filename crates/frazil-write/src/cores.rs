//! Where the background threads run.
//!
//! A model that has bound its threads to cores wants those to itself. Which cores are bound is read
//! from the masks of the process's threads when the writer begins; what is left of the process's
//! cores is for the background threads. Where nothing is left they share all of them at a lower
//! priority, so that they yield to the model.

use super::options::{Cores, WriterOptions};
use frazil_file::run;

/// How many background threads there are; none: every call does its work itself.
pub(super) fn workers(options: &WriterOptions) -> usize {
    match options.synchronous {
        true => 0,
        false => run::threads(&options.resources),
    }
}

/// Where background threads are to run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CoresFound {
    /// On these cores; empty: wherever the system lets them.
    cores: Vec<usize>,
    /// Whether others shall come first.
    yields: bool,
}

/// Which cores of a process its threads are bound to: from each thread's mask.
fn spare(masks: &[Vec<usize>]) -> CoresFound {
    let mut all: Vec<usize> = masks.concat();
    all.sort_unstable();
    all.dedup();
    // A thread that may run on every core of the process is bound to none.
    let bound = masks.iter().filter(|mask| mask.len() < all.len());
    let bound: Vec<usize> = bound.flatten().copied().collect();
    let spare = all.iter().copied().filter(|core| !bound.contains(core));
    let spare: Vec<usize> = spare.collect();
    match (bound.is_empty(), spare.is_empty()) {
        (true, _) => CoresFound::default(),
        (false, true) => CoresFound {
            cores: all,
            yields: true,
        },
        (false, false) => CoresFound {
            cores: spare,
            yields: false,
        },
    }
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::process::{Pid, setpriority_process};
    use rustix::thread::{CpuSet, gettid, sched_getaffinity, sched_setaffinity};

    use super::{Cores, CoresFound, spare};

    /// Niceness of threads that yield.
    const YIELDING: i32 = 10;

    impl CoresFound {
        /// Finds where background threads are to run.
        pub(crate) fn look(request: &Cores) -> Self {
            match request {
                Cores::Spare => spare(&masks()),
                Cores::Any => Self {
                    cores: whole(&masks()),
                    yields: false,
                },
                Cores::These(cores) => Self {
                    cores: cores.clone(),
                    yields: false,
                },
            }
        }

        /// Brings the calling thread there. Best effort: where the system refuses, the thread runs
        /// where it is.
        pub(crate) fn settle(&self) {
            if self.yields {
                let _ = setpriority_process(Some(gettid()), YIELDING);
            }
            if self.cores.is_empty() {
                return;
            }
            let mut set = CpuSet::new();
            for &core in self.cores.iter().filter(|&&core| core < CpuSet::MAX_CPU) {
                set.set(core);
            }
            let _ = sched_setaffinity(None, &set);
        }
    }

    /// All cores of the process where the calling thread is bound to fewer: its mask is what new
    /// threads begin with.
    fn whole(masks: &[Vec<usize>]) -> Vec<usize> {
        let mut all = masks.concat();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The masks of all threads of this process.
    fn masks() -> Vec<Vec<usize>> {
        let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten();
        let names = threads.flatten().map(|thread| thread.file_name());
        let numbers = names.filter_map(|name| name.to_str()?.parse().ok());
        numbers
            .filter_map(|number| mask(Pid::from_raw(number)))
            .collect()
    }

    fn mask(thread: Option<Pid>) -> Option<Vec<usize>> {
        let set = sched_getaffinity(thread).ok()?;
        Some(
            (0..CpuSet::MAX_CPU)
                .filter(|&core| set.is_set(core))
                .collect(),
        )
    }
}

#[cfg(not(target_os = "linux"))]
impl CoresFound {
    /// Other systems do not bind threads to cores.
    pub(super) fn look(_: &Cores) -> Self {
        Self::default()
    }

    pub(super) fn settle(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bound_cores_are_left_alone_unless_all_are() {
        let free = vec![0, 1, 2, 3];
        assert_eq!(spare(&[free.clone(), free.clone()]), CoresFound::default());
        let some = spare(&[vec![0], vec![1], free.clone()]);
        assert_eq!((some.cores, some.yields), (vec![2, 3], false));
        let all = spare(&[vec![0], vec![1], vec![2], vec![3]]);
        assert_eq!((all.cores, all.yields), (free, true));
        // A process that is bound as a whole binds none of its threads.
        assert_eq!(spare(&[vec![5], vec![5]]), CoresFound::default());
    }
}
