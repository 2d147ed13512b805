//! A text whose sources are links.

use yew::prelude::*;

use super::sources::pieces;

/// Renders the text; papers and pages of the documentation open in a new tab.
pub fn sourced(text: &str) -> Html {
    let piece = |words: &str, leads: Option<String>| {
        let words = words.to_owned();
        match leads {
            Some(href) => html! { <a {href} target="_blank" rel="noopener noreferrer">{ words }</a> },
            None => html! { { words } },
        }
    };
    pieces(text).into_iter().map(|found| piece(found.text, found.leads)).collect()
}
