//! Rows that time a single layer of experts: Megatron-LM's measurements of its token dispatchers.

use super::model::mixture;
use super::row::Row;
use super::stack::Stack;
use super::text::has;
use super::{LeftOut, Notes, experts, hardware, software};
use engine::catalog;
use engine::model::choices::Choices;
use engine::model::compute::{self, unit_times};
use engine::model::experts::exchange::ExpertExchange;
use engine::model::memory::{activations, states};
use engine::model::transformer::{Architecture, LayerShares};
use engine::scenario::{Model, Scenario, Strategy};

/// A measured layer of experts, forward and backward.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpertLayer {
    /// The publisher.
    pub source: String,
    /// Measured time in seconds.
    pub measured_s: f64,
    /// Predicted time in seconds.
    pub predicted_s: f64,
    /// Measured peak of live tensors in GiB.
    pub measured_gib: Option<f64>,
    /// Predicted peak of live tensors in GiB.
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

/// Whether a row times a single layer of experts.
pub fn is_one(row: &Row) -> bool {
    has(&row.model, &["one moe layer"])
}

/// Rate of large products over the peak when a single layer runs for a few iterations, too briefly
/// to reach the power limit that slows whole training steps. Fitted to the layers in 16 bits.
const UNTHROTTLED: f64 = 0.85;

/// Predicts a row.
///
/// # Errors
///
/// The name of a missing column.
pub fn predict(row: &Row) -> Result<ExpertLayer, LeftOut> {
    let setup = scenario(row)?.setup();
    let measured_s = row.step_time_s.ok_or_else(|| LeftOut::missing("step_time_s"))?;
    let (forward, backward) = compute::experts_alone(&setup);
    let exchange = ExpertExchange::of(&setup, &unit_times(&setup, &LayerShares::mixture(1.0)));
    let time = forward + backward + exchange.exposed_forward + exchange.exposed_backward;
    let bytes = states::recipe_bytes(setup.recipe);
    let shape = &setup.architecture;
    let local = shape.routed_params_per_layer() as f64 / f64::from(setup.mesh.expert_group());
    let params = local + shape.router_and_shared_params_per_layer() as f64;
    let (kept, gradients) = activations::of_experts(&setup, bytes.activation);
    let tokens = engine::model::per_rank::tokens(&setup);
    let memory = params * (bytes.weights + bytes.gathered) + tokens * (kept + gradients);
    Ok(ExpertLayer {
        source: row.source.clone(),
        measured_s,
        predicted_s: time.get(),
        measured_gib: row.peak_mem_gib,
        predicted_gib: engine::units::Bytes::new(memory).gib(),
    })
}

/// Builds the layer as a model of one layer, with the row's sequences on each GPU.
///
/// # Errors
///
/// The name of a missing column.
pub fn scenario(row: &Row) -> Result<Scenario, LeftOut> {
    let mut notes = Notes::default();
    let stack = Stack::of(row);
    let hardware = hardware::hardware(row, stack, &mut notes)?;
    let software = software::software(row, stack, &mut notes)?;
    let usual = catalog::default_scenario();
    let hidden_size = row.hidden.ok_or_else(|| LeftOut::missing("hidden"))?;
    let dense = Architecture { hidden_size, gated_mlp: true, ..usual.model.architecture() };
    let architecture = mixture::with_experts(row, Architecture { num_hidden_layers: 1, ..dense })
        .ok_or_else(|| LeftOut::missing("top_k"))?;
    let experts = experts::experts(row, stack, &architecture, row.tp.unwrap_or(1), &mut notes)?;
    let mut accelerator = hardware.accelerator;
    accelerator.values.efficiency.matmul = UNTHROTTLED;
    Ok(Scenario {
        model: Model::Custom { architecture },
        accelerator,
        network: hardware.network,
        gpus: hardware.gpus,
        seq_len: row.seq_len.ok_or_else(|| LeftOut::missing("seq_len"))?,
        micro_batch_size: row.micro_batch.unwrap_or(1),
        grad_accum_steps: 1,
        strategy: Strategy::Ddp,
        ep: experts.ep,
        etp: experts.etp,
        choices: Choices {
            experts: experts.experts,
            recompute: software.recompute.mode,
            recipe: engine::model::training::PrecisionPolicy::PureBf16,
            compute_format: software.compute_format,
            framework: software.framework,
            kernels: software.kernels,
            ..usual.choices
        },
        ..usual
    })
}
