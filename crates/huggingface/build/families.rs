//! Generates a function of the reader's steps from each row (family) of `data/huggingface.toml`.

use std::fmt::Write;

use serde_json::Value;

use super::formula::{self, FIELDS};
use build::rows::{Fields, File, Row, with_likes};

/// Steps implemented in the crate, by name; names of the form `module::function` are implemented
/// there too.
const CODE: [&str; 9] = [
    "tied",
    "windows",
    "switched windows",
    "chunks",
    "layers",
    "every layer",
    "write",
    "leading dense layers",
    "layers with experts",
];

/// Enumerations of a shape; `bool` is included, as its values are words.
const ENUMERATIONS: [&str; 6] = ["Norm", "QkNorm", "AttentionBias", "FusedProjections", "RecurrentKind", "bool"];

/// Generates the readers and the table of families.
pub(crate) fn readers(file: &File) -> Result<String, String> {
    let [readers, mut families] = file.rows([("reader", "name"), ("family", "name")])?;
    let (mut written, mut table) = (String::new(), String::new());
    for row in readers.iter().filter(|row| !is_inline(row)) {
        row.only(&["name", "read", "inline"])?;
        let body = Body { row, readers: &readers }.of(row.fields.get("read"), &mut Vec::new())?;
        let _ = writeln!(written, "pub(super) fn {}(r: &mut Reading) {{\n{body}}}", function(&row.key));
    }
    // A row needs its own source and types, even if it is based on another row.
    let mut types = Vec::new();
    for row in &mut families {
        row.take_source()?;
        types.push(row.take_texts("types"));
        if types.last().is_none_or(Vec::is_empty) {
            return Err(row.error("lacks types"));
        }
    }
    for (place, (mut row, types)) in with_likes(families)?.into_iter().zip(types).enumerate() {
        row.take("name");
        let read = row.take("read").ok_or_else(|| row.lacks("read"))?;
        let style = match row.take_text("style").as_str() {
            "llama" => "LLAMA_STYLE",
            "gpt" => "GPT_STYLE",
            other => return Err(row.error(format!("has the style {other:?}: llama or gpt"))),
        };
        let body = Body { row: &row, readers: &readers };
        let (facts, steps) = (body.facts(&row.fields, "")?, body.of(Some(&read), &mut Vec::new())?);
        let _ = writeln!(written, "fn family_{place}(r: &mut Reading) {{\nr.shape = {style};\n{facts}{steps}}}");
        let _ = writeln!(table, "    Family {{ name: {:?}, types: &{types:?}, read: family_{place} }},", row.key);
    }
    Ok(format!(
        "{written}\n/// Every family, in display order.\npub(super) static FAMILIES: &[Family] = &[\n{table}];\n"
    ))
}

/// Whether a reader is inlined, so that later steps know the names that it sets.
fn is_inline(reader: &Row) -> bool {
    reader.fields.get("inline").is_some_and(|inline| *inline == true)
}

/// Returns the Rust name of a reader.
fn function(name: &str) -> String {
    name.replace(' ', "_")
}

/// The steps of a row.
struct Body<'a> {
    row: &'a Row,
    readers: &'a [Row],
}

