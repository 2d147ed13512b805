//! Inputs of a command: links, texts, files, and explicit values.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use analysis::plan::amount;
use api::files::{read_items, with_named};
use api::given::{Code, refuse};
use api::{Given, Open, Read, Reading, Refusal};
use clap::Args;
use engine::scenario::issue::{Issue, Severity};
use files::brought::{Account, Import, ImportKind, Item, Spread, UNREAD, unread_question};
use files::run::split_function;

use crate::spoken::{self, Spoken};
use crate::table::lines;

/// Values that count more than inputs, and how strictly these are read.
#[derive(Args, Clone, Default)]
pub(crate) struct Options {
    /// A value of the scenario, which counts more than what the inputs say: --set gpus=256 --set
    /// seq_len=32k
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Goes on where what decides the answer was not stated, and says first what it took
    #[arg(long)]
    pub(crate) assume: bool,
    /// Goes on where something cannot be read, as the page does with an old link, and says what
    #[arg(long)]
    pub(crate) lenient: bool,
}

/// A scenario, as it is named in the shell.
#[derive(Args)]
pub(crate) struct Input {
    /// A link, its fragment, a scenario in JSON, or files; `-` for standard input
    #[arg(value_name = "INPUT", required_unless_present = "set")]
    inputs: Vec<String>,
    #[command(flatten)]
    options: Options,
}

/// Additional results from files.
#[derive(Default)]
pub(crate) struct Came {
    /// Description of the files, in a sentence.
    pub(crate) said: String,
    /// The run over likely values for what the files leave open.
    pub(crate) spread: Option<Spread>,
    /// The lists of what was assumed, understood, ignored and not read.
    pub(crate) account: Option<Account>,
}

/// Argument for standard input.
pub(crate) const STANDARD: &str = "-";
/// Maximum bytes of one input; configurations, logs and snapshots that are supported are smaller.
const MOST_BYTES: u64 = 64 << 20;

/// The inputs by kind.
struct Parts {
    /// Text of a scenario.
    text: String,
    /// Content of files and standard input.
    items: Vec<Item>,
    /// Explicitly set values.
    set: Vec<(String, String)>,
}

impl Parts {
    fn given(&self, reading: Reading) -> Given<'_> {
        Given { text: &self.text, set: &self.set, reading }
    }
}

impl Input {
    /// Creates an input from its parts.
    pub(crate) fn new(inputs: Vec<String>, options: Options) -> Self {
        Self { inputs, options }
    }

    /// Reads the scenario, with additional results from files, and checks that the values in
    /// `asked`, which decide the answer, are stated.
    pub(crate) fn read_scenario(&self, asked: &[Open]) -> Result<(Read, Came), String> {
        let parts = self.parts()?;
        let given = parts.given(self.reading());
        if parts.items.is_empty() {
            let read = given.answerable(asked).map_err(with_hint)?;
            return Ok((read, Came::default()));
        }
        let (brought, mut read) = read_items(&parts.items, &given).map_err(|refusal| refusal.to_string())?;
        let contradictions = &brought.contradictions;
        if self.reading() == Reading::Strict {
            if !contradictions.is_empty() {
                let hint = "Fix it, or add --assume to use the values named here.";
                return Err(format!("{} {hint}", contradictions.join(" ")));
            }
            refuse(&read.issues).map_err(with_hint)?;
        }
        let assumes = self.reading() == Reading::Assuming;
        let unread = unread_question(&brought.unread).filter(|_| brought.kind != ImportKind::Sentence);
        let open = read.open(asked, self.reading());
        if let Some(unread) = unread.as_ref().filter(|_| !assumes) {
            // Asked together with what else is missing.
            let open = open.map_or_else(|refusal| format!(" {refusal}"), |()| String::new());
            return Err(format!("{unread}{open}{HINT}"));
        }
        // What a text is stands before the question that it leaves open, or alone: an error that is
        // not of the run's memory leaves none.
        open.map_err(|refusal| match brought.kind {
            ImportKind::Error if brought.missing.is_empty() => brought.said.clone(),
            ImportKind::Error | ImportKind::Rates | ImportKind::Measured => {
                format!("{} {}", brought.said, with_hint(refusal))
            }
            _ => with_hint(refusal),
        })?;
        // A scenario from a file needs no description.
        let said = if brought.kind == ImportKind::Scenario { "" } else { brought.said.as_str() };
        let account = brought.account();
        let is_run = brought.kind != ImportKind::Scenario;
        // What was taken without being given stands among the issues.
        let is_new = |said: &&String| read.issues.iter().all(|issue| issue.message != **said);
        let assumed = account.assumed.iter().filter(is_new).map(|said| format!("Assumed: {said}"));
        let unread = brought.unread.iter().map(|key| format!("{UNREAD}: {key}"));
        let said = unread.chain([said.to_owned()]).chain(assumed).filter(|line| !line.is_empty());
        let said = said.collect::<Vec<_>>().join("\n");
        Ok((read, Came { said, spread: brought.spread, account: Some(account).filter(|_| is_run) }))
    }

