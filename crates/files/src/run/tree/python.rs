//! Reader of Python configurations: assignments, keyword arguments, dictionaries and lists of
//! literals. Nothing is executed.

mod arguments;
mod tokens;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{DEEPEST, Entries, Entry, Value, arithmetic, joined};
use arguments::Arguments;
use tokens::{Token, TokenKind, tokens};

/// An open bracket; its content belongs to this path.
struct Frame {
    path: String,
    closes: char,
    /// Whether the keys are literals with a colon.
    is_dict: bool,
    /// Number of items read, if the bracket is a list.
    items: Option<usize>,
}

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token<'a>],
    at: usize,
    frames: Vec<Frame>,
    entries: Entries,
    /// Place of the last entry of each function's path; `None` once entries were moved.
    places: Option<HashMap<(Option<String>, String), usize>>,
    /// First parts of paths of several parts.
    roots: HashSet<String>,
    scope: Option<String>,
    /// Whether the statement is in a class, whose fields may be a script's arguments.
    in_class: bool,
    /// The arguments of the script, of its parsers and of the fields of its classes.
    arguments: HashMap<String, Value>,
    /// Variables that hold the result of a call.
    results: HashSet<String>,
    remarks: Vec<String>,
}

/// Lists whose items are identified by the callee: torchtitan's converters of a model.
const CALLED: &str = "converters";

/// The key of the model that a script loads.
const LOADED: &str = "model_name_or_path";
/// The key of the teacher that a script loads.
const TEACHER: &str = "teacher_model_name_or_path";

/// The most functions of a file that a sentence names.
const MOST_NAMED: usize = 12;

/// The path of other arguments of a dataclass's field.
const FIELD: &str = "__field__";

/// Most tokens of a field that are searched for its default.
const MOST_FIELD: usize = 200;

/// Names of variables that hold a configuration, which are not part of a key.
const ROOTS: [&str; 12] =
    ["cfg", "config", "recipe", "self", "conf", "args", "pretrain", "job_config", "base", "model_cfg", "run", "c"];

/// Classes of TRL, before `Trainer` and `Config`.
pub(in crate::run) const TRAINERS: [&str; 13] =
    ["SFT", "DPO", "GRPO", "KTO", "ORPO", "CPO", "RLOO", "PPO", "Reward", "GKD", "MiniLLM", "GOLD", "Distillation"];

/// Whether a callee takes the arguments of a run, so that its name is not part of their keys.
fn takes_arguments(callee: &str) -> bool {
    let of_trl = callee.strip_suffix("Config").or_else(|| callee.strip_suffix("Trainer"));
    callee.ends_with("TrainingArguments")
        || matches!(callee, "LoraConfig" | "BitsAndBytesConfig")
        || of_trl.is_some_and(|name| TRAINERS.iter().any(|trainer| name.ends_with(trainer)))
}

/// Functions of PEFT that prepare quantized weights, and recompute layers by default
/// (peft/utils/other.py).
const PREPARING: [&str; 2] = ["prepare_model_for_kbit_training", "prepare_model_for_int8_training"];

/// Names that hold the arguments of a script, by their endings.
const HOLDERS: [&str; 9] = ["args", "opt", "opts", "options", "config", "cfg", "conf", "params", "flags"];

/// Whether a callee loads a model by the name that is its first argument, as classes of models do,
/// and not those of tokenizers and configurations.
fn loads_a_model(callee: &str) -> bool {
    let class = callee.strip_suffix(".from_pretrained").map(|class| class.rsplit('.').next().unwrap_or(class));
    class.is_some_and(|class| class.contains("Model") || class.contains("ForCausalLM") || class.contains("LMHead"))
}

/// Whether a variable has the name of a model that is used beside the trained one.
fn is_beside(variable: &str) -> bool {
    let name = variable.to_ascii_lowercase();
    ["ref", "reward", "teacher", "embed", "value", "critic", "judge"].iter().any(|part| name.contains(part))
}

