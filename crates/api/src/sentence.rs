//! Parses a run in natural language.

use engine::json::compact;
use engine::scenario::Scenario;
use engine::scenario::issue::Cause;
use export::report_json::report_json;
use files::brought::{Marked, marks, units};
use sentence::Asks;
use serde::Serialize;
use serde_json::Value;

use crate::given::{Code, Reading};
use crate::{Open, Read, Refusal};

/// The interpretation of a sentence, for JSON. Positions are in UTF-16 code units.
#[derive(Serialize)]
struct Answered {
    text: String,
    understood: Vec<Marked>,
    assumed: Vec<Assumed>,
    unread: Vec<Unread>,
    conflicts: Vec<String>,
    asks: Option<QuestionJson>,
    shown: Option<Shown>,
    link: String,
    compared: Vec<String>,
    is_new: bool,
    is_open: bool,
    report: Value,
}

#[derive(Serialize)]
struct Assumed {
    key: &'static str,
    label: &'static str,
    value: String,
    why: String,
    sentence: String,
}

#[derive(Serialize)]
struct Unread {
    from: usize,
    to: usize,
    text: String,
    near: Vec<String>,
    sentence: String,
    choices: Vec<Choice>,
}

#[derive(Serialize)]
struct Choice {
    label: String,
    text: String,
}

#[derive(Serialize)]
struct Shown {
    query: &'static str,
    says: &'static str,
}

#[derive(Serialize)]
struct QuestionJson {
    question: Option<&'static str>,
    words: String,
    clusters: Vec<&'static str>,
    batch_tokens: Option<f64>,
    query: Option<String>,
}

impl From<&Asks> for QuestionJson {
    fn from(asks: &Asks) -> Self {
        let question = asks.question.map(analysis::plan::Question::key);
        Self {
            question,
            words: asks.words(),
            clusters: asks.clusters.clone(),
            batch_tokens: asks.batch,
            query: asks.query(),
        }
    }
}

/// Parses a sentence for the scenario of a link and returns JSON: the parts of the text that were
/// `understood`, `assumed` and `unread`, `conflicts`, the planning question that it `asks`, the
/// `link` of the resulting scenario, links of the other runs of a comparison (`compared`), the
/// view of the page that answers (`shown`), whether a question `is_open`, and the `report` of the
/// scenario as in [`crate::estimate`].
///
/// # Errors
///
/// Returns a sentence with examples if nothing was understood.
///
/// ```
/// let json = api::sentence::understand("llama 3.1 8b qlora on 2x4090, 8k", "").unwrap();
/// assert!(json.contains("\"means\":\"Llama 3.1 8B\""));
/// assert!(api::sentence::understand("does it fit?", "").is_err());
/// ```
pub fn understand(text: &str, link: &str) -> Result<String, Refusal> {
    let now: Scenario = links::decode(link).scenario;
    let read = sentence::understand(text, &now);
    if !read.is_anything() {
        return Err(Refusal::new(Code::Unreadable, sentence::NOTHING));
    }
    let assumed = read.assumed.iter().map(|assumed| Assumed {
        key: assumed.key,
        label: assumed.label,
        value: assumed.value.clone(),
        why: assumed.why.clone(),
        sentence: assumed.sentence(),
    });
    let unread = read.unread.iter().map(|unread| Unread {
        from: units(text, unread.from),
        to: units(text, unread.to),
        text: text.get(unread.from..unread.to).unwrap_or_default().to_owned(),
        near: unread.near.clone(),
        sentence: unread.sentence.clone(),
        choices: unread
            .choices
            .iter()
            .map(|choice| Choice { label: choice.label.clone(), text: choice.text.clone() })
            .collect(),
    });
    let issues = engine::validate::issues(&read.scenario);
    let answered = Answered {
        text: text.to_owned(),
        understood: marks(text, &read),
        assumed: assumed.collect(),
        unread: unread.collect(),
        conflicts: read.conflicts.clone(),
        asks: read.asks.as_ref().map(QuestionJson::from),
        shown: read.shown.map(|shown| Shown { query: shown.query, says: shown.says }),
        link: read.link.clone(),
        compared: read.compared.iter().map(links::encode).collect(),
        is_open: read.is_open(),
        is_new: read.is_new,
        report: report_json(&read.scenario, &read.scenario.report(), &issues),
    };
    // A value with text keys and finite numbers always serializes.
    Ok(compact(&serde_json::to_value(&answered).unwrap_or_default()))
}

