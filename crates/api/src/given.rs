//! A scenario as given by a program. It is read strictly unless the program requests lenient
//! reading.

use core::fmt;

use catalog::names::usual_node;
use catalog::{accelerator, cluster};
use engine::scenario::Scenario;
use engine::scenario::issue::{Cause, Issue, Severity};
use links::decode::{in_one_host, in_usual_node};
use links::{Decoded, spelling, v1};

use crate::open::{Open, Stated};

/// Mode of reading a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// Refuses invalid input, and asks for missing values that decide the answer.
    #[default]
    Strict,
    /// Refuses invalid input; missing values are assumed and reported first.
    Assuming,
    /// Reads like a link opened on the page: invalid input is replaced and reported.
    Lenient,
}

impl Reading {
    /// Returns the mode for two switches.
    pub const fn from_switches(strict: bool, assume: bool) -> Self {
        match (strict, assume) {
            (false, _) => Self::Lenient,
            (true, true) => Self::Assuming,
            (true, false) => Self::Strict,
        }
    }
}

/// Code of a refusal, which programs map to their own errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The key does not exist.
    UnknownKey,
    /// The model, GPU, cluster or option does not exist.
    UnknownName,
    /// The value cannot be read or used.
    InvalidValue,
    /// A value that decides the answer is missing.
    Missing,
    /// The file cannot be read.
    Unreadable,
}

impl Code {
    /// Returns the name of the code, as used in JavaScript errors.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownKey => "unknown-key",
            Self::UnknownName => "unknown-name",
            Self::InvalidValue => "invalid-value",
            Self::Missing => "missing",
            Self::Unreadable => "unreadable",
        }
    }
}

/// Reason for having no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Code of the refusal.
    pub code: Code,
    /// Sentences for users: the error, the value, and the remedy.
    pub message: String,
}

impl Refusal {
    /// Creates a refusal with its sentences.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.message)
    }
}

/// A scenario as given by a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// A link, its fragment, or a JSON object with the same keys.
    pub text: &'a str,
    /// Values set in the scenario, like inputs on the page.
    pub set: &'a [(String, String)],
    /// Mode of reading.
    pub reading: Reading,
}

impl<'a> From<&'a str> for Given<'a> {
    fn from(text: &'a str) -> Self {
        Self { text, ..Self::default() }
    }
}

/// A scenario that was read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The scenario.
    pub scenario: Scenario,
    /// Issues: interpretations of names, unusual values, and in lenient mode errors.
    pub issues: Vec<Issue>,
    /// Which of the decisive values were stated.
    pub stated: Stated,
    /// The keys of links that were stated.
    pub keys: Vec<String>,
    /// A model that a file names and the catalog lacks.
    pub unknown_model: Option<String>,
    /// Whether the usual node of a stated GPU was assumed.
    assumes_node: bool,
}

impl Given<'_> {
    /// Reads the scenario.
    ///
    /// # Errors
    ///
    /// Returns a refusal for invalid input, unless reading is lenient.
    pub fn read_scenario(&self) -> Result<Read, Refusal> {
        let mut read = if self.text.trim().is_empty() && !self.set.is_empty() {
            // Values alone form a complete scenario, whose model may be given by its shape.
            let pairs = self.set.iter().map(|(key, value)| (key.clone(), value.as_str().into()));
            Read::from(links::decode_in_node(&serde_json::Value::Object(pairs.collect()).to_string()))
        } else {
            let mut read = Read::parse(self.text);
            for (key, value) in in_order(self.set) {
                read.set(key, value);
            }
            read
        };
        read.finish();
        if self.reading != Reading::Lenient {
            refuse(&read.issues)?;
        }
        Ok(read)
    }

    /// Reads the scenario and checks that the values in `asked`, which decide the answer, are
    /// stated. Assumptions come first among the issues.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Given::read_scenario`], and a question for missing values.
    pub fn answerable(&self, asked: &[Open]) -> Result<Read, Refusal> {
        let mut read = self.read_scenario()?;
        read.open(asked, self.reading)?;
        Ok(read)
    }
}

impl From<Decoded> for Read {
    fn from(Decoded { scenario, issues, keys, assumes_node, .. }: Decoded) -> Self {
        Self { scenario, issues, stated: Stated::from_keys(&keys), keys, unknown_model: None, assumes_node }
    }
}

impl Read {
    /// Reads a text. A GPU without a cluster stands in its usual node, unless the calculator wrote
    /// the text: the meaning of its links does not change. Invalid input is not yet refused.
    pub fn parse(text: &str) -> Self {
        Self::from(links::decode_in_node(text))
    }

