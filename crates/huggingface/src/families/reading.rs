//! Reads a config by the steps of its family's row: steps implemented in Rust, and queries of
//! formulas.

use std::mem::take;

use serde_json::{Map, Value};

use super::extra::plus;
use crate::attention;
use crate::fields::Fields;
use crate::layers::Layers;
use engine::model::transformer::Architecture;
use engine::model::transformer::pattern::{LayerKind, Mixer, Mlp};
use engine::params::ParamId;

/// State of reading a config.
pub(super) struct Reading<'r, 'f> {
    pub(super) fields: &'r mut Fields<'f>,
    pub(super) shape: Architecture,
    /// The layers, from the step that lists them to the one that writes them.
    pub(super) layers: Layers,
}

impl<'f> Reading<'_, 'f> {
    /// Applies a reader of the crate.
    pub(super) fn by(&mut self, read: fn(&mut Fields, Architecture) -> Architecture) {
        self.shape = read(self.fields, self.shape);
    }

    /// Marks fields that do not change the shape.
    pub(super) fn ignore(&mut self, names: &[&'static str]) {
        for name in names {
            self.fields.mark(name);
        }
    }

    /// Reads a whole number within the bounds of a parameter; a default of 0 counts as no default
    /// for a required field.
    pub(super) fn count(&mut self, names: &[&'static str], id: ParamId, usual: f64, is_needed: bool) -> u32 {
        let usual = usual as u32;
        self.fields.count(names, id, (usual > 0 || !is_needed).then_some(usual))
    }

    /// Adds parameters that no field of a shape counts: in all layers together, and outside of
    /// layers.
    pub(super) fn plus(&mut self, layers: f64, outside: f64) {
        self.shape = plus(self.shape, layers, outside);
    }

    pub(super) fn tied(&mut self) {
        self.shape.tie_word_embeddings = self.fields.tied(self.shape.tie_word_embeddings);
    }

    pub(super) fn windows(&mut self) {
        self.by(attention::with_windows);
    }

    pub(super) fn switched_windows(&mut self) {
        self.by(attention::with_switched_windows);
    }

    pub(super) fn chunks(&mut self) {
        self.by(attention::with_chunks);
    }

    /// Lists the layers by the plain fields of the shape.
    pub(super) fn every_layer(&mut self) {
        self.layers = Layers::from_shape(&self.shape);
    }

    /// Sets the mixers of layers by a list.
    pub(super) fn named(&mut self, list: &'static str) {
        self.layers = take(&mut self.layers).named(self.fields, list);
    }

    /// Lists the layers by `layer_types`, and those with experts by `mlp_layer_types`,
    /// `moe_layer_freq` or `mlp_only_layers`.
    pub(super) fn layers(&mut self) {
        self.every_layer();
        self.named("layer_types");
        if self.shape.experts.num_experts == 0 {
            return;
        }
        let layers = take(&mut self.layers);
        let experts = |is_dense: bool| if is_dense { Mlp::Dense } else { Mlp::Experts };
        self.layers = if let Some(names) = self.fields.words("mlp_layer_types") {
            layers.followed(|layer| experts(names.get(layer) == Some(&"dense")))
        } else if let Some(kinds) = self.fields.list("moe_layer_freq") {
            // One number per layer: 1 for a layer with experts.
            self.fields.mark("moe_layer_freq");
            layers.followed(|layer| experts(kinds.get(layer).is_some_and(|kind| *kind == 0.0)))
        } else {
            self.fields.mark("mlp_only_layers");
            let dense = self.fields.list("mlp_only_layers").unwrap_or_default();
            let has_experts = Layers::from_shape(&self.shape);
            let among = |layer: usize| has_experts.kinds().get(layer).is_some_and(|kind| kind.mlp == Mlp::Experts);
            layers.followed(|layer| experts(!among(layer) || dense.iter().any(|place| *place == layer as f64)))
        };
    }

    /// Writes the layers into the shape.
    pub(super) fn write(&mut self) {
        self.shape = take(&mut self.layers).write(self.fields, self.shape);
    }

    /// Reads `mlp_only_layers`, if the list consists of the first layers.
    pub(super) fn leading_dense_layers(&mut self) {
        /// Upper bound of `first_k_dense_replace`.
        const MOST_FIRST: usize = 2000;
        let dense = self.fields.list("mlp_only_layers").unwrap_or_default();
        let first = |(place, layer): (usize, &Value)| *layer == place as f64;
        let every = self.shape.experts.moe_layer_step == 1;
        let are_first = every && dense.len() <= MOST_FIRST && dense.iter().enumerate().all(first);
        if are_first || dense.is_empty() {
            self.fields.mark("mlp_only_layers");
        }
        self.shape.experts.first_k_dense_replace = if are_first { dense.len() as u32 } else { 0 };
    }

    /// Marks a list of the layers with experts that agrees with the step; any other is reported as
    /// not understood.
    pub(super) fn layers_with_experts(&mut self) {
        let step = f64::from(self.shape.experts.moe_layer_step);
        let follows = |(place, layer): (usize, &Value)| *layer == (place as f64 + 1.0) * step - 1.0;
        if self.fields.list("moe_layers").is_some_and(|layers| layers.iter().enumerate().all(follows)) {
            self.fields.mark("moe_layers");
        }
    }

    // Queries of formulas, as described in data/huggingface.toml.

    pub(super) fn config(&mut self, name: &'static str) -> f64 {
        self.fields.number(&[name])
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.fields.peek(name).is_some()
    }

    pub(super) fn null(&self, name: &str) -> bool {
        self.fields.is_null(name)
    }

    pub(super) fn text(&self, name: &str) -> bool {
        self.fields.peek(name).is_some_and(Value::is_string)
    }

    pub(super) fn number(&self, name: &str) -> bool {
        self.fields.peek(name).is_some_and(Value::is_number)
    }

    pub(super) fn list(&self, name: &str) -> bool {
        self.fields.list(name).is_some()
    }

    pub(super) fn some(&self, name: &str) -> bool {
        self.fields.list(name).is_some_and(|list| !list.is_empty())
    }

    fn numbers(&self, name: &str) -> impl Iterator<Item = f64> + use<'f> {
        let number = |entry: &Value| entry.as_bool().map(f64::from).or_else(|| entry.as_f64());
        self.fields.list(name).into_iter().flatten().filter_map(number)
    }

    pub(super) fn length(&self, name: &str) -> f64 {
        self.numbers(name).count() as f64
    }

    pub(super) fn sum(&self, name: &str) -> f64 {
        self.numbers(name).sum()
    }

    pub(super) fn head(&self, name: &str) -> f64 {
        self.numbers(name).next().unwrap_or(0.0)
    }

    pub(super) fn below(&self, name: &str) -> f64 {
        let layers = f64::from(self.shape.num_hidden_layers);
        self.numbers(name).filter(|place| *place < layers).count() as f64
    }

    /// The length of letters of layers with a window, L, that end on the only G, one without.
    pub(super) fn period(&self, name: &str) -> f64 {
        let letters = self.fields.peek(name).and_then(Value::as_str).unwrap_or_default();
        let windows = letters.strip_suffix('G').filter(|windows| windows.chars().all(|letter| letter == 'L'));
        windows.map_or(0.0, |windows| windows.len() as f64 + 1.0)
    }

    pub(super) fn here(&self, name: &str, layer: f64) -> bool {
        self.numbers(name).any(|place| place == layer)
    }

    pub(super) fn at(&self, name: &str, layer: f64) -> f64 {
        self.numbers(name).nth(layer as usize).unwrap_or(f64::NAN)
    }

    pub(super) fn words(&mut self, name: &'static str, word: &str) -> f64 {
        let words = self.fields.words(name).unwrap_or_default();
        words.iter().filter(|own| word == "all" || **own == word).count() as f64
    }

    /// Counts a word among the entries of layers with attention.
    pub(super) fn attending(&mut self, name: &'static str, word: &str) -> f64 {
        let words = self.fields.words(name).unwrap_or_default();
        let attends = |kind: &LayerKind| matches!(kind.mixer, Mixer::Attention | Mixer::Window | Mixer::Both);
        words.iter().zip(self.layers.kinds()).filter(|(own, kind)| **own == word && attends(kind)).count() as f64
    }

    /// Reads a number inside an object; NaN if there is none.
    pub(super) fn inner(&mut self, name: &'static str, inner: &str) -> f64 {
        self.fields.object(name).and_then(|entries: &Map<_, _>| entries.get(inner)?.as_f64()).unwrap_or(f64::NAN)
    }
}
