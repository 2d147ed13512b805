//! Cuts the finished module in two: what the first screen runs, and the rest, which comes after the first picture.
//!
//! Both halves share memory, table and globals. The first one ("hot") has all data and the start; it exports what the
//! second one needs. Where it calls a function of the second one, or an element of the table holds one, it goes through a
//! slot of the table. Until the rest is there the slot has a stand-in that loads it at once and then calls through the same
//! slot, which by then has the function itself: the rest writes its functions there when it starts.
//!
//! - [`cold`]: which functions are the rest's, by the list in `xtask/cold.txt`.
//! - [`plan`]: what crosses the cut.
//! - [`hot`], [`rest`]: the two halves.
//! - [`files`]: their names in `dist/`, and the script between them.

pub(super) mod cold;
pub(super) mod files;
mod hot;
mod plan;
mod rest;

use std::collections::{BTreeMap, BTreeSet};

use walrus::{Module, ModuleConfig};

use crate::failure::{Explain as _, Result};

/// The module in whose name the rest imports from the first half.
const BRIDGE: &str = "a";

/// What JavaScript gives the first half: a function that loads the rest before it returns.
const LOADER: &str = "load_rest";

/// The two modules.
#[derive(Debug)]
pub(super) struct Halves {
    /// Loaded first.
    pub(super) hot: Vec<u8>,
    /// Loaded after the first picture, or when something in it is called.
    pub(super) rest: Vec<u8>,
    /// How many functions went into the rest.
    pub(super) moved: usize,
}

/// Cuts a module in two; `None` when nothing of it is on the list.
///
/// # Errors
/// When it is not a module as wasm-bindgen writes them.
pub(super) fn halves(module: &[u8], cold: &BTreeSet<u32>) -> Result<Option<Halves>> {
    let whole = parse(module)?;
    let plan = plan::Plan::of(&whole, &cold::chosen(&whole, cold))?;
    if plan.cold.is_empty() {
        return Ok(None);
    }
    // Two copies of one module number everything alike.
    let hot = hot::cut(whole, &plan)?;
    let rest = rest::cut(parse(module)?, &plan)?;
    Ok(Some(Halves { hot, rest, moved: plan.cold.len() }))
}

/// The rest with new names for what it imports: (old, new).
///
/// # Errors
/// When it is not a module.
pub(super) fn renamed(rest: &[u8], names: &BTreeMap<String, String>) -> Result<Vec<u8>> {
    let mut module = parse(rest)?;
    for import in module.imports.iter_mut() {
        if let Some(name) = names.get(&import.name) {
            name.clone_into(&mut import.name);
        }
    }
    Ok(module.emit_wasm())
}

/// Reads a module, with the names of its functions.
///
/// # Errors
/// When it is none, or a broken one.
pub(super) fn parse(module: &[u8]) -> Result<Module> {
    let mut config = ModuleConfig::new();
    config.generate_producers_section(false);
    config.parse(module).explain(|| "The module could not be read".into())
}

#[cfg(test)]
mod tests;
