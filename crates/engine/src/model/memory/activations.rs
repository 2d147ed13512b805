//! Activations that autograd keeps of one layer for the backward pass, tensor by tensor.

mod attention;
mod frozen;
mod in_backward;
mod modules;
mod norms;
mod recurrent;
mod selective;

use frozen::AdapterActivations;
pub use in_backward::{LayerBackward, Moment};
use norms::Norms;

use crate::model::flops::layer::matrices;
use crate::model::framework::Layers;
use crate::model::parallel::{ContextExchange, Dispatcher};
use crate::model::per_rank::{sequence_share, tokens};
use crate::model::routing;
use crate::model::setup::Setup;
use crate::model::software::AttentionKernel;
use crate::model::states::product_bytes;
use crate::model::training::Recompute;
use crate::model::transformer::LayerShares;

/// Bytes per element of flash attention's log-sum-exp, in fp32 for each head and token.
const LOG_SUM_EXP_BYTES: f64 = 4.0;
/// Bytes per element of a tensor in fp32.
const FP32: f64 = 4.0;
/// Bytes of one element of a dropout mask.
const MASK: f64 = 1.0;

/// Extra elements of width H per token and layer that asynchronous tensor parallelism keeps, each
/// GPU its part of the sequence. In nanotron and Transformer Engine, which Megatron uses
/// (`initialize_ub`), all layers share buffers for them.
const ASYNCHRONOUS_COPIES: f64 = 4.0;

/// Activation bytes per token and layer on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerBytes {
    /// Activations kept without recomputation.
    pub whole: f64,
    /// Activations that the recomputation mode keeps from forward to backward; at most `whole`.
    pub kept: f64,
    /// Activations that the final norm keeps, on the stage with the head.
    pub final_norm: f64,
    /// Bytes that the backward pass of the MLP (or of unfused attention) holds in addition to
    /// `whole`: gradients of its hidden tensors.
    pub gradients: f64,
    /// Part of `gradients` that the last block's backward pass holds while all other blocks of the
    /// layer are still in memory.
    pub last_block: f64,
    /// Share of the layers with experts.
    pub experts: f64,
    /// Candidates for the peak of a dense layer's backward pass where PyTorch runs it, used instead
    /// of `gradients`.
    pub backward: Option<LayerBackward>,
}

/// The tensors of one layer, in bytes per token on one GPU.
struct Tensors {
    /// The layer's input.
    input: f64,
    /// Inputs and outputs of the norms, and other tensors that norms keep.
    norms: f64,
    /// Part of `norms` that belongs to one norm.
    norm: f64,
    /// Queries.
    query: f64,
    /// Keys, or values, in the layout that attention keeps.
    key: f64,
    /// Keys, or values, as produced by their projection.
    key_value: f64,
    /// Tensors kept by the norms of queries and keys.
    norms_of_heads: f64,
    /// Extra bytes of one fused matrix for queries, keys and values compared with three.
    joined: f64,
    /// The output of attention, its log-sum-exp, and the output projection's input if that is a
    /// copy.
    attention: f64,
    /// Scores written to memory: softmax and dropout.
    scores: f64,
    /// Hidden tensors of the MLP, including those of experts.
    mlp: f64,
    /// One hidden tensor.
    hidden: f64,
    /// One hidden tensor, without routed experts.
    hidden_dense_and_shared: f64,
    /// Copies of tokens at their experts: the inputs of the products and, if probabilities are
    /// applied after the products, the outputs.
    routed: f64,
    /// One copy of the tokens.
    copy: f64,
    /// Tensors kept by a recurrent mixer.
    state: f64,
    /// Peak bytes of a recurrent mixer, including the tensors that it keeps.
    state_peak: f64,
    /// The low-rank queries, keys and values of latent attention, with the outputs of their norms.
    latent: f64,
    /// Part of `latent` that is outputs of norms.
    latent_outputs: f64,
    /// Bytes saved by products that keep their inputs in narrower formats.
    narrowed: f64,
    /// Masks of the two dropouts on the residual stream.
    masks: f64,
    /// Tensors that one norm keeps besides its input.
    norm_output: f64,
    /// The normalised inputs of all norms, for their weights' gradients, and that of the final
    /// norm.
    normalised: f64,
    normalised_last: f64,
    /// Output of a norm, which the products after it keep.
    norm_output_bytes: f64,
    /// Number of norms whose outputs products keep.
    norm_count: f64,
    /// Number of hidden tensors of an MLP.
    wide: f64,
    /// One hidden tensor each of dense MLPs, shared experts and routed experts.
    hidden_by_kind: [f64; 3],
    /// Share of an input's bytes that narrower products save.
    narrow: f64,
}

