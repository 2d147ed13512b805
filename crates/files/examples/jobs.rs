//! Writes the jobs of several scenarios with every program, which `tests/exports/jobs.py` reads
//! with the schedulers' schemas: `cargo run -p files --example jobs FOLDER`.

use std::path::Path;
use std::process::ExitCode;

use catalog::programs::Program;
use files::jobs::{Job, JobOptions, files};
use files::settings::programs;

/// Runs of one GPU, one node, several nodes, other makers, a rack, and one that never ends.
const RUNS: [&str; 9] = [
    "cluster=dgx-h100&model=llama-3.1-8b&gpus=1&seq=4k&mbs=1&train=lora",
    "cluster=dgx-h100&model=llama-3.1-8b&gpus=8&seq=8k&mbs=1&strategy=zero1",
    "cluster=dgx-h100&model=llama-3-70b&gpus=256&tp=8&accum=4&seq=8k&mbs=1&strategy=full-shard&recompute=full",
    "cluster=dgx-h100&model=llama-3.1-8b&gpus=16&seq=8k&mbs=1&train=lora&segments=yes",
    "cluster=dgx-h100&model=deepseek-v3&gpus=2048&pp=16&ep=32&seq=4k&mbs=1&framework=megatron",
    "cluster=mi300x-platform&model=llama-3-8b&gpus=64&seq=8k&mbs=1",
    "cluster=gb200-nvl72&model=llama-3-70b&gpus=72&seq=8k&mbs=1",
    "cluster=dgx-h100&model=llama-3-8b&gpus=16&seq=8k&mbs=1&strategy=zero2",
    "cluster=dgx-h100&model=llama-3-8b&gpus=1024&seq=8k&mbs=1&mtbf=0.1",
];

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("Name the folder to write to.");
        return ExitCode::FAILURE;
    };
    match write(Path::new(&folder)) {
        Ok(count) => {
            println!("{count} jobs in {folder}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{folder} could not be written: {error}.");
            ExitCode::FAILURE
        }
    }
}

/// Writes a folder a run and program, and returns the number of jobs.
fn write(folder: &Path) -> std::io::Result<usize> {
    let mut count = 0;
    for (place, run) in RUNS.iter().enumerate() {
        let scenario = links::decode::decode(run).scenario;
        let chosen = programs().into_iter().filter(|program| *program != Program::Peft).map(Some);
        for program in [None].into_iter().chain(chosen) {
            let own = folder.join(format!("{place}-{}", program.map_or("default", Program::key)));
            std::fs::create_dir_all(&own)?;
            for job in Job::ALL {
                match files(job, &scenario, &JobOptions { program, ..JobOptions::default() }) {
                    Ok((job, others)) => {
                        for file in others.iter().chain([&job]) {
                            std::fs::write(own.join(&*file.file_name), &file.body)?;
                        }
                        count += 1;
                    }
                    Err(refusal) => eprintln!("{place} {}: {refusal}", job.key()),
                }
            }
        }
    }
    Ok(count)
}
