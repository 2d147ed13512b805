//! Encodes a scenario as text.

use core::fmt::Write;
use engine::scenario::pins::MOST_PINS;
use serde_json::Value;

use super::v1;
use engine::scenario::Scenario;

/// Encodes the fragment of a scenario's link, without `#`: version, catalog revision, and the
/// differences from the starting point.
///
/// ```
/// use links::{decode, encode};
///
/// let mut scenario = decode("").scenario;
/// scenario.gpus = 128;
/// assert_eq!(encode(&scenario), "v=1&gpus=128");
/// assert_eq!(decode(&encode(&scenario)).scenario, scenario);
/// ```
pub fn encode(scenario: &Scenario) -> String {
    let pairs = v1::write(scenario);
    pairs.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("&")
}

/// Encodes the fragment of a scenario with pinned scenarios. Each pin follows `pin=1`, `pin=2`, ...
/// as its differences from the first scenario, or as a whole link if that is shorter and has fewer
/// pairs (see [`v1`]). At most [`MOST_PINS`] are written.
///
/// ```
/// use links::{decode, encode_with};
///
/// let scenario = decode("").scenario;
/// let pinned = decode("gpus=128").scenario;
/// assert_eq!(encode_with(&scenario, &[pinned]), "v=1&pin=1&gpus=128");
/// assert_eq!(decode("v=1&pin=1&gpus=128").pins, [pinned]);
/// ```
pub fn encode_with(scenario: &Scenario, pins: &[Scenario]) -> String {
    let mut text = encode(scenario);
    for (place, pin) in pins.iter().take(MOST_PINS).enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "&{}={}", v1::PIN_KEY, place + 1);
        for (key, value) in v1::write_pin(scenario, pin) {
            let _ = write!(text, "&{key}={value}");
        }
    }
    text
}

/// Encodes every value of a scenario under the keys of its link, in display units, but for tokens
/// that nobody chose; [`super::decode()`] reads the result.
pub fn to_json(scenario: &Scenario) -> Value {
    v1::write_all(scenario).into_iter().collect()
}
