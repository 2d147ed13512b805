//! Names of a figure's colours, dashes and hatching, in HTML.

use yew::prelude::*;

use super::explain_button::ExplainButton;
use charts::names;
use charts::palette::{self, Pattern};
use charts::readout::Entry;
use charts::spec::{ChartSpec, LineRole, Mark, Polyline};
use engine::model::report::Work;
use explain::work_card_key;

/// Name of the map's hatching.
const DOES_NOT_FIT: &str = "does not fit";
/// Name of the range around a prediction.
pub const BAND: &str = "Range of 80 % of measurements";
/// Help for the range around a prediction.
pub const BAND_HELP: &str = "80 % of the published measurements that no constant was fitted on lie in this range.";

/// Renders samples with their names, and the values of lines at the place of the readout.
pub fn legend(spec: &ChartSpec, id: &str, values: &[Entry]) -> Html {
    let valued = !spec.lines.is_empty() && spec.field.is_none();
    html! {
        <ul class={if valued { "legend valued" } else { "legend" }}>
            { for spec.field.as_ref().map(|_| hatching(id)) }
            { for spec.lanes.iter().flat_map(|lanes| &lanes.sums).map(|&(work, _)| work_item(work)) }
            { for spec.lines.iter().map(|line| item(line, values, valued)) }
            { for spec.marks.iter().filter(|mark| spec.marks.len() <= MARKS && !mark.role.is_kind()).enumerate().map(mark) }
            { for spec.lines.iter().filter(|line| line.band.is_some()).map(|line| band(line, id)) }
        </ul>
    }
}

/// Maximum number of marks in a list.
const MARKS: usize = 16;

/// Renders a mark's disc and name.
fn mark((place, mark): (usize, &Mark)) -> Html {
    html! {
        <li key={["mark ", &place.to_string()].concat()}>
            <svg class="sample" viewBox="0 0 22 12" aria-hidden="true">
                <circle class={mark.role.class()} cx="11" cy="6" r={if mark.fits { "2.5" } else { "4" }} stroke-width={if mark.fits { "5" } else { "2" }} fill="none" />
            </svg>
            <span class="line-name">{ &mark.name }</span>
        </li>
    }
}

/// Renders a line's sample and name, and in a legend with values the line's own value, if there is
/// one. The scenario's own line keeps its key whatever its strategy, so that a slider changes
/// only texts.
fn item(line: &Polyline, values: &[Entry], valued: bool) -> Html {
    let key = match line.role {
        LineRole::Current(_) => "own".to_string(),
        role => role.class() + &line.name,
    };
    let value = values.iter().find(|entry| entry.role == Some(line.role)).map(|entry| entry.value.clone());
    let now = line.role.is_own().then_some("now");
    let none = line.segments.is_empty().then_some("none");
    html! {
        <li {key} class={classes!(now, none)}>
            <Sample role={line.role} />
            <span class="line-name">{ &line.name }</span>
            if valued { <span class="value">{ value.unwrap_or_default() }</span> }
        </li>
    }
}

/// Renders the colour, pattern and name of a kind of work.
fn work_item(work: Work) -> Html {
    let lines = match palette::pattern(work) {
        Pattern::Plain => "",
        Pattern::Hatched => "M0 6 6 0M2 12 14 0M10 12 22 0M18 12 22 8",
        Pattern::Ruled => "M0 3H22M0 9H22",
    };
    // Each of these two kinds shares a card with the kind before it.
    let asked = !matches!(work, Work::Combine | Work::EmbeddingBackward);
    html! {
        <li key={names::work(work)} class={asked.then_some("asked")}>
            <svg class="sample" viewBox="0 0 22 12" aria-hidden="true">
                <rect class={format!("work-{}", work as usize)} width="22" height="12" />
                <path class="over" d={lines} />
            </svg>
            { names::work(work) }
            if asked {
                <ExplainButton card={work_card_key(work)} what={names::work(work)} />
            }
        </li>
    }
}

/// Renders the band around a line.
fn band(line: &Polyline, id: &str) -> Html {
    let asked = id == "curve";
    html! {
        <li key={["band ", &line.role.class()].concat()} title={BAND_HELP} class={asked.then_some("asked")}>
            <svg class="sample band" viewBox="0 0 22 12" aria-hidden="true">
                <line class={line.role.class()} x1="0" x2="22" y1="6" y2="6" stroke-width="12" />
            </svg>
            <span class="line-name">{ BAND }</span>
            if asked {
                <ExplainButton card="range" what={BAND} />
            }
        </li>
    }
}

/// Role of the line in a sample.
#[derive(PartialEq, Properties)]
struct SampleProps {
    role: LineRole,
}

/// The colour and dashes of a line, drawn once.
#[component]
fn Sample(&SampleProps { role }: &SampleProps) -> Html {
    if let LineRole::Held(held) = role {
        return html! {
            <svg class="sample" viewBox="0 0 22 12" aria-hidden="true"><rect class={held.class()} width="22" height="12" /></svg>
        };
    }
    let dashes: Vec<String> = palette::dashes(role).iter().copied().map(|value: f64| value.to_string()).collect();
    let dashes = (!dashes.is_empty()).then(|| dashes.join(" "));
    html! {
        <svg class="sample" viewBox="0 0 22 12" aria-hidden="true">
            <line class={role.class()} x1="0" x2="22" y1="6" y2="6" stroke-width={palette::width(role).to_string()}
                stroke-dasharray={dashes} />
        </svg>
    }
}

/// Renders the hatching of configurations that do not fit; the figure itself has its colour scale.
fn hatching(id: &str) -> Html {
    let hatch = format!("{id}-hatch");
    html! {
        <li key="hatching">
            <svg class="sample" viewBox="0 0 22 12" aria-hidden="true">
                <defs>
                    <pattern id={hatch.clone()} width="6" height="6" patternUnits="userSpaceOnUse">
                        <path class="hatch-over" d="M0 6 6 0" />
                    </pattern>
                </defs>
                <rect class="hatch-under" width="22" height="12" />
                <rect width="22" height="12" fill={format!("url(#{hatch})")} />
            </svg>
            { DOES_NOT_FIT }
        </li>
    }
}
