//! Reader of shell scripts: flags, variables and arrays. Nothing is executed: the output of
//! commands and a script's arguments stay unknown.

mod conditions;
mod words;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{Entries, Entry, MOST_VALUES, Value, arithmetic, too_many};
use conditions::Conditions;
use words::{Word, words};

/// A variable.
struct Variable {
    value: String,
    /// Position of the value, if the value is one word.
    span: Option<Range<usize>>,
}

/// The variables of a script.
#[derive(Default)]
struct Variables<'a> {
    /// Those that are set so far.
    set: HashMap<String, Variable>,
    /// The first value of each variable that the script sets anywhere: a function may come before
    /// the variables that it uses.
    later: HashMap<&'a str, &'a str>,
    /// Those whose value is of a branch that may not run: no test is evaluated with them.
    uncertain: HashSet<String>,
}

impl Variables<'_> {
    fn get(&self, name: &str) -> Option<&Variable> {
        self.set.get(name)
    }

    fn contains(&self, name: &str) -> bool {
        self.set.contains_key(name)
    }

    fn insert(&mut self, name: &str, variable: Variable) {
        self.set.insert(name.to_owned(), variable);
    }
}

/// Most levels of variable expansion.
const DEEPEST_FILL: usize = 8;
/// Longest value of a variable that is set further down.
const LONGEST_LATER: usize = 200;
/// Longest text in which variables are expanded.
const LONGEST: usize = 4_000;

/// Reads a shell script, or the arguments of a command.
///
/// # Errors
///
/// A description of the problem, without a full stop.
pub(super) fn parse_shell(text: &str, remarks: &mut Vec<String>) -> Result<Vec<Entry>, String> {
    let words = words(text);
    if words.len() > MOST_VALUES {
        return Err(too_many());
    }
    let mut variables = Variables { set: slurm_variables(text), later: HashMap::new(), uncertain: HashSet::new() };
    for word in &words {
        if let Some((name, value, _)) = assignment(word).filter(|(_, value, _)| value.len() <= LONGEST_LATER) {
            variables.later.entry(name).or_insert(value);
        }
    }
    let used = used_names(text);
    let mut visible = None;
    let mut entries = Entries::default();
    let mut branches = false;
    let mut conditions = Conditions::default();
    let mut skipped = HashSet::new();
    let (mut place, mut reads) = (0, 0);
    let mut starts_environment = false;
    while let Some(word) = words.get(place) {
        place += 1;
        if !conditions.run(word, &variables) {
            skipped.insert(place - 1);
            continue;
        }
        starts_environment = is_of_environment(starts_environment, word, words.get(place));
        if starts_environment {
            continue;
        }
        branches |= word.text == "case" && word.starts_command;
        if let Some((name, value, span)) = assignment(word) {
            if VISIBLE.contains(&name) {
                visible = devices(value).or(visible);
            }
            // Flags inside a string are separate words.
            let has_overrides =
                || value.split_whitespace().any(|part| part.contains('.') && override_of(part).is_some());
            let is_list = value.contains("--") || value.contains(char::is_whitespace) && has_overrides();
            let inner = is_list.then(|| self::words::inside(value, span.start));
            if let Some(inner) = inner {
                flags(&inner, &variables, &mut entries)?;
                continue;
            }
            let filled = fill(value, &variables, 0);
            // A value from an argument does not replace the default.
            if variables.contains(name) && (is_argument(&filled) || word.in_case && filled.contains('$')) {
                continue;
            }
            entries.add(&format!("${name}"), Value::plain(filled.clone()), Some(span.clone()))?;
            if is_setting(name) {
                entries.add(name, Value::plain(filled.clone()), Some(span.clone()))?;
                // A variable that the script uses counts where it is used.
                entries.list.last_mut().into_iter().for_each(|entry| entry.merged = used.contains(name));
            }
            variables.insert(name, Variable { value: filled, span: literal(value, span) });
            // `[ … ] && NAME=value` may not run either.
            let is_tested = words.get(place.wrapping_sub(2)).is_some_and(conditions::is_test);
            if word.in_case || is_tested || conditions.is_undecided() {
                variables.uncertain.insert(name.to_owned());
            } else {
                variables.uncertain.remove(name);
            }
            continue;
        }
        if let Some((name, value, span)) = default(word) {
            if !variables.contains(name) {
                let filled = fill(value, &variables, 0);
                entries.add(&format!("${name}"), Value::plain(filled.clone()), Some(span.clone()))?;
                variables.insert(name, Variable { value: filled, span: literal(value, span) });
            }
            continue;
        }
        if word.text == "read" && reads < MOST_NAMES {
            reads += 1;
            let several = words.get(place..).unwrap_or_default();
            if read_first(text, several, &mut variables) {
                remarks.push("The script runs several configurations: the first is read.".into());
            }
            continue;
        }
        if word.text.starts_with('-') {
            let end = list_length(&words, place, word);
            let of = words.get(place - 1..place + end).unwrap_or_default();
            flags(of, &variables, &mut entries)?;
            place += end;
            continue;
        }
        if let Some((key, value)) = override_of(word.text) {
            let start = word.span.end - value.len().min(word.span.end);
            entries.add(key, Value::plain(fill(unquoted(value), &variables, 0)), Some(start..word.span.end))?;
        } else if is_hub_name(word.text) {
            entries.add("__argument__", Value::plain(word.text), Some(word.span.clone()))?;
        }
    }
    branches |= conditions.are_unknown;
    let run = words.into_iter().enumerate().filter(|(place, _)| !skipped.contains(place));
    let words: Vec<Word> = run.map(|(_, word)| word).collect();
    add_commands(&words, &variables, &mut entries)?;
    if branches {
        remarks.push("The script has branches: of a variable that is set in several, the last value counts.".into());
    }
    if let Some(devices) = visible {
        add_processes(&words, devices, &mut entries)?;
    }
    Ok(entries.list)
}

