//! Several files at once, as programs bring them: configurations of runs and models, logs, saved
//! scenarios, with values set.

use crate::{link_of, real_files};
use api::files::{import_files, read_items};
use api::{Given, Reading};
use engine::params;
use files::brought::Item;
use huggingface::{import, parse, text_of};
use links::{decode, encode};

const NAMES: [&str; 8] =
    ["", "config.json", "a.yaml", "train.log", "ds_config.json", "adapter_config.json", "figure.svg", "a.py"];

/// Reads the bytes as several files, and checks the scenario or the sentence.
///
/// # Panics
/// When a check fails.
pub fn check(data: &[u8]) {
    let Some(([kind, count], rest)) = data.split_first_chunk::<2>() else { return };
    let items: Vec<Item> = parts(rest, usize::from(count % 4) + 1).collect();
    for item in &items {
        // As `shardwise params` counts each.
        let counted = text_of(item.bytes.clone()).map(|text| parse(&text).and_then(|config| import(&config)));
        match counted {
            Some(Ok(imported)) => assert!(imported.architecture.params() > 0),
            Some(Err(said)) => assert!(said.ends_with('.') && said.len() > 20, "{said}"),
            None => {}
        }
    }
    let (text, set) = (link_of(rest.get(..3).unwrap_or_default()), [("gpus".to_owned(), "16".to_owned())]);
    let reading = [Reading::Strict, Reading::Assuming, Reading::Lenient][usize::from(kind % 3)];
    let given = Given { text: &text, set: if kind % 2 == 0 { &[] } else { &set }, reading };
    match read_items(&items, &given) {
        Err(refusal) => assert!(refusal.message.ends_with(['.', '?']) && refusal.message.len() > 10, "{refusal}"),
        Ok((brought, read)) => {
            let scenario = &read.scenario;
            for param in params::every().filter(|param| params::is_held(param, scenario)) {
                assert!(params::is_within_bounds(param, scenario), "{} in {}", param.key, encode(scenario));
            }
            assert_eq!(decode(&encode(scenario)).scenario, *scenario);
            assert!(brought.missing.is_empty() || reading == Reading::Strict || !brought.missing[0].is_empty());
        }
    }
    let named = items.into_iter().map(|item| (item.name.unwrap_or_default(), item.bytes));
    let json = import_files(&text, named);
    assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
}

/// Files of a given name, with any bytes or the bytes of a real file.
fn parts(bytes: &[u8], count: usize) -> impl Iterator<Item = Item> {
    bytes.chunks(bytes.len().div_ceil(count).max(1)).filter_map(|part| {
        let (name, rest) = part.split_first()?;
        if *name >= 128 {
            let real = real_files();
            let (name, text) = &real[usize::from(rest.first().copied().unwrap_or_default()) % real.len()];
            return Some(Item { name: Some(name.clone()), bytes: text.clone().into_bytes() });
        }
        let name = NAMES[usize::from(*name) % NAMES.len()];
        Some(Item { name: Some(name.to_owned()).filter(|name| !name.is_empty()), bytes: rest.to_vec() })
    })
}
