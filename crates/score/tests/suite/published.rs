//! The published measurements under `tests/measured`, read and evaluated.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use score::cells::Cells;
use score::collectives::{self, Collective};
use score::hybrid;
use score::library_step::LibraryStep;
use score::row::Row;
use score::schema::Schema;
use score::summary::Entry;
use score::traced::{self, Traced};
use score::tracker::{self, Tracked};

/// All published measurements, read once.
pub(crate) static PUBLISHED: LazyLock<Published> = LazyLock::new(all);

/// Rows of all files. Tracker rows, traced steps and collectives that were left out are not
/// included.
#[derive(Default)]
pub(crate) struct Published {
    pub(crate) training: Vec<Entry>,
    pub(crate) mixtures: Vec<Entry>,
    pub(crate) tuned: Vec<Entry>,
    /// Silicon other than NVIDIA's, and `MLPerf`'s pre-training.
    pub(crate) silicon: Vec<Entry>,
    /// Sources that no constant was fitted to.
    pub(crate) strangers: Vec<Entry>,
    /// Whole steps that generate their training data.
    pub(crate) rollouts: Vec<Entry>,
    pub(crate) tracked: Vec<Tracked>,
    pub(crate) traced: Vec<Traced>,
    pub(crate) hybrid: Vec<LibraryStep>,
    pub(crate) collectives: Vec<Collective>,
}

/// Returns the tables of a folder, sorted by name.
fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|kind| kind == "csv")).collect();
    files.sort();
    files
}

/// Reads every row of every file.
fn all() -> Published {
    let mut published = Published::default();
    for path in files("tests/measured/mixtures") {
        read(&path, &mut published);
    }
    // Tables of mixtures contain dense models and fine-tuning too, which move to the other groups.
    let (mixtures, others) = std::mem::take(&mut published.training)
        .into_iter()
        .partition::<Vec<Entry>, _>(|entry| entry.is_mixture() && !entry.is_fine_tuned());
    (published.mixtures, published.training) = (mixtures, others);
    for path in files("tests/measured") {
        read(&path, &mut published);
    }
    // Tables of pre-training have rows with adapters, too.
    let (mut tuned, training) =
        std::mem::take(&mut published.training).into_iter().partition::<Vec<Entry>, _>(Entry::is_fine_tuned);
    for path in files("tests/measured/finetuned") {
        read(&path, &mut published);
    }
    tuned.append(&mut published.training);
    for path in files("tests/measured/silicon") {
        read(&path, &mut published);
    }
    published.silicon = std::mem::take(&mut published.training);
    for path in files("tests/measured/rollouts") {
        read(&path, &mut published);
    }
    published.rollouts = std::mem::take(&mut published.training);
    for path in files("tests/measured/strangers") {
        read(&path, &mut published);
    }
    published.strangers = std::mem::take(&mut published.training);
    (published.training, published.tuned) = (training, tuned);
    published
}

fn read(path: &Path, published: &mut Published) {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    let names: Vec<&str> = header.iter().collect();
    let schema = Schema::from_header(&names).unwrap_or_else(|| panic!("{}: unknown header", path.display()));
    let file = path.file_name().unwrap().to_string_lossy().into_owned();
    for record in reader.records() {
        let record = record.unwrap();
        let cells: Cells = header.iter().zip(&record).collect();
        match schema {
            Schema::Tracker => published.tracked.extend(tracker::read_tracked_run(&cells)),
            Schema::Traced => published.traced.extend(traced::read_traced_step(&cells)),
            Schema::Hybrid => published.hybrid.extend(hybrid::read_hybrid_step(&cells)),
            Schema::Collectives => published.collectives.extend(collectives::read_collective(&cells)),
            schema if !schema.is_scored() => {}
            _ => published.training.push(Entry::new(&file, Row::from_cells(&cells))),
        }
    }
}