    /// Reads the scenario; without an input it is the calculator's first one.
    pub(crate) fn read_or_default(&self) -> Result<(Read, Came), String> {
        if self.inputs.is_empty() && self.options.set.is_empty() {
            return Ok((Read::parse("v=1"), Came::default()));
        }
        self.read_scenario(&[Open::Model])
    }

    /// Reads a natural-language sentence, if that is the input.
    pub(crate) fn spoken(&self) -> Result<Option<(Read, Spoken)>, String> {
        let [text] = self.inputs.as_slice() else { return Ok(None) };
        if !spoken::is_one(text) {
            return Ok(None);
        }
        let spoken = Spoken::parse(text, self.options.lenient)?;
        let mut read = Read::parse(&spoken.read.link);
        let set = self.parts_set()?;
        for (key, value) in api::given::in_order(&set) {
            read.set(key, value);
        }
        read.finish();
        if !self.options.lenient {
            refuse(&read.issues).map_err(|refusal| refusal.message)?;
        }
        Ok(Some((read, spoken)))
    }

    /// Checks the text of a scenario and explicit values before any file is read.
    pub(crate) fn check(&self) -> Result<(), String> {
        let parts = self.parts()?;
        parts.given(self.reading()).read_scenario().map(drop).map_err(|refusal| refusal.to_string())
    }

    /// Reads the files for the scenario from texts and explicit values. Also returns the content of
    /// the files.
    pub(crate) fn import_files(&self) -> Result<(Import, Vec<Item>), String> {
        let parts = self.parts()?;
        if parts.items.is_empty() {
            // Report errors in the other inputs first.
            parts.given(self.reading()).read_scenario().map_err(|refusal| refusal.to_string())?;
            return Err(
                "No file was given: give the files to read, and a link or --set for values that they lack.".into()
            );
        }
        let (brought, _) =
            read_items(&parts.items, &parts.given(self.reading())).map_err(|refusal| refusal.to_string())?;
        Ok((brought, parts.items))
    }

    /// Returns the mode of reading.
    fn reading(&self) -> Reading {
        Reading::from_switches(!self.options.lenient, self.options.assume)
    }

    /// Splits the inputs into the text of a scenario, files, and explicit values.
    fn parts(&self) -> Result<Parts, String> {
        let (mut texts, mut items) = (Vec::new(), Vec::new());
        let mut paths = Vec::new();
        for input in &self.inputs {
            // A file that is named twice is one file.
            let (path, function) = split_function(input);
            if let Ok(path) = fs::canonicalize(path).map(|path| (path, function)) {
                if paths.contains(&path) {
                    continue;
                }
                paths.push(path);
            }
            match item(input)? {
                Some(item) => items.push(item),
                None => texts.push(input.as_str()),
            }
        }
        let text = match texts.as_slice() {
            [] => String::new(),
            [text] => (*text).to_owned(),
            // Pieces of one fragment.
            pieces if pieces.iter().all(|piece| !piece.contains(['{', '#'])) => pieces.join("&"),
            _ => return Err("These are several scenarios: give only one link or one scenario in JSON.".into()),
        };
        Ok(Parts { text, items: with_named(items), set: self.parts_set()? })
    }

