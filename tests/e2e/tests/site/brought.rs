//! Pasted text: the configuration of a run becomes the scenario; an error and a log are explained,
//! and the scenario stays.

use anyhow::Result;
use e2e::wait_for;
use serde_json::json;

use crate::page::{PATIENCE, Page};

const PASTE: &str = "const area = document.getElementById('config');
    area.value = arguments[0];
    area.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertFromPaste' }));";
/// Returns the text of the import.
const SAID: &str = "return document.querySelector('.bring')?.textContent ?? ''";

/// Opens a scenario, pastes a text, and waits for the words.
fn pasted(fragment: &str, text: &str, words: &[&str]) -> Result<Page> {
    let page = Page::with_fragment(fragment)?;
    page.settled()?;
    let button = page.in_view("#bring-door")?;
    page.session.click(&button)?;
    page.session.script(PASTE, &[json!(text)])?;
    wait_for(&format!("the import does not say {words:?}"), PATIENCE, || {
        let said = page.session.text(SAID, &[])?;
        Ok(words.iter().all(|word| said.contains(word)).then_some(()))
    })?;
    Ok(page)
}

const RUN: &str = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\ngradient_accumulation_steps: 8\n\
                   gradient_checkpointing: true\nflash_attention: true\nbf16: true\nadapter: lora\nlora_r: 16\n";

#[test]
fn a_run_becomes_the_scenario() -> Result<()> {
    let page = pasted("#v=1&cluster=dgx-h100&gpus=8", RUN, &["A run of Axolotl", "Understood", "% faster", "Try it"])?;
    page.wait_for("the headline does not name the model", |now| now.headline.starts_with("Llama 3.1 8B on "))?;
    page.leave_quietly()
}

/// Nothing is offered until the GPUs are set; then the offer is for these GPUs.
#[test]
fn a_run_is_judged_on_gpus_that_somebody_chose() -> Result<()> {
    const CHOOSE: &str = "const select = document.getElementById('which-gpus');
        select.selectedIndex = [...select.options].findIndex((option) => option.text.startsWith('DGX H100'));
        select.dispatchEvent(new Event('change', { bubbles: true }));";
    let page = pasted("#v=1", RUN, &["A run of Axolotl", "Which GPUs"])?;
    assert!(!page.session.text(SAID, &[])?.contains("Try it"), "a run was judged on GPUs that nobody chose");
    page.session.script(CHOOSE, &[])?;
    // The number is asked for too.
    let eight =
        "const it = [...document.querySelectorAll('.question button')].find((it) => /^8\\b/.test(it.textContent));
        it?.click(); return Boolean(it)";
    wait_for("no number of GPUs is offered", PATIENCE, || {
        Ok((page.session.script(eight, &[])? == json!(true)).then_some(()))
    })?;
    wait_for("nothing is offered on the chosen GPUs", PATIENCE, || {
        let said = page.session.text(SAID, &[])?;
        Ok((said.contains("Try it") && said.contains("SW") && !said.contains("Which GPUs")).then_some(()))
    })?;
    page.leave_quietly()
}

#[test]
fn an_error_is_explained() -> Result<()> {
    let error = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.81 GiB. GPU 0 has a total capacity of 79.15 GiB";
    let page = pasted("#v=1&cluster=dgx-h100&model=gemma-2-9b&gpus=8&seq=8192", error, &["8,192", "256,000"])?;
    assert!(page.settled()?.headline.starts_with("Gemma 2 9B on "), "an error changed the scenario");
    page.leave_quietly()
}

#[test]
fn a_log_is_held_against_the_prediction() -> Result<()> {
    let log = "step: 10  loss: 7.6  memory: 46.91GiB(59%)  tps: 4,000  tflops: 214.71  mfu: 21.99%\n";
    let page =
        pasted("#v=1&cluster=dgx-h100&model=llama-3-8b&gpus=64&seq=8192", log, &["What would explain the time"])?;
    page.leave_quietly()
}