/// Adds what a script's commands say besides their flags: the program, its files and its launcher.
fn add_commands(words: &[Word], variables: &Variables, entries: &mut Entries) -> Result<(), String> {
    let launcher = launcher(words);
    if launcher == Some("torchrun") {
        unabbreviate(entries);
    }
    if let Some(name) = trained_with(words) {
        entries.add(COMMAND, Value::plain(name), None)?;
    }
    for pair in words.windows(2) {
        // The value of another flag is that flag's own.
        let [before, word] = pair else { continue };
        let name = unquoted(word.text);
        let is_named = before.text == "--config" || !before.text.starts_with('-');
        if is_named && !name.contains('=') && ends_in(name, &[".yaml", ".yml"]) {
            entries.add(STARTED, Value::plain(fill(name, variables, 0)), None)?;
        }
    }
    if let Some(name) = launcher {
        entries.add(LAUNCHER, Value::plain(name), None)?;
    }
    Ok(())
}

/// Key of what a script trains with: the command of `trl` or `llamafactory-cli`, or the name of the
/// first Python file.
pub(in crate::run) const COMMAND: &str = "__command__";

/// Key of each configuration that a script's commands name.
pub(in crate::run) const STARTED: &str = "__started__";

/// Whether a word is one of those before the program that an environment's command starts: they
/// are the command's own.
fn is_of_environment(before: bool, word: &Word, next: Option<&Word>) -> bool {
    let starts = ENVIRONMENTS.contains(&word.text) && next.is_some_and(|next| next.text == "run");
    let is_program = ends_in(word.text, &[".py"]) || PROGRAMS.iter().any(|program| word.text.starts_with(program));
    starts || before && !word.starts_command && !is_program
}

/// Commands that start a program in an environment: `uv run --frozen python3 …`.
const ENVIRONMENTS: [&str; 4] = ["uv", "poetry", "pixi", "pdm"];

