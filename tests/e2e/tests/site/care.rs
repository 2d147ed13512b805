//! Accessibility: no barriers, no layout shifts, touch targets of sufficient size.

use anyhow::{Context as _, Result, bail};
use e2e::session::QUIET;
use e2e::wait_for;
use serde_json::{Value, json};
use xtask::programs;

use crate::page::{PATIENCE, Page, SLIDERS, STILL};

/// Widths of the viewport: a desktop, a phone, and 1,280 px at 400 % zoom.
const WIDTHS: [u32; 3] = [1280, 375, 320];

/// Opens everything that is folded.
const UNFOLD: &str = "document.querySelectorAll('details').forEach((it) => { it.open = true; });";

/// Runs axe and lists its findings: rule, count, first place.
pub(crate) const AXE: &str = "const only = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    return axe.run(document, { runOnly: only }).then(({ violations }) => violations.map(({ id, nodes }) =>
        `${id}: ${nodes.length}, ${nodes[0].target} ${nodes[0].failureSummary}`));";

pub(crate) fn sized(page: &Page, width: u32) -> Result<()> {
    let size = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
    page.session.devtools("Emulation.setDeviceMetricsOverride", &size).map(drop)
}

fn texts(found: &Value) -> Vec<String> {
    found.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn axe_finds_nothing_in_either_theme_with_everything_unfolded() -> Result<()> {
    let axe = std::fs::read_to_string(programs::AXE.ensure()?).context("axe-core could not be read")?;
    let page = Page::first_visit()?;
    let mut complaints = Vec::new();
    for width in WIDTHS {
        sized(&page, width)?;
        for theme in ["light", "dark"] {
            let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }] });
            page.session.devtools("Emulation.setEmulatedMedia", &features)?;
            page.session.script(UNFOLD, &[])?;
            page.still()?;
            page.session.script(&axe, &[])?;
            let found = texts(&page.session.script(AXE, &[])?);
            complaints.extend(found.into_iter().map(|found| format!("{width} px, {theme}: {found}")));
        }
    }
    if !complaints.is_empty() {
        bail!("axe finds {complaints:#?}");
    }
    page.leave_quietly()
}

/// Sums the layout shifts since the last call and names the largest.
const SHIFTS: &str = "const shifts = (window.shifts ?? []).splice(0);
    const largest = shifts.toSorted((one, other) => other.value - one.value)[0];
    const place = (node) => node?.nodeType === 1 ? `${node.tagName} ${node.className}` : node?.textContent;
    return [shifts.reduce((sum, shift) => sum + shift.value, 0),
        (largest?.sources ?? []).map(({ node, previousRect, currentRect }) =>
            `${place(node)} ${previousRect.top} to ${currentRect.top}`).join('; ')];";
const WATCH: &str = "window.shifts = [];
    new PerformanceObserver((list) => window.shifts.push(...list.getEntries()))
        .observe({ type: 'layout-shift', buffered: true });";
/// Moves a slider over its whole range and back, one step per frame.
const SWEEP: &str = "const slider = arguments[0], own = slider.value, steps = 12;
    const to = (value) => new Promise((done) => {
        slider.value = value;
        slider.dispatchEvent(new Event('input', { bubbles: true }));
        requestAnimationFrame(() => setTimeout(done));
    });
    return (async () => {
        for (let step = 0; step <= steps; step += 1) await to(Math.round(slider.max * step / steps));
        await to(own);
        slider.dispatchEvent(new Event('change', { bubbles: true }));
        return still();
    })();";
/// Limit of cumulative layout shift; 0.1 is commonly considered good.
const CUMULATIVE: f64 = 0.02;

#[test]
fn nothing_jumps_while_sliders_move() -> Result<()> {
    let page = Page::first_visit()?;
    let mut complaints = Vec::new();
    page.session.script(WATCH, &[])?;
    for width in WIDTHS {
        sized(&page, width)?;
        page.settled()?;
        page.session.script(SHIFTS, &[])?;
        for name in SLIDERS {
            let slider = page.session.element(&format!("input[type=range][aria-label='{name}']"))?;
            page.session.script(&format!("{QUIET} {STILL} {SWEEP}"), &[slider.as_argument()])?;
            let found = page.session.script(SHIFTS, &[])?;
            let sum = found.get(0).and_then(Value::as_f64).unwrap_or(f64::INFINITY);
            if sum > CUMULATIVE {
                complaints.push(format!("{width} px, {name}: {sum:.3}, {}", found.get(1).unwrap_or(&Value::Null)));
            }
        }
    }
    if !complaints.is_empty() {
        bail!("The page jumps: {complaints:#?}");
    }
    page.leave_quietly()
}

/// Lists everything clickable that is smaller than 24 px in both directions, except links in
/// sentences (WCAG 2.2, 2.5.8).
const SMALL: &str = "return [...document.querySelectorAll('button, select, input, summary, canvas[tabindex], a[href]')]
    .filter((it) => it.checkVisibility() && !(it.tagName === 'A' && it.parentElement.textContent !== it.textContent))
    .map((it) => [(it.closest('label') ?? it).getBoundingClientRect(), it])
    .filter(([box]) => box.height > 0 && (box.height < 23.5 || box.width < 23.5))
    .map(([box, it]) => `${it.tagName} ${it.id || it.className} ${it.textContent.slice(0, 24)} ${box.width}x${box.height}`);";

#[test]
fn targets_are_large_enough() -> Result<()> {
    let page = Page::first_visit()?;
    sized(&page, 375)?;
    page.session.script(UNFOLD, &[])?;
    page.still()?;
    let small = texts(&page.session.script(SMALL, &[])?);
    if !small.is_empty() {
        bail!("Too small for a finger: {small:#?}");
    }
    page.leave_quietly()
}

#[test]
fn nothing_sticks_out_at_320_px_with_everything_unfolded() -> Result<()> {
    let page = Page::first_visit()?;
    sized(&page, 320)?;
    page.session.script(UNFOLD, &[])?;
    page.still()?;
    let out = "return document.documentElement.scrollWidth <= 320";
    wait_for("the page is wider than 320 px", PATIENCE, || {
        Ok((page.session.script(out, &[])? == json!(true)).then_some(()))
    })?;
    page.leave_quietly()
}
