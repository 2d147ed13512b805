//! The breakdown of the step time: a bar for each part, and next to it the change that shrinks the
//! part most.

use std::rc::Rc;

use yew::prelude::*;

use super::fallen::{Fallen, use_waterfall};
use super::whole::whole;
use crate::calculator::SettledProps;
use crate::components::action_button::ActionButton;
use crate::components::explain_button::ExplainButton;
use crate::components::figure::Figure;
use crate::panels::advice::change::{self, change};
use crate::state::Action;
use crate::words::opening;
use analysis::time_reductions::TimeReduction;
use charts::names;
use charts::spec::Fall;
use engine::format;
use engine::model::step::waterfall::StepPart;

/// Hint under the waterfall while nothing is pointed at.
const WATERFALL_HINT: (&str, &str) = ("From the peak of the GPU at the top to the MFU at the bottom.", "");
/// Accessible name of the list of parts and levers.
const LEVERS: &str = "What would shrink each part";
/// Text for a part that no change shrinks without slowing the step.
const NO_LEVER: &str = "no single change helps";
/// Text in place of a lever for waiting for data.
pub const DATA_LEVER: &str = "more loader workers, faster storage, or texts tokenized ahead";

/// Share of the step, in percent, below which a bar has no line in the list.
const LEAST: f64 = 0.5;

/// Values to show.
#[derive(Clone, PartialEq, Properties)]
pub struct WaterfallProps {
    /// Values of the settled scenario, and callbacks.
    pub settled: SettledProps,
    /// Whether levers are searched at once, as in an embed.
    #[prop_or_default]
    pub at_once: bool,
}

/// The figure of the settled scenario; levers are searched after a pause.
#[component]
pub fn Waterfall(props: &WaterfallProps) -> Html {
    let SettledProps { snapshot, report, rested, .. } = &props.settled;
    let fallen = use_waterfall(snapshot, report, props.at_once || *rested);
    let Fallen { spec, levers } = &*fallen;
    let bars = spec.falls.as_ref().map_or(&[][..], |falls| &falls.bars);
    let listed = bars.iter().filter(|bar| bar.share >= LEAST && bar.part != StepPart::Useful);
    let foot = html! {
        <ul class="levers" aria-label={LEVERS}>
            { for listed.map(|bar| line(bar, levers.iter().find(|lever| lever.part == bar.part))) }
        </ul>
    };
    html! {
        <div class="wide falls">
            { whole(report) }
            <Figure id="waterfall" spec={spec.clone()} snapshot={snapshot.clone()}
                hint={WATERFALL_HINT} {foot}>
                <span class="why-of asked"><ExplainButton card="waterfall" what={spec.title.clone()} /></span>
            </Figure>
        </div>
    }
}

/// Renders a part in a line: its time, its share of the price of the run, and its lever.
fn line(bar: &Fall, lever: Option<&Rc<TimeReduction>>) -> Html {
    let lever = lever.map(|lever| {
        let (name, effect) = (change(&lever.advice), change::lever(lever));
        html! {
            <ActionButton action={Action::ReplaceScenario(Box::new(lever.advice.scenario))}>
                <strong>{ opening(&name) }</strong><span>{ effect }</span>
            </ActionButton>
        }
    });
    let no_lever = if bar.part == StepPart::Loading { DATA_LEVER } else { NO_LEVER };
    html! {
        <li>
            <span class="part-name">{ names::step_part(bar.part) }</span>
            <span class="of-part">{ format::seconds(bar.time) }{ " · " }{ format::dollars(bar.cost) }</span>
            { lever.unwrap_or_else(|| html! { <span class="no-lever">{ no_lever }</span> }) }
        </li>
    }
}
