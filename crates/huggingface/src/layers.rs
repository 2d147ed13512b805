//! Layers of a config as a list of mixers and MLPs. A list that the plain fields of a shape can
//! express (a window in all but every n-th layer, dense layers first) stays in those fields; any
//! other becomes a [`Pattern`].

use serde_json::Value;

use super::fields::Fields;
use engine::model::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};
use engine::model::transformer::{Architecture, Experts};

/// The layers of a model, one after the other.
#[derive(Default)]
pub(super) struct Layers(Vec<LayerKind>);

/// The longest distance of [`Architecture::global_every`].
const MOST_EVERY: usize = 100;

/// Returns the mixer of a name in `layer_types` and similar lists.
pub(super) fn mixer_named(name: &str) -> Option<Mixer> {
    Some(match name {
        "full_attention"
        | "attention"
        | "global"
        | "*"
        | "indexed_attention"
        | "hybrid"
        | "shared_indexed_attention" => Mixer::Attention,
        "sliding_attention" | "chunked_attention" | "local" | "hybrid_sliding" => Mixer::Window,
        "linear_attention" | "mamba" | "recurrent" | "conv" | "short_conv" | "M" => Mixer::Recurrent,
        _ => return None,
    })
}

impl Layers {
    /// Creates layers with attention and a dense MLP, or experts if the shape has any.
    pub(super) fn from_shape(shape: &Architecture) -> Self {
        let sparse = shape.experts.num_experts > 0;
        let windowed = shape.sliding_window > 0;
        let kind = |layer: u32| LayerKind {
            mixer: match shape.global_every {
                _ if !windowed => Mixer::Attention,
                every if every > 0 && (layer + 1).is_multiple_of(every) => Mixer::Attention,
                _ => Mixer::Window,
            },
            mlp: if sparse && shape.experts.layers_among(layer + 1) > shape.experts.layers_among(layer) {
                Mlp::Experts
            } else {
                Mlp::Dense
            },
        };
        Self((0..shape.num_hidden_layers).map(kind).collect())
    }

    /// Sets the mixer of each layer.
    #[must_use]
    pub(super) fn mixing(mut self, mixer: impl Fn(usize) -> Mixer) -> Self {
        for (layer, kind) in self.0.iter_mut().enumerate() {
            kind.mixer = mixer(layer);
        }
        self
    }

    /// Sets the mixer of one layer.
    #[must_use]
    pub(super) fn with_mixer(mut self, layer: usize, mixer: Mixer) -> Self {
        if let Some(kind) = self.0.get_mut(layer) {
            kind.mixer = mixer;
        }
        self
    }

    /// Returns the layers.
    pub(super) fn kinds(&self) -> &[LayerKind] {
        &self.0
    }

    /// Sets the MLP of each layer.
    #[must_use]
    pub(super) fn followed(mut self, mlp: impl Fn(usize) -> Mlp) -> Self {
        for (layer, kind) in self.0.iter_mut().enumerate() {
            kind.mlp = mlp(layer);
        }
        self
    }

    /// Sets the mixers from a list of names; an unknown name counts as attention, and the list
    /// stays unread.
    #[must_use]
    pub(super) fn named(self, fields: &mut Fields, list: &'static str) -> Self {
        let Some(names) = fields.list(list).filter(|names| !names.is_empty()) else { return self };
        let known = |name: &Value| name.as_str().and_then(mixer_named);
        if names.iter().all(|name| known(name).is_some()) {
            fields.mark(list);
        }
        self.mixing(|layer| names.get(layer).and_then(known).unwrap_or(Mixer::Attention))
    }

    /// Returns the number of layers that satisfy a condition.
    pub(super) fn number(&self, which: impl Fn(&LayerKind) -> bool) -> f64 {
        self.0.iter().filter(|kind| which(kind)).count() as f64
    }

    /// Returns the number of layers with experts.
    pub(super) fn sparse(&self) -> f64 {
        self.number(|kind| kind.mlp == Mlp::Experts)
    }

    /// Returns the number of layers with a recurrent state.
    pub(super) fn recurrent(&self) -> f64 {
        self.number(|kind| matches!(kind.mixer, Mixer::Recurrent | Mixer::Both))
    }

    /// Returns the number of layers with attention.
    pub(super) fn attention(&self) -> f64 {
        self.number(|kind| matches!(kind.mixer, Mixer::Attention | Mixer::Window | Mixer::Both))
    }

    /// Returns the number of layers with attention in a window.
    pub(super) fn windowed(&self) -> f64 {
        self.number(|kind| kind.mixer == Mixer::Window)
    }

    /// Writes the list into the shape, into plain fields if they can express the list.
    pub(super) fn write(mut self, fields: &mut Fields, mut shape: Architecture) -> Architecture {
        if shape.sliding_window == 0 {
            for kind in self.0.iter_mut().filter(|kind| kind.mixer == Mixer::Window) {
                kind.mixer = Mixer::Attention;
            }
        }
        shape.pattern = Pattern::NONE;
        if let (Some(every), Some((first, step))) = (self.global_every(), self.experts()) {
            shape.global_every = every;
            if every == 1 {
                (shape.sliding_window, shape.global_every, shape.attention_chunks) = (0, 0, false);
            }
            let none = Experts { moe_layer_step: 1, first_k_dense_replace: 0, ..shape.experts };
            shape.experts = Experts { first_k_dense_replace: first, moe_layer_step: step, ..none };
            return shape;
        }
        let kinds = &self.0;
        let repeats = |period: &usize| kinds.iter().skip(*period).zip(kinds).all(|(later, kind)| later == kind);
        let period = (1..=kinds.len()).find(repeats).unwrap_or(kinds.len());
        if period > Pattern::MOST {
            fields.fail(format!("The {period} layers do not repeat, and lists of 256 are supported."));
        }
        shape.experts = Experts { first_k_dense_replace: 0, moe_layer_step: 1, ..shape.experts };
        shape.global_every = 0;
        shape.pattern = Pattern::from_layers(kinds.iter().copied().take(period));
        shape
    }

    /// Returns the distance between layers that attend to the whole sequence: 1 if all do, 0 if
    /// none does.
    fn global_every(&self) -> Option<u32> {
        let full = |kind: &LayerKind| kind.mixer == Mixer::Attention;
        if self.0.iter().any(|kind| !full(kind) && kind.mixer != Mixer::Window) {
            return None;
        }
        let every = self.0.iter().position(full).map_or(0, |place| place + 1);
        let regular =
            |(place, kind): (usize, &LayerKind)| full(kind) == (every > 0 && (place + 1).is_multiple_of(every));
        let fits = every <= MOST_EVERY && self.0.iter().enumerate().all(regular);
        fits.then_some(every as u32)
    }

    /// Returns the number of leading dense layers, and the distance between layers with experts
    /// after them.
    fn experts(&self) -> Option<(u32, u32)> {
        if self.0.iter().any(|kind| kind.mlp == Mlp::None) {
            return None;
        }
        let sparse = |kind: &LayerKind| kind.mlp == Mlp::Experts;
        let Some(place) = self.0.iter().position(sparse) else { return (self.sparse() == 0.0).then_some((0, 1)) };
        let distance = self.0.iter().skip(place + 1).position(sparse).map_or(1, |next| next + 1);
        let first = (place + 1).checked_sub(distance)?;
        let regular = |(layer, kind): (usize, &LayerKind)| {
            sparse(kind) == (layer >= place && (layer - place).is_multiple_of(distance))
        };
        self.0.iter().enumerate().all(regular).then_some((first as u32, distance as u32))
    }
}
