//! The scenario that is being made of the keys.

use engine::catalog::releases::{self, GONE, Known, Release};
use engine::model::choices::Choices;
use engine::model::hardware::Generation;
use engine::model::software::{AttentionKernel, Framework};
use engine::params::quantity::with_unit;
use engine::params::{Kind, ParamId};
use engine::scenario::Scenario;
use engine::share::v1;

use super::format::Format;
use super::keys::{Found, Keys};
use super::spelling::shortened;
use super::{Line, Unsaid};

/// In place of a file's index, for what a program has where no file says it.
pub(super) const NO_FILE: usize = usize::MAX;

/// What the batch of a step was said to be, which its parts follow from when all files are read.
#[derive(Clone, Debug, Default)]
pub(super) struct BatchFields {
    /// Sequences of a micro-batch.
    pub(super) micro: Option<Found<u32>>,
    /// Micro-batches of a step.
    pub(super) accum: Option<Found<u32>>,
    /// Sequences of a step, over all replicas.
    pub(super) global: Option<Found<u32>>,
    /// Sequences of a step on one replica.
    pub(super) local: Option<Found<u32>>,
    /// Sequences of a step over micro-batches, on all GPUs of a replica: of `MaxText`, per device.
    pub(super) per_device: Option<Found<f64>>,
    /// Optimizer steps.
    pub(super) steps: Option<Found<f64>>,
    /// Sequences of the whole run.
    pub(super) samples: Option<Found<f64>>,
    /// What the framework takes where none is said.
    pub(super) default_micro_batch: u32,
}

/// What was said of the GPUs.
#[derive(Clone, Debug, Default)]
pub(super) struct WorldSizeFields {
    pub(super) gpus: Option<Found<u32>>,
    pub(super) nodes: Option<Found<u32>>,
    pub(super) per_node: Option<Found<u32>>,
    /// Data-parallel replicas, where a format counts those and not GPUs.
    pub(super) replicas: Option<Found<u32>>,
    /// What weights are replicated and sharded over.
    pub(super) replicate: Option<Found<u32>>,
    pub(super) shard: Option<Found<u32>>,
    /// Whether one GPU is what the framework uses where none is said.
    pub(super) is_single: bool,
}

/// A scenario with its lists.
pub(super) struct Draft {
    pub(super) scenario: Scenario,
    pub(super) understood: Vec<Line>,
    pub(super) assumed: Vec<String>,
    pub(super) contradictions: Vec<String>,
    pub(super) batch: BatchFields,
    pub(super) world: WorldSizeFields,
    /// The names of the files.
    pub(super) names: Vec<String>,
    /// All formats of the run.
    pub(super) formats: Vec<Format>,
    /// Whether a model was named or described.
    pub(super) has_model: bool,
    /// Whether a model was named that nobody knows.
    pub(super) names_unknown_model: bool,
    /// Whether a file said how the state is sharded.
    pub(super) has_strategy: bool,
    /// Whether a file said how long sequences are.
    pub(super) has_length: bool,
    /// What decides whether it fits and no file said, once all are read.
    pub(super) open: Vec<Unsaid>,
    /// The parameters that files say.
    pub(super) said: Vec<ParamId>,
    /// Whether the newest release was taken, as nothing says which.
    pub(super) takes_newest: bool,
    /// The release that was chosen by hand.
    release: Option<&'static Release>,
    /// The run as it was read before: what a program does may depend on its choices.
    chosen: Scenario,
}

impl Draft {
    /// Begins with what a run's configuration does not say: cluster, GPUs, model, price. Everything
    /// else is as in an empty link. `chosen` is the run as it was read before.
    pub(super) fn new(base: &Scenario, formats: &[Format], chosen: &Scenario) -> Self {
        let scenario = Scenario {
            model: base.model,
            accelerator: base.accelerator,
            network: base.network,
            gpus: base.gpus,
            topology: base.topology,
            run: base.run,
            choices: Choices { mfu_convention: base.mfu_convention, ..Choices::DEFAULT },
            ..v1::start()
        };
        Self {
            scenario,
            understood: Vec::new(),
            assumed: Vec::new(),
            contradictions: Vec::new(),
            batch: BatchFields { default_micro_batch: 1, ..BatchFields::default() },
            world: WorldSizeFields::default(),
            names: Vec::new(),
            formats: formats.to_vec(),
            has_model: false,
            names_unknown_model: false,
            has_strategy: false,
            has_length: false,
            open: Vec::new(),
            said: Vec::new(),
            takes_newest: false,
            release: base.release.map(|Known(release)| release),
            chosen: *chosen,
        }
    }

