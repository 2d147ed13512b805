//! Values that affect the answer but are missing from the sentence.

use catalog::{accelerator, cluster, default_scenario, model};
use engine::format;
use engine::model::odds::Verdict;
use engine::params::ParamId;
use engine::params::labels;
use engine::scenario::{Model, Scenario};

use crate::asks::{Asks, Notes};
use crate::finding::Finding;
use crate::means::{self, counted};
use crate::reading::SEVERAL;
use crate::said::StatedValues;
use crate::settle::{SettledScenario, layout_of};

/// A value that was assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// Key of the parameter in links, or `layout`, `hardware`, `deadline`.
    pub key: &'static str,
    /// Label of the parameter.
    pub label: &'static str,
    /// Assumed value.
    pub value: String,
    /// Reason, as part of a sentence.
    pub why: String,
}

impl Assumed {
    /// Describes the assumption in a sentence.
    ///
    /// ```
    /// use catalog::default_scenario;
    ///
    /// let read = sentence::understand("llama 3.1 8b qlora on 2x4090", &default_scenario());
    /// let length = read.assumed.iter().find(|assumed| assumed.key == "seq").unwrap();
    /// assert_eq!(length.sentence(), "Sequence length: 4,096 tokens, as the text has none.");
    /// ```
    pub fn sentence(&self) -> String {
        format!("{}: {}, as {}.", self.label, self.value, self.why)
    }
}

/// Labels of keys that are not a single parameter.
const LABELS: [(&str, &str); 10] = [
    ("turns", "Taken, and where the verdict turns"),
    ("words", "Passed over"),
    ("layout", "Layout"),
    ("model", "Model"),
    ("hardware", "Hardware"),
    ("gpu", "GPU"),
    ("batch", "Global batch"),
    ("deadline", "Deadline"),
    ("release", "Program"),
    ("tokens", "Training data"),
];

fn new(key: &'static str, value: impl Into<String>, why: impl Into<String>) -> Assumed {
    let own = LABELS.iter().find(|(own, _)| *own == key).map(|(_, label)| *label);
    let label = own.or_else(|| engine::params::find(key).map(|param| param.label)).unwrap_or(key);
    Assumed { key, label, value: value.into(), why: why.into() }
}

/// Returns all assumptions, the most influential first.
pub(crate) fn list_assumptions(
    said: &StatedValues,
    settled: &SettledScenario,
    asks: Option<&Asks>,
    notes: &Notes,
    found: &[Finding],
) -> Vec<Assumed> {
    let SettledScenario { scenario, is_new, chosen, .. } = settled;
    let plans = asks.is_some_and(Asks::chooses_hardware);
    let mut all: Vec<Assumed> = Vec::new();
    let is_chosen = |key: &str| chosen.iter().any(|(own, ..)| *own == key);
    all.extend(
        chosen
            .iter()
            .filter(|(key, ..)| *key == "layout")
            .map(|(key, value, why)| new(key, value.clone(), why.clone())),
    );
    all.extend(
        chosen
            .iter()
            .filter(|(key, ..)| *key != "layout")
            .map(|(key, value, why)| new(key, value.clone(), why.clone())),
    );
    all.extend(notes.assumed.iter().map(|(key, value, why)| new(key, *value, *why)));
    let keys = [("model", "model"), ("hw", "gpu"), ("cluster", "gpu")];
    for Finding { is, .. } in found.iter().filter(|found| !found.is.notes.is_empty()) {
        let is_named = |own: &str| is.pairs.iter().any(|(key, _)| key == own);
        if let Some((_, key)) = keys.iter().find(|(own, key)| is_named(own) && !is_chosen(key)) {
            let counts = |(own, value): &&(String, String)| {
                keys.iter().any(|(key, _)| key == own) && said.value(own) == Some(value)
            };
            let name = is.pairs.iter().rfind(counts).cloned();
            let why = is.notes.first().and_then(|note| note.split_once(" is read")).map_or("", |(typed, _)| typed);
            all.extend(
                name.map(|pair| new(key, means::describe_pairs(&[pair]), format!("{why} does not say exactly which"))),
            );
        }
    }
    if *is_new {
        all.extend(
            new_scenario_assumptions(said, settled, asks, plans).into_iter().filter(|assumed| !is_chosen(assumed.key)),
        );
    } else if said.has(&["hw", "cluster"]) && !said.has(&["gpus", "nodes", "cores"]) && !is_chosen("gpus") {
        all.push(new("gpus", format::gpus(scenario.gpus), "the text has no number, and a node has as many"));
    }
    if !*is_new && said.has(&["hw", "cluster", "gpus", "nodes", "objective", "train", "ask.compare"]) {
        all.extend(kept(said, scenario));
    }
    if plans && said.has(&["gpus", "nodes"]) {
        let why = format!("the plan chooses the number, and the scenario has {}", format::gpus(scenario.gpus));
        all.push(new("gpus", "any number", why));
    }
    let place = |assumed: &Assumed| ORDER.iter().position(|key| *key == assumed.key).unwrap_or(ORDER.len());
    all.sort_by_key(place);
    all
}

