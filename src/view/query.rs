//! Reads and writes a view as the query of a link.

use super::panels::{Controls, Panel, Panels};
use super::plan::{PlanQuestion, SURE};
use super::{PlanView, ThemeChoice, View};
use analysis::experts::family::Family;
use analysis::plan::amount;
use catalog::expert_layers::EXPERT_LAYERS;
use charts::views::{ALONG, LayerView, Metric, every_axis};
use charts::zoom::VisibleRange;
use engine::digits::shortest;
use engine::params::ParamId;
use explain::{self, Card};
use trace::RunStep;

impl View {
    /// Reads the query of a link; unknown keys and values leave the default.
    pub fn from_query(query: &str) -> Self {
        Self::default().with_query(query)
    }

    /// Applies a query to the view; settings that the query does not name stay.
    #[must_use]
    pub fn with_query(self, query: &str) -> Self {
        let mut view = self;
        // In links of before, the map of the best configurations takes the place of the map.
        let mut is_of_best = false;
        for pair in query.trim_start_matches('?').split('&') {
            let Some((key, value)) = pair.split_once('=') else { continue };
            match key {
                "theme" => view.theme = ThemeChoice::from_key(value).unwrap_or_default(),
                "embed" => view.embed = value == "1",
                "view" => view.panels = Panels::from_names(value),
                "controls" => view.controls = Controls::from_key(value).unwrap_or_default(),
                "map" if value == BEST => is_of_best = true,
                "map" => {
                    if let Some((x, y)) = value.split_once('.').and_then(|(x, y)| Some((axis(x)?, axis(y)?)))
                        && x != y
                    {
                        (view.map_x, view.map_y) = (x, y);
                    }
                }
                "curve" => view.curve_x = axis(value).unwrap_or(view.curve_x),
                "x" => view.map_part = [part(value), view.map_part[1]],
                "y" => view.map_part = [view.map_part[0], part(value)],
                "bx" => view.best_part = [part(value), view.best_part[1]],
                "by" => view.best_part = [view.best_part[0], part(value)],
                "cx" => view.curve_part = part(value),
                "metric" => {
                    view.metric = Metric::ALL.into_iter().find(|metric| metric.key() == value).unwrap_or_default();
                }
                "bounds" => view.bounds = value != "0",
                "why" => view.why = explain::card(value).map_or("", Card::key),
                "layer" => view.layer = layer(value),
                "plan" => view.plan.asked = PlanQuestion::from_key(value).unwrap_or_default(),
                "days" => view.plan.days = amount(value).unwrap_or(view.plan.days),
                "budget" => view.plan.dollars = amount(value).unwrap_or(view.plan.dollars),
                "batch" => view.plan.batch = amount(value).or(view.plan.batch),
                "on" => view.plan.gpu = catalog::accelerator(value).map(|entry| entry.id),
                "sure" => {
                    let sure = SURE.into_iter().find(|sure| sure.to_string() == value);
                    view.plan.sure = sure.unwrap_or(view.plan.sure);
                }
                "step" => view.step = if value == FIRST { RunStep::First } else { RunStep::Steady },
                _ => {}
            }
        }
        if is_of_best {
            view = Self { best_part: view.map_part, map_part: [None; 2], ..view };
            view.panels = match view.embed {
                true => view.embedded().exchanged(Panel::Map, Panel::Best),
                false if view.panels.has(Panel::Map) => view.panels.exchanged(Panel::Map, Panel::Best),
                false => view.showing(Panel::Best).panels,
            };
        }
        view
    }

    /// Writes the query of a link: only settings that differ from the default, with a leading `?`;
    /// empty if none differ.
    pub fn query(&self) -> String {
        let (default, plan) = (Self::default(), self.plan);
        let PlanView { asked, days, dollars, sure, .. } = default.plan;
        let map = ((self.map_x, self.map_y) != (default.map_x, default.map_y))
            .then(|| format!("map={}.{}", self.map_x.key(), self.map_y.key()));
        let part = |name: &str, part: Option<VisibleRange>| {
            part.map(|(low, high)| format!("{name}={}{TO}{}", shortest(low), shortest(high)))
        };
        let pairs = [
            self.embed.then(|| "embed=1".to_owned()),
            (self.panels != default.panels).then(|| format!("view={}", self.panels.text())),
            (self.controls != default.controls).then(|| format!("controls={}", self.controls.key())),
            (self.theme != default.theme).then(|| format!("theme={}", self.theme.key())),
            map,
            (self.curve_x != default.curve_x).then(|| format!("curve={}", self.curve_x.key())),
            part("x", self.map_part[0]),
            part("y", self.map_part[1]),
            part("bx", self.best_part[0]),
            part("by", self.best_part[1]),
            part("cx", self.curve_part),
            (self.metric != default.metric).then(|| format!("metric={}", self.metric.key())),
            (!self.bounds).then(|| "bounds=0".to_owned()),
            (self.step != default.step).then(|| format!("step={FIRST}")),
            (self.layer != default.layer).then(|| layer_text(self.layer)),
            (plan.asked != asked).then(|| format!("plan={}", plan.asked.key())),
            (plan.days != days).then(|| format!("days={}", shortest(plan.days))),
            (plan.dollars != dollars).then(|| format!("budget={}", shortest(plan.dollars))),
            plan.batch.map(|batch| format!("batch={}", shortest(batch))),
            (plan.sure != sure).then(|| format!("sure={}", plan.sure)),
            plan.gpu.map(|gpu| format!("on={gpu}")),
            (!self.why.is_empty()).then(|| format!("why={}", self.why)),
        ];
        let pairs: Vec<String> = pairs.into_iter().flatten().collect();
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    }
}

