//! What the figure of one layer of experts shows, in sentences with its numbers.

use super::{Across, LayerView, name};
use crate::catalog::expert_layers::EXPERT_LAYERS;
use crate::chart::format;
use crate::params::Unit;
use crate::plan::experts::Along;
use crate::plan::experts::family::{Compared, Family};

/// A choice that is never further from the best than this factor is called best everywhere.
const AS_FAST: f64 = 1.005;

/// `At 2,048 GPUs the best choice (2DH in 2 chunks) takes 24.3 ms, 4.5 times as fast as ...; no static choice is best everywhere: ...`
pub(super) fn caption(x: &Across, view: LayerView, all: &Compared, here: &Compared, values: &[f64]) -> String {
    let mut text = at_its_place(x, view.family, here).unwrap_or_default();
    text += &along(x, view.family, all, values).unwrap_or_default();
    text.push('.');
    if let Some(entry) = view.published.and_then(|place| EXPERT_LAYERS.get(place)) {
        text.push(' ');
        text += entry.found;
    }
    text
}

/// A factor, as it is said: `4.5`.
fn factor(value: f64) -> String {
    format::value(Unit::None, value)
}

/// What adapting picks at the layer's own place, against the baseline.
fn at_its_place(x: &Across, family: Family, here: &Compared) -> Option<String> {
    let (best, baseline) = (here.adaptive.first()?, here.baseline.first()?);
    let own = format::value(x.axis.unit, x.own);
    let place = match x.along {
        Along::CapacityFactor => format!("At capacity factor {own}"),
        Along::Tokens => format!("With {own} a GPU"),
        Along::Gpus | Along::GpusAlone => format!("On {own} GPUs"),
    };
    let time = best.time.total();
    Some(format!(
        "{place} the best choice ({}) takes {}, {} times as fast as linear exchanges with dense kernels",
        name(best.choice, family),
        format::seconds(time),
        factor(*baseline / time)
    ))
}

/// What is best where along the axis, and what the safest static choice costs.
fn along(x: &Across, family: Family, all: &Compared, values: &[f64]) -> Option<String> {
    let (safest, loss) = all.safest()?;
    if loss <= AS_FAST {
        return Some(format!("; {} is best all along this axis", name(safest, family)));
    }
    let (first, last) = (all.adaptive.first()?.choice, all.adaptive.last()?.choice);
    let ends = if first == last {
        String::new()
    } else {
        let [low, high] = [values.first()?, values.last()?].map(|&value| format::value(x.axis.unit, value));
        format!("{} at {low}, {} at {high}; ", name(first, family), name(last, family))
    };
    Some(format!(
        "; no static choice is best everywhere: {ends}{}, the safest, takes up to {} times as long",
        name(safest, family),
        factor(loss)
    ))
}
