//! Parses a run in natural language: “llama 3.1 8b qlora on 2x4090, 8k”, “70B, 1T tokens, 30 days,
//! cheapest”.
//!
//! [`understand`] matches words with the catalog, the table of parameters and common names of
//! parameters ([`links::spelling`]); further terms of the field are rows of `data/sentence.toml`.
//! All assumptions are reported: missing values that affect the answer are
//! [`Understood::assumed`], and unknown text is [`Understood::unread`]. If a text contradicts
//! itself, the last value applies and [`Understood::conflicts`] reports the contradiction.

mod asks;
mod assumed;
mod entries;
mod means;
mod numbers;
mod patterns;
mod reading;
mod said;
mod settle;
mod tokens;
mod words;

use analysis::plan::SearchKind as PlanKind;
use engine::params::quantity::shorten;
use engine::params::{Group, ParamId};
use engine::scenario::Scenario;

pub use asks::Asks;
pub use assumed::Assumed;
use said::StatedValues;
use settle::SettledScenario;

/// Topic of a part of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// A model, or its size.
    Model,
    /// GPUs, nodes, their memory and their network.
    Gpu,
    /// A number of GPUs or nodes.
    Count,
    /// The length of sequences.
    Length,
    /// A micro-batch, gradient accumulation or a global batch.
    Batch,
    /// Trained part, objective and optimizer.
    Method,
    /// Number formats.
    Precision,
    /// Kernels and compilers.
    Kernel,
    /// Sharding, parallelism, recomputation, offloading.
    Layout,
    /// A training program or framework.
    Framework,
    /// Training data of the whole run.
    Tokens,
    /// The price of a GPU-hour.
    Price,
    /// A planning question.
    Question,
    /// Words without meaning for the run.
    Filler,
}

impl Topic {
    /// Returns the key of the kind, for styles and programs.
    ///
    /// ```
    /// assert_eq!(sentence::Topic::Model.key(), "model");
    /// ```
    pub const fn key(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Gpu => "gpu",
            Self::Count => "count",
            Self::Length => "length",
            Self::Batch => "batch",
            Self::Method => "method",
            Self::Precision => "precision",
            Self::Kernel => "kernel",
            Self::Layout => "layout",
            Self::Framework => "framework",
            Self::Tokens => "tokens",
            Self::Price => "price",
            Self::Question => "question",
            Self::Filler => "filler",
        }
    }

    /// Returns the kind of a parameter.
    fn from_param(id: ParamId) -> Self {
        match (id, id.param().group) {
            (ParamId::SequenceLength, _) | (_, Group::Data) => Self::Length,
            (ParamId::ModelSize, _) | (_, Group::Architecture) => Self::Model,
            (ParamId::Gpus, _) => Self::Count,
            (ParamId::MicroBatchSize | ParamId::GradAccumSteps, _) => Self::Batch,
            (ParamId::Framework, _) => Self::Framework,
            (ParamId::Recipe | ParamId::ComputeFormat | ParamId::BaseFormat, _) => Self::Precision,
            (ParamId::Optimizer, _) | (_, Group::Trained) => Self::Method,
            (ParamId::TrainingTokens, _) => Self::Tokens,
            (ParamId::GpuHourPrice, _) => Self::Price,
            (_, Group::Kernels) => Self::Kernel,
            (_, Group::Main | Group::Hardware | Group::Network) => Self::Gpu,
            _ => Self::Layout,
        }
    }
}

/// A part of a sentence with its interpretation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Offset of the first byte in the text.
    pub from: usize,
    /// Offset after the last byte.
    pub to: usize,
    /// Interpretation, in words; empty for a filler word.
    pub means: String,
    /// Topic of the part.
    pub kind: Topic,
    /// Notes on ambiguous or misspelled words, as sentences.
    pub taken: Vec<String>,
}

/// A part of a sentence that was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Offset of the first byte in the text.
    pub from: usize,
    /// Offset after the last byte.
    pub to: usize,
    /// Nearest known names and words, at most three.
    pub near: Vec<String>,
    /// Message about the part, as a sentence.
    pub sentence: String,
}

/// The interpretation of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Understood {
    /// Parts that were understood, in the order of the text.
    pub marks: Vec<Mark>,
    /// The scenario that the sentence describes.
    pub scenario: Scenario,
    /// Fragment of the scenario's link, without `#` ([`links::encode()`]).
    pub link: String,
    /// Whether the scenario is new, as the text names a model; otherwise the text changes the
    /// current scenario.
    pub is_new: bool,
    /// Planning question, if any.
    pub asks: Option<Asks>,
    /// Assumed values, the most influential first.
    pub assumed: Vec<Assumed>,
    /// Parts that were not understood.
    pub unread: Vec<Unread>,
    /// Keys of the stated values, which a search leaves as they are.
    pub held: Vec<&'static str>,
    /// Contradictory or impossible values, with the values that apply instead, as sentences.
    pub conflicts: Vec<String>,
}

/// Message for a text without any understood part.
pub const NOTHING: &str = "Nothing was understood. Name a model, GPUs and what is trained, as in “llama 3.1 8b qlora \
     on 2x4090, 8k”, “70B on 64 H100, zero-3, 8k” or “7B, 1T tokens, 30 days, cheapest”.";