    /// Sets a value like a pair of a link: a parameter or a catalog entry, by any name.
    pub fn set(&mut self, key: &str, value: &str) {
        let spelled = spelling::spell(key, value);
        self.issues.extend(spelled.notes);
        for (key, value) in &spelled.pairs {
            if key == v1::GPU_KEY && !self.stated.node {
                self.stand_in_usual_node(value);
            }
            self.issues.extend(links::put(&mut self.scenario, key, value));
            self.stated.add(key);
            self.keys.push(key.clone());
        }
    }

    /// Takes the usual node of a GPU, if it has one.
    fn stand_in_usual_node(&mut self, gpu: &str) {
        if let Some((gpu, node)) = accelerator(gpu).and_then(|gpu| Some((gpu, usual_node(gpu.id)?))) {
            self.issues.extend(links::put(&mut self.scenario, v1::CLUSTER_KEY, node.id));
            self.issues.push(in_usual_node(gpu, node));
            self.stated.add(v1::CLUSTER_KEY);
            self.assumes_node = true;
        }
    }

    /// Completes the scenario after all values are set: the GPUs of a single machine are filled in,
    /// and contradictions and values without effect are detected.
    pub fn finish(&mut self) {
        let machine = cluster(self.scenario.network.id).filter(|cluster| cluster.is_single_machine());
        if let Some(machine) = machine.filter(|_| self.stated.hardware && !self.stated.gpus) {
            self.scenario.gpus = machine.usual_gpus(self.scenario.gpus);
            self.stated.gpus = true;
        }
        if self.assumes_node {
            self.issues.extend(in_one_host(&mut self.scenario, &self.keys));
        }
        self.issues.extend(engine::validate::issues(&self.scenario));
        self.issues.extend(links::without_effect(&self.scenario, &self.keys));
    }

    /// Checks that the decisive values in `asked` are stated, and that the stated values have an
    /// effect; assumptions come first among the issues. A link that the calculator wrote keeps
    /// choices for later, such as the rank of LoRA while all weights train: they are only noted.
    ///
    /// # Errors
    ///
    /// Returns a question for missing values and for those without effect.
    pub fn open(&mut self, asked: &[Open], reading: Reading) -> Result<(), Refusal> {
        let open = self.stated.open(&self.scenario, asked);
        let is_link = self.keys.iter().any(|key| key == v1::VERSION_KEY);
        let idle = self.issues.iter().filter(|issue| issue.cause == Cause::NoEffect && !is_link);
        let unknown = self.unknown_model.as_deref();
        let missing = open.iter().filter(|open| open.is_asked).map(|open| open.question(unknown));
        let questions: Vec<String> = missing.chain(idle.map(|issue| issue.message.clone())).collect();
        if reading == Reading::Strict && !questions.is_empty() {
            return Err(Refusal::new(Code::Missing, questions.join(" ")));
        }
        let assumed = open.iter().map(|open| open.assumption(&self.scenario));
        self.issues.splice(0..0, assumed.collect::<Vec<_>>());
        Ok(())
    }
}

/// Sorts values in the order in which they are set: first catalog entries, then parameters, and
/// last derived values.
pub fn in_order(pairs: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    let mut pairs: Vec<(&str, &str)> = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    pairs.sort_by_key(|(key, value)| {
        let spelled = spelling::spell(key, value);
        spelled.pairs.iter().map(|(key, _)| rank_of(key)).min().unwrap_or(3)
    });
    pairs.into_iter()
}

/// Returns the rank of a key among the keys that are set.
fn rank_of(key: &str) -> usize {
    match key {
        v1::CLUSTER_KEY => 0,
        v1::GPU_KEY => 1,
        v1::MODEL_KEY => 2,
        v1::NODES_KEY => 4,
        v1::BATCH_KEY => 5,
        _ => 3,
    }
}

/// Refuses invalid input. Unknown keys come first, as they often cause the other errors.
///
/// # Errors
///
/// Returns the sentences of all errors, without what would be used instead.
pub fn refuse(issues: &[Issue]) -> Result<(), Refusal> {
    let mut wrong: Vec<&Issue> =
        issues.iter().filter(|issue| issue.severity == Severity::Error || is_refused(issue.cause)).collect();
    wrong.sort_by_key(|issue| issue.cause != Cause::UnknownKey);
    let Some(first) = wrong.first() else { return Ok(()) };
    let code = match first.cause {
        Cause::UnknownKey => Code::UnknownKey,
        Cause::UnknownName => Code::UnknownName,
        Cause::Scenario | Cause::LeftOut | Cause::NoEffect | Cause::Assumed => Code::InvalidValue,
    };
    let sentences: Vec<&str> = wrong.iter().map(|issue| issue.message.as_str()).collect();
    Err(Refusal::new(code, sentences.join(" ")))
}

