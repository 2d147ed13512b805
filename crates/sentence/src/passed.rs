//! Unknown words that change nothing, which are passed over and said.

use catalog::{ACCELERATORS, MODELS};

use crate::Topic;
use crate::finding::Finding;
use crate::reading::{Gap, Reading};
use crate::words::{CARRIERS, CLOUDS, DECIDING, NEGATIONS, STEMS};

/// Most words that are passed over: a text with more is in a language that no table has.
const MOST: usize = 4;
/// Topics whose number the word after it may count: “8 frames”.
const COUNTED: [Topic; 5] = [Topic::Count, Topic::Length, Topic::Batch, Topic::Tokens, Topic::Precision];

impl Reading {
    /// Passes over unknown words that change nothing, and returns them: none with a number, a unit,
    /// a model or a GPU, no negation, none that may name a method, and only beside a model.
    pub(crate) fn pass_over(&mut self, text: &str) -> Vec<String> {
        let has_model = self.found.iter().any(|found| found.value(&["model", "size"]).is_some());
        let words = |gap: &Gap| text.get(gap.from..gap.to).unwrap_or_default().to_owned();
        let many: usize = self.gaps.iter().map(|gap| words(gap).split_whitespace().count()).sum();
        // Beside a word that may decide, others may belong to it: all are asked about.
        if !has_model || many > MOST || !self.gaps.iter().all(|gap| changes_nothing(text, gap, &self.found)) {
            return Vec::new();
        }
        let passed = core::mem::take(&mut self.gaps);
        self.fillers.extend(passed.iter().map(|gap| (gap.from, gap.to)));
        passed.iter().map(words).collect()
    }

    /// Passes over the names of clouds, and returns them, unless the text asks a question on no
    /// GPU, which may be one about the GPUs of the cloud.
    pub(crate) fn pass_over_clouds(&mut self, text: &str) -> Vec<String> {
        let has =
            |start: &str| self.found.iter().flat_map(|found| &found.is.pairs).any(|(key, _)| key.starts_with(start));
        if has("ask.") && !["hw", "cluster", "card"].into_iter().any(has) {
            return Vec::new();
        }
        let words = |gap: &Gap| text.get(gap.from..gap.to).unwrap_or_default();
        let is_cloud = |gap: &Gap| {
            let mut parts = words(gap).split([' ', '.']);
            parts.all(|part| CLOUDS.contains(&part.to_lowercase().as_str()))
        };
        let (clouds, others) = core::mem::take(&mut self.gaps).into_iter().partition(is_cloud);
        self.gaps = others;
        let clouds: Vec<Gap> = clouds;
        self.fillers.extend(clouds.iter().map(|gap| (gap.from, gap.to)));
        clouds.iter().map(|gap| words(gap).to_owned()).collect()
    }
}

/// Returns whether an unknown part changes nothing.
fn changes_nothing(text: &str, gap: &Gap, found: &[Finding]) -> bool {
    let typed = text.get(gap.from..gap.to).unwrap_or_default();
    let [before, after] = [text.get(..gap.from), text.get(gap.to..)].map(Option::unwrap_or_default);
    let is_plain = !gap.is_card && typed.chars().all(|sign| sign.is_alphabetic() || sign == ' ' || sign == '\'');
    let is_joined = |sign: Option<char>| sign.is_some_and(|sign| "-_/+*=@#&~".contains(sign) || sign.is_ascii_digit());
    let carrier = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let may_be_method = CARRIERS.contains(&carrier.as_str());
    // Abbreviations such as `MoE` and `ViT` are names of methods.
    let changes = |word: &str| {
        let lower = word.to_lowercase();
        let capitals = word.chars().filter(char::is_ascii_uppercase).count();
        // Words of scripts without blanks stand within others.
        let has = |own: &&str| *own == lower || !own.is_ascii() && lower.contains(*own);
        let is_made_of = STEMS.iter().any(|stem| lower.contains(stem));
        is_made_of || DECIDING.iter().chain(NEGATIONS).any(has) || capitals > 1
    };
    let is_name = |name: &String| {
        MODELS.iter().any(|entry| entry.id == name)
            || ACCELERATORS.iter().any(|entry| [entry.id, entry.name].contains(&name.as_str()))
    };
    let is_counted = |found: &Finding| {
        let between = text.get(found.to..gap.from);
        COUNTED.contains(&found.is.kind) && between.is_some_and(|between| between.trim().is_empty())
    };
    is_plain
        && !is_joined(before.chars().next_back())
        && !is_joined(after.chars().next())
        && !may_be_method
        && !typed.split_whitespace().any(changes)
        && !gap.near.iter().any(is_name)
        && !found.iter().any(is_counted)
}

#[cfg(test)]
mod tests {
    use crate::words::{FILLERS, NEGATIONS};

    /// A filler is read before what it negates is looked for.
    #[test]
    fn no_negation_is_a_filler() {
        let both: Vec<_> = NEGATIONS.iter().chain(&["off"]).filter(|word| FILLERS.contains(word)).collect();
        assert_eq!(both, Vec::<&&str>::new());
    }
}
