//! The answer: headline, what would help, the figures.

use yew::prelude::*;

use crate::model::report::Report;
use crate::plan::advice::Advice;
use crate::scenario::Scenario;
use crate::scenario::issue::Severity;
use crate::ui::components::tile::{Tile, tile};
use crate::ui::derived::Derived;
use crate::ui::state::Action;
use crate::ui::text::{self, Headline, Tiles};

/// The first thing on the page.
pub fn verdict(headline: &Headline, scenario: &Scenario, derived: &Derived, emit: &Callback<Action>) -> Html {
    let Headline { subject, verdict, rest, fits } = headline;
    let report = &derived.report;
    let tiles = tiles(scenario, report);
    let advice = derived.advice.iter().enumerate().map(|(place, advice)| advised(place, advice, *fits, emit));
    html! {
        <>
            <section class="verdict" aria-labelledby="headline">
                // Their places are kept, so that nothing below moves when a slider does.
                <div class="answer">
                    <h1 id="headline" class="headline">
                        <span>{ subject }{ " " }</span><em class={(!fits).then_some("not")}>{ verdict }</em><span>{ rest }</span>
                    </h1>
                    <ul class="issues">{ for derived.issues.iter().map(|issue| {
                        html! { <li class={(issue.severity == Severity::Note).then_some("note")}>{ &issue.message }</li> }
                    }) }</ul>
                </div>
                <p class="tile-name">{ text::WOULD_HELP }</p>
                <div id="advice" class="advice">
                    if derived.advice.is_empty() {
                        <p>{ text::no_advice(*fits) }</p>
                    }
                    { for advice }
                </div>
            </section>
            <section class="figures-row" aria-label="Figures">
                { for tiles.into_iter().map(tile) }
            </section>
        </>
    }
}

/// The headline figures. What depends on time is moot where the run does not fit.
fn tiles(scenario: &Scenario, report: &Report) -> [Tile; 6] {
    let Tiles { mfu, tokens, step, peak, bands, free, fits } = Tiles::of(scenario, report);
    let [of_mfu, of_tokens, of_step, of_peak] = bands.map(Some);
    let timed = |name, value, band| Tile { name, value, band, moot: !fits, ..Tile::default() };
    let plain = |name, value| Tile { name, value, ..Tile::default() };
    [
        timed(text::MFU, mfu, of_mfu),
        Tile { short: Some(text::TOKENS_SHORT), ..timed(text::TOKENS, tokens, of_tokens) },
        timed(text::STEP, step, of_step),
        Tile { band: of_peak, ..plain(text::PEAK, peak) },
        Tile { below: !fits, ..plain(text::FREE, free) },
        plain(text::LIMITER, text::limiter(report.limiter).into()),
    ]
}

/// One change with what it would do; the button makes it. The key keeps each at its place while others come and go.
fn advised(place: usize, advice: &Advice, fits: bool, emit: &Callback<Action>) -> Html {
    let scenario = advice.scenario;
    let apply = emit.reform(move |_: MouseEvent| Action::Take(Box::new(scenario)));
    html! {
        <button key={place} type="button" class="advised" onclick={apply}>
            <strong>{ text::change(advice) }</strong><span>{ text::advice(advice, fits) }</span>
        </button>
    }
}