/// Reads Python.
///
/// # Errors
///
/// A description of the problem, without a full stop.
pub(super) fn parse_python(
    text: &str,
    name: &str,
    function: Option<&str>,
    remarks: &mut Vec<String>,
) -> Result<Vec<Entry>, String> {
    let tokens = tokens(text);
    let Arguments { values, started, remark } = arguments::of_script(text, name, &tokens);
    let mut reader = Reader {
        text,
        tokens: &tokens,
        at: 0,
        frames: Vec::new(),
        entries: Entries::default(),
        places: Some(HashMap::new()),
        roots: HashSet::new(),
        scope: None,
        in_class: false,
        arguments: values,
        results: HashSet::new(),
        remarks: remark.into_iter().collect(),
    };
    reader.statement();
    while reader.at < tokens.len() {
        reader.step()?;
    }
    remarks.append(&mut reader.remarks);
    let mut entries = keep_one_function(reader.entries.list, function, remarks)?;
    entries.extend(started);
    Ok(entries)
}

/// Keeps the entries of one function: the requested one, else the one with the most keys that no
/// other function calls, of those that make the arguments of a run if there are any. Entries of the
/// functions it calls, and those outside of functions, come first.
///
/// # Errors
///
/// A sentence if the requested function sets nothing.
fn keep_one_function(
    entries: Vec<Entry>,
    function: Option<&str>,
    remarks: &mut Vec<String>,
) -> Result<Vec<Entry>, String> {
    let mut scopes: Vec<String> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for scope in entries.iter().filter_map(|entry| entry.scope.as_deref()) {
        places.entry(scope).or_insert_with(|| {
            scopes.push(scope.to_owned());
            scopes.len() - 1
        });
    }
    // The functions that each function calls, and the number of its own entries.
    let mut all: Vec<Vec<usize>> = vec![Vec::new(); scopes.len()];
    let mut own: Vec<usize> = vec![0; scopes.len()];
    let mut trains: Vec<bool> = vec![false; scopes.len()];
    for entry in &entries {
        let Some(place) = entry.scope.as_deref().and_then(|scope| places.get(scope)) else { continue };
        own.get_mut(*place).into_iter().for_each(|count| *count += 1);
        if let Value::Scalar { text, quoted: false } = &entry.value {
            let is_run = takes_arguments(text.rsplit('.').next().unwrap_or(text));
            trains.get_mut(*place).into_iter().for_each(|trains| *trains |= is_run);
        }
        if let Value::Scalar { text, quoted: false } = &entry.value
            && let Some(other) = places.get(text.as_str()).filter(|other| *other != place)
        {
            all.get_mut(*place).into_iter().for_each(|calls| calls.push(*other));
        }
    }
    // A function that makes the arguments of a run comes before others.
    let count = |place: usize| {
        let of = |place: usize| own.get(place).copied().unwrap_or_default();
        let with_called = || core::iter::once(place).chain(all.get(place).into_iter().flatten().copied());
        let is_run = with_called().any(|place| trains.get(place).copied().unwrap_or_default());
        (is_run, with_called().map(of).sum::<usize>())
    };
    if let Some(name) = function {
        let Some(place) = scopes.iter().position(|scope| scope == name) else {
            let names = scopes.iter().take(MOST_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            let others = if scopes.len() > MOST_NAMED { ", …" } else { "" };
            return Err(match scopes.as_slice() {
                [] => format!("it has no function that sets anything, so no “{name}”"),
                _ => format!("it has no function “{name}” that sets anything: name one of {names}{others}"),
            });
        };
        return Ok(through(&entries, &places, &all, place));
    }
    let called: HashSet<usize> = all.iter().flatten().copied().collect();
    let free = (0..scopes.len()).filter(|place| !called.contains(place));
    let chosen = free.fold(None, |best: Option<usize>, next| match best {
        Some(best) if count(best) >= count(next) => Some(best),
        _ => Some(next),
    });
    let Some((chosen, name)) = chosen.and_then(|place| Some((place, scopes.get(place)?))) else { return Ok(entries) };
    let others = scopes.len() - 1 - all.get(chosen).map_or(0, Vec::len).min(scopes.len() - 1);
    if others > 0 {
        remarks.push(format!(
            "The file has {} functions; “{name}”, the one with the most settings, was read. Paste another alone to read it, or name it: FILE.py:FUNCTION.",
            scopes.len()
        ));
    }
    Ok(through(&entries, &places, &all, chosen))
}

/// Returns the entries of a function, after the entries of functions that it calls and those
/// outside of functions.
fn through(entries: &[Entry], scopes: &HashMap<&str, usize>, calls: &[Vec<usize>], chosen: usize) -> Vec<Entry> {
    // The called functions, each before its caller, and the place of each.
    let mut called: Vec<usize> = vec![chosen];
    let mut depths = HashMap::from([(chosen, 0)]);
    let mut at = 0;
    while let Some(place) = called.get(at) {
        for place in calls.get(*place).into_iter().flatten() {
            depths.entry(*place).or_insert_with(|| {
                called.push(*place);
                called.len() - 1
            });
        }
        at += 1;
    }
    let direct: HashSet<usize> = calls.get(chosen).into_iter().flatten().copied().collect();
    let turn = |entry: &Entry| match entry.scope.as_deref() {
        None => Some(0),
        Some(scope) => {
            let place = *scopes.get(scope)?;
            let depth = *depths.get(&place)?;
            // The functions that are called directly keep the order of the file.
            let is_direct = direct.contains(&place);
            Some(if depth == 0 {
                called.len()
            } else if is_direct {
                called.len() - 1
            } else {
                called.len() - depth
            })
        }
    };
    let mut turned: Vec<(usize, Entry)> =
        entries.iter().filter_map(|entry| Some((turn(entry)?, entry.clone()))).collect();
    turned.sort_by_key(|(turn, _)| *turn);
    turned.into_iter().map(|(_, entry)| entry).collect()
}

/// Returns the first part of a path.
fn root(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

impl<'a> Reader<'a> {
    fn peek(&self, ahead: usize) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at + ahead)
    }

    fn is(&self, ahead: usize, sign: char) -> bool {
        self.peek(ahead).is_some_and(|token| token.kind == TokenKind::Sign(sign))
    }

    fn path(&self) -> &str {
        self.frames.last().map_or("", |frame| frame.path.as_str())
    }

    /// Reads from the current token.
    fn step(&mut self) -> Result<(), String> {
        let Some(token) = self.peek(0) else { return Ok(()) };
        match token.kind {
            TokenKind::Newline if self.frames.is_empty() => {
                self.at += 1;
                self.statement();
                Ok(())
            }
            TokenKind::Sign(sign @ (')' | ']' | '}')) => {
                self.at += 1;
                if let Some(place) = self.frames.iter().rposition(|frame| frame.closes == sign) {
                    self.frames.truncate(place);
                }
                Ok(())
            }
            TokenKind::Sign(sign @ ('(' | '[' | '{')) => {
                let path = self.path().to_owned();
                self.at += 1;
                self.open(sign, path, false)
            }
            TokenKind::Sign(',') => {
                self.at += 1;
                if let Some(items) = self.frames.last_mut().and_then(|frame| frame.items.as_mut()) {
                    *items += 1;
                }
                Ok(())
            }
            TokenKind::Name => self.name(),
            TokenKind::Text | TokenKind::Number
                if self.frames.last().is_some_and(|frame| frame.is_dict) && self.is(1, ':') =>
            {
                let path = joined(self.path(), token.text);
                self.at += 2;
                self.value(path)
            }
            _ => {
                self.at += 1;
                Ok(())
            }
        }
    }

    /// Handles a new line outside of brackets: a function begins or ends.
    fn statement(&mut self) {
        let Some(token) = self.peek(0).filter(|token| token.kind == TokenKind::Name) else { return };
        if token.indent == 0 {
            self.scope = None;
            self.in_class = token.text == "class";
        }
        if token.text == "def"
            && let Some(name) = self.peek(1)
            && (token.indent == 0 || self.scope.is_none())
        {
            self.scope = Some(name.text.to_owned());
        }
    }

    /// Reads a name: the key of an assignment or of an argument, or something else.
    fn name(&mut self) -> Result<(), String> {
        let start = self.at;
        let mut names = vec![self.peek(0).map_or("", |token| token.text)];
        self.at += 1;
        while self.is(0, '.')
            && let Some(token) = self.peek(1).filter(|token| token.kind == TokenKind::Name)
        {
            names.push(token.text);
            self.at += 2;
        }
        // `key: type = value`, in a class, before a function's body and in its brackets.
        let is_statement =
            start == 0 || self.tokens.get(start.wrapping_sub(1)).is_some_and(|token| token.kind == TokenKind::Newline);
        let in_call = self.frames.last().is_some_and(|frame| frame.closes == ')');
        if self.is(0, ':')
            && names.len() == 1
            && (is_statement && self.frames.is_empty() || in_call)
            && let Some(ahead) = self.annotation()
        {
            self.at += ahead;
        }
        if self.is(0, '=') && !self.is(1, '=') && (in_call || self.frames.is_empty()) {
            let is_root = names.len() > 1 && names.first().is_some_and(|name| ROOTS.contains(name));
            let key = names.iter().skip(usize::from(is_root)).copied().collect::<Vec<_>>().join(".");
            let path = joined(self.path(), &key);
            self.at += 1;
            // The name of a whole configuration is not a key.
            let is_call = self.peek(0).is_some_and(|token| token.kind == TokenKind::Name);
            let is_whole = self.frames.is_empty() && is_call && ROOTS.contains(&key.as_str());
            let path = if is_whole || self.callee().is_some_and(takes_arguments) { String::new() } else { path };
            return self.value(path);
        }
        if self.is(0, '(') && names.last() == Some(&"add_argument") {
            // Arguments count where the script uses them.
            self.at += arguments::call_length(self.tokens.get(self.at..).unwrap_or_default());
            return Ok(());
        }
        if self.is(0, '(') && names.last() == Some(&"gradient_checkpointing_enable") {
            self.add("gradient_checkpointing", Value::plain("True"), None)?;
        }
        if self.is(0, '(') {
            // Keywords of a call whose result is an argument belong to the argument's path.
            let is_free = names.last().is_some_and(|name| takes_arguments(name));
            let path = if is_free { String::new() } else { self.path().to_owned() };
            self.at += 1;
            return self.open('(', path, false);
        }
        Ok(())
    }

    /// Returns the last part of the callee's name.
    fn callee(&self) -> Option<&'a str> {
        let mut ahead = 0;
        while self.peek(ahead)?.kind == TokenKind::Name {
            if self.is(ahead + 1, '(') {
                return self.peek(ahead).map(|token| token.text);
            }
            if !self.is(ahead + 1, '.') {
                break;
            }
            ahead += 2;
        }
        None
    }

    /// Whether the dictionary that begins here has DeepSpeed's section of ZeRO.
    fn is_of_deepspeed(&self) -> bool {
        let mut depth = 0_u32;
        for token in (0..MOST_FIELD).map_while(|ahead| self.peek(ahead)) {
            match token.kind {
                TokenKind::Sign('{' | '[' | '(') => depth += 1,
                TokenKind::Sign('}' | ']' | ')') => depth = depth.saturating_sub(1),
                TokenKind::Text if token.text == "zero_optimization" => return true,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        false
    }

    /// Reads the name of a model that a script loads: the first one of a key, which is trained or
    /// its teacher. Returns whether it is that one.
    fn load(&mut self, key: &str) -> Result<bool, String> {
        if self.entries.list.iter().any(|entry| entry.path == key) {
            return Ok(false);
        }
        let is_break = |ahead: &usize| self.peek(*ahead).is_none_or(|token| token.kind != TokenKind::Newline);
        let first = (1..MOST_FIELD).find(is_break).unwrap_or(1);
        let Some(token) = self.peek(first) else { return Ok(true) };
        let ends = |ahead| self.is(ahead, ',') || self.is(ahead, ')');
        match token.kind {
            TokenKind::Text if ends(first + 1) => {
                let value = self.text_of(token);
                let span = (!token.is_format).then(|| token.span.clone());
                self.add(key, value, span)?;
            }
            TokenKind::Name => {
                let (name, next) = self.dotted(first);
                let value = self.literal(&name).filter(|_| ends(next));
                if let Some(value) = value.filter(|value| *value != Value::Null && !value.shown().is_empty()) {
                    self.add(key, value, None)?;
                }
            }
            _ => {}
        }
        Ok(true)
    }

    /// Returns the dotted name that begins some tokens ahead, and the place behind it.
    fn dotted(&self, mut ahead: usize) -> (String, usize) {
        let mut name = self.peek(ahead).map_or("", |token| token.text).to_owned();
        ahead += 1;
        while self.is(ahead, '.')
            && let Some(next) = self.peek(ahead + 1).filter(|next| next.kind == TokenKind::Name)
        {
            name.push('.');
            name.push_str(next.text);
            ahead += 2;
        }
        (name, ahead)
    }

    /// Returns the value of a string, with the known names of a formatted one.
    fn text_of(&self, token: &Token) -> Value {
        let as_written = || Value::Scalar { text: token.text.to_owned(), quoted: true };
        if !token.is_format {
            return as_written();
        }
        let (mut filled, mut rest) = (String::new(), token.text);
        while let Some((before, after)) = rest.split_once('{') {
            let known =
                after.split_once('}').and_then(|(name, behind)| Some((self.literal(name.trim())?.shown(), behind)));
            let Some((value, behind)) = known else { return as_written() };
            filled.extend([before, value.as_str()]);
            rest = behind;
        }
        filled.push_str(rest);
        Value::Scalar { text: filled, quoted: true }
    }

    /// Returns the place at which the value that begins here ends, and that of its `if`.
    fn value_end(&self) -> (usize, Option<usize>) {
        let (mut depth, mut condition) = (0_u32, None);
        for ahead in 0..MOST_FIELD {
            let Some(token) = self.peek(ahead) else { return (ahead, condition) };
            match token.kind {
                TokenKind::Sign('(' | '[' | '{') => depth += 1,
                TokenKind::Sign(')' | ']' | '}' | ',') if depth == 0 => return (ahead, condition),
                TokenKind::Sign(')' | ']' | '}') => depth -= 1,
                TokenKind::Newline if self.frames.is_empty() && depth == 0 => return (ahead, condition),
                TokenKind::Name if depth == 0 && token.text == "if" => condition = condition.or(Some(ahead)),
                _ => {}
            }
        }
        (MOST_FIELD, condition)
    }

    /// Returns the place of the other value of `a if condition else b`, if the condition is known
    /// not to hold.
    fn other_value(&self, condition: usize) -> Option<usize> {
        let is_name = |ahead: usize, name: &str| {
            self.peek(ahead).is_some_and(|token| token.kind == TokenKind::Name && token.text == name)
        };
        let negated = is_name(condition + 1, "not");
        let (name, next) = self.dotted(condition + 1 + usize::from(negated));
        let value = if matches!(name.as_str(), "True" | "False") { name } else { self.known(&name)?.shown() };
        let holds = match value.as_str() {
            "True" | "true" => !negated,
            "False" | "false" | "null" | "" => negated,
            _ => return None,
        };
        (is_name(next, "else") && !holds).then_some(next + 1)
    }

    /// Reads a calculation of numbers, names and texts, such as `batch // micro`: its result, or it
    /// as it is written if a name is unknown. Returns whether there is one.
    fn calculation(&mut self, path: &str) -> Result<bool, String> {
        let Some(first) = self.peek(0) else { return Ok(false) };
        let next = match first.kind {
            TokenKind::Name => self.dotted(0).1,
            TokenKind::Number | TokenKind::Text => 1,
            _ => return Ok(false),
        };
        let is_sign = |kind: TokenKind| matches!(kind, TokenKind::Sign('*' | '/' | '+' | '-' | '%'));
        let (end, condition) = self.value_end();
        let end = condition.unwrap_or(end);
        let parts = self.tokens.get(self.at..self.at + end).unwrap_or_default();
        let is_part = |token: &Token| {
            matches!(token.kind, TokenKind::Name | TokenKind::Number | TokenKind::Text | TokenKind::Newline)
                || is_sign(token.kind)
                || matches!(token.kind, TokenKind::Sign('.' | '(' | ')'))
        };
        if path.is_empty() || !parts.get(next).is_some_and(|token| is_sign(token.kind)) || !parts.iter().all(is_part) {
            return Ok(false);
        }
        let Some(last) = parts.last() else { return Ok(false) };
        let span = first.span.start..last.span.end;
        let written = self.text.get(span.clone()).unwrap_or_default();
        let has = |kind: TokenKind| parts.iter().any(|token| token.kind == kind);
        let value = if has(TokenKind::Text) {
            self.concatenated(parts).map(|text| Value::Scalar { text, quoted: true })
        } else {
            // The quotient of `/` has a fraction.
            let whole = written.replace("//", "÷");
            let known = |name: &str| self.known(name).map(|value| value.shown());
            let number = (!whole.contains('/')).then(|| arithmetic::value(&whole.replace('÷', "/"), &known)).flatten();
            number.map(|number| Value::plain(number.to_string()))
        };
        let span = (!has(TokenKind::Name)).then_some(span);
        let is_itself = parts.iter().any(|token| token.kind == TokenKind::Name && token.text == path);
        self.at += end;
        match value {
            Some(value) => self.add(path, value, span)?,
            None if is_itself && let Some(before) = self.known(path) => self
                .remarks
                .push(format!("{path} = {written} is not calculated: {}, its value before, is taken.", before.shown())),
            None => self.add(path, Value::plain(written), None)?,
        }
        Ok(true)
    }

    /// Returns the text of texts and known names that are added; `None` if there is anything else.
    fn concatenated(&self, parts: &[Token]) -> Option<String> {
        let mut text = String::new();
        for (place, part) in parts.iter().enumerate() {
            match part.kind {
                TokenKind::Sign('+') if place % 2 == 1 => {}
                TokenKind::Text if place % 2 == 0 => text.push_str(&self.text_of(part).shown()),
                TokenKind::Name if place % 2 == 0 => text.push_str(&self.literal(part.text)?.shown()),
                _ => return None,
            }
        }
        Some(text)
    }

    /// Reads `field(default=…)` of a dataclass, after the field's name.
    fn field(&mut self, path: String) -> Result<(), String> {
        let mut depth = 0_i32;
        let default = (0..MOST_FIELD).find(|ahead| match self.peek(*ahead).map(|token| token.kind) {
            Some(TokenKind::Sign('(' | '[' | '{')) => {
                depth += 1;
                false
            }
            Some(TokenKind::Sign(')' | ']' | '}')) => {
                depth -= 1;
                false
            }
            Some(TokenKind::Name) => {
                depth == 1 && self.peek(*ahead).is_some_and(|token| token.text == "default") && self.is(ahead + 1, '=')
            }
            _ => false,
        });
        self.at += 1;
        // Other arguments of the field are not keys.
        self.open('(', FIELD.into(), false)?;
        let Some(ahead) = default else { return Ok(()) };
        self.at += ahead + 1;
        self.value(path)
    }

    /// Returns the number of tokens of an annotation before its `=`; `None` if no value follows.
    fn annotation(&self) -> Option<usize> {
        let mut depth = 0_i32;
        for ahead in 1..40 {
            match self.peek(ahead)?.kind {
                TokenKind::Sign('[' | '(') => depth += 1,
                TokenKind::Sign(']') => depth -= 1,
                TokenKind::Sign('=') if depth == 0 => return Some(ahead),
                TokenKind::Sign(')' | ',') | TokenKind::Newline if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }

    fn open(&mut self, sign: char, path: String, is_list: bool) -> Result<(), String> {
        if self.frames.len() >= DEEPEST {
            return Err(format!("it is nested deeper than {DEEPEST} levels"));
        }
        let closes = match sign {
            '(' => ')',
            '[' => ']',
            _ => '}',
        };
        self.frames.push(Frame { path, closes, is_dict: sign == '{', items: is_list.then_some(0) });
        Ok(())
    }

    /// Reads the value of a key.
    fn value(&mut self, path: String) -> Result<(), String> {
        if let Some(ahead) = self.value_end().1.and_then(|condition| self.other_value(condition)) {
            self.at += ahead;
            return self.value(path);
        }
        if self.calculation(&path)? {
            return Ok(());
        }
        let Some(token) = self.peek(0) else { return Ok(()) };
        match token.kind {
            TokenKind::Sign('{') => {
                // DeepSpeed's configuration is a dictionary of any name.
                let path = if self.frames.is_empty() && self.is_of_deepspeed() { String::new() } else { path };
                self.at += 1;
                self.open('{', path, false)
            }
            TokenKind::Sign(sign @ ('[' | '(')) => {
                if let Some((items, span)) = self.scalars(sign) {
                    self.add(&path, Value::List(items), Some(span))
                } else {
                    if path.rsplit('.').next() == Some(CALLED) {
                        let called = self.called();
                        self.add(&path, Value::List(called), None)?;
                    }
                    self.at += 1;
                    self.open(sign, path, true)
                }
            }
            TokenKind::Name => {
                let (name, ahead) = self.dotted(0);
                let start = token.span.start;
                let end = self.peek(ahead - 1).map_or(token.span.end, |last| last.span.end);
                self.at += ahead;
                if self.is(0, '(') && name.rsplit('.').next() == Some("field") && !path.is_empty() {
                    return self.field(path);
                }
                // A function returns the model that it is given, prepared for training.
                let is_model = path.rsplit('.').next() == Some("model");
                let is_given = self.peek(1).is_some_and(|first| first.text == "model") && !self.is(2, '.');
                if self.is(0, '(') && is_model && is_given {
                    if PREPARING.contains(&name.rsplit('.').next().unwrap_or_default()) {
                        self.add("gradient_checkpointing", Value::plain("True"), None)?;
                    }
                    self.at += 1;
                    return self.open('(', path, false);
                }
                if self.is(0, '(') && loads_a_model(&name) && path.to_ascii_lowercase().contains("teacher") {
                    self.load(TEACHER)?;
                }
                if self.is(0, '(') && loads_a_model(&name) && !is_beside(&path) && self.load(LOADED)? && is_model {
                    self.results.insert(path);
                    self.at += 1;
                    return self.open('(', String::new(), false);
                }
                if self.is(0, '(') {
                    self.results.insert(path.clone());
                    let of_base = path.is_empty() || self.frames.is_empty() && ROOTS.contains(&path.as_str());
                    self.add(if of_base { "__base__" } else { &path }, Value::plain(name), None)?;
                    self.at += 1;
                    return self.open('(', path, false);
                }
                if path.is_empty() {
                    return Ok(());
                }
                if self.follow(&name, &path) {
                    return Ok(());
                }
                match self.known(&name) {
                    // The name of a class or of a function is no model's.
                    Some(_) if is_model && self.results.contains(&name) => Ok(()),
                    Some(value) => self.add(&path, value, None),
                    // The value is a variable of another call.
                    None if is_model || path == "args" => Ok(()),
                    None => self.add(&path, Value::plain(name), Some(start..end)),
                }
            }
            TokenKind::Number => {
                self.at += 1;
                self.add(&path, Value::plain(token.text.replace('_', "")), Some(token.span.clone()))
            }
            TokenKind::Sign('-') if self.peek(1).is_some_and(|next| next.kind == TokenKind::Number) => {
                let next = self.peek(1).map_or("", |next| next.text);
                let span = token.span.start..self.peek(1).map_or(token.span.end, |next| next.span.end);
                self.at += 2;
                self.add(&path, Value::plain(format!("-{next}")), Some(span))
            }
            TokenKind::Text => {
                self.at += 1;
                let span = (!token.is_format).then(|| token.span.clone());
                self.add(&path, self.text_of(token), span)
            }
            _ => Ok(()),
        }
    }

    /// Returns the value of a variable of this function, of a constant outside of functions, or of
    /// an argument of the script.
    fn known(&self, name: &str) -> Option<Value> {
        self.variable(name).or_else(|| {
            let (owner, last) = name.rsplit_once('.')?;
            let owner = owner.rsplit('.').next()?.to_ascii_lowercase();
            let value = self.arguments.get(last).filter(|_| HOLDERS.iter().any(|end| owner.ends_with(end)))?;
            // The default may be a constant.
            match value {
                Value::Scalar { text, quoted: false } => self.variable(text).or_else(|| Some(value.clone())),
                _ => Some(value.clone()),
            }
        })
    }

    /// Returns the value of a name, unless it is the result of a call.
    fn literal(&self, name: &str) -> Option<Value> {
        self.known(name).filter(|_| !self.results.contains(name))
    }

    fn variable(&self, name: &str) -> Option<Value> {
        let scopes = [self.scope.clone(), None];
        let of_scope = |scope: &Option<String>| {
            if let Some(places) = &self.places {
                places.get(&(scope.clone(), name.to_owned())).and_then(|place| self.entries.list.get(*place))
            } else {
                self.entries.list.iter().rev().find(|entry| entry.path == name && entry.scope == *scope)
            }
        };
        scopes.iter().find_map(of_scope).map(|entry| entry.value.clone())
    }

    /// Moves the entries of a variable built by a call to a key: `compile=compile_config` receives
    /// `compile_config.enable`. They are moved, not copied, so that each position of the text
    /// belongs to one key.
    fn follow(&mut self, name: &str, path: &str) -> bool {
        let last = path.rsplit('.').next().unwrap_or_default();
        // Models are read under the name of their variable.
        if name == path || path.is_empty() || matches!(last, "model" | "args" | "model_spec") {
            return false;
        }
        if !self.roots.contains(root(name)) {
            return false;
        }
        let below = format!("{name}.");
        let has_any = |entry: &Entry| entry.scope == self.scope && entry.path.starts_with(&below);
        if !self.entries.list.iter().any(has_any) {
            return false;
        }
        let is_held =
            |entry: &mut Entry| entry.scope == self.scope && (entry.path == name || entry.path.starts_with(&below));
        let held: Vec<Entry> = self.entries.list.extract_if(.., is_held).collect();
        self.places = None;
        self.roots.insert(root(path).to_owned());
        self.entries.list.extend(held.into_iter().map(|entry| {
            let rest = entry.path.get(name.len()..).unwrap_or_default();
            Entry { path: format!("{path}{rest}"), ..entry }
        }));
        true
    }

    /// Returns the callees of the items of the list that begins here.
    fn called(&self) -> Vec<String> {
        let (mut names, mut depth, mut ahead) = (Vec::new(), 0_u32, 0);
        while let Some(token) = self.peek(ahead) {
            match token.kind {
                TokenKind::Sign('[' | '(' | '{') => depth += 1,
                TokenKind::Sign(']' | ')' | '}') => depth -= 1,
                TokenKind::Name if depth == 1 && token.text != "Config" => names.push(token.text.to_owned()),
                _ => {}
            }
            if depth == 0 {
                break;
            }
            ahead += 1;
        }
        names
    }

    /// Reads a list of literals and names, with its position; `None` if the list has other items.
    fn scalars(&mut self, sign: char) -> Option<(Vec<String>, Range<usize>)> {
        let closes = if sign == '[' { ']' } else { ')' };
        let start = self.peek(0)?.span.start;
        let (mut items, mut ahead) = (Vec::new(), 1);
        loop {
            let token = self.peek(ahead)?;
            match token.kind {
                TokenKind::Sign(found) if found == closes => {
                    self.at += ahead + 1;
                    return Some((items, start..token.span.end));
                }
                TokenKind::Sign(',') | TokenKind::Newline => {}
                TokenKind::Text | TokenKind::Number => items.push(token.text.to_owned()),
                TokenKind::Name if !matches!(self.peek(ahead + 1)?.kind, TokenKind::Sign('.' | '(')) => {
                    items.push(token.text.to_owned());
                }
                _ => return None,
            }
            ahead += 1;
        }
    }

    fn add(&mut self, path: &str, value: Value, span: Option<Range<usize>>) -> Result<(), String> {
        let is_field = self.frames.last().is_none_or(|frame| frame.path == FIELD);
        if self.in_class && self.scope.is_none() && is_field {
            self.arguments.entry(path.to_owned()).or_insert_with(|| value.clone());
        }
        self.entries.add(path, value, span)?;
        if let Some(entry) = self.entries.list.last_mut() {
            entry.scope.clone_from(&self.scope);
        }
        if let Some(places) = &mut self.places {
            places.insert((self.scope.clone(), path.to_owned()), self.entries.list.len() - 1);
        }
        if path.contains('.') {
            self.roots.insert(root(path).to_owned());
        }
        Ok(())
    }
}
