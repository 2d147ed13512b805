//! Measures the time from navigation to the first result on screen and to the page that answers,
//! over emulated networks, with an empty cache. The first result of a bare address is in
//! index.html; that of a link comes with the page.

use std::time::Duration;

use anyhow::{Context as _, Result};
use e2e::{BrowserKind, Session, wait_for};
use serde_json::{Value, json};

use crate::samples::median;
use crate::{Row, Site};

/// Number of visits, of which the median counts.
const VISITS: usize = 5;

/// Timeout of a visit.
const PATIENCE: Duration = Duration::from_secs(60);

/// A network, with the budgets for the first result and for the page on it.
struct Network {
    name: &'static str,
    /// Bandwidth in bits per second.
    rate: f64,
    /// Latency of every request in milliseconds.
    latency: u32,
    /// By [`MOMENTS`].
    budgets: [&'static str; 2],
}

const NETWORKS: [Network; 2] = [
    Network { name: "10 Mbit/s, 40 ms", rate: 10e6, latency: 40, budgets: ["under 0.3 s", "under 1.0 s"] },
    Network { name: "1.6 Mbit/s, 150 ms", rate: 1.6e6, latency: 150, budgets: ["under 1.0 s", "under 3.5 s"] },
];

/// The moments that are timed, with the variable in which [`NOTE`] leaves it.
const MOMENTS: [&str; 2] = ["first result", "first interaction"];

/// The pages that are opened: (name, fragment).
const PAGES: [(&str, &str); 2] = [("bare", ""), ("a link", "#v=1&model=llama-3.1-8b&seq=8192&gpus=128")];

/// Records when headline and figures are painted: any that are seen, and those of the page that
/// answers. A message posted from a frame's callback arrives after its paint.
const NOTE: &str = "(() => {
    window.moments = [null, null];
    const look = (which, selector) => {
        const seen = (it) => it.textContent && it.checkVisibility({ visibilityProperty: true });
        const figures = [...document.querySelectorAll(selector)];
        if (!document.querySelector('h1')?.textContent || !figures.some(seen) || figures.some((it) => !it.textContent)) {
            return void requestAnimationFrame(() => look(which, selector));
        }
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => { window.moments[which] = performance.now(); };
        port2.postMessage(null);
    };
    requestAnimationFrame(() => look(0, 'output'));
    requestAnimationFrame(() => look(1, 'output:not(.first *)'));
})();";

pub(crate) fn measure(sites: &[Site]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for network in &NETWORKS {
        for (name, fragment) in PAGES {
            let mut times = [(); MOMENTS.len()].map(|()| vec![Vec::new(); sites.len()]);
            for _ in 0..VISITS {
                for (site, index) in sites.iter().zip(0..) {
                    let moments = visit(&format!("{}{fragment}", site.server.url()), network)?;
                    for (times, moment) in times.iter_mut().zip(moments) {
                        times.get_mut(index).context("There is no such site")?.push(moment);
                    }
                }
            }
            let seconds = |times: &Vec<f64>| Some(format!("{:.2} s", median(times)? / 1000.0));
            for ((moment, times), budget) in MOMENTS.into_iter().zip(&times).zip(network.budgets) {
                let values = times.iter().map(seconds).collect::<Option<_>>().context("Nothing was measured")?;
                // What index.html shows is of the bare address.
                let budget = if moment == MOMENTS[0] && !fragment.is_empty() { network.budgets[1] } else { budget };
                rows.push(Row { what: format!("{moment}, {}, {name}", network.name), budget, values });
            }
        }
    }
    Ok(rows)
}

/// Returns the milliseconds until each moment of [`MOMENTS`] at an address.
fn visit(address: &str, network: &Network) -> Result<Vec<f64>> {
    let session = Session::fresh(BrowserKind::Chromium)?;
    session.before_scripts(NOTE)?;
    session.devtools("Network.enable", &json!({}))?;
    let bytes = network.rate / 8.0;
    let conditions = json!({
        "offline": false, "latency": network.latency, "downloadThroughput": bytes, "uploadThroughput": bytes,
    });
    session.devtools("Network.emulateNetworkConditions", &conditions)?;
    session.open(address)?;
    wait_for("there is no result", PATIENCE, || {
        let moments = session.script("return window.moments", &[])?;
        let moments = moments.as_array().into_iter().flatten().filter_map(Value::as_f64);
        Ok(Some(moments.collect::<Vec<_>>()).filter(|moments| moments.len() == MOMENTS.len()))
    })
}