/// Beginnings of the programs that such a command starts.
const PROGRAMS: [&str; 8] = ["python", "torchrun", "accelerate", "deepspeed", "bash", "trl", "axolotl", "llamafactory"];

/// Key of the launcher of a script's processes: one of [`LAUNCHERS`].
pub(in crate::run) const LAUNCHER: &str = "__launcher__";

/// Commands and modules that start processes, with their launcher. The last three start torchrun or
/// accelerate themselves, on every visible device.
const LAUNCHERS: [(&str, &str); 10] = [
    ("torchrun", "torchrun"),
    ("torch.distributed.run", "torchrun"),
    ("torch.distributed.launch", "torchrun"),
    ("accelerate", "accelerate"),
    ("accelerate.commands.launch", "accelerate"),
    ("deepspeed", "deepspeed"),
    ("deepspeed.launcher.runner", "deepspeed"),
    ("llamafactory-cli", "llamafactory-cli"),
    ("axolotl", "axolotl"),
    ("trl", "trl"),
];

/// Whether a command or a module starts processes of another program.
pub(in crate::run) fn is_launcher(name: &str) -> bool {
    LAUNCHERS.iter().any(|(command, _)| *command == name)
}

/// Returns the launcher of a script, also of a command that is held in a variable.
fn launcher(words: &[Word]) -> Option<&'static str> {
    let texts = words.iter().flat_map(|word| {
        let held = word.text.split_once('=').filter(|_| word.starts_command);
        unquoted(held.map_or(word.text, |(_, value)| value)).split_whitespace()
    });
    let texts: Vec<&str> = texts.collect();
    let mut places = texts.iter().enumerate();
    places.find_map(|(place, text)| {
        let name = text.rsplit('/').next()?;
        let (_, launcher) = LAUNCHERS.iter().find(|(command, _)| *command == name)?;
        // Packages and folders have these names too.
        let next = texts.get(place + 1).copied().unwrap_or_default();
        let is_command = match name {
            "accelerate" => next == "launch",
            "deepspeed" => next.starts_with(['-', '$']) || ends_in(next, &[".py"]),
            "llamafactory-cli" | "axolotl" => next == "train",
            "trl" => next.chars().all(char::is_alphabetic) && !next.is_empty(),
            _ => true,
        };
        is_command.then_some(*launcher)
    })
}

/// Writes out torchrun's counts where they are abbreviated, which argparse allows: `--nnode`.
fn unabbreviate(entries: &mut Entries) {
    for entry in &mut entries.list {
        let starts = |name: &&&str| entry.path.len() > 1 && name.starts_with(entry.path.as_str());
        if let Some(name) = ["nnodes", "nproc_per_node"].iter().find(starts) {
            entry.path = (*name).to_owned();
        }
    }
}

/// Returns what a script trains with.
fn trained_with<'a>(words: &[Word<'a>]) -> Option<&'a str> {
    let mut pairs = words.windows(2);
    let command = pairs.find_map(|pair| match pair {
        [program, command] if program.starts_command && ["trl", "llamafactory-cli"].contains(&program.text) => {
            Some(command.text)
        }
        _ => None,
    });
    let mut files = words.iter().filter_map(|word| unquoted(word.text).strip_suffix(".py"));
    command.or_else(|| files.next()?.rsplit('/').next())
}

/// Returns the number of words from `place` on that belong to the list of a flag.
fn list_length(words: &[Word], place: usize, flag: &Word) -> usize {
    let rest = words.get(place..).unwrap_or_default();
    rest.iter().position(|next| next.ends_list(flag)).unwrap_or(rest.len())
}

/// Returns whether a variable has the name of a setting: lower case, as `learning_rate`.
fn is_setting(name: &str) -> bool {
    name.chars().all(|letter| letter.is_ascii_lowercase() || matches!(letter, '_' | '.') || letter.is_ascii_digit())
}

/// Returns the names of the variables that a script refers to: `$name`, `${name…`.
fn used_names(text: &str) -> HashSet<&str> {
    let names = text.split('$').skip(1).map(|rest| {
        let rest = rest.trim_start_matches('{');
        let end = rest.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    });
    names.collect()
}

