//! Memory and step in one line each, for the first screen: a bar by part, which leads to its figure.

use yew::prelude::*;

use crate::browser;
use charts::spec::BarSpec;
use engine::format;
use engine::model::report::{Report, TimeReport};
use engine::units::{Bytes, Seconds};

/// The accessible name of both.
const TITLE: &str = "At a glance";
/// What a line does.
const TO_FIGURE: &str = "To the figure";
/// Units of a drawing across its bar.
const ACROSS: f64 = 1000.0;
/// Shares of the step below which a part is not named.
const LEAST: f64 = 0.005;

/// The two lines.
pub fn glance(memory: &BarSpec, report: &Report) -> Html {
    let peak: f64 = memory.parts.iter().map(|(_, bytes)| bytes).sum();
    let parts = memory.parts.iter().map(|&(part, bytes)| (format!("part-{}", part as usize), bytes));
    let [at_peak, capacity] = [peak, memory.capacity].map(|bytes| format::bytes(Bytes::new(bytes)));
    let step = parts_of(report);
    let said: Vec<String> = step
        .iter()
        .filter(|(.., time)| *time > report.time.step * LEAST)
        .map(|(_, name, time)| format!("{name} {}", format::percent(*time / report.time.step)))
        .collect();
    let times = step.iter().map(|(class, _, time)| ((*class).to_owned(), time.get()));
    html! {
        <section class="glance" aria-label={TITLE}>
            { line("memory", "Memory", format!("{at_peak} of {capacity}"), parts, peak.max(memory.capacity), memory.capacity) }
            { line("waterfall", "Step", said.join(" · "), times, report.time.step.get(), f64::INFINITY) }
        </section>
    }
}

/// What the step consists of: class, name and time. The first is what the MFU counts; the parts add up to the step.
fn parts_of(report: &Report) -> [(&'static str, &'static str, Seconds); 5] {
    let time: &TimeReport = &report.time;
    // The MFU counts FLOPs that sliced or overlapping kernels need not take as long for.
    let useful = (time.step * report.mfu).min(time.compute);
    let launches = time.launch_bound.min(time.compute - useful);
    [
        ("of-useful", "model FLOPs", useful),
        ("of-compute", "other compute", time.compute - useful - launches),
        ("of-launches", "waiting for the host", launches),
        ("of-comm", "exposed communication", time.exposed_comm),
        ("of-bubble", "bubble", time.bubble),
    ]
}

/// A name, what the bar says, and the bar: parts over `whole`, with a mark at `limit`.
fn line(
    figure: &'static str,
    name: &'static str,
    says: String,
    parts: impl Iterator<Item = (String, f64)>,
    whole: f64,
    limit: f64,
) -> Html {
    let to = Callback::from(move |_: MouseEvent| browser::go_to(figure));
    let unit = ACROSS / whole;
    let mut left = 0.0;
    let drawn: Html = parts
        .map(|(class, size)| {
            let x = left;
            left += size * unit;
            html! { <rect {class} x={format!("{x:.1}")} width={format!("{:.1}", size * unit)} height="10" /> }
        })
        .collect();
    let mark = (limit < whole).then(|| format!("{:.1}", limit * unit));
    html! {
        <button type="button" onclick={to} title={TO_FIGURE}>
            <span class="glance-name">{ name }</span>{ " " }
            <span class="glance-says">{ says }</span>
            <svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
                { drawn }
                { for mark.map(|x| html! { <line x1={x.clone()} x2={x} y1="0" y2="10" /> }) }
            </svg>
        </button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::catalog::{SCENARIOS, default_scenario};
    use engine::share::decode;

    #[test]
    fn the_parts_add_up_to_the_step_and_none_is_negative() {
        let examples = SCENARIOS.iter().map(|entry| decode(entry.link).scenario);
        for scenario in examples.chain([default_scenario()]) {
            let report = scenario.report();
            let parts = parts_of(&report);
            let sum: f64 = parts.iter().map(|(.., time)| time.get()).sum();
            assert!((sum / report.time.step.get() - 1.0).abs() < 1e-9, "{scenario:?}");
            assert!(parts.iter().all(|(.., time)| time.get() >= -1e-12), "{parts:?}");
        }
    }
}
