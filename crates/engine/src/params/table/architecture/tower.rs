//! The encoder of images or sound for a custom language model.

use super::{AxisUse, Choice, ChoiceOption, Group, Kind, Number, Param, Scale, Unit, custom, is_custom, option, whole};
use crate::scenario::Scenario;

/// For rows that only apply to models with an encoder.
pub(in crate::params) fn has_tower(scenario: &Scenario) -> bool {
    scenario.model.architecture().tower.is_used()
}

/// A row for a number of the encoder: a whole number, shown for models with an encoder, unless the
/// row overrides this.
macro_rules! of_tower {
    (
        $(#[$doc:meta])* $name:ident, $field:ident, $key:literal, $label:literal, $csv:literal, $min:literal ..= $max:literal,
        $help:literal
    ) => {
        of_tower!($(#[$doc])* $name, $field, $key, $label, $csv, $min ..= $max, |value| whole(value), $help);
    };
    (
        $(#[$doc:meta])* $name:ident, $field:ident, $key:literal, $label:literal, $csv:literal, $min:literal ..= $max:literal,
        |$value:ident| $typed:expr, $help:literal
    ) => {
        of_tower!($(#[$doc])* $name, $field, $key, $label, $csv, $min ..= $max, [relevant(has_tower)], |$value| $typed, $help);
    };
    (
        $(#[$doc:meta])* $name:ident, $field:ident, $key:literal, $label:literal, $csv:literal, $min:literal ..= $max:literal,
        [$($special:ident($($value_of:expr),*)),*], |$value:ident| $typed:expr, $help:literal
    ) => {
        $(#[$doc])*
        #[allow(clippy::cast_lossless, reason = "counts of 32 and of 64 bits alike")]
        pub(in crate::params) const $name: Param = Param {
            key: $key,
            label: $label,
            csv: $csv,
            group: Group::Architecture,
            help: $help,
            kind: Kind::Number(Number {
                unit: Unit::None,
                min: $min,
                max: $max,
                // A slider of doublings cannot start at 0.
                scale: if $min > 0.0 { Scale::PowersOfTwo } else { Scale::Linear },
                integer: true,
                bounds: None,
                get: |scenario| scenario.model.architecture().tower.$field as f64,
                set: |scenario, $value| {
                    if let Some(architecture) = custom(scenario) {
                        architecture.tower.$field = $typed;
                    }
                },
            }),
            applies: is_custom,
            axis: AxisUse::Never,
            ..Param::DEFAULT
        }
        $(.$special($($value_of),*))*;
    };
}

/// A row with two options of the encoder.
macro_rules! either {
    (
        $(#[$doc:meta])* $name:ident, $field:ident, $key:literal, $label:literal, $csv:literal,
        [$first:literal => $($first_option:expr),+], [$second:literal => $($second_option:expr),+], $help:literal
    ) => {
        $(#[$doc])*
        pub(in crate::params) const $name: Param = Param {
            key: $key,
            label: $label,
            csv: $csv,
            group: Group::Architecture,
            help: $help,
            kind: Kind::Choice(Choice {
                options: const { &[option($($first_option),+), option($($second_option),+)] as &[ChoiceOption] },
                get: |scenario| usize::from(scenario.model.architecture().tower.$field == $second),
                set: |scenario, index| {
                    if let (Some(architecture), true) = (custom(scenario), index < 2) {
                        architecture.tower.$field = if index == 0 { $first } else { $second };
                    }
                },
            }),
            applies: is_custom,
            axis: AxisUse::Never,
            ..Param::DEFAULT
        }
        .relevant(has_tower);
    };
}

of_tower!(
    /// Layers.
    LAYERS, layers, "towerlayers", "Encoder layers", "tower_layers", 0.0..=2000.0, [], |value| whole(value),
    "Layers of the encoder of images or sound before the language model (num_hidden_layers or depth in vision_config); 0 in a model of text alone."
);
of_tower!(
    /// Width.
    HIDDEN, hidden_size, "towerhidden", "Encoder width", "tower_hidden_size", 1.0..=262_144.0,
    "Width of the encoder's residual stream (hidden_size or embed_dim in vision_config)."
);
of_tower!(
    /// Heads.
    HEADS, heads, "towerheads", "Encoder heads", "tower_heads", 1.0..=4096.0,
    "Heads of the encoder's attention (num_attention_heads in vision_config)."
);
of_tower!(
    /// Width of the MLPs.
    MLP_WIDTH, mlp_width, "towerffn", "Encoder MLP width", "tower_mlp_width", 1.0..=2_097_152.0,
    "Width of the encoder's MLPs (intermediate_size in vision_config)."
);
either!(
    /// Gated or plain MLPs.
    MLP, gated, "towermlp", "Encoder MLP kind", "tower_mlp",
    [false => "plain", "Plain", "Two matrices, biases and layer norms (CLIP, SigLIP, Qwen2-VL)."],
    [true => "gated", "Gated", "Three matrices and root-mean-square norms (Pixtral, Qwen2.5-VL)."],
    "Whether the encoder's MLPs are gated."
);
of_tower!(
    /// Pixels of a patch.
    PATCH, patch_size, "patch", "Patch size", "patch_size", 1.0..=1024.0,
    "Pixels of a patch along one side (patch_size in vision_config): each patch is one position of the encoder."
);
of_tower!(
    /// Pixels of an image.
    IMAGE_SIZE, image_size, "imagesize", "Usual image size", "image_size", 1.0..=65_536.0,
    "Pixels of an image or tile along one side where the run says nothing else (image_size in vision_config)."
);
of_tower!(
    /// Patches of a token along one side.
    MERGE, merge, "merge", "Patches merged", "spatial_merge_size", 1.0..=64.0,
    "Patches along one side that become one token of the language model (spatial_merge_size, the inverse of a pixel shuffle's ratio)."
);
of_tower!(
    /// Positions of a clip.
    POSITIONS, fixed_positions, "positions", "Encoder positions", "tower_positions", 0.0..=1_000_000.0,
    "Positions of the encoder for each clip of sound, where they are always as many: 1,500 of Whisper's 30 seconds. 0 where the patches of an image say it."
);
of_tower!(
    /// Tokens of an image.
    TOKENS, fixed_tokens, "imagetokens", "Tokens of an image", "image_tokens", 0.0..=1_000_000.0,
    "Tokens that each image or clip gives the language model, where they are always as many (learned queries); 0 where the merged patches say it."
);
either!(
    /// The way in which the language model reads image tokens.
    IN_SEQUENCE, in_sequence, "imagesin", "Image tokens in", "image_tokens_in",
    [true => "sequence", "The sequence", "Images and text share the sequence."],
    [false => "crossattention", "Cross-attention", "Layers of the language model look them up: they take no place in the sequence (Llama 3.2 Vision)."],
    "Where the tokens of images stand."
);
of_tower!(
    /// Width of attention windows.
    WINDOW, window, "towerwindow", "Encoder window", "tower_window", 0.0..=1000.0,
    "Patches along one side of the windows in which the encoder's attention stays (window_size over patch_size); 0 where each patch sees its whole image."
);
of_tower!(
    /// Distance between layers that attend to the whole image.
    GLOBAL_EVERY, global_every, "towerglobal", "Encoder global layers, one of", "tower_global_every", 0.0..=100.0,
    "Of how many encoder layers one sees the whole image where the others stay in windows; 0 where all do."
);
of_tower!(
    /// Parameters.
    PARAMS, params, "towerparams", "Encoder parameters", "tower_params", 0.0..=1e12, |value| value.round() as u64,
    "Parameters of the encoder, with its embedding of patches and positions."
);
of_tower!(
    /// Parameters of the projection.
    PROJECTOR_PARAMS, projector_params, "projparams", "Projection parameters", "projector_params", 0.0..=1e12, |value| value.round() as u64,
    "Parameters of the projection from the encoder to the language model, the merging of patches with it."
);
