//! Pieces of Markdown.

/// A text as code.
pub(super) fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// Texts as code, with this between the last two.
pub(super) fn codes<'a>(texts: impl IntoIterator<Item = &'a str>, last: &str) -> String {
    let texts: Vec<String> = texts.into_iter().map(code).collect();
    match texts.split_last() {
        Some((end, start)) if !start.is_empty() => format!("{} {last} {end}", start.join(", ")),
        _ => texts.concat(),
    }
}

/// A sentence of a table as it stands there: what is no code in it has no marks of Markdown.
pub(super) fn prose(text: &str) -> String {
    let mut is_code = false;
    let mut said = String::new();
    for sign in text.chars() {
        is_code ^= sign == '`';
        if !is_code && matches!(sign, '*' | '_' | '<' | '[' | ']' | '\\') {
            said.push('\\');
        }
        said.push(sign);
    }
    said
}

/// Lines of one cell.
pub(super) fn lines(texts: &[String]) -> String {
    texts.join("<br>")
}

/// A table of a class (`docs/theme/book.css`); nothing where it has no rows.
pub(super) fn table<const N: usize>(class: &str, heads: [&str; N], rows: &[[String; N]]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let line = |cells: &[String]| {
        // A bar would end the cell, in code too.
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let heads = line(&heads.map(str::to_owned));
    let rows: String = rows.iter().map(|row| line(row)).collect();
    format!("<div class=\"{class}\">\n\n{heads}|{}\n{rows}\n</div>\n", "---|".repeat(N))
}

/// A section; nothing where it has no text.
pub(super) fn section(title: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\n## {title}\n\n{text}") }
}
