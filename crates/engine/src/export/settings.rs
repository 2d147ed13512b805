//! The scenario in the words of training frameworks: a file that each of them reads, and what it cannot say.

mod accelerate;
mod asked;
mod deepspeed;
mod fsdp2;
mod megatron;
mod notes;
mod stages;
mod torchtitan;

use crate::scenario::Scenario;
use asked::Asked;
pub use notes::ALL as NOTES;

/// A framework whose settings can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

impl Framework {
    /// Every framework, in display order.
    pub const ALL: [Self; 5] = [Self::Fsdp2, Self::Torchtitan, Self::DeepSpeed, Self::Megatron, Self::Accelerate];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fsdp2 => "PyTorch FSDP2",
            Self::Torchtitan => "torchtitan",
            Self::DeepSpeed => "DeepSpeed",
            Self::Megatron => "Megatron-LM",
            Self::Accelerate => "Accelerate",
        }
    }
}

/// The settings of one framework.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The name under which the file is saved.
    pub file_name: &'static str,
    /// Its language.
    pub language: &'static str,
    /// The file.
    pub body: String,
    /// What the framework cannot express or what only comes close, in sentences; also in the file where it may hold comments.
    pub notes: Vec<&'static str>,
}

/// A scenario's settings in a framework's words. Degrees are the ones that are computed with: their product is the number of GPUs.
///
/// ```
/// use shardwise::{catalog, export::settings::{Framework, text}};
///
/// let settings = text(Framework::DeepSpeed, &catalog::default_scenario());
/// assert!(settings.body.contains("\"stage\": 3"));
/// ```
pub fn text(framework: Framework, scenario: &Scenario) -> Settings {
    let asked = Asked::new(scenario);
    let (file_name, language, (body, notes)) = match framework {
        Framework::Fsdp2 => ("train_fsdp2.py", "python", fsdp2::write(asked)),
        Framework::Torchtitan => ("shardwise_config.py", "python", torchtitan::write(asked)),
        Framework::DeepSpeed => ("ds_config.json", "json", deepspeed::write(asked)),
        Framework::Megatron => ("megatron.sh", "bash", megatron::write(asked)),
        Framework::Accelerate => ("accelerate.yaml", "yaml", accelerate::write(asked)),
    };
    Settings { file_name, language, body, notes }
}
