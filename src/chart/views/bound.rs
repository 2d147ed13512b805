//! The closed-form bounds of section 8 as lines over a figure.

use super::axes::{self, AxisOf};
use super::curve::Metric;
use super::region::{PERCENT, in_data};
use crate::chart::spec::{Line, LineRole};
use crate::model::bounds::{Bounds, Stage};
use crate::model::hardware::Topology;
use crate::model::setup::Setup;
use crate::model::training::{AttentionMask, Recompute, Sharding};
use crate::plan::boundary::{Tracer, zero_line};
use crate::plan::sweep;
use crate::scenario::Scenario;
use crate::units::{Bytes, Seconds};

/// The name of every bound.
pub(super) const NAME: &str = "FSDP bound (Wang et al. 2025)";

/// Bytes of an element: the bounds know 16-bit training only.
const ELEMENT: f64 = 2.0;
/// Nodes of the grid over which the longest context is traced: the line is smooth, so few are enough.
const GRID: (usize, usize) = (41, 29);

/// The bounds of a setup: no latency, one transfer a pass, and the links that its topology gives.
fn of(setup: &Setup, stage: Stage) -> Bounds {
    let network = &setup.network;
    let gpus = setup.mesh.dp_replicate.saturating_mul(setup.mesh.dp_shard);
    let rails = f64::from(network.gpus_per_node);
    let link = match network.topology {
        _ if gpus <= network.gpus_per_node => network.intra_node,
        Topology::Flat => network.inter_node,
        Topology::Aware => network.intra_node.min(rails * network.inter_node),
    };
    let bounds = Bounds {
        layers: f64::from(setup.architecture.num_hidden_layers),
        hidden: f64::from(setup.architecture.hidden_size),
        seq_len: f64::from(setup.batch.seq_len),
        element: ELEMENT,
        gpus: f64::from(gpus),
        memory: setup.accelerator.memory,
        link,
        peak: setup.accelerator.peak_16bit,
        efficiency: 1.0,
        latency: Seconds::ZERO,
        stage,
        kept: match setup.recompute {
            Recompute::Full => 0.0,
            Recompute::Fraction(kept) => kept,
            Recompute::None | Recompute::Selective => 1.0,
        },
        backward_transfers: 1.0,
    };
    Bounds { efficiency: kernels(setup, &bounds), ..bounds }
}

/// The fraction of the peak that kernels reach, `a`: matrix products and attention by their share of the FLOPs. A causal
/// mask leaves half of the counted attention to compute, which counts as twice the rate.
fn kernels(setup: &Setup, bounds: &Bounds) -> f64 {
    let reached = setup.accelerator.efficiency;
    let unmasked = match setup.mask {
        AttentionMask::Causal => 0.5,
        AttentionMask::Full => 1.0,
    };
    let all = bounds.forward_flops().get();
    let products = 2.0 * bounds.params();
    all / (products / reached.matmul + (all - products) * unmasked / reached.attention)
}

/// Where the tokens of one micro-batch are the most that the bounds let fit, `E_max`.
pub(super) fn longest_context(scenario: &Scenario, x: &AxisOf, y: &AxisOf, tracer: &mut Tracer) -> Option<Line> {
    let (columns, rows) = GRID;
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    axes::positions(&x.axis, columns, &mut xs);
    axes::positions(&y.axis, rows, &mut ys);
    let room = |x_value: f64, y_value: f64| {
        let mut moved = *scenario;
        sweep::assign(&mut moved, y.number, y_value);
        sweep::assign(&mut moved, x.number, x_value);
        let setup = moved.setup();
        let stage = if matches!(setup.sharding, Sharding::Fsdp(_)) { Stage::Three } else { Stage::OneOrTwo };
        let tokens = f64::from(setup.batch.seq_len) * f64::from(setup.batch.micro_batch_size);
        let bounds = of(&setup, stage);
        // Free memory less that of the tokens, over the memory: smooth, and zero where the tokens are E_max.
        (bounds.free_memory() - Bytes::new(tokens * ELEMENT * bounds.layers * bounds.hidden)) / bounds.memory
    };
    let values: Vec<f64> = ys.iter().flat_map(|&y| xs.iter().map(move |&x| (x, y))).map(|(x, y)| room(x, y)).collect();
    let pieces = zero_line(tracer, GRID, |column, row| values.get(row * columns + column).copied().unwrap_or(f64::NAN));
    let line = Line::new(NAME, LineRole::Bound, in_data(pieces, x, y, GRID));
    (!line.segments.is_empty()).then_some(line)
}

/// The highest MFU or throughput that the bounds allow along an axis.
pub(super) fn fastest(scenario: &Scenario, x: &AxisOf, metric: Metric, points: usize) -> Option<Line> {
    let mut xs = Vec::new();
    axes::positions(&x.axis, points, &mut xs);
    let mut line = Line::new(NAME, LineRole::Bound, Vec::new());
    let mut piece = Vec::new();
    for value in xs {
        let mut moved = *scenario;
        sweep::assign(&mut moved, x.number, value);
        let bounds = of(&moved.setup(), Stage::Three);
        let height = match metric {
            Metric::Mfu => PERCENT * bounds.mfu_max(),
            // Throughput is MFU times peak over the model FLOPs of a token: the same bound, compute's ceiling included.
            Metric::TokensPerSecond => bounds.mfu_max() * bounds.peak.get() / (3.0 * bounds.forward_flops().get()),
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
