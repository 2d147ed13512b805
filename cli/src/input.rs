//! What a command is asked about: links, texts and files, and values set by hand.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use api::files::of_items;
use api::given::{Code, refuse};
use api::{Given, Open, Read, Reading, Refusal};
use clap::Args;
use engine::scenario::issue::{Issue, Severity};
use files::brought::{Brought, Item, Kind, Spread};
use files::run::of_function;

use crate::spoken::{self, Spoken};
use crate::table::lines;

/// A scenario, as it is named in the shell.
#[derive(Args)]
pub(crate) struct Input {
    /// A link, its fragment, a scenario in JSON, or files; `-` for standard input; for `estimate` a
    /// sentence too
    #[arg(value_name = "INPUT", required_unless_present = "set")]
    inputs: Vec<String>,
    /// A value of the scenario, which counts more than what the inputs say: --set gpus=256 --set
    /// seq_len=32k
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Goes on where what decides the answer was not stated, and says first what it took
    #[arg(long)]
    assume: bool,
    /// Goes on where something cannot be read, as the page does with an old link, and says what
    #[arg(long)]
    lenient: bool,
}

/// What came of files.
#[derive(Default)]
pub(crate) struct Came {
    /// What they are, in a sentence.
    pub(crate) said: String,
    /// The run over the likely values of what they do not say.
    pub(crate) spread: Option<Spread>,
}

/// Standard input, as an argument.
const STANDARD: &str = "-";
/// The most bytes of one input: more is no configuration, log or snapshot that is read.
const MOST_BYTES: u64 = 64 << 20;

/// The inputs, told apart.
struct Parts {
    /// The text of a scenario.
    text: String,
    /// What files and standard input hold.
    items: Vec<Item>,
    /// What was set by hand.
    set: Vec<(String, String)>,
}

impl Parts {
    fn given(&self, reading: Reading) -> Given<'_> {
        Given { text: &self.text, set: &self.set, reading }
    }
}

impl Input {
    /// Reads the scenario, with what came of files; makes sure that what decides the answer was
    /// stated.
    pub(crate) fn read(&self, asked: &[Open]) -> Result<(Read, Came), String> {
        let parts = self.parts()?;
        let given = parts.given(self.reading());
        if parts.items.is_empty() {
            let read = given.answerable(asked).map_err(with_hint)?;
            return Ok((read, Came::default()));
        }
        let (brought, mut read) = of_items(&parts.items, &given).map_err(|refusal| refusal.to_string())?;
        let contradictions = &brought.contradictions;
        if self.reading() == Reading::Strict {
            if !contradictions.is_empty() {
                let hint = "Mend it, or say --assume to go on with what is said here to be used.";
                return Err(format!("{} {hint}", contradictions.join(" ")));
            }
            refuse(&read.issues).map_err(with_hint)?;
        }
        read.open(asked, self.reading()).map_err(with_hint)?;
        // A scenario from a file needs no words.
        let said = if brought.kind == Kind::Scenario { String::new() } else { brought.said };
        Ok((read, Came { said, spread: brought.spread }))
    }

    /// Reads a sentence in a person's own words, where that is what was given.
    pub(crate) fn spoken(&self) -> Result<Option<(Read, Spoken)>, String> {
        let [text] = self.inputs.as_slice() else { return Ok(None) };
        if !spoken::is_one(text) {
            return Ok(None);
        }
        let spoken = Spoken::of(text, self.lenient)?;
        let mut read = Read::of(&spoken.read.link);
        let set = self.parts_set()?;
        for (key, value) in api::given::in_order(&set) {
            read.set(key, value);
        }
        read.finish();
        if !self.lenient {
            refuse(&read.issues).map_err(|refusal| refusal.message)?;
        }
        Ok(Some((read, spoken)))
    }

