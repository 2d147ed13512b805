//! The engine for JavaScript. Functions take and return texts and arrays of numbers; `js/api.js`
//! wraps them in objects, whose types are in `js/index.d.ts`.
//!
//! A scenario is the text of a link, a fragment, or a JSON object with the same keys
//! ([`engine::share::decode()`]). Nothing here fails: what cannot be read is returned as issues.

pub mod axis;
pub mod sweep;

use engine::export::catalog_json::catalog_json;
use engine::export::params_json::params_json;
use engine::export::report_json::report_json;
use engine::json::compact;
use engine::scenario::Scenario;
use engine::scenario::issue::Issue;
use engine::{params, share};
use wasm_bindgen::prelude::wasm_bindgen;

/// Half the size of the standard library's allocator, and faster.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Returns the whole report of a scenario as JSON, as `--example estimate` prints it.
#[wasm_bindgen]
pub fn estimate(scenario: &str) -> String {
    let (scenario, issues) = read(scenario);
    compact(&report_json(&scenario, &scenario.report(), &issues))
}

/// Returns what is wrong with a scenario, as in its report.
#[wasm_bindgen]
pub fn issues(scenario: &str) -> String {
    axis::said(&read(scenario).1).to_string()
}

/// Returns the fragment of a scenario's link, without `#`.
#[wasm_bindgen]
pub fn link(scenario: &str) -> String {
    share::encode(&share::decode(scenario).scenario)
}

/// Returns the catalog as JSON, as `--example catalog` prints it.
#[wasm_bindgen]
pub fn catalog() -> String {
    json(&catalog_json())
}

/// Returns the table of parameters as JSON, with their values in a scenario.
#[wasm_bindgen]
pub fn parameters(scenario: &str) -> String {
    json(&params_json(&share::decode(scenario).scenario))
}

/// Reads a scenario and everything that is wrong with it.
fn read(text: &str) -> (Scenario, Vec<Issue>) {
    let decoded = share::decode(text);
    let mut issues = decoded.issues;
    issues.extend(params::issues(&decoded.scenario));
    (decoded.scenario, issues)
}

/// Serialises a value. Our values have text keys and finite numbers, so this cannot fail.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
