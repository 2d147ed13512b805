//! Exports of a scenario for training frameworks: a file that each framework reads, and notes about
//! features that the framework cannot express.
//!
//! The files are templates (`templates`), one per framework; the module of a framework computes the
//! values of its template. DeepSpeed's and PEFT's JSON are written by `serde_json`.

pub(crate) mod accelerate;
mod adapters;
mod axolotl;
pub(crate) mod context;
mod deepspeed;
mod fsdp2;
mod llama_factory;
mod megatron;
mod notes;
mod peft;
mod read_back;
mod stages;
mod torchtitan;
pub(crate) mod torchtune;
mod trl;
mod tuning;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use catalog::programs::Program;
use context::ExportContext;
use engine::model::software::Loss;
use engine::scenario::Scenario;

/// Returns the text of a scenario's settings, and notes.
pub(crate) type Writer = fn(ExportContext) -> (String, Vec<&'static str>);

/// Programs with exported settings, in display order, with name and language of the file.
const WRITERS: [(Program, &str, &str, Writer); 10] = [
    (Program::Pytorch, "train_fsdp2.py", "python", fsdp2::write),
    (Program::Torchtitan, "shardwise_config.py", "python", torchtitan::write),
    (Program::Deepspeed, "ds_config.json", "json", deepspeed::write),
    (Program::MegatronLm, "megatron.sh", "bash", megatron::write),
    (Program::Accelerate, "accelerate.yaml", "yaml", accelerate::write),
    (Program::Peft, "adapter_config.json", "json", peft::write),
    (Program::Trl, "trl.yaml", "yaml", trl::write),
    (Program::Axolotl, "axolotl.yaml", "yaml", axolotl::write),
    (Program::LlamaFactory, "llamafactory.yaml", "yaml", llama_factory::write),
    (Program::Torchtune, "torchtune.yaml", "yaml", torchtune::write),
];

/// Returns the programs with exported settings, in display order.
pub fn programs() -> [Program; WRITERS.len()] {
    WRITERS.map(|(program, ..)| program)
}

/// Whether a loss differs from PyTorch's in its casts or in the tensors that it keeps.
const fn keeps_or_casts(loss: Loss) -> bool {
    matches!(loss, Loss::KeptLogits | Loss::Fp32Logits | Loss::Bf16 | Loss::Bf16Kept)
}

/// The settings of one framework.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The name of the file.
    pub file_name: Cow<'static, str>,
    /// The language of the file: `python`, `json`, `bash` or `yaml`.
    pub language: Cow<'static, str>,
    /// The text of the file.
    pub body: String,
    /// Sentences about features that the framework cannot express or only approximates; they are
    /// also in the file if its format has comments. The last says what differs when the file is
    /// read.
    pub notes: Vec<Cow<'static, str>>,
}

/// Returns the other programs whose files a text names: they are part of the run.
pub(crate) fn named_in(program: Program, text: &str) -> impl Iterator<Item = (Program, &'static str, Writer)> {
    let is_named = move |other: Program, name: &str| other != program && text.contains(name);
    WRITERS
        .into_iter()
        .filter(move |&(other, name, ..)| is_named(other, name))
        .map(|(other, name, _, write)| (other, name, write))
}

/// Writes the settings of a scenario for a program; `None` if the program has no writer. The
/// degrees of parallelism are those of the engine: their product is the number of GPUs.
///
/// ```
/// use catalog::programs::Program;
/// use files::settings::text;
///
/// let settings = text(Program::Deepspeed, &catalog::default_scenario()).unwrap();
/// assert!(settings.body.contains("\"stage\": 3"));
/// ```
pub fn text(program: Program, scenario: &Scenario) -> Option<Settings> {
    let (_, file_name, language, write) = WRITERS.into_iter().find(|(known, ..)| *known == program)?;
    let mut context = ExportContext::new(scenario);
    notes::add_model_notes(&mut context, program);
    let (body, notes) = write(context);
    let mut settings = Settings {
        file_name: file_name.into(),
        language: language.into(),
        body,
        notes: notes.into_iter().map(Cow::Borrowed).collect(),
    };
    settings.notes.extend(read_back::difference(program, &settings, scenario).map(Cow::Owned));
    Some(settings)
}
