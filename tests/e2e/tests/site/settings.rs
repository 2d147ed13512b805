//! The frameworks' settings open, switch between frameworks, and follow a slider.

use anyhow::{Result, bail};
use e2e::{Key, wait_for};
use serde_json::json;

use crate::page::{PATIENCE, Page};

/// Returns the text of the chosen framework.
const BODY: &str = "return document.querySelector('#settings pre')?.textContent ?? ''";

/// Clicks the button of a framework and waits for a text that contains `holds`.
fn choose(page: &Page, name: &str, holds: &str) -> Result<String> {
    let press = "[...document.querySelectorAll('#settings button')].find((b) => b.textContent === arguments[0]).click(); return ''";
    page.session.text(press, &[json!(name)])?;
    wait_for(&format!("{name} does not say {holds}"), PATIENCE, || {
        let body = page.session.text(BODY, &[])?;
        Ok(body.contains(holds).then_some(body))
    })
}

#[test]
fn each_framework_has_the_degrees_on_screen_and_follows_a_slider() -> Result<()> {
    let page = Page::first_visit()?;
    page.tab("Settings")?;
    choose(&page, "PyTorch FSDP2", "init_device_mesh(device_type, (64,)")?;
    choose(&page, "torchtitan", "data_parallel_shard_degree=64,")?;
    choose(&page, "DeepSpeed", "\"train_batch_size\": 64,")?;
    choose(&page, "Megatron-LM", "--global-batch-size 64")?;
    let before = choose(&page, "Accelerate", "parallelism_config_dp_shard_size: 64")?;

    let slider = page.slider("GPUs")?;
    page.session.focus(&slider)?;
    page.session.press(Key::Right, 1)?;
    page.settled()?;
    wait_for("the settings do not follow the slider", PATIENCE, || {
        Ok((page.session.text(BODY, &[])? != before).then_some(()))
    })?;
    let focusable = "return String(document.querySelector('#settings pre').tabIndex)";
    if page.session.text(focusable, &[])? != "0" {
        bail!("The text cannot be scrolled by keyboard.");
    }
    page.leave_quietly()
}
