//! [`files`] and plans for the page, in workers (`static/files.js`). The page loads this crate when
//! a file is opened, settings are shown or a plan is searched, and calls it from
//! `src/browser/files_worker.rs`.
//!
//! Functions take texts and return JSON. A scenario is the text of a link.

use std::cell::RefCell;

use analysis::held::Held;
use analysis::plan::{Plan, SearchKind, Terms};
use catalog::programs::Program;
use js_sys::Uint8Array;
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

/// Allocator of half the size of the standard library's, and faster.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// Calls [`api::files::import_files`].
#[wasm_bindgen]
pub fn bring(link: &str, names: Vec<String>, contents: Vec<Uint8Array>) -> String {
    api::files::import_files(link, names.into_iter().zip(contents.into_iter().map(|bytes| bytes.to_vec())))
}

/// Writes a scenario as the settings of a program, by its key: a [`files::settings::Settings`];
/// `null` for a program that does not exist or has no writer.
#[wasm_bindgen]
pub fn settings(link: &str, program: &str) -> String {
    let program = Program::find(program);
    json(&program.and_then(|program| files::settings::text(program, &links::decode(link).scenario)))
}

thread_local! {
    /// The plan of the last call, with its link: most calls search further cases of that plan.
    static PLAN: RefCell<Option<(String, Plan)>> = const { RefCell::new(None) };
}

/// Searches cases of a plan from one index to another, with a number of tokens per step and minimum
/// odds of fitting. Returns an [`analysis::plan::Piece`] as numbers; `null` for an unknown kind.
#[wasm_bindgen]
pub fn plan(link: &str, kind: &str, batch: f64, sure: f64, from: usize, to: usize) -> String {
    let terms = Terms { batch, sure, held: Held::NOTHING };
    let piece = SearchKind::from_key(kind).map(|kind| {
        PLAN.with_borrow_mut(|last| {
            let is_it = |last: &(String, Plan)| last.0 == link && last.1.kind() == kind && last.1.terms() == terms;
            let (_, plan) = match last.take().filter(is_it) {
                Some(same) => last.insert(same),
                None => last.insert((link.to_owned(), Plan::new(&links::decode(link).scenario, kind, terms))),
            };
            plan.search(from..to).to_numbers()
        })
    });
    json(&piece)
}

/// Serialises a value. Our values have text keys and finite numbers, so this cannot fail.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
