//! The arguments of a script in Python: the defaults of its parser, and the values of a command in
//! its comments that starts it.

use std::collections::HashMap;

use super::super::shell::{self, LAUNCHER};
use super::super::{Entry, Value};
use super::tokens::{Token, TokenKind};

/// The arguments of a script.
#[derive(Default)]
pub(super) struct Arguments {
    /// The values, by the names under which the script uses them.
    pub(super) values: HashMap<String, Value>,
    /// Entries of the command: the launcher's, and the keys of parsers of other classes.
    pub(super) started: Vec<Entry>,
    /// A sentence about the command.
    pub(super) remark: Option<String>,
}

/// Parsers of dataclasses, whose fields may be those of other files.
const PARSERS: [&str; 3] = ["HfArgumentParser", "TrlParser", "H4ArgumentParser"];

/// Programs that a command begins with.
const PROGRAMS: [&str; 7] = ["python", "python3", "torchrun", "accelerate", "deepspeed", "uv", "srun"];

/// Keys of launchers that count GPUs.
const COUNTS: [&str; 7] =
    ["nproc_per_node", "nnodes", "num_processes", "num_machines", "num_gpus", "include", LAUNCHER];

/// Most letters of a command.
const LONGEST: usize = 4_000;

/// Most letters of a command that are shown.
const SHOWN: usize = 120;

/// Returns the arguments of a script with this name.
pub(super) fn of_script(text: &str, name: &str, tokens: &[Token]) -> Arguments {
    let mut values = HashMap::new();
    for (place, token) in tokens.iter().enumerate() {
        if token.kind == TokenKind::Name && token.text == "add_argument" {
            let rest = tokens.get(place + 1..).unwrap_or_default();
            let call = rest.get(..call_length(rest)).unwrap_or_default();
            values.extend(argument(call));
        }
    }
    let has_parser = tokens.iter().any(|token| PARSERS.contains(&token.text));
    if values.is_empty() && !has_parser {
        return Arguments::default();
    }
    let file = name.rsplit('/').next().unwrap_or_default();
    let command = commands(text, tokens).into_iter().find(|command| {
        let is_known = |flag: &str| values.contains_key(flag);
        script_of(command).is_some_and(|script| script == file) || !has_parser && all_flags(command, is_known)
    });
    let mut arguments: HashMap<String, Value> =
        values.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    let Some(command) = command else { return Arguments { values: arguments, ..Arguments::default() } };
    let entries = shell::parse_shell(&command, &mut Vec::new()).unwrap_or_default();
    let is_said = |entry: &Entry| !entry.value.shown().starts_with(['<', '$', '{']);
    let mut started = Vec::new();
    for entry in entries.into_iter().filter(is_said) {
        // A flag without a value is on.
        let is_on = entry.value.shown() == "true";
        let value = if is_on { Value::plain("True") } else { entry.value.clone() };
        arguments.insert(entry.path.clone(), value);
        let is_key = has_parser && !entry.path.starts_with(['_', '$']);
        if is_key || COUNTS.contains(&entry.path.as_str()) {
            started.push(Entry { span: None, ..entry });
        }
    }
    let shown: String = command.chars().take(SHOWN).collect();
    let more = if shown.len() < command.len() { "…" } else { "" };
    let remark = Some(format!("The values of the command in the script's comments are taken: {shown}{more}"));
    Arguments { values: arguments, started, remark }
}

/// Returns the number of tokens of a call's brackets, which begin here.
pub(super) fn call_length(tokens: &[Token]) -> usize {
    let mut depth = 0_u32;
    for (place, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Sign('(' | '[' | '{') => depth += 1,
            TokenKind::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return place + 1;
        }
    }
    tokens.len()
}

