//! Files that contain the script of a run: a notebook's code cells, a task of SkyPilot, a job of
//! Kubernetes. These files are not written back.

use serde_json::Value as Json;

use super::{Entry, Syntax, Value, yaml};

/// Returns the script inside a text with its syntax; `None` if there is none.
pub(super) fn unwrapped(text: &str) -> Option<(Syntax, String)> {
    let start = text.trim_start();
    if start.starts_with('{') {
        return is_notebook(start).then(|| notebook(start)).flatten();
    }
    let has_line = |begin: &str| text.lines().any(|line| line.starts_with(begin));
    if has_line("run:") && (has_line("resources:") || has_line("num_nodes:")) {
        return task(&yaml::parse_yaml(text).ok()?);
    }
    if has_line("apiVersion:") && has_line("kind:") {
        return job(&yaml::parse_yaml(text).ok()?);
    }
    None
}

/// Whether a text is a notebook, by its keys.
fn is_notebook(text: &str) -> bool {
    text.contains("\"cells\"") && (text.contains("\"nbformat\"") || text.contains("\"cell_type\""))
}

/// Returns the code of a notebook: its Python, or its shell commands if those start the run.
fn notebook(text: &str) -> Option<(Syntax, String)> {
    let json: Json = serde_json::from_str(text).ok()?;
    let (mut python, mut shell) = (String::new(), String::new());
    let cells = json.get("cells").and_then(Json::as_array)?;
    for cell in cells.iter().filter(|cell| cell.get("cell_type").and_then(Json::as_str) == Some("code")) {
        let source = match cell.get("source") {
            Some(Json::String(text)) => text.clone(),
            Some(Json::Array(lines)) => lines.iter().filter_map(Json::as_str).collect(),
            _ => continue,
        };
        let first = source.trim_start().lines().next().unwrap_or_default();
        if first.starts_with("%%bash") || first.starts_with("%%sh") {
            shell.extend(source.lines().skip(1).flat_map(|line| [line, "\n"]));
        } else if !first.starts_with("%%writefile") {
            code(&source, &mut python, &mut shell);
        }
    }
    let trains = ["Trainer(", "TrainingArguments(", "Config(", "from_pretrained("];
    let is_python = trains.iter().any(|call| python.contains(call)) || !shell.contains("--");
    Some(if is_python { (Syntax::Python, python) } else { (Syntax::Shell, shell) })
}

/// Adds the lines of a cell; IPython's commands are not Python.
fn code(source: &str, python: &mut String, shell: &mut String) {
    let mut goes_on = false;
    for line in source.lines() {
        let command = line.trim_start().strip_prefix('!');
        if goes_on || command.is_some() {
            let command = command.unwrap_or(line);
            shell.push_str(command);
            shell.push('\n');
            goes_on = command.trim_end().ends_with('\\');
        } else if !line.trim_start().starts_with('%') {
            python.push_str(line);
            python.push('\n');
        }
    }
}

/// Returns the values of keys by the end of their path.
fn last<'a>(entries: &'a [Entry], end: &str) -> impl Iterator<Item = String> + use<'a> {
    let end = end.to_owned();
    entries.iter().filter(move |entry| entry.path == end || entry.path.ends_with(&format!(".{end}"))).map(|entry| {
        match &entry.value {
            Value::Null => String::new(),
            Value::Scalar { text, .. } => text.clone(),
            Value::List(words) => words.join(" "),
        }
    })
}

/// Returns the commands that SkyPilot runs on each node, with the nodes and GPUs as environment
/// variables.
fn task(entries: &[Entry]) -> Option<(Syntax, String)> {
    let run = last(entries, "run").next().filter(|run| !run.is_empty())?;
    let nodes = last(entries, "num_nodes").next().unwrap_or_else(|| "1".into());
    // `H100:8`, `{H100: 8}`, or a single GPU.
    let by_key = entries.iter().find_map(|entry| {
        entry.path.to_ascii_lowercase().starts_with("resources.accelerators.").then(|| entry.value.shown())
    });
    let named = last(entries, "accelerators").next();
    let count = by_key.or_else(|| named.map(|name| name.rsplit_once(':').map_or("1", |(_, count)| count).to_owned()));
    let count = count.filter(|count| count.trim().parse::<u32>().is_ok());
    let mut script = String::new();
    let mut set = |name: &str, value: &str| script.extend([name, "=", value, "\n"]);
    set("SKYPILOT_NUM_NODES", &nodes);
    set("NNODES", &nodes);
    if let Some(count) = count {
        set("SKYPILOT_NUM_GPUS_PER_NODE", &count);
        set("GPUS_PER_NODE", &count);
    }
    for entry in entries {
        if let Some(name) = entry.path.strip_prefix("envs.") {
            set(&name.to_ascii_uppercase(), &entry.value.shown());
        }
    }
    Some((Syntax::Shell, script + &run + "\n"))
}

/// Returns the command of a job's containers, with the replicas and the GPUs of each.
fn job(entries: &[Entry]) -> Option<(Syntax, String)> {
    let commands: Vec<String> = ["command", "args"].iter().flat_map(|key| last(entries, key)).collect();
    let command = commands.join(" ");
    if !command.contains("--") {
        return None;
    }
    // `bash -c` runs the text after it.
    let command = command.trim_start_matches("/bin/").trim_start_matches("bash -c").trim_start_matches("sh -c");
    let replicas: u32 = last(entries, "replicas").filter_map(|count| count.parse::<u32>().ok()).sum();
    let nodes = replicas.max(last(entries, "completions").find_map(|count| count.parse().ok()).unwrap_or(0)).max(1);
    let gpus = entries.iter().find(|entry| entry.path.to_ascii_lowercase().ends_with("nvidia.com/gpu"));
    let mut script = format!("NNODES={nodes}\n");
    if let Some(gpus) = gpus {
        script.extend(["GPUS_PER_NODE=", gpus.value.shown().as_str(), "\n"]);
    }
    Some((Syntax::Shell, script + command.trim() + "\n"))
}
