//! One headline figure.

use yew::prelude::*;

use super::legend::BAND_HELP;

/// How far a figure lies from that of a pinned scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    /// The difference with its sign and unit.
    pub text: String,
    /// Whether that is for the better; `None` where it is neither.
    pub better: Option<bool>,
    /// What the difference is measured from, after the text.
    pub against: String,
}

/// After a difference that is better, for screen readers.
const BETTER: &str = ", better";
/// After a difference that is worse, for screen readers.
const WORSE: &str = ", worse";

/// On figures of a run that does not fit.
const HYPOTHETICAL: &str = "if memory were no limit";
/// The same in a word or three.
const IF_IT_FIT: &str = "if it fit";

/// What to show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tile {
    /// Its accessible name.
    pub name: &'static str,
    /// Its visible name, where it is shorter.
    pub short: Option<AttrValue>,
    /// The figure with its unit.
    pub value: String,
    /// The range in which measurements lie, where it is known.
    pub band: Option<String>,
    /// What else is to be said, and what that is.
    pub note: Option<(String, &'static str)>,
    /// How far it lies from that of the first pinned scenario.
    pub delta: Option<Delta>,
    /// How far its second figure lies from that one's, where it has two.
    pub second: Option<Delta>,
    /// Whether it is a bad sign.
    pub below: bool,
    /// Whether it holds only if memory were no limit.
    pub hypothetical: bool,
    /// The button that opens its explanation.
    pub explain: Html,
    /// The button that leads to what it is made of.
    pub edit: Html,
    /// The tile's own class.
    pub class: &'static str,
}

/// A name over a figure. An `output` speaks up on every change unless told not to; the status line
/// speaks instead.
pub fn tile(tile: Tile) -> Html {
    let Tile { name, short, value, band, note, delta, second, below, hypothetical, explain, edit, class } = tile;
    let short = short.unwrap_or(AttrValue::Static(name));
    html! {
        <div class={classes!("tile", class, hypothetical.then_some("moot"))} title={hypothetical.then_some(HYPOTHETICAL)}>
            <span class="tile-name" aria-hidden="true">{ short }</span>
            <output aria-label={name} aria-live="off" class={below.then_some("below")}>{ value }</output>
            if hypothetical {
                <span class="tile-band">{ IF_IT_FIT }</span>
            } else if let Some(band) = band {
                <span class="tile-band" title={BAND_HELP}>{ band }</span>
            }
            if let Some((note, help)) = note {
                <span class="tile-band aside" title={help}>{ note }</span>
            }
            if let Some(second) = second {
                <span class="tile-two">{ delta.map(change).unwrap_or_default() }{ " " }{ change(second) }</span>
            } else {
                { delta.map(change).unwrap_or_default() }
            }
            { explain }
            { edit }
        </div>
    }
}

/// A difference with its sign; the colour says whether it is for the better, as does the word.
fn change(Delta { text, better, against }: Delta) -> Html {
    let (class, word) = match better {
        Some(true) => ("tile-delta better", BETTER),
        Some(false) => ("tile-delta worse", WORSE),
        None => ("tile-delta", ""),
    };
    html! { <span {class}>{ text }<span class="versus">{ against }</span><span class="hidden">{ word }</span></span> }
}
