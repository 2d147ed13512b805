//! The scenario under construction, filled from the keys of files.

use catalog::releases::{self, GONE, Known, Release};
use engine::model::choices::Choices;
use engine::model::hardware::Generation;
use engine::model::lengths::Batching;
use engine::model::software::{AttentionKernel, Framework};
use engine::model::training::HalfFormat;
use engine::params::quantity::with_unit;
use engine::params::{ParamId, ParamKind};
use engine::scenario::Scenario;
use links::release::{apply, apply_depending};
use links::v1;

use super::format::is_hugging_face;
use super::keys::{KeyedValue, Keys};
use super::spelling::shortened;
use super::{MissingValue, UnderstoodKey};
use catalog::programs::Program;
use huggingface::Stored;

/// Index of no file, for defaults of a program.
pub(super) const NO_FILE: usize = usize::MAX;

/// Batch sizes as the files state them; the micro-batch and accumulation follow when all files are
/// read.
#[derive(Clone, Debug, Default)]
pub(super) struct BatchFields {
    /// Sequences of a micro-batch.
    pub(super) micro: Option<KeyedValue<u32>>,
    /// Micro-batches of a step.
    pub(super) accum: Option<KeyedValue<u32>>,
    /// Sequences of a step, over all replicas.
    pub(super) global: Option<KeyedValue<u32>>,
    /// Sequences of a step on one replica.
    pub(super) local: Option<KeyedValue<u32>>,
    /// Sequences of a micro-batch per device, as `MaxText` counts; a replica has several devices.
    pub(super) per_device: Option<KeyedValue<f64>>,
    /// Optimizer steps.
    pub(super) steps: Option<KeyedValue<f64>>,
    /// Sequences of the whole run.
    pub(super) samples: Option<KeyedValue<f64>>,
    /// The framework's default micro-batch.
    pub(super) default_micro_batch: u32,
    /// Its default tokens of a micro-batch, where it counts tokens.
    pub(super) default_micro_tokens: Option<u32>,
    /// Whether micro-batches are made by tokens, so that their sequences divide no batch.
    pub(super) is_by_tokens: bool,
}

/// Numbers of GPUs, nodes and replicas as the files state them.
#[derive(Clone, Debug, Default)]
pub(super) struct WorldSizeFields {
    pub(super) gpus: Option<KeyedValue<u32>>,
    pub(super) nodes: Option<KeyedValue<u32>>,
    pub(super) per_node: Option<KeyedValue<u32>>,
    /// Data-parallel replicas, for formats that count replicas and not GPUs.
    pub(super) replicas: Option<KeyedValue<u32>>,
    /// Degrees over which weights are replicated and sharded.
    pub(super) replicate: Option<KeyedValue<u32>>,
    pub(super) shard: Option<KeyedValue<u32>>,
    /// Whether the framework uses one GPU by default.
    pub(super) is_single: bool,
    /// The command that starts the processes, [`super::tree::LAUNCHER`].
    pub(super) launcher: Option<String>,
}

/// A scenario with the lists of understood, assumed and contradictory values.
pub(super) struct Draft {
    pub(super) scenario: Scenario,
    pub(super) understood: Vec<UnderstoodKey>,
    pub(super) assumed: Vec<String>,
    pub(super) contradictions: Vec<String>,
    /// Settings that are not computed and may decide: `key = value: sentence`.
    pub(super) unread: Vec<String>,
    pub(super) batch: BatchFields,
    pub(super) world: WorldSizeFields,
    /// Names of the files.
    pub(super) names: Vec<String>,
    /// All programs of the run.
    pub(super) formats: Vec<Program>,
    /// Whether a model was named or described.
    pub(super) has_model: bool,
    /// Whether an unknown model was named.
    pub(super) names_unknown_model: bool,
    /// The name of a model that the catalog lacks.
    pub(super) unknown_model: Option<String>,
    /// Whether a file set the sharding strategy.
    pub(super) has_strategy: bool,
    /// Whether the files describe a model and no run.
    pub(super) is_model_alone: bool,
    /// Whether a file set the sequence length.
    pub(super) has_length: bool,
    /// Whether each sequence is one text, computed as if all had the longest's length.
    pub(super) is_unpacked: bool,
    /// Whether a file names the GPU.
    pub(super) names_gpu: bool,
    /// Whether adapters are asked for beside parameters that are no modules (`target_parameters`).
    pub(super) targets_parameters: bool,
    /// Facts that decide whether the run fits and that no file stated, once all files are read.
    pub(super) open: Vec<MissingValue>,
    /// Parameters that files set.
    pub(super) said: Vec<ParamId>,
    /// The format in which the model's repository stores its weights, where it is not 16 bits.
    pub(super) stored: Option<Stored>,
    /// Whether the newest release was assumed, as no file names one.
    pub(super) takes_newest: bool,
    /// The number of GPUs that was set by hand, which counts more than the files'.
    pub(super) gpus_by_hand: Option<u32>,
    /// The release set by hand.
    release: Option<&'static Release>,
    /// The scenario of an earlier reading: defaults of a program may depend on its settings.
    chosen: Scenario,
}

