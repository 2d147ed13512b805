//! Low-rank adapters: the matrices that have one, and the adapters' parameters (LoRA, arXiv
//! 2106.09685).

use super::layer::{self, Block, Layers, Operator, Role};
use super::setup::Setup;
use super::trained::{Method, TargetModules, Targets};
use super::transformer::FusedProjections;
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

/// A matrix with an adapter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Module {
    /// Width of the matrix's input.
    pub inner: f64,
    /// Width of the matrix's output.
    pub outer: f64,
    /// The source of the matrix's input.
    pub input: Input,
}

impl Module {
    /// Returns the parameters of the adapter: `r (in + out)`, and DoRA's magnitude for each output.
    fn params(&self, setup: &Setup) -> f64 {
        let magnitudes = if setup.trained.method == Method::Dora { self.outer } else { 0.0 };
        f64::from(setup.trained.rank) * (self.inner + self.outer) + magnitudes
    }
}

/// Matrices of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Modules([Option<Module>; 6]);

impl Modules {
    /// Iterates over the matrices.
    pub fn iter(&self) -> impl Iterator<Item = &Module> {
        self.0.iter().flatten()
    }

    /// Returns the sum of a quantity over the matrices.
    pub fn sum(&self, of: impl Fn(&Module) -> f64) -> f64 {
        self.iter().map(of).sum()
    }

    /// Whether a matrix reads this input.
    pub fn read(&self, input: Input) -> bool {
        self.iter().any(|module| module.input == input)
    }
}

impl Role {
    /// Whether these targets include the matrix.
    const fn is_targeted(self, targets: TargetModules) -> bool {
        match self {
            Self::Query
            | Self::AttentionGate
            | Self::Value
            | Self::ToRank
            | Self::QueryFromRank
            | Self::KeyValueFromRank => targets.query_value,
            Self::Key => targets.key,
            Self::Output => targets.output,
            Self::Gate | Self::Up | Self::Down => targets.mlp,
            // Only all linear matrices include those of a mixer.
            Self::StateInput | Self::StateOutput => targets.output && targets.mlp,
            Self::StateInner | Self::Router | Self::ExpertLatent | Self::Uncounted => false,
        }
    }

    /// Returns the source of the matrix's input.
    const fn input(self) -> Input {
        match self {
            Self::QueryFromRank | Self::KeyValueFromRank => Input::Latent,
            Self::Output | Self::StateOutput => Input::Attention,
            Self::Gate | Self::Up | Self::Router => Input::MlpNorm,
            Self::Down => Input::Activation,
            _ => Input::AttentionNorm,
        }
    }
}

/// Whether a product's matrix is a part of the matrix before it. The gate of gated attention is a
/// part of the query matrix; Megatron-Core fuses all that have one input (`linear_qkv`,
/// `linear_fc1`).
fn is_fused(setup: &Setup, product: &Operator) -> bool {
    let own = setup.architecture.fused_projections;
    let fused = if setup.traits().fused_projections { FusedProjections::All } else { own };
    let is_part = match product.role {
        Role::AttentionGate => true,
        Role::Key | Role::Value => fused != FusedProjections::None,
        Role::Up => fused == FusedProjections::All,
        _ => false,
    };
    is_part && product.kernels <= 0.0
}

/// Returns the matrices of a block among these targets, on one of `tp` GPUs.
fn matrices(setup: &Setup, block: Block, targets: Targets, tp: f64) -> Modules {
    let targets = targets.modules();
    let mut found = Modules::default();
    let (mut slots, mut last) = (found.0.iter_mut(), None::<&mut Module>);
    for product in layer::products(&setup.architecture, block, tp).iter() {
        let Operator { role, inner, outer, .. } = *product;
        match &mut last {
            Some(matrix) if is_fused(setup, product) => matrix.outer += outer,
            _ if is_fused(setup, product) || !role.is_targeted(targets) => {}
            _ => last = slots.next().map(|slot| slot.insert(Module { inner, outer, input: role.input() })),
        }
    }
    found
}

/// Returns the matrices of a block that have adapters, with their widths on one GPU: queries, keys
/// and values are one if they are fused, and so are gate and up.
pub fn modules(setup: &Setup, block: Block) -> Modules {
    if !setup.trained.has_adapters() {
        return Modules::default();
    }
    matrices(setup, block, setup.trained.targets, layer::degree(&setup.mesh, block))
}

/// Returns all linear matrices of a block, whole.
pub fn all_linear(setup: &Setup, block: Block) -> Modules {
    matrices(setup, block, Targets::AllLinear, 1.0)
}

/// Returns the adapter parameters of one layer on one GPU, averaged over these layers.
///
/// ```
/// # use engine::model::{layer::Layers, adapters::layer_adapter_params, trained::{Method, Targets, Trained}};
/// let model = catalog::model("llama-2-7b").unwrap().pick();
/// let scenario = engine::scenario::Scenario { model, ..catalog::default_scenario() };
/// let of = |rank, targets| {
///     let mut setup = scenario.setup();
///     setup.trained = Trained { method: Method::Lora, rank, targets, ..Trained::ALL };
///     32.0 * layer_adapter_params(&setup, &Layers::DENSE).layer
/// };
/// // PEFT prints `trainable params: 4,194,304 || all params: 6,742,609,920` for Llama 2 7B with its default targets (q_proj, v_proj)
/// // and r = 8 (huggingface.co/docs/peft, examples of `print_trainable_parameters`).
/// assert_eq!(of(8, Targets::QueryValue), 4_194_304.0);
/// // QLoRA's seven matrices at r = 64: 159,907,840 (github artidoro/qlora, Llama 7B).
/// assert_eq!(of(64, Targets::AllLinear), 159_907_840.0);
/// ```
pub fn layer_adapter_params(setup: &Setup, layers: &Layers) -> Units {
    let params = |block| modules(setup, block).sum(|module| module.params(setup));
    let layer = layers.sum(|block| if block == Block::Routed { 0.0 } else { params(block) });
    let here = f64::from(setup.architecture.experts.num_experts) / f64::from(setup.mesh.ep.max(1));
    let expert_unit = if layers.have_experts() { here * params(Block::Routed) } else { 0.0 };
    Units {
        layers: 0.0,
        layer,
        layer_matrices: layer,
        unit: layer,
        expert: layers.experts() * expert_unit,
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
    let arch = &setup.architecture;
    let of_layer = arch.layers().sum(|block| {
        let whole = matrices(setup, block, setup.trained.targets, 1.0);
        layer::passed(arch, block) * whole.sum(|module| module.inner + module.outer)
    });
    let frozen = setup.trained.frozen_layers.min(arch.num_hidden_layers);
    f64::from(arch.num_hidden_layers - frozen) * f64::from(setup.trained.rank) * of_layer
}
