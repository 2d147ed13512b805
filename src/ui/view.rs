//! What is looked at, as opposed to what is computed: theme, axes, overlays. It stands in the query of a link.

use crate::catalog::expert_layers::EXPERT_LAYERS;
use crate::chart::timeline::Zoom;
use crate::chart::views::{ALONG, AgreementView, LayerView, Metric, every_axis};
use crate::explain::{self, Card};
use crate::plan::experts::family::Family;

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    /// As the system says.
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl ThemeChoice {
    /// Its name in links and in storage.
    pub fn key(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The choice of this name.
    pub fn from_key(key: &str) -> Option<Self> {
        [Self::Auto, Self::Light, Self::Dark].into_iter().find(|choice| choice.key() == key)
    }
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Light or dark.
    pub theme: ThemeChoice,
    /// The parameter across the map.
    pub map_x: &'static str,
    /// The parameter up the map.
    pub map_y: &'static str,
    /// The parameter across the curves.
    pub curve_x: &'static str,
    /// What the curves show.
    pub metric: Metric,
    /// Whether the closed-form FSDP bounds are drawn over the figures.
    pub bounds: bool,
    /// What the figure of one layer of experts shows.
    pub layer: LayerView,
    /// The card that says why, by its name; empty where none is open.
    pub why: &'static str,
    /// The card that it was opened from; no link holds it.
    pub why_from: &'static str,
    /// Which published rows are shown; no link holds it, as sources come and go.
    pub agreement: AgreementView,
    /// What part of a step the timeline shows; no link holds it, as places move with the scenario.
    pub zoom: Zoom,
}

impl Default for View {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::Auto,
            map_x: "seq",
            map_y: "size",
            curve_x: "link",
            metric: Metric::Mfu,
            bounds: true,
            layer: LayerView::default(),
            why: "",
            why_from: "",
            agreement: AgreementView::default(),
            zoom: Zoom::WHOLE,
        }
    }
}

impl View {
    /// Reads the query of a link; what is unknown there is not ours and stays at its default.
    pub fn from_query(query: &str) -> Self {
        let mut view = Self::default();
        for pair in query.trim_start_matches('?').split('&') {
            let Some((key, value)) = pair.split_once('=') else { continue };
            match key {
                "theme" => view.theme = ThemeChoice::from_key(value).unwrap_or_default(),
                "map" => {
                    if let Some((x, y)) = value.split_once('.').and_then(|(x, y)| Some((axis(x)?, axis(y)?)))
                        && x != y
                    {
                        (view.map_x, view.map_y) = (x, y);
                    }
                }
                "curve" => view.curve_x = axis(value).unwrap_or(view.curve_x),
                "metric" => {
                    view.metric = Metric::ALL.into_iter().find(|metric| metric.key() == value).unwrap_or_default();
                }
                "bounds" if value == "0" => view.bounds = false,
                "why" => view.why = explain::card(value).map_or("", Card::key),
                "layer" => view.layer = layer(value),
                _ => {}
            }
        }
        view
    }

    /// The query of a link: only what differs from the default, with the leading `?`, or nothing.
    pub fn query(&self) -> String {
        let default = Self::default();
        let mut pairs = Vec::new();
        if self.theme != default.theme {
            pairs.push(format!("theme={}", self.theme.key()));
        }
        if (self.map_x, self.map_y) != (default.map_x, default.map_y) {
            pairs.push(format!("map={}.{}", self.map_x, self.map_y));
        }
        if self.curve_x != default.curve_x {
            pairs.push(format!("curve={}", self.curve_x));
        }
        if self.metric != default.metric {
            pairs.push(format!("metric={}", self.metric.key()));
        }
        if !self.bounds {
            pairs.push("bounds=0".into());
        }
        if self.layer != default.layer {
            pairs.push(layer_text(self.layer));
        }
        if !self.why.is_empty() {
            pairs.push(format!("why={}", self.why));
        }
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    }

    /// The same view with the card of a number open; closed where it was.
    #[must_use]
    pub fn asking(self, key: &'static str) -> Self {
        Self { why: if key == self.why { "" } else { key }, why_from: "", ..self }
    }

