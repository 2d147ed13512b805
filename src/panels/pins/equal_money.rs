//! The pinned scenarios and the one on screen at equal money: each on as many of its GPUs as cost
//! as much per hour, in its best layout, what trains most per dollar first.

use yew::prelude::*;

use super::words;
use crate::browser;
use crate::components::action_button::ActionButton;
use crate::panels::advice::change::laid_out;
use crate::state::Action;
use crate::words::hardware;
use analysis::equal_money::afforded;
use analysis::ranking::Layout;
use catalog::accelerators::prices;
use engine::format;
use engine::scenario::Scenario;

/// Heading of the table.
const TITLE: &str = "At equal money, each in its best layout";
/// Text before the searches are over.
const SEARCHING: &str = "Searching the best layout of each …";
/// Text in place of the table if no price is known.
const NO_PRICE: &str =
    "Without a price for each of them nothing is of equal money: set \u{201c}Price per GPU-hour\u{201d}.";
/// Names of the columns.
const COLUMNS: [&str; 7] = ["GPUs", words::PER_DOLLAR, "Best layout", "Odds to fit", "MFU", "Time to train", "Cost"];
/// Text in place of the figures where no layout fits.
const NOTHING_FITS: &str = "nothing fits";

/// Seconds of an hour, which prices are of.
const HOUR: f64 = 3600.0;

/// Returns the tokens that a run trains per dollar; `None` without a price.
pub(super) fn tokens_per_dollar(scenario: &Scenario, tokens_per_s_per_gpu: f64) -> Option<f64> {
    prices::known(scenario).filter(|price| *price > 0.0).map(|price| tokens_per_s_per_gpu * HOUR / price)
}

/// The runs to compare.
#[derive(PartialEq, Properties)]
pub(super) struct EqualMoneyProps {
    /// The settled scenario on screen, whose money is spent.
    pub(super) run: Scenario,
    /// The pinned scenarios.
    pub(super) pins: Vec<Scenario>,
    /// Whether the scenario has rested, so that layouts may be searched.
    pub(super) wanted: bool,
}

/// Returns the scenario on screen and one of each other GPU that is pinned, at equal money.
fn candidates(run: &Scenario, pins: &[Scenario]) -> Vec<Scenario> {
    let mut all: Vec<Scenario> = afforded(run, run).map(|_| *run).into_iter().collect();
    for pin in pins {
        let is_new = all.iter().all(|one| (one.accelerator, one.network.id) != (pin.accelerator, pin.network.id));
        all.extend(afforded(run, pin).filter(|_| is_new));
    }
    all
}

/// The table of the runs at equal money.
#[component]
pub(super) fn EqualMoney(EqualMoneyProps { run, pins, wanted }: &EqualMoneyProps) -> Html {
    let all = use_memo((*run, pins.clone()), |(run, pins)| candidates(run, pins));
    let searches = browser::use_searches(&all, *wanted && all.len() > 1);
    if all.len() < 2 {
        let is_free = prices::known(run).is_none() || pins.iter().any(|pin| prices::known(pin).is_none());
        return if is_free {
            html! { <p>{ NO_PRICE }</p> }
        } else {
            Html::default()
        };
    }
    let found: Vec<Option<Option<Layout>>> = all
        .iter()
        .enumerate()
        .map(|(place, scenario)| {
            let search = searches.get(place).cloned().flatten().filter(|search| search.scenario() == scenario);
            search.map(|search| search.best().copied())
        })
        .collect();
    if found.iter().any(Option::is_none) {
        return html! { <><h3>{ TITLE }</h3><p>{ SEARCHING }</p></> };
    }
    let mut rows: Vec<(&Scenario, Option<Layout>)> = all.iter().zip(found.into_iter().flatten()).collect();
    let per_dollar = |layout: &Option<Layout>| {
        let layout = layout.as_ref()?;
        tokens_per_dollar(&layout.scenario, layout.report.whole().tokens_per_s_per_gpu)
    };
    rows.sort_by(|(_, one), (_, other)| per_dollar(other).unwrap_or(0.0).total_cmp(&per_dollar(one).unwrap_or(0.0)));
    html! {
        <>
            <h3>{ TITLE }</h3>
            <div class="scroll" tabindex="0" role="region" aria-label={TITLE}>
                <table class="equal">
                    <thead><tr>{ for COLUMNS.map(|name| html! { <th scope="col">{ name }</th> }) }</tr></thead>
                    <tbody>{ for rows.iter().map(|(scenario, layout)| row(scenario, layout.as_ref(), per_dollar(layout))) }</tbody>
                </table>
            </div>
        </>
    }
}

/// Renders the best layout on one kind of GPU; its button puts it on screen.
fn row(scenario: &Scenario, layout: Option<&Layout>, per_dollar: Option<f64>) -> Html {
    let Some(layout) = layout else {
        return html! { <tr><th scope="row">{ hardware(scenario) }</th><td colspan="6">{ NOTHING_FITS }</td></tr> };
    };
    let run = layout.scenario.run_of(&layout.report);
    let cells = [
        format::odds(layout.report.odds()),
        format::percent(layout.report.whole().mfu),
        format::duration(run.time),
        format::dollars(run.cost.get()),
    ];
    html! {
        <tr>
            <th scope="row">
                <ActionButton action={Action::ReplaceScenario(Box::new(layout.scenario))}>{ hardware(scenario) }</ActionButton>
            </th>
            <td>{ words::per_dollar(per_dollar) }</td>
            <td class="words">{ laid_out(scenario, &layout.scenario) }</td>
            { for cells.into_iter().map(|text| html! { <td>{ text }</td> }) }
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    #[test]
    fn every_gpu_stands_once_at_the_money_of_the_run_on_screen() {
        let run = decode("cluster=dgx-h100&model=llama-3.1-8b&gpus=64&price=4").scenario;
        let other = decode("cluster=dgx-h200&model=llama-3.1-8b&gpus=8&price=8").scenario;
        let longer = decode("cluster=dgx-h100&model=llama-3.1-8b&gpus=64&price=4&seq=16k").scenario;
        let all = candidates(&run, &[other, longer]);
        assert_eq!(all.iter().map(|one| one.gpus).collect::<Vec<_>>(), [64, 32]);
        let spent = |one: &Scenario| f64::from(one.gpus) * prices::known(one).unwrap();
        assert!(all.iter().all(|one| spent(one) == spent(&run)));
    }

    #[test]
    fn a_dollar_trains_what_an_hour_of_a_gpu_trains_at_its_price() {
        let run = decode("cluster=dgx-h100&model=llama-3.1-8b&gpus=64&price=4").scenario;
        assert_eq!(tokens_per_dollar(&run, 8000.0), Some(7_200_000.0));
    }
}
