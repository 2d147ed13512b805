//! Known names similar to an unknown one, for “Did you mean …?”.

/// Maximum number of suggested names.
const MOST: usize = 3;

/// Maximum length of text that is compared with names.
const LONGEST: usize = 64;

/// Returns the letters and digits of a name in lower case, as punctuation and case do not
/// distinguish names.
pub fn letters(name: &str) -> String {
    name.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Candidates for misspelt names, each with its letters.
pub struct Names<'a>(Vec<(Vec<char>, &'a str)>);

impl<'a> Names<'a> {
    /// Collects the names, each once.
    pub fn new(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all: Vec<(Vec<char>, &str)> = Vec::new();
        for name in names {
            if all.iter().all(|(_, other)| *other != name) {
                all.push((letters(name).chars().collect(), name));
            }
        }
        Self(all)
    }

    /// Returns the names nearest to typed text, the nearest first, at most three; none if nothing
    /// is near.
    pub fn nearest(&self, typed: &str) -> Vec<&'a str> {
        let typed: Vec<char> = letters(typed).chars().collect();
        // Long text is not a misspelt name.
        if typed.len() > LONGEST {
            return Vec::new();
        }
        // At most a third of a name may be wrong.
        let most = (typed.len() / 3).max(1);
        let mut found: Vec<((usize, usize), &str)> = Vec::new();
        for (own, name) in &self.0 {
            if own.len().abs_diff(typed.len()) > most {
                continue;
            }
            let distance = distance(&typed, own);
            if distance <= most {
                // Among equally near names, one with the same beginning comes first: slips are rare
                // in the first letters.
                let alike = own.iter().zip(&typed).take_while(|(one, other)| one == other).count();
                found.push(((distance, usize::MAX - alike), name));
            }
        }
        found.sort_by_key(|(rank, _)| *rank);
        found.into_iter().take(MOST).map(|(_, name)| name).collect()
    }
}

/// Returns [`Names::nearest`] for names that are used once.
///
/// ```
/// use engine::nearest::nearest;
///
/// assert_eq!(nearest("modle", ["model", "node", "gpus"]), ["model"]);
/// assert!(nearest("colour", ["model", "node", "gpus"]).is_empty());
/// ```
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    Names::new(names).nearest(typed)
}

/// Whether two names differ in at most two slips.
pub fn is_near(one: &str, other: &str) -> bool {
    let [one, other]: [Vec<char>; 2] = [one, other].map(|name| name.chars().collect());
    one.len().abs_diff(other.len()) <= 2 && distance(&one, &other) <= 2
}

/// Counts the slips between two words: letters left out, put in, or changed, and neighbours
/// swapped.
///
/// ```
/// use engine::nearest::slips;
///
/// assert_eq!((slips("lama", "llama"), slips("modle", "model"), slips("tp", "tp")), (1, 1, 0));
/// ```
pub fn slips(one: &str, other: &str) -> usize {
    let [one, other]: [Vec<char>; 2] = [one, other].map(|name| name.chars().collect());
    distance(&one, &other)
}

/// Counts the slips between two words: letters omitted, inserted, or changed, and neighbours
/// swapped (the optimal string alignment distance).
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut now = vec![row + 1];
        for (column, wanted) in other.iter().enumerate() {
            let at = |line: &[usize], place: usize| line.get(place).copied().unwrap_or(usize::MAX - 1);
            let changed = at(&last, column) + usize::from(letter != wanted);
            let mut least = changed.min(at(&last, column + 1) + 1).min(at(&now, column) + 1);
            let is_swap =
                row > 0 && column > 0 && one.get(row - 1) == Some(wanted) && other.get(column - 1) == Some(letter);
            if is_swap {
                least = least.min(at(&before_last, column - 1) + 1);
            }
            now.push(least);
        }
        before_last = last;
        last = now;
    }
    last.last().copied().unwrap_or(0)
}

/// Returns the question after a sentence: `Did you mean “model” or “node”?`; empty without names.
pub fn did_you_mean(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("“{name}”")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => format!(" Did you mean {one}?"),
        [first @ .., last] => format!(" Did you mean {} or {last}?", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
        let slips =
            |one: &str, other: &str| distance(&one.chars().collect::<Vec<_>>(), &other.chars().collect::<Vec<_>>());
        for (one, other, expected) in
            [("model", "modle", 1), ("gpus", "gpuz", 1), ("seq", "", 3), ("accum", "acum", 1), ("tp", "tp", 0)]
        {
            assert_eq!((slips(one, other), slips(other, one)), (expected, expected), "{one} {other}");
        }
    }

    #[test]
    fn the_nearest_come_first_and_are_three_at_most() {
        let names = ["llama-3-8b", "llama-3.1-8b", "llama-3-70b", "llama-2-7b", "gemma-2-9b"];
        assert_eq!(nearest("llama-3-9b", names).first(), Some(&"llama-3-8b"));
        assert!(nearest("llama-3-9b", names).len() <= 3);
        assert_eq!(did_you_mean(&["a"]), " Did you mean “a”?");
        assert_eq!(did_you_mean(&["a", "b", "c"]), " Did you mean “a”, “b” or “c”?");
    }
}
