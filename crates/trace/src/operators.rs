//! Operators of the forward pass, with their allocations and saved tensors.

use super::event::{Category, TensorId};
use super::node::{Attention, NONE, NodeKind, WeightId};
use super::tape::{Tape, Value};

/// Bytes per fp32 element.
pub(super) const FP32: u64 = 4;
/// Row and head-width granularity of flash attention's kernels (flash-attention's
/// `flash_bwd_kernel`).
const ROW_BLOCK: u64 = 128;
const WIDTH_BLOCK: u64 = 32;

/// Rounds `value` up to a multiple of `multiple`.
pub(super) const fn rounded(value: u64, multiple: u64) -> u64 {
    value.div_ceil(multiple) * multiple
}

/// Shape of an attention on this GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Heads {
    pub sequences: u64,
    pub sequence: u64,
    pub query: u64,
    pub key_value: u64,
    pub width: u64,
}

impl Tape {
    /// Allocates an output in the format of `like`.
    fn out(&mut self, operator: &'static str, kind: NodeKind, like: &Value) -> Value {
        let tensor = self.make(operator, like.bytes());
        let node = self.node(kind, [like]);
        self.value(tensor, node, like.elements, like.width)
    }

    /// Creates a view in another shape.
    pub(super) fn view(&mut self, x: &Value) -> Value {
        let node = self.node(NodeKind::View, [x]);
        Value { tensor: self.hold(x.tensor), node, ..*x }
    }

    /// Creates a view with axes swapped.
    pub(super) fn transpose(&mut self, x: &Value) -> Value {
        let node = self.node(NodeKind::Transpose, [x]);
        Value { tensor: self.hold(x.tensor), node, ..*x }
    }

    /// Copies a tensor; the backward pass does not copy the gradient.
    pub(super) fn copy(&mut self, operator: &'static str, x: &Value) -> Value {
        self.out(operator, NodeKind::View, x)
    }

    /// Casts to another format; returns the value itself if it has that format.
    pub(super) fn cast(&mut self, x: &Value, width: u64) -> Value {
        if x.width == width {
            return self.share(x);
        }
        let tensor = self.make("_to_copy", x.elements * width);
        let node = self.node(NodeKind::Cast, [x]);
        self.value(tensor, node, x.elements, width)
    }

    /// Computes `a + b`.
    pub(super) fn add(&mut self, a: &Value, b: &Value) -> Value {
        let wide = if a.width > b.width { a } else { b };
        let tensor = self.make("add", wide.bytes());
        let node = self.node(NodeKind::Add, [a, b]);
        self.value(tensor, node, a.elements, wide.width)
    }

    /// Computes `a b` element by element.
    pub(super) fn multiply(&mut self, a: &Value, b: &Value) -> Value {
        let node = self.node(NodeKind::Multiply, [a, b]);
        self.save_factors(node, a, b);
        let tensor = self.make("mul", a.bytes());
        self.value(tensor, node, a.elements, a.width)
    }

    /// Saves each factor that the gradient of the other needs, the second factor first.
    pub(super) fn save_factors(&mut self, node: u32, a: &Value, b: &Value) {
        for (factor, other) in [(b, a), (a, b)] {
            if other.node != NONE {
                self.save(node, factor.tensor);
            }
        }
    }

    /// Multiplies `a` by a number.
    pub(super) fn scale(&mut self, operator: &'static str, a: &Value) -> Value {
        self.out(operator, NodeKind::Scale, a)
    }

    /// Applies an element-wise function, given with its backward operator, that saves its input.
    pub(super) fn unary(&mut self, operator: &'static str, backward: &'static str, x: &Value) -> Value {
        let node = self.node(NodeKind::Unary(backward), [x]);
        self.save(node, x.tensor);
        let tensor = self.make(operator, x.bytes());
        self.value(tensor, node, x.elements, x.width)
    }

    /// Applies an element-wise function, given with its backward operator, that saves its output.
    pub(super) fn unary_of_output(&mut self, operator: &'static str, backward: &'static str, x: &Value) -> Value {
        let tensor = self.make(operator, x.bytes());
        let node = self.node(NodeKind::UnaryOfOutput(backward), [x]);
        self.save(node, tensor);
        self.value(tensor, node, x.elements, x.width)
    }

