//! Generates the tables of 8-bit and 4-bit recipes for matrix products.

use serde_json::Value;

use build::rows::File;
use build::shape::{Kind, Shape, list, needed, or};

const RECIPE: Shape = Shape {
    name: "LowPrecision",
    base: "",
    fields: &[
        needed(Kind::Text, "name numbers scaling source"),
        needed(Kind::Variant("Library"), "library"),
        needed(Kind::By(texts), "spelled"),
        needed(Kind::Variant("ComputeFormat"), "format"),
        or("false", Kind::Flag, "gradients_in_16_bits"),
        needed(Kind::Whole, "gathered"),
    ],
};

const MIXED: Shape = Shape {
    name: "Mixed",
    base: "",
    fields: &[
        needed(Kind::Text, "name recipe"),
        or("false", Kind::Flag, "gathered"),
        or("[0, 0]", Kind::By(layers), "layers_in_16_bits"),
    ],
};

/// Generates the tables of recipes, and of Megatron-Bridge's names for them.
pub(crate) fn tables(file: &File) -> Result<Vec<(&'static str, String)>, String> {
    let [recipes, megatron] = file.rows([("recipe", "name"), ("mixed", "name")])?;
    let recipes = recipes.iter().map(|row| RECIPE.write(row)).collect::<Result<Vec<_>, _>>()?;
    let mut mixed = Vec::new();
    for mut row in megatron {
        row.take_source()?;
        mixed.push(MIXED.write(&row)?);
    }
    Ok(vec![("low_precision.rs", list(&recipes)), ("mixed.rs", list(&mixed))])
}

fn texts(value: &Value) -> Result<String, String> {
    let texts: Option<Vec<&str>> = value.as_array().into_iter().flatten().map(Value::as_str).collect();
    texts.map(|texts| format!("&{texts:?}")).ok_or_else(|| "it is not a list of texts".to_owned())
}

fn layers(value: &Value) -> Result<String, String> {
    let ends: Vec<u64> = value.as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    if ends.len() == 2 { Ok(format!("{ends:?}")) } else { Err("it needs the first and the last layers".to_owned()) }
}
