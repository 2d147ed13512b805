//! Which number moves the result most: a table with a bar for each change.

use yew::prelude::*;

use crate::state::Action;
use crate::text::sensitivity as words;
use crate::view::View;
use charts::views::Metric;
use engine::analysis::sensitivity::{Effect, Knob};

/// The table, one row a number; a row's button puts it on the axis of the curves.
pub fn sensitivity(
    metric: Metric,
    (now, fits): (f64, bool),
    knobs: &[Knob],
    view: View,
    emit: &Callback<Action>,
    say: &Callback<AttrValue>,
) -> Html {
    let change = |effect: Option<Effect>| effect.map_or(0.0, |effect| effect.value / now - 1.0);
    let largest =
        |of: fn(&Knob) -> Option<Effect>| knobs.iter().fold(0.0_f64, |most, knob| most.max(change(of(knob)).abs()));
    let most = [largest(|knob| knob.tenth), largest(|knob| knob.doubled)];
    let row = |knob: &Knob| {
        let (key, label) = (knob.param.id, knob.param.label);
        let choose = {
            let (emit, say) = (emit.clone(), say.clone());
            Callback::from(move |_: MouseEvent| {
                emit.emit(Action::Look(View { curve_x: key, ..view }));
                say.emit(words::shown(label).into());
            })
        };
        let cells = [knob.tenth, knob.doubled].into_iter().zip(most);
        html! {
            <tr>
                <th scope="row">
                    <button type="button" aria-pressed={(view.curve_x == key).to_string()} onclick={choose}>{ label }</button>
                    <span class="now">{ words::value(knob) }</span>
                </th>
                { for cells.map(|(effect, most)| cell(metric, (now, fits), effect, change(effect) / most)) }
            </tr>
        }
    };
    html! {
        <div id="sensitivity" class="figure wide">
            <div class="figure-head"><h2 id="sensitivity-title">{ words::TITLE }</h2></div>
            <p class="caption">{ words::caption(metric, (now, fits), knobs) }</p>
            if !knobs.is_empty() {
                <table class="tornado" aria-labelledby="sensitivity-title">
                    <thead><tr>{ for words::header(metric).into_iter().map(|name| html! { <th scope="col">{ name }</th> }) }</tr></thead>
                    <tbody>{ for knobs.iter().map(row) }</tbody>
                </table>
            }
        </div>
    }
}

/// A change with its bar: to the right where the result grows, to the left where it shrinks, as a share of the longest.
fn cell(metric: Metric, (now, fits): (f64, bool), effect: Option<Effect>, share: f64) -> Html {
    let Some(effect) = effect else { return html! { <td class="none">{ words::NONE }</td> } };
    let length = 50.0 * share.abs();
    let (left, width) = (if share < 0.0 { 50.0 - length } else { 50.0 }, length);
    let class = if (share > 0.0) == metric.rises() { "better" } else { "worse" };
    html! {
        <td>
            if width.is_finite() {
                <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                    <rect {class} x={format!("{left:.2}")} width={format!("{width:.2}")} height="8" />
                    <path d="M50 0V8" />
                </svg>
            }
            <span>{ words::change(metric, now, effect) }</span>
            if effect.fits != fits {
                <span class="fit">{ words::fit(effect.fits) }</span>
            }
        </td>
    }
}
