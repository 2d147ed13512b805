//! The engine for JavaScript: [`api`] with texts and arrays of numbers; `js/api.js` wraps them in objects, whose types are in
//! `js/index.d.ts`.

use api::plan::Asked;
use js_sys::Uint8Array;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// Half the size of the standard library's allocator, and faster.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// [`api::estimate()`].
#[wasm_bindgen]
pub fn estimate(scenario: &str) -> String {
    api::estimate(scenario)
}

/// [`api::issues()`].
#[wasm_bindgen]
pub fn issues(scenario: &str) -> String {
    api::issues(scenario)
}

/// [`api::link()`].
#[wasm_bindgen]
pub fn link(scenario: &str) -> String {
    api::link(scenario)
}

/// [`api::catalog()`].
#[wasm_bindgen]
pub fn catalog() -> String {
    api::catalog()
}

/// [`api::parameters()`].
#[wasm_bindgen]
pub fn parameters(scenario: &str) -> String {
    api::parameters(scenario)
}

/// [`api::rank()`].
#[wasm_bindgen]
pub fn rank(scenario: &str, most: usize) -> String {
    api::rank(scenario, most)
}

/// [`api::plan()`].
///
/// # Errors
/// A sentence, where there is no such question or cluster.
#[wasm_bindgen]
#[expect(clippy::needless_pass_by_value, reason = "JavaScript's arrays arrive by value")]
pub fn plan(
    scenario: &str,
    question: &str,
    limit: Option<f64>,
    clusters: Vec<String>,
    most: usize,
) -> Result<String, JsError> {
    api::plan(scenario, &Asked { question, limit, clusters: &clusters, most }).map_err(|said| JsError::new(&said))
}

/// [`api::files::bring`].
#[wasm_bindgen]
pub fn read(scenario: &str, names: Vec<String>, contents: Vec<Uint8Array>) -> String {
    api::files::bring(scenario, names.into_iter().zip(contents.into_iter().map(|bytes| bytes.to_vec())))
}

/// [`api::axis::is_axis`].
#[wasm_bindgen]
pub fn is_axis(key: &str) -> bool {
    api::axis::is_axis(key)
}

/// [`api::axis::resolve`].
#[wasm_bindgen]
pub fn resolve(scenario: &str, key: &str, lines: &str) -> String {
    api::axis::resolve(scenario, key, lines)
}

/// [`api::sweep::columns`].
#[wasm_bindgen]
pub fn columns() -> String {
    api::sweep::columns()
}

/// [`api::sweep::limiters`].
#[wasm_bindgen]
pub fn limiters() -> String {
    api::sweep::limiters()
}

/// [`api::sweep::sweep`].
#[wasm_bindgen]
pub fn sweep(
    scenario: &str,
    outer: &str,
    outer_values: &[f64],
    inner: &str,
    inner_values: &[f64],
    run: bool,
) -> Vec<f64> {
    api::sweep::sweep(scenario, outer, outer_values, inner, inner_values, run)
}

/// [`api::sweep::point`].
#[wasm_bindgen]
pub fn point(scenario: &str, outer: &str, outer_value: f64, inner: &str, inner_value: f64) -> String {
    api::sweep::point(scenario, outer, outer_value, inner, inner_value)
}
