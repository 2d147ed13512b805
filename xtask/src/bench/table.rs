//! The table of figures: name, value and budget.

use super::Format;
use anyhow::Result;

/// One figure of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    what: String,
    values: Vec<String>,
    budget: String,
}

impl Row {
    /// Creates a figure with its budget, which may be empty.
    pub(super) fn new(what: impl Into<String>, value: impl Into<String>, budget: impl Into<String>) -> Self {
        Self::of_many(what, vec![value.into()], budget)
    }

    /// Creates a figure measured on several sites.
    pub(super) fn of_many(what: impl Into<String>, values: Vec<String>, budget: impl Into<String>) -> Self {
        Self { what: what.into(), values, budget: budget.into() }
    }
}

/// All figures, in order.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Names of the columns, if there are several sites.
    pub(super) columns: Vec<String>,
    rows: Vec<Row>,
}

impl Table {
    /// Adds figures, or the reason why there are none.
    pub(super) fn extend(&mut self, group: &str, rows: Result<Vec<Row>>) {
        match rows {
            Ok(rows) => self.rows.extend(rows),
            Err(failure) => {
                eprintln!("{failure:#}");
                self.rows.push(Row::new(group, "not measured", ""));
            }
        }
    }

    /// Returns the value of a figure, if it was measured.
    pub(super) fn value(&self, what: &str) -> Option<&str> {
        self.rows.iter().find(|row| row.what == what).and_then(|row| row.values.first()).map(String::as_str)
    }

    pub(super) fn print(&self, format: Format) -> String {
        let columns = if self.columns.is_empty() { vec!["measured".to_owned()] } else { self.columns.clone() };
        let count = columns.len();
        let header = Row::of_many("what", columns, "target");
        let cell = |row: &Row, at: usize| row.values.get(at).cloned().unwrap_or_default();
        let all = || std::iter::once(&header).chain(&self.rows);
        let width = |text: &dyn Fn(&Row) -> String| all().map(|row| text(row).chars().count()).max().unwrap_or(0);
        let what = width(&|row| row.what.clone());
        let values: Vec<usize> = (0..count).map(|at| width(&|row| cell(row, at))).collect();
        let budget = width(&|row| row.budget.clone());
        let mut text = String::new();
        for (index, row) in all().enumerate() {
            let cells: Vec<String> =
                values.iter().enumerate().map(|(at, &width)| format!("{:>width$}", cell(row, at))).collect();
            let line = match format {
                Format::Text => format!("{:what$}  {}  {}", row.what, cells.join("  "), row.budget),
                Format::Markdown => format!("| {:what$} | {} | {:budget$} |", row.what, cells.join(" | "), row.budget),
            };
            text.push_str(line.trim_end());
            text.push('\n');
            if index == 0 && format == Format::Markdown {
                let rules: Vec<String> =
                    values.iter().map(|&width| format!("{}:", "-".repeat(width.saturating_sub(1)))).collect();
                text.extend(["| ", &"-".repeat(what), " | ", &rules.join(" | "), " | ", &"-".repeat(budget), " |\n"]);
            }
        }
        text
    }
}

/// Formats 1234567 as "1,234,567".
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

/// Formats bytes as "123.4 KB".
pub(super) fn kilobytes(bytes: u64) -> String {
    format!("{:.1} KB", bytes as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table {
            columns: Vec::new(),
            rows: vec![Row::new("size", "12.5 KB", "under 200 KB"), Row::new("requests", "7", "")],
        }
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
    fn several_sites_have_a_column_each() {
        let rows = vec![Row::of_many("size", vec!["12.5 KB".into(), "9 KB".into()], ""), Row::new("requests", "7", "")];
        let table = Table { columns: vec!["old".into(), "new".into()], rows };
        assert_eq!(
            table.print(Format::Text),
            "what          old   new  target\nsize      12.5 KB  9 KB\nrequests        7\n"
        );
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"].map(str::to_owned));
    }
}
