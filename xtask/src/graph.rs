//! `cargo xtask graph`: writes the floors of the crates, and of the folders of each crate, into
//! `ARCHITECTURE.md`. A circle is an error, and so is a crate with two names.
//!
//! `reader` reads the paths in the sources, `arrows` follows them to the files that define their
//! items, `circle` finds circles and floors, and `manifests` reads the workspace.
//!
//! Two kinds of circles are found: of the siblings in a folder, a file and its folder of children
//! taken as one; and of the files of a crate. That a child uses what its parent defines is no step
//! of a circle, as in Rust a parent declares its children, and calls them.

mod arrows;
mod circle;
mod manifests;
mod reader;

use anyhow::{Result, bail};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::shell::{entries, read_text, root, step, write};
use arrows::{Files, beside_parents, files, folders};
use circle::{Graph, around, circles, floors};
use manifests::ROOT;

/// The document, and the marker around the floors.
const DOCUMENT: &str = "ARCHITECTURE.md";
const MARK: &str = "<!-- graph -->";
/// Modules at the top of a crate from which on the document has its floors.
const MANY: usize = 12;

/// A circle, with the folder in which it is.
struct Circle {
    folder: String,
    members: Vec<String>,
    /// A sentence for each step of the shortest way around.
    way: Vec<String>,
}

/// Writes the floors into the document.
///
/// # Errors
/// When the document lacks the marks, there is a circle, or a crate has two names.
pub fn run() -> Result<()> {
    step("Dependencies");
    let path = root().join(DOCUMENT);
    write(&path, documented(&read_text(&path)?)?)?;
    println!("{DOCUMENT} is current.");
    Ok(())
}

/// Checks that the floors in the document are current.
///
/// # Errors
/// When they are not, there is a circle, or a crate has two names.
pub fn check() -> Result<()> {
    let text = read_text(&root().join(DOCUMENT))?;
    if documented(&text)? != text {
        bail!("The layers in {DOCUMENT} are out of date: run `cargo xtask graph`.");
    }
    Ok(())
}

/// Returns the document with the current floors.
fn documented(text: &str) -> Result<String> {
    let parts: Vec<&str> = text.split(MARK).collect();
    let [before, _, after] = parts.as_slice() else { bail!("{DOCUMENT} needs two marks {MARK}") };
    let manifests = manifests::workspace(&root())?;
    manifests::check_names(&manifests)?;
    let crates = manifests::crates(&manifests);
    let mut graph = String::from("\n\n");
    list(&mut graph, &crates);
    let mut found = Vec::new();
    for folder in floors(&crates).into_iter().flatten() {
        for source in sources(&root().join(folder))? {
            let of_crate = files(&reader::modules(&source)?);
            let place = source.parent().and_then(|place| place.strip_prefix(root()).ok()).unwrap_or(&source);
            found.extend(circles_of(&place.to_string_lossy(), &of_crate));
            let top = folders(&of_crate).remove(&Vec::new()).unwrap_or_default();
            if top.len() >= MANY {
                let _ = writeln!(graph, "\n`{}`:\n", place.display());
                list(&mut graph, &top);
            }
        }
    }
    report(&found)?;
    Ok([before, MARK, &graph, "\n", MARK, after].concat())
}

/// Writes a line for each floor.
fn list(text: &mut String, graph: &Graph) {
    for (at, floor) in floors(graph).into_iter().enumerate() {
        let shown = |name: &str| format!("`{}`", if name == ROOT { "src" } else { name });
        let names: Vec<String> = floor.into_iter().map(|name| shown(name)).collect();
        let _ = writeln!(text, "{}. {}", at + 1, names.join(", "));
    }
}

/// Returns the roots of a package's crates: library or program, build script, examples in folders.
/// A program beside a library is a file that uses it.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let first = |files: &[&str]| files.iter().map(|file| folder.join(file)).find(|file| file.is_file());
    let mut found: Vec<PathBuf> =
        first(&["src/lib.rs", "src/main.rs"]).into_iter().chain(first(&["build/main.rs"])).collect();
    let examples = folder.join("examples");
    if examples.is_dir() {
        let roots = entries(&examples)?.into_iter().map(|example| example.join("main.rs"));
        found.extend(roots.filter(|root| root.is_file()));
    }
    Ok(found)
}

/// Returns the circles of a crate whose sources are in this folder.
fn circles_of(place: &str, files: &Files) -> Vec<Circle> {
    let of_graph = |folder: &str, graph: &Graph| -> Vec<Circle> {
        let of = |members: Vec<String>| Circle { way: around(graph, &members), members, folder: folder.to_owned() };
        circles(graph).into_iter().map(of).collect()
    };
    let mut found = of_graph(place, &beside_parents(files));
    for (folder, graph) in folders(files) {
        found.extend(of_graph([&[place.to_owned()], folder.as_slice()].concat().join("/").as_str(), &graph));
    }
    found
}

