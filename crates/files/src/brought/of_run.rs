//! The configuration of a run, with what the engine would do otherwise.

use engine::format;
use engine::scenario::Scenario;
use engine::share;

use super::{Brought, Item, Kind, Offer, Section, text};
use crate::run::{File, Finding, Run, lint, read, write_back};

/// Reads one text as the configuration of a run.
pub(super) fn alone(text: &str, name: Option<&str>, scenario: &Scenario) -> Result<Brought, String> {
    brought(&[File::new(name.unwrap_or_default(), text)], scenario)
}

/// Reads several files as those of one run; nothing where they are not.
pub(super) fn together(items: &[Item], scenario: &Scenario) -> Option<Brought> {
    let file = |item: &Item| Some(File::new(item.name.clone().unwrap_or_default(), text(&item.bytes).ok()?));
    brought(&items.iter().map(file).collect::<Option<Vec<File>>>()?, scenario).ok()
}

fn brought(files: &[File], base: &Scenario) -> Result<Brought, String> {
    let run = read(files, base)?;
    let offers = lint(&run, files, base).iter().map(|finding| offer(finding, files, base)).collect();
    let understood: Vec<String> =
        run.understood.iter().map(|line| format!("{} = {}: {}", line.key, line.value, line.meaning)).collect();
    let section = |title: &str, lines: &[String]| Section { title: title.to_owned(), lines: lines.to_vec() };
    let sections = [
        section("Contradicts itself", &run.contradictions),
        section("Assumed, as no file says it", &run.assumed),
        section("Understood", &understood),
        section("Ignored: these keys have no meaning here", &run.ignored),
    ];
    Ok(Brought {
        sections: sections.into_iter().filter(|section| !section.lines.is_empty()).collect(),
        offers,
        ..Brought::new(Kind::Run, share::encode(&run.scenario), said(&run), String::new())
    })
}

/// What came: `A run of Axolotl with DeepSpeed: 14 keys understood, 3 ignored.`
fn said(run: &Run) -> String {
    let mut names: Vec<&str> = Vec::with_capacity(run.formats.len());
    for format in &run.formats {
        if !names.contains(&format.name()) {
            names.push(format.name());
        }
    }
    let [understood, ignored] = [run.understood.len(), run.ignored.len()].map(|count| format::count(count as f64));
    let keys = if run.understood.len() == 1 { "key" } else { "keys" };
    format!("A run of {}: {understood} {keys} understood, {ignored} ignored.", names.join(" with "))
}

/// A finding with its change, written into the files and read again.
fn offer(finding: &Finding, files: &[File], base: &Scenario) -> Offer {
    let mut what = finding.what.clone();
    let mut written = files.to_vec();
    for (place, file) in written.iter_mut().enumerate() {
        let changes: Vec<_> = finding.fix.iter().filter(|change| change.file == place).cloned().collect();
        if !changes.is_empty() {
            file.text = write_back(file, &changes);
        }
    }
    for change in &finding.fix {
        let from = change.from.as_deref().map_or_else(String::new, |from| format!("{from} → "));
        let to = if change.to.is_empty() { "left out" } else { &change.to };
        what = format!("{what} {}: {from}{to}.", change.key);
    }
    let scenario = (!finding.fix.is_empty()).then(|| read(&written, base).ok()).flatten();
    let differing =
        written.into_iter().zip(files).filter(|(new, old)| new != *old).map(|(new, _)| (new.name, new.text));
    Offer { what, scenario: scenario.map(|run| share::encode(&run.scenario)), files: differing.collect() }
}
