//! Reads the configuration of a run, as a framework's own files have it, into a scenario: what was
//! understood, what was assumed and what was ignored.
//!
//! A file is taken apart into keys and values (`tree`: YAML, JSON, TOML, Python, shell); its keys
//! say whose it is ([`Format`]); the module of the format reads them by name (`keys`) into a
//! scenario that is being made (`draft`). Keys that never change memory or speed are known and not
//! listed (`ignored_keys`); all others that no one asked for are ignored, and said so.
//!
//! [`lint()`] says what the engine would do otherwise, and [`write_back`] changes the text of a
//! file, line by line as it was.

mod alternatives;
mod batch;
mod difference;
mod draft;
mod edit;
mod format;
mod formats;
mod ignored_keys;
mod key_values;
mod keys;
mod lint;
mod models;
mod program;
mod refusal;
mod several;
mod spelling;
mod tree;

use engine::catalog::releases::{Known, find};
use engine::model::software::Framework;
use engine::params::ParamId;
use engine::scenario::Scenario;
use engine::share::v1::RELEASE_KEY;
use engine::share::{encode, put};
use serde::{Deserialize, Serialize, Serializer};

pub use alternatives::{Spread, spread};
pub use edit::{Change, write_back};
pub use format::Format;
pub(crate) use lint::of_change;
pub use lint::{Changes, Finding, RULES, Rule, Severity, explain, lint, prefixes, rule, rules_table};
pub use tree::of_function;

use draft::Draft;
use keys::Keys;
pub(crate) use refusal::Refusal;
use tree::Tree;

/// The most files that are read at once.
pub const MOST_FILES: usize = 16;

/// A file as text, with the name that it came under; the name may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl File {
    /// A file of a name and a text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// A key that was understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The index of its file.
    pub file: usize,
    /// The key as the file has it, from the outermost in.
    pub key: String,
    /// The value as the file has it.
    pub value: String,
    /// What the scenario makes of it: a parameter and its value.
    pub meaning: String,
}

/// What a run is read over, and what is laid over it.
#[derive(Clone, Debug)]
pub struct Base {
    /// What files do not say: the cluster, the number of GPUs, the model, the price.
    pub scenario: Scenario,
    /// Values set by hand under keys of links, which count more than what files say.
    pub over: Vec<(String, String)>,
}

impl From<&Scenario> for Base {
    fn from(scenario: &Scenario) -> Self {
        Self { scenario: *scenario, over: Vec::new() }
    }
}

impl From<&Self> for Base {
    fn from(base: &Self) -> Self {
        base.clone()
    }
}

/// A run that was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// The format of each file.
    pub formats: Vec<Format>,
    /// The scenario; serialised as its link.
    #[serde(rename = "link", serialize_with = "as_link")]
    pub scenario: Scenario,
    /// What was understood, in the order of the files.
    pub understood: Vec<Line>,
    /// What no file says and was assumed: sentences.
    pub assumed: Vec<String>,
    /// Keys that have a value and no meaning here.
    pub ignored: Vec<String>,
    /// What contradicts itself or cannot be, and what was used instead: sentences.
    pub contradictions: Vec<String>,
    /// What decides whether it fits and no file says.
    pub open: Vec<Unsaid>,
    /// What was set by hand in place of what files say: `seq = 8k`.
    pub overruled: Vec<String>,
    /// The parameters that files say.
    #[serde(skip)]
    said: Vec<ParamId>,
    /// Whether the newest release of its program was taken.
    #[serde(skip)]
    takes_newest: bool,
}

/// What decides whether a run fits, where no file says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unsaid {
    /// Which model it is: none is named, or one that is not known.
    Model,
    /// How many GPUs.
    Gpus,
    /// How long sequences are, where the framework has no default either.
    Length,
}

impl Unsaid {
    /// Its key in links.
    const fn key(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Gpus => "gpus",
            Self::Length => "seq",
        }
    }
}

fn as_link<S: Serializer>(scenario: &Scenario, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&encode(scenario))
}

/// Reads the files of one run; what they do not say stays as it is in `base`: the cluster, the
/// number of GPUs, the model, the price.
///
/// # Errors
///
/// A sentence if a file is empty, too large, binary, or written in no way that is read, or if no
/// file is the configuration of a run.
///
/// ```
/// use engine::catalog::default_scenario;
/// use files::run::{File, Format, read};
///
/// let file = File::new("run.yaml", "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 2\n");
/// let run = read(&[file], &default_scenario()).unwrap();
/// assert_eq!((run.formats[0], run.scenario.seq_len, run.scenario.micro_batch_size), (Format::Axolotl, 4096, 2));
/// ```
pub fn read(files: &[File], base: impl Into<Base>) -> Result<Run, String> {
    let base = &base.into();
    let read = taken_apart(files, base).and_then(|(trees, formats)| assembled(&trees, &formats, files, base));
    read.map_err(|refusal| refusal.sentence)
}

