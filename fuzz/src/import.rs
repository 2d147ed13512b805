//! Files from outside: a model's `config.json`, an adapter's `adapter_config.json`, and files saved
//! by the page: SVG, CSV, JSON, PNG.

use catalog::default_scenario;
use engine::params;
use engine::scenario::{Model, Scenario};
use files::brought::{Item, import_items};
use huggingface::{import, import_adapter};
use links::{carried, decode, encode};
use serde_json::{Map, Value, json};

/// Configs of several families.
const CONFIGS: [&str; 8] = [
    include_str!("../../tests/configs/deepseek-v3.json"),
    include_str!("../../tests/configs/falcon-7b.json"),
    include_str!("../../tests/configs/gemma-3-4b.json"),
    include_str!("../../tests/configs/gpt-oss-20b.json"),
    include_str!("../../tests/configs/gpt2.json"),
    include_str!("../../tests/configs/llama-3.1-8b.json"),
    include_str!("../../tests/configs/llama-4-scout.json"),
    include_str!("../../tests/configs/qwen1.5-moe-a2.7b.json"),
];

/// Configs of adapters.
const ADAPTERS: [&str; 2] = [
    include_str!("../../tests/configs/adapters/llama-2-7b-guanaco.json"),
    include_str!("../../tests/configs/adapters/llama-3.2-1b.json"),
];

/// Reads the bytes as a file of a model or of the page, and checks what is read.
///
/// # Panics
/// When a check fails.
pub fn check(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    match kind % 5 {
        0 | 1 => config(&changed(rest, &CONFIGS)),
        2 => file(rest),
        3 => adapter(&changed(rest, &ADAPTERS)),
        _ => saved(rest),
    }
}

/// A sentence, or a shape that survives its link.
fn config(json: &Value) {
    match import(json) {
        Err(said) => assert!(said.ends_with('.') && said.len() > 20, "{said}"),
        Ok(imported) => {
            let scenario = default_scenario().with_model(Model::Custom { architecture: imported.architecture });
            assert_eq!(decode(&encode(&scenario)).scenario, scenario);
            valid(&scenario);
        }
    }
}

/// Sentences, and a scenario that survives its link.
fn adapter(json: &Value) {
    match import_adapter(json) {
        Err(said) => assert!(said.ends_with('.') && said.len() > 20, "{said}"),
        Ok(adapter) => {
            assert!(adapter.remarks.iter().all(|said| said.ends_with('.')), "{:?}", adapter.remarks);
            let scenario = adapter.applied(&default_scenario());
            assert_eq!(decode(&encode(&scenario)).scenario, scenario);
            valid(&scenario);
        }
    }
}

fn valid(scenario: &Scenario) {
    for param in params::every().filter(|param| params::is_held(param, scenario)) {
        assert!(params::is_within_bounds(param, scenario), "{} in {}", param.key, encode(scenario));
    }
    assert!(scenario.report().update.time.step.get() > 0.0);
}

/// A config of which each two bytes replace a value.
fn changed(bytes: &[u8], configs: &[&'static str]) -> Value {
    let Some((which, rest)) = bytes.split_first() else { return Value::Null };
    let of = |which: &u8| configs.get(usize::from(*which) % configs.len()).copied().unwrap_or_default();
    let mut config: Map<String, Value> = serde_json::from_str(of(which)).unwrap_or_default();
    for pair in rest.chunks_exact(2) {
        let [key, value] = pair else { continue };
        // Keys of other families too.
        let keys: Map<String, Value> = serde_json::from_str(of(value)).unwrap_or_default();
        let all: Vec<&String> = config.keys().chain(keys.keys()).collect();
        let Some(name) = all.get(usize::from(*key) % all.len().max(1)).map(|name| (*name).clone()) else { continue };
        let old = config.get(&name).or(keys.get(&name)).cloned().unwrap_or(Value::Null);
        config.insert(name, replaced(&old, *value));
    }
    Value::Object(config)
}

fn replaced(old: &Value, value: u8) -> Value {
    match value % 12 {
        0 => Value::Null,
        1 => json!(0),
        2 => json!(-1),
        3 => json!(u64::MAX),
        4 => json!(1.5),
        5 => json!(true),
        6 => json!("gelu"),
        7 => json!([old]),
        8 => json!({ "hidden_size": old }),
        9 => old.as_u64().map_or(json!([]), |old| json!(old.wrapping_mul(2))),
        10 => old.as_u64().map_or(json!(false), |old| json!(old / 3)),
        _ => json!(value),
    }
}

/// Any file, as a dropped one is read: a sentence, or a scenario.
fn file(bytes: &[u8]) {
    match import_items(&[Item { name: None, bytes: bytes.to_vec() }], &default_scenario()) {
        Err(said) => assert!(said.ends_with('.') && said.len() > 20, "{said}"),
        Ok(brought) => valid(&decode(&brought.scenario).scenario),
    }
}

/// A file that the page saved, with any text for its link: what is a link comes back.
fn saved(bytes: &[u8]) {
    // An address has one `#`, before its fragment.
    let text: String =
        String::from_utf8_lossy(bytes).chars().filter(|sign| !sign.is_control() && *sign != '#').collect();
    let link = format!("v=1&{}", text.trim());
    let mut png = carried::PNG.to_vec();
    carried::chunk(&mut png, *b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 3, 0, 0, 0]);
    let found = carried::link_in_png(&carried::in_png(&png, &link));
    assert_eq!(found.as_deref(), Some(link.as_str()));
    let escaped = link.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let svg = format!("<svg><metadata>{escaped}</metadata></svg>");
    assert_eq!(carried::link_in_svg(&svg).as_deref(), Some(link.trim()));
    if let Some(found) = carried::link_in_text(&format!("a,b\n1,2\n# {link}\n")) {
        assert_eq!(found, link.trim());
    }
    valid(&decode(&link).scenario);
}
