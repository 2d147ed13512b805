//! The time of encoder and projection.

use crate::model::compute::roofline::Operator;
use crate::model::compute::{self, UnitCosts};
use crate::model::cost::{Cost, Operations, OperatorCost};
use crate::model::encoder::{encoder, projected};
use crate::model::layer::Layers;
use crate::model::setup::Setup;
use crate::units::{Bytes, Flops, Seconds};

/// Costs of encoder and projection for one micro-batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TowerCosts<C> {
    /// Forward.
    pub forward: C,
    /// Backward, including recomputation.
    pub backward: C,
    /// Launch-bound time of both passes, beyond the kernels' own because the host launches too
    /// slowly.
    pub launch_bound: Seconds,
}

/// Returns the cost of encoder and projection for one micro-batch; zero for a model or a run
/// without images.
pub fn costs<C: Cost<Operations>>(setup: &Setup) -> TowerCosts<C> {
    if !setup.reads_images() {
        return TowerCosts::default();
    }
    let encoder = encoder(setup);
    let units: UnitCosts<C> = compute::unit_costs(&encoder, &Layers::DENSE);
    let times: UnitCosts<Seconds> = compute::unit_costs(&encoder, &Layers::DENSE);
    let layers = f64::from(encoder.architecture.num_hidden_layers);
    let passed = f64::from(u8::from(setup.gradients_pass_tower()));
    let again = (2.0 - encoder.kept_layers()) * passed;
    let above = |kernels: Seconds, launch: Seconds| (launch - kernels).max(Seconds::ZERO);
    let launches =
        above(times.layer_forward, units.launch) + above(times.layer_backward * passed, units.launch * again);
    let ends = ends::<C>(setup, &encoder);
    let embedding = units.embedding;
    TowerCosts {
        forward: embedding + units.layer_forward.at_least(units.launch) * layers + ends.forward,
        backward: embedding * passed
            + (units.layer_backward * passed).at_least(units.launch * again) * layers
            + ends.input_gradient
            + ends.weight_gradient,
        launch_bound: layers * launches,
    }
}

/// Costs of patch embedding and projection for one micro-batch.
struct Ends<C> {
    forward: C,
    input_gradient: C,
    weight_gradient: C,
}

/// Returns the products of the patches' pixels, which have no input gradient, and of the
/// projection, whose inputs have gradients if they pass the encoder.
fn ends<C: Cost<Operations>>(setup: &Setup, encoder: &Setup) -> Ends<C> {
    let (tower, images) = (&setup.architecture.tower, &setup.images);
    let tp = f64::from(encoder.mesh.tp.max(1));
    let rate = compute::matmul_rate(encoder);
    let of =
        |share: f64| C::new(Flops::new(share) / rate, || Operations { flops: Flops::new(share), bytes: Bytes::ZERO });
    let patches = 2.0 * crate::model::per_rank::tokens(encoder) * tower.patch_params() / tp;
    let projection = 2.0 * projected(setup) * tower.projector_params as f64 / tp;
    let when = |is: bool, flops: f64| if is { flops } else { 0.0 };
    Ends {
        forward: of(patches + projection),
        input_gradient: of(when(setup.gradients_pass_tower(), projection)),
        weight_gradient: of(when(images.trains_tower(), patches) + when(images.trains_projector, projection)),
    }
}

/// Returns the contribution of encoder and projection to each kind of work of a step, on one GPU
/// averaged over the pipeline's stages.
pub fn parts(setup: &Setup) -> [OperatorCost; Operator::ALL.len()] {
    if !setup.reads_images() {
        return [OperatorCost::default(); Operator::ALL.len()];
    }
    let encoder = encoder(setup);
    let pp = f64::from(setup.mesh.pp.max(1));
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    let of_ends = ends::<OperatorCost>(setup, &encoder);
    let of_ends = (of_ends.forward + of_ends.input_gradient + of_ends.weight_gradient) * micro_batches;
    let of_encoder = compute::roofline::language_model_costs(&encoder);
    Operator::ALL.map(|operator| {
        let part = compute::roofline::operator_cost(&of_encoder, operator);
        let part = if operator == Operator::Projections { part + of_ends } else { part };
        part * (1.0 / pp)
    })
}
