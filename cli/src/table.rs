//! Text tables.

use std::io::{self, Write as _};

use engine::scenario::issue::visible;

use crate::terminal::{coloured, width};

/// Replaces special spaces between numbers and units by plain spaces, so that users can search the
/// output.
pub(crate) fn plain(text: &str) -> String {
    text.replace(['\u{2009}', '\u{202f}', '\u{a0}'], " ")
}

/// Prints a text; characters of files that would steer the terminal are escaped.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(coloured(&visible(text)).as_bytes())?;
    out.flush()
}

/// Joins lines, each with a line end.
pub(crate) fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.fold(String::new(), |text, line| text + &line + "\n")
}

/// Aligns rows in columns: the first column to the left, the others to the right. On a terminal
/// that is too narrow, each row is a paragraph.
pub(crate) fn aligned<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let table = columns(rows);
    let widest = table.lines().map(|line| line.chars().count()).max().unwrap_or_default();
    match width() {
        Some(width) if widest > width => paragraphs(rows, width),
        _ => table,
    }
}

/// Writes each row below the first as a paragraph with the names of its columns.
fn paragraphs<const COLUMNS: usize>(rows: &[[String; COLUMNS]], width: usize) -> String {
    let Some((header, rows)) = rows.split_first() else { return String::new() };
    let paragraph = |row: &[String; COLUMNS]| {
        let mut cells = header.iter().zip(row);
        let title = cells.next().map_or_else(String::new, |(_, title)| title.clone());
        let named = cells.filter(|(_, cell)| *cell != "–").map(|(name, cell)| format!("{name} {cell}"));
        let mut text = title;
        let mut line = String::new();
        for cell in named {
            if !line.is_empty() && line.chars().count() + cell.chars().count() + 2 > width {
                text.extend(["\n", &line, ";"]);
                line.clear();
            }
            line.push_str(if line.is_empty() { "  " } else { "; " });
            line.push_str(&cell);
        }
        text + "\n" + &line
    };
    lines(rows.iter().map(paragraph))
}

fn columns<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let mut widths = [0; COLUMNS];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let line = |row: &[String; COLUMNS]| {
        let cells = row.iter().zip(widths).enumerate().map(|(place, (cell, width))| match place {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    lines(rows.iter().map(line))
}

/// Aligns names with their values.
pub(crate) fn pairs(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    lines(rows.iter().map(|(name, value)| format!("{name:<width$}  {value}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_need() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned);
        assert_eq!(aligned(&[row(["Layout", "MFU"]), row(["tp 2", "41 %"])]), "Layout   MFU\ntp 2    41 %\n");
        let wide = [row(["Layout", "MFU"]), row(["tp 2", "41 %"])];
        assert_eq!(paragraphs(&wide, 10), "tp 2\n  MFU 41 %\n");
        assert_eq!(pairs(&[("MFU", "41 %".into()), ("Step", "2 s".into())]), "MFU   41 %\nStep  2 s\n");
    }
}
