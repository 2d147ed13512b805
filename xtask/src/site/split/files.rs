//! The files of the two halves in `dist/`: their names, each with the hash of what is in it, so that no cache ever mixes
//! two builds, and the script between them.

use std::path::{Path, PathBuf};

use super::LOADER;
use crate::failure::{Explain as _, Failure, Result};

/// What wasm-bindgen's script gets for the rest.
const SCRIPT: &str = include_str!("bridge.js");

/// How wasm-bindgen's script begins what it gives the module.
const IMPORTS: &str = "const import0 = {\n        __proto__: null,\n";

/// The file of the rest, beside the first half, until the files have their names.
pub(in crate::site) fn rest_of(hot: &Path) -> PathBuf {
    let name = hot.file_name().unwrap_or_default().to_string_lossy().replace("_bg.wasm", "_rest.wasm");
    hot.with_file_name(name)
}

/// Teaches wasm-bindgen's script to load the rest.
///
/// # Errors
/// When it is written in another way than it was.
pub(in crate::site) fn bridged(script: &str) -> Result<String> {
    if script.matches(IMPORTS).count() != 1 {
        return Err(Failure::new(
            "wasm-bindgen's JavaScript has not one list of imports: xtask/src/site/split/files.rs.",
        ));
    }
    let loader = format!("{IMPORTS}        {LOADER}: restAtOnce,\n");
    Ok(script.replace(IMPORTS, &loader) + SCRIPT)
}

/// Renames script, first half and rest after what is in them, in the page too.
///
/// # Errors
/// When one of them cannot be read or written, or the page does not name them.
pub(in crate::site) fn named(hot: &Path, script: &Path) -> Result<Vec<PathBuf>> {
    let page = hot.with_file_name("index.html");
    let read = |file: &Path| std::fs::read(file).explain(|| format!("{} could not be read", name(file)));
    let write = |file: &Path, bytes: &[u8]| {
        std::fs::write(file, bytes).explain(|| format!("{} could not be written", name(file)))
    };
    let mut html = String::from_utf8_lossy(&read(&page)?).into_owned();
    let mut code = String::from_utf8_lossy(&read(script)?).into_owned();
    let rest = rest_of(hot);
    let mut modules = Vec::new();
    for (old, suffix) in [(hot, "_bg.wasm"), (&rest, "_rest.wasm")] {
        let bytes = read(old)?;
        let new = old.with_file_name(format!("{}{suffix}", hashed(old, &bytes)));
        std::fs::rename(old, &new).explain(|| format!("{} could not be renamed", name(old)))?;
        modules.push(new);
    }
    let [new_hot, new_rest] = modules.as_slice() else { return Ok(modules) };
    code = code.replace("{rest}", &name(new_rest));
    let new_script = script.with_file_name(format!("{}.js", hashed(script, code.as_bytes())));
    write(&new_script, code.as_bytes())?;
    std::fs::remove_file(script).explain(|| format!("{} could not be removed", name(script)))?;
    for (old, new) in [(hot, new_hot), (script, &new_script)] {
        let quoted = |file: &Path| format!("{}\"", name(file));
        if !html.contains(&quoted(old)) {
            return Err(Failure::new(format!("index.html does not name {}.", name(old))));
        }
        html = html.replace(&quoted(old), &quoted(new));
    }
    write(&page, html.as_bytes())?;
    Ok(modules)
}

/// The name up to its hash, and the hash of these bytes instead.
fn hashed(file: &Path, bytes: &[u8]) -> String {
    let name = name(file);
    let stem = name.split(['-', '_', '.']).next().unwrap_or_default();
    format!("{stem}-{:016x}", hash(bytes))
}

/// FNV-1a, 64 bits.
pub(in crate::site) fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_learns_to_load_the_rest() -> Result<()> {
        let script = format!("function f() {{\n    {IMPORTS}        a: g,\n    }};\n}}\n");
        let bridged = bridged(&script)?;
        assert!(bridged.contains("load_rest: restAtOnce,\n        a: g"), "{bridged}");
        assert!(super::bridged("const imports = {};").is_err());
        Ok(())
    }

    #[test]
    fn a_name_follows_what_is_in_the_file() {
        let name = |bytes: &[u8]| hashed(Path::new("dist/page-0123_bg.wasm"), bytes);
        assert_eq!(name(b""), "page-cbf29ce484222325");
        assert_ne!(name(b"a"), name(b"b"));
    }
}
