//! What autograd keeps of one layer for the backward pass, tensor by tensor.

mod attention;
mod frozen;
mod in_backward;
mod modules;
mod norms;
mod recurrent;
mod selective;

use frozen::Difference;
pub use in_backward::{LayerBackward, Moment};
use norms::Norms;

use super::states::product_bytes;
use crate::model::experts::{self, Dispatcher};
use crate::model::flops::layer::matrices;
use crate::model::framework::Layers;
use crate::model::parallel::ContextExchange;
use crate::model::per_rank::{sequence_share, tokens};
use crate::model::setup::Setup;
use crate::model::software::AttentionKernel;
use crate::model::training::Recompute;
use crate::model::transformer::LayerShares;

/// Bytes per element of flash attention's log-sum-exp, kept in fp32 for each head and token.
const LOG_SUM_EXP_BYTES: f64 = 4.0;
/// Bytes per element of a tensor in fp32.
const FP32: f64 = 4.0;
/// Bytes of one element of a dropout mask.
const MASK: f64 = 1.0;

/// Elements of width H per token and layer that asynchronous tensor parallelism keeps beside, each
/// GPU its part of the sequence. nanotron's are in buffers for all layers, and so are those of
/// Transformer Engine, in which Megatron's runs (`initialize_ub`).
const ASYNCHRONOUS_COPIES: f64 = 4.0;

/// Bytes per token and layer on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerBytes {
    /// All that is kept when nothing is recomputed.
    pub whole: f64,
    /// What the recomputation mode keeps from forward to backward; never more than `whole`.
    pub kept: f64,
    /// What the final norm keeps, where there is a head.
    pub final_norm: f64,
    /// What the MLP's (or unfused attention's) backward pass holds beside `whole`: gradients of its
    /// hidden tensors.
    pub gradients: f64,
    /// Of that, what the last block's backward pass holds, with all of the layer's other blocks
    /// still there.
    pub last_block: f64,
    /// Share of the layers with experts.
    pub experts: f64,
    /// The moments of a dense layer's backward pass, where PyTorch runs it: in the place of
    /// `gradients`.
    pub backward: Option<LayerBackward>,
}

/// The tensors of one layer, in bytes per token on one GPU.
struct Tensors {
    /// The layer's input.
    input: f64,
    /// Inputs and outputs of the norms, and what they keep beside.
    norms: f64,
    /// Of that, one norm's.
    norm: f64,
    /// Queries.
    query: f64,
    /// Keys, or values, as attention keeps them.
    key: f64,
    /// The same as their product makes them.
    key_value: f64,
    /// What norms of queries and keys keep.
    norms_of_heads: f64,
    /// What one matrix for queries, keys and values keeps more than three.
    joined: f64,
    /// The output of attention, its log-sum-exp, and the output projection's input where it is a
    /// copy.
    attention: f64,
    /// Scores written to memory: softmax and dropout.
    scores: f64,
    /// Hidden tensors of the MLP, of experts among them.
    mlp: f64,
    /// One of them.
    hidden: f64,
    /// One of them, routed experts' apart.
    hidden_unrouted: f64,
    /// Copies of tokens at their experts: the inputs of their products and, where probabilities are
    /// applied after them, the outputs.
    routed: f64,
    /// One such copy.
    copy: f64,
    /// What a mixer with a state keeps.
    state: f64,
    /// The most that is alive of it at once, what it keeps among it.
    state_at_most: f64,
    /// The low-rank queries, keys and values of latent attention, with their norms' outputs.
    latent: f64,
    /// Of these, the norms' outputs.
    latent_outputs: f64,
    /// What narrower products keep less of their inputs.
    narrowed: f64,
    /// Masks of the two dropouts on the residual stream.
    masks: f64,
    /// What one norm keeps beside its input.
    norm_output: f64,
    /// Of all norms, the normalised inputs, for their weights' gradients; and the final norm's.
    normalised: f64,
    normalised_last: f64,
    /// Its output, which the products after it keep.
    norm_kept: f64,
    /// Norms whose outputs products keep, by number.
    norms_kept: f64,
    /// Hidden tensors of an MLP, by number.
    wide: f64,
    /// One of those of dense MLPs, of shared and of routed experts.
    hidden_by_kind: [f64; 3],
    /// The share by which narrower products keep less of an input.
    narrow: f64,
}

