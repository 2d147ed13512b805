//! Measures the time from a slider's event to the next frame, with every plot of the first screen
//! redrawn, and the script time of an event.

use std::time::Duration;

use anyhow::{Context as _, Result};
use e2e::{Session, wait_for};
use serde_json::{Value, json};

use crate::samples::quantile;
use crate::{Row, Site};

/// Factors by which the processor is slowed down.
const THROTTLES: [u32; 2] = [1, 4];

/// Timeout of the page's start.
const PATIENCE: Duration = Duration::from_secs(30);

/// Number of events per slider and round.
const MOVES: u32 = 20;

/// Number of rounds, each of which measures every site.
const ROUNDS: usize = 3;

/// Renders frames as soon as they are ready; otherwise every figure would be a multiple of the
/// display's 16.7 ms.
const FLAGS: [&str; 2] = ["--disable-frame-rate-limit", "--disable-gpu-vsync"];

const SLIDE: &str = include_str!("slide.js");

/// The measurements of one site.
#[derive(Clone, Default)]
struct Seen {
    /// Milliseconds from event to frame, for each event.
    times: Vec<f64>,
    /// Milliseconds of script per event, less the overhead of the measurement.
    script: f64,
    /// Milliseconds of the longest task; 0 if there was no long task.
    longest: f64,
    /// Number of events after which the map was unchanged in the next frame.
    late: f64,
}

pub(crate) fn measure(sites: &[Site]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for throttle in THROTTLES {
        let mut seen = vec![Seen::default(); sites.len()];
        for _ in 0..ROUNDS {
            for (site, seen) in sites.iter().zip(&mut seen) {
                slide(site, throttle, seen)?;
            }
        }
        let late: Vec<f64> = seen.iter().map(|seen| seen.late).collect();
        if late.iter().any(|late| *late > 0.0) {
            eprintln!("The map was the same in the next frame after this many events, site by site: {late:?}");
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
        rows.push(row("script time of a slider event", "", &|seen| {
            Some(format!("{:.1} ms", seen.script / seen.times.len() as f64))
        })?);
        rows.push(row("longest task while sliding", "under 50 ms", &|seen| {
            Some(if seen.longest > 0.0 { format!("{:.0} ms", seen.longest) } else { "under 50 ms".to_owned() })
        })?);
    }
    Ok(rows)
}

/// Moves every slider of a site.
fn slide(site: &Site, throttle: u32, seen: &mut Seen) -> Result<()> {
    let session = Session::with_flags(&FLAGS)?;
    session.open(site.server.url())?;
    let ready = "return [...document.querySelectorAll('output')].some((output) => output.textContent.trim())";
    wait_for("the page does not start", PATIENCE, || Ok((session.script(ready, &[])? == json!(true)).then_some(())))?;
    session.devtools("Emulation.setCPUThrottlingRate", &json!({ "rate": throttle }))?;
    session.devtools("Performance.enable", &json!({}))?;
    let before = script_time(&session)?;
    let answer = session.script(SLIDE, &[json!(MOVES)])?;
    let number = |name: &str| answer.get(name).and_then(Value::as_f64).unwrap_or_default();
    seen.script += script_time(&session)? - before - number("read");
    seen.late += number("late");
    seen.longest = seen.longest.max(number("longest"));
    seen.times.extend(answer.get("times").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_f64));
    Ok(())
}

/// Returns the milliseconds that scripts of the tab have run.
fn script_time(session: &Session) -> Result<f64> {
    let metrics = session.devtools("Performance.getMetrics", &json!({}))?;
    let mut metrics = metrics.get("metrics").and_then(Value::as_array).into_iter().flatten();
    let seconds = metrics.find(|metric| metric.get("name") == Some(&json!("ScriptDuration")));
    let seconds = seconds.and_then(|metric| metric.get("value")).and_then(Value::as_f64);
    Ok(seconds.context("Chromium does not tell the time of scripts")? * 1000.0)
}
