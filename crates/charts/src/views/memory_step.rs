//! Memory over one step, tensor by tensor: bytes alive, bytes reserved by the allocator, and the
//! peak.

mod around;

use std::rc::Rc;

use crate::names;
use crate::spec::{Axis, ChartSpec, Course, Grain, LineRole, Moment, Polyline, Quantity, Span, StackContent};
pub use around::{LoadAndSave, by_formulas, load_and_save};
use engine::format;
use engine::model::memory::stage_memory;
use engine::model::report::{MemoryPart, MemoryReport};
use engine::model::setup::Setup;
use engine::model::stages::{Stage, stages};
use engine::params::{Scale, Unit};
use engine::scenario::Scenario;
use engine::units::Bytes;
use trace::{Category, Curve, Point, RunStep, Trace};

/// Points along the step: one for about two pixels of a wide figure, and a saved picture below 90
/// kB.
const POINTS: usize = 480;
/// A GPU with more than this multiple of the reserved memory is not drawn to its top.
const CAPACITIES: f64 = 2.0;
/// Room above the highest line.
const ROOM: f64 = 1.08;
/// The heading.
const TITLE: &str = "Memory over one step";
/// The name of the line of reserved memory.
const RESERVED: &str = "Reserved by the allocator";
/// The name of the line of the GPU's capacity.
const CAPACITY: &str = "GPU memory";
/// The caption until the step has been simulated.
const COMING: &str = "Simulating one step ...";

/// Returns the figure of a scenario whose step has not been simulated yet.
pub fn memory_step_coming() -> ChartSpec {
    let flat = || vec![vec![(0.0, 0.0), (1.0, 0.0)]];
    let layers = StackContent::ALL.into_iter().map(|held| Polyline::new(held.name(), LineRole::Held(held), flat()));
    let others = [(RESERVED, LineRole::Reserved), (CAPACITY, LineRole::MemoryFrontier)];
    let others = others.into_iter().map(|(name, role)| Polyline::new(name, role, flat()));
    ChartSpec {
        title: TITLE.into(),
        caption: COMING.into(),
        lines: layers.chain(others).collect(),
        course: Some(Rc::default()),
        ..frame(1.0, 1.0)
    }
}

/// Simulates a step of the stage that needs most memory, and returns the bytes alive by content
/// over its allocations and frees, under the reserved bytes and the GPU's memory.
pub fn memory_step(scenario: &Scenario, step: RunStep) -> ChartSpec {
    let setup = scenario.setup().at_longest();
    let stage = largest(&setup);
    let curve = Trace::record(&setup, &stage).curve(step, setup.segments, POINTS);
    let MemoryReport { parts, capacity, nominal, .. } = scenario.report().memory;
    let context = parts.get(MemoryPart::Context);
    let [peak, reserved] = [curve.peak.allocated, curve.reserved].map(|bytes| Bytes::new(bytes as f64));
    let here = (f64::from(curve.peak.events), peak.gib());
    let top = ROOM * reserved.max(capacity.min(CAPACITIES * reserved)).gib();
    let mut lines: Vec<Polyline> = StackContent::ALL.into_iter().map(|held| layer(&curve, held)).collect();
    let of_point = |point: &Point| (f64::from(point.events), gib(point.reserved));
    lines.push(Polyline::new(RESERVED, LineRole::Reserved, vec![curve.points.iter().map(of_point).collect()]));
    // Like the other lines, one point per event, so that labels avoid the line.
    let level = |point: &Point| (f64::from(point.events), capacity.gib());
    lines.push(Polyline::new(CAPACITY, LineRole::MemoryFrontier, vec![curve.points.iter().map(level).collect()]));
    let at = words(&curve.peak, stage.layers);
    let of = names::in_sentence(engine::names::part_on(MemoryPart::Context, setup.accelerator.generation).name);
    ChartSpec {
        title: TITLE.into(),
        caption: caption(&at, &of, [peak, reserved, context, capacity], &format::usable(capacity, nominal)),
        lines,
        here: Some(here),
        course: Some(Rc::new(course(&curve, peak, stage.layers))),
        ..frame(f64::from(curve.events), top)
    }
}

