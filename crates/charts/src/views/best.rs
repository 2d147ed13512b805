//! Map of the best MFU by memory and bandwidth, as in arXiv 2504.03655: the best over sequence
//! length, micro-batch and recomputation at every GPU memory and link bandwidth, and the thresholds
//! above which neither limits.

use super::axes::{self, AxisOf, in_data};
use super::metric::OF_BEST;
use super::region;
use super::scratch::{MapContent, Scratch};
use super::smooth::{self, Along};
use super::{OUTSIDE, bound};
use crate::names;
use crate::spec::{ChartSpec, LineRole, Polyline};
use crate::zoom::VisibleRange;
use analysis::best::{Candidate, Candidates, between, holds};
use analysis::boundary::zero_line;
use analysis::network::{enough, limited_by_link, unlimited, write_enough};
use analysis::sweep::{self, Sample};
use engine::format;
use engine::model::bounds::Bounds;
use engine::model::report::Limiter;
use engine::params::{ParamId, Unit};
use engine::rounding;
use engine::scenario::Scenario;
use engine::units::Bytes;

/// The axes: across, and up.
pub const BEST_AXES: [ParamId; 2] = [ParamId::LinkBandwidth, ParamId::GpuMemory];
/// While a slider moves, one of this many link rates is evaluated.
const COARSE: usize = 4;
/// Heading of the figure.
const TITLE: &str = "What memory and bandwidth allow: the best MFU";
/// Name of the line above which more memory adds little.
const ENOUGH: &str = "memory limits below";
/// Explanation after the threshold of memory ([`analysis::best::NEARLY`]).
const LEFT: &str = " (above, less than 5\u{2009}% is left to gain)";
/// Nodes along x and y of the bounds' line.
const GRID: (usize, usize) = (33, 25);

/// Whether the figure is valid for a scenario: not if memory affects more than whether the run
/// fits.
pub fn best_holds(scenario: &Scenario) -> bool {
    holds(scenario)
}

/// Returns the map of the best MFU over [`BEST_AXES`], or parts of them, with the closed-form bound
/// if `bounds` is set.
pub fn best_region(
    scenario: &Scenario,
    parts: [Option<VisibleRange>; 2],
    bounds: bool,
    scratch: &mut Scratch,
) -> ChartSpec {
    let axis = |id, part| axes::axis(scenario, id, false).map(|axis| axis.narrowed(id, part));
    let ([across, up], [across_part, up_part]) = (BEST_AXES, parts);
    let (Some(x), Some(y)) = (axis(across, across_part), axis(up, up_part)) else { return ChartSpec::empty() };
    let shown = MapContent { bounds, best: true };
    let mut spec = scratch.drawn(scenario, &x, &y, shown).unwrap_or_else(|| {
        let spec = nowhere(scenario, &x, &y, bounds, scratch);
        scratch.keep(scenario, &x, &y, shown, &spec);
        spec
    });
    let here = (x.own(scenario), y.own(scenario));
    spec.here = (x.shows(here.0) && y.shows(here.1)).then_some(here);
    spec.caption = caption(scenario, &x, scratch);
    if spec.here.is_none() {
        spec.caption += OUTSIDE;
    }
    spec
}

/// Returns the map without the scenario's mark.
fn nowhere(scenario: &Scenario, x: &AxisOf, y: &AxisOf, bounds: bool, scratch: &mut Scratch) -> ChartSpec {
    let columns = if scratch.is_moving() { scratch.columns / COARSE + 1 } else { scratch.columns };
    axes::positions(&x.axis, columns, &mut scratch.xs);
    axes::positions(&y.axis, scratch.rows, &mut scratch.ys);
    let enough = fill(scenario, x, y, scratch);
    let mut spec = region::map_samples(scenario, x, y, scratch);
    spec.title = TITLE.into();
    spec.value = OF_BEST;
    let line = Polyline::new(ENOUGH, LineRole::Enough, vec![enough]);
    spec.lines.extend((!line.segments.is_empty()).then_some(line));
    if bounds && bound::holds(scenario) {
        spec.lines.extend(compute_ceiling(scenario, x, y, scratch));
    }
    spec
}

/// Returns the largest memory of the whole axis.
fn most_memory(scenario: &Scenario) -> Option<Bytes> {
    let y = axes::axis(scenario, ParamId::GpuMemory, false)?;
    Some(with_memory(scenario, &y, y.axis.max))
}

