//! Faults while the page loads: failed requests, a replaced build, a slow server, a missing file.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, ensure};
use e2e::files::{Fate, FileServer};
use e2e::{BrowserKind, Key, Session, wait_for};
use serde_json::json;
use tempfile::{TempDir, tempdir};

use crate::page::{HURRY, PATIENCE, Page, Sight, built, copy_of_the_site, names};

const PATH: &str = "/some/sub/path/";

const HOUR: Duration = Duration::from_secs(3600);

/// Returns the page's message in place of a result.
const ALERT: &str = "return document.querySelector('body > [role=alert]')?.textContent ?? ''";

/// Whether there is any figure on the page.
const FIGURES: &str =
    "return document.querySelectorAll('output:not(.first *), canvas:not(.first *), input:not(.first *)').length";

/// The browsers of every change.
const KINDS: [BrowserKind; 2] = [BrowserKind::Chromium, BrowserKind::Firefox];

#[test]
fn a_failed_request_for_a_part_of_the_module_is_made_again() -> Result<()> {
    KINDS.into_iter().try_for_each(asks_again)
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "nightly: needs WebKitGTK"]
fn a_failed_request_for_a_part_of_the_module_is_made_again_in_webkit() -> Result<()> {
    asks_again(BrowserKind::Webkit)
}

fn asks_again(kind: BrowserKind) -> Result<()> {
    let built = built()?;
    let script = module(&built, "js")?;
    // The script is requested at a new address on each try.
    for part in ["_bg.wasm", &script] {
        let part = part.to_owned();
        let server = FileServer::with_faults(&built, PATH, move |path, before| {
            if path.contains(&part) && before < 2 { Fate::Refused(503) } else { Fate::Answered }
        })?;
        let page = Page::open(kind, server.url(), "")?;
        assert_eq!(page.session.text(ALERT, &[])?, "", "{kind:?}");
        let before = page.settled()?;
        let slider = page.slider("GPUs")?;
        page.session.focus(&slider)?;
        page.session.press(Key::Right, 1)?;
        page.wait_for("the slider changes nothing", |now| now.outputs != before.outputs)?;
    }
    Ok(())
}

/// Opens the page with a script that runs before the page's own, without waiting for a result.
fn opened(kind: BrowserKind, address: &str, script: &str) -> Result<Session> {
    let session = Session::fresh(kind)?;
    session.before_scripts(script)?;
    session.open(address)?;
    Ok(session)
}

/// Waits until the page says that it could not be loaded. The page does not respond while it
/// reloads.
fn says_so(session: &Session) -> Result<()> {
    let said = wait_for("nothing is said", PATIENCE, || {
        Ok(Some(session.text(ALERT, &[]).unwrap_or_default()).filter(|said| !said.is_empty()))
    })?;
    assert_eq!(said, "The calculator could not be loaded. Check the connection and reload the page.");
    assert_eq!(session.script(FIGURES, &[])?, json!(0));
    Ok(())
}

/// End of the name of the module's late half; the quick build has none.
const LATE: &str = "_late.wasm";
/// Opens a tab that is not on the first screen.
const OPEN_SETTINGS: &str =
    "[...document.querySelectorAll('[role=tab]')].find((it) => it.textContent === 'Settings').click()";

#[test]
fn the_first_screen_needs_no_late_half_and_the_page_says_when_it_does_not_come() -> Result<()> {
    let built = built()?;
    if !names(&built)?.iter().any(|name| name.to_string_lossy().ends_with(LATE)) {
        return Ok(());
    }
    for kind in KINDS {
        let refuse = |path: &str, _| if path.ends_with(LATE) { Fate::Refused(503) } else { Fate::Answered };
        let server = FileServer::with_faults(&built, PATH, refuse)?;
        let page = Page::open(kind, server.url(), "")?;
        let before = page.settled()?;
        let slider = page.slider("GPU memory")?;
        page.session.focus(&slider)?;
        page.session.press(Key::Right, 1)?;
        page.wait_for("the slider changes nothing", |now| now.outputs != before.outputs)?;
        page.settled()?;
        assert_eq!(page.session.text(ALERT, &[])?, "", "{kind:?}");
        page.session.script(OPEN_SETTINGS, &[])?;
        wait_for("nothing is said of the late half", PATIENCE, || {
            Ok(page.session.text(ALERT, &[])?.starts_with("A part of the calculator").then_some(()))
        })?;
    }
    Ok(())
}

