//! The shipped configurations: Caddy's responses are those that `docs/book/deploying.md` describes,
//! nginx sends the same, and the page works behind both.

use anyhow::{Context as _, Result};
use e2e::BrowserKind;
use e2e::Key;
use e2e::server::{Answer, Server, fetch_with};
use xtask::programs::NGINX_BROTLI;

use crate::page::{self, Page, built};

/// Every header that the configurations set.
const OURS: [&str; 10] = [
    "access-control-allow-origin",
    "cache-control",
    "content-encoding",
    "content-security-policy",
    "content-type",
    "cross-origin-embedder-policy",
    "cross-origin-resource-policy",
    "permissions-policy",
    "referrer-policy",
    "x-content-type-options",
];

fn browser_fetches(server: &str, name: &str) -> Result<Answer> {
    fetch_with(&format!("{server}{name}"), &[("Accept-Encoding", "gzip, br")])
}

/// Returns the names of all files of the site except the compressed copies, and the name of the
/// folder.
fn names() -> Result<Vec<String>> {
    let files = page::names(&built()?)?.into_iter().map(|name| name.to_string_lossy().into_owned());
    Ok(files.chain([String::new()]).collect())
}

#[test]
fn caddy_sends_what_is_promised() -> Result<()> {
    let server = page::address()?;
    for name in names()? {
        let answer = browser_fetches(server, &name)?;
        let stem = name.rsplit_once('.').map_or("", |(stem, _)| stem);
        let stem = stem.strip_suffix("_bg").unwrap_or(stem);
        let hash = stem.rsplit_once('-').map_or("", |(_, hash)| hash);
        let hashed = (12..=16).contains(&hash.len()) && hash.chars().all(|digit| digit.is_ascii_hexdigit());
        let kept = if hashed { "public, max-age=31536000, immutable" } else { "no-cache" };
        assert_eq!((answer.status, answer.header("cache-control")), (200, Some(kept)), "{name}");
        let small = built()?.join(format!("{}.br", if name.is_empty() { "index.html" } else { &name })).is_file();
        assert_eq!(answer.header("content-encoding"), small.then_some("br"), "{name}");
        if !hashed {
            let tag = answer.header("etag").with_context(|| format!("{name} has no ETag"))?;
            let again = [("If-None-Match", tag), ("Accept-Encoding", "gzip, br")];
            assert_eq!(fetch_with(&format!("{server}{name}"), &again)?.status, 304, "{name}");
        }
    }
    let module = names()?.into_iter().find(|name| name.ends_with("_bg.wasm"));
    let module = browser_fetches(server, &module.unwrap_or_default())?;
    assert_eq!(module.header("content-type"), Some("application/wasm"));
    let bare = fetch_with(server.trim_end_matches('/'), &[])?;
    assert_eq!((bare.status, bare.header("location")), (301, Some("/some/sub/path/")));
    Ok(())
}

#[test]
fn the_policy_of_the_header_is_that_of_the_page_and_lets_others_embed_it() -> Result<()> {
    let page = std::fs::read_to_string(built()?.join("index.html")).context("No page")?;
    let own = page.split_once("http-equiv=\"Content-Security-Policy\" content=\"");
    let own = own.and_then(|(_, rest)| rest.split('"').next()).context("The page has no policy")?;
    let answer = browser_fetches(page::address()?, "")?;
    let sent: Vec<&str> = answer.header("content-security-policy").unwrap_or_default().split("; ").collect();
    for rule in own.split("; ") {
        assert!(sent.contains(&rule), "{rule} is not in {sent:?}");
    }
    assert!(sent.contains(&"frame-ancestors *"), "{sent:?}");
    assert_eq!(answer.header("x-frame-options"), None);
    Ok(())
}

#[test]
#[ignore = "nightly: needs nginx"]
fn nginx_sends_the_same_as_caddy_and_the_page_works_behind_it() -> Result<()> {
    let caddy = page::address()?;
    let nginx = Server::nginx(&built()?, "/some/sub/path/")?;
    let ours = |answer: &Answer| OURS.map(|name| answer.header(name).map(str::to_owned));
    for name in names()? {
        let [mut one, mut other] = [browser_fetches(caddy, &name)?, browser_fetches(nginx.url(), &name)?];
        if NGINX_BROTLI.find().is_err() {
            for answer in [&mut one, &mut other] {
                answer.headers.retain(|(name, _)| name != "content-encoding");
            }
        }
        assert_eq!(ours(&one), ours(&other), "{name}");
        assert_eq!((other.status, other.header("etag").is_some()), (200, true), "{name}");
    }
    assert_eq!(browser_fetches(nginx.url(), "no-such-0123456789abcdef.js")?.status, 404);
    works(&nginx)
}

#[test]
fn the_page_works_at_the_root_of_a_host() -> Result<()> {
    works(&Server::caddy(&built()?, "/")?)
}

/// Checks that the page opens and follows a slider.
fn works(server: &Server) -> Result<()> {
    let page = Page::open(BrowserKind::Chromium, server.url(), "")?;
    let before = page.settled()?;
    let slider = page.slider("Link bandwidth")?;
    page.session.focus(&slider)?;
    page.session.press(Key::Left, 20)?;
    page.wait_for("the slider changes nothing", |now| now.outputs != before.outputs && now.map != before.map)?;
    page.leave_quietly()
}