    /// Sets what a program does by itself: at the release that was chosen, at the last one that
    /// knows a file's keys, or at the newest.
    pub(super) fn program(&mut self, program: &str, keys: &Keys) {
        let Some(newest) = releases::newest(program) else { return };
        let chosen = self.release.filter(|release| release.program_key() == program);
        let release = chosen.unwrap_or_else(|| {
            let gone = GONE.iter().filter(|gone| gone.program == program);
            let mut found = gone.filter_map(|gone| Some((gone, *gone.keys.iter().find(|key| keys.has(key))?)));
            let Some((gone, key)) = found.next() else {
                self.takes_newest = true;
                self.assume(format!(
                    "The files name no release of {}: {}, the newest that is known.",
                    newest.program, newest.name
                ));
                return newest;
            };
            let release = releases::before(program, gone.since).unwrap_or(newest);
            self.assume(format!(
                "{} has no {key} since {} ({}): the run is taken to be of {}.",
                newest.program,
                gone.since,
                gone.says.trim_end_matches('.'),
                release.name
            ));
            release
        });
        if chosen.is_some() {
            self.assume(format!("It is read at the release that was chosen: {}.", release.full_name()));
        }
        release.apply(&mut self.scenario, &self.chosen);
        self.attention_of_the_gpu();
        self.below();
    }

    /// FlashAttention-2, PyTorch's own, is written for Ampere: the tuned kernel there.
    pub(super) fn attention_of_the_gpu(&mut self) {
        if self.scenario.kernels.attention == AttentionKernel::Flash && !self.generation().is_from_hopper() {
            self.scenario.kernels.attention = AttentionKernel::FlashTuned;
        }
    }

    /// Whether the run is of a program's release from a day on.
    pub(super) fn is_from(&self, program: &str, day: &str) -> bool {
        let release = self.scenario.release.map(|Known(release)| release);
        release.is_some_and(|release| release.program_key() == program && release.since >= day)
    }

    /// What `DeepSpeed` does below the program of the run, where the run is on it.
    pub(super) fn below(&mut self) {
        let release = releases::newest("deepspeed").filter(|_| self.chosen.framework == Framework::DeepSpeed);
        if let Some(release) = release {
            release.apply_depending(&mut self.scenario, &self.chosen);
        }
    }

