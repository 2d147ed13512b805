//! Low-rank adapters: the matrices that have one, and the adapters' parameters (LoRA, arXiv
//! 2106.09685).

use super::parallel::Mesh;
use super::setup::Setup;
use super::trained::Method;
use super::transformer::{FusedProjections, LayerShares};
use super::unit_params::Units;

/// The source of a matrix's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The norm before attention.
    AttentionNorm,
    /// One of latent attention's ranks.
    Latent,
    /// Attention's core.
    Attention,
    /// The norm before the MLP.
    MlpNorm,
    /// The MLP's activation.
    Activation,
}

/// A matrix with an adapter, with its widths on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Module {
    /// Width of the matrix's input; 0 if the matrix does not exist or has no adapter.
    pub inner: f64,
    /// Width of the matrix's output.
    pub outer: f64,
    /// The source of the matrix's input.
    pub input: Input,
}

impl Module {
    const NONE: Self = Self { inner: 0.0, outer: 0.0, input: Input::AttentionNorm };

    fn when(self, has_adapter: bool) -> Self {
        if has_adapter { self } else { Self::NONE }
    }

    /// Whether the matrix has an adapter.
    pub fn is_used(&self) -> bool {
        self.inner > 0.0
    }

    /// Returns the parameters of the adapter: `r (in + out)`, and DoRA's magnitude for each output.
    fn params(&self, setup: &Setup) -> f64 {
        let magnitudes = if setup.trained.method == Method::Dora { self.outer } else { 0.0 };
        f64::from(setup.trained.rank) * (self.inner + self.outer) + magnitudes
    }
}

/// Returns the projections that are fused, with one adapter for each fused matrix; Megatron-Core's
/// always are (`linear_qkv`, `linear_fc1`).
fn fused(setup: &Setup) -> FusedProjections {
    if setup.traits().fused_projections { FusedProjections::All } else { setup.architecture.fused_projections }
}

/// Returns the matrices with adapters of attention: queries, keys, values and output, or those of
/// latent attention.
pub fn attention_modules(setup: &Setup) -> [Module; 5] {
    let none = [Module::NONE; 5];
    if !setup.trained.has_adapters() {
        return none;
    }
    let (arch, targets) = (&setup.architecture, setup.trained.targets.modules());
    let tp = f64::from(setup.mesh.tp.max(1));
    let hidden = f64::from(arch.hidden_size);
    let (query, width) = (arch.query_width() / tp, arch.attention_output_width() / tp);
    // The gate of gated attention is part of the query matrix.
    let query = if arch.gated_attention { 2.0 * query } else { query };
    let module = |inner, outer, input, has_adapter| Module { inner, outer, input }.when(has_adapter);
    let output = module(width, hidden, Input::Attention, targets.output);
    if arch.latent.is_used() {
        let latent = &arch.latent;
        let (rank, query_rank) = (f64::from(latent.kv_lora_rank), f64::from(latent.q_lora_rank));
        let down = rank + f64::from(latent.qk_rope_head_dim);
        let per_head = f64::from(latent.qk_nope_head_dim) + f64::from(latent.v_head_dim);
        let up = f64::from(arch.num_attention_heads) / tp * per_head;
        let wanted = targets.query_value;
        let [query_down, query_up] = if query_rank > 0.0 {
            [module(hidden, query_rank, Input::AttentionNorm, wanted), module(query_rank, query, Input::Latent, wanted)]
        } else {
            [module(hidden, query, Input::AttentionNorm, wanted), Module::NONE]
        };
        return [
            query_down,
            query_up,
            module(hidden, down, Input::AttentionNorm, wanted),
            module(rank, up, Input::Latent, wanted),
            output,
        ];
    }
    let key = arch.key_value_width_over(tp);
    let of_norm = |outer, has_adapter| module(hidden, outer, Input::AttentionNorm, has_adapter);
    if fused(setup) != FusedProjections::None {
        return [of_norm(query + 2.0 * key, targets.query_value), output, Module::NONE, Module::NONE, Module::NONE];
    }
    let [queries, values] = [of_norm(query, targets.query_value), of_norm(key, targets.query_value)];
    [queries, of_norm(key, targets.key), values, output, Module::NONE]
}

/// Returns the matrices with adapters of a recurrent mixer, its input and output projections, if
/// all linear matrices have adapters.
pub fn recurrent_modules(setup: &Setup) -> [Module; 2] {
    let mixer = &setup.architecture.recurrent;
    if !setup.trained.has_adapters() || !mixer.is_used() {
        return [Module::NONE; 2];
    }
    let targets = setup.trained.targets.modules();
    let tp = f64::from(setup.mesh.tp.max(1));
    let (hidden, inner) = (f64::from(setup.architecture.hidden_size), mixer.inner_width() / tp);
    let into = Module { inner: hidden, outer: mixer.input_columns() / tp, input: Input::AttentionNorm };
    let out = Module { inner, outer: hidden, input: Input::Attention };
    [into, out].map(|module| module.when(targets.output && targets.mlp))
}

/// Returns the matrices with adapters of an MLP of this width on one GPU: gate, up and down, or two
/// for an ungated MLP.
pub fn mlp_modules(setup: &Setup, width: f64) -> [Module; 3] {
    mlp_modules_between(setup, setup.architecture.hidden_size, width)
}

