//! How much a first visit loads, and in how many requests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::table::{Row, kilobytes};
use crate::brotli;
use crate::browser::Browser;
use crate::failure::{Explain as _, Result};
use crate::files::FileServer;
use crate::site;
use crate::webdriver::{Session, wait_for};

/// Everything the page has asked for until it stands, but not the rest of the module where that comes after the first picture,
/// as `fetch` does: a script that needs it at once makes another kind of request. Browsers do not list their icon request, and
/// without a window make none.
const LOADED: &str = "return document.querySelector('output') ? [location.href,
    ...performance.getEntriesByType('resource')
        .filter((entry) => !(entry.name.endsWith('_rest.wasm') && entry.initiatorType === 'fetch'))
        .map((entry) => entry.name),
    ...[...document.querySelectorAll('link[rel=icon]')].slice(0, 1).map((link) => link.href)] : []";

pub(super) fn measure(chromium: &Browser) -> Result<Vec<Row>> {
    let (rest, modules): (Vec<_>, Vec<_>) =
        site::modules(&site::folder())?.into_iter().partition(|file| file.to_string_lossy().ends_with("_rest.wasm"));
    let (files, foreign) = first_load(chromium)?;
    let raw: u64 = sum(&modules, |file| Ok(std::fs::metadata(file).explain(|| "A module is gone".into())?.len()))?;
    Ok(vec![
        Row::new("Wasm", kilobytes(raw), ""),
        Row::new("Wasm, brotli 11", kilobytes(compressed(&modules)?), "under 200 KB"),
        Row::new("first load, brotli 11", kilobytes(compressed(&files)?), "under 260 KB"),
        Row::new("after the first picture: the rest of the Wasm, brotli 11", kilobytes(compressed(&rest)?), ""),
        Row::new("first load, requests", files.len().to_string(), "at most 8"),
        Row::new("first load, requests to third parties", foreign.to_string(), "0"),
    ])
}

/// The files of a first visit, and how many requests went elsewhere.
fn first_load(chromium: &Browser) -> Result<(Vec<PathBuf>, usize)> {
    let server = FileServer::start(site::folder(), "/")?;
    let session = Session::start(chromium, &[])?;
    session.open(server.url())?;
    let addresses = wait_for("the page does not start", super::latency::PATIENCE, || {
        let loaded = session.script(LOADED, &[])?;
        let all: BTreeSet<String> =
            loaded.as_array().into_iter().flatten().filter_map(|name| Some(name.as_str()?.to_owned())).collect();
        Ok(Some(all).filter(|all| !all.is_empty()))
    })?;
    let mut files = BTreeSet::new();
    let mut foreign = 0;
    for address in addresses.iter().filter(|address| !address.starts_with("data:") && !address.starts_with("blob:")) {
        match address.strip_prefix(server.url()) {
            Some(path) => {
                let name = path.split(['#', '?']).next().filter(|name| !name.is_empty()).unwrap_or("index.html");
                files.insert(site::folder().join(name));
            }
            None => foreign += 1,
        }
    }
    Ok((files.into_iter().collect(), foreign))
}

fn compressed(files: &[PathBuf]) -> Result<u64> {
    Ok(brotli::sizes(files)?.into_iter().sum())
}

fn sum(files: &[PathBuf], size: impl Fn(&Path) -> Result<u64>) -> Result<u64> {
    files.iter().map(|file| size(file)).sum()
}
