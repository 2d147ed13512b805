//! Gives accelerators and clusters their prices, from the rows of `data/prices.toml`.

use serde_json::{Value, json};

use build::rows::{File, Row, named};

/// The rows of `data/prices.toml`.
pub(crate) struct Prices(Vec<Row>);

impl Prices {
    /// Reads the rows.
    pub(crate) fn read(file: &File) -> Result<Self, String> {
        let [rows] = file.rows([("price", "id")])?;
        let known = ["id", "accelerator", "cluster", "provider", "product", "catalog", "instance"];
        let known = [known.as_slice(), &["usd_per_hour", "of", "region", "date", "source"]].concat();
        for row in &rows {
            row.only(&known)?;
            for text in ["provider", "product", "source"] {
                row.text(text)?;
            }
            row.number("usd_per_hour")?;
            if !row.fields.contains_key("accelerator") && !row.fields.contains_key("cluster") {
                return Err(row.lacks("cluster or accelerator"));
            }
        }
        Ok(Self(rows))
    }

    /// Sets the price of a row of `table`, `accelerator` or `cluster`: that of the first row that
    /// names it.
    pub(crate) fn set(&self, table: &str, row: &mut Row) -> Result<(), String> {
        let named = |price: &&Row| price.text(table) == Ok(row.key.as_str());
        let Some(price) = self.0.iter().find(named) else { return Ok(()) };
        let [provider, product] = ["provider", "product"].map(|name| price.text(name).unwrap_or_default());
        let of = price.fields.get("of").and_then(Value::as_u64).unwrap_or(1);
        let usd = price.number("usd_per_hour")? / of as f64;
        let source = match of {
            1 => format!("{provider}, {product}"),
            of => format!("{provider} {product}, {}", share(of)),
        };
        let date = price.fields.get("date").cloned().unwrap_or_else(|| "".into());
        row.set("price", json!({ "usd_per_hour": usd, "source": source, "date": date }));
        Ok(())
    }

    /// Fails if a row names an accelerator or a cluster that there is none of.
    pub(crate) fn check(&self, table: &str, rows: &[Row], file: &str) -> Result<(), String> {
        for price in self.0.iter().filter(|price| price.fields.contains_key(table)) {
            named(rows, &format!("of {file}"), price.text(table)?, price)?;
        }
        Ok(())
    }
}

/// Returns the words for one accelerator's share of a node's price.
fn share(of: u64) -> String {
    match of {
        2 => "a half".to_owned(),
        4 => "a quarter".to_owned(),
        8 => "an eighth".to_owned(),
        16 => "a sixteenth".to_owned(),
        of => format!("one of {of} parts"),
    }
}
