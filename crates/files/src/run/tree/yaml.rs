//! Reader of YAML and JSON: keys, values and positions from the events of the YAML parser.

use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::{DEEPEST, Entries, Entry, MOST_REPEATED, MOST_VALUES, Value, joined, too_many};

/// The relevant part of a parser event.
enum ParserEvent {
    Scalar { text: String, quoted: bool },
    Alias(usize),
    StartList,
    StartMap,
    End,
}

struct Placed {
    part: ParserEvent,
    span: Range<usize>,
}

/// All events, with the range of events of each anchor.
struct Events {
    list: Vec<Placed>,
    anchors: HashMap<usize, Range<usize>>,
}

/// Reads YAML.
///
/// # Errors
///
/// A description of the problem, without a full stop.
pub(super) fn parse_yaml(text: &str) -> Result<Vec<Entry>, String> {
    // PyYAML accepts brackets that close left of their line's indentation, which the standard
    // forbids.
    let events = events(text).or_else(|why| events(&on_one_line(text)).map_err(|_| why))?;
    let mut walk = Walk { events: &events, entries: Entries::default(), repeated: 0 };
    let mut at = 0;
    while at < events.list.len() {
        at = walk.value(at, "", 0)?;
    }
    Ok(walk.entries.list)
}

/// Reads JSON.
///
/// # Errors
///
/// A description of the problem, without a full stop.
pub(super) fn read_json(text: &str) -> Result<Vec<Entry>, String> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    // JSON allows tabs before keys, YAML does not.
    if let Ok(entries) = parse_yaml(&text.replace('\t', " ")) {
        return Ok(entries);
    }
    let mut entries = Entries::default();
    flatten(&value, "", &mut entries)?;
    Ok(entries.list)
}

fn flatten(value: &serde_json::Value, path: &str, entries: &mut Entries) -> Result<(), String> {
    match value {
        serde_json::Value::Null => entries.add(path, Value::Null, None),
        serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {
            entries.add(path, Value::plain(value.to_string()), None)
        }
        serde_json::Value::String(text) => entries.add(path, Value::Scalar { text: text.clone(), quoted: true }, None),
        serde_json::Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                flatten(item, &joined(path, &place.to_string()), entries)?;
            }
            Ok(())
        }
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                flatten(value, &joined(path, key), entries)?;
            }
            Ok(())
        }
    }
}

/// Returns the parser's message; for nesting, the message of the other readers.
fn parser_message(error: &str) -> String {
    if error.contains("recursion limit") {
        format!("it is nested deeper than {DEEPEST} levels")
    } else {
        error.to_owned()
    }
}

/// Joins each bracketed list into one line: line breaks and comments become spaces, so that
/// positions are kept.
fn on_one_line(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let (mut depth, mut quote, mut comment, mut before) = (0_u32, None, false, ' ');
    for letter in text.chars() {
        match letter {
            '\n' => {
                comment = false;
                // An unclosed quote ends with its line: it was an apostrophe.
                quote = None;
            }
            _ if comment => {}
            _ if quote == Some(letter) => quote = None,
            _ if quote.is_some() => {}
            '"' | '\'' if !before.is_alphanumeric() => quote = Some(letter),
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            '#' if before.is_whitespace() => comment = true,
            _ => {}
        }
        if depth > 0 && (letter == '\n' || comment) {
            joined.extend(std::iter::repeat_n(' ', letter.len_utf8()));
        } else {
            joined.push(letter);
        }
        before = letter;
    }
    joined
}

fn events(text: &str) -> Result<Events, String> {
    let bytes: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let byte = |place: usize| bytes.get(place).copied().unwrap_or(text.len());
    let mut events = Events { list: Vec::new(), anchors: HashMap::new() };
    // Starts of the open lists and maps, with their anchors.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| parser_message(&error.to_string()))?;
        let start = byte(span.start.index());
        let span = start..byte(span.end.index()).max(start);
        let at = events.list.len();
        if at > 4 * MOST_VALUES {
            return Err(too_many());
        }
        let part = match event {
            Event::Scalar(text, style, anchor, _) => {
                if anchor > 0 {
                    events.anchors.insert(anchor, at..at + 1);
                }
                ParserEvent::Scalar { text: text.into_owned(), quoted: style != ScalarStyle::Plain }
            }
            Event::Alias(anchor) => ParserEvent::Alias(anchor),
            Event::SequenceStart(anchor, _) => {
                open.push((at, anchor));
                ParserEvent::StartList
            }
            Event::MappingStart(anchor, _) => {
                open.push((at, anchor));
                ParserEvent::StartMap
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some((start, anchor)) = open.pop().filter(|(_, anchor)| *anchor > 0) {
                    events.anchors.insert(anchor, start..at + 1);
                }
                ParserEvent::End
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {
                continue;
            }
        };
        if open.len() > DEEPEST {
            return Err(format!("it is nested deeper than {DEEPEST} levels"));
        }
        events.list.push(Placed { part, span });
    }
    Ok(events)
}

