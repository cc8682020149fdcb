//! Notices of many files: each is told with the first file that it is about, then counted.

use std::collections::BTreeMap;

/// Notices of more kinds are told of every file.
const MOST_KINDS: usize = 1000;

/// What was told, and of how many more files it holds.
#[derive(Debug, Default)]
pub(super) struct Told(BTreeMap<String, usize>);

impl Told {
    /// Whether a notice is to be told: it is new.
    pub(super) fn is_new(&mut self, notice: &str) -> bool {
        if let Some(more) = self.0.get_mut(notice) {
            *more += 1;
            return false;
        }
        if self.0.len() < MOST_KINDS {
            self.0.insert(notice.to_owned(), 0);
        }
        true
    }

    /// One line for each notice that was told once and holds of more files.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let repeated = self.0.iter().filter(|(_, more)| **more > 0);
        repeated.map(|(notice, more)| match more {
            1 => format!("1 more file: {notice}"),
            more => format!("{more} more files: {notice}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_is_told_once_and_counted() {
        let mut told = Told::default();
        let notices = ["a", "b", "a", "a", "c", "b"];
        let new: Vec<&str> = notices.into_iter().filter(|one| told.is_new(one)).collect();
        assert_eq!(new, ["a", "b", "c"]);
        let lines: Vec<String> = told.lines().collect();
        assert_eq!(lines, ["2 more files: a", "1 more file: b"]);
    }
}
