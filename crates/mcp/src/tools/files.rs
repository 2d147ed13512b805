//! `read` and `lint`: configurations of runs, models, errors, logs and what the calculator saved.

use std::fs;

use api::files::{read_items, with_named};
use api::given::Code;
use api::{Given, Read, Refusal};
use files::brought::{Changes, Import, ImportKind, Item, SuggestedChange};
use files::run::prefixes;
use serde_json::{Map, Value, json};

use super::{Access, Argument, MOST, Tool, run, schema_of, text, top, words};
use crate::arguments::{Arguments, invalid};

/// Argument for files of this machine.
pub(super) const PATHS: &str = "paths";
/// Largest file, in bytes.
const MOST_BYTES: u64 = 64 << 20;
/// Most lines of a list in an answer; the number of all stands beside it.
const MOST_LINES: usize = 20;

const FILES: Argument = ("files", named_texts, "Texts of files that belong together, each with its name.");
const OF_PATHS: Argument =
    (PATHS, words, "Paths on this machine, instead of `files`; files next to them that they name are read, too.");
const SCENARIO: Argument = (
    "scenario",
    object,
    "Values that count more than what the files say, and what they lack: {\"gpu\": \"h100\", \"gpus\": 8}.",
);
const LINK: Argument = ("link", text, "A link of the scenario that the files belong to.");

pub(super) const READ: Tool = Tool {
    name: "read",
    title: "Read a run's files, a model, an error or a log",
    about: "Reads configurations and scripts (Axolotl, TRL, LLaMA-Factory, DeepSpeed, torchtitan, Megatron-LM, verl and \
            others), a model's config.json, out-of-memory errors, logs, what the calculator saved. Returns what was \
            read, what decides and is missing, the values for `scenario` of estimate, and the small report if nothing \
            is missing.",
    arguments: &[FILES, OF_PATHS, SCENARIO, LINK],
    run: false,
    schema: |access| schema_of(&READ, access, &[]),
    answer: read,
};

pub(super) const LINT: Tool = Tool {
    name: "lint",
    title: "Find changes that make a run fit or faster",
    about: "Checks the configuration of a run: findings with code, severity, gain and the edits of keys that fix them. \
            Writes nothing. `changes` says whether an edit keeps what is trained (nothing) or not (numerics, training). \
            `explain` says what a code means.",
    arguments: &[
        FILES,
        OF_PATHS,
        SCENARIO,
        LINK,
        ("ignore", words, "Codes, or beginnings of codes, to leave out: [\"SW201\", \"SW3\"]."),
        ("top", top, "How many findings, 5 if missing."),
    ],
    run: false,
    schema: |access| schema_of(&LINT, access, &[]),
    answer: lint,
};

fn named_texts() -> Value {
    let file = json!({
        "type": "object", "additionalProperties": false, "required": ["text"],
        "properties": { "name": { "type": "string" }, "text": { "type": "string" } },
    });
    json!({ "type": "array", "items": file })
}

fn object() -> Value {
    json!({ "type": "object", "additionalProperties": { "type": ["string", "number", "boolean"] } })
}

/// Returns the files of a call.
fn items(arguments: Arguments, access: Access) -> Result<Vec<Item>, Refusal> {
    let paths = arguments.words(PATHS)?;
    match (arguments.value("files"), paths.as_slice()) {
        (None, []) => {
            let message = "Which files? Give `files`: [{\"name\": \"train.yaml\", \"text\": \"…\"}].";
            Err(Refusal::new(Code::Missing, message))
        }
        (Some(_), [_, ..]) => Err(invalid("Give `files` or `paths`, not both.")),
        (None, _) if access == Access::Texts => {
            Err(invalid("This server is reached over a network and opens no paths: give the texts as `files`."))
        }
        (None, paths) => Ok(with_named(paths.iter().map(|path| opened(path)).collect::<Result<_, _>>()?)),
        (Some(files), []) => {
            let refused = || invalid("`files` must be a list of objects with `name` and `text`.");
            let files = files.as_array().filter(|files| !files.is_empty()).ok_or_else(refused)?;
            files.iter().map(|file| item(file).ok_or_else(refused)).collect()
        }
    }
}

fn item(file: &Value) -> Option<Item> {
    let file = file.as_object()?;
    if file.keys().any(|key| key != "name" && key != "text") {
        return None;
    }
    let name = file.get("name").map_or(Some(None), |name| name.as_str().map(Some))?;
    Some(Item { name: name.map(str::to_owned), bytes: file.get("text")?.as_str()?.as_bytes().to_vec() })
}

