//! `cargo xtask profile`: plays the first screen in Chromium with every function counted, and writes down those that never
//! ran: they are loaded later (see [`super::split`]).
//!
//! Played are a first visit and every slider; wide and light, narrow and dark. The page is not told that its rest is there,
//! so it shows its first picture and nothing below. What ran is hot; all else is cold: it comes a moment after the first
//! picture, sooner than a hand finds a field or a button. A link is read by the rest, for which `static/boot.js` waits.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use walrus::ir::{Call, Const, Value as Constant};
use walrus::{FunctionId, FunctionKind, Module};

use super::split::{cold, parse};
use crate::browser::Browser;
use crate::chromium;
use crate::failure::{Explain as _, Failure, Result};
use crate::files::FileServer;
use crate::shell::step;
use crate::webdriver::{Session, wait_for};

/// How long the page may take to start, counted as it is.
const PATIENCE: Duration = Duration::from_secs(60);

/// Gives the module its function `hit`, before any script of the page runs, and keeps from the page that its rest is there.
const COUNT: &str = "addEventListener('rest', (event) => event.stopImmediatePropagation(), { capture: true });
    window.hits = new Uint8Array(1 << 17);
    const profile = { hit: (at) => { window.hits[at] = 1; } };
    for (const name of ['instantiate', 'instantiateStreaming']) {
        const real = WebAssembly[name];
        WebAssembly[name] = (source, imports) => real.call(WebAssembly, source, { ...imports, profile });
    }";

const READY: &str = "return [...document.querySelectorAll('output')].some((output) => output.textContent.trim())";

/// The functions that ran since the page was opened.
const HITS: &str = "return [...window.hits.keys()].filter((at) => window.hits[at])";

const PLAY: &str = include_str!("profile.js");

/// Plays the site in this folder, whose module is as wasm-bindgen wrote it, and gives the hashes of what never ran.
///
/// # Errors
/// When there is no browser, or the page does not work.
pub(super) fn cold(site: &Path, module: &Path) -> Result<BTreeSet<u32>> {
    let chromium = chromium::ensure()?;
    let unread = || "The module could not be read".into();
    let bytes = std::fs::read(module).explain(unread)?;
    let hashes = cold::hashes(&parse(&bytes)?);
    std::fs::write(module, counted(parse(&bytes)?)).explain(|| "The module could not be written".into())?;

    let mut hit = BTreeSet::new();
    for (size, theme) in [((1280, 900), "light"), ((375, 812), "dark")] {
        step(&format!("Playing at {} px, {theme}", size.0));
        hit.extend(play(&chromium, site, size, theme)?);
    }
    std::fs::write(module, bytes).explain(|| "The module could not be written".into())?;

    let hot: BTreeSet<u32> = hit.iter().filter_map(|at| hashes.get(*at).copied().flatten()).collect();
    println!("    {} of {} functions ran", hit.len(), hashes.len());
    Ok(hashes.into_iter().flatten().filter(|hash| !hot.contains(hash)).collect())
}

/// One visit: the positions of the functions that ran.
fn play(chromium: &Browser, site: &Path, size: (u32, u32), theme: &str) -> Result<Vec<usize>> {
    let server = FileServer::start(site.to_path_buf(), "/")?;
    let session = Session::start(chromium, &[])?;
    let (width, height) = size;
    let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
    session.devtools("Emulation.setDeviceMetricsOverride", &metrics)?;
    let scheme = json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }] });
    session.devtools("Emulation.setEmulatedMedia", &scheme)?;
    session.devtools("Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }))?;
    session.devtools("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": COUNT }))?;
    session.open(server.url())?;
    wait_for("the page does not start", PATIENCE, || Ok((session.script(READY, &[])? == json!(true)).then_some(())))?;
    std::thread::sleep(Duration::from_secs(1));
    session.script(PLAY, &[])?;
    let broken = session.console()?.into_iter().find(|(level, _)| level == "SEVERE");
    if let Some((_, message)) = broken {
        return Err(Failure::new(format!("The page says: {message}")));
    }
    let hits = session.script(HITS, &[])?;
    Ok(hits.as_array().into_iter().flatten().filter_map(Value::as_u64).map(|at| at as usize).collect())
}

/// The module with a call of `hit` at the start of every function.
fn counted(mut module: Module) -> Vec<u8> {
    let functions: Vec<FunctionId> = module.funcs.iter().map(walrus::Function::id).collect();
    let ty = module.types.add(&[walrus::ValType::I32], &[]);
    let (hit, _) = module.add_import_func("profile", "hit", ty);
    for (at, id) in (0_i32..).zip(&functions) {
        if let FunctionKind::Local(function) = &mut module.funcs.get_mut(*id).kind {
            let entry = function.entry_block();
            let place = walrus::ir::InstrLocId::default();
            let number = Const { value: Constant::I32(at) };
            let call = Call { func: hit };
            function.block_mut(entry).instrs.splice(0..0, [(number.into(), place), (call.into(), place)]);
        }
    }
    module.emit_wasm()
}
