//! Rows that measure a single expert layer: Megatron-LM's benchmarks of its token dispatchers.

use super::LeftOut;
use super::linked::Set;
use super::row::Row;
use engine::model::compute::{self, unit_times};
use engine::model::experts::exchange::ExpertExchange;
use engine::model::layer::Layers;
use engine::model::memory::activations;
use engine::model::states;
use links::decode;

/// A measured expert layer, forward and backward.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpertLayer {
    /// Publisher of the row.
    pub source: String,
    /// Measured time in seconds.
    pub measured_s: f64,
    /// Predicted time in seconds.
    pub predicted_s: f64,
    /// Measured peak of allocated memory in GiB.
    pub measured_gib: Option<f64>,
    /// Predicted peak of allocated memory in GiB.
    pub predicted_gib: f64,
}

impl ExpertLayer {
    /// Returns predicted over measured time, less one.
    pub fn error(&self) -> f64 {
        self.predicted_s / self.measured_s - 1.0
    }

    /// Returns predicted over measured peak memory, less one.
    pub fn memory_error(&self) -> Option<f64> {
        self.measured_gib.map(|measured| self.predicted_gib / measured - 1.0)
    }
}

/// Predicts a row that measures a single layer. The link of the row has a model of one layer with
/// higher matmul efficiency: the benchmark runs for only a few iterations, too briefly for the
/// power limit that slows whole training steps.
///
/// # Errors
///
/// Returns the reason for leaving out the row: another kind of row, or no measured time.
pub fn predict(row: &Row) -> Result<ExpertLayer, LeftOut> {
    let linked = &row.linked;
    if linked.set != Some(Set::Layer) || linked.link.is_empty() {
        return Err(LeftOut::because("not one layer of experts"));
    }
    let setup = decode(&linked.link).scenario.setup();
    let measured_s = linked.measured.step_time_s.ok_or_else(|| LeftOut::missing("measured_step_time_s"))?;
    let (forward, backward) = compute::experts_alone(&setup);
    let exchange = ExpertExchange::new(&setup, &unit_times(&setup, &Layers::mixture(1.0)));
    let time = forward + backward + exchange.exposed_forward + exchange.exposed_backward;
    let bytes = states::recipe_bytes(setup.recipe);
    let shape = &setup.architecture;
    let local = shape.routed_params_per_layer() as f64 / f64::from(setup.mesh.expert_group());
    let params = local + shape.router_and_shared_params_per_layer() as f64;
    let (kept, gradients) = activations::expert_bytes_per_token(&setup, bytes.activation);
    let tokens = engine::model::per_rank::tokens(&setup);
    let memory = params * (bytes.weights + bytes.gathered) + tokens * (kept + gradients);
    Ok(ExpertLayer {
        source: row.source.clone(),
        measured_s,
        predicted_s: time.get(),
        measured_gib: linked.measured.peak_gib,
        predicted_gib: engine::units::Bytes::new(memory).gib(),
    })
}
