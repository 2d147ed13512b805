//! Generates the list of the book's sections for its search (`docs/theme/search.js`).

use anyhow::Result;
use std::path::Path;

use super::pages;
use crate::shell::{read_text, write};

/// Name of the generated file: an array with chapter, heading, address and text of each section.
const FILE: &str = "search.txt";

/// A section of a page: heading, id of the heading, and text.
type Section = (String, String, String);

/// Writes the sections of all pages.
///
/// # Errors
/// When a page cannot be read, or the file cannot be written.
pub(super) fn write_sections(folder: &Path) -> Result<()> {
    let mut all = Vec::new();
    for page in pages(folder)? {
        let name = page.strip_prefix(folder)?.to_string_lossy().into_owned();
        let sections = sections(&read_text(&page)?);
        let title = sections.first().map(|section| section.0.clone()).unwrap_or_default();
        all.extend(sections.into_iter().map(|(heading, id, text)| {
            let address = if id.is_empty() { name.clone() } else { format!("{name}#{id}") };
            (title.clone(), heading, address, text)
        }));
    }
    write(&folder.join(FILE), &serde_json::to_string(&all)?)
}

/// Returns the sections of a page, in order.
fn sections(page: &str) -> Vec<Section> {
    let text = page.split_once("<main").map_or("", |(_, text)| text);
    let text = text.split_once("</main>").map_or(text, |(text, _)| text);
    let mut pieces: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = ["<h1 id=\"", "<h2 id=\"", "<h3 id=\""].iter().filter_map(|tag| rest.get(4..)?.find(tag)).min()
    {
        let (before, after) = rest.split_at(at + 4);
        pieces.push(before);
        rest = after;
    }
    pieces.push(rest);
    pieces.into_iter().filter_map(section).collect()
}

/// Parses a piece that begins with a heading.
fn section(piece: &str) -> Option<Section> {
    let id = piece.get(..8).filter(|start| start.starts_with("<h") && start.ends_with("id=\""));
    let (id, rest) = piece.get(id?.len()..)?.split_once('"')?;
    let (heading, text) = rest.split_once('>')?.1.split_once("</h")?;
    Some((plain(heading), id.to_owned(), plain(text.split_once('>')?.1)))
}

/// Returns text without tags and entities, with collapsed white space.
fn plain(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for letter in html.chars() {
        match letter {
            '<' => {
                inside = true;
                text.push(' ');
            }
            '>' if inside => inside = false,
            _ if !inside => text.push(letter),
            _ => {}
        }
    }
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&amp;", "&")];
    let text = entities.into_iter().fold(text, |text, (entity, letter)| text.replace(entity, letter));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_told_by_its_headings() {
        let page = "<body><main id=\"text\"><h1 id=\"memory\"><a class=\"header\" href=\"#memory\">Memory</a></h1>\n<p>All\n of it.</p>\
            <h2 id=\"logits\"><a href=\"#logits\">Logits &amp; loss</a></h2><p>fp32 <b>x</b> 4</p></main><nav>no</nav>";
        let section = |heading: &str, id: &str, text: &str| (heading.to_owned(), id.to_owned(), text.to_owned());
        let expected = [section("Memory", "memory", "All of it."), section("Logits & loss", "logits", "fp32 x 4")];
        assert_eq!(sections(page), expected);
        assert_eq!(sections("<p>no main</p>"), []);
    }
}
