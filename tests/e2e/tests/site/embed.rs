//! Embeds in other sites' pages: they stay in their frame and exchange messages with the page.
//!
//! Each test opens `host/index.html` once beside the site, served by Caddy with every header we
//! ship, and once on another server, so that the page has another origin; in Chromium and in
//! Firefox.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, ensure};
use e2e::BrowserKind;
use e2e::files::FileServer;
use e2e::server::Server;
use e2e::session::QUIET;
use e2e::{Element, Session, wait_for};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};
use xtask::programs;

use crate::care::AXE;
use crate::page::{PATIENCE, Page, copy_of_the_site};

/// Path of the site on its server; the host page is next to it.
const SITE: &str = "some/sub/path/";
const HOST: &str = "host/";

/// The browser, and whether the page has another origin than the site.
const WAYS: [(BrowserKind, bool); 4] = [
    (BrowserKind::Chromium, false),
    (BrowserKind::Chromium, true),
    (BrowserKind::Firefox, false),
    (BrowserKind::Firefox, true),
];

/// Number of frames, in this order: a map with sliders, timeline and memory, the custom element.
const FRAMES: usize = 3;

/// An open page with embeds.
struct Host {
    session: Session,
    address: String,
    /// Keeps the servers running until the page is left.
    _server: Server,
    _folder: TempDir,
}

impl Host {
    /// Opens the page on the site's server or on another one; `script` holds the attributes of the
    /// element that loads `embed.js`.
    fn open(kind: BrowserKind, far: bool, script: &str) -> Result<Self> {
        let own = tempdir()?;
        let root = own.path();
        let folder = root.join(HOST);
        copy_of_the_site(&root.join(SITE))?;
        let write = |file: PathBuf, text: &str| {
            let written =
                std::fs::create_dir_all(file.parent().unwrap_or(root)).and_then(|()| std::fs::write(&file, text));
            written.with_context(|| format!("{} could not be written", file.display()))
        };
        write(root.join("index.html"), "The site and a page beside it")?;
        let beside = Server::caddy(root, "/")?;
        let elsewhere = FileServer::start(&folder, &format!("/{HOST}"))?;
        // The ports are only known now.
        let address = if far { elsewhere.url().to_owned() } else { format!("{}{HOST}", beside.url()) };
        for (name, text) in [
            ("index.html", include_str!("host/index.html")),
            ("host.css", include_str!("host/host.css")),
            ("host.js", include_str!("host/host.js")),
        ] {
            let site = format!("{}{SITE}", beside.url());
            write(folder.join(name), &text.replace("SITE", &site).replace("SCRIPT", script))?;
        }
        let session = Session::fresh(kind)?;
        session.open(&address)?;
        Ok(Self { session, address, _server: beside, _folder: own })
    }

    fn frame(&self, place: usize) -> Result<Element> {
        self.session.script("document.querySelectorAll('iframe')[arguments[0]]?.scrollIntoView()", &[json!(place)])?;
        self.session.script(
            "document.querySelectorAll('iframe')[arguments[0]].dataset.place = arguments[0]",
            &[json!(place)],
        )?;
        self.session.element(&format!("iframe[data-place='{place}']"))
    }

    /// Runs a script inside a frame.
    fn inside(&self, place: usize, script: &str) -> Result<Value> {
        self.inside_with(place, script, &[])
    }

    fn inside_with(&self, place: usize, script: &str, arguments: &[Value]) -> Result<Value> {
        let frame = self.frame(place)?;
        self.session.enter(Some(&frame))?;
        let answer = self.session.script(script, arguments);
        self.session.enter(None)?;
        answer
    }

    /// Returns the messages of one kind that a frame has sent to the page.
    fn said(&self, place: usize, kind: &str) -> Result<Vec<Value>> {
        let script = "return window.said.filter(({ from, type }) => from === arguments[0] && type === arguments[1])";
        let said = self.session.script(script, &[json!(place), json!(format!("shardwise:{kind}"))])?;
        Ok(said.as_array().cloned().unwrap_or_default())
    }

    fn tell(&self, place: usize, message: &Value) -> Result<()> {
        let script = "document.querySelectorAll('iframe')[arguments[0]].contentWindow.postMessage(arguments[1], '*')";
        self.session.script(script, &[json!(place), message.clone()]).map(drop)
    }

    /// Waits until every embed is painted, has the height it announced last, and has found that it
    /// has enough room.
    ///
    /// Twice in many runs a frame never began, for a cause that is not known: the page is then
    /// opened once more, and its plight is printed.
    fn ready(&self) -> Result<()> {
        self.frames_ready().or_else(|error| {
            eprintln!("{error:#}\nOpened once more.");
            self.session.open(&self.address)?;
            self.frames_ready()
        })
    }

