//! Reads a list of the lengths of texts in tokens: numbers between spaces, commas and lines, or a
//! JSON array of them.

use engine::model::lengths::Batching;
use engine::params::ParamId;
use engine::params::quantity::{nearest, shorten};
use engine::scenario::Scenario;
use engine::scenario::data::TextList;

/// Fewest numbers of a list.
const FEWEST: usize = 2;

/// The lengths of the texts of a data set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextLengths {
    /// Number of texts.
    pub count: usize,
    /// Mean length in tokens.
    pub mean: f64,
    /// Length of the longest text in tokens.
    pub longest: f64,
}

/// Reads lengths; `None` for a text that does not begin like a list of numbers.
///
/// # Errors
///
/// A sentence if one item is not a length.
///
/// ```
/// # use huggingface::import_lengths;
/// let lengths = import_lengths("[512, 256, 1024, 256]").unwrap().unwrap();
/// assert_eq!((lengths.count, lengths.mean, lengths.longest), (4, 512.0, 1024.0));
/// assert_eq!(import_lengths("tokens\n512\n256\n").unwrap().unwrap().count, 2);
/// assert_eq!(import_lengths("{\"model_type\": \"llama\"}"), None);
/// assert!(import_lengths("512, 256, x").unwrap().unwrap_err().contains("“x”"));
/// ```
pub fn import_lengths(text: &str) -> Option<Result<TextLengths, String>> {
    let list = text.trim();
    let list = list.strip_prefix('[').and_then(|list| list.strip_suffix(']')).unwrap_or(list);
    let between = |letter: char| letter.is_whitespace() || matches!(letter, ',' | ';');
    let mut words = list.split(between).filter(|word| !word.is_empty()).peekable();
    // The header of a column.
    words.next_if(|word| word.trim_matches('"').chars().all(|letter| letter.is_ascii_alphabetic() || letter == '_'));
    // A single number may begin any text; two numbers begin a list.
    if words.clone().take(FEWEST).any(|word| word.parse::<f64>().is_err()) {
        return None;
    }
    let (mut count, mut sum, mut longest) = (0_usize, 0.0, 0.0_f64);
    for word in words {
        match word.parse::<f64>() {
            Ok(length) if length.is_finite() && length >= 0.0 => {
                count += 1;
                sum += length;
                longest = longest.max(length);
            }
            _ => {
                let word = shorten(word);
                return Some(Err(format!("“{word}” in this list of lengths is not a number of tokens. Leave it out.")));
            }
        }
    }
    if count < FEWEST || longest < 1.0 {
        return None;
    }
    Some(Ok(TextLengths { count, mean: sum / count as f64, longest }))
}

impl TextLengths {
    /// Returns the scenario with these texts: their number and mean length, cut at the longest text
    /// or at the longest sequence that the page allows. Full sequences become padded ones.
    pub fn applied(&self, scenario: &Scenario) -> Scenario {
        let texts = match scenario.texts.batching {
            Batching::Full => TextList { batching: Batching::Padded, ..scenario.texts },
            _ => scenario.texts,
        };
        let mut with = Scenario { texts, ..*scenario };
        for (key, value) in [
            (ParamId::SequenceLength, self.longest),
            (ParamId::MeanTextLength, self.mean),
            (ParamId::Samples, self.count as f64),
        ] {
            if let Some(number) = key.param().number() {
                (number.set)(&mut with, nearest(number, value, value));
            }
        }
        with
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;
    use engine::scenario::issue::Severity;

    fn read(text: &str) -> TextLengths {
        import_lengths(text).unwrap().unwrap()
    }

    #[test]
    fn lengths_become_texts_of_the_scenario() {
        let with = read("100 300\n8000").applied(&default_scenario());
        assert_eq!((with.texts.batching, with.seq_len), (Batching::Padded, 8000));
        assert_eq!((with.texts.mean_length, with.texts.samples), (2800.0, 10.0), "ten texts are the fewest");
        assert!(engine::validate::issues(&with).is_empty());
        let packed = TextList { batching: Batching::Packed, ..default_scenario().texts };
        let with = read("1,2,3").applied(&Scenario { texts: packed, ..default_scenario() });
        assert_eq!(with.texts.batching, Batching::Packed);
    }

    #[test]
    fn what_is_no_list_is_none() {
        for text in ["", "[]", "7", "0 0", "length", "v=1&gpus=8", "<svg/>", "{}", "NaN", "[[1, 2]]"] {
            assert_eq!(import_lengths(text), None, "{text}");
        }
        for text in ["1 -2", "1 inf", "1 2 NaN", "1 2 3x"] {
            assert!(import_lengths(text).unwrap().is_err(), "{text}");
        }
    }

    #[test]
    fn no_list_brings_a_scenario_out_of_bounds() {
        for text in ["1 1", "1e300 1e300", "0.1 1", "5 2000000000"] {
            let with = read(text).applied(&default_scenario());
            let errors = engine::validate::issues(&with).into_iter().filter(|issue| issue.severity == Severity::Error);
            assert_eq!(errors.count(), 0, "{text}");
        }
    }
}
