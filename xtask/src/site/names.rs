//! Short names between a module and the JavaScript that wasm-bindgen writes for it: its own, with their hashes, are a
//! fiftieth of the download.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::failure::{Explain as _, Failure, Result};
use crate::shell::{output, program, spelled};

/// The module that imports come from under short names; the JavaScript has wasm-bindgen's name of it.
const SHORT_MODULE: &str = "a";

/// Shortens the names in both files and gives those of the exports, old and new; `words` call wasm-opt.
///
/// # Errors
/// When wasm-opt fails, or the JavaScript is written in another way than wasm-bindgen's.
pub(super) fn shorten(words: &[PathBuf], options: &[&str], module: &Path) -> Result<BTreeMap<String, String>> {
    let glue = glue(module)?;
    let Some((first, rest)) = words.split_first() else { return Ok(BTreeMap::new()) };
    let mut command = program(first);
    command
        .args(rest)
        .args(options)
        .args(["--minify-imports-and-exports-and-modules", "--output"])
        .arg(module)
        .arg(module);
    let names = output(&mut command).ok_or_else(|| Failure::new(format!("`{}` failed.", spelled(&command))))?;
    let names: Value =
        serde_json::from_str(&names).explain(|| "The names that wasm-opt gave could not be read".into())?;
    let script = std::fs::read_to_string(&glue).explain(|| "The module's JavaScript could not be read".into())?;
    std::fs::write(&glue, renamed(&script, &names)?)
        .explain(|| "The module's JavaScript could not be written".to_owned())?;
    let exports = names.get("exports").and_then(Value::as_array).into_iter().flatten();
    let text = |row: &Value, at: usize| row.get(at)?.as_str().map(str::to_owned);
    Ok(exports.filter_map(|row| Some((text(row, 0)?, text(row, 1)?))).collect())
}

/// The JavaScript beside a module: `page_bg.wasm` has `page.js`.
pub(super) fn glue(module: &Path) -> Result<PathBuf> {
    let name = module.file_name().and_then(|name| name.to_str()?.strip_suffix("_bg.wasm"));
    let name = name.ok_or_else(|| Failure::new(format!("{} is not a module of wasm-bindgen.", module.display())))?;
    Ok(module.with_file_name(format!("{name}.js")))
}

/// The script with the names of the list: imports are the keys of an object, exports members of `wasm`.
fn renamed(script: &str, names: &Value) -> Result<String> {
    let rows = |kind: &str| names.get(kind).and_then(Value::as_array).into_iter().flatten();
    let text = |row: &Value, at: usize| row.get(at).and_then(Value::as_str).map(str::to_owned).unwrap_or_default();
    let mut changes = Vec::new();
    for row in rows("imports") {
        changes.push((format!("\"{}\":", text(row, 0)), format!("\"{SHORT_MODULE}\":"), true));
        changes.push((format!(" {}:", text(row, 1)), format!(" {}:", text(row, 2)), true));
    }
    for row in rows("exports") {
        changes.push((format!("wasm.{}", text(row, 0)), format!("wasm.{}", text(row, 1)), false));
    }
    // The longest first: one name may begin another.
    changes.sort_by_key(|(long, ..)| (std::cmp::Reverse(long.len()), long.clone()));
    changes.dedup();
    let mut script = script.to_owned();
    for (long, short, must) in changes {
        if must && script.matches(&long).count() != 1 {
            return Err(Failure::new(format!(
                "wasm-bindgen's JavaScript has not one `{long}`: xtask/src/site/names.rs."
            )));
        }
        script = script.replace(&long, &short);
    }
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_on_both_sides() -> Result<()> {
        let names = serde_json::json!({
            "imports": [["./page_bg.js", "__wbg_now_1", "a"], ["./page_bg.js", "__wbg_now_12", "b"]],
            "exports": [["memory", "c"], ["invoke__h1", "d"], ["invoke__h12", "e"]],
        });
        let script = "{ __wbg_now_1: function() {}, __wbg_now_12: function() {}, }; { \"./page_bg.js\": import0 }
            function invoke__h1() { return wasm.invoke__h1(); } wasm.invoke__h12(wasm.memory.buffer);";
        let short = "{ a: function() {}, b: function() {}, }; { \"a\": import0 }
            function invoke__h1() { return wasm.d(); } wasm.e(wasm.c.buffer);";
        assert_eq!(renamed(script, &names)?, short);
        assert!(renamed("{}", &names).is_err());
        Ok(())
    }
}
