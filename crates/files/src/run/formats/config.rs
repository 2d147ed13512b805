//! A model's `config.json` and an adapter's `adapter_config.json`, next to the configuration of a
//! run.

use engine::scenario::Model;

use crate::run::File;
use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};
use huggingface as config;

/// Returns the key that represents a whole file in the list of understood keys.
fn whole(keys: &mut Keys, key: &str) -> KeyedValue<String> {
    let found = keys.text(&[key]);
    let file = found.as_ref().map_or(0, |found| found.file);
    found.unwrap_or(KeyedValue { value: String::new(), file, key: key.to_owned(), shown: String::new() })
}

/// Reads a model's config.
///
/// # Errors
///
/// A sentence if it cannot be read.
pub(super) fn read_config(keys: &mut Keys, draft: &mut Draft, file: &File) -> Result<(), String> {
    let imported = config::import(&config::parse(&file.text)?)?;
    draft.stored = imported.stored;
    let key = whole(keys, "model_type");
    draft.record(&key, format!("The shape of {}: {} fields were read", imported.name, imported.used.len()));
    draft.scenario.model = Model::Custom { architecture: imported.architecture };
    draft.has_model = true;
    let other = imported.not_understood;
    if !other.is_empty() {
        draft.assume(format!("Of the model's config not understood, and left out: {}.", other.join(", ")));
    }
    keys.skip_all();
    Ok(())
}

/// Reads an adapter's config.
///
/// # Errors
///
/// A sentence if it cannot be read.
pub(super) fn read_adapter(keys: &mut Keys, draft: &mut Draft, file: &File) -> Result<(), String> {
    let adapter = config::import_adapter(&config::parse(&file.text)?)?;
    let key = whole(keys, "peft_type");
    draft.record(&key, format!("An adapter: {} fields were read", adapter.used.len()));
    let has_model = draft.has_model;
    let model = draft.scenario.model;
    draft.scenario = adapter.applied(&draft.scenario);
    if has_model {
        draft.scenario.model = model;
    } else {
        draft.has_model = adapter.model().is_some();
    }
    for remark in adapter.remarks {
        draft.assume(remark);
    }
    keys.skip_all();
    Ok(())
}
