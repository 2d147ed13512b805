//! Keys that the tables of programs have ([`programs::keys`]).

use std::collections::HashSet;
use std::sync::LazyLock;

use catalog::programs::Program;
use programs::keys::{ALL, Table};

use super::spelling::plain;
use super::tree::last_part;

/// Last parts of the names that a table gives a meaning, in lower case with underscores.
static MEANT: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let rows = ALL.iter().flat_map(|(_, table)| &table.rows);
    let meant = rows.filter(|row| !matches!(row.is.as_str(), "" | "noted") || !row.sets.0.is_empty());
    meant.flat_map(|row| &row.name).map(|name| plain(last_part(name.trim_start_matches('*')))).collect()
});

/// Whether a program's own table has a row of a key, which another setting may make idle.
pub(super) fn has_row(program: Program, path: &str) -> bool {
    let path = plain(path);
    let is_it = |name: &String| match name.strip_prefix('*') {
        Some(end) => path == plain(end) || path.ends_with(&format!(".{}", plain(end))),
        None => path == plain(name),
    };
    Table::find(program).is_some_and(|table| table.rows.iter().flat_map(|row| &row.name).any(is_it))
}

/// Whether the table of any program gives a meaning to a key, by its last part.
pub(super) fn gives_meaning(last: &str) -> bool {
    MEANT.contains(last)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use catalog::programs::Program;
    use programs::keys::{ALL, Meaning, parsed};
    use programs::texts::KEYS;

    use crate::run::formats::function;
    use crate::run::formats::table::{OWN_NAMES, shape_key};
    use catalog::default_scenario;
    use engine::params;
    use links::put;

    #[test]
    fn every_table_says_what_links_know() {
        let mut wrong: Vec<String> = Vec::new();
        for (name, text) in KEYS {
            let table = parsed(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let mut scenario = default_scenario();
            scenario.model = engine::scenario::Model::Custom { architecture: links::v1::CUSTOM_SHAPE };
            let mut is_value = |key: &str, value: &str| {
                let key = key.strip_prefix("shape.").and_then(shape_key).unwrap_or(key);
                if !OWN_NAMES.contains(&key) || params::find(key).is_some() && key != "optimizer" {
                    wrong.extend(put(&mut scenario, key, value).map(|issue| format!("{name}: {}", issue.message)));
                }
            };
            is_value("framework", Program::find(name).unwrap().framework());
            table.usual.0.iter().for_each(|(key, value)| is_value(key, &value.to_string()));
            for row in &table.rows {
                let key = row.is.as_str();
                let is_known = key.is_empty() || OWN_NAMES.contains(&key) || params::find(key).is_some();
                let is_known = is_known || key.starts_with("shape.");
                assert!(is_known, "{name}: {:?} is {key}", row.name);
                let is_function = row.call.is_empty() || function(&row.call).is_some() && row.name.is_empty();
                assert!(is_function, "{name}: {}", row.call);
                let is_called = row.read_by.is_empty() || table.rows.iter().any(|other| other.call == row.read_by);
                assert!(is_called, "{name}: {}", row.read_by);
                for (word, meaning) in &row.values.0 {
                    assert!(word.chars().all(|sign| !sign.is_uppercase()), "{name}: {word} of {:?}", row.name);
                    match meaning {
                        Meaning::Option(value) if params::find(key).is_some() => is_value(key, &value.to_string()),
                        Meaning::Option(_) => {}
                        Meaning::Several(several) => {
                            several.0.iter().for_each(|(key, value)| is_value(key, &value.to_string()));
                        }
                    }
                }
                row.sets.0.iter().for_each(|(key, value)| is_value(key, &value.to_string()));
            }
            for (own, id) in &table.models.0 {
                assert!(catalog::names::model_named(id).is_some(), "{name}: {own} = {id}");
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(ALL.len(), KEYS.len());
    }
}
