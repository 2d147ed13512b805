//! Follows the paths of a crate's modules to the files that define their items.

use std::collections::{BTreeMap, BTreeSet};

use super::circle::Graph;
use super::reader::{ALL, Modules, Name, PathKind, Use};

/// Where a path ends.
#[derive(Clone)]
enum End {
    /// In a module of the crate.
    Module(Name),
    /// In an item of a module of the crate.
    Item(Name),
    /// In another crate.
    Outside,
}

/// The files of a crate, each with those whose items it names and a sentence that quotes the code.
pub(super) type Files = BTreeMap<Name, BTreeMap<Name, String>>;

/// Returns the files of a crate. A module's name alone is no dependency, only the items that are
/// taken from it; and a module that gives out its children's items does not depend on them.
pub(super) fn files(modules: &Modules) -> Files {
    let mut files = Files::new();
    for (name, module) in modules {
        let used = files.entry(module.file.clone()).or_default();
        for path in &module.uses {
            let Some(to) = defined(modules, name, path).and_then(|to| modules.get(&to)) else { continue };
            if to.file != module.file {
                let sentence = || format!("{} uses {}: `{}`", module.path, to.path, path.line);
                used.entry(to.file.clone()).or_insert_with(sentence);
            }
        }
    }
    files
}

/// Returns the module that defines the item of a path.
fn defined(modules: &Modules, from: &Name, Use { path, kind, .. }: &Use) -> Option<Name> {
    let (last, before) = path.split_last()?;
    let takes_all = last == ALL;
    let path = if takes_all { before } else { path };
    let module = match resolve(modules, from, path, &mut BTreeSet::new())? {
        End::Item(module) => module,
        End::Module(module) if takes_all => module,
        End::Module(_) | End::Outside => return None,
    };
    let is_front = *kind == PathKind::Export && module.starts_with(from);
    (!is_front).then_some(module)
}

/// Follows a path from a module; `None` where it begins with nothing that is known.
fn resolve(modules: &Modules, from: &Name, path: &[String], seen: &mut BTreeSet<(Name, String)>) -> Option<End> {
    let (first, rest) = path.split_first()?;
    let mut end = match first.as_str() {
        "crate" => End::Module(Name::new()),
        "self" => End::Module(from.clone()),
        "super" => End::Module(parent(from)),
        name => member(modules, from, name, rest.is_empty(), seen)?,
    };
    for (at, name) in rest.iter().enumerate() {
        let End::Module(module) = &end else { break };
        end = match name.as_str() {
            "super" => End::Module(parent(module)),
            name => member(modules, module, name, at + 1 == rest.len(), seen).unwrap_or(End::Item(module.clone())),
        };
    }
    Some(end)
}

/// Returns where a name of a module ends: in its child, its item, or through an import elsewhere.
fn member(modules: &Modules, of: &Name, name: &str, is_last: bool, seen: &mut BTreeSet<(Name, String)>) -> Option<End> {
    let module = modules.get(of)?;
    let child = [of.as_slice(), &[name.to_owned()]].concat();
    // A module and a function may have one name.
    let is_item = module.items.contains(name) || module.imports.contains_key(name);
    if modules.contains_key(&child) && !(is_last && is_item) {
        return Some(End::Module(child));
    }
    if module.items.contains(name) {
        return Some(End::Item(of.clone()));
    }
    if !seen.insert((of.clone(), name.to_owned())) {
        return None;
    }
    if let Some(path) = module.imports.get(name) {
        return Some(resolve(modules, of, path, seen).unwrap_or(End::Outside));
    }
    module.globs.iter().find_map(|glob| match resolve(modules, of, glob, seen)? {
        End::Module(from) => member(modules, &from, name, is_last, seen),
        End::Item(_) | End::Outside => None,
    })
}

fn parent(name: &Name) -> Name {
    name.split_last().map(|(_, parent)| parent.to_vec()).unwrap_or_default()
}

/// Returns for each folder of a crate what its siblings use of each other; a file and its folder
/// are one.
pub(super) fn folders(files: &Files) -> BTreeMap<Name, Graph> {
    let mut folders: BTreeMap<Name, Graph> = BTreeMap::new();
    for (from, used) in files {
        if let Some((name, folder)) = from.split_last() {
            folders.entry(folder.to_vec()).or_default().entry(name.clone()).or_default();
        }
        for (to, sentence) in used {
            let shared = from.iter().zip(to).take_while(|(from, to)| from == to).count();
            if let (Some(here), Some(there), Some(folder)) = (from.get(shared), to.get(shared), from.get(..shared)) {
                let siblings = folders.entry(folder.to_vec()).or_default();
                siblings.entry(here.clone()).or_default().entry(there.clone()).or_insert_with(|| sentence.clone());
            }
        }
    }
    folders
}

/// Returns what the files use of each other, but for their parents: a child may use what its parent
/// defines, and the parent may call the child.
pub(super) fn beside_parents(files: &Files) -> Graph {
    let spelled = |name: &Name| name.join("/");
    let of = |(from, used): (&Name, &BTreeMap<Name, String>)| {
        let beside = used.iter().filter(|(to, _)| !from.starts_with(to));
        (spelled(from), beside.map(|(to, sentence)| (spelled(to), sentence.clone())).collect())
    };
    files.iter().map(of).collect()
}
