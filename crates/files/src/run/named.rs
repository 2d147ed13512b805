//! Files that a file of a run names by their paths: a launcher's, the one that it continues, a
//! model's folder.

use std::collections::HashSet;

use catalog::programs::Program;

use super::tree::{DEFAULTS, STARTED, Syntax, Tree, Value, last_part, parse_file};
use super::{File, MOST_FILES, Refusal};

/// Keys of other files, by their last part.
const FILES: [&str; 7] = [
    "deepspeed",
    "deepspeed_config",
    "deepspeed_config_file",
    "deepspeed_plugin",
    "config_file",
    "accelerate_config",
    "fsdp_config",
];
/// Keys of a model, which may be a folder.
const MODELS: [&str; 6] = ["model_name_or_path", "base_model", "model", "model_id", "model_path", "model_name"];

/// Returns the relative paths of files that a file names, as it writes them; none of a file that
/// does not parse.
#[must_use]
pub fn named_files(file: &File) -> Vec<String> {
    let Ok(tree) = parse_file(file) else { return Vec::new() };
    let mut named: Vec<String> = continued(&tree).into_iter().chain(started(&tree)).collect();
    for entry in &tree.entries {
        let Value::Scalar { text, .. } = &entry.value else { continue };
        let key = last_part(&entry.path);
        if FILES.contains(&key) && is_configuration(text) {
            named.push(text.clone());
        } else if MODELS.contains(&key) {
            named.push(format!("{}/config.json", text.trim_end_matches('/')));
        }
    }
    let mut seen = HashSet::new();
    named.retain(|path| is_relative(path) && seen.insert(path.clone()));
    named.truncate(MOST_FILES);
    named
}

/// Returns the files that a file continues, without groups of options.
pub(super) fn continued(tree: &Tree) -> Vec<String> {
    let values = tree.entries.iter().filter(|entry| entry.path == DEFAULTS).map(|entry| &entry.value);
    let names = values.flat_map(|value| match value {
        Value::Scalar { text, .. } => vec![text.clone()],
        Value::List(names) => names.clone(),
        Value::Null => Vec::new(),
    });
    let names = names.filter(|name| name != "_self_");
    names.map(|name| if is_configuration(&name) { name } else { name + ".yaml" }).collect()
}

/// Whether a file is a shell script by its name; prose names files as well.
pub(super) fn is_script(file: &File) -> bool {
    [".sh", ".bash", ".slurm", ".sbatch"].iter().any(|end| file.name.ends_with(end))
}

/// Returns the refusal of a script without settings that starts a run by a file: what to give.
pub(super) fn only_starts(file: &File) -> Option<Refusal> {
    let is_one = is_script(file) || file.name.is_empty();
    let tree = parse_file(file).ok().filter(|tree| is_one && tree.syntax == Syntax::Shell)?;
    let value = |key: &str| tree.entries.iter().find(|entry| entry.path == key).map(|entry| entry.value.shown());
    // torchtune's configurations are known by names, and `tune cp` writes them.
    let of_torchtune = value("config").filter(|name| file.text.contains("tune run ") && !is_configuration(name));
    let said = match (of_torchtune, started(&tree).next()) {
        (Some(name), _) => format!(
            "This script starts torchtune with its configuration {name}, which is not in the script: write it to a file \
             (`tune cp {name} run.yaml`), apply the script's `key=value` there, and give that file."
        ),
        (None, Some(name)) => {
            format!(
                "This script starts a run by a file and has no settings of its own: give that file beside the script: {name}."
            )
        }
        (None, None) => return None,
    };
    Some(Refusal::unknown(said))
}

/// Returns the configurations that a script's commands name.
pub(super) fn started(tree: &Tree) -> impl Iterator<Item = String> {
    tree.entries.iter().filter(|entry| entry.path == STARTED).map(|entry| entry.value.shown())
}

fn is_configuration(path: &str) -> bool {
    [".json", ".yaml", ".yml"].iter().any(|end| path.ends_with(end))
}

/// Whether a path is complete and leads from the file that names it.
fn is_relative(path: &str) -> bool {
    !path.starts_with(['/', '~', '\\']) && !path.contains(['$', ':', '{', '*', '\n', '\0']) && path.len() < 1_000
}

/// Adds to each file the values of those that it continues, and marks those. A script continues the
/// file of its own program that it starts.
pub(super) fn continue_bases(trees: &mut [Tree], programs: &[Program]) {
    let named: Vec<Vec<usize>> = (0..trees.len()).map(|place| bases_of(place, trees, programs)).collect();
    for base in named.iter().flatten() {
        if let Some(tree) = trees.get_mut(*base) {
            tree.is_base = true;
        }
    }
    for (place, own) in named.iter().enumerate() {
        // The farthest first: of values that are continued, the last one counts.
        let mut chain: Vec<usize> = own.clone();
        let mut next = 0;
        while let Some(base) = chain.get(next) {
            let farther = named.get(*base).into_iter().flatten().copied();
            let farther: Vec<usize> = farther.filter(|far| *far != place && !chain.contains(far)).collect();
            chain.extend(farther);
            next += 1;
        }
        let bases: Vec<Tree> = chain.iter().rev().filter_map(|base| trees.get(*base).cloned()).collect();
        if let Some(tree) = trees.get_mut(place).filter(|tree| !tree.is_base) {
            for base in &bases {
                tree.continue_from(base);
            }
        }
    }
    // Files that continue each other have no first one.
    if trees.iter().all(|tree| tree.is_base) {
        for tree in trees {
            tree.is_base = false;
        }
    }
}

/// Returns the places of the files that a file continues, the last one first, as it counts most.
fn bases_of(place: usize, trees: &[Tree], programs: &[Program]) -> Vec<usize> {
    let Some(tree) = trees.get(place) else { return Vec::new() };
    let find = |name: &String| trees.iter().position(|other| other.name != tree.name && is_named(&other.name, name));
    let continued = continued(tree).into_iter().rev().filter_map(|name| find(&name));
    // A launcher's file and a run of another program keep their own reader.
    let started = started(tree).filter_map(|name| find(&name));
    let mut bases: Vec<usize> =
        continued.chain(started.filter(|base| programs.get(*base) == programs.get(place))).collect();
    let mut seen = HashSet::new();
    bases.retain(|base| seen.insert(*base));
    bases
}

/// Whether the path of a file ends in the name by which another file refers to it.
pub(super) fn is_named(path: &str, name: &str) -> bool {
    let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    !name.is_empty() && last(path) == last(name)
}
