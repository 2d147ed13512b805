//! Jobs: how a scheduler starts a scenario on its nodes, with the settings of its training program.
//!
//! Every job starts one launcher a node. Launchers on `torchrun` read the rendezvous from the
//! environment: `PET_NODE_RANK`, `PET_MASTER_ADDR`, `PET_MASTER_PORT` are the defaults of its
//! arguments (`torch/distributed/argparse_util.py`).

mod launch;
mod nodes;
mod schedule;
mod skypilot;
mod templates;

use std::borrow::Cow;

use analysis::answer::Answer;
use catalog::programs::Program;
use engine::format;
use engine::model::software::Framework;
use engine::scenario::Scenario;
use engine::units::Seconds;

use crate::settings::context::ExportContext;
use crate::settings::{self, Settings, named_in};
use launch::Launch;
use nodes::Nodes;
use schedule::Schedule;

/// A kind of job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// A script to start on each node by hand.
    Torchrun,
    /// One `srun` in an allocation, or for one.
    Srun,
    /// A script of `sbatch`.
    Slurm,
    /// A task of `SkyPilot`.
    SkyPilot,
    /// A `TrainJob` of Kubeflow Trainer.
    Kubernetes,
}

impl Job {
    /// Every kind, in display order.
    pub const ALL: [Self; 5] = [Self::Torchrun, Self::Srun, Self::Slurm, Self::SkyPilot, Self::Kubernetes];

    /// Returns key, name of the file, and its language.
    const fn row(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Torchrun => ("torchrun", "torchrun.sh", "bash"),
            Self::Srun => ("srun", "srun.sh", "bash"),
            Self::Slurm => ("slurm", "job.sbatch", "bash"),
            Self::SkyPilot => ("skypilot", "skypilot.yaml", "yaml"),
            Self::Kubernetes => ("kubernetes", "trainjob.yaml", "yaml"),
        }
    }

    /// Returns the key.
    pub const fn key(self) -> &'static str {
        self.row().0
    }
}

/// Choices for a job that a scenario does not have.
#[derive(Clone, Copy, Debug)]
pub struct JobOptions {
    /// The training program; `None` for that of the scenario's release or framework.
    pub program: Option<Program>,
    /// The longest time of one job that the scheduler allows.
    pub limit: Seconds,
}

/// Hours of a job without a stated limit, a common limit of Slurm's partitions.
const HOURS: f64 = 24.0;
/// Minutes of an hour.
const MINUTES: f64 = 60.0;

impl Default for JobOptions {
    fn default() -> Self {
        Self { program: None, limit: Seconds::from_minutes(HOURS * MINUTES) }
    }
}

/// Writes the files of a job, the job itself first, with notes, of which the first say that the
/// run does not fit or never ends.
///
/// # Errors
///
/// Returns a sentence for runs that `torchrun` does not start, GPUs that the scheduler has no name
/// for, GPUs that do not fill their nodes, and limits within which a job makes no progress.
pub fn files(job: Job, scenario: &Scenario, options: &JobOptions) -> Result<(Settings, Vec<Settings>), String> {
    let program = program(scenario, options)?;
    let answer = Answer::new(scenario, &scenario.report());
    let context = ExportContext::new(scenario);
    let nodes = Nodes::new(&context, &answer)?;
    let schedule = Schedule::new(&answer, scenario, options.limit)?;
    let launch = Launch::new(program, &context, &schedule)?;
    let own =
        settings::text(program, scenario).ok_or_else(|| format!("No settings are written for {}.", program.name()))?;
    let named = named_in(program, &own.body).filter_map(|(other, ..)| settings::text(other, scenario));
    let mut others = vec![own.clone()];
    others.extend(named);

    let mut notes: Vec<Cow<'static, str>> = warnings(&answer).into_iter().map(Cow::Owned).collect();
    if schedule.is_chain() && !launch.resumes && job == Job::Slurm {
        let limit = format::duration(options.limit);
        let name = program.name();
        notes.push(
            format!("{name} starts from the first step in every job, and the run takes longer than {limit}.").into(),
        );
    }
    for note in &mut notes {
        *note = templates::plain(note).into();
    }
    let values =
        templates::Values { context: &context, nodes: &nodes, schedule: &schedule, launch: &launch, settings: &others };
    let body = templates::render(job, &values, &mut notes)?;
    let (_, file_name, language) = job.row();
    notes.extend(own.notes);
    Ok((Settings { file_name: file_name.into(), language: language.into(), body, notes }, others))
}

/// Returns the program that the job starts.
fn program(scenario: &Scenario, options: &JobOptions) -> Result<Program, String> {
    let has_settings = |program: &Program| settings::programs().contains(program);
    let released = scenario.release.and_then(|release| Program::find(release.0.program)).filter(has_settings);
    let of_framework = match scenario.framework {
        Framework::Torchtitan => Some(Program::Torchtitan),
        Framework::Transformers | Framework::Fsdp1 => Some(Program::Accelerate),
        Framework::DeepSpeed => Some(Program::Deepspeed),
        Framework::Megatron | Framework::MegatronFsdp | Framework::MegatronLegacy => Some(Program::MegatronLm),
        Framework::Nanotron | Framework::MaxText => None,
    };
    options.program.or(released).or(of_framework).ok_or_else(|| {
        let name = engine::names::framework(scenario.framework);
        format!("No settings are written for {name}, so that its job would lack them: choose another framework, or name the program that trains.")
    })
}

/// Returns what makes a job pointless.
fn warnings(answer: &Answer) -> Vec<String> {
    let mut said = Vec::new();
    if !answer.fit.fits {
        let short = answer.fit.short().unwrap_or_else(|| format::bytes_of(answer.needed, answer.usable));
        said.push(format!("This run does not fit: it needs {short}."));
    }
    if !answer.run.finishes() {
        said.push("This run never ends: failures come faster than it makes progress.".to_owned());
    }
    said
}
