//! The shape of recurrent mixers, and parameters that no other row describes.

use super::{
    AxisUse, Choice, ChoiceOption, Group, Kind, NO_YES, NO_YES_OPTIONS, Number, Param, Scale, Unit, custom, is_custom,
    option, position, whole,
};
use crate::model::transformer::recurrent::RecurrentKind;
use crate::scenario::Scenario;

/// For rows that only apply to models with a recurrent mixer.
pub(in crate::params) fn has_recurrent_layers(scenario: &Scenario) -> bool {
    scenario.model.architecture().recurrent.is_used()
}

/// The kinds, in the order of [`MIXER_OPTIONS`].
const MIXERS: &[RecurrentKind] = &[
    RecurrentKind::Mamba,
    RecurrentKind::Mamba2,
    RecurrentKind::GatedDelta,
    RecurrentKind::KimiDelta,
    RecurrentKind::Lightning,
    RecurrentKind::RgLru,
    RecurrentKind::ShortConv,
];

const MIXER_OPTIONS: &[ChoiceOption] = &[
    option("mamba", "Mamba", "A state for each channel (Jamba)."),
    option("mamba2", "Mamba-2", "Heads of channels with a scalar decay (Nemotron-H, Granite 4, Falcon-H1)."),
    option("gated-delta", "Gated delta network", "A delta rule with a gate (Qwen3-Next, Qwen3.5)."),
    option("kimi-delta", "Kimi delta attention", "A delta rule with a decay for each channel (Kimi Linear)."),
    option("lightning", "Lightning attention", "Linear attention with a fixed decay (MiniMax)."),
    option("rg-lru", "RG-LRU", "A gated linear recurrence (RecurrentGemma)."),
    option("short-conv", "Short convolution", "A gated convolution over a few tokens (LFM2)."),
];

named!(
    /// The recurrent mixer.
    MIXER, recurrent.kind, "mixer", "State mixer", MIXERS, MIXER_OPTIONS, [relevant(has_recurrent_layers)],
    "How layers with a state of a fixed size mix their tokens, in the place of attention or beside it."
);
count!(
    /// Heads of values.
    HEADS, recurrent.heads, "stateheads", "State heads", 0.0..=50_000.0, [relevant(has_recurrent_layers)],
    "Heads of the values of the state mixer (mamba_num_heads, linear_num_value_heads in config.json); 0 in a model without one."
);
count!(
    /// Channels of a head of values.
    HEAD_DIM, recurrent.head_dim, "stateheaddim", "State head width", 0.0..=200_000.0, [relevant(has_recurrent_layers)],
    "Channels of one head of the state mixer's values (mamba_head_dim, linear_value_head_dim in config.json)."
);
count!(
    /// Heads of keys.
    KEY_HEADS, recurrent.key_heads, "statekeyheads", "State key heads", 0.0..=50_000.0, [relevant(has_recurrent_layers)],
    "Heads of the state mixer's keys, Mamba-2's groups (n_groups, linear_num_key_heads in config.json)."
);
count!(
    /// Channels of a head of keys.
    KEY_DIM, recurrent.key_dim, "statekeydim", "State size", 0.0..=200_000.0, [relevant(has_recurrent_layers)],
    "Channels of one head of the state mixer's keys, Mamba's state (ssm_state_size, linear_key_head_dim in config.json)."
);
count!(
    /// Tokens of the convolution.
    CONV, recurrent.conv_kernel, "convwidth", "Convolution width", 0.0..=1000.0, [relevant(has_recurrent_layers)],
    "Tokens that the state mixer's short convolution sees (conv_kernel, linear_conv_kernel_dim in config.json); 0 without one."
);
count!(
    /// The low rank inside the mixer.
    RANK, recurrent.rank, "staterank", "State rank", 0.0..=200_000.0, [relevant(has_recurrent_layers)],
    "Rank of Mamba's step (time_step_rank in config.json), or of Kimi's decay and gate; 0 without."
);
count!(
    /// Tokens of a chunk.
    CHUNK, recurrent.chunk, "statechunk", "State chunk", 0.0..=50_000.0, [relevant(has_recurrent_layers)],
    "Tokens of one chunk of the state mixer's scan (chunk_size in config.json); 0 for the kernel's usual one."
);
named!(
    /// Bias of the convolution.
    CONV_BIAS, recurrent.conv_bias, "convbias", "Convolution bias", NO_YES, NO_YES_OPTIONS, [relevant(has_recurrent_layers)],
    "Whether the state mixer's convolution has a bias (use_conv_bias in config.json)."
);
named!(
    /// Biases of the projections.
    BIAS, recurrent.bias, "statebias", "State mixer bias", NO_YES, NO_YES_OPTIONS, [relevant(has_recurrent_layers)],
    "Whether the projections into and out of the state mixer have biases (mamba_proj_bias in config.json)."
);

/// A row for a number of parameters, limited to integers that a double represents exactly.
macro_rules! extra {
    ($(#[$doc:meta])* $name:ident, $field:ident, $key:literal, $label:literal, $help:literal) => {
        $(#[$doc])*
        pub(in crate::params) const $name: Param = Param {
            key: $key,
            label: $label,
            csv: concat!("extra_params_", stringify!($field)),
            group: Group::Architecture,
            help: $help,
            kind: Kind::Number(Number {
                unit: Unit::None,
                min: -1e12,
                max: 1e12,
                scale: Scale::Linear,
                integer: true,
                bounds: None,
                get: |scenario| scenario.model.architecture().extra.$field as f64,
                set: |scenario, value| {
                    if let Some(architecture) = custom(scenario) {
                        architecture.extra.$field = value.round() as i64;
                    }
                },
            }),
            applies: is_custom,
            axis: AxisUse::Never,
            ..Param::DEFAULT
        };
    };
}

extra!(
    /// Parameters of layers that no other row describes.
    EXTRA_LAYERS, layers, "extralayers", "Other parameters of layers",
    "Parameters of all layers together that no other row counts: matrices of one family alone. Negative where it has fewer."
);
extra!(
    /// Parameters outside the layers that no other row describes.
    EXTRA_OUTSIDE, outside, "extraoutside", "Other parameters outside",
    "Parameters outside the layers that no other row counts, such as further tables that are looked up."
);
