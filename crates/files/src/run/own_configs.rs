//! Configurations that programs have under names of their own: what they set is what a script that
//! names one continues. A name without a row stays a question.

use catalog::programs::Program;

use super::tree::{Entry, Syntax, Tree, Value};

/// Configurations of torchtune, with the recipe that starts each.
const TORCHTUNE: &str = include_str!("../../programs/torchtune/configs.csv");

/// Adds to a script the values of the configuration that it names; returns its program if there is
/// one.
pub(super) fn continue_own(tree: &mut Tree, text: &str) -> Option<Program> {
    if tree.syntax != Syntax::Shell {
        return None;
    }
    // `tune run --nproc_per_node 8 full_finetune_distributed --config llama3_1/8B_full batch_size=4`
    let (_, behind) = text.split_once("tune run ")?;
    let usage = behind.split("--config").next().unwrap_or_default();
    let name = tree.entries.iter().rev().find(|entry| entry.path == "config")?.value.shown();
    let mut base = row(TORCHTUNE, &name)?;
    // Another recipe reads another file, or the rest of this one otherwise.
    let recipe = base.iter().position(|entry| entry.path == "recipe").map(|place| base.remove(place))?;
    let kind = |recipe: &str| recipe.split("_single_device").next().unwrap_or_default().replace("_distributed", "");
    let started = usage.split_whitespace().find(|word| kind(word) == kind(&recipe.value.shown()))?;
    base.push(entry("__usage__", &format!("tune run {started}")));
    tree.remarks.push(format!("What torchtune's configuration {name} sets itself is read with it (April 2026)."));
    tree.add_below(base);
    Some(Program::Torchtune)
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
