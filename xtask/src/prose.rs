//! Refuses phrases that are not plain English, in documents, tables of `data/` and strings that
//! people read.

use anyhow::{Context as _, Result, bail};
use proc_macro2::{Group, TokenStream, TokenTree};
use std::path::{Path, PathBuf};
use toml_edit::visit::Visit;
use toml_edit::{Document, Formatted};

use crate::shell::{files_with_extension, read_text, root, sources};

/// Phrases that no document and no string may have, in lower case, each with a better one.
const EVERYWHERE: [(&str, &str); 14] = [
    ("anew", "again"),
    ("are told", "are recognised"),
    ("besides", "in addition"),
    ("brings back", "restores"),
    ("held against", "compared with"),
    ("mend", "fix"),
    ("no less than", "at least"),
    ("set the pace", "limit"),
    ("sets the pace", "limits"),
    ("that is none", "unknown, invalid"),
    ("told by", "recognised by"),
    ("waited for", "exposed"),
    ("where there", "if there"),
    ("word for", "setting for"),
];

/// Phrases that strings of [`LATER`] still have: no document and no other string may have them.
const ELSEWHERE: [(&str, &str); 10] = [
    ("among them", "including"),
    ("as many of", "the number of"),
    ("beside", "next to, in addition to, while"),
    ("but for", "except"),
    ("by itself", "by default, separately"),
    ("in place of", "instead of"),
    ("is told", "is recognised, is listed"),
    ("one's own", "your own"),
    ("stand", "are"),
    ("stands", "is"),
];

/// Folders with strings that are not rewritten yet.
const LATER: [&str; 2] = ["src", "crates/files"];

/// Files with history, generated from strings, or of this module.
const EXEMPT: [&str; 5] =
    ["CHANGELOG.md", "data/lint.toml", "docs/book/glossary.md", "docs/book/lint.md", "xtask/src/prose.rs"];

/// Folders with strings that no user reads.
const UNSEEN: [&str; 3] = ["tests", "fuzz", "examples"];

/// Checks documents, tables and strings.
///
/// # Errors
/// When one has a refused phrase; the error names line, phrase and a better one.
pub fn check() -> Result<()> {
    let mut faults = Vec::new();
    let mut look = |file: &Path, texts: Vec<(usize, String)>, phrases: &[(&str, &str)]| {
        for (line, text) in texts {
            faults.extend(refused(&text, phrases).map(|fault| format!("{}:{line}: {fault}", file.display())));
        }
    };
    let is_read = |file: &PathBuf| !EXEMPT.iter().any(|exempt| file.ends_with(exempt));
    let all = [EVERYWHERE.as_slice(), &ELSEWHERE].concat();
    for file in sources("md")?.into_iter().filter(is_read) {
        look(&file, paragraphs(&read_text(&file)?), &all);
    }
    for file in files_with_extension(&root().join("data"), "toml")?.into_iter().filter(is_read) {
        look(&file, values(&read_text(&file)?).with_context(|| format!("{} is not TOML", file.display()))?, &all);
    }
    for file in sources("rs")?.into_iter().filter(is_read) {
        let path = file.strip_prefix(root()).unwrap_or(&file);
        if !path.iter().any(|part| UNSEEN.iter().any(|unseen| part == *unseen)) {
            let tokens = read_text(&file)?.parse().ok().with_context(|| format!("{} is not Rust", file.display()))?;
            let is_later = LATER.iter().any(|folder| path.starts_with(folder));
            look(&file, strings(tokens), if is_later { &EVERYWHERE } else { &all });
        }
    }
    if faults.is_empty() { Ok(()) } else { bail!("Phrases that are not plain English:\n{}", faults.join("\n")) }
}

/// Returns the refused phrases of a text, each with a better one.
fn refused(text: &str, phrases: &[(&str, &str)]) -> impl Iterator<Item = String> {
    let plain = text.to_lowercase().replace(|sign: char| !sign.is_alphanumeric() && sign != '\'', " ");
    let words = format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "));
    phrases
        .iter()
        .filter(move |phrase| words.contains(&format!(" {} ", phrase.0)))
        .map(|(phrase, better)| format!("“{phrase}”, better “{better}”"))
}

