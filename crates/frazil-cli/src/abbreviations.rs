//! Short forms of the words of one column, different where the words are.

use std::collections::{HashMap, HashSet};

use crate::text::{columns, ends, fitting, fitting_end, shorten};

/// So many places at which words differ are shown.
const MOST_PLACES: usize = 3;

/// Short forms of words, of which those that fit have none.
#[derive(Debug)]
pub(crate) struct Abbreviations<'a> {
    forms: HashMap<&'a str, String>,
    /// Forms, and words that fit: no other word may look like them.
    taken: HashSet<String>,
    limit: usize,
}

impl<'a> Abbreviations<'a> {
    /// Forms of at most `limit` columns.
    pub(crate) fn of(words: impl Iterator<Item = &'a str>, limit: usize) -> Self {
        let mut seen = HashSet::new();
        let different = words.filter(|word| seen.insert(*word));
        let (short, long): (Vec<_>, Vec<_>) = different.partition(|word| columns(word) <= limit);
        let mut found = Self {
            forms: HashMap::new(),
            taken: short.into_iter().map(str::to_owned).collect(),
            limit,
        };
        let usual = groups(long, |word| shorten(word, limit).into_owned());
        for alike in found.take_singles(usual) {
            found.tell_apart(alike);
        }
        found
    }

    /// What stands for `word`.
    pub(crate) fn form<'w>(&'w self, word: &'w str) -> &'w str {
        self.forms.get(word).map_or(word, String::as_str)
    }

    /// Takes the forms that one word has and that are free; the words of the others.
    fn take_singles(&mut self, groups: Vec<(String, Vec<&'a str>)>) -> Vec<Vec<&'a str>> {
        let mut others = Vec::new();
        for (form, words) in groups {
            match words.as_slice() {
                [only] if self.taken.insert(form.clone()) => drop(self.forms.insert(*only, form)),
                _ => others.push(words),
            }
        }
        others
    }

    /// Takes forms for words that look alike: with other ends, or with the place where they differ.
    fn tell_apart(&mut self, words: Vec<&'a str>) {
        let room = self.limit.saturating_sub(1);
        let mut heads: Vec<usize> = (0..=room).collect();
        heads.sort_by_key(|head| head.abs_diff(room / 2));
        for head in heads {
            let forms: Vec<String> = words
                .iter()
                .map(|word| ends(word, head, room - head))
                .collect();
            if self.are_free(&forms) {
                self.taken.extend(forms.iter().cloned());
                self.forms.extend(words.into_iter().zip(forms));
                return;
            }
        }
        self.show_places(words, &[]);
    }

    /// Takes forms with these places, and the next one at which words differ; or with numbers.
    fn show_places(&mut self, words: Vec<&'a str>, places: &[usize]) {
        if places.len() == MOST_PLACES {
            return self.number(words);
        }
        let places = [places, &[shared(&words)]].concat();
        let limit = self.limit;
        let groups = groups(words, |word| around(word, &places, limit));
        for alike in self.take_singles(groups) {
            self.show_places(alike, &places);
        }
    }

    /// Whether these forms differ from each other and from all others.
    fn are_free(&self, forms: &[String]) -> bool {
        let mut seen = HashSet::new();
        let mut forms = forms.iter();
        forms.all(|form| !self.taken.contains(form) && seen.insert(form))
    }

    /// The last resort where there is hardly any room.
    fn number(&mut self, words: Vec<&'a str>) {
        let mut number = 0;
        for word in words {
            let form = loop {
                number += 1;
                let mark = format!("~{number}");
                let room = self.limit.saturating_sub(mark.len());
                let form = format!("{}{mark}", shorten(word, room));
                if self.taken.insert(form.clone()) {
                    break form;
                }
            };
            self.forms.insert(word, form);
        }
    }
}

/// Words of equal form, in the order of the words: equal files give equal tables.
fn groups<'a>(words: Vec<&'a str>, form: impl Fn(&str) -> String) -> Vec<(String, Vec<&'a str>)> {
    let mut places = HashMap::new();
    let mut groups: Vec<(String, Vec<&'a str>)> = Vec::new();
    for word in words {
        let form = form(word);
        let place = *places.entry(form.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, alike)) => alike.push(word),
            None => groups.push((form, vec![word])),
        }
    }
    groups
}

