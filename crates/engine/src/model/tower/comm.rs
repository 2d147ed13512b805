//! Gathers and reductions of encoder and projection.

use super::TowerCosts;
use crate::model::comm::DataParallelComm;
use crate::model::cost::{Cost, Traffic};
use crate::model::encoder::encoder;
use crate::model::setup::Setup;
use crate::model::stages::Stage;
use crate::units::Seconds;

/// Returns the data-parallel communication of the stage with the embedding, including encoder and
/// projection. The exposed gathers and reductions of their layers are added to those of the root
/// unit, as they run before the first layer and after its gradients. The encoder's compute first
/// hides the communication that overlaps with it anyway (`beside`): the gather of the language
/// model's first layer, and the reduction of its gradients.
pub fn with_tower<C: Cost<Traffic>>(
    setup: &Setup,
    times: &TowerCosts<Seconds>,
    beside: [Seconds; 2],
    comm: DataParallelComm<C>,
) -> DataParallelComm<C> {
    if !setup.reads_images() {
        return comm;
    }
    let encoder = encoder(setup);
    let params = Stage::of_encoder(setup, &encoder, 1.0).params;
    let own: DataParallelComm<C> = DataParallelComm::new(&encoder, &params);
    let seconds: DataParallelComm<Seconds> = DataParallelComm::new(&encoder, &params);
    let layers = f64::from(encoder.architecture.num_hidden_layers);
    let (mut of, mut time) = (own.micro_batch, seconds.micro_batch);
    // Frozen parts are not reduced: even an empty collective has a latency.
    let images = &setup.images;
    if !images.trains_tower() {
        (of.reduce_layer, of.replicate_layer) = (C::default(), C::default());
        (time.reduce_layer, time.replicate_layer) = (Seconds::ZERO, Seconds::ZERO);
    }
    // Weights are not gathered again if no gradients pass.
    if !setup.gradients_pass_tower() {
        of.regather_layer = C::default();
        time.regather_layer = Seconds::ZERO;
    }
    if !(images.trains_tower() || images.trains_projector) {
        (of.reduce_root, of.replicate_root) = (C::default(), C::default());
    }
    let [before, after] = beside;
    let forward = shown(time.gather_layer, layers, times.forward - before);
    let backward =
        shown(time.regather_layer + time.reduce_layer + time.replicate_layer, layers, times.backward - after);
    let mut all = comm.micro_batch;
    all.gather_root = all.gather_root + of.gather_root + of.gather_layer * forward;
    all.reduce_root = all.reduce_root + of.reduce_root + (of.regather_layer + of.reduce_layer) * backward;
    all.replicate_root = all.replicate_root + of.replicate_root + of.replicate_layer * backward;
    if !(images.trains_tower() || images.trains_projector) {
        return DataParallelComm { micro_batch: all, ..comm };
    }
    DataParallelComm {
        micro_batch: all,
        after_backward: comm.after_backward + own.after_backward,
        after_update: comm.after_update + own.after_update,
    }
}

/// Returns the number of layers whose collectives, of `each` a layer, are exposed next to `compute`
/// of all layers: at least one, which nothing hides.
fn shown(each: Seconds, layers: f64, compute: Seconds) -> f64 {
    if each <= Seconds::ZERO {
        return 0.0;
    }
    let hidden = compute.max(Seconds::ZERO) / each;
    let left = layers - hidden;
    if left > 1.0 { left } else { 1.0 }
}
