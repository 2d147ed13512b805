//! The vision tower of a model, from its nested configuration: its shape, and its exact parameters.
//! Source: the classes of `transformers` that the model types name.

pub(super) mod images;
pub(super) mod qwen;
pub(super) mod sound;

use engine::model::transformer;
use serde_json::{Map, Value};

use super::class;

/// An encoder of images or sound, from its configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tower {
    /// Layers.
    pub layers: f64,
    /// Width of the residual stream.
    pub hidden: f64,
    /// Attention heads.
    pub heads: f64,
    /// Width of the MLPs.
    pub mlp: f64,
    /// Pixels of a patch along one side.
    pub patch: f64,
    /// Pixels of an image along one side; 0 if images of any size are read.
    pub image_size: f64,
    /// Patches along one side that become one token of the language model.
    pub merge: f64,
    /// Whether the MLPs are gated.
    pub gated: bool,
    /// Patches along one side of an attention window; 0 without windows.
    pub window: f64,
    /// Number of layers that attend to the whole image while others attend to windows.
    pub global_layers: f64,
    /// Positions of a clip of sound; 0 if positions follow from the patches of an image.
    pub positions: f64,
    /// Tokens of an image or clip, if their number is fixed; else 0.
    pub tokens: f64,
    /// Whether the tokens are part of the text sequence.
    pub in_sequence: bool,
    /// Parameters of the encoder, without the projection to the language model.
    pub params: f64,
    /// Parameters of the merger at the end of the encoder's class.
    pub merger: f64,
    /// Parameters of further encoders, whose work is not counted.
    pub others: f64,
}

/// Default pixels of an image along one side for encoders of any size: a tile of `InternVL`, about
/// 0.2 million pixels in all.
const ANY_SIZE: f64 = 448.0;

impl Tower {
    /// Returns the engine's encoder, with a projection of this many parameters in addition to the
    /// merger; `None` if a number is not one that the engine's encoder holds.
    pub(super) fn checked(&self, projection: f64) -> Option<transformer::Tower> {
        let whole = |value: f64, low: f64, high: f64| {
            (value.fract() == 0.0 && (low..=high).contains(&value)).then_some(value as u32)
        };
        let global_every = if self.global_layers > 0.0 { (self.layers / self.global_layers).round() } else { 0.0 };
        let counted = |value: f64| (0.0..=1e12).contains(&value).then_some(value as u64);
        Some(transformer::Tower {
            layers: whole(self.layers, 1.0, 2000.0)?,
            hidden_size: whole(self.hidden, 1.0, 262_144.0)?,
            heads: whole(self.heads, 1.0, 4096.0)?,
            mlp_width: whole(self.mlp.round(), 1.0, 2_097_152.0)?,
            gated: self.gated,
            patch_size: whole(self.patch, 1.0, 1024.0)?,
            image_size: whole(if self.image_size > 0.0 { self.image_size } else { ANY_SIZE }, 1.0, 65_536.0)?,
            merge: whole(self.merge.round(), 1.0, 64.0)?,
            fixed_positions: whole(self.positions, 0.0, 1e6)?,
            fixed_tokens: whole(self.tokens, 0.0, 1e6)?,
            in_sequence: self.in_sequence,
            window: whole(self.window.round(), 0.0, 1000.0)?,
            global_every: whole(global_every, 0.0, 100.0)?,
            params: counted(self.params)?,
            projector_params: counted(projection + self.merger)?,
        })
    }
}

/// Fields of a nested configuration, with the defaults of its class.
pub(super) struct NestedConfig<'a> {
    given: &'a Map<String, Value>,
    class: Map<String, Value>,
}

impl<'a> NestedConfig<'a> {
    /// Creates a part from a nested configuration; `usual` is the default type.
    pub(super) fn new(given: &'a Map<String, Value>, usual: &str) -> Self {
        let kind = given.get("model_type").and_then(Value::as_str).unwrap_or(usual);
        let values = class::values(kind);
        Self { given, class: if values.is_empty() { class::values(usual) } else { values } }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.given.get(name).or_else(|| self.class.get(name))
    }

    /// Returns a number, or the first of a list; 0 if absent.
    pub(super) fn number(&self, name: &str) -> f64 {
        let value = self.get(name);
        let first = value.and_then(Value::as_array).and_then(|list| list.first());
        first.or(value).and_then(Value::as_f64).filter(|value| value.is_finite()).unwrap_or(0.0).clamp(-1e9, 1e9)
    }

    /// Returns a number, or a default.
    pub(super) fn number_or(&self, name: &str, usual: f64) -> f64 {
        match self.number(name) {
            0.0 => usual,
            value => value,
        }
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.get(name) == Some(&Value::Bool(true))
    }

    /// Returns the numbers of a list.
    pub(super) fn numbers(&self, name: &str) -> Vec<f64> {
        /// Longer lists do not describe a shape.
        const MOST: usize = 64;
        let list = self.get(name).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_f64).filter(|value| value.abs() <= 1e9).take(MOST).collect()
    }

    /// Returns the number of entries of a list.
    pub(super) fn length(&self, name: &str) -> f64 {
        self.get(name).and_then(Value::as_array).map_or(0.0, |list| list.len() as f64)
    }
}

/// Returns the parameters of a matrix from one width to another, with biases or without.
pub(super) const fn linear(from: f64, to: f64, biased: bool) -> f64 {
    from * to + if biased { to } else { 0.0 }
}

/// Returns the parameters of a layer norm with biases.
pub(super) const fn layer_norm(width: f64) -> f64 {
    2.0 * width
}

/// Reads the dimensions that vision configurations share.
pub(super) fn shape(part: &NestedConfig) -> Tower {
    let hidden = part.number_or("hidden_size", part.number("embed_dim"));
    let ratio = part.number_or("mlp_ratio", 4.0);
    Tower {
        layers: part.number_or("num_hidden_layers", part.number("depth")),
        hidden,
        heads: part.number_or("num_attention_heads", part.number("num_heads")),
        mlp: part.number_or("intermediate_size", part.number_or("mlp_dim", ratio * hidden)),
        patch: part.number_or("patch_size", 1.0),
        image_size: part.number("image_size"),
        merge: part.number_or("spatial_merge_size", 1.0),
        gated: false,
        window: 0.0,
        global_layers: 0.0,
        positions: 0.0,
        tokens: 0.0,
        in_sequence: true,
        params: 0.0,
        merger: 0.0,
        others: 0.0,
    }
}

/// Returns the number of patches of an image.
pub(super) fn patches(tower: &Tower) -> f64 {
    let side = (tower.image_size / tower.patch).floor();
    side * side
}

/// Returns the parameters of a layer of attention with biases, a plain MLP with biases and two
/// layer norms.
pub(super) fn usual_layer(tower: &Tower) -> f64 {
    let (hidden, mlp) = (tower.hidden, tower.mlp);
    4.0 * linear(hidden, hidden, true)
        + linear(hidden, mlp, true)
        + linear(mlp, hidden, true)
        + 2.0 * layer_norm(hidden)
}

/// Returns the numbers of a patch: pixels times channels.
pub(super) fn pixels(part: &NestedConfig, tower: &Tower) -> f64 {
    part.number_or("num_channels", part.number_or("in_channels", 3.0)) * tower.patch * tower.patch
}
