//! Rust structs as text: their fields, the notation of each in rows, and the value of omitted
//! fields.

use std::fmt::Write;

use serde_json::Value;

use crate::rows::{self, Row};

/// Rust notation of a value.
pub enum Kind {
    /// A text.
    Text,
    /// Yes or no.
    Flag,
    /// A whole number.
    Whole,
    /// A number with a fraction.
    Number,
    /// A number that a constructor of a unit takes.
    Unit(&'static str),
    /// A name of an enumeration.
    Variant(&'static str),
    /// A name or an expression of Rust, copied as is.
    Name,
    /// A nested struct, or the base's if no field is given.
    Struct(&'static Shape),
    /// An optional nested struct.
    Some(&'static Shape),
    /// A value that a function converts.
    By(fn(&Value) -> Result<String, String>),
}

/// Value of a field that a row omits.
enum Blank {
    /// No value: the build fails.
    Error,
    /// The field of the struct's base.
    Base,
    /// A fixed expression.
    Is(&'static str),
}

/// Fields of one kind: their names, or `struct's=row's` if the names in struct and rows differ.
pub struct Fields(Kind, Blank, &'static str);

/// A struct.
pub struct Shape {
    /// The struct's name in Rust.
    pub name: &'static str,
    /// Struct expression that provides omitted fields.
    pub base: &'static str,
    /// The struct's fields.
    pub fields: &'static [Fields],
}

impl Shape {
    /// Writes a row as a Rust expression. A field that the struct lacks is an error.
    ///
    /// # Errors
    /// When the row has a field that the struct lacks, lacks one that it needs, or has another
    /// kind of value.
    pub fn write(&self, row: &Row) -> Result<String, String> {
        self.write_over(row, self.base)
    }

    /// Writes a row as a Rust expression, with omitted fields from another base.
    ///
    /// # Errors
    /// As [`Shape::write`].
    pub fn write_over(&self, row: &Row, base: &str) -> Result<String, String> {
        self.of(row, &row.fields, "", base)
    }

    /// Lists the fields, with their names in the struct and in rows.
    fn names(&self) -> impl Iterator<Item = (&'static str, &'static str, &'static Kind, &'static Blank)> {
        self.fields.iter().flat_map(|Fields(kind, blank, names)| {
            names.split_whitespace().map(move |name| {
                let (own, name) = name.split_once('=').unwrap_or((name, name));
                (own, name, kind, blank)
            })
        })
    }

    /// Whether a row of the struct may have this field.
    pub fn has(&self, name: &str) -> bool {
        self.names().any(|(_, known, ..)| known == name)
    }

    fn of(&self, row: &Row, fields: &rows::Fields, within: &str, base: &str) -> Result<String, String> {
        if let Some(unknown) = fields.keys().find(|name| !self.has(name)) {
            let known: Vec<&str> = self.names().map(|(_, name, ..)| name).collect();
            return Err(row.unknown(&format!("{within}{unknown}"), &known));
        }
        let (mut written, mut is_whole) = (Vec::new(), true);
        for (own, name, kind, blank) in self.names() {
            let full = format!("{within}{name}");
            let given = fields.get(name).filter(|value| value.as_str() != Some(""));
            let value = match (given, blank) {
                (Some(value), _) => kind.write(row, value, &full)?,
                (None, Blank::Is(default)) => (*default).to_owned(),
                (None, Blank::Error) => return Err(row.lacks(&full)),
                (None, Blank::Base) => {
                    is_whole = false;
                    continue;
                }
            };
            written.push(format!("{own}: {value}"));
        }
        if !is_whole {
            written.push(format!("..{base}"));
        }
        Ok(format!("{} {{ {} }}", self.name, written.join(", ")))
    }
}

impl Kind {
    fn write(&self, row: &Row, value: &Value, field: &str) -> Result<String, String> {
        let wrong = |what: &str| row.error(format!("has {value} for {field}, which is not a {what}"));
        match self {
            Self::Text => value.as_str().map(|text| format!("{text:?}")).ok_or_else(|| wrong("text")),
            Self::Flag => value.as_bool().map(|flag| flag.to_string()).ok_or_else(|| wrong("true or false")),
            Self::Whole => value.as_i64().map(|whole| whole.to_string()).ok_or_else(|| wrong("whole number")),
            Self::Number => number(value).ok_or_else(|| wrong("number")),
            Self::Unit(unit) => number(value).map(|number| format!("{unit}({number})")).ok_or_else(|| wrong("number")),
            Self::Variant(of) => {
                let name = value.as_str().filter(|name| name.starts_with(|first: char| first.is_ascii_uppercase()));
                name.map(|name| format!("{of}::{name}")).ok_or_else(|| wrong(of))
            }
            Self::Name => value.as_str().map(str::to_owned).ok_or_else(|| wrong("name")),
            Self::Some(shape) => Self::Struct(shape).write(row, value, field).map(|value| format!("Some({value})")),
            Self::Struct(shape) => {
                let fields = value.as_object().ok_or_else(|| wrong("table"))?;
                shape.of(row, fields, &format!("{field}."), shape.base)
            }
            Self::By(write) => write(value).map_err(|says| row.error(format!("has {value} for {field}: {says}"))),
        }
    }
}

/// Writes a number as Rust source, with every digit.
fn number(value: &Value) -> Option<String> {
    value.as_f64().map(|number| format!("{number:?}"))
}

/// Writes all rows, by their keys, as a Rust item, and separate constants for the rows that the
/// catalog uses by name.
pub fn array(of: &str, rows: &[(String, String)], named: &[(&str, &str)]) -> String {
    let name = |key: &str| named.iter().find(|(of, _)| *of == key).map(|(_, name)| *name);
    let mut items = String::new();
    let mut written = Vec::new();
    for (key, row) in rows {
        if let Some(name) = name(key) {
            let _ = writeln!(items, "/// `{key}`.\npub(crate) const {name}: {of} = {row};");
        }
        written.push(name(key).unwrap_or(row));
    }
    format!("{items}pub(super) static ALL: [{of}; {}] = [\n    {},\n];\n", rows.len(), written.join(",\n    "))
}

/// A list of expressions.
pub fn list(rows: &[String]) -> String {
    format!("&[\n    {}\n]\n", rows.join(",\n    "))
}

/// Creates fields that every row must have.
pub const fn needed(kind: Kind, names: &'static str) -> Fields {
    Fields(kind, Blank::Error, names)
}

/// Creates fields that take the base's value if a row omits them.
pub const fn left(kind: Kind, names: &'static str) -> Fields {
    Fields(kind, Blank::Base, names)
}

/// Creates fields that take a fixed value if a row omits them.
pub const fn or(is: &'static str, kind: Kind, names: &'static str) -> Fields {
    Fields(kind, Blank::Is(is), names)
}
