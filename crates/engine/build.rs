//! Makes the table of releases of the programs' own files: `crates/files/programs/*/releases.toml`.
//! Each release of the table has all that holds at it, what earlier ones brought included. And the constants of `data/fitted.toml`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Choices of links.
type Choices = BTreeMap<String, String>;

fn main() {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let folder = Path::new(&root).join("../files/programs");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("releases.toml"))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let (mut table, mut gone) = (String::from("&[\n"), String::from("&[\n"));
    for file in files {
        println!("cargo:rerun-if-changed={}", file.display());
        match rows(&file) {
            Ok((rows, went)) => {
                table.push_str(&rows);
                gone.push_str(&went);
            }
            Err(error) => {
                println!("cargo:error={}: {error}", file.display());
                std::process::exit(1);
            }
        }
    }
    let fitted = fitted(&Path::new(&root).join("../../data/fitted.toml")).unwrap_or_else(|error| {
        println!("cargo:error=data/fitted.toml: {error}");
        std::process::exit(1);
    });
    let revisions = revisions(&Path::new(&root).join("../../data/revisions.csv")).unwrap_or_else(|error| {
        println!("cargo:error=data/revisions.csv: {error}");
        std::process::exit(1);
    });
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    for (name, table) in
        [("releases.rs", table + "]"), ("gone.rs", gone + "]"), ("fitted.rs", fitted), ("revisions.rs", revisions)]
    {
        if let Err(error) = std::fs::write(Path::new(&out).join(name), table) {
            println!("cargo:error={name} could not be written: {error}");
        }
    }
}

/// The corrections of data sheets since the first release.
fn revisions(file: &Path) -> Result<String, String> {
    println!("cargo:rerun-if-changed={}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let rows = text.lines().skip(1).map(|line| match line.split(',').collect::<Vec<_>>().as_slice() {
        &[revision, table @ ("gpu" | "cluster"), id, key, old] => {
            let whole = revision.parse::<u32>().map_err(|_| format!("“{revision}” is no revision in “{line}”"))?;
            let old = old.parse::<f64>().map_err(|_| format!("“{old}” is no number in “{line}”"))?;
            Ok(format!("Revised {{ revision: {whole}, table: {table:?}, id: {id:?}, key: {key:?}, old: {old:?} }},\n"))
        }
        _ => Err(format!("“{line}” must be revision,table,id,key,old with the table gpu or cluster")),
    });
    Ok(format!("&[\n{}]", rows.collect::<Result<String, String>>()?))
}

/// The fitted constants, each by its key, and the table of all.
fn fitted(file: &Path) -> Result<String, String> {
    println!("cargo:rerun-if-changed={}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let table: Value = toml_edit::de::from_str(&text).map_err(|error| error.to_string())?;
    let mut digest = String::new();
    let (mut constants, mut all) = (String::new(), String::from("/// All of them.\npub const ALL: &[Fitted] = &[\n"));
    for row in table.get("constant").and_then(Value::as_array).into_iter().flatten() {
        let [key, what] = ["key", "what"].map(|key| said(row, key));
        let (key, what) = (key?, what?);
        let number =
            |name: &str| row.get(name).and_then(Value::as_f64).ok_or_else(|| format!("{key} lacks the number {name}"));
        let bound = |at: usize| {
            let bound = row.get("between").and_then(|bounds| bounds.get(at)).and_then(Value::as_f64);
            bound.ok_or_else(|| format!("{key} lacks between"))
        };
        let because = row.get("because").and_then(Value::as_str).unwrap_or_default();
        let name = key.to_uppercase();
        let _ = write!(digest, "{key}={:?};", number("value")?);
        let _ = writeln!(constants, "/// {what}.\npub const {name}: f64 = {:?};", number("value")?);
        let _ = writeln!(
            all,
            "    Fitted {{ key: {key:?}, what: {what:?}, value: {name}, between: ({:?}, {:?}), expected: {:?}, width: {:?}, \
             because: {because:?}, rows: {}, sources: {}, deviation: {:?}, held_out: {:?} }},",
            bound(0)?,
            bound(1)?,
            number("expected")?,
            number("width")?,
            number("rows")?,
            number("sources")?,
            number("deviation")?,
            number("held_out")?,
        );
    }
    // The same values have the same name, wherever they were fitted.
    let name = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(digest.as_bytes());
    let _ = writeln!(
        constants,
        "/// What names this calibration: a digest of its values.\npub const CALIBRATION: &str = \"{name:08x}\";"
    );
    Ok(constants + &all + "];\n")
}

/// The rows of a program's file: its releases, and the keys that went.
fn rows(file: &Path) -> Result<(String, String), String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let table: Value = toml_edit::de::from_str(&text).map_err(|error| error.to_string())?;
    let slug = file.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let slug = slug.unwrap_or_default();
    let [program, framework] = ["program", "framework"].map(|key| said(&table, key));
    let (program, framework) = (program?, framework?);
    let mut facts: Choices = BTreeMap::new();
    let mut where_: Vec<(Choices, Choices)> = Vec::new();
    let mut rows = String::new();
    let mut before = String::new();
    for release in table.get("release").and_then(Value::as_array).into_iter().flatten() {
        let [since, name, says, source] = ["since", "name", "says", "source"].map(|key| said(release, key));
        let since = since?;
        if since <= before || since.len() != 10 {
            return Err(format!("the release of {since} does not come after that of {before}"));
        }
        let set = choices(release.get("set"));
        for (_, known) in &mut where_ {
            known.retain(|key, _| !set.contains_key(key));
        }
        facts.extend(set);
        for other in release.get("where").and_then(Value::as_array).into_iter().flatten() {
            let (when, set) = (choices(other.get("when")), choices(other.get("set")));
            where_.retain(|(known, _)| *known != when);
            where_.push((when, set));
        }
        where_.retain(|(_, set)| !set.is_empty());
        // The month is the key; the day of the commit stays behind it.
        let month = since.get(..7).unwrap_or(&since);
        let _ = writeln!(
            rows,
            "    Release {{ id: {:?}, program: {program:?}, framework: {framework:?}, since: {since:?}, name: {:?}, says: {:?}, \
             source: {:?}, facts: &{:?}, depending: &{} }},",
            format!("{slug}-{month}"),
            name?,
            says?,
            source?,
            facts.iter().collect::<Vec<_>>(),
            depending(&where_)
        );
        before = since;
    }
    let mut gone = String::new();
    for row in table.get("gone").and_then(Value::as_array).into_iter().flatten() {
        let [since, says, _] = ["since", "says", "source"].map(|key| said(row, key));
        let keys: Vec<&str> =
            row.get("keys").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let (since, says) = (since?, says?);
        let _ = writeln!(gone, "    Gone {{ program: {slug:?}, keys: &{keys:?}, since: {since:?}, says: {says:?} }},");
    }
    Ok((rows, gone))
}

fn depending(rows: &[(Choices, Choices)]) -> String {
    let pairs = |choices: &Choices| format!("&{:?}", choices.iter().collect::<Vec<_>>());
    let rows = rows.iter().map(|(when, set)| format!("({}, {})", pairs(when), pairs(set)));
    format!("[{}]", rows.collect::<Vec<_>>().join(", "))
}

fn said(table: &Value, key: &str) -> Result<String, String> {
    let text = table.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("a row lacks {key}: {table}"))
}

fn choices(table: Option<&Value>) -> Choices {
    let rows = table.and_then(Value::as_object).into_iter().flatten();
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    rows.map(|(key, value)| (key.clone(), text(value))).collect()
}
