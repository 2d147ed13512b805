//! FLOPs of a decoder-only transformer (model.md section 2). A multiply-add counts as two.

mod modules;
pub mod recurrent;

use super::adapters;
use super::setup::Setup;
use super::software::{AttentionKernel, Framework};
use super::tower;
use super::training::{AttentionMask, MfuConvention, Recompute};
use super::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};
use super::transformer::{Architecture, ExtraParams};
use crate::units::Flops;

/// A multiply and an add.
const MULTIPLY_ADD: f64 = 2.0;
/// Matrix products over the score matrix in attention: queries by keys, and scores by values.
const SCORE_PRODUCTS: f64 = 2.0;
/// The backward pass of a matrix product is two products of the same size: for its input and for its weight.
const BACKWARD_OVER_FORWARD: f64 = 2.0;
/// The share of the score matrix that a causal mask leaves.
const CAUSAL_SHARE: f64 = 0.5;

/// Weights of one layer that take part in the matrix products of a token, the mean over layers: projections and MLP (in layers
/// with experts those that the token is sent to, the shared ones and the router), without biases and norms.
pub fn layer_matmul_params(arch: &Architecture) -> f64 {
    let shares = arch.shares();
    let hidden = f64::from(arch.hidden_size);
    let attention = shares.attention * attention_matmul_params(arch);
    let latent = shares.moe * 2.0 * hidden * f64::from(arch.experts.latent_size);
    let extra = arch.extra_layer_params() as f64 / f64::from(arch.num_hidden_layers.max(1));
    attention
        + matrices(arch) * hidden * mlp_width(arch)
        + router_params(arch)
        + (shares.recurrent * arch.recurrent_matmul_params() + latent + extra)
}

/// Weights of one attention's projections: `H (n_q + 2 n_kv) d + n_q d H`, and `H n_q d` for its gate; all matrices of latent attention.
pub fn attention_matmul_params(arch: &Architecture) -> f64 {
    if arch.latent.is_used() {
        return arch.latent_params_per_layer() as f64;
    }
    let hidden = f64::from(arch.hidden_size);
    let gate = if arch.gated_attention { hidden * arch.query_width() } else { 0.0 };
    2.0 * hidden * arch.query_width() + 2.0 * hidden * arch.key_value_width() + gate
}

/// Matrices of width F in an MLP: three where it is gated, two otherwise.
pub fn matrices(arch: &Architecture) -> f64 {
    if arch.gated_mlp { 3.0 } else { 2.0 }
}

/// Width of the MLPs that one token passes in a layer, the mean over layers: F, or with experts `k F_expert + F_shared`.
fn mlp_width(arch: &Architecture) -> f64 {
    unrouted_width(arch) + routed_width(arch)
}

/// The same of the routed experts alone: `k F_expert`, less where they work at a latent width.
fn routed_width(arch: &Architecture) -> f64 {
    let experts = arch.experts;
    let narrower = f64::from(arch.expert_hidden_size()) / f64::from(arch.hidden_size.max(1));
    arch.moe_share() * f64::from(experts.top_k()) * f64::from(experts.moe_intermediate_size) * narrower
}

/// The same without them.
fn unrouted_width(arch: &Architecture) -> f64 {
    let dense = f64::from(arch.intermediate_size);
    let shares = arch.shares();
    if !arch.has_experts() {
        return shares.mlp * dense;
    }
    shares.dense() * dense + shares.moe * f64::from(arch.experts.shared_intermediate_size)
}

/// Weights of the router, `H E`, the mean over layers.
fn router_params(arch: &Architecture) -> f64 {
    arch.moe_share() * f64::from(arch.hidden_size) * f64::from(arch.experts.num_experts)
}

/// Forward FLOPs per token of one layer's matrix products, `2 P`, the mean over layers.
///
/// ```
/// # use engine::{catalog, model::flops};
/// // 12 H² weights a layer in a GPT of width 12,288 (arXiv 2005.14165): 24 H² FLOPs.
/// let gpt3 = catalog::model("gpt-3-175b").unwrap().architecture;
/// assert_eq!(flops::layer_matmul(&gpt3).get(), 24.0 * 12_288.0 * 12_288.0);
/// ```
pub fn layer_matmul(arch: &Architecture) -> Flops {
    Flops::new(MULTIPLY_ADD * layer_matmul_params(arch))
}

/// Forward FLOPs per token of one attention's scores over `s_kv` keys, `4 n_q d s_kv`: the mean of the widths of queries and
/// values where they differ.
pub fn layer_attention(arch: &Architecture, keys: f64) -> Flops {
    let width = if arch.latent.is_used() {
        0.5 * (arch.query_width() + arch.attention_output_width())
    } else {
        arch.query_width()
    };
    Flops::new(SCORE_PRODUCTS * MULTIPLY_ADD * width * keys)
}

