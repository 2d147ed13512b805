//! The link in the address bar: read on arrival, written after each committed gesture, followed by back and forward.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::utils::window;
use wasm_bindgen::JsValue;
use yew::prelude::*;

use crate::state::{Action, State};
use crate::view::{ThemeChoice, View};
use engine::scenario::Scenario;
use engine::share::decode::{Decoded, decode_link};
use engine::share::encode_with;

/// What the address bar says.
pub fn arrival() -> (Decoded, View) {
    (decoded(), View::from_query(&window().location().search().unwrap_or_default()))
}

fn decoded() -> Decoded {
    let fragment = window().location().hash().unwrap_or_default();
    decode_link(fragment.trim_start_matches('#'))
}

fn relative(fragment: &str, view: &View) -> String {
    let path = window().location().pathname().unwrap_or_default();
    format!("{path}{}#{fragment}", view.query())
}

/// The link to what is on screen, once it stands still.
pub fn address() -> String {
    let (Decoded { scenario, pins, .. }, view) = arrival();
    full_link(&scenario, &pins, &view.alone())
}

/// The view as a link to others holds it: the reader's own theme is not theirs.
fn shared(view: &View) -> View {
    View { theme: ThemeChoice::Auto, ..*view }
}

/// The view as the address bar holds it: with a theme only where the link came with one.
fn addressed(view: &View) -> View {
    let search = window().location().search().unwrap_or_default();
    let named = search.split(['?', '&']).any(|pair| pair.starts_with("theme="));
    if named { *view } else { shared(view) }
}

/// The whole link of a scenario with its pins, for the clipboard.
pub fn full_link(scenario: &Scenario, pins: &[Scenario], view: &View) -> String {
    let origin = window().location().origin().unwrap_or_default();
    origin + &relative(&encode_with(scenario, pins), &shared(view))
}

/// Keeps the address bar at the committed scenario: a new entry for a new scenario, the same entry for a new view.
#[hook]
pub fn use_link(state: &State, known: &Rc<RefCell<Option<String>>>) {
    let known = known.clone();
    use_effect_with((state.committed(), state.pins.clone(), state.view), move |(committed, pins, view)| {
        let fragment = encode_with(committed, pins);
        let Ok(history) = window().history() else { return };
        let link = relative(&fragment, &addressed(view));
        let same = known.borrow().as_ref().is_none_or(|known| *known == fragment);
        let first = known.replace(Some(fragment)).is_none();
        // A browser refuses too many entries; the page works on without.
        let _ = if !same {
            history.push_state_with_url(&JsValue::NULL, "", Some(&link))
        } else if first {
            Ok(())
        } else {
            history.replace_state_with_url(&JsValue::NULL, "", Some(&link))
        };
    });
}

/// Follows back, forward and links that are opened by hand.
#[hook]
pub fn use_navigation(emit: &Callback<Action>, known: &Rc<RefCell<Option<String>>>) {
    let (emit, known) = (emit.clone(), known.clone());
    use_effect_with((), move |()| {
        // Every change of the fragment that is not ours fires `hashchange`, back and forward included.
        let listener = EventListener::new(&window(), "hashchange", move |_| {
            let Decoded { scenario, pins, issues } = decoded();
            known.replace(Some(encode_with(&scenario, &pins)));
            emit.emit(Action::Arrive { scenario: Box::new(scenario), pins, issues });
        });
        move || drop(listener)
    });
}