/// Evaluates every node, column by column, and returns for every link rate the memory above which
/// more adds little. A node is limited by the network as [`limited_by_link`] says. Between the
/// configurations that are tried the map is interpolated, as it would otherwise be one of stairs;
/// its sentence and its readout are those of a search at the very place.
fn fill(scenario: &Scenario, x: &AxisOf, y: &AxisOf, scratch: &mut Scratch) -> Vec<(f64, f64)> {
    let Scratch { xs, ys, samples, candidates, .. } = scratch;
    let mut enough = Vec::with_capacity(xs.len());
    samples.clear();
    let Some(most) = most_memory(scenario) else { return enough };
    let capacities: Vec<Bytes> = ys.iter().map(|&memory| with_memory(scenario, y, memory)).collect();
    candidates.evaluate(&unlimited(scenario));
    let fastest = Column::new(candidates, &capacities);
    samples.resize(xs.len() * ys.len(), sweep::sample(scenario));
    for (column, &link) in xs.iter().enumerate() {
        candidates.evaluate(&with_link(scenario, x, link));
        let here = Column::new(candidates, &capacities);
        for (row, (sample, fastest)) in here.0.iter().zip(&fastest.0).enumerate() {
            if let Some(node) = samples.get_mut(row * xs.len() + column) {
                *node = limited_by_link(*sample, fastest);
            }
        }
        enough.extend(candidates.enough(most).map(|needed| (link, nominal(scenario, needed))));
    }
    for along in [Along::Y, Along::X] {
        smooth::follow_trend(samples, xs.len(), along, None);
    }
    hold_to_laws(samples, xs.len());
    let mut heights: Vec<f64> = enough.iter().map(|(_, memory)| memory.ln()).collect();
    smooth::flatten(&mut heights);
    for ((_, memory), height) in enough.iter_mut().zip(heights) {
        *memory = height.exp();
    }
    enough.retain(|&(_, memory)| y.shows(memory));
    enough
}

/// Holds the map to what is true of every best: with more memory or a faster link it is no
/// slower, and a faster link gains less and less. Configurations that take turns would otherwise
/// make islands, and their trend would overshoot.
fn hold_to_laws(samples: &mut [Sample], columns: usize) {
    let mut below: Vec<f64> = vec![0.0; columns];
    for row in samples.chunks_exact_mut(columns.max(1)) {
        let (mut before, mut gain) = (0.0_f64, f64::NEG_INFINITY);
        for (sample, below) in row.iter_mut().zip(&mut below) {
            before = before.max(sample.mfu).max(*below);
            (sample.mfu, *below) = (before, before);
        }
        for sample in row.iter_mut().rev() {
            gain = gain.max(sample.pressure);
            sample.pressure = gain;
        }
    }
}

/// The best at every memory of one link rate.
struct Column(Vec<Sample>);

impl Column {
    fn new(candidates: &Candidates, capacities: &[Bytes]) -> Self {
        let steps = candidates.steps();
        let at = |&capacity: &Bytes| {
            let best = candidates.best(capacity)?.sample;
            // The least that any configuration needs decides where none fits.
            let needed = steps.first()?.needed;
            Some(Sample { mfu: between(&steps, capacity), needed, ..best })
        };
        Self(capacities.iter().filter_map(at).collect())
    }
}

fn with_link(scenario: &Scenario, x: &AxisOf, link: f64) -> Scenario {
    let mut moved = *scenario;
    // The scenario's own rate is kept exactly.
    if link != x.own(scenario) {
        sweep::assign(&mut moved, x.number, link);
    }
    moved
}

/// Returns the usable memory of a GPU of this size.
fn with_memory(scenario: &Scenario, y: &AxisOf, memory: f64) -> Bytes {
    let mut moved = *scenario;
    sweep::assign(&mut moved, y.number, memory);
    moved.accelerator.values.usable_memory()
}

/// Returns the memory in GiB of a GPU with this usable memory.
fn nominal(scenario: &Scenario, usable: Bytes) -> f64 {
    let gpu = scenario.accelerator.values;
    usable.gib() * (gpu.memory / gpu.usable_memory())
}