/// Forward FLOPs per token of the output head, `2 V H`. The embedding look-up costs none.
pub fn head(arch: &Architecture) -> Flops {
    Flops::new(MULTIPLY_ADD * f64::from(arch.vocab_size) * f64::from(arch.hidden_size))
}

/// Keys that a query of one layer attends to on average, as the kernels execute it: all, or under a causal mask half; of a
/// window of w keys w, or under a causal mask `w - w²/(2 s)`, as the first queries see fewer.
pub fn executed_keys(seq_len: f64, window: f64, mask: AttentionMask) -> f64 {
    let slides = window > 0.0 && window < seq_len;
    match mask {
        AttentionMask::Causal if slides => window - window * window / (2.0 * seq_len),
        AttentionMask::Causal => CAUSAL_SHARE * seq_len,
        AttentionMask::Full if slides => window,
        AttentionMask::Full => seq_len,
    }
}

/// [`executed_keys`], the mean over layers with attention: `global_every` or the list of layers says which see the whole sequence. A chunk is a sequence of its own.
///
/// ```
/// # use engine::{catalog, model::{flops::mean_keys, training::AttentionMask}};
/// let llama = catalog::model("llama-2-7b").unwrap().architecture;
/// assert_eq!(mean_keys(&llama, 4096.0, AttentionMask::Causal), 2048.0);
/// // Every second layer sees the last 4,096 of 8,192 tokens: 3,072 and 4,096 keys.
/// let sliding = engine::model::transformer::Architecture { sliding_window: 4096, global_every: 2, ..llama };
/// assert_eq!(mean_keys(&sliding, 8192.0, AttentionMask::Causal), 3584.0);
/// // Llama 4: three of four layers within chunks of 8,192 tokens, of which a query sees half.
/// let llama_4 = catalog::model("llama-4-scout").unwrap().architecture;
/// assert_eq!(mean_keys(&llama_4, 65_536.0, AttentionMask::Causal), 0.25 * 32_768.0 + 0.75 * 4096.0);
/// ```
pub fn mean_keys(arch: &Architecture, seq_len: f64, mask: AttentionMask) -> f64 {
    let whole = executed_keys(seq_len, 0.0, mask);
    if arch.sliding_window == 0 {
        return whole;
    }
    let window = f64::from(arch.sliding_window);
    let local = if !arch.attention_chunks {
        executed_keys(seq_len, window, mask)
    } else if window < seq_len {
        executed_keys(window, 0.0, mask)
    } else {
        whole
    };
    let global = if arch.pattern.is_used() {
        let blocks = arch.blocks();
        1.0 - f64::from(blocks.window) / f64::from(blocks.attention.max(1))
    } else if arch.global_every > 0 {
        1.0 / f64::from(arch.global_every)
    } else {
        0.0
    };
    global * whole + (1.0 - global) * local
}

/// Forward FLOPs per token of one attention's scores as executed, the mean over layers that have it. Unfused kernels compute the whole
/// matrix and mask it.
pub fn mean_executed_attention(setup: &Setup) -> Flops {
    let arch = &setup.architecture;
    let keys = if setup.kernels.attention == AttentionKernel::Unfused {
        f64::from(setup.batch.seq_len)
    } else {
        mean_keys(arch, setup.attended(), setup.mask)
    };
    layer_attention(arch, keys)
}

/// Keys that a query attends to on average, as an MFU convention counts it, the mean over layers.
pub fn counted_keys(arch: &Architecture, seq_len: f64, convention: MfuConvention) -> f64 {
    match convention {
        MfuConvention::FullAttention => mean_keys(arch, seq_len, AttentionMask::Full),
        MfuConvention::CausalAttention => mean_keys(arch, seq_len, AttentionMask::Causal),
        MfuConvention::ParametersOnly => 0.0,
    }
}

/// Forward FLOPs per token of what mixes tokens in one layer beside its products, the mean over layers: attention's scores over `s_kv`
/// keys, and recurrences.
pub fn layer_mixing(arch: &Architecture, keys: f64) -> Flops {
    let shares = arch.shares();
    shares.attention * layer_attention(arch, keys) + shares.recurrent * recurrent::recurrence(&arch.recurrent)
}

/// Forward model FLOPs per token, `2 P + 4 L n_q d s_kv`, P with the output head and without the embedding.
pub fn forward_per_token(arch: &Architecture, keys: f64) -> Flops {
    f64::from(arch.num_hidden_layers) * (layer_matmul(arch) + layer_mixing(arch, keys)) + head(arch)
}

