//! Finding by name: a dialog over models, GPUs, clusters, controls, figures, explanations and
//! examples. The dialog is created when it is opened.

mod items;

use yew::prelude::*;

use super::controls::folds::fold_of;
use super::controls::sheet;
use super::gallery;
use super::tabs;
use crate::browser;
use crate::components::combobox::NOTHING_FOUND;
use crate::context::{PageContext, use_page};
use crate::state::{Action, Pick};
use engine::params::quantity;
use engine::scenario::Scenario;
use items::{Item, Target, found};

/// Identifier of the button that opens the dialog.
pub const BUTTON: &str = "find";
/// Label of the button, and name of the dialog.
pub const TITLE: &str = "Find";
/// Tooltip of the button.
pub const KEYS: &str = "Find (Ctrl+K)";
/// Name and placeholder of the field.
const FIELD: &str = "Model, GPU, control, figure, term …";
/// Name of the list.
const FOUND: &str = "Found";
/// Identifiers of field and list.
const FIELD_ID: &str = "finder-field";
const LIST_ID: &str = "finder-list";

/// Values to show, and callbacks.
#[derive(PartialEq, Properties)]
pub struct FinderProps {
    /// The settled scenario.
    pub scenario: Scenario,
    /// Called with words that match nothing here, but may describe a run.
    pub say: Callback<String>,
    /// Called when the dialog is closed.
    pub closed: Callback<()>,
}

/// Acts on the target of the chosen item.
fn take(target: Target, page: &PageContext) {
    let PageContext { view, emit, .. } = page;
    match target {
        Target::Figure(id, Some(panel)) => tabs::show(panel, id, page),
        Target::Figure(id, None) => browser::go_to(id),
        Target::Model(id) => emit.emit(Action::Pick(Pick::Model(id))),
        Target::Accelerator(id) => emit.emit(Action::Pick(Pick::Accelerator(id))),
        Target::Cluster(id) => emit.emit(Action::Pick(Pick::Cluster(id))),
        Target::Control(id) => browser::go_to_control(fold_of(id.param()).map(|fold| fold.id), id.key(), sheet::BUTTON),
        // This action would close a card that is open already.
        Target::Card(key) if view.why == key => browser::focus("why"),
        Target::Card(key) => emit.emit(Action::OpenExplanation(key)),
        Target::Example(place) => gallery::open(place, page),
    }
}

/// The dialog, open from the start.
#[component]
pub fn Finder(props: &FinderProps) -> Html {
    let dialog = use_node_ref();
    browser::use_modal(&dialog);
    let typed = use_state_eq(String::new);
    let active = use_state_eq(|| 0_usize);
    let page = use_page();
    let items = use_memo((props.scenario, (*typed).clone()), |(scenario, typed)| found(scenario, typed));
    let active_id = items.get(*active).map(|_| id_of(*active));
    browser::use_kept_in_sight(active_id.as_deref().unwrap_or_default());
    let choose = {
        let dialog = dialog.clone();
        move |target: Target| {
            // Close first: the focus goes back before it moves on.
            browser::close_dialog(&dialog);
            take(target, &page);
        }
    };
    let say = {
        let (dialog, say, typed) = (dialog.clone(), props.say.clone(), typed.clone());
        Callback::from(move |()| {
            browser::close_dialog(&dialog);
            say.emit((*typed).clone());
        })
    };
    let input = {
        let (typed, active) = (typed.setter(), active.setter());
        Callback::from(move |event: InputEvent| {
            typed.set(browser::field_text(&event));
            active.set(0);
        })
    };
    let key = {
        let (items, active, choose, say) = (items.clone(), active.clone(), choose.clone(), say.clone());
        Callback::from(move |event: KeyboardEvent| {
            let last = items.len().saturating_sub(1);
            match event.key().as_str() {
                "ArrowDown" => active.set((*active + 1).min(last)),
                "ArrowUp" => active.set(active.saturating_sub(1)),
                "Enter" => match items.get(*active) {
                    Some(item) => choose(item.target),
                    None => say.emit(()),
                },
                // Escape closes the dialog only, and nothing behind it.
                "Escape" => return event.stop_propagation(),
                _ => return,
            }
            event.prevent_default();
        })
    };
    let outside = {
        let dialog = dialog.clone();
        Callback::from(move |event: MouseEvent| {
            if browser::is_dialog(&event) {
                browser::close_dialog(&dialog);
            }
        })
    };
    html! {
        <dialog ref={dialog} class="finder" aria-label={TITLE} onclose={props.closed.reform(|_: Event| ())} onmousedown={outside}>
            <input type="text" role="combobox" id={FIELD_ID} aria-label={FIELD} placeholder={FIELD} autocomplete="off"
                autocapitalize="off" spellcheck="false" autofocus=true aria-autocomplete="list" aria-expanded="true" aria-controls={LIST_ID}
                aria-activedescendant={active_id} value={(*typed).clone()} oninput={input} onkeydown={key} />
            <div class="options" role="listbox" id={LIST_ID} aria-label={FOUND}>{ for options(&items, *active, &choose.into()) }</div>
            <p role="status" class={(!items.is_empty()).then_some("hidden")}>
                { if items.is_empty() { NOTHING_FOUND.to_owned() } else { found_count(items.len()) } }
            </p>
            if items.is_empty() {
                <p><button type="button" class="small-button" onclick={say.reform(|_: MouseEvent| ())}>{ read_as_a_run(&typed) }</button></p>
            }
        </dialog>
    }
}

/// Renders the items, with the one that Enter chooses marked.
fn options(items: &[Item], active: usize, choose: &Callback<Target>) -> impl Iterator<Item = Html> {
    items.iter().enumerate().map(move |(place, item)| {
        let (is_active, target) = (place == active, item.target);
        html! {
            <div role="option" id={id_of(place)} class={is_active.then_some("active")} aria-selected={is_active.to_string()}
                onclick={choose.reform(move |_: MouseEvent| target)}>
                <span>{ item.name }</span>{ " " }<span class="beside">{ item.kind }</span>
            </div>
        }
    })
}

/// Returns the identifier of an item's element.
fn id_of(place: usize) -> String {
    format!("finder-{place}")
}

/// Returns the label of the button that reads the typed text as a run.
fn read_as_a_run(typed: &str) -> String {
    format!("Read “{}” as a run", quantity::shorten(typed))
}

/// Returns the number of matches, as text.
fn found_count(count: usize) -> String {
    format!("{count} found")
}
