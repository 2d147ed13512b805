//! Draws a scenario on one page, for slides and reports: headline, scenario, headline figures, map,
//! curves, memory, and the link at the foot. Always dark on light, as on paper.

mod layout;

use super::labels::LINE;
use super::pen::{Align, Pen, TEXT, text_width};
use super::{PaintError, Style, saved};
use crate::palette::{Rgb, Theme, limiter, pin, tokens};
use crate::spec::{BarSpec, ChartSpec};
use engine::model::report::Limiter;
use engine::scenario::pins::pin_letter;
pub(super) use layout::Layout;
use layout::{HALF, MARGIN, TILE, TILES, WIDTH, fitting};

/// The style of a poster; the layout sets the height.
pub(super) const STYLE: Style =
    Style { theme: Theme::Light, css_width: WIDTH, css_height: 720.0, device_pixel_ratio: 1.0 };

/// Font sizes: verdict, titles of figures, headline figures, rest of the headline, small print.
const VERDICT: f64 = 26.0;
const TITLE: f64 = 15.0;
const VALUE: f64 = 17.0;
const LEAD: f64 = 16.0;
const SMALL: f64 = 11.0;

/// The number of headline figures.
pub const FIGURES: usize = 6;

/// A headline figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The name.
    pub name: String,
    /// The value with its unit.
    pub value: String,
    /// The range that contains most measurements; empty if there is none.
    pub band: String,
    /// Whether the value only holds if memory were no limit.
    pub hypothetical: bool,
}

/// The content of a poster.
#[derive(Clone, Debug)]
pub struct Poster<'a> {
    /// Three lines: model and hardware; whether the run fits; its speed and limiter.
    pub headline: [String; 3],
    /// The scenario in one sentence.
    pub scenario: String,
    /// Whether the run fits.
    pub fits: bool,
    /// The headline figures.
    pub tiles: [Tile; FIGURES],
    /// The headline figures of each pinned scenario, after its letter and name.
    pub pins: Vec<(String, [String; FIGURES])>,
    /// The map of the feasible region.
    pub map: &'a ChartSpec,
    /// The curves.
    pub curve: &'a ChartSpec,
    /// Memory by part.
    pub memory: &'a BarSpec,
    /// The link that opens the scenario.
    pub link: &'a str,
    /// The versions of the engine and the catalog.
    pub made: String,
}

impl Poster<'_> {
    /// Joins headline and scenario to one text.
    pub fn sentence(&self) -> String {
        let [subject, verdict, rest] = &self.headline;
        [subject, " ", verdict, ": ", rest, " ", &self.scenario].concat()
    }
}

/// Draws a line of text in a size and a colour.
fn write(pen: &mut Pen, text: &str, at: (f64, f64), (size, colour, bold): (f64, Rgb, bool)) -> Result<(), PaintError> {
    pen.size = size;
    let drawn = pen.text(text, at, Align::Left, colour, bold);
    pen.size = TEXT;
    drawn
}

/// Draws everything except the image of the map's field, which is under it.
pub(super) fn draw(pen: &mut Pen, poster: &Poster, layout: &Layout) -> Result<(), PaintError> {
    head(pen, poster, layout)?;
    for ((spec, legend), captions) in [poster.map, poster.curve].into_iter().zip(&layout.legends).zip(&layout.captions)
    {
        let left = captions.left;
        write(pen, &spec.title, (left, captions.top), (TITLE, tokens(Theme::Light).text, true))?;
        lines(pen, &captions.lines, (left, captions.top + 20.0))?;
        pen.origin = (left, layout.figures);
        let drawn = saved::draw_chart(pen, spec, legend, &layout.style);
        pen.origin = (0.0, 0.0);
        drawn?;
    }
    write(pen, &poster.memory.title, (MARGIN, layout.memory.top), (TITLE, tokens(Theme::Light).text, true))?;
    lines(pen, &layout.memory.lines, (layout.memory.left, layout.memory.top))?;
    pen.origin = (MARGIN, layout.bar);
    let drawn = saved::draw_bar(pen, poster.memory, &layout.parts, &layout.bar_style);
    pen.origin = (0.0, 0.0);
    drawn?;
    foot(pen, poster, layout)
}

