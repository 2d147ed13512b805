//! Configurations of runs: any text under any name, and examples of every framework with bytes changed, alone and beside another.

#![no_main]

use engine::catalog::default_scenario;
use engine::params;
use engine::share::{decode, encode};
use files::run::{Change, File, lint, read, write_back};
use files::settings::{Framework, text};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 8] = ["", "a.yaml", "a.json", "a.toml", "a.py", "a.sh", "zero3.json", "grpo.yaml"];
const LINKS: [&str; 3] = [
    "model=llama-3.1-8b&gpus=16&tp=2&accum=4&compile=yes",
    "model=mixtral-8x7b&gpus=64&ep=8&strategy=zero1",
    "model=llama-3.1-8b&gpus=8&train=lora&base=nf4",
];

fuzz_target!(|data: &[u8]| {
    let [kind, name, rest @ ..] = data else { return };
    let name = NAMES[usize::from(*name) % NAMES.len()];
    let file = match kind % 3 {
        0 => File::new(name, String::from_utf8_lossy(rest)),
        _ => File::new(name, changed(*kind, rest)),
    };
    let mut files = vec![file];
    if kind % 5 == 0 {
        files.push(File::new("ds_config.json", example(2)));
    }
    check(&files, kind % 64 == 1);
});

fn example(which: usize) -> String {
    let link = LINKS[which / Framework::ALL.len() % LINKS.len()];
    text(Framework::ALL[which % Framework::ALL.len()], &decode(link).scenario).body
}

/// An example of which each two bytes replace a letter.
fn changed(kind: u8, bytes: &[u8]) -> String {
    let mut letters: Vec<char> = example(usize::from(kind / 3)).chars().collect();
    for pair in bytes.chunks_exact(3) {
        let [high, low, letter] = pair else { continue };
        let at = (usize::from(*high) << 8 | usize::from(*low)) % letters.len().max(1);
        if let Some(place) = letters.get_mut(at) {
            *place = char::from(*letter);
        }
    }
    letters.into_iter().collect()
}

/// A sentence, or a scenario within its bounds that survives its link, and a text that can be written.
fn check(files: &[File], with_lint: bool) {
    let base = default_scenario();
    let run = match read(files, &base) {
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
    assert!(run.scenario.report().time.step.get() > 0.0);
    assert!(run.assumed.iter().chain(&run.contradictions).all(|said| said.ends_with('.')));
    for line in run.understood.iter().take(4) {
        let change = Change { file: line.file, key: line.key.clone(), from: None, to: "4".to_owned() };
        let file = &files[line.file];
        let _ = write_back(file, &[change]);
    }
    if with_lint {
        assert!(lint(&run, files, &base).iter().all(|finding| finding.what.ends_with('.')));
    }
}
