//! Texts of time and money: the tile, and the differences from pinned scenarios.

use crate::components::tile::Delta;
use analysis::answer::{Answer, Figures};
use catalog::accelerators::prices;
use catalog::accuracy::Fit;
use engine::model::report::Report;
use engine::model::run::RunReport;
use engine::scenario::Scenario;

/// Name of the tile.
pub const TIME_AND_COST: &str = "Time and cost";
/// Names of the tile's two figures, if each has its own row.
pub const FIGURES: [&str; 2] = ["Time to train", "Cost"];
/// Days and dollars of the whole run as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTexts {
    /// Name with the tokens: `Time and cost, 1T tokens`.
    pub name: String,
    /// Time from start to end.
    pub time: String,
    /// Cost of the GPU-hours.
    pub cost: String,
    /// Ranges of both, from the range of measured step times.
    pub band: String,
}

impl RunTexts {
    /// Creates the texts of a scenario and the report of its step.
    pub fn new(scenario: &Scenario, report: &Report) -> Self {
        let Figures { time, cost, run_band, .. } = Answer::new(scenario, report).figures();
        Self { name: format!("{TIME_AND_COST}, {}", scenario.length()), time, cost, band: run_band }
    }
}

/// Returns the differences of time and cost from those of the first pinned scenario; `None` if the
/// two do not train the same tokens, if a price is not known, or if a run never ends.
pub fn deltas(here: (&Scenario, &Report), there: (&Scenario, &Report)) -> Option<[Delta; 2]> {
    let of = |(scenario, report): (&Scenario, &Report)| scenario.run_of(report);
    let (now, then) = (of(here), of(there));
    let same = here.0.train_tokens() == there.0.train_tokens()
        && [here.0, there.0].iter().all(|one| prices::known(one).is_some());
    let fit = [here, there].iter().all(|(scenario, report)| Fit::check(scenario, report).fits);
    (same && fit && now.finishes() && then.finishes()).then(|| changes(&now, &then))
}

fn changes(now: &RunReport, then: &RunReport) -> [Delta; 2] {
    let share = |now: f64, then: f64| 1e2 * (now / then - 1.0);
    let time = Delta::new(share(now.time.get(), then.time.get()), "% time", false);
    let cost = Delta::new(share(now.cost.get(), then.cost.get()), "% cost", false);
    // Both differences have one reference, shown after the second.
    [Delta { against: String::new(), ..time }, cost]
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::format;
    use links::decode;

    fn scenario(link: &str) -> (Scenario, Report) {
        let scenario = decode(link).scenario;
        (scenario, scenario.report())
    }

    #[test]
    fn the_tile_says_what_the_run_says() {
        let (scenario, report) = scenario("v=1&cluster=dgx-h100&model=llama-3-8b&tokens=15T");
        let run = scenario.run_report();
        let texts = RunTexts::new(&scenario, &report);
        assert_eq!(texts.name, "Time and cost, 15T tokens");
        assert_eq!(
            (texts.time.clone(), texts.cost.clone()),
            (format::duration(run.time), format::dollars(run.cost.get()))
        );
        assert_eq!(run.cost.get(), run.gpu_time.hours() * 3.99);
        assert_eq!(texts.band.matches('–').count(), 2, "{texts:?}");
    }

    #[test]
    fn a_price_that_nobody_knows_is_not_shown() {
        let texts = |link: &str| {
            let (scenario, report) = scenario(link);
            RunTexts::new(&scenario, &report)
        };
        let RunTexts { cost, band, .. } = texts("v=1&gpu=h800");
        assert_eq!((cost.as_str(), band.contains('$')), ("price unknown", false));
        assert!(texts("v=1&gpu=h800&price=1.5").cost.starts_with('$'));
    }

    #[test]
    fn a_run_that_never_ends_says_so() {
        let (scenario, report) = scenario("v=1&size=310B&gpus=16384&tokens=1000T&mtbf=100");
        assert!(!scenario.run_report().finishes());
        let RunTexts { time, cost, band, .. } = RunTexts::new(&scenario, &report);
        assert_eq!([time.as_str(), cost.as_str(), band.as_str()], ["never", "–", "failures come too fast"]);
        assert!(deltas((&scenario, &report), (&scenario, &report)).is_none());
    }

    #[test]
    fn runs_compare_where_both_train_the_same_tokens() {
        let link = "v=1&cluster=dgx-h100&model=llama-3-8b&tokens=1T";
        let (few, more) = (scenario(&[link, "&gpus=64"].concat()), scenario(&[link, "&gpus=128"].concat()));
        let [time, cost] = deltas((&more.0, &more.1), (&few.0, &few.1)).unwrap();
        assert!(time.text.starts_with('−') && time.better == Some(true), "{time:?}");
        assert!(cost.text.starts_with('+') && cost.better == Some(false) && cost.against == " vs A", "{cost:?}");
        let other = scenario(&[link, "&gpus=64&tokens=2T"].concat());
        assert!(deltas((&more.0, &more.1), (&other.0, &other.1)).is_none());
    }
}
