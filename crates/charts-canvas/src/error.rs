//! Errors of the browser as errors of painting.

use charts::paint::PaintError;
use wasm_bindgen::JsValue;

/// Converts an error of the browser.
#[expect(clippy::needless_pass_by_value, reason = "passed to `map_err`, which gives it away")]
pub fn refused(error: JsValue) -> PaintError {
    PaintError(format!("{error:?}"))
}
