//! A run in a person's own words: “llama 3.1 8b qlora on 2x4090, 8k”, “70B, 1T tokens, 30 days,
//! cheapest”.
//!
//! [`understand`] reads words over the catalog, the table of parameters and the names that people
//! know ([`links::spelling`]); what else the field says are rows of data. Nothing is
//! guessed silently: what was not said and decides is [`Understood::assumed`], what nobody
//! understood is [`Understood::unread`], and where a text contradicts itself the last value counts
//! and [`Understood::conflicts`] says so.

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

use analysis::plan::Kind as PlanKind;
use engine::params::{Group, ParamId};
use engine::scenario::Scenario;

pub use asks::Asks;
pub use assumed::Assumed;
use said::Said;
use settle::Settled;

/// What a part of a sentence is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A model, or its size.
    Model,
    /// GPUs, nodes, their memory and their network.
    Gpu,
    /// A number of GPUs or nodes.
    Count,
    /// The length of sequences.
    Length,
    /// A micro-batch, gradient accumulation, a global batch.
    Batch,
    /// What is trained, for what, with which optimizer.
    Method,
    /// Number formats.
    Precision,
    /// Kernels and compilers.
    Kernel,
    /// Sharding, parallelism, recomputation, offloading.
    Layout,
    /// A training program or framework.
    Framework,
    /// The data of the whole run.
    Tokens,
    /// The price of a GPU-hour.
    Price,
    /// What is asked backwards.
    Question,
    /// Words that carry nothing.
    Filler,
}

impl Kind {
    /// Returns its name, for styles and programs.
    ///
    /// ```
    /// assert_eq!(sentence::Kind::Model.key(), "model");
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

    /// The kind of a parameter.
    fn of(id: ParamId) -> Self {
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

/// A part of a sentence, with what it was taken for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The first byte in the text.
    pub from: usize,
    /// The byte after the last.
    pub to: usize,
    /// What it was taken for, in words; empty for a word that carries nothing.
    pub means: String,
    /// What it is about.
    pub kind: Kind,
    /// What was taken for what, where the text leaves it open or is misspelt: sentences.
    pub taken: Vec<String>,
}

/// A part of a sentence that nobody understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The first byte in the text.
    pub from: usize,
    /// The byte after the last.
    pub to: usize,
    /// The nearest names and words that are known, at most three.
    pub near: Vec<String>,
    /// What to say of it: a sentence.
    pub sentence: String,
}

/// A sentence that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Understood {
    /// The parts that were understood, in the order of the text.
    pub marks: Vec<Mark>,
    /// The scenario that it describes.
    pub scenario: Scenario,
    /// The fragment of its link, without `#` ([`links::encode()`]).
    pub link: String,
    /// Whether the scenario starts afresh, as the text names a model; else it changes the one at
    /// hand.
    pub is_new: bool,
    /// What is asked backwards.
    pub asks: Option<Asks>,
    /// What decides the answer and was not said, what decides most first.
    pub assumed: Vec<Assumed>,
    /// What nobody understood.
    pub unread: Vec<Unread>,
    /// What contradicts itself or cannot be, and what counts instead: sentences.
    pub conflicts: Vec<String>,
}

/// What to say of a text of which nothing was understood.
pub const NOTHING: &str = "Nothing of this was understood. Name a model, GPUs and what is trained, as in “llama 3.1 8b qlora on 2x4090, 8k”, \
     “70B on 64 H100, zero-3, 8k” or “7B, 1T tokens, 30 days, cheapest”.";

impl Understood {
    /// Whether anything was understood: a text of fillers alone says nothing.
    ///
    /// ```
    /// use catalog::default_scenario;
    ///
    /// assert!(!sentence::understand("does it fit?", &default_scenario()).is_anything());
    /// ```
    pub fn is_anything(&self) -> bool {
        self.marks.iter().any(|mark| mark.kind != Kind::Filler)
    }
}

/// Reads a sentence beside a scenario: one that names a model starts afresh, another changes the
/// scenario at hand. Any text is read, and none fails: what was not understood is listed.
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
    let reading = reading::read(text);
    let (said, mut conflicts) = Said::of(text, &reading.found);
    let mut notes = asks::Notes::default();
    let mut asks = asks::of(&said, &mut notes);
    conflicts.append(&mut notes.conflicts);
    let seeks = asks.as_ref().is_some_and(|asks| asks.question.is_none());
    let plans = asks.as_ref().is_some_and(|asks| {
        asks.question.is_some_and(|question| question.kind() == PlanKind::Runs || is_of_own(question))
    });
    let mut settled = Settled::of(text, &said, now, seeks, plans);
    conflicts.append(&mut settled.conflicts);
    if let Some(asks) = asks.as_mut().filter(|asks| asks.chooses_hardware() && said.has(&["hw", "cluster", "card"])) {
        asks.clusters = catalog::cluster(settled.scenario.network.id).map(|entry| entry.id).into_iter().collect();
    }
    if let Some(asks) = asks.as_mut() {
        let of_sequences = said.number("batch").map(|number| number * f64::from(settled.scenario.seq_len));
        asks.batch = said.number("batchtokens").or(of_sequences);
    }
    let assumed = assumed::of(&said, &settled, asks.as_ref(), &notes, &reading.found);
    let is_refused = |found: &&reading::Finding| found.is.pairs.iter().any(|(key, _)| key == "refuse");
    let mut unread: Vec<Unread> = reading.found.iter().filter(is_refused).map(|found| refused(text, found)).collect();
    unread.extend(reading.gaps.into_iter().map(|gap| {
        let sentence = gap.sentence(text);
        Unread { from: gap.from, to: gap.to, near: gap.near, sentence }
    }));
    unread.sort_by_key(|unread| unread.from);
    let of_found = reading.found.iter().filter(|found| !is_refused(found)).map(|found| Mark {
        from: found.from,
        to: found.to,
        means: means::of(&found.is.pairs),
        kind: found.is.kind,
        taken: found.is.notes.clone(),
    });
    let fillers = reading.fillers.iter().map(|(from, to)| Mark {
        from: *from,
        to: *to,
        means: String::new(),
        kind: Kind::Filler,
        taken: Vec::new(),
    });
    let mut marks: Vec<Mark> = of_found.chain(fillers).collect();
    marks.sort_by_key(|mark| mark.from);
    let link = links::encode(&settled.scenario);
    Understood { marks, scenario: settled.scenario, link, is_new: settled.is_new, asks, assumed, unread, conflicts }
}

/// Whether a question is about the scenario's own GPUs, and chooses the layout.
fn is_of_own(question: analysis::plan::Question) -> bool {
    matches!(question.kind(), PlanKind::Contexts | PlanKind::Models | PlanKind::Batches)
}

/// An amount that is read by no price.
fn refused(text: &str, found: &reading::Finding) -> Unread {
    let typed = engine::params::quantity::shorten(text.get(found.from..found.to).unwrap_or_default());
    let sentence = format!("“{typed}” is not in US dollars, in which prices are: give the amount in dollars.");
    Unread { from: found.from, to: found.to, near: Vec::new(), sentence }
}
