//! Reads the configuration of a run from the files of a framework into a scenario, with lists of
//! understood, assumed and ignored values.
//!
//! A file is parsed into keys and values (`tree`: YAML, JSON, TOML, Python, shell); its keys
//! identify its [`Program`]; the reader of the program reads keys by name (`keys`) into a
//! scenario under construction (`draft`). Keys that never change memory or speed are not listed
//! (`ignored_keys`); all other keys that no reader asked for are listed as ignored.
//!
//! [`lint()`] suggests changes, and [`write_back`] changes values in the text of a file and keeps
//! the rest of its lines.

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
mod named;
mod own_configs;
mod program;
mod refusal;
mod refusals;
mod several;
mod sharding;
mod spelling;
mod tree;
mod unread;

use catalog::programs::{Part, Program};
use catalog::releases::{Known, find, newest_of};
use engine::model::software::Framework;
use engine::params::ParamId;
use engine::scenario::Scenario;
use engine::scenario::issue::Severity as IssueSeverity;
use links::v1::{NODES_KEY, RELEASE_KEY};
use links::{encode, put};
use serde::{Deserialize, Serialize, Serializer};

pub use alternatives::{Spread, spread};
pub use edit::{Change, write_back};
pub(crate) use lint::change_code;
pub use lint::{
    ASSERTION, Changes, DOES_NOT_FIT, Finding, RULES, Rule, Severity, TIGHT, explain, lint, prefixes, rule, rules_table,
};
pub use named::named_files;
pub(crate) use tree::may_be_json;
pub use tree::split_function;

use draft::Draft;
use keys::Keys;
pub(crate) use refusal::Refusal;
use tree::Tree;

/// The most files that are read at once.
pub const MOST_FILES: usize = 16;

/// A text file with its name; the name may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl File {
    /// Creates a file from a name and a text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// A key that was understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnderstoodKey {
    /// The index of its file.
    pub file: usize,
    /// The key as written in the file, outermost part first.
    pub key: String,
    /// The value as written in the file.
    pub value: String,
    /// Meaning in the scenario: a parameter and its value.
    pub meaning: String,
}

/// Values for what the files do not state, and values set by hand.
#[derive(Clone, Debug)]
pub struct Base {
    /// Values for what files do not state: the cluster, the number of GPUs, the model, the price.
    pub scenario: Scenario,
    /// Values set by hand under keys of links; they take precedence over the files.
    pub over: Vec<(String, String)>,
    /// Whether keys that were not read and may decide are passed over.
    pub assumes: bool,
}

impl Base {
    /// Returns the number of GPUs that was set by hand.
    fn gpus_by_hand(&self) -> Option<u32> {
        let mut scenario = self.scenario;
        let mut by_hand = None;
        for (key, value) in &self.over {
            let _ = put(&mut scenario, key, value);
            if key == ParamId::Gpus.key() || key == NODES_KEY {
                by_hand = Some(scenario.gpus);
            }
        }
        by_hand
    }

    /// Whether a parameter was set by hand.
    fn sets(&self, id: ParamId) -> bool {
        self.over.iter().any(|(key, _)| key == id.key())
    }
}

impl From<&Scenario> for Base {
    fn from(scenario: &Scenario) -> Self {
        Self { scenario: *scenario, over: Vec::new(), assumes: false }
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
    /// The program of each file.
    #[serde(serialize_with = "as_names")]
    pub formats: Vec<Program>,
    /// The scenario; serialised as its link.
    #[serde(rename = "link", serialize_with = "as_link")]
    pub scenario: Scenario,
    /// Understood keys, in the order of the files.
    pub understood: Vec<UnderstoodKey>,
    /// Assumptions about values that no file states: sentences.
    pub assumed: Vec<String>,
    /// Keys that were not read and whose names are none of what decides.
    pub ignored: Vec<String>,
    /// Keys that were not read and may decide memory or speed, as `key = value`: there is no
    /// verdict while there is one.
    pub unread: Vec<String>,
    /// Contradictory or impossible values, each with the value used instead: sentences.
    pub contradictions: Vec<String>,
    /// Facts that decide whether the run fits and that no file states.
    pub open: Vec<MissingValue>,
    /// Values set by hand that replaced values of the files: `seq = 8k`.
    pub overruled: Vec<String>,
    /// Whether the files describe a model and no run: no batch, length, optimizer or count of
    /// GPUs.
    #[serde(skip)]
    pub is_model_alone: bool,
    /// Parameters that files set.
    #[serde(skip)]
    said: Vec<ParamId>,
    /// Whether the newest release of the program was assumed.
    #[serde(skip)]
    takes_newest: bool,
    /// Whether the stated length is the one at which texts are cut off: they may all be shorter.
    #[serde(skip)]
    has_cut_off: bool,
    /// Whether a file names the GPU.
    #[serde(skip)]
    pub names_gpu: bool,
    /// The model that a file names and the catalog lacks.
    #[serde(skip)]
    pub unknown_model: Option<String>,
    /// Whether DDP on several GPUs was assumed, as no file names the sharding.
    #[serde(skip)]
    assumes_ddp: bool,
}

/// A fact that decides whether a run fits, which no file states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingValue {
    /// The model: none is named, or an unknown one.
    Model,
    /// The number of GPUs.
    Gpus,
    /// The sequence length, if the framework has no default either.
    Length,
}