/// Returns the parameter with this key, if an axis can show it.
fn axis(key: &str) -> Option<ParamId> {
    every_axis().find(|param| param.key == key).map(|param| param.id)
}

/// Value of `map` for the best configurations, in links of before.
const BEST: &str = "best";

/// Value of `step` for the first step; the key is left out for a later step.
const FIRST: &str = "first";

/// Separator between the ends of a part.
const TO: &str = "..";

/// Reads the visible part of an axis: two numbers, the lower one first.
fn part(value: &str) -> Option<VisibleRange> {
    let ends = value.as_bytes().windows(TO.len()).position(|two| two == TO.as_bytes())?;
    let (low, high) = (value.get(..ends)?, value.get(ends + TO.len()..)?);
    let (low, high) = (low.parse::<f64>().ok()?, high.parse::<f64>().ok()?);
    (low < high && low.is_finite() && high.is_finite()).then_some((low, high))
}

/// Part of `layer` for degrees of parallelism; without it, the choices are chunks.
const DEGREES: &str = "degrees";

/// Reads the settings of the layer of experts. Parts come in any order; unknown parts leave the
/// default.
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

/// Writes the pair of the query for the layer of experts.
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
        let view = View { theme: ThemeChoice::Dark, curve_x: ParamId::Gpus, bounds: false, ..View::default() }
            .with_map_x(ParamId::GpuMemory);
        assert_eq!(View::from_query(&view.query()), view);
        assert_eq!(View::default().query(), "");
    }

    #[test]
    fn the_map_of_the_best_survives_its_query() {
        let view = View { best_part: [Some((56.8, 1600.0)), None], ..View::default() }.showing(Panel::Best);
        assert_eq!((view.query().as_str(), View::from_query(&view.query())), ("?view=best&bx=56.8..1600", view));
        // Links of before name it as the map.
        assert_eq!(View::from_query("?map=best&x=56.8..1600"), view);
        assert_eq!(View::from_query("?embed=1&view=map.curve&map=best").query(), "?embed=1&view=best.curve");
    }

    #[test]
    fn what_an_embed_shows_survives_its_query() {
        let view = View::from_query("?embed=1&view=timeline.map&controls=none&theme=dark");
        assert_eq!(view.query(), "?embed=1&view=timeline.map&controls=none&theme=dark");
        assert!(view.shows(Panel::Map) && view.shows(Panel::Timeline) && !view.shows(Panel::Curve));
        assert_eq!(view.alone().query(), "?view=timeline.map");
        let usual = View::from_query("embed=1&view=nonsense&controls=most&other=1");
        assert_eq!((usual.query().as_str(), usual.embedded().text().as_str()), ("?embed=1", "verdict.map.curve"));
        // A page may change one setting and keep the others.
        assert_eq!(
            view.with_query("theme=light&bounds=0").query(),
            "?embed=1&view=timeline.map&controls=none&theme=light&bounds=0"
        );
    }

    #[test]
    fn the_first_step_survives_its_query() {
        let view = View { step: RunStep::First, ..View::default() };
        assert_eq!((view.query().as_str(), View::from_query("?step=first")), ("?step=first", view));
        assert_eq!(View::from_query("?step=tenth"), View::default());
    }

    #[test]
    fn every_question_survives_its_query() {
        for asked in PlanQuestion::ALL {
            let plan = PlanView { asked, days: 12.5, dollars: 2e6, batch: Some(4e6), sure: 95, gpu: Some("h100-sxm") };
            let view = View { plan, ..View::default() };
            assert_eq!(View::from_query(&view.query()), view);
        }
        assert_eq!(View::from_query("?plan=cheapest&days=7").query(), "?plan=cheapest&days=7");
        assert_eq!(View::from_query("?plan=luck&days=soon&budget=-1&batch=big&sure=101"), View::default());
    }

    #[test]
    fn every_axis_and_metric_survives_its_query() {
        for param in every_axis() {
            for metric in Metric::ALL {
                let view = View { curve_x: param.id, metric, ..View::default() }.with_map_y(param.id);
                assert_eq!(View::from_query(&view.query()), view);
            }
        }
        let old = View::from_query("?map=gpus.mem&curve=seq&metric=tokens");
        assert_eq!(
            (old.map_x, old.map_y, old.curve_x, old.metric),
            (ParamId::Gpus, ParamId::GpuMemory, ParamId::SequenceLength, Metric::TokensPerSecond)
        );
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
    fn parts_of_axes_survive_their_query_and_go_with_their_parameter() {
        let view = View { map_part: [Some((1024.0, 8192.0)), Some((1.3e9, 13.5e9))], ..View::default() };
        let view = View { curve_part: Some((56.8, 1600.0)), ..view };
        assert_eq!(view.query(), "?x=1024..8192&y=1.3e9..1.35e10&cx=56.8..1600");
        assert_eq!(View::from_query(&view.query()), view);
        assert_eq!(view.with_map_x(ParamId::ModelSize).map_part, [view.map_part[1], view.map_part[0]]);
        assert_eq!(view.with_map_x(ParamId::GpuMemory).map_part, [None, view.map_part[1]]);
        assert_eq!(view.with_map_y(ParamId::GpuMemory).map_part, [view.map_part[0], None]);
        assert_eq!(view.with_map_y(ParamId::ModelSize), view);
        assert_eq!(view.with_curve_x(ParamId::SequenceLength).curve_part, None);
        for wrong in ["8192..1024", "1..1", "a..b", "1", "NaN..2", "1..1e999", ".."] {
            assert_eq!(View::from_query(&format!("?x={wrong}&cx={wrong}")), View::default(), "{wrong}");
        }
    }
}
