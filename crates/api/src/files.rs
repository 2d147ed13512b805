//! Reads texts and files.

use std::fs;
use std::path::{Path, PathBuf};

use engine::scenario::Model;
use engine::scenario::issue::Cause;
use files::brought::{self, Base, Import, ImportKind, Item};
use files::run::{MOST_FILES, split_function};
use links::spelling;

use crate::given::Code;
use crate::open::{Open, Stated};
use crate::{Given, Read, Reading, Refusal, json};

/// Reads texts and files for the scenario on a page. Returns `{"Ok": …}` with a
/// [`files::brought::Import`], or `{"Err": …}` with a sentence. The name is empty for a text
/// without a file.
pub fn import_files(scenario: &str, files: impl Iterator<Item = (String, Vec<u8>)>) -> String {
    json(&brought::import_items(&items(files), &links::decode(scenario).scenario))
}

/// Reads texts and files for the scenario of a program. Returns a [`files::brought::Import`] as
/// JSON. If the model of a run is unknown, or a value that decides whether the run fits is missing,
/// there are no offers, and the first section lists the missing values.
///
/// # Errors
///
/// Returns a refusal for files that cannot be read.
pub fn read_files(given: &Given, files: impl Iterator<Item = (String, Vec<u8>)>) -> Result<String, Refusal> {
    Ok(json(&read_items(&items(files), given)?.0))
}

/// Reads files like [`read_files`], with the files beside them that they name
/// ([`with_named`]).
///
/// # Errors
///
/// Returns a refusal for files that cannot be read.
pub fn read_files_of_disk(given: &Given, files: impl Iterator<Item = (String, Vec<u8>)>) -> Result<String, Refusal> {
    Ok(json(&read_items(&with_named(items(files)), given)?.0))
}

/// Most folders above a file's own in which a relative path is looked for: programs are started
/// from the root of a repository.
const MOST_PARENTS: usize = 5;
/// Largest file that is opened beside another one, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Adds the files of a run that the items name by relative paths, from the folder of the naming
/// file or a folder above it. The items are files of this machine, by their paths.
#[must_use]
pub fn with_named(mut items: Vec<Item>) -> Vec<Item> {
    let mut known: Vec<PathBuf> = items.iter().filter_map(|item| fs::canonicalize(item.name.as_ref()?).ok()).collect();
    let mut next = 0;
    while let Some(item) = items.get(next) {
        next += 1;
        let found: Vec<(PathBuf, Item)> =
            brought::named_files(item).iter().filter_map(|named| beside(item.name.as_ref()?, named)).collect();
        for (path, item) in found {
            if items.len() < MOST_FILES && !known.contains(&path) {
                known.push(path);
                items.push(item);
            }
        }
    }
    items
}

/// Opens a file of a run that another one names.
fn beside(naming: &str, named: &str) -> Option<(PathBuf, Item)> {
    let folder = fs::canonicalize(split_function(naming).0).ok()?;
    folder.ancestors().skip(1).take(MOST_PARENTS).find_map(|folder| {
        let path = folder.join(named);
        let is_small = fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() <= MOST_BYTES);
        let bytes = if is_small { fs::read(&path).ok()? } else { return None };
        // Shown as the file names it, from the folder that the user named.
        let shown = Path::new(naming).parent().map(|parent| parent.join(named)).filter(|shown| shown.exists());
        let name = shown.unwrap_or_else(|| path.clone()).to_string_lossy().into_owned();
        let item = Item { name: Some(name), bytes };
        brought::is_of_run(&item).then_some((fs::canonicalize(path).ok()?, item))
    })
}

/// Reads files. Returns their content and the resulting scenario.
///
/// # Errors
///
/// Returns a refusal for files that cannot be read.
pub fn read_items(items: &[Item], given: &Given) -> Result<(Import, Read), Refusal> {
    let base = given.read_scenario()?;
    let over = crate::given::in_order(given.set).flat_map(|(key, value)| spelling::spell(key, value).pairs);
    let over = Base { scenario: base.scenario, over: over.collect(), assumes: given.reading == Reading::Assuming };
    let mut brought = brought::bring_over(items, &over).map_err(|said| Refusal::new(Code::Unreadable, said))?;
    let mut read = Read::parse(&brought.scenario);
    read.stated = stated(&brought, base.stated, &read);
    read.unknown_model.clone_from(&brought.unknown_model);
    // Explicit values change a saved scenario; a run includes them already.
    if brought.kind == ImportKind::Scenario && !given.set.is_empty() {
        for (key, value) in crate::given::in_order(given.set) {
            read.set(key, value);
        }
        brought.scenario = links::encode(&read.scenario);
    }
    read.finish();
    // A run's files may say what has no effect, and programs' defaults do.
    if brought.kind == ImportKind::Run {
        let is_typed = |key: Option<&str>| over.over.iter().any(|(typed, _)| key == Some(typed.as_str()));
        read.issues.retain(|issue| issue.cause != Cause::NoEffect || is_typed(issue.key));
    }
    // A run reports its contradictions itself.
    if given.reading != Reading::Lenient && brought.kind != ImportKind::Run {
        crate::given::refuse(&read.issues)?;
    }
    if brought.kind == ImportKind::Run {
        ask(&mut brought, &read, given.reading);
    }
    Ok((brought, read))
}

/// Replaces the offers by questions for keys that were not read, and for missing values that decide
/// whether the run fits.
fn ask(brought: &mut Import, read: &Read, reading: Reading) {
    let open = read.stated.open(&read.scenario, &Open::ALL);
    if reading == Reading::Assuming {
        brought.assume(open.iter().map(|open| open.assumption(&read.scenario).message).collect());
    }
    let unread = if reading == Reading::Assuming { None } else { brought::unread_question(&brought.unread) };
    let unknown = read.unknown_model.as_deref();
    let asked = open.iter().filter(|open| open.is_asked && reading == Reading::Strict);
    let open = asked.map(|open| open.question(unknown));
    brought.ask(unread.into_iter().chain(open).collect());
}

/// Returns which of the decisive values are stated by the scenario and the files.
fn stated(brought: &Import, base: Stated, read: &Read) -> Stated {
    let mut stated = base;
    match brought.kind {
        ImportKind::Scenario => stated = read.stated,
        // A sentence reports its assumptions itself.
        ImportKind::Sentence => stated.add(links::v1::VERSION_KEY),
        ImportKind::Model => stated.model = true,
        ImportKind::Lengths => stated.length = true,
        ImportKind::Run => {
            // A framework's documented default counts as stated.
            stated.batch = true;
            stated.model = !brought.open.contains(&brought::MissingValue::Model) || base.model;
            stated.gpus |= !brought.open.contains(&brought::MissingValue::Gpus);
            stated.length |= !brought.open.contains(&brought::MissingValue::Length);
            stated.hardware |= brought.names_gpus;
        }
        // An adapter states its model if the model is in the catalog.
        ImportKind::Adapter => stated.model |= matches!(read.scenario.model, Model::Preset { .. }),
        ImportKind::Links | ImportKind::Rates | ImportKind::Error | ImportKind::Measured => {}
    }
    // A run may name the card without a number.
    if brought.kind != ImportKind::Run {
        stated.gpus |= brought.names_gpus;
        stated.hardware |= brought.names_gpus;
    }
    stated
}

fn items(files: impl Iterator<Item = (String, Vec<u8>)>) -> Vec<Item> {
    files.map(|(name, bytes)| Item { name: Some(name).filter(|name| !name.is_empty()), bytes }).collect()
}
