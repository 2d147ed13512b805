//! Memory and step in one line each, for the first screen: a bar by part, which leads to its
//! figure.

use std::rc::Rc;

use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use crate::browser;
use crate::components::canvas::use_painted;
use crate::derived::step_parts;
use crate::panels::generation::COLOURS;
use charts::paint::Style;
use charts::palette::{Theme, part, step_share};
use charts::spec::BarSpec;
use charts_canvas::{Sheet, Strip, paint_strip};
use engine::format;
use engine::model::report::{MemoryPart, Report};
use engine::units::Bytes;

/// The accessible name of both.
const TITLE: &str = "At a glance";
/// What a line does.
const TO_FIGURE: &str = "To the figure";
/// Shares of the step below which a part is not named.
const LEAST: f64 = 0.01;

/// The two lines, and a third of the memory while a step generates.
pub fn glance(memory: &BarSpec, report: &Report, theme: Theme) -> Html {
    let [needed, cache, free] = [memory.needed(), memory.cache(), memory.free()];
    let whole = (needed + cache).max(memory.capacity);
    let [of, cache, free] = [needed, cache, free].map(|bytes| format::bytes(Bytes::new(bytes)));
    let sum = if needed <= memory.capacity {
        format!("{of} needed + {cache} cache + {free} free")
    } else {
        let [missing, capacity] =
            [needed - memory.capacity, memory.capacity].map(|bytes| format::bytes(Bytes::new(bytes)));
        format!("{of} needed, {missing} more than {capacity}")
    };
    let hatched = memory.parts.iter().position(|(part, _)| *part == MemoryPart::Cache);
    let parts = memory.parts.iter().map(|&(of, bytes)| (part(theme, of), bytes / whole)).collect();
    let of_memory = Strip { parts, hatched, limit: memory.capacity / whole };
    let step = step_parts(report);
    let share = |time| time / report.whole().time;
    let said: Vec<String> = step
        .iter()
        .filter(|(.., time)| share(*time) > LEAST)
        .map(|(_, name, time)| format!("{name} {}", format::percent(share(*time))))
        .collect();
    let generating = report.rollout.map(|rollout| {
        let memory = rollout.memory;
        let whole = memory.capacity.max(memory.total());
        let colours = COLOURS.map(|of| part(theme, of));
        let parts = memory.parts().into_iter().zip(colours).map(|((_, bytes), colour)| (colour, bytes / whole));
        let strip = Strip { parts: parts.collect(), hatched: None, limit: memory.capacity / whole };
        (format::bytes_of(memory.total(), memory.capacity), strip)
    });
    let times = step.iter().map(|&(of, _, time)| (step_share(theme, of), share(time))).collect();
    let of_step = Strip { parts: times, hatched: None, limit: 1.0 };
    html! {
        <section class="glance" aria-label={TITLE}>
            <Line figure="memory" name="Memory" says={sum} strip={of_memory} {theme} />
            <Line figure="waterfall" name="Step" says={said.join(" · ")} strip={of_step} {theme} />
            if let Some((says, strip)) = generating {
                <Line figure="generation" name="Memory while generating" {says} {strip} {theme} />
            }
        </section>
    }
}

/// What a line shows.
#[derive(PartialEq, Properties)]
struct LineProps {
    /// The figure that it leads to.
    figure: &'static str,
    /// Its name.
    name: &'static str,
    /// What the bar says.
    says: AttrValue,
    /// The bar.
    strip: Strip,
    /// Light or dark.
    theme: Theme,
}

fn paint(strip: &Strip, canvas: &HtmlCanvasElement, style: &Style) {
    // A canvas that cannot be painted leaves the words.
    let _ = Sheet::of_page(canvas).and_then(|sheet| paint_strip(strip, &sheet, style));
}

/// A name, what the bar says, and the bar: a canvas, as for a background or a drawing that changes
/// the browser resolves every colour or makes its layers anew.
#[component]
fn Line(LineProps { figure, name, says, strip, theme }: &LineProps) -> Html {
    let canvas = use_node_ref();
    let printing = browser::use_printing();
    let theme = if printing { Theme::Light } else { *theme };
    use_painted(&canvas, &Rc::new(strip.clone()), theme, Some(paint));
    let figure = *figure;
    let to = Callback::from(move |_: MouseEvent| browser::go_to(figure));
    html! {
        <button type="button" onclick={to} title={TO_FIGURE}>
            <span class="glance-name">{ *name }</span>{ " " }
            <span class="glance-says">{ says }</span>
            <canvas ref={canvas} class="glance-bar" aria-hidden="true" />
        </button>
    }
}
