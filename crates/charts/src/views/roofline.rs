//! The roofline of a step: its compute operators against the limits of the GPU and the network.

use super::metric::PERCENT;
use crate::names;
use crate::spec::{Axis, ChartSpec, Grain, LineRole, Mark, Polyline, Quantity};
use engine::format;
use engine::model::compute::roofline::Operator;
use engine::model::compute::{matmul_rate, memory_rate, peak};
use engine::model::cost::OperatorCost;
use engine::model::report::Report;
use engine::model::step::parts;
use engine::params::{Scale, Unit};
use engine::scenario::Scenario;
use engine::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Seconds};

/// Room around the points and the roof, as a factor.
const ROOM: f64 = 2.0;
/// The axis continues beyond the ridge by this factor, so that the flat part of the roof is
/// visible.
const BEYOND: f64 = 8.0;

/// Returns arithmetic intensity against performance, with one mark per kind of work, sized by its
/// fraction of compute.
pub fn roofline(scenario: &Scenario) -> ChartSpec {
    let setup = scenario.setup();
    let report = scenario.report();
    let all = parts(&setup);
    let total = all.iter().fold(OperatorCost::default(), |sum, part| sum + *part);
    let roof = Roof { peak: peak(&setup), memory: setup.accelerator.memory_bandwidth };
    let reached = Roof { peak: matmul_rate(&setup), memory: memory_rate(&setup) };
    let fits = report.fits();
    let has_experts = setup.architecture.has_experts();
    let mut marks: Vec<Mark> = Vec::new();
    for (place, (operator, part)) in Operator::ALL.into_iter().zip(&all).enumerate() {
        if part.time > Seconds::ZERO && part.amount.flops > Flops::ZERO {
            let share = part.time / total.time;
            let at = (part.intensity(), part.rate().tflops());
            let mark = Mark::new(names::operator(operator, has_experts), LineRole::Choice(place), at, PERCENT * share);
            // The heaviest marks come first, so that light ones are drawn over them.
            let before = marks.iter().position(|other| other.weight < share).unwrap_or(marks.len());
            marks.insert(before, Mark { weight: share, fits, ..mark });
        }
    }
    let here = (
        total.intensity(),
        total.amount.flops.get() / report.update.time.step.get() / FlopsPerSecond::from_tflops(1.0).get(),
    );
    let (x, y) = axes(&marks, here, &roof);
    let mut lines = vec![
        roof.line(
            &format!("Data sheet: {}, {}", format::gb_per_s(roof.memory), format::tflops(roof.peak)),
            LineRole::Roof,
            &x,
        ),
        reached.line("What kernels reach of it", LineRole::Reached, &x),
    ];
    // With everything hidden, a step would take as long as its busiest communication lane, which
    // includes exchanges that gathers can overlap.
    let lane = report.update.time.longest_lane.min(report.update.time.step);
    let network = FlopsPerSecond::new(total.amount.flops.get() / lane.get());
    if lane > Seconds::ZERO && network.tflops() <= y.max {
        let height = network.tflops().max(y.min);
        lines.push(Polyline::new(
            "Network, all compute hidden under it",
            LineRole::Network,
            vec![vec![(x.min, height), (x.max, height)]],
        ));
    }
    let quantity = Quantity { label: "Share of compute time", unit: Unit::Percent };
    let step = Step { total, rate: FlopsPerSecond::from_tflops(here.1), report };
    ChartSpec {
        title: names::of_update(&report, "Roofline of the step", "Roofline of the update").into(),
        caption: caption(&all, &step, &roof, has_experts),
        lines,
        marks,
        here: Some(here).filter(|here| here.0.is_finite() && here.1 > 0.0),
        value: quantity,
        x,
        y,
        ..ChartSpec::empty()
    }
}

/// The limits of memory bandwidth and arithmetic units.
struct Roof {
    peak: FlopsPerSecond,
    memory: BytesPerSecond,
}

impl Roof {
    /// Returns the intensity above which the arithmetic units limit.
    fn ridge(&self) -> f64 {
        self.peak.get() / self.memory.get()
    }

    /// Returns the roof as a line in TFLOP/s.
    fn line(&self, name: &str, role: LineRole, x: &Axis) -> Polyline {
        let height = |intensity: f64| FlopsPerSecond::new(self.memory.get() * intensity).tflops();
        let top = self.peak.tflops();
        Polyline::new(name, role, vec![vec![(x.min, height(x.min)), (self.ridge(), top), (x.max, top)]])
    }
}

/// Returns axes that include every mark, the step and the ridge.
fn axes(marks: &[Mark], here: (f64, f64), roof: &Roof) -> (Axis, Axis) {
    let (mut left, mut right) = (roof.ridge(), BEYOND * roof.ridge());
    let mut bottom = roof.peak.tflops();
    for (x, y) in marks.iter().map(|mark| mark.at).chain([here]) {
        if x > 0.0 && y > 0.0 && x.is_finite() {
            (left, right) = (left.min(x), right.max(x));
            bottom = bottom.min(y);
        }
    }
    let axis = |label: &str, unit, min, max| Axis {
        label: label.into(),
        unit,
        scale: Scale::Log,
        min,
        max,
        key: None,
        grain: Grain::Digits,
        own: None,
    };
    (
        axis("FLOP per byte of GPU memory", Unit::None, left / ROOM, right * ROOM),
        axis("Performance", Unit::Tflops, bottom / ROOM, roof.peak.tflops() * ROOM),
    )
}

