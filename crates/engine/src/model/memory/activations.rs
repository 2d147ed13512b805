//! Activations that autograd keeps of one layer for the backward pass, tensor by tensor.

mod attention;
mod frozen;
mod in_backward;
mod mlp;
mod modules;
mod norms;
mod recurrent;
mod selective;
mod tensors;

use frozen::AdapterActivations;
pub use in_backward::{LayerBackward, Moment};
use tensors::Tensors;

use crate::model::framework;
use crate::model::layer::{Block, Layers};
use crate::model::parallel::ContextExchange;
use crate::model::parallel::Dispatcher;
use crate::model::per_rank::tokens;
use crate::model::policy::Policy;
use crate::model::setup::Setup;

/// Bytes per element of a tensor in fp32.
const FP32: f64 = 4.0;
/// Bytes of one element of a dropout mask.
const MASK: f64 = 1.0;

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
    /// Candidates for the peak of a layer's backward pass where PyTorch runs it, used instead
    /// of `gradients`.
    pub backward: Option<LayerBackward>,
}

/// Returns the bytes per token and layer on one GPU, with `element` bytes per activation, averaged
/// over these layers.
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
/// # use engine::model::{memory::activations::layer, setup::Setup, layer::Layers, software::{AttentionKernel, Kernels}};
/// # use engine::{model::choices::Choices, scenario::Scenario};
/// // GPT-3 175B, 2,048 tokens, dropout, no tensor parallelism: 34 H + 5 n_q s bytes a token (arXiv 2205.05198).
/// let model = catalog::model("gpt-3-175b").unwrap().pick();
/// let kernels = Kernels { attention: AttentionKernel::Unfused, dropout: true, ..Kernels::USUAL };
/// let choices = Choices { kernels, ..Choices::DEFAULT };
/// let setup = Scenario { model, choices, seq_len: 2048, ..catalog::default_scenario() }.setup();
/// assert_eq!(layer(&setup, 2.0, &Layers::DENSE).whole, 34.0 * 12_288.0 + 5.0 * 96.0 * 2048.0);
///
/// // Llama 2 7B under Megatron: before Hopper a copy more of the attention's output, 4,096 elements of two bytes.
/// # use links::decode;
/// # use engine::model::transformer::Architecture;
/// let on = |cluster: &str| {
///     let link = "model=llama-2-7b&gpus=8&strategy=zero1&recipe=megatron-mixed&framework=megatron";
///     decode(&format!("{link}&cluster={cluster}")).scenario.setup()
/// };
/// let whole = |setup: &Setup| layer(setup, 2.0, &Layers::DENSE).whole;
/// assert_eq!(whole(&on("dgx-a100-80")) - whole(&on("dgx-h100")), 8192.0);
///
/// // A gate on the output of attention: its 4,096 elements before the sigmoid, and as many of the gated output.
/// let plain = on("dgx-h100");
/// let gated = Setup { architecture: Architecture { gated_attention: true, ..plain.architecture }, ..plain };
/// assert_eq!(whole(&gated) - whole(&plain), 2.0 * 8192.0);
/// ```
pub fn layer(setup: &Setup, element: f64, layers: &Layers) -> LayerBytes {
    let t = Tensors::new(setup, element, layers);
    let frozen = AdapterActivations::new(setup, &t, layers);
    // A tiled MLP keeps its input, which is the norm's output, and holds one tile's tensors while
    // it runs.
    let tile = mlp_tile_share(setup);
    let tiled = tiled(setup, &t, &frozen);
    let whole = t.whole() - tiled.kept - frozen.saved + frozen.added;
    let in_backward = backward_of_mlps(setup, &t) - (1.0 - tile) * tiled.in_backward;
    let last_block = (tiled.kept * tile + in_backward).max(SCORE_GRADIENTS * t.attention.scores);
    let cp = f64::from(setup.mesh.cp.max(1));
    // Keys and values of the whole sequence, during the gather.
    let gathers = setup.context == ContextExchange::AllGather && cp > 1.0;
    let gathered = if gathers { 2.0 * t.attention.key_value * cp } else { 0.0 };
    // PyTorch's operators one by one, for layers of attention and an MLP or experts.
    let is_plain =
        setup.traits().layers != framework::Layers::Own && !setup.architecture.core().has_ranks() && tiled.kept <= 0.0;
    let are_experts = setup.mesh.ep <= 1
        && setup.trained.is_all()
        && t.mlps.unrouted() + t.attention.scores + t.state.kept <= 0.0
        && layers.experts() >= 1.0;
    let backward = match () {
        () if !is_plain => None,
        () if layers.are_dense() => Some(in_backward::layer_backward(setup, &t, element)),
        () => are_experts.then(|| in_backward::mixture_backward(setup, &t, element)),
    };
    LayerBytes {
        whole,
        kept: kept(setup, &t, &frozen, layers, whole),
        // A shape may have no norms.
        final_norm: (t.residual.norm - frozen::final_norm_bytes(setup, &t)).max(0.0),
        gradients: gathered + in_mixer(&t, whole, last_block),
        last_block: gathered + last_block,
        experts: layers.experts(),
        backward,
    }
}