impl MissingValue {
    /// Returns the key in links.
    const fn key(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Gpus => "gpus",
            Self::Length => "seq",
        }
    }
}

fn as_names<S: Serializer>(programs: &[Program], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(programs.iter().map(|program| program.name()))
}

fn as_link<S: Serializer>(scenario: &Scenario, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&encode(scenario))
}

/// Reads the files of one run; values that no file states stay as in `base`: the cluster, the
/// number of GPUs, the model, the price.
///
/// # Errors
///
/// A sentence if a file is empty, too large, binary or in an unsupported syntax, or if no file is
/// the configuration of a run.
///
/// ```
/// use catalog::default_scenario;
/// use catalog::programs::{Part, Program};
/// use files::run::{File, read_run};
///
/// let file = File::new("run.yaml", "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 2\n");
/// let run = read_run(&[file], &default_scenario()).unwrap();
/// assert_eq!((run.formats[0], run.scenario.seq_len, run.scenario.micro_batch_size), (Program::Axolotl, 4096, 2));
/// ```
pub fn read_run(files: &[File], base: impl Into<Base>) -> Result<Run, String> {
    read_or_refuse(files, &base.into()).map_err(|refusal| refusal.sentence)
}

/// Returns every key of a file with its value as written, to compare a changed file with the
/// original.
///
/// # Errors
///
/// A sentence if the file is empty, too long, binary, or does not parse.
///
/// ```
/// use files::run::{File, values};
///
/// let values = values(&File::new("a.yaml", "a:\n  b: 1 # one\nc: 'x'\n")).unwrap();
/// assert_eq!(values, [("a.b".into(), "1".into()), ("c".into(), "x".into())]);
/// ```
pub fn values(file: &File) -> Result<Vec<(String, String)>, String> {
    Ok(tree::parse_file(file)?.entries.into_iter().map(|entry| (entry.path, entry.value.shown())).collect())
}

/// Returns the line of a key's value in a file, from 1; `None` if the file has no such key.
pub(crate) fn line_of(file: &File, key: &str) -> Option<usize> {
    let tree = tree::parse_file(file).ok()?;
    let start = tree.entries.get(keys::place(&tree, key)?)?.span.clone()?.start;
    Some(file.text.get(..start)?.matches('\n').count() + 1)
}

/// Whether a file is a configuration of a known program, with a reader or without, or continues
/// another file.
pub(crate) fn is_known(file: &File) -> bool {
    let continues = || {
        let starts = |tree: &Tree| named::is_script(file) && named::started(tree).next().is_some();
        let names = |tree: &Tree| !named::continued(tree).is_empty() || starts(tree);
        tree::parse_file(file).is_ok_and(|tree| names(&tree))
    };
    parse_with_format(file).map_or_else(|refusal| refusal.is_certain || continues(), |_| true)
}

/// Whether a file is a run of its own, by its program.
pub(crate) fn is_whole(file: &File) -> bool {
    parse_with_format(file).is_ok_and(|(_, program)| program.part() == Part::Run)
}

/// Parses a file and returns its program.
fn parse_with_format(file: &File) -> Result<(Tree, Program), Refusal> {
    let mut tree = match (tree::parse_file(file), format::refused(&file.text)) {
        (Ok(tree), _) => tree,
        (Err(_), Some(refusal)) => return Err(refusal),
        (Err(said), None) => return Err(Refusal::unknown(said)),
    };
    if let Some(program) = own_configs::continue_own(&mut tree, &file.text) {
        return Ok((tree, program));
    }
    if let Some(script) = &tree.inner {
        let format =
            format::recognise(&tree, script).map_err(|refusal| refuse_by_outer_keys(file).unwrap_or(refusal))?;
        return Ok((tree, format));
    }
    // A script without keys may identify its program by a command or an import.
    let format = format::recognise(&tree, &file.text).map_err(|refusal| match tree.entries.as_slice() {
        [] if !refusal.is_certain => {
            Refusal::unknown(format!("{} has no keys with values: it is no configuration of a run.", tree.name))
        }
        _ => refusal,
    })?;
    Ok((tree, format))
}

