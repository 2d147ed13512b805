//! Reads rows of the tables in `data/`; errors name the file and the key of a row.

use std::fmt::Display;

use serde_json::{Map, Value};

/// Fields of a row by their names.
pub type Fields = Map<String, Value>;

/// A file of rows.
pub struct File {
    /// The file's name in the repository.
    pub name: String,
    /// The file's text.
    pub text: String,
}

/// A row.
#[derive(Clone, Debug)]
pub struct Row {
    /// File and key, for errors.
    pub place: String,
    /// Key of the row.
    pub key: String,
    /// Fields of the row.
    pub fields: Fields,
}

impl File {
    /// Returns the rows of each `[[array]]` of the file, given as `(array, key)`; the text under
    /// `key` must be unique. Anything else in the file is an error.
    ///
    /// # Errors
    /// When the file is not TOML, has anything else, or a row lacks its key or repeats it.
    pub fn rows<const COUNT: usize>(&self, arrays: [(&str, &str); COUNT]) -> Result<[Vec<Row>; COUNT], String> {
        let wrong = |error: &dyn Display| format!("{}: {error}", self.name);
        let mut table: Fields = toml_edit::de::from_str(&self.text).map_err(|error| wrong(&error))?;
        let mut all = [const { Vec::new() }; COUNT];
        for (rows, (array, key)) in all.iter_mut().zip(arrays) {
            let fields = table.shift_remove(array).and_then(|rows| serde_json::from_value::<Vec<Fields>>(rows).ok());
            let fields = fields.ok_or_else(|| wrong(&format!("it has no rows [[{array}]]")))?;
            *rows = self.keyed(fields.into_iter().map(Ok), key)?;
        }
        match table.keys().next() {
            Some(unknown) => {
                let known = arrays.map(|(array, _)| array).join(", ");
                Err(wrong(&format!("{unknown} is not one of: {known}")))
            }
            None => Ok(all),
        }
    }

    /// Returns the rows of a CSV table. The first line names the fields. An empty cell sets no
    /// field, and the column `other` has further fields in TOML syntax: `a.b = 1, c = 'text'`.
    ///
    /// # Errors
    /// When the file is not CSV, or a row lacks its key or repeats it.
    pub fn csv(&self, key: &str) -> Result<Vec<Row>, String> {
        let wrong = |error: &dyn Display| format!("{}: {error}", self.name);
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(self.text.as_bytes());
        let header = reader.headers().map_err(|error| wrong(&error))?.clone();
        let rows = reader.records().map(|record| {
            let record = record.map_err(|error| wrong(&error))?;
            let mut fields = Fields::new();
            for (name, cell) in header.iter().zip(&record).filter(|(_, cell)| !cell.is_empty()) {
                if name == "other" {
                    let other: Value = toml_edit::de::from_str(&format!("other = {{ {cell} }}"))
                        .map_err(|error| wrong(&format!("{cell}: {error}")))?;
                    merge(&mut fields, other.get("other").and_then(Value::as_object));
                } else {
                    put(&mut fields, name, cell.parse::<u64>().map_or_else(|_| cell.into(), Value::from));
                }
            }
            Ok(fields)
        });
        self.keyed(rows, key)
    }

    fn keyed(&self, rows: impl Iterator<Item = Result<Fields, String>>, key: &str) -> Result<Vec<Row>, String> {
        let mut keyed: Vec<Row> = Vec::new();
        for (number, fields) in rows.enumerate() {
            let fields = fields?;
            let own = fields.get(key).and_then(Value::as_str).filter(|own| !own.is_empty());
            let own = own.ok_or_else(|| format!("{}: row {} lacks a {key}", self.name, number + 1))?.to_owned();
            let place = format!("{}: {own}", self.name);
            if keyed.iter().any(|other| other.key == own) {
                return Err(format!("{place} occurs twice"));
            }
            keyed.push(Row { place, key: own, fields });
        }
        Ok(keyed)
    }
}

/// Sets the value of a field; `a.b` is the field b of the table a.
fn put(fields: &mut Fields, name: &str, value: Value) {
    match name.split_once('.') {
        None => _ = fields.insert(name.to_owned(), value),
        Some((outer, inner)) => {
            let outer = fields.entry(outer).or_insert_with(|| Fields::new().into());
            if let Value::Object(outer) = outer {
                put(outer, inner, value);
            }
        }
    }
}

