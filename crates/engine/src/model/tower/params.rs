//! Parameters of encoder and projection.

use super::encoder::encoder;
use crate::model::layer::Layers;
use crate::model::per_rank::{self, LocalParams};
use crate::model::setup::Setup;

/// Returns the parameters of encoder and projection on one GPU; `encoder` is the result of
/// [`encoder`](encoder()).
pub(super) fn local(setup: &Setup, encoder: &Setup) -> LocalParams {
    let layers = encoder.architecture.num_hidden_layers;
    let of_encoder = per_rank::params(encoder, layers, &Layers::DENSE, true, false);
    let images = &setup.images;
    let projector = setup.architecture.tower.projector_params as f64 / f64::from(encoder.mesh.tp.max(1));
    let trained = |is: bool, params: f64| if is { params } else { 0.0 };
    let mut params = LocalParams { neighbour: 1.0, ..of_encoder };
    params.trained.root =
        trained(images.trains_tower(), of_encoder.held.root) + trained(images.trains_projector, projector);
    params.held.root += projector;
    params
}

/// Returns the parameters of encoder and projection of a setup on one GPU.
pub fn tower_params(setup: &Setup) -> LocalParams {
    local(setup, &encoder(setup))
}
