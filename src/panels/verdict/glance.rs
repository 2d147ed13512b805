//! Memory and step in one line each, for the first screen: a bar by part.

use std::rc::Rc;

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use super::step_parts::{SLOWED, WAITING, step_parts};
use crate::calculator::Calculator;
use crate::components::canvas::use_painted;
use crate::context::use_page;
use crate::panels::memory::generation::COLOURS;
use charts::paint::Style;
use charts::palette::{Theme, part, step_share};
use charts::spec::BarSpec;
use charts::views;
use charts_canvas::{Sheet, Strip, paint_strip};
use engine::format;
use engine::model::report::{MemoryPart, Report};
use engine::params::Unit;
use engine::units::Bytes;

/// Share of the step below which a part is not named.
const LEAST: f64 = 0.01;

/// The lines of the first screen.
#[derive(Default)]
pub struct Bars {
    /// Memory at the peak: needed, cache and free.
    pub memory: Html,
    /// The time of a step by part.
    pub step: Html,
    /// Memory while a step generates; empty if no step does.
    pub generating: Html,
}

/// Renders the lines of the scenario on screen.
pub fn bars(Calculator { derived, page, .. }: &Calculator) -> Bars {
    let (memory, report, theme) = (&derived.memory, &derived.report, page.theme);
    let [needed, cache, free] = [memory.needed(), memory.cache(), memory.free()];
    let gib = |bytes: f64| format::value(Unit::Gib, Bytes::new(bytes).gib());
    let number = |bytes: f64| gib(bytes).trim_end_matches(|letter: char| !letter.is_ascii_digit()).to_owned();
    let sum = if needed <= memory.capacity {
        format!("{} + {} cache + {} free", number(needed), number(cache), gib(free))
    } else {
        format!("{} needed, {} too much", number(needed), gib(needed - memory.capacity))
    };
    let generating = report.rollout.map(|rollout| {
        let memory = rollout.memory;
        let whole = memory.capacity.max(memory.total());
        let colours = COLOURS.map(|of| part(theme, of));
        let parts = memory.parts().into_iter().zip(colours).map(|((_, bytes), colour)| (colour, bytes / whole));
        let strip = Strip { parts: parts.collect(), hatched: None, limit: memory.capacity / whole };
        (format::bytes_of(memory.total(), memory.capacity), strip)
    });
    let line = |name: &'static str, says: String, strip: Strip| html! { <Line {name} {says} {strip} /> };
    Bars {
        memory: line("Memory", sum, memory_strip(memory, theme)),
        step: line("Step", step_words(report), step_strip(report, theme)),
        generating: generating.map(|(says, strip)| line("Memory while generating", says, strip)).unwrap_or_default(),
    }
}

/// Writes the step by part, with the network's two parts in one account:
/// `useful 50 % · other compute 34 % · network 16 %: 13 % slowed kernels, 2 % waiting`.
pub fn step_words(report: &Report) -> String {
    let percent = |share: f64| format!("{:.0}{}%", 1e2 * share, format::THIN_SPACE);
    let parts = step_parts(report).into_iter().map(|(_, name, time)| (name, time / report.whole().time));
    let (network, others): (Vec<_>, Vec<_>) = parts.partition(|(name, _)| [SLOWED, WAITING].contains(name));
    let mut said: Vec<String> = others
        .iter()
        .filter(|(_, share)| *share > LEAST)
        .map(|(name, share)| format!("{name} {}", percent(*share)))
        .collect();
    let cost: f64 = network.iter().map(|(_, share)| share).sum();
    if cost > LEAST {
        let parts: Vec<String> = network.iter().map(|(name, share)| format!("{} {name}", percent(*share))).collect();
        said.push(format!("network {}: {}", percent(cost), parts.join(", ")));
    }
    said.join(" · ")
}

/// Returns the memory at the peak by part, up to the capacity or to the memory needed.
fn memory_strip(memory: &BarSpec, theme: Theme) -> Strip {
    let whole = (memory.needed() + memory.cache()).max(memory.capacity);
    let hatched = memory.parts.iter().position(|(part, _)| *part == MemoryPart::Cache);
    let parts = memory.parts.iter().map(|&(of, bytes)| (part(theme, of), bytes / whole)).collect();
    Strip { parts, hatched, limit: memory.capacity / whole }
}

/// Returns the time of a step by part.
fn step_strip(report: &Report, theme: Theme) -> Strip {
    let times = step_parts(report).into_iter().map(|(of, _, time)| (step_share(theme, of), time / report.whole().time));
    Strip { parts: times.collect(), hatched: None, limit: 1.0 }
}

/// Renders memory and step of a run as two bars without words.
pub fn thumbnail(report: &Report, theme: Theme) -> Html {
    let strips = [memory_strip(&views::memory_bar(report), theme), step_strip(report, theme)];
    html! { <div class="thumbnail">{ for strips.map(|strip| html! { <Drawn {strip} /> }) }</div> }
}

/// Values of a line.
#[derive(PartialEq, Properties)]
struct LineProps {
    /// Name.
    name: &'static str,
    /// Text of the bar.
    says: AttrValue,
    /// The bar.
    strip: Strip,
}

fn paint(strip: &Strip, canvas: &HtmlCanvasElement, style: &Style) {
    // If the canvas cannot be painted, the words remain.
    let _ = Sheet::from_page_canvas(canvas).and_then(|sheet| paint_strip(strip, &sheet, style));
}

/// Values of a bar.
#[derive(PartialEq, Properties)]
struct DrawnProps {
    /// The bar.
    strip: Strip,
}

/// A bar. It is a canvas, because for a changing background or drawing the browser resolves every
/// colour, or rebuilds its layers.
#[component]
fn Drawn(DrawnProps { strip }: &DrawnProps) -> Html {
    let (canvas, page) = (use_node_ref(), use_page());
    use_painted(&canvas, &Rc::new(strip.clone()), page.painted_theme(), Some(paint));
    html! { <canvas ref={canvas} class="glance-bar" aria-hidden="true" /> }
}

/// A name, the text of the bar, and the bar.
#[component]
fn Line(LineProps { name, says, strip }: &LineProps) -> Html {
    html! {
        <p class="glance">
            <span class="glance-name">{ *name }</span>{ " " }
            <span class="glance-says">{ says }</span>
            <Drawn strip={strip.clone()} />
        </p>
    }
}
