//! Generates the tables of examples: named scenarios, and single layers of experts.

use serde_json::Value;

use build::rows::File;
use build::shape::{Kind, Shape, array, list, needed, or};

const SCENARIO: Shape = Shape {
    name: "ScenarioEntry",
    base: "",
    fields: &[needed(Kind::Text, "id name notice link source"), or("\"\"", Kind::Text, "view say")],
};

const PUBLISHED: Shape = Shape {
    name: "Published",
    base: "",
    fields: &[
        needed(Kind::Text, "id found at"),
        needed(Kind::Number, "value tolerance"),
        or("Bound::Near", Kind::Variant("Bound"), "bound"),
        needed(HERE, "here"),
        or("\"\"", Kind::Text, "differs"),
    ],
};

const HERE: Kind = Kind::Variant("Comparison");

const EXPERT_LAYER: Shape = Shape {
    name: "ExpertLayerEntry",
    base: "",
    fields: &[needed(Kind::Text, "id name found"), needed(Kind::By(setting), "layer=setting")],
};

/// Generates the tables of scenarios, of published numbers to compare with them, and of layers.
pub(crate) fn tables(file: &File) -> Result<Vec<(&'static str, String)>, String> {
    let (mut entries, mut published, mut layers, mut starts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let arrays = ["example", "plan", "claim", "expert_layer"].map(|array| (array, "id"));
    let [examples, plans, claims, expert_layers] = file.rows(arrays)?;
    for (start, rows) in [("", examples), ("FIRST_PLAN", plans), ("FIRST_CLAIM", claims)] {
        if !start.is_empty() {
            starts.push(format!("const {start}: usize = {};\n", entries.len()));
        }
        for mut row in rows {
            if let Some(Value::Object(fields)) = row.take("published") {
                let mut beside = row.clone();
                beside.fields = fields;
                beside.set("id", row.key.as_str());
                published.push(PUBLISHED.write(&beside)?);
            }
            entries.push((row.key.clone(), SCENARIO.write(&row)?));
        }
    }
    for mut row in expert_layers {
        row.take_source()?;
        layers.push(EXPERT_LAYER.write(&row)?);
    }
    Ok(vec![
        ("scenarios.rs", array("ScenarioEntry", &entries, &[]) + &starts.concat()),
        ("published.rs", list(&published)),
        ("expert_layers.rs", list(&layers)),
    ])
}

/// Writes a layer as a closure that builds it.
fn setting(value: &Value) -> Result<String, String> {
    let function = value.get("function").and_then(Value::as_str).ok_or("it names no function")?;
    let given = value.get("given").map(Value::to_string).unwrap_or_default();
    Ok(format!("|| {function}({given})"))
}
