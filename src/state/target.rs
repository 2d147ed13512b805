//! Settings that a select changes, with the action of each option.

use super::action::{Action, Pick};
use crate::view::{PlanQuestion, PlanView, SURE, View};
use analysis::experts::family::Family;
use catalog::releases::newest_first;
use catalog::{ACCELERATORS, CLUSTERS, MODELS};
use charts::timeline::{Level, Zoom};
use charts::views::{AgreementView, LayerView, Measure, Metric, every_axis};
use engine::params::ParamId;
use engine::scenario::CUSTOM;
use trace::RunStep;

/// The setting that a select changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectTarget {
    /// The horizontal axis of the map, by its place among all axes.
    MapX,
    /// The vertical axis of the map, by its place among all axes.
    MapY,
    /// The horizontal axis of the curves, by its place among all axes.
    CurveX,
    /// The metric of the curves.
    Metric,
    /// The step over which memory is shown.
    RunStep,
    /// The level of the timeline.
    TimelineLevel,
    /// The layer of experts: this scenario's, then the published ones.
    Layer,
    /// The horizontal axis of the layer of experts.
    LayerX,
    /// The family of choices that the layer of experts compares.
    LayerFamily,
    /// The measure that the figure of published rows compares.
    AgreementMeasure,
    /// The published rows that are shown.
    AgreementRows,
    /// The question of the plan.
    Question,
    /// The required odds of an answer.
    Sure,
    /// The GPU of the answers to a question about clusters: all, then those of the catalog.
    PlanGpu,
    /// The model: the ladder, then the catalog, then custom.
    Model,
    /// The GPU: the catalog, then custom.
    Accelerator,
    /// The cluster: the catalog, then custom.
    Cluster,
    /// The release of a training program: all of them, then none.
    Release,
}

impl SelectTarget {
    /// Returns the action of the option at an index, from the present view.
    pub fn action(self, view: View, place: usize) -> Action {
        let axis = || every_axis().nth(place).map_or(ParamId::SequenceLength, |param| param.id);
        Action::ChangeView(match self {
            Self::MapX => view.with_map_x(axis()),
            Self::MapY => view.with_map_y(axis()),
            Self::CurveX => view.with_curve_x(axis()),
            Self::Metric => View { metric: Metric::ALL.get(place).copied().unwrap_or_default(), ..view },
            Self::RunStep => View { step: RunStep::ALL.get(place).copied().unwrap_or_default(), ..view },
            Self::TimelineLevel => {
                let level = Level::ALL.get(place).copied().unwrap_or(Level::Step);
                View { zoom: Zoom::on(level, view.zoom.at), ..view }
            }
            Self::Layer => View { layer: LayerView { published: place.checked_sub(1), ..view.layer }, ..view },
            Self::LayerX => View { layer: LayerView { along: place, ..view.layer }, ..view },
            Self::LayerFamily => {
                let family = if place == 0 { Family::Pipelining } else { Family::Parallelism };
                View { layer: LayerView { family, ..view.layer }, ..view }
            }
            Self::AgreementMeasure => {
                let measure = Measure::ALL.get(place).copied().unwrap_or_default();
                View { agreement: AgreementView { measure, ..view.agreement }, ..view }
            }
            Self::AgreementRows => View { agreement: AgreementView { shown: place, ..view.agreement }, ..view },
            Self::Question => {
                let asked = PlanQuestion::ALL.get(place).copied().unwrap_or_default();
                View { plan: PlanView { asked, ..view.plan }, ..view }
            }
            Self::Sure => {
                let sure = SURE.get(place).copied().unwrap_or(view.plan.sure);
                View { plan: PlanView { sure, ..view.plan }, ..view }
            }
            Self::PlanGpu => {
                let gpu = place.checked_sub(1).and_then(|place| ACCELERATORS.get(place)).map(|entry| entry.id);
                View { plan: PlanView { gpu, ..view.plan }, ..view }
            }
            Self::Model => {
                let entry = |place: usize| Pick::Model(MODELS.get(place).map_or(CUSTOM, |entry| entry.id));
                return Action::Pick(place.checked_sub(1).map_or(Pick::Ladder, entry));
            }
            Self::Accelerator => {
                return Action::Pick(Pick::Accelerator(ACCELERATORS.get(place).map_or(CUSTOM, |entry| entry.id)));
            }
            Self::Cluster => {
                return Action::Pick(Pick::Cluster(CLUSTERS.get(place).map_or(CUSTOM, |entry| entry.id)));
            }
            Self::Release => {
                return Action::Pick(Pick::Release(newest_first().nth(place).map_or(CUSTOM, |release| release.id)));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_select_sets_what_its_option_names() {
        let view = View::default();
        let gpus = every_axis().position(|param| param.id == ParamId::Gpus).unwrap();
        let looks = |target: SelectTarget, place, wanted: View| {
            assert_eq!(target.action(view, place), Action::ChangeView(wanted), "{target:?}");
        };
        looks(SelectTarget::MapX, gpus, View { map_x: ParamId::Gpus, ..view });
        looks(SelectTarget::MapY, gpus, View { map_y: ParamId::Gpus, ..view });
        looks(SelectTarget::CurveX, gpus, View { curve_x: ParamId::Gpus, ..view });
        looks(SelectTarget::Metric, 1, View { metric: Metric::ALL[1], ..view });
        looks(SelectTarget::RunStep, 0, View { step: RunStep::First, ..view });
        looks(SelectTarget::Layer, 0, view);
        looks(SelectTarget::Layer, 2, View { layer: LayerView { published: Some(1), ..view.layer }, ..view });
        let picks = |target: SelectTarget, place, wanted| {
            assert_eq!(target.action(view, place), Action::Pick(wanted), "{target:?}");
        };
        picks(SelectTarget::Model, 0, Pick::Ladder);
        picks(SelectTarget::Model, 1, Pick::Model(MODELS[0].id));
        picks(SelectTarget::Model, 1 + MODELS.len(), Pick::Model(CUSTOM));
        picks(SelectTarget::Accelerator, ACCELERATORS.len(), Pick::Accelerator(CUSTOM));
        picks(SelectTarget::Cluster, 0, Pick::Cluster(CLUSTERS[0].id));
    }
}
