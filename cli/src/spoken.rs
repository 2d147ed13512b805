//! Runs in natural language: `shardwise "llama 3.1 8b qlora on 2x4090, 8k"`.

use std::path::Path;

use analysis::plan::Question;
use catalog::default_scenario;
use catalog::names::model_named;
use files::brought::Account;
use sentence::{Assumed, Mark, NOTHING, Topic, Understood, understand};

use crate::table::lines;

/// Returns whether an argument is a link, JSON, a file or standard input, as opposed to a sentence
/// or a command.
pub(crate) fn is_input(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    text == "-" || text.contains(['#', '&', '{']) || first.contains('=') || Path::new(text).exists() || is_path(text)
}

/// Returns whether an argument is a sentence, as opposed to a file, a link or a command.
pub(crate) fn is_one(text: &str) -> bool {
    if text.trim().is_empty() || text.starts_with('-') || is_input(text) {
        return false;
    }
    let read = understand(text, &default_scenario());
    // No command has a blank or a letter beyond ASCII.
    if text.trim().contains(|sign: char| sign.is_whitespace() || !sign.is_ascii()) {
        true
    } else {
        read.is_anything() && read.unread.is_empty()
    }
}

/// Returns whether a text has the form of a file name.
fn is_path(text: &str) -> bool {
    let last = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let ends = ["yaml", "yml", "json", "toml", "py", "sh", "txt", "log", "ipynb", "csv", "svg", "png", "pickle"];
    last.rsplit_once('.').is_some_and(|(_, end)| ends.contains(&end.to_ascii_lowercase().as_str()))
}

/// A parsed sentence.
pub(crate) struct Spoken {
    text: String,
    /// Interpretation of the sentence.
    pub(crate) read: Understood,
}

impl Spoken {
    /// Parses a sentence. Words that are not understood and impossible values are refused unless
    /// `is_lenient` is set, as they may affect the answer.
    ///
    /// # Errors
    ///
    /// Returns the interpretation, with the words that were not understood.
    pub(crate) fn parse(text: &str, is_lenient: bool) -> Result<Self, String> {
        let spoken = Self { text: text.to_owned(), read: understand(text, &default_scenario()) };
        if !spoken.read.is_anything() {
            // The name of a model alone is no run.
            return Err(model_named(text).map_or_else(
                || NOTHING.to_owned(),
                |named| {
                    let name = named.entry.name;
                    format!("{name}: on which GPUs, and how trained? Say so, as in “{text} on 8xH100, 8k” or “{text} qlora on a 4090”.")
                },
            ));
        }
        if spoken.read.is_open() && !is_lenient {
            let hint = "Rephrase it, leave it out, or add --lenient to ignore it.";
            return Err(format!("{}{}{hint}", spoken.notes_text(), spoken.answers_text()));
        }
        if !spoken.read.compared.is_empty() && !is_lenient {
            return Err(spoken.compared_text());
        }
        Ok(spoken)
    }

    /// Returns assumptions, interpretations, contradictions and words that were not understood, one
    /// per line.
    pub(crate) fn notes_text(&self) -> String {
        let Self { text, read } = self;
        let marks = read.marks.iter().filter(|mark| mark.kind != Topic::Filler && !mark.means.is_empty());
        let marks = marks.map(|mark| {
            let taken = if mark.taken.is_empty() { String::new() } else { format!(" {}", mark.taken.join(" ")) };
            format!("“{}”: {}.{taken}", text.get(mark.from..mark.to).unwrap_or_default(), mark.means)
        });
        let assumed = read.assumed.iter().map(|assumed| format!("Assumed: {}", Assumed::sentence(assumed)));
        // A text without a model changes the first scenario of the page.
        let size = engine::format::params(read.scenario.model.size());
        let first = format!(
            "Assumed: Model: a GPT-style model of {size}, as the text has none; all else that it does not say is that of \
             the page's first scenario."
        );
        let assumed = (!read.is_new).then_some(first).into_iter().chain(assumed);
        let conflicts = read.conflicts.iter().cloned();
        let unread = read.unread.iter().map(|unread| unread.sentence.clone());
        let asked = read.asks.iter().map(|asks| format!("Asked for: {}.", asks.words()));
        let shown = read.shown.iter().map(|shown| shown.says.to_owned());
        lines(assumed.chain(marks).chain(asked).chain(shown).chain(conflicts).chain(unread))
    }

    /// Returns the lists of what was assumed, understood, passed over and not read.
    pub(crate) fn account(&self) -> Account {
        let Self { text, read } = self;
        let words = |mark: &Mark| text.get(mark.from..mark.to).unwrap_or_default().to_owned();
        let (ignored, known): (Vec<&Mark>, Vec<&Mark>) = read.marks.iter().partition(|mark| mark.kind == Topic::Filler);
        Account {
            assumed: read.assumed.iter().map(Assumed::sentence).collect(),
            understood: known.into_iter().map(|mark| format!("{}: {}", words(mark), mark.means)).collect(),
            ignored: ignored.into_iter().map(words).collect(),
            unread: read.unread.iter().map(|unread| unread.sentence.clone()).collect(),
        }
    }

    /// Returns the texts that answer the questions, one per line.
    fn answers_text(&self) -> String {
        let choices = self.read.unread.iter().flat_map(|unread| &unread.choices);
        let choices = choices.filter(|choice| !choice.text.is_empty());
        lines(choices.map(|choice| format!("For “{}”: shardwise {}", choice.label, quoted(&choice.text))))
    }

    /// Refuses a comparison, with a command for each of its runs.
    fn compared_text(&self) -> String {
        let Understood { scenario, compared, .. } = &self.read;
        let commands = core::iter::once(scenario).chain(compared);
        let commands = commands.map(|run| format!("shardwise estimate {}", quoted(&links::encode(run))));
        let first = "A command answers for one run. Compare these:".to_owned();
        let last = "Or add --lenient to answer for the first alone.".to_owned();
        lines(core::iter::once(first).chain(commands).chain([last]))
    }

    /// Returns the planning question with its limit, its clusters, and the tokens per step.
    pub(crate) fn question(&self) -> Option<(Question, Vec<String>, Option<f64>)> {
        let asks = self.read.asks.as_ref()?;
        Some((asks.question?, asks.clusters.iter().map(|id| (*id).to_owned()).collect(), asks.batch))
    }
}

/// Returns a text as an argument for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_and_a_question_are_refused_with_commands() {
        let refused = |text: &str| Spoken::parse(text, false).map(|_| ()).unwrap_err();
        let compared = refused("compare H100 with MI300X for 70B");
        assert!(compared.matches("shardwise estimate 'v=1&cluster=").count() == 2, "{compared}");
        let laptop = refused("phi-4 sft on my laptop 4060 8GB");
        assert!(laptop.contains("For “leave it out”: shardwise 'phi-4 sft on my'"), "{laptop}");
        assert!(Spoken::parse("compare H100 with MI300X for 70B", true).is_ok());
    }

    #[test]
    fn a_sentence_without_a_model_says_which_it_takes() {
        let notes = |text: &str| Spoken::parse(text, false).map(|spoken| spoken.notes_text()).unwrap_or_default();
        let assumed = "Assumed: Model: a GPT-style model of 13B, as the text has none";
        assert!(notes("64 H100, 8k").contains(assumed));
        // A size is said once.
        assert_eq!(notes("70B on 64 H100").matches("GPT-style").count(), 1);
        assert!(!notes("llama 3 8b on 64 H100").contains("GPT-style"));
    }
}
