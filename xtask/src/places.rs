//! Checks that every path, command and function that the documents name exists.
//!
//! A code span is a claim by its form or its place, never by a list:
//! - a path, where it ends like a file of the project or begins with one of its folders. The end of
//!   a path is enough; where the section or the item names a folder, the path must be in it;
//! - a command, where it begins with `cargo xtask` or names a package of cargo;
//! - a name, where a Rust file follows it, as in "`peak` (`memory/peak.rs`)" and "`peak` in
//!   `memory/peak.rs`": the file must define it. In a table of functions each name has a file;
//! - a name with `::`, which must be defined below its module or beside its type. ARCHITECTURE.md
//!   is about code alone: there each name in camel or snake case must be defined.
//!
//! Keys of frameworks, links and outputs have none of these forms. Links between documents are
//! checked too, with their headings; those of the book by [`crate::book`], once built.

mod commands;
mod definitions;
mod spans;

use anyhow::{Result, bail};
use std::collections::BTreeSet;
use std::path::{Component, Path};

use crate::shell::{entries, is_foreign, name, read_text, root};
use commands::Commands;
use definitions::{Definitions, common_start};
use spans::{blocks, fenced, headings, is_rust, links};

/// Ending of a document.
const DOCUMENT: &str = ".md";

/// Folder of documents whose links are those of the built site.
const BOOK: &str = "docs/";

/// The document that tells what was: its names may be gone.
const HISTORY: &str = "CHANGELOG.md";

/// The document in which each span with the form of a Rust name claims to be one.
const CODE_ALONE: &str = "ARCHITECTURE.md";

/// Endings of files that are the project's wherever a document names them.
const OWN_ENDINGS: [&str; 5] = ["csv", "jsonl", "md", "rs", "toml"];

/// Texts after which a code span names the folder of a section's paths.
const NAMES_FOLDER: [&str; 2] = ["Function, in", "Paths are below"];

