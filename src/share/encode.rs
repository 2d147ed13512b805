//! Scenario to text.

use serde_json::Value;

use super::v1;
use crate::scenario::Scenario;

/// The fragment of a scenario's link, without `#`: version and catalog revision, then what differs from the starting point.
///
/// ```
/// use shardwise::share::{decode, encode};
///
/// let mut scenario = decode("").scenario;
/// scenario.gpus = 128;
/// assert_eq!(encode(&scenario), "v=1&rev=2&gpus=128");
/// assert_eq!(decode(&encode(&scenario)).scenario, scenario);
/// ```
pub fn encode(scenario: &Scenario) -> String {
    let pairs = v1::write(scenario);
    pairs.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("&")
}

/// Every value of a scenario under the keys of its link, in display units: what [`super::decode()`] reads back.
pub fn to_json(scenario: &Scenario) -> Value {
    let pairs = v1::write_all(scenario);
    Value::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}
