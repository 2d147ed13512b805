//! The weights of each unit, in the order of `model.parameters()`.

use super::node::{NONE, WeightId};
use super::shape::Shape;
use super::tape::{Tape, Weight};
use crate::model::transformer::QkNorm;

/// A weight with its bias.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix {
    pub weight: WeightId,
    pub bias: Option<WeightId>,
}

/// The weights of the MLP of a layer, or of its experts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mlp {
    /// Gate, up, down.
    Gated { gate: Matrix, up: Matrix, down: Matrix },
    /// Gate and up as one, down.
    Joined { up: Matrix, down: Matrix },
    /// Up, down.
    Plain { up: Matrix, down: Matrix },
    /// Router, the experts' gates and ups as one stack, and their downs.
    Experts { router: Matrix, up: WeightId, down: WeightId },
}

/// Whether queries, keys and values are one matrix.
#[derive(Clone, Copy, Debug)]
pub(super) enum Projections {
    /// Each has its own.
    Three(Matrix, Matrix, Matrix),
    /// They share one.
    One(Matrix),
}

/// The weights of a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer {
    pub projections: Projections,
    pub output: Matrix,
    /// Norms of queries and of keys.
    pub qk_norms: Option<(WeightId, WeightId)>,
    pub mlp: Mlp,
    pub norms: [WeightId; 4],
    pub norm_bias: Option<WeightId>,
}

/// The weights outside the layers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub embedding: WeightId,
    pub norm: WeightId,
    pub head: WeightId,
}

impl Tape {
    pub(super) fn weight(&mut self, rows: u64, columns: u64) -> WeightId {
        self.weights.push(Weight { rows, columns, shared: false, gradient: NONE });
        self.weights.len() as WeightId - 1
    }

    fn matrix(&mut self, rows: u64, columns: u64, bias: bool) -> Matrix {
        let weight = self.weight(rows, columns);
        Matrix { weight, bias: bias.then(|| self.weight(rows, 1)) }
    }

    /// Declares the weights of one layer.
    pub(super) fn layer_weights(&mut self, shape: &Shape, layer_norm: bool) -> Layer {
        let Shape { hidden, query, key, ffn, biases: (qkv, out, mlp), .. } = *shape;
        let weights = Layer {
            projections: if shape.fused {
                Projections::One(self.matrix(query + 2 * key, hidden, qkv))
            } else {
                let [query, key, value] = [query, key, key].map(|width| self.matrix(width, hidden, qkv));
                Projections::Three(query, key, value)
            },
            output: self.matrix(hidden, query, out),
            qk_norms: match shape.qk_norm {
                QkNorm::None => None,
                QkNorm::PerHead => Some((self.weight(shape.heads.width, 1), self.weight(shape.heads.width, 1))),
                QkNorm::Full => Some((self.weight(query, 1), self.weight(key, 1))),
            },
            mlp: if shape.experts > 0 {
                let router = self.matrix(shape.experts, hidden, false);
                let up = self.weight(shape.experts, 2 * shape.expert_width * hidden);
                Mlp::Experts { router, up, down: self.weight(shape.experts, shape.expert_width * hidden) }
            } else if shape.gated && shape.fused {
                let up = self.matrix(2 * ffn, hidden, mlp);
                Mlp::Joined { up, down: self.matrix(hidden, ffn, mlp) }
            } else if shape.gated {
                let (gate, up) = (self.matrix(ffn, hidden, mlp), self.matrix(ffn, hidden, mlp));
                Mlp::Gated { gate, up, down: self.matrix(hidden, ffn, mlp) }
            } else {
                let up = self.matrix(ffn, hidden, mlp);
                Mlp::Plain { up, down: self.matrix(hidden, ffn, mlp) }
            },
            norms: [0; 4],
            norm_bias: None,
        };
        let mut norms = [NONE; 4];
        for norm in norms.iter_mut().take(shape.norms_per_layer as usize) {
            *norm = self.weight(hidden, 1);
        }
        let norm_bias = layer_norm.then(|| self.weight(hidden, 1));
        Layer { norms, norm_bias, ..weights }
    }

    /// Declares the weights outside the layers.
    pub(super) fn root_weights(&mut self, shape: &Shape) -> Root {
        let embedding = if shape.embedding { self.weight(shape.vocab, shape.hidden) } else { NONE };
        if shape.embedding && shape.positions > 0 {
            self.weight(shape.positions, shape.hidden);
        }
        let norm = if shape.head { self.weight(shape.hidden, 1) } else { NONE };
        let own = shape.head && !(shape.tied && shape.embedding);
        let head = if own { self.weight(shape.vocab, shape.hidden) } else { embedding };
        if let Some(weight) = self.weights.get_mut(embedding as usize).filter(|_| head == embedding) {
            weight.shared = true;
        }
        Root { embedding, norm, head }
    }
}
