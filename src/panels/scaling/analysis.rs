//! Figures below the timeline: roofline, scaling and sensitivity.

use std::rc::Rc;

use yew::prelude::*;

use crate::components::latest::use_due;
use crate::snapshot::Snapshot;
use crate::view::{Panel, View};
use analysis::sensitivity::{Knob, Knobs, strongest};
use analysis::sweep::Sample;
use charts::spec::ChartSpec;
use charts::views::{self, Metric};
use engine::model::report::Report;
use engine::scenario::Scenario;

/// Number of rows: of parameters that can be set, and of those that the prediction is unsure of.
const ROWS: [usize; 2] = [7, 4];

/// Figures of the settled scenario; only those that the view shows.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The roofline.
    pub roofline: Option<Rc<ChartSpec>>,
    /// Throughput on more GPUs.
    pub scaling: Option<Rc<ChartSpec>>,
    /// Parameters that the result is most sensitive to.
    pub sensitivity: Sensitivity,
}

/// Parameters that move a metric most.
#[derive(Clone, Debug)]
pub struct Sensitivity {
    /// The metric.
    pub metric: Metric,
    /// Value of the metric for the scenario.
    pub now: f64,
    /// Whether the scenario fits.
    pub fits: bool,
    /// Parameters that can be set, the strongest first.
    pub knobs: Vec<Knob>,
    /// Parameters that the prediction is unsure of, the strongest first.
    pub unsure: Vec<Knob>,
}

impl Analysis {
    /// Analyses a scenario and its report, for the figures that the view shows.
    pub fn new(scenario: &Scenario, report: &Report, view: &View) -> Self {
        // Twice the peak halves the MFU of a step that the network limits, but slows nothing: the
        // throughput is measured instead.
        let metric = if view.metric == Metric::Mfu { Metric::TokensPerSecond } else { view.metric };
        let measure = |scenario: &Scenario, sample: &Sample| metric.value(sample, scenario);
        let shown = view.shows(Panel::Sensitivity);
        let most = |knobs, count| if shown { strongest(scenario, (knobs, count), &measure) } else { Vec::new() };
        Self {
            roofline: view.shows(Panel::Roofline).then(|| Rc::new(views::roofline(scenario))),
            scaling: view.shows(Panel::Scaling).then(|| Rc::new(views::scaling_curves(scenario))),
            sensitivity: Sensitivity {
                metric,
                now: measure(scenario, &Sample::from_report(report)),
                fits: report.fits(),
                knobs: most(Knobs::Levers, ROWS[0]),
                unsure: most(Knobs::Unsure, ROWS[1]),
            },
        }
    }
}

/// Returns the analysis of the settled scenario and its report, computed anew once `due`; until
/// then, the last analysis.
#[hook]
pub fn use_analysis(settled: &Snapshot, report: &Report, due: bool) -> Option<Rc<Analysis>> {
    let Snapshot { scenario, view, .. } = settled;
    use_due((*scenario, view.metric, view.panels), due, |_| Analysis::new(scenario, report, view))
}