/// The share by which a product's input is narrower than it was computed: Transformer Engine keeps
/// the inputs of its products in their format, 8 or 4 bits, for the weights' gradients (github
/// NVIDIA/TransformerEngine v2.9, `layernorm_linear.py`: of the two orders of a quantized input the
/// backward pass keeps the column-wise one alone). A gradient that is computed in 16 bits has its
/// input in them.
fn narrow(setup: &Setup, element: f64) -> f64 {
    let keeps_narrow = setup.traits().keeps_narrow_inputs && !setup.gradients_in_16_bits;
    let product = if keeps_narrow { product_bytes(setup.compute_format) } else { None };
    product.map_or(0.0, |bytes| (element - bytes) / element) * (1.0 - setup.share_in_16_bits())
}

fn tensors(setup: &Setup, element: f64, shares: &LayerShares) -> Tensors {
    let arch = &setup.architecture;
    let tp = f64::from(setup.mesh.tp.max(1));
    let by_heads = f64::from(setup.sequence_heads.max(1));
    let hidden = f64::from(arch.hidden_size);
    let query = shares.attention * (arch.query_width() * element / tp);
    let heads = f64::from(arch.num_attention_heads) / tp;
    let sequence = sequence_share(setup);
    let seq_len = f64::from(setup.batch.seq_len);
    let norms = Norms::of(setup, element);
    let beside = setup.tensor.asynchronous && !setup.traits().asynchronous_in_shared_buffers;
    let copies = if setup.mesh.tp > 1 && beside { ASYNCHRONOUS_COPIES * element * hidden * sequence } else { 0.0 };
    let unfused = setup.kernels.attention == AttentionKernel::Unfused;
    let dropout = f64::from(u8::from(setup.kernels.dropout));
    let hidden_width = |width: u32| f64::from(width) * element / tp;
    let dense_width = hidden_width(arch.intermediate_size);
    let (width, unrouted, copy, of_router, hidden_by_kind) = if shares.moe > 0.0 {
        let experts = &arch.experts;
        // Copies at this GPU's experts, over the tokens of its tensor-parallel group.
        let copies = experts::received(setup) / tokens(setup);
        let expert = f64::from(experts.moe_intermediate_size) * element / f64::from(setup.mesh.etp.max(1));
        let shared = hidden_width(experts.shared_intermediate_size);
        let unrouted = shares.dense() * dense_width + shares.moe * shared;
        let router = ROUTER_TENSORS * FP32 * f64::from(experts.num_experts) / tp;
        let by_kind = [shares.dense() * dense_width, shares.moe * shared, shares.moe * copies * expert];
        let copy = shares.moe * copies * f64::from(arch.expert_hidden_size()) * element;
        (unrouted + shares.moe * copies * expert, unrouted, copy, shares.moe * router, by_kind)
    } else {
        let width = shares.mlp * dense_width;
        (width, width, 0.0, 0.0, [width, 0.0, 0.0])
    };
    let (latent, latent_outputs) = if arch.latent.is_used() {
        let (rank, query_rank) = (f64::from(arch.latent.kv_lora_rank), f64::from(arch.latent.q_lora_rank));
        let rope = f64::from(arch.latent.qk_rope_head_dim);
        let of = |width: f64| shares.attention * (element * width);
        (of(2.0 * (rank + query_rank) + rope), of(rank + query_rank))
    } else {
        (0.0, 0.0)
    };
    let wide = hidden_tensors(setup);
    let narrow = narrow(setup, element);
    let narrowed = narrow * (norms.outputs * hidden * sequence * element + query + width + copy);
    // The output of attention is as wide as its values.
    let output = arch.attention_output_width() * element / tp;
    // Transformer Engine prefers cuDNN's attention from Hopper on (`get_attention_backend`).
    let turned = setup.traits().turns_attention_output
        && setup.accelerator.generation.is_before_hopper()
        && setup.mesh.cp <= 1
        && !unfused;
    let outputs = if turned { 2.0 } else { 1.0 };
    let statistics = if unfused { 0.0 } else { LOG_SUM_EXP_BYTES * heads };
    // The gate before its sigmoid, and the gated output.
    let gate = if arch.gated_attention { 2.0 * query } else { 0.0 };
    let key_value = shares.attention * (arch.key_value_width_over(tp * by_heads) * by_heads * element);
    let repeats = setup.repeats_key_values();
    let copies_kept = match setup.experts.dispatcher {
        Dispatcher::AllToAll => 2.0,
        Dispatcher::Fused => 1.0,
    };
    // Where the activation is gated, one kernel applies the router's probabilities too and keeps
    // its input.
    let [_, _, routed] = hidden_by_kind;
    let scaled = if setup.traits().scales_expert_activation && !arch.gated_mlp { routed } else { 0.0 };
    let state = recurrent::of_mixer(setup, element);
    Tensors {
        input: hidden * element * sequence,
        norms: norms.all * hidden + copies,
        norm: norms.one * hidden,
        query,
        // A GPU of an all-to-all over heads has one key and value head at least.
        key: if repeats { query } else { key_value },
        key_value,
        attention: shares.attention * (outputs * output + statistics) + gate,
        norms_of_heads: norms.of_heads * (query + key_value),
        scores: if unfused {
            shares.attention * (heads * seq_len * attention::bytes_per_score(setup, element))
        } else {
            0.0
        },
        joined: attention::joined_projections(setup, query, key_value),
        mlp: wide * width + scaled,
        hidden: width,
        hidden_unrouted: unrouted,
        routed: copies_kept * copy + of_router,
        copy,
        state: shares.recurrent * state.kept,
        state_at_most: shares.recurrent * state.at_most,
        latent,
        latent_outputs,
        narrowed,
        masks: dropout * 2.0 * MASK * hidden * sequence,
        norm_output: (norms.one - (1.0 + narrow) * element * sequence) * hidden,
        normalised: f64::from(arch.norms_per_layer) * norms.normalised * hidden,
        normalised_last: norms.normalised * hidden,
        norm_kept: (norms.kept_output - narrow * element * sequence) * hidden,
        norms_kept: norms.outputs,
        wide,
        hidden_by_kind,
        narrow,
    }
}