/// Checks the documents.
///
/// # Errors
/// When a document names what does not exist: document, line, and the nearest that exists.
pub fn check() -> Result<()> {
    let places = Places::load()?;
    let mut faults = Vec::new();
    for document in places.paths.iter().filter(|path| path.ends_with(DOCUMENT) && *path != HISTORY) {
        let text = read_text(&root().join(document))?;
        faults.extend(places.faults(document, &text));
        if !document.starts_with(BOOK) {
            for (line, link) in links(&text) {
                faults.extend(places.link_fault(document, link)?.map(|fault| format!("{document}:{line}: {fault}")));
            }
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    bail!("{} places that documents name do not exist:\n    {}", faults.len(), faults.join("\n    "))
}

/// Files, folders, definitions and commands of the project.
struct Places {
    /// Paths of files and folders, from the root.
    paths: BTreeSet<String>,
    definitions: Definitions,
    commands: Commands,
}

impl Places {
    fn load() -> Result<Self> {
        let mut paths = BTreeSet::new();
        collect(&root(), "", &mut paths)?;
        let mut definitions = Definitions::default();
        for path in paths.iter().filter(|path| is_rust(path)) {
            definitions.add(path, &read_text(&root().join(path))?);
        }
        Ok(Self { paths, definitions, commands: Commands::load()? })
    }

    /// Returns a sentence for each claim of a document that does not hold.
    fn faults(&self, document: &str, text: &str) -> Vec<String> {
        let mut faults = Vec::new();
        let mut fault = |line: usize, failed: Option<String>| {
            faults.extend(failed.map(|failed| format!("{document}:{line}: {failed}")));
        };
        for (line, command) in fenced(text) {
            fault(line, self.commands.fault(command));
        }
        let blocks = blocks(text);
        // A folder holds until a heading of the level of its own section.
        let (mut level, mut base_level, mut folder) = (0, 0, None);
        let mut is_table_of_functions = false;
        for block in &blocks {
            if let Some(heading) = block.heading() {
                level = heading;
                folder = folder.filter(|_| heading > base_level);
            }
            if let Some(named) = block.after(&NAMES_FOLDER) {
                (folder, base_level) = (Some(named), level);
            }
            is_table_of_functions = block.is_row() && (is_table_of_functions || block.begins_table_of_functions());
            let base = block.item_folder().filter(|folder| self.paths.contains(*folder)).or(folder);
            for (line, command) in block.commands() {
                fault(line, self.commands.fault(&command));
            }
            for span in &block.spans {
                fault(span.line, self.path_fault(span.code, base));
            }
            for (span, files) in block.names() {
                let line = span.line;
                let known: Vec<&String> = files.iter().flat_map(|file| self.matches(file, base)).collect();
                if !files.is_empty() {
                    // A missing file is a fault of its own.
                    fault(line, self.definitions.fault_in(span.name(), &known));
                } else if is_table_of_functions {
                    fault(line, Some(format!("`{}` has no file behind it.", span.code)));
                } else if span.name().contains("::") || document == CODE_ALONE && span.is_cased() {
                    fault(line, self.definitions.fault(span.name()));
                }
            }
        }
        faults
    }

    /// Returns the paths that a document names: those from its folder, else from the root, else
    /// those below the folder with this end.
    fn matches<'a>(&'a self, named: &str, base: Option<&str>) -> Vec<&'a String> {
        let all = |is_one: &dyn Fn(&str) -> bool| self.paths.iter().filter(|path| is_one(path)).collect::<Vec<_>>();
        let is_whole = |path: &str, named: &str| slashes(path) == slashes(named) && fits(path, named);
        let below = base.map(|base| format!("{base}/"));
        let from_base = below.as_ref().map(|below| format!("{below}{named}"));
        let found = from_base.map_or_else(Vec::new, |named| all(&|path| is_whole(path, &named)));
        let found = if found.is_empty() { all(&|path| is_whole(path, named)) } else { found };
        let is_below = |path: &str| below.as_ref().is_none_or(|below| path.starts_with(below.as_str()));
        if found.is_empty() { all(&|path| is_below(path) && fits(path, named)) } else { found }
    }

    /// Returns what is wrong with a span, if it is a path.
    fn path_fault(&self, code: &str, base: Option<&str>) -> Option<String> {
        if !self.is_path(code, base) || !self.matches(code, base).is_empty() {
            return None;
        }
        let below = base.map_or(String::new(), |base| format!(" in {base}"));
        let whole = base.map_or(code.to_owned(), |base| format!("{base}/{code}"));
        let nearest = self.nearest(&whole).map_or(String::new(), |nearest| format!("; the nearest is {nearest}"));
        Some(format!("`{code}` is not there{below}{nearest}."))
    }

    /// Returns what is wrong with a link of a document to another file, or to a heading.
    fn link_fault(&self, document: &str, link: &str) -> Result<Option<String>> {
        if link.contains("://") {
            return Ok(None);
        }
        let (file, heading) = link.split_once('#').unwrap_or((link, ""));
        let target = if file.is_empty() { document.to_owned() } else { joined(document, file) };
        if !self.paths.contains(&target) {
            let nearest = self.nearest(&target).map_or(String::new(), |nearest| format!("; the nearest is {nearest}"));
            return Ok(Some(format!("the link to {link} has no target{nearest}.")));
        }
        if heading.is_empty() || !target.ends_with(DOCUMENT) {
            return Ok(None);
        }
        let known = headings(&read_text(&root().join(&target))?);
        let is_known = known.iter().any(|known| known == heading);
        Ok((!is_known).then(|| format!("{target} has no heading #{heading}; its headings are {}.", known.join(", "))))
    }

    /// Returns whether a span has the form of a path of the project.
    fn is_path(&self, code: &str, base: Option<&str>) -> bool {
        if code.contains("..") || !code.chars().all(|sign| sign.is_ascii_alphanumeric() || "_-./*<>".contains(sign)) {
            return false;
        }
        let Some((first, rest)) = code.split_once('/') else { return is_own_file(code) };
        let is_folder = self.paths.contains(first) || base.is_some_and(|base| self.is_folder_of(base, first));
        !first.is_empty() && (is_own_file(code) && !is_foreign(first) || is_folder && !rest.is_empty())
    }

    /// Returns whether a path from a folder may begin with this name: that of the folder itself, or
    /// of one in it.
    fn is_folder_of(&self, base: &str, first: &str) -> bool {
        base.ends_with(&format!("/{first}")) || self.paths.contains(&format!("{base}/{first}"))
    }

    /// Returns the path most like a missing one: of the same last name, else of the same name
    /// without its ending, with most folders in common; else the innermost folder that exists, or
    /// what begins alike in it.
    fn nearest(&self, missing: &str) -> Option<String> {
        let missing = missing.trim_end_matches('/');
        let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let stem = |path: &str| last(path).split('.').next().unwrap_or_default().to_owned();
        let shared = |path: &&String| {
            let folders: Vec<&str> = path.split('/').collect();
            let common = missing.split('/').filter(|folder| folders.contains(folder)).count();
            (common, folders.contains(&"src"), usize::MAX - folders.len())
        };
        let most_like =
            |is_like: &dyn Fn(&str) -> bool| self.paths.iter().filter(|path| is_like(path)).max_by_key(shared).cloned();
        most_like(&|path| last(path) == last(missing))
            .or_else(|| most_like(&|path| stem(path) == stem(missing)))
            .or_else(|| {
                let folder = missing.rmatch_indices('/').find_map(|(at, _)| self.paths.get(missing.get(..at)?))?;
                let inside = self.paths.iter().filter(|path| path.starts_with(&format!("{folder}/")));
                let like = inside.max_by_key(|path| (common_start(path, missing), usize::MAX - path.len()))?;
                Some(if common_start(like, missing) > folder.len() + 1 { like } else { folder }.clone())
            })
    }
}

