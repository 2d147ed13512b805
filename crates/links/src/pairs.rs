//! Splits text into `key=value` pairs, however the link was mangled on its way: percent-encoding,
//! `&amp;`, an address around it. A pair with the key `pin` starts another scenario.

use percent_encoding::percent_decode_str;

use super::keys::{GPUS_KEY, NODES_KEY, PIN_KEY};
use super::spelling::{self, spell};
use engine::nearest::did_you_mean;
use engine::params::quantity::shorten;
use engine::scenario::issue::{Cause, Issue, LEFT_OUT, Severity};
use engine::scenario::pins::MOST_PINS;

/// Maximum number of listed issues; further ones are only counted, as longer banners are not read.
pub(super) const MOST_ISSUES: usize = 12;
/// Maximum number of pairs whose names are looked up. There are fewer keys; a text with more is no
/// link.
const MOST_SPELLED: usize = 400;

/// The pairs of one scenario in their order, and issues about text that is not a pair.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// Keys in lower case, with their values.
    pub(super) pairs: Vec<(String, String)>,
    /// Issues about text that is not a pair.
    pub(super) issues: Vec<Issue>,
}

impl Pairs {
    /// Returns the value of a key: the last one if the key occurs more than once.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        self.pairs.iter().rev().find(|(found, _)| found == key).map(|(_, value)| value.as_str())
    }

    /// Replaces other names with the keys and options of links. The GPUs of a node (`8xH100`)
    /// become the GPUs of the run if no pair sets their number.
    pub(super) fn spell(&mut self) {
        let mut pairs: Vec<(String, String)> = Vec::with_capacity(self.pairs.len());
        let mut of_node = None;
        for (place, (key, value)) in self.pairs.drain(..).enumerate() {
            if place >= MOST_SPELLED {
                pairs.push((key, value));
                continue;
            }
            let mut spelled = spell(&key, &value);
            if spelled.pairs.len() > 1 && spelled.pairs.last().is_some_and(|(own, _)| own == GPUS_KEY) {
                of_node = spelled.pairs.pop();
            }
            pairs.extend(spelled.pairs);
            self.issues.extend(spelled.notes);
        }
        let has_gpus = pairs.iter().any(|(key, _)| key == GPUS_KEY || key == NODES_KEY);
        pairs.extend(of_node.filter(|_| !has_gpus));
        self.pairs = pairs;
    }

    /// Whether a key occurs with different values.
    pub(super) fn is_ambiguous(&self, key: &str) -> bool {
        let mut values = self.pairs.iter().filter(|(found, _)| found == key).map(|(_, value)| value);
        values.next().is_some_and(|first| values.any(|value| value != first))
    }
}

/// The pairs of a whole link.
#[derive(Debug, Default)]
pub(super) struct Link {
    /// The scenario on screen.
    pub(super) screen: Pairs,
    /// The pinned scenarios, in order, at most [`MOST_PINS`].
    pub(super) pins: Vec<Pairs>,
    /// Number of pins in the link, including those that are not kept.
    pub(super) pinned: usize,
}

impl Link {
    /// Creates a link of a single scenario.
    pub(super) fn from_screen(screen: Pairs) -> Self {
        Self { screen, pins: Vec::new(), pinned: 0 }
    }

    /// Starts the pairs of a pinned scenario.
    fn pin(&mut self) {
        self.pinned += 1;
        if self.pinned <= MOST_PINS {
            self.pins.push(Pairs::default());
        }
    }

    /// Returns the scenario that is being read; `None` once there are too many pins.
    fn now(&mut self) -> Option<&mut Pairs> {
        if self.pinned > MOST_PINS {
            return None;
        }
        Some(self.pins.last_mut().unwrap_or(&mut self.screen))
    }
}

/// Used instead of a text that cannot be read.
pub(super) const FIRST_SCENARIO: &str = "The calculator's first scenario";

/// Creates an issue about text that is not a parameter.
pub(super) fn stray(severity: Severity, message: impl Into<String>) -> Issue {
    Issue::new(severity, None, message)
}

/// Returns an issue about an unknown key, with a suggestion.
pub(super) fn unknown_key(key: &str, value: &str) -> Issue {
    if let Some(advice) = spelling::advice(key) {
        return left_out(key, value, format!("“{}” {advice}.", shorten(key)));
    }
    let meant: Vec<String> = spelling::options_of_name(key).map(|option| format!("{key}={option}")).collect();
    if !meant.is_empty() {
        let given = shorten(&format!("{key}={value}"));
        let message = format!("“{given}” says nothing here: give {}, or leave it out.", meant.join(" or "));
        return stray(Severity::Note, message).because(Cause::UnknownName);
    }
    not_a_key(key, value, &did_you_mean(&spelling::keys_near(key)))
}

