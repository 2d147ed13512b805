//! `cargo xtask graph`: writes the dependencies between crates, and between the folders of a crate,
//! into `ARCHITECTURE.md`. A cycle is an error.

use anyhow::{Context as _, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use toml_edit::DocumentMut;

use crate::shell::{entries, read, root, step, write};

/// The document, and the marker around the graph.
const DOCUMENT: &str = "ARCHITECTURE.md";
const MARK: &str = "<!-- graph -->";
/// Source folders of crates whose folders must not depend on each other in a cycle.
const SOURCES: [&str; 21] = [
    "crates/engine",
    "crates/catalog",
    "crates/links",
    "crates/trace",
    "crates/analysis",
    "crates/explain",
    "crates/export",
    "crates/huggingface",
    "crates/diagnose",
    "crates/files",
    "crates/charts",
    "crates/charts-canvas",
    "crates/score",
    "crates/api",
    "crates/files-worker",
    "cli",
    "npm",
    "python",
    "xtask",
    "tests/e2e",
    ".",
];

/// Dependencies of each item, by name.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Writes the graph into the document.
///
/// # Errors
/// When the document lacks the marks, or there is a circle.
pub fn run() -> Result<()> {
    step("What depends on what");
    let path = root().join(DOCUMENT);
    write(&path, documented(&read(&path)?)?)?;
    println!("{DOCUMENT} is current.");
    Ok(())
}

/// Checks that the graph in the document is current.
///
/// # Errors
/// When it is not, or there is a circle.
pub fn check() -> Result<()> {
    let text = read(&root().join(DOCUMENT))?;
    if documented(&text)? != text {
        bail!("The graph in {DOCUMENT} is old: run `cargo xtask graph`.");
    }
    Ok(())
}

/// Returns the document with the current graph.
fn documented(text: &str) -> Result<String> {
    let parts: Vec<&str> = text.split(MARK).collect();
    let [before, _, after] = parts.as_slice() else { bail!("{DOCUMENT} needs two marks {MARK}") };
    let mut graph = String::from("\n\nCrates, each with those that it uses:\n\n");
    table(&mut graph, &crates()?);
    graph.push_str("\nFolders and files at the top of a crate, each with those that it uses:\n");
    for source in SOURCES {
        let folders = folders(&root().join(source).join("src"))?;
        if let Some(circle) = circle(&folders) {
            bail!("{source}: {} depend on each other in a circle", circle.join(", "));
        }
        let used: Graph = folders.into_iter().filter(|(_, uses)| !uses.is_empty()).collect();
        if !used.is_empty() {
            let name = if source == "." { "src (the page)" } else { source };
            let _ = writeln!(graph, "\n### {name}\n");
            table(&mut graph, &used);
        }
    }
    Ok([before, MARK, &graph, "\n", MARK, after].concat())
}

fn table(text: &mut String, graph: &Graph) {
    for (name, uses) in graph {
        let uses: Vec<String> = uses.iter().map(|name| format!("`{name}`")).collect();
        let uses = if uses.is_empty() { "nothing of ours".to_owned() } else { uses.join(", ") };
        let _ = writeln!(text, "- `{name}`: {uses}");
    }
}

/// Returns the crates of the workspace, by folder, with their non-dev dependencies.
fn crates() -> Result<Graph> {
    let manifest = |folder: &Path| -> Result<DocumentMut> {
        read(&folder.join("Cargo.toml"))?.parse().with_context(|| format!("{} is no manifest", folder.display()))
    };
    let workspace = manifest(&root())?;
    let members = workspace.get("workspace").and_then(|table| table.get("members")?.as_array());
    let members = members.context("Cargo.toml has no members")?.iter().filter_map(|member| member.as_str());
    let mut graph = Graph::new();
    for folder in members.chain(["."]) {
        let manifest = manifest(&root().join(folder))?;
        let used = manifest.get("dependencies").and_then(|table| table.as_table_like());
        let own = |name: &str| root().join("crates").join(name.replace('_', "-")).is_dir();
        let uses = used.into_iter().flat_map(|table| table.iter()).map(|(name, _)| name).filter(|name| own(name));
        let name = if folder == "." { "src" } else { folder };
        graph.insert(name.to_owned(), uses.map(|name| format!("crates/{}", name.replace('_', "-"))).collect());
    }
    Ok(graph)
}

/// Returns the folders and files at the top of a crate's sources, with the ones that they use.
fn folders(sources: &Path) -> Result<Graph> {
    let module = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let all = entries(sources)?;
    let is_root = |name: &str| matches!(name, "lib" | "main");
    let modules: BTreeSet<String> = all.iter().map(|path| module(path)).filter(|name| !is_root(name)).collect();
    let mut graph: Graph = modules.iter().map(|name| (name.clone(), BTreeSet::new())).collect();
    for path in all {
        let name = module(&path);
        let Some(uses) = graph.get_mut(&name) else { continue };
        for file in files(&path)? {
            uses.extend(named(&code(&read(&file)?)).into_iter().filter(|used| modules.contains(used) && *used != name));
        }
    }
    Ok(graph)
}

/// Returns the Rust files of a path, except tests.
fn files(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        let is_code = path.extension().is_some_and(|kind| kind == "rs") && !path.ends_with("tests.rs");
        return Ok(if is_code { vec![path.to_owned()] } else { Vec::new() });
    }
    let mut found = Vec::new();
    for entry in entries(path)?.into_iter().filter(|entry| !entry.ends_with("tests")) {
        found.extend(files(&entry)?);
    }
    Ok(found)
}

