//! A note on how a figure or a table is made, behind a line that opens it.

use yew::prelude::*;

/// Text of the line.
const TITLE: &str = "How this is made";

/// Renders a fold with a note.
pub fn how(note: impl Into<AttrValue>) -> Html {
    html! { <details class="how"><summary>{ TITLE }</summary><p class="note">{ note.into() }</p></details> }
}
