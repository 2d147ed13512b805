//! A run in a person's own words: `shardwise "llama 3.1 8b qlora on 2x4090, 8k"`.

use std::path::Path;

use analysis::plan::Question;
use catalog::default_scenario;
use sentence::{Assumed, Kind, NOTHING, Understood, understand};

use crate::table::lines;

/// Whether an argument is a sentence, and neither a file, nor a link, nor a command.
pub(crate) fn is_one(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_link = text.contains(['#', '&', '{']) || first.contains('=');
    if text.trim().is_empty() || text.starts_with('-') || is_link || Path::new(text).exists() || is_path(text) {
        return false;
    }
    let read = understand(text, &default_scenario());
    if text.trim().contains(char::is_whitespace) { true } else { read.is_anything() && read.unread.is_empty() }
}

/// Whether a text is spelled as the name of a file that there is not.
fn is_path(text: &str) -> bool {
    let last = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let ends = ["yaml", "yml", "json", "toml", "py", "sh", "txt", "log", "ipynb", "csv", "svg", "png", "pickle"];
    last.rsplit_once('.').is_some_and(|(_, end)| ends.contains(&end.to_ascii_lowercase().as_str()))
}

/// A sentence that was read, for a command.
pub(crate) struct Spoken {
    text: String,
    /// What was understood.
    pub(crate) read: Understood,
}

impl Spoken {
    /// Reads a sentence. Words that nobody understood are refused, as they could decide, unless
    /// that is forgiven.
    ///
    /// # Errors
    ///
    /// Everything that was understood, and what was not.
    pub(crate) fn of(text: &str, is_lenient: bool) -> Result<Self, String> {
        let spoken = Self { text: text.to_owned(), read: understand(text, &default_scenario()) };
        if !spoken.read.is_anything() {
            return Err(NOTHING.to_owned());
        }
        if !spoken.read.unread.is_empty() && !is_lenient {
            let hint = "Say it in other words, leave it out, or say --lenient to go on without it.";
            return Err(format!("{}{hint}", spoken.said()));
        }
        Ok(spoken)
    }

    /// What was assumed, understood, contradicted and not understood, a line each.
    pub(crate) fn said(&self) -> String {
        let Self { text, read } = self;
        let marks = read.marks.iter().filter(|mark| mark.kind != Kind::Filler && !mark.means.is_empty());
        let marks = marks.map(|mark| {
            let taken = if mark.taken.is_empty() { String::new() } else { format!(" {}", mark.taken.join(" ")) };
            format!("“{}”: {}.{taken}", text.get(mark.from..mark.to).unwrap_or_default(), mark.means)
        });
        let assumed = read.assumed.iter().map(|assumed| format!("Assumed: {}", Assumed::sentence(assumed)));
        let conflicts = read.conflicts.iter().cloned();
        let unread = read.unread.iter().map(|unread| unread.sentence.clone());
        let asked = read.asks.iter().map(|asks| format!("Asked for: {}.", asks.words()));
        lines(assumed.chain(marks).chain(asked).chain(conflicts).chain(unread))
    }

    /// The question of a plan with its limit, the clusters that it is about, and the tokens of a
    /// step.
    pub(crate) fn question(&self) -> Option<(Question, Vec<String>, Option<f64>)> {
        let asks = self.read.asks.as_ref()?;
        Some((asks.question?, asks.clusters.iter().map(|id| (*id).to_owned()).collect(), asks.batch))
    }
}
