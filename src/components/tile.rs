//! One headline figure.

use yew::prelude::*;

use super::legend::BAND_HELP;
use engine::format::{MINUS, THIN_SPACE};
use engine::params::quantity::group_thousands;
use engine::scenario::pins::pin_letter;

/// Difference of a figure from that of a pinned scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    /// The difference with its sign and unit.
    pub text: String,
    /// Whether the difference is for the better; `None` if it is neither better nor worse.
    pub better: Option<bool>,
    /// Reference of the difference, shown after the text.
    pub against: String,
}

impl Delta {
    /// Returns a change from the first pinned scenario with its sign, to a tenth, from a hundred on
    /// to ones; with `up`, more is better.
    pub fn new(change: f64, unit: &str, up: bool) -> Self {
        let against = format!(" vs {}", pin_letter(0));
        let size = change.abs();
        let text = group_thousands(&format!("{:.*}", usize::from(size < WHOLE), size));
        if text == "0.0" || !change.is_finite() {
            return Self { text: format!("±0{THIN_SPACE}{unit}"), better: None, against };
        }
        let sign = if change < 0.0 { MINUS } else { '+' };
        Self { text: format!("{sign}{text}{THIN_SPACE}{unit}"), better: Some((change > 0.0) == up), against }
    }
}

/// Size below which tenths are shown.
const WHOLE: f64 = 99.95;
/// Suffix of a difference that is better, for screen readers.
const BETTER: &str = ", better";
/// Suffix of a difference that is worse, for screen readers.
const WORSE: &str = ", worse";

/// Note on figures of a run that does not fit.
pub const HYPOTHETICAL: &str = "if memory were no limit";
/// Short note on figures of a run that does not fit.
const IF_IT_FIT: &str = "if it fit";

/// Values of a tile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tile {
    /// Accessible name.
    pub name: &'static str,
    /// Visible name, if it is shorter.
    pub short: Option<AttrValue>,
    /// Figure with its unit.
    pub value: String,
    /// Range of measurements, if it is known.
    pub band: Option<String>,
    /// Further note, with its help text.
    pub note: Option<(String, &'static str)>,
    /// Difference from the first pinned scenario.
    pub delta: Option<Delta>,
    /// Difference of the second figure from the first pinned scenario, if the tile has two figures.
    pub second: Option<Delta>,
    /// Whether the figure is a bad sign.
    pub below: bool,
    /// Whether the figure holds only if memory were no limit.
    pub hypothetical: bool,
    /// Button that opens the explanation.
    pub explain: Html,
    /// CSS class of the tile.
    pub class: &'static str,
}

/// Renders a name over a figure. Screen readers announce every change of an `output`, unless
/// `aria-live` is off; the status line is announced instead.
pub fn tile(tile: Tile) -> Html {
    let Tile { name, short, value, band, note, delta, second, below, hypothetical, explain, class } = tile;
    let short = short.unwrap_or(AttrValue::Static(name));
    html! {
        <div class={classes!("tile", class, hypothetical.then_some("moot"))} title={hypothetical.then_some(HYPOTHETICAL)}>
            <span class="tile-name" aria-hidden="true">{ short }</span>
            <output aria-label={name} aria-live="off" class={below.then_some("below")}>{ value }</output>
            if let Some(delta) = delta {
                // In the place of the range, so that no tile needs more room with a pin.
                <span class="tile-two" title={band}>{ change(delta) }{ for second.map(change) }</span>
            } else if hypothetical {
                <span class="tile-band">{ IF_IT_FIT }</span>
            } else if let Some(band) = band {
                <span class="tile-band" title={BAND_HELP}>{ band }</span>
            }
            if let Some((note, help)) = note {
                <span class="tile-band aside" title={help}>{ note }</span>
            }
            { explain }
        </div>
    }
}

/// Renders a difference with its sign; the colour and a hidden word tell whether it is for the
/// better.
fn change(Delta { text, better, against }: Delta) -> Html {
    let (class, word) = match better {
        Some(true) => ("tile-delta better", BETTER),
        Some(false) => ("tile-delta worse", WORSE),
        None => ("tile-delta", ""),
    };
    html! { <span {class}>{ text }<span class="versus">{ against }</span><span class="hidden">{ word }</span></span> }
}