/// Model FLOPs per token of one step, three times the forward pass: recomputation is not counted.
///
/// Source: PaLM (arXiv 2204.02311, appendix B) for the full-attention convention.
///
/// ```
/// # use engine::{catalog, model::{flops, training::MfuConvention}};
/// // MosaicML prints 6 N + 12 L H s for MPT-7B at 2,048 tokens: 6 * 6.65e9 + 12 * 32 * 4096 * 2048 = 43.1 GFLOP.
/// let mpt = catalog::model("mpt-7b").unwrap().architecture;
/// let per_token = flops::model_per_token(&mpt, 2048.0, MfuConvention::FullAttention).get();
/// assert!((per_token / 43.1e9 - 1.0).abs() < 0.005, "{per_token}");
/// ```
pub fn model_per_token(arch: &Architecture, seq_len: f64, convention: MfuConvention) -> Flops {
    (1.0 + BACKWARD_OVER_FORWARD) * forward_per_token(arch, counted_keys(arch, seq_len, convention))
}

/// Model FLOPs per token of one step of a setup: of what trains alone gradients of weights, of what gradients pass alone gradients of
/// inputs, and adapters with both. [`model_per_token`] where everything trains.
///
/// ```
/// # use engine::{model::flops::{model_per_token, of_setup}, share::decode};
/// // LoRA spares the gradients of the base's weights, a third of all but attention.
/// let of = |link: &str| of_setup(&decode(link).scenario.setup()).get();
/// let (all, lora) = (of("model=llama-2-7b"), of("model=llama-2-7b&train=lora&rank=16"));
/// assert!((0.66..0.73).contains(&(lora / all)), "{}", lora / all);
/// ```
pub fn of_setup(setup: &Setup) -> Flops {
    let arch = &setup.architecture;
    let seq_len = setup.attended();
    let spared = if setup.objective.has_scalar_head() { head(arch) } else { Flops::ZERO };
    if setup.trained.is_all() {
        let all = model_per_token(arch, seq_len, setup.mfu_convention);
        return all - (1.0 + BACKWARD_OVER_FORWARD) * spared + further_tokens(setup) + tower::flops::per_token(setup);
    }
    let share = Backward::of(setup);
    let (layers, matmul) = (f64::from(arch.num_hidden_layers), layer_matmul(arch));
    let mixing = layer_mixing(arch, counted_keys(arch, seq_len, setup.mfu_convention));
    let of_layer =
        (1.0 + share.passed + share.trained) * matmul + (1.0 + BACKWARD_OVER_FORWARD * share.passed) * mixing;
    let adapters = (1.0 + BACKWARD_OVER_FORWARD) * MULTIPLY_ADD * adapters::per_token(setup);
    layers * of_layer + of_head(setup) + Flops::new(adapters) + tower::flops::per_token(setup)
}

/// FLOPs per token of one step of the modules that predict further tokens: each the projection of hidden state and embedding, attention,
/// experts or an MLP, and the output head.
pub fn further_tokens(setup: &Setup) -> Flops {
    if setup.mtp == 0 {
        return Flops::ZERO;
    }
    let arch = &setup.architecture;
    let keys = counted_keys(arch, setup.attended(), setup.mfu_convention);
    // A model of one layer like the module's.
    let mlp = if arch.has_experts() { Mlp::Experts } else { Mlp::Dense };
    let kind = LayerKind { mixer: Mixer::Attention, mlp };
    let module =
        Architecture { num_hidden_layers: 1, pattern: Pattern::NONE.then(kind), extra: ExtraParams::NONE, ..*arch };
    let hidden = f64::from(arch.hidden_size);
    let projection = Flops::new(MULTIPLY_ADD * 2.0 * hidden * hidden);
    let forward = layer_matmul(&module) + layer_mixing(&module, keys) + projection + head(arch);
    (1.0 + BACKWARD_OVER_FORWARD) * f64::from(setup.mtp) * forward
}

/// FLOPs per token of the output head in all passes, with gradients of its weights where these train; none of a head of one output.
pub fn of_head(setup: &Setup) -> Flops {
    if setup.objective.has_scalar_head() {
        return Flops::ZERO;
    }
    (1.0 + 1.0 + Backward::of(setup).head) * head(&setup.architecture)
}

/// The share of one layer's forward matrix products and of its attention that the backward pass executes again, single modules
/// apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recomputed {
    /// Share of the layers that have a backward pass.
    pub backward: f64,
    /// Share of the matrix products.
    pub matmul: f64,
    /// Share of the attention core.
    pub attention: f64,
    /// Share of the element-wise work.
    pub elementwise: f64,
}