struct Walk<'a> {
    events: &'a Events,
    entries: Entries,
    /// Number of events repeated by aliases.
    repeated: usize,
}

impl Walk<'_> {
    /// Reads the value at an event; returns the event after it.
    fn value(&mut self, at: usize, path: &str, depth: usize) -> Result<usize, String> {
        let events = self.events;
        let Some(placed) = events.list.get(at) else { return Ok(at + 1) };
        if depth > DEEPEST {
            return Err(format!("it is nested deeper than {DEEPEST} levels"));
        }
        match &placed.part {
            ParserEvent::Scalar { text, quoted } => {
                self.entries.add(path, Value::new(text.clone(), *quoted), Some(placed.span.clone()))?;
                Ok(at + 1)
            }
            ParserEvent::Alias(anchor) => {
                if let Some(range) = events.anchors.get(anchor).filter(|range| range.end <= at) {
                    self.repeated += range.len();
                    if self.repeated > MOST_REPEATED {
                        return Err(format!("its aliases repeat more than {MOST_REPEATED} values"));
                    }
                    self.value(range.start, path, depth + 1)?;
                }
                Ok(at + 1)
            }
            ParserEvent::StartList => self.list(at, path, depth),
            ParserEvent::StartMap => self.map(at, path, depth),
            ParserEvent::End => Ok(at + 1),
        }
    }

    fn map(&mut self, start: usize, path: &str, depth: usize) -> Result<usize, String> {
        let events = self.events;
        let mut at = start + 1;
        loop {
            match events.list.get(at).map(|placed| &placed.part) {
                None | Some(ParserEvent::End) => return Ok(at + 1),
                Some(ParserEvent::Scalar { text, quoted: false }) if text == "<<" => {
                    let before = self.entries.list.len();
                    at = self.value(at + 1, path, depth + 1)?;
                    for entry in self.entries.list.iter_mut().skip(before) {
                        entry.merged = true;
                    }
                }
                Some(ParserEvent::Scalar { text, .. }) => {
                    // A scalar key.
                    let key = joined(path, text.trim());
                    at = self.value(at + 1, &key, depth + 1)?;
                }
                // A key that is not a scalar.
                Some(_) => {
                    let before = self.entries.list.len();
                    at = self.value(at, path, depth + 1)?;
                    self.entries.truncate(before);
                    at = self.value(at, &joined(path, "?"), depth + 1)?;
                }
            }
        }
    }

    fn list(&mut self, start: usize, path: &str, depth: usize) -> Result<usize, String> {
        let events = self.events;
        let before = self.entries.list.len();
        let (mut at, mut place) = (start + 1, 0_usize);
        while let Some(placed) = events.list.get(at).filter(|placed| !matches!(placed.part, ParserEvent::End)) {
            let _ = placed;
            at = self.value(at, &joined(path, &place.to_string()), depth + 1)?;
            place += 1;
        }
        let added = self.entries.list.get(before..).unwrap_or_default();
        let scalars: Option<Vec<String>> = (added.len() == place)
            .then(|| {
                added
                    .iter()
                    .map(|entry| match &entry.value {
                        Value::Scalar { text, .. } => Some(text.clone()),
                        Value::Null | Value::List(_) => None,
                    })
                    .collect()
            })
            .flatten();
        if let Some(items) = scalars {
            let end = events.list.get(at).map_or(0, |placed| placed.span.end);
            let first = events.list.get(start).map_or(0, |placed| placed.span.start);
            // A bracketed list has one position; a list over several lines does not.
            let is_flow = end > first && added.iter().all(|entry| entry.span.is_some());
            self.entries.truncate(before);
            self.entries.add(path, Value::List(items), is_flow.then_some(first..end))?;
        }
        Ok(at + 1)
    }
}
