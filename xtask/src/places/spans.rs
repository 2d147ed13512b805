//! Code spans of a Markdown text, with the texts between them.

use std::path::Path;

/// A paragraph, an item of a list or a row of a table.
pub(super) struct Block<'a> {
    pub(super) spans: Vec<Span<'a>>,
    /// Text after the last span.
    end: &'a str,
}

/// A code span.
pub(super) struct Span<'a> {
    /// Number of its line in the document.
    pub(super) line: usize,
    /// Text between the span before and this one.
    before: &'a str,
    pub(super) code: &'a str,
}

/// Returns the paragraphs, items and rows of a text, without fenced code.
pub(super) fn blocks(text: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut is_fenced, mut start, mut at) = (Vec::new(), false, None, 0);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let (own, next) = (line.trim_start(), at + line.len());
        let is_fence = own.starts_with("```");
        let begins = own.is_empty() || is_fence || is_fenced || is_item(own);
        if begins {
            blocks.extend(start.take().map(|(first, from)| block(text.get(from..at).unwrap_or_default(), first)));
        }
        is_fenced ^= is_fence;
        if !is_fenced && !is_fence && !own.is_empty() && start.is_none() {
            start = Some((number, at));
        }
        at = next;
    }
    blocks.extend(start.map(|(first, from)| block(text.get(from..).unwrap_or_default(), first)));
    blocks
}

/// Returns whether a line begins a row, a heading or an item.
fn is_item(line: &str) -> bool {
    let after_number = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
    line.starts_with(['|', '#'])
        || line.starts_with("- ")
        || after_number.len() < line.len() && after_number.starts_with(". ")
}

fn block(text: &str, first_line: usize) -> Block<'_> {
    let (mut spans, mut rest, mut line) = (Vec::new(), text, first_line);
    while let Some((before, after)) = rest.split_once('`') {
        let Some((code, next)) = after.split_once('`') else { break };
        line += before.matches('\n').count();
        spans.push(Span { line, before, code });
        line += code.matches('\n').count();
        rest = next;
    }
    Block { spans, end: rest }
}

/// Returns the targets of the links of a text, with their lines.
pub(super) fn links(text: &str) -> Vec<(usize, &str)> {
    let mut targets = Vec::new();
    for (number, line) in lines(text, false) {
        let ends = line.split("](").skip(1).filter_map(|end| end.split_once(')'));
        targets.extend(ends.map(|(target, _)| (number, target)));
    }
    targets
}

/// Returns the headings of a text as links name them: in lower case, with hyphens for spaces and
/// without other signs.
pub(super) fn headings(text: &str) -> Vec<String> {
    let is_kept = |sign: &char| sign.is_alphanumeric() || "-_ ".contains(*sign);
    let headings = lines(text, false).into_iter().filter(|(_, line)| line.starts_with('#'));
    let texts = headings.map(|(_, line)| line.trim_start_matches('#').trim().to_lowercase());
    texts.map(|text| text.chars().filter(is_kept).collect::<String>().replace(' ', "-")).collect()
}

/// Returns whether a path is that of a Rust file.
pub(super) fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "rs")
}

/// Returns the lines of fenced code, with their numbers.
pub(super) fn fenced(text: &str) -> Vec<(usize, &str)> {
    lines(text, true)
}

/// Returns the lines in fenced code, or those outside of it, with their numbers.
fn lines(text: &str, is_code: bool) -> Vec<(usize, &str)> {
    let mut is_fenced = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        if is_fenced == is_code && !is_fence {
            lines.push((number, line));
        }
    }
    lines
}

impl<'a> Block<'a> {
    /// Returns whether this is a row of a table.
    pub(super) fn is_row(&self) -> bool {
        self.text_before_spans().starts_with('|')
    }

    /// Returns whether this is the first row of a table that names a function for each quantity.
    pub(super) fn begins_table_of_functions(&self) -> bool {
        self.is_row() && self.text_before_spans().contains("| Function")
    }

    /// Returns the level of a heading.
    pub(super) fn heading(&self) -> Option<usize> {
        let text = self.text_before_spans();
        let signs = text.len() - text.trim_start_matches('#').len();
        (signs > 0).then_some(signs)
    }

