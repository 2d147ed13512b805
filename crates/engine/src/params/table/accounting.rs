//! Conventions of the figures.

use super::{ChoiceOption, Group, Param, choice, option, position};
use crate::model::training::MfuConvention;

/// The conventions, in display order.
const CONVENTIONS: [MfuConvention; 3] =
    [MfuConvention::FullAttention, MfuConvention::CausalAttention, MfuConvention::ParametersOnly];

/// The options of the convention.
const CONVENTION_OPTIONS: &[ChoiceOption] = &[
    option("full-attention", "Full attention", "6 P + 12 L H s FLOPs a token, as PaLM and Megatron count."),
    option(
        "causal-attention",
        "Causal attention",
        "6 P + 6 L H s: only the half of the scores that a causal mask keeps.",
    ),
    option(
        "parameters-only",
        "Parameters only",
        "6 P: attention scores are left out, which understates long sequences.",
    ),
];

/// The FLOPs that the MFU counts.
pub(in crate::params) const MFU_CONVENTION: Param = Param {
    key: "mfu",
    label: "MFU convention",
    csv: "mfu_convention",
    group: Group::Accounting,
    help: "Which FLOPs model FLOPs utilisation counts. Publications differ; recomputation never counts (that is HFU).",
    kind: choice(
        CONVENTION_OPTIONS,
        |scenario| position(&CONVENTIONS, &scenario.mfu_convention),
        |scenario, index| scenario.mfu_convention = CONVENTIONS.get(index).copied().unwrap_or(scenario.mfu_convention),
    ),
    ..Param::DEFAULT
};