/// Variables that name the devices a process may use: of CUDA, of HIP and of Ascend.
const VISIBLE: [&str; 4] =
    ["CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"];

/// Adds the number of processes of a launcher, if no flag states it: that of the visible devices.
/// Without a launcher there is one process.
fn add_processes(words: &[Word], devices: usize, entries: &mut Entries) -> Result<(), String> {
    let counts = ["nproc_per_node", "nproc-per-node", "num_processes", "num_gpus", "gpus_per_node", "include"];
    if entries.list.iter().any(|entry| counts.contains(&entry.path.as_str())) {
        return Ok(());
    }
    // These start a process on each visible device.
    let processes = if launcher(words).is_some() { devices } else { 1 };
    entries.add("nproc_per_node", Value::plain(processes.to_string()), None)
}

/// Returns the variables that Slurm sets for a script by its `#SBATCH` lines (sbatch(1), "Output
/// environment variables").
fn slurm_variables(text: &str) -> HashMap<String, Variable> {
    const NAMES: [(&str, &[&str]); 5] = [
        ("--nodes", &["SLURM_JOB_NUM_NODES", "SLURM_NNODES"]),
        ("-N", &["SLURM_JOB_NUM_NODES", "SLURM_NNODES"]),
        ("--ntasks-per-node", &["SLURM_NTASKS_PER_NODE"]),
        ("--gpus-per-node", &["SLURM_GPUS_PER_NODE", "SLURM_GPUS_ON_NODE"]),
        ("--gres", &["SLURM_GPUS_ON_NODE"]),
    ];
    let mut variables = HashMap::new();
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("#SBATCH"));
    for line in lines {
        let line = line.split(" #").next().unwrap_or_default().replace('=', " ");
        let mut words = line.split_whitespace();
        let Some((_, names)) = words.next().and_then(|word| NAMES.iter().find(|(option, _)| *option == word)) else {
            continue;
        };
        // `gpu:a100:4` is four GPUs.
        let count = words.next().and_then(|value| value.rsplit(':').next()?.parse::<u32>().ok());
        for (name, count) in names.iter().zip(core::iter::repeat(count)) {
            if let Some(count) = count {
                variables.insert((*name).to_owned(), Variable { value: count.to_string(), span: None });
            }
        }
    }
    variables
}

/// Whether a value holds one of the script's arguments: `$1`, `${2}`, `${1#*=}`, `$@`, `$OPTARG`.
fn is_argument(value: &str) -> bool {
    value.split('$').skip(1).any(|rest| {
        let name = rest.trim_start_matches(['{', '!']);
        name.starts_with(|sign: char| matches!(sign, '1'..='9' | '@' | '*')) || name.starts_with("OPTARG")
    })
}

/// Returns the number of devices in a list: `0,1,2,3`.
fn devices(value: &str) -> Option<usize> {
    let is_list = !value.is_empty() && value.split(',').all(|device| device.trim().parse::<u32>().is_ok());
    is_list.then(|| value.split(',').count())
}

/// Sets the variables of `IFS=',' read -r TP PP <<< "$config"` in a loop over an array of
/// configurations, from the first one. Returns whether the line has this form.
fn read_first(text: &str, words: &[Word], variables: &mut Variables) -> bool {
    let names: Vec<&str> =
        words.iter().map(|word| word.text).take_while(|word| *word != "<<<").take(MOST_NAMES).collect();
    let Some(of) = words.get(names.len() + 1).and_then(|word| variable(unquoted(word.text))) else { return false };
    let array =
        text.split_once(&format!("for {of} in \"${{")).and_then(|(_, rest)| rest.split_once('[')).map(|(name, _)| name);
    let Some((_, list)) = array.and_then(|name| text.split_once(&format!("{name}=("))) else { return false };
    let start = list.char_indices().nth(LONGEST).and_then(|(end, _)| list.get(..end)).unwrap_or(list);
    let Some(first) = words::words(start).first().map(|word| unquoted(word.text).to_owned()) else { return false };
    for (name, value) in names.iter().filter(|name| !name.starts_with('-')).zip(first.split(',')) {
        variables.insert(name, Variable { value: value.trim().to_owned(), span: None });
    }
    true
}