impl Understood {
    /// Returns whether any part was understood. A text with only filler words does not count.
    ///
    /// ```
    /// use catalog::default_scenario;
    ///
    /// assert!(!sentence::understand("does it fit?", &default_scenario()).is_anything());
    /// ```
    pub fn is_anything(&self) -> bool {
        self.marks.iter().any(|mark| mark.kind != Topic::Filler)
    }
}

/// Parses a sentence. A sentence that names a model describes a new scenario; any other sentence
/// changes the scenario `now`. Parsing never fails: parts that were not understood are listed.
///
/// ```
/// use catalog::default_scenario;
/// use sentence::understand;
///
/// let read = understand("llama 3.1 8b qlora on 2x4090, 8k", &default_scenario());
/// assert_eq!(read.marks[0].means, "Llama 3.1 8B");
/// assert_eq!((read.scenario.gpus, read.scenario.seq_len), (2, 8192));
/// assert!(read.unread.is_empty() && read.conflicts.is_empty());
/// ```
pub fn understand(text: &str, now: &Scenario) -> Understood {
    let mut reading = reading::read_sentence(text);
    reading.refuse_several_gpus();
    reading.refuse_unknown_cards(text);
    let (said, mut conflicts) = StatedValues::collect(text, &reading.found);
    let mut notes = asks::Notes::default();
    let mut asks = asks::find_question(&said, &mut notes);
    conflicts.append(&mut notes.conflicts);
    let seeks = asks.as_ref().is_some_and(|asks| asks.question.is_none());
    let plans = asks.as_ref().is_some_and(|asks| {
        asks.question.is_some_and(|question| question.kind() == PlanKind::Runs || is_of_own(question))
    });
    let mut settled = SettledScenario::build(text, &said, now, seeks, plans);
    conflicts.append(&mut settled.conflicts);
    if let Some(asks) = asks.as_mut() {
        asks.clusters = asks.clusters_of(&said, &settled.scenario);
        let of_sequences = said.number("batch").map(|number| number * f64::from(settled.scenario.seq_len));
        asks.batch = said.number("batchtokens").or(of_sequences);
    }
    let assumed = assumed::list_assumptions(&said, &settled, asks.as_ref(), &notes, &reading.found);
    let is_refused = |found: &&reading::Finding| found.is.pairs.iter().any(|(key, _)| key == "refuse");
    let mut unread: Vec<Unread> = reading.found.iter().filter(is_refused).map(|found| refused(text, found)).collect();
    let asks_for = |found: &reading::Finding| found.is.pairs.iter().any(|(key, _)| key.starts_with("ask."));
    let is_unanswered = |found: &reading::Finding| notes.unanswered.is_some() && asks_for(found);
    unread.extend(reading.found.iter().filter(|found| is_unanswered(found)).map(|found| {
        let typed = shorten(text.get(found.from..found.to).unwrap_or_default());
        let says = notes.unanswered.as_deref().filter(|_| found.is.pairs.iter().any(|(key, _)| key == "ask.question"));
        let sentence = format!("“{typed}” {}.", says.unwrap_or("limits no answer"));
        Unread { from: found.from, to: found.to, near: Vec::new(), sentence }
    }));
    unread.extend(reading.gaps.into_iter().map(|gap| {
        let sentence = gap.sentence(text);
        Unread { from: gap.from, to: gap.to, near: gap.near, sentence }
    }));
    unread.sort_by_key(|unread| unread.from);
    let is_read = |found: &&reading::Finding| !is_refused(found) && !is_unanswered(found);
    let of_found = reading.found.iter().filter(is_read).map(|found| Mark {
        from: found.from,
        to: found.to,
        means: means::describe_pairs(&found.is.pairs),
        kind: found.is.kind,
        taken: found.is.notes.clone(),
    });
    let fillers = reading.fillers.iter().map(|(from, to)| Mark {
        from: *from,
        to: *to,
        means: String::new(),
        kind: Topic::Filler,
        taken: Vec::new(),
    });
    let mut marks: Vec<Mark> = of_found.chain(fillers).collect();
    marks.sort_by_key(|mark| mark.from);
    let link = links::encode(&settled.scenario);
    let SettledScenario { scenario, is_new, held, .. } = settled;
    Understood { marks, scenario, link, is_new, asks, assumed, unread, held, conflicts }
}

/// Returns whether a question is about the scenario's own GPUs and chooses the layout.
fn is_of_own(question: analysis::plan::Question) -> bool {
    matches!(question.kind(), PlanKind::Contexts | PlanKind::Models | PlanKind::Batches)
}

/// Reports an amount in a currency other than US dollars, one of several GPUs, or a memory that no
/// GPU has.
fn refused(text: &str, found: &reading::Finding) -> Unread {
    let typed = shorten(text.get(found.from..found.to).unwrap_or_default());
    let says = match found.is.pairs.first().map(|(_, value)| value.as_str()) {
        Some(reading::SEVERAL) => {
            "is one of several GPUs, and a run has one: name one, and pin its result to compare others"
        }
        Some(reading::NO_CARD) => "is the memory of no GPU that is known: name the GPU",
        _ => "is not in US dollars: give the amount in dollars",
    };
    let sentence = format!("“{typed}” {says}.");
    Unread { from: found.from, to: found.to, near: Vec::new(), sentence }
}