    fn text_before_spans(&self) -> &'a str {
        self.spans.first().map_or(self.end, |span| span.before).trim_start()
    }

    /// Returns the span that follows one of these texts.
    pub(super) fn after(&self, texts: &[&str]) -> Option<&'a str> {
        let follows = |span: &&Span| texts.iter().any(|text| span.before.trim_end().ends_with(text));
        self.spans.iter().find(follows).map(|span| span.code)
    }

    /// Returns the folder in bold at the start of an item.
    pub(super) fn item_folder(&self) -> Option<&'a str> {
        self.spans.first().filter(|span| span.before.trim() == "- **").map(|span| span.code.trim_end_matches('/'))
    }

    /// Returns the commands with their lines. In "`cargo xtask npm`, `python`" the second is one of
    /// the first's words.
    pub(super) fn commands(&self) -> Vec<(usize, String)> {
        let (mut commands, mut above) = (Vec::new(), None);
        for Span { line, before, code } in &self.spans {
            let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
            if code.contains("cargo ") {
                above = code.rsplit_once(' ').map(|(above, _)| above.to_owned());
                commands.push((*line, code));
            } else if let Some(above) = above.as_ref().filter(|_| matches!(before.trim(), "," | "and")) {
                commands.push((*line, format!("{above} {code}")));
            } else {
                above = None;
            }
        }
        commands
    }

    /// Returns the spans that have the form of a Rust name, each with the files behind it.
    pub(super) fn names(&self) -> Vec<(&Span<'a>, Vec<&'a str>)> {
        let is_list = |span: &Span| matches!(span.before.trim(), "," | "and" | "or");
        let is_link = |span: &Span| matches!(span.before.trim(), "(" | "in");
        let mut found = Vec::new();
        for (at, span) in self.spans.iter().enumerate().filter(|(_, span)| span.is_name()) {
            let rest = self.spans.get(at + 1..).unwrap_or_default();
            let names = rest.iter().take_while(|span| is_list(span) && span.is_name()).count();
            let files =
                rest.iter().skip(names).enumerate().take_while(|(at, file)| {
                    is_rust(file.code) && if *at == 0 { is_link(file) } else { is_list(file) }
                });
            found.push((span, files.map(|(_, file)| file.code).collect()));
        }
        found
    }
}

impl<'a> Span<'a> {
    /// Returns the name, without arguments or fields.
    pub(super) fn name(&self) -> &'a str {
        self.code.split([' ', '(', '{', '!']).next().unwrap_or_default()
    }

    /// Returns whether this has the form of a Rust name.
    fn is_name(&self) -> bool {
        let is_word = |word: &str| {
            let mut signs = word.chars();
            signs.next().is_some_and(|sign| sign.is_ascii_alphabetic())
                && signs.all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
        };
        let rest = self.code.get(self.name().len()..).unwrap_or_default();
        self.name().split("::").all(is_word)
            && (rest.is_empty() || rest.starts_with(['(', '!']) || rest.starts_with(" {"))
    }

    /// Returns whether the name is in camel or snake case, as no word of prose is.
    pub(super) fn is_cased(&self) -> bool {
        let name = self.name();
        let is_camel = name.chars().next().is_some_and(char::is_uppercase) && name.chars().any(char::is_lowercase);
        name.contains('_') || is_camel
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_files_behind_them() {
        let text =
            "# `a`\nThen `b` and\n`c` (`x.rs`, `y.rs`), `d::e` in `z.rs` and `f`.\n```sh\ncargo `x`\n```\n- `g`\n";
        let blocks = blocks(text);
        let found: Vec<(usize, &str, Vec<&str>)> =
            blocks.iter().flat_map(Block::names).map(|(span, files)| (span.line, span.code, files)).collect();
        let both = vec!["x.rs", "y.rs"];
        assert_eq!(
            found,
            [
                (1, "a", vec![]),
                (2, "b", both.clone()),
                (3, "c", both),
                (3, "d::e", vec!["z.rs"]),
                (3, "f", vec![]),
                (7, "g", vec![])
            ]
        );
        assert_eq!(fenced(text), [(5, "cargo `x`")]);
    }

    #[test]
    fn a_list_of_commands_repeats_the_words_before() {
        let found = blocks("| `cargo xtask test lint`, `docs` | and `cargo xtask\nfuzz`; `link` |");
        let found: Vec<_> = found.iter().flat_map(Block::commands).collect();
        let expected = [(1, "cargo xtask test lint"), (1, "cargo xtask test docs"), (1, "cargo xtask fuzz")];
        assert_eq!(found, expected.map(|(line, command)| (line, command.to_owned())));
    }
}