    /// Computes `x W` with W of `columns` inputs and `rows` outputs, plus an optional bias.
    pub(super) fn linear(&mut self, x: &Value, weight: WeightId, bias: Option<WeightId>) -> Value {
        let Some(&of) = self.weights.get(weight as usize) else { return self.share(x) };
        let elements = x.elements / of.columns.max(1) * of.rows;
        // Autocast casts the input for each matmul, and the weight for the first.
        let x = &if self.autocast.is_some() { self.cast(x, self.element) } else { self.share(x) };
        let node = self.node(NodeKind::Linear(weight, bias.unwrap_or(NONE)), [x]);
        self.save_input(node, x.tensor, weight);
        let copy = self.save_cast(node, weight);
        let whole = self.dequantize(weight);
        let operator = if bias.is_some() { "addmm" } else { "mm" };
        let bytes = elements * x.width;
        let is_kept = bias.is_none() || self.keeps_biased;
        let tensor = if is_kept { self.product(operator, bytes) } else { self.make(operator, bytes) };
        for tensor in [whole, copy, x.tensor] {
            self.release(tensor);
        }
        self.value(tensor, node, elements, x.width)
    }

    /// Computes the output head for one of `parts` equal parts of the tokens: a matmul whose output
    /// has the width of the vocabulary.
    pub(super) fn head(&mut self, x: &Value, weight: WeightId, parts: u64) -> Value {
        let Some(&of) = self.weights.get(weight as usize) else { return self.share(x) };
        let elements = x.elements / of.columns.max(1) * of.rows / parts;
        let x = &if self.autocast.is_some() { self.cast(x, self.element) } else { self.share(x) };
        let node = self.node(NodeKind::Linear(weight, NONE), [x]);
        self.save_input(node, x.tensor, weight);
        let copy = self.save_cast(node, weight);
        let tensor = self.allocate("mm", elements * x.width, Category::Logits);
        self.release(copy);
        self.release(x.tensor);
        self.value(tensor, node, elements, x.width)
    }

    /// Allocates the 16-bit copy of a quantized matrix for one matmul.
    pub(super) fn dequantize(&mut self, weight: WeightId) -> TensorId {
        match self.weights.get(weight as usize) {
            Some(of) if of.format.is_quantized => {
                let bytes = of.rows * of.columns * self.element;
                self.make("dequantize_4bit", bytes)
            }
            _ => NONE,
        }
    }

    /// Saves autocast's copy of a weight, and creates the copy if necessary: the cache lasts from
    /// the first layer to the loss. Copies of frozen weights are not cached; such a copy is
    /// returned, to be released after the matmul.
    fn save_cast(&mut self, node: u32, weight: WeightId) -> TensorId {
        let Some(copies) = &self.autocast else { return NONE };
        let there = copies.iter().find(|(of, _)| *of == weight).map(|(_, copy)| *copy);
        let Some(of) = self.weights.get(weight as usize) else { return NONE };
        let bytes = of.rows * of.columns * self.element;
        if !of.format.trains {
            if of.format.width == self.element {
                return NONE;
            }
            let copy = self.make("_to_copy", bytes);
            self.save(node, copy);
            return copy;
        }
        let copy = there.unwrap_or_else(|| self.make("_to_copy", bytes));
        self.save(node, copy);
        match (there, self.is_again()) {
            (Some(_), _) => {}
            (None, true) => self.release(copy),
            (None, false) => self.autocast.iter_mut().for_each(|copies| copies.push((weight, copy))),
        }
        NONE
    }

    /// Ends autocast's region: releases its copies, except copies saved by nodes.
    pub(super) fn leave_autocast(&mut self) {
        let copies = self.autocast.as_mut().map(core::mem::take);
        for (_, copy) in copies.unwrap_or_default() {
            self.release(copy);
        }
    }

    /// Allocates the output of a matmul, which a policy may keep.
    fn product(&mut self, operator: &'static str, bytes: u64) -> TensorId {
        if self.policy.as_mut().is_some_and(super::policy::Policy::keeps_product) {
            self.kept_or_made(operator, bytes)
        } else {
            self.make(operator, bytes)
        }
    }

