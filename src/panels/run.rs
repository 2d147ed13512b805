//! The whole run around the step: time, cost, energy, failures, checkpoints, host memory.

use yew::prelude::*;

use crate::components::ask::ask;
use crate::components::fold::Fold;
use crate::derived::Derived;
use crate::state::Action;
use crate::text::run as words;
use engine::explain::RUN;

/// Folded away; computed and made only while open.
pub fn run(derived: &Derived, why: &'static str, emit: &Callback<Action>) -> Html {
    let (scenario, fits, emit) = (derived.scenario, derived.report.fits(), emit.clone());
    let body = Callback::from(move |()| {
        let run = scenario.run_report();
        html! {
            <>
            <p class="caption">{ words::caption(&scenario, fits, &run) }</p>
            <ul class="parts">
                { for words::rows(&run).into_iter().zip(RUN).map(|((name, value), key)| {
                    let ask = ask(key, &[name, " ", &value].concat(), why, &emit);
                    html! { <li><span class="part-name">{ name }</span><span>{ value }</span>{ ask }</li> }
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
