//! The numbers behind a figure, folded away, made only while open; beside them, the files that it
//! can be saved as.

use std::rc::Rc;

use yew::prelude::*;

use super::latest::{Latest, use_latest};
use crate::browser::{self, Kind, Size};
use crate::compare::compared;
use crate::plots::Plot;
use crate::scenario_line::scenario_line;
use crate::snapshot::Snapshot;
use charts::chrome_trace::chrome_trace;
use charts::paint::{self, Style};
use charts::palette::Theme;
use charts::spec::{BarSpec, ChartSpec};
use charts::table::{self, Table};
use charts::views::Scratch;
use charts_canvas::{picture_of_bar, picture_of_chart};
use export::csv::with_link;

/// Before the buttons that save a figure.
const SAVE: &str = "Save:";
/// Where the browser makes no picture of a figure.
pub const NO_PICTURE: &str = "The browser could not make this PNG. SVG and CSV hold the same figure.";
/// On the table of a figure.
pub const DATA: &str = "Data table";
/// Over a table that is wider than a phone.
pub const SCROLL: &str = "Scroll the table sideways for the rest →";

/// Pixels of a saved picture for each CSS pixel.
const PIXEL_RATIO: f64 = 2.0;

/// The figure of the timeline.
const TIMELINE: &str = "timeline";

/// What a figure shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Drawing {
    /// A chart.
    Chart(Rc<ChartSpec>),
    /// A memory bar.
    Bar(Rc<BarSpec>),
}

impl Drawing {
    fn table(&self) -> Table {
        match self {
            Self::Chart(spec) => table::chart(spec),
            Self::Bar(spec) => table::bar(spec),
        }
    }

    /// The figure as SVG: with its legend and a link where it is saved, else the picture alone.
    pub fn svg(&self, style: &Style, link: Option<&str>) -> String {
        let drawn = match self {
            Self::Chart(spec) => paint::chart_svg(spec, style, link),
            Self::Bar(spec) => paint::bar_svg(spec, style, link),
        };
        drawn.unwrap_or_default()
    }

    /// The figure's numbers as CSV with a link.
    pub fn csv(&self, link: &str) -> String {
        let csv = match self {
            Self::Chart(spec) => table::csv(spec),
            Self::Bar(spec) => table::bar_csv(spec),
        };
        with_link(csv, link)
    }

    /// The same with a sentence behind its caption.
    fn followed_by(&self, sentence: &str) -> Self {
        match self {
            Self::Chart(spec) => {
                let caption = format!("{} {sentence}", spec.caption);
                Self::Chart(Rc::new(ChartSpec { caption, ..(**spec).clone() }))
            }
            Self::Bar(spec) => {
                let caption = format!("{} {sentence}", spec.caption);
                Self::Bar(Rc::new(BarSpec { caption, ..(**spec).clone() }))
            }
        }
    }

    /// Saves the figure as a file that leads back to the snapshot; `failed` is called where the
    /// browser makes no picture.
    fn save(&self, file: &str, kind: Kind, link: String, style: &Style, failed: &Callback<()>) {
        match kind {
            Kind::Svg => browser::save_text(file, kind, &self.svg(style, Some(&link))),
            Kind::Csv => browser::save_text(file, kind, &self.csv(&link)),
            // A figure is no report, and no step.
            Kind::Json | Kind::Trace => {}
            Kind::Png => {
                let drawn = match self {
                    Self::Chart(spec) => picture_of_chart(spec, style),
                    Self::Bar(spec) => picture_of_bar(spec, style),
                };
                match drawn {
                    Ok(canvas) => browser::save_picture(file, &canvas, link, failed),
                    Err(_) => failed.emit(()),
                }
            }
        }
    }
}

/// The figure on paper: sharp at any size, over a canvas that has no more than the pixels of the
/// screen.
pub fn on_paper(what: &Drawing, size: Size) -> Html {
    let style = Style { theme: Theme::Light, css_width: size.width, css_height: size.height, device_pixel_ratio: 1.0 };
    html! { <img class="on-paper" alt="" src={paint::data_url(&what.svg(&style, None))} /> }
}

/// A plot that is derived when somebody wants it, of what is on screen then.
pub type Later = (Plot, Latest<Rc<Snapshot>>);

fn now((plot, latest): &Later) -> Option<(Rc<ChartSpec>, Rc<Snapshot>)> {
    let snapshot = latest.get()?;
    let pins = compared(&snapshot.scenario, &snapshot.pins);
    Some((Rc::new(plot.derive(&snapshot, &pins, false, &mut Scratch::default())), snapshot))
}

