//! The box: words are marked as they were understood, asked about, and taken with Enter.

use anyhow::{Result, ensure};
use e2e::{Key, wait_for};
use serde_json::json;

use crate::page::{PATIENCE, Page};

/// Returns the text under the box.
const SAID: &str = "return document.getElementById('say-said').textContent";

/// Types words into the box and waits until the text under the box contains these words.
fn typed(page: &Page, words: &str, says: &[&str]) -> Result<()> {
    page.session.focus(&page.in_view("#say")?)?;
    page.session.control('a')?;
    page.session.type_text(words)?;
    wait_for(&format!("nothing is said of {words}"), PATIENCE, || {
        let said = page.session.text(SAID, &[])?;
        Ok(says.iter().all(|part| said.contains(part)).then_some(()))
    })
}

#[test]
fn a_sentence_is_marked_while_it_is_typed_and_taken_with_enter() -> Result<()> {
    let page = Page::first_visit()?;
    let before = page.settled()?;
    typed(&page, "llama 3.1 8b qlora on 2x4090, 8k with frobs", &["Llama 3.1 8B", "Assumed", "“frobs”"])?;
    let marked = "return [...document.querySelectorAll('.say-marks mark')].map((it) => it.textContent)";
    let marks = page.session.script(marked, &[])?;
    for part in ["llama 3.1 8b", "qlora", "2x4090", "8k"] {
        ensure!(marks.as_array().is_some_and(|marks| marks.contains(&json!(part))), "{part} is not among {marks}");
    }
    let unread = "return document.querySelector('.say-marks u').textContent";
    ensure!(page.session.text(unread, &[])?.contains("frobs"));
    assert_eq!(page.settled()?.outputs, before.outputs, "typing alone changed the run");
    // A question about a word is answered before the run is taken.
    page.session.press(Key::Enter, 1)?;
    assert_eq!(page.settled()?.outputs, before.outputs, "a run with an open question was taken");
    let answer = "const [...all] = document.querySelectorAll('.chip.wrong button'); all.at(-1).click(); return all.at(-1).textContent";
    ensure!(page.session.text(answer, &[])? == "leave it out");
    page.wait_for("the run is not taken", |now| now.headline.starts_with("Llama 3.1 8B on 2 RTX 4090"))?;
    page.session.focus(&page.session.element("#copy-link")?)?;
    page.session.control('z')?;
    page.wait_for("undo does not bring the run back", |now| now.outputs == before.outputs)?;
    page.leave_quietly()
}

#[test]
fn a_sentence_without_a_model_changes_the_run_and_one_with_a_deadline_opens_the_plan() -> Result<()> {
    let page = Page::with_fragment("#v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64")?;
    page.settled()?;
    typed(&page, "use 16 GPUs", &["16"])?;
    page.session.press(Key::Enter, 1)?;
    page.wait_for("the run does not change", |now| now.headline.starts_with("Llama 3.1 8B on 16 H100"))?;
    typed(&page, "70B, 1T tokens, 30 days, cheapest", &["30 days"])?;
    page.session.press(Key::Enter, 1)?;
    let days = "return document.querySelector('#plan-number')?.value ?? ''";
    wait_for("no plan opens", PATIENCE, || Ok((page.session.text(days, &[])? == "30").then_some(())))?;
    ensure!(page.address()?.contains("plan=cheapest"), "{}", page.address()?);
    page.leave_quietly()
}

#[test]
fn find_reads_as_a_run_what_it_has_no_name_for() -> Result<()> {
    let page = Page::first_visit()?;
    page.session.control('k')?;
    wait_for("no dialog opens", PATIENCE, || {
        Ok((page.session.text("return document.activeElement.id", &[])? == "finder-field").then_some(()))
    })?;
    page.session.type_text("qwen2.5 7b lora on 4 A100, 4k")?;
    page.session.press(Key::Enter, 1)?;
    page.wait_for("the words are not read", |now| now.headline.starts_with("Qwen2.5 7B on 4 A100"))?;
    page.leave_quietly()
}
