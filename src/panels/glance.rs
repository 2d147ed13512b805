//! Memory and step in one line each, for the first screen: a bar by part, which leads to its figure.

use yew::prelude::*;

use crate::browser;
use crate::derived::step_parts;
use charts::spec::BarSpec;
use engine::format;
use engine::model::report::Report;
use engine::units::Bytes;

/// The accessible name of both.
const TITLE: &str = "At a glance";
/// What a line does.
const TO_FIGURE: &str = "To the figure";
/// Shares of the step below which a part is not named.
const LEAST: f64 = 0.005;

/// The two lines.
pub fn glance(memory: &BarSpec, report: &Report) -> Html {
    let peak: f64 = memory.parts.iter().map(|(_, bytes)| bytes).sum();
    let parts = memory.parts.iter().map(|&(part, bytes)| (format!("--part-{}", part as usize), bytes));
    let [at_peak, capacity] = [peak, memory.capacity].map(|bytes| format::bytes(Bytes::new(bytes)));
    let step = step_parts(report);
    let said: Vec<String> = step
        .iter()
        .filter(|(.., time)| *time > report.time.step * LEAST)
        .map(|(_, name, time)| format!("{name} {}", format::percent(*time / report.time.step)))
        .collect();
    let times = step.iter().map(|(colour, _, time)| ((*colour).to_owned(), time.get()));
    html! {
        <section class="glance" aria-label={TITLE}>
            { line("memory", "Memory", format!("{at_peak} of {capacity}"), parts, peak.max(memory.capacity), memory.capacity) }
            { line("waterfall", "Step", said.join(" · "), times, report.time.step.get(), f64::INFINITY) }
        </section>
    }
}

/// A name, what the bar says, and the bar: parts over `whole`, each with the name of its colour, with a mark at `limit`.
fn line(
    figure: &'static str,
    name: &'static str,
    says: String,
    parts: impl Iterator<Item = (String, f64)>,
    whole: f64,
    limit: f64,
) -> Html {
    let to = Callback::from(move |_: MouseEvent| browser::go_to(figure));
    let background: AttrValue = bar(parts.map(|(colour, size)| (colour, size / whole)), limit / whole).into();
    html! {
        <button type="button" onclick={to} title={TO_FIGURE}>
            <span class="glance-name">{ name }</span>{ " " }
            <span class="glance-says">{ says }</span>
            <Bar {background} />
        </button>
    }
}

/// The background that is a bar of these shares, and a mark at `limit` where that is less than 1. As a background it is painted anew
/// without anything being laid out or put on another layer, as elements of a drawing would be.
fn bar(parts: impl Iterator<Item = (String, f64)>, limit: f64) -> String {
    let mut at = 0.0;
    let stops: Vec<String> = parts
        .map(|(colour, share)| {
            let from = at;
            at += PERCENT * share;
            format!("var({colour}) {from:.1}% calc({at:.1}% - 1px), var(--surface) calc({at:.1}% - 1px) {at:.1}%")
        })
        .collect();
    let parts = format!("linear-gradient(to right, {}, transparent {at:.1}%)", stops.join(", "));
    if limit >= 1.0 {
        return parts;
    }
    let [from, to] = [-1, 1].map(|side| format!("calc({:.1}% + {side}px)", PERCENT * limit));
    format!("linear-gradient(to right, transparent {from}, var(--wrong) {from} {to}, transparent {to}), {parts}")
}

const PERCENT: f64 = 100.0;

/// What a bar is drawn with.
#[derive(PartialEq, Properties)]
struct BarProps {
    background: AttrValue,
}

#[component]
fn Bar(props: &BarProps) -> Html {
    let bar = use_node_ref();
    browser::use_background(&bar, &props.background);
    html! { <span ref={bar} class="glance-bar" aria-hidden="true"></span> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_its_parts_side_by_side_and_a_mark_at_the_limit() {
        let parts = || [("--part-0".to_owned(), 0.25), ("--part-1".to_owned(), 0.5)].into_iter();
        assert_eq!(
            bar(parts(), 2.0),
            "linear-gradient(to right, var(--part-0) 0.0% calc(25.0% - 1px), var(--surface) calc(25.0% - 1px) 25.0%, \
             var(--part-1) 25.0% calc(75.0% - 1px), var(--surface) calc(75.0% - 1px) 75.0%, transparent 75.0%)"
        );
        assert!(
            bar(parts(), 0.5).starts_with("linear-gradient(to right, transparent calc(50.0% + -1px), var(--wrong)")
        );
    }
}
