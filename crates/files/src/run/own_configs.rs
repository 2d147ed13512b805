//! Configurations that programs have under names of their own: what they set is what a script that
//! names one continues. A name without a row stays a question.

use catalog::programs::Program;
use programs::texts::{NEMO_RECIPES, TORCHTITAN_CONFIGS, TORCHTUNE_CONFIGS};

use super::tree::{Entry, Syntax, Tree, Value};

/// Adds to a script the values of the configuration that it names; returns its program if there is
/// one.
pub(super) fn continue_own(tree: &mut Tree, text: &str) -> Option<Program> {
    match tree.syntax {
        Syntax::Shell => torchtune(tree, text).or_else(|| torchtitan(tree)),
        Syntax::Python => nemo(tree),
        _ => None,
    }
}

/// Reads `tune run --nproc_per_node 8 full_finetune_distributed --config llama3_1/8B_full
/// batch_size=4`.
fn torchtune(tree: &mut Tree, text: &str) -> Option<Program> {
    let (_, behind) = text.split_once("tune run ")?;
    let usage = behind.split("--config").next().unwrap_or_default();
    let name = last(tree, "config")?;
    let mut base = row(TORCHTUNE_CONFIGS, &name)?;
    // Another recipe reads another file, or the rest of this one otherwise.
    let recipe = base.iter().position(|entry| entry.path == "recipe").map(|place| base.remove(place))?;
    let kind = |recipe: &str| recipe.replace("_single_device", "").replace("_distributed", "");
    let started = usage.split_whitespace().find(|word| kind(word) == kind(&recipe.value.shown()))?;
    base.push(entry("__usage__", &format!("tune run {started}")));
    // The recipe stands behind the last flag of the launcher, and is no value of it.
    for entry in &mut tree.entries {
        if let Value::List(items) = &entry.value
            && let [value, last] = items.as_slice()
            && last == started
        {
            entry.value = Value::plain(value.clone());
        }
    }
    tree.remarks.push(format!("What torchtune's configuration {name} itself sets is read with it (April 2026)."));
    tree.add_below(base);
    Some(Program::Torchtune)
}

/// Reads `--module llama3 --config llama3_8b`.
fn torchtitan(tree: &mut Tree) -> Option<Program> {
    last(tree, "module")?;
    let name = last(tree, "config").or_else(|| last(tree, "job.config"))?;
    let mut base = row(TORCHTITAN_CONFIGS, &name)?;
    base.push(entry("__recipe__", &name));
    tree.remarks.push(format!("What torchtitan's configuration {name} itself sets is read with it (August 2026)."));
    tree.add_below(base);
    Some(Program::Torchtitan)
}

/// Reads `llm.llama31_70b.pretrain_recipe(num_nodes=4)`; `performance_mode` sets more than is
/// known.
fn nemo(tree: &mut Tree) -> Option<Program> {
    let function = last(tree, "__base__")?;
    let module = function.strip_suffix(".pretrain_recipe")?.rsplit('.').next()?;
    let is_fast =
        |entry: &Entry| entry.path.ends_with("performance_mode") && !entry.value.shown().eq_ignore_ascii_case("false");
    let base = row(NEMO_RECIPES, module).filter(|_| !tree.entries.iter().any(is_fast))?;
    tree.remarks.push(format!("What NeMo's recipe {module} itself sets is read with it (September 2025)."));
    tree.add_below(base);
    Some(Program::Nemo)
}

/// Returns the last value of a key.
fn last(tree: &Tree, path: &str) -> Option<String> {
    tree.entries.iter().rev().find(|entry| entry.path == path).map(|entry| entry.value.shown())
}

/// Returns the values of a row by its first cell, under the names of the columns; empty cells are
/// keys that it does not set.
fn row(table: &str, name: &str) -> Option<Vec<Entry>> {
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let names = lines.next()?;
    let cells = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(','))?;
    let cells = names.split(',').skip(1).zip(cells.split(',')).filter(|(_, cell)| !cell.is_empty());
    Some(cells.map(|(name, cell)| entry(name, cell)).collect())
}

fn entry(path: &str, text: &str) -> Entry {
    Entry { path: path.to_owned(), value: Value::plain(text), span: None, merged: true, scope: None }
}
