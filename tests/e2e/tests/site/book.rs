//! The documentation next to the calculator, served with the shipped configuration.

use anyhow::Result;
use e2e::wait_for;
use serde_json::json;

use crate::figures::Reader;
use crate::page::{PATIENCE, address};

#[test]
fn chapters_show_the_calculator_and_obey_the_strictest_policy() -> Result<()> {
    let site = address()?;
    let reader = Reader::open(&format!("{site}docs/"))?;
    reader.sees_figure("verdict.map.curve")?;
    reader.sees_figure("memory")?;
    reader.leaves_quietly()?;
    for (chapter, panel) in [("communication", "timeline"), ("accuracy", "agreement")] {
        reader.session.open(&format!("{site}docs/{chapter}.html"))?;
        reader.sees_figure(panel)?;
        reader.leaves_quietly()?;
    }
    Ok(())
}

#[test]
fn words_find_a_section_of_the_book() -> Result<()> {
    let reader = Reader::open(&format!("{}docs/model/logits.html", address()?))?;
    let search = "const field = document.getElementById('search');
        field.value = 'all-gather ring'; field.dispatchEvent(new Event('input'))";
    reader.session.script(search, &[])?;
    let first = "return document.querySelector('#found a')?.href ?? ''";
    let link = wait_for("nothing is found", PATIENCE, || {
        Ok(Some(reader.session.text(first, &[])?).filter(|link| !link.is_empty()))
    })?;
    reader.session.open(&link)?;
    let text = "return document.querySelector('main').textContent.toLowerCase()";
    let text = reader.session.text(text, &[])?;
    assert!(text.contains("all-gather") && text.contains("ring"), "{link}");
    reader.leaves_quietly()
}

#[test]
fn without_script_every_chapter_can_be_read_and_left() -> Result<()> {
    let reader = Reader::without_script(&format!("{}docs/memory.html", address()?))?;
    let seen = "return [document.querySelectorAll('iframe').length,
        document.querySelector(\"main a[href^='../?view=memory']\").textContent,
        document.querySelector('#contents [aria-current]').textContent,
        new URL(document.querySelector('.masthead a:last-child').href).pathname]";
    let expected = json!([0, "Llama 2 7B in pure bf16 on one A100 of 80 GB", "Memory", "/some/sub/path/"]);
    assert_eq!(reader.session.script(seen, &[])?, expected);
    Ok(())
}
