//! The finding of the figure of one layer of experts, in sentences with its numbers.

use super::{Across, LayerView, name};
use analysis::experts::Along;
use analysis::experts::family::{Compared, Family};
use catalog::expert_layers::EXPERT_LAYERS;
use engine::format;
use engine::params::Unit;

/// A choice that is never slower than the best by more than this factor is called best everywhere.
const AS_FAST: f64 = 1.005;

/// Writes the caption: `On 2,048 GPUs the best choice (2DH in 1 chunk) takes 214 ms, 4.53 times as
/// fast as ...; no static choice is best everywhere: ...`
pub(super) fn caption(x: &Across, view: LayerView, all: &Compared, here: &Compared, values: &[f64]) -> String {
    let mut text = here_and_along(x, view.family, all, here, values).unwrap_or_default();
    if let Some(entry) = view.published.and_then(|place| EXPERT_LAYERS.get(place)) {
        text.push(' ');
        text += entry.found;
    }
    text
}

/// Compares the adaptive choice with the baseline at the layer's own place, names the best choices
/// at the ends of the axis, and the cost of the safest static choice.
fn here_and_along(x: &Across, family: Family, all: &Compared, here: &Compared, values: &[f64]) -> Option<String> {
    let (best, baseline) = (here.adaptive.first()?, here.baseline.first()?);
    let said = |value| format::value(x.axis.unit, value);
    let (before, after) = match x.along {
        Along::CapacityFactor => ("At capacity factor ", ""),
        Along::Tokens => ("With ", " a GPU"),
        Along::Gpus | Along::GpusAlone => ("On ", " GPUs"),
    };
    let time = best.time.total();
    let mut text = format!(
        "{before}{}{after} the best choice ({}) takes {}, {} times as fast as linear exchanges with dense kernels; ",
        said(x.own),
        name(best.choice, family),
        format::seconds(time),
        format::value(Unit::None, *baseline / time)
    );
    let (safest, loss) = all.safest()?;
    let safest = name(safest, family);
    if loss <= AS_FAST {
        return Some(text + &safest + " is best on the whole axis.");
    }
    text += "no static choice is best everywhere: ";
    let [first, last] = [all.adaptive.first()?, all.adaptive.last()?].map(|best| name(best.choice, family));
    if first != last {
        let ends = format!("{first} at {}, {last} at {}; ", said(*values.first()?), said(*values.last()?));
        text.push_str(&ends);
    }
    Some(format!("{text}{safest}, the safest, takes up to {} times as long.", format::value(Unit::None, loss)))
}
