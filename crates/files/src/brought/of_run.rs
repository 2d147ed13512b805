//! Import of the configuration of a run, with suggested changes.

use engine::format;
use engine::scenario::issue::visible;

use super::{ASSUMED, AssumedValue, Edit, Import, ImportKind, Item, MissingValue, Section, SuggestedChange, text};
use crate::run::{
    self, Base, Change, File, Finding, Refusal, Run, Spread, UnderstoodKey, lint, read_run, spread, write_back,
};
use huggingface::MOST_CHARACTERS;

/// Reads one text as the configuration of a run.
pub(super) fn alone(text: &str, name: Option<&str>, base: &Base) -> Result<Import, Refusal> {
    import_run(&[File::new(name.unwrap_or_default(), text)], base)
}

/// Returns an item as a text file; `None` if it is not text.
fn file(item: &Item) -> Option<File> {
    Some(File::new(item.name.clone().unwrap_or_default(), text(&item.bytes).ok()?))
}

/// Whether a file is a configuration of a known program: a run or a part of one.
pub(super) fn is_part(item: &Item) -> bool {
    item.bytes.len() <= MOST_CHARACTERS && file(item).is_some_and(|file| run::is_known(&file))
}

/// Whether a file is a run of its own.
pub(super) fn is_whole(item: &Item) -> bool {
    item.bytes.len() <= MOST_CHARACTERS && file(item).is_some_and(|file| run::is_whole(&file))
}

/// Returns the relative paths of files that an item names.
pub(super) fn named_files(item: &Item) -> Vec<String> {
    file(item).map(|file| run::named_files(&file)).unwrap_or_default()
}

/// Reads several files as the configuration of one run; `None` if they are not a run.
///
/// # Errors
///
/// A sentence if the files are recognised and are not one run.
pub(super) fn together(items: &[&Item], base: &Base) -> Result<Option<Import>, String> {
    let Some(files) = items.iter().map(|item| file(item)).collect::<Option<Vec<File>>>() else { return Ok(None) };
    match import_run(&files, base) {
        Ok(brought) => Ok(Some(brought)),
        Err(refusal) if refusal.is_certain => Err(refusal.sentence),
        Err(_) => Ok(None),
    }
}

fn import_run(files: &[File], base: &Base) -> Result<Import, Refusal> {
    let run = run::read_or_refuse(files, base)?;
    if run.is_model_alone {
        return Ok(model_alone(&run, base));
    }
    // Without a known model there is no verdict, and so nothing to offer.
    let has_model = !run.open.contains(&MissingValue::Model);
    let is_answered = has_model && (run.unread.is_empty() || base.assumes);
    let findings = if is_answered { lint(&run, files, base) } else { Vec::new() };
    let offers = findings.iter().map(|finding| offer(finding, &run, files, base)).collect();
    let understood: Vec<String> = run.understood.iter().map(described).collect();
    let spread = if is_answered { spread(&run, files, base) } else { Spread::default() };
    let section = |title: &str, lines: &[String]| Section {
        title: title.to_owned(),
        lines: lines.iter().map(|line| visible(line).into_owned()).collect(),
    };
    let sections = [
        section(UNREAD, &run.unread),
        section("Set by hand, in place of what the files say", &run.overruled),
        section(CONTRADICTS, &run.contradictions),
        section("Not said, and it decides whether the run fits", &spread.said),
        section(ASSUMED, &run.assumed),
        section("Understood", &understood),
        section("Ignored: these keys are not known, and their names are none of what decides", &run.ignored),
    ];
    let mut brought = Import {
        sections: sections.into_iter().filter(|section| !section.lines.is_empty()).collect(),
        offers,
        open: run.open.clone(),
        contradictions: run.contradictions.clone(),
        understood: understood.clone(),
        ignored: run.ignored.clone(),
        unread: run.unread.clone(),
        names_gpus: run.names_gpu,
        unknown_model: run.unknown_model.clone(),
        assumed: run.assumed.iter().map(|said| AssumedValue::of_file(said)).collect(),
        spread: Some(spread).filter(|spread| !spread.odds.is_empty()),
        ..Import::new(ImportKind::Run, links::encode(&run.scenario), summarise_run(&run), String::new())
    };
    let no_model = (!has_model).then(|| NO_MODEL.to_owned());
    let unread = if base.assumes { None } else { unread_question(&run.unread) };
    brought.ask(unread.into_iter().chain(no_model).collect());
    Ok(brought)
}

/// Returns the sentence about keys that were not read and may decide; `None` if there are none.
pub fn unread_question(unread: &[String]) -> Option<String> {
    let shown: Vec<_> = unread.iter().take(MOST_NAMED).map(|line| visible(line.trim_end_matches('.'))).collect();
    let more = match unread.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    (!shown.is_empty()).then(|| format!("{UNREAD}: {}{more}. So there is no verdict.", shown.join("; ")))
}

/// Heading of the keys that were not read and may decide.
pub const UNREAD: &str = "Not read, and it may decide";
/// Most of these keys that the sentence names.
const MOST_NAMED: usize = 8;
/// Returns the model of files that describe no run, set in the present scenario.
fn model_alone(run: &Run, base: &Base) -> Import {
    let mut scenario = base.scenario.with_model(run.scenario.model);
    for (key, value) in &base.over {
        // Issues of these values were reported when the base was read.
        let _ = links::put(&mut scenario, key, value);
    }
    let size = format::params(scenario.model.size());
    let said = format!(
        "A model of {size} parameters, of {}, and no run: no batch, length, optimizer or GPUs are said. The model is set.",
        program_names(run)
    );
    Import {
        understood: run.understood.iter().map(described).collect(),
        ignored: run.ignored.clone(),
        unread: run.unread.clone(),
        ..Import::new(ImportKind::Model, links::encode(&scenario), said, String::new())
    }
}