/// Returns the numbers of GPUs of a comparison.
pub(crate) fn of_comparison(gpus: &str, is_equal_money: bool) -> Assumed {
    let why = if is_equal_money {
        "these whole nodes cost most nearly the same an hour"
    } else {
        "runs are compared on the same number unless the text says otherwise"
    };
    new("gpus", gpus, why)
}

/// Returns the values at which the verdict turns.
pub(crate) fn of_turns(turns: String) -> Assumed {
    new("turns", turns, "the text has none of these")
}

/// Returns the names of clouds and the unknown words that were passed over.
pub(crate) fn of_passed(clouds: &[String], words: &[String]) -> Vec<Assumed> {
    let quoted = |words: &[String]| words.iter().map(|word| format!("“{word}”")).collect::<Vec<_>>().join(", ");
    let whys = [
        (clouds, "a run is that of its GPUs, whoever rents them out"),
        (words, "no row knows it, and it has no number, unit, model or GPU"),
    ];
    whys.into_iter()
        .filter(|(words, _)| !words.is_empty())
        .map(|(words, why)| new("words", quoted(words), why))
        .collect()
}

/// Order of keys, the most influential first.
const ORDER: [&str; 14] = [
    "layout",
    "model",
    "gpu",
    "hardware",
    "gpus",
    "seq",
    "train",
    "mbs",
    "batch",
    "strategy",
    "framework",
    "recipe",
    "deadline",
    "tokens",
];

/// Returns what a text that names no model leaves as it is on screen.
fn kept(said: &StatedValues, scenario: &Scenario) -> Vec<Assumed> {
    let why = "the text has none, and the run on screen has this one";
    let model = match scenario.model {
        Model::Preset { id, .. } => model(id).map_or_else(|| id.to_owned(), |entry| entry.name.to_owned()),
        Model::Ladder { size } => format!("a GPT-style model of {}", format::params(size)),
        _ => format!("a model of {}", format::params(scenario.model.size())),
    };
    let mut all = vec![new("model", model, why)];
    if !said.has(&["seq"]) && said.value("ask.question") != Some("context") {
        all.push(new("seq", counted(&scenario.seq_len.to_string(), "token"), why));
    }
    all
}

/// Returns the reason for the assumed number of GPUs.
fn number_of_gpus(scenario: &Scenario) -> &'static str {
    if scenario.gpus == 1 {
        "the text has no number, and such cards are sold singly"
    } else {
        "the text has no number, and a node has as many"
    }
}

/// Describes the cluster of a scenario: its name, or the cards of one host; with more hosts, their
/// number.
fn hosts_of(scenario: &Scenario) -> String {
    let entry = cluster(scenario.network.id);
    let node = scenario.network.values.gpus_per_node;
    let gpu = accelerator(scenario.accelerator.id).map_or("", |entry| entry.name);
    let own = entry.filter(|entry| entry.gpus_per_node == node).map(|entry| entry.name);
    match (scenario.gpus.div_ceil(node.max(1)), own) {
        (0 | 1, Some(name)) => name.to_owned(),
        (0 | 1, None) => format!("a host with {node} × {gpu}"),
        (hosts, Some(name)) => format!("{hosts} × {name}, {} between them", links_between(scenario)),
        (hosts, None) => format!("{hosts} hosts with {node} × {gpu} each, {} between them", links_between(scenario)),
    }
}

/// Returns the rate of the links between the hosts.
fn links_between(scenario: &Scenario) -> String {
    let named = cluster(scenario.network.id).and_then(|entry| catalog::interconnect(entry.inter_node));
    named.map_or_else(|| "a network".to_owned(), |entry| entry.name.to_owned())
}