/// How many characters all words begin with.
fn shared(words: &[&str]) -> usize {
    let Some((first, others)) = words.split_first() else {
        return 0;
    };
    let alike = |other: &&str| {
        let pairs = first.chars().zip(other.chars());
        pairs.take_while(|(a, b)| a == b).count()
    };
    others.iter().map(alike).min().unwrap_or(0)
}

/// Both ends of a word and what stands around some of its characters.
fn around(word: &str, places: &[usize], limit: usize) -> String {
    let room = limit.saturating_sub(places.len() + 1);
    let end = room / (2 * places.len() + 2);
    let width = (room - 2 * end) / places.len().max(1);
    let mut form = fitting(word.chars(), end);
    let mut shown = form.chars().count();
    for place in places {
        let start = place.saturating_sub(width / 3);
        if start > shown {
            form.push('…');
        }
        let start = start.max(shown);
        let piece = fitting(word.chars().skip(start), width);
        shown = start + piece.chars().count();
        form.push_str(&piece);
    }
    format!("{form}…{}", fitting_end(word, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(words: &[&str], limit: usize) -> Vec<String> {
        let short = Abbreviations::of(words.iter().copied(), limit);
        words
            .iter()
            .map(|word| short.form(word).to_owned())
            .collect()
    }

    #[test]
    fn words_that_differ_look_different() {
        let pressure = ["/pressure_maximum_one_day", "/pressure_minimum_one_day"];
        assert_eq!(forms(&pressure, 15), ["/pressure_ma…ay", "/pressure_mi…ay"]);
        assert_eq!(forms(&pressure, 10), ["/p…maxi…ay", "/p…mini…ay"]);
        let both = [
            "/pressure_maximum_of_day_1_above_ground",
            "/pressure_minimum_of_day_1_above_ground",
            "/pressure_maximum_of_day_2_above_ground",
            "/pressure_minimum_of_day_2_above_ground",
        ];
        let shown = forms(&both, 14);
        for (form, words) in shown
            .iter()
            .zip([["ma", "1"], ["mi", "1"], ["ma", "2"], ["mi", "2"]])
        {
            assert!(words.iter().all(|word| form.contains(word)), "{form}");
        }
        let ends = ["/a_temperature_a", "/a_temperature_b", "/tas"];
        assert_eq!(forms(&ends, 9), ["/a_t…re_a", "/a_t…re_b", "/tas"]);
        let begins = ["/temperature_of_run_1", "/zemperature_of_run_1"];
        assert_eq!(forms(&begins, 9), ["/tem…un_1", "/zem…un_1"]);
        // More of the end tells these apart.
        let late = ["/temperature_1_of_run", "/temperature_2_of_run"];
        assert_eq!(forms(&late, 10), ["/…1_of_run", "/…2_of_run"]);
    }

    #[test]
    fn many_words_in_hardly_any_room_stay_different() {
        let words: Vec<String> = (0..400)
            .map(|n| format!("/group/variable_{}_{}_of_海面水温", n % 20, n / 20))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        for limit in 6..30 {
            let forms = forms(&words, limit);
            let different: HashSet<&String> = forms.iter().collect();
            assert_eq!(different.len(), words.len(), "{limit}");
            assert!(forms.iter().all(|form| columns(form) <= limit), "{limit}");
        }
    }

    #[test]
    fn no_form_looks_like_a_word_that_fits() {
        let words = ["/tem…un_1", "/temperature_of_run_1"];
        let forms = forms(&words, 9);
        assert_ne!(forms[0], forms[1]);
        assert_eq!(forms[0], words[0]);
    }
}