/// Returns the axes.
fn frame(events: f64, top: f64) -> ChartSpec {
    let axis = |label: &str, unit, max, grain| Axis {
        label: label.into(),
        unit,
        scale: Scale::Linear,
        min: 0.0,
        max,
        key: None,
        grain,
        own: None,
    };
    ChartSpec {
        x: axis("Allocations and frees", Unit::None, events.max(1.0), Grain::Whole),
        y: axis("Memory", Unit::Gib, top, Grain::Digits),
        value: Quantity { label: "Memory", unit: Unit::Gib },
        ..ChartSpec::empty()
    }
}

/// Returns the stage that needs most memory, the earliest of equals.
pub(crate) fn largest(setup: &Setup) -> Stage {
    let all = stages(setup);
    let needs = |stage: &Stage| stage_memory(setup, stage).allocated;
    let more = |most: Stage, other: &Stage| if needs(other) > needs(&most) { *other } else { most };
    all.iter().skip(1).fold(all.first, more)
}

fn gib(bytes: u64) -> f64 {
    Bytes::new(bytes as f64).gib()
}

/// Returns the heights of a layer.
fn layer(curve: &Curve, held: StackContent) -> Polyline {
    let height = |point: &Point| {
        let of_layer = Category::ALL.into_iter().filter(|category| StackContent::from_category(*category) == held);
        (f64::from(point.events), gib(of_layer.map(|category| point.by[category]).sum()))
    };
    Polyline::new(held.name(), LineRole::Held(held), vec![curve.points.iter().map(height).collect()])
}

/// Names a moment and its operator: `the backward pass of layer 30 of 40, at mul`.
fn words(point: &Point, layers: u32) -> String {
    let moment = names::moment(point.moment, layers);
    if point.operator.is_empty() { moment } else { format!("{moment}, at {}", point.operator) }
}

fn course(curve: &Curve, peak: Bytes, layers: u32) -> Course {
    let span = |span: &trace::Span| Span {
        name: names::phase(span.phase),
        start: f64::from(span.start),
        end: f64::from(span.end),
    };
    let moment = |point: &Point| Moment {
        x: f64::from(point.events),
        span: names::phase(point.moment.phase),
        name: words(point, layers),
    };
    Course {
        spans: curve.spans.iter().map(span).collect(),
        moments: curve.points.iter().map(moment).collect(),
        peak: format!("{}: {}", format::bytes(peak), curve.peak.operator),
    }
}