/// Returns the paragraphs of a document with their first lines, without code, quotations, comments
/// and what is generated between two marks.
fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let (mut is_code, mut is_generated) = (false, false);
    let mut paragraphs = vec![(1, String::new())];
    for (number, line) in (1..).zip(text.lines()) {
        is_code ^= line.trim_start().starts_with("```");
        is_generated ^= line.starts_with("<!-- ");
        if line.is_empty() {
            paragraphs.push((number + 1, String::new()));
        } else if let Some((_, paragraph)) = paragraphs.last_mut().filter(|_| !is_code && !is_generated) {
            *paragraph += line;
            *paragraph += "\n";
        }
    }
    let outside = |text: &str, sign| text.split(sign).step_by(2).collect::<Vec<_>>().join(" . ");
    let without_comments = |text: &str| {
        let (first, others) = text.split_once("<!-- ").unwrap_or((text, ""));
        let others = others.split("<!-- ").filter_map(|other| other.split_once(" -->"));
        others.fold(first.to_owned(), |kept, (_, behind)| kept + behind)
    };
    let plain = |text: &str| outside(&outside(&without_comments(text), '`'), '"');
    paragraphs.into_iter().map(|(line, text)| (line, plain(&text))).collect()
}

/// Returns the string literals of code with their lines, without documentation and unit tests.
fn strings(tokens: TokenStream) -> Vec<(usize, String)> {
    let is_documentation =
        |group: &Group| matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(word)) if word == "doc");
    let (mut found, mut is_tests) = (Vec::new(), false);
    for token in tokens {
        match &token {
            TokenTree::Group(group) if !is_tests && !is_documentation(group) => found.extend(strings(group.stream())),
            // A string without a space is a key or a name.
            TokenTree::Literal(literal) if literal.to_string().contains(' ') => {
                found.push((literal.span().start().line, literal.to_string()));
            }
            _ => {}
        }
        is_tests = matches!(token, TokenTree::Ident(word) if word == "tests");
    }
    found
}

/// Returns the strings of a table of `data/` with their lines, without keys and names.
fn values(text: &str) -> Result<Vec<(usize, String)>> {
    struct Values<'a>(&'a str, Vec<(usize, String)>);
    impl<'doc> Visit<'doc> for Values<'_> {
        fn visit_string(&mut self, value: &'doc Formatted<String>) {
            let before = value.span().and_then(|span| self.0.get(..span.start)).unwrap_or_default();
            if value.value().contains(' ') {
                self.1.push((before.matches('\n').count() + 1, value.value().clone()));
            }
        }
    }
    let mut values = Values(text, Vec::new());
    values.visit_table(Document::parse(text)?.as_table());
    Ok(values.1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops where its data is wrong")]
mod tests {
    use super::*;

    #[test]
    fn a_refused_phrase_of_prose_is_found_over_lines_and_one_of_code_is_not() {
        let text = "Rows are told\nby one.\n\n`told by` and \"told by\".\n\n```\ntold by\n```\n\n<!-- a -->\ntold by\n\n<!-- a -->\n\nIt Stands.\n";
        let phrases = [("told by", "recognised by"), ("stands", "is")];
        let faults = |(line, text): (usize, String)| {
            refused(&text, &phrases).map(|fault| format!("{line}: {fault}")).collect::<Vec<_>>()
        };
        let found: Vec<String> = paragraphs(text).into_iter().flat_map(faults).collect();
        assert_eq!(found, ["1: “told by”, better “recognised by”", "15: “stands”, better “is”"]);
    }

    #[test]
    fn strings_are_read_without_documentation_and_tests() {
        let code =
            "//! a b\n/// a b\nfn a() { b!(\"is told \\\n  by\", r\"key\") }\nmod tests { const A: &str = \"a b\"; }";
        let found = strings(code.parse().unwrap());
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].0, refused(&found[0].1, &EVERYWHERE).count()), (3, 1));
    }

    #[test]
    fn strings_of_data_are_read_without_names_and_comments() {
        let text =
            "# a b\n[[row]]\n\"c d\" = 1\nkey = \"beside\"\nhelp = [{ says = \"\"\"\nStands \\\nbeside\"\"\" }]\n";
        assert_eq!(values(text).unwrap(), [(5, "Stands beside".to_owned())]);
    }

    #[test]
    fn documents_and_strings_are_plain_english() {
        check().unwrap();
    }
}
