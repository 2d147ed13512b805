//! The verdict in one line at the top of the screen, while the headline is scrolled away. Screen
//! readers do not announce the line, but the status line.

use yew::prelude::*;

use crate::calculator::Calculator;
use crate::calculator::headline::{Headline, planned};
use crate::components::tile::HYPOTHETICAL;
use crate::panels::pins::{Room, pin_button};
use crate::panels::tiles::Tiles;
use crate::words::{MFU, NEEDED, TOKENS_SHORT};
use analysis::answer::Figures;

/// Accessible name.
const TITLE: &str = "Verdict in short";

/// Renders the line: model and GPUs, state, figures, and the button that pins; of a plan, what it
/// is about.
pub fn slim(calculator: &Calculator) -> Html {
    let Calculator { state, derived, headline, .. } = calculator;
    if let Some(planned) = planned(&state.scenario, &state.view) {
        return html! { <section class="slim" aria-label={TITLE}><div><p>{ planned }</p></div></section> };
    }
    let (report, Headline { subject, verdict, state: of, .. }) = (&derived.report, headline);
    let Tiles { figures: Figures { mfu, tokens, needed, .. }, fits, .. } = Tiles::new(&state.scenario, report);
    let figures = [(MFU, mfu, fits), (TOKENS_SHORT, tokens, fits), (NEEDED, needed, true)];
    html! {
        <section class="slim" aria-label={TITLE}>
            <div>
                <p><span>{ subject }{ " " }</span><em class={of.key()}>{ *verdict }</em></p>
                <dl>{ for figures.into_iter().map(|(name, value, holds)| html! { <div class={(!holds).then_some("moot")} title={(!holds).then_some(HYPOTHETICAL)}><dt>{ name }</dt>{ " " }<dd>{ value }</dd></div> }) }</dl>
                { pin_button(calculator, Room::Short) }
            </div>
        </section>
    }
}
