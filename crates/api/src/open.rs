//! Missing values that decide an answer: a question is returned, or the value is assumed and
//! reported first.

use catalog::names::usual_node;
use catalog::{accelerator, cluster};
use engine::format;
use engine::params::quantity::{group_thousands, with_unit};
use engine::params::{ParamId, Unit};
use engine::scenario::issue::{Cause, Issue};
use engine::scenario::{Model, Scenario};
use links::v1;

/// A value that decides whether a run fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// The model.
    Model,
    /// The number of GPUs.
    Gpus,
    /// The length of sequences.
    Length,
    /// The sequences of a micro-batch.
    Batch,
    /// The cluster or the GPU.
    Hardware,
    /// The node and the network of a GPU that has no usual node.
    Node,
    /// The data to train on, which decides days and dollars alone.
    Data,
}

impl Open {
    /// All values that decide a step, in the order of questions.
    pub const ALL: [Self; 6] = [Self::Model, Self::Gpus, Self::Length, Self::Batch, Self::Hardware, Self::Node];
    /// Values that a plan depends on, which searches the rest.
    pub const OF_PLAN: [Self; 2] = [Self::Model, Self::Data];
}

/// Records which of the decisive values are stated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stated {
    /// Whether the model is stated.
    pub model: bool,
    /// Whether the number of GPUs is stated.
    pub gpus: bool,
    /// Whether the sequence length is stated.
    pub length: bool,
    /// Whether the micro-batch size is stated.
    pub batch: bool,
    /// Whether the GPU or cluster is stated.
    pub hardware: bool,
    /// Whether the cluster is stated.
    pub node: bool,
    /// Whether the data is stated, or left to its default on purpose.
    pub data: bool,
}

/// A missing value.
#[derive(Clone, Debug, PartialEq)]
pub struct Unstated {
    /// Kind of the value.
    pub what: Open,
    /// Whether the answer depends so much on the value that a question is asked.
    pub is_asked: bool,
    /// One value with which the run fits and one with which it does not, if the value decides this.
    flips: Option<(f64, f64)>,
    /// Of usual GPUs those on which the run fits and those on which it does not, by their names.
    cards: [Vec<&'static str>; 2],
}

/// GPUs that the question for one names.
const CARDS: [&str; 7] = ["rtx-4090", "a100-40gb", "a100-80gb", "h100-sxm", "h200", "b200", "mi300x"];

/// Lengths of short texts, such as SQuAD's, in tokens.
const SHORT: [f64; 2] = [512.0, 256.0];

/// Returns of usual GPUs those on which a run fits, and those on which it does not.
fn cards(scenario: &Scenario) -> [Vec<&'static str>; 2] {
    let [mut fit, mut rest] = [Vec::new(), Vec::new()];
    for card in CARDS.iter().filter_map(|id| accelerator(id)) {
        let mut tried = *scenario;
        if let Some(node) = usual_node(card.id) {
            links::put(&mut tried, v1::CLUSTER_KEY, node.id);
        }
        links::put(&mut tried, v1::GPU_KEY, card.id);
        tried.gpus = scenario.gpus;
        if tried.report().fits() { fit.push(card.name) } else { rest.push(card.name) }
    }
    [fit, rest]
}

impl Stated {
    /// Returns the values stated by the keys of a link. A link with a version was copied from the
    /// page and counts as complete, as it omits values equal to the defaults.
    pub fn from_keys(keys: &[String]) -> Self {
        let mut stated = Self::default();
        for key in keys {
            stated.add(key);
        }
        stated
    }

    /// Records a key of a link as stated.
    pub fn add(&mut self, key: &str) {
        match key {
            v1::VERSION_KEY | v1::REVISION_KEY => {
                let (model, gpus, length, batch) = (true, true, true, true);
                *self = Self { model, gpus, length, batch, hardware: true, node: true, data: true };
            }
            v1::MODEL_KEY | "size" => self.model = true,
            v1::GPUS_KEY | v1::NODES_KEY => self.gpus = true,
            v1::CLUSTER_KEY => (self.hardware, self.node) = (true, true),
            v1::GPU_KEY | "mem" => self.hardware = true,
            "seq" => self.length = true,
            "mbs" | v1::BATCH_KEY => self.batch = true,
            _ => {}
        }
    }

    /// Returns whether a value is stated.
    pub const fn has(&self, what: Open) -> bool {
        match what {
            Open::Model => self.model,
            Open::Gpus => self.gpus,
            Open::Length => self.length,
            Open::Batch => self.batch,
            Open::Hardware => self.hardware,
            // Without any hardware, the cluster is what is missing.
            Open::Node => self.node || !self.hardware,
            Open::Data => self.data,
        }
    }