    fn frames_ready(&self) -> Result<()> {
        for place in 0..FRAMES {
            self.frame_ready(place).map_err(|error| anyhow!("{error} {}", self.plight(place)))?;
        }
        Ok(())
    }

    fn frame_ready(&self, place: usize) -> Result<()> {
        wait_for(&format!("frame {place} is not ready"), PATIENCE, || {
            self.frame(place)?;
            Ok((!self.said(place, "ready")?.is_empty()).then_some(()))
        })?;
        let room = "return quiet().then(() => getComputedStyle(document.documentElement).overflowY === 'hidden')";
        self.wait(place, &format!("frame {place} has no room"), &format!("{QUIET} {room}"))?;
        let high = "return document.querySelectorAll('iframe')[arguments[0]].clientHeight === arguments[1]";
        wait_for(&format!("frame {place} is not as high as it said"), PATIENCE, || {
            let said = self.said(place, "height")?.last().map(|said| said["height"].clone()).unwrap_or_default();
            Ok((self.session.script(high, &[json!(place), said])? == json!(true)).then_some(()))
        })
    }

    /// Describes page, frame and console, for the message of a failure.
    fn plight(&self, place: usize) -> String {
        let outside = "const frame = document.querySelectorAll('iframe')[arguments[0]];
            const { x, y, width, height } = frame.getBoundingClientRect();
            return JSON.stringify({ here: location.href, visibility: document.visibilityState, src: frame.src,
                box: [x, y, width, height], window: [innerWidth, innerHeight], said: window.said });";
        let inside = "const loaded = performance.getEntriesByType('resource')
                .map(({ name, startTime, duration }) => `${name} ${startTime | 0}+${duration | 0}`);
            return JSON.stringify({ here: location.href, state: document.readyState, visibility: document.visibilityState,
                now: performance.now() | 0, first: Boolean(document.querySelector('.first')), loaded,
                text: document.body?.innerText.slice(0, 200) });";
        let outside = self.session.script(outside, &[json!(place)]);
        let inside = self.inside(place, inside);
        format!("{:?}: {outside:?} {inside:?} {:?}", self.session.kind(), self.session.console())
    }

    /// Waits until a script inside a frame returns `true`.
    fn wait(&self, place: usize, otherwise: &str, script: &str) -> Result<()> {
        wait_for(otherwise, PATIENCE, || Ok((self.inside(place, script)? == json!(true)).then_some(())))
    }

    fn leave_quietly(&self) -> Result<()> {
        let errors: Vec<_> = self.session.console()?.into_iter().filter(|(level, _)| level == "SEVERE").collect();
        ensure!(errors.is_empty(), "The console says {errors:#?}");
        Ok(())
    }
}

#[test]
fn embeds_are_ready_and_as_high_as_what_is_in_them() -> Result<()> {
    let module = (BrowserKind::Chromium, false, "type=\"module\"");
    for (kind, far, script) in WAYS.map(|(kind, far)| (kind, far, "defer")).into_iter().chain([module]) {
        let host = Host::open(kind, far, script)?;
        host.ready()?;
        assert_eq!(host.session.script("return document.querySelectorAll('iframe').length", &[])?, json!(FRAMES));
        for place in 0..FRAMES {
            let heights = host.said(place, "height")?;
            assert!((1..=2).contains(&heights.len()), "frame {place}, {kind:?}, far {far}: {heights:?}");
            let ready = host.said(place, "ready")?;
            assert_eq!((ready.len(), &ready[0]["version"]), (1, &json!(1)), "{ready:?}");
            let room = "const root = document.documentElement;
                return [root.scrollHeight <= root.clientHeight, root.scrollWidth <= root.clientWidth,
                    getComputedStyle(root).overflowY];";
            assert_eq!(host.inside(place, room)?, json!([true, true, "hidden"]), "frame {place}, {kind:?}, far {far}");
        }
        host.leave_quietly()?;
    }
    Ok(())
}

/// Twenty-five positions of a slider and one where it rests, two frames each.
const MOVES: &str =
    "const slider = document.querySelector(\"input[aria-label='Sequence length']\"), rest = arguments[0];
    return (async () => {
        for (let step = 0; step <= 25; step += 1) {
            slider.value = Math.round(slider.max * (step < 25 ? (step % 10) / 10 : rest));
            slider.dispatchEvent(new Event('input', { bubbles: true }));
            slider.dispatchEvent(new Event('change', { bubbles: true }));
            await painted();
            await painted();
        }
        return true;
    })();";

