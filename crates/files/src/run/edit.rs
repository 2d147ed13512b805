//! Changes values in the text of a file in place, so that comments, order and layout are kept; new
//! keys are added next to related ones.

use serde::Serialize;

use super::File;
use super::keys::place;
use super::tree::{self, Entry, Syntax, Tree};

/// A new value of a key of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The index of the file.
    pub file: usize,
    /// The path of the key, outermost part first, separated by dots.
    pub key: String,
    /// The value in the file; `None` if the file lacks the key.
    pub from: Option<String>,
    /// The new value; an empty text removes a flag.
    pub to: String,
}

/// Returns the text of a file with changes; a change that cannot be made leaves the text as it is.
///
/// ```
/// use files::run::{Change, File, write_back};
///
/// let file = File::new("a.yaml", "micro_batch_size: 1  # small\nfsdp_config:\n  offload_params: true\n");
/// let change = |key: &str, to: &str| Change { file: 0, key: key.into(), from: None, to: to.into() };
/// let text = write_back(&file, &[change("micro_batch_size", "4"), change("fsdp_config.offload_params", "false")]);
/// assert_eq!(text, "micro_batch_size: 4  # small\nfsdp_config:\n  offload_params: false\n");
/// ```
pub fn write_back(file: &File, changes: &[Change]) -> String {
    let text = changed(file, changes);
    // Windows line endings are kept.
    let lines = file.text.matches('\n').count();
    if lines > 0 && file.text.matches("\r\n").count() == lines {
        return text.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    text
}

fn changed(file: &File, changes: &[Change]) -> String {
    let mut text = file.text.clone();
    for change in changes {
        let Ok(tree) = tree::parse_file(&File { name: file.name.clone(), text: text.clone() }) else { return text };
        if let Some(changed) = one(&text, &tree, change) {
            text = changed;
        }
    }
    text
}

/// Most references that are followed from key to key.
const MOST_FOLLOWED: usize = 8;

fn one(text: &str, tree: &Tree, change: &Change) -> Option<String> {
    let found = place(tree, &change.key).and_then(|place| tree.entries.get(place));
    let Some(entry) = found else { return added(text, tree, change) };
    let mut entry = entry;
    let mut followed = 0;
    // A reference to another key is changed at that key.
    while let Some(name) = entry.value.shown().strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
        let next = place(tree, name).or_else(|| place(tree, &format!("variables.{name}")));
        let next = next.and_then(|place| tree.entries.get(place))?;
        followed += 1;
        // Keys may refer to each other.
        if followed > MOST_FOLLOWED {
            return None;
        }
        entry = next;
    }
    let span = entry.span.clone()?;
    if tree.syntax == Syntax::Shell {
        return flag(text, entry, change);
    }
    if change.to.is_empty() && tree.syntax == Syntax::Toml {
        // TOML has no null: the line is removed, if it holds only this key.
        let start = text.get(..span.start)?.rfind('\n').map_or(0, |at| at + 1);
        let end = text.get(span.end..)?.find('\n').map_or(text.len(), |at| span.end + at + 1);
        let is_alone =
            !text.get(start..span.start)?.contains(['{', '[']) && text.get(span.clone())?.lines().count() == 1;
        return if is_alone { replaced(text, start..end, "") } else { None };
    }
    if change.to.is_empty() {
        return replaced(text, span, &rendered(tree.syntax, "null"));
    }
    let product = text.get(span.clone()).and_then(|own| as_product(own, &change.to));
    replaced(text, span, &product.unwrap_or_else(|| rendered(tree.syntax, &change.to)))
}

/// Writes a whole number as a product like the one in the file: for 16384, `1 * 8192` becomes `2 *
/// 8192`.
fn as_product(own: &str, value: &str) -> Option<String> {
    let (_, unit) = own.rsplit_once('*')?;
    let (whole, each): (u64, u64) = (value.parse().ok()?, unit.trim().parse().ok()?);
    (each > 0 && whole.is_multiple_of(each)).then(|| format!("{} * {each}", whole / each))
}

