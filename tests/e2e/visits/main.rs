//! The visits behind `cargo xtask visits`: opens the built site over and over in each browser,
//! moves a slider, and reads, captures and prints the figures at once and a little later.
//!
//! `visits N [BROWSER]...` prints what went wrong, and a line of counts for each browser:
//!
//! - missing: a figure was blank, on its canvas, in a screenshot, or a print had not half the bytes
//!   of another.
//! - old: half a second after the last key a figure was still the one of before, or in the end it
//!   was not the one that the page paints by itself for the same link.
//! - late: the page stood still for more than two seconds. Prints do not count, as Firefox takes
//!   longer for any; the longest is told.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use e2e::files::{Fate, FileServer};
use e2e::server::Server;
use e2e::session::PICTURE;
use e2e::{BrowserKind, Key, Session, wait_for};
use serde_json::{Value, json};
use xtask::shell::dist;

/// The sliders that are moved, in turn.
const SLIDERS: [&str; 5] = ["GPU memory", "Link bandwidth", "Sequence length", "Model size", "GPUs"];
/// When the figures are looked at, in milliseconds after the last key.
const MOMENTS: [u64; 4] = [0, 100, 500, 3000];
/// The moment from which on a figure has to follow.
const FOLLOWED: u64 = 500;
/// A page that does not respond for longer is late.
const LATE: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(30);
const PATH: &str = "/some/sub/path/";

/// The figures of the first screen, as [`PICTURE`] tells of them.
const FIGURES: &str = "const figures = () => ['map', 'curve', 'memory'].map(picture);";

/// Returns the mean of each colour in each square of 16 by 16 pixels of the plots. Between a canvas
/// of the page and one of a worker, WebKit paints single pixels a little differently.
const SQUARES: &str = "return ['map', 'curve'].map((id) => {
    const canvas = document.querySelector(`canvas#${id}, #${id} canvas`), { width, height } = canvas;
    const copy = new OffscreenCanvas(width, height).getContext('2d');
    copy.drawImage(canvas, 0, 0);
    const across = Math.ceil(width / 16), means = new Array(3 * across * Math.ceil(height / 16)).fill(0);
    copy.getImageData(0, 0, width, height).data.forEach((value, place) => {
        const pixel = place >> 2, square = (Math.floor(pixel / width) >> 4) * across + ((pixel % width) >> 4);
        if (place % 4 < 3) means[3 * square + place % 4] += value / 256;
    });
    return means;
}).flat();";

/// Two means that differ by less, of 255, are the same.
const SAME: f64 = 0.5;

/// Starts measuring how long the page does not respond.
const WATCH: &str = "let last = performance.now();
    window.stood = 0;
    setInterval(() => {
        const now = performance.now();
        window.stood = Math.max(window.stood, now - last);
        last = now;
    }, 20);";

/// Returns the plots that are blank in a screenshot.
const BLANK: &str = "return (async () => {
    const bytes = Uint8Array.from(atob(arguments[0]), (sign) => sign.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const ratio = image.width / innerWidth;
    return ['map', 'curve'].filter((id) => {
        const { left, top, right, bottom } = document.querySelector(`canvas#${id}, #${id} canvas`).getBoundingClientRect();
        const height = Math.min(bottom, innerHeight) - top;
        if (height < 100) return false;
        const size = [right - left, height].map((side) => Math.floor(side * ratio));
        const copy = new OffscreenCanvas(...size).getContext('2d');
        copy.drawImage(image, left * ratio, top * ratio, ...size, 0, 0, ...size);
        return new Set(new Uint32Array(copy.getImageData(0, 0, ...size).data.buffer)).size < 8;
    });
})();";

