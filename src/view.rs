//! The view (theme, axes, overlays) in the query of a link. The scenario is in its fragment.

mod panels;
mod plan;
mod query;
mod tab;

use charts::timeline::Zoom;
use charts::views::{AgreementView, BEST_AXES, LayerView, Metric, part_of_axis};
use charts::zoom::{self, VisibleRange};
use engine::params::ParamId;
use engine::scenario::Scenario;
pub use panels::{Controls, Panel, Panels};
pub use plan::{PlanQuestion, PlanView, SURE};
pub use tab::{Door, Tab};
use trace::RunStep;

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    /// As the system prefers.
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl ThemeChoice {
    /// Returns the name of the theme in links and in storage.
    pub fn key(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Returns the theme with this name.
    pub fn from_key(key: &str) -> Option<Self> {
        [Self::Auto, Self::Light, Self::Dark].into_iter().find(|choice| choice.key() == key)
    }
}

/// View settings: theme, axes, panels and overlays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Light or dark.
    pub theme: ThemeChoice,
    /// Whether this is a figure in another page ([`crate::embed`]).
    pub embed: bool,
    /// Panels that the link names. An embed shows only these; the page opens the tab of the first.
    pub panels: Panels,
    /// The controls of an embed.
    pub controls: Controls,
    /// The parameter across the map.
    pub map_x: ParamId,
    /// The parameter up the map.
    pub map_y: ParamId,
    /// The parameter across the curves.
    pub curve_x: ParamId,
    /// Visible part of the map's axes, horizontal and vertical; `None` for a whole axis.
    pub map_part: [Option<VisibleRange>; 2],
    /// Visible part of [`BEST_AXES`], horizontal and vertical; `None` for a whole axis.
    pub best_part: [Option<VisibleRange>; 2],
    /// Visible part of the curves' axis; `None` for the whole axis.
    pub curve_part: Option<VisibleRange>,
    /// Metric of the curves.
    pub metric: Metric,
    /// Whether the closed-form FSDP bounds are drawn over the figures.
    pub bounds: bool,
    /// The step over which memory is shown.
    pub step: RunStep,
    /// Settings of the figure of one layer of experts.
    pub layer: LayerView,
    /// Settings of the plan.
    pub plan: PlanView,
    /// Key of the open explanation; empty if none is open.
    pub why: &'static str,
    /// Key of the explanation that was opened on its number, if links in it led to the open one;
    /// empty otherwise. Not part of links.
    pub why_from: &'static str,
    /// Published rows that are shown; not part of links, because sources come and go.
    pub agreement: AgreementView,
    /// Part of a step that the timeline shows; not part of links, because positions depend on the
    /// scenario.
    pub zoom: Zoom,
}

impl Default for View {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::Auto,
            embed: false,
            panels: Panels::default(),
            controls: Controls::default(),
            map_x: ParamId::SequenceLength,
            map_y: ParamId::ModelSize,
            curve_x: ParamId::LinkBandwidth,
            map_part: [None; 2],
            best_part: [None; 2],
            curve_part: None,
            metric: Metric::Mfu,
            bounds: true,
            step: RunStep::default(),
            layer: LayerView::default(),
            plan: PlanView::default(),
            why: "",
            why_from: "",
            agreement: AgreementView::default(),
            zoom: Zoom::WHOLE,
        }
    }
}

impl View {
    /// Returns the panels of an embed: those that the link names, else the verdict, the map and the
    /// curves.
    pub fn embedded(&self) -> Panels {
        if self.panels == Panels::default() {
            return Panels::from_panels(&[Panel::Verdict, Panel::Map, Panel::Curve]);
        }
        self.panels
    }

    /// Returns the view as links to others hold it, without the reader's theme.
    #[must_use]
    pub fn without_theme(self) -> Self {
        Self { theme: ThemeChoice::Auto, ..self }
    }