/// Returns the refusal of a file by its outer keys, if the script inside it belongs to no program.
fn refuse_by_outer_keys(file: &File) -> Option<Refusal> {
    let tree = tree::read_as_written(file).ok()?;
    format::recognise(&tree, &file.text).err().filter(|refusal| refusal.is_certain)
}

/// Returns a file that its own keys do not tell, of the program of the file that it continues.
fn known_by_base(file: &File, parsed: &[Result<(Tree, Program), Refusal>]) -> Option<(Tree, Program)> {
    let tree = tree::parse_file(file).ok().filter(|_| parsed.len() > 1)?;
    let started = named::started(&tree).filter(|_| named::is_script(file));
    let names: Vec<String> = named::continued(&tree).into_iter().chain(started).collect();
    let is_base = |base: &Tree| base.name != tree.name && names.iter().any(|name| named::is_named(&base.name, name));
    let program = parsed.iter().flatten().find_map(|(base, program)| is_base(base).then_some(*program))?;
    Some((tree, program))
}

/// Parses files and returns their programs.
fn parse_files(files: &[File], base: &Base) -> Result<(Vec<Tree>, Vec<Program>), Refusal> {
    if files.is_empty() {
        return Err(Refusal::unknown("The input is empty: paste or drop the configuration of a run.".into()));
    }
    if files.len() > MOST_FILES {
        let said = format!("These are {} files, and a run has {MOST_FILES} at most.", files.len());
        return Err(Refusal::unknown(said));
    }
    let mut parsed: Vec<Result<(Tree, Program), Refusal>> = files.iter().map(parse_with_format).collect();
    for place in 0..files.len() {
        if let Some(known) = files.get(place).and_then(|file| known_by_base(file, &parsed))
            && let Some(one) = parsed.get_mut(place).filter(|one| one.as_ref().is_err_and(|said| !said.is_certain))
        {
            *one = Ok(known);
        }
    }
    let told = files.iter().zip(parsed).map(|(file, parsed)| {
        parsed.map_err(|refusal| match files {
            [_] if refusal.is_certain => refusal,
            [file] => named::only_starts(file).unwrap_or(refusal),
            // Several files: name the one with the problem.
            _ => Refusal { sentence: format!("{}: {}", file.name, refusal.sentence), ..refusal },
        })
    });
    let (mut trees, formats): (Vec<Tree>, Vec<Program>) = told.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    named::continue_bases(&mut trees, &formats);
    several::refuse_two_runs(&trees, &formats, files, base)?;
    Ok((trees, formats))
}

/// Reads files like [`read_run`]; the error states whether the files were recognised.
pub(crate) fn read_or_refuse(files: &[File], base: &Base) -> Result<Run, Refusal> {
    let (trees, formats) = parse_files(files, base)?;
    assembled(&trees, &formats, files, base)
}

/// Prefixes a sentence with the name of its file, if there are several files.
fn prefix_file_name(said: &str, place: usize, files: &[File]) -> String {
    match files.get(place) {
        Some(file) if files.len() > 1 && !file.name.is_empty() => format!("{}: {said}", file.name),
        _ => said.to_owned(),
    }
}

/// Builds the run of parsed files.
fn assembled(trees: &[Tree], formats: &[Program], files: &[File], base: &Base) -> Result<Run, Refusal> {
    let mut base = base.clone();
    // Files are read at the release that is set by hand.
    let by_hand = base.over.iter().rev().find_map(|(key, value)| (key == RELEASE_KEY).then(|| find(value))?);
    if let Some(release) = by_hand {
        base.scenario.release = Some(Known(release));
    } else {
        // The newest release in the base comes from an earlier import, not from the user.
        base.scenario.release = base.scenario.release.filter(|Known(release)| release.id != newest_of(release).id);
    }
    let first = assemble_run_after(trees, formats, files, &base, &base.scenario)?;
    // Defaults of a program may depend on its settings, which are known from the first reading.
    let depends = first.scenario.release.is_some_and(|Known(release)| release.depends());
    if depends || first.scenario.framework == Framework::DeepSpeed {
        return assemble_run_after(trees, formats, files, &base, &first.scenario);
    }
    Ok(first)
}