/// Returns the data that the page and the site have stored.
const STORED: &str = "return [history.length, localStorage.length, sessionStorage.length, document.cookie]";

#[test]
fn a_hundred_moves_leave_history_storage_and_focus_alone() -> Result<()> {
    for (kind, far) in WAYS {
        let host = Host::open(kind, far, "defer")?;
        host.session.script("document.querySelector('#field').focus({ preventScroll: true })", &[])?;
        host.ready()?;
        let length = host.session.script("return history.length", &[])?;
        for rest in [0.2, 0.7, 0.3, 0.6] {
            let told = host.said(0, "scenario")?.len();
            host.inside_with(0, &format!("{QUIET} {MOVES}"), &[json!(rest)])?;
            wait_for("a gesture is not told", PATIENCE, || Ok((host.said(0, "scenario")?.len() > told).then_some(())))?;
        }
        assert_eq!(host.inside(0, STORED)?, json!([length, 0, 0, ""]), "{kind:?}, far {far}");
        host.tell(0, &json!({ "type": "shardwise:set", "link": "?theme=dark&why=mfu" }))?;
        host.wait(0, "a card does not open", "return document.querySelector('#why') !== null")?;
        assert_eq!(host.inside(0, "return localStorage.length")?, json!(0));
        let page = host.session.script("return [history.length, document.activeElement.id]", &[])?;
        assert_eq!(page, json!([length, "field"]), "{kind:?}, far {far}");
        // Every gesture sends a message.
        assert!(host.said(0, "scenario")?.len() >= 2, "{:?}", host.said(0, "scenario")?);
        host.leave_quietly()?;
    }
    Ok(())
}

const HEADLINE: &str = "return document.querySelector('h1').textContent";

#[test]
fn the_page_may_ask_and_set_and_nobody_else() -> Result<()> {
    for (kind, far) in WAYS {
        let host = Host::open(kind, far, "defer")?;
        host.ready()?;
        host.tell(0, &json!({ "type": "shardwise:get" }))?;
        let link = wait_for("nobody answers", PATIENCE, || {
            Ok(host.said(0, "scenario")?.last().and_then(|said| said["link"].as_str().map(str::to_owned)))
        })?;
        assert!(link.contains("/some/sub/path/?view=map#v=1") && link.contains("gpus=128"), "{link}");

        let before = host.inside(0, HEADLINE)?;
        // A frame within the page is not the page, and its messages about heights concern none of
        // our frames.
        let stranger = "const stranger = document.createElement('iframe');
            stranger.src = 'host.css';
            stranger.className = 'stranger';
            document.body.append(stranger);
            return new Promise((done) => { stranger.onload = () => done(true); });";
        host.session.script(stranger, &[])?;
        let frame = host.session.element(".stranger")?;
        host.session.enter(Some(&frame))?;
        let intrude = "for (let place = 0; place < 3; place += 1) {
                parent.frames[place].postMessage({ type: 'shardwise:set', link: '#gpus=8' }, '*');
                parent.postMessage({ type: 'shardwise:height', height: 9999 }, '*');
            }";
        host.session.script(intrude, &[])?;
        host.session.enter(None)?;
        for wrong in [
            json!("shardwise:set"),
            json!(null),
            json!({ "type": "shardwise:set" }),
            json!({ "type": "set", "link": "#gpus=8" }),
        ] {
            host.tell(0, &wrong)?;
        }
        // Messages arrive in order: once this one is answered, all earlier ones have been handled.
        let told = host.said(0, "scenario")?.len();
        host.tell(0, &json!({ "type": "shardwise:get" }))?;
        wait_for("nobody answers", PATIENCE, || Ok((host.said(0, "scenario")?.len() > told).then_some(())))?;
        host.inside(0, &format!("{QUIET} return quiet();"))?;
        assert_eq!(host.inside(0, HEADLINE)?, before, "somebody else was listened to");
        let heights = "return [...document.querySelectorAll('iframe')].every((frame) => frame.clientHeight < 3000)";
        assert_eq!(host.session.script(heights, &[])?, json!(true));

        host.tell(0, &json!({ "type": "shardwise:set", "link": "https://example.org/#v=1&gpus=256&mem=abc" }))?;
        host.wait(
            0,
            "the link is not taken",
            "return document.querySelector('h1').textContent.includes(' 256 ')
            && document.querySelectorAll('#banner li').length === 1",
        )?;
        wait_for("the new scenario is not told", PATIENCE, || {
            let said = host.said(0, "scenario")?;
            Ok(said
                .last()
                .and_then(|said| said["link"].as_str())
                .is_some_and(|link| link.contains("gpus=256"))
                .then_some(()))
        })?;
        let away = host.inside(0, "const link = document.querySelector('.away a'); return [link.href.includes('gpus=256'), link.target, link.rel]")?;
        assert_eq!(away, json!([true, "_blank", "noopener"]));
        host.leave_quietly()?;
    }
    Ok(())
}