/// Returns the assumptions of a new scenario.
fn new_scenario_assumptions(
    said: &StatedValues,
    settled: &SettledScenario,
    asks: Option<&Asks>,
    plans: bool,
) -> Vec<Assumed> {
    let SettledScenario { scenario, chosen, .. } = settled;
    let is_chosen = |key: &str| chosen.iter().any(|(own, ..)| *own == key);
    let mut all = Vec::new();
    let nobody = "the text has none";
    let no_hardware = if said.value("refuse") == Some(SEVERAL) { "the text has several" } else { nobody };
    let is_sought = said.has(&["ask.smallest"]);
    let has_hardware = is_sought || said.has(&["hw", "cluster", "card", "gpu"]);
    if !has_hardware && plans {
        all.push(new("hardware", "every cluster of the catalog", nobody));
    } else if plans && !said.has(&["cluster"]) {
        let gpu = accelerator(scenario.accelerator.id).map_or("", |entry| entry.name);
        all.push(new("hardware", format!("every cluster of the catalog with {gpu}"), "the text names only the GPU"));
    } else if !has_hardware {
        let node = cluster(scenario.network.id).map_or(scenario.network.id, |entry| entry.name);
        all.push(new("hardware", node, no_hardware));
    } else if !plans && !is_sought && !said.has(&["gpus", "nodes", "cores"]) {
        let name = accelerator(scenario.accelerator.id).map_or("", |entry| entry.name);
        all.push(new("gpus", format!("{} × {name}", scenario.gpus), number_of_gpus(scenario)));
    }
    let is_of_hosts =
        !plans && scenario.gpus > 1 && said.has(&["hw", "card", "gpu"]) && !said.has(&["cluster"]) && !is_sought;
    if is_of_hosts {
        all.push(new("hardware", hosts_of(scenario), "the text names only the GPU"));
    }
    if !has_hardware && !plans && !said.has(&["gpus", "nodes", "cores"]) {
        all.push(new("gpus", format::gpus(scenario.gpus), "the text has no number, and a node has as many"));
    }
    let is_asked = |name: &str| asks.and_then(|asks| asks.question).is_some_and(|question| question.key() == name);
    if !said.has(&["seq"]) && !is_asked("context") {
        all.push(new("seq", counted(&scenario.seq_len.to_string(), "token"), nobody));
    }
    if !said.has(&["train", "quantized", "rank"]) {
        all.push(new("train", "all weights", "the text does not say that a part is frozen"));
    }
    if !said.has(&["batch", "batchtokens", "batchword", "accum", "mbs"]) && !plans && !is_asked("batch") {
        let step = f64::from(scenario.degrees().dp)
            * f64::from(scenario.micro_batch_size)
            * f64::from(scenario.grad_accum_steps);
        all.push(new("batch", counted(&format!("{step}"), "sequence"), nobody));
    }
    if !said.has(&["strategy", "tp", "pp", "cp", "ep", "mbs", "recompute"]) && !plans {
        let is_sure = scenario.report().verdict() == Verdict::Fits;
        let why = if is_sure { "the text has none, and this one is sure to fit" } else { nobody };
        all.push(new("layout", layout_of(scenario), why));
    }
    let has_layout = said.has(&["tp", "pp", "cp", "ep", "mbs", "recompute"]);
    if !said.has(&["strategy"]) && has_layout && scenario.gpus > 1 && !plans && !is_chosen("layout") {
        all.push(new("strategy", labels::chosen(ParamId::Strategy, scenario), nobody));
    }
    if !said.has(&["framework", "release"]) && scenario.release.is_none() {
        let usual = labels::chosen(ParamId::Framework, scenario);
        let is_usual = usual == labels::chosen(ParamId::Framework, &default_scenario());
        let why = if is_usual { nobody } else { "the text has none, and this one supports the run" };
        all.push(new("framework", usual, why));
    }
    if scenario.objective.task.distills() {
        all.push(new("teacherat", labels::chosen(ParamId::TeacherPlace, scenario), nobody));
    }
    if !said.has(&["tokens", "samples", "epochs"]) {
        all.push(new("tokens", scenario.length().to_string(), nobody));
    }
    all
}
