//! Structs of Rust, as text: which fields they have, how a row says each, and what stands where it
//! does not.

use std::fmt::Write;

use serde_json::Value;

use super::rows::{self, Row};

/// Rust notation of a value.
pub(crate) enum Kind {
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
    /// A name or an expression of Rust, as it is.
    Name,
    /// A struct of its own, or the base's where no field is given.
    Struct(&'static Shape),
    /// A struct of its own that there may be none of.
    Some(&'static Shape),
    /// Whatever this makes of it.
    By(fn(&Value) -> Result<String, String>),
}

/// Value of a field that a row omits.
enum Blank {
    /// No value: the build fails.
    Error,
    /// The base of the struct.
    Base,
    /// This.
    Is(&'static str),
}

/// Fields of one kind: their names, or `struct's=row's` where the struct and rows have different
/// ones.
pub(crate) struct Fields(Kind, Blank, &'static str);

/// A struct.
pub(crate) struct Shape {
    /// Its name in Rust.
    pub(crate) name: &'static str,
    /// Struct expression that provides omitted fields.
    pub(crate) base: &'static str,
    /// Its fields.
    pub(crate) fields: &'static [Fields],
}

impl Shape {
    /// A row as an expression of Rust. A field that the struct lacks is an error.
    pub(crate) fn write(&self, row: &Row) -> Result<String, String> {
        self.write_over(row, self.base)
    }

    /// The same, with what is left out from another base.
    pub(crate) fn write_over(&self, row: &Row, base: &str) -> Result<String, String> {
        self.of(row, &row.fields, "", base)
    }

    /// Its fields: their names in the struct and in rows.
    fn names(&self) -> impl Iterator<Item = (&'static str, &'static str, &'static Kind, &'static Blank)> {
        self.fields.iter().flat_map(|Fields(kind, blank, names)| {
            names.split_whitespace().map(move |name| {
                let (own, name) = name.split_once('=').unwrap_or((name, name));
                (own, name, kind, blank)
            })
        })
    }

    /// Whether a row of it may have this field.
    pub(crate) fn has(&self, name: &str) -> bool {
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
        let wrong = |what: &str| row.error(format!("has {value} for {field}, which is no {what}"));
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

/// A number as Rust says it, to its last digit.
fn number(value: &Value) -> Option<String> {
    value.as_f64().map(|number| format!("{number:?}"))
}

/// All rows, by their keys, as an item of Rust, and those by names of their own that the catalog
/// needs one by one.
pub(crate) fn array(of: &str, rows: &[(String, String)], named: &[(&str, &str)]) -> String {
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
pub(crate) fn list(rows: &[String]) -> String {
    format!("&[\n    {}\n]\n", rows.join(",\n    "))
}

/// Fields that every row has.
pub(crate) const fn needed(kind: Kind, names: &'static str) -> Fields {
    Fields(kind, Blank::Error, names)
}

/// Fields that are the base's where a row says nothing.
pub(crate) const fn left(kind: Kind, names: &'static str) -> Fields {
    Fields(kind, Blank::Base, names)
}

/// Fields that are this where a row says nothing.
pub(crate) const fn or(is: &'static str, kind: Kind, names: &'static str) -> Fields {
    Fields(kind, Blank::Is(is), names)
}