#[test]
fn a_request_that_always_fails_is_made_four_times_and_then_the_page_says_so() -> Result<()> {
    for kind in [BrowserKind::Chromium, BrowserKind::Firefox] {
        let refuse = |path: &str, _| if path.contains("_bg.wasm") { Fate::Refused(503) } else { Fate::Answered };
        let server = FileServer::with_faults(&built()?, PATH, refuse)?;
        let session = opened(kind, server.url(), HURRY)?;
        says_so(&session)?;
        // Four tries, each followed by a question whether the file is gone, and perhaps the page's
        // own preloading.
        let asked = server.asked("_bg.wasm");
        assert!((8..=9).contains(&asked), "{kind:?}: {asked} requests");
        assert_eq!(server.asked(".js?"), 0);
    }
    Ok(())
}

/// Returns the name of the module's file with this ending.
fn module(site: &Path, kind: &str) -> Result<String> {
    let page = std::fs::read_to_string(site.join("index.html")).context("There is no page")?;
    let (_, rest) = page.split_once(&format!(" data-{kind}=\"")).context("The page names no module")?;
    Ok(rest.split('"').next().unwrap_or_default().to_owned())
}

/// Returns a copy of the site whose page names the files of an older build, and the present page.
struct Outdated {
    folder: TempDir,
    now: String,
}

impl Outdated {
    fn new() -> Result<Self> {
        let folder = tempdir()?;
        copy_of_the_site(folder.path())?;
        let page = folder.path().join("index.html");
        let now = std::fs::read_to_string(&page)?;
        let script = module(folder.path(), "js")?;
        std::fs::write(&page, now.replace(&script, "shardwise-0000000000000000.js"))?;
        // HTTP dates have whole seconds: a page of the same second would count as not modified.
        File::options().write(true).open(&page)?.set_modified(SystemTime::now() - HOUR)?;
        Ok(Self { folder, now })
    }

    fn page(&self) -> PathBuf {
        self.folder.path().join("index.html")
    }
}

#[test]
fn a_page_of_a_build_that_is_gone_is_loaded_anew() -> Result<()> {
    KINDS.into_iter().try_for_each(loads_anew)
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "nightly: needs WebKitGTK"]
fn a_page_of_a_build_that_is_gone_is_loaded_anew_in_webkit() -> Result<()> {
    loads_anew(BrowserKind::Webkit)
}

fn loads_anew(kind: BrowserKind) -> Result<()> {
    let site = Outdated::new()?;
    let (page, now) = (site.page(), site.now.clone());
    // Once the old file has been requested, the next page is the new one.
    let server = FileServer::with_faults(site.folder.path(), PATH, move |path, _| {
        if path.contains("-0000000000000000") {
            let _ = std::fs::write(&page, &now);
        }
        Fate::Answered
    })?;
    let page = Page { session: Session::fresh(kind)? };
    page.session.open(&format!("{}#v=1&gpus=512", server.url()))?;
    let kind_of_visit = "return performance.getEntriesByType('navigation')[0].type";
    wait_for("the page is not loaded anew", PATIENCE, || {
        // The page does not respond while it reloads.
        Ok((page.session.text(kind_of_visit, &[]).unwrap_or_default() == "reload").then_some(()))
    })?;
    let sight = page.stands()?;
    assert_eq!(page.session.text(ALERT, &[])?, "", "{kind:?}");
    assert!(sight.headline.contains("512"), "{kind:?}: the scenario is lost");
    Ok(())
}

#[test]
fn a_page_is_loaded_anew_once_and_an_embed_never() -> Result<()> {
    for kind in [BrowserKind::Chromium, BrowserKind::Firefox] {
        for (query, pages, stored) in [("", 2, 1), ("?embed=1", 1, 0)] {
            let site = Outdated::new()?;
            let server = FileServer::start(site.folder.path(), PATH)?;
            let session = opened(kind, &format!("{}{query}", server.url()), HURRY)?;
            says_so(&session)?;
            assert_eq!(server.asked_exactly(PATH), pages, "{kind:?} {query}");
            assert_eq!(session.script("return sessionStorage.length", &[])?, json!(stored), "{kind:?} {query}");
            assert_eq!(session.script("return localStorage.length", &[])?, json!(0), "{kind:?} {query}");
        }
    }
    Ok(())
}

