//! The share menu: what goes to the clipboard, and the files that lead back to the scenario.

use yew::prelude::*;

use crate::derived::{of_poster, poster};
use crate::effects::{self, Kind};
use crate::text::share::{self as words, Copy};
use crate::view::View;
use charts::paint;
use engine::export::csv::csv;
use engine::export::report_json::with_pins;
use engine::json::pretty;
use engine::params;
use engine::scenario::Scenario;

/// The button's identifier: where the focus goes when the menu closes.
pub const BUTTON: &str = "share";
/// The menu's identifier.
pub const PANEL: &str = "share-menu";
/// What its files are called.
const FILE: &str = "summary";
/// Pixels of a saved picture in one of the poster.
const FINENESS: f64 = 2.0;
/// The files, with what stands on their buttons.
const FILES: [(Kind, &str); 4] = [
    (Kind::Svg, "SVG picture"),
    (Kind::Png, "PNG picture (2×)"),
    (Kind::Csv, "CSV of all numbers"),
    (Kind::Json, "JSON report"),
];

/// What is shared, and what closes the menu.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The scenario on screen.
    pub scenario: Scenario,
    /// Those pinned beside it.
    pub pins: Vec<Scenario>,
    /// What is looked at.
    pub view: View,
    /// Closes the menu; with the focus back on its button, or left where it went.
    pub close: Callback<bool>,
}

/// How the last copy went.
#[derive(Clone, PartialEq, Eq)]
enum Copied {
    NotYet,
    Done(Copy),
    /// The text, to be copied by hand.
    Refused(String),
}

/// The open menu. Escape, a press elsewhere and the focus going elsewhere close it.
#[component]
pub fn ShareMenu(props: &Props) -> Html {
    let shown = use_state_eq(|| 0_usize);
    let copied = use_state(|| Copied::NotYet);
    effects::use_press_outside([PANEL, BUTTON], &props.close);
    let copy = {
        let (scenario, pins, view) = (props.scenario, props.pins.clone(), props.view);
        let (copied, shows) = (copied.setter(), words::VIEWS.get(*shown).map_or("", |view| view.0));
        Callback::from(move |what: Copy| {
            let text = what.text(&scenario, &pins, &effects::full_link(&scenario, &pins, &view), shows);
            let done = {
                let (copied, text) = (copied.clone(), text.clone());
                Callback::from(move |worked| {
                    copied.set(if worked { Copied::Done(what) } else { Copied::Refused(text.clone()) });
                })
            };
            effects::copy(&text, &done);
        })
    };
    let save = {
        let (scenario, pins, view) = (props.scenario, props.pins.clone(), props.view);
        Callback::from(move |kind: Kind| saved(kind, &scenario, &pins, &view))
    };
    let choose = {
        let shown = shown.setter();
        Callback::from(move |event: Event| shown.set(effects::selected_index(&event)))
    };
    let escape = props.close.clone();
    let leave = props.close.clone();
    let with_experts = props.scenario.model.architecture().has_experts();
    html! {
        <section id={PANEL} class="share" aria-label={words::OPEN}
            onkeydown={move |event: KeyboardEvent| if event.key() == "Escape" { escape.emit(true) }}
            onfocusout={move |event: FocusEvent| if effects::leaves(&event, [PANEL, BUTTON]) { leave.emit(false) }}>
            <h2 id="share-copy">{ words::COPY }</h2>
            <div class="share-row" role="group" aria-labelledby="share-copy">
                { for Copy::ALL.into_iter().map(|what| html! {
                    <button type="button" class="small-button" onclick={copy.reform(move |_: MouseEvent| what)}>{ what.name() }</button>
                }) }
            </div>
            <label class="share-shows">
                <span>{ words::SHOWS }</span>
                <select id="share-view" onchange={choose}>
                    { for words::VIEWS.into_iter().enumerate().map(|(place, (key, name))| html! {
                        <option value={key} selected={place == *shown} disabled={key == words::LAYER && !with_experts}>{ name }</option>
                    }) }
                </select>
            </label>
            { said(&copied) }
            <h2 id="share-save">{ words::SAVE }</h2>
            <div class="share-row" role="group" aria-labelledby="share-save">
                { for FILES.into_iter().map(|(kind, name)| html! {
                    <button type="button" class="small-button" onclick={save.reform(move |_: MouseEvent| kind)}>{ name }</button>
                }) }
            </div>
            <p class="control-help">{ words::BACK }</p>
        </section>
    }
}

/// What came of the last copy.
fn said(copied: &Copied) -> Html {
    let sentence = if let Copied::Done(what) = copied { words::copied(*what) } else { String::new() };
    html! {
        <>
            <p class="share-said" role="status">{ sentence }</p>
            if let Copied::Refused(text) = copied {
                <label class="share-by-hand">{ words::BY_HAND }<textarea rows="4" readonly=true value={text.clone()} /></label>
            }
        </>
    }
}

/// Makes a file and gives it to the browser.
fn saved(kind: Kind, scenario: &Scenario, pins: &[Scenario], view: &View) {
    let link = effects::full_link(scenario, pins, view);
    let text = match kind {
        Kind::Csv => csv(scenario, pins, &link),
        Kind::Json => pretty(&with_pins(scenario, &scenario.report(), &params::issues(scenario), pins, &link)),
        Kind::Svg | Kind::Png => {
            let derived = of_poster(scenario, pins, view);
            let poster = poster(scenario, &derived, &link);
            if kind == Kind::Png {
                if let Ok(canvas) = paint::picture_of_poster(&poster, FINENESS) {
                    effects::save_picture(FILE, &canvas, link.clone());
                }
                return;
            }
            paint::poster_svg(&poster).unwrap_or_default()
        }
    };
    effects::save_text(FILE, kind, &text);
}
