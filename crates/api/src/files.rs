//! What texts and files bring.

use engine::scenario::Model;
use files::brought::{self, Base, Brought, Item, Kind};
use links::spelling;

use crate::given::Code;
use crate::open::{Open, Stated, Unstated};
use crate::{Given, Read, Reading, Refusal, json};

/// Reads texts and files for the scenario on a page: `{"Ok": …}` with a
/// [`files::brought::Brought`], or `{"Err": …}` with a sentence. An empty name is that of a text
/// that has no file.
pub fn bring(scenario: &str, files: impl Iterator<Item = (String, Vec<u8>)>) -> String {
    json(&brought::bring(&items(files), &links::decode(scenario).scenario))
}

/// Reads texts and files for a program's scenario: a [`files::brought::Brought`] as JSON. A run
/// whose model is not known, or of which nobody said what decides whether it fits, has no offers:
/// what is missing stands first among its sections.
///
/// # Errors
///
/// What cannot be read.
pub fn read(given: &Given, files: impl Iterator<Item = (String, Vec<u8>)>) -> Result<String, Refusal> {
    Ok(json(&of_items(&items(files), given)?.0))
}

/// Reads files; gives what was brought, and the scenario that it becomes.
///
/// # Errors
///
/// What cannot be read.
pub fn of_items(items: &[Item], given: &Given) -> Result<(Brought, Read), Refusal> {
    let base = given.read()?;
    let over = crate::given::in_order(given.set).flat_map(|(key, value)| spelling::spell(key, value).pairs);
    let over = Base { scenario: base.scenario, over: over.collect() };
    let mut brought = brought::bring_over(items, &over).map_err(|said| Refusal::new(Code::Unreadable, said))?;
    let mut read = Read::of(&brought.scenario);
    read.stated = stated(&brought, base.stated);
    // A saved scenario is changed by what is set by hand; a run has it already.
    if brought.kind == Kind::Scenario && !given.set.is_empty() {
        for (key, value) in crate::given::in_order(given.set) {
            read.set(key, value);
        }
        brought.scenario = links::encode(&read.scenario);
    }
    read.finish();
    // What contradicts itself in a run is said with it.
    if given.reading != Reading::Lenient && brought.kind != Kind::Run {
        crate::given::refuse(&read.issues)?;
    }
    if brought.kind == Kind::Run {
        ask(&mut brought, &read, given.reading);
    }
    Ok((brought, read))
}

/// Asks for what decides whether a run fits and nobody stated, in place of offers.
fn ask(brought: &mut Brought, read: &Read, reading: Reading) {
    let open = read.stated.open(&read.scenario, &Open::ALL);
    let questions: Vec<String> = open.iter().filter(|open| open.is_asked).map(Unstated::question).collect();
    brought.ask(if reading == Reading::Strict { questions } else { Vec::new() });
}

/// What was stated of the things that decide an answer, by the scenario and by files.
fn stated(brought: &Brought, base: Stated) -> Stated {
    let mut stated = base;
    match brought.kind {
        Kind::Scenario => {
            let decoded = links::decode(&brought.scenario);
            stated = Stated::of_keys(&decoded.keys);
        }
        // What it does not say is said to be assumed.
        Kind::Sentence => stated.add(links::v1::VERSION_KEY),
        Kind::Model => stated.model = true,
        Kind::Lengths => stated.length = true,
        Kind::Run => {
            // A framework's own default is a statement of its documentation.
            stated.batch = true;
            stated.model = !brought.open.contains(&brought::Unsaid::Model) || base.model;
            stated.gpus |= !brought.open.contains(&brought::Unsaid::Gpus);
            stated.length |= !brought.open.contains(&brought::Unsaid::Length);
        }
        // An adapter names the model that it is of, as far as that is known.
        Kind::Adapter => {
            let model = links::decode(&brought.scenario).scenario.model;
            stated.model |= matches!(model, Model::Preset { .. });
        }
        Kind::Links | Kind::Rates | Kind::Error | Kind::Measured => {}
    }
    stated
}

fn items(files: impl Iterator<Item = (String, Vec<u8>)>) -> Vec<Item> {
    files.map(|(name, bytes)| Item { name: Some(name).filter(|name| !name.is_empty()), bytes }).collect()
}
