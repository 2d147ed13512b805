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
use crate::snapshot::Snapshot;
use crate::state::{Action, Pick};
use engine::params::quantity;
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
pub struct Props {
    /// The settled snapshot.
    pub snapshot: std::rc::Rc<Snapshot>,
    /// Applies actions.
    pub emit: Callback<Action>,
    /// Called with words that match nothing here, but may describe a run.
    pub say: Callback<String>,
    /// Called when the dialog is closed.
    pub closed: Callback<()>,
}

/// Acts on the target of the chosen item.
fn take(target: Target, snapshot: &Snapshot, emit: &Callback<Action>) {
    match target {
        Target::Figure(id, Some(panel)) => tabs::show(panel, id, snapshot.view, emit),
        Target::Figure(id, None) => browser::go_to(id),
        Target::Model(id) => emit.emit(Action::Pick(Pick::Model(id))),
        Target::Accelerator(id) => emit.emit(Action::Pick(Pick::Accelerator(id))),
        Target::Cluster(id) => emit.emit(Action::Pick(Pick::Cluster(id))),
        Target::Control(id) => browser::go_to_control(fold_of(id.param()).map(|fold| fold.id), id.key(), sheet::BUTTON),
        // This action would close a card that is open already.
        Target::Card(key) if snapshot.view.why == key => browser::focus("why"),
        Target::Card(key) => emit.emit(Action::OpenExplanation(key)),
        Target::Example(place) => gallery::open(place, snapshot.view, emit),
    }
}

/// The dialog, open from the start.
#[component]
pub fn Finder(props: &Props) -> Html {
    let dialog = use_node_ref();
    browser::use_modal(&dialog);
    let typed = use_state_eq(String::new);
    let active = use_state_eq(|| 0_usize);
    let scenario = props.snapshot.scenario;
    let items = use_memo((scenario, (*typed).clone()), |(scenario, typed)| found(scenario, typed));
    let id_of = |place: usize| format!("finder-{place}");
    let active_id = items.get(*active).map(|_| id_of(*active));
    browser::use_kept_in_sight(active_id.as_deref().unwrap_or_default());
    let choose = {
        let (dialog, snapshot, emit) = (dialog.clone(), props.snapshot.clone(), props.emit.clone());
        move |target: Target| {
            // Close first: the focus goes back before it moves on.
            browser::close_dialog(&dialog);
            take(target, &snapshot, &emit);
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
    let option = |(place, item): (usize, &Item)| {
        let (choose, target) = (choose.clone(), item.target);
        html! {
            <div role="option" id={id_of(place)} class={(place == *active).then_some("active")}
                aria-selected={(place == *active).to_string()} onclick={move |_: MouseEvent| choose(target)}>
                <span>{ item.name }</span>{ " " }<span class="beside">{ item.kind }</span>
            </div>
        }
    };
    html! {
        <dialog ref={dialog} class="finder" aria-label={TITLE} onclose={props.closed.reform(|_: Event| ())} onmousedown={outside}>
            <input type="text" role="combobox" id={FIELD_ID} aria-label={FIELD} placeholder={FIELD} autocomplete="off"
                autocapitalize="off" spellcheck="false" autofocus=true aria-autocomplete="list" aria-expanded="true" aria-controls={LIST_ID}
                aria-activedescendant={active_id} value={(*typed).clone()} oninput={input} onkeydown={key} />
            <div class="options" role="listbox" id={LIST_ID} aria-label={FOUND}>{ for items.iter().enumerate().map(option) }</div>
            <p role="status" class={(!items.is_empty()).then_some("hidden")}>
                { if items.is_empty() { NOTHING_FOUND.to_owned() } else { found_count(items.len()) } }
            </p>
            if items.is_empty() {
                <p><button type="button" class="small-button" onclick={say.reform(|_: MouseEvent| ())}>{ read_as_a_run(&typed) }</button></p>
            }
        </dialog>
    }
}

/// Returns the label of the button that reads the typed text as a run.
fn read_as_a_run(typed: &str) -> String {
    format!("Read “{}” as a run", quantity::shorten(typed))
}

/// Returns the number of matches, as text.
fn found_count(count: usize) -> String {
    format!("{count} found")
}
