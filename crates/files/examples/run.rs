//! Prints what is read of the files of one run: `cargo run --release -p shardwise-files --example run -- FILES`. With `--each`
//! every file is a run of its own, in a line; with `--lint` findings follow; with `--json` the whole result is JSON.

use std::process::ExitCode;

use engine::catalog::default_scenario;
use engine::share::encode;
use files::run::{File, Run, lint, read};

fn main() -> ExitCode {
    let (options, paths): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let has = |option: &str| options.iter().any(|other| other == option);
    let files: Vec<File> = paths
        .iter()
        .filter_map(|path| {
            let bytes = std::fs::read(path).ok()?;
            Some(File::new(path.rsplit('/').next().unwrap_or(path), String::from_utf8_lossy(&bytes)))
        })
        .collect();
    if has("--each") {
        let mut failed = 0;
        for (file, path) in files.iter().zip(&paths) {
            match read(std::slice::from_ref(file), &default_scenario()) {
                Ok(run) => {
                    let report = run.scenario.report();
                    let formats: Vec<&str> = run.formats.iter().map(|format| format.name()).collect();
                    println!(
                        "{path}: {} understood {} assumed {} ignored {} [{}] contradictions {} {:.1} GiB",
                        formats.join("+"),
                        run.understood.len(),
                        run.assumed.len(),
                        run.ignored.len(),
                        run.ignored.join(" "),
                        run.contradictions.len(),
                        report.memory.needed.gib()
                    );
                    for said in &run.contradictions {
                        println!("    ! {said}");
                    }
                    if has("--assumed") {
                        for said in &run.assumed {
                            println!("    ~ {said}");
                        }
                    }
                }
                Err(said) => {
                    failed += 1;
                    println!("{path}: FAILED {said}");
                }
            }
        }
        println!("{} files, {failed} not read", files.len());
        return ExitCode::SUCCESS;
    }
    match read(&files, &default_scenario()) {
        Ok(run) if has("--json") => println!("{}", serde_json::to_string_pretty(&run).unwrap_or_default()),
        Ok(run) => print(&run, has("--lint").then(|| lint(&run, &files, &default_scenario()))),
        Err(said) => {
            eprintln!("{said}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn print(run: &Run, findings: Option<Vec<files::run::Finding>>) {
    for line in &run.understood {
        println!("{} = {}: {}", line.key, line.value, line.meaning);
    }
    for (title, list) in [("assumed", &run.assumed), ("contradictions", &run.contradictions), ("ignored", &run.ignored)]
    {
        println!("--- {title}");
        for said in list {
            println!("{said}");
        }
    }
    println!("--- {}", encode(&run.scenario));
    for finding in findings.into_iter().flatten() {
        println!("* {}", finding.what);
        for change in finding.fix {
            println!("    {} {}: {} -> {}", change.file, change.key, change.from.unwrap_or_default(), change.to);
        }
    }
}