    /// Allocates an output that the policy, if any, keeps: allocated and held in the forward pass,
    /// and reused in the recomputation.
    pub(super) fn kept_or_made(&mut self, operator: &'static str, bytes: u64) -> TensorId {
        if self.policy.is_none() {
            return self.make(operator, bytes);
        }
        if self.is_again() {
            if self.is_stopped() {
                return NONE;
            }
            return self.kept.pop_front().unwrap_or(NONE);
        }
        let tensor = self.make(operator, bytes);
        if self.is_counting() {
            self.hold(tensor);
            self.kept.push_back(tensor);
        }
        tensor
    }

    /// Selects rows of an embedding.
    pub(super) fn embedding(&mut self, weight: WeightId, elements: u64, width: u64) -> Value {
        let tensor = self.make("embedding", elements * width);
        let node = self.node(NodeKind::Embedding(weight), []);
        self.value(tensor, node, elements, width)
    }

    /// Computes the inverse root mean square of each of `rows` rows of x, in the format of x.
    pub(super) fn mean_square(&mut self, x: &Value, rows: u64) -> Value {
        let node = self.node(NodeKind::MeanSquare, [x]);
        self.save(node, x.tensor);
        let squares = self.make("pow", x.bytes());
        let mean = self.make("mean", rows * x.width);
        self.release(squares);
        let sum = self.make("add", rows * x.width);
        self.release(mean);
        let root = self.make("rsqrt", rows * x.width);
        self.release(sum);
        self.save(node, root);
        self.value(root, node, rows, x.width)
    }

    /// Multiplies each row of x by one number.
    pub(super) fn scale_rows(&mut self, x: &Value, by: &Value) -> Value {
        let node = self.node(NodeKind::ScaleRows, [x, by]);
        self.save(node, x.tensor);
        self.save(node, by.tensor);
        let tensor = self.make("mul", x.bytes());
        self.value(tensor, node, x.elements, x.width)
    }

    /// Multiplies each column of x by a weight: `x w`, or `w x`.
    pub(super) fn scale_columns(&mut self, x: &Value, weight: WeightId, weight_last: bool) -> Value {
        let node = self.node(NodeKind::ScaleColumns(weight, weight_last), [x]);
        self.save_input(node, x.tensor, weight);
        let tensor = self.make("mul", x.bytes());
        self.value(tensor, node, x.elements, x.width)
    }

    /// Runs PyTorch's `layer_norm` as one kernel: saves the input, and mean and inverse deviation
    /// of each row.
    pub(super) fn layer_norm(&mut self, x: &Value, rows: u64, weight: WeightId, bias: Option<WeightId>) -> Value {
        let node = self.node(NodeKind::LayerNorm(weight, bias.unwrap_or(NONE)), [x]);
        self.save(node, x.tensor);
        let tensor = self.make("native_layer_norm", x.bytes());
        for _ in 0..2 {
            let statistic = self.make("native_layer_norm", rows * FP32);
            self.save(node, statistic);
            self.release(statistic);
        }
        self.value(tensor, node, x.elements, x.width)
    }

    /// Runs an RMS norm as one kernel: saves the input and the inverse root mean square of each
    /// row.
    pub(super) fn fused_norm(&mut self, x: &Value, rows: u64, weight: WeightId) -> Value {
        let node = self.node(NodeKind::FusedNorm(weight), [x]);
        self.save(node, x.tensor);
        let tensor = self.make("rms_norm", x.bytes());
        let root = self.make("rms_norm", rows * FP32);
        self.save(node, root);
        self.release(root);
        self.value(tensor, node, x.elements, x.width)
    }

    /// Applies rotary positions as `x cos + rotate_half(x) sin`: saves only the tables, which live
    /// during the whole step.
    pub(super) fn rotate(&mut self, x: &Value) -> Value {
        let node = self.node(NodeKind::Rotate, [x]);
        let with_cosine = self.make("mul", x.bytes());
        let half = self.make("neg", x.bytes() / 2);
        let turned = self.make("cat", x.bytes());
        self.release(half);
        let with_sine = self.make("mul", x.bytes());
        self.release(turned);
        let tensor = self.make("add", x.bytes());
        self.release(with_cosine);
        self.release(with_sine);
        self.value(tensor, node, x.elements, x.width)
    }