/// Returns the line where the network's bound on MFU equals the efficiency of kernels: a constant
/// product of memory and bandwidth.
fn compute_ceiling(scenario: &Scenario, x: &AxisOf, y: &AxisOf, scratch: &mut Scratch) -> Option<Polyline> {
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    axes::positions(&x.axis, GRID.0, &mut xs);
    axes::positions(&y.axis, GRID.1, &mut ys);
    let at = |values: &[f64], place: usize| values.get(place).copied().unwrap_or(f64::NAN);
    let pieces = zero_line(&mut scratch.tracer, GRID, |column, row| {
        let mut moved = with_link(scenario, x, at(&xs, column));
        sweep::assign(&mut moved, y.number, at(&ys, row));
        let bounds = Bounds::from_setup(&moved.setup());
        bounds.mfu_by_network() - bounds.mfu_by_compute()
    });
    let line = Polyline::new(bound::NAME, LineRole::Bound, in_data(pieces, x, y, GRID));
    (!line.segments.is_empty()).then_some(line)
}

/// Writes the best MFU at the scenario's memory and link, and the thresholds above which neither
/// limits: `compute limits from 310 Gbit/s on, within 1 % of the MFU at infinite bandwidth; memory
/// limits below 52 GiB.`
fn caption(scenario: &Scenario, x: &AxisOf, scratch: &mut Scratch) -> String {
    let candidates = &mut scratch.candidates;
    candidates.evaluate(scenario);
    let capacity = scenario.accelerator.values.usable_memory();
    let (Some(best), Some(most)) = (candidates.best(capacity), most_memory(scenario)) else { return String::new() };
    let memory = format::value(Unit::Gib, scenario.accelerator.values.memory.gib());
    let one_node = axes::is_one_node(scenario);
    let link = format::value(Unit::GbitPerS, x.own(scenario));
    let place = if one_node { memory } else { format!("{memory} and {link}") };
    if !best.sample.fits() {
        let least = format::value(Unit::Gib, rounding::up(nominal(scenario, best.sample.needed)));
        return format!("With {place} no sequence, batch and checkpointing fits: the least takes {least}.");
    }
    let enough = candidates.enough(most).map(|needed| nominal(scenario, needed));
    let below = enough.map_or(String::new(), |enough| format::value(Unit::Gib, rounding::down(enough)));
    let own = sweep::sample(scenario);
    let yours = if own.fits() { format!("reaches {}", format::percent(own.mfu)) } else { "does not fit".to_owned() };
    let found = format!("With {place} the best is {}; this scenario {yours}.", format::percent(best.sample.mfu));
    let with = format!("The best has {}.", words(scenario, &best));
    if one_node {
        return format!("{found} {} Memory limits below {below}{LEFT}. {with}", axes::ONE_NODE);
    }
    let by_link = by_link(scenario, candidates);
    format!("{found} At this memory {by_link}; memory limits below {below}{LEFT}. {with}")
}

/// Writes the bandwidth from which a faster link adds little to the best MFU.
fn by_link(scenario: &Scenario, candidates: &mut Candidates) -> String {
    let capacity = scenario.accelerator.values.usable_memory();
    let mut best = |scenario: &Scenario| {
        candidates.evaluate(scenario);
        candidates.best(capacity)
    };
    let fast = best(&unlimited(scenario));
    let from = enough(|link| best(&analysis::network::with_link(scenario, link)).map_or(0.0, |best| best.sample.mfu));
    let then = fast.map_or(Limiter::Compute, |fast| limited_by_link(fast.sample, &fast.sample).time_limiter);
    write_enough(from, then)
}

/// Writes a configuration: `sequences of 8,192 tokens, 2 in a micro-batch, full checkpointing`.
fn words(scenario: &Scenario, best: &Candidate) -> String {
    let recompute = ParamId::Recompute.param().choice().map_or("", |choice| {
        choice.options.get((choice.get)(&best.apply_to(scenario))).map_or("", |option| option.label)
    });
    let tokens = format::value(Unit::Tokens, f64::from(best.seq_len));
    let checkpointing = match names::in_sentence(recompute).as_str() {
        "none" => "no checkpointing".to_owned(),
        mode => format!("{mode} checkpointing"),
    };
    format!("sequences of {tokens}, {} in a micro-batch, {checkpointing}", best.micro_batch_size)
}

#[cfg(test)]
mod tests;
