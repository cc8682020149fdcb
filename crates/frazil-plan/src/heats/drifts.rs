//! How what filters keep of a part differs from what they keep of all samples.

use super::{Entry, on_all};
use crate::allowance::seconds_of;
use crate::error::PlanError;
use crate::trial::Trial;

/// Levels above this take many times as long on some data as on others, and tell no more.
const QUICK_LEVEL: i32 = 9;

/// By family of filters the share that it keeps of all samples, by that of a part: a part has not all of the axes
/// that differences run along, nor what compressors find far apart. Empty: nobody looked.
#[derive(Default)]
pub(super) struct Drifts(Vec<(&'static str, f64)>);

impl Drifts {
    /// As one level of each family tells, of those that were tried on the part, if that takes no more than so many
    /// seconds. Their shares are those of all samples afterwards.
    pub(super) fn within(
        trial: &mut Trial<'_>,
        tried: &mut [Entry],
        seconds: Option<f64>,
    ) -> Result<Self, PlanError> {
        let telling = telling(tried);
        let filters = telling.iter().map(|&i| tried[i].candidate);
        let took = seconds_of(trial.raw_bytes() as usize, filters);
        if seconds.is_some_and(|allowed| took > allowed) {
            return Ok(Self::default());
        }
        let mut drifts = Self::default();
        for &i in &telling {
            let drift = on_all(trial, &tried[i], None)? / tried[i].share;
            drifts.0.push((tried[i].candidate.family(), drift));
            tried[i].is_exact = true;
        }
        for one in tried {
            one.share *= drifts.of_family(one.candidate.family());
        }
        Ok(drifts)
    }

    /// That of a family; of one that was not looked at the middle of all.
    pub(super) fn of_family(&self, family: &str) -> f64 {
        let known = self.0.iter().find(|one| one.0 == family);
        let middle = || {
            let mut all: Vec<f64> = self.0.iter().map(|one| one.1).collect();
            all.sort_by(f64::total_cmp);
            all.get(all.len() / 2).copied()
        };
        known.map(|one| one.1).or_else(middle).unwrap_or(1.0)
    }

    /// The least of all: what finds its way among many by itself does as well as the best of the others.
    pub(super) fn least(&self) -> f64 {
        let all = self.0.iter().map(|one| one.1);
        all.min_by(f64::total_cmp).unwrap_or(1.0)
    }
}

/// Of each family the level that tells most: the highest that is quick.
fn telling(tried: &[Entry]) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for (i, one) in tried.iter().enumerate().filter(|(_, one)| one.share > 0.0) {
        let is_same =
            |&&mut other: &&mut usize| tried[other].candidate.family() == one.candidate.family();
        match found.iter_mut().find(is_same) {
            Some(known) if tells_more(one, &tried[*known]) => *known = i,
            Some(_) => {}
            None => found.push(i),
        }
    }
    found
}

fn tells_more(one: &Entry, other: &Entry) -> bool {
    let level = |one: &Entry| one.candidate.level().unwrap_or(0);
    match (level(one) <= QUICK_LEVEL, level(other) <= QUICK_LEVEL) {
        (true, true) => level(one) > level(other),
        (is_quick, _) => is_quick,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_that_were_not_looked_at_drift_as_most_do() {
        let drifts = Drifts(vec![
            ("zstd", 1.1),
            ("pcodec", 0.9),
            ("lorenzo+shuffle+zstd", 0.5),
        ]);
        assert_eq!(drifts.of_family("pcodec"), 0.9);
        assert_eq!(drifts.of_family("mafisc"), 0.9);
        assert_eq!(drifts.least(), 0.5);
        let nothing = Drifts::default();
        assert_eq!((nothing.of_family("zstd"), nothing.least()), (1.0, 1.0));
    }
}