/// Adds the files and folders of a folder, with their paths from the root.
fn collect(folder: &Path, above: &str, paths: &mut BTreeSet<String>) -> Result<()> {
    for entry in entries(folder)? {
        let own = name(&entry);
        if !is_foreign(&own) {
            let path = format!("{above}{own}");
            if entry.is_dir() {
                collect(&entry, &format!("{path}/"), paths)?;
            }
            paths.insert(path);
        }
    }
    Ok(())
}

fn is_own_file(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| OWN_ENDINGS.iter().any(|own| ending == *own))
}

/// Returns the path from the root to which a document's link leads.
fn joined(document: &str, link: &str) -> String {
    let mut folders: Vec<&str> = document.split('/').collect();
    folders.pop();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => drop(folders.pop()),
            Component::Normal(name) => folders.extend(name.to_str()),
            _ => {}
        }
    }
    folders.join("/")
}

/// Number of slashes inside of a path.
fn slashes(path: &str) -> usize {
    path.trim_end_matches('/').matches('/').count()
}

/// Returns whether a path ends with the segments of a pattern, in which `*` and `<name>` stand for
/// any text of a segment.
fn fits(path: &str, pattern: &str) -> bool {
    let mut segments = path.rsplit('/');
    pattern.trim_end_matches('/').rsplit('/').all(|wanted| segments.next().is_some_and(|own| segment_fits(own, wanted)))
}

