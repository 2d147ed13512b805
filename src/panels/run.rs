//! The whole run around the step: time, cost, energy, failures, checkpoints, host memory.

use yew::prelude::*;

use crate::calculator::SettledProps;
use crate::components::explain_button::ExplainButton;
use analysis::answer::Answer;
use engine::format::{self, bytes, duration, percent, rising};
use engine::scenario::Scenario;
use engine::scenario::data::TextRun;
use engine::units::Seconds;
use explain::RUN;

/// Heading of the panel.
pub const TITLE: &str = "The whole run";

/// Renders the panel: the finding, and every figure of the run with its explanation.
pub fn run(SettledProps { snapshot, report, .. }: &SettledProps) -> Html {
    let scenario = snapshot.scenario;
    let answer = Answer::new(&scenario, report);
    html! {
        <div id="run" class="figure wide">
            <div class="figure-head"><h2>{ TITLE }</h2></div>
            <p class="caption">{ caption(&scenario, &answer) }</p>
            <ul class={classes!("parts", (!answer.fit.fits).then_some("moot"))}>
                { for rows(&answer).into_iter().zip(RUN).map(|((name, value), card)| html! {
                    <li class="asked"><span class="part-name">{ name }</span><span>{ value }</span><ExplainButton {card} what={name} /></li>
                }) }
            </ul>
        </div>
    }
}

/// Returns the finding: time, cost and goodput of the run.
pub fn caption(scenario: &Scenario, answer: &Answer) -> String {
    let run = &answer.run;
    let tokens = format::params(scenario.train_tokens());
    let condition = if answer.fit.fits { "" } else { "If memory were no limit: " };
    if !run.finishes() {
        let mtbf = duration(run.run_mtbf);
        return format!(
            "{condition}{tokens} tokens never finish: one failure every {mtbf} leaves no time to restart and catch up."
        );
    }
    let [time, cost, goodput] = [answer.time(), answer.cost(), percent(run.goodput)];
    let texts = scenario.text_run().map(|texts| write_text_run(scenario, &texts)).unwrap_or_default();
    format!("{condition}{tokens} tokens take {time} and {cost}; {goodput} of the time ends up in the model.{texts}")
}

/// Returns the run in texts and epochs, as a sentence.
fn write_text_run(scenario: &Scenario, run: &TextRun) -> String {
    let [samples, per_step, steps] = [scenario.texts.samples, run.per_step, run.steps_per_epoch].map(amount);
    let epochs = format::count(scenario.texts.epochs);
    let padding = if run.padding > 0.0 {
        format!("; {} of what is computed is padding", percent(run.padding))
    } else {
        String::new()
    };
    format!(" That is {samples} texts {epochs} times: {per_step} a step, {steps} steps an epoch{padding}.")
}

/// Returns names and values of the run's figures.
pub fn rows(answer: &Answer) -> [(&'static str, String); 15] {
    let run = &answer.run;
    let never = |time: Seconds| if time.get() < f64::INFINITY { duration(time) } else { "never".to_owned() };
    [
        ("Time to train", answer.time()),
        ("Steps", format!("{} of {} tokens", amount(run.steps), amount(run.batch_tokens))),
        ("Batch efficiency", percent(run.batch_efficiency)),
        ("GPU-hours", amount(run.gpu_time.hours())),
        ("Cost", answer.cost()),
        ("Energy", rising(run.energy.mwh(), 1e3, &["MWh", "GWh"])),
        ("CO₂ equivalent", rising(run.emissions.tonnes(), 1e6, &["t"])),
        ("Goodput", percent(run.goodput)),
        ("Failures", format!("{}, one every {}", amount(run.interruptions), duration(run.run_mtbf))),
        ("Checkpoint", format!("{} in {}", bytes(run.checkpoint_size), duration(run.write_time))),
        ("Checkpoint every", never(run.interval)),
        ("Host memory, initialising", bytes(run.host.init)),
        ("Host memory, checkpointing", bytes(run.host.checkpoint)),
        ("Host memory, offloaded", bytes(run.host.offload)),
        ("Host memory, in all", format::host_memory(run.host.needed(), run.host.capacity)),
    ]
}

fn amount(value: f64) -> String {
    rising(value, 1e6, &["", "million", "billion"])
}
