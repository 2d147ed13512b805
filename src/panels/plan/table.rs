//! The answers as a table that sorts by any column.

use std::rc::Rc;

use yew::prelude::*;

use super::money;
use super::rows::{self, Row};
use crate::components::data_table::wide_table;
use crate::context::use_page;
use crate::state::Action;
use crate::view::PlanView;
use analysis::plan::{FastestLayout, Plan};

/// Values to show, and the callback for actions.
#[derive(PartialEq, Properties)]
pub(super) struct Props {
    /// The search.
    pub(super) plan: Rc<Plan>,
    /// The question.
    pub(super) view: PlanView,
    /// Maximum number of rows.
    pub(super) most: usize,
    /// Whether the search is of the scenario on screen.
    pub(super) is_over: bool,
}

/// The sorted column, and whether its smallest value comes first.
type Order = Option<(usize, bool)>;

/// A table whose rows load their scenarios; under it the value of faster links.
#[component]
pub(super) fn Answers(props: &Props) -> Html {
    let Props { plan, view, most, is_over } = props;
    let emit = &use_page().emit;
    let order = use_state_eq(|| None as Order);
    let setter = order.setter();
    use_effect_with(view.asked, move |_| setter.set(None));
    let mut answers = view.answers(plan);
    answers.truncate(*most);
    let Some(first) = answers.first().copied() else { return Html::default() };
    let links = money::faster_links(plan, &answers);
    let question = view.question();
    let header = rows::header(question);
    let mut rows: Vec<(Row, &FastestLayout)> =
        answers.iter().map(|found| (rows::row(plan, question, found, first), *found)).collect();
    if let Some((column, ascending)) = *order {
        rows.sort_by(|one, other| {
            let compared = compare(&one.0, &other.0, column);
            if ascending { compared } else { compared.reverse() }
        });
    }
    let is_text = |column: usize| {
        let cell = |row: &Row| class(row.cells.get(column)?, *row.values.get(column)?);
        rows.iter().any(|(row, _)| cell(row) == Some(WORDS))
    };
    let head = header.iter().enumerate();
    let head =
        head.map(|(column, name)| heading(column, name, is_text(column).then_some(WORDS), *order, &order.setter()));
    let head: Vec<Html> = head.collect();
    html! {
        <>
        { wide_table("planned", "plan-title", !is_over, head, rows.into_iter().map(|(row, found)| shown(&row, found, plan, emit))) }
        { for links.map(|sentence| html! { <p class="note">{ sentence }</p> }) }
        </>
    }
}

/// Compares two rows by a column: numbers before texts, texts alphabetically.
fn compare(one: &Row, other: &Row, column: usize) -> core::cmp::Ordering {
    let value = |row: &Row| row.values.get(column).copied().flatten();
    match (value(one), value(other)) {
        (Some(one), Some(other)) => one.total_cmp(&other),
        (Some(_), None) => core::cmp::Ordering::Less,
        (None, Some(_)) => core::cmp::Ordering::Greater,
        (None, None) => one.cells.get(column).cmp(&other.cells.get(column)),
    }
}

/// Renders a heading that sorts by its column: smallest first, then largest first, then in the
/// order of the answers. The heading is aligned with its cells.
fn heading(
    column: usize,
    name: &'static str,
    class: Option<&'static str>,
    order: Order,
    setter: &UseStateSetter<Order>,
) -> Html {
    let (next, sort) = match order {
        Some((sorted, true)) if sorted == column => (Some((column, false)), Some("ascending")),
        Some((sorted, false)) if sorted == column => (None, Some("descending")),
        _ => (Some((column, true)), None),
    };
    let setter = setter.clone();
    let press = Callback::from(move |_: MouseEvent| setter.set(next));
    html! { <th scope="col" {class} aria-sort={sort}><button type="button" onclick={press}>{ name }</button></th> }
}

/// CSS class of texts.
const WORDS: &str = "words";

/// Returns the CSS class of a cell: texts are aligned to the left, numbers with their range stay on
/// one line.
fn class(cell: &str, value: Option<f64>) -> Option<&'static str> {
    match value {
        None if cell.len() > 12 => Some(WORDS),
        Some(_) if cell.contains('(') => Some("range"),
        _ => None,
    }
}

fn shown(row: &Row, found: &FastestLayout, plan: &Plan, emit: &Callback<Action>) -> Html {
    let taken = found.scenario;
    let chosen = taken == *plan.scenario();
    let take = emit.reform(move |_: MouseEvent| Action::ReplaceScenario(Box::new(taken)));
    let mut cells = row.cells.iter().zip(&row.values);
    let name = cells.next().map(|(name, _)| name.clone()).unwrap_or_default();
    html! {
        <tr class={chosen.then_some("chosen")} onclick={take}>
            <th scope="row">
                <button type="button" aria-pressed={chosen.to_string()} title={name.clone()}>{ name }</button>
            </th>
            { for cells.map(|(cell, value)| {
                let class = class(cell, *value);
                let title = (class == Some(WORDS)).then(|| cell.clone());
                html! { <td {class} {title}>{ cell.clone() }</td> }
            }) }
        </tr>
    }
}
