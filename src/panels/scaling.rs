//! The analysis below the timeline: roofline, scaling and sensitivity.

pub mod analysis;
pub mod sensitivity;

use std::rc::Rc;

use yew::prelude::*;

use self::analysis::{Analysis, use_analysis};
use crate::browser;
use crate::calculator::SettledProps;
use crate::components::figure::Figure;
use crate::components::how::how;
use crate::context::{PageContext, use_page};
use charts::spec::ChartSpec;

/// Note under the roofline.
const ROOFLINE: &str = "Discs: kernels alone, as large as their share of compute. Ring: the step with all that waits. Element-wise work and the \
     optimizer stand at one operation per element that they read or write.";
/// Note under the curves of scaling.
const SCALING: &str = "Dotted: does not fit. Weak: twice the GPUs take twice the tokens per step. Strong: the tokens of a step stay; gradient \
     accumulation shrinks first, then the micro-batch. Linear: as fast for each GPU as the scenario on screen.";

/// Roofline, scaling and sensitivity; computed once they are about to be seen, or after a pause if
/// they are far from the screen.
#[component]
pub fn AnalysisFigures(settled: &SettledProps) -> Html {
    let place = use_node_ref();
    let (seen, page) = (browser::use_seen(&place), use_page());
    let analysis = use_analysis(&settled.snapshot, &settled.report, seen || settled.rested);
    let figures = analysis.as_ref().map(|analysis| {
        html! { <>{ roofline(analysis, settled) }{ scaling(analysis, settled) }{ sensitivity(analysis, &page) }</> }
    });
    html! { <div class="figures wide closer" ref={place}>{ figures.unwrap_or_default() }</div> }
}

/// Renders the roofline.
pub fn roofline(analysis: &Analysis, settled: &SettledProps) -> Html {
    figure("roofline", analysis.roofline.as_ref(), ROOFLINE, settled)
}

/// Renders throughput on more GPUs.
pub fn scaling(analysis: &Analysis, settled: &SettledProps) -> Html {
    figure("scaling", analysis.scaling.as_ref(), SCALING, settled)
}

/// Renders the parameters that the result is most sensitive to.
pub fn sensitivity(analysis: &Analysis, page: &PageContext) -> Html {
    sensitivity::sensitivity(&analysis.sensitivity, page)
}

/// Renders a chart with a note under it.
fn figure(id: &'static str, spec: Option<&Rc<ChartSpec>>, note: &'static str, settled: &SettledProps) -> Html {
    let figure = spec.map(|spec| {
        let foot = how(note);
        html! {
            <Figure {id} spec={spec.clone()} snapshot={settled.snapshot.clone()} {foot} />
        }
    });
    figure.unwrap_or_default()
}
