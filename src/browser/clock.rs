//! The browser's clock.

/// Milliseconds of a day.
const DAY_MS: f64 = 86_400_000.0;

/// Returns today as a day since 1970; `None` where no browser runs, as in tests of the markup.
pub fn today() -> Option<i64> {
    cfg!(target_arch = "wasm32").then(|| (js_sys::Date::now() / DAY_MS) as i64)
}