#[test]
fn without_the_script_that_starts_the_module_the_page_says_so() -> Result<()> {
    for kind in [BrowserKind::Chromium, BrowserKind::Firefox] {
        let refuse = |path: &str, _| if path.ends_with("boot.js") { Fate::Refused(503) } else { Fate::Answered };
        let server = FileServer::with_faults(&built()?, PATH, refuse)?;
        let sooner = "const later = window.setTimeout;
            window.setTimeout = (act, time, ...rest) => later(act, time / 10, ...rest);";
        says_so(&opened(kind, server.url(), sooner)?)?;
    }
    Ok(())
}

/// Records the longest time between two frames from now on.
const FRAMES: &str = "let last = performance.now();
    window.longest = 0;
    const frame = (now) => {
        window.longest = Math.max(window.longest, now - last);
        last = now;
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);";

#[test]
fn no_gesture_waits_for_a_slow_server_and_all_texts_are_there() -> Result<()> {
    const SLOW: Duration = Duration::from_secs(10);
    for kind in [BrowserKind::Chromium, BrowserKind::Firefox] {
        // Everything but the page, its module and what starts it.
        let slow = |path: &str, _| {
            let first = ["/", ".css", "_bg.wasm", "theme.js", "boot.js", ".svg"].iter().any(|end| path.ends_with(end));
            let script = path.contains("/page-");
            if first || script { Fate::Answered } else { Fate::Late(SLOW) }
        };
        let server = FileServer::with_faults(&built()?, PATH, slow)?;
        let page = Page::open(kind, server.url(), "")?;
        page.session.script(FRAMES, &[])?;
        let before = page.settled()?;
        let slider = page.slider("Sequence length")?;
        page.session.focus(&slider)?;
        page.session.press(Key::Left, 10)?;
        page.session.drag(&slider, (0, 0), (40, 0))?;
        page.session.release()?;
        page.wait_for("the slider changes nothing", |now| now.outputs != before.outputs && now.map != before.map)?;
        let field = page.field("GPUs")?;
        page.session.focus(&field)?;
        page.session.type_text("512")?;
        page.session.press(Key::Enter, 1)?;
        page.wait_for("a typed value changes nothing", |now| now.headline.contains("512"))?;
        let ask = page.in_view("#ask-mfu")?;
        page.session.focus(&ask)?;
        page.session.press(Key::Enter, 1)?;
        wait_for("the card has no text", PATIENCE, || {
            let card = page.session.text("return document.querySelector('#why')?.textContent ?? ''", &[])?;
            Ok((card.len() > 300).then_some(()))
        })?;
        // A blocking request would have stopped the frames for as long as the server takes.
        let longest = page.session.script("return window.longest", &[])?.as_f64().context("There are no frames")?;
        ensure!(longest < 0.5 * SLOW.as_millis() as f64, "{kind:?}: no frame for {longest:.0} ms");
    }
    Ok(())
}

/// Moves a slider to a number of steps from where it was first moved: a page that paints by itself
/// may not have drawn the last step yet, and its slider then stands where it was before.
const STEP: &str = "const [slider, steps] = arguments;
    window.first ??= Number(slider.value);
    slider.value = window.first + steps;
    slider.dispatchEvent(new Event('input', { bubbles: true }));";
/// Returns the sentence of a page whose worker does not work.
const NO_THREAD: &str = "return document.querySelector('#no-thread')?.textContent ?? ''";

