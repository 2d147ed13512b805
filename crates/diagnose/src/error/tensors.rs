//! Lists the tensors of a training step with their shapes: candidates for an allocation of a given
//! size.

use super::message::Activity;
use engine::model::per_rank;
use engine::model::report::MemoryPart;
use engine::model::setup::Setup;
use engine::model::software::AttentionKernel;
use engine::model::stages::stages;
use engine::model::states::{recipe_bytes, shard_degrees};

/// A dimension: its length and the unit of the length.
pub(super) type Dim = (u64, &'static str);

/// Dependence of a tensor's size on the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grows {
    /// Independent of the batch.
    Not,
    /// Proportional to the tokens of the micro-batch.
    Tokens,
    /// Proportional to the square of the sequence length, times the number of sequences.
    Square,
}

/// A kind of tensor in a training step.
#[derive(Clone, Debug)]
pub(super) struct Tensor {
    /// Description of the tensor.
    pub what: &'static str,
    /// Part of the memory bar that contains the tensor.
    pub part: MemoryPart,
    /// Dimensions other than those of the batch.
    pub dims: Vec<Dim>,
    /// Bytes per element.
    pub width: f64,
    /// Number of GPUs that the tensor is sharded over, in equal parts.
    pub over: u64,
    /// Dependence on the batch.
    pub grows: Grows,
    /// Operations that allocate the tensor, the main one first.
    pub when: &'static [Activity],
    /// Whether the scenario creates this tensor; other settings may create it.
    pub made: bool,
}

impl Tensor {
    /// Returns the bytes of the tensor per unit of the batch dimensions.
    pub(super) fn bytes(&self) -> f64 {
        let elements: f64 = self.dims.iter().map(|(count, _)| *count as f64).product();
        (elements / self.over.max(1) as f64).ceil() * self.width
    }
}

const TOKENS: [Activity; 3] = [Activity::Forward, Activity::Backward, Activity::Attention];
const LOSS: [Activity; 3] = [Activity::Loss, Activity::Forward, Activity::Backward];
const SCORES: [Activity; 3] = [Activity::Attention, Activity::Forward, Activity::Backward];
const MASK: [Activity; 2] = [Activity::Attention, Activity::Forward];
/// Forward passes and gathers use unsharded weights.
const GATHER: [Activity; 3] = [Activity::Communication, Activity::Forward, Activity::Backward];

/// Lists the tensors that a step of a setup may allocate.
pub(super) fn tensors(setup: &Setup) -> Vec<Tensor> {
    let mut all = Vec::with_capacity(128);
    add_token_tensors(setup, &mut all);
    add_weights(setup, &mut all);
    add_model_tensors(setup, &mut all);
    all
}

/// Returns the size of the batch on one GPU: its tokens, or its sequences times the square of their
/// length.
pub(super) fn batch(setup: &Setup, grows: Grows) -> f64 {
    let sequences = f64::from(setup.batch.micro_batch_size);
    let length = f64::from(setup.batch.seq_len);
    match grows {
        Grows::Not => 1.0,
        Grows::Tokens => per_rank::tokens(setup),
        Grows::Square => sequences * length * length,
    }
}

