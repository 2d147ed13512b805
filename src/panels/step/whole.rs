//! The phases of a step that generates its training data: a bar before the breakdown of its update.

use yew::prelude::*;

use crate::components::explain_button::ExplainButton;
use engine::format::{percent, seconds};
use engine::model::report::{MemoryPart, Report};
use engine::model::rollout::RolloutReport;
use engine::units::Seconds;

/// Heading.
pub const TITLE: &str = "The whole step";
/// Width and height of the bar's drawing.
const SIZE: (f64, f64) = (1000.0, 24.0);

/// A phase of the step: its name, its time, its colour in the memory bar, and its card.
type Phase = (&'static str, Seconds, MemoryPart, Option<&'static str>);

/// Renders the phases of the whole step; nothing if the step is one update.
pub fn whole(report: &Report) -> Html {
    let Some(rollout) = &report.rollout else { return Html::default() };
    let lanes = lanes(report, rollout);
    let view = format!("0 0 {} {}", SIZE.0, SIZE.1 * lanes.len() as f64);
    let height = (SIZE.1 * lanes.len() as f64).to_string();
    let caption = caption(report, rollout);
    let bars = lanes.iter().enumerate().flat_map(|(place, lane)| bars(place, lane, report.whole().time));
    html! {
        <div id="whole-step" class="figure wide">
            <div class="figure-head"><h2>{ TITLE }</h2></div>
            <p class="caption">{ &caption }</p>
            <svg viewBox={view} width="100%" {height} preserveAspectRatio="none" role="img" aria-label={caption.clone()}>
                { for bars }
            </svg>
            <ul class="parts">
                { for lanes.iter().flatten().map(|&(name, time, _, card)| {
                    let explain = card.map(|card| html! { <ExplainButton {card} what={name} /> });
                    html! {
                        <li class={card.map(|_| "asked")}>
                            <span class="part-name">{ name }</span><span>{ seconds(time) }</span>{ for explain }
                        </li>
                    }
                }) }
            </ul>
        </div>
    }
}

/// Returns the phases of each lane: one lane if generation and training take turns, otherwise one
/// of the GPUs that generate and one of those that train.
fn lanes(report: &Report, rollout: &RolloutReport) -> Vec<Vec<Phase>> {
    let whole = report.whole();
    let generating = vec![
        ("Refit: weights to the engine", whole.refit, MemoryPart::Weights, None),
        ("Generation", whole.generation, MemoryPart::Engine, Some("rollout")),
    ];
    let training = vec![
        ("Preparation: scores, moved state", whole.preparation, MemoryPart::Models, None),
        ("Update", whole.update, MemoryPart::Activations, Some("whole-step")),
    ];
    if rollout.staleness == 0 { vec![[generating, training].concat()] } else { vec![generating, training] }
}

/// Draws the phases of a lane, as long as their share of the step. Training begins after the refit,
/// for which both pause.
fn bars(place: usize, lane: &[Phase], step: Seconds) -> Vec<Html> {
    let busy: Seconds = lane.iter().map(|(_, time, ..)| *time).sum();
    let mut end = if place == 0 { 0.0 } else { SIZE.0 * ((step - busy) / step).max(0.0) };
    let bar = |&(_, time, colour, _): &Phase| {
        let (start, width) = (end, SIZE.0 * (time / step));
        end += width;
        let (class, y) = (format!("part-{}", colour as usize), SIZE.1 * place as f64);
        html! {
            <rect {class} x={start.to_string()} y={y.to_string()} width={width.to_string()} height={SIZE.1.to_string()} />
        }
    };
    lane.iter().map(bar).collect()
}

/// Returns the finding: the time of the step and of its phases.
pub fn caption(report: &Report, rollout: &RolloutReport) -> String {
    let whole = report.whole();
    let [generation, update] = [whole.generation, whole.update].map(|time| percent(time / whole.time));
    let together = if rollout.staleness == 0 { "" } else { "; the two run at the same time" };
    let condition = if report.fits() { "" } else { "If memory were no limit: " };
    let alone = format!(
        "One update alone takes {} and reaches {} MFU: the figures below are of the update.",
        seconds(report.update.time.step),
        percent(report.update.mfu)
    );
    format!(
        "{condition}A step takes {}: {generation} of it is generation, {update} updates{together}. {alone}",
        seconds(whole.time)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    #[test]
    fn phases_in_turns_fill_the_step() {
        let report =
            decode("cluster=dgx-h100&model=qwen-2.5-7b&gpus=8&seq=4k&objective=grpo&sleep=yes").scenario.report();
        let lanes = lanes(&report, &report.rollout.unwrap());
        let sum: Seconds = lanes.iter().flatten().map(|(_, time, ..)| *time).sum();
        assert_eq!(lanes.len(), 1);
        assert!((sum / report.whole().time - 1.0).abs() < 1e-12);
    }

    #[test]
    fn no_lane_is_longer_than_a_step_that_generates_ahead() {
        let link = "cluster=dgx-h100&model=qwen-2.5-7b&gpus=16&seq=8k&objective=ppo&rm=model&upd=2&gengpu=8&stale=1";
        let report = decode(link).scenario.report();
        let lanes = lanes(&report, &report.rollout.unwrap());
        let of = |lane: &Vec<Phase>| -> Seconds { lane.iter().map(|(_, time, ..)| *time).sum() };
        assert_eq!(lanes.len(), 2);
        assert!(lanes.iter().all(|lane| of(lane) <= report.whole().time * (1.0 + 1e-12)));
    }
}
