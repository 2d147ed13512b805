//! The timeline of one step: the work on every lane over time.

use std::rc::Rc;

use crate::names;
use crate::spec::{Axis, AxisKey, ChartSpec, Grain, Quantity};
use crate::timeline::{Lanes, Mark, Merger, Window, Zoom};
use engine::format;
use engine::model::compute;
use engine::model::hardware::Topology;
use engine::model::report::{Lane, Report, Work};
use engine::model::step::playback::Playback;
use engine::model::step::work_times::time_by_work;
use engine::params::{Scale, Unit};
use engine::scenario::Scenario;
use engine::units::Seconds;

/// Key of the time axis, which is not a parameter: a click on it zooms in.
pub const TIME: AxisKey = AxisKey::Time;

/// Shorter marks and gaps than this fraction of the window are merged: about a pixel on a phone,
/// two in a wide figure.
const COLUMNS: f64 = 400.0;
/// Fractions of the step below this are left out of the caption.
const LEAST: f64 = 0.005;

/// Returns the timeline of a scenario's step; without its marks unless the figure is visible.
pub fn timeline(scenario: &Scenario, zoom: Zoom, looked_at: bool) -> ChartSpec {
    let setup = scenario.setup();
    let playback = Playback::new(&setup);
    let window = Window::new(zoom, &playback);
    let (sums, runs) = time_by_work(&playback);
    let marks = if looked_at { marks(&playback, window.from, window.to) } else { Vec::new() };
    let has = |lane: &Lane| runs.get(*lane as usize).copied().unwrap_or(false);
    let lanes = Lanes {
        shown: Lane::ALL.into_iter().filter(has).collect(),
        sums: Work::ALL.into_iter().zip(sums).filter(|(_, time)| *time > Seconds::ZERO).collect(),
        step: playback.end(),
        micro_batches: playback.micro_batches(),
        origin: window.origin,
        peak: compute::peak(&setup),
        is_flat: setup.network.topology == Topology::Flat,
        marks,
    };
    let grain = Grain::Step(lanes.x(Seconds::ZERO), lanes.step.ms());
    let axis =
        |label, unit, min, max| Axis { label, unit, scale: Scale::Linear, min, max, key: Some(TIME), grain, own: None };
    let report = scenario.report();
    ChartSpec {
        title: names::of_update(&report, "Timeline of one step", "Timeline of one update").into(),
        caption: caption(&report, setup.mesh.pp > 1),
        x: axis(window.label, Unit::Ms, lanes.x(window.from), lanes.x(window.to)),
        y: Axis { key: None, ..axis("Lane".into(), Unit::None, 0.0, lanes.shown.len() as f64) },
        value: Quantity { label: "Duration", unit: Unit::Ms },
        lanes: Some(Rc::new(lanes)),
        ..ChartSpec::empty()
    }
}

/// Returns the marks between two times.
fn marks(playback: &Playback, from: Seconds, to: Seconds) -> Vec<Mark> {
    let seen = (to - from) / COLUMNS;
    let mut merger = Merger::new(from, to, seen);
    let mut played: Option<(u32, Vec<Mark>)> = None;
    for micro_batch in playback.at(from)..=playback.at(to) {
        let like = playback.like(micro_batch);
        let own = match played.take() {
            Some((same, own)) if same == like => own,
            _ => {
                let mut own = Merger::new(Seconds::ZERO, playback.end(), seen);
                playback.micro_batch(like, &mut |span| own.push(&Mark::from_span(&span)));
                own.finish()
            }
        };
        let later = playback.start(micro_batch) - playback.start(like);
        for mark in &own {
            merger.push(&mark.shifted(later, micro_batch));
        }
        played = Some((like, own));
    }
    merger.finish()
}

