//! Statistics of the visible rows, in sentences.

use super::{AgreementView, Measure, NEAR, SET_NAMES, Scored, ScoredRows, shown};
use analysis::published::Set;
use catalog::accuracy::REACHED;
use engine::format;
use engine::stats::median_size;

/// Relative errors.
#[derive(Default)]
struct Errors {
    sizes: Vec<f64>,
    fitted: usize,
    fitted_dense: bool,
}

/// The result in docs/book/accuracy.md of refits with one model left out.
const HELD_OUT_MIXTURES: &str =
    " When one model was left out of the fit, its rows were off by 8 to 14 % in the median.";

impl Errors {
    fn new(rows: &ScoredRows, view: AgreementView, set: Option<Set>) -> Self {
        let mut errors = Self::default();
        let of_set = |row: &Scored| set.is_none_or(|set| set == row.row.set);
        for (_, row, (measured, predicted)) in shown(rows, view).filter(|(_, row, _)| of_set(row)) {
            errors.sizes.push((predicted / measured - 1.0).abs());
            errors.fitted += usize::from(row.row.fitted);
            errors.fitted_dense |= row.row.fitted && row.row.set != Set::Mixture;
        }
        errors
    }

    fn median(&self) -> String {
        format::percent(median_size(&self.sizes).unwrap_or(f64::NAN))
    }

    fn near(&self) -> f64 {
        self.sizes.iter().filter(|size| **size <= NEAR).count() as f64 / self.sizes.len().max(1) as f64
    }
}

/// Writes the caption: `2,381 published step times: median error 18.2 %, 47.1 % of them within 20
/// %. Constants were fitted to 1,309 of them.`
pub(super) fn caption(rows: &ScoredRows, view: AgreementView) -> String {
    let errors = Errors::new(rows, view, None);
    let count = |count: usize| format::count(count as f64);
    let what = view.measure.label();
    if errors.sizes.is_empty() {
        return format!("None of these rows has a measured {what}.");
    }
    let (all, near) = (errors.sizes.len(), format::percent(errors.near()));
    let plural = match (view.measure, all) {
        (_, 1) => what,
        (Measure::StepTime, _) => "step times",
        (Measure::PeakMemory, _) => "peaks of memory",
    };
    let found = format!("{} published {plural}: median error {}, {near} within 20 %.", count(all), errors.median());
    let honest = match (view.measure, errors.fitted) {
        (Measure::PeakMemory, _) => {
            "No constant is fitted to memory, but shares and bytes were set by hand with these rows in view.".into()
        }
        (Measure::StepTime, 0) => format!("No constant was fitted to {}.", if all == 1 { "it" } else { "them" }),
        (Measure::StepTime, fitted) if fitted == all => format!("Constants were fitted to {}.", these(all)),
        (Measure::StepTime, fitted) => format!("Constants were fitted to {} of them.", count(fitted)),
    };
    let held = match view.measure {
        Measure::StepTime if errors.fitted_dense => {
            format!(
                " With each source held out of the fit, dense steps of 20 % MFU or more are off by {} % in the median.",
                REACHED.held_out
            )
        }
        Measure::StepTime if errors.fitted > 0 => HELD_OUT_MIXTURES.into(),
        _ => String::new(),
    };
    format!("{found} {honest}{held}")
}

fn these(all: usize) -> &'static str {
    if all == 1 { "it" } else { "all of them" }
}

/// Returns each set among the visible rows: its index, its name, and its number of rows with their
/// median error.
pub fn kinds(rows: &ScoredRows, view: AgreementView) -> Vec<(usize, &'static str, String)> {
    let mut kinds = Vec::new();
    for (place, (name, set)) in SET_NAMES.into_iter().zip(Set::ALL).enumerate() {
        let errors = Errors::new(rows, view, Some(set));
        if !errors.sizes.is_empty() {
            let count = format::count(errors.sizes.len() as f64);
            let rows = if errors.sizes.len() == 1 { "row" } else { "rows" };
            kinds.push((place, name, format!("{count} {rows}, median error {}", errors.median())));
        }
    }
    kinds
}