/// Draws captions.
fn lines(pen: &mut Pen, lines: &[String], (left, top): (f64, f64)) -> Result<(), PaintError> {
    let mut y = top;
    for line in lines {
        pen.text(line, (left, y), Align::Left, tokens(Theme::Light).muted, false)?;
        y += LINE;
    }
    Ok(())
}

/// Draws the headline at the left, the headline figures at the right, and pinned scenarios in rows
/// beneath.
fn head(pen: &mut Pen, poster: &Poster, layout: &Layout) -> Result<(), PaintError> {
    let colours = tokens(Theme::Light);
    let verdict = if poster.fits { colours.accent } else { limiter(Theme::Light, Limiter::Memory) };
    for (text, y, look) in [
        (&layout.subject, layout.subject_top, (LEAD, colours.text, false)),
        (&layout.rest, layout.rest_top, (LEAD, colours.text, false)),
    ] {
        for (place, line) in text.iter().enumerate() {
            write(pen, line, (MARGIN, y + place as f64 * layout::LEAD_LINE), look)?;
        }
    }
    lines(pen, &layout.scenario, (MARGIN, layout.scenario_top))?;
    write(pen, &poster.headline[1], (MARGIN, layout.verdict_top), (VERDICT, verdict, true))?;
    for (place, tile) in poster.tiles.iter().enumerate() {
        let left = TILES + place as f64 * TILE;
        write(pen, &tile.name, (left, layout.verdict_top - 25.0), (fitting(&tile.name, TEXT), colours.muted, false))?;
        let colour = if tile.hypothetical { colours.muted } else { colours.text };
        let size = fitting(&tile.value, VALUE);
        write(pen, &tile.value, (left, layout.verdict_top), (size, colour, !tile.hypothetical))?;
        write(pen, &tile.band, (left, layout.verdict_top + 24.0), (fitting(&tile.band, SMALL), colours.muted, false))?;
        if place > 0 {
            pen.hairline(
                (left - 10.0, layout.verdict_top - 32.0),
                (left - 10.0, layout.verdict_top + 32.0),
                colours.grid,
                1.0,
            )?;
        }
    }
    for (place, (name, values)) in poster.pins.iter().enumerate() {
        let y = layout.pins + place as f64 * layout::PIN;
        let name = name.strip_prefix(pin_letter(place)).unwrap_or(name);
        pen.text(pin_letter(place), (MARGIN, y), Align::Left, pin(Theme::Light, place), true)?;
        pen.text(name.trim_start_matches(": "), (MARGIN + 16.0, y), Align::Left, colours.text, false)?;
        for (column, value) in values.iter().enumerate() {
            pen.text(value, (TILES + column as f64 * TILE, y), Align::Left, colours.text, false)?;
        }
    }
    let line = layout.head;
    pen.hairline((MARGIN, line), (WIDTH - MARGIN, line), colours.axis, 1.0)
}

/// Draws the link, cut to the available width, and the versions.
fn foot(pen: &mut Pen, poster: &Poster, layout: &Layout) -> Result<(), PaintError> {
    let colours = tokens(Theme::Light);
    let (right, y) = (WIDTH - MARGIN, layout.height - 18.0);
    pen.hairline((MARGIN, y - 16.0), (right, y - 16.0), colours.grid, 1.0)?;
    pen.text(&poster.made, (right, y), Align::Right, colours.muted, false)?;
    let room = 2.0 * HALF - text_width(&poster.made);
    let link = layout::cut(poster.link, room);
    pen.text(&link, (MARGIN, y), Align::Left, colours.accent, false)
}
