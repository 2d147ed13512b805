//! Parses a run in natural language: “llama 3.1 8b qlora on 2x4090, 8k”, “70B, 1T tokens, 30 days,
//! cheapest”.
//!
//! [`understand`] matches words with the catalog, the table of parameters and common names of
//! parameters ([`links::spelling`]); further terms of the field are rows of `data/sentence.toml`.
//! All assumptions are reported: missing values that affect the answer are
//! [`Understood::assumed`], and unknown text is [`Understood::unread`]. If a text contradicts
//! itself, [`Understood::unread`] asks which part counts.

mod asks;
mod assumed;
mod choices;
mod compare;
mod completed;
mod depends;
mod entries;
mod finding;
mod joins;
mod means;
mod members;
mod numbers;
mod passed;
mod patterns;
mod reading;
mod said;
mod settle;
mod sized;
mod tokens;
mod turns;
mod words;

use analysis::plan::SearchKind as PlanKind;
use catalog::accelerator;
use catalog::names::usual_node;
use engine::params::quantity::shorten;
use engine::params::{Group, ParamId};
use engine::scenario::Scenario;

pub use asks::{Asks, Shown};
pub use assumed::Assumed;
pub use choices::Choice;
use finding::Finding;
use said::{Contradiction, StatedValues};
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
    /// Answers, at most three: each is another text.
    pub choices: Vec<Choice>,
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
    /// The view of the page that answers the question, if no plan does.
    pub shown: Option<Shown>,
    /// The other runs of a comparison of GPUs; the scenario is the first.
    pub compared: Vec<Scenario>,
    /// Assumed values, the most influential first.
    pub assumed: Vec<Assumed>,
    /// Parts that were not understood.
    pub unread: Vec<Unread>,
    /// Keys of the stated values, which a search leaves as they are.
    pub held: Vec<&'static str>,
    /// Impossible values, with the values that apply instead, as sentences.
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

    /// Returns whether a question is open: a part was not understood, or a value is impossible. The
    /// scenario is then not the one that the sentence describes.
    ///
    /// ```
    /// use catalog::default_scenario;
    ///
    /// assert!(sentence::understand("3b model, 3050 6GB, lora", &default_scenario()).is_open());
    /// assert!(!sentence::understand("3b model, 3060 12GB, lora", &default_scenario()).is_open());
    /// ```
    pub fn is_open(&self) -> bool {
        !self.unread.is_empty() || !self.conflicts.is_empty()
    }
}

