//! Bindings of the engine for JavaScript: [`api`] with texts and arrays of numbers. `js/api.js`
//! wraps these functions with objects, whose types are in `js/index.d.ts`.

use api::given::Code;
use api::plan::PlanRequest;
use api::rank::RankRequest;
use api::{Given, Reading, Refusal};
use js_sys::Uint8Array;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// This allocator is half the size of the standard library's, and faster.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Wraps a scenario as given by JavaScript.
fn given(scenario: &str, strict: bool, assume: bool) -> Given<'_> {
    Given { text: scenario, reading: Reading::from_switches(strict, assume), ..Given::default() }
}

/// Converts a refusal to a JavaScript error with the refusal's code: a `TypeError` for an unknown
/// key, otherwise a `RangeError`.
#[expect(clippy::needless_pass_by_value, reason = "it is the last that is done with it")]
fn thrown(refusal: Refusal) -> JsValue {
    let error: js_sys::Object = match refusal.code {
        Code::UnknownKey => js_sys::TypeError::new(&refusal.message).into(),
        _ => js_sys::RangeError::new(&refusal.message).into(),
    };
    // Setting a property of a new object cannot fail.
    let _ = js_sys::Reflect::set(&error, &"code".into(), &refusal.code.name().into());
    error.into()
}

/// Calls [`api::estimate()`].
///
/// # Errors
/// Throws for invalid input or missing values.
#[wasm_bindgen]
pub fn estimate(scenario: &str, strict: bool, assume: bool) -> Result<String, JsValue> {
    api::estimate(&given(scenario, strict, assume)).map_err(thrown)
}

/// Calls [`api::issues()`].
///
/// # Errors
/// Throws for invalid input or missing values.
#[wasm_bindgen]
#[expect(clippy::needless_pass_by_value, reason = "JavaScript's arrays arrive by value")]
pub fn issues(scenario: &str, strict: bool, assume: bool, axes: Vec<String>) -> Result<String, JsValue> {
    api::issues(&given(scenario, strict, assume), &axes).map_err(thrown)
}

/// Calls [`api::link()`].
///
/// # Errors
/// Throws for invalid input.
#[wasm_bindgen]
pub fn link(scenario: &str, strict: bool, assume: bool) -> Result<String, JsValue> {
    api::link(&given(scenario, strict, assume)).map_err(thrown)
}

/// Calls [`api::catalog()`].
#[wasm_bindgen]
pub fn catalog() -> String {
    api::catalog()
}

/// Calls [`api::parameters()`].
///
/// # Errors
/// Throws for invalid input.
#[wasm_bindgen]
pub fn parameters(scenario: &str, strict: bool, assume: bool) -> Result<String, JsValue> {
    api::parameters(&given(scenario, strict, assume)).map_err(thrown)
}

/// Calls [`api::rank()`].
///
/// # Errors
/// Throws for invalid input or missing values.
#[wasm_bindgen]
#[expect(clippy::needless_pass_by_value, reason = "JavaScript's arrays arrive by value")]
pub fn rank(
    scenario: &str,
    strict: bool,
    assume: bool,
    batch: Option<f64>,
    hold: Vec<String>,
    most: usize,
) -> Result<String, JsValue> {
    api::rank(&given(scenario, strict, assume), &RankRequest { batch, hold: &hold, most }).map_err(thrown)
}

/// Calls [`api::mixed()`].
///
/// # Errors
/// Throws for invalid input, missing values, and runs that are not modelled.
#[wasm_bindgen]
#[expect(clippy::needless_pass_by_value, reason = "JavaScript's arrays arrive by value")]
pub fn mixed(scenario: &str, strict: bool, assume: bool, others: Vec<String>) -> Result<String, JsValue> {
    api::mixed(&given(scenario, strict, assume), &others).map_err(thrown)
}

/// Calls [`api::plan()`].
///
/// # Errors
/// Throws for invalid input, missing values, and unknown questions or clusters.
#[expect(clippy::too_many_arguments, reason = "the arguments of JavaScript's call, one after the other")]
#[wasm_bindgen]
#[expect(clippy::needless_pass_by_value, reason = "JavaScript's arrays arrive by value")]
pub fn plan(
    scenario: &str,
    strict: bool,
    assume: bool,
    question: &str,
    limit: Option<f64>,
    batch: Option<f64>,
    sure: Option<f64>,
    clusters: Vec<String>,
    hold: Vec<String>,
    most: usize,
) -> Result<String, JsValue> {
    let asked = PlanRequest { question, limit, batch, sure, clusters: &clusters, hold: &hold, most };
    api::plan(&given(scenario, strict, assume), &asked).map_err(thrown)
}

/// Calls [`api::files::read_files`].
///
/// # Errors
/// Throws for files that cannot be read.
#[wasm_bindgen]
pub fn read(
    scenario: &str,
    strict: bool,
    assume: bool,
    names: Vec<String>,
    contents: Vec<Uint8Array>,
) -> Result<String, JsValue> {
    let files = names.into_iter().zip(contents.into_iter().map(|bytes| bytes.to_vec()));
    api::files::read_files(&given(scenario, strict, assume), files).map_err(thrown)
}

/// Calls [`api::sentence::understand`].
///
/// # Errors
/// Throws for a text without any understood part.
#[wasm_bindgen]
pub fn understand(text: &str, link: &str) -> Result<String, JsValue> {
    api::sentence::understand(text, link).map_err(thrown)
}

/// Calls [`api::axis::key`].
///
/// # Errors
/// Throws for an unknown key.
#[wasm_bindgen]
pub fn axis_key(key: &str) -> Result<String, JsValue> {
    api::axis::key(key).map_err(thrown)
}

/// Calls [`api::axis::resolve`].
///
/// # Errors
/// Throws for invalid input.
#[wasm_bindgen]
pub fn resolve(scenario: &str, strict: bool, assume: bool, key: &str, lines: &str) -> Result<String, JsValue> {
    api::axis::resolve(&given(scenario, strict, assume), key, lines).map_err(thrown)
}

/// Calls [`api::sweep::columns`].
#[wasm_bindgen]
pub fn columns() -> String {
    api::sweep::columns()
}

/// Calls [`api::sweep::limiters`].
#[wasm_bindgen]
pub fn limiters() -> String {
    api::sweep::limiters()
}

/// Calls [`api::sweep::sweep`].
///
/// # Errors
/// Throws for invalid input.
#[wasm_bindgen]
#[expect(clippy::too_many_arguments, reason = "the arguments of JavaScript's call, one after the other")]
pub fn sweep(
    scenario: &str,
    strict: bool,
    assume: bool,
    outer: &str,
    outer_values: &[f64],
    inner: &str,
    inner_values: &[f64],
    run: bool,
) -> Result<Vec<f64>, JsValue> {
    api::sweep::sweep(&given(scenario, strict, assume), outer, outer_values, inner, inner_values, run).map_err(thrown)
}

/// Calls [`api::sweep::point`].
///
/// # Errors
/// Throws for invalid input.
#[wasm_bindgen]
pub fn point(
    scenario: &str,
    strict: bool,
    assume: bool,
    outer: &str,
    outer_value: f64,
    inner: &str,
    inner_value: f64,
) -> Result<String, JsValue> {
    api::sweep::point(&given(scenario, strict, assume), outer, outer_value, inner, inner_value).map_err(thrown)
}