/// Builds the run of parsed files; `chosen` is the scenario of an earlier reading.
fn assemble_run_after(
    trees: &[Tree],
    formats: &[Program],
    files: &[File],
    base: &Base,
    chosen: &Scenario,
) -> Result<Run, Refusal> {
    let mut draft = Draft::new(&base.scenario, formats, chosen);
    draft.names = files.iter().map(|file| file.name.clone()).collect();
    draft.gpus_by_hand = base.gpus_by_hand();
    // Models first, launchers and the files they refer to last.
    let mut order: Vec<usize> = (0..trees.len()).collect();
    order.sort_by_key(|place| formats.get(*place).map(|program| program.part()));
    let (mut ignored, mut unread, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    let (mut hints, mut read_keys) = (Vec::new(), Vec::new());
    for place in order {
        if let (Some(tree), Some(format), Some(file)) = (trees.get(place), formats.get(place), files.get(place))
            && !tree.is_base
        {
            draft.assumed.extend(tree.remarks.iter().cloned());
            let mut keys = Keys::new(tree, place);
            formats::read_by_format(*format, &mut keys, &mut draft, file).map_err(Refusal::unknown)?;
            refusals::report(*format, &keys, &mut draft);
            let unused = keys.unused(*format, tree.inner.as_deref().unwrap_or(&file.text));
            ignored.extend(unused.ignored);
            unread.extend(unused.unread);
            unknown.extend(unused.unknown);
            keys.wrong(draft.gpus_by_hand.is_some())
                .into_iter()
                .for_each(|said| draft.contradict(prefix_file_name(&said, place, files)));
            let stem = file.name.rsplit_once('.').map_or(file.name.as_str(), |(stem, _)| stem);
            hints.extend(keys.scope().map(models::spelled));
            hints.push(models::spelled(stem));
            read_keys.push(keys);
        }
    }
    draft.model_by_hint(&hints);
    batch::finish(&mut draft);
    let mut understood = core::mem::take(&mut draft.understood);
    let besides: Vec<UnderstoodKey> =
        read_keys.iter().flat_map(|keys| keys.keys_used_indirectly(&understood)).collect();
    understood.extend(besides);
    understood.sort_by_key(|line| line.file);
    ignored.dedup();
    unread.dedup();
    // Of a file that is mostly unknown, any key may decide.
    if unknown.len() + unread.len() > understood.len() {
        ignored.retain(|key| unknown.iter().all(|(other, _)| other != key));
        unread.append(&mut unknown);
    }
    let mut all_unread = core::mem::take(&mut draft.unread);
    // A sentence that asks for a value, as `(frozen=20)`, is answered where that is set by hand.
    all_unread.retain(|line| !base.over.iter().any(|(key, _)| line.contains(&format!("({key}="))));
    all_unread.extend(unread.into_iter().map(|(_, line)| line));
    let framework = ParamId::Framework.option(&draft.scenario);
    draft.scenario.release = draft.scenario.release.filter(|release| release.0.runs_on(framework));
    let mut overruled = Vec::new();
    for (key, value) in &base.over {
        let before = draft.scenario;
        // The files were already read at this release.
        if key == RELEASE_KEY && before.release == base.scenario.release {
            overruled.push(format!("{key} = {value}"));
            continue;
        }
        // Issues of these values were reported when the base was read.
        let _ = put(&mut draft.scenario, key, value);
        if draft.scenario != before {
            overruled.push(format!("{key} = {value}"));
        }
        draft.open.retain(|open| open.key() != key);
    }
    // Of the run as it will be, with the values that were set by hand.
    for issue in draft.scenario.issues() {
        // Degrees that do not divide the GPUs are said already, with their keys.
        let is_said = issue.key.is_some_and(|key| ["tp", "cp", "pp"].contains(&key))
            && draft.contradictions.iter().any(|said| said.starts_with(batch::DEGREES));
        if issue.severity == IssueSeverity::Error && !is_said {
            draft.contradict(issue.message);
        }
    }
    let is_by_hand = base.sets(ParamId::Strategy);
    let assumes_ddp = !is_by_hand && sharding::assumes_ddp(&draft);
    if assumes_ddp {
        draft.assumed.insert(0, sharding::assumption(&draft.scenario));
    } else if !is_by_hand {
        draft.assumed.extend(sharding::by_launcher(&draft));
    }
    let has_cut_off = draft.has_cut_off();
    Ok(Run {
        formats: formats.to_vec(),
        scenario: draft.scenario,
        understood,
        assumed: draft.assumed,
        ignored,
        unread: all_unread,
        is_model_alone: draft.is_model_alone,
        contradictions: draft.contradictions,
        open: draft.open,
        overruled,
        said: draft.said,
        takes_newest: draft.takes_newest,
        has_cut_off,
        names_gpu: draft.names_gpu,
        unknown_model: draft.unknown_model.filter(|_| !draft.has_model),
        assumes_ddp,
    })
}