/// Returns the name and the default of `("--name", default=4)`; arguments without a default have
/// no value.
fn argument(call: &[Token]) -> Option<(String, Option<Value>)> {
    let inside: Vec<&Token> = call.iter().filter(|token| token.kind != TokenKind::Newline).collect();
    let inside = inside.get(1..inside.len().saturating_sub(1))?;
    let mut parts: Vec<&[&Token]> = Vec::new();
    let (mut depth, mut start) = (0_u32, 0);
    for (place, token) in inside.iter().enumerate() {
        match token.kind {
            TokenKind::Sign('(' | '[' | '{') => depth += 1,
            TokenKind::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            TokenKind::Sign(',') if depth == 0 => {
                parts.push(inside.get(start..place)?);
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(inside.get(start..)?);
    let keyword = |name: &str| {
        parts.iter().find_map(|part| match part {
            [key, sign, value @ ..] if key.text == name && sign.kind == TokenKind::Sign('=') => Some(value),
            _ => None,
        })
    };
    let text = |part: &[&Token]| match part {
        [text] if text.kind == TokenKind::Text => Some(text.text.to_owned()),
        _ => None,
    };
    let mut names = parts.iter().filter_map(|part| text(part)?.strip_prefix("--").map(|name| name.replace('-', "_")));
    let name = keyword("dest").and_then(&text).or_else(|| names.next())?;
    let usual = match keyword("action").and_then(&text).as_deref() {
        Some("store_true") => Some(Value::plain("False")),
        Some("store_false") => Some(Value::plain("True")),
        _ => None,
    };
    Some((name, keyword("default").and_then(|value| literal(value)).or(usual)))
}

/// Returns the value of a literal or a name.
fn literal(tokens: &[&Token]) -> Option<Value> {
    match tokens {
        [text] if text.kind == TokenKind::Text => Some(Value::Scalar { text: text.text.to_owned(), quoted: true }),
        [one] => Some(Value::plain(one.text.replace('_', if one.kind == TokenKind::Number { "" } else { "_" }))),
        [minus, number] if minus.text == "-" && number.kind == TokenKind::Number => {
            Some(Value::plain(format!("-{}", number.text)))
        }
        [open, items @ .., _] if matches!(open.kind, TokenKind::Sign('[' | '(')) => {
            let items = items.iter().filter(|item| item.kind != TokenKind::Sign(','));
            Some(Value::List(items.map(|item| item.text.to_owned()).collect()))
        }
        _ => None,
    }
}

/// Returns the commands in comments and in texts that stand alone.
fn commands(text: &str, tokens: &[Token]) -> Vec<String> {
    let comments = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    let is_alone = |place: usize| tokens.get(place).is_none_or(|token| token.kind == TokenKind::Newline);
    let texts = tokens.iter().enumerate().filter(|(place, token)| {
        token.kind == TokenKind::Text && is_alone(place.wrapping_sub(1)) && is_alone(place + 1)
    });
    let lines = comments.chain(texts.flat_map(|(_, token)| token.text.lines()));
    let mut found: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in lines {
        let line = line.trim().trim_start_matches(['#', '$', '`']).trim_start();
        let line = line.strip_prefix("Usage:").or_else(|| line.strip_prefix("usage:")).unwrap_or(line).trim();
        let (words, continues) = line.strip_suffix('\\').map_or((line, false), |words| (words, true));
        if is_open || line.starts_with("--") {
            if let Some(last) = found.last_mut().filter(|last| last.len() < LONGEST) {
                last.push(' ');
                last.push_str(words.trim());
            }
            is_open = continues;
            continue;
        }
        let first = words.split_whitespace().find(|word| !word.contains('='));
        if first.is_some_and(|first| PROGRAMS.contains(&first)) {
            found.push(words.trim_end_matches('`').trim().to_owned());
            is_open = continues;
        }
    }
    found
}

/// Returns the name of the script that a command starts.
fn script_of(command: &str) -> Option<&str> {
    let mut words = command.split_whitespace();
    words.find(|word| word.strip_suffix(".py").is_some())?.rsplit('/').next()
}

/// Whether a command has flags behind its script, all of which are known.
fn all_flags(command: &str, is_known: impl Fn(&str) -> bool) -> bool {
    let Some((_, behind)) = command.split_once(".py ") else { return false };
    let flags: Vec<String> = behind
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("--"))
        .map(|flag| flag.split('=').next().unwrap_or(flag).replace('-', "_"))
        .collect();
    !flags.is_empty() && flags.iter().all(|flag| is_known(flag))
}