/// Returns an issue about an unknown key, with the sentence of its suggestion.
pub(super) fn not_a_key(key: &str, value: &str, near: &str) -> Issue {
    left_out(key, value, format!("“{}” is not a key of a scenario.{near}", shorten(key)))
}

/// Returns the issue about an unknown key, which was left out with its value.
fn left_out(key: &str, value: &str, message: String) -> Issue {
    let given = shorten(&format!("{key}={value}"));
    stray(Severity::Note, message).instead(format!("“{given}” was left out.")).because(Cause::UnknownKey)
}

/// Reads the pairs of an address or a fragment; `None` if the text is empty.
pub(super) fn parse_link(text: &str) -> Option<Link> {
    let text = text.trim();
    let fragment = match text.split_once('#') {
        Some((_, fragment)) => fragment,
        None if text.contains("://") => "",
        None => text,
    };
    // Some messengers percent-encode the whole fragment a second time.
    let whole = if fragment.contains('=') { fragment.to_owned() } else { percent_decoded(fragment) };
    let link = from_fragment(&whole);
    let empty = link.pinned == 0 && link.screen.pairs.is_empty() && link.screen.issues.is_empty();
    (!empty).then_some(link)
}

fn from_fragment(fragment: &str) -> Link {
    let mut link = Link::default();
    for part in fragment.split('&') {
        let part = part.strip_prefix("amp;").unwrap_or(part).trim();
        if part.is_empty() {
            continue;
        }
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let name = percent_decoded(key).trim().to_ascii_lowercase();
        if name == PIN_KEY {
            link.pin();
            continue;
        }
        let Some(read) = link.now() else { continue };
        if key.is_empty() || value.is_empty() {
            let shown = shorten(&percent_decoded(part));
            let message = format!("“{shown}” in the link lacks a key or a value: the link may be incomplete.");
            read.issues.push(stray(Severity::Error, message).instead(LEFT_OUT));
        } else {
            read.pairs.push((name, percent_decoded(value).trim().to_owned()));
        }
    }
    link
}

/// Decodes percent escapes such as `%20`. Invalid escapes stay, and invalid UTF-8 becomes the
/// replacement character. A plus sign stays: it means a space in forms, but may be part of `1e+12`
/// in links.
fn percent_decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        parse_link(text).map(|read| read.screen.pairs).unwrap_or_default()
    }

    fn pair(key: &str, value: &str) -> (String, String) {
        (key.to_owned(), value.to_owned())
    }

    #[test]
    fn a_fragment_is_read_from_whatever_surrounds_it() {
        let expected = vec![pair("v", "1"), pair("mem", "80 GiB")];
        for text in [
            "v=1&mem=80 GiB",
            "#v=1&mem=80%20GiB",
            " https://example.org/shardwise/?embed=1#v=1&mem=80%20GiB\n",
            "v=1&amp;mem=80 GiB",
            "&&v=1&&MEM=80 GiB&",
            "v%3D1%26mem%3D80%20GiB",
        ] {
            let mut read = pairs(text);
            read.sort_by(|a, b| b.cmp(a));
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn nothing_is_nothing() {
        for text in ["", " ", "#", "https://example.org/shardwise/", "https://example.org/?embed=1#"] {
            assert!(parse_link(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_bad_escape_stays_as_it_is() {
        assert_eq!(percent_decoded("100%"), "100%");
        assert_eq!(percent_decoded("1e+12"), "1e+12");
        assert_eq!(percent_decoded("%zz%4"), "%zz%4");
        assert_eq!(percent_decoded("%C3%A9%ff"), "é\u{fffd}");
    }

    #[test]
    fn the_last_of_several_values_counts() {
        let read = parse_link("mem=40&mem=80&gpus=8&gpus=8").unwrap().screen;
        assert_eq!(read.value("mem"), Some("80"));
        assert!(read.is_ambiguous("mem") && !read.is_ambiguous("gpus"));
    }

    #[test]
    fn what_follows_a_pin_is_a_scenario_of_its_own() {
        let read = parse_link("gpus=8&pin=1&gpus=16&mem=&pin=2&pin=3&x=1&pin=4&gpus=9&nothing").unwrap();
        assert_eq!(read.screen.pairs, [pair("gpus", "8")]);
        assert_eq!(read.pins[0].pairs, [pair("gpus", "16")]);
        assert_eq!((read.pins[0].issues.len(), read.pins[1].pairs.len()), (1, 0));
        assert_eq!((read.pins[2].pairs.len(), read.pins.len(), read.pinned), (1, 3, 4));
    }
}