    /// Returns the missing values among those that an answer depends on, in their order.
    pub fn open(&self, scenario: &Scenario, asked: &[Open]) -> Vec<Unstated> {
        let is_open = |what: &Open| !self.has(*what) && (*what != Open::Data || scenario.is_of_usual_length());
        let open = asked.iter().copied().filter(is_open);
        // Without the GPU no other value decides anything yet.
        let has_hardware = self.hardware || !asked.contains(&Open::Hardware);
        open.map(|what| {
            let flips = if self.model && has_hardware { what.flips(scenario) } else { None };
            let is_asked = match what {
                Open::Model | Open::Hardware => true,
                Open::Gpus => flips.is_some() || !has_hardware,
                Open::Node => is_elsewhere(scenario),
                Open::Length | Open::Batch => flips.is_some(),
                Open::Data => false,
            };
            let is_known = what == Open::Hardware && self.model && self.gpus;
            let cards = if is_known { cards(scenario) } else { [Vec::new(), Vec::new()] };
            Unstated { what, is_asked, flips, cards }
        })
        .collect()
    }
}

impl Open {
    /// Returns the parameter of the value, if it is a number.
    const fn param(self) -> Option<ParamId> {
        match self {
            Self::Gpus => Some(ParamId::Gpus),
            Self::Length => Some(ParamId::SequenceLength),
            Self::Batch => Some(ParamId::MicroBatchSize),
            Self::Model | Self::Hardware | Self::Node | Self::Data => None,
        }
    }

    /// Returns plausible alternatives to the assumed value: all usual numbers of GPUs, half and
    /// twice the length and short texts, twice the micro-batch.
    fn tried(self, scenario: &Scenario) -> Vec<f64> {
        let length = f64::from(scenario.seq_len);
        match self {
            Self::Gpus => [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0].to_vec(),
            Self::Length => [length / 2.0, length * 2.0].into_iter().chain(SHORT).collect(),
            Self::Batch => vec![f64::from(scenario.micro_batch_size) * 2.0],
            Self::Model | Self::Hardware | Self::Node | Self::Data => Vec::new(),
        }
    }

    /// Returns a value with which the run fits and one with which it does not, if the value decides
    /// this.
    fn flips(self, scenario: &Scenario) -> Option<(f64, f64)> {
        let number = self.param()?.number()?.within(scenario);
        let fits = |value: f64| {
            let mut tried = *scenario;
            (number.set)(&mut tried, value);
            tried.report().fits()
        };
        let own = (number.get)(scenario);
        let (mut yes, mut no) = (None, None);
        for value in core::iter::once(own).chain(self.tried(scenario)) {
            if value >= number.min && value <= number.max {
                if fits(value) {
                    yes.get_or_insert(value)
                } else {
                    no.get_or_insert(value)
                };
            }
        }
        yes.zip(no)
    }
}

impl Unstated {
    /// Returns the question for the value; `unknown_model` is a model that a file names and the
    /// catalog lacks.
    pub fn question(&self, unknown_model: Option<&str>) -> String {
        if let (Open::Model, Some(name)) = (self.what, unknown_model) {
            return format!(
                "The catalog has no model “{name}”: give its config.json together with the file, or a model of its size \
                 (model=llama-3.1-8b, size=13B)."
            );
        }
        let asked = match self.what {
            Open::Model => "Which model? Name one (model=llama-3.1-8b), give its size (size=13B), or its config.json.",
            Open::Gpus => "On how many GPUs? Give gpus=….",
            Open::Length => "How long are the sequences? Give seq=….",
            Open::Batch => "How many sequences does a GPU process at once? Give mbs=….",
            Open::Hardware => "Which GPU? Give cluster=… or gpu=….",
            Open::Data => "On how many tokens? Give tokens=….",
            Open::Node => {
                "In which nodes are the GPUs? This GPU has no usual node: give cluster=…, or cluster=custom with node=…."
            }
        };
        let number = self.what.param().and_then(|id| id.param().number());
        if let Some(((yes, no), number)) = self.flips.zip(number) {
            let [yes, no] = [yes, no].map(|value| with_unit(number.unit, value));
            return format!("{asked} With {yes} it fits, with {no} it does not.");
        }
        let [fit, rest] = &self.cards;
        let fit = (!fit.is_empty()).then(|| format!(" It fits on {}.", format::listed(fit)));
        let rest = (!rest.is_empty()).then(|| format!(" It does not fit on {}.", format::listed(rest)));
        [Some(asked.to_owned()), fit, rest].into_iter().flatten().collect()
    }

