//! The whole run around the step: time, cost, energy, failures, checkpoints, host memory.

use yew::prelude::*;

use crate::scenario::Scenario;
use crate::ui::components::fold::Fold;
use crate::ui::text::run as words;

/// Folded away; computed and made only while open.
pub fn run(scenario: &Scenario) -> Html {
    let scenario = *scenario;
    let body = Callback::from(move |()| {
        let run = scenario.run_report();
        html! {
            <>
            <p class="caption">{ words::caption(&scenario, &run) }</p>
            <ul class="parts">
                { for words::rows(&run).into_iter().map(|(name, value)| html! {
                    <li><span class="part-name">{ name }</span><span>{ value }</span></li>
                }) }
            </ul>
            </>
        }
    });
    html! {
        <div id="run" class="figure wide">
            <Fold class="" summary={html! { <h2>{ words::TITLE }</h2> }} {body} />
        </div>
    }
}