impl Draft {
    /// Creates a draft with the base's cluster, GPUs, model and price, which configurations do not
    /// state; all other values are those of an empty link. `chosen` is the scenario of an earlier
    /// reading.
    pub(super) fn new(base: &Scenario, formats: &[Program], chosen: &Scenario) -> Self {
        let scenario = Scenario {
            model: base.model,
            accelerator: base.accelerator,
            network: base.network,
            gpus: base.gpus,
            // A shard group of one node, as in an empty link.
            shard_size: base.network.values.gpus_per_node,
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
            unknown_model: None,
            has_strategy: false,
            has_length: false,
            is_unpacked: false,
            names_gpu: false,
            targets_parameters: false,
            open: Vec::new(),
            said: Vec::new(),
            stored: None,
            gpus_by_hand: None,
            unread: Vec::new(),
            is_model_alone: false,
            takes_newest: false,
            release: base.release.map(|Known(release)| release),
            chosen: *chosen,
        }
    }

    /// Sets a program's defaults: of the release set by hand, else of the last release that has the
    /// files' keys, else of the newest.
    pub(super) fn program(&mut self, program: Program, keys: &Keys) {
        let Some(newest) = releases::newest(program.key()) else { return self.below() };
        let chosen = self.release.filter(|release| release.program_key() == program.key());
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
            let release = releases::before(program.key(), gone.since).unwrap_or(newest);
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
        apply(release, &mut self.scenario, &self.chosen);
        self.attention_of_the_gpu();
        self.below();
    }

    /// Selects the tuned kernel before Hopper: PyTorch's FlashAttention-2 is written for Ampere.
    pub(super) fn attention_of_the_gpu(&mut self) {
        if self.scenario.kernels.attention == AttentionKernel::Flash && !self.generation().is_from_hopper() {
            self.scenario.kernels.attention = AttentionKernel::FlashTuned;
        }
    }

    /// Whether the run's release is of this program and dates from this day or later.
    pub(super) fn is_from(&self, program: Program, day: &str) -> bool {
        let release = self.scenario.release.map(|Known(release)| release);
        release.is_some_and(|release| release.program_key() == program.key() && release.since >= day)
    }

    /// Returns the newest release's choice for a key of links, if the run's release is an older one
    /// of this program.
    pub(super) fn changed_since(&self, program: Program, key: &str) -> Option<String> {
        let newest = releases::newest(program.key())?;
        let is_choice = engine::params::find(key).is_some_and(|param| param.choice().is_some());
        let fact = newest.facts.iter().find(|(fact, _)| *fact == key).filter(|_| is_choice)?;
        self.is_before(program, newest.since).then(|| fact.1.to_owned())
    }

    /// Whether the run's release is of this program and dates from before this day.
    pub(super) fn is_before(&self, program: Program, day: &str) -> bool {
        let release = self.scenario.release.map(|Known(release)| release);
        release.is_some_and(|release| release.program_key() == program.key() && release.since < day)
    }

    /// Sets the defaults of `DeepSpeed`, if the program of the run runs on `DeepSpeed`.
    pub(super) fn below(&mut self) {
        let release = releases::newest("deepspeed").filter(|_| self.chosen.framework == Framework::DeepSpeed);
        if let Some(release) = release {
            apply_depending(release, &mut self.scenario, &self.chosen);
        }
    }

