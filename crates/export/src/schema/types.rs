//! Reads the types of the JavaScript package (`npm/js/index.d.ts`) as JSON schemas, so that the
//! fields of the report have their types and meanings in one place.
//!
//! The part of TypeScript that reports are written in is read: objects, unions, arrays, literals,
//! `{ [key in Keys]: T }`, and names of other types.

use serde_json::{Map, Value, json};

use super::{described, into_map};

/// The types of the package.
const TYPES: &str = include_str!(concat!(env!("OUT_DIR"), "/index.d.ts"));
/// Types that the report refers to.
pub(super) const NAMED: [&str; 4] = ["Band", "Limiter", "Strategy", "Issue"];

/// Returns the schema of an interface; `None` if it does not exist or cannot be read.
pub(super) fn interface(name: &str) -> Option<Map<String, Value>> {
    let (_, rest) = TYPES.split_once(&format!("export interface {name} "))?;
    Reader { rest }.single().map(into_map)
}

/// Returns the schema of an interface or of a type with a name.
pub(super) fn named(name: &str) -> Option<Map<String, Value>> {
    interface(name).or_else(|| {
        let (_, rest) = TYPES.split_once(&format!("export type {name} ="))?;
        Reader { rest }.union().map(into_map)
    })
}

/// Reads types from the front of a text.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Passes over blanks and comments; returns the last comment of documentation.
    fn comment(&mut self) -> String {
        let mut about = String::new();
        loop {
            self.rest = self.rest.trim_start();
            let Some((text, rest)) = self.rest.strip_prefix("/**").and_then(|rest| rest.split_once("*/")) else {
                return about;
            };
            let lines = text.lines().map(|line| line.trim().trim_start_matches('*').trim());
            about = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
            self.rest = rest;
        }
    }

    /// Passes over a sign, if it comes next.
    fn takes(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn name(&mut self) -> Option<&'a str> {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '_'))?;
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!name.is_empty()).then_some(name)
    }

    /// Reads types between `|`.
    fn union(&mut self) -> Option<Value> {
        self.takes("|");
        let mut members = vec![self.single()?];
        while self.takes("|") {
            members.push(self.single()?);
        }
        Some(either(members))
    }

    /// Reads a type, with the brackets of its arrays.
    fn single(&mut self) -> Option<Value> {
        let mut schema = self.plain()?;
        while self.takes("[]") {
            schema = json!({ "type": "array", "items": schema });
        }
        Some(schema)
    }

    fn plain(&mut self) -> Option<Value> {
        self.comment();
        if let Some((literal, rest)) = self.rest.strip_prefix('\'').and_then(|rest| rest.split_once('\'')) {
            self.rest = rest;
            return Some(json!({ "const": literal }));
        }
        if self.takes("{") {
            return self.object();
        }
        let name = self.name()?;
        Some(match name {
            "number" | "string" | "boolean" | "null" => json!({ "type": name }),
            // A field of another type: `Report['verdict']`.
            _ if self.takes("['") => {
                let (field, rest) = self.rest.split_once("']")?;
                self.rest = rest;
                let (_, text) = TYPES.split_once(&format!("export interface {name} "))?;
                let (_, text) = text.split_once(&format!("\n  {field}: "))?;
                Reader { rest: text }.union()?
            }
            _ => json!({ "$ref": format!("#/$defs/{name}") }),
        })
    }

    /// Reads an object after its brace.
    fn object(&mut self) -> Option<Value> {
        if self.takes("[key in ") {
            return self.mapped();
        }
        let (mut properties, mut required) = (Map::new(), Vec::new());
        loop {
            let about = self.comment();
            if self.takes("}") {
                break;
            }
            let name = self.name()?;
            let is_optional = self.takes("?");
            if !self.takes(":") {
                return None;
            }
            properties.insert(name.to_owned(), described(self.union()?, &about));
            if !is_optional {
                required.push(name);
            }
            self.takes(";");
        }
        Some(json!({
            "type": "object", "additionalProperties": false, "required": required, "properties": properties,
        }))
    }

    /// Reads an object with the same type under each key of a union of literals.
    fn mapped(&mut self) -> Option<Value> {
        let name = self.name()?;
        let keys = named(name)?;
        let keys: Vec<&str> = keys.get("enum")?.as_array()?.iter().filter_map(Value::as_str).collect();
        if !(self.takes("]") && self.takes(":")) {
            return None;
        }
        let schema = self.union()?;
        self.takes(";");
        let properties: Map<_, _> = keys.iter().map(|key| ((*key).to_owned(), schema.clone())).collect();
        self.takes("}").then(
            || json!({ "type": "object", "additionalProperties": false, "required": keys, "properties": properties }),
        )
    }
}

/// Returns the schema of any of some types: one list of words, or of plain types.
fn either(mut members: Vec<Value>) -> Value {
    if members.len() == 1 {
        return members.swap_remove(0);
    }
    let all = |key: &str| members.iter().map(|member| member.get(key).cloned()).collect::<Option<Vec<_>>>();
    let plain = |value: &Value| value.as_object().is_some_and(|object| object.len() == 1);
    match (all("const"), all("type")) {
        (Some(words), _) => json!({ "enum": words }),
        (_, Some(types)) if members.iter().all(plain) => json!({ "type": types }),
        _ => json!({ "anyOf": members }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Value {
        Reader { rest: text }.union().unwrap()
    }

    #[test]
    fn types_are_read_as_schemas() {
        assert_eq!(read("number | null;"), json!({ "type": ["number", "null"] }));
        assert_eq!(read("| 'a' | 'b';"), json!({ "enum": ["a", "b"] }));
        assert_eq!(read("Band | null;")["anyOf"][0]["$ref"], "#/$defs/Band");
        let object = read("{ /** Bytes. */ a: number; b?: string[]; }");
        assert_eq!(object["required"], json!(["a"]));
        assert_eq!(object["properties"]["a"], json!({ "type": "number", "description": "Bytes." }));
        assert_eq!(object["properties"]["b"]["items"]["type"], "string");
        assert_eq!(read("{ [key in Limiter]: number };")["required"].as_array().unwrap().len(), 8);
        assert_eq!(Reader { rest: "{ a" }.union(), None);
    }

    #[test]
    fn every_type_of_the_report_is_there() {
        let report = interface("Report").unwrap();
        assert!(report["properties"]["mfu"].is_object() && report["properties"]["run"]["required"].is_array());
        assert!(NAMED.iter().all(|name| named(name).is_some()));
        let text = Value::Object(report).to_string();
        for part in text.split("#/$defs/").skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(name == "Scenario" || NAMED.contains(&name), "{name}");
        }
    }
}
