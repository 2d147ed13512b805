//! Access to keys below the prefixes of a program's table.

use crate::run::keys::{KeyedValue, Keys};
use programs::keys::Table;

/// The keys of a file, each below one of some prefixes.
pub(in crate::run) struct Args<'k, 'a> {
    pub(super) keys: &'k mut Keys<'a>,
    pub(super) table: &'static Table,
    places: Vec<&'static str>,
}

macro_rules! getters {
    ($($name:ident -> $kind:ty;)*) => {
        impl Args<'_, '_> {
            $(
                /// Reads the first of some keys that has a value.
                pub(super) fn $name(&mut self, names: &[&str]) -> Option<KeyedValue<$kind>> {
                    for name in names {
                        let paths: Vec<String> = self.places.iter().map(|place| format!("{place}{name}")).collect();
                        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
                        if let Some(found) = self.keys.$name(&paths) {
                            return Some(found);
                        }
                    }
                    None
                }
            )*
        }
    };
}
getters! {
    count -> u32;
    number -> f64;
    flag -> bool;
    word -> String;
    text -> String;
    list -> Vec<String>;
}

impl<'k, 'a> Args<'k, 'a> {
    /// Accesses keys below the prefixes of a program's table.
    pub(super) fn new(keys: &'k mut Keys<'a>, table: &'static Table) -> Self {
        Self { keys, table, places: table.places.iter().map(String::as_str).collect() }
    }

    /// Accesses the same keys below another prefix.
    pub(super) fn below(&mut self, place: &'static str) -> Args<'_, 'a> {
        Args { keys: self.keys, table: self.table, places: vec![place] }
    }

    /// Whether a switch is on.
    pub(super) fn is_on(&mut self, name: &str) -> bool {
        self.flag(&[name]).is_some_and(|found| found.value)
    }

    /// Marks keys as known, without reading them.
    pub(super) fn skip(&mut self, names: &[&str]) {
        for name in names {
            for place in &self.places {
                self.keys.skip(&[&format!("{place}{name}")]);
            }
        }
    }
}
