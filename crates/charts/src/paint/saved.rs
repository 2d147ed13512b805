//! A saved figure: the picture with its legend under it.

use super::bar::draw_bar as bar_alone;
use super::chart::draw_chart as chart_alone;
use super::geometry::Rect;
use super::pen::{Align, Pen, Stroke, text_width};
use super::{PaintError, Style, lanes};
use crate::layout::{bar_area, plot_area};
use crate::palette::{self, Rgb, tokens};
use crate::spec::{BarSpec, ChartSpec, LineRole};
use crate::{describe, names};
use engine::format;
use engine::model::report::Work;
use engine::units::Bytes;

/// Width and height of a colour sample.
const SAMPLE: (f64, f64) = (22.0, 12.0);
/// Distance between a sample and its name.
const BESIDE: f64 = 6.0;
/// Distance between one entry and the next.
const APART: f64 = 16.0;
/// The height of a row.
const ROW: f64 = 20.0;
/// Room at the sides.
const SIDE: f64 = 8.0;

/// The line, part or mark that a legend entry shows.
enum Sample {
    Line(LineRole),
    Work(Work),
    Fill(Rgb),
}

/// The legend of a saved figure, with the total height in CSS pixels.
pub(super) struct Saved {
    pub(super) height: f64,
    /// Each entry with its left end and its vertical centre.
    entries: Vec<(Sample, String, (f64, f64))>,
}

impl Saved {
    /// Creates the legend of a chart.
    pub(super) fn from_chart(spec: &ChartSpec, style: &Style) -> Self {
        let lines = describe::legend(spec).into_iter().map(|entry| {
            let note = if entry.note.is_empty() { String::new() } else { format!(" ({})", entry.note) };
            let sample = match entry.role {
                LineRole::Held(held) => Sample::Fill(palette::stack_colour(style.theme, held)),
                role => Sample::Line(role),
            };
            (sample, entry.name + &note)
        });
        let works = spec.lanes.iter().flat_map(|lanes| &lanes.sums);
        let works = works.map(|&(work, _)| (Sample::Work(work), names::work(work).to_string()));
        Self::arrange(lines.chain(works).collect(), style)
    }

    /// Creates the legend of a memory bar.
    pub(super) fn from_bar(spec: &BarSpec, style: &Style) -> Self {
        let shown = spec.parts.iter().filter(|part| part.1 > 0.0);
        let entries = shown.map(|&(part, bytes)| {
            let name = format!("{} {}", spec.name(part), format::bytes(Bytes::new(bytes)));
            (Sample::Fill(palette::part(style.theme, part)), name)
        });
        Self::arrange(entries.collect(), style)
    }

    /// Arranges entries in rows, as many per row as fit.
    fn arrange(samples: Vec<(Sample, String)>, style: &Style) -> Self {
        let (mut x, mut rows) = (SIDE, f64::from(u8::from(!samples.is_empty())));
        let mut entries = Vec::new();
        for (sample, name) in samples {
            let width = SAMPLE.0 + BESIDE + text_width(&name);
            if x > SIDE && x + width > style.css_width - SIDE {
                (x, rows) = (SIDE, rows + 1.0);
            }
            entries.push((sample, name, (x, style.css_height + ROW * (rows - 0.5))));
            x += width + APART;
        }
        Self { height: style.css_height + ROW * rows + SIDE * rows.min(1.0), entries }
    }

    pub(super) fn draw(&self, pen: &mut Pen, style: &Style) -> Result<(), PaintError> {
        let theme = style.theme;
        for (sample, name, (left, middle)) in &self.entries {
            let (left, middle, right) = (*left, *middle, left + SAMPLE.0);
            let rect = Rect { left, top: middle - SAMPLE.1 / 2.0, right, bottom: middle + SAMPLE.1 / 2.0 };
            match *sample {
                Sample::Line(role) => {
                    let stroke = Stroke {
                        dashes: palette::dashes(role),
                        ..Stroke::solid(palette::line(theme, role), palette::width(role))
                    };
                    pen.line(&[(left, middle), (right, middle)], stroke)?;
                }
                Sample::Work(work) => lanes::fill(pen, (work, rect), theme)?,
                Sample::Fill(colour) => pen.fill((left, rect.top), (right, rect.bottom), colour, 1.0)?,
            }
            pen.text(name, (right + BESIDE, middle), Align::Left, tokens(theme).text, false)?;
        }
        Ok(())
    }
}

/// Draws a chart and its legend.
pub(super) fn draw_chart(pen: &mut Pen, spec: &ChartSpec, saved: &Saved, style: &Style) -> Result<(), PaintError> {
    chart_alone(pen, spec, &plot_area(spec, style.css_width, style.css_height), style.theme, None)?;
    saved.draw(pen, style)
}

/// Draws a memory bar and its legend.
pub(super) fn draw_bar(pen: &mut Pen, spec: &BarSpec, saved: &Saved, style: &Style) -> Result<(), PaintError> {
    bar_alone(pen, spec, &bar_area(spec, style.css_width, style.css_height), style.theme, None)?;
    saved.draw(pen, style)
}
