//! Tests of jobs: scripts are Bash, tasks are YAML, figures are the report's. `cargo xtask test
//! --exports` reads them with the schedulers' own schemas.

#[cfg(unix)]
mod started;

use std::io::Write as _;
use std::process::{Command, Stdio};

use catalog::programs::Program;
use engine::units::Seconds;
use files::jobs::{Job, JobOptions, files};
use files::settings::{Settings, programs};
use links::decode::decode;
use saphyr_parser::{Event, Parser};

const RUN: &str = "cluster=dgx-h100&model=llama-3-8b&gpus=64&seq=8k&mbs=1&tokens=1T&framework=megatron";

fn job(job: Job, link: &str, options: JobOptions) -> Result<(Settings, Vec<Settings>), String> {
    files(job, &decode(link).scenario, &options)
}

fn with(program: Program) -> JobOptions {
    JobOptions { program: Some(program), ..JobOptions::default() }
}

fn body(kind: Job, link: &str, options: JobOptions) -> String {
    job(kind, link, options).unwrap().0.body
}

/// Whether Bash reads a script.
fn is_bash(script: &str) -> bool {
    let mut bash = Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn().unwrap();
    bash.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    bash.wait().unwrap().success()
}

/// Returns the scalars of a text in YAML.
fn scalars(yaml: &str) -> Vec<String> {
    let events = Parser::new_from_str(yaml).map(|event| event.unwrap().0);
    let text = |event| if let Event::Scalar(text, ..) = event { Some(text.into_owned()) } else { None };
    events.filter_map(text).collect()
}

#[test]
fn every_program_has_every_job() {
    for program in programs().into_iter().filter(|program| *program != Program::Peft) {
        for gpus in ["gpus=1", "gpus=8", "gpus=64&train=lora", "gpus=64&strategy=zero1&segments=yes"] {
            let link = format!("cluster=dgx-h100&model=llama-3.1-8b&seq=8k&mbs=1&{gpus}");
            for kind in Job::ALL {
                let (made, others) = job(kind, &link, with(program)).unwrap();
                let text = &made.body;
                match kind {
                    Job::SkyPilot | Job::Kubernetes => {
                        let read = scalars(text);
                        let script = read.iter().find(|scalar| scalar.contains("set -euo pipefail")).unwrap();
                        assert!(is_bash(script), "{script}");
                    }
                    Job::Torchrun | Job::Srun | Job::Slurm => assert!(is_bash(text), "{text}"),
                }
                // The settings are with it, and what they name.
                for other in &others {
                    let name = other.file_name.split('.').next().unwrap();
                    assert!(text.contains(name) || others[0].body.contains(name), "{text}");
                }
                assert!(!text.contains('\u{2009}') && !text.contains("  \n"), "{text}");
            }
        }
    }
}

#[test]
fn the_files_in_a_train_job_are_the_settings() {
    let (made, others) = job(Job::Kubernetes, RUN, JobOptions::default()).unwrap();
    let script = scalars(&made.body).into_iter().find(|scalar| scalar.contains("SHARDWISE")).unwrap();
    for Settings { file_name, body, .. } in &others {
        let inside = format!("cat > {file_name} <<'SHARDWISE'\n{}\nSHARDWISE\n", body.trim_end());
        assert!(script.contains(&inside), "{script}");
    }
}