/// Returns the share of bytes that is saved because products keep their inputs narrower than
/// computed: Transformer Engine keeps inputs in the products' format, 8 or 4 bits, for the weight
/// gradients (github NVIDIA/TransformerEngine v2.9, `layernorm_linear.py`: of the two layouts of a
/// quantized input, the backward pass keeps only the column-wise one). If weight gradients are
/// computed in 16 bits, inputs are kept in 16 bits.
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
    let norms = Norms::new(setup, element);
    let beside = setup.tensor.asynchronous && !setup.traits().asynchronous_in_shared_buffers;
    let copies = if setup.mesh.tp > 1 && beside { ASYNCHRONOUS_COPIES * element * hidden * sequence } else { 0.0 };
    let unfused = setup.kernels.attention == AttentionKernel::Unfused;
    let dropout = f64::from(u8::from(setup.kernels.dropout));
    let hidden_width = |width: u32| f64::from(width) * element / tp;
    let dense_width = hidden_width(arch.intermediate_size);
    let (width, unrouted, copy, of_router, hidden_by_kind) = if shares.moe > 0.0 {
        let experts = &arch.experts;
        // Copies at this GPU's experts per token of its tensor-parallel group.
        let copies = routing::received(setup) / tokens(setup);
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
    // For a gated activation, one kernel also applies the router's probabilities and keeps its
    // input.
    let [_, _, routed] = hidden_by_kind;
    let scaled = if setup.traits().scales_expert_activation && !arch.gated_mlp { routed } else { 0.0 };
    let state = recurrent::mixer_bytes(setup, element);
    Tensors {
        input: hidden * element * sequence,
        norms: norms.all * hidden + copies,
        norm: norms.one * hidden,
        query,
        // Every GPU of an all-to-all over heads has at least one key and value head.
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
        hidden_dense_and_shared: unrouted,
        routed: copies_kept * copy + of_router,
        copy,
        state: shares.recurrent * state.kept,
        state_peak: shares.recurrent * state.at_most,
        latent,
        latent_outputs,
        narrowed,
        masks: dropout * 2.0 * MASK * hidden * sequence,
        norm_output: (norms.one - (1.0 + narrow) * element * sequence) * hidden,
        normalised: f64::from(arch.norms_per_layer) * norms.normalised * hidden,
        normalised_last: norms.normalised * hidden,
        norm_output_bytes: (norms.kept_output - narrow * element * sequence) * hidden,
        norm_count: norms.outputs,
        wide,
        hidden_by_kind,
        narrow,
    }
}

/// Returns the number of hidden tensors of an MLP.
fn hidden_tensors(setup: &Setup) -> f64 {
    // Routed experts of PyTorch's models break the compiler's graph.
    let breaks = setup.architecture.has_experts() && setup.traits().layers != Layers::Own;
    let fused_activation = (setup.kernels.compile && !breaks) || setup.traits().fused_activation;
    // XLA computes the activation at the point where the next product reads it.
    let is_xla = setup.traits().is_one_program;
    match (setup.architecture.gated_mlp, fused_activation) {
        (true, _) if is_xla => 2.0,
        (false, _) if is_xla => 1.0,
        // Gate, up, the activation's output, and the product.
        (true, false) => 4.0,
        (true, true) => 3.0,
        // GPT-2's `gelu_new`, operator by operator: its input, half of the input, tanh, tanh plus
        // one, and the output.
        (false, _) if setup.has_new_gelu() => 5.0,
        (false, _) => 2.0,
    }
}