/// Hidden tensors of an MLP, by number.
fn hidden_tensors(setup: &Setup) -> f64 {
    // Routed experts of PyTorch's models break the compiler's graph.
    let breaks = setup.architecture.has_experts() && setup.traits().layers != Layers::Own;
    let fused_activation = (setup.kernels.compile && !breaks) || setup.traits().fused_activation;
    // XLA computes the activation where the next product reads it.
    let is_xla = setup.traits().is_one_program;
    match (setup.architecture.gated_mlp, fused_activation) {
        (true, _) if is_xla => 2.0,
        (false, _) if is_xla => 1.0,
        // Gate, up, the activation's output, the product.
        (true, false) => 4.0,
        (true, true) => 3.0,
        // GPT-2's `gelu_new`, operator by operator: its input, a half of it, tanh, that and one,
        // the output.
        (false, _) if setup.has_new_gelu() => 5.0,
        (false, _) => 2.0,
    }
}

/// Bytes per token and layer on one GPU, `element` bytes an activation; the mean over layers of
/// which `shares` have each block.
///
/// Counts inputs and outputs of the norms, q, k, v, the attention output and its log-sum-exp, the
/// MLP's hidden tensors, scores where attention is unfused, masks where there is dropout. Full
/// recomputation keeps the layer's input; selective (torchtitan, per operator) the input, the
/// attention output and every second matrix product's output, of routed experts none (`MaxText`'s
/// `minimal`: of every product but the last); the attention core (Megatron) all but the scores;
/// single modules what they do not hold. Offloaded activations keep none. Source: arXiv 2205.05198,
/// table 2, for `34 H + 5 n_q s` and its division by tp.
///
/// ```
/// # use engine::model::{memory::activations::layer, setup::Setup, transformer::LayerShares, software::{AttentionKernel, Kernels}};
/// # use engine::{model::choices::Choices, scenario::Scenario};
/// // GPT-3 175B, 2,048 tokens, dropout, no tensor parallelism: 34 H + 5 n_q s bytes a token (arXiv 2205.05198).
/// let model = catalog::model("gpt-3-175b").unwrap().pick();
/// let kernels = Kernels { attention: AttentionKernel::Unfused, dropout: true, ..Kernels::USUAL };
/// let choices = Choices { kernels, ..Choices::DEFAULT };
/// let setup = Scenario { model, choices, seq_len: 2048, ..catalog::default_scenario() }.setup();
/// assert_eq!(layer(&setup, 2.0, &LayerShares::DENSE).whole, 34.0 * 12_288.0 + 5.0 * 96.0 * 2048.0);
///
/// // Llama 2 7B under Megatron: before Hopper a copy more of the attention's output, 4,096 elements of two bytes.
/// # use links::decode;
/// # use engine::model::transformer::Architecture;
/// let on = |cluster: &str| {
///     let link = "model=llama-2-7b&gpus=8&strategy=zero1&recipe=megatron-mixed&framework=megatron";
///     decode(&format!("{link}&cluster={cluster}")).scenario.setup()
/// };
/// let whole = |setup: &Setup| layer(setup, 2.0, &LayerShares::DENSE).whole;
/// assert_eq!(whole(&on("dgx-a100-80")) - whole(&on("dgx-h100")), 8192.0);
///
/// // A gate on the output of attention: its 4,096 elements before the sigmoid, and as many of the gated output.
/// let plain = on("dgx-h100");
/// let gated = Setup { architecture: Architecture { gated_attention: true, ..plain.architecture }, ..plain };
/// assert_eq!(whole(&gated) - whole(&plain), 2.0 * 8192.0);
/// ```
pub fn layer(setup: &Setup, element: f64, shares: &LayerShares) -> LayerBytes {
    let t = tensors(setup, element, shares);
    let tiled = if setup.kernels.tiled_mlp { t.wide * t.hidden_by_kind[0] } else { 0.0 };
    let blocks =
        t.norms + t.query + 2.0 * t.key + t.joined + t.norms_of_heads + t.attention + t.scores + t.mlp + t.masks
            - t.narrowed;
    let Difference { less, more } = Difference::of(setup, &t, element, shares);
    // A dense MLP in tiles keeps its input, which the norm's output is, and has one tile's tensors
    // while it runs.
    let in_tile = tiled * tile_share(setup);
    let whole = blocks - tiled + t.routed + t.latent + t.state - less + more;
    // A shape without norms keeps less than its input.
    let input = if t.input < whole { t.input } else { whole };
    let kept = match setup.recompute {
        Recompute::None | Recompute::Full | Recompute::Fraction => {
            let share = setup.kept_layers();
            (1.0 - share) * input + share * whole
        }
        Recompute::AttentionCore => whole - t.scores,
        Recompute::Modules => {
            // XLA runs the output projection again, so that it keeps no input of the second norm.
            let again = if setup.traits().is_one_program { t.input } else { 0.0 };
            let kept = whole - modules::dropped(setup, &t, shares) - again;
            if kept > input { kept } else { input }
        }
        Recompute::Selective if setup.traits().selective_keeps_products => {
            // Outputs of all products but the last, into the residual stream: the next layer's
            // input is there anyhow.
            let inputs = if setup.architecture.gated_mlp { 2.0 } else { 1.0 };
            let projected = if setup.architecture.latent.is_used() { t.latent } else { t.query + 2.0 * t.key };
            let some = 2.0 * t.input + projected + inputs * t.hidden;
            if some < whole { some } else { whole }
        }
        Recompute::Selective => {
            // Kernels of state mixers are no products: what they keep stays.
            let some = selective::kept(setup, &t, element, shares) + t.state;
            if some < whole { some } else { whole }
        }
    };
    // XLA writes the gradients of the first products' outputs alone.
    let fused = if setup.traits().is_one_program { 1.0 } else { 0.0 };
    let matrices = matrices(&setup.architecture) - fused;
    let untiled = t.hidden - tiled / t.wide * (1.0 - tile_share(setup));
    let mlp_backward = in_tile
        + matrices * untiled
        + MLP_BACKWARD_WIDTHS * t.input
        + copies_backward(setup.experts.dispatcher) * t.copy;
    let scores_backward = SCORE_GRADIENTS * t.scores;
    let blocks_backward = if scores_backward > mlp_backward { scores_backward } else { mlp_backward };
    // PyTorch's operators one by one, on layers of attention and an MLP.
    let is_plain = setup.traits().layers != Layers::Own
        && shares.moe <= 0.0
        && shares.is_uniform()
        && !setup.architecture.latent.is_used()
        && tiled <= 0.0;
    let backward = in_mixer(&t, whole, blocks_backward);
    let cp = f64::from(setup.mesh.cp.max(1));
    // Keys and values of the whole sequence, while they are gathered.
    let gathered = if setup.context == ContextExchange::AllGather && cp > 1.0 { 2.0 * t.key_value * cp } else { 0.0 };
    let final_norm = t.norm - frozen::of_final_norm(setup, &t);
    LayerBytes {
        whole,
        kept,
        // A shape may have no norms.
        final_norm: if final_norm > 0.0 { final_norm } else { 0.0 },
        gradients: gathered + backward,
        last_block: gathered + blocks_backward,
        experts: shares.moe,
        backward: is_plain.then(|| in_backward::of_layer(setup, &t, element)),
    }
}

