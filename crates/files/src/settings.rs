//! Exports of a scenario for training frameworks: a file that each framework reads, and notes about
//! features that the framework cannot express.
//!
//! The files are templates (`templates`), one per framework; the module of a framework computes the
//! values of its template. DeepSpeed's and PEFT's JSON are written by `serde_json`.

mod accelerate;
mod adapters;
mod axolotl;
mod context;
mod deepspeed;
mod fsdp2;
mod llama_factory;
mod megatron;
mod notes;
mod peft;
mod stages;
mod torchtitan;
mod torchtune;
mod trl;
mod tuning;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use context::ExportContext;
use engine::model::software::Loss;
use engine::scenario::Scenario;

/// A framework with exported settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Framework {
    /// PyTorch FSDP2, as Python code.
    Fsdp2,
    /// torchtitan, as a Python file with a function that returns its configuration.
    Torchtitan,
    /// DeepSpeed, as JSON.
    DeepSpeed,
    /// Megatron-LM, as the flags of a shell script.
    Megatron,
    /// Accelerate, as YAML.
    Accelerate,
    /// PEFT, as the JSON of an adapter.
    Peft,
    /// TRL, as YAML.
    Trl,
    /// Axolotl, as YAML.
    Axolotl,
    /// LLaMA-Factory, as YAML.
    LlamaFactory,
    /// torchtune, as the YAML of a recipe.
    Torchtune,
}

impl Framework {
    /// Every framework, in display order.
    pub const ALL: [Self; 10] = [
        Self::Fsdp2,
        Self::Torchtitan,
        Self::DeepSpeed,
        Self::Megatron,
        Self::Accelerate,
        Self::Peft,
        Self::Trl,
        Self::Axolotl,
        Self::LlamaFactory,
        Self::Torchtune,
    ];

    /// Returns the name of the framework.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fsdp2 => "PyTorch FSDP2",
            Self::Torchtitan => "torchtitan",
            Self::DeepSpeed => "DeepSpeed",
            Self::Megatron => "Megatron-LM",
            Self::Accelerate => "Accelerate",
            Self::Peft => "PEFT",
            Self::Trl => "TRL",
            Self::Axolotl => "Axolotl",
            Self::LlamaFactory => "LLaMA-Factory",
            Self::Torchtune => "torchtune",
        }
    }
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
    /// Sentences about features that the framework cannot express or only approximates. They are
    /// also in the file if its format has comments.
    pub notes: Vec<Cow<'static, str>>,
}

/// Writes the settings of a scenario for a framework. The degrees of parallelism are those of the
/// engine: their product is the number of GPUs.
///
/// ```
/// use files::settings::{Framework, text};
///
/// let settings = text(Framework::DeepSpeed, &catalog::default_scenario());
/// assert!(settings.body.contains("\"stage\": 3"));
/// ```
pub fn text(framework: Framework, scenario: &Scenario) -> Settings {
    let mut context = ExportContext::new(scenario);
    notes::add_model_notes(&mut context, framework);
    let (file_name, language, (body, notes)) = match framework {
        Framework::Fsdp2 => ("train_fsdp2.py", "python", fsdp2::write(context)),
        Framework::Torchtitan => ("shardwise_config.py", "python", torchtitan::write(context)),
        Framework::DeepSpeed => ("ds_config.json", "json", deepspeed::write(context)),
        Framework::Megatron => ("megatron.sh", "bash", megatron::write(context)),
        Framework::Accelerate => ("accelerate.yaml", "yaml", accelerate::write(context)),
        Framework::Peft => ("adapter_config.json", "json", peft::write(context)),
        Framework::Trl => ("trl.yaml", "yaml", trl::write(context)),
        Framework::Axolotl => ("axolotl.yaml", "yaml", axolotl::write(context)),
        Framework::LlamaFactory => ("llamafactory.yaml", "yaml", llama_factory::write(context)),
        Framework::Torchtune => ("torchtune.yaml", "yaml", torchtune::write(context)),
    };
    let notes = notes.into_iter().map(Cow::Borrowed).collect();
    Settings { file_name: file_name.into(), language: language.into(), body, notes }
}
