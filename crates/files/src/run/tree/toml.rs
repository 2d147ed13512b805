//! Reader of TOML.

use toml_edit::{Document, Item, TableLike, Value as TomlValue};

use super::{DEEPEST, Entries, Entry, Value, joined};

/// Reads TOML.
///
/// # Errors
///
/// A description of the problem, without a full stop.
pub(super) fn parse_toml(text: &str) -> Result<Vec<Entry>, String> {
    let document = Document::parse(text).map_err(|error| error.message().trim_end_matches('.').to_owned())?;
    let mut entries = Entries::default();
    table(document.as_table(), "", 0, &mut entries)?;
    Ok(entries.list)
}

fn table(of: &dyn TableLike, path: &str, depth: usize, entries: &mut Entries) -> Result<(), String> {
    if depth > DEEPEST {
        return Err(format!("it is nested deeper than {DEEPEST} levels"));
    }
    entries.count_table()?;
    for (key, found) in of.iter() {
        item(found, &joined(path, key), depth + 1, entries)?;
    }
    Ok(())
}

fn item(of: &Item, path: &str, depth: usize, entries: &mut Entries) -> Result<(), String> {
    match of {
        Item::None => Ok(()),
        Item::Value(found) => value(found, path, depth, entries),
        Item::Table(found) => table(found, path, depth, entries),
        Item::ArrayOfTables(tables) => {
            for (place, found) in tables.iter().enumerate() {
                table(found, &joined(path, &place.to_string()), depth + 1, entries)?;
            }
            Ok(())
        }
    }
}

fn scalar(of: &TomlValue) -> Option<Value> {
    let plain = |text: String| Some(Value::Scalar { text, quoted: false });
    match of {
        TomlValue::String(text) => Some(Value::Scalar { text: text.value().clone(), quoted: true }),
        TomlValue::Integer(number) => plain(number.value().to_string()),
        TomlValue::Float(number) => plain(number.value().to_string()),
        TomlValue::Boolean(flag) => plain(flag.value().to_string()),
        TomlValue::Datetime(date) => plain(date.value().to_string()),
        TomlValue::Array(_) | TomlValue::InlineTable(_) => None,
    }
}

fn value(of: &TomlValue, path: &str, depth: usize, entries: &mut Entries) -> Result<(), String> {
    if let Some(found) = scalar(of) {
        return entries.add(path, found, of.span());
    }
    match of {
        TomlValue::InlineTable(found) => table(found, path, depth, entries),
        TomlValue::Array(items) => {
            let scalars: Option<Vec<String>> =
                items.iter().map(|item| scalar(item).map(|found| found.shown())).collect();
            if let Some(scalars) = scalars {
                return entries.add(path, Value::List(scalars), of.span());
            }
            if depth > DEEPEST {
                return Err(format!("it is nested deeper than {DEEPEST} levels"));
            }
            for (place, item) in items.iter().enumerate() {
                value(item, &joined(path, &place.to_string()), depth + 1, entries)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
