//! The list of functions that the first screen does without: one hash a line, and nothing else, so that it stays small and
//! two branches that change it merge.
//!
//! A function is known by its name without the hash that the compiler adds. Where several have one name, as closures of one
//! function and copies for several types do, each is known by its name and the kinds of its instructions. What is not on the
//! list is hot: after a change of the code a stale list costs size, and `cargo xtask profile` writes a new one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use walrus::ir::{Instr, InstrLocId, Visitor, dfs_in_order};
use walrus::{FunctionKind, LocalFunction, Module};

use crate::failure::{Explain as _, Result};
use crate::shell::root;

/// The list of this project.
pub(in crate::site) fn file() -> PathBuf {
    root().join("xtask").join("cold.txt")
}

/// The hashes of the list.
///
/// # Errors
/// When it cannot be read.
pub(in crate::site) fn read() -> Result<BTreeSet<u32>> {
    let text = std::fs::read_to_string(file())
        .explain(|| "xtask/cold.txt could not be read; write it with `cargo xtask profile`".into())?;
    Ok(text.lines().filter_map(|line| u32::from_str_radix(line.trim(), 16).ok()).collect())
}

/// The list as text.
pub(in crate::site) fn written(hashes: &BTreeSet<u32>) -> String {
    hashes.iter().fold(String::new(), |text, hash| text + &format!("{hash:08x}\n"))
}

/// The positions of the functions that are on the list.
pub(super) fn chosen(module: &Module, list: &BTreeSet<u32>) -> BTreeSet<usize> {
    let hashes = hashes(module).into_iter().enumerate();
    hashes.filter(|(_, hash)| hash.is_some_and(|hash| list.contains(&hash))).map(|(at, _)| at).collect()
}

/// What each function of a module is known by; imports and functions without a name are not known.
pub(in crate::site) fn hashes(module: &Module) -> Vec<Option<u32>> {
    let mut bearers: BTreeMap<&str, u32> = BTreeMap::new();
    let names: Vec<Option<(&str, &LocalFunction)>> = module
        .funcs
        .iter()
        .map(|function| match (&function.kind, &function.name) {
            (FunctionKind::Local(local), Some(name)) => Some((plain(name), local)),
            _ => None,
        })
        .collect();
    for (name, _) in names.iter().flatten() {
        *bearers.entry(name).or_default() += 1;
    }
    let hash = |(name, local): (&str, &LocalFunction)| {
        let mut hash = Hash::default();
        hash.add(name.as_bytes());
        if bearers.get(name).is_some_and(|count| *count > 1) {
            dfs_in_order(&mut hash, local, local.entry_block());
        }
        hash.0
    };
    let hashes: Vec<Option<u32>> = names.into_iter().map(|function| function.map(hash)).collect();
    // Those that are alike in that too are known by their place among their like, and by how many there are.
    let mut alike: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for hash in hashes.iter().flatten() {
        alike.entry(*hash).or_default().1 += 1;
    }
    let placed = |hash: u32| {
        let Some((place, count)) = alike.get_mut(&hash).filter(|(_, count)| *count > 1) else { return hash };
        *place += 1;
        let mut hash = Hash(hash);
        hash.add(&place.to_le_bytes());
        hash.add(&count.to_le_bytes());
        hash.0
    };
    hashes
        .into_iter()
        .map({
            let mut placed = placed;
            move |hash| hash.map(&mut placed)
        })
        .collect()
}

/// A name without the compiler's hash, demangled ("::h" and 16 digits) or not ("17h", 16 digits and "E").
fn plain(name: &str) -> &str {
    let digits = |text: &str| text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let demangled = name.rsplit_once("::h").filter(|(_, hash)| digits(hash));
    let mangled = name.strip_suffix('E').and_then(|name| name.rsplit_once("17h")).filter(|(_, hash)| digits(hash));
    demangled.or(mangled).map_or(name, |(name, _)| name)
}

/// FNV-1a, 32 bits.
struct Hash(u32);

impl Default for Hash {
    fn default() -> Self {
        Self(0x811c_9dc5)
    }
}

impl Hash {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        }
    }
}

impl<'instr> Visitor<'instr> for Hash {
    fn visit_instr(&mut self, instr: &'instr Instr, _: &'instr InstrLocId) {
        // The kind alone: constants are often addresses, which move with every change elsewhere.
        let text = format!("{instr:?}");
        let kind = text.split(['(', ' ']).next().unwrap_or_default();
        self.add(kind.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_loses_the_compilers_hash() {
        assert_eq!(plain("core::fmt::write::h0123456789abcdef"), "core::fmt::write");
        assert_eq!(plain("_ZN4core3fmt5write17h0123456789abcdefE"), "_ZN4core3fmt5write");
        assert_eq!(plain("__wbindgen_malloc"), "__wbindgen_malloc");
        assert_eq!(plain("page::help"), "page::help");
    }

    #[test]
    fn hashes_are_fnv_1a() {
        let mut hash = Hash::default();
        hash.add(b"foobar");
        assert_eq!(hash.0, 0xbf9c_f968);
    }
}