fn opened(path: &str) -> Result<Item, Refusal> {
    let failed = |cause: std::io::Error| Refusal::new(Code::Unreadable, format!("{path} could not be read: {cause}."));
    let file = fs::metadata(path).map_err(failed)?;
    if !file.is_file() {
        return Err(Refusal::new(Code::Unreadable, format!("{path} is no file: name its files.")));
    }
    if file.len() > MOST_BYTES {
        return Err(Refusal::new(Code::Unreadable, format!("{path} is larger than 64 MiB.")));
    }
    Ok(Item { name: Some(path.to_owned()), bytes: fs::read(path).map_err(failed)? })
}

fn brought(arguments: Arguments, access: Access) -> Result<(Import, Read), Refusal> {
    let items = items(arguments, access)?;
    let set = run::scenario(arguments)?.unwrap_or_default();
    let link = arguments.text("link")?.unwrap_or_default();
    // Values alone are set over the first scenario, as the files bring their own.
    read_items(&items, &Given { text: link, set: &set, ..Given::default() })
}

fn read(arguments: Arguments, access: Access) -> Result<Value, Refusal> {
    let (brought, read) = brought(arguments, access)?;
    let account = brought.account();
    let mut answer = Map::new();
    let mut put = |name: &str, value: Value| drop(answer.insert(name.to_owned(), value));
    put("kind", serde_json::to_value(brought.kind).unwrap_or_default());
    put("said", brought.said.clone().into());
    put("missing", brought.missing.clone().into());
    put("contradictions", brought.contradictions.clone().into());
    for (name, lines) in [("understood", account.understood), ("ignored", account.ignored), ("unread", account.unread)]
    {
        put(name, json!({ "count": lines.len(), "first": lines.into_iter().take(MOST_LINES).collect::<Vec<_>>() }));
    }
    let decides = matches!(brought.kind, ImportKind::Run | ImportKind::Scenario);
    let questions = brought.questions.iter().map(|question| question.sentence.clone()).collect::<Vec<_>>();
    let is_open = !brought.missing.is_empty() || !brought.contradictions.is_empty() || !brought.unread.is_empty();
    let spread = brought.spread.as_ref().filter(|spread| spread.disagrees());
    if !questions.is_empty() {
        put("questions", questions.into());
    }
    if let Some(spread) = spread {
        // Without agreement of the likely values there is no verdict.
        put("depends", spread.said.clone().into());
    } else if decides && !is_open {
        put("summary", run::summary(&read, &account.assumed));
    } else {
        put("assumed", account.assumed.into());
        // A link counts as a whole run, and this is a part of one.
        if brought.kind != ImportKind::Error {
            put("scenario", values(&brought.scenario));
        }
    }
    Ok(answer.into())
}

/// Returns the values of a link as an object for the `scenario` of a tool.
fn values(link: &str) -> Value {
    let pairs = link.split('&').filter_map(|pair| pair.split_once('=')).filter(|(key, _)| *key != "v");
    pairs.map(|(key, value)| (key.to_owned(), Value::from(value))).collect::<Map<_, _>>().into()
}

fn lint(arguments: Arguments, access: Access) -> Result<Value, Refusal> {
    let most = arguments.count("top", 5, MOST)?;
    let ignored = prefixes(&arguments.words("ignore")?).map_err(invalid)?;
    let (brought, read) = brought(arguments, access)?;
    if brought.kind != ImportKind::Run {
        let message = "This is not the configuration of a run: `read` describes it.";
        return Err(Refusal::new(Code::Unreadable, message));
    }
    if !brought.missing.is_empty() {
        return Err(Refusal::new(Code::Missing, brought.missing.join(" ")));
    }
    let is_kept = |offer: &&SuggestedChange| {
        let code = offer.code.as_deref().unwrap_or_default();
        ignored.iter().all(|prefix| !code.starts_with(prefix.as_str()))
    };
    let offers: Vec<&SuggestedChange> = brought.offers.iter().filter(is_kept).collect();
    let findings: Vec<Value> = offers.iter().take(most).map(|offer| finding(offer)).collect();
    Ok(json!({
        "clean": offers.is_empty(),
        "findings": findings,
        "more": offers.len().saturating_sub(most),
        "summary": run::summary(&read, &brought.account().assumed),
    }))
}

fn finding(offer: &SuggestedChange) -> Value {
    let changes = match offer.changes {
        Changes::Nothing => "nothing",
        Changes::Numerics => "numerics",
        Changes::Training => "training",
    };
    json!({
        "code": offer.code,
        "severity": offer.severity,
        "what": offer.what,
        "changes": changes,
        "gain": offer.gain.map(|gain| super::shorter(&json!(gain))),
        "edits": offer.edits,
        "link": offer.scenario,
    })
}