/// Returns the bytes per token and layer on one GPU, with `element` bytes per activation, averaged
/// over layers with the block shares `shares`.
///
/// Counts inputs and outputs of the norms, q, k, v, the attention output and its log-sum-exp, the
/// MLP's hidden tensors, scores of unfused attention, and dropout masks. Full recomputation keeps
/// the layer's input; selective (torchtitan, per operator) the input, the attention output and the
/// output of every second matrix product, but none of routed experts (`MaxText`'s `minimal`: of
/// every product but the last); the attention core (Megatron) all but the scores; single modules
/// all tensors outside the modules. Offloaded activations count zero. Source: arXiv 2205.05198,
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
    let blocks =
        t.norms + t.query + 2.0 * t.key + t.joined + t.norms_of_heads + t.attention + t.scores + t.mlp + t.masks
            - t.narrowed;
    let frozen = AdapterActivations::new(setup, &t, element, shares);
    let [dense_hidden, _, _] = t.hidden_by_kind;
    let [dense_kept, _, _] = modules::kept_of_mlps(&t, &frozen);
    let (tiled, tiled_hidden) = if setup.kernels.tiled_mlp { (dense_kept, dense_hidden) } else { (0.0, 0.0) };
    // A tiled dense MLP keeps its input, which is the norm's output, and holds one tile's tensors
    // while it runs.
    let in_tile = tiled * mlp_tile_share(setup);
    let whole = blocks - tiled + t.routed + t.latent + t.state - frozen.saved + frozen.added;
    // A shape without norms keeps less than its input.
    let input = if t.input < whole { t.input } else { whole };
    let kept = match setup.recompute {
        Recompute::None | Recompute::Full | Recompute::Fraction => {
            let share = setup.kept_layers();
            (1.0 - share) * input + share * whole
        }
        Recompute::AttentionCore => whole - t.scores,
        Recompute::Modules => {
            // XLA recomputes the output projection, so that it does not keep the input of the
            // second norm.
            let again = if setup.traits().is_one_program { t.input } else { 0.0 };
            let kept = whole - modules::dropped(setup, &t, &frozen, shares) - again;
            if kept > input { kept } else { input }
        }
        Recompute::Selective if setup.traits().selective_keeps_products => {
            // Outputs of all products but the last, which is part of the residual stream: the next
            // layer's input is kept anyway.
            let inputs = if setup.architecture.gated_mlp { 2.0 } else { 1.0 };
            let projected = if setup.architecture.latent.is_used() { t.latent } else { t.query + 2.0 * t.key };
            let some = 2.0 * t.input + projected + inputs * t.hidden;
            if some < whole { some } else { whole }
        }
        Recompute::Selective => {
            // Kernels of recurrent mixers are not products: their tensors stay.
            let some = selective::kept(setup, &t, element, shares) + t.state;
            if some < whole { some } else { whole }
        }
    };
    // XLA only writes the gradients of the first products' outputs.
    let fused = if setup.traits().is_one_program { 1.0 } else { 0.0 };
    let matrices = matrices(&setup.architecture) - fused;
    let untiled = t.hidden - tiled_hidden * (1.0 - mlp_tile_share(setup));
    let mlp_backward = in_tile
        + matrices * untiled
        + MLP_BACKWARD_WIDTHS * t.input
        + copies_backward(setup.experts.dispatcher) * t.copy;
    let scores_backward = SCORE_GRADIENTS * t.scores;
    let blocks_backward = if scores_backward > mlp_backward { scores_backward } else { mlp_backward };
    // PyTorch's operators one by one, for layers of attention and an MLP.
    let is_plain = setup.traits().layers != Layers::Own
        && shares.moe <= 0.0
        && shares.is_uniform()
        && !setup.architecture.latent.is_used()
        && tiled_hidden <= 0.0;
    let backward = in_mixer(&t, whole, blocks_backward);
    let cp = f64::from(setup.mesh.cp.max(1));
    // Keys and values of the whole sequence, during the gather.
    let gathered = if setup.context == ContextExchange::AllGather && cp > 1.0 { 2.0 * t.key_value * cp } else { 0.0 };
    let final_norm = t.norm - frozen::final_norm_bytes(setup, &t);
    LayerBytes {
        whole,
        kept,
        // A shape may have no norms.
        final_norm: if final_norm > 0.0 { final_norm } else { 0.0 },
        gradients: gathered + backward,
        last_block: gathered + blocks_backward,
        experts: shares.moe,
        backward: is_plain.then(|| in_backward::layer_backward(setup, &t, element)),
    }
}

