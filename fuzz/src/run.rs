//! Configurations of runs: any text under any name, examples of every framework and real files,
//! with bytes changed, alone and beside another. What is written back is read again: all keys but
//! the changed one keep their values.

use crate::real_files;
use catalog::default_scenario;
use engine::params;
use files::run::{Change, File, lint, read_run, values, write_back};
use files::settings::{programs, text};
use links::{decode, encode};

const NAMES: [&str; 8] = ["", "a.yaml", "a.json", "a.toml", "a.py", "a.sh", "zero3.json", "grpo.yaml"];
const LINKS: [&str; 3] = [
    "model=llama-3.1-8b&gpus=16&tp=2&accum=4&compile=yes",
    "model=mixtral-8x7b&gpus=64&ep=8&strategy=zero1",
    "model=llama-3.1-8b&gpus=8&train=lora&base=nf4",
];

/// Reads the bytes as settings of a run, and checks what is read and written back.
///
/// # Panics
/// When a check fails.
pub fn check(data: &[u8]) {
    let [kind, name, rest @ ..] = data else { return };
    let name = NAMES[usize::from(*name) % NAMES.len()];
    let file = match kind % 4 {
        0 => File::new(name, String::from_utf8_lossy(rest)),
        1 => File::new(name, changed(&example(usize::from(kind / 4)), rest)),
        _ => {
            let (Some((which, rest)), real) = (rest.split_first(), real_files()) else { return };
            let (name, text) = &real[usize::from(*which) % real.len()];
            File::new(name, changed(text, rest))
        }
    };
    let mut files = vec![file];
    if kind % 5 == 0 {
        files.push(File::new("ds_config.json", example(2)));
    }
    check_files(&files, kind % 16 < 3);
}

fn example(which: usize) -> String {
    let link = LINKS[which / programs().len() % LINKS.len()];
    text(programs()[which % programs().len()], &decode(link).scenario).map(|settings| settings.body).unwrap_or_default()
}

/// A text of which each three bytes replace a letter.
fn changed(text: &str, bytes: &[u8]) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for pair in bytes.chunks_exact(3) {
        let [high, low, letter] = pair else { continue };
        let at = (usize::from(*high) << 8 | usize::from(*low)) % letters.len().max(1);
        if let Some(place) = letters.get_mut(at) {
            *place = char::from(*letter);
        }
    }
    letters.into_iter().collect()
}

/// A sentence, or a scenario within its bounds that survives its link, and a text that can be
/// written.
fn check_files(files: &[File], with_lint: bool) {
    let base = default_scenario();
    let run = match read_run(files, &base) {
        Err(said) => {
            assert!(said.ends_with('.') && said.len() > 20, "{said}");
            return;
        }
        Ok(run) => run,
    };
    for param in params::every().filter(|param| params::is_held(param, &run.scenario)) {
        assert!(params::is_within_bounds(param, &run.scenario), "{} in {}", param.key, encode(&run.scenario));
    }
    assert_eq!(decode(&encode(&run.scenario)).scenario, run.scenario);
    assert!(run.scenario.report().update.time.step.get() > 0.0);
    assert!(run.assumed.iter().chain(&run.contradictions).all(|said| said.ends_with('.')));
    for line in run.understood.iter().take(4) {
        let change = Change { file: line.file, key: line.key.clone(), from: None, to: "4".to_owned() };
        writes(&files[line.file], &change);
    }
    if with_lint {
        for finding in lint(&run, files, &base) {
            assert!(finding.what.ends_with('.'));
            finding.fix.iter().for_each(|change| writes(&files[change.file], change));
        }
    }
}

/// A change alters what stands at one place, and of the other keys none.
fn writes(file: &File, change: &Change) {
    let text = write_back(file, std::slice::from_ref(change));
    let (Ok(before), true) = (values(file), text != file.text) else { return };
    let written = File::new(&file.name, &text);
    let after = values(&written).unwrap_or_else(|said| panic!("{said} {change:?} in {}\n\nbecame\n{text}", file.text));
    let said = || format!("{change:?} in {}\n\nbecame\n{text}", file.text);
    // A value that refers to another key is changed there.
    let refers = |value: &str| value.starts_with("${");
    // An argument that is a function, and a variable, have a `$` before their names.
    let is_own = |key: &str| key.trim_start_matches('$') == change.key.trim_start_matches('$');
    let is_changed = |key: &str, value: &str| is_own(key) || refers(value);
    let held: Vec<_> = before.iter().filter(|(key, _)| is_own(key)).map(|(_, value)| value).collect();
    // So is one that a variable of a shell holds.
    let in_variable = before.iter().any(|(key, value)| key.starts_with('$') && held.contains(&value));
    // A variable of Python may be a key itself, and several others may take its value.
    let taken = file.text.split('=').skip(1).filter(|value| value.trim_start().starts_with(&change.key)).count();
    let indirect = in_variable || held.iter().any(|value| refers(value));
    let kept = |of: &[(String, String)]| -> Vec<(String, String)> {
        of.iter().filter(|(key, value)| !is_changed(key, value)).cloned().collect()
    };
    let (before, after) = (kept(&before), kept(&after));
    let lost: Vec<_> = before.iter().filter(|entry| !after.contains(entry)).collect();
    let new: Vec<_> = after.iter().filter(|entry| !before.contains(entry)).collect();
    let allowed = taken.max(usize::from(indirect));
    assert!(lost.len() <= allowed && new.len() <= allowed, "lost {lost:?}, new {new:?}: {}", said());
    // Comments and layout too.
    let common =
        |one: &str, other: &str| one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let start = common(&file.text, &text);
    let (old, new) = (&file.text.as_bytes()[start..], &text.as_bytes()[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
    let gone = &old[..old.len() - end];
    // A list that stood over several lines goes with them: they are its own.
    let is_list = matches!((gone.first(), gone.last()), (Some(b'['), Some(b']')) | (Some(b'{'), Some(b'}')));
    let lines = if is_list { 0 } else { gone.split(|byte| *byte == b'\n').count() - 1 };
    assert!(lines <= usize::from(change.to.is_empty()), "{} is gone: {}", String::from_utf8_lossy(gone), said());
}
