//! What a row recomputes.

use engine::model::training::{Recompute, RecomputeModules};

/// What is recomputed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recomputed {
    /// The mode.
    pub mode: Recompute,
    /// The modules, where the mode is by module.
    pub modules: RecomputeModules,
    /// The share of layers that are kept, where the mode is a fraction.
    pub keep_fraction: f64,
}

impl Recomputed {
    /// A mode that needs no more than its name.
    pub const fn all(mode: Recompute) -> Self {
        Self { mode, modules: RecomputeModules::USUAL, keep_fraction: 0.5 }
    }

    /// These modules.
    pub const fn by(modules: RecomputeModules) -> Self {
        Self { mode: Recompute::Modules, modules, keep_fraction: 0.5 }
    }

    /// Returns what the options of llm.q name (`--recompute-block`, `--recompute-swiglu` and others); `None` without one.
    pub fn of_llmq(text: &str) -> Option<Self> {
        let names = |name: &str| text.contains(&format!("recompute-{name}"));
        if names("block") || names("ffn") && (names("att") || names("qkv")) {
            return Some(Self::all(Recompute::Full));
        }
        let modules = RecomputeModules {
            core_attn: names("att"),
            mlp: names("ffn") || names("swiglu"),
            layernorm: names("norm"),
            ..RecomputeModules::NONE
        };
        (modules != RecomputeModules::NONE).then_some(Self::by(modules))
    }

    /// Returns the modules that a text names in Megatron's words; `None` if it names none.
    pub fn named(text: &str) -> Option<Self> {
        let names = |name: &str| {
            let is_part = |sign: char| !(sign.is_ascii_alphanumeric() || sign == '_');
            text.split(is_part).any(|word| word.eq_ignore_ascii_case(name))
        };
        let modules = RecomputeModules {
            core_attn: names("core_attn"),
            mlp: names("mlp"),
            moe: names("moe"),
            moe_act: names("moe_act"),
            layernorm: names("layernorm"),
            mla_up_proj: names("mla_up_proj"),
            shared_experts: names("shared_experts"),
        };
        (modules != RecomputeModules::NONE).then_some(Self::by(modules))
    }
}
