//! The answer: headline, advice, headline figures.

use std::rc::Rc;

use yew::prelude::*;

use crate::calculator::Calculator;
use crate::components::explain_button::explain_button;
use crate::components::tile::{Tile, tile};
use crate::derived::Pin;
use crate::panels::advice::Recommended;
use crate::panels::pins::{pin_button, pins};
use crate::text::{self, Headline, Tiles, pins as words};
use engine::analysis::layouts::LayoutSearch;
use engine::explain;
use engine::model::report::Report;
use engine::scenario::Scenario;
use engine::scenario::issue::Severity;

/// Headline, advice, headline figures and pinned scenarios.
pub fn verdict(calculator: &Calculator, layouts: Option<Rc<LayoutSearch>>) -> Html {
    let Calculator { derived, emit, .. } = calculator;
    html! {
        <>
            <section class="verdict" aria-labelledby="headline">
                { answer(calculator) }
                <div class="verdict-line"><p class="tile-name">{ text::WOULD_HELP }</p>{ pin_button(calculator) }</div>
                <Recommended advised={derived.advised.clone()} {layouts} {emit} />
            </section>
            { row(calculator) }
            { pins(calculator) }
        </>
    }
}

/// The headline and the issues of the scenario.
pub fn answer(Calculator { headline, derived, .. }: &Calculator) -> Html {
    let Headline { subject, verdict, rest, fits } = headline;
    html! {
        // Their places are kept, so that nothing below moves when a slider does.
        <div class="answer">
            <h1 id="headline" class="headline">
                <span>{ subject }{ " " }</span><em class={(!fits).then_some("not")}>{ verdict }</em><span>{ rest }</span>
            </h1>
            <ul class="issues">{ for derived.issues.iter().map(|issue| {
                html! { <li class={(issue.severity == Severity::Note).then_some("note")}>{ &issue.message }</li> }
            }) }</ul>
        </div>
    }
}

/// The headline figures.
pub fn row(Calculator { state, derived, emit, .. }: &Calculator) -> Html {
    let tiles = tiles(&state.scenario, &derived.report, derived.pins.first());
    let asked = tiles.into_iter().zip(explain::HEADLINE).map(|(tile, key)| {
        let what = format!("{} {}", tile.name, tile.value);
        Tile { explain: explain_button(key, &what, state.view.why, emit), ..tile }
    });
    html! {
        <>
            <section class="figures-row" aria-label="Figures">
                { for asked.map(tile) }
            </section>
            <p class="evidence">{ text::evidence(&state.scenario) }</p>
        </>
    }
}

/// The headline figures, with their differences from the first pinned scenario. What depends on
/// time is hypothetical where the run does not fit.
fn tiles(scenario: &Scenario, report: &Report, first: Option<&Pin>) -> [Tile; 6] {
    let first = first.filter(|pin| pin.scenario != *scenario);
    let changes = first.map(|pin| words::deltas(report, &pin.report).map(Some)).unwrap_or_default();
    let [d_mfu, d_tokens, d_step, d_peak, d_free] = changes;
    let limiter = first
        .filter(|pin| pin.report.limiter != report.limiter)
        .map(|pin| words::limiter(text::limiter(pin.report.limiter)));
    let Tiles { mfu, tokens, step, peak, bands, free, fits } = Tiles::of(scenario, report);
    let [of_mfu, of_tokens, of_step, of_peak] = bands.map(Some);
    let timed = |name, value, band, delta| Tile { name, value, band, delta, hypothetical: !fits, ..Tile::default() };
    let plain = |name, value| Tile { name, value, ..Tile::default() };
    [
        timed(text::MFU, mfu, of_mfu, d_mfu),
        Tile { short: Some(text::TOKENS_SHORT), ..timed(text::TOKENS, tokens, of_tokens, d_tokens) },
        timed(text::STEP, step, of_step, d_step),
        Tile { band: of_peak, delta: d_peak, ..plain(text::PEAK, peak) },
        Tile { below: !fits, delta: d_free, ..plain(text::FREE, free) },
        Tile { delta: limiter, ..plain(text::LIMITER, text::limiter(report.limiter).into()) },
    ]
}