#[test]
fn the_theme_follows_the_page_unless_the_link_names_one() -> Result<()> {
    for (kind, far) in WAYS {
        let host = Host::open(kind, far, "defer")?;
        host.ready()?;
        let at = |what: &str| format!("{what}, {kind:?}, far {far}");
        let theme = |wanted: &str| format!("return document.documentElement.dataset.theme === '{wanted}'");
        host.wait(0, &at("a light page has a dark figure"), &theme("light"))?;
        host.wait(2, &at("a figure forgets its theme"), &theme("dark"))?;
        host.session.script("document.documentElement.className = 'night'", &[])?;
        host.wait(0, &at("the figure stays light"), &theme("dark"))?;
        host.session.script("document.documentElement.className = ''", &[])?;
        host.wait(0, &at("the figure stays dark"), &theme("light"))?;
        host.wait(2, &at("a figure forgets its theme"), &theme("dark"))?;
        host.leave_quietly()?;
    }
    Ok(())
}

#[test]
fn links_that_come_later_become_figures_and_others_stay() -> Result<()> {
    let host = Host::open(BrowserKind::Firefox, true, "defer")?;
    host.ready()?;
    let add = "const link = document.querySelector('#first').cloneNode(true);
        link.id = 'later';
        delete link.dataset.live;
        document.body.prepend(link);";
    host.session.script(add, &[])?;
    let frame = "return document.querySelector('#later').previousElementSibling?.localName === 'iframe'
        && document.querySelectorAll('iframe').length === 4";
    wait_for("a link that comes later stays one", PATIENCE, || {
        Ok((host.session.script(frame, &[])? == json!(true)).then_some(()))
    })?;
    let titles = "return [...document.querySelectorAll('iframe')].map((frame) => [frame.title, frame.loading])";
    let titles = host.session.script(titles, &[])?;
    assert_eq!(titles[1], json!(["What fits on 128 GPUs", "lazy"]), "{titles}");
    assert_eq!(titles[3], json!(["Does it fit on 16 GPUs?", "lazy"]), "{titles}");
    Ok(())
}

/// Two links and two elements that name a script and another site, and one valid link.
const HOSTILE: &str = r#"
    const site = document.querySelector("script[src*='static/embed.js']").src.replace("static/embed.js", "");
    const evil = ["javascript:void(parent.ran=1)//", "https://example.org/?view=map"];
    const links = evil.map((src) => Object.assign(document.createElement("a"), { href: `${site}?view=map` }));
    links.forEach((link, place) => { link.dataset.src = evil[place]; });
    const elements = evil.map((src) => document.createElement("shardwise-figure"));
    elements.forEach((element, place) => element.setAttribute("src", evil[place]));
    const last = Object.assign(document.createElement("a"), { id: "last", href: `${site}?view=map` });
    for (const it of [...links, ...elements]) it.className = "hostile";
    document.body.prepend(...links, ...elements, last);
    return site;"#;

#[test]
fn nothing_but_the_site_is_ever_framed() -> Result<()> {
    for kind in [BrowserKind::Chromium, BrowserKind::Firefox] {
        let host = Host::open(kind, false, "defer")?;
        host.ready()?;
        let site = host.session.script(HOSTILE, &[])?;
        let last = "return document.querySelector('#last').previousElementSibling?.localName === 'iframe'";
        wait_for("a link of the site stays one", PATIENCE, || {
            Ok((host.session.script(last, &[])? == json!(true)).then_some(()))
        })?;
        let framed = "return [window.ran ?? null,
            [...document.querySelectorAll('iframe')].every((frame) => frame.src.startsWith(arguments[0])),
            document.querySelectorAll('shardwise-figure.hostile iframe').length]";
        assert_eq!(host.session.script(framed, &[site])?, json!([null, true, 0]), "{kind:?}");
    }
    Ok(())
}

