//! Who published a fine-tuning run.

use crate::row::Row;
use crate::text::has;

/// A publisher of fine-tuning runs whose code is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// torchtune's README: its models at 2,048 tokens.
    Torchtune,
    /// torchtune's README: one optimization after another.
    TorchtuneFlags,
    /// torchtune's README of May 2024.
    TorchtuneEarly,
    /// Qwen's README.
    Qwen,
    /// ms-swift 1.x: its benchmark.
    SwiftBenchmark,
    /// ms-swift: the heads of its example scripts.
    SwiftExamples,
    /// Answer.AI's `fsdp_qlora`.
    FsdpQlora,
    /// Lit-GPT's resource tables of October 2023.
    LitTables,
    /// `LitGPT`'s configuration hub.
    LitHub,
    /// PEFT's README.
    PeftReadme,
    /// PEFT's documentation of FSDP with a quantized base.
    PeftFsdp,
    /// PEFT's comparison of methods.
    PeftMethods,
    /// `NeMo`'s launcher 24.07.
    Nemo,
    /// Megatron-Bridge.
    Bridge,
    /// `NeMo` `AutoModel`.
    Automodel,
    /// xtuner.
    Xtuner,
    /// GLM-4's README.
    Glm,
    /// universal-llm-trainer.
    Universal,
    /// Unsloth's README.
    Unsloth,
    /// Axolotl's examples.
    Axolotl,
    /// `MLPerf`'s Llama 2 70B.
    Mlperf,
    /// IBM's fms-acceleration: its benchmark of fms-hf-tuning.
    Fms,
    /// atorch's README.
    Atorch,
    /// Others.
    Other,
}

/// How a source's key begins, in lower case; the first that fits holds.
const KEYS: [(&str, Source); 25] = [
    ("torchtune readme optimisation", Source::TorchtuneFlags),
    ("torchtune readme (may", Source::TorchtuneEarly),
    ("torchtune readme", Source::Torchtune),
    ("qwen readme", Source::Qwen),
    ("qwen-vl readme", Source::Qwen),
    ("ms-swift benchmark", Source::SwiftBenchmark),
    ("ms-swift example", Source::SwiftExamples),
    ("answer.ai", Source::FsdpQlora),
    ("litgpt resource", Source::LitTables),
    ("litgpt config", Source::LitHub),
    ("peft readme", Source::PeftReadme),
    ("peft docs velora", Source::PeftMethods),
    ("peft docs", Source::PeftFsdp),
    ("nvidia nemo automodel", Source::Automodel),
    ("nemo automodel", Source::Automodel),
    ("nvidia megatron-bridge", Source::Bridge),
    ("megatron-bridge", Source::Bridge),
    ("nvidia nemo", Source::Nemo),
    ("nemo", Source::Nemo),
    ("xtuner", Source::Xtuner),
    ("glm-4", Source::Glm),
    ("universal", Source::Universal),
    ("unsloth", Source::Unsloth),
    ("axolotl", Source::Axolotl),
    ("ibm fms-acceleration", Source::Fms),
];

impl Source {
    /// Returns the source of a row about fine-tuning; `None` for other rows.
    pub fn of(row: &Row) -> Option<Self> {
        if row.source == "mlperf" && has(&row.model, &["lora"]) {
            return Some(Self::Mlperf);
        }
        let tunes = !row.trainable.is_empty() || names_adapters(row);
        let key = row.source.to_ascii_lowercase();
        let known = || KEYS.iter().find(|(start, _)| key.starts_with(start)).map(|(_, source)| *source);
        let atorch = || key.starts_with("atorch").then_some(Self::Atorch);
        tunes.then(|| known().or_else(atorch).unwrap_or(Self::Other))
    }
}

/// Whether a row outside the fine-tuning tables names adapters.
fn names_adapters(row: &Row) -> bool {
    has(&row.notes, &["lora"]) || has(&row.model, &["lora"]) || has(&row.sharding, &["lora"])
}
