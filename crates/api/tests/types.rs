//! Names that scenarios accept, in the types of the packages for JavaScript and Python
//! (`cargo xtask test --record` writes them).

#![allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]

#[path = "types/python.rs"]
mod python;

use engine::params::every;
use links::spelling::known_names;

/// The types of the JavaScript package.
const TYPES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../npm/js/index.d.ts");
/// End of a union.
const END: &str = ";\n";
/// Width of a wrapped union, in columns.
const COLUMNS: usize = 120;

/// Writes names as a union of TypeScript.
fn union(names: impl Iterator<Item = &'static str>) -> String {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        let one = format!(" | '{name}'");
        match lines.last_mut() {
            Some(line) if line.len() + one.len() <= COLUMNS => line.push_str(&one),
            _ => lines.push(format!(" {one}")),
        }
    }
    lines.join("\n")
}

#[test]
fn the_package_s_types_have_every_key_and_every_other_name() {
    let mut types = std::fs::read_to_string(TYPES).unwrap();
    let keys = union(every().map(|param| param.key));
    for (begin, union) in [("export type ParameterKey =\n", keys), ("export type KnownName =\n", union(known_names()))]
    {
        let (before, rest) = types.split_once(begin).unwrap();
        let (_, after) = rest.split_once(END).unwrap();
        types = [before, begin, &union, END, after].concat();
    }
    expect_test::expect_file![TYPES].assert_eq(&types);
}

#[test]
fn the_python_package_has_every_keyword_with_its_type() {
    python::check();
}