    /// The same view with the card that a link of the open one leads to; the way back is to the number.
    #[must_use]
    pub fn following(self, key: &'static str) -> Self {
        let root = self.why_root();
        Self { why: key, why_from: if key == root { "" } else { root }, ..self }
    }

    /// The card whose number is asked about.
    pub fn why_root(&self) -> &'static str {
        if self.why_from.is_empty() { self.why } else { self.why_from }
    }

    /// The same view with another parameter across the map; the axes change places rather than be the same.
    #[must_use]
    pub fn with_map_x(self, key: &'static str) -> Self {
        let map_y = if key == self.map_y { self.map_x } else { self.map_y };
        Self { map_x: key, map_y, ..self }
    }

    /// The same view with another parameter up the map; the axes change places rather than be the same.
    #[must_use]
    pub fn with_map_y(self, key: &'static str) -> Self {
        let map_x = if key == self.map_x { self.map_y } else { self.map_x };
        Self { map_x, map_y: key, ..self }
    }
}

/// The key of an axis, if it is one.
pub fn axis(key: &str) -> Option<&'static str> {
    every_axis().map(|param| param.key).find(|axis| *axis == key)
}

/// Of the layer's choices, degrees of parallelism in a link; chunks are what is not said.
const DEGREES: &str = "degrees";

/// The layer of experts that a link shows, by its parts in any order; what is unknown stays at its default.
fn layer(value: &str) -> LayerView {
    let mut view = LayerView::default();
    for part in value.split('.') {
        view.published = EXPERT_LAYERS.iter().position(|entry| entry.id == part).or(view.published);
        view.along = ALONG.iter().position(|along| along.1 == part).unwrap_or(view.along);
        if part == DEGREES {
            view.family = Family::Parallelism;
        }
    }
    view
}

/// The same, as a pair of the query.
fn layer_text(view: LayerView) -> String {
    let published = view.published.and_then(|place| EXPERT_LAYERS.get(place)).map(|entry| entry.id);
    let along = ALONG.get(view.along).map(|along| along.1);
    let degrees = (view.family == Family::Parallelism).then_some(DEGREES);
    let parts: Vec<&str> = [published, along, degrees].into_iter().flatten().collect();
    format!("layer={}", parts.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_survives_its_query() {
        let view =
            View { theme: ThemeChoice::Dark, curve_x: "gpus", bounds: false, ..View::default() }.with_map_x("mem");
        assert_eq!(View::from_query(&view.query()), view);
        assert_eq!(View::default().query(), "");
    }

    #[test]
    fn every_axis_and_metric_survives_its_query() {
        for param in every_axis() {
            for metric in Metric::ALL {
                let view = View { curve_x: param.key, metric, ..View::default() }.with_map_y(param.key);
                assert_eq!(View::from_query(&view.query()), view);
            }
        }
        let old = View::from_query("?map=gpus.mem&curve=seq&metric=tokens");
        assert_eq!((old.map_x, old.map_y, old.curve_x, old.metric), ("gpus", "mem", "seq", Metric::TokensPerSecond));
        assert_eq!(View::from_query("?metric=beauty&curve=strategy&map=recipe.seq"), View::default());
    }

    #[test]
    fn every_layer_of_experts_survives_its_query() {
        for published in core::iter::once(None).chain((0..EXPERT_LAYERS.len()).map(Some)) {
            for along in 0..ALONG.len() {
                for family in [Family::Parallelism, Family::Pipelining] {
                    let view = View { layer: LayerView { published, along, family }, ..View::default() };
                    assert_eq!(View::from_query(&view.query()), view);
                }
            }
        }
        assert_eq!(View::from_query("?layer=nobody.nothing").layer, LayerView::default());
    }

    #[test]
    fn the_axes_are_never_the_same() {
        let view = View::default().with_map_x("size");
        assert_eq!((view.map_x, view.map_y), ("size", "seq"));
        assert_eq!(View::from_query("?map=mem.mem").map_x, "seq");
    }
}
