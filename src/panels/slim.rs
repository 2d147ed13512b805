//! The verdict in a line at the top of the screen, while the headline is scrolled away. It says nothing aloud: the status line does.

use yew::prelude::*;

use crate::calculator::Calculator;
use crate::panels::pins::{Room, pin_button};
use crate::text::{self, Headline, Tiles};
use engine::format::{self, THIN_SPACE};

/// The accessible name.
const TITLE: &str = "Verdict in short";

/// The line: model and GPUs, state, figures, and the button that pins.
pub fn slim(calculator: &Calculator) -> Html {
    let Calculator { state, derived, headline, .. } = calculator;
    let (report, Headline { subject, fits, .. }) = (&derived.report, headline);
    let Tiles { mfu, tokens, peak, .. } = Tiles::of(&state.scenario, report);
    let memory = of(&peak, &format::bytes(report.memory.capacity));
    // A figure more is a pair more here.
    let figures = [(text::MFU, mfu), (text::TOKENS_SHORT, tokens), (text::PEAK, memory)];
    html! {
        <section class="slim" aria-label={TITLE}>
            <div>
                <p><span>{ subject }{ " " }</span><em class={(!fits).then_some("not")}>{ text::state(report) }</em></p>
                <dl>{ for figures.into_iter().map(|(name, value)| html! { <div><dt>{ name }</dt>{ " " }<dd>{ value }</dd></div> }) }</dl>
                { pin_button(calculator, Room::Short) }
            </div>
        </section>
    }
}

/// A part of a whole, with a common unit once: `32.3 / 40.0 GiB`.
fn of(part: &str, whole: &str) -> String {
    let unit = |text: &str| text.split_once(THIN_SPACE).map(|(_, unit)| unit.to_owned());
    let number = part.split_once(THIN_SPACE).filter(|_| unit(part) == unit(whole)).map_or(part, |(number, _)| number);
    format!("{number} / {whole}")
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_common_unit_is_said_once() {
        assert_eq!(of("32.3\u{2009}GiB", "40.0\u{2009}GiB"), "32.3 / 40.0\u{2009}GiB");
        assert_eq!(of("900\u{2009}MiB", "40.0\u{2009}GiB"), "900\u{2009}MiB / 40.0\u{2009}GiB");
    }
}
