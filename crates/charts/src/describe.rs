//! Describes figures in text: the text alternative of a canvas, and the legend.

use super::names::in_sentence;
use super::spec::{Axis, BarSpec, ChartSpec, LineRole, PinMark, Polyline};
use engine::format;
use engine::scenario::pins::pin_letter;
use engine::units::Bytes;

/// Summarises a chart in one sentence: its axes and its finding.
pub fn chart(spec: &ChartSpec) -> String {
    if let Some(falls) = &spec.falls {
        let parts: Vec<String> = falls
            .bars
            .iter()
            .map(|fall| format!("{} {}", super::names::step_part(fall.part), format::percent(fall.share / 100.0)))
            .collect();
        return format!("{}: {} From the peak down: {}.", spec.title, spec.caption, parts.join(", "));
    }
    if spec.lanes.is_some() || spec.course.is_some() {
        return format!("{}: {}", spec.title, spec.caption);
    }
    let marks = if spec.marks.is_empty() || spec.marks.len() > NAMED { String::new() } else { marks(spec) };
    let text = format!("{}, for {} and {}: {}{marks}", spec.title, extent(&spec.x), extent(&spec.y), spec.caption);
    spec.pins.iter().fold(text, |text, pin| format!("{text} {}", pinned(spec, pin)))
}

/// Describes the position of a pinned scenario.
fn pinned(spec: &ChartSpec, pin: &PinMark) -> String {
    let at = |axis: &Axis, value| format!("{} {}", in_sentence(&axis.label), format::value(axis.unit, value));
    let (x, y) = (at(&spec.x, pin.at.0), at(&spec.y, pin.at.1));
    let other = if pin.own { "" } else { "; its other settings differ from the figure's" };
    format!("Pinned scenario {} is at {x} and {y}{other}.", pin_letter(pin.place))
}

/// Largest number of marks that are listed one by one.
const NAMED: usize = 12;

/// Lists every mark with its height.
fn marks(spec: &ChartSpec) -> String {
    let said: Vec<String> =
        spec.marks.iter().map(|mark| format!("{} {}", mark.name, format::value(spec.y.unit, mark.at.1))).collect();
    format!(" {}: {}.", spec.y.label, said.join(", "))
}

/// Summarises a bar in one sentence.
pub fn bar(spec: &BarSpec) -> String {
    let parts: Vec<String> = spec
        .parts
        .iter()
        .filter(|(_, bytes)| *bytes > 0.0)
        .map(|(part, bytes)| format!("{} {}", in_sentence(spec.name(*part)), format::bytes(Bytes::new(*bytes))))
        .collect();
    let text = format!("{}: {} Its parts: {}.", spec.title, spec.caption, parts.join(", "));
    spec.pins.iter().fold(text, |text, pin| {
        let [needed, capacity] = [pin.needed(), pin.capacity].map(Bytes::new);
        format!("{text} Pinned, {}: needs {}.", pin.name, format::bytes_of(needed, capacity))
    })
}

/// Describes an axis with its ends.
fn extent(axis: &Axis) -> String {
    let (low, high) = (format::value(axis.unit, axis.min), format::value(axis.unit, axis.max));
    format!("{} from {low} to {high}", in_sentence(&axis.label))
}

/// One row of a legend.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendEntry {
    /// The line's name.
    pub name: String,
    /// The role of the line, which sets its colour, dashes and width.
    pub role: LineRole,
    /// A note next to the name; may be empty.
    pub note: String,
}

/// Returns the legend of a chart: every line, with a note if another line covers it or nothing on
/// it fits.
pub fn legend(spec: &ChartSpec) -> Vec<LegendEntry> {
    let note = |line: &Polyline| match &line.same_as {
        _ if line.segments.is_empty() => "fits nowhere here".to_string(),
        Some(name) => format!("same as {name}"),
        None => String::new(),
    };
    spec.lines.iter().map(|line| LegendEntry { name: line.name.clone(), role: line.role, note: note(line) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Zoom;
    use crate::views::{self, Metric, Scratch, feasible_region, memory_bar, mfu_curve};
    use catalog::default_scenario;
    use engine::params::ParamId;

    #[test]
    fn every_figure_has_a_summary_with_numbers_and_no_nan() {
        let scenario = default_scenario();
        let mut scratch = Scratch::default();
        let texts = [
            chart(&feasible_region(&scenario, ParamId::SequenceLength, ParamId::ModelSize, true, &mut scratch)),
            chart(&mfu_curve(&scenario, ParamId::LinkBandwidth, Metric::Mfu, true, &mut scratch)),
            bar(&memory_bar(&scenario.report())),
            chart(&views::timeline(&scenario, Zoom::WHOLE, false)),
        ];
        for text in texts {
            assert!(text.ends_with('.') && text.contains(|c: char| c.is_ascii_digit()), "{text}");
            assert!(!text.contains("NaN") && !text.contains("undefined"), "{text}");
        }
    }

    #[test]
    fn the_legend_names_every_line_once() {
        let spec = mfu_curve(&default_scenario(), ParamId::SequenceLength, Metric::Mfu, false, &mut Scratch::default());
        let names: Vec<String> = legend(&spec).into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["FSDP FULL_SHARD", "best layout"]);
    }
}
