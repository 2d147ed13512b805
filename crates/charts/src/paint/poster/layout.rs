//! Positions of the parts of a poster. Text is estimated rather than measured, as in every figure.

use super::{Poster, STYLE};
use crate::layout::{PlotArea, plot_area};
use crate::paint::Style;
use crate::paint::labels::LINE;
use crate::paint::pen::{TEXT, text_width};
use crate::paint::saved::Saved;
use crate::spec::ChartSpec;

/// Width of a poster. A slide is sixteen to nine: 1280 by 720 unless a part needs more height.
pub(super) const WIDTH: f64 = 1280.0;
const HEIGHT: f64 = 720.0;
/// Margin around everything.
pub(super) const MARGIN: f64 = 32.0;
/// The width of one of two figures side by side.
pub(super) const HALF: f64 = 592.0;
/// Left edge of the right figure.
pub(super) const RIGHT: f64 = WIDTH - MARGIN - HALF;
/// Left edge of the headline figures, which need more than half of the width.
pub(super) const TILES: f64 = 584.0;
/// Distance from one headline figure to the next.
pub(super) const TILE: f64 = (WIDTH - MARGIN - TILES) / super::FIGURES as f64;
/// Distance from one line of the headline to the next.
pub(super) const LEAD_LINE: f64 = 22.0;
/// Distance from one pinned scenario to the next.
pub(super) const PIN: f64 = 20.0;
/// Smallest and largest height of a plot.
const PLOT: (f64, f64) = (264.0, 344.0);
/// Height of the memory bar with its scale.
const BAR: f64 = 86.0;
/// Height of the foot.
const FOOT: f64 = 34.0;
/// Distance between blocks.
const GAP: f64 = 18.0;
/// Factor on the estimated width of bold text, which is wider, to leave room for the text next to
/// it.
const BESIDE: f64 = 1.2;

/// The centre of a title, and its caption below the title, or next to the title from `left` on.
pub(super) struct Captions {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) lines: Vec<String>,
}

/// All positions, in CSS pixels.
pub(in crate::paint) struct Layout {
    /// Height of the poster.
    pub(in crate::paint) height: f64,
    pub(super) subject: Vec<String>,
    pub(super) subject_top: f64,
    pub(super) verdict_top: f64,
    pub(super) rest: Vec<String>,
    pub(super) rest_top: f64,
    pub(super) scenario: Vec<String>,
    pub(super) scenario_top: f64,
    pub(super) pins: f64,
    /// Position of the line under the head.
    pub(super) head: f64,
    pub(super) captions: [Captions; 2],
    /// Top of the plots.
    pub(super) figures: f64,
    pub(super) style: Style,
    pub(super) legends: [Saved; 2],
    pub(super) memory: Captions,
    /// Top of the bar.
    pub(super) bar: f64,
    pub(super) bar_style: Style,
    pub(super) parts: Saved,
}

