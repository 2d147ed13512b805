//! Messages between an embed and the surrounding page. The embed posts its height and its scenario;
//! the page may request the scenario and set it. Messages of other windows are ignored.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use gloo::utils::{document_element, window};
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Element, MessageEvent, ResizeObserver, Url, Window};
use yew::prelude::*;

use crate::state::Action;
use crate::view::View;
use links::decode::{Decoded, decode_link_in_node};

/// Version of the messages.
const VERSION: f64 = 1.0;
/// Milliseconds from mounting to the first picture: canvases are painted once their size is
/// measured.
const PICTURE_MS: u32 = 50;
/// Milliseconds before a height is posted.
const HEIGHT_MS: u32 = 60;
/// Milliseconds that the surrounding page may take to make room; after that the frame gets a scroll
/// bar.
const ROOM_MS: u32 = 1500;
/// Class of the root element while the frame has no room for the content (`static/page.css`).
const CRAMPED: &str = "cramped";

/// Returns the window around this one, if there is one.
fn parent() -> Option<Window> {
    let own = window();
    own.parent().ok().flatten().filter(|parent| *parent != own)
}

/// Posts a message to the surrounding page.
fn post_message(kind: &str, values: &[(&str, JsValue)]) {
    let Some(parent) = parent() else { return };
    let message = Object::new();
    let kind = ("type", JsValue::from(["shardwise:", kind].concat()));
    for (name, value) in core::iter::once(&kind).chain(values) {
        let _ = Reflect::set(&message, &JsValue::from(*name), value);
    }
    // Any origin: the surrounding page has put the scenario into the embed.
    let _ = parent.post_message(&message, "*");
}

/// Returns the absolute form of a link from this page.
fn whole(link: &str) -> JsValue {
    let here = window().location().href().unwrap_or_default();
    Url::new_with_base(link, &here).map(|url| url.href()).unwrap_or_default().into()
}

/// Splits a link into its query and its fragment, where it has them. Text without either is a
/// fragment.
fn parts(link: &str) -> (Option<&str>, Option<&str>) {
    let (head, fragment) = link.split_once('#').map_or((link, None), |(head, fragment)| (head, Some(fragment)));
    match head.split_once('?') {
        Some((_, query)) => (Some(query), fragment),
        None if fragment.is_some() || head.contains("://") => (None, fragment),
        None => (None, Some(head)),
    }
}

/// Answers messages of the surrounding page, and posts every new scenario to it. `link` leads from
/// here to the committed scenario.
#[hook]
pub fn use_parent(link: &AttrValue, view: View, emit: &Callback<Action>) {
    let now = use_mut_ref(|| (link.clone(), view));
    *now.borrow_mut() = (link.clone(), view);
    {
        let (emit, now) = (emit.clone(), now.clone());
        use_effect_with((), move |()| {
            let listener = EventListener::new(&window(), "message", move |event| {
                if let Some(event) = event.dyn_ref::<MessageEvent>() {
                    on_message(event, &now, &emit);
                }
            });
            move || drop(listener)
        });
    }
    let first = use_mut_ref(|| true);
    use_effect_with(link.clone(), move |link| {
        if !first.replace(false) {
            post_message("scenario", &[("link", whole(link))]);
        }
    });
}

fn on_message(event: &MessageEvent, now: &Rc<RefCell<(AttrValue, View)>>, emit: &Callback<Action>) {
    let source = event.source().map(JsValue::from);
    if source.is_none() || source != parent().map(JsValue::from) {
        return;
    }
    let data = event.data();
    let said = |name: &str| Reflect::get(&data, &JsValue::from(name)).ok().and_then(|value| value.as_string());
    match (said("type").as_deref(), said("link")) {
        (Some("shardwise:get"), _) => {
            let link = now.borrow().0.clone();
            post_message("scenario", &[("link", whole(&link))]);
        }
        (Some("shardwise:set"), Some(link)) => {
            let (query, fragment) = parts(&link);
            if let Some(fragment) = fragment {
                let Decoded { scenario, pins, issues, .. } = decode_link_in_node(fragment);
                emit.emit(Action::OpenLink { scenario: Box::new(scenario), pins, issues });
            }
            if let Some(query) = query {
                // The page remains an embed.
                let before = now.borrow().1;
                let view = View { embed: true, ..before.with_query(query) };
                if view != before {
                    now.borrow_mut().1 = view;
                    emit.emit(Action::ChangeView(view));
                }
            }
        }
        _ => {}
    }
}

/// Returns the height of the content, rounded up to whole CSS pixels.
fn height(content: &Element) -> f64 {
    content.get_bounding_client_rect().height().ceil()
}

/// Sets a class for the style sheet if the frame has no room for this height, or there is no frame:
/// only then may the page scroll.
fn look_for_room(needed: f64) {
    let has = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or(needed);
    let _ = document_element().class_list().toggle_with_force(CRAMPED, parent().is_none() || has < needed);
}

/// The height that was posted last, and pending timers.
#[derive(Default)]
struct LastSent {
    height: f64,
    waiting: Option<Timeout>,
    room: Option<Timeout>,
}

impl LastSent {
    /// Posts the height if it has changed.
    fn update(last_sent: &Rc<RefCell<Self>>, content: &Element) {
        let height = height(content);
        let mut last_sent = last_sent.borrow_mut();
        if height > 0.0 && height != last_sent.height {
            last_sent.height = height;
            post_message("height", &[("height", JsValue::from(height))]);
        }
        last_sent.room = Some(Timeout::new(ROOM_MS, move || look_for_room(height)));
    }
}

/// Posts to the surrounding page that the first picture is painted, and then the height of the
/// content whenever it changes.
#[hook]
pub fn use_height(content: &NodeRef, link: &AttrValue) {
    let (content, link) = (content.clone(), link.clone());
    use_effect_with((), move |()| {
        let (last_sent, kept) = (Rc::new(RefCell::new(LastSent::default())), Rc::new(RefCell::new(None)));
        let start = {
            let kept = kept.clone();
            move || {
                let Some(content) = content.cast::<Element>() else { return };
                post_message("ready", &[("version", JsValue::from(VERSION)), ("link", whole(&link))]);
                LastSent::update(&last_sent, &content);
                let observed = {
                    let content = content.clone();
                    Closure::<dyn FnMut(Array)>::new(move |_| {
                        let (again, content) = (last_sent.clone(), content.clone());
                        last_sent.borrow_mut().waiting =
                            Some(Timeout::new(HEIGHT_MS, move || LastSent::update(&again, &content)));
                    })
                };
                let observer = ResizeObserver::new(observed.as_ref().unchecked_ref()).ok();
                if let Some(observer) = &observer {
                    observer.observe(&content);
                }
                *kept.borrow_mut() = Some((observer, observed));
            }
        };
        let timeout = Timeout::new(PICTURE_MS, start);
        move || {
            drop(timeout);
            if let Some((Some(observer), _)) = &*kept.borrow() {
                observer.disconnect();
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_taken_apart() {
        assert_eq!(parts("https://example.org/x/?map=seq.mem#v=1&gpus=8"), (Some("map=seq.mem"), Some("v=1&gpus=8")));
        assert_eq!(parts("https://example.org/x/"), (None, None));
        assert_eq!(parts("#gpus=8"), (None, Some("gpus=8")));
        assert_eq!(parts("v=1&gpus=8"), (None, Some("v=1&gpus=8")));
        assert_eq!(parts("?theme=dark"), (Some("theme=dark"), None));
    }
}