/// Writes the caption: `The simulated step peaks at 61.2 GiB in the backward pass of layer 30 of
/// 40, at mul. Reserved 68.0 GiB + CUDA context and NCCL 1.50 GiB, of 79.1 GiB usable (of 80 GiB).`
fn caption(at: &str, of: &str, [peak, reserved, context, capacity]: [Bytes; 4], usable: &str) -> String {
    let [most, held, rest] = [peak, reserved, context].map(format::bytes);
    let over = reserved + context - capacity;
    let under_pressure = if peak + context > capacity {
        "; tensors already exceed that".to_owned()
    } else if over > Bytes::ZERO {
        format!("; PyTorch releases {} of its cache to stay within", format::bytes(over))
    } else {
        String::new()
    };
    format!("The simulated step peaks at {most} in {at}. Reserved {held} + {of} {rest}, of {usable}{under_pressure}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readout::readout;
    use crate::{describe, layout, table};
    use catalog::{MODELS, default_scenario};
    use engine::scenario::Strategy;

    fn stacked(spec: &ChartSpec, x: f64) -> f64 {
        let layers = spec.lines.iter().filter(|line| line.role.is_stacked());
        layers.map(|line| line.at(x).unwrap().0).sum()
    }

    #[test]
    fn the_layers_add_up_to_the_peak_under_the_reserved_line() {
        for step in RunStep::ALL {
            let spec = memory_step(&default_scenario(), step);
            let (x, y) = spec.here.unwrap();
            assert!((stacked(&spec, x) / y - 1.0).abs() < 1e-12);
            let reserved = spec.lines.iter().find(|line| line.role == LineRole::Reserved).unwrap();
            for moment in &spec.course.as_ref().unwrap().moments {
                let alive = stacked(&spec, moment.x);
                assert!(alive <= y * (1.0 + 1e-12), "{moment:?}");
                assert!(alive <= reserved.at(moment.x).unwrap().0, "{moment:?}");
            }
            assert!(layout::share(&spec.y, reserved.segments[0].last().unwrap().1) < 1.0);
        }
    }

    #[test]
    fn the_sentence_says_the_peak_its_moment_and_what_is_reserved() {
        let spec = memory_step(&default_scenario(), RunStep::Steady);
        let caption = &spec.caption;
        assert!(caption.starts_with("The simulated step peaks at ") && caption.contains(" in the "), "{caption}");
        assert!(caption.contains(". Reserved ") && caption.ends_with(" (of 40\u{2009}GiB)."), "{caption}");
        assert_eq!(describe::chart(&spec), format!("{TITLE}: {caption}"));
        let large = Scenario { micro_batch_size: 8, ..default_scenario() };
        assert!(memory_step(&large, RunStep::Steady).caption.contains("tensors already exceed that"));
    }

    #[test]
    fn before_the_step_is_played_its_legend_stands_and_nothing_has_a_place() {
        let (coming, played) = (memory_step_coming(), memory_step(&default_scenario(), RunStep::Steady));
        let names = |spec: &ChartSpec| -> Vec<String> { spec.lines.iter().map(|line| line.name.clone()).collect() };
        assert_eq!(names(&coming), names(&played));
        assert_eq!((coming.here, coming.title), (None, played.title));
    }

    #[test]
    fn a_place_is_read_at_the_moment_nearest_to_it() {
        let spec = memory_step(&default_scenario(), RunStep::Steady);
        let (x, y) = spec.here.unwrap();
        let said = readout(&spec, x + 0.3, 0.0);
        assert_eq!(said.entries.len(), spec.lines.len());
        assert_eq!(said.place[2].value, format::value(Unit::Gib, y));
        assert!(said.place[1].value.contains(", at "), "{}", said.sentence);
    }

    #[test]
    fn the_table_has_every_part_of_the_step_and_the_csv_every_moment() {
        let spec = memory_step(&default_scenario(), RunStep::Steady);
        let table = table::chart(&spec);
        assert_eq!(table.header, ["Holds", "Forward", "Loss", "Backward", "Optimizer"]);
        assert_eq!(table.rows.len(), 1 + spec.lines.len());
        assert!(table.rows.iter().all(|row| row.len() == table.header.len()));
        let peak = format::value(Unit::Gib, spec.here.unwrap().1);
        assert!(table.rows[0].contains(&peak), "{:?}", table.rows[0]);
        let csv = table::csv(&spec);
        let moments = csv.lines().filter(|line| line.starts_with("moment,")).count();
        assert_eq!(moments, spec.course.unwrap().moments.len());
        let first = "series,fits,allocations_and_frees,memory_gib,memory_gib,limiter,free_bytes\n";
        assert!(csv.starts_with(first), "{csv}");
    }

    #[test]
    fn every_model_of_the_catalog_has_a_figure_without_nan() {
        for model in MODELS {
            let mut scenario = default_scenario();
            catalog::pick::pick_model(&mut scenario, model.id);
            let spec = memory_step(&scenario, RunStep::First);
            assert!(spec.caption.ends_with('.') && !spec.caption.contains("NaN"), "{}: {}", model.id, spec.caption);
            assert!(spec.y.max.is_finite() && spec.x.max > 1.0, "{}", model.id);
        }
    }

    #[test]
    fn every_way_to_split_a_model_has_a_figure() {
        let mixture = default_scenario().with_model(catalog::model("mixtral-8x7b").unwrap().pick());
        for start in [default_scenario(), mixture] {
            for strategy in Strategy::ALL {
                for (tp, cp, pp, ep) in
                    [(1, 1, 1, 1), (4, 1, 1, 1), (1, 4, 1, 1), (2, 1, 4, 1), (1, 1, 32, 1), (1, 1, 1, 8)]
                {
                    let scenario = Scenario { strategy, tp, cp, pp, ep, grad_accum_steps: 2, ..start };
                    let spec = memory_step(&scenario, RunStep::Steady);
                    let (_, peak) = spec.here.unwrap();
                    assert!(peak > 0.0 && peak < spec.y.max, "{strategy:?} {tp} {cp} {pp} {ep}: {peak}");
                }
            }
        }
    }
}
