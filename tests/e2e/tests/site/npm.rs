//! The notebook in the npm package: a page with only the package and plain JavaScript.

use anyhow::{Context as _, Result, bail, ensure};
use e2e::files::FileServer;
use e2e::{BrowserKind, Session, wait_for};
use serde_json::json;
use xtask::packages;

use crate::page::PATIENCE;

/// Returns figures and sentences as one text each; empty for a figure without marks.
const SIGHT: &str = "const figure = (id) => {
        const marks = document.querySelectorAll(`#${id} path, #${id} rect`);
        return marks.length > 4 ? document.querySelector(`#${id}`).innerHTML : '';
    };
    return JSON.stringify([figure('curve'), figure('map'), document.querySelector('#verdict').textContent]);";

/// Moves a slider to a fraction of its range.
const MOVE: &str = "const [slider, share] = arguments;
    slider.value = String(Number(slider.min) + share * (slider.max - slider.min));
    slider.dispatchEvent(new Event('input', { bubbles: true }));";

/// Returns the figures' marks and the headline.
fn look(session: &Session) -> Result<[String; 3]> {
    let text = session.text(SIGHT, &[])?;
    serde_json::from_str(&text).with_context(|| format!("`{text}` is not what there is to see"))
}

#[test]
fn the_notebook_of_the_npm_package_redraws_both_figures_for_each_slider() -> Result<()> {
    let folder = packages::npm_package();
    if !folder.join("examples").join("notebook.html").is_file() {
        bail!("There is no npm package in target/npm/: cargo xtask npm");
    }
    let server = FileServer::start(&folder, "/some/sub/path/")?;
    let session = Session::fresh(BrowserKind::Chromium)?;
    session.open(&format!("{}examples/notebook.html", server.url()))?;
    let drawn = |seen: &[String; 3]| seen.iter().all(|text| !text.is_empty());
    wait_for("the notebook draws nothing", PATIENCE, || Ok(Some(look(&session)?).filter(drawn)))?;
    for (name, share) in [("Sequence length", 0.3), ("Link bandwidth", 0.1), ("GPU memory", 0.1)] {
        let before = look(&session)?;
        let slider = session.element(&format!("input[aria-label='{name}']"))?;
        session.script(MOVE, &[slider.as_argument(), json!(share)])?;
        let after = look(&session)?;
        if !drawn(&after) || before.iter().zip(&after).any(|(before, after)| before == after) {
            bail!("{name} moves, and a figure or the headline stays: {}", after[2]);
        }
    }
    let last = look(&session)?;
    assert!(last[2].starts_with("It does not fit"), "{}", last[2]);
    let errors = session.console()?.into_iter().filter(|(level, _)| level == "SEVERE").collect::<Vec<_>>();
    ensure!(errors.is_empty(), "The console says {errors:#?}");
    Ok(())
}
