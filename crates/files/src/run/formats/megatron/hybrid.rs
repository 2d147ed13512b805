//! Megatron's list of layers, one letter per layer (`--hybrid-layer-pattern`, formerly
//! `--hybrid-override-pattern`; core/models/hybrid/hybrid_layer_allocation.py): `M` is Mamba-2, `*`
//! attention, `-` MLP, `E` experts. Stages are separated by `|`; after each `/` follow the layers
//! that predict one further token.

use engine::model::transformer::Recurrent;
use engine::model::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};
use engine::model::transformer::recurrent::RecurrentKind;
use engine::params::ParamId;
use engine::scenario::Model;

use crate::run::draft::Draft;
use crate::run::formats::args::Args;
use crate::run::keys::KeyedValue;

/// Whether a text is a list of layers.
fn is_pattern(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| "MGDE*+-|/".contains(letter))
}

/// Reads the list, if the arguments have one.
pub(super) fn pattern(args: &mut Args) -> Option<KeyedValue<String>> {
    args.text(&["hybrid_layer_pattern", "hybrid_override_pattern"]).filter(|found| is_pattern(&found.value))
}

/// Returns the number of layers, without those that predict further tokens.
pub(super) fn layers(found: &KeyedValue<String>) -> KeyedValue<u32> {
    found.with(u32::try_from(letters(&found.value).count()).unwrap_or(u32::MAX).max(1))
}

fn main(pattern: &str) -> &str {
    pattern.split('/').next().unwrap_or_default()
}

/// Returns the letter of each layer.
fn letters(pattern: &str) -> impl Iterator<Item = char> {
    main(pattern).chars().filter(|letter| *letter != '|')
}

/// Sets the kinds of layers of the model.
pub(super) fn set_layer_kinds(args: &mut Args, draft: &mut Draft, found: &KeyedValue<String>) {
    let Model::Custom { mut architecture } = draft.scenario.model else { return };
    let kinds = letters(&found.value).map(|letter| match letter {
        'M' | 'G' => LayerKind { mixer: Mixer::Recurrent, mlp: Mlp::None },
        '*' | '+' | 'D' => LayerKind { mixer: Mixer::Attention, mlp: Mlp::None },
        'E' => LayerKind { mixer: Mixer::None, mlp: Mlp::Experts },
        _ => LayerKind { mixer: Mixer::None, mlp: Mlp::Dense },
    });
    architecture.pattern = Pattern::from_layers(kinds);
    if architecture.num_hidden_layers != architecture.pattern.period() {
        draft.contradict(format!(
            "The list has {} layers and num_layers says {}: it is repeated.",
            architecture.pattern.period(),
            architecture.num_hidden_layers
        ));
    }
    architecture.norms_per_layer = 1;
    if found.value.contains(['M', 'G']) {
        let mut number =
            |name: &str, usual: u32| args.count(&[name]).map_or(usual, |found| found.value).clamp(1, 65_536);
        // Defaults of `TransformerConfig`; `MambaMixer` has heads for twice the width, a
        // convolution over 4 and chunks of 128.
        let head_dim = number("mamba_head_dim", 64);
        let heads = number("mamba_num_heads", (2 * architecture.hidden_size / head_dim).max(1));
        architecture.recurrent = Recurrent {
            kind: RecurrentKind::Mamba2,
            heads,
            head_dim,
            key_heads: number("mamba_num_groups", 8),
            key_dim: number("mamba_state_dim", 128),
            conv_kernel: 4,
            chunk: 128,
            conv_bias: true,
            ..Recurrent::NONE
        };
    }
    draft.scenario.model = Model::Custom { architecture };
    let count = |kind: char| letters(&found.value).filter(|letter| *letter == kind).count();
    draft.record(
        found,
        format!("Layers: {} Mamba-2, {} attention, {} MLP, {} experts", count('M'), count('*'), count('-'), count('E')),
    );
    if found.value.contains('G') {
        draft.assume("Gated delta networks in Megatron's list count as Mamba-2: add the model's config.json.");
    }
    if found.value.contains(['+', 'D']) {
        draft.assume("Latent and sparse attention in Megatron's list count as attention of the kind that the arguments describe.");
    }
    let further = found.value.split('/').skip(1).filter(|layers| !layers.is_empty()).count();
    if further > 0 {
        draft.set_number(ParamId::MultiTokenPrediction, further as f64);
    }
    if main(&found.value).contains('|') {
        draft.assume("The stages that Megatron's list marks (|) are not read: layers are divided evenly.");
    }
}
