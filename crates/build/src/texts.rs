//! Lists of texts in the rows of `data/`.

use serde_json::Value;

use crate::rows::Row;

/// Returns the texts of a row's field.
///
/// # Errors
/// When the list is missing or empty.
pub fn texts(row: &Row, field: &str) -> Result<Vec<String>, String> {
    row.fields.get(field).map_or_else(|| Err(row.lacks(field)), |value| listed(row, field, value))
}

/// Returns the texts of all groups, each with its meaning and its group. In the field `means` of a
/// group, the meaning is on the left and its texts are on the right; a text has one meaning.
///
/// # Errors
/// When a group has no meanings, or a text has two.
pub fn meanings(groups: &[Row]) -> Result<Vec<(String, &str, &Row)>, String> {
    let mut all: Vec<(String, &str, &Row)> = Vec::new();
    for group in groups {
        let means = group.fields.get("means").and_then(Value::as_object).ok_or_else(|| group.lacks("means"))?;
        for (meaning, value) in means {
            for text in listed(group, &format!("means.{meaning:?}"), value)? {
                if all.iter().any(|(other, ..)| *other == text) {
                    return Err(group.error(format!("has {text:?} twice")));
                }
                all.push((text, meaning, group));
            }
        }
    }
    Ok(all)
}

fn listed(row: &Row, field: &str, value: &Value) -> Result<Vec<String>, String> {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let texts: Option<Vec<String>> = value.as_array().and_then(|list| list.iter().map(text).collect());
    let wrong = || row.error(format!("has {value} for {field}, which is not a list of texts"));
    texts.filter(|texts| !texts.is_empty()).ok_or_else(wrong)
}