/// What a recomputation mode executes again.
///
/// Selective is torchtitan's per-operator mode: attention and every second matrix product are kept, so the key
/// projection, the output projection and (where gated) the MLP's second input projection run again, all grouped products of
/// routed experts do, and everything element-wise does. The attention core (Megatron) runs again where its scores were written to memory.
pub fn recomputed(setup: &Setup) -> Recomputed {
    let arch = &setup.architecture;
    // Scores that were written to memory are dropped and computed again.
    let scores = f64::from(u8::from(setup.kernels.attention == AttentionKernel::Unfused));
    let backward = Backward::of(setup).passed;
    let again = match setup.recompute {
        Recompute::None | Recompute::Full | Recompute::Fraction => {
            let again = 1.0 - setup.kept_layers();
            [again, again, again]
        }
        Recompute::AttentionCore => [0.0, scores, 0.0],
        // The blocks of a layer price their own modules (compute::modules).
        Recompute::Modules => {
            let attention = if setup.modules().core_attn { scores } else { 0.0 };
            [0.0, attention, 0.0]
        }
        // `MaxText`'s `minimal` keeps the outputs of all products, and of attention's kernel none.
        Recompute::Selective if setup.framework == Framework::MaxText => [0.0, 1.0, 1.0],
        Recompute::Selective => {
            let hidden = f64::from(arch.hidden_size);
            let second_input = if arch.gated_mlp { hidden * unrouted_width(arch) } else { 0.0 };
            let routed = matrices(arch) * hidden * routed_width(arch);
            let again = arch.shares().attention * second_projections(arch) + second_input + routed;
            [again / layer_matmul_params(arch), scores, 1.0]
        }
    };
    let [matmul, attention, elementwise] = again.map(|share| share * backward);
    Recomputed { backward, matmul, attention, elementwise }
}

/// Shares of the layers by what their backward pass computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backward {
    /// Gradients of inputs: the layers that gradients pass.
    pub passed: f64,
    /// Gradients of the model's own weights.
    pub trained: f64,
    /// Gradients of adapters' weights.
    pub adapters: f64,
    /// Gradients of the output head's weights: all of them, or none.
    pub head: f64,
}

impl Backward {
    /// That of a setup.
    pub fn of(setup: &Setup) -> Self {
        let trained = &setup.trained;
        if trained.is_all() {
            return Self { passed: 1.0, trained: 1.0, adapters: 0.0, head: 1.0 };
        }
        let layers = f64::from(setup.architecture.num_hidden_layers.max(1));
        let frozen = f64::from(trained.frozen_layers);
        let above = if frozen < layers { 1.0 - frozen / layers } else { 0.0 };
        Self {
            passed: if trained.embeddings || setup.gradients_reach_images() { 1.0 } else { above },
            trained: if trained.has_adapters() { 0.0 } else { above },
            adapters: if trained.has_adapters() { above } else { 0.0 },
            head: f64::from(u8::from(trained.embeddings)),
        }
    }
}

/// Weights of every second one of attention's projections: key and output; under latent attention those out of the ranks, or
/// where queries have no rank the one into the keys' and values' and the output's.
fn second_projections(arch: &Architecture) -> f64 {
    let hidden = f64::from(arch.hidden_size);
    let latent = arch.latent;
    if !latent.is_used() {
        return hidden * (arch.key_value_width() + arch.attention_output_width());
    }
    let rank = f64::from(latent.kv_lora_rank);
    if latent.q_lora_rank > 0 {
        let per_head = f64::from(latent.qk_nope_head_dim) + f64::from(latent.v_head_dim);
        f64::from(latent.q_lora_rank) * arch.query_width() + rank * f64::from(arch.num_attention_heads) * per_head
    } else {
        hidden * (rank + f64::from(latent.qk_rope_head_dim) + arch.attention_output_width())
    }
}

/// FLOPs per token that a step executes beyond [`of_setup`], attention counted over `keys`: what is recomputed, and forward passes
/// without gradients.
pub fn beside_model_per_token(setup: &Setup, keys: f64) -> Flops {
    let again = recomputed_per_token(setup, keys) + tower::flops::again_per_token(setup);
    let passes = setup.objective.passes();
    if passes == 0 {
        return again;
    }
    again + f64::from(passes) * (forward_per_token(&setup.architecture, keys) + tower::flops::forward_per_token(setup))
}

/// FLOPs per token that recomputation adds to [`model_per_token`], attention counted over `keys`.
pub fn recomputed_per_token(setup: &Setup, keys: f64) -> Flops {
    let arch = &setup.architecture;
    let share = recomputed(setup);
    f64::from(arch.num_hidden_layers)
        * (share.matmul * layer_matmul(arch)
            + share.attention * layer_mixing(arch, keys)
            + Flops::new(MULTIPLY_ADD * modules::weights_again(setup)))
}