/// Returns the matrices with adapters of a routed expert, which may work at a latent width.
pub fn expert_modules(setup: &Setup, width: f64) -> [Module; 3] {
    mlp_modules_between(setup, setup.architecture.expert_hidden_size(), width)
}

fn mlp_modules_between(setup: &Setup, hidden: u32, width: f64) -> [Module; 3] {
    let none = [Module::NONE; 3];
    let trained = &setup.trained;
    if !trained.has_adapters() || !trained.targets.modules().mlp || width <= 0.0 {
        return none;
    }
    let hidden = f64::from(hidden);
    let up = Module { inner: hidden, outer: width, input: Input::MlpNorm };
    let down = Module { inner: width, outer: hidden, input: Input::Activation };
    match (setup.architecture.gated_mlp, fused(setup) == FusedProjections::All) {
        (true, false) => [up, up, down],
        (true, true) => [Module { outer: 2.0 * width, ..up }, down, Module::NONE],
        (false, _) => [up, down, Module::NONE],
    }
}

/// Returns the widths of a dense MLP, of the shared experts and of a routed expert on one GPU; 0
/// for experts in a model without any.
pub fn widths(setup: &Setup) -> [f64; 3] {
    let arch = &setup.architecture;
    let (tp, etp) = (f64::from(setup.mesh.tp.max(1)), f64::from(setup.mesh.etp.max(1)));
    let dense = f64::from(arch.intermediate_size) / tp;
    if !arch.has_experts() {
        return [dense, 0.0, 0.0];
    }
    [dense, f64::from(arch.experts.shared_intermediate_size) / tp, f64::from(arch.experts.moe_intermediate_size) / etp]
}

/// Returns the adapter parameters of one layer on one GPU, averaged over layers with the block
/// shares `shares`.
///
/// ```
/// # use engine::model::{transformer::LayerShares, adapters::layer_adapter_params, trained::{Method, Targets, Trained}};
/// let model = catalog::model("llama-2-7b").unwrap().pick();
/// let scenario = engine::scenario::Scenario { model, ..catalog::default_scenario() };
/// let of = |rank, targets| {
///     let mut setup = scenario.setup();
///     setup.trained = Trained { method: Method::Lora, rank, targets, ..Trained::ALL };
///     32.0 * layer_adapter_params(&setup, &LayerShares::DENSE).layer
/// };
/// // PEFT prints `trainable params: 4,194,304 || all params: 6,742,609,920` for Llama 2 7B with its default targets (q_proj, v_proj)
/// // and r = 8 (huggingface.co/docs/peft, examples of `print_trainable_parameters`).
/// assert_eq!(of(8, Targets::QueryValue), 4_194_304.0);
/// // QLoRA's seven matrices at r = 64: 159,907,840 (github artidoro/qlora, Llama 7B).
/// assert_eq!(of(64, Targets::AllLinear), 159_907_840.0);
/// ```
pub fn layer_adapter_params(setup: &Setup, shares: &LayerShares) -> Units {
    let sum = |modules: &[Module]| modules.iter().map(|module| module.params(setup)).sum::<f64>();
    let [dense, shared, routed] = widths(setup);
    let [dense, shared] = [dense, shared].map(|width| sum(&mlp_modules(setup, width)));
    let routed = sum(&expert_modules(setup, routed));
    let attention = shares.attention * sum(&attention_modules(setup));
    let here = f64::from(setup.architecture.experts.num_experts) / f64::from(setup.mesh.ep.max(1));
    let mlp = if shares.moe > 0.0 { shares.moe * shared + shares.dense() * dense } else { shares.mlp * dense };
    let layer = attention + mlp + shares.recurrent * sum(&recurrent_modules(setup));
    let expert_unit = if shares.moe > 0.0 { here * routed } else { 0.0 };
    Units {
        layers: 0.0,
        layer,
        layer_matrices: layer,
        unit: layer,
        expert: shares.moe * expert_unit,
        expert_unit,
        root: 0.0,
        head: 0.0,
    }
}

/// Returns the adapter weights that each token is multiplied with, over all layers and
/// tensor-parallel GPUs.
pub fn per_token(setup: &Setup) -> f64 {
    if !setup.trained.has_adapters() {
        return 0.0;
    }
    let whole = Setup { mesh: Mesh { tp: 1, ep: 1, etp: 1, ..setup.mesh }, ..*setup };
    let arch = &setup.architecture;
    let sum = |modules: &[Module]| modules.iter().map(|module| module.inner + module.outer).sum::<f64>();
    let [dense, shared, routed] = widths(&whole);
    let [dense, shared] = [dense, shared].map(|width| sum(&mlp_modules(&whole, width)));
    let routed = sum(&expert_modules(&whole, routed));
    let shares = arch.shares();
    let of_experts = if shares.moe > 0.0 { shared + f64::from(arch.experts.top_k()) * routed } else { 0.0 };
    let of_layer =
        shares.attention * sum(&attention_modules(&whole)) + shares.dense() * dense + shares.moe * of_experts;
    let of_layer = of_layer + shares.recurrent * sum(&recurrent_modules(&whole));
    let frozen = setup.trained.frozen_layers.min(arch.num_hidden_layers);
    f64::from(arch.num_hidden_layers - frozen) * f64::from(setup.trained.rank) * of_layer
}
