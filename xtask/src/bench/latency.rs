//! From a slider's event to the next frame, with every plot of the first screen redrawn.

use std::time::Duration;

use serde_json::{Value, json};

use super::table::Row;
use crate::browser::Browser;
use crate::failure::{Failure, Result};
use crate::files::FileServer;
use crate::site;
use crate::webdriver::{Session, wait_for};

/// How many times slower the processor is made.
pub(super) const THROTTLES: [u32; 2] = [1, 4];

/// How long the page may take to start.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// Events for each slider.
const MOVES: u32 = 60;

/// Frames as fast as they are ready: otherwise every figure would be a multiple of the display's 16.7 ms.
const FLAGS: [&str; 2] = ["--disable-frame-rate-limit", "--disable-gpu-vsync"];

const SLIDE: &str = include_str!("slide.js");

pub(super) fn measure(chromium: &Browser, throttle: u32) -> Result<Vec<Row>> {
    let server = FileServer::start(site::folder(), "/")?;
    let session = Session::start(chromium, &FLAGS)?;
    session.open(server.url())?;
    let ready = "return [...document.querySelectorAll('output')].some((output) => output.textContent.trim())";
    wait_for("the page does not start", PATIENCE, || Ok((session.script(ready, &[])? == json!(true)).then_some(())))?;
    session.devtools("Emulation.setCPUThrottlingRate", &json!({ "rate": throttle }))?;
    let seen = session.script(SLIDE, &[json!(MOVES)])?;
    let number = |name: &str| seen.get(name).and_then(Value::as_f64).unwrap_or_default();
    let mut times: Vec<f64> =
        seen.get("times").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_f64).collect();
    times.sort_by(f64::total_cmp);
    let (Some(median), Some(p95)) = (quantile(&times, 0.5), quantile(&times, 0.95)) else {
        return Err(Failure::new("The page has no sliders to move."));
    };
    if number("late") > 0.0 {
        let late = number("late");
        println!("    After {late} of {} events looked at, the map was the same in the next frame.", number("looked"));
    }
    let longest = number("longest");
    let longest = if longest > 0.0 { format!("{longest:.0} ms") } else { "under 50 ms".into() };
    let budget = if throttle == 1 { "under 16.7 ms" } else { "under 50 ms" };
    let what = |figure: &str| format!("slider event to next frame, {figure}, {throttle}x CPU throttle");
    Ok(vec![
        Row::new(what("p50"), format!("{median:.1} ms"), ""),
        Row::new(what("p95"), format!("{p95:.1} ms"), budget),
        Row::new(format!("longest task while sliding, {throttle}x CPU throttle"), longest, "under 50 ms"),
    ])
}

/// The value below which this share of the sorted values lies.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get((share * last as f64).ceil() as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_hundred() {
        let sorted: Vec<f64> = (0..=100).map(f64::from).collect();
        assert_eq!(quantile(&sorted, 0.5), Some(50.0));
        assert_eq!(quantile(&sorted, 0.95), Some(95.0));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
