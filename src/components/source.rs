//! A source as a person cites it, with what it cites from arXiv as links.

use yew::prelude::*;

/// Before a paper's number.
const ARXIV: &str = "arXiv ";

/// The text with a link for each `arXiv 2304.11277` in it.
pub fn source(text: &'static str) -> Html {
    let mut parts = text.split(ARXIV);
    let first = parts.next().unwrap_or_default();
    html! {
        <>
            { first }
            { for parts.map(|part| {
                let end = part.find(|letter: char| !(letter.is_ascii_digit() || letter == '.')).unwrap_or(part.len());
                // A full stop after a number ends a sentence.
                let number = part.get(..end).unwrap_or_default().trim_end_matches('.');
                let rest = part.get(number.len()..).unwrap_or_default();
                html! { <><a href={format!("https://arxiv.org/abs/{number}")} target="_blank" rel="noopener">{ ARXIV }{ number }</a>{ rest }</> }
            }) }
        </>
    }
}
