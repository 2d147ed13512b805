//! The share menu: texts for the clipboard, and files that contain the link.

pub mod poster;
mod texts;

use std::rc::Rc;

use yew::prelude::*;

use crate::browser::{self, FileKind};
use crate::calculator::Derived;
use crate::components::data_table::NO_PICTURE;
use crate::snapshot::Snapshot;
use charts::chrome_trace::chrome_trace;
use charts::paint;
use charts_canvas::picture_of_poster;
use engine::json::pretty;
use export::csv::csv;
use export::report_json::with_pins;
use poster::{derive_poster, poster};
use texts::CopyFormat;

/// Identifier of the button, which is focused when the menu closes.
pub const BUTTON: &str = "share";
/// Identifier of the menu.
pub const PANEL: &str = "share-menu";
/// Name of the figure in the names of saved files.
const FILE: &str = "summary";
/// Pixels of a saved picture per pixel of the poster.
const PIXEL_RATIO: f64 = 2.0;
/// Accessible name of the button that opens the menu.
pub const OPEN: &str = "Share and download";
/// Heading of the texts.
pub const COPY: &str = "Copy";
/// Heading of the files.
pub const SAVE: &str = "Download";
/// Note under the files.
pub const BACK: &str = "Every file carries the link: drop one anywhere on this page to come back to the scenario.";
/// Label of the select of an embed's view.
pub const SHOWS: &str = "Embed shows";
/// Label of the text if the browser refuses to write to the clipboard.
pub const BY_HAND: &str = "The browser does not let this page write to the clipboard. Copy it from here:";
/// View of a layer of experts, which only mixtures of experts have.
pub const LAYER: &str = "layer";

/// Views of an embed: name in links, and name in the menu.
pub const VIEWS: [(&str, &str); 18] = [
    ("verdict.map.curve", "Headline, map and curves"),
    ("verdict", "Headline"),
    ("map", "Map"),
    ("curve", "Curves"),
    ("memory", "Memory"),
    ("waterfall", "Where the step’s time goes"),
    ("step-memory", "Memory over one step"),
    ("timeline", "Timeline"),
    ("roofline", "Roofline"),
    ("scaling", "Scaling"),
    (LAYER, "Layer of experts"),
    ("sensitivity", "Sensitivity"),
    ("agreement", "Measurements"),
    ("strategies", "Strategies"),
    ("ranking", "Best layouts"),
    ("plan", "Plan"),
    ("run", "The whole run"),
    ("settings", "Settings of a framework"),
];

/// Files, with the labels of their buttons.
const FILES: [(FileKind, &str); 5] = [
    (FileKind::Svg, "SVG picture"),
    (FileKind::Png, "PNG picture (2×)"),
    (FileKind::Csv, "CSV of all numbers"),
    (FileKind::Json, "JSON report"),
    (FileKind::Trace, "Trace of a step for Perfetto"),
];

/// Values to share, and the callback that closes the menu.
#[derive(PartialEq, Properties)]
pub struct ShareMenuProps {
    /// The settled snapshot.
    pub snapshot: Rc<Snapshot>,
    /// Values derived from the snapshot.
    pub derived: Rc<Derived>,
    /// Closes the menu; with `true` the focus goes back to the button, with `false` it stays.
    pub close: Callback<bool>,
}

/// The outcome of the last button.
#[derive(Clone, PartialEq, Eq)]
enum Outcome {
    /// No outcome to report.
    None,
    /// A text was copied.
    Copied(CopyFormat),
    /// A text that the browser did not copy, to be copied by hand.
    Refused(String),
    /// The browser made no picture.
    NoPicture,
}

