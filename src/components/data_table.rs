//! The numbers behind a figure, in a fold whose content is made only while it is open, and the
//! files that the figure can be saved as.

use std::rc::Rc;

use yew::prelude::*;

use super::latest::{Latest, use_latest};
use crate::browser::{self, FileKind, Size};
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

/// Label before the buttons that save a figure.
const SAVE: &str = "Save:";
/// Error if the browser makes no picture of a figure.
pub const NO_PICTURE: &str = "The browser could not make this PNG. SVG and CSV hold the same figure.";
/// Label of the fold with a figure's table.
pub const DATA: &str = "Data table";
/// Hint over a table that is wider than a phone.
const SCROLL: &str = "Scroll the table sideways for the rest →";

/// Pixels of a saved picture per CSS pixel.
const PIXEL_RATIO: f64 = 2.0;

/// Identifier of the timeline's figure.
const TIMELINE: &str = "timeline";

/// Content of a figure.
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

    /// Returns the figure as SVG: with its legend and a link if `link` is given, else the picture
    /// alone.
    pub fn svg(&self, style: &Style, link: Option<&str>) -> String {
        let drawn = match self {
            Self::Chart(spec) => paint::chart_svg(spec, style, link),
            Self::Bar(spec) => paint::bar_svg(spec, style, link),
        };
        drawn.unwrap_or_default()
    }

    /// Returns the figure's numbers as CSV with a link.
    pub fn csv(&self, link: &str) -> String {
        let csv = match self {
            Self::Chart(spec) => table::csv(spec),
            Self::Bar(spec) => table::bar_csv(spec),
        };
        with_link(csv, link)
    }

    /// Returns the figure with a sentence after its caption.
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

    /// Saves the figure as a file that links back to the snapshot; calls `failed` if the browser
    /// makes no picture.
    fn save(&self, file: &str, kind: FileKind, link: String, style: &Style, failed: &Callback<()>) {
        match kind {
            FileKind::Svg => browser::save_text(file, kind, &self.svg(style, Some(&link))),
            FileKind::Csv => browser::save_text(file, kind, &self.csv(&link)),
            // A figure is neither a report nor a step.
            FileKind::Json | FileKind::Trace => {}
            FileKind::Png => {
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

/// Renders the figure for paper: sharp at any size, over a canvas that has only the pixels of the
/// screen.
pub fn on_paper(what: &Drawing, size: Size) -> Html {
    let style = Style { theme: Theme::Light, css_width: size.width, css_height: size.height, device_pixel_ratio: 1.0 };
    html! { <img class="on-paper" alt="" src={paint::data_url(&what.svg(&style, None))} /> }
}

/// A plot that is derived on demand, and the latest snapshot to derive it from.
pub type Later = (Plot, Latest<Rc<Snapshot>>);

fn now((plot, latest): &Later) -> Option<(Rc<ChartSpec>, Rc<Snapshot>)> {
    let snapshot = latest.get()?;
    let pins = compared(&snapshot.scenario, &snapshot.pins);
    Some((Rc::new(plot.derive(&snapshot, &pins, false, &mut Scratch::default())), snapshot))
}

/// Content of the saved files: the figure with its theme and size, and the snapshot that the files
/// link back to.
#[derive(Clone)]
pub struct Saved {
    what: Drawing,
    later: Option<Later>,
    snapshot: Rc<Snapshot>,
    style: Style,
}

impl Saved {
    fn save(&self, id: &str, kind: FileKind, failed: &Callback<()>) {
        let Self { what, later, snapshot, style } = self;
        let (what, snapshot) = match later.as_ref().and_then(now) {
            Some((chart, snapshot)) => (Drawing::Chart(chart), snapshot),
            None => (what.clone(), snapshot.clone()),
        };
        let (file, link) = (snapshot.file_name(id, kind.extension()), browser::full_link(&snapshot.alone()));
        let scenario = &snapshot.scenario;
        if kind == FileKind::Trace {
            browser::save_text(&file, kind, &chrome_trace(scenario, &link));
            return;
        }
        let line = scenario_line(scenario, &scenario.report());
        what.followed_by(&line).save(&file, kind, link, style, failed);
    }
}

/// Renders a fold with a table, and the buttons that save. While the fold is closed, the row is not
/// rendered anew when the figure changes.
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

/// Values of the row.
#[derive(PartialEq, Properties)]
struct Props {
    /// Identifier of the figure.
    id: &'static str,
    /// Content of the saved files.
    latest: Latest<Saved>,
    /// Opens and closes the fold.
    toggle: Callback<Event>,
    /// The figure whose table is open.
    table: Option<Drawing>,
}

/// The row: the fold, a button for each kind of file, and an error if the last file could not be
/// made.
#[component]
fn DataRow(Props { id, latest, toggle, table }: &Props) -> Html {
    let has_failed = use_state_eq(|| false);
    let press = |kind: FileKind| {
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
    // Only the timeline can be saved as a trace of a step.
    let kinds = FileKind::ALL.into_iter().chain((*id == TIMELINE).then_some(FileKind::Trace));
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

/// Renders a table that scrolls sideways on phones, named by the heading with the identifier;
/// `busy` while its rows are being computed.
pub fn wide_table(
    class: &'static str,
    heading: &str,
    busy: bool,
    head: impl IntoIterator<Item = Html>,
    rows: impl Iterator<Item = Html>,
) -> Html {
    html! {
        <>
        <p class="scroll-hint" aria-hidden="true">{ SCROLL }</p>
        <div class="scroll" tabindex="0" role="region" aria-labelledby={heading.to_owned()} aria-busy={busy.to_string()}>
            <table {class}><thead><tr>{ for head }</tr></thead><tbody>{ for rows }</tbody></table>
        </div>
        </>
    }
}

/// Renders the heading of a column.
pub fn column(name: &'static str) -> Html {
    html! { <th scope="col">{ name }</th> }
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

/// Returns the accessible name of a button that saves a figure.
fn save_as(figure: &str, kind: &str) -> String {
    format!("Save {figure} as {kind}")
}