/// Returns the bytes per token that a layer of `whole` bytes keeps under the policy of
/// recomputation.
fn kept(setup: &Setup, t: &Tensors, frozen: &AdapterActivations, layers: &Layers, whole: f64) -> f64 {
    // A shape without norms keeps less than its input.
    let input = t.residual.input.min(whole);
    match setup.policy() {
        Policy::Layers(share) => (1.0 - share) * input + share * whole,
        Policy::Scores => whole - t.attention.scores,
        Policy::Modules(modules) => {
            // XLA recomputes the output projection, so that it does not keep the input of the
            // second norm.
            let again = if setup.traits().is_one_program { t.residual.input } else { 0.0 };
            (whole - modules::dropped(setup, modules, t, frozen, layers) - again).max(input)
        }
        Policy::Products => {
            // The last product's output is part of the residual stream: the next layer's input is
            // kept anyway.
            let inputs = if setup.architecture.gated_mlp { 2.0 } else { 1.0 };
            let projected =
                if t.attention.latent > 0.0 { t.attention.latent } else { t.attention.query + 2.0 * t.attention.key };
            (2.0 * t.residual.input + projected + inputs * t.mlps.width()).min(whole)
        }
        // Kernels of recurrent mixers are not products: their tensors stay.
        Policy::EverySecond => (selective::kept(setup, t, layers) + t.state.kept).min(whole),
    }
}

/// Returns the bytes that the backward pass of MLPs holds besides what is kept: the gradients of
/// `hidden` bytes of each hidden tensor, of the residual stream and of the experts' copies.
fn backward_of_mlps(setup: &Setup, t: &Tensors) -> f64 {
    hidden_gradients(setup) * t.mlps.width()
        + MLP_BACKWARD_WIDTHS * t.residual.input
        + copies_backward(setup.experts.dispatcher) * t.mlps.copy
}

/// Returns the gradients of an MLP's width that its backward pass holds.
fn hidden_gradients(setup: &Setup) -> f64 {
    // XLA only writes the gradients of the first products' outputs.
    let fused = if setup.traits().is_one_program { 1.0 } else { 0.0 };
    // Inputs kept in 8 bits are cast back.
    mlp::matrices(setup) - fused + mlp::inputs_in_8_bits(setup)
}

/// Bytes per token of the MLPs that run over tiles.
struct Tiled {
    /// Tensors that a layer would keep.
    kept: f64,
    /// Gradients in the backward pass.
    in_backward: f64,
}

/// Returns the tensors of the MLPs that run over tiles, all zero if none does. The block of
/// experts runs over tiles as a whole, with its router and the copies of tokens.
fn tiled(setup: &Setup, t: &Tensors, frozen: &AdapterActivations) -> Tiled {
    let [dense, shared, routed] = t.mlps.kept(frozen.mlp_inputs);
    let (mut kept, mut in_backward) = (0.0, 0.0);
    if setup.is_tiled(Block::Mlp) {
        kept += dense;
        in_backward += hidden_gradients(setup) * t.mlps.dense;
    }
    if setup.is_tiled(Block::Routed) {
        kept += shared + routed + frozen.around_experts(t);
        in_backward += hidden_gradients(setup) * (t.mlps.shared + t.mlps.routed)
            + copies_backward(setup.experts.dispatcher) * t.mlps.copy;
    }
    Tiled { kept, in_backward }
}

/// Returns the bytes per token that one recurrent mixer keeps on one GPU, with `element` bytes per
/// activation.
pub fn mixer_bytes_per_token(setup: &Setup, element: f64) -> f64 {
    recurrent::mixer_bytes(setup, element).kept
}

/// Returns the bytes in addition to `whole` at the peak of a layer: in the backward pass of its
/// last block, or inside its recurrent mixer, when the tensors of the blocks after the mixer do not
/// exist.
fn in_mixer(t: &Tensors, whole: f64, last_block: f64) -> f64 {
    if t.state.at_most <= 0.0 {
        return last_block;
    }
    (t.residual.norm + t.residual.input + t.state.at_most - whole).max(last_block)
}

/// Returns the layer being computed at the peak: one with experts, or, in a list of layers, the
/// kind that holds most in addition to its kept tensors; `None` if all layers are alike.
pub fn in_work(setup: &Setup, element: f64, layers: &Layers) -> Option<LayerBytes> {
    let arch = &setup.architecture;
    if !arch.pattern.is_used() {
        let is_mixed = layers.have_experts() && layers.experts() < 1.0;
        return is_mixed.then(|| layer(setup, element, &Layers::mixture(1.0)));
    }
    let kinds = arch
        .pattern
        .distinct_among(arch.num_hidden_layers)
        .map(|kind| layer(setup, element, &arch.layers_of_kind(kind)));
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
    let t = Tensors::new(setup, element, &Layers::mixture(1.0));
    let narrowed = t.narrow * (t.mlps.width() + t.mlps.copy);
    let copies = copies_backward(setup.experts.dispatcher) * t.mlps.copy;
    (t.mlps.all() - narrowed, mlp::matrices(setup) * t.mlps.width() + copies)
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

/// Extra elements of width H per token alive in the MLP's backward pass: the gradients of the
/// residual and of the norm.
const MLP_BACKWARD_WIDTHS: f64 = 2.0;
/// Gradients of the scores alive at once in an unfused attention's backward pass, over the scores
/// that are kept.
const SCORE_GRADIENTS: f64 = 1.0;