/// Whether even a note of this cause is refused: something of the input was not taken.
const fn is_refused(cause: Cause) -> bool {
    match cause {
        Cause::UnknownKey | Cause::UnknownName | Cause::LeftOut => true,
        // Values without effect are asked about once all values are known.
        Cause::Scenario | Cause::NoEffect | Cause::Assumed => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Refusal {
        Given::from(text).read_scenario().map(|read| read.issues).expect_err(text)
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_the_right_spelling() {
        for (text, code, said) in [
            ("modle=llama-3-8b", Code::UnknownKey, "“modle” is not a key of a scenario. Did you mean “model”"),
            ("model=llama-3-8c", Code::UnknownName, "“llama-3-8b”"),
            ("cluster=dgx-h10", Code::UnknownName, "“dgx-h100”"),
            ("gpu=h10-sxm", Code::UnknownName, "“h100-sxm”"),
            ("strategy=ful-shard", Code::UnknownName, "“full-shard”"),
            ("gpus=abc", Code::InvalidValue, "“abc” is not a number"),
            ("gpus=-3", Code::InvalidValue, "“-3”"),
            ("gpus=100&tp=3", Code::InvalidValue, "do not evenly divide"),
            ("model=llama-3-8b&layers=40", Code::InvalidValue, "model=custom"),
            ("batch_size=8", Code::UnknownKey, "global_batch_size"),
            ("{\"gpus\": ", Code::InvalidValue, "could not be read"),
        ] {
            let refusal = refused(text);
            assert_eq!(refusal.code, code, "{text}: {refusal}");
            assert!(refusal.message.contains(said), "{text}: {refusal}");
            for remedy in ["instead", "left out", "The page"] {
                assert!(!refusal.message.contains(remedy), "{text}: {refusal}");
            }
        }
    }

    #[test]
    fn forgiveness_is_asked_for() {
        let given = Given { reading: Reading::Lenient, ..Given::from("modle=x&gpus=8") };
        let read = given.read_scenario().expect("forgiven");
        assert_eq!((read.scenario.gpus, read.issues.len()), (8, 1));
    }

    #[test]
    fn values_are_set_by_any_name_and_in_their_order() {
        let set = [("global_batch_size", "128"), ("mem", "90 GiB"), ("cluster", "8xH100"), ("nodes", "2")];
        let set = set.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let given = Given { text: "model=llama-3-8b", set: &set, ..Given::default() };
        let read = given.read_scenario().expect("readable");
        assert_eq!((read.scenario.gpus, read.scenario.grad_accum_steps), (16, 8));
        assert_eq!(read.scenario.accelerator.values.memory.gib(), 90.0);
    }

    const RUN: &str = "model=llama-3-8b&cluster=dgx-h100&gpus=8&seq=4096&mbs=1&accum=1";

    fn answered(text: &str, reading: Reading) -> Result<Read, Refusal> {
        Given { reading, ..Given::from(text) }.answerable(&Open::ALL)
    }

    fn said(read: &Read) -> Vec<&str> {
        read.issues.iter().map(|issue| issue.message.as_str()).collect()
    }

    /// Strict reading asks, the others note, and nothing is silent.
    #[test]
    fn values_without_effect_are_asked_about() {
        for (more, question) in [
            ("&texts=packed&tokens=2B", "“tokens=2B” has no effect with texts=packed: do you mean texts=full?"),
            ("&samples=1000&epochs=3", "“samples=1000” has no effect with texts=full: do you mean texts=packed?"),
            ("&base=nf4", "“base=nf4” has no effect with train=all: do you mean train=lora?"),
            ("&rank=64", "“rank=64” has no effect with train=all: do you mean train=lora?"),
            ("&num_train_epochs=4&lora_r=64", "do you mean texts=packed?"),
        ] {
            let text = format!("{RUN}{more}");
            let refusal = answered(&text, Reading::Strict).expect_err(&text);
            assert_eq!(refusal.code, Code::Missing, "{text}: {refusal}");
            assert!(refusal.message.contains(question), "{text}: {refusal}");
            // A link that the calculator wrote keeps such values for later.
            let link = format!("v=1&{text}");
            for (text, reading) in [(&text, Reading::Assuming), (&text, Reading::Lenient), (&link, Reading::Strict)] {
                let read = answered(text, reading).expect(text);
                assert!(said(&read).iter().any(|said| said.contains(question)), "{text}: {:?}", said(&read));
            }
        }
        let json = r#"{"model":"llama-3-8b","cluster":"dgx-h100","gpus":8,"seq":4096,"mbs":1,"num_train_epochs":3,"lora_r":64}"#;
        assert!(answered(json, Reading::Strict).expect_err(json).message.contains("train=lora"));
        assert!(
            answered(&format!("{RUN}&rank=64&epochs=3&samples=1000&train=lora&texts=packed"), Reading::Strict).is_ok()
        );
        // A later value may give an earlier one its effect.
        let set = [("train".to_owned(), "lora".to_owned())];
        let text = format!("{RUN}&rank=64");
        let given = Given { text: &text, set: &set, ..Given::default() };
        assert!(given.answerable(&Open::ALL).is_ok());
    }

    /// An axis may give a value its effect.
    #[test]
    fn a_value_with_an_effect_at_points_of_a_sweep_is_none_without() {
        let text = format!("{RUN}&rank=64");
        let issues = |axis: &str| crate::issues(&Given::from(text.as_str()), &[axis.to_owned()]);
        assert_eq!(issues("train").expect("an effect"), "[]");
        assert!(issues("seq").expect_err("no effect").message.contains("train=lora"));
    }

    /// A GPU stands in its usual node, which is said; one of the user's own has none and is asked
    /// about.
    #[test]
    fn a_gpu_stands_in_its_usual_node() {
        let rest = "model=llama-3-8b&gpus=8&seq=8192&mbs=1&accum=1";
        for (gpu, node, name) in [
            ("b200", "dgx-b200", "DGX B200"),
            ("h100", "dgx-h100", "DGX H100"),
            ("rtx-5090", "server-8x-5090", "Server, RTX 5090 x8"),
        ] {
            let read = answered(&format!("{rest}&gpu={gpu}"), Reading::Strict).expect(gpu);
            let whole = answered(&format!("{rest}&cluster={node}"), Reading::Strict).expect(node);
            assert_eq!(read.scenario, whole.scenario, "{gpu}");
            assert!(
                said(&read).iter().any(|said| said.contains("usual node") && said.contains(name)),
                "{:?}",
                said(&read)
            );
            let set = [("gpu".to_owned(), gpu.to_owned())];
            let given = Given { text: rest, set: &set, ..Given::default() };
            assert_eq!(given.answerable(&Open::ALL).expect(gpu).scenario, whole.scenario, "{gpu}");
        }
        let open = format!("{rest}&gpu=custom&mem=32");
        let refusal = answered(&open, Reading::Strict).expect_err(&open);
        assert!(refusal.code == Code::Missing && refusal.message.contains("cluster=…"), "{refusal}");
        let read = answered(&open, Reading::Assuming).expect(&open);
        assert!(said(&read).iter().any(|said| said.contains("the nodes and the network of")), "{:?}", said(&read));
        // On one GPU nothing crosses a node, and links of the calculator are read as ever.
        assert!(answered(&open.replace("gpus=8", "gpus=1"), Reading::Strict).is_ok());
        let network = |text: &str| answered(text, Reading::Lenient).expect(text).scenario.network;
        assert_eq!(network(&format!("{rest}&gpu=b200")).id, "dgx-b200");
        let old = format!("v=1&{rest}&gpu=b200");
        assert_eq!(network(&old), links::decode(&old).scenario.network);
        assert_ne!(network(&old).id, "dgx-b200");
    }

    /// Cards stand in one host by the number that was stated, wherever it was; nothing is said of
    /// hosts where none was.
    #[test]
    fn cards_fill_hosts_by_their_stated_number() {
        let node = |text: &str, set: &[(&str, &str)]| {
            let set: Vec<_> = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
            let given = Given { text, set: &set, reading: Reading::Lenient };
            given.read_scenario().expect(text).scenario.network.values.gpus_per_node
        };
        let gpu = "gpu=rtx-3090&model=llama-3.2-1b";
        assert_eq!(node(gpu, &[]), 2);
        assert_eq!([node(gpu, &[("gpus", "2")]), node(gpu, &[("gpus", "8")])], [2, 8]);
        assert_eq!([node(&format!("{gpu}&gpus=8"), &[]), node(&format!("{gpu}&gpus=8&node=2"), &[])], [8, 2]);
        assert_eq!(node("model=llama-3.2-1b", &[("gpus", "4"), ("gpu", "rtx-3090")]), 4);
    }

    #[test]
    fn json_that_gives_a_key_twice_is_refused() {
        let refusal = refused(r#"{"model":"llama-3-8b","gpus":8,"gpus":16}"#);
        assert!(refusal.message.contains("gpus is given more than once"), "{refusal}");
    }
}
