//! Memory over one step, tensor by tensor: bytes alive and the peak, where the simulated step is
//! the one that the memory report adds up; otherwise the reason.

mod around;

use std::rc::Rc;

use crate::names;
use crate::spec::{Axis, ChartSpec, Course, Grain, LineRole, Moment, Polyline, Quantity, Span, StackContent};
pub use around::{LoadAndSave, by_formulas, load_and_save};
use engine::format;
use engine::model::report::{MemoryPart, MemoryReport};
use engine::model::setup::Setup;
use engine::params::{Scale, Unit};
use engine::scenario::Scenario;
use engine::units::Bytes;
use trace::{Category, Curve, Point, RunStep, StepMemory, step_memory};

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
    let common = StackContent::ALL.into_iter().filter(|held| !held.is_rare());
    let layers = common.map(|held| Polyline::new(held.name(), LineRole::Held(held), flat()));
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
/// over its allocations and frees, under the report's reserved bytes and the GPU's memory. If the
/// simulated step is not the report's, the figure has no lines, and its caption is the reason.
pub fn memory_step(scenario: &Scenario, step: RunStep) -> ChartSpec {
    let setup = scenario.setup();
    match step_memory(&setup, step, POINTS) {
        Ok(memory) => drawn(&setup, &memory),
        Err(reason) => ChartSpec { title: TITLE.into(), caption: reason.to_string(), ..frame(1.0, 1.0) },
    }
}

fn drawn(setup: &Setup, StepMemory { curve, stage, report }: &StepMemory) -> ChartSpec {
    let peak = Bytes::new(curve.peak.allocated as f64);
    let reserved = reserved(report);
    let capacity = report.capacity;
    let here = (f64::from(curve.peak.events), peak.gib());
    let highest = if reserved > peak { reserved } else { peak };
    let top = ROOM * highest.max(capacity.min(CAPACITIES * highest)).gib();
    let has_models = report.parts.get(MemoryPart::Models) > Bytes::ZERO;
    let shown = StackContent::ALL.into_iter().filter(|held| has_models || !held.is_rare());
    let mut lines: Vec<Polyline> = shown.map(|held| layer(curve, held)).collect();
    // Like the other lines, one point per event, so that labels avoid the line.
    let level = |bytes: Bytes| vec![curve.points.iter().map(|point| (f64::from(point.events), bytes.gib())).collect()];
    lines.push(Polyline::new(RESERVED, LineRole::Reserved, level(reserved)));
    lines.push(Polyline::new(CAPACITY, LineRole::MemoryFrontier, level(capacity)));
    let at = words(&curve.peak, stage.layers);
    ChartSpec {
        title: TITLE.into(),
        caption: caption(setup, report, peak, &at),
        lines,
        here: Some(here),
        course: Some(Rc::new(course(curve, peak, stage.layers))),
        ..frame(f64::from(curve.events), top)
    }
}

/// Returns what PyTorch's allocator reserves at the peak of the report.
fn reserved(report: &MemoryReport) -> Bytes {
    report.peak - report.parts.get(MemoryPart::Context) - report.parts.get(MemoryPart::Engine)
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
fn caption(setup: &Setup, report: &MemoryReport, peak: Bytes, at: &str) -> String {
    let name = |part| names::in_sentence(engine::names::part_on(part, setup.accelerator.generation).name);
    let part = |of: MemoryPart| format!(" + {} {}", name(of), format::bytes(report.parts.get(of)));
    let others = match report.parts.get(MemoryPart::Engine) {
        Bytes::ZERO => part(MemoryPart::Context),
        _ => part(MemoryPart::Context) + &part(MemoryPart::Engine),
    };
    let [most, held] = [peak, reserved(report)].map(format::bytes);
    let usable = format::usable(report.capacity, report.nominal);
    let under_pressure = if report.fits() {
        String::new()
    } else {
        format!("; the {} that are needed exceed that", format::bytes(report.needed))
    };
    format!("The simulated step peaks at {most} in {at}. Reserved {held}{others}, of {usable}{under_pressure}.")
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
        assert!(memory_step(&large, RunStep::Steady).caption.contains(" that are needed exceed that."));
    }

    /// One number: the reserved level, the caption and the report agree.
    #[test]
    fn what_is_reserved_is_the_report_s() {
        let mut scenario = default_scenario();
        scenario.anchor.memory = 1.25;
        for scenario in [default_scenario(), scenario] {
            let spec = memory_step(&scenario, RunStep::Steady);
            let report = scenario.report().memory;
            let level = spec.lines.iter().find(|line| line.role == LineRole::Reserved).unwrap().segments[0][0].1;
            let shown = level + report.parts.get(MemoryPart::Context).gib();
            assert!((shown / report.peak.gib() - 1.0).abs() < 1e-12, "{shown}");
            let reserved = format::value(Unit::Gib, level);
            assert!(spec.caption.contains(&format!("Reserved {reserved}")), "{}", spec.caption);
            assert!((spec.here.unwrap().1 / report.allocated.gib() - 1.0).abs() < 0.02);
        }
    }

    #[test]
    fn a_step_that_is_not_the_report_s_is_a_sentence_without_lines() {
        let mut offloaded = default_scenario();
        offloaded.choices.offload.activations = true;
        let spec = memory_step(&offloaded, RunStep::Steady);
        assert_eq!(spec.caption, "Not drawn, as activations in host memory are not simulated.");
        assert!(spec.lines.is_empty() && spec.here.is_none() && spec.course.is_none());
        assert!(describe::chart(&spec).ends_with(&spec.caption));
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
    fn every_model_of_the_catalog_has_a_figure_or_a_reason_without_nan() {
        for model in MODELS {
            let mut scenario = default_scenario();
            catalog::pick::pick_model(&mut scenario, model.id);
            let spec = memory_step(&scenario, RunStep::First);
            assert!(spec.caption.ends_with('.') && !spec.caption.contains("NaN"), "{}: {}", model.id, spec.caption);
            assert!(spec.y.max.is_finite() && (spec.lines.is_empty() || spec.x.max > 1.0), "{}", model.id);
        }
    }

    #[test]
    fn every_way_to_split_a_model_has_a_figure_or_a_reason() {
        let mixture = default_scenario().with_model(catalog::model("mixtral-8x7b").unwrap().pick());
        for start in [default_scenario(), mixture] {
            for strategy in Strategy::ALL {
                for (tp, cp, pp, ep) in
                    [(1, 1, 1, 1), (4, 1, 1, 1), (1, 4, 1, 1), (2, 1, 4, 1), (1, 1, 32, 1), (1, 1, 1, 8)]
                {
                    let scenario = Scenario { strategy, tp, cp, pp, ep, grad_accum_steps: 2, ..start };
                    let spec = memory_step(&scenario, RunStep::Steady);
                    let Some((_, peak)) = spec.here else {
                        assert!(spec.lines.is_empty() && spec.caption.starts_with("Not drawn"), "{}", spec.caption);
                        continue;
                    };
                    assert!(peak > 0.0 && peak < spec.y.max, "{strategy:?} {tp} {cp} {pp} {ep}: {peak}");
                }
            }
        }
    }
}