#[test]
fn a_script_of_slurm_asks_for_what_the_run_needs() {
    let scenario = decode(RUN).scenario;
    let (report, run) = (scenario.report(), scenario.run_report());
    let script = body(Job::Slurm, RUN, JobOptions::default());
    let memory = (run.host.needed() * 1.1).gib().ceil();
    let useful = 86_400.0 - run.write_time.get() - scenario.run_choices().restart.get();
    let jobs = (run.time.get() / useful).ceil();
    assert!(jobs > 2.0, "{jobs}");
    let steps = (run.interval.get().min(useful) / report.whole().time.get()).floor();
    for said in [
        "#SBATCH --nodes=8\n".to_owned(),
        "#SBATCH --gpus-per-node=8\n".to_owned(),
        format!("#SBATCH --mem={memory}G\n"),
        "#SBATCH --time=1-00:00:00\n".to_owned(),
        "#SBATCH --requeue\n".to_owned(),
        format!("for job in $(seq {jobs}); do sbatch --dependency=singleton job.sbatch; done"),
        format!("--save-interval {steps} --exit-signal-handler"),
    ] {
        assert!(script.contains(&said), "{said}\n{script}");
    }
    let signal = script.split("--signal=TERM@").nth(1).unwrap().lines().next().unwrap();
    assert!(signal.parse::<f64>().unwrap() > run.write_time.get() + 60.0, "{signal}");
    // Half the limit takes more than twice the jobs.
    let half = JobOptions { limit: Seconds::from_minutes(12.0 * 60.0), ..JobOptions::default() };
    let script = body(Job::Slurm, RUN, half);
    let count = script.split("$(seq ").nth(1).unwrap().split(')').next().unwrap();
    assert!(
        script.contains("--time=0-12:00:00") && count.parse::<f64>().unwrap() >= 2.0 * jobs - 1.0,
        "{count} {jobs}"
    );
    // A short run asks for less than the limit, and is no chain.
    let short = body(Job::Slurm, &RUN.replace("1T", "1B"), JobOptions::default());
    assert!(
        !short.contains("singleton") && short.contains("One job is enough") && !short.contains("--time=1-"),
        "{short}"
    );
}

#[test]
fn the_nodes_of_a_rack_are_its_hosts() {
    let link = "cluster=gb200-nvl72&model=llama-3-70b&gpus=72&seq=8k&mbs=1&framework=megatron";
    let (made, others) = job(Job::Slurm, link, JobOptions::default()).unwrap();
    assert!(made.body.contains("--nodes=18\n") && made.body.contains("--gpus-per-node=4\n"), "{}", made.body);
    assert!(others[0].body.contains("--nnodes 18 --nproc-per-node 4"), "{}", others[0].body);
}

#[test]
fn what_does_not_fit_or_never_ends_is_said_first() {
    let first = |link: &str| job(Job::Slurm, link, JobOptions::default()).unwrap().0.notes[0].clone();
    assert!(first("cluster=dgx-h100&model=llama-3-70b&gpus=8&seq=8k&mbs=1&strategy=ddp").contains("does not fit"));
    let never = "cluster=dgx-h100&model=llama-3-8b&gpus=1024&seq=8k&mbs=1&mtbf=0.1";
    assert!(first(never).contains("never ends"), "{}", first(never));
    assert!(!body(Job::Slurm, never, JobOptions::default()).contains("singleton"));
    let again = job(Job::Slurm, RUN, with(Program::Trl)).unwrap().0;
    assert!(
        again.notes[0].contains("starts from the first step") && !again.body.contains("singleton"),
        "{}",
        again.body
    );
}

#[test]
fn jobs_that_cannot_start_are_refused_by_name() {
    let refused = |kind: Job, link: &str| job(kind, link, JobOptions::default()).unwrap_err();
    for (link, name) in [
        ("gpu=tpu-v5p&model=llama-3-8b&gpus=8", "TPU v5p"),
        ("gpu=gaudi-3&model=llama-3-8b&gpus=8", "Gaudi 3"),
        ("gpu=trainium-2&model=llama-3-8b&gpus=64", "Trainium 2"),
        ("cluster=dgx-h100&model=llama-3-8b&gpus=8&framework=maxtext", "MaxText"),
        ("cluster=dgx-h100&model=llama-3-8b&gpus=12", "nodes of 8"),
        ("cluster=dgx-h100&model=qwen-2.5-7b&gpus=8&seq=4k&objective=grpo", "generates its training data"),
    ] {
        for kind in Job::ALL {
            assert!(refused(kind, link).contains(name), "{link}: {}", refused(kind, link));
        }
    }
    let unknown = "gpu=mi250x&model=llama-3-8b&gpus=8";
    assert!(refused(Job::SkyPilot, unknown).contains("MI250X"));
    assert!(body(Job::Kubernetes, unknown, JobOptions::default()).contains("amd.com/gpu: "));
    let adapter = job(Job::Slurm, RUN, with(Program::Peft)).unwrap_err();
    assert!(adapter.contains("PEFT starts no training"), "{adapter}");
    let short = JobOptions { limit: Seconds::from_minutes(1.0), ..JobOptions::default() };
    assert!(job(Job::Slurm, RUN, short).unwrap_err().contains("makes no progress"));
}