#[test]
fn a_frame_is_never_higher_than_twenty_thousand_pixels() -> Result<()> {
    let host = Host::open(BrowserKind::Chromium, false, "defer")?;
    host.ready()?;
    host.inside(0, "parent.postMessage({ type: 'shardwise:height', height: 1e9 }, '*')")?;
    let height = "return Number(document.querySelector('iframe').getAttribute('height'))";
    wait_for("the frame does not grow to its bound", PATIENCE, || {
        Ok((host.session.script(height, &[])? == json!(20_000)).then_some(()))
    })
}

#[test]
fn on_paper_and_without_script_there_are_links() -> Result<()> {
    let host = Host::open(BrowserKind::Chromium, false, "defer")?;
    host.ready()?;
    host.session.devtools("Emulation.setEmulatedMedia", &json!({ "media": "print" }))?;
    let paper =
        "return [...document.querySelectorAll('iframe')].every((frame) => getComputedStyle(frame).display === 'none')
        && getComputedStyle(document.querySelector('#first'), '::after').content.includes('?view=map#v=1')
        && document.querySelector('#first').checkVisibility() && document.querySelector('#inner').checkVisibility()
        && getComputedStyle(document.querySelector('#plain'), '::after').content === 'none'";
    assert_eq!(host.session.script(paper, &[])?, json!(true));
    host.leave_quietly()?;

    // No browser runs a script of this type.
    let host = Host::open(BrowserKind::Chromium, false, "type=\"text/plain\"")?;
    let links = "return [document.querySelectorAll('iframe').length,
        ['first', 'second', 'inner', 'plain'].every((id) => document.getElementById(id).checkVisibility())]";
    assert_eq!(host.session.script(links, &[])?, json!([0, true]));
    Ok(())
}

#[test]
fn axe_finds_nothing_in_an_embed() -> Result<()> {
    let axe = std::fs::read_to_string(programs::AXE.ensure()?).context("axe-core could not be read")?;
    let host = Host::open(BrowserKind::Chromium, false, "defer")?;
    let site = host
        .session
        .text("return document.querySelector('script[src*=embed]').src.replace('static/embed.js', '')", &[])?;
    let mut complaints = Vec::new();
    for theme in ["light", "dark"] {
        for (view, controls) in [
            ("verdict.map.curve", "few"),
            ("memory.timeline.roofline", "none"),
            ("scaling.sensitivity.strategies.ranking.agreement", "all"),
        ] {
            host.session.open(&format!("{site}?embed=1&view={view}&controls={controls}&theme={theme}#v=1"))?;
            wait_for("no embed", PATIENCE, || Ok(host.session.element(".bare figure, .bare table").ok().map(drop)))?;
            host.session.quiet()?;
            host.session.script(&axe, &[])?;
            let found = host.session.script(AXE, &[])?;
            complaints.extend(found.as_array().into_iter().flatten().map(|found| format!("{view}, {theme}: {found}")));
        }
    }
    assert!(complaints.is_empty(), "axe finds {complaints:#?}");
    host.leave_quietly()
}

#[test]
fn a_link_with_a_view_opens_the_page_at_that_panel() -> Result<()> {
    let page = Page::with_fragment("?view=agreement#v=1")?;
    let there = "const box = document.querySelector('#agreement')?.closest('.figure').getBoundingClientRect();
        return Boolean(box && box.top > -50 && box.top < innerHeight / 2);";
    wait_for("the panel is not in sight", PATIENCE, || {
        Ok((page.session.script(there, &[])? == json!(true)).then_some(()))
    })?;
    assert!(page.address()?.contains("?view=agreement"), "{}", page.address()?);
    page.leave_quietly()
}

#[test]
fn a_figure_lives_in_a_sandbox_that_is_of_no_site() -> Result<()> {
    let folder = tempdir()?;
    let figure = format!("{}?embed=1&view=map#v=1&gpus=64", crate::page::address()?);
    let page =
        format!("<!doctype html><title>Notebook</title><iframe sandbox=allow-scripts src=\"{figure}\"></iframe>");
    std::fs::write(folder.path().join("index.html"), page)?;
    let server = FileServer::start(folder.path(), "/")?;
    for kind in [BrowserKind::Chromium, BrowserKind::Firefox] {
        let session = Session::fresh(kind)?;
        session.open(server.url())?;
        session.enter(Some(&session.element("iframe")?))?;
        wait_for("the figure in the sandbox stays empty", PATIENCE, || {
            let drawn = "return document.querySelectorAll('canvas').length > 0
                && document.querySelector('[role=alert]') === null";
            Ok((session.script(drawn, &[])? == json!(true)).then_some(()))
        })?;
    }
    Ok(())
}