impl Body<'_> {
    /// Generates a list of steps. `known` holds the names that earlier steps set.
    fn of(&self, steps: Option<&Value>, known: &mut Vec<String>) -> Result<String, String> {
        let steps = steps.and_then(Value::as_array).ok_or_else(|| self.row.lacks("list of steps, read"))?;
        steps.iter().map(|step| self.step(step, known)).collect()
    }

    fn step(&self, value: &Value, known: &mut Vec<String>) -> Result<String, String> {
        let error = |says: &str| self.row.error(format!("has the step {value}: {says}"));
        match value {
            Value::String(name) if CODE.contains(&name.as_str()) => Ok(format!("r.{}();\n", function(name))),
            Value::String(name) if name.contains("::") => Ok(format!("r.by({name});\n")),
            Value::String(name) => {
                let reader = self.readers.iter().find(|reader| reader.key == *name);
                match reader.ok_or_else(|| error("it is neither code nor a reader"))? {
                    reader if is_inline(reader) => self.of(reader.fields.get("read"), known),
                    reader => Ok(format!("{}(r);\n", function(&reader.key))),
                }
            }
            Value::Object(fields) => Step { body: self, value, fields, known }.write(),
            _ => Err(error("it is neither a name nor a table")),
        }
    }

    /// Generates the assignments of a row or a step to a shape.
    fn facts(&self, facts: &Fields, within: &str) -> Result<String, String> {
        let mut written = String::new();
        for (name, value) in facts {
            let name = format!("{within}{name}");
            if let Value::Object(inner) = value {
                written.push_str(&self.facts(inner, &format!("{name}."))?);
                continue;
            }
            let found = FIELDS.iter().find(|(field, _)| *field == name);
            let (field, kind) =
                found.ok_or_else(|| self.row.error(format!("has {name}, which is not a field of a shape")))?;
            let value = match value {
                Value::Bool(flag) if *kind == "bool" => flag.to_string(),
                Value::Number(number) if !ENUMERATIONS.contains(kind) && number.is_u64() => number.to_string(),
                Value::String(variant) if ENUMERATIONS.contains(kind) => format!("{kind}::{variant}"),
                _ => return Err(self.row.error(format!("has {value} for {name}, which is not a {kind}"))),
            };
            let _ = writeln!(written, "r.shape.{field} = {value};");
        }
        Ok(written)
    }
}

/// A step given as a table.
struct Step<'a> {
    body: &'a Body<'a>,
    value: &'a Value,
    fields: &'a Fields,
    known: &'a mut Vec<String>,
}