    /// What the program of the run does by itself, under a key of links.
    pub(super) fn usual(&self, id: ParamId) -> Option<&'static str> {
        self.scenario.release.and_then(|Known(release)| release.fact(id))
    }

    pub(super) fn has(&self, format: Format) -> bool {
        self.formats.contains(&format)
    }

    pub(super) fn generation(&self) -> Generation {
        self.scenario.accelerator.values.generation
    }

    /// Records a key with its meaning, unless it comes from no file.
    pub(super) fn record<T>(&mut self, found: &Found<T>, meaning: impl Into<String>) {
        if found.file == NO_FILE {
            return;
        }
        self.understood.push(Line {
            file: found.file,
            key: found.key.clone(),
            value: shortened(&found.shown),
            meaning: meaning.into(),
        });
    }

    pub(super) fn assume(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !self.assumed.contains(&sentence) {
            self.assumed.push(sentence);
        }
    }

    /// A key as a contradiction names it: of several files with its file, as two may have the same
    /// key.
    pub(super) fn key<T>(&self, found: &Found<T>) -> String {
        match self.names.get(found.file) {
            Some(name) if self.names.len() > 1 && name.is_empty() => {
                format!("{} (text {})", found.key, found.file.saturating_add(1))
            }
            Some(name) if self.names.len() > 1 => format!("{} ({name})", found.key),
            _ => found.key.clone(),
        }
    }

    /// The keys that said some parameters, as a contradiction names them; none where there is one
    /// file, whose keys the sentence is about in any case.
    pub(super) fn said_by(&self, ids: &[ParamId]) -> Vec<String> {
        if self.names.len() < 2 {
            return Vec::new();
        }
        let of = |id: &ParamId| {
            let label = format!("{} ", id.param().label);
            let line = self.understood.iter().find(|line| line.meaning.starts_with(&label))?;
            let found = Found { value: (), file: line.file, key: line.key.clone(), shown: String::new() };
            Some(self.key(&found))
        };
        ids.iter().filter_map(of).collect()
    }

    pub(super) fn contradict(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !self.contradictions.contains(&sentence) {
            self.contradictions.push(sentence);
        }
    }

    /// Sets a number, within the bounds of its parameter.
    pub(super) fn number<T: Into<f64> + Copy>(&mut self, found: Option<Found<T>>, id: ParamId) -> Option<f64> {
        let found = found?;
        let value: f64 = found.value.into();
        let param = id.param();
        let number = param.number()?.within(&self.scenario);
        // Shares are percents here.
        if !value.is_finite() || value < number.min || value > number.max || (number.integer && value.fract() != 0.0) {
            let [min, max] = [number.min, number.max].map(|bound| with_unit(number.unit, bound));
            let near =
                if value.is_finite() { value.clamp(number.min, number.max) } else { (number.get)(&self.scenario) };
            let near = if number.integer { near.round() } else { near };
            self.contradict(format!(
                "{} is {}: {} must be from {min} to {max}, and {} is used.",
                self.key(&found),
                shortened(&found.shown),
                param.label,
                with_unit(number.unit, near)
            ));
            (number.set)(&mut self.scenario, near);
            return Some(near);
        }
        (number.set)(&mut self.scenario, value);
        self.says(&found, id);
        let meaning = format!("{} {}", param.label, with_unit(number.unit, value));
        self.record(&found, meaning);
        Some(value)
    }

    /// Sets a number that follows from no key, unless it is out of bounds.
    pub(super) fn set_number(&mut self, id: ParamId, value: f64) {
        if let Kind::Number(number) = id.param().kind {
            let number = number.within(&self.scenario);
            if value >= number.min && value <= number.max {
                (number.set)(&mut self.scenario, value);
            }
        }
    }

    /// Sets the option (`option`: its key in links) that a key of a file selects; records that key.
    pub(super) fn set_option_from<T>(&mut self, found: &Found<T>, id: ParamId, option: &str) {
        let label = self.set_option(id, option);
        self.says(found, id);
        let meaning = format!("{}: {label}", id.param().label);
        self.record(found, meaning);
    }

    /// Records a parameter as set by a file.
    fn says<T>(&mut self, found: &Found<T>, id: ParamId) {
        if found.file != NO_FILE {
            self.said.push(id);
        }
    }

    /// Sets an option by its key in links, without recording a key; returns its label.
    pub(super) fn set_option(&mut self, id: ParamId, option: &str) -> &'static str {
        let Some(choice) = id.param().choice() else { return "" };
        let Some(index) = choice.options.iter().position(|other| other.key == option) else { return "" };
        (choice.set)(&mut self.scenario, index);
        choice.options.get(index).map_or("", |option| option.label)
    }

    /// Chooses the option that a word stands for; a word that stands for none is said, and nothing
    /// changes.
    pub(super) fn one_of(
        &mut self,
        found: Option<Found<String>>,
        id: ParamId,
        words: &[(&str, &str)],
    ) -> Option<String> {
        let found = found?;
        let Some((_, option)) = words.iter().find(|(word, _)| *word == found.value) else {
            self.unknown(&found, id);
            return None;
        };
        self.set_option_from(&found, id, option);
        Some((*option).to_owned())
    }

    /// Says that a value is not known.
    pub(super) fn unknown<T>(&mut self, found: &Found<T>, id: ParamId) {
        let param = id.param();
        let stays = match &param.kind {
            Kind::Choice(choice) => {
                choice.options.get((choice.get)(&self.scenario)).map_or("", |option| option.label).to_owned()
            }
            Kind::Number(number) => with_unit(number.unit, (number.get)(&self.scenario)),
        };
        self.assume(format!(
            "{} is “{}”, which is not known here: {} is {stays}.",
            found.key,
            shortened(&found.shown),
            param.label
        ));
    }

    /// Sets a parameter with the options “yes” and “no”, and records its key.
    pub(super) fn set_flag(&mut self, found: Option<Found<bool>>, id: ParamId) -> Option<bool> {
        let found = found?;
        self.set_option_from(&found, id, if found.value { "yes" } else { "no" });
        Some(found.value)
    }

    /// Sets the length of sequences.
    pub(super) fn length(&mut self, found: Option<Found<u32>>) {
        if self.number(found, ParamId::SequenceLength).is_some() {
            self.has_length = true;
        }
    }
}