    /// Returns the assumption made for the value.
    pub fn assumption(&self, scenario: &Scenario) -> Issue {
        let (key, taken) = match self.what {
            Open::Model => (v1::MODEL_KEY, model(scenario)),
            Open::Gpus => (v1::GPUS_KEY, format!("{} GPUs", group_thousands(&scenario.gpus.to_string()))),
            Open::Length => ("seq", format!("sequences of {} tokens", group_thousands(&scenario.seq_len.to_string()))),
            Open::Batch => ("mbs", format!("micro-batches of {}", count(scenario.micro_batch_size, "sequence"))),
            Open::Hardware => (v1::CLUSTER_KEY, hardware(scenario)),
            Open::Data => ("tokens", format!("{} of training", scenario.length())),
            Open::Node => (v1::CLUSTER_KEY, format!("the nodes and the network of {}", hardware(scenario))),
        };
        Issue::note(key, format!("Assumed, as not given: {taken}.")).because(Cause::Assumed)
    }
}

/// Whether several GPUs are in nodes that belong to another GPU.
fn is_elsewhere(scenario: &Scenario) -> bool {
    let own = cluster(scenario.network.id).map(|node| node.accelerator);
    scenario.gpus > 1 && own.is_some_and(|own| own != scenario.accelerator.id)
}

fn count(number: u32, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Returns the name of the model.
fn model(scenario: &Scenario) -> String {
    match scenario.model {
        Model::Preset { id, .. } | Model::Scaled { id, .. } => {
            catalog::model(id).map_or(id, |entry| entry.name).to_owned()
        }
        Model::Ladder { size } => format!("a GPT-style model of {}", with_unit(Unit::Params, size)),
        Model::Custom { .. } => "the custom model".to_owned(),
    }
}

/// Returns the name of the cluster.
fn hardware(scenario: &Scenario) -> String {
    let id = scenario.network.id;
    cluster(id).map_or_else(|| id.to_owned(), |entry| entry.name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given::{Code, Given, Reading};

    fn given(text: &str) -> Given<'_> {
        Given::from(text)
    }

    #[test]
    fn what_decides_and_nobody_stated_is_asked_for() {
        for (text, asked) in [
            ("gpus=8&seq=4k&mbs=1", "Which model?"),
            ("model=llama-3-8b&seq=4k&mbs=1", "On how many GPUs?"),
            ("model=llama-3-8b&seq=4k&mbs=1", "Which GPU?"),
            ("model=llama-3-8b&gpus=8&seq=4k&mbs=1", "Which GPU? Give cluster=… or gpu=…. It fits on "),
            ("model=llama-3-8b&gpu=h100&seq=4k&mbs=1", "On how many GPUs? Give gpus=…. With "),
            ("model=llama-3-8b&cluster=dgx-h100&gpus=8&mbs=1&seq=4k&optimizer=adamw", ""),
        ] {
            let read = given(text).answerable(&Open::ALL);
            match read {
                Ok(_) => assert_eq!(asked, "", "{text}"),
                Err(refusal) => {
                    assert_eq!(refusal.code, Code::Missing);
                    assert!(!asked.is_empty() && refusal.message.contains(asked), "{text}: {refusal}");
                }
            }
        }
    }

    #[test]
    fn a_plan_says_which_data_it_took() {
        for (text, is_said) in [
            ("model=llama-3-8b", true),
            ("model=llama-3-8b&tokens=2T", false),
            ("model=llama-3-8b&train=lora&texts=padded&samples=5000", false),
            // A link copied from the page showed the data.
            ("v=1&model=llama-3-8b", false),
        ] {
            let read = given(text).answerable(&Open::OF_PLAN).expect(text);
            let said = read.issues.iter().any(|issue| issue.message.contains("1T tokens of training"));
            assert_eq!(said, is_said, "{text}: {:?}", read.issues);
        }
    }

    #[test]
    fn what_is_assumed_is_said_first() {
        let assuming = Given { reading: Reading::Assuming, ..given("model=llama-3-8b") };
        let read = assuming.answerable(&Open::ALL).expect("assumed");
        let said: Vec<&str> = read.issues.iter().map(|issue| issue.message.as_str()).collect();
        assert!(said[0].contains("64 GPUs") && said[1].contains("4,096 tokens"), "{said:?}");
        // A link copied from the page is complete.
        assert!(given("v=1").answerable(&Open::ALL).is_ok());
        // A single machine includes its GPUs.
        let machine =
            given("model=llama-3-8b&cluster=workstation-4x-4090&seq=2k&mbs=1").read_scenario().expect("readable");
        assert_eq!(machine.scenario.gpus, 4);
    }
}
