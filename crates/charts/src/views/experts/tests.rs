use super::*;
use crate::{describe, readout, table};
use catalog::default_scenario;

fn mixture() -> Scenario {
    let model = catalog::model("deepseek-v3").unwrap().pick();
    Scenario { model, gpus: 2048, pp: 16, ep: 64, ..default_scenario() }
}

fn every_view() -> impl Iterator<Item = LayerView> {
    let shown = core::iter::once(None).chain((0..EXPERT_LAYERS.len()).map(Some));
    let families = [Family::Parallelism, Family::Pipelining];
    shown.flat_map(move |published| {
        (0..ALONG.len()).flat_map(move |along| families.map(|family| LayerView { published, along, family }))
    })
}

#[test]
fn adapting_lies_under_every_static_choice_and_holds_the_mark() {
    for view in every_view() {
        let spec = expert_layer(&mixture(), view);
        let adaptive = spec.lines.iter().find(|line| line.role.is_own()).unwrap();
        for line in &spec.lines {
            for &(x, y) in line.segments.iter().flatten() {
                let (best, _) = adaptive.at(x).unwrap();
                assert!(best <= y * (1.0 + 1e-9), "{view:?}, {} at {x}: {best} over {y}", line.name);
                assert!((spec.x.min..=spec.x.max).contains(&x) && (spec.y.min..=spec.y.max).contains(&y));
            }
        }
        let (x, y) = spec.here.unwrap();
        let (drawn, _) = adaptive.at(x).unwrap();
        assert!((drawn / y - 1.0).abs() < 0.1, "{view:?}: {drawn} drawn, {y} marked");
    }
}

#[test]
fn every_view_has_sentences_a_table_and_different_lines() {
    for view in every_view() {
        let spec = expert_layer(&mixture(), view);
        for text in [&spec.caption, &describe::chart(&spec), &readout::readout(&spec, spec.x.max, 0.0).sentence] {
            assert!(text.ends_with('.'), "{text}");
            assert!(!text.contains("NaN") && !text.contains("undefined") && !text.contains("unlimited"), "{text}");
        }
        assert!(table::chart(&spec).rows.iter().all(|row| row.len() == spec.lines.len() + 1));
        let roles: Vec<LineRole> = spec.lines.iter().map(|line| line.role).collect();
        assert!(roles.iter().enumerate().all(|(at, role)| !roles[..at].contains(role)));
    }
}

#[test]
fn a_click_sets_the_scenario_only_on_its_own_layer() {
    let key = |scenario: &Scenario, published, along| {
        expert_layer(scenario, LayerView { published, along, ..LayerView::default() }).x.key
    };
    let one_stage = Scenario { pp: 1, ..mixture() };
    assert_eq!(key(&one_stage, None, 0), Some(AxisKey::Param(ParamId::Gpus)));
    // The GPUs of one of sixteen stages are not the scenario's GPUs.
    assert_eq!(key(&mixture(), None, 0), None);
    assert_eq!(key(&one_stage, Some(0), 0), None);
    assert_eq!(key(&mixture(), None, 1), Some(AxisKey::Param(ParamId::CapacityFactor)));
    assert_eq!(key(&one_stage, None, 2), None);
}

#[test]
fn the_headline_says_both_numbers() {
    let spec = expert_layer(&mixture(), LayerView { published: Some(0), ..LayerView::default() });
    assert!(spec.caption.starts_with("On 2,048 GPUs the best choice ("), "{}", spec.caption);
    assert!(spec.caption.contains("5.75 times on 2,048 GPUs"), "{}", spec.caption);
    assert_eq!(spec.here.map(|here| here.0), Some(2048.0));
}
