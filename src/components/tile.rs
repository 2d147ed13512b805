//! One headline figure.

use yew::prelude::*;

use crate::text::{
    self,
    pins::{self as words, Delta},
};

/// What to show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tile {
    /// Its accessible name.
    pub name: &'static str,
    /// Its visible name, where it is shorter.
    pub short: Option<&'static str>,
    /// The figure with its unit.
    pub value: String,
    /// The range in which measurements lie, where it is known.
    pub band: Option<String>,
    /// How far it lies from that of the first pinned scenario.
    pub delta: Option<Delta>,
    /// Whether it is a bad sign.
    pub below: bool,
    /// Whether it holds only if memory were no limit.
    pub hypothetical: bool,
    /// The button that opens its explanation.
    pub explain: Html,
}

/// A name over a figure. An `output` speaks up on every change unless told not to; the status line
/// speaks instead.
pub fn tile(tile: Tile) -> Html {
    let Tile { name, short, value, band, delta, below, hypothetical, explain } = tile;
    html! {
        <div class={classes!("tile", hypothetical.then_some("moot"))} title={hypothetical.then_some(text::HYPOTHETICAL)}>
            <span class="tile-name" aria-hidden="true">{ short.unwrap_or(name) }</span>
            <output aria-label={name} aria-live="off" class={below.then_some("below")}>{ value }</output>
            if let Some(band) = band {
                <span class="tile-band" title={text::BAND_HELP}>{ band }</span>
            }
            { delta.map(change).unwrap_or_default() }
            { explain }
        </div>
    }
}

/// A difference with its sign; the colour says whether it is for the better, as does the word.
fn change(Delta { text, better, against }: Delta) -> Html {
    let (class, word) = match better {
        Some(true) => ("tile-delta better", words::BETTER),
        Some(false) => ("tile-delta worse", words::WORSE),
        None => ("tile-delta", ""),
    };
    html! { <span {class}>{ text }<span class="versus">{ against }</span><span class="hidden">{ word }</span></span> }
}