/// Returns fields overridden by others.
pub fn merged(under: &Fields, over: &Fields) -> Fields {
    let mut fields = under.clone();
    merge(&mut fields, Some(over));
    fields
}

/// Overrides fields by others; tables are merged field by field.
fn merge(under: &mut Fields, over: Option<&Fields>) {
    for (name, value) in over.into_iter().flatten() {
        match (under.get_mut(name), value) {
            (Some(Value::Object(under)), Value::Object(over)) => merge(under, Some(over)),
            _ => _ = under.insert(name.clone(), value.clone()),
        }
    }
}

impl Row {
    /// Returns an error about this row.
    pub fn error(&self, says: impl Display) -> String {
        format!("{} {says}", self.place)
    }

    /// Returns the error that a field is missing.
    pub fn lacks(&self, field: &str) -> String {
        // `a usable_gib`: of the fields no other begins with a u.
        let article = if field.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
        self.error(format!("lacks {article} {field}"))
    }

    /// Removes a field that the generated struct does not have.
    pub fn take(&mut self, field: &str) -> Option<Value> {
        self.fields.shift_remove(field)
    }

    /// Splits off all fields that belong to another generated struct.
    #[must_use]
    pub fn take_all(&mut self, of: impl Fn(&str) -> bool) -> Self {
        let mut taken = self.clone();
        taken.fields.retain(|name, _| of(name));
        self.fields.retain(|name, _| !of(name));
        taken
    }

    /// Removes a text and returns it; empty if there is none.
    pub fn take_text(&mut self, field: &str) -> String {
        self.take(field).as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Removes the source, which a row must have but the generated struct does not.
    ///
    /// # Errors
    /// When the row has none.
    pub fn take_source(&mut self) -> Result<(), String> {
        self.text("source")?;
        self.take("source");
        Ok(())
    }

    /// Removes a list of texts and returns it.
    pub fn take_texts(&mut self, field: &str) -> Vec<String> {
        let texts = self.take(field);
        texts.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Fails if the row has a field other than `known`.
    ///
    /// # Errors
    /// When there is another field; the error names it.
    pub fn only(&self, known: &[&str]) -> Result<(), String> {
        let unknown = self.fields.keys().find(|name| !known.contains(&name.as_str()));
        unknown.map_or(Ok(()), |name| Err(self.unknown(name, known)))
    }

    /// Returns the error that a field is unknown.
    pub fn unknown(&self, field: &str, known: &[&str]) -> String {
        self.error(format!("has the field {field}, which is not one of: {}", known.join(", ")))
    }

    /// Returns a text that the row must have.
    ///
    /// # Errors
    /// When the row lacks it, or it is empty.
    pub fn text(&self, field: &str) -> Result<&str, String> {
        let text = self.fields.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        text.ok_or_else(|| self.lacks(field))
    }

    /// Returns a number that the row must have.
    ///
    /// # Errors
    /// When the row lacks it.
    pub fn number(&self, field: &str) -> Result<f64, String> {
        self.fields.get(field).and_then(Value::as_f64).ok_or_else(|| self.lacks(field))
    }

    /// Sets a field of the row.
    pub fn set(&mut self, field: &str, value: impl Into<Value>) {
        put(&mut self.fields, field, value.into());
    }
}

/// Returns the index of the row whose key another row names.
///
/// # Errors
/// When there is no such row.
pub fn place(rows: &[Row], of: &str, key: &str, by: &Row) -> Result<usize, String> {
    let place = rows.iter().position(|row| row.key == key);
    place.ok_or_else(|| by.error(format!("names {key:?}, which is not a row {of}")))
}

/// Returns the row whose key another row names.
///
/// # Errors
/// When there is no such row.
pub fn named<'a>(rows: &'a [Row], of: &str, key: &str, by: &Row) -> Result<&'a Row, String> {
    rows.get(place(rows, of, key, by)?).ok_or_else(|| by.error("names a removed row"))
}

/// Merges every row with the earlier row that its field `like` names; own fields take precedence.
///
/// # Errors
/// When a row names one that is not before it.
pub fn with_likes(rows: Vec<Row>) -> Result<Vec<Row>, String> {
    let mut whole: Vec<Row> = Vec::new();
    for mut row in rows {
        if let Some(like) = row.take("like") {
            let like = named(&whole, "before it", like.as_str().unwrap_or_default(), &row)?;
            row.fields = merged(&like.fields, &row.fields);
        }
        whole.push(row);
    }
    Ok(whole)
}
