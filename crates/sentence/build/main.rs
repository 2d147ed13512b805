//! Generates the vocabulary of sentences from `data/sentence.toml`. A wrong row fails the build.

use build::rows::{File, Row};
use build::shape::list;
use build::texts::meanings;

fn main() {
    build::run(|workspace| {
        let words = items(&workspace.read("data/sentence.toml")?)?;
        Ok(vec![("words.rs", words)])
    });
}

fn items(file: &File) -> Result<String, String> {
    let arrays =
        [("group", "name"), ("description", "key"), ("number", "words"), ("factor", "words"), ("list", "name")];
    let [groups, descriptions, numbers, factors, lists] = file.rows(arrays)?;
    for group in &groups {
        group.only(&["name", "kind", "means"])?;
    }
    let mut patterns = Vec::new();
    for (pattern, meaning, group) in meanings(&groups)? {
        patterns.push(format!("({pattern:?}, Topic::{}, {meaning:?})", group.text("kind")?));
    }
    let mut described = Vec::new();
    for row in &descriptions {
        row.only(&["key", "says"])?;
        described.push(format!("({:?}, {:?})", row.key, row.text("says")?));
    }
    let mut items = vec![
        item("All patterns, each with topic and meaning", "ROWS", "Row", &patterns),
        item("Descriptions of keys that are not parameters", "DESCRIPTIONS", "(&str, &str)", &described),
        item("Numbers as words", "NUMBERS", "(&str, f64)", &values(&numbers)?),
        item("Words that multiply the number before them", "FACTORS", "(&str, f64)", &values(&factors)?),
    ];
    for row in &lists {
        row.only(&["name", "what", "words"])?;
        let words: Vec<String> = row.text("words")?.split_whitespace().map(|word| format!("{word:?}")).collect();
        items.push(item(row.text("what")?, &row.key.to_uppercase(), "&str", &words));
    }
    Ok(items.concat())
}

/// Writes each word of the rows with its row's value.
fn values(rows: &[Row]) -> Result<Vec<String>, String> {
    let mut values = Vec::new();
    for row in rows {
        row.only(&["words", "value"])?;
        let value = row.number("value")?;
        values.extend(row.key.split_whitespace().map(|word| format!("({word:?}, {value:?})")));
    }
    Ok(values)
}

fn item(what: &str, name: &str, of: &str, rows: &[String]) -> String {
    format!("/// {what}.\npub(crate) const {name}: &[{of}] = {};\n", list(rows))
}
