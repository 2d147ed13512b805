//! Measures the time from a slider's event to the next frame, with every plot of the first screen
//! redrawn, and the main thread's time for an event; beside it the same of a page that only draws
//! (`bare/`).

use std::time::Duration;

use anyhow::{Context as _, Result};
use e2e::server::Server;
use e2e::{Session, wait_for};
use serde_json::{Value, json};
use xtask::shell::root;

use crate::samples::{median, quantile};
use crate::{Row, Site};

/// Factors by which the processor is slowed down, with the budget for the main thread's time as a
/// multiple of the bare page's.
const THROTTLES: [(u32, &str); 2] = [(1, "at most 2"), (4, "at most 3")];

/// Timeout of the page's start.
const PATIENCE: Duration = Duration::from_secs(30);

/// Number of events per slider and round.
const MOVES: u32 = 20;

/// Number of slider events per round during which the map's pictures are measured.
const LOOKS: u32 = 6;

/// Number of rounds, each of which measures the bare page and every site.
const ROUNDS: usize = 5;

/// Renders frames as soon as they are ready; otherwise every figure would be a multiple of the
/// display's 16.7 ms.
const FLAGS: [&str; 2] = ["--disable-frame-rate-limit", "--disable-gpu-vsync"];

const SLIDE: &str = include_str!("slide.js");

/// The measurements of one page.
#[derive(Clone, Default)]
struct Seen {
    /// Milliseconds from event to frame, for each event.
    times: Vec<f64>,
    /// Milliseconds from event to another map, for each event.
    pictures: Vec<f64>,
    /// Milliseconds of processor that the main thread takes per event, and its scripts, for each
    /// round.
    busy: Vec<f64>,
    script: Vec<f64>,
    /// Milliseconds of the longest task; 0 if there was no long task.
    longest: f64,
}

pub(crate) fn measure(sites: &[Site]) -> Result<Vec<Row>> {
    let folder = root().join("tests").join("e2e").join("bench").join("bare");
    let bare_server = Server::caddy(&folder, "/")?;
    let mut rows = Vec::new();
    for (throttle, most) in THROTTLES {
        let mut bare = Seen::default();
        let mut seen = vec![Seen::default(); sites.len()];
        for _ in 0..ROUNDS {
            slide(&bare_server, throttle, &mut bare)?;
            for (site, seen) in sites.iter().zip(&mut seen) {
                slide(&site.server, throttle, seen)?;
            }
        }
        let row = |what: &str, budget, value: &dyn Fn(&Seen) -> Option<String>| -> Result<Row> {
            let values: Option<_> = seen.iter().map(value).collect();
            let what = format!("{what}, {throttle}x CPU throttle");
            Ok(Row { what, budget, values: values.context("The page has no sliders to move")? })
        };
        let milliseconds = |share: f64| move |seen: &Seen| Some(format!("{:.1} ms", quantile(&seen.times, share)?));
        let budget = if throttle == 1 { "under 16.7 ms" } else { "under 50 ms" };
        rows.push(row("slider event to next frame, p50", "", &milliseconds(0.5))?);
        rows.push(row("slider event to next frame, p95", budget, &milliseconds(0.95))?);
        let picture = |share: f64| move |seen: &Seen| Some(format!("{:.1} ms", quantile(&seen.pictures, share)?));
        rows.push(row("slider event to another map, p50", "", &picture(0.5))?);
        rows.push(row("slider event to another map, p95", "", &picture(0.95))?);
        rows.push(row("the same of a bare page, p50", "", &|_| milliseconds(0.5)(&bare))?);
        rows.push(row("the same of a bare page, p95", "", &|_| milliseconds(0.95)(&bare))?);
        let typical = |values: &[f64]| Some(format!("{:.1} ms", median(values)?));
        rows.push(row("main thread's time of a slider event", "", &|seen| typical(&seen.busy))?);
        rows.push(row("the same of a bare page", "", &|_| typical(&bare.busy))?);
        rows.push(row("the one over the other", most, &|seen| {
            // Round by round, as the machine may be slower in one than in another.
            let ratios: Vec<f64> = seen.busy.iter().zip(&bare.busy).map(|(own, bare)| own / bare).collect();
            Some(format!("{:.1}", median(&ratios)?))
        })?);
        rows.push(row("script time of a slider event", "", &|seen| typical(&seen.script))?);
        rows.push(row("longest task while sliding", "under 50 ms", &|seen| {
            Some(if seen.longest > 0.0 { format!("{:.0} ms", seen.longest) } else { "under 50 ms".to_owned() })
        })?);
    }
    Ok(rows)
}

/// Moves every slider of a page.
fn slide(server: &Server, throttle: u32, seen: &mut Seen) -> Result<()> {
    let session = Session::with_flags(&FLAGS)?;
    session.open(server.url())?;
    let ready =
        "return [...document.querySelectorAll('output:not(.first *)')].some((output) => output.textContent.trim())";
    wait_for("the page does not start", PATIENCE, || Ok((session.script(ready, &[])? == json!(true)).then_some(())))?;
    session.devtools("Emulation.setCPUThrottlingRate", &json!({ "rate": throttle }))?;
    let times_of = |answer: &Value| -> Vec<f64> {
        answer.get("times").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    seen.pictures.extend(times_of(&session.script(SLIDE, &[json!(LOOKS), json!(true)])?));
    // The thread's own time: what other processes take of the machine does not count.
    session.devtools("Performance.enable", &json!({ "timeDomain": "threadTicks" }))?;
    let (busy, script) = spent(&session)?;
    let answer = session.script(SLIDE, &[json!(MOVES), json!(false)])?;
    let (busy_then, script_then) = spent(&session)?;
    let number = |name: &str| answer.get(name).and_then(Value::as_f64).unwrap_or_default();
    let times = times_of(&answer);
    let of_event = |from: f64, to: f64| (to - from) / times.len() as f64;
    seen.busy.push(of_event(busy, busy_then));
    seen.script.push(of_event(script, script_then));
    seen.longest = seen.longest.max(number("longest"));
    seen.times.extend(times);
    Ok(())
}

/// Returns the milliseconds of processor that the main thread of the tab has taken, and those of
/// its scripts.
fn spent(session: &Session) -> Result<(f64, f64)> {
    let metrics = session.devtools("Performance.getMetrics", &json!({}))?;
    let metrics = metrics.get("metrics").and_then(Value::as_array).context("Chromium tells no metrics")?;
    let milliseconds = |name: &str| {
        let metric = metrics.iter().find(|metric| metric.get("name") == Some(&json!(name)));
        let seconds = metric.and_then(|metric| metric.get("value")).and_then(Value::as_f64);
        seconds.map(|seconds| seconds * 1000.0).with_context(|| format!("Chromium does not tell {name}"))
    };
    Ok((milliseconds("TaskDuration")?, milliseconds("ScriptDuration")?))
}
