use super::*;
use crate::paint::{bar_svg, chart_svg};
use crate::palette::Theme;
use crate::spec::BarSpec;
use crate::timeline::Zoom;
use crate::views::{
    LayerView, Metric, Scratch, expert_layer, feasible_region, memory_bar, memory_step, mfu_curve, timeline,
};
use catalog::{default_scenario, model};
use engine::model::hardware::Generation;
use engine::model::report::MemoryPart;
use engine::params::ParamId;
use engine::scenario::Scenario;
use trace::RunStep;

fn style(theme: Theme, width: f64) -> Style {
    Style { theme, css_width: width, css_height: 336.0, device_pixel_ratio: 1.0 }
}

/// Panics if tags are not balanced, an attribute lacks quotes, or an entity is unknown.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in svg.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').expect(piece);
        assert!(!text.contains('>'), "{piece}");
        for entity in text.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;"].iter().any(|known| entity.starts_with(known)), "{text}");
        }
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{piece}");
            continue;
        }
        let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let quotes: Vec<&str> = rest.split('"').collect();
        assert!(quotes.len() % 2 == 1 && quotes.last() == Some(&"") || rest.is_empty(), "{piece}");
        assert!(quotes.iter().step_by(2).all(|name| name.is_empty() || name.ends_with('=')), "{piece}");
        if !closed {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn a_small_bar_is_this_text() {
    let parts = vec![(MemoryPart::Weights, 30.0 * 1024.0_f64.powi(3)), (MemoryPart::Gradients, 1024.0_f64.powi(3))];
    let spec = BarSpec {
        title: "Memory & more".into(),
        caption: "It < fits.".into(),
        parts,
        generation: Generation::Ampere,
        capacity: 40.0 * 1024.0_f64.powi(3),
        nominal: 40.0 * 1024.0_f64.powi(3),
        range: [30.0, 34.0].map(|gib: f64| gib * 1024.0_f64.powi(3)),
        pins: Vec::new(),
    };
    let style = Style { css_height: 112.0, ..style(Theme::Light, 200.0) };
    let svg = bar_svg(&spec, &style, Some("https://example.org/?x=1..2#v=1")).unwrap();
    let expected = include_str!("bar.svg");
    assert!(svg == expected, "{svg}");
}

#[test]
fn every_view_is_well_formed_and_every_number_is_one() {
    let scenario = default_scenario();
    let mixture = Scenario { model: model("mixtral-8x7b").unwrap().pick(), ..scenario };
    let mut scratch = Scratch::default();
    let steps = [RunStep::First, RunStep::Steady].map(|step| memory_step(&scenario, step));
    let mut specs = Vec::from(steps);
    specs.extend([expert_layer(&mixture, LayerView::default()), timeline(&mixture, Zoom::WHOLE, true)]);
    for key in [
        ParamId::SequenceLength,
        ParamId::ModelSize,
        ParamId::GpuMemory,
        ParamId::LinkBandwidth,
        ParamId::Gpus,
        ParamId::MicroBatchSize,
    ] {
        specs.push(mfu_curve(&scenario, key, Metric::TokensPerSecond, true, &mut scratch));
        let other = if key == ParamId::SequenceLength { ParamId::ModelSize } else { ParamId::SequenceLength };
        specs.push(feasible_region(&scenario, key, other, true, &mut scratch));
    }
    for (spec, theme) in specs.iter().zip([Theme::Light, Theme::Dark].into_iter().cycle()) {
        for (width, link) in [(560.0, Some("https://example.org/#<&>")), (343.0, None)] {
            let svg = chart_svg(spec, &style(theme, width), link).unwrap();
            assert_well_formed(&svg);
            assert!(!svg.contains("NaN") && !svg.contains("inf\"") && !svg.contains("2147483647"), "{}", spec.title);
            assert_eq!(svg.contains("<image"), spec.field.is_some());
            assert_eq!(svg.contains("https://example.org/#&lt;&amp;&gt;"), link.is_some());
            assert!(svg.len() < 90_000, "{}: {} bytes", spec.title, svg.len());
        }
    }
    let svg = bar_svg(&memory_bar(&scenario.report()), &style(Theme::Light, 600.0), None).unwrap();
    assert_well_formed(&svg);
}

#[test]
fn a_saved_chart_names_every_line() {
    let spec = mfu_curve(&default_scenario(), ParamId::SequenceLength, Metric::Mfu, true, &mut Scratch::default());
    let svg = chart_svg(&spec, &style(Theme::Light, 560.0), Some("")).unwrap();
    for line in &spec.lines {
        assert!(svg.contains(&format!(">{}", line.name.replace('&', "&amp;"))), "{}", line.name);
    }
}