/// Reads a text, and refuses the parts that would be another run.
fn read(text: &str) -> reading::Reading {
    let mut reading = reading::read_sentence(text);
    reading.sizes_without_tokens(text);
    reading.complete_gpus(text);
    reading.refuse_several_gpus(text);
    reading.refuse_cards_of_laptops(text);
    reading.refuse_unknown_cards(text);
    reading.name_unknown_devices(text);
    reading.count_machines();
    reading.add_prompts_to_completions();
    reading.refuse_other_comparisons(text);
    reading.refuse_distillation_without_teacher();
    reading
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
    let mut reading = read(text);
    let (clouds, passed) = (reading.pass_over_clouds(text), reading.pass_over(text));
    let runs = compare::fitting_runs(text, &reading.found, now);
    let own = runs.first().unwrap_or(&reading.found);
    let (said, contradictions) = StatedValues::collect(text, own);
    let mut notes = asks::Notes::default();
    let mut asks = asks::find_question(&said, &mut notes);
    let seeks = asks.as_ref().is_some_and(|asks| asks.question.is_none());
    let plans = asks.as_ref().is_some_and(|asks| {
        asks.question.is_some_and(|question| question.kind() == PlanKind::Runs || is_of_own(question))
    });
    let mut settled = SettledScenario::build(text, &said, now, seeks, plans, !runs.is_empty());
    let conflicts = core::mem::take(&mut settled.conflicts);
    if let Some(asks) = asks.as_mut() {
        asks.clusters = asks.clusters_of(&said, &settled.scenario);
        asks.gpu = catalog::accelerator(settled.scenario.accelerator.id)
            .map(|entry| entry.id)
            .filter(|_| !asks.clusters.is_empty());
        let of_sequences = said.number("batch").map(|number| number * f64::from(settled.scenario.seq_len));
        asks.batch = said.number("batchtokens").or(of_sequences);
    }
    let compared = compare::others(text, &runs, now);
    let mut assumed = assumed::list_assumptions(&said, &settled, asks.as_ref(), &notes, own);
    if !compared.is_empty() {
        let all: Vec<Scenario> = core::iter::once(settled.scenario).chain(compared.iter().copied()).collect();
        let is_equal = said.has(&["ask.money"]);
        assumed.retain(|assumed| assumed.key != "gpus");
        let has_number = |found: &Finding| found.value(&["gpus", "nodes", "cores"]).is_some();
        let are_said = reading.found.iter().filter(|found| finding::gpu_of(found).is_some()).all(has_number);
        if is_equal || !are_said {
            assumed.insert(0, assumed::of_comparison(&compare::described(&all, is_equal), is_equal));
        }
    }
    assumed.splice(0..0, assumed::of_passed(&clouds, &passed));
    let is_refused = |found: &&Finding| found.is.pairs.iter().any(|(key, _)| key == "refuse");
    let mut unread: Vec<Unread> =
        reading.found.iter().filter(is_refused).map(|found| refused(text, found, &reading.found)).collect();
    let asks_for = |found: &Finding| found.is.pairs.iter().any(|(key, _)| key.starts_with("ask."));
    let is_unanswered = |found: &Finding| notes.unanswered.is_some() && asks_for(found);
    unread.extend(reading.found.iter().filter(|found| is_unanswered(found)).map(|found| {
        let typed = shorten(text.get(found.from..found.to).unwrap_or_default());
        let says = notes.unanswered.as_deref().filter(|_| found.is.pairs.iter().any(|(key, _)| key == "ask.question"));
        let sentence = format!("“{typed}” {}.", says.unwrap_or("limits no answer"));
        let choices = vec![Choice::without(text, found.from, found.to)];
        Unread { from: found.from, to: found.to, near: Vec::new(), sentence, choices }
    }));
    let differing = core::mem::take(&mut settled.differing);
    unread.extend(reading.found.iter().filter_map(|found| differs(text, found, &differing)));
    unread.extend(reading.gaps.into_iter().map(|gap| {
        let sentence = gap.sentence(text);
        let choices = choices::about(text, gap.from, gap.to, &gap.near);
        Unread { from: gap.from, to: gap.to, near: gap.near, sentence, choices }
    }));
    unread.extend(contradictions.iter().map(|contradiction| contradicted(text, contradiction)));
    let chooses = asks.as_ref().is_some_and(asks::Asks::chooses_hardware);
    let is_alone = settled.is_new && compared.is_empty() && unread.is_empty() && !chooses;
    if is_alone && !said.has(&HARDWARE) && !asks::is_largest_for_money(&said) {
        unread.extend(without_gpu(text, &reading.found, said.has(&["gpus", "nodes"])));
    }
    unread.sort_by_key(|unread| unread.from);
    if settled.is_new && asks.is_none() && compared.is_empty() && unread.is_empty() && conflicts.is_empty() {
        let turns = turns::turns(&said, &settled.scenario);
        if !turns.is_empty() {
            assumed.insert(0, assumed::of_turns(turns));
        }
    }
    let is_in_unread = |found: &Finding| unread.iter().any(|unread| unread.from < found.to && found.from < unread.to);
    let is_read = |found: &&Finding| !is_refused(found) && !is_unanswered(found) && !is_in_unread(found);
    let counts = |pair: &&(String, String)| !settled.dropped.contains(&pair.0.as_str());
    let means =
        |found: &Finding| means::describe_pairs(&found.is.pairs.iter().filter(counts).cloned().collect::<Vec<_>>());
    let of_found = reading.found.iter().filter(is_read).map(|found| Mark {
        from: found.from,
        to: found.to,
        means: means(found),
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
    let shown = asks::find_view(&said);
    Understood { marks, scenario, link, is_new, asks, shown, compared, assumed, unread, held, conflicts }
}

/// Returns whether a question is about the scenario's own GPUs and chooses the layout.
fn is_of_own(question: analysis::plan::Question) -> bool {
    matches!(question.kind(), PlanKind::Contexts | PlanKind::Models | PlanKind::Batches)
}

/// Keys of which one says on which GPUs a run is, or asks for them.
const HARDWARE: [&str; 7] = ["hw", "cluster", "card", "gpu", "mem", "cores", "ask.smallest"];
/// GPUs that the question after a text without any offers, each with a number for a text without.
const OFFERED: [(&str, &str); 3] = [("8x ", "H100"), ("8x ", "A100 80 GB"), ("1x ", "RTX 4090")];

/// Asks for the GPUs of a text that names a model and no GPU.
fn without_gpu(text: &str, found: &[Finding], has_number: bool) -> Option<Unread> {
    let model = found.iter().find(|found| found.value(&["model", "size"]).is_some())?;
    let typed = shorten(text.get(model.from..model.to).unwrap_or_default());
    let sentence = format!("The text names no GPU for “{typed}”: say which, and how many.");
    let start = text.trim_end().trim_end_matches(['?', '.', '!']);
    let choice = |(number, gpu): (&str, &str)| {
        let number = if has_number { "" } else { number };
        Choice { label: format!("{number}{gpu}"), text: format!("{start}, {number}{gpu}") }
    };
    let choices = OFFERED.map(choice).to_vec();
    Some(Unread { from: model.from, to: model.to, near: Vec::new(), sentence, choices })
}

/// Asks which of two parts counts, where they contradict each other.
fn contradicted(text: &str, contradiction: &Contradiction) -> Unread {
    let Contradiction { sentence, kept, dropped } = contradiction;
    let keep = |own: (usize, usize), other: (usize, usize)| Choice {
        label: shorten(text.get(own.0..own.1).unwrap_or_default()),
        text: Choice::without(text, other.0, other.1).text,
    };
    let choices = vec![keep(*kept, *dropped), keep(*dropped, *kept)];
    Unread { from: dropped.0, to: dropped.1, near: Vec::new(), sentence: sentence.clone(), choices }
}

/// Asks about a part that the scenario does not have as the text says: links that its GPUs lack.
fn differs(text: &str, found: &Finding, differing: &[(&'static str, String)]) -> Option<Unread> {
    let (_, says) = differing.iter().find(|(key, _)| found.value(&[key]).is_some())?;
    let typed = text.get(found.from..found.to).unwrap_or_default();
    let (from, to) = (found.from, found.to);
    let leave = Choice::without(text, from, to);
    let with_rate = |rate: &str| Choice::instead(text, (from, to), rate, &format!("InfiniBand {rate}"));
    let choices = match found.value(&[joins::INFINIBAND]) {
        Some(_) => joins::RATES.map(with_rate).into_iter().chain([leave]).collect(),
        None => vec![leave],
    };
    Some(Unread { from, to, near: Vec::new(), sentence: format!("“{}” {says}.", shorten(typed)), choices })
}

/// Most GPUs of a machine, and the usual number.
const MOST_OF_A_MACHINE: u32 = 16;
const USUAL_OF_A_MACHINE: u32 = 8;

/// Returns the name of the GPU of a part.
fn gpu_name(found: &Finding) -> &'static str {
    finding::gpu_of(found).and_then(|id| accelerator(&id)).map_or("", |entry| entry.name)
}

/// Reports an amount in a currency other than US dollars, one of several GPUs, or a memory that is
/// not that of the GPU.
fn refused(text: &str, found: &Finding, all: &[Finding]) -> Unread {
    let typed = text.get(found.from..found.to).unwrap_or_default();
    let span = (found.from, found.to);
    let reason = |found: &Finding| found.is.pairs.first().map(|(_, value)| value.clone());
    let own = reason(found);
    let leave = Choice::without(text, found.from, found.to);
    let (says, choices) = match own.as_deref() {
        Some(reading::SEVERAL) => {
            // From the last, so that the places before it stay.
            let others = all.iter().rev().filter(|other| reason(other) == own && other.from != found.from);
            let alone = others.fold(text.to_owned(), |text, other| Choice::without(&text, other.from, other.to).text);
            let only = Choice { label: format!("only {}", shorten(typed)), text: alone };
            let compare = Choice { label: "compare them".to_owned(), text: format!("compare {text}") };
            ("is one of several GPUs, and a run has one", vec![only, compare])
        }
        Some(reading::NO_COMPARISON) => {
            ("compares more than GPUs: say one of the runs, pin its result, and say the other", vec![leave])
        }
        Some(reading::NO_TEACHER) => {
            ("needs a teacher and a student: say “distill Llama 3.1 70B into Llama 3.1 8B”", vec![leave])
        }
        Some(reading::NO_CARD) => ("is the memory of no GPU that is known: name the GPU", vec![leave]),
        Some(reading::OTHER_MEMORY) => {
            let of_host = Choice::instead(text, span, "of the host", &format!("{typed} host memory"));
            let of_each = Choice::instead(text, span, "of each GPU", &format!("{typed} vram"));
            ("is not the memory of this GPU", vec![of_host, of_each, leave])
        }
        Some(reading::MACHINES) => {
            let gpu = gpu_name(found);
            let number = found.value(&["nodes"]).unwrap_or_default();
            let node = finding::gpu_of(found).and_then(|id| usual_node(&id));
            // Racks are no machines.
            let each = node.map(|node| node.gpus_per_node).filter(|each| *each <= MOST_OF_A_MACHINE);
            let nodes = means::counted(number, "node");
            let of_machines = format!("{nodes} of {} {gpu}", each.unwrap_or(USUAL_OF_A_MACHINE));
            let of_gpus = format!("{number}x {gpu}");
            let choices = [of_machines, of_gpus].map(|words| Choice::as_words(text, span, &words, &words));
            ("may count machines or GPUs: say which", choices.to_vec())
        }
        Some(reading::BOUND) => {
            let number = typed.find(|sign: char| sign.is_ascii_digit()).and_then(|at| typed.get(at..));
            let number = number.map(|words| Choice::as_words(text, span, words, words));
            ("is no number: say how many", number.into_iter().chain([leave]).collect())
        }
        Some(reading::GRADE) => {
            let own = Choice::as_words(text, span, "Ascend 910B, 376 TFLOP/s", "Ascend 910B");
            ("is a grade of the Ascend 910B that the list of GPUs lacks: its card has 376 TFLOP/s", vec![own, leave])
        }
        Some(reading::LAPTOP) => {
            let gpu = gpu_name(found);
            let desktop = Choice::as_words(text, span, &format!("a desktop's {gpu}"), gpu);
            (
                "is not in the list of GPUs: the cards of laptops are other cards than their names say",
                vec![desktop, leave],
            )
        }
        Some(reading::TOKENS) => ("is not answered: name the tokens, and the plan finds time and cost", vec![leave]),
        Some(reading::GPU_HOURS) => {
            ("is a budget in hours of a GPU: give it in dollars, or name a number of GPUs and days", vec![leave])
        }
        Some(reading::COMPLETION) => {
            ("is the length of completions alone: say that of the prompt, too, as in “1k prompt”", vec![leave])
        }
        Some(reading::CLOSED) => ("has no published shape: name an open model, or a size, such as “70B”", vec![leave]),
        Some(reading::UTILIZATION) => ("is not taken: the utilization is computed", vec![leave]),
        Some(reading::LANES) => {
            ("is narrower than the PCIe of the catalog: name its rate, as in intra=8 GB/s", vec![leave])
        }
        _ => ("is not in US dollars: give the amount in dollars", vec![leave]),
    };
    let sentence = format!("“{}” {says}.", shorten(typed));
    Unread { from: found.from, to: found.to, near: Vec::new(), sentence, choices }
}
