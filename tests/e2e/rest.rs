//! The rest of the module: the first picture and the sliders do without it, and what cannot wait for it loads it at once.

use serde_json::json;
use xtask::failure::Result;
use xtask::webdriver::wait_for;

use crate::page::{PATIENCE, Page, SLIDERS};

/// The request that boot.js makes after the first picture never ends.
const NEVER: &str = "const real = window.fetch;
    window.fetch = (what, how) => String(what).includes('_rest.wasm') ? new Promise(() => {}) : real(what, how);";

/// How often the rest was asked for.
const ASKED: &str = "return performance.getEntriesByType('resource')
    .filter((entry) => entry.name.includes('_rest.wasm')).length";

#[test]
fn sliders_do_without_the_rest_and_a_typed_value_loads_it_at_once() -> Result<()> {
    let page = Page::with_script(NEVER)?;
    for name in SLIDERS {
        let before = page.look()?;
        let slider = page.slider(name)?;
        let slide = "const it = arguments[0];
            it.value = String(it.value > (Number(it.min) + Number(it.max)) / 2 ? it.min : it.max);
            it.dispatchEvent(new Event('input', { bubbles: true }));";
        page.session.script(slide, &[slider.as_argument()])?;
        page.wait_for(&format!("{name} changes nothing"), |now| {
            now.map != before.map || now.outputs != before.outputs
        })?;
    }
    assert_eq!(page.session.script(ASKED, &[])?, json!(0), "a stale list? cargo xtask profile");

    let field = page.field("GPUs")?;
    page.session.focus(&field)?;
    page.session.type_text("512")?;
    wait_for("nobody loads the rest", PATIENCE, || Ok((page.session.script(ASKED, &[])? == json!(1)).then_some(())))?;
    // What is below the first screen follows.
    wait_for("nothing appears below", PATIENCE, || Ok(page.session.element("#agreement").ok().map(drop)))?;
    page.leave_quietly()
}