/// Returns every key of a file with its value, as the file has them: what is written back is held
/// against it.
///
/// # Errors
///
/// A sentence: it is empty, too long, binary, or cannot be read as what it looks like.
///
/// ```
/// use files::run::{File, values};
///
/// let values = values(&File::new("a.yaml", "a:\n  b: 1 # one\nc: 'x'\n")).unwrap();
/// assert_eq!(values, [("a.b".into(), "1".into()), ("c".into(), "x".into())]);
/// ```
pub fn values(file: &File) -> Result<Vec<(String, String)>, String> {
    Ok(tree::read(file)?.entries.into_iter().map(|entry| (entry.path, entry.value.shown())).collect())
}

/// Whether a file is a configuration of a program that is known, read here or not.
pub(crate) fn is_known(file: &File) -> bool {
    told(file).map_or_else(|refusal| refusal.is_certain, |_| true)
}

/// A file taken apart, and its format.
fn told(file: &File) -> Result<(Tree, Format), Refusal> {
    let tree = match (tree::read(file), format::refused(&file.text)) {
        (Ok(tree), _) => tree,
        (Err(_), Some(refusal)) => return Err(refusal),
        (Err(said), None) => return Err(Refusal::unknown(said)),
    };
    if let Some(script) = &tree.inner {
        let format = format::of(&tree, script).map_err(|refusal| outer(file).unwrap_or(refusal))?;
        return Ok((tree, format));
    }
    // A script may tell its program by a command or an import alone.
    let format = format::of(&tree, &file.text).map_err(|refusal| match tree.entries.as_slice() {
        [] if !refusal.is_certain => {
            Refusal::unknown(format!("{} has no keys with values: it is no configuration of a run.", tree.name))
        }
        _ => refusal,
    })?;
    Ok((tree, format))
}

/// Why a file is not read whose script is of no program: by what it is itself.
fn outer(file: &File) -> Option<Refusal> {
    let tree = tree::read_as_written(file).ok()?;
    format::of(&tree, &file.text).err().filter(|refusal| refusal.is_certain)
}

/// Files taken apart, with their formats.
fn taken_apart(files: &[File], base: &Base) -> Result<(Vec<Tree>, Vec<Format>), Refusal> {
    if files.is_empty() {
        return Err(Refusal::unknown("There is nothing to read: paste or drop the configuration of a run.".into()));
    }
    if files.len() > MOST_FILES {
        let said = format!("These are {} files, and a run has {MOST_FILES} at most.", files.len());
        return Err(Refusal::unknown(said));
    }
    let told = files.iter().map(|file| {
        told(file).map_err(|refusal| match files {
            [_] => refusal,
            // Of several files, which one it is.
            _ => Refusal { sentence: format!("{}: {}", file.name, refusal.sentence), ..refusal },
        })
    });
    let (trees, formats): (Vec<Tree>, Vec<Format>) = told.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    several::refused(&trees, &formats, files, base)?;
    Ok((trees, formats))
}

/// The same as [`read`], with whether the files are known for what they are where they are no run,
/// and with what changes nothing told from what was taken into account.
pub(crate) fn read_or_refuse(files: &[File], base: &Base) -> Result<Run, Refusal> {
    let (trees, formats) = taken_apart(files, base)?;
    let mut run = assembled(&trees, &formats, files, base)?;
    let kept = run.understood.iter().enumerate().filter(|(_, line)| line.meaning == keys::TAKEN).take(MOST_TRIED);
    // Of what has no meaning of its own, what the scenario would be the same without.
    let idle: Vec<usize> = kept
        .filter(|(_, line)| {
            let without = without(&trees, line);
            let other = assembled(&without, &formats, files, base);
            // A model's own file is read whole, not by its keys.
            formats.get(line.file).is_some_and(|format| format.is_run() || format.turn() > 2)
                && other.is_ok_and(|other| other.scenario == run.scenario && other.contradictions == run.contradictions)
        })
        .map(|(place, _)| place)
        .collect();
    for place in idle {
        if let Some(line) = run.understood.get_mut(place) {
            keys::NO_CHANGE.clone_into(&mut line.meaning);
        }
    }
    Ok(run)
}

