//! Splits the page's module in two: what the first screen needs, and the late half, which the page
//! fetches once it stands (`static/boot.js`).
//!
//! `parts` finds in the linked module, by its relocations, which functions and constants only late
//! functions reach. `halves` divides the bound module accordingly. The halves share memory, tables
//! and globals, so that the code is the same whichever half it is in: in place of a late function
//! the first half has a stub, which loads the late half unless it is there. `late.js` is the
//! JavaScript for that.

mod bound;
mod first;
mod halves;
mod names;
mod parts;
mod rest;

use anyhow::{Context as _, Result, bail};
use std::path::Path;
use wasm_encoder::{Module, RawSection};
use wasmparser::{Parser, Payload};

use crate::shell::{read_text, write};
pub use halves::Halves;

/// Paths of what is not on the first screen: a function loads late if its path contains one of
/// these, or if only late functions reach it. A function of the first screen that is listed here
/// by mistake still works, but the first screen then waits for both halves: a test counts.
const LATE: [&str; 66] = [
    "shardwise::panels::plan::",
    "shardwise::panels::share::",
    "shardwise::panels::settings::",
    "shardwise::panels::scaling::",
    "shardwise::panels::finder::",
    "shardwise::panels::layouts::",
    "shardwise::panels::accuracy::agreement",
    "shardwise::panels::accuracy::alike",
    "shardwise::panels::gallery::gallery",
    "shardwise::panels::run::",
    "shardwise::panels::printed::",
    "shardwise::panels::step::",
    "shardwise::panels::memory::step_memory",
    "shardwise::panels::memory::generation",
    "shardwise::panels::memory::bar::",
    "shardwise::panels::pins::pins",
    "shardwise::panels::pins::equal_money",
    "shardwise::panels::pins::words",
    "shardwise::panels::controls::groups",
    "shardwise::panels::controls::pickers",
    "shardwise::panels::controls::layout",
    "shardwise::panels::controls::controls",
    "shardwise::panels::why::opened",
    "shardwise::panels::bring::source",
    "shardwise::panels::bring::chips",
    "shardwise::panels::bring::marks",
    "shardwise::components::combobox::Combobox",
    "shardwise::components::combobox::use_",
    "shardwise::components::fold",
    "shardwise::components::math",
    "shardwise::components::choice::ChoiceControl",
    "shardwise::browser::background::evaluate",
    "shardwise::browser::plans",
    "shardwise::browser::files_worker",
    "shardwise::browser::files::read",
    "shardwise::browser::save::save",
    "shardwise::browser::parent",
    "shardwise::search",
    "shardwise::embed",
    "shardwise::state::target",
    "export::",
    "files::settings",
    "files::run",
    "files::brought",
    "png::",
    "flate2::",
    "serde_json::value::",
    // No message between the threads has a number.
    "<serde_json::de::Deserializer<serde_json::read::StrRead>>::parse_integer",
    "explain::symbols",
    "explain::numbers",
    "explain::notation",
    "charts::paint::svg",
    "charts::paint::saved",
    "charts::paint::poster",
    "charts::paint::bar",
    "charts::chrome_trace",
    "charts::views::memory_step",
    "charts::views::agreement",
    "charts::spec::course",
    "analysis::plan::",
    "analysis::experts",
    "analysis::time_reductions",
    "links::encode::to_json",
    "links::json",
    "links::spelling::translate",
    "catalog::size",
];

/// Starts of paths of functions that the compiler makes once for many types: which of these types
/// the path names is chance.
const SHARED: [&str; 7] = [
    "core::ptr::drop_in_place",
    "<core::cell::RefCell",
    "<core::option::Option",
    "<alloc::raw_vec::RawVec",
    "<alloc::rc::Rc",
    "<alloc::vec::Vec",
    "<yew::functional::hooks",
];

/// JavaScript that loads the late half.
const SCRIPT: &str = include_str!("split/late.js");
/// Place of the late half's name in the script.
const NAME: &str = "{late}";
/// Place in the script of wasm-bindgen before which the imports of the module's own module stand.
const IMPORTS: &str = "    return {\n        __proto__: null,\n";

/// Returns what the halves of a module depend on besides the module.
pub(super) fn recipe() -> String {
    let code: [&str; 4] = [
        include_str!("split/parts.rs"),
        include_str!("split/halves.rs"),
        include_str!("split/first.rs"),
        include_str!("split/names.rs"),
    ];
    [LATE.concat().as_str(), SCRIPT, &code.concat(), include_str!("split/rest.rs")].concat()
}

/// Splits the bound module of this name in a site: the first half takes the module's place, the
/// late half lies beside it. `linked` is the file of the module before it was bound.
///
/// # Errors
/// When a file is missing, or the module cannot be split.
pub(super) fn split_module(linked: &Path, site: &Path, name: &str) -> Result<()> {
    let (module, late) = (site.join(format!("{name}_bg.wasm")), format!("{name}_late.wasm"));
    let read = |path: &Path| std::fs::read(path).with_context(|| format!("{} could not be read", path.display()));
    let halves = split(&read(linked)?, &read(&module)?, &LATE)?;
    write(&module, halves.first)?;
    write(&site.join(&late), halves.late)?;
    let script = site.join(format!("{name}.js"));
    let bound = read_text(&script)?;
    if bound.matches(IMPORTS).count() != 1 || SCRIPT.matches(NAME).count() != 1 {
        bail!("The script of wasm-bindgen is not as xtask/src/site/split.rs expects.");
    }
    let bound = bound.replace(IMPORTS, &format!("{IMPORTS}        late,\n"));
    write(&script, bound + &SCRIPT.replace(NAME, &late))
}

/// Removes the relocations, which only splitting needs, from a module.
///
/// # Errors
/// When the file cannot be read or written, or is no module.
pub(super) fn remove_relocations(module: &Path) -> Result<()> {
    let bytes = std::fs::read(module).with_context(|| format!("{} could not be read", module.display()))?;
    let mut kept = Module::new();
    for payload in Parser::new(0).parse_all(&bytes) {
        let payload = payload?;
        if let Payload::CustomSection(custom) = &payload
            && (custom.name() == "linking" || custom.name().starts_with("reloc."))
        {
            continue;
        }
        if let Some((id, range)) = payload.as_section() {
            kept.section(&RawSection { id, data: bytes.get(range).context("A section is cut")? });
        }
    }
    write(module, kept.finish())
}

/// Splits a bound module: functions whose path contains one of some names, and all that only these
/// reach, make the late half. `linked` is the module before it was bound, with relocations.
///
/// # Errors
/// When a module cannot be read, or does what the halves cannot.
pub fn split(linked: &[u8], bound: &[u8], late: &[&str]) -> Result<Halves> {
    let is_late = |name: &str| {
        let path = format!("{:#}", rustc_demangle::demangle(name));
        late.iter().any(|part| path.contains(part)) && !SHARED.iter().any(|start| path.starts_with(start))
    };
    halves::halves(bound, &parts::parts(linked, is_late)?)
}