/// Returns the bytes per token that one recurrent mixer keeps on one GPU, with `element` bytes per
/// activation.
pub fn mixer_bytes_per_token(setup: &Setup, element: f64) -> f64 {
    recurrent::kept(setup, element)
}

/// Returns the bytes in addition to `whole` at the peak of a layer: in the backward pass of its
/// last block, or inside its recurrent mixer, when the tensors of the blocks after the mixer do not
/// exist.
fn in_mixer(t: &Tensors, whole: f64, last_block: f64) -> f64 {
    if t.state_peak <= 0.0 {
        return last_block;
    }
    let beside = t.norm + t.input + t.state_peak - whole;
    if beside > last_block { beside } else { last_block }
}

/// Returns the layer being computed at the peak: one with experts, or, in a list of layers, the
/// kind that holds most in addition to its kept tensors; `None` if all layers are alike.
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

/// Returns the share of a GPU's tokens in one tile of a tiled MLP: there are as many tiles as the
/// tokens are multiples of the model's width (`TiledMLP`, arXiv 2506.13996, section 3.1.1).
fn mlp_tile_share(setup: &Setup) -> f64 {
    let tiles = (tokens(setup) / f64::from(setup.architecture.hidden_size.max(1))).ceil();
    if tiles > 1.0 { 1.0 / tiles } else { 1.0 }
}

/// Returns the bytes per token of one layer's experts alone, without attention and norms: kept
/// tensors, and additional gradients in their backward pass.
pub fn expert_bytes_per_token(setup: &Setup, element: f64) -> (f64, f64) {
    let t = tensors(setup, element, &LayerShares::mixture(1.0));
    let narrowed = t.narrow * (t.hidden + t.copy);
    let matrices = matrices(&setup.architecture);
    (t.mlp + t.routed - narrowed, matrices * t.hidden + copies_backward(setup.experts.dispatcher) * t.copy)
}

/// Returns the gradient copies alive in the experts' backward pass: those of the experts' outputs,
/// and, with a collective all-to-all, its sorted copy. Measurements of Megatron-LM's dispatchers on
/// a single layer show both.
const fn copies_backward(dispatcher: Dispatcher) -> f64 {
    match dispatcher {
        Dispatcher::AllToAll => 2.0,
        Dispatcher::Fused => 1.0,
    }
}

/// Tensors of a router kept for each expert and token in fp32: logits and their softmax.
const ROUTER_TENSORS: f64 = 2.0;
/// Extra elements of width H per token alive in the MLP's backward pass: the gradients of the
/// residual and of the norm.
const MLP_BACKWARD_WIDTHS: f64 = 2.0;
/// Gradients of the scores alive at once in an unfused attention's backward pass, over the scores
/// that are kept.
const SCORE_GRADIENTS: f64 = 1.0;