/// Bytes per token that one mixer with a state keeps on one GPU, `element` bytes an activation.
pub fn of_state(setup: &Setup, element: f64) -> f64 {
    recurrent::kept(setup, element)
}

/// What is alive beside `whole` where a layer holds most: in the backward pass of its last block,
/// or within its mixer with a state, when what follows the mixer is not there yet or no longer.
fn in_mixer(t: &Tensors, whole: f64, last_block: f64) -> f64 {
    if t.state_at_most <= 0.0 {
        return last_block;
    }
    let beside = t.norm + t.input + t.state_at_most - whole;
    if beside > last_block { beside } else { last_block }
}

/// The layer in work: of a kind with experts where there is one, else of the kind that holds most
/// beside what it keeps; `None` where all layers are alike.
pub fn in_work(setup: &Setup, element: f64, shares: &LayerShares) -> Option<LayerBytes> {
    let arch = &setup.architecture;
    if !arch.pattern.is_used() {
        let is_mixed = shares.moe > 0.0 && shares.moe < 1.0;
        return is_mixed.then(|| layer(setup, element, &LayerShares::mixture(1.0)));
    }
    let kinds = arch
        .pattern
        .distinct_among(arch.num_hidden_layers)
        .map(|kind| layer(setup, element, &arch.shares_of_kind(kind)));
    let working = |bytes: &LayerBytes| bytes.whole - bytes.kept + bytes.gradients;
    kinds.reduce(|most, next| if working(&next) > working(&most) { next } else { most })
}