fn add_token_tensors(setup: &Setup, all: &mut Vec<Tensor>) {
    let arch = &setup.architecture;
    let tp = u64::from(setup.mesh.tp.max(1));
    let bytes = recipe_bytes(setup.recipe).activation;
    let mut add = |what, part, dims: Vec<Dim>, widths: &[f64], when, over, made| {
        for &width in widths {
            all.push(Tensor {
                what,
                part,
                dims: dims.clone(),
                width,
                over,
                grows: Grows::Tokens,
                when,
                made: made && (width == bytes || part == MemoryPart::Logits),
            });
        }
    };
    let vocab = (u64::from(arch.vocab_size), "entries of the vocabulary");
    let hidden = u64::from(arch.hidden_size);
    let unfused = setup.kernels.loss.is_unfused();
    add("logits, in fp32", MemoryPart::Logits, vec![vocab], &[4.0], &LOSS, tp, unfused || bytes == 4.0);
    add("logits, in 16 bits", MemoryPart::Logits, vec![vocab], &[2.0], &LOSS, tp, bytes < 4.0);
    let both = [2.0, 4.0];
    let part = MemoryPart::Activations;
    let ffn = u64::from(arch.intermediate_size);
    if ffn > 0 {
        add("activations inside the MLP", part, vec![(ffn, "wide")], &both, &TOKENS, tp, true);
        if arch.gated_mlp {
            add(
                "activations inside the MLP, gate and up together",
                part,
                vec![(2 * ffn, "wide")],
                &both,
                &TOKENS,
                tp,
                true,
            );
        }
    }
    add("activations between layers", part, vec![(hidden, "hidden")], &both, &TOKENS, 1, true);
    let (query, key) = (arch.query_width() as u64, arch.key_value_width() as u64);
    if query != hidden {
        add("queries", part, vec![(query, "wide")], &both, &TOKENS, tp, true);
    }
    if key > 0 {
        add("queries, keys and values together", part, vec![(query + 2 * key, "wide")], &both, &TOKENS, tp, true);
    }
    if arch.has_experts() {
        let (top, width) = (u64::from(arch.experts.top_k()), u64::from(arch.experts.moe_intermediate_size));
        add(
            "tokens copied to their experts",
            part,
            vec![(top, "experts"), (hidden, "hidden")],
            &both,
            &TOKENS,
            1,
            true,
        );
        add("activations inside the experts", part, vec![(top, "experts"), (width, "wide")], &both, &TOKENS, 1, true);
        add(
            "activations inside the experts, gate and up together",
            part,
            vec![(top, "experts"), (2 * width, "wide")],
            &both,
            &TOKENS,
            1,
            true,
        );
    }
    let eager = setup.kernels.attention == AttentionKernel::Unfused;
    let heads = vec![(u64::from(arch.num_attention_heads), "heads")];
    for width in both {
        let what = if width == 4.0 { "attention scores, in fp32" } else { "attention scores, in 16 bits" };
        all.push(Tensor {
            what,
            part,
            dims: heads.clone(),
            width,
            over: tp,
            grows: Grows::Square,
            when: &SCORES,
            made: eager,
        });
    }
    for width in [1.0, 2.0, 4.0] {
        all.push(Tensor {
            what: "attention mask",
            part,
            dims: Vec::new(),
            width,
            over: 1,
            grows: Grows::Square,
            when: &MASK,
            made: false,
        });
    }
}

/// Returns the weight matrices of a layer and of the embedding, with their two dimensions.
fn matrices(setup: &Setup) -> Vec<(&'static str, [Dim; 2])> {
    let arch = &setup.architecture;
    let (hidden, ffn) = ((u64::from(arch.hidden_size), "hidden"), (u64::from(arch.intermediate_size), "wide"));
    let (query, key) = (arch.query_width() as u64, arch.key_value_width() as u64);
    let mut of = vec![
        ("the embedding or the output head", [(u64::from(arch.vocab_size), "entries of the vocabulary"), hidden]),
        ("a matrix of the MLP", [ffn, hidden]),
        ("the query or output projection", [(query, "wide"), hidden]),
        ("the projection to queries, keys and values", [(query + 2 * key, "wide"), hidden]),
    ];
    if key != query {
        of.push(("a projection to keys or values", [(key, "wide"), hidden]));
    }
    if arch.gated_mlp {
        of.push(("gate and up of the MLP together", [(2 * ffn.0, "wide"), hidden]));
    }
    if arch.has_experts() {
        let width = u64::from(arch.experts.moe_intermediate_size) * u64::from(arch.experts.num_experts)
            / u64::from(setup.mesh.ep.max(1));
        of.push(("a matrix of all experts of a layer", [(width, "wide"), hidden]));
        of.push(("gate and up of all experts of a layer", [(2 * width, "wide"), hidden]));
    }
    of.retain(|(_, dims)| dims.iter().all(|(count, _)| *count > 0));
    of
}