impl Step<'_> {
    fn error(&self, says: &str) -> String {
        self.body.row.error(format!("has the step {}: {says}", self.value))
    }

    /// Generates the step as Rust statements. The first field is the kind of step.
    fn write(mut self) -> Result<String, String> {
        let kind = self.fields.keys().next().map_or("", String::as_str);
        let further: &[&str] = match kind {
            "ignore" | "lists" | "skip" | "named" | "facts" => &[],
            "expect" => &["is"],
            "flag" => &["usual", "sets", "on", "off"],
            "field" => &["keys", "usual", "needed"],
            "let" => &["be", "is", "keys", "usual", "within"],
            "set" => &["to", "says"],
            "extra" => &["outside"],
            "outside" => &["extra"],
            "when" => &["read", "otherwise"],
            "mixers" | "mlps" => &["where", "others"],
            other => return Err(self.error(&format!("{other} is not a step"))),
        };
        if let Some(unknown) = self.fields.keys().skip(1).find(|name| !further.contains(&name.as_str())) {
            return Err(self.error(&format!("{unknown} is not one of: {}", further.join(", "))));
        }
        let own = &*self.text(kind).to_owned();
        Ok(match kind {
            "ignore" => format!("r.ignore(&{:?});\n", self.words(kind)),
            "lists" => format!("r.fields.numbers({own:?});\n"),
            "skip" => format!("r.fields.skip({own:?});\n"),
            "named" => format!("r.named({own:?});\n"),
            "expect" => format!("r.fields.expect({own:?}, {});\n", self.formula("is")?),
            "flag" => self.flag(own)?,
            "field" => {
                let (field, id) = self.field(own)?;
                let usual = self.formula_or("usual", &format!("f64::from(r.shape.{field})"))?;
                let needed = self.formula_or("needed", "false")?;
                let keys = self.words("keys");
                format!(
                    "r.shape.{field} = {{ let (usual, needed) = ({usual}, {needed}); \
                     r.count(&{keys:?}, ParamId::{id}, usual, needed) }};\n"
                )
            }
            "let" => self.value_of(own)?,
            "set" => self.set(own)?,
            "facts" => self.facts(kind)?,
            "extra" | "outside" => format!(
                "{{ let (layers, outside) = ({}, {}); r.plus(layers, outside); }}\n",
                self.formula_or("extra", "0.0")?,
                self.formula_or("outside", "0.0")?
            ),
            "when" => {
                let condition = self.formula(kind)?;
                let steps = |name: &str| self.body.of(self.fields.get(name), &mut self.known.clone());
                let read = steps("read")?;
                let otherwise = if self.fields.contains_key("otherwise") { steps("otherwise")? } else { String::new() };
                format!("if {condition} {{\n{read}}} else {{\n{otherwise}}}\n")
            }
            _ => self.layers(kind)?,
        })
    }

    fn text(&self, name: &str) -> &str {
        self.fields.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    fn words(&self, name: &str) -> Vec<&str> {
        self.text(name).split_whitespace().collect()
    }

    fn facts(&self, name: &str) -> Result<String, String> {
        let facts = self.fields.get(name).and_then(Value::as_object);
        facts.map_or(Ok(String::new()), |facts| self.body.facts(facts, ""))
    }

    /// Returns a field of a shape with its type.
    fn field(&self, name: &str) -> Result<(&'static str, &'static str), String> {
        let found = FIELDS.iter().find(|(field, _)| *field == name).copied();
        found.ok_or_else(|| self.error(&format!("{name:?} is not a field of a shape")))
    }

    /// Generates a formula, a number or a boolean.
    fn formula(&self, name: &str) -> Result<String, String> {
        match self.fields.get(name) {
            Some(Value::String(text)) => formula::rust(text, self.known).map_err(|says| self.error(&says)),
            Some(Value::Bool(flag)) => Ok(flag.to_string()),
            Some(value) => value.as_f64().map(|number| format!("{number:?}")).ok_or_else(|| self.error("no formula")),
            None => Err(self.error(&format!("it lacks {name}"))),
        }
    }

    fn formula_or(&self, name: &str, usual: &str) -> Result<String, String> {
        if self.fields.contains_key(name) { self.formula(name) } else { Ok(usual.to_owned()) }
    }

    fn flag(&mut self, key: &str) -> Result<String, String> {
        let sets = self.fields.contains_key("sets").then(|| self.field(self.text("sets"))).transpose()?;
        let own = sets.map_or("false".to_owned(), |(field, _)| format!("r.shape.{field}"));
        let usual = self.formula_or("usual", &own)?;
        let mut written = format!("let {key} = {{ let usual = {usual}; r.fields.flag({key:?}, usual) }};\n");
        if let Some((field, _)) = sets {
            let _ = writeln!(written, "r.shape.{field} = {key};");
        }
        let _ = writeln!(written, "if {key} {{\n{}}} else {{\n{}}}", self.facts("on")?, self.facts("off")?);
        self.known.push(key.to_owned());
        Ok(written)
    }

    fn value_of(&mut self, own: &str) -> Result<String, String> {
        let (keys, id) = (self.words("keys"), self.text("within"));
        let value = match ["be", "is", "within"].map(|name| self.fields.contains_key(name)) {
            [true, ..] => self.formula("be")?,
            [_, true, _] => self.formula("is")?,
            [.., true] => format!("f64::from(r.count(&{keys:?}, ParamId::{id}, {}, false))", self.formula("usual")?),
            _ => format!("r.fields.number(&{keys:?})"),
        };
        self.known.push(own.to_owned());
        Ok(format!("let {own} = {value};\n"))
    }

    fn set(&self, own: &str) -> Result<String, String> {
        let ((field, kind), value) = (self.field(own)?, self.formula("to")?);
        let value = match kind {
            _ if self.fields.contains_key("says") => {
                let says = self.text("says");
                format!("{{ let value = {value}; r.fields.checked({says:?}, value, ParamId::{kind}) }}")
            }
            "bool" => value,
            "i64" => format!("({value}) as i64"),
            _ => format!("({value}) as u32"),
        };
        Ok(format!("r.shape.{field} = {value};\n"))
    }

    /// Generates the list of mixers or MLPs by layer.
    fn layers(&self, kind: &str) -> Result<String, String> {
        let (of, method) = if kind == "mixers" { ("Mixer", "mixing") } else { ("Mlp", "followed") };
        let (are, others) = (self.text(kind), self.text("others"));
        let choice = if self.fields.contains_key("where") {
            format!("if {} {{ {of}::{are} }} else {{ {of}::{others} }}", self.formula("where")?)
        } else {
            format!("{of}::{are}")
        };
        Ok(format!(
            "r.layers = std::mem::take(&mut r.layers).{method}(|layer| {{ let layer = layer as f64; {choice} }});\n"
        ))
    }
}