fn replaced(text: &str, span: std::ops::Range<usize>, with: &str) -> Option<String> {
    // The span of an empty YAML value directly follows the colon.
    let space = if span.is_empty() && text.get(..span.start)?.ends_with(':') { " " } else { "" };
    Some([text.get(..span.start)?, space, with, text.get(span.end..)?].concat())
}

/// Changes or removes a flag.
fn flag(text: &str, entry: &Entry, change: &Change) -> Option<String> {
    let span = entry.span.clone()?;
    let is_bare = text.get(span.clone())?.starts_with("--");
    match (is_bare, change.to.as_str()) {
        (true, "true") => Some(text.to_owned()),
        (true, "") => remove_span(text, span.start, span.end),
        (true, value) => replaced(text, span.end..span.end, &format!(" {value}")),
        (false, "") => {
            // `key=value` is one word, with dashes or without; otherwise the flag is the word
            // before. Quotes are removed too.
            let quote = text.get(..span.start)?.chars().next_back().filter(|sign| matches!(sign, '"' | '\''));
            let is_quoted = quote.is_some_and(|quote| text.get(span.end..).is_some_and(|rest| rest.starts_with(quote)));
            let span = span.start - usize::from(is_quoted)..span.end + usize::from(is_quoted);
            let before = text.get(..span.start)?;
            let word = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
            let start = if text.get(word..span.start)?.ends_with('=') { word } else { before.rfind("--")? };
            remove_span(text, start, span.end)
        }
        (false, value) => replaced(text, span, value),
    }
}

/// Removes a part of the text, and the line if it is then empty.
fn remove_span(text: &str, start: usize, end: usize) -> Option<String> {
    let (before, after) = (text.get(..start)?, text.get(end..)?);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line_end = after.find('\n').map_or(after.len(), |at| at + 1);
    let rest = after.get(..line_end)?.trim();
    if before.get(line_start..)?.trim().is_empty() && (rest.is_empty() || rest == "\\") {
        let above = before.get(..line_start)?;
        // The line before the removed last line of a command must not end with a backslash.
        let open = above.strip_suffix("\\\n").filter(|_| rest.is_empty()).map(|above| above.trim_end_matches(' '));
        let above = open.map_or_else(|| above.to_owned(), |above| format!("{above}\n"));
        return Some([above.as_str(), after.get(line_end..)?].concat());
    }
    Some([before.trim_end_matches(' '), after].concat())
}

/// Formats a value in the syntax of the file.
fn rendered(syntax: Syntax, value: &str) -> String {
    let is_number = value.parse::<f64>().is_ok();
    let word = matches!(value, "true" | "false" | "null");
    match syntax {
        Syntax::Python if word => match value {
            "true" => "True".into(),
            "false" => "False".into(),
            _ => "None".into(),
        },
        Syntax::Yaml | Syntax::Shell => value.to_owned(),
        Syntax::Json | Syntax::Toml | Syntax::Python if is_number || word => value.to_owned(),
        Syntax::Json | Syntax::Toml | Syntax::Python => format!("\"{}\"", value.replace(['"', '\\'], "")),
    }
}

/// Adds a key.
fn added(text: &str, tree: &Tree, change: &Change) -> Option<String> {
    if change.to.is_empty() {
        return None;
    }
    let value = rendered(tree.syntax, &change.to);
    match tree.syntax {
        Syntax::Yaml => in_yaml(text, &change.key, &value),
        Syntax::Toml => Some(in_toml(text, &change.key, &value)),
        Syntax::Json => in_json(text, &change.key, &value),
        Syntax::Shell => in_shell(text, tree, change),
        Syntax::Python => in_python(text, tree, &change.key, &value),
    }
}

