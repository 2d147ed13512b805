//! Tests that invalid rows of `data/huggingface.toml` fail the build, with a sentence that names
//! file, row and field.

#[path = "../../build/families.rs"]
mod families;
#[path = "../../build/formula.rs"]
mod formula;

use build::{Workspace, rows};
use std::path::Path;

/// Returns the error of the table with a part of its text replaced.
fn error(from: &str, to: &str) -> String {
    let file = Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap().read("data/huggingface.toml").unwrap();
    assert!(file.text.contains(from), "there is no {from}");
    families::readers(&rows::File { text: file.text.replacen(from, to, 1), ..file }).unwrap_err()
}

#[test]
fn a_row_without_a_source_or_types_fails() {
    let of = "data/huggingface.toml: BitNet lacks";
    assert_eq!(error("source = \"transformers 5.23.0, model_type bitnet\"\n", ""), format!("{of} a source"));
    // The row that this row is based on has a source, but the row itself has none.
    let like = error("source = \"transformers 5.23.0, model_type gemma2\"\n", "");
    assert_eq!(like, "data/huggingface.toml: Gemma 2 lacks a source");
    assert_eq!(error("types = [\"bitnet\"]\n", ""), format!("{of} types"));
}

#[test]
fn a_step_or_a_field_that_there_is_none_of_fails() {
    let step = error("{ extra = \"2 * layers\" }", "{ more = \"2 * layers\" }");
    assert_eq!(step, "data/huggingface.toml: Apertus has the step {\"more\":\"2 * layers\"}: more is not a step");
    let reader = error("name = \"sparse\"\n", "name = \"thin\"\n");
    assert!(reader.ends_with(" has the step \"sparse\": it is neither code nor a reader"), "{reader}");
    let field = error("norms_per_layer = 4\n", "norms = 4\n");
    assert_eq!(field, "data/huggingface.toml: Gemma 2 has norms, which is not a field of a shape");
    let fact = error("norm = \"LayerNoBias\"\n", "norm = 1\n");
    assert_eq!(fact, "data/huggingface.toml: Cohere has 1 for norm, which is not a Norm");
    let like = error("like = \"Gemma\"\n", "like = \"Gema\"\n");
    assert_eq!(like, "data/huggingface.toml: Gemma 2 names \"Gema\", which is not a row before it");
}

#[test]
fn a_formula_with_an_unknown_name_fails() {
    let name = error("\"4 * layers * dim\"", "\"4 * layers * width\"");
    assert!(name.starts_with("data/huggingface.toml: DiffLlama has the step "), "{name}");
    assert!(name.ends_with("width is neither a field of a shape nor an earlier step"), "{name}");
    let sign = error("\"4 * layers * dim\"", "\"4 ^ layers\"");
    assert!(sign.ends_with("^ is not part of a formula"), "{sign}");
}
