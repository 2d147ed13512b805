//! Measures the time from navigation to the first result on screen, over emulated networks, with an
//! empty cache.

use std::time::Duration;

use anyhow::{Context as _, Result};
use e2e::{BrowserKind, Session, wait_for};
use serde_json::json;

use crate::samples::median;
use crate::{Row, Site};

/// Number of visits, of which the median counts.
const VISITS: usize = 5;

/// Timeout of a visit.
const PATIENCE: Duration = Duration::from_secs(60);

/// A network, with the budget for the first result on it.
struct Network {
    name: &'static str,
    /// Bandwidth in bits per second.
    rate: f64,
    /// Latency of every request in milliseconds.
    latency: u32,
    budget: &'static str,
}

const NETWORKS: [Network; 2] = [
    Network { name: "10 Mbit/s, 40 ms", rate: 10e6, latency: 40, budget: "under 0.9 s" },
    Network { name: "1.6 Mbit/s, 150 ms", rate: 1.6e6, latency: 150, budget: "under 3.0 s" },
];

/// The pages that are opened: (name, fragment).
const PAGES: [(&str, &str); 2] = [("bare", ""), ("a link", "#v=1&model=llama-3.1-8b&seq=8192&gpus=128")];

/// Records when headline and figures are painted. A message posted from a frame's callback arrives
/// after its paint.
const NOTE: &str = "(() => {
    const look = () => {
        const figures = [...document.querySelectorAll('output')];
        if (!document.querySelector('h1')?.textContent || !figures.length || figures.some((it) => !it.textContent)) {
            return void requestAnimationFrame(look);
        }
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => { window.firstResult = performance.now(); };
        port2.postMessage(null);
    };
    requestAnimationFrame(look);
})();";

pub(crate) fn measure(sites: &[Site]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for network in &NETWORKS {
        for (name, fragment) in PAGES {
            let mut times = vec![Vec::new(); sites.len()];
            for _ in 0..VISITS {
                for (site, times) in sites.iter().zip(&mut times) {
                    times.push(visit(&format!("{}{fragment}", site.server.url()), network)?);
                }
            }
            let seconds = |times: &Vec<f64>| Some(format!("{:.2} s", median(times)? / 1000.0));
            let values = times.iter().map(seconds).collect::<Option<_>>().context("Nothing was measured")?;
            let what = format!("first result, {}, {name}", network.name);
            rows.push(Row { what, budget: network.budget, values });
        }
    }
    Ok(rows)
}

/// Returns the milliseconds until the first result of an address.
fn visit(address: &str, network: &Network) -> Result<f64> {
    let session = Session::fresh(BrowserKind::Chromium)?;
    session.before_scripts(NOTE)?;
    session.devtools("Network.enable", &json!({}))?;
    let bytes = network.rate / 8.0;
    let conditions = json!({
        "offline": false, "latency": network.latency, "downloadThroughput": bytes, "uploadThroughput": bytes,
    });
    session.devtools("Network.emulateNetworkConditions", &conditions)?;
    session.open(address)?;
    wait_for("there is no result", PATIENCE, || Ok(session.script("return window.firstResult ?? null", &[])?.as_f64()))
}