/// Returns an understood key with its meaning.
fn described(line: &UnderstoodKey) -> String {
    format!("{} = {}: {}", line.key, line.value, line.meaning)
}

/// Heading of the contradictions.
pub const CONTRADICTS: &str = "Contradicts itself";
/// Question about a run whose model is unknown.
const NO_MODEL: &str =
    "The model is not known, so there is no verdict: name one of the catalog, or add its config.json.";

/// Writes the summary of the import: `A run of Axolotl with DeepSpeed: 14 keys understood, 3
/// ignored.`
fn summarise_run(run: &Run) -> String {
    let [understood, ignored] = [run.understood.len(), run.ignored.len()].map(|count| format::count(count as f64));
    let keys = if run.understood.len() == 1 { "key" } else { "keys" };
    let unread = match run.unread.len() {
        0 => String::new(),
        count => format!(", {} not read", format::count(count as f64)),
    };
    format!("A run of {}: {understood} {keys} understood, {ignored} ignored{unread}.", program_names(run))
}

/// Returns the names of a run's programs: `Axolotl with DeepSpeed`.
fn program_names(run: &Run) -> String {
    let mut names: Vec<&str> = Vec::with_capacity(run.formats.len());
    for format in &run.formats {
        if !names.contains(&format.name()) {
            names.push(format.name());
        }
    }
    names.join(" with ")
}

/// Writes the fix of a finding into the files, reads them again and returns the offer.
fn offer(finding: &Finding, run: &Run, files: &[File], base: &Base) -> SuggestedChange {
    let mut what = finding.what.clone();
    let mut written = files.to_vec();
    for (place, file) in written.iter_mut().enumerate() {
        let changes: Vec<_> = finding.fix.iter().filter(|change| change.file == place).cloned().collect();
        if !changes.is_empty() {
            file.text = write_back(file, &changes);
        }
    }
    let edits: Vec<Edit> = finding.fix.iter().filter_map(|change| edit(change, files)).collect();
    for edit in &edits {
        let from = edit.from.as_deref().map_or_else(String::new, |from| format!("{from} → "));
        let to = edit.to.as_deref().unwrap_or("left out");
        let line = edit.line.map_or_else(String::new, |line| format!(" (line {line})"));
        what = format!("{what} {}: {from}{to}{line}.", edit.key);
    }
    let scenario = (!finding.fix.is_empty()).then(|| read_run(&written, base).ok()).flatten();
    let differing =
        written.into_iter().zip(files).filter(|(new, old)| new != *old).map(|(new, _)| (new.name, new.text));
    let (file, line) = place(finding, &edits, run, files);
    SuggestedChange {
        file,
        line,
        code: Some(finding.code.to_owned()),
        severity: Some(finding.severity),
        what,
        scenario: scenario.map(|run| links::encode(&run.scenario)),
        files: differing.collect(),
        changes: finding.changes,
        gain: finding.gain,
        edits,
    }
}

/// Letters of degrees of parallelism, with the word for them in keys. The last of a product is the
/// first that is looked at.
const DEGREES: [(&str, &str); 4] = [("ep", "expert"), ("pp", "pipeline"), ("tp", "tensor"), ("cp", "context")];

/// Returns the file and the line of a finding: of the first key that it alters, else of the first
/// that its sentence names, else of the model, else of the first that was understood.
fn place(finding: &Finding, edits: &[Edit], run: &Run, files: &[File]) -> (String, Option<usize>) {
    if let Some(edit) = edits.iter().find(|edit| edit.line.is_some()) {
        return (edit.file.clone(), edit.line);
    }
    let plain = |word: &str| word.trim_start_matches('-').replace('-', "_").to_lowercase();
    let words = finding.what.split(|sign: char| !(sign.is_alphanumeric() || "_-.".contains(sign)));
    // A degree is named by its letters, or by its key.
    let words: Vec<String> = words.map(plain).collect();
    let has = |word: &str| words.iter().any(|one| one == word);
    let is_named = |key: &str| {
        let last = plain(key.rsplit('.').next().unwrap_or(key));
        has(&last)
            || DEGREES.iter().any(|(letters, name)| has(letters) && last.contains(name) && last.contains("parallel"))
    };
    let of_model = run.understood.iter().filter(|key| key.meaning.starts_with("Model "));
    let named = run.understood.iter().filter(|key| edits.is_empty() && is_named(&key.key));
    let mut keys = named.chain(of_model).chain(run.understood.first());
    let found = keys.find_map(|key| {
        let file = files.get(key.file)?;
        Some((file.name.clone(), Some(run::line_of(file, &key.key)?)))
    });
    let first = || (files.first().map(|file| file.name.clone()).unwrap_or_default(), None);
    edits.first().map(|edit| (edit.file.clone(), None)).or(found).unwrap_or_else(first)
}

/// Returns a change of a finding with its file and line.
fn edit(change: &Change, files: &[File]) -> Option<Edit> {
    let file = files.get(change.file)?;
    let line = change.from.as_ref().and_then(|_| run::line_of(file, &change.key));
    Some(Edit {
        file: file.name.clone(),
        key: change.key.clone(),
        from: change.from.clone(),
        to: Some(change.to.clone()).filter(|to| !to.is_empty()),
        line,
    })
}