fn add_weights(setup: &Setup, all: &mut Vec<Tensor>) {
    let bytes = recipe_bytes(setup.recipe);
    let frozen = !setup.trained.is_all();
    let shards = shard_degrees(setup).weights as u64;
    let tp = u64::from(setup.mesh.tp.max(1));
    for (what, dims) in matrices(setup) {
        let mut add = |width: f64, over: u64, part, when: &'static [Activity], made| {
            all.push(Tensor { what, part, dims: dims.to_vec(), width, over, grows: Grows::Not, when, made });
        };
        for width in [4.0, 2.0, 1.0, 0.5] {
            let at_rest = if frozen { setup.trained.base.bytes() } else { bytes.weights };
            add(
                width,
                tp,
                MemoryPart::Weights,
                &[Activity::Loading],
                width == at_rest || (width == 2.0 && at_rest < 1.0),
            );
            if width < 2.0 {
                continue;
            }
            let gathered = shards > 1 && width == bytes.gathered;
            add(width, tp, MemoryPart::GatheredWeights, &GATHER, gathered);
            let gradient = if shards > 1 { MemoryPart::UnreducedGradients } else { MemoryPart::Gradients };
            add(
                width,
                tp,
                gradient,
                &[Activity::Backward],
                !frozen && (width == bytes.gradients || width == bytes.gathered),
            );
            let over = tp * (shard_degrees(setup).optimizer as u64).max(1);
            add(
                width,
                over,
                MemoryPart::Optimizer,
                &[Activity::Optimizer],
                !frozen && (width == bytes.weights || width == 4.0),
            );
            if over > tp {
                add(width, tp, MemoryPart::Optimizer, &[Activity::Optimizer], false);
            }
        }
    }
}

/// Lists tensors that a memory snapshot contains but error messages rarely name, as a request of
/// this size is seldom refused: the weight and gradient shards that one GPU keeps between steps,
/// and keys or values.
pub(super) fn kept(setup: &Setup) -> Vec<Tensor> {
    let (bytes, degrees) = (recipe_bytes(setup.recipe), shard_degrees(setup));
    let tp = u64::from(setup.mesh.tp.max(1));
    let frozen = !setup.trained.is_all();
    let kept: [(_, f64, f64, &'static [Activity]); 2] = [
        (MemoryPart::Weights, bytes.weights, degrees.weights, &[Activity::Loading]),
        (MemoryPart::Gradients, bytes.gradients, degrees.gradients, &[Activity::Backward]),
    ];
    let mut all = Vec::new();
    let key = setup.architecture.key_value_width() as u64;
    if key > 0 {
        all.push(Tensor {
            what: "keys or values",
            part: MemoryPart::Activations,
            dims: vec![(key, "wide")],
            width: bytes.activation,
            over: tp,
            grows: Grows::Tokens,
            when: &TOKENS,
            made: true,
        });
    }
    for (what, dims) in matrices(setup) {
        for (part, width, degree, when) in kept {
            let over = tp * (degree as u64).max(1);
            if over > tp || part == MemoryPart::Gradients {
                let made = part == MemoryPart::Weights || !frozen;
                all.push(Tensor { what, part, dims: dims.to_vec(), width, over, grows: Grows::Not, when, made });
            }
        }
    }
    all
}

const STATES: [Activity; 2] = [Activity::Loading, Activity::Optimizer];
const REDUCE: [Activity; 2] = [Activity::Communication, Activity::Backward];
/// Elements of DeepSpeed's gradient and all-gather buckets (`reduce_bucket_size`,
/// `allgather_bucket_size`).
const BUCKET: u64 = 500_000_000;
/// Parameters in one sub-group of DeepSpeed's optimizer update (`sub_group_size`).
const SUB_GROUP: u64 = 1_000_000_000;
/// Bytes of a DDP gradient bucket (`bucket_cap_mb`).
const DDP_BUCKET: u64 = 25 << 20;

/// Adds flat buffers of all parameters on a GPU, unsharded and sharded.
fn add_flat_buffers(setup: &Setup, all: &mut Vec<Tensor>) {
    let whole = stages(setup).first.params.held.all() as u64;
    let (bytes, degrees) = (recipe_bytes(setup.recipe), shard_degrees(setup));
    let group = u64::from(setup.mesh.shard_group().max(1));
    let flat = setup.traits().flat_gradient_buckets;
    for (width, over) in [(4.0, 1), (4.0, group), (2.0, 1), (2.0, group)] {
        let mut add = |what, part, when: &'static [Activity], is_of_width: bool, degree: f64| {
            let made = flat && is_of_width && over == degree as u64;
            let dims = vec![(whole, "parameters")];
            all.push(Tensor { what, part, dims, width, over, grows: Grows::Not, when, made });
        };
        let (weights, moments, gradients) = (degrees.weights, degrees.optimizer, degrees.gradients);
        add("the flat buffer of all weights", MemoryPart::Weights, &STATES, width == bytes.weights, weights);
        add("the flat buffer of fp32 weights or of a moment", MemoryPart::Optimizer, &STATES, width == 4.0, moments);
        add("the flat buffer of all gradients", MemoryPart::Gradients, &REDUCE, width == bytes.gradients, gradients);
    }
}

