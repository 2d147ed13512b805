//! The closed-form bounds of section 8 as lines over a figure.

use super::axes::{self, AxisOf, in_data};
use super::metric::{Metric, PERCENT};
use super::scratch::Scratch;
use crate::spec::{LineRole, Polyline};
use analysis::boundary::zero_line;
use analysis::sweep;
use engine::model::bounds::Bounds;
use engine::model::software::Offload;
use engine::model::training::{ComputeFormat, Optimizer};
use engine::scenario::resolve::Degrees;
use engine::scenario::{Scenario, Strategy};
use engine::units::Bytes;

/// Name of every bound.
pub(super) const NAME: &str = "FSDP bound (Wang et al. 2025)";

/// Grid over which the longest context is traced: the line is smooth, so few nodes are enough.
const GRID: (usize, usize) = (41, 29);

/// Whether the bounds hold: pure data parallelism of a dense model of which every weight trains,
/// with all of AdamW's states on the GPUs and weights gathered in 16 bits.
pub fn holds(scenario: &Scenario) -> bool {
    let Degrees { tp, cp, pp, .. } = scenario.degrees();
    tp * cp * pp == 1
        && !scenario.model.architecture().has_experts()
        && scenario.trained.is_all()
        && scenario.offload == Offload::NONE
        && scenario.optimizer == Optimizer::AdamW
        && scenario.compute_format != ComputeFormat::Fp8Gather
}

/// Traces the line where the tokens of one micro-batch equal the most that fit under the bounds,
/// `E_max`.
pub(super) fn longest_context(scenario: &Scenario, x: &AxisOf, y: &AxisOf, scratch: &mut Scratch) -> Option<Polyline> {
    let (columns, rows) = GRID;
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    axes::positions(&x.axis, columns, &mut xs);
    axes::positions(&y.axis, rows, &mut ys);
    let room = |x_value: f64, y_value: f64| {
        let mut moved = *scenario;
        sweep::assign(&mut moved, y.number, y_value);
        sweep::assign(&mut moved, x.number, x_value);
        let setup = moved.setup();
        let tokens = f64::from(setup.batch.seq_len) * f64::from(setup.batch.micro_batch_size);
        let bounds = Bounds::from_setup(&setup);
        // Free memory less the tokens' memory, over all memory: smooth, and zero where the tokens
        // equal E_max.
        (bounds.free_memory() - Bytes::new(tokens * bounds.element * bounds.layers * bounds.hidden)) / bounds.memory
    };
    let at = |values: &[f64], place: usize| values.get(place).copied().unwrap_or(f64::NAN);
    let values = scratch.zeros(GRID, |column, row| room(at(&xs, column), at(&ys, row)));
    let pieces = zero_line(&mut scratch.tracer, GRID, |column, row| at(&values, row * columns + column));
    let line = Polyline::new(NAME, LineRole::Bound, in_data(pieces, x, y, GRID));
    (!line.segments.is_empty()).then_some(line)
}

/// Returns the highest MFU or throughput under the bounds along an axis.
pub(super) fn fastest(scenario: &Scenario, x: &AxisOf, metric: Metric, points: usize) -> Option<Polyline> {
    let mut xs = Vec::new();
    axes::positions(&x.axis, points, &mut xs);
    let mut line = Polyline::new(NAME, LineRole::Bound, Vec::new());
    let mut piece = Vec::new();
    for value in xs {
        let mut moved = *scenario;
        sweep::assign(&mut moved, x.number, value);
        let bounds = Bounds::from_setup(&moved.with_strategy(Strategy::FullShard).setup());
        let height = match metric {
            // Throughput is MFU times peak over the model FLOPs of a token, so the MFU bound
            // carries over, including compute's ceiling.
            Metric::TokensPerSecond => bounds.mfu_max() * bounds.peak.get() / (3.0 * bounds.forward_flops().get()),
            _ => PERCENT * bounds.mfu_max(),
        };
        if height > 0.0 {
            piece.push((value, height));
        } else {
            line.push(core::mem::take(&mut piece), true);
        }
    }
    line.push(piece, true);
    (!line.segments.is_empty()).then_some(line)
}
