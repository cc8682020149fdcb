//! One choice of filters for all ranks.

use super::super::errors::lost;
use super::super::key::{Key, Name};
use super::super::variable::ChosenFilters;
use super::super::writer::Writer;
use super::ranks::RankGroup;
use super::wire::broken;
use frazil_container::schema::VariableId;
use frazil_file::error::Result;
use frazil_types::repeated_element;

impl Writer {
    /// Has the filters chosen that nobody asked for: for each variable by the rank that has its
    /// first chunk, in the order of the grid, of values that are not all one. Variables without
    /// such values get filters without a trial.
    pub(super) fn choose_together(
        &mut self,
        team: &mut RankGroup,
        ready: Result<()>,
    ) -> Result<()> {
        let open: Vec<usize> = (0..self.details.len())
            .filter(|&number| self.is_open(number))
            .collect();
        if open.is_empty() {
            return ready;
        }
        let mut own: Vec<Option<Key>> = Vec::new();
        let share = ready.and_then(|()| {
            own = open
                .iter()
                .map(|&number| self.first_varied(number))
                .collect::<Result<_>>()?;
            Ok(own.iter().map(|key| key.as_ref().map(Name::from)).collect())
        });
        let winners: Vec<Option<usize>> = team.link.consult(share, |link, all| {
            let winners = first_ranks(&all);
            Ok(vec![winners; link.size()])
        })?;
        let rank = team.link.rank();
        let mine = winners.iter().map(|winner| *winner == Some(rank));
        let mine: Vec<Option<Key>> = mine
            .zip(own)
            .map(|(is_mine, key)| key.filter(|_| is_mine))
            .collect();
        let found = self.try_filters(&mine);
        let all: Vec<Option<String>> = team.link.consult(found, |link, all| {
            let found = (0..open.len())
                .map(|i| all.iter().find_map(|one| one.get(i).cloned().flatten()))
                .collect();
            Ok(vec![found; link.size()])
        })?;
        for ((number, found), mine) in open.into_iter().zip(all).zip(mine) {
            self.adopt(number, found.as_deref(), mine.is_some())?;
        }
        Ok(())
    }

    /// Whether a variable's filters are still to be chosen.
    fn is_open(&self, number: usize) -> bool {
        let active = self.details[number].active.as_ref();
        active.is_some_and(|variable| !variable.is_contiguous)
            && !self.submission.is_decided(number)
    }

    /// The first chunk of a variable that tells something about its values.
    fn first_varied(&mut self, number: usize) -> Result<Option<Key>> {
        for key in self.store.keys(number) {
            let varies = self.with_written(&key, |values, size| {
                !values.is_empty() && repeated_element(values, size).is_none()
            })?;
            if varies {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// Looks at those values of a chunk that were written.
    fn with_written<T>(&mut self, key: &Key, look: impl FnOnce(&[u8], usize) -> T) -> Result<T> {
        let variable = self.active(VariableId(key.variable))?;
        let size = variable.element_bytes();
        let chunk = self.take_gathered(key, &variable)?;
        let found = look(&chunk.written(size), size);
        self.store.insert(key.clone(), chunk);
        Ok(found)
    }

    /// Tries filters on this rank's chunks, all variables at once.
    fn try_filters(&mut self, mine: &[Option<Key>]) -> Result<Vec<Option<String>>> {
        for key in mine.iter().flatten() {
            let variable = self.active(VariableId(key.variable))?;
            let samples = self.with_written(key, |values, _| values.to_vec())?;
            self.submission.choose_by(&variable, &samples);
        }
        let found = |key: &Option<Key>| {
            let Some(key) = key else {
                return Ok(None);
            };
            let filters = self.submission.filters(key.variable).ok_or_else(lost)??;
            // As JSON, like plans.
            let text = serde_json::to_string(&ChosenFilters::from(filters));
            text.map(Some).map_err(|error| broken(&error.to_string()))
        };
        mine.iter().map(found).collect()
    }

    fn adopt(&mut self, number: usize, found: Option<&str>, is_mine: bool) -> Result<()> {
        let variable = self.active(VariableId(number))?;
        match found {
            Some(_) if is_mine => {}
            Some(text) => {
                let found: ChosenFilters =
                    serde_json::from_str(text).map_err(|error| broken(&error.to_string()))?;
                let filters = variable.adopted(found)?;
                self.submission.fix(number, filters, true);
            }
            None => self.submission.force(&variable),
        }
        Ok(())
    }
}

/// For each variable the rank whose chunk comes first.
fn first_ranks(all: &[Vec<Option<Name>>]) -> Vec<Option<usize>> {
    let variables = all.first().map_or(0, Vec::len);
    (0..variables)
        .map(|i| {
            let named = all.iter().enumerate();
            let named = named.filter_map(|(rank, keys)| Some((keys.get(i)?.as_ref()?, rank)));
            named.min().map(|(_, rank)| rank)
        })
        .collect()
}
