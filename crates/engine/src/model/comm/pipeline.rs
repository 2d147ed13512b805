//! What a stage of a pipeline sends to its neighbours.

use crate::model::collectives::{self, Group, fabric};
use crate::model::per_rank;
use crate::model::setup::Setup;
use crate::units::{Bytes, Seconds};

/// What a stage sends to its neighbours in one micro-batch.
pub(in crate::model) struct Neighbours {
    pub(in crate::model) time: Seconds,
    pub(in crate::model) cross: bool,
}

/// The messages between stages: activations forward and their gradients backward: `e T H / tp` bytes at each boundary of a model chunk, as every GPU of a
/// tensor-parallel group sends its part (arXiv 2104.04473, section 4.1).
pub(in crate::model) fn neighbours(setup: &Setup, element: f64) -> Neighbours {
    let mesh = &setup.mesh;
    if mesh.pp <= 1 {
        return Neighbours { time: Seconds::ZERO, cross: false };
    }
    let nodes = mesh.gpus().div_ceil(setup.network.gpus_per_node.max(1));
    let (cross, beyond) = (nodes > 1, f64::from(nodes - 1));
    let width = f64::from(setup.architecture.hidden_size) / f64::from(mesh.tp.max(1));
    let size = Bytes::new(element * per_rank::tokens(setup) * width);
    let passes = 2.0 * f64::from(setup.chunks());
    let stages = Group::strided(mesh.pp, mesh.gpus() / mesh.pp, mesh.gpus(), &setup.network);
    let slower = fabric::slowdown(&setup.network, stages);
    let message = collectives::point_to_point(&setup.network, cross, size * slower) + beyond * setup.overheads.message;
    Neighbours { time: passes * message, cross }
}
