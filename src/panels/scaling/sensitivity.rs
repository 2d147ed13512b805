//! Sensitivity: a table of the parameters that move the result most, with a bar for each change.

use yew::prelude::*;

use super::analysis::Sensitivity;
use crate::context::PageContext;
use crate::state::Action;
use crate::view::View;
use analysis::sensitivity::{Effect, Knob};
use charts::names::in_sentence;
use charts::views::Metric;
use engine::format::{self, delta, delta_points, percent};
use engine::params::ParamKind;

/// Heading of the table.
const TITLE: &str = "What moves the result most";
/// Heading of the constants that are fitted rather than set.
const UNSURE: &str = "What we are unsure of: constants fitted to published runs";
/// Cell text if the parameter cannot be changed by this much.
const NONE: &str = "–";

/// Renders a table with one row for each parameter, whose button puts the parameter on the axis of
/// the curves.
pub fn sensitivity(shown: &Sensitivity, page: &PageContext) -> Html {
    let &Sensitivity { metric, now, fits, ref knobs, ref unsure } = shown;
    let change = |effect: Option<Effect>| effect.map_or(0.0, |effect| effect.value / now - 1.0);
    let largest = |of: fn(&Knob) -> Option<Effect>| {
        knobs.iter().chain(unsure).fold(0.0_f64, |most, knob| most.max(change(of(knob)).abs()))
    };
    let most = [largest(|knob| knob.tenth), largest(|knob| knob.doubled)];
    let row = |knob: &Knob| {
        let (key, label) = (knob.param.id, knob.param.label);
        let choose = {
            let PageContext { view, emit, say, .. } = page.clone();
            Callback::from(move |_: MouseEvent| {
                emit.emit(Action::ChangeView(View { curve_x: key, ..view }));
                say.emit(said_on_axis(label).into());
            })
        };
        let cells = [knob.tenth, knob.doubled].into_iter().zip(most);
        html! {
            <tr>
                <th scope="row">
                    <button type="button" aria-pressed={(page.view.curve_x == key).to_string()} onclick={choose}>{ label }</button>
                    <span class="now">{ value(knob) }</span>
                </th>
                { for cells.map(|(effect, most)| cell(metric, (now, fits), effect, change(effect) / most)) }
            </tr>
        }
    };
    html! {
        <div id="sensitivity" class="figure wide">
            <div class="figure-head"><h2 id="sensitivity-title">{ TITLE }</h2></div>
            <p class="caption">{ caption(shown) }</p>
            if !knobs.is_empty() {
                <table class="tornado" aria-labelledby="sensitivity-title">
                    <thead><tr>{ for header(metric).into_iter().map(|name| html! { <th scope="col">{ name }</th> }) }</tr></thead>
                    <tbody>{ for knobs.iter().map(row) }</tbody>
                    if !unsure.is_empty() {
                        <tbody>
                            <tr><th scope="rowgroup" colspan="3" class="part">{ UNSURE }</th></tr>
                            { for unsure.iter().map(row) }
                        </tbody>
                    }
                </table>
            }
        </div>
    }
}

/// Renders a change with its bar: to the right if the result grows, to the left if it shrinks, as a
/// share of the longest bar.
fn cell(metric: Metric, (now, fits): (f64, bool), effect: Option<Effect>, share: f64) -> Html {
    let Some(effect) = effect else { return html! { <td class="none">{ NONE }</td> } };
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
            <span>{ change(metric, now, effect) }</span>
            if effect.batch != 1.0 {
                <span class="fit">{ batch(effect) }</span>
            }
            if effect.fits != fits {
                <span class="fit">{ fit(effect.fits) }</span>
            }
        </td>
    }
}

/// Returns the headings of the columns.
fn header(metric: Metric) -> [String; 3] {
    let name = in_sentence(metric.quantity().label);
    ["Number".into(), format!("{name}, +10 %"), format!("{name}, doubled")]
}

/// Returns the value of a parameter.
fn value(knob: &Knob) -> String {
    match &knob.param.kind {
        ParamKind::Number(number) => format::value(number.unit, knob.now),
        ParamKind::Choice(_) => String::new(),
    }
}

/// Returns the change of the result: of a share in points, else in percent of the present result.
fn change(metric: Metric, now: f64, effect: Effect) -> String {
    if metric == Metric::Mfu {
        delta_points((effect.value - now) / 100.0)
    } else {
        delta(effect.value / now - 1.0, percent)
    }
}

/// Returns the note on a change after which the scenario fits, or no longer fits.
fn fit(fits: bool) -> &'static str {
    if fits { "fits" } else { "does not fit" }
}

/// Returns the note on a change that alters the batch.
fn batch(effect: Effect) -> String {
    format!("{} tokens per step", delta(effect.batch - 1.0, percent))
}

/// Returns the sentence for the status line when a parameter is put on the axis of the curves.
fn said_on_axis(label: &str) -> String {
    format!("The curves now show {}.", in_sentence(label))
}

/// Returns the finding: `Tokens per second per GPU depend most on link bandwidth: +2.1 % with a
/// tenth more, +12 % doubled.` If the scenario does not fit, also `Twice the GPU memory would make
/// it fit.`
fn caption(shown: &Sensitivity) -> String {
    let &Sensitivity { metric, now, fits, ref knobs, .. } = shown;
    let name = in_sentence(metric.quantity().label);
    let condition = if fits { "" } else { "If memory were no limit: " };
    // A parameter that makes the scenario fit is first in the list, but last in the sentence.
    let makes_fit = |knob: &&Knob| !fits && [knob.tenth, knob.doubled].iter().flatten().any(|effect| effect.fits);
    let strongest = knobs.iter().find(|knob| !makes_fit(knob)).or(knobs.first());
    let Some(strongest) = strongest else { return format!("No number alone moves {name}.") };
    let said =
        |effect: Option<Effect>, how: &str| effect.map(|effect| format!("{} {how}", change(metric, now, effect)));
    let both: Vec<String> = [said(strongest.tenth, "with a tenth more"), said(strongest.doubled, "doubled")]
        .into_iter()
        .flatten()
        .collect();
    let label = in_sentence(strongest.param.label);
    let fitting = knobs.iter().find(|knob| !fits && knob.doubled.is_some_and(|effect| effect.fits));
    let fitting = fitting
        .map_or(String::new(), |knob| format!(" Twice the {} would make it fit.", in_sentence(knob.param.label)));
    let name = if fits { metric.quantity().label.to_string() } else { name };
    let s = if metric == Metric::TokensPerSecond { "" } else { "s" };
    format!("{condition}{name} depend{s} most on {label}: {}.{fitting}", both.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::scaling::analysis::Analysis;
    use crate::view::View;
    use catalog::{MODELS, default_scenario};

    #[test]
    fn every_model_and_metric_has_a_finding() {
        for model in MODELS {
            let scenario = default_scenario().with_model(model.pick());
            let report = scenario.report();
            for metric in Metric::ALL {
                let view = View::from_query("?embed=1&view=sensitivity");
                let shown = Analysis::new(&scenario, &report, &View { metric, ..view }).sensitivity;
                let caption = caption(&shown);
                assert!(
                    [" depends most on ", " depend most on "].iter().any(|words| caption.contains(words))
                        && caption.ends_with('.'),
                    "{caption}"
                );
                for knob in shown.knobs.iter().chain(&shown.unsure) {
                    for effect in [knob.tenth, knob.doubled].into_iter().flatten() {
                        let said = change(metric, shown.now, effect);
                        assert!(!said.contains("NaN") && !said.contains('('), "{said}");
                    }
                }
            }
        }
    }
}