fn in_yaml(text: &str, key: &str, value: &str) -> Option<String> {
    let Some((section, rest)) = key.split_once('.') else {
        // A text without a last line end keeps none.
        let is_ended = text.is_empty() || text.ends_with('\n');
        let added = format!("{key}: {value}");
        return Some(if is_ended { format!("{text}{added}\n") } else { format!("{text}\n{added}") });
    };
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        let is_head = line.strip_prefix(section).and_then(|rest| rest.strip_prefix(':'));
        let Some(after) = is_head else { continue };
        let after = after.split('#').next().unwrap_or_default().trim();
        if !after.is_empty() {
            return None;
        }
        let next = text.get(at..)?.lines().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
        let indent = next.map_or(2, |line| line.len() - line.trim_start().len()).max(1);
        if rest.contains('.') {
            return None;
        }
        let (before, behind) = text.split_at_checked(at)?;
        let end = if before.ends_with('\n') { "" } else { "\n" };
        return Some(format!("{before}{end}{}{rest}: {value}\n{behind}", " ".repeat(indent)));
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let mut lines = format!("{text}{end}");
    let parts: Vec<&str> = key.split('.').collect();
    for (depth, part) in parts.iter().enumerate() {
        let is_last = depth + 1 == parts.len();
        let end = if is_last { [" ", value].concat() } else { String::new() };
        for piece in [
            &"  ".repeat(depth),
            *part,
            ":",
            &end,
            "
",
        ] {
            lines.push_str(piece);
        }
    }
    Some(lines)
}

fn in_toml(text: &str, key: &str, value: &str) -> String {
    let Some((section, name)) = key.rsplit_once('.') else { return format!("{key} = {value}\n{text}") };
    let head = format!("[{section}]");
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if line.split('#').next().unwrap_or_default().trim() == head {
            let (before, behind) = text.split_at_checked(at).unwrap_or((text, ""));
            let end = if before.ends_with('\n') { "" } else { "\n" };
            return format!("{before}{end}{name} = {value}\n{behind}");
        }
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}\n{head}\n{name} = {value}\n")
}

fn in_json(text: &str, key: &str, value: &str) -> Option<String> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    let mut object = &json;
    let mut at = text.find('{')?;
    let mut parts: Vec<&str> = key.split('.').collect();
    let mut name = parts.pop()?.to_owned();
    let mut value = value.to_owned();
    while let Some(part) = (!parts.is_empty()).then(|| parts.remove(0)) {
        if let Some(inner) = object.get(part).filter(|inner| inner.is_object()) {
            object = inner;
            at += text.get(at..)?.find(&format!("\"{part}\""))?;
            at += text.get(at..)?.find('{')?;
        } else {
            // The rest of the path is a nested object.
            value = format!("{{\"{name}\": {value}}}");
            for part in parts.drain(..).rev() {
                value = format!("{{\"{part}\": {value}}}");
            }
            part.clone_into(&mut name);
        }
    }
    let is_empty = object.as_object().is_none_or(serde_json::Map::is_empty);
    let comma = if is_empty { "" } else { "," };
    let inside = text.get(at + 1..)?;
    // Indented like the first key of the object.
    let lead: String = inside.chars().take_while(|sign| sign.is_whitespace()).collect();
    Some(format!("{}{lead}\"{name}\": {value}{comma}{inside}", text.get(..=at)?))
}

