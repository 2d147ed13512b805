//! The answer: headline, what would help, the figures.

use std::rc::Rc;

use yew::prelude::*;

use crate::plan::advice::Advice;
use crate::ui::components::tile::Tile;
use crate::ui::derived::Derived;
use crate::ui::state::Action;
use crate::ui::text::{self, Headline, Tiles};

/// What to show, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The headline.
    pub headline: Headline,
    /// What follows from the choices.
    pub derived: Rc<Derived>,
    /// Takes actions.
    pub emit: Callback<Action>,
}

/// The first thing on the page.
#[component]
pub fn Verdict(props: &Props) -> Html {
    let Headline { subject, verdict, rest, fits } = &props.headline;
    let report = &props.derived.report;
    let tiles = Tiles::of(report);
    let advice = props.derived.advice.iter().map(|advice| advised(advice, *fits, &props.emit));
    html! {
        <>
            <section class="verdict" aria-labelledby="headline">
                <h1 id="headline" class="headline">
                    { subject }{ " " }<em class={(!fits).then_some("not")}>{ verdict }</em>{ rest }
                </h1>
                <p class="tile-name">{ text::WOULD_HELP }</p>
                <div id="advice" class="advice">
                    if props.derived.advice.is_empty() {
                        <p>{ text::no_advice(*fits) }</p>
                    }
                    { for advice }
                </div>
                if !props.derived.issues.is_empty() {
                    <ul class="issues">{ for props.derived.issues.iter().map(|issue| html! { <li>{ &issue.message }</li> }) }</ul>
                }
            </section>
            <section class="figures-row" aria-label="Figures">
                <Tile name={text::MFU} value={tiles.mfu} moot={!fits} />
                <Tile name={text::TOKENS} short={text::TOKENS_SHORT} value={tiles.tokens} moot={!fits} />
                <Tile name={text::STEP} value={tiles.step} moot={!fits} />
                <Tile name={text::PEAK} value={tiles.peak} />
                <Tile name={text::FREE} value={tiles.free} below={!tiles.fits} />
                <Tile name={text::LIMITER} value={text::limiter(report.limiter)} />
            </section>
        </>
    }
}

/// One change with what it would do; the button makes it.
fn advised(advice: &Advice, fits: bool, emit: &Callback<Action>) -> Html {
    let scenario = advice.scenario;
    let apply = emit.reform(move |_: MouseEvent| Action::Take(Box::new(scenario)));
    html! {
        <button type="button" class="advised" onclick={apply}>
            <strong>{ text::change(advice) }</strong><span>{ text::advice(advice, fits) }</span>
        </button>
    }
}
