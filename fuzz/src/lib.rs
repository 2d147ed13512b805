//! Fuzz targets: each takes any bytes, and panics where something does not hold.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "these are tests, which stop where something is wrong"
)]

use catalog::{ACCELERATORS, CLUSTERS, MODELS};
use engine::params::{self, ParamKind};
use engine::scenario::CUSTOM;
use std::path::PathBuf;
use std::sync::LazyLock;

pub mod allocator;
pub mod api;
pub mod corpus;
pub mod figures;
pub mod files;
pub mod import;
pub mod link;
pub mod log;
pub mod plan;
pub mod quantity;
pub mod run;
pub mod snapshot;

/// Check of a target, which panics where something does not hold.
pub type Check = fn(&[u8]);

/// Each target by its name in `fuzz_targets` and `corpora`.
pub const TARGETS: [(&str, Check); 11] = [
    ("allocator", allocator::check),
    ("api", api::check),
    ("figures", figures::check),
    ("files", files::check),
    ("import", import::check),
    ("link", link::check),
    ("log", log::check),
    ("plan", plan::check),
    ("quantity", quantity::check),
    ("run", run::check),
    ("snapshot", snapshot::check),
];

/// A link of three bytes a pair: which key, and which value.
fn link_of(bytes: &[u8]) -> String {
    let pairs = bytes.as_chunks::<3>().0.iter().copied().map(pair_of);
    core::iter::once("v=1".to_owned()).chain(pairs).collect::<Vec<_>>().join("&")
}

/// A pair of three bytes, as of [`link_of`].
fn pair_of(bytes: [u8; 3]) -> String {
    let [key, high, low] = bytes;
    let (place, value) = (usize::from(key), u16::from_be_bytes([high, low]));
    match params::every().nth(place) {
        Some(param) => format!("{}={}", param.key, value_of(&param.kind, value)),
        None => other(place - params::every().count(), value),
    }
}

/// A report's numbers have no place for what is none.
fn no_nan(text: &str) {
    for word in text.split(|sign: char| !sign.is_ascii_alphanumeric()) {
        assert!(!matches!(word, "NaN" | "inf" | "Infinity"), "{word} in {text}");
    }
}

/// The configurations that others wrote, of `tests/runs`, with their names.
fn real_files() -> &'static [(String, String)] {
    static FILES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
        let mut files = Vec::new();
        let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/runs"))];
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).expect("tests/runs").flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path
                    .extension()
                    .is_some_and(|end| ["yaml", "json", "toml", "sh", "py"].iter().any(|of| end == *of))
                {
                    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    files.push((path.clone(), name, std::fs::read_to_string(path).expect("a text")));
                }
            }
        }
        files.sort();
        files.into_iter().map(|(_, name, text)| (name, text)).collect()
    });
    &FILES
}

/// The keys that are no parameters.
fn other(place: usize, value: u16) -> String {
    let index = usize::from(value);
    let entry = |ids: Vec<&'static str>| ids.get(index % (ids.len() + 1)).copied().unwrap_or(CUSTOM);
    match place % 6 {
        0 => format!("rev={}", value % 4),
        1 => format!("cluster={}", entry(CLUSTERS.iter().map(|entry| entry.id).collect())),
        2 => format!("gpu={}", entry(ACCELERATORS.iter().map(|entry| entry.id).collect())),
        3 => format!("model={}", entry(MODELS.iter().map(|entry| entry.id).collect())),
        4 => "pin=1".to_owned(),
        _ => "v=1".to_owned(),
    }
}

fn value_of(kind: &ParamKind, value: u16) -> String {
    match kind {
        ParamKind::Choice(choice) => {
            let options = choice.options;
            options.get(usize::from(value) % options.len()).map_or_else(String::new, |option| option.key.to_owned())
        }
        ParamKind::Number(number) => {
            let share = f64::from(value) / f64::from(u16::MAX);
            // Most values near the smaller bound, some beyond the larger one.
            (number.min + 1.01 * share.powi(6) * (number.max - number.min)).to_string()
        }
    }
}