fn in_shell(text: &str, tree: &Tree, change: &Change) -> Option<String> {
    // After the last flag whose value follows directly, so that the launcher's flags are not
    // chosen.
    let beside = |entry: &&Entry| {
        let span = entry.span.clone()?;
        let before = text.get(..span.start)?.trim_end_matches(['"', '\'', ' ', '=']);
        let dashed = entry.path.replace('_', "-");
        (before.ends_with(&format!("--{}", entry.path)) || before.ends_with(&format!("--{dashed}"))).then_some(span.end)
    };
    if let Some(end) = end_of_overrides(text, tree) {
        // Another engine or trainer does not read the section.
        let section = change.key.rsplit_once('.').map_or("", |(section, _)| section);
        let section = section.split_once(".override_").map_or(section, |(section, _)| section);
        tree.entries.iter().find(|entry| entry.path.starts_with(&format!("{section}.")))?;
        // `++` sets a key whether or not the structure has it.
        let is_added = change.key.contains(".override_") || text.contains("++");
        return replaced(text, end..end, &format!(" {}{}={}", if is_added { "++" } else { "" }, change.key, change.to));
    }
    let launchers = [
        "nproc_per_node",
        "nnodes",
        "node_rank",
        "master_addr",
        "master_port",
        "nodes",
        "config_file",
        "num_processes",
    ];
    let is_own = |entry: &&Entry| beside(entry).is_some() && !launchers.contains(&entry.path.as_str());
    let styled: Vec<&Entry> = tree.entries.iter().filter(is_own).collect();
    let last = styled.last()?;
    let end = beside(last)?;
    // A quote may close after the value.
    let end = end
        + usize::from(
            text.get(end..)?.starts_with(['"', '\'']) && text.get(..last.span.clone()?.start)?.ends_with(['"', '\'']),
        );
    let key = if has_dashes(text, &styled) { change.key.replace('_', "-") } else { change.key.clone() };
    let flag = if change.to == "true" { format!(" --{key}") } else { format!(" --{key} {}", change.to) };
    replaced(text, end..end, &flag)
}

/// Returns the end of the last of Hydra's overrides, words `a.b=value`, of a script that has some.
fn end_of_overrides(text: &str, tree: &Tree) -> Option<usize> {
    tree.entries.iter().rev().find_map(|entry| {
        let span = entry.span.clone()?;
        let before = text.get(..span.start)?;
        let bare = before.trim_end_matches(['"', '\'']);
        let word = bare.rsplit(|sign: char| sign.is_whitespace() || matches!(sign, '"' | '\'' | '(')).next()?;
        let path = word.strip_suffix('=')?.trim_start_matches('+');
        let is_override = path == entry.path && path.contains('.') && !path.starts_with('-');
        // A quote that opens before the value, or the word, closes after it.
        let is_quoted = text.get(span.end..).is_some_and(|rest| rest.starts_with(['"', '\'']));
        is_override.then_some(span.end + usize::from(is_quoted))
    })
}

/// Whether most flags of a script that have several words join them by dashes.
fn has_dashes(text: &str, styled: &[&Entry]) -> bool {
    let joined = |sign: char| {
        let has = |entry: &&&Entry| {
            let flag = entry.path.replace(['-', '_'], &sign.to_string());
            flag.contains(sign) && text.contains(&format!("--{flag}"))
        };
        styled.iter().filter(has).count()
    };
    joined('-') > joined('_')
}

fn in_python(text: &str, tree: &Tree, key: &str, value: &str) -> Option<String> {
    let (section, name) = key.rsplit_once('.')?;
    let below = format!("{section}.");
    let sibling = tree.entries.iter().rev().find(|entry| {
        entry.path.strip_prefix(&below).is_some_and(|rest| !rest.contains('.')) && entry.span.is_some()
    })?;
    let span = sibling.span.clone()?;
    let (before, behind) = text.split_at_checked(span.end)?;
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let own = before.get(line..)?;
    let last = sibling.path.rsplit('.').next()?;
    // An assignment is added after an assignment, an argument after an argument.
    let root = own
        .trim_start()
        .split_once('=')
        .map(|(left, _)| left.trim())
        .filter(|left| left.ends_with(&format!(".{last}")));
    if let Some(left) = root {
        let indent = own.get(..own.len() - own.trim_start().len())?;
        let stem = left.strip_suffix(last)?;
        return Some(format!("{before}\n{indent}{stem}{name} = {value}{behind}"));
    }
    Some(format!("{before}, {name}={value}{behind}"))
}
