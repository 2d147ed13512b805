//! Names by which the halves of a module know each other, and what both of them write.

use std::collections::BTreeMap;
use std::convert::Infallible;

use anyhow::anyhow;
use wasm_encoder::reencode;
use wasm_encoder::{Module, NameMap, NameSection};

/// Module and name under which the first half imports the function that loads the late half.
pub(super) const LOAD: (&str, &str) = ("late", "load");
/// Name of the global of the first half that is 1 once the late half is there.
pub(super) const IS_HERE: &str = "late";
/// Module from which the late half imports everything: the first half's exports.
pub(super) const FIRST: &str = "first";

// For `map_err`.
#[allow(clippy::needless_pass_by_value)]
pub(super) fn failed(error: reencode::Error<Infallible>) -> anyhow::Error {
    anyhow!("The module cannot be divided: {error}")
}

/// Name of an export of the first half for the late half.
pub(super) fn name(kind: char, index: u32) -> String {
    format!("~{kind}{index}")
}

/// Finishes a module with the names of its functions, by which wasm-opt sorts them.
pub(super) fn named(mut module: Module, names: BTreeMap<u32, &str>) -> Vec<u8> {
    let mut functions = NameMap::new();
    for (index, name) in names {
        functions.append(index, name);
    }
    let mut section = NameSection::new();
    section.functions(&functions);
    module.section(&section);
    module.finish()
}

/// Returns a table's type with more slots.
pub(super) fn sized(table: wasm_encoder::TableType, size: u32) -> wasm_encoder::TableType {
    let more = u64::from(size) - table.minimum;
    wasm_encoder::TableType { minimum: u64::from(size), maximum: table.maximum.map(|maximum| maximum + more), ..table }
}
