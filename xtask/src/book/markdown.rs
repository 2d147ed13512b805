//! Copies the chapters of the book as Markdown next to their pages, and lists them in `llms.txt` of
//! the site (<https://llmstxt.org>), for readers that are programs.

use anyhow::{Context as _, Result};
use std::fmt::Write as _;
use std::path::Path;

use crate::shell::{make, read_text, write};

/// Name of the list, at the root of the site.
const LIST: &str = "llms.txt";

/// Begin of the list.
const HEAD: &str = "\
# shardwise

> A calculator for training runs of language models: does a run fit its GPUs, how fast is it, what limits it, what \
would help. All numbers come from formulas that are compared with published measurements.

The calculator is the page in this folder. Links hold a scenario in their fragment (`#v=1&model=llama-3-8b&gpus=64`). \
The command `shardwise` gives the same numbers: `shardwise estimate LINK --brief`; `shardwise mcp` serves its tools \
to agents.
";

/// Writes the chapters into the folder of the book, and the list into the folder of the site.
///
/// # Errors
/// When a chapter of the table of contents is missing.
pub(super) fn write_chapters(book: &Path, folder: &Path, site: &Path) -> Result<()> {
    let contents = read_text(&book.join("SUMMARY.md"))?;
    let mut list = HEAD.to_owned();
    // Chapters before the first heading of the table have none.
    let mut heading = Some("Docs");
    for line in contents.lines() {
        if let Some(title) = line.strip_prefix("# ").filter(|title| *title != "Summary") {
            heading = Some(title);
        }
        let Some((title, name)) = chapter(line) else { continue };
        if let Some(heading) = heading.take() {
            write!(list, "\n## {heading}\n\n")?;
        }
        let text = included(&read_text(&book.join(name))?, book)?;
        let about = first_sentence(&text).map_or_else(String::new, |about| format!(": {about}"));
        writeln!(list, "- [{title}](docs/{name}){about}")?;
        let copy = folder.join(name);
        copy.parent().map_or(Ok(()), make)?;
        write(&copy, &text)?;
    }
    write(&site.join(LIST), &list)
}

/// Returns title and file of a line of the table of contents.
fn chapter(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once('[')?;
    let (title, rest) = rest.split_once("](")?;
    Some((title, rest.split_once(')')?.0))
}

/// Replaces the directives of mdBook that include a file, `{{#include FILE}}` or
/// `{{#include FILE:FIRST_LINE:}}`, by its text.
fn included(text: &str, folder: &Path) -> Result<String> {
    let mut whole = String::new();
    for line in text.lines() {
        match line.strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}")) {
            None => whole.push_str(line),
            Some(named) => {
                let mut parts = named.split(':');
                let file = folder.join(parts.next().unwrap_or_default());
                let first = parts.next().map_or(Ok(1), str::parse::<usize>).context("A line of an include")?;
                let lines = read_text(&file)?;
                whole.push_str(&lines.lines().skip(first.saturating_sub(1)).collect::<Vec<_>>().join("\n"));
            }
        }
        whole.push('\n');
    }
    Ok(whole)
}

/// Returns the first sentence of the first paragraph, without links.
fn first_sentence(text: &str) -> Option<String> {
    let is_prose = |paragraph: &&str| paragraph.starts_with(|sign: char| sign.is_alphabetic());
    let paragraph = text.split("\n\n").map(str::trim).find(is_prose)?.replace('\n', " ");
    let sentence = paragraph.split_inclusive(". ").next().unwrap_or(&paragraph).trim().to_owned();
    // `[text](address)` is its text.
    let mut plain = String::new();
    let mut rest = sentence.as_str();
    while let Some((before, (name, after))) =
        rest.split_once('[').and_then(|(before, link)| Some((before, link.split_once("](")?)))
    {
        plain.extend([before, name]);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    Some(plain + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_are_listed_with_their_first_sentence() {
        assert_eq!(chapter("  - [Dense models](accuracy/dense.md)"), Some(("Dense models", "accuracy/dense.md")));
        assert_eq!(chapter("# Use"), None);
        let text = "# Title\n\n<img>\n\nThe [page](page.md) has\ntwo plots. It is fast.\n";
        assert_eq!(first_sentence(text).as_deref(), Some("The page has two plots."));
        assert_eq!(first_sentence("# Title"), None);
    }

    #[test]
    fn every_chapter_of_the_book_is_copied() -> Result<()> {
        let site = crate::shell::target().join("book").join("markdown-test");
        crate::shell::fresh(&site)?;
        let (book, folder) = (crate::shell::root().join("docs/book"), site.join("docs"));
        // Parts of this chapter are generated when the book is built.
        let copied = site.join("sources");
        crate::shell::copy(&book, &copied.join("docs/book"), &[])?;
        for name in ["releases-table.md", "releases-refused.md"] {
            write(&copied.join("docs/book").join(name), "generated\n")?;
        }
        make(&copied.join("npm"))?;
        write(&copied.join("npm/README.md"), "one\ntwo\nthe package\n")?;
        write_chapters(&copied.join("docs/book"), &folder, &site)?;
        let list = read_text(&site.join(LIST))?;
        assert!(list.contains("\n## Tutorials\n\n- [Quick start](docs/quick-start.md)"), "{list}");
        let linked = list.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let mut count = 0;
        for name in linked {
            let text = read_text(&site.join(name))?;
            assert!(!text.contains("{{#include"), "{name}");
            count += 1;
        }
        assert!(count > 40, "{count}");
        let script = read_text(&site.join("docs/javascript.md"))?;
        assert!(script.contains("the package") && !script.contains("\none\n"));
        Ok(())
    }
}