fn add_model_tensors(setup: &Setup, all: &mut Vec<Tensor>) {
    add_flat_buffers(setup, all);
    let bytes = recipe_bytes(setup.recipe);
    let degrees = shard_degrees(setup);
    let group = u64::from(setup.mesh.shard_group().max(1));
    let arch = &setup.architecture;
    let tp = u64::from(setup.mesh.tp.max(1));
    let layer = arch.dense_layer_params();
    let mut add =
        |what, part, elements: u64, of: &'static str, width: f64, over: u64, when: &'static [Activity], made| {
            all.push(Tensor { what, part, dims: vec![(elements, of)], width, over, grows: Grows::Not, when, made });
        };
    let deepspeed = setup.traits().zero_by_deepspeed;
    for width in [4.0, 2.0] {
        add(
            "the gathered weights of one layer",
            MemoryPart::GatheredWeights,
            layer,
            "parameters of a layer",
            width,
            tp,
            &GATHER,
            degrees.weights > 1.0 && width == bytes.gathered,
        );
        add(
            "the gradients of one layer, to be reduced",
            MemoryPart::UnreducedGradients,
            layer,
            "parameters of a layer",
            width,
            tp,
            &REDUCE,
            degrees.weights > 1.0 && width == bytes.reduced,
        );
        let outer = arch.embedding_params() + arch.head_params();
        if arch.head_params() > 0 {
            add(
                "embedding and output head together",
                MemoryPart::GatheredWeights,
                outer,
                "parameters",
                width,
                tp,
                &GATHER,
                degrees.weights > 1.0 && width == bytes.gathered,
            );
        }
        add(
            "DeepSpeed's bucket of gradients (reduce_bucket_size)",
            MemoryPart::UnreducedGradients,
            BUCKET,
            "elements",
            width,
            1,
            &REDUCE,
            deepspeed,
        );
        add(
            "DeepSpeed's sub-group of an update (sub_group_size)",
            MemoryPart::Optimizer,
            SUB_GROUP,
            "parameters",
            width,
            1,
            &STATES,
            deepspeed,
        );
    }
    add(
        "a bucket of gradients of DDP",
        MemoryPart::UnreducedGradients,
        DDP_BUCKET,
        "bytes",
        1.0,
        1,
        &REDUCE,
        group <= 1 && setup.mesh.gpus() > 1,
    );
}
