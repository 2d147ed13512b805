//! Sources as links: where the papers and the pages of the documentation that a text names can be read.

/// A piece of a text, with the address that it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The text.
    pub text: &'a str,
    /// The address.
    pub leads: Option<String>,
}

/// Before the number of a paper.
const ARXIV: &str = "arXiv ";
/// Where the papers are.
const ABSTRACTS: &str = "https://arxiv.org/abs/";
/// Files of the repository, and the pages of the site's documentation that they are.
const PAGES: [(&str, &str); 2] = [("docs/model.md", "docs/model.html"), ("docs/accuracy.md", "docs/accuracy.html")];
/// The sections of docs/model.md, by number, as its page names them.
const SECTIONS: [&str; 14] = [
    "0-conventions",
    "1-two-engines-over-one-description",
    "2-transformer-parameters-and-flops",
    "3-memory-of-one-gpu",
    "4-collectives",
    "5-compute-time",
    "6-putting-a-step-together",
    "7-mixture-of-experts-tutel-arxiv-220603382-megablocks-style-dropless-as-capacity--actual",
    "8-closed-form-fsdp-bounds-reconstructed-arxiv-250403655",
    "9-from-a-step-to-a-training-run",
    "10-agreement-with-reality",
    "11-preferences-rewards-and-rollouts",
    "12-what-trains-and-on-which-texts",
    "13-images-and-sound",
];

/// Splits a text into pieces; what names no source leads nowhere.
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

/// The first source: what stands before it, itself, what follows, and its address.
fn first(text: &str) -> Option<(&str, &str, &str, String)> {
    let (start, end, address) = [page(text), paper(text)].into_iter().flatten().min_by_key(|found| found.0)?;
    Some((text.get(..start)?, text.get(start..end)?, text.get(end..)?, address))
}

/// The first page of the documentation, with the section after it.
fn page(text: &str) -> Option<(usize, usize, String)> {
    let (start, (file, page)) = PAGES.iter().filter_map(|named| Some((text.find(named.0)?, named))).min()?;
    let end = start + file.len();
    let section = text.get(end..).and_then(section);
    let address = section.map_or_else(|| (*page).to_owned(), |(_, name)| [page, "#", name].concat());
    Some((start, end + section.map_or(0, |(length, _)| length), address))
}

/// The length of ", section 3" at the start of a text, and the section's name; of several sections the first.
fn section(text: &str) -> Option<(usize, &'static str)> {
    let number = text.strip_prefix(", section ").or_else(|| text.strip_prefix(", sections "))?;
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    let name = SECTIONS.get(digits.parse::<usize>().ok()?)?;
    Some((text.len() - number.len() + digits.len(), name))
}

/// The first paper: four digits, a dot, four or five digits.
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
    use crate::text;
    use engine::catalog::{ACCELERATORS, CLAIMS, CLUSTERS, INTERCONNECTS, MODELS, PLANS};
    use explain::{TERMS, numbers};

    fn led(text: &str) -> Vec<(&str, String)> {
        pieces(text).into_iter().filter_map(|piece| Some((piece.text, piece.leads?))).collect()
    }

    #[test]
    fn papers_and_pages_lead_where_they_can_be_read() {
        assert_eq!(
            led(
                "docs/model.md, sections 4 to 6; PaLM (arXiv 2204.02311, appendix B), 2401.10241 and docs/accuracy.md."
            ),
            [
                ("docs/model.md, sections 4", "docs/model.html#4-collectives".to_owned()),
                ("arXiv 2204.02311", "https://arxiv.org/abs/2204.02311".to_owned()),
                ("2401.10241", "https://arxiv.org/abs/2401.10241".to_owned()),
                ("docs/accuracy.md", "docs/accuracy.html".to_owned()),
            ]
        );
        assert_eq!(led("Table 2.1 of 2025, section 99 of docs, 1234.567 and 12345.6789"), []);
        assert_eq!(led("docs/model.md, section 99"), [("docs/model.md", "docs/model.html".to_owned())]);
        let text = "ab docs/model.md cd";
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
            .chain(text::accuracy().map(|row| row.1))
            .collect();
        assert!(all.iter().filter(|text| !led(text).is_empty()).count() > 60);
        for text in all {
            let named =
                ["arXiv", "docs/model.md", "docs/accuracy.md"].map(|name| text.matches(name).count()).iter().sum();
            assert!(led(&text).len() >= named, "{text}");
        }
    }

    /// The name that mdBook gives a heading.
    fn anchor(heading: &str) -> String {
        let kept = |sign: char| match sign {
            sign if sign.is_alphanumeric() || sign == '_' || sign == '-' => Some(sign.to_ascii_lowercase()),
            sign if sign.is_whitespace() => Some('-'),
            _ => None,
        };
        heading.trim().chars().filter_map(kept).collect()
    }

    #[test]
    fn the_sections_are_those_of_the_document() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
        let document = std::fs::read_to_string(folder.join("model.md")).unwrap();
        let headings: Vec<String> = document.lines().filter_map(|line| line.strip_prefix("## ")).map(anchor).collect();
        assert_eq!(headings, SECTIONS);
        for (file, page) in PAGES {
            let chapter = page.trim_start_matches("docs/").replace(".html", ".md");
            assert!(std::fs::read_to_string(folder.join("book").join(&chapter)).unwrap().contains(&chapter), "{file}");
        }
    }
}