/// Most names that a line is read into.
const MOST_NAMES: usize = 16;

/// Whether an argument without a flag looks like a model on the Hub: `owner/name`.
fn is_hub_name(text: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(char::is_alphanumeric)
            && part.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.'))
    };
    let is_file = text.rsplit_once('.').is_some_and(|(_, end)| end.chars().all(char::is_alphabetic));
    text.split_once('/').is_some_and(|(owner, name)| is_part(owner) && is_part(name)) && !is_file
}

/// Splits `key=value` of a command, whose key has dots or is in lower case.
fn override_of(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.trim_start_matches('+').split_once('=')?;
    let is_key = key.starts_with(|letter: char| letter.is_ascii_lowercase())
        && key.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.'));
    is_key.then_some((key, value))
}

/// Splits `NAME=value` outside of a command.
fn assignment<'a>(word: &Word<'a>) -> Option<(&'a str, &'a str, Range<usize>)> {
    if !word.starts_command {
        return None;
    }
    let (name, value) = word.text.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let is_name = name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let start = word.span.end - value.len().min(word.span.end);
    let inner = unquoted(value);
    let start = start + usize::from(inner.len() < value.len());
    is_name.then_some((name, inner, start..start + inner.len()))
}

/// Splits `${NAME:=value}`, which sets an unset variable: the argument of `:`.
fn default<'a>(word: &Word<'a>) -> Option<(&'a str, &'a str, Range<usize>)> {
    let inner = unquoted(word.text);
    let (name, value) = inner.strip_prefix("${")?.strip_suffix('}')?.split_once('=')?;
    let name = name.strip_suffix(':').unwrap_or(name);
    let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let end = word.span.end - usize::from(inner.len() < word.text.len()) - 1;
    is_name.then(|| (name, unquoted(value), end - value.len().min(end)..end))
}

/// Removes the quotes around a text.
fn unquoted(text: &str) -> &str {
    let inside = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}

/// Returns the position of a literal value, or of the default in `${NAME:-value}`.
fn literal(value: &str, span: Range<usize>) -> Option<Range<usize>> {
    if !value.contains(['$', '`']) {
        return Some(span);
    }
    let (before, after) = value.split_once(":-")?;
    let inner = after.strip_suffix('}').filter(|inner| !inner.contains(['$', '`', '}']))?;
    let start = span.start + before.len() + 2;
    before.starts_with("${").then_some(start..start + inner.len())
}

