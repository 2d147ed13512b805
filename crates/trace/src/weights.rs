//! Weights of each unit, in the order of `model.parameters()`.

use super::formats::{Format, LayerFormats};
use super::node::{NONE, WeightId};
use super::shape::Shape;
use super::tape::{Tape, Weight};
use engine::model::trained::TargetModules;
use engine::model::transformer::QkNorm;

/// Targets of adapters without any module.
const NO_TARGETS: TargetModules = TargetModules { query_value: false, key: false, output: false, mlp: false };

/// The two matrices of an adapter, and DoRA's magnitudes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adapter {
    pub down: WeightId,
    pub up: WeightId,
    pub magnitude: Option<WeightId>,
}

/// A weight with optional bias and adapter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix {
    pub weight: WeightId,
    pub bias: Option<WeightId>,
    pub adapter: Option<Adapter>,
}

/// Weights of a layer's MLP or experts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mlp {
    /// Gate, up, down.
    Gated { gate: Matrix, up: Matrix, down: Matrix },
    /// Gate and up in one matrix; down.
    Joined { up: Matrix, down: Matrix },
    /// Up, down.
    Plain { up: Matrix, down: Matrix },
    /// Router, gate and up of all experts as one stack, and down as another.
    Experts { router: Matrix, up: WeightId, down: WeightId },
}

/// Projections of queries, keys and values.
#[derive(Clone, Copy, Debug)]
pub(super) enum Projections {
    /// Separate matrices.
    Three(Matrix, Matrix, Matrix),
    /// One joint matrix.
    One(Matrix),
}

/// Weights of a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer {
    pub projections: Projections,
    pub output: Matrix,
    /// Norms of queries and keys.
    pub qk_norms: Option<(WeightId, WeightId)>,
    pub mlp: Mlp,
    pub norms: [WeightId; 4],
    pub norm_bias: Option<WeightId>,
}

/// Weights outside the layers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub embedding: WeightId,
    pub norm: WeightId,
    pub head: WeightId,
}

impl Tape {
    fn weight(&mut self, rows: u64, columns: u64, format: Format) -> WeightId {
        let [group, _] = self.groups;
        self.weights.push(Weight { rows, columns, group, shared: false, format, gradient: NONE });
        self.weights.len() as WeightId - 1
    }

    /// Declares one matrix of all experts on this GPU.
    fn expert_weight(&mut self, rows: u64, columns: u64, format: Format) -> WeightId {
        let weight = self.weight(rows, columns, format);
        let [_, group] = self.groups;
        if let Some(of) = self.weights.get_mut(weight as usize) {
            of.group = group;
        }
        weight
    }

    fn matrix(&mut self, of: &LayerFormats, [rows, columns]: [u64; 2], bias: bool, has_adapter: bool) -> Matrix {
        let weight = self.weight(rows, columns, of.matrices);
        let bias = bias.then(|| self.weight(rows, 1, of.others));
        let trained = self.formats.trained;
        let adapter = of.adapters.filter(|_| has_adapter).map(|how| Adapter {
            down: self.weight(how.rank, columns, trained),
            up: self.weight(rows, how.rank, trained),
            magnitude: how.has_magnitudes.then(|| self.weight(rows, 1, trained)),
        });
        Matrix { weight, bias, adapter }
    }

    /// Declares the weights of one layer.
    pub(super) fn layer_weights(&mut self, shape: &Shape, of: &LayerFormats, layer_norm: bool) -> Layer {
        let Shape { hidden, query, key, ffn, biases: (qkv, out, mlp), .. } = *shape;
        let to = of.adapters.map_or(NO_TARGETS, |how| how.targets);
        let weights = Layer {
            projections: if shape.fused {
                Projections::One(self.matrix(of, [query + 2 * key, hidden], qkv, to.query_value))
            } else {
                let [query, key, value] = [(query, to.query_value), (key, to.key), (key, to.query_value)]
                    .map(|(width, has_adapter)| self.matrix(of, [width, hidden], qkv, has_adapter));
                Projections::Three(query, key, value)
            },
            output: self.matrix(of, [hidden, query], out, to.output),
            qk_norms: match shape.qk_norm {
                QkNorm::None => None,
                QkNorm::PerHead => {
                    let [of_query, of_key] = [shape.heads.width; 2].map(|width| self.weight(width, 1, of.norms));
                    Some((of_query, of_key))
                }
                QkNorm::Full => Some((self.weight(query, 1, of.norms), self.weight(key, 1, of.norms))),
            },
            mlp: if shape.experts > 0 {
                let router = self.matrix(of, [shape.experts, hidden], false, false);
                // torchtitan shards within each expert if there are fewer experts than GPUs
                // (`shard_placement_fn`).
                let apart = if shape.stacked_experts { 1 } else { hidden };
                let stack = |width: u64| [shape.own_experts * apart, width * hidden / apart];
                let [[rows, columns], [rows_down, columns_down]] =
                    [stack(2 * shape.expert_width), stack(shape.expert_width)];
                let up = self.expert_weight(rows, columns, of.matrices);
                let down = self.expert_weight(rows_down, columns_down, of.matrices);
                Mlp::Experts { router, up, down }
            } else if shape.gated && shape.fused {
                let up = self.matrix(of, [2 * ffn, hidden], mlp, to.mlp);
                Mlp::Joined { up, down: self.matrix(of, [hidden, ffn], mlp, to.mlp) }
            } else if shape.gated {
                let [gate, up] = [ffn; 2].map(|width| self.matrix(of, [width, hidden], mlp, to.mlp));
                Mlp::Gated { gate, up, down: self.matrix(of, [hidden, ffn], mlp, to.mlp) }
            } else {
                let up = self.matrix(of, [ffn, hidden], mlp, to.mlp);
                Mlp::Plain { up, down: self.matrix(of, [hidden, ffn], mlp, to.mlp) }
            },
            norms: [0; 4],
            norm_bias: None,
        };
        let mut norms = [NONE; 4];
        for norm in norms.iter_mut().take(shape.norms_per_layer as usize) {
            *norm = self.weight(hidden, 1, of.norms);
        }
        let norm_bias = layer_norm.then(|| self.weight(hidden, 1, of.norms));
        Layer { norms, norm_bias, ..weights }
    }

    /// Declares the weights outside the layers.
    pub(super) fn root_weights(&mut self, shape: &Shape) -> Root {
        let [tables, of_norm] = self.formats.root_formats();
        let embedding = if shape.embedding { self.weight(shape.embedded_vocab, shape.hidden, tables) } else { NONE };
        if shape.embedding && shape.positions > 0 {
            self.weight(shape.positions, shape.hidden, of_norm);
        }
        let norm = if shape.head { self.weight(shape.hidden, 1, of_norm) } else { NONE };
        let own = shape.head && !(shape.tied && shape.embedding);
        let head = if own { self.weight(shape.vocab, shape.hidden, tables) } else { embedding };
        if self.formats.copies_tables {
            let copies = usize::from(shape.embedding) + usize::from(own);
            for _ in 0..copies {
                self.weight(shape.vocab, shape.hidden, self.formats.copy_format());
            }
        }
        if let Some(weight) = self.weights.get_mut(embedding as usize).filter(|_| shape.head && head == embedding) {
            weight.shared = true;
        }
        Root { embedding, norm, head }
    }
}
