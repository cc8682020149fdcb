//! How what filters keep of a part differs from what they keep of all samples.

use super::entry::{Entry, on_all};
use crate::allowance::seconds_of;
use crate::error::PlanError;
use crate::trial::Trial;

/// Levels above this take many times as long on some data as on others, and tell no more.
const QUICK_LEVEL: i32 = 9;

/// The wider families drift apart, the less an estimate is believed: by this power of the widest.
const DOUBT: f64 = 0.1;

/// By family of filters the share that it keeps of all samples, by that of a part: a part has not all of the axes
/// that differences run along, nor what compressors find far apart.
pub(super) struct Drifts {
    by_family: Vec<(&'static str, f64)>,
    /// For trials that are yet to come; `None`: what they need.
    pub(super) seconds_left: Option<f64>,
}

impl Drifts {
    /// As one level of each family tells, of those that were tried on the part. Their shares are those of all samples
    /// afterwards, those of the others estimates. `None` if that takes more than so many seconds.
    pub(super) fn within(
        trial: &mut Trial<'_>,
        tried: &mut [Entry],
        seconds: Option<f64>,
    ) -> Result<Option<Self>, PlanError> {
        let telling = telling(tried);
        let filters = telling.iter().map(|&i| tried[i].candidate);
        let took = seconds_of(trial.raw_bytes() as usize, filters);
        if seconds.is_some_and(|allowed| took > allowed) {
            return Ok(None);
        }
        let mut drifts = Self {
            by_family: Vec::new(),
            seconds_left: seconds.map(|allowed| allowed - took),
        };
        for &i in &telling {
            let share = on_all(trial, &tried[i], None)?;
            let drift = share / tried[i].share;
            drifts.by_family.push((tried[i].candidate.family(), drift));
            tried[i].share = share;
        }
        for (_, one) in tried
            .iter_mut()
            .enumerate()
            .filter(|(i, _)| !telling.contains(i))
        {
            drifts.estimate(one);
        }
        Ok(Some(drifts))
    }

    /// Makes of the share of the part an estimate of that of all samples, and what can be hoped for. A family that
    /// nobody looked at drifts as most do; but what finds its way among many by itself may do as well as the best.
    pub(super) fn estimate(&self, one: &mut Entry) {
        let family = one.candidate.family();
        let of_part = one.share;
        let known = self.by_family.iter().find(|known| known.0 == family);
        one.share = of_part * known.map_or(self.middle(), |known| known.1);
        one.hope = Some(match known {
            Some(_) => one.share / self.widest().powf(DOUBT),
            None => of_part * self.sorted().first().copied().unwrap_or(1.0),
        });
    }

    fn sorted(&self) -> Vec<f64> {
        let mut all: Vec<f64> = self.by_family.iter().map(|one| one.1).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    fn middle(&self) -> f64 {
        let all = self.sorted();
        all.get(all.len() / 2).copied().unwrap_or(1.0)
    }

    /// The factor of the family that drifts farthest, up or down; at least 1.
    fn widest(&self) -> f64 {
        let all = self.by_family.iter().map(|one| one.1.max(1.0 / one.1));
        all.fold(1.0, f64::max)
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
    use frazil_codec::Scratch;
    use frazil_types::{ByteOrder, ElementClass, ElementType};

    use super::*;
    use crate::candidates::candidate;
    use crate::heats::entry::entries;

    #[test]
    fn families_that_were_not_looked_at_drift_as_most_do_and_may_do_as_well_as_the_best() {
        let element = ElementType {
            class: ElementClass::Float,
            size_bytes: 4,
            order: ByteOrder::Little,
        };
        let mut scratch = Scratch::default();
        let trial = Trial::new(&[], element, &[16, 64], &mut scratch);
        let estimate = |name: &str, drifts: &Drifts| {
            let named = [candidate(name).unwrap()];
            let mut one = entries(&trial, &named).remove(0);
            one.share = 0.4;
            drifts.estimate(&mut one);
            (one.share, one.hope.unwrap())
        };
        let drifts = |by_family| Drifts {
            by_family,
            seconds_left: None,
        };
        let nothing = drifts(Vec::new());
        let drifts = drifts(vec![
            ("zstd", 1.1),
            ("pcodec", 0.9),
            ("lorenzo+shuffle+zstd", 0.5),
        ]);
        let (share, hope) = estimate("pcodec(12)", &drifts);
        assert_eq!(share, 0.4 * 0.9);
        assert!((hope - share / 2_f64.powf(DOUBT)).abs() < 1e-12, "{hope}");
        assert_eq!(estimate("mafisc(4)", &drifts), (0.4 * 0.9, 0.4 * 0.5));
        assert_eq!(estimate("mafisc(4)", &nothing), (0.4, 0.4));
    }
}
