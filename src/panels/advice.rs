//! Advice: one change of the scenario, and its effect.

use yew::prelude::*;

use crate::state::Action;
use crate::text;
use engine::analysis::advice::{Advice, is_sure};
use engine::format;
use engine::model::report::Report;

/// A button that makes the change, with the effect. The key keeps each button at its place while
/// others come and go.
pub fn advised(place: usize, advice: &Advice, now: &Report, emit: &Callback<Action>) -> Html {
    let scenario = advice.scenario;
    let apply = emit.reform(move |_: MouseEvent| Action::Take(Box::new(scenario)));
    html! {
        <button key={place} type="button" class="advised" onclick={apply}>
            <strong>{ text::change(advice) }</strong><span>{ effect(advice, now) }</span>
        </button>
    }
}

/// In place of advice where there is none.
pub fn no_advice(fits: bool) -> &'static str {
    if fits {
        "No single change makes this two percent faster."
    } else {
        "No single change makes this fit. More GPUs, shorter sequences, full activation checkpointing and FULL_SHARD \
         together reach furthest."
    }
}

/// The effect of the change: that the run then fits where it does not, or not surely; else more throughput.
fn effect(advice: &Advice, now: &Report) -> String {
    let mfu = format::percent(advice.report.mfu);
    if now.fits() && (is_sure(now) || !is_sure(&advice.report)) {
        format!("{} more tokens a second, {mfu} MFU", format::percent(advice.gain))
    } else {
        format!("then it fits with {} to spare, at {mfu} MFU", format::bytes(advice.report.memory.free()))
    }
}
