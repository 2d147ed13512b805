//! Sources as links: the papers, and the pages of the documentation, that a text names.

/// A piece of a text, with the address that it links to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The text.
    pub text: &'a str,
    /// The address; `None` for plain text.
    pub leads: Option<String>,
}

/// Prefix before the number of a paper.
const ARXIV: &str = "arXiv ";
/// Address of the papers.
const ABSTRACTS: &str = "https://arxiv.org/abs/";
/// Folder of the documentation's chapters in the repository.
const CHAPTERS: &str = "docs/book/";
/// Folder of the chapters' pages on the site.
const DOCUMENTATION: &str = "docs/";

/// Splits a text into pieces; a piece that names no source has no address.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some((before, source, after, address)) = first(rest) {
        pieces.push(Piece { text: before, leads: None });
        pieces.push(Piece { text: source, leads: Some(address) });
        rest = after;
    }
    pieces.push(Piece { text: rest, leads: None });
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

/// Finds the first source: the text before it, the source, the text after it, and its address.
fn first(text: &str) -> Option<(&str, &str, &str, String)> {
    let (start, end, address) = [page(text), paper(text)].into_iter().flatten().min_by_key(|found| found.0)?;
    Some((text.get(..start)?, text.get(start..end)?, text.get(end..)?, address))
}

/// Finds the first chapter of the documentation: start, end and address.
fn page(text: &str) -> Option<(usize, usize, String)> {
    let start = text.find(CHAPTERS)?;
    let (name, _) = text.get(start + CHAPTERS.len()..)?.split_once(".md")?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-/".contains(&byte));
    let end = start + CHAPTERS.len() + name.len() + ".md".len();
    is_name.then(|| (start, end, [DOCUMENTATION, name, ".html"].concat()))
}

/// Finds the first paper (four digits, a dot, four or five digits): start, end and address.
fn paper(text: &str) -> Option<(usize, usize, String)> {
    text.match_indices('.').find_map(|(dot, _)| {
        let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
        let before = text.get(..dot)?.chars().rev().take_while(char::is_ascii_digit).count();
        let after = digits(text.get(dot + 1..)?);
        if before != 4 || !(4..=5).contains(&after) {
            return None;
        }
        let (start, end) = (dot - before, dot + 1 + after);
        let address = [ABSTRACTS, text.get(start..end)?].concat();
        let named = text.get(..start)?.ends_with(ARXIV);
        Some((if named { start - ARXIV.len() } else { start }, end, address))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::colophon::accuracy;
    use catalog::{ACCELERATORS, CLAIMS, CLUSTERS, INTERCONNECTS, MODELS, PLANS};
    use explain::{TERMS, numbers};

    fn led(text: &str) -> Vec<(&str, String)> {
        pieces(text).into_iter().filter_map(|piece| Some((piece.text, piece.leads?))).collect()
    }

    #[test]
    fn papers_and_pages_lead_where_they_can_be_read() {
        assert_eq!(
            led(
                "docs/book/model/overlap.md; PaLM (arXiv 2204.02311, appendix B), 2401.10241 and docs/book/accuracy.md."
            ),
            [
                ("docs/book/model/overlap.md", "docs/model/overlap.html".to_owned()),
                ("arXiv 2204.02311", "https://arxiv.org/abs/2204.02311".to_owned()),
                ("2401.10241", "https://arxiv.org/abs/2401.10241".to_owned()),
                ("docs/book/accuracy.md", "docs/accuracy.html".to_owned()),
            ]
        );
        assert_eq!(led("Table 2.1 of 2025, section 99 of docs/book, 1234.567 and 12345.6789"), []);
        let text = "ab docs/book/model.md cd";
        assert_eq!(pieces(text).iter().map(|piece| piece.text).collect::<String>(), text);
    }

    #[test]
    fn every_source_of_the_page_that_could_lead_somewhere_does() {
        let cards = numbers().flat_map(|card| [card.meaning, card.source, card.leaves_out]);
        let entries = MODELS.iter().map(|entry| entry.source).chain(ACCELERATORS.iter().map(|entry| entry.source));
        let networks = CLUSTERS.iter().map(|entry| entry.source).chain(INTERCONNECTS.iter().map(|entry| entry.source));
        let examples = PLANS.iter().chain(CLAIMS).map(|entry| entry.source);
        let all: Vec<String> = cards
            .chain(TERMS.iter().map(|term| term.text))
            .chain(entries)
            .chain(networks)
            .chain(examples)
            .map(str::to_owned)
            .chain(accuracy().map(|row| row.1))
            .collect();
        assert!(all.iter().filter(|text| !led(text).is_empty()).count() > 60);
        for text in all {
            let named = ["arXiv", CHAPTERS].map(|name| text.matches(name).count()).iter().sum();
            assert!(led(&text).len() >= named, "{text}");
            for (chapter, _) in led(&text).iter().filter(|piece| piece.0.starts_with(CHAPTERS)) {
                let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(chapter);
                assert!(file.is_file(), "{chapter}");
            }
        }
    }
}