/// What is said of a file, with its name where there are others.
fn of_file(said: &str, place: usize, files: &[File]) -> String {
    match files.get(place) {
        Some(file) if files.len() > 1 && !file.name.is_empty() => format!("{}: {said}", file.name),
        _ => said.to_owned(),
    }
}

/// The most values that are tried without.
const MOST_TRIED: usize = 100;

/// Files without the value of a line.
fn without(trees: &[Tree], line: &Line) -> Vec<Tree> {
    let mut trees = trees.to_vec();
    let entries = trees.get_mut(line.file).map(|tree| &mut tree.entries);
    for entry in entries.into_iter().flatten().filter(|entry| entry.path == line.key) {
        entry.value = tree::Value::Null;
    }
    trees
}

/// The run of files that were taken apart.
fn assembled(trees: &[Tree], formats: &[Format], files: &[File], base: &Base) -> Result<Run, Refusal> {
    let mut base = base.clone();
    // A release that is chosen by hand is what the files are read at.
    let by_hand = base.over.iter().rev().find_map(|(key, value)| (key == RELEASE_KEY).then(|| find(value))?);
    if let Some(release) = by_hand {
        base.scenario.release = Some(Known(release));
    } else {
        // The newest is what another import left there.
        base.scenario.release = base.scenario.release.filter(|Known(release)| release.id != release.newest().id);
    }
    let first = assembled_after(trees, formats, files, &base, &base.scenario)?;
    // What a program does depends on what it was told, so that it is known in a second reading.
    let depends = first.scenario.release.is_some_and(|Known(release)| release.depends());
    if depends || first.scenario.framework == Framework::DeepSpeed {
        return assembled_after(trees, formats, files, &base, &first.scenario);
    }
    Ok(first)
}

/// The same, where the run was read as `chosen` before.
fn assembled_after(
    trees: &[Tree],
    formats: &[Format],
    files: &[File],
    base: &Base,
    chosen: &Scenario,
) -> Result<Run, Refusal> {
    let mut draft = Draft::new(&base.scenario, formats, chosen);
    draft.names = files.iter().map(|file| file.name.clone()).collect();
    // Models first, launchers and what they refer to last.
    let mut order: Vec<usize> = (0..trees.len()).collect();
    order.sort_by_key(|place| formats.get(*place).map_or(0, |format| format.turn()));
    let (mut ignored, mut hints, mut read_keys) = (Vec::new(), Vec::new(), Vec::new());
    for place in order {
        if let (Some(tree), Some(format), Some(file)) = (trees.get(place), formats.get(place), files.get(place)) {
            draft.assumed.extend(tree.remarks.iter().cloned());
            let mut keys = Keys::new(tree, place);
            formats::read(*format, &mut keys, &mut draft, file).map_err(Refusal::unknown)?;
            ignored.extend(keys.ignored(*format));
            keys.wrong().into_iter().for_each(|said| draft.contradict(of_file(&said, place, files)));
            let stem = file.name.rsplit_once('.').map_or(file.name.as_str(), |(stem, _)| stem);
            hints.extend(keys.scope().map(models::spelled));
            hints.push(models::spelled(stem));
            read_keys.push(keys);
        }
    }
    draft.model_by_hint(&hints);
    batch::finish(&mut draft);
    let mut understood = draft.understood;
    let besides: Vec<Line> = read_keys.iter().flat_map(|keys| keys.keys_used_indirectly(&understood)).collect();
    understood.extend(besides);
    understood.sort_by_key(|line| line.file);
    ignored.dedup();
    let framework = ParamId::Framework.option(&draft.scenario);
    draft.scenario.release = draft.scenario.release.filter(|release| release.0.runs_on(framework));
    let mut overruled = Vec::new();
    for (key, value) in &base.over {
        let before = draft.scenario;
        // The files were read at it.
        if key == RELEASE_KEY && before.release == base.scenario.release {
            overruled.push(format!("{key} = {value}"));
            continue;
        }
        // What is wrong with it was said when the base was read.
        let _ = put(&mut draft.scenario, key, value);
        if draft.scenario != before {
            overruled.push(format!("{key} = {value}"));
        }
        draft.open.retain(|open| open.key() != key);
    }
    Ok(Run {
        formats: formats.to_vec(),
        scenario: draft.scenario,
        understood,
        assumed: draft.assumed,
        ignored,
        contradictions: draft.contradictions,
        open: draft.open,
        overruled,
        said: draft.said,
        takes_newest: draft.takes_newest,
    })
}
