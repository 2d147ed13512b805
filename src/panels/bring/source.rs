//! The input as it is: a field to paste into, or each file with marks at the lines that a finding
//! would change.

use std::collections::BTreeSet;
use std::rc::Rc;

use yew::prelude::*;

use super::marks::changed_lines;
use super::words;
use crate::browser::{self, Arrived, Origin};
use files::brought::{Import, ImportKind, Item};

/// The input, the result of reading it, and the callback for another text.
#[derive(PartialEq, Properties)]
pub(super) struct Props {
    /// The input.
    pub(super) items: Rc<Vec<Item>>,
    /// The result of reading.
    pub(super) brought: Option<Rc<Import>>,
    /// Reads another text.
    pub(super) take: Callback<Arrived>,
}

/// Maximum number of lines shown of a file: a longer file is a log.
const MOST: usize = 2000;

/// The left side of the sheet.
#[component]
pub(super) fn Source(Props { items, brought, take }: &Props) -> Html {
    let typed = {
        let take = take.clone();
        Callback::from(move |event: InputEvent| take.emit(browser::area_text(&event)))
    };
    // A pasted text is read at once. A typed text is read in full when the field is left; only then
    // are its errors shown.
    let given = use_mut_ref(String::new);
    let settled = {
        let take = take.clone();
        Callback::from(move |event: Event| {
            let text = browser::settled_text(&event);
            if given.replace(text.clone()) != text {
                take.emit((Ok(browser::pasted(text)), Origin::Given));
            }
        })
    };
    let read = brought.as_ref().filter(|brought| matches!(brought.kind, ImportKind::Run));
    html! {
        <>
            // Always the same field, so that typed text stays.
            <details open={brought.is_none()}>
                <summary>{ words::ANOTHER }</summary>
                <label for="config">{ words::PASTE }</label>
                <textarea id="config" rows="5" spellcheck="false" autocomplete="off" oninput={typed} onchange={settled} />
            </details>
            { for read.into_iter().flat_map(|brought| items.iter().map(move |item| file(item, brought))) }
        </>
    }
}

/// Renders a file by its lines, with marks on the lines that a finding would change.
fn file(item: &Item, brought: &Import) -> Html {
    let Ok(text) = core::str::from_utf8(&item.bytes) else { return Html::default() };
    let marks = changed_lines(item, text, brought);
    let name = item.name.clone().unwrap_or_else(|| words::PASTED.to_owned());
    let line = |(text, marks): (&str, Vec<usize>)| {
        let codes: Vec<&str> = marks
            .into_iter()
            .filter_map(|place| brought.offers.get(place).and_then(|offer| offer.code.as_deref()))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let said = (!codes.is_empty()).then(|| codes.join(", "));
        html! {
            <li class={said.is_some().then_some("marked")}>
                <code>{ text }</code>
                if let Some(said) = said { <span class="rule">{ said }</span> }
            </li>
        }
    };
    html! {
        <figure class="source-file">
            <figcaption>{ name }</figcaption>
            <ol tabindex="0" aria-label={words::LINES}>{ for text.lines().zip(marks).take(MOST).map(line) }</ol>
        </figure>
    }
}
