//! The best layouts of a scenario on its cluster.

use analysis::layouts::LayoutSearch;
use analysis::ranking::Ranking;
use engine::json::compact;
use engine::params::labels;
use engine::scenario::issue::Issue;
use export::report_json::report_json;

use crate::{Given, Open, Read, Refusal, axis};

/// Combinations per step of the search.
const COMBINATIONS: usize = 10_000;

/// Searches the layouts of a scenario: strategies, degrees, micro-batches, recomputation, attention
/// kernel, `torch.compile` and pipeline schedule, for fixed model, length, precision, GPUs and
/// tokens per step.
pub fn search(scenario: &engine::scenario::Scenario) -> LayoutSearch {
    let mut search = LayoutSearch::new(scenario);
    while !search.advance(COMBINATIONS) {}
    search
}

/// Returns the fastest layouts of a scenario that fit, as JSON ([`answers`]).
///
/// # Errors
///
/// Returns a refusal for invalid input or missing values.
pub fn rank(given: &Given, most: usize) -> Result<String, Refusal> {
    // The search varies the micro-batch.
    let Read { scenario, issues, .. } =
        given.answerable(&[Open::Model, Open::Gpus, Open::Length, Open::Hardware, Open::Node])?;
    Ok(answers(search(&scenario).ranking(), most, &issues))
}

/// Returns the result as JSON with at most `most` layouts, the fastest first: the number of
/// combinations `tried` and `fit`, and for each of the `layouts` its `name`, its `link`, whether
/// its framework can run it (`runs`), and its `report`. Layouts that the framework cannot run come
/// last.
pub fn answers(ranking: &Ranking, most: usize, issues: &[Issue]) -> String {
    let layouts = ranking.best().iter().take(most).map(|layout| {
        let report = compact(&report_json(&layout.scenario, &layout.report, &[]));
        let name = serde_json::Value::from(labels::layout(&layout.scenario)).to_string();
        let link = serde_json::Value::from(links::encode(&layout.scenario)).to_string();
        let runs = layout.lack.is_none();
        format!("{{\"name\":{name},\"link\":{link},\"runs\":{runs},\"report\":{report}}}")
    });
    let layouts: Vec<String> = layouts.collect();
    format!(
        "{{\"tried\":{},\"fit\":{},\"layouts\":[{}],\"issues\":{}}}",
        ranking.progress().visited,
        ranking.progress().fitting,
        layouts.join(","),
        axis::issues_to_json(issues)
    )
}
