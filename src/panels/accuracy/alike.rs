//! Runs like yours: the published runs that differ least from the scenario in the parameters that
//! decide its speed.

use std::rc::Rc;

use yew::prelude::*;

use super::words;
use crate::components::action_button::ActionButton;
use crate::components::data_table::{column, wide_table};
use crate::components::how::how;
use crate::components::sources;
use crate::state::Action;
use charts::views::{Measure, Scored, ScoredRows};
use engine::format;
use engine::params::Unit;
use engine::scenario::Scenario;

/// Maximum number of runs shown.
const MOST: usize = 5;

/// Values to show, and the callback for actions.
#[derive(Properties)]
pub struct AlikeProps {
    /// The settled scenario.
    pub scenario: Scenario,
    /// The published rows, once loaded.
    pub rows: Option<Rc<ScoredRows>>,
}

impl PartialEq for AlikeProps {
    /// Compares rows by pointer, because they never change once loaded.
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.rows, &other.rows) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        same && self.scenario == other.scenario
    }
}

/// A table with one row for each run, whose button loads the run as the scenario.
#[component]
pub fn Alike(props: &AlikeProps) -> Html {
    let AlikeProps { scenario, rows } = props;
    let found = rows.as_ref().map(|rows| rows.like(scenario, MOST)).unwrap_or_default();
    let rows = found.into_iter().map(|scored| row(scored, scenario));
    html! {
        <div id="alike" class="figure wide">
            <div class="figure-head"><h2 id="alike-title">{ words::TITLE }</h2></div>
            { wide_table("planned", "alike-title", false, words::HEADER.map(column), rows) }
            { how(words::NOTE) }
        </div>
    }
}

fn row(scored: &Scored, own: &Scenario) -> Html {
    let other = scored.row.scenario();
    let pair = scored.pair(Measure::StepTime).map(|pair| (pair, Unit::Seconds));
    let pair = pair.or_else(|| scored.pair(Measure::PeakMemory).map(|pair| (pair, Unit::Gib)));
    let [measured, predicted, error] = pair.map_or_else(Default::default, |((measured, predicted), unit)| {
        let error = format::delta(predicted / measured - 1.0, format::percent);
        [format::value(unit, measured), format::value(unit, predicted), error]
    });
    let fitted = if scored.row.fitted { "*" } else { "" };
    let text = &scored.row.source;
    let source = match words::published_at(text) {
        Some(address) => html! { <a href={address}>{ text }</a> },
        None => sources::pieces(text)
            .into_iter()
            .map(|piece| match piece.leads {
                Some(address) => html! { <a href={address}>{ piece.text.to_owned() }</a> },
                None => html! { <>{ piece.text.to_owned() }</> },
            })
            .collect(),
    };
    html! {
        <tr>
            <th scope="row">
                <ActionButton action={Action::ReplaceScenario(Box::new(other))} class="">{ &scored.row.model }{ fitted }</ActionButton>
                <span class="source">{ source }</span>
            </th>
            { for [measured, predicted, error].into_iter().map(|cell| html! { <td>{ cell }</td> }) }
            <td class="words">{ words::differs(own, &other) }</td>
        </tr>
    }
}