/// A sentence that was read strictly.
#[derive(Clone, Debug)]
pub struct Strict {
    /// The scenario that it describes.
    pub read: Read,
    /// Values that the sentence does not say and that do not decide, each in a sentence.
    pub assumed: Vec<String>,
    /// The planning question, if it has one.
    pub asks: Option<Asks>,
    /// Keys of the values that it states, for a search to hold.
    pub held: Vec<String>,
}

/// Reads a sentence about one run strictly: every word must be understood, and the model, the
/// number of GPUs and the length must be said where they decide whether the run fits.
///
/// # Errors
///
/// Returns a refusal for parts that were not understood, for impossible values and for a comparison
/// of several runs, and questions for what decides and is missing.
///
/// ```
/// use api::sentence::strict;
///
/// assert!(strict("llama 3.1 8b qlora on 2x4090, 8k").is_ok());
/// assert!(strict("llama 3.1 8b qlora on 2x4090, mbs 2").unwrap_err().message.contains("How long"));
/// assert!(strict("64 H100, 8k").unwrap_err().message.contains("Which model?"));
/// ```
pub fn strict(text: &str) -> Result<Strict, Refusal> {
    let said = sentence::understand(text, &catalog::default_scenario());
    if !said.is_anything() {
        return Err(Refusal::new(Code::Unreadable, sentence::NOTHING));
    }
    if said.is_open() {
        let unread = said.unread.iter().map(|unread| {
            let choices: Vec<&str> = unread.choices.iter().map(|choice| choice.label.as_str()).collect();
            let choices = if choices.is_empty() { String::new() } else { format!(" ({})", choices.join("; ")) };
            format!("{}{choices}", unread.sentence)
        });
        let problems: Vec<String> = unread.chain(said.conflicts.iter().cloned()).collect();
        return Err(Refusal::new(Code::Unreadable, problems.join(" ")));
    }
    if !said.compared.is_empty() {
        let links = core::iter::once(&said.scenario).chain(&said.compared).map(links::encode).collect::<Vec<_>>();
        let message = format!("This compares {} runs. Ask for each of them: {}", links.len(), links.join(" , "));
        return Err(Refusal::new(Code::InvalidValue, message));
    }
    let is_assumed = |key: &str| said.assumed.iter().any(|assumed| assumed.key == key);
    let asks_a_plan = said.asks.as_ref().is_some_and(|asks| asks.question.is_some());
    let mut read = Read::parse(&said.link);
    read.finish();
    crate::given::refuse(&read.issues)?;
    read.stated.model = said.is_new;
    read.stated.gpus = asks_a_plan || !is_assumed("gpus");
    read.stated.length = asks_a_plan || !is_assumed("seq");
    read.open(&[Open::Model, Open::Gpus, Open::Length], Reading::Strict)?;
    // What was assumed stands in the list of the sentence.
    read.issues.retain(|issue| issue.cause != Cause::Assumed);
    Ok(Strict {
        read,
        assumed: said.assumed.iter().map(sentence::Assumed::sentence).collect(),
        asks: said.asks,
        held: said.held.iter().map(|key| (*key).to_owned()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_answered_with_what_was_understood_of_it() {
        let json = understand("🚀 70B, 1T tokens, 30 days, hyperdrive, cheapest", "").expect("understood");
        let read: Value = serde_json::from_str(&json).expect("JSON");
        let first = &read["understood"][0];
        assert_eq!((first["from"].as_u64(), first["text"].as_str()), (Some(3), Some("70B")));
        assert_eq!(read["asks"]["query"], "?plan=cheapest&days=30");
        assert_eq!(read["unread"][0]["text"], "hyperdrive");
        assert!(read["report"].is_object() && read["assumed"].as_array().is_some_and(|assumed| !assumed.is_empty()));
        // A sentence without a model changes the current scenario.
        let changed = understand("use 16 GPUs", "v=1&cluster=dgx-h100&model=llama-3-8b&gpus=8").expect("understood");
        assert!(changed.contains("model=llama-3-8b&gpus=16"), "{changed}");
        // The report equals that of an estimate, number by number.
        let link = read["link"].as_str().expect("a link");
        let report = crate::estimate(&crate::Given { text: link, ..crate::Given::default() }).expect("a report");
        assert!(json.contains(&report), "{json}\n{report}");
        let nothing = understand("does it fit?", "").expect_err("nothing");
        assert!(nothing.message.contains("llama 3.1 8b qlora on 2x4090, 8k"));
    }
}