/// Returns an error about the first circle.
fn report(found: &[Circle]) -> Result<()> {
    if let Some(Circle { folder, members, way }) = found.first() {
        bail!("{folder}: {} depend on each other in a circle.\n{}", members.join(", "), way.join("\n"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use reader::{Modules, Name};

    /// Reads files of a planted crate.
    fn planted(files: &[(&str, &str)]) -> Modules {
        let mut modules = Modules::new();
        for (path, text) in files {
            let stem = path.trim_end_matches(".rs");
            let name: Name = if stem == "lib" { Name::new() } else { stem.split('/').map(str::to_owned).collect() };
            reader::parse(text, &name, path, &mut modules).unwrap();
        }
        modules
    }

    /// Returns the ways around the circles of a planted crate, each once.
    fn ways(planted_files: &[(&str, &str)]) -> Vec<String> {
        let found = circles_of("src", &files(&planted(planted_files)));
        let mut ways: Vec<String> = found.into_iter().map(|circle| circle.way.join("; ")).collect();
        ways.dedup();
        ways
    }

    #[test]
    fn a_circle_by_super_is_found_at_any_depth() {
        let a = ("a.rs", "use super::b::c::C;\npub struct A;");
        let c = ("b/c.rs", "pub struct C;\nfn f() {\n    let a = super::super::a::A;\n}");
        let lib = ("lib.rs", "mod a;\nmod b;");
        let way = "a.rs uses b/c.rs: `use super::b::c::C;`; b/c.rs uses a.rs: `let a = super::super::a::A;`";
        assert_eq!(ways(&[lib, a, ("b.rs", "pub mod c;"), c]), [way]);
        let without = ("b/c.rs", "pub struct C; // super::super::a::A\nconst TEXT: &str = \"crate::a::A\";");
        assert!(ways(&[lib, a, ("b.rs", "pub mod c;"), without]).is_empty());
    }

    #[test]
    fn a_circle_through_a_re_export_is_found() {
        let lib = ("lib.rs", "mod a; mod b; mod front;");
        let front = ("front.rs", "pub use super::b::{self as other, B as Renamed};\npub use super::b::more::*;");
        let b = ("b.rs", "pub mod more;\npub struct B(crate::a::A);");
        let more = ("b/more.rs", "pub fn more() {}");
        for line in ["use crate::front::Renamed;", "use super::front::{other::B};", "macro!(crate::front::more());"] {
            let ways = ways(&[lib, ("a.rs", &format!("{line}\npub struct A;")), front, b, more]);
            assert!(ways.iter().any(|way| way.contains(&format!(": `{line}`"))), "{line}: {ways:?}");
        }
        // A user of an item that a parent re-exports depends on its module, not on the parent.
        let a = ("a.rs", "mod child;\npub use child::Child;\nuse super::b::B;");
        let child = ("a/child.rs", "use super::B;\npub struct Child;");
        let b = ("b.rs", "pub struct B;");
        assert!(ways(&[("lib.rs", "mod a; mod b;"), a, child, b]).is_empty());
    }

    #[test]
    fn a_circle_of_folders_is_found_that_is_none_of_files() {
        let lib = ("lib.rs", "mod a; mod b;");
        let files = [
            lib,
            ("a.rs", "mod one; pub mod two;"),
            ("a/one.rs", "use crate::b::three::Three;"),
            ("a/two.rs", "pub struct Two;"),
            ("b.rs", "pub mod three; mod four;"),
            ("b/three.rs", "pub struct Three;"),
            ("b/four.rs", "use crate::a::two::Two;"),
        ];
        let way = "a/one.rs uses b/three.rs: `use crate::b::three::Three;`; \
                   b/four.rs uses a/two.rs: `use crate::a::two::Two;`";
        assert_eq!(ways(&files), [way]);
    }

    #[test]
    fn parents_and_tests_make_no_circle() {
        let parent = ("a.rs", "mod child;\npub struct A;\nfn f() { child::f(); }");
        let child = ("a/child.rs", "use super::A;\npub fn f() {}\npub struct C;");
        let b = (
            "b.rs",
            "#[cfg(test)]\nuse crate::a::A;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\npub fn b() {}",
        );
        let uses_b = ("a.rs", "mod child;\npub struct A;\nfn f() { child::f(); crate::b::b(); }");
        assert!(ways(&[("lib.rs", "mod a; mod b;"), parent, child, b]).is_empty());
        assert!(ways(&[("lib.rs", "mod a; mod b;"), uses_b, child, b]).is_empty());
    }

    #[test]
    fn a_circle_is_an_error() {
        report(&[]).unwrap();
        let circle = Circle {
            folder: "src".to_owned(),
            members: vec!["a".to_owned(), "b".to_owned()],
            way: vec!["a.rs uses b.rs: `use super::b::B;`".to_owned()],
        };
        let error = report(&[circle]).unwrap_err().to_string();
        assert_eq!(error, "src: a, b depend on each other in a circle.\na.rs uses b.rs: `use super::b::B;`");
    }

    #[test]
    fn an_item_stands_one_floor_above_those_that_it_uses() {
        let uses = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), String::new())).collect();
        let graph = Graph::from([
            ("a".to_owned(), uses(&["b", "c"])),
            ("b".to_owned(), uses(&["c"])),
            ("c".to_owned(), uses(&[])),
            ("d".to_owned(), uses(&["c"])),
        ]);
        assert_eq!(floors(&graph), [vec!["c"], vec!["b", "d"], vec!["a"]]);
    }
}