/// The part of a GPU's tokens that one tile of a tiled MLP has: as many tiles as the tokens have
/// widths of the model (`TiledMLP`, arXiv 2506.13996, section 3.1.1).
fn tile_share(setup: &Setup) -> f64 {
    let tiles = (tokens(setup) / f64::from(setup.architecture.hidden_size.max(1))).ceil();
    if tiles > 1.0 { 1.0 / tiles } else { 1.0 }
}

/// Bytes per token of one layer's experts alone, without attention and norms: what is kept, and the
/// gradients beside it in their backward pass.
pub fn of_experts(setup: &Setup, element: f64) -> (f64, f64) {
    let t = tensors(setup, element, &LayerShares::mixture(1.0));
    let narrowed = t.narrow * (t.hidden + t.copy);
    let matrices = matrices(&setup.architecture);
    (t.mlp + t.routed - narrowed, matrices * t.hidden + copies_backward(setup.experts.dispatcher) * t.copy)
}

/// Copies of gradients alive in the experts' backward pass: of their outputs, and beside a
/// collective all-to-all of what it sorts. One layer alone shows both (Megatron-LM's measurements
/// of its dispatchers).
const fn copies_backward(dispatcher: Dispatcher) -> f64 {
    match dispatcher {
        Dispatcher::AllToAll => 2.0,
        Dispatcher::Fused => 1.0,
    }
}

/// Tensors of a router that are kept for each expert and token in fp32: its logits and their
/// softmax.
const ROUTER_TENSORS: f64 = 2.0;
/// Elements of width H per token alive in the MLP's backward pass beside its own: the residual's
/// gradient and the norm's.
const MLP_BACKWARD_WIDTHS: f64 = 2.0;
/// Gradients of the scores alive at once in an unfused attention's backward pass, over the scores
/// that are kept.
const SCORE_GRADIENTS: f64 = 1.0;