/// Adds the flags of some words: `--key value`, `--key=value`, `--key` alone, `-N 4`.
fn flags(words: &[Word], variables: &Variables, entries: &mut Entries) -> Result<(), String> {
    let mut place = 0;
    while let Some(word) = words.get(place) {
        place += 1;
        let Some(key) = flag(word.text) else {
            if let Some((key, value)) = override_of(word.text) {
                let start = word.span.end - value.len().min(word.span.end);
                entries.add(key, Value::plain(fill(unquoted(value), variables, 0)), Some(start..word.span.end))?;
            }
            continue;
        };
        if let Some((key, value)) = key.split_once('=') {
            let start = word.span.end - value.len().min(word.span.end);
            let (value, span) = place_of(unquoted(value), start..word.span.end, variables);
            entries.add(&plain(key), Value::plain(value), span)?;
            continue;
        }
        let mut values = Vec::new();
        while let Some(value) = words
            .get(place)
            .filter(|value| flag(value.text).is_none() && !value.starts_command && override_of(value.text).is_none())
            // Words after `--` belong to another command.
            .filter(|value| value.text != "--")
        {
            // The words of arrays and lists of flags are read separately.
            if value.text.contains("[@]") || value.text.contains("[*]") {
                place += 1;
                continue;
            }
            if let Some(name) = variable(value.text)
                && !variables.contains(name)
                && (name.ends_with("ARGS") || name.ends_with("OPTIONS") || name.ends_with("OPTS"))
            {
                place += 1;
                continue;
            }
            values.push(value);
            place += 1;
        }
        match values.as_slice() {
            [] => entries.add(&plain(key), Value::plain("true"), Some(word.span.clone()))?,
            [value] => {
                let quotes = usize::from(unquoted(value.text).len() < value.text.len());
                let span = value.span.start + quotes..value.span.end - quotes;
                let (value, span) = place_of(unquoted(value.text), span, variables);
                add_value(&plain(key), value, span, entries)?;
            }
            // The name of a script ends the flags of its launcher.
            [value, script, ..] if is_program(script.text) => {
                let (value, span) = place_of(unquoted(value.text), value.span.clone(), variables);
                entries.add(&plain(key), Value::plain(value), span)?;
            }
            several => {
                let items = several.iter().map(|value| fill(unquoted(value.text), variables, 0)).collect();
                entries.add(&plain(key), Value::List(items), None)?;
            }
        }
    }
    Ok(())
}

/// Adds the value of a flag. An object in JSON is the values below the flag, as transformers'
/// `HfArgumentParser` reads it.
fn add_value(key: &str, value: String, span: Option<Range<usize>>, entries: &mut Entries) -> Result<(), String> {
    if value.starts_with('{')
        && let Ok(serde_json::Value::Object(object)) = serde_json::from_str(&value)
    {
        return add_object(key, &object, entries);
    }
    entries.add(key, Value::plain(value), span)
}

/// Adds the values of an object in JSON; the parser limits its depth.
fn add_object(
    path: &str,
    object: &serde_json::Map<String, serde_json::Value>,
    entries: &mut Entries,
) -> Result<(), String> {
    for (key, value) in object {
        let path = format!("{path}.{key}");
        match value {
            serde_json::Value::Object(inner) => add_object(&path, inner, entries)?,
            serde_json::Value::String(text) => entries.add(&path, Value::plain(text.clone()), None)?,
            other => entries.add(&path, Value::plain(other.to_string()), None)?,
        }
    }
    Ok(())
}

fn ends_in(text: &str, ends: &[&str]) -> bool {
    ends.iter().any(|end| text.ends_with(end))
}

fn is_program(text: &str) -> bool {
    ends_in(text, &[".py", ".sh", ".yml", ".yaml"])
        || matches!(text, "python" | "python3" | "torchrun" | "bash" | "train" | "-m" | "-u")
}

/// Returns a flag without its dashes.
fn flag(text: &str) -> Option<&str> {
    let long = text.strip_prefix("--").filter(|rest| rest.starts_with(|letter: char| letter.is_alphabetic()));
    // Short flags of srun: the number of nodes, the number of GPUs.
    long.or_else(|| text.strip_prefix('-').filter(|rest| matches!(*rest, "N" | "G")))
}

/// Converts a flag to a key, with underscores for dashes; a single letter is kept.
fn plain(key: &str) -> String {
    if key.len() == 1 { key.to_owned() } else { key.replace('-', "_") }
}

/// Returns a value and its position: the variable's assignment, if the value is a variable.
fn place_of(text: &str, span: Range<usize>, variables: &Variables) -> (String, Option<Range<usize>>) {
    if !text.contains('$') {
        return (text.to_owned(), Some(span));
    }
    let held = variable(text).and_then(|name| variables.get(name)).and_then(|variable| variable.span.clone());
    (fill(text, variables, 0), held.or_else(|| literal(text, span)))
}

/// Returns the name of the variable that a text consists of.
fn variable(text: &str) -> Option<&str> {
    let name = text.strip_prefix('$')?;
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    let name = name.split_once(":-").map_or(name, |(name, _)| name);
    let is_name = !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    is_name.then_some(name)
}