#[test]
fn without_a_worker_the_page_paints_by_itself_and_says_so() -> Result<()> {
    // Workers that cannot be started, as in a sandbox; that end by an error, at once, when they
    // shall paint for the first time, and when they have painted three times; that are silent from
    // the first message, when they shall paint for the first time, and when they have painted six
    // times.
    let refused = "window.Worker = class { constructor() { throw new Error('no'); } };";
    let broken = "const Before = window.Worker;
        window.Worker = class extends Before { constructor() { super('data:text/javascript,throw 1'); } };";
    let after = |paintings: u32, does: &str| {
        format!(
            "const post = Worker.prototype.postMessage;
            let paintings = 0;
            Worker.prototype.postMessage = function (data, ...rest) {{
                if (String(data[0]).includes('link') && ++paintings > {paintings}) {does}
                else post.call(this, data, ...rest);
            }};"
        )
    };
    let error = "queueMicrotask(() => this.dispatchEvent(new Event('error')));";
    let silent = "Worker.prototype.postMessage = () => {};";
    for kind in [BrowserKind::Chromium, BrowserKind::Firefox] {
        let healthy = painted_by_the_worker(kind)?;
        for script in [refused, broken, &after(0, error), &after(3, error), silent, &after(0, ";"), &after(6, ";")] {
            let at = format!("{kind:?}, {script}");
            let page = Page::open(kind, crate::page::address()?, script)?;
            let before = page.settled()?;
            let slider = page.slider("Link bandwidth")?;
            let steps = |steps: i32| page.session.script(STEP, &[slider.as_argument(), json!(steps)]);
            for step in 1..=20 {
                steps(-step)?;
            }
            page.wait_for(&format!("{at}: the figures do not follow"), |now| {
                now.is_drawn() && now.outputs != before.outputs && now.map != before.map
            })?;
            wait_for(&format!("{at}: what the page says of it"), PATIENCE, || {
                let said = page.session.text(NO_THREAD, &[])?;
                Ok((said.is_empty() == (script == silent)).then_some(()))
            })?;
            steps(0)?;
            // A page whose worker is starting leaves the search of the curve's layouts to it.
            let last = if script == silent { &before } else { &healthy };
            let wrong = format!("{at}: the figures are not those of the worker, {last:#?}");
            page.wait_for(&wrong, |now| now == last)?;
            assert!(!page.is_the_workers()?, "{at}");
        }
    }
    Ok(())
}

/// Returns the page's texts and the pictures that its worker has painted.
fn painted_by_the_worker(kind: BrowserKind) -> Result<Sight> {
    let page = Page::open(kind, crate::page::address()?, "")?;
    wait_for("the worker paints nothing", PATIENCE, || Ok(page.is_the_workers()?.then_some(())))?;
    page.settled()
}

#[test]
fn a_worker_that_could_not_be_loaded_is_started_again_once() -> Result<()> {
    for kind in [BrowserKind::Chromium, BrowserKind::Firefox] {
        for failures in [1, 9] {
            let refuse = move |path: &str, before: usize| {
                if path.ends_with("painter.js") && before < failures { Fate::Refused(503) } else { Fate::Answered }
            };
            let server = FileServer::with_faults(&built()?, PATH, refuse)?;
            let page = Page::open(kind, server.url(), "")?;
            if failures == 1 {
                wait_for("no worker paints", PATIENCE, || Ok(page.is_the_workers()?.then_some(())))?;
            } else {
                wait_for("nothing is said", PATIENCE, || {
                    Ok(page.session.text(NO_THREAD, &[])?.contains("reload the page").then_some(()))
                })?;
            }
            // The service worker may have asked for it as well.
            assert!((2..=3).contains(&server.asked("painter.js")), "{kind:?}, {failures} failures");
        }
    }
    Ok(())
}

#[test]
fn a_module_that_does_not_come_is_said_and_forgotten_when_it_comes() -> Result<()> {
    let slow = |path: &str, _| {
        if path.ends_with("_bg.wasm") { Fate::Late(Duration::from_secs(8)) } else { Fate::Answered }
    };
    let sooner = "const later = window.setTimeout;
        window.setTimeout = (act, time, ...rest) => later(act, time / 10, ...rest);";
    for kind in [BrowserKind::Chromium, BrowserKind::Firefox] {
        let server = FileServer::with_faults(&built()?, PATH, slow)?;
        let session = opened(kind, server.url(), sooner)?;
        wait_for("nothing is said of the wait", PATIENCE, || {
            Ok(session.text(ALERT, &[])?.contains("still loading").then_some(()))
        })?;
        let page = Page { session };
        page.stands()?;
        assert_eq!(page.session.text(ALERT, &[])?, "", "{kind:?}");
    }
    Ok(())
}
