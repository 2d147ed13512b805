//! Repositories of the Hugging Face Hub are known by name, and none is taken for another model:
//! `tests/names/hub_names.csv`.

use catalog::model;
use catalog::names::{model_named, refusal};

const NAMES: &str = include_str!("../../../../tests/names/hub_names.csv");

/// Marks in the table for a repository that no row describes.
const REFUSED: &str = "refused";

/// Returns the repositories, each with its model.
fn rows() -> Vec<(String, String)> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(NAMES.as_bytes());
    reader.records().map(|row| row.unwrap()).map(|row| (row[0].to_owned(), row[1].to_owned())).collect()
}

#[test]
fn nine_of_ten_repositories_are_known_and_none_is_another_model() {
    let rows = rows();
    let (mut known, mut wrong, mut missed) = (0, Vec::new(), Vec::new());
    for (repository, expected) in &rows {
        assert!(expected == REFUSED || model(expected).is_some(), "{repository}: {expected} is no row");
        match model_named(repository) {
            Some(found) if found.entry.id == expected => known += 1,
            Some(found) => wrong.push(format!("{repository} is {expected}, not {}", found.entry.id)),
            None if expected != REFUSED => missed.push(repository.as_str()),
            None => {}
        }
    }
    assert!(rows.len() >= 300, "{} repositories", rows.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(known * 10 >= rows.len() * 9, "{known} of {} are known; not: {}", rows.len(), missed.join(", "));
}

#[test]
fn what_the_calculator_does_not_model_is_refused_with_a_reason() {
    for (name, reason) in [
        ("google-bert/bert-base-uncased", "is an encoder: "),
        ("answerdotai/ModernBERT-base", "is an encoder: "),
        ("microsoft/deberta-v3-base", "is an encoder: "),
        ("distilbert/distilbert-base-uncased", "is an encoder: "),
        ("google/flan-t5-xl", "has an encoder and a decoder"),
        ("openai/whisper-large-v3", "reads or makes sound"),
        ("openai/clip-vit-large-patch14", "is an encoder of images"),
        ("Qwen/Qwen3-Embedding-8B", "turns a text into a vector"),
        ("llava-hf/llava-v1.6-mistral-7b-hf", "has an encoder for images"),
        ("deepseek-ai/DeepSeek-V4-Flash", "attends to a compressed"),
    ] {
        assert!(model_named(name).is_none(), "{name}");
        assert!(refusal(name).is_some_and(|says| says.starts_with(reason)), "{name}: {:?}", refusal(name));
    }
    for name in ["acme/unheard-of-7b", "someone/Qwen3-8B-medical-assistant", "Alberta-7b", "clipped-7b"] {
        assert_eq!(refusal(name), None, "{name}");
    }
}