/// Splits the text behind `$((` into the sum and the rest; a sum may have parentheses of its own.
fn sum_of(text: &str) -> Option<(&str, &str)> {
    let is_whole = |sum: &str| sum.matches('(').count() == sum.matches(')').count();
    let ends = text.match_indices(')').map(|(at, _)| at);
    let mut splits = ends.filter_map(|end| Some((text.get(..end)?, text.get(end..)?.strip_prefix("))")?)));
    splits.find(|(sum, _)| is_whole(sum))
}

/// Expands variables. Unknown variables are kept.
fn fill(text: &str, variables: &Variables, depth: usize) -> String {
    if depth > DEEPEST_FILL || text.len() > LONGEST || !text.contains('$') {
        return text.to_owned();
    }
    let closing = closing(text);
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        filled.push_str(before);
        if filled.len() > LONGEST {
            return filled;
        }
        if let Some(inner) = after.strip_prefix("((")
            && let Some((sum, behind)) = sum_of(inner)
        {
            // Names have no `$` in arithmetic.
            match arithmetic::value(sum, &|name| variables.get(name).map(|variable| variable.value.clone())) {
                Some(number) => filled.push_str(&number.to_string()),
                None => filled.extend(["$((", sum, "))"]),
            }
            rest = behind;
            continue;
        }
        if let Some(inner) = after.strip_prefix("(expr ")
            && let Some((sum, behind)) = inner.split_once(')')
        {
            let plain = sum.replace('\\', "");
            match arithmetic::value(&plain, &|name| variables.get(name).map(|variable| variable.value.clone())) {
                Some(number) => filled.push_str(&number.to_string()),
                None => filled.extend(["$(expr ", sum, ")"]),
            }
            rest = behind;
            continue;
        }
        let (name, default, behind) = if let Some(inner) = after.strip_prefix('{')
            && let Some(end) = closing.get(&(text.len() - after.len())).map(|end| end + inner.len() - text.len())
        {
            let (inside, behind) = (inner.get(..end).unwrap_or_default(), inner.get(end + 1..).unwrap_or_default());
            let (name, default) = inside
                .split_once(":-")
                .or_else(|| inside.split_once(":="))
                .or_else(|| inside.split_once('-'))
                .map_or((inside, None), |(name, default)| (name, Some(default)));
            (name, default, behind)
        } else {
            let end = after.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(after.len());
            (after.get(..end).unwrap_or_default(), None, after.get(end..).unwrap_or_default())
        };
        match (variables.get(name), default) {
            (Some(variable), _) if is_known(&variable.value) => filled.push_str(&variable.value),
            (_, Some(default)) => filled.push_str(&fill(unquoted(default), variables, depth + 1)),
            _ => match later(name, variables, depth) {
                Some(value) => filled.push_str(&value),
                None => filled.extend(["$", name]),
            },
        }
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

/// Returns the value of a variable that is set further down; it may not refer to others of these.
fn later(name: &str, variables: &Variables, depth: usize) -> Option<String> {
    let value = variables.later.get(name).filter(|_| depth < DEEPEST_FILL && !variables.contains(name))?;
    Some(fill(value, variables, DEEPEST_FILL)).filter(|value| is_known(value))
}

/// Whether a value is known, or ends in a known part of a path: `$HOME/models/Qwen3-8B`.
fn is_known(value: &str) -> bool {
    let unknown = |text: &str| text.contains(['$', '`']);
    !unknown(value) || value.trim_end_matches('/').rsplit_once('/').is_some_and(|(_, last)| !unknown(last))
}

/// Returns the position of each closing brace by that of its opening brace.
fn closing(text: &str) -> HashMap<usize, usize> {
    let (mut open, mut closing) = (Vec::new(), HashMap::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => open.push(at),
            '}' => closing.extend(open.pop().map(|start| (start, at))),
            _ => {}
        }
    }
    closing
}