/// Counts from one browser.
#[derive(Default)]
struct Counts {
    missing: usize,
    old: usize,
    late: usize,
    reads: usize,
    captures: usize,
    prints: usize,
    stood: f64,
    longest_print: Duration,
    largest_print: usize,
    /// Squares that the page paints when opened alone, by the fragment of the link.
    by_the_page: BTreeMap<String, Vec<f64>>,
}

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let visits = arguments.first().and_then(|number| number.parse().ok()).unwrap_or(100);
    let folder = std::env::var_os("SHARDWISE_DIST").map_or_else(dist, PathBuf::from);
    ensure!(folder.join("sw.js").is_file(), "There is no built site in dist/: cargo xtask build");
    let server = Server::caddy(&folder, PATH)?;
    // Without the worker the page paints by itself.
    let alone = FileServer::with_faults(&folder, PATH, |path, _| {
        if path.ends_with("painter.js") { Fate::Refused(404) } else { Fate::Answered }
    })?;
    let mut failed = 0;
    for kind in [BrowserKind::Chromium, BrowserKind::Firefox, BrowserKind::Webkit] {
        let named = arguments.len() < 2 || arguments.iter().any(|name| *name == format!("{kind:?}").to_lowercase());
        if !named || kind == BrowserKind::Webkit && !cfg!(target_os = "linux") {
            continue;
        }
        let (mut counts, mut broken) = (Counts::default(), 0);
        for visit in 0..visits {
            if let Err(failure) = counts.visit(kind, visit, &server, &alone) {
                println!("{kind:?}, visit {visit}: {failure:#}");
                broken += 1;
            }
        }
        let Counts { missing, old, late, reads, captures, prints, stood, longest_print, .. } = counts;
        println!(
            "{kind:?}: {visits} visits, {reads} reads, {captures} captures, {prints} prints: {missing} missing, {old} old, \
             {late} late, {broken} broken off; stood still for at most {:.2} s, longest print {:.1} s",
            stood / 1000.0,
            longest_print.as_secs_f64()
        );
        failed += missing + old + late + broken;
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reads the figures.
fn figures(session: &Session) -> Result<Value> {
    session.script(&format!("{PICTURE} {FIGURES} return figures();"), &[])
}

/// Reads the means of the squares of the plots.
fn squares(session: &Session) -> Result<Vec<f64>> {
    Ok(serde_json::from_value(session.script(SQUARES, &[])?)?)
}

/// Whether every figure is drawn.
fn is_drawn(figures: &Value) -> bool {
    figures.as_array().is_some_and(|all| all.iter().all(|one| one.as_str().is_some_and(|one| one.contains("drawn"))))
}

/// Opens the page and waits until its figures are there.
fn opened(kind: BrowserKind, address: &str) -> Result<(Session, Value)> {
    let session = Session::fresh(kind)?;
    session.open(address)?;
    let figures = wait_for("there are no figures", PATIENCE, || Ok(Some(figures(&session)?).filter(is_drawn)))?;
    Ok((session, figures))
}

impl Counts {
    fn visit(&mut self, kind: BrowserKind, visit: usize, server: &Server, alone: &FileServer) -> Result<()> {
        let (session, before) = opened(kind, server.url())?;
        // Now the worker paints already, now it just starts.
        if visit.is_multiple_of(2) {
            sleep(Duration::from_secs(1));
        }
        session.script(WATCH, &[])?;
        let name = SLIDERS.get(visit % SLIDERS.len()).copied().unwrap_or_default();
        session.focus(&session.element(&format!("input[type=range][aria-label='{name}']"))?)?;
        session.press(Key::Left, 8 + visit % 3)?;
        let start = Instant::now();
        let mut stood = 0.0;
        for (place, moment) in MOMENTS.into_iter().enumerate() {
            sleep(Duration::from_millis(moment).saturating_sub(start.elapsed()));
            let now = figures(&session)?;
            self.reads += 1;
            if !is_drawn(&now) {
                self.missing += 1;
                println!("{kind:?}, visit {visit}, after {moment} ms: {now}");
            } else if moment >= FOLLOWED
                && ["/0", "/1"].iter().any(|figure| now.pointer(figure) == before.pointer(figure))
            {
                self.old += 1;
                println!("{kind:?}, visit {visit}, after {moment} ms `{name}` has changed nothing: {now}");
            }
            let blank = session.script(BLANK, &[json!(session.screenshot()?)])?;
            self.captures += 1;
            if blank != json!([]) {
                self.missing += 1;
                println!("{kind:?}, visit {visit}, after {moment} ms a screenshot lacks {blank}");
            }
            let longest = session.script("const stood = window.stood; window.stood = 0; return stood;", &[])?;
            stood = longest.as_f64().unwrap_or_default().max(stood);
            // One print a visit, each time at another moment.
            if place == visit / 2 % MOMENTS.len() {
                self.print(kind, visit, &session)?;
                session.script("window.stood = 0", &[])?;
            }
        }
        self.stood = self.stood.max(stood);
        if stood > LATE.as_millis() as f64 {
            self.late += 1;
            println!("{kind:?}, visit {visit}: the page stood still for {stood:.0} ms");
        }
        self.compare(kind, visit, session, alone)
    }

    /// Prints the page, where the driver can.
    fn print(&mut self, kind: BrowserKind, visit: usize, session: &Session) -> Result<()> {
        let start = Instant::now();
        let size = match session.print() {
            Ok(print) => print.len(),
            Err(_) if kind == BrowserKind::Webkit => return Ok(()),
            Err(failure) => return Err(failure),
        };
        self.prints += 1;
        self.longest_print = self.longest_print.max(start.elapsed());
        self.largest_print = self.largest_print.max(size);
        if size * 2 < self.largest_print {
            self.missing += 1;
            println!("{kind:?}, visit {visit}: a print has {size} bytes, another {}", self.largest_print);
        }
        Ok(())
    }

    /// Compares the figures with those that the page paints by itself.
    fn compare(&mut self, kind: BrowserKind, visit: usize, session: Session, alone: &FileServer) -> Result<()> {
        let now = squares(&session)?;
        let link = session.text("return location.hash", &[])?;
        // Only one Firefox can be driven at a time.
        drop(session);
        if !self.by_the_page.contains_key(&link) {
            let (page, _) = opened(kind, &format!("{}{link}", alone.url()))?;
            sleep(LATE);
            self.by_the_page.insert(link.clone(), squares(&page)?);
        }
        let wanted = self.by_the_page.get(&link).context("There is nothing to compare with")?;
        let others = now.iter().zip(wanted).filter(|(now, wanted)| (*now - *wanted).abs() > SAME).count();
        if others > 0 || now.len() != wanted.len() {
            self.old += 1;
            println!("{kind:?}, visit {visit}, {link}: {others} squares are not as the page paints them by itself");
        }
        Ok(())
    }
}
