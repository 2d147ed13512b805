//! The link in the address bar: read on arrival, written after each committed gesture, followed on
//! back and forward.

use gloo::events::EventListener;
use gloo::utils::window;
use wasm_bindgen::JsValue;
use yew::prelude::*;

use crate::snapshot::Snapshot;
use crate::state::{Action, State};
use crate::view::View;
use links::decode::{Decoded, decode_link_in_node};
use links::v1::VERSION_KEY;
use links::{encode_with, without_effect};

/// Reads the address bar when the page opens.
pub fn arrival() -> (Decoded, View) {
    (decoded(), View::from_query(&window().location().search().unwrap_or_default()))
}

fn decoded() -> Decoded {
    let fragment = window().location().hash().unwrap_or_default();
    let mut decoded = decode_link_in_node(fragment.trim_start_matches('#'));
    // The page's own links have a version, and keep choices for later.
    if !decoded.keys.iter().any(|key| key == VERSION_KEY) {
        decoded.issues.extend(without_effect(&decoded.scenario, &decoded.keys));
    }
    decoded
}

/// Returns the whole link of a snapshot.
pub fn full_link(snapshot: &Snapshot) -> String {
    let location = window().location();
    location.origin().unwrap_or_default() + &location.pathname().unwrap_or_default() + &snapshot.link()
}

/// Returns the query and the fragment for the address bar. The theme is included only if the link
/// came with one.
fn addressed(view: &View, fragment: &str) -> String {
    let search = window().location().search().unwrap_or_default();
    let named = search.split(['?', '&']).any(|pair| pair.starts_with("theme="));
    let view = if named { *view } else { view.without_theme() };
    view.query() + "#" + fragment
}

/// Keeps the address bar at the committed scenario: a new scenario makes a new entry, a new view
/// replaces the entry. Follows back, forward and links that are opened by hand.
#[hook]
pub fn use_address(state: &State, emit: &Callback<Action>) {
    // Fragment in the address bar, to tell the page's own entries from others.
    let known = use_mut_ref(|| None::<String>);
    {
        let (emit, known) = (emit.clone(), known.clone());
        use_effect_with((), move |()| {
            // Every change of the fragment that the page did not make fires `hashchange`, back and
            // forward included.
            let listener = EventListener::new(&window(), "hashchange", move |_| {
                let Decoded { scenario, pins, issues, .. } = decoded();
                known.replace(Some(encode_with(&scenario, &pins)));
                emit.emit(Action::OpenLink { scenario: Box::new(scenario), pins, issues });
            });
            move || drop(listener)
        });
    }
    use_effect_with((state.committed(), state.pins.clone(), state.view), move |(committed, pins, view)| {
        let fragment = encode_with(committed, pins);
        let Ok(history) = window().history() else { return };
        let path = window().location().pathname().unwrap_or_default();
        let link = path + &addressed(view, &fragment);
        let same = known.borrow().as_ref().is_none_or(|known| *known == fragment);
        let first = known.replace(Some(fragment)).is_none();
        // The browser refuses too many entries; the page works without them.
        let _ = if !same {
            history.push_state_with_url(&JsValue::NULL, "", Some(&link))
        } else if first {
            Ok(())
        } else {
            history.replace_state_with_url(&JsValue::NULL, "", Some(&link))
        };
    });
}