    /// Reads the files, for the scenario of the texts and of the values that are set; gives what
    /// they hold too.
    pub(crate) fn bring(&self) -> Result<(Brought, Vec<Item>), String> {
        let parts = self.parts()?;
        if parts.items.is_empty() {
            // What is wrong with the rest is said first.
            parts.given(self.reading()).read().map_err(|refusal| refusal.to_string())?;
            return Err(
                "No file was named: give the files to read, and a link or --set for what they do not say.".into()
            );
        }
        let (brought, _) =
            of_items(&parts.items, &parts.given(self.reading())).map_err(|refusal| refusal.to_string())?;
        Ok((brought, parts.items))
    }

    /// The paths among the inputs.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().map(String::as_str).filter(|input| *input != STANDARD && Path::new(input).exists())
    }

    /// How strictly it is read.
    fn reading(&self) -> Reading {
        Reading::of(!self.lenient, self.assume)
    }

    /// The text of a scenario, the files, and what is set.
    fn parts(&self) -> Result<Parts, String> {
        let (mut texts, mut items) = (Vec::new(), Vec::new());
        for input in &self.inputs {
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
            _ => return Err("These are several scenarios: give one link or one scenario in JSON.".into()),
        };
        Ok(Parts { text, items, set: self.parts_set()? })
    }

    /// What is set by hand.
    fn parts_set(&self) -> Result<Vec<(String, String)>, String> {
        let set = self.set.iter().map(|pair| {
            let pair = pair.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty());
            let pair = pair.map(|(key, value)| (key.to_owned(), value.to_owned()));
            pair.ok_or("write KEY=VALUE, as in gpus=256.")
        });
        let set = set.zip(&self.set).map(|(pair, typed)| pair.map_err(|said| format!("--set {typed}: {said}")));
        set.collect()
    }
}

/// A question, with the way to go on without an answer.
fn with_hint(refusal: Refusal) -> String {
    let hint = " Or say --assume to go on with the calculator's own, which is then said first.";
    refusal.message + if refusal.code == Code::Missing { hint } else { "" }
}

/// What there is to say of a scenario, a line each, for people: what came, what was assumed or
/// taken.
pub(crate) fn notes(said: &str, issues: &[Issue]) -> String {
    let issues = issues.iter().map(|issue| match issue.severity {
        Severity::Error => format!("Error: {}", issue.message),
        Severity::Note => issue.message.clone(),
    });
    lines(issues.chain(Some(said.to_owned()).filter(|said| !said.is_empty())))
}

/// What an input holds, where it is a file; nothing where it is the text of a scenario.
fn item(input: &str) -> Result<Option<Item>, String> {
    if input == STANDARD {
        let bytes = read_whole("Standard input", std::io::stdin().lock())?;
        return Ok(Some(Item { name: None, bytes }));
    }
    let path = Path::new(input);
    if path.is_dir() {
        return Err(format!("{input} is a directory: name its files."));
    }
    // A pipe (`/dev/stdin`, `<(…)`) can be read as well as a file.
    if path.exists() {
        let file = File::open(path).map_err(|cause| format!("{input} could not be read: {cause}."))?;
        let bytes = read_whole(input, file)?;
        return Ok(Some(Item { name: Some(input.to_owned()), bytes }));
    }
    // A function of a Python file.
    if let (file, Some(_)) = of_function(input)
        && Path::new(file).is_file()
    {
        let opened = File::open(file).map_err(|cause| format!("{file} could not be read: {cause}."))?;
        return Ok(Some(Item { name: Some(input.to_owned()), bytes: read_whole(file, opened)? }));
    }
    let is_text = input.is_empty() || input.contains(['=', '#']) || input.trim_start().starts_with('{');
    if is_text {
        Ok(None)
    } else {
        Err(format!("There is no file {input}, and it is neither a link nor a scenario in JSON."))
    }
}

/// All bytes of an input, up to a limit.
fn read_whole(name: &str, from: impl std::io::Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    from.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|cause| format!("{name} could not be read: {cause}."))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("{name} is larger than 64 MiB: nothing that is read here is."));
    }
    Ok(bytes)
}
