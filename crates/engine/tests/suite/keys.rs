//! The keys of parameters where other languages name them (`cargo xtask test --record` writes
//! them).

use engine::params::every;

/// The package's types.
const TYPES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../npm/js/index.d.ts");
/// Start of the list of keys.
const BEGIN: &str = "export type ParameterKey =\n";
/// End of the list of keys.
const END: &str = ";\n";
/// Width of the wrapped list, in columns.
const COLUMNS: usize = 120;

/// The keys as a union in TypeScript.
fn union() -> String {
    let mut lines: Vec<String> = Vec::new();
    for param in every() {
        let one = format!(" | '{}'", param.key);
        match lines.last_mut() {
            Some(line) if line.len() + one.len() <= COLUMNS => line.push_str(&one),
            _ => lines.push(format!(" {one}")),
        }
    }
    lines.join("\n")
}

#[test]
fn the_package_s_types_name_every_key() {
    let types = std::fs::read_to_string(TYPES).unwrap();
    let (before, rest) = types.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let wanted = [before, BEGIN, &union(), END, after].concat();
    expect_test::expect_file![TYPES].assert_eq(&wanted);
}