/// The open menu. Escape, a press outside the menu and the focus leaving the menu close it.
#[component]
pub fn ShareMenu(props: &ShareMenuProps) -> Html {
    let shown = use_state_eq(|| 0_usize);
    let outcome = use_state(|| Outcome::None);
    browser::use_press_outside([PANEL, BUTTON], &props.close);
    let copy = {
        let (snapshot, derived) = (props.snapshot.clone(), props.derived.clone());
        let (outcome, view) = (outcome.setter(), VIEWS.get(*shown).map_or("", |view| view.0));
        Callback::from(move |format: CopyFormat| {
            let text = format.text(&derived, &browser::full_link(&snapshot), view);
            let done = {
                let (outcome, text) = (outcome.clone(), text.clone());
                Callback::from(move |worked| {
                    outcome.set(if worked { Outcome::Copied(format) } else { Outcome::Refused(text.clone()) });
                })
            };
            browser::copy(&text, &done);
        })
    };
    let save = {
        let (snapshot, derived, outcome) = (props.snapshot.clone(), props.derived.clone(), outcome.setter());
        Callback::from(move |kind: FileKind| {
            outcome.set(Outcome::None);
            let outcome = outcome.clone();
            save(kind, &snapshot, &derived, &Callback::from(move |()| outcome.set(Outcome::NoPicture)));
        })
    };
    let choose = {
        let shown = shown.setter();
        Callback::from(move |event: Event| shown.set(browser::selected_index(&event)))
    };
    let escape = props.close.clone();
    let leave = props.close.clone();
    let with_experts = props.derived.scenario.model.architecture().has_experts();
    html! {
        <section id={PANEL} class="share" aria-label={OPEN}
            onkeydown={move |event: KeyboardEvent| if event.key() == "Escape" { escape.emit(true) }}
            onfocusout={move |event: FocusEvent| if browser::leaves(&event, [PANEL, BUTTON]) { leave.emit(false) }}>
            <h2 id="share-copy">{ COPY }</h2>
            <div class="share-row" role="group" aria-labelledby="share-copy">
                { for CopyFormat::ALL.into_iter().map(|what| html! {
                    <button type="button" class="small-button" onclick={copy.reform(move |_: MouseEvent| what)}>{ what.name() }</button>
                }) }
            </div>
            <label class="share-shows">
                <span>{ SHOWS }</span>
                <select id="share-view" onchange={choose}>
                    { for VIEWS.into_iter().enumerate().map(|(place, (key, name))| html! {
                        <option value={key} selected={place == *shown} disabled={key == LAYER && !with_experts}>{ name }</option>
                    }) }
                </select>
            </label>
            { render_outcome(&outcome) }
            <h2 id="share-save">{ SAVE }</h2>
            <div class="share-row" role="group" aria-labelledby="share-save">
                { for FILES.into_iter().map(|(kind, name)| html! {
                    <button type="button" class="small-button" onclick={save.reform(move |_: MouseEvent| kind)}>{ name }</button>
                }) }
            </div>
            <p class="control-help">{ BACK }</p>
        </section>
    }
}

/// Renders the outcome of the last button, in a sentence.
fn render_outcome(outcome: &Outcome) -> Html {
    let sentence = match outcome {
        Outcome::Copied(format) => format!("{} copied.", format.name()),
        Outcome::NoPicture => NO_PICTURE.to_owned(),
        Outcome::None | Outcome::Refused(_) => String::new(),
    };
    html! {
        <>
            <p class="share-said" role="status">{ sentence }</p>
            if let Outcome::Refused(text) = outcome {
                <label class="share-by-hand">{ BY_HAND }<textarea rows="4" readonly=true value={text.clone()} /></label>
            }
        </>
    }
}

/// Makes a file and passes it to the browser; calls `failed` if the browser makes no picture.
fn save(kind: FileKind, snapshot: &Rc<Snapshot>, derived: &Derived, failed: &Callback<()>) {
    let Snapshot { scenario, pins, .. } = &**snapshot;
    let (file, link) = (snapshot.file_name(FILE, kind.extension()), browser::full_link(snapshot));
    let text = match kind {
        FileKind::Csv => csv(scenario, pins, &link),
        FileKind::Trace => chrome_trace(scenario, &link),
        FileKind::Json => pretty(&with_pins(scenario, &derived.report, &derived.issues, pins, &link)),
        FileKind::Svg | FileKind::Png => {
            let derived = derive_poster(snapshot);
            let poster = poster(&derived, &link);
            if kind == FileKind::Png {
                return match picture_of_poster(&poster, PIXEL_RATIO) {
                    Ok(canvas) => browser::save_picture(&file, &canvas, link.clone(), failed),
                    Err(_) => failed.emit(()),
                };
            }
            paint::poster_svg(&poster).unwrap_or_default()
        }
    };
    browser::save_text(&file, kind, &text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::View;

    #[test]
    fn every_view_is_one_that_links_know() {
        for (view, name) in VIEWS {
            assert_eq!(View::from_query(&["?view=", view].concat()).panels.text(), view, "{name}");
        }
    }
}
