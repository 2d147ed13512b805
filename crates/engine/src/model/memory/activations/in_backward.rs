//! Peak memory of a layer's backward pass in addition to its kept activations, where PyTorch runs
//! the layer operator by operator or compiled.

use super::frozen::keeps_activation;
use super::tensors::Tensors;
use super::{FP32, mlp};
use crate::model::framework::Layers;
use crate::model::layer::{self, Block};
use crate::model::setup::Setup;
use crate::model::transformer::QkNorm;

/// The two candidates for the peak of a layer's backward pass, in bytes per token and parameters of
/// one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerBackward {
    /// In the MLP, at the product of gate and up or at the activation.
    pub mlp: Moment,
    /// At the softmax of unfused attention, or where the outputs of experts are weighed; `None` if
    /// no scores are in memory.
    pub other: Option<Moment>,
}

/// One moment of a layer's backward pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Bytes per token in addition to the layer's kept activations: negative if many of those have
    /// been freed.
    pub beside: f64,
    /// Parameters of the layer with gradients that are computed, but not yet reduced.
    pub computed: f64,
}

/// Returns the candidates for a layer of attention and an MLP without experts.
///
/// The MLP's last product leaves the gradients of its input and its weight, and frees its input;
/// the product of gate and up then creates the gradients of both. Attention's softmax runs after
/// the whole MLP: it holds the scores' gradients in addition to the kept scores.
pub(super) fn layer_backward(setup: &Setup, t: &Tensors, element: f64) -> LayerBackward {
    let arch = &setup.architecture;
    let hidden = f64::from(arch.hidden_size);
    let tp = f64::from(setup.mesh.tp.max(1));
    let matrix = hidden * f64::from(arch.intermediate_size) / tp;
    let trains = !setup.trained.has_adapters();
    let trained = |params: f64| if trains { params } else { 0.0 };
    // Under sequence parallelism the gradient is gathered for the product.
    let gathered = if setup.mesh.tp > 1 { element * hidden } else { 0.0 };
    // An adapter's gradient of the input is added to that of the base.
    let keeps_input = keeps_activation(setup);
    let hiddens = match (arch.gated_mlp, keeps_input) {
        (true, false) => 3.0,
        (false, true) if trains => 1.0,
        (true, true) | (false, _) => 2.0,
    };
    let mlp = Moment { beside: hiddens * t.mlps.width() + t.residual.input + gathered, computed: trained(matrix) };
    let freed =
        t.mlps.hidden() - if keeps_input { 0.0 } else { t.mlps.width() } + t.residual.norm_output + t.residual.input;
    let computed = trained(mlp::matrices(setup) * matrix + hidden * arch.core().output() / tp);
    let held = gradients_of_scores(setup) * t.attention.scores + t.residual.input + t.attention.query;
    let other = (setup.writes_scores() > 0.0).then_some(Moment { beside: held - freed, computed });
    LayerBackward { mlp, other }
}

/// Returns the candidates for a layer of attention and experts, all on one GPU, as Hugging Face's
/// `grouped_mm` runs them.
///
/// At the activation the gradients of gate, up and their product exist, and the product and the
/// experts' outputs are freed: six widths of an expert for each row. Where the outputs are weighed
/// by their probabilities, in the probabilities' format, their gradient and both factors' exist,
/// and one more cast to 16 bits.
pub(super) fn mixture_backward(setup: &Setup, t: &Tensors, element: f64) -> LayerBackward {
    let down = layer::products(&setup.architecture, Block::Routed, layer::degree(&setup.mesh, Block::Routed));
    let experts = f64::from(setup.architecture.experts.num_experts);
    let matrix =
        down.sum(|product| if product.role == layer::Role::Down { product.inner * product.outer } else { 0.0 });
    let (held, freed) = if setup.architecture.gated_mlp { (3.0, 1.0) } else { (2.0, 1.0) };
    let mlp =
        Moment { beside: (held - freed) * t.mlps.width() - t.mlps.copy + t.residual.input, computed: experts * matrix };
    // Qwen 3 casts the probabilities to the format of the tokens; Mixtral does not.
    let casts = setup.architecture.qk_norm == QkNorm::PerHead;
    let copies = if casts { 3.0 } else { 3.0 * FP32 / element + 1.0 };
    let other = Some(Moment { beside: copies * t.mlps.copy + t.residual.input, computed: 0.0 });
    LayerBackward { mlp, other }
}

/// Returns the bytes of score gradients alive at once, over those of the kept scores.
///
/// For transformers' softmax in fp32, 8 bytes to 6: the gradients of its output and its input, and
/// the latter cast back. In 16 bits, 4 to 2. Compiled, the softmax kernel has 2 to 4.
fn gradients_of_scores(setup: &Setup) -> f64 {
    match setup.traits().layers {
        _ if setup.kernels.compile => 0.5,
        Layers::Transformers => 4.0 / 3.0,
        Layers::Torchtitan | Layers::Own => 2.0,
    }
}
