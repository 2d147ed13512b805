//! The whole run around the step: time, cost, energy, failures, checkpoints, host memory.

use yew::prelude::*;

use crate::scenario::Scenario;
use crate::ui::effects;
use crate::ui::text::run as words;

/// What to show.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The choices.
    pub scenario: Scenario,
}

/// Folded away; computed and made only while open.
#[component]
pub fn Run(props: &Props) -> Html {
    let open = use_state(|| false);
    let toggle = {
        let open = open.clone();
        Callback::from(move |event: Event| open.set(effects::is_open(&event)))
    };
    let run = open.then(|| props.scenario.run_report());
    html! {
        <div class="figure wide">
            <details id="run" ontoggle={toggle}>
                <summary><h2>{ words::TITLE }</h2></summary>
                { for run.map(|run| html! {
                    <>
                    <p class="caption">{ words::caption(&props.scenario, &run) }</p>
                    <ul class="parts">
                        { for words::rows(&run).map(|(name, value)| html! {
                            <li><span class="part-name">{ name }</span><span>{ value }</span></li>
                        }) }
                    </ul>
                    </>
                }) }
            </details>
        </div>
    }
}