fn segment_fits(own: &str, wanted: &str) -> bool {
    let wildcard = |(before, rest): (&'_ str, &'_ str), close: Option<char>| {
        let after = close.map_or(rest, |close| rest.split_once(close).map_or("", |(_, after)| after));
        own.len() >= before.len() + after.len() && own.starts_with(before) && own.ends_with(after)
    };
    match (wanted.split_once('*'), wanted.split_once('<')) {
        (Some(parts), _) => wildcard(parts, None),
        (None, Some(parts)) => wildcard(parts, Some('>')),
        (None, None) => own == wanted,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use super::*;

    /// A small project: a function in one file, and its document.
    fn places() -> Places {
        let mut paths = BTreeSet::new();
        for path in ["crates/engine/src/model/memory/peak.rs", "crates/trace/src/simulated.rs", "data/models.csv"] {
            paths.extend(path.match_indices('/').filter_map(|(at, _)| path.get(..at)).map(str::to_owned));
            paths.insert(path.to_owned());
        }
        let mut definitions = Definitions::default();
        definitions.add("crates/engine/src/model/memory/peak.rs", "pub fn peak(setup: &Setup) -> Bytes {\n");
        definitions.add("crates/trace/src/simulated.rs", "pub fn simulated() {}\npub struct Trace;\n");
        Places { paths, definitions, commands: Commands::load().unwrap() }
    }

    /// Faults of a chapter with a table of functions in the engine's model.
    fn of_row(row: &str) -> Vec<String> {
        let text = format!("| Quantity | Function, in `crates/engine/src/model` |\n|---|---|\n| peak | {row} |\n");
        places().faults("peak.md", &text)
    }

    #[test]
    fn living_places_are_no_faults() {
        for row in ["`peak` (`memory/peak.rs`)", "`model/memory/peak.rs`", "`trace::Trace` (`crates/trace/src/*.rs`)"] {
            assert_eq!(of_row(row), [""; 0], "{row}");
        }
        let text = "Keys `a/b`, `flash_attn`, `dp.rs x`, `config.json`, `torch.compile`; `data/<table>.csv` in `target/x.csv`.";
        assert_eq!(places().faults("a.md", text), [""; 0]);
    }

    #[test]
    fn a_dead_path_is_named_with_line_and_nearest() {
        assert_eq!(
            of_row("`simulated` (`memory/simulated.rs`)")[0],
            "peak.md:3: `memory/simulated.rs` is not there in crates/engine/src/model; the nearest is \
             crates/trace/src/simulated.rs."
        );
        assert!(of_row("`memory/trace`")[0].ends_with("the nearest is crates/trace."));
        assert_eq!(
            places().faults("a.md", "One.\n\nTwo `data/clusters.toml`.")[0],
            "a.md:3: `data/clusters.toml` is not there; the nearest is data."
        );
    }

    #[test]
    fn a_function_that_moved_is_named_with_its_file() {
        assert_eq!(
            of_row("`simulated` (`memory/peak.rs`)"),
            ["peak.md:3: `simulated` is not defined in crates/engine/src/model/memory/peak.rs but in \
              crates/trace/src/simulated.rs."]
        );
        assert_eq!(of_row("`peak`"), ["peak.md:3: `peak` has no file behind it."]);
        assert_eq!(
            places().faults("ARCHITECTURE.md", "Then `peak_of_all` runs,\nthen `Trace::peek`."),
            [
                "ARCHITECTURE.md:1: `peak_of_all` is defined nowhere; the nearest is peak in \
                 crates/engine/src/model/memory/peak.rs.",
                "ARCHITECTURE.md:2: `Trace::peek` is defined nowhere; the nearest is peak in \
                 crates/engine/src/model/memory/peak.rs."
            ]
        );
    }

    #[test]
    fn a_section_and_an_item_may_name_their_folder() {
        let text = "# A\n\n## B\n\nPaths are below `crates/engine`: `memory/peak.rs`.\n\n### C\n\n`simulated.rs`\n\n";
        let faults = places().faults("a.md", &format!("{text}## D\n\n`simulated.rs`"));
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].starts_with("a.md:9: `simulated.rs` is not there in crates/engine"), "{faults:?}");

        let item = "- **`crates/trace/`**: start at `src/simulated.rs`, then `memory/peak.rs`.";
        let faults = places().faults("a.md", item);
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].contains("`memory/peak.rs` is not there in crates/trace"), "{faults:?}");
    }

    #[test]
    fn links_lead_to_files_and_headings() {
        let places = Places::load().unwrap();
        let fault = |link| places.link_fault("npm/README.md", link).unwrap().unwrap_or_default();
        for link in ["js/api.js", "../README.md", "../CONTRIBUTING.md#two-commands", "https://example.org/x"] {
            assert_eq!(fault(link), "", "{link}");
        }
        assert_eq!(fault("api.js"), "the link to api.js has no target; the nearest is npm/js/api.js.");
        assert!(fault("../SECURITY.md#nothing").starts_with("SECURITY.md has no heading #nothing; its headings are "));
    }

    #[test]
    fn the_documents_name_what_is_there() {
        check().unwrap();
    }
}
