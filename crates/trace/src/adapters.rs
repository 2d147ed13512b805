//! Matrices with adapters, following PEFT's `lora.Linear.forward`. torchtune's and torchtitan's
//! adapters are equal except that they have no casts.

use super::event::TensorId;
use super::node::{NONE, NodeKind, WeightId};
use super::tape::{Tape, Value};
use super::weights::{Adapter, Matrix};

/// Bytes per element of a dropout mask.
const MASK: u64 = 1;

impl Tape {
    /// Computes `x W` plus the output of the adapter of W.
    pub(super) fn project(&mut self, x: &Value, of: Matrix) -> Value {
        let base = self.linear(x, of.weight, of.bias);
        let (Some(adapter), Some(how)) = (of.adapter, self.formats.adapters) else { return base };
        // For a 4-bit matrix (`lora.bnb.Linear4bit`), the base output is cloned first, the
        // adapter's output is cast before the sum, and autocast casts the input.
        let quantized = self.weights.get(of.weight as usize).is_some_and(|weight| weight.format.is_quantized);
        let base = if quantized && how.is_peft { self.cloned(base) } else { base };
        let width = base.width;
        let as_it_is = quantized && self.autocast.is_some();
        let cast = self.cast(x, if as_it_is { x.width } else { how.input });
        let dropped = if how.dropout { self.dropout(&cast) } else { self.share(&cast) };
        let weights = if how.has_magnitudes { self.norms_of_sum(of, adapter, dropped.width) } else { Vec::new() };
        let low = self.linear(&dropped, adapter.down, None);
        let input = adapter.magnitude.map(|_| self.share(&dropped));
        self.drop(dropped);
        let high = self.linear(&low, adapter.up, None);
        self.drop(low);
        let added = match adapter.magnitude.zip(input) {
            Some((magnitude, input)) => {
                // The base output without its bias; with dropout, the base product of the dropped
                // input.
                let of_base = if how.dropout {
                    self.linear(&input, of.weight, None)
                } else if of.bias.is_some() {
                    self.scale("sub", &base)
                } else {
                    self.share(&base)
                };
                self.drop(input);
                self.with_magnitude(of_base, high, magnitude)
            }
            // A compiler fuses the scaling with the sum.
            None if how.is_compiled => high,
            None => {
                let scaled = self.scale("mul", &high);
                self.drop(high);
                scaled
            }
        };
        for tensor in weights {
            self.release(tensor);
        }
        let added = if quantized { self.narrowed(added, width) } else { added };
        let sum = self.add_adapted(&base, &added);
        self.drop(base);
        self.drop(added);
        let out = self.narrowed(sum, width);
        self.drop(cast);
        out
    }

    fn cloned(&mut self, x: Value) -> Value {
        let out = self.copy("clone", &x);
        self.drop(x);
        out
    }

    fn narrowed(&mut self, x: Value, width: u64) -> Value {
        let out = self.cast(&x, width);
        self.drop(x);
        out
    }

    /// Adds the outputs of base and adapter; the adapter's format may be wider.
    fn add_adapted(&mut self, base: &Value, added: &Value) -> Value {
        if base.width == added.width {
            return self.add(base, added);
        }
        let tensor = self.make("add", added.bytes());
        let node = self.node(NodeKind::AddWider, [base, added]);
        self.value(tensor, node, added.elements, added.width)
    }

    /// Applies dropout and saves the mask.
    fn dropout(&mut self, x: &Value) -> Value {
        let node = self.node(NodeKind::Dropout, [x]);
        let tensor = self.make("native_dropout", x.bytes());
        let mask = self.make("native_dropout", x.elements * MASK);
        self.save(node, mask);
        self.release(mask);
        self.value(tensor, node, x.elements, x.width)
    }

    /// Computes DoRA's norms of the rows of W plus the adapter's product (PEFT's
    /// `DoraLinearLayer`). The product is computed from an identity matrix, so that the modules run
    /// and FSDP gathers their weights. The norms have no gradient; the returned tensors live until
    /// the end of the module.
    fn norms_of_sum(&mut self, of: Matrix, adapter: Adapter, width: u64) -> Vec<TensorId> {
        let Some(&base) = self.weights.get(of.weight as usize) else { return Vec::new() };
        let rank = self.weights.get(adapter.down as usize).map_or(0, |down| down.rows);
        let all = base.rows * base.columns * width;
        let mut alive = vec![
            self.make("eye", base.columns * base.columns * width),
            self.make("mm", base.columns * rank * width),
            self.make("mm", all),
        ];
        let differs = base.format.is_quantized || base.format.width != width;
        alive.push(if differs { self.make("_to_copy", all) } else { NONE });
        let scaled = self.make("mul", all);
        let sum = self.make("add", all);
        self.release(scaled);
        alive.push(self.make("linalg_vector_norm", base.rows * width));
        self.release(sum);
        alive
    }

    /// Computes `(m - 1) base + m s high`, where m is the trained magnitude over the norm.
    fn with_magnitude(&mut self, base: Value, high: Value, magnitude: WeightId) -> Value {
        let of_base = self.scale_columns(&base, magnitude, false);
        self.drop(base);
        let of_high = self.scale_columns(&high, magnitude, false);
        self.drop(high);
        let scaled = self.scale("mul", &of_high);
        self.drop(of_high);
        let sum = self.add(&of_base, &scaled);
        self.drop(of_base);
        self.drop(scaled);
        sum
    }

    /// Makes a tensor require gradients although nothing before it does
    /// (`enable_input_require_grads`).
    pub(super) fn require_gradient(&mut self, x: Value) -> Value {
        if x.node == NONE { Value { node: self.node(NodeKind::Leaf, []), ..x } } else { x }
    }
}