impl Layout {
    pub(in crate::paint) fn new(poster: &Poster) -> Self {
        let [subject, _, rest] = &poster.headline;
        let lead = |text: &str| wrapped(text.trim(), (TILES - 2.0 * MARGIN) * TEXT / super::LEAD);
        let (subject, rest) = (lead(subject), lead(rest));
        let subject_top = 34.0;
        let verdict_top = subject_top + LEAD_LINE * (subject.len() as f64 - 1.0) + 27.0;
        let rest_top = verdict_top + 27.0;
        // Across the whole poster, under the tiles.
        let scenario = wrapped(&poster.scenario, WIDTH - 2.0 * MARGIN);
        let under_rest = rest_top + LEAD_LINE * (rest.len() as f64 - 1.0);
        let scenario_top = under_rest + 22.0;
        let pins = scenario_top + LINE * (scenario.len() as f64 - 1.0) + 24.0;
        let head = pins - 4.0 + PIN * poster.pins.len() as f64;
        let [first, second] = [(poster.map, MARGIN), (poster.curve, RIGHT)].map(|(spec, left)| Captions {
            left,
            top: head + GAP,
            lines: wrapped(&spec.caption, HALF),
        });
        let said = first.lines.len().max(second.lines.len()) as f64;
        let figures = head + GAP + 12.0 + LINE * said;
        // The caption of the bar is next to its title.
        let beside = MARGIN + BESIDE * text_width(&poster.memory.title) * super::TITLE / TEXT;
        let memory = wrapped(&poster.memory.caption, WIDTH - MARGIN - beside);
        // The plots get the height that the other parts and their legends leave.
        let bar_style = Style { css_width: WIDTH - 2.0 * MARGIN, css_height: BAR, ..STYLE };
        let parts = Saved::from_bar(poster.memory, &bar_style);
        let legend = |height: f64| {
            let style = Style { css_width: HALF, css_height: height, ..STYLE };
            (style, [poster.map, poster.curve].map(|spec| Saved::from_chart(spec, &style)))
        };
        let under =
            |height: f64, legends: &[Saved; 2]| legends.iter().map(|legend| legend.height - height).fold(0.0, f64::max);
        let said = LINE * (memory.len() as f64 - 1.0) + 8.0;
        let below = GAP + said + parts.height + FOOT;
        let left = HEIGHT - figures - below - under(0.0, &legend(0.0).1);
        let plot = left.floor().max(PLOT.0).min(PLOT.1);
        let (style, legends) = legend(plot);
        let title = figures + plot + under(plot, &legends) + GAP;
        let bar = title + said;
        Self {
            height: (bar + parts.height + FOOT).max(HEIGHT),
            subject,
            subject_top,
            verdict_top,
            rest,
            rest_top,
            scenario,
            scenario_top,
            pins,
            head,
            captions: [first, second],
            figures,
            style,
            legends,
            memory: Captions { left: beside, top: title, lines: memory },
            bar,
            bar_style,
            parts,
        }
    }

    /// Returns the map's plot area on the poster.
    pub(in crate::paint) fn area_of_map(&self, map: &ChartSpec) -> PlotArea {
        let mut area = plot_area(map, self.style.css_width, self.style.css_height);
        area.left += MARGIN;
        area.top += self.figures;
        area
    }
}

/// Wraps a text into lines of at most this width.
fn wrapped(text: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if text_width(line) + text_width(" ") + text_width(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Returns the size at which a text is no wider than its headline figure's place, at most `size`.
pub(super) fn fitting(text: &str, size: f64) -> f64 {
    const BETWEEN: f64 = 10.0;
    let width = BESIDE * text_width(text) * size / TEXT;
    size * ((TILE - BETWEEN) / width).min(1.0)
}

/// Cuts a text to the available width, with an ellipsis if it is cut.
pub(super) fn cut(text: &str, room: f64) -> String {
    let letters = (room / text_width("x")) as usize;
    if text.chars().count() <= letters {
        return text.to_owned();
    }
    text.chars().take(letters.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_no_wider_than_they_may_be() {
        let text =
            "13B on 64 A100 40 GB fits: needs 32.3 of 39.5 GiB, 91 % of such runs fit. 52.9 % MFU, limited by compute.";
        let lines = wrapped(text, 200.0);
        assert!(lines.len() > 2 && lines.iter().all(|line| text_width(line) <= 200.0), "{lines:?}");
        assert_eq!(lines.join(" "), text);
        assert_eq!(wrapped("word", 1.0), ["word"]);
    }

    #[test]
    fn a_long_figure_is_written_smaller_and_a_short_one_is_not() {
        assert_eq!(fitting("50.0 %", 20.0), 20.0);
        let long = "Time and cost, 10,000 texts x 3 epochs";
        let size = fitting(long, 13.0);
        assert!(size < 13.0 && text_width(long) * size / TEXT < TILE, "{size}");
    }

    #[test]
    fn a_long_link_is_cut() {
        assert_eq!(cut("abc", 1000.0), "abc");
        assert_eq!(cut("abcdef", 3.5 * text_width("x")), "ab…");
    }
}
