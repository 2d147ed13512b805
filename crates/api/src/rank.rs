//! The best layouts of a scenario on its cluster.

use analysis::layouts::{self, LayoutSearch};
use analysis::plan::sequences_of;
use analysis::settings::settings_beside;
use engine::json::compact;
use engine::params::labels;
use engine::scenario::Scenario;
use engine::scenario::issue::Issue;
use export::report_json::{issues_json, report_json};

use crate::given::Code;
use crate::plan::held;
use crate::{Given, Open, Read, Refusal};

/// Combinations per step of the search.
const COMBINATIONS: usize = 10_000;

/// The layouts that are asked for.
#[derive(Clone, Copy, Debug)]
pub struct RankRequest<'a> {
    /// Global batch in tokens per step; that of the scenario by default.
    pub batch: Option<f64>,
    /// Keys of parameters that every layout keeps as the scenario has them: `tp`, `recompute`.
    pub hold: &'a [String],
    /// Maximum number of layouts.
    pub most: usize,
}

/// Searches the layouts of a scenario ([`engine::names::OF_LAYOUTS`]) for fixed model, length,
/// GPUs and tokens per step.
///
/// # Errors
///
/// Returns a sentence for an invalid batch or an unknown key.
pub fn search(scenario: &Scenario, asked: &RankRequest) -> Result<LayoutSearch, String> {
    let held = held(asked.hold)?;
    let sequences = match asked.batch {
        Some(batch) if batch > 0.0 && batch.is_finite() => sequences_of(batch, scenario.seq_len),
        Some(batch) => return Err(format!("A global batch must be a number of tokens above 0, not {batch}.")),
        None => layouts::sequences(scenario),
    };
    let mut search = LayoutSearch::of_batch(scenario, sequences, held);
    while !search.advance(COMBINATIONS) {}
    Ok(search)
}

/// Returns the best layouts of a scenario that fit, as JSON ([`answers`]).
///
/// # Errors
///
/// Returns a refusal for invalid input or missing values, and the errors of [`search`].
pub fn rank(given: &Given, asked: &RankRequest) -> Result<String, Refusal> {
    // The search varies the micro-batch.
    let Read { scenario, issues, .. } =
        given.answerable(&[Open::Model, Open::Gpus, Open::Length, Open::Hardware, Open::Node])?;
    let search = search(&scenario, asked).map_err(|said| Refusal::new(Code::InvalidValue, said))?;
    Ok(answers(&search, asked.most, &issues))
}

/// Returns the result as JSON with at most `most` layouts: the number of combinations `tried` and
/// `fit`, and for each of the `layouts` its `name`, the `settings` in which it
/// differs from the scenario, its `link`, whether its framework can run it
/// (`runs`), and its `report`. Layouts that fit surely come before tight ones, the fastest first,
/// and layouts that the framework cannot run come last.
pub fn answers(search: &LayoutSearch, most: usize, issues: &[Issue]) -> String {
    let (own, ranking) = (search.scenario(), search.ranking());
    let layouts = ranking.best().iter().take(most).map(|layout| {
        let report = compact(&report_json(&layout.scenario, &layout.report, &[]));
        let name = serde_json::Value::from(labels::layout(&layout.scenario)).to_string();
        let link = serde_json::Value::from(links::encode(&layout.scenario)).to_string();
        let runs = layout.lack.is_none();
        let settings = serde_json::Value::from(settings_beside(own, &layout.scenario)).to_string();
        format!("{{\"name\":{name},\"settings\":{settings},\"link\":{link},\"runs\":{runs},\"report\":{report}}}")
    });
    let layouts: Vec<String> = layouts.collect();
    format!(
        "{{\"tried\":{},\"fit\":{},\"layouts\":[{}],\"issues\":{}}}",
        ranking.progress().visited,
        ranking.progress().fitting,
        layouts.join(","),
        issues_json(issues)
    )
}