    /// Returns the program's default of a parameter, as in links.
    pub(super) fn usual(&self, id: ParamId) -> Option<&'static str> {
        self.scenario.release.and_then(|Known(release)| release.fact(id.key()))
    }

    pub(super) fn has(&self, program: Program) -> bool {
        self.formats.contains(&program)
    }

    /// Whether no file of the run is a trainer's of Hugging Face, whose options these are.
    pub(super) fn is_alone(&self) -> bool {
        !self.formats.iter().any(|program| is_hugging_face(*program))
    }

    pub(super) fn generation(&self) -> Generation {
        self.scenario.accelerator.values.generation
    }

    /// Records a key with its meaning, unless the value comes from no file.
    pub(super) fn record<T>(&mut self, found: &KeyedValue<T>, meaning: impl Into<String>) {
        if found.file == NO_FILE {
            return;
        }
        self.understood.push(UnderstoodKey {
            file: found.file,
            key: found.key.clone(),
            value: shortened(&found.shown),
            meaning: meaning.into(),
        });
    }

    /// Notes a value that was not read and may decide: there is no verdict without it.
    pub(super) fn not_read<T>(&mut self, found: &KeyedValue<T>, why: &str) {
        self.unread.push(format!("{} = {}: {why}", found.key, shortened(&found.shown)));
    }

    pub(super) fn assume(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !self.assumed.contains(&sentence) {
            self.assumed.push(sentence);
        }
    }

    /// Returns a key as contradictions name it: with its file if there are several, as two files
    /// may have equal keys.
    pub(super) fn key<T>(&self, found: &KeyedValue<T>) -> String {
        match self.names.get(found.file) {
            Some(name) if self.names.len() > 1 && name.is_empty() => {
                format!("{} (text {})", found.key, found.file.saturating_add(1))
            }
            Some(name) if self.names.len() > 1 => format!("{} ({name})", found.key),
            _ => found.key.clone(),
        }
    }

    /// Returns the keys that set some parameters, as contradictions name them; empty for a single
    /// file.
    pub(super) fn said_by(&self, ids: &[ParamId]) -> Vec<String> {
        if self.names.len() < 2 {
            return Vec::new();
        }
        let of = |id: &ParamId| {
            let label = format!("{} ", id.param().label);
            let line = self.understood.iter().find(|line| line.meaning.starts_with(&label))?;
            let found = KeyedValue { value: (), file: line.file, key: line.key.clone(), shown: String::new() };
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

    /// Sets a number from a key and records the key; a number out of bounds is clamped and
    /// reported.
    pub(super) fn number<T: Into<f64> + Copy>(&mut self, found: Option<KeyedValue<T>>, id: ParamId) -> Option<f64> {
        let found = found?;
        let value: f64 = found.value.into();
        let param = id.param();
        let number = param.number()?.within(&self.scenario);
        // Shares are in percent here.
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
        if let ParamKind::Number(number) = id.param().kind {
            let number = number.within(&self.scenario);
            if value >= number.min && value <= number.max {
                (number.set)(&mut self.scenario, value);
            }
        }
    }

    /// Sets the option (`option`: its key in links) that a key of a file selects; records that key.
    pub(super) fn set_option_from<T>(&mut self, found: &KeyedValue<T>, id: ParamId, option: &str) {
        let label = self.set_option(id, option);
        if id == ParamId::Recipe {
            self.sixteen_bits(found);
        }
        self.says(found, id);
        // A later row of the same key decides.
        let is_earlier = |line: &UnderstoodKey| {
            let meaning = line.meaning.strip_prefix(id.param().label);
            line.file == found.file && line.key == found.key && meaning.is_some_and(|rest| rest.starts_with(": "))
        };
        self.understood.retain(|line| !is_earlier(line));
        let mut meaning = format!("{}: {label}", id.param().label);
        if id == ParamId::Recipe && self.scenario.half == HalfFormat::Fp16 {
            meaning = meaning.replace("bf16", "fp16");
        }
        self.record(found, meaning);
    }

    /// Sets the 16-bit format that a key names, by itself (`fp16: true`) or by its value
    /// (`mixed_precision: fp16`); `bf16: auto` leaves it to the GPU. bf16 is said only where the
    /// GPU has no units for it: elsewhere it is the GPU's own.
    pub(super) fn sixteen_bits<T>(&mut self, found: &KeyedValue<T>) {
        let says = [found.key.as_str(), found.shown.as_str()].map(str::to_ascii_lowercase);
        let is_auto = says[1].contains("auto");
        let names = |format: &str| !is_auto && says.iter().any(|text| text.contains(format));
        // The long name of bf16 ends like that of fp16.
        if names("bf16") || names("bfloat16") {
            let is_emulated = self.scenario.accelerator.values.emulates_bf16();
            self.scenario.half = if is_emulated { HalfFormat::Bf16 } else { HalfFormat::OfGpu };
        } else if names("fp16") || names("float16") || says[1] == "16-mixed" {
            self.scenario.half = HalfFormat::Fp16;
        }
    }

    /// Records a parameter as set by a file.
    fn says<T>(&mut self, found: &KeyedValue<T>, id: ParamId) {
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

    /// Sets the option of a word and records the key; an unknown word is reported, and nothing
    /// changes.
    pub(super) fn one_of(
        &mut self,
        found: Option<KeyedValue<String>>,
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

    /// Reports an unknown value.
    pub(super) fn unknown<T>(&mut self, found: &KeyedValue<T>, id: ParamId) {
        let param = id.param();
        let stays = match &param.kind {
            ParamKind::Choice(choice) => {
                choice.options.get((choice.get)(&self.scenario)).map_or("", |option| option.label).to_owned()
            }
            ParamKind::Number(number) => with_unit(number.unit, (number.get)(&self.scenario)),
        };
        self.assume(format!(
            "{} is “{}”, which is not known here: {} is {stays}.",
            found.key,
            shortened(&found.shown),
            param.label
        ));
    }

    /// Sets a parameter with the options “yes” and “no”, and records its key.
    pub(super) fn set_flag(&mut self, found: Option<KeyedValue<bool>>, id: ParamId) -> Option<bool> {
        let found = found?;
        self.set_option_from(&found, id, if found.value { "yes" } else { "no" });
        Some(found.value)
    }

    /// Sets the sequence length.
    pub(super) fn length(&mut self, found: Option<KeyedValue<u32>>) {
        if self.number(found, ParamId::SequenceLength).is_some() {
            self.has_length = true;
        }
    }

    /// Whether the length is the one at which texts are cut off. Answers that a run generates do
    /// reach it.
    pub(super) fn has_cut_off(&self) -> bool {
        let is_short =
            matches!(self.scenario.texts.batching, Batching::Padded | Batching::PaddingFree | Batching::Grouped);
        self.has_length && (is_short || self.is_unpacked) && !self.scenario.objective.task.generates()
    }
}
