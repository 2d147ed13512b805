//! Generation in a training step (PPO, GRPO): a GPU's memory while it generates, and the phases of
//! a whole step.

use yew::prelude::*;

use crate::components::explain_button::ExplainButton;
use engine::format::{bytes, count, duration, percent, tokens_per_s};
use engine::model::report::MemoryPart;
use engine::model::rollout::{GenerationPart, RolloutReport};
use engine::names::generation_part;
use engine::units::Seconds;

/// Heading of the panel.
const TITLE: &str = "Memory of one GPU while it generates";
/// Width and height of the bar's drawing.
const SIZE: (f64, f64) = (1000.0, 24.0);
/// Colours of the parts, taken from the memory bar: memory that training keeps, weights, keys and
/// values, buffers.
pub const COLOURS: [MemoryPart; 4] =
    [MemoryPart::Weights, MemoryPart::Engine, MemoryPart::Activations, MemoryPart::Context];

/// Renders the bar of generation, which is never added to that of training, and the phases of the
/// step.
pub fn generation(rollout: &RolloutReport) -> Html {
    let memory = &rollout.memory;
    let whole = memory.capacity.max(memory.total()).get();
    let mut end = 0.0;
    let drawn: Vec<Html> = memory
        .parts()
        .into_iter()
        .zip(COLOURS)
        .map(|((_, size), colour)| {
            let (start, width) = (end, SIZE.0 * size.get() / whole);
            end += width;
            let class = format!("part-{}", colour as usize);
            html! { <rect {class} x={start.to_string()} y="0" width={width.to_string()} height={SIZE.1.to_string()} /> }
        })
        .collect();
    let view = format!("0 0 {} {}", SIZE.0, SIZE.1);
    // One card explains all parts; its button is on the cache.
    let card = |part| (part == GenerationPart::Cache).then_some("generation-memory");
    let parts = memory.parts().into_iter().map(|(part, size)| (generation_part(part).name, bytes(size), card(part)));
    let rows = parts.chain(phases(rollout));
    html! {
        <div id="generation" class="figure wide">
            <div class="figure-head"><h2>{ TITLE }</h2></div>
            <p class="caption">{ caption(rollout) }</p>
            <svg viewBox={view} width="100%" height={SIZE.1.to_string()} preserveAspectRatio="none" role="img" aria-label={caption(rollout)}>
                { for drawn }
            </svg>
            <ul class="parts">
                { for rows.map(|(name, value, key)| {
                    let explain = key.map(|card| html! { <ExplainButton {card} what={name} /> });
                    html! { <li class={key.map(|_| "asked")}><span class="part-name">{ name }</span><span>{ value }</span>{ for explain }</li> }
                }) }
            </ul>
        </div>
    }
}

/// Returns the finding: the memory taken, and the time of the step.
pub fn caption(rollout: &RolloutReport) -> String {
    let memory = &rollout.memory;
    let [taken, capacity] = [memory.total(), memory.capacity].map(bytes);
    if !rollout.fits() {
        return format!(
            "The engine's weights and one sequence's keys and values do not fit: {taken} of {capacity} are taken without them."
        );
    }
    let share = rollout.time().get() / rollout.step().get();
    format!(
        "While it generates, {taken} of {capacity} are taken. A step takes {}: {} of it is rollout, {} sequences at a time on each engine.",
        duration(rollout.step()),
        percent(share),
        count(rollout.concurrent.floor())
    )
}

/// Returns the phases of the step, in order.
fn phases(rollout: &RolloutReport) -> impl Iterator<Item = (&'static str, String, Option<&'static str>)> {
    let time = |time: Seconds| duration(time);
    [
        ("Whole step", time(rollout.step()), Some("whole-step")),
        ("Rollout", time(rollout.time()), Some("rollout")),
        ("Tokens generated", tokens_per_s(rollout.tokens_per_s()), None),
        ("Scoring", time(rollout.scoring), None),
        ("Updates of the policy", time(rollout.update), None),
        ("Updates of the critic", time(rollout.critic), None),
        ("Sequences at a time", count(rollout.concurrent.floor()), Some("concurrent")),
    ]
    .into_iter()
}