/// The whole step.
struct Step {
    total: OperatorCost,
    rate: FlopsPerSecond,
    report: Report,
}

/// Writes the caption: `50.5 % of compute time goes to MLP, at 68.1 % of the peak of 312 TFLOP/s;
/// memory bandwidth limits 9.93 %. The whole step of 2.16 s reaches 157 TFLOP/s, limited by
/// compute.`
fn caption(all: &[OperatorCost], step: &Step, roof: &Roof, has_experts: bool) -> String {
    let Step { total, rate, report } = step;
    let missing = format::shortage(report.memory.headroom(), report.odds());
    let moot =
        if report.fits() { String::new() } else { format!("It does not fit ({missing}). If memory were no limit: ") };
    let largest =
        Operator::ALL.into_iter().zip(all).reduce(|most, part| if part.1.time > most.1.time { part } else { most });
    let Some((operator, part)) = largest.filter(|(_, part)| part.time > Seconds::ZERO) else { return moot };
    let of_memory: Seconds = all
        .iter()
        .filter(|part| part.amount.bytes > Bytes::ZERO && part.intensity() < roof.ridge())
        .map(|part| part.time)
        .sum();
    format!(
        "{moot}{} of compute time goes to {}, at {} of the peak of {}; memory bandwidth limits {}. {} of {} reaches {}, limited by {}.",
        format::percent(part.time / total.time),
        names::in_sentence(names::operator(operator, has_experts)),
        format::percent(part.rate().get() / roof.peak.get()),
        format::tflops(roof.peak),
        format::percent(of_memory / total.time),
        names::of_update(report, "The whole step", "The whole update"),
        format::seconds(report.update.time.step),
        format::tflops(*rate),
        names::limiter(report.update.time.limiter()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readout::readout;
    use crate::{describe, table};
    use catalog::{MODELS, default_scenario};

    fn every_model() -> impl Iterator<Item = Scenario> {
        MODELS.iter().map(|model| Scenario { ep: 8, ..default_scenario().with_model(model.pick()) })
    }

    #[test]
    fn marks_lie_under_the_roof_and_shares_add_up() {
        for scenario in every_model() {
            let spec = roofline(&scenario);
            let roof = spec.lines.iter().find(|line| line.role == LineRole::Roof).unwrap();
            let [low, ridge, _] = roof.segments[0][..] else { panic!() };
            for mark in &spec.marks {
                let (x, y) = mark.at;
                let above = (ridge.1 / ridge.0 * x).min(ridge.1);
                assert!(y <= above * 1.000_001, "{} {y} above {above}: {scenario:?}", mark.name);
                assert!(x >= low.0 && x <= spec.x.max && y >= spec.y.min);
            }
            let shares: f64 = spec.marks.iter().map(|mark| mark.value).sum();
            assert!((shares - 100.0).abs() < 1e-6, "{shares}");
            assert!(spec.marks.windows(2).all(|pair| pair[0].weight >= pair[1].weight));
            let (_, reached) = spec.here.unwrap();
            for line in spec.lines.iter().filter(|line| line.role == LineRole::Network) {
                assert!(reached <= line.segments[0][0].1 * 1.000_001);
            }
        }
    }

    #[test]
    fn it_is_told_in_words_for_every_model_whether_it_fits_or_not() {
        let mut unfit = 0;
        for scenario in every_model() {
            let spec = roofline(&scenario);
            unfit += usize::from(spec.caption.starts_with("It does not fit ("));
            let (x, y) = spec.marks[0].at;
            let said = readout(&spec, x, y);
            assert_eq!(said.place[0].name, spec.marks[0].name);
            let table = table::chart(&spec);
            assert_eq!(table.rows.len(), spec.marks.len());
            for text in [spec.caption.clone(), said.sentence, describe::chart(&spec), table.rows.concat().concat()] {
                assert!(!text.contains("NaN") && !text.contains("undefined") && !text.contains("unlimited"), "{text}");
            }
        }
        assert!(unfit > 20);
    }

    #[test]
    fn the_ridge_of_an_h100_is_where_it_is_published() {
        // 989.4 TFLOP/s over 3.35 TB/s: 295 FLOP per byte (NVIDIA's data sheet).
        let mut scenario = default_scenario();
        catalog::pick::pick_accelerator(&mut scenario, "h100-sxm");
        let spec = roofline(&scenario);
        let ridge = spec.lines[0].segments[0][1];
        assert!((ridge.0 - 295.0).abs() < 1.0 && (ridge.1 - 989.4).abs() < 1.0, "{ridge:?}");
    }

    #[test]
    fn a_network_that_limits_is_under_the_compute_that_it_holds() {
        let mut scenario = default_scenario();
        scenario.network.values.inter_node = BytesPerSecond::from_gbit_per_s(10.0);
        let spec = roofline(&scenario);
        let network = spec.lines.iter().find(|line| line.role == LineRole::Network).unwrap().segments[0][0].1;
        let mlp = spec.marks.iter().find(|mark| mark.name == "MLP").unwrap().at.1;
        assert!(network < 0.5 * mlp && spec.caption.contains("limited by network between nodes."), "{}", spec.caption);
        assert!((spec.here.unwrap().1 / network - 1.0).abs() < 0.1);
    }
}