/// What the buttons save: the figure with its theme and size, and what its files lead back to.
#[derive(Clone)]
pub struct Saved {
    what: Drawing,
    later: Option<Later>,
    snapshot: Rc<Snapshot>,
    style: Style,
}

impl Saved {
    fn save(&self, id: &str, kind: Kind, failed: &Callback<()>) {
        let Self { what, later, snapshot, style } = self;
        let (what, snapshot) = match later.as_ref().and_then(now) {
            Some((chart, snapshot)) => (Drawing::Chart(chart), snapshot),
            None => (what.clone(), snapshot.clone()),
        };
        let (file, link) = (snapshot.file_name(id, kind.extension()), browser::full_link(&snapshot.alone()));
        let scenario = &snapshot.scenario;
        if kind == Kind::Trace {
            browser::save_text(&file, kind, &chrome_trace(scenario, &link));
            return;
        }
        let line = scenario_line(scenario, &scenario.report());
        what.followed_by(&line).save(&file, kind, link, style, failed);
    }
}

/// A fold with a table, and the buttons that save. While the fold is closed the row stays as it is,
/// however the figure changes.
#[hook]
pub fn use_data_row(
    id: &'static str,
    what: &Drawing,
    later: Option<Later>,
    snapshot: &Rc<Snapshot>,
    theme: Theme,
    size: Size,
) -> Html {
    let style = Style { theme, css_width: size.width, css_height: size.height, device_pixel_ratio: PIXEL_RATIO };
    let latest = use_latest(Saved { what: what.clone(), later, snapshot: snapshot.clone(), style });
    let open = use_state_eq(|| false);
    let toggle = {
        let open = open.setter();
        use_callback((), move |event: Event, ()| open.set(browser::is_open(&event)))
    };
    html! { <DataRow {id} {latest} {toggle} table={open.then(|| what.clone())} /> }
}

/// What the row shows.
#[derive(PartialEq, Properties)]
struct Props {
    /// The figure's identifier.
    id: &'static str,
    /// What is saved.
    latest: Latest<Saved>,
    /// Opens and closes the fold.
    toggle: Callback<Event>,
    /// The figure whose table is open.
    table: Option<Drawing>,
}

/// The row: the fold, a button for each kind of file, and a sentence where the last one could not
/// be made.
#[component]
fn DataRow(Props { id, latest, toggle, table }: &Props) -> Html {
    let has_failed = use_state_eq(|| false);
    let press = |kind: Kind| {
        let (id, latest, setter) = (*id, latest.clone(), has_failed.setter());
        Callback::from(move |_: MouseEvent| {
            setter.set(false);
            let setter = setter.clone();
            let failed = Callback::from(move |()| setter.set(true));
            if let Some(saved) = latest.get() {
                saved.save(id, kind, &failed);
            }
        })
    };
    // The timeline alone is a step.
    let kinds = Kind::ALL.into_iter().chain((*id == TIMELINE).then_some(Kind::Trace));
    html! {
        <div class="data-row">
            <details class="data" ontoggle={toggle}>
                <summary>{ DATA }</summary>
                { for table.iter().map(|what| shown(what.table())) }
            </details>
            <div class="save">
                { SAVE }
                { for kinds.into_iter().map(|kind| html! {
                    <button type="button" class="small-button" aria-label={save_as(id, kind.name())} onclick={press(kind)}>{ kind.name() }</button>
                }) }
                if *has_failed {
                    <p class="error" role="alert">{ NO_PICTURE }</p>
                }
            </div>
        </div>
    }
}

fn shown(data: Table) -> Html {
    html! {
        <>
        <p>{ &data.caption }</p>
        <p class="scroll-hint" aria-hidden="true">{ SCROLL }</p>
        <div class="scroll" tabindex="0" role="region" aria-label={data.caption.clone()}>
            <table aria-label={data.caption}>
                <thead><tr>{ for data.header.into_iter().map(|name| html! { <th scope="col">{ name }</th> }) }</tr></thead>
                <tbody>
                    { for data.rows.into_iter().map(|row| html! {
                        <tr>{ for row.into_iter().map(|cell| html! { <td>{ cell }</td> }) }</tr>
                    }) }
                </tbody>
            </table>
        </div>
        </>
    }
}

/// The accessible name of a button that saves a figure.
fn save_as(figure: &str, kind: &str) -> String {
    format!("Save {figure} as {kind}")
}
