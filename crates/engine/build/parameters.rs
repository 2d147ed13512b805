//! Generates the table of parameters, and the list of their names.

use std::fmt::Write;

use serde_json::Value;

use build::rows::{File, Row};

/// Fields of a row in `data/parameters.toml`, whose head describes them.
const FIELDS: &[&str] = &[
    "id",
    "field",
    "by",
    "key",
    "label",
    "csv",
    "group",
    "help",
    "range",
    "unit",
    "scale",
    "bounds",
    "type",
    "options",
    "applies",
    "control",
    "shown",
    "axis",
    "axis_range",
    "grows",
    "writes",
];
const OPTION_FIELDS: &[&str] = &["key", "is", "label", "help"];

/// Generates the identifiers, the rows, and a list of each part.
pub(crate) fn table(file: &File) -> Result<String, String> {
    let lists = file.rows([("control", "id"), ("constant", "id"), ("shape", "id")])?;
    let [controls, constants, _] = &lists;
    let (first, second) = (controls.len(), controls.len() + constants.len());
    let (mut ids, mut all, mut rows) = (String::new(), String::new(), String::new());
    for (list, row) in lists.iter().enumerate().flat_map(|(list, rows)| rows.iter().map(move |row| (list, row))) {
        row.only(FIELDS)?;
        let _ = writeln!(ids, "    /// {}.\n    {},", row.text("label")?, row.key);
        let _ = write!(all, "Self::{}, ", row.key);
        let _ = writeln!(rows, "    {},", if list == 2 { shape(row) } else { control(row) }?);
    }
    let mut out = format!(
        "/// A parameter of a scenario. [`ParamId::param`] returns its row.\n\
         #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Enum)]\n\
         pub enum ParamId {{\n{ids}}}\n\
         impl ParamId {{\n    /// Every parameter, in the order of the rows.\n    pub const ALL: &[Self] = &[{all}];\n}}\n\
         static ROWS: EnumMap<ParamId, Param> = EnumMap::from_array([\n{rows}]);\n"
    );
    for (name, what, part) in [
        ("PARAMS", "Every parameter with a control on the page, in display order.", format!(".split_at({first}).0")),
        (
            "CONSTANTS",
            "Constants of the hardware with a key in links but without a control on the page.",
            format!(".split_at({second}).0.split_at({first}).1"),
        ),
        ("ARCHITECTURE", "The shape of a custom model, as links hold it.", format!(".split_at({second}).1")),
    ] {
        let _ = writeln!(out, "/// {what}\npub static {name}: &[Param] = ROWS.as_array(){part};");
    }
    Ok(out)
}

/// A row of the page or of the hardware.
fn control(row: &Row) -> Result<String, String> {
    let (csv, group) = (row.text("csv")?, row.text("group")?);
    let place = match optional(row, "by") {
        Some(functions) => Place::By(functions),
        None => Place::Field(row.text("field")?),
    };
    let applies = condition(row, "applies").unwrap_or_else(|| "|_| true".to_owned());
    let axis = match optional(row, "axis") {
        None => "AxisUse::WhereItApplies".to_owned(),
        Some("never") => "AxisUse::Never".to_owned(),
        Some("cost") => "AxisUse::OfCost".to_owned(),
        Some(holds) => format!("AxisUse::Where(conditions::{holds})"),
    };
    param(row, csv, group, &applies, &axis, &kind(row, &place)?)
}

/// A row of the shape: it applies to custom models, and is on no axis unless it names a condition.
fn shape(row: &Row) -> Result<String, String> {
    let field = row.text("field")?;
    let csv = optional(row, "csv").or_else(|| field.rsplit('.').next()).unwrap_or(field);
    let axis = optional(row, "axis")
        .map_or_else(|| "AxisUse::Never".to_owned(), |holds| format!("AxisUse::Where(conditions::{holds})"));
    let place = Place::Shape { field, writes: optional(row, "writes").unwrap_or("custom") };
    param(row, csv, "Architecture", "conditions::is_custom", &axis, &kind(row, &place)?)
}

fn param(row: &Row, csv: &str, group: &str, applies: &str, axis: &str, kind: &str) -> Result<String, String> {
    let window = match row.fields.get("axis_range") {
        Some(range) => format!("Some({})", pair(row, "axis_range", range)?),
        None => "None".to_owned(),
    };
    Ok(format!(
        "Param {{ id: ParamId::{}, key: {:?}, label: {:?}, csv: {csv:?}, group: Group::{group}, help: {:?}, \
         kind: {kind}, applies: {applies}, has_control: {}, is_relevant: {}, axis: {axis}, window: {window}, knob: {} }}",
        row.key,
        row.text("key")?,
        row.text("label")?,
        row.text("help")?,
        row.fields.get("control").and_then(Value::as_bool).unwrap_or(true),
        condition(row, "shown").unwrap_or_else(|| "|_| true".to_owned()),
        condition(row, "grows").map_or_else(|| "None".to_owned(), |grows| format!("Some({grows})")),
    ))
}

