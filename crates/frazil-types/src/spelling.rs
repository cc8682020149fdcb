//! What a misspelt word was meant to be.

/// The word among `known` that is spelled most like `word`, if one is much like it; else the only one that
/// begins with it. The case of letters does not count.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A third of the letters may differ, and no more than three: else it is another word.
    let most = word.chars().count().div_ceil(3).min(3);
    let known: Vec<&str> = known.into_iter().collect();
    let ranked = known.iter().map(|other| (distance(word, other), *other));
    // Who misspells a word seldom does so at its first letter.
    let (least, meant) =
        ranked.min_by_key(|(distance, other)| (*distance, !begin_alike(word, other)))?;
    match least <= most {
        true => Some(meant),
        false => only_beginning_with(word, &known),
    }
}

fn begin_alike(a: &str, b: &str) -> bool {
    let first = |word: &str| word.chars().next().map(|one| one.to_ascii_lowercase());
    first(a) == first(b)
}

/// The only word that begins with some letters.
fn only_beginning_with<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    const LEAST_LETTERS: usize = 3;
    let word = word.to_lowercase();
    let mut longer = known.iter().filter(|other| {
        word.chars().count() >= LEAST_LETTERS && other.to_lowercase().starts_with(&word)
    });
    match (longer.next(), longer.next()) {
        (only, None) => only.copied(),
        _ => None,
    }
}

/// The question after the nearest word, to follow a message; empty if no word is near.
#[must_use]
pub fn question<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |meant| format!("; is `{meant}` meant?"))
}

/// Letters to change, add, drop or exchange with their neighbour to get from one word to the other.
fn distance(a: &str, b: &str) -> usize {
    let letters = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let (a, b) = (letters(a), letters(b));
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let changed = last[j] + usize::from(a[i] != b[j]);
            let mut least = changed.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_and_no_other() {
        let known = ["balanced", "size", "speed"];
        assert_eq!(nearest("sizee", known), Some("size"));
        assert_eq!(nearest("SPEDE", known), Some("speed"));
        assert_eq!(nearest("balancd", known), Some("balanced"));
        assert_eq!(nearest("colour", known), None);
        let names = ["air_temperature", "air_pressure", "humidity"];
        assert_eq!(nearest("air_temp", names), Some("air_temperature"));
        assert_eq!(nearest("air_", names), None);
        assert_eq!(nearest("hu", names), None);
        assert_eq!(nearest("size", []), None);
        // Both are one letter away.
        assert_eq!(nearest("treads", ["reads", "threads"]), Some("threads"));
        assert_eq!(question("sise", known), "; is `size` meant?");
        assert_eq!(question("colour", known), "");
    }

    #[test]
    fn distances_count_what_fingers_do() {
        for (a, b, expected) in [
            ("T", "Tt", 1),
            ("salt", "slat", 1),
            ("T", "t", 0),
            ("", "ab", 2),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }
}