/// Returns a file without its tests and comments.
fn code(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let text: Vec<&str> = lines.collect();
    let end = text.windows(2).position(is_test).unwrap_or(text.len());
    text.into_iter().take(end).collect::<Vec<_>>().join("\n")
}

/// Returns whether two lines begin a test module.
fn is_test(pair: &[&str]) -> bool {
    matches!(pair, ["#[cfg(test)]", next] if next.starts_with("mod ") || next.starts_with('#'))
}

/// Returns the modules that follow `crate::` in a text, including those in braces.
fn named(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, path) in text.match_indices("crate::") {
        // `$crate::`, and names that end in `crate`, are something else.
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        if before.is_some_and(|sign| sign.is_alphanumeric() || sign == '_' || sign == '$') {
            continue;
        }
        let rest = text.get(at + path.len()..).unwrap_or_default();
        match rest.strip_prefix('{') {
            Some(group) => found.extend(of_group(group)),
            None => found.extend(word(rest)),
        }
    }
    found
}

/// Returns the first words of the items of a group, up to its closing brace.
fn of_group(text: &str) -> BTreeSet<String> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (at, sign) in text.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                items.extend(text.get(start..at));
                start = at + 1;
                if sign == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    items.into_iter().filter_map(|item| word(item.trim_start())).collect()
}

/// Returns the lower-case word at the start of a text.
fn word(text: &str) -> Option<String> {
    let word: String =
        text.chars().take_while(|sign| sign.is_ascii_lowercase() || "_0123456789".contains(*sign)).collect();
    (!word.is_empty()).then_some(word)
}

/// Returns the members of a cycle; `None` if there is none.
fn circle(graph: &Graph) -> Option<Vec<String>> {
    // Repeatedly remove the items without remaining dependencies.
    let mut left: BTreeSet<&String> = graph.keys().collect();
    loop {
        let before = left.len();
        let free = |name: &&String| graph.get(*name).is_none_or(|uses| uses.iter().all(|used| !left.contains(used)));
        let gone: Vec<&String> = left.iter().copied().filter(free).collect();
        left.retain(|name| !gone.contains(name));
        if left.len() == before {
            return (!left.is_empty()).then(|| left.into_iter().cloned().collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_read_from_paths_and_groups() {
        let text = "use crate::a::b;\nuse crate::{c::{d, e}, f};\nlet x = crate::g::h();\n$crate::no; // crate::i\n";
        let found: Vec<String> = named(text).into_iter().collect();
        assert_eq!(found, ["a", "c", "f", "g", "i"]);
        assert_eq!(code("use a;\n// crate::i\n#[cfg(test)]\nmod tests {\n"), "use a;");
    }

    #[test]
    fn a_circle_is_found() {
        let graph = |pairs: &[(&str, &str)]| -> Graph {
            pairs.iter().map(|(name, uses)| ((*name).to_owned(), BTreeSet::from([(*uses).to_owned()]))).collect()
        };
        assert_eq!(circle(&graph(&[("a", "b"), ("b", "c")])), None);
        assert_eq!(circle(&graph(&[("a", "b"), ("b", "a"), ("c", "x")])), Some(vec!["a".into(), "b".into()]));
    }
}