/// Writes the caption: `Compute takes 1.50 s of 1.84 s, exposed communication 210 ms, …; 900 ms of
/// communication are hidden.`
fn caption(report: &Report, is_pipeline: bool) -> String {
    let time = &report.update.time;
    let clause = |before: &str, part: Seconds, after: &str| {
        if part > LEAST * time.step { format!("{before}{}{after}", format::seconds(part)) } else { String::new() }
    };
    let of = names::of_update(report, "", " of one update");
    let compute = format!("Compute takes {} of {}{of}", format::seconds(time.compute), format::seconds(time.step));
    let exposed = clause(", exposed communication ", time.exposed_comm, "");
    let bubble = clause(", the pipeline’s bubble ", time.bubble, "");
    let data = clause(", waiting for data after the end of the figure ", time.loading, "");
    let hidden = clause("; ", time.overlapped_comm(), " of communication are hidden");
    let stage = if is_pipeline { " The figure shows the stage that ends last." } else { "" };
    format!("{compute}{exposed}{bubble}{data}{hidden}.{stage}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readout::readout;
    use crate::timeline::Level;
    use catalog::{MODELS, default_scenario};
    use engine::model::choices::Choices;
    use engine::model::experts::ExpertParallel;
    use engine::model::transformer::{Architecture, Experts};
    use engine::scenario::{Model, Strategy};

    fn mixture() -> Scenario {
        let scenario = default_scenario();
        let shape = Experts { num_experts: 16, num_experts_per_tok: 2, moe_intermediate_size: 2048, ..Experts::NONE };
        let architecture = Architecture { experts: shape, ..scenario.model.architecture() };
        let experts = ExpertParallel { chunks: 4, ..ExpertParallel::USUAL };
        Scenario {
            model: Model::Custom { architecture },
            ep: 8,
            grad_accum_steps: 3,
            choices: Choices { experts, ..scenario.choices },
            ..scenario
        }
    }

    fn several() -> Vec<Scenario> {
        let usual = default_scenario();
        vec![
            usual,
            Scenario { strategy: Strategy::HybridShard, shard_size: 4, grad_accum_steps: 8, ..usual },
            Scenario { pp: 4, tp: 2, grad_accum_steps: 16, strategy: Strategy::Ddp, ..usual },
            mixture(),
            Scenario { grad_accum_steps: 4096, ..mixture() },
        ]
    }

    fn lanes(scenario: &Scenario, zoom: Zoom) -> Rc<Lanes> {
        timeline(scenario, zoom, true).lanes.unwrap()
    }

    fn total(marks: &[Mark], lane: Lane) -> f64 {
        marks.iter().filter(|mark| mark.lane == lane).flat_map(Mark::parts).map(|(_, time)| time.get()).sum()
    }

    #[test]
    fn the_whole_step_holds_all_of_its_time_in_few_marks() {
        for scenario in several() {
            let spec = lanes(&scenario, Zoom::WHOLE);
            let time = scenario.report().update.time;
            assert!((spec.step / time.step - 1.0).abs() < 1e-9);
            let comm: f64 = spec.shown.iter().skip(1).map(|&lane| total(&spec.marks, lane)).sum();
            let compute = total(&spec.marks, Lane::Compute);
            assert!((compute / (time.compute + time.bubble).get() - 1.0).abs() < 1e-9, "{compute} {time:?}");
            assert!((comm - time.comm.get()).abs() < 1e-9 * time.step.get(), "{comm} {time:?}");
            assert!(spec.marks.len() < 400 * spec.shown.len(), "{} marks", spec.marks.len());
            let sums: f64 = spec.sums.iter().map(|(_, time)| time.get()).sum();
            assert!((sums - compute - comm).abs() < 1e-9 * sums);
        }
    }

    #[test]
    fn a_layer_with_experts_shows_its_chunks() {
        let spec = timeline(&mixture(), Zoom::on(Level::Layer, 0.1), true);
        let lanes = spec.lanes.clone().unwrap();
        let middle = lanes.time(0.5 * (spec.x.min + spec.x.max));
        let own = lanes.on(Lane::Compute).find(|mark| mark.end > middle).unwrap().layers;
        for work in [Work::Dispatch, Work::Experts, Work::Combine] {
            let is_own = |mark: &&Mark| mark.layers == own && mark.parts().iter().any(|part| part.0 == work);
            assert_eq!(lanes.marks.iter().filter(is_own).count(), 4, "{work:?}");
        }
        let dispatch = lanes.on(Lane::AllToAll).find(|mark| mark.layers == own).unwrap();
        let said = readout(&spec, lanes.x(dispatch.start), 0.5);
        let (all, last) = (said.entries.len(), &said.entries[lanes.shown.len() - 1].value);
        assert_eq!(all, lanes.shown.len() + 1);
        assert!(last.starts_with("Dispatch, layer ") && last.ends_with(" of 3"), "{last}");
    }

    #[test]
    fn arrow_keys_go_from_mark_to_mark_and_from_lane_to_lane() {
        let lanes = lanes(&mixture(), Zoom::on(Level::Layer, 0.1));
        let mut place = (lanes.x(lanes.on(Lane::Compute).next().unwrap().start), lanes.shown.len() as f64 - 0.5);
        for mark in lanes.on(Lane::Compute).skip(1) {
            place = lanes.step(place, 1, 0).unwrap();
            assert_eq!(lanes.at(lanes.lane(place.1).unwrap(), lanes.time(place.0)), Some(mark));
        }
        assert_eq!(lanes.step(place, 1, 0), None);
        let below = lanes.step(place, 0, -1).unwrap();
        assert_eq!(lanes.lane(below.1), lanes.shown.get(1).copied());
        assert_eq!(lanes.step(place, 0, 1).unwrap().1, place.1);
    }

    #[test]
    fn every_model_of_the_catalog_has_a_sentence_and_no_nan() {
        for model in MODELS {
            let mut scenario = default_scenario();
            catalog::pick::pick_model(&mut scenario, model.id);
            for level in Level::ALL {
                let spec = timeline(&scenario, Zoom::on(level, 0.6), true);
                for text in [&spec.caption, &readout(&spec, spec.x.min, 0.5).sentence] {
                    assert!(text.ends_with('.') && !text.contains("NaN") && !text.contains('–'), "{text}");
                }
            }
        }
    }

    #[test]
    fn what_nobody_looks_at_has_no_marks() {
        let lanes = timeline(&default_scenario(), Zoom::WHOLE, false).lanes.unwrap();
        assert!(lanes.marks.is_empty() && !lanes.sums.is_empty());
    }
}
