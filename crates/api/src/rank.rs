//! The best layouts of a scenario on its cluster.

use engine::analysis::layouts::LayoutSearch;
use engine::export::report_json::report_json;
use engine::json::compact;
use engine::params::labels;
use engine::share;

use crate::{axis, read};

/// Combinations of one piece of the search.
const COMBINATIONS: usize = 10_000;

/// Searches the layouts of a scenario: strategies, degrees, micro-batches and recomputation, for the same model, length, precision,
/// GPUs and tokens a step.
pub fn search(scenario: &engine::scenario::Scenario) -> LayoutSearch {
    let mut search = LayoutSearch::new(scenario);
    while !search.advance(COMBINATIONS) {}
    search
}

/// Returns the fastest layouts that fit as JSON, at most `most` of them, the fastest first: how many combinations were `tried` and
/// `fit`, and for each of the `layouts` its `name`, its `link` and its `report`.
pub fn rank(scenario: &str, most: usize) -> String {
    let (scenario, issues) = read(scenario);
    let search = search(&scenario);
    let ranking = search.ranking();
    let layouts = ranking.best().iter().take(most).map(|layout| {
        let report = compact(&report_json(&layout.scenario, &layout.report, &[]));
        let name = serde_json::Value::from(labels::layout(&layout.scenario)).to_string();
        let link = serde_json::Value::from(share::encode(&layout.scenario)).to_string();
        format!("{{\"name\":{name},\"link\":{link},\"report\":{report}}}")
    });
    let layouts: Vec<String> = layouts.collect();
    format!(
        "{{\"tried\":{},\"fit\":{},\"layouts\":[{}],\"issues\":{}}}",
        ranking.tried(),
        ranking.fitting(),
        layouts.join(","),
        axis::said(&issues)
    )
}
