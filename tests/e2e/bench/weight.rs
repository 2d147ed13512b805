//! Measures what a first visit loads until its page takes over, as served by Caddy: bytes and
//! requests.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use e2e::{BrowserKind, Session, wait_for};
use serde_json::Value;

use crate::{Row, Site};

/// Timeout of the page's start.
const PATIENCE: Duration = Duration::from_secs(30);

/// Lists every request until the page's own first result with its bytes, and the icon, which
/// browsers do not list: (address, bytes). The results of the screen in index.html are not the
/// page's.
const LOADED: &str = "if (!document.querySelector('output:not(.first *)')?.textContent) return [];
    const icon = document.querySelector('link[rel=icon]')?.href;
    const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .map((entry) => [entry.name, entry.encodedBodySize]);
    return icon ? [...entries, [icon, null]] : entries;";

/// The requests to one site.
#[derive(Default)]
struct Load {
    bytes: u64,
    requests: usize,
    foreign: usize,
    wasm: u64,
    compressed_wasm: u64,
}

pub(crate) fn measure(sites: &[Site]) -> Result<Vec<Row>> {
    let loads = sites.iter().map(load).collect::<Result<Vec<_>>>()?;
    let row = |what: &str, budget, value: fn(&Load) -> String| Row {
        what: what.to_owned(),
        budget,
        values: loads.iter().map(value).collect(),
    };
    Ok(vec![
        row("Wasm", "", |load| kilobytes(load.wasm)),
        row("Wasm, brotli 11", "", |load| kilobytes(load.compressed_wasm)),
        row("first load, brotli 11", "under 600 KB", |load| kilobytes(load.bytes)),
        row("first load, requests", "at most 8", |load| load.requests.to_string()),
        row("first load, requests to third parties", "0", |load| load.foreign.to_string()),
    ])
}

fn load(site: &Site) -> Result<Load> {
    let session = Session::fresh(BrowserKind::Chromium)?;
    session.open(site.server.url())?;
    let entries = wait_for("the page does not start", PATIENCE, || {
        let loaded = session.script(LOADED, &[])?;
        Ok(loaded.as_array().filter(|entries| !entries.is_empty()).cloned())
    })?;
    let mut load = Load::default();
    for entry in &entries {
        let name = entry.get(0).and_then(Value::as_str).unwrap_or_default();
        if name.starts_with("data:") || name.starts_with("blob:") {
            continue;
        }
        let Some(path) = name.strip_prefix(site.server.url()) else {
            load.foreign += 1;
            continue;
        };
        load.requests += 1;
        let file = site.folder.join(path.split(['#', '?']).next().unwrap_or_default());
        load.bytes += match entry.get(1).and_then(Value::as_u64) {
            Some(bytes) => bytes,
            None => sent(&file)?,
        };
        if file.extension().is_some_and(|kind| kind == "wasm") {
            load.wasm += size(&file)?;
            load.compressed_wasm += sent(&file)?;
        }
    }
    Ok(load)
}

/// Returns the bytes of a file as served: those of the compressed copy if there is one.
fn sent(file: &Path) -> Result<u64> {
    let compressed = PathBuf::from(format!("{}.br", file.display()));
    size(if compressed.is_file() { &compressed } else { file })
}

fn size(file: &Path) -> Result<u64> {
    Ok(file.metadata().with_context(|| format!("{} is gone", file.display()))?.len())
}

fn kilobytes(bytes: u64) -> String {
    format!("{:.1} KB", bytes as f64 / 1000.0)
}