/// The place of a value in a scenario.
enum Place<'a> {
    /// A path of fields.
    Field(&'a str),
    /// Two functions of `engine::params::fields`.
    By(&'a str),
    /// A path of fields of the architecture, and the function that returns it for writing.
    Shape { field: &'a str, writes: &'a str },
}

impl Place<'_> {
    /// Writes the functions that read and write the value, which `read` and `write` convert.
    fn functions(&self, read: impl Fn(&str) -> String, write: impl Fn(&str) -> String) -> (String, String) {
        match self {
            Self::By(functions) => (format!("fields::{functions}::get"), format!("fields::{functions}::set")),
            Self::Field(field) => {
                let field = format!("scenario.{field}");
                (format!("|scenario| {}", read(&field)), format!("|scenario, value| {{ {} }}", write(&field)))
            }
            Self::Shape { field, writes } => {
                let set = write(&format!("shape.{field}"));
                let set = format!("if let Some(shape) = fields::{writes}(scenario) {{ {set} }}");
                (
                    format!("|scenario| {}", read(&format!("scenario.model.architecture().{field}"))),
                    format!("|scenario, value| {set}"),
                )
            }
        }
    }
}

fn kind(row: &Row, place: &Place) -> Result<String, String> {
    match (row.fields.get("range"), row.fields.get("options")) {
        (Some(range), None) => number(row, place, range),
        (None, Some(options)) => choice(row, place, options),
        (None, None) => {
            let options = if matches!(place, Place::Shape { .. }) { "NO_YES" } else { "SWITCH" };
            Ok(chosen(place, options, "[false, true]"))
        }
        (Some(_), Some(_)) => Err(row.error("has a range and options")),
    }
}

fn number(row: &Row, place: &Place, range: &Value) -> Result<String, String> {
    let unit = optional(row, "unit").unwrap_or("None");
    let given = range.as_array().map(Vec::as_slice).unwrap_or_default();
    let is_whole = !given.is_empty() && given.iter().all(|end| end.is_i64() || end.is_u64());
    let starts_at_zero = given.first().and_then(Value::as_f64).is_some_and(|min| min <= 0.0);
    let scale = optional(row, "scale").unwrap_or(match (is_whole, starts_at_zero || unit == "Percent") {
        (_, true) => "Linear",
        (true, false) => "PowersOfTwo",
        (false, false) => "Log",
    });
    let ends = range.as_str().map_or_else(|| pair(row, "range", range), |constant| Ok(constant.to_owned()))?;
    let (of, name) = match unit {
        "Gib" => ("Bytes", "gib"),
        "GbitPerS" => ("BytesPerSecond", "gbit_per_s"),
        "GbPerS" => ("BytesPerSecond", "gb_per_s"),
        "Tflops" => ("FlopsPerSecond", "tflops"),
        "Us" => ("Seconds", "us"),
        "Hours" => ("Seconds", "hours"),
        "Minutes" => ("Seconds", "minutes"),
        _ => ("", ""),
    };
    let (get, set) = place.functions(
        |field| match (name, is_whole, unit) {
            ("", true, _) => format!("fields::Whole::number({field})"),
            ("", false, "Percent") => format!("{field} * PERCENT"),
            ("", false, _) => field.to_owned(),
            _ => format!("{field}.{name}()"),
        },
        |field| match (name, is_whole, unit) {
            ("", true, _) => format!("{field} = fields::Whole::nearest(value);"),
            ("", false, "Percent") => format!("{field} = value / PERCENT;"),
            ("", false, _) => format!("{field} = value;"),
            _ => format!("{field} = {of}::from_{name}(value);"),
        },
    );
    let bounds = optional(row, "bounds").map_or_else(|| "None".to_owned(), |of| format!("Some(fields::{of})"));
    Ok(format!(
        "ParamKind::Number(Number {{ unit: Unit::{unit}, min: {ends}.0, max: {ends}.1, scale: Scale::{scale}, \
         integer: {is_whole}, bounds: {bounds}, get: {get}, set: {set} }})"
    ))
}

fn choice(row: &Row, place: &Place, options: &Value) -> Result<String, String> {
    let (mut written, mut values) = (String::new(), Vec::new());
    for option in options.as_array().into_iter().flatten() {
        let unknown =
            option.as_object().and_then(|fields| fields.keys().find(|key| !OPTION_FIELDS.contains(&key.as_str())));
        if let Some(unknown) = unknown {
            return Err(row.unknown(unknown, OPTION_FIELDS));
        }
        let text = |name: &str| {
            option.get(name).and_then(Value::as_str).ok_or_else(|| row.lacks(&format!("{name} of an option")))
        };
        let (key, label, help) = (text("key")?, text("label")?, text("help")?);
        let _ = write!(written, "ChoiceOption {{ key: {key:?}, label: {label:?}, help: {help:?} }}, ");
        match option.get("is") {
            Some(Value::Bool(is)) => values.push(is.to_string()),
            Some(_) => values.push(format!("{}::{}", row.text("type")?, text("is")?)),
            None if matches!(place, Place::By(_)) => {}
            None => return Err(row.error(format!("lacks the variant of the option {key}"))),
        }
    }
    Ok(chosen(place, &format!("&[{written}]"), &format!("[{}]", values.join(", "))))
}

/// A choice among options, each a value of the field.
fn chosen(place: &Place, options: &str, values: &str) -> String {
    let (get, set) = place.functions(
        |field| format!("fields::position(&{values}, &{field})"),
        |field| format!("fields::choose(&{values}, value, &mut {field});"),
    );
    format!("ParamKind::Choice(Choice {{ options: {options}, get: {get}, set: {set} }})")
}

fn optional<'a>(row: &'a Row, field: &str) -> Option<&'a str> {
    row.fields.get(field).and_then(Value::as_str)
}

fn condition(row: &Row, field: &str) -> Option<String> {
    optional(row, field).map(|name| format!("conditions::{name}"))
}

fn pair(row: &Row, field: &str, value: &Value) -> Result<String, String> {
    super::fitted::pair(value).map_err(|says| row.error(format!("has {value} for {field}: {says}")))
}
