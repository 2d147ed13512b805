//! Every figure of any scenario, as SVG, as CSV, as a table and in sentences.

use crate::{link_of, no_nan};
use charts::paint::{Style, bar_svg, chart_svg};
use charts::spec::ChartSpec;
use charts::timeline::{Level, Zoom};
use charts::views::{
    ALONG, LayerView, Metric, Scratch, axes_of, best_region, expert_layer, feasible_region, memory_bar, memory_step,
    mfu_curve, roofline, scaling_curves, timeline, waterfall,
};
use charts::{chrome_trace, describe, palette, readout, table};
use engine::scenario::Scenario;
use links::{carried, decode};
use trace::RunStep;

/// Draws a figure of a scenario, and checks its picture, table and sentences.
///
/// # Panics
/// When a check fails.
pub fn check(data: &[u8]) {
    let Some(([kind, first, second], rest)) = data.split_first_chunk::<3>() else { return };
    let link = link_of(rest);
    let scenario = decode(&link).scenario;
    if kind % 10 == 9 {
        bar(&scenario, &link, *first);
    } else {
        chart(&figure(&scenario, *kind, *first, *second), &link, *first, *second);
    }
}

fn figure(scenario: &Scenario, kind: u8, first: u8, second: u8) -> ChartSpec {
    let mut scratch = Scratch::with_grid(5, 4);
    let axes: Vec<_> = axes_of(scenario, kind >= 128).into_iter().map(|(_, param)| param.id).collect();
    let axis = |place: u8| axes[usize::from(place) % axes.len()];
    let share = f64::from(second) / 255.0;
    match kind % 10 {
        0 => feasible_region(scenario, axis(first), axis(second), second.is_multiple_of(2), &mut scratch),
        1 => {
            let metric = Metric::ALL[usize::from(second) % Metric::ALL.len()];
            mfu_curve(scenario, axis(first), metric, second.is_multiple_of(2), &mut scratch)
        }
        2 => {
            let zoom = Zoom { level: Level::ALL[usize::from(first) % Level::ALL.len()], at: share, part: None };
            timeline(scenario, zoom, second.is_multiple_of(2))
        }
        3 => memory_step(scenario, if first.is_multiple_of(2) { RunStep::First } else { RunStep::Steady }),
        4 => roofline(scenario),
        5 => scaling_curves(scenario),
        6 => waterfall(scenario, &scenario.report()),
        7 => expert_layer(scenario, LayerView { along: usize::from(first) % ALONG.len(), ..LayerView::default() }),
        _ => best_region(scenario, [None, None], second.is_multiple_of(2), &mut scratch),
    }
}

fn style(place: u8) -> Style {
    let theme = if place.is_multiple_of(2) { palette::Theme::Light } else { palette::Theme::Dark };
    let width = 200.0 + 4.0 * f64::from(place);
    Style { theme, css_width: width, css_height: 0.6 * width, device_pixel_ratio: 1.0 + f64::from(place % 3) }
}

fn chart(spec: &ChartSpec, link: &str, first: u8, second: u8) {
    svg(&chart_svg(spec, &style(first), Some(link)).expect("a picture"), Some(link));
    svg(&chart_svg(spec, &style(second), None).expect("a picture"), None);
    csv(&table::csv(spec));
    said(&describe::chart(spec));
    no_nan(&spec.title);
    let shown = table::chart(spec);
    assert!(shown.rows.iter().all(|row| row.len() == shown.header.len()), "{shown:?}");
    shown.rows.iter().flatten().chain(&shown.header).for_each(|cell| no_nan(cell));
    for entry in describe::legend(spec) {
        no_nan(&format!("{entry:?}"));
    }
    let at = readout::readout(spec, f64::from(first) / 255.0, f64::from(second) / 255.0);
    no_nan(&format!("{at:?}"));
}

fn bar(scenario: &Scenario, link: &str, first: u8) {
    let spec = memory_bar(&scenario.report());
    svg(&bar_svg(&spec, &style(first), Some(link)).expect("a picture"), Some(link));
    csv(&table::bar_csv(&spec));
    said(&describe::bar(&spec));
    let trace: Result<serde_json::Value, _> = serde_json::from_str(&chrome_trace::chrome_trace(scenario, link));
    assert!(trace.is_ok(), "{trace:?}");
}

/// A whole picture, with its link.
fn svg(text: &str, link: Option<&str>) {
    assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"), "{text}");
    assert_eq!(carried::link_in_svg(text).as_deref(), link);
    // An image holds letters of any kind.
    let drawn = text.split("base64,").enumerate().map(|(place, part)| match part.split_once('"') {
        Some((_, rest)) if place > 0 => rest,
        _ => part,
    });
    drawn.for_each(no_nan);
}

/// As many cells in every line.
fn csv(text: &str) {
    no_nan(text);
    let cells = |line: &str| {
        let (mut cells, mut quoted) = (1, false);
        for sign in line.chars() {
            quoted ^= sign == '"';
            cells += usize::from(sign == ',' && !quoted);
        }
        cells
    };
    let header = cells(text.lines().next().unwrap_or_default());
    for line in text.lines() {
        assert_eq!(cells(line), header, "{line}");
    }
}

fn said(text: &str) {
    assert!(text.ends_with('.'), "{text}");
    no_nan(text);
}