    /// Runs flash attention: saves queries, keys, values, the output, and the log-sum-exp of each
    /// row in fp32.
    pub(super) fn attention(&mut self, q: &Value, k: &Value, v: &Value, shape: Heads) -> Value {
        let Heads { sequences, sequence, query: heads, key_value: key_value_heads, width } = shape;
        let rows = sequences * heads * rounded(sequence, ROW_BLOCK);
        let grouped = if key_value_heads < heads { heads * sequences * sequence * width * k.width } else { 0 };
        let sizes =
            Attention { accumulator: FP32 * rows * rounded(width, WIDTH_BLOCK), sums: FP32 * rows, expanded: grouped };
        let node = self.node(NodeKind::Attention(sizes), [q, k, v]);
        for input in [k, q, v] {
            self.save(node, input.tensor);
        }
        // As many elements as the queries, at the width of the values; in 128 bits, as the product
        // of two tensors exceeds 64.
        let rows = u128::from(sequences * sequence * heads);
        let of_values = rows * u128::from(v.elements) / u128::from(k.elements.max(1));
        let elements = u64::try_from(of_values).unwrap_or(u64::MAX).saturating_mul(width);
        let name = "_scaled_dot_product_flash_attention";
        let lse = FP32 * sequences * heads * sequence;
        let [tensor, log_sum_exp] = [elements * q.width, lse].map(|bytes| self.kept_or_made(name, bytes));
        self.save(node, log_sum_exp);
        self.save(node, tensor);
        self.release(log_sum_exp);
        self.value(tensor, node, elements, q.width)
    }

    /// Computes a batched matmul of two tensors with an output of `elements`.
    pub(super) fn matmul(&mut self, a: &Value, b: &Value, elements: u64) -> Value {
        let node = self.node(NodeKind::Matmul, [a, b]);
        self.save_factors(node, b, a);
        let tensor = self.make("bmm", elements * a.width);
        self.value(tensor, node, elements, a.width)
    }

    /// Computes a softmax in fp32 of rows in another format.
    pub(super) fn softmax(&mut self, x: &Value) -> Value {
        let tensor = self.make("_softmax", x.elements * FP32);
        let node = self.node(NodeKind::Softmax, [x]);
        self.save(node, tensor);
        self.value(tensor, node, x.elements, FP32)
    }

    /// Gathers the whole sequence from the `group` GPUs of a tensor-parallel group.
    pub(super) fn gather_sequence(&mut self, x: &Value, group: u64) -> Value {
        let node = self.node(NodeKind::GatherSequence(group), [x]);
        let sent = self.make("all_gather_into_tensor", x.bytes() * group);
        let tensor = self.make("wait_tensor", x.bytes() * group);
        self.release(sent);
        self.value(tensor, node, x.elements * group, x.width)
    }

    /// Reduces sums over the `group` GPUs of a tensor-parallel group, and returns this GPU's part
    /// of the sequence.
    pub(super) fn scatter_sequence(&mut self, x: &Value, group: u64) -> Value {
        let node = self.node(NodeKind::ScatterSequence, [x]);
        let joined = self.make("cat", x.bytes());
        let bytes = x.bytes() / group;
        let sent = self.kept_or_made("reduce_scatter_tensor", bytes);
        let tensor = self.make("wait_tensor", bytes);
        self.release(joined);
        self.release(sent);
        self.value(tensor, node, x.elements / group, x.width)
    }

    /// Creates a view of `elements` elements of x.
    pub(super) fn slice(&mut self, x: &Value, elements: u64) -> Value {
        let node = self.node(NodeKind::Slice, [x]);
        Value { tensor: self.hold(x.tensor), node, elements, width: x.width }
    }

    /// Computes `silu(gate) up` of the halves of x as one kernel, which saves x.
    pub(super) fn gated_fused(&mut self, x: &Value) -> Value {
        let node = self.node(NodeKind::GatedFused, [x]);
        self.save(node, x.tensor);
        let tensor = self.make("swiglu", x.bytes() / 2);
        self.value(tensor, node, x.elements / 2, x.width)
    }

    /// Allocates a tensor of the forward pass without a gradient.
    pub(super) fn table(&mut self, operator: &'static str, bytes: u64) -> Value {
        let tensor = self.allocate(operator, bytes, Category::Activation);
        self.value(tensor, NONE, bytes, 1)
    }
}
