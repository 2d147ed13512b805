//! Recipes of products in 8 and 4 bits.

use serde_json::Value;

use super::rows::File;
use super::shape::{Blank, Field, Kind, Shape, list, needed};

const RECIPE: Shape = Shape {
    name: "LowPrecision",
    base: "",
    fields: &[
        needed("name", Kind::Text),
        needed("library", Kind::Variant("Library")),
        needed("spelled", Kind::By(texts)),
        needed("format", Kind::Variant("ComputeFormat")),
        Field("gradients_in_16_bits", "gradients_in_16_bits", Kind::Flag, Blank::Is("false")),
        needed("numbers", Kind::Text),
        needed("scaling", Kind::Text),
        needed("gathered", Kind::Whole),
        needed("source", Kind::Text),
    ],
};

const MIXED: Shape = Shape {
    name: "Mixed",
    base: "",
    fields: &[
        needed("name", Kind::Text),
        needed("recipe", Kind::Text),
        Field("gathered", "gathered", Kind::Flag, Blank::Is("false")),
        Field("layers_in_16_bits", "layers_in_16_bits", Kind::By(layers), Blank::Is("[0, 0]")),
    ],
};

/// The tables of recipes, and of what Megatron-Bridge calls them.
pub(crate) fn tables(file: &File) -> Result<Vec<(&'static str, String)>, String> {
    let recipes = file.rows("recipe", "name")?.iter().map(|row| RECIPE.write(row)).collect::<Result<Vec<_>, _>>()?;
    let mut mixed = Vec::new();
    for mut row in file.rows("mixed", "name")? {
        row.text("source")?;
        row.take("source");
        mixed.push(MIXED.write(&row)?);
    }
    Ok(vec![("low_precision.rs", list(&recipes)), ("mixed.rs", list(&mixed))])
}

fn texts(value: &Value) -> Result<String, String> {
    let texts: Option<Vec<&str>> = value.as_array().into_iter().flatten().map(Value::as_str).collect();
    texts.map(|texts| format!("&{texts:?}")).ok_or_else(|| "it is no list of texts".to_owned())
}

fn layers(value: &Value) -> Result<String, String> {
    let ends: Vec<u64> = value.as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    if ends.len() == 2 { Ok(format!("{ends:?}")) } else { Err("it needs the first and the last layers".to_owned()) }
}
