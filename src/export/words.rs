//! The file of [`Words`]: every text that the page fetches once its first picture stands.

use crate::catalog::{ACCELERATORS, CLUSTERS, INTERCONNECTS, MODELS, SCENARIOS};
use crate::params::{self, Kind, Param};
use crate::words::Words;

/// Every text, each once, in the order in which a reader may meet them.
pub fn words() -> Vec<Words> {
    let mut all: Vec<Words> = Vec::new();
    all.extend(params::every().flat_map(of_param));
    all.extend(ACCELERATORS.iter().map(|entry| entry.source));
    all.extend(INTERCONNECTS.iter().map(|entry| entry.source));
    all.extend(CLUSTERS.iter().map(|entry| entry.source));
    all.extend(MODELS.iter().map(|entry| entry.source));
    all.extend(SCENARIOS.iter().flat_map(|entry| [entry.notice, entry.source]));
    all.extend(crate::explain::words());
    all.extend(crate::export::settings::NOTES);
    let mut once: Vec<Words> = Vec::with_capacity(all.len());
    for words in all {
        if !once.contains(&words) {
            once.push(words);
        }
    }
    once
}

/// The file: a line a text, its key before it.
pub fn file() -> String {
    words().into_iter().map(Words::line).collect()
}

fn of_param(param: &Param) -> Vec<Words> {
    let mut words = vec![param.help];
    if let Kind::Choice(choice) = param.kind {
        words.extend(choice.options.iter().map(|option| option.help));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_one_line_with_a_key_of_its_own() {
        let file = file();
        let mut keys: Vec<&str> = file.lines().map(|line| line.split_once(' ').expect("key and text").0).collect();
        assert_eq!(keys.len(), words().len(), "a text has a line break");
        keys.sort_unstable();
        assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "two texts have the same key");
        assert!(keys.iter().all(|key| key.len() == 8));
    }
}
