//! Parses the recomputation of a row, with the default of its stack.

use super::stack::Stack;
use crate::row::Row;
use crate::text::leading_number;
use crate::{LeftOut, Notes};
use engine::model::training::{Recompute, RecomputeModules};

/// Recomputation settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Recomputed {
    /// Recomputation mode.
    pub mode: Recompute,
    /// Recomputed modules, if the mode is by module.
    pub modules: RecomputeModules,
    /// Share of layers that are not recomputed, if the mode is a fraction.
    pub keep_fraction: f64,
}

impl Recomputed {
    /// Creates settings for a mode without further parameters.
    const fn all(mode: Recompute) -> Self {
        Self { mode, modules: RecomputeModules::USUAL, keep_fraction: 0.5 }
    }

    /// Returns the modules named in Megatron's terms; `None` if there are none.
    fn named(text: &str) -> Option<Self> {
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
        let is_any = modules != RecomputeModules::NONE;
        is_any.then_some(Self { mode: Recompute::Modules, modules, keep_fraction: 0.5 })
    }
}

/// Words for no recomputation and for full recomputation.
const NOTHING: [&str; 5] = ["none", "no", "false", "off", "disabled"];
const EVERYTHING: [&str; 4] = ["full", "yes", "true", "all"];

/// Parses recomputation of whole layers: none, full, or full for some layers. The first word takes
/// precedence, as later words may describe the storage (`full, checkpoints offloaded to host`) or
/// other runs.
fn whole(text: &str) -> Option<Recomputed> {
    let words: Vec<&str> = text
        .split(|sign: char| !(sign.is_ascii_alphanumeric() || "_-".contains(sign)))
        .filter(|word| !word.is_empty())
        .collect();
    let first = words.first()?;
    let says = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    if NOTHING.contains(first) || text.contains("[]") {
        Some(Recomputed::all(Recompute::None))
    } else if let Some(kept) = kept_beside(text) {
        Some(Recomputed { keep_fraction: kept, ..Recomputed::all(Recompute::Fraction) })
    } else if (says(&EVERYTHING) || text.contains("every layer")) && !first.starts_with("selective") {
        Some(Recomputed::all(Recompute::Full))
    } else if says(&NOTHING) {
        Some(Recomputed::all(Recompute::None))
    } else {
        None
    }
}

/// Returns the share of layers that are not recomputed, in a text such as
/// `full on 10 of 80 layers`.
fn kept_beside(text: &str) -> Option<f64> {
    let (_, after) = text.split_once("full on ")?;
    let (again, rest) = leading_number(after)?;
    let (of, rest) = leading_number(rest.trim_start().strip_prefix("of ")?)?;
    (rest.contains("layer") && (0.0..=of).contains(&again) && of > 0.0).then_some(1.0 - again / of)
}

/// Returns the recomputation of a row.
///
/// # Errors
///
/// Returns an error for a kind that the engine does not model.
pub(super) fn recompute(row: &Row, stack: Stack, notes: &mut Notes) -> Result<Recomputed, LeftOut> {
    let text = row.act_ckpt.to_ascii_lowercase();
    let says = |wanted: &[&str]| wanted.iter().any(|word| text.contains(word));
    if text.is_empty() || says(&["not stated", "default"]) {
        let mode = stack.habits().recompute;
        notes.add(format!("checkpointing {mode:?} assumed, the program's default"));
        return Ok(Recomputed::all(mode));
    }
    if stack == Stack::MaxText {
        // `minimal` keeps the outputs of all matmuls; `custom` policies keep the outputs that they
        // name.
        return Ok(Recomputed::all(if text.starts_with("full") { Recompute::Full } else { Recompute::Selective }));
    }
    if let Some(mode) = whole(&text) {
        return Ok(mode);
    }
    let of_megatron = matches!(stack, Stack::MegatronCore | Stack::MegatronEarly | Stack::Nemo);
    if of_megatron && let Some(named) = Recomputed::named(&text) {
        return Ok(named);
    }
    if says(&["attention core", "attention-core", "core attention"]) {
        return Ok(Recomputed::all(Recompute::AttentionCore));
    }
    if says(&["selective", "op", "sac"]) {
        let mode = if of_megatron { Recompute::AttentionCore } else { Recompute::Selective };
        return Ok(Recomputed::all(mode));
    }
    Err(LeftOut::because("a kind of recomputation that is not modelled").about(&row.act_ckpt))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_read_and_the_first_decides() {
        let mode = |text: &str| whole(text).map(|read| read.mode);
        for text in [
            "full, checkpoints offloaded to host",
            "full (gradient_checkpointing true)",
            "yes",
            "checkpointing: full",
            "all but MoE",
        ] {
            assert_eq!(mode(text), Some(Recompute::Full), "{text}");
        }
        for text in [
            "none (nanotron default recompute_layer=false)",
            "none (1 gpu); fsdp activation checkpointing on all blocks",
            "no selective activation rematerialization",
            "selective: [] (none)",
            "checkpointing off",
        ] {
            assert_eq!(mode(text), Some(Recompute::None), "{text}");
        }
        for text in [
            "selective (op)",
            "selective (full attention core)",
            "recompute-norm",
            "custom: layer input offloaded to host",
        ] {
            assert_eq!(mode(text), None, "{text}");
        }
    }

    #[test]
    fn some_layers_in_full_keep_the_others() {
        let read = whole("full on 10 of 80 layers").unwrap_or(Recomputed::all(Recompute::None));
        assert_eq!(read.mode, Recompute::Fraction);
        assert!((read.keep_fraction - 0.875).abs() < 1e-12);
    }
}
