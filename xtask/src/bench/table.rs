//! Rows of what, how much, and what it should be.

use super::Format;
use crate::failure::Result;

/// One figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    what: String,
    value: String,
    budget: String,
}

impl Row {
    /// A figure with its budget, which may be empty.
    pub(super) fn new(what: impl Into<String>, value: impl Into<String>, budget: impl Into<String>) -> Self {
        Self { what: what.into(), value: value.into(), budget: budget.into() }
    }
}

/// All figures, in order.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Row>,
}

impl Table {
    /// Adds figures, or the reason why there are none.
    pub(super) fn extend(&mut self, group: &str, rows: Result<Vec<Row>>) {
        match rows {
            Ok(rows) => self.rows.extend(rows),
            Err(failure) => {
                eprintln!("{failure}");
                self.rows.push(Row::new(group, "not measured", ""));
            }
        }
    }

    /// What was measured of this, where it was.
    pub(super) fn value(&self, what: &str) -> Option<&str> {
        self.rows.iter().find(|row| row.what == what).map(|row| row.value.as_str())
    }

    pub(super) fn print(&self, format: Format) -> String {
        let header = Row::new("what", "measured", "target");
        let all = || std::iter::once(&header).chain(&self.rows);
        let width = |text: fn(&Row) -> &String| all().map(|row| text(row).chars().count()).max().unwrap_or(0);
        let (what, value) = (width(|row| &row.what), width(|row| &row.value));
        let budget = width(|row| &row.budget);
        let mut text = String::new();
        for (index, row) in all().enumerate() {
            let line = match format {
                Format::Text => format!("{:what$}  {:>value$}  {}", row.what, row.value, row.budget),
                Format::Markdown => format!("| {:what$} | {:>value$} | {:budget$} |", row.what, row.value, row.budget),
            };
            text.push_str(line.trim_end());
            text.push('\n');
            if index == 0 && format == Format::Markdown {
                let (left, right, last) = ("-".repeat(what), "-".repeat(value - 1), "-".repeat(budget));
                text.extend(["| ", &left, " | ", &right, ": | ", &last, " |\n"]);
            }
        }
        text
    }
}

/// 1234567 as "1,234,567".
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes as "123.4 KB".
pub(super) fn kilobytes(bytes: u64) -> String {
    format!("{:.1} KB", bytes as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table { rows: vec![Row::new("size", "12.5 KB", "under 200 KB"), Row::new("requests", "7", "")] }
    }

    #[test]
    fn text_is_aligned() {
        let expected = "what      measured  target\nsize       12.5 KB  under 200 KB\nrequests         7\n";
        assert_eq!(table().print(Format::Text), expected);
    }

    #[test]
    fn markdown_is_a_table() {
        let expected = "\
| what     | measured | target       |
| -------- | -------: | ------------ |
| size     |  12.5 KB | under 200 KB |
| requests |        7 |              |
";
        assert_eq!(table().print(Format::Markdown), expected);
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"].map(str::to_owned));
    }
}