    /// Returns the view for a page of its own, outside an embed.
    #[must_use]
    pub fn alone(self) -> Self {
        Self { embed: false, controls: Controls::default(), ..self.without_theme() }
    }

    /// Returns the view with an explanation opened, or closed if it was open.
    #[must_use]
    pub fn explaining(self, key: &'static str) -> Self {
        Self { why: if key == self.why { "" } else { key }, why_from: "", ..self }
    }

    /// Returns the view with the explanation that a link in the open one leads to. The way back
    /// leads to the explanation that was opened on its number.
    #[must_use]
    pub fn following(self, key: &'static str) -> Self {
        let root = self.why_root();
        Self { why: key, why_from: if key == root { "" } else { root }, ..self }
    }

    /// Returns the key of the explanation that was opened on its number.
    pub fn why_root(&self) -> &'static str {
        if self.why_from.is_empty() { self.why } else { self.why_from }
    }

    /// Returns the view with another parameter across the map. If the parameter is up the map
    /// already, the axes are exchanged.
    #[must_use]
    pub fn with_map_x(self, key: ParamId) -> Self {
        let [across, up] = self.map_part;
        let (map_y, map_part) = if key == self.map_y { (self.map_x, [up, across]) } else { (self.map_y, [None, up]) };
        if key == self.map_x { self } else { Self { map_x: key, map_y, map_part, ..self } }
    }

    /// Returns the view with another parameter up the map. If the parameter is across the map
    /// already, the axes are exchanged.
    #[must_use]
    pub fn with_map_y(self, key: ParamId) -> Self {
        let [across, up] = self.map_part;
        let (map_x, map_part) =
            if key == self.map_x { (self.map_y, [up, across]) } else { (self.map_x, [across, None]) };
        if key == self.map_y { self } else { Self { map_x, map_y: key, map_part, ..self } }
    }

    /// Returns the view with another parameter across the curves.
    #[must_use]
    pub fn with_curve_x(self, key: ParamId) -> Self {
        if key == self.curve_x { self } else { Self { curve_x: key, curve_part: None, ..self } }
    }

    /// Returns the view with visible parts clipped to the scenario's axes; parts that cover a whole
    /// axis are dropped.
    #[must_use]
    pub fn bounded(self, scenario: &Scenario) -> Self {
        let within = |key, part: Option<VisibleRange>| part.and_then(|part| part_of_axis(scenario, key, part));
        let ([across, up], [link, memory]) = (self.map_part, self.best_part);
        let [of_link, of_memory] = BEST_AXES;
        let of_step = self.zoom.part.and_then(|part| zoom::bounded(part, (0.0, 1.0)));
        Self {
            map_part: [within(self.map_x, across), within(self.map_y, up)],
            best_part: [within(of_link, link), within(of_memory, memory)],
            curve_part: within(self.curve_x, self.curve_part),
            zoom: Zoom { part: of_step, ..self.zoom },
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_kept_within_the_axes_of_the_scenario() {
        let scenario = catalog::default_scenario();
        let bounded =
            |low, high| View { curve_part: Some((low, high)), ..View::default() }.bounded(&scenario).curve_part;
        assert_eq!(bounded(1.0, 100.0), Some((10.0, 100.0)));
        assert_eq!(bounded(1.0, 1e9), None);
        assert_eq!(bounded(1e8, 1e9), None);
        let zoom = Zoom { part: Some((-0.5, 0.25)), ..Zoom::WHOLE };
        assert_eq!(View { zoom, ..View::default() }.bounded(&scenario).zoom.part, Some((0.0, 0.25)));
    }

    #[test]
    fn the_axes_are_never_the_same() {
        let view = View::default().with_map_x(ParamId::ModelSize);
        assert_eq!((view.map_x, view.map_y), (ParamId::ModelSize, ParamId::SequenceLength));
        assert_eq!(View::from_query("?map=mem.mem").map_x, ParamId::SequenceLength);
    }
}