    /// Parses the explicit values.
    fn parts_set(&self) -> Result<Vec<(String, String)>, String> {
        let set = self.options.set.iter().map(|pair| {
            let pair = pair.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty());
            let pair = pair.map(|(key, value)| (key.to_owned(), value.to_owned()));
            pair.ok_or("write KEY=VALUE, as in gpus=256.")
        });
        let set =
            set.zip(&self.options.set).map(|(pair, typed)| pair.map_err(|problem| format!("--set {typed}: {problem}")));
        set.collect()
    }
}

/// How to go on without an answer to the questions.
pub(crate) const HINT: &str = " Or add --assume to use the calculator's value, which is then reported first.";

/// Appends a hint to a question for missing values.
fn with_hint(refusal: Refusal) -> String {
    refusal.message + if refusal.code == Code::Missing { HINT } else { "" }
}

/// Returns the notes on a scenario, one per line: interpretation of the input, assumptions and
/// errors.
pub(crate) fn notes(said: &str, issues: &[Issue]) -> String {
    let issues = issues.iter().map(|issue| match issue.severity {
        Severity::Error => format!("Error: {}", issue.message),
        Severity::Note => issue.message.clone(),
    });
    lines(issues.chain(Some(said.to_owned()).filter(|said| !said.is_empty())))
}

/// Returns the content of an input if it is a file; `None` if it is the text of a scenario.
fn item(input: &str) -> Result<Option<Item>, String> {
    if input == STANDARD {
        let bytes = read_whole("Standard input", std::io::stdin().lock())?;
        return Ok(Some(Item { name: None, bytes }));
    }
    let path = Path::new(input);
    if path.is_dir() {
        return Err(format!("{input} is a directory: name its files."));
    }
    // A pipe (`/dev/stdin`, `<(…)`) is read like a file.
    if path.exists() {
        let file = File::open(path).map_err(|cause| format!("{input} could not be read: {cause}."))?;
        let bytes = read_whole(input, file)?;
        return Ok(Some(Item { name: Some(input.to_owned()), bytes }));
    }
    // A function of a Python file.
    if let (file, Some(_)) = split_function(input)
        && Path::new(file).is_file()
    {
        let opened = File::open(file).map_err(|cause| format!("{file} could not be read: {cause}."))?;
        return Ok(Some(Item { name: Some(input.to_owned()), bytes: read_whole(file, opened)? }));
    }
    let is_text = input.is_empty() || input.contains(['=', '#']) || input.trim_start().starts_with('{');
    if is_text { Ok(None) } else { Err(format!("{input} is neither a file, a link nor a scenario in JSON.")) }
}

/// Reads all bytes of an input, up to a limit.
fn read_whole(name: &str, from: impl std::io::Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    from.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|cause| format!("{name} could not be read: {cause}."))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("{name} is larger than 64 MiB."));
    }
    Ok(bytes)
}

/// Reads an amount such as `30`, `2.5` or `100k`.
pub(crate) fn number(typed: &str) -> Result<f64, String> {
    amount(typed).ok_or_else(|| "write a number above 0, such as 30, 2.5 or 100k".to_owned())
}

/// Reads a percentage such as `80`, as a share.
pub(crate) fn percent(typed: &str) -> Result<f64, String> {
    let value = typed.trim_end_matches('%').parse::<f64>().ok().filter(|value| (0.0..=100.0).contains(value));
    value.map(|value| value / 100.0).ok_or_else(|| "write a percentage from 0 to 100, such as 80".to_owned())
}
