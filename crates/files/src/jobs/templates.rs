//! The text of each kind of job.

use std::borrow::Cow;

use askama::Template;
use engine::format;

use super::launch::Launch;
use super::nodes::Nodes;
use super::schedule::{Schedule, slurm_time};
use super::{Job, skypilot};
use crate::settings::Settings;
use crate::settings::context::{ExportContext, comment_lines, render as rendered};

/// Values that a job is written from.
pub(super) struct Values<'a> {
    pub(super) context: &'a ExportContext,
    pub(super) nodes: &'a Nodes,
    pub(super) schedule: &'a Schedule,
    pub(super) launch: &'a Launch,
    /// The files of the training program.
    pub(super) settings: &'a [Settings],
}

/// Ports of a job on a node that it may share with others: from this one on.
const FIRST_PORT: u32 = 20_000;
/// The longest time before the end at which Slurm sends a signal, in seconds (`sbatch`,
/// `--signal`).
const MOST_NOTICE: f64 = 65_535.0;
/// The longest name of a job.
const NAME: usize = 40;

#[derive(Template)]
#[template(path = "torchrun.sh.jinja", escape = "none")]
struct TorchrunScript<'a> {
    comments: Vec<String>,
    nodes: &'a Nodes,
    command: &'a str,
}

#[derive(Template)]
#[template(path = "srun.sh.jinja", escape = "none")]
struct SrunScript<'a> {
    comments: Vec<String>,
    nodes: &'a Nodes,
    time: String,
    port: u32,
    command: &'a str,
}

#[derive(Template)]
#[template(path = "slurm.sbatch.jinja", escape = "none")]
struct SlurmScript<'a> {
    comments: Vec<String>,
    nodes: &'a Nodes,
    name: String,
    time: String,
    /// Seconds from the signal to the end; `None` if the program writes no checkpoint at it.
    notice: Option<String>,
    /// The jobs of a chain; `None` for one.
    chain: Option<String>,
    port: u32,
    command: &'a str,
}

#[derive(Template)]
#[template(path = "skypilot.yaml.jinja", escape = "none")]
struct SkyPilotTask<'a> {
    comments: Vec<String>,
    nodes: &'a Nodes,
    name: String,
    gpu: &'static str,
    command: &'a str,
}

#[derive(Template)]
#[template(path = "trainjob.yaml.jinja", escape = "none")]
struct TrainJob<'a> {
    comments: Vec<String>,
    nodes: &'a Nodes,
    name: String,
    /// The name of the GPUs among the resources of a node.
    resource: &'static str,
    /// The lines of the files that the container writes first, by name.
    files: Vec<(&'a str, Vec<&'a str>)>,
    command: &'a str,
}

/// Writes a job, and adds what it takes and leaves open to the notes.
pub(super) fn render(job: Job, values: &Values, notes: &mut Vec<Cow<'static, str>>) -> Result<String, String> {
    let &Values { context, nodes, schedule, launch, settings } = values;
    let (name, command) = (name(context), launch.command.as_str());
    let is_slurm = matches!(job, Job::Slurm | Job::Srun);
    let counted = schedule.counted().filter(|_| is_slurm);
    notes.extend(schedule.takes().into_iter().chain(counted).map(|said| Cow::Owned(plain(&said))));
    if is_slurm || job == Job::Kubernetes {
        notes.push(format!("{} CPUs a GPU are taken: enter the share of your nodes.", nodes.cpus / nodes.gpus).into());
    }
    notes.push(plain(&schedule.saved()).into());
    notes.extend(launch.notes.iter().cloned().map(Cow::Owned));
    let time = slurm_time(schedule.time());
    match job {
        Job::Torchrun => {
            let comments = comments(notes);
            Ok(rendered(&TorchrunScript { comments, nodes, command }))
        }
        Job::Srun => {
            let comments = comments(notes);
            Ok(rendered(&SrunScript { comments, nodes, time, port: FIRST_PORT, command }))
        }
        Job::Slurm => {
            let notice = schedule.notice.get().ceil().min(MOST_NOTICE);
            let notice = launch.saves_at_signal.then(|| notice.to_string());
            if notice.is_none() && schedule.is_chain() {
                notes.push(
                    "This program writes no checkpoint at the limit: steps since the last one are repeated.".into(),
                );
            }
            let chain = (schedule.is_chain() && launch.resumes).then(|| schedule.jobs().to_string());
            let comments = comments(notes);
            Ok(rendered(&SlurmScript { comments, nodes, name, time, notice, chain, port: FIRST_PORT, command }))
        }
        Job::SkyPilot => {
            let (gpu, others) = skypilot::name(nodes.gpu)?;
            if !others.is_empty() {
                notes.push(format!("SkyPilot’s {gpu} stands for {} too.", format::listed(&others)).into());
            }
            notes.push(
                "Checkpoints need a bucket that outlives the nodes (file_mounts), and setup what the image lacks."
                    .into(),
            );
            let comments = comments(notes);
            Ok(rendered(&SkyPilotTask { comments, nodes, name, gpu, command }))
        }
        Job::Kubernetes => {
            let resource = match nodes.gpu.map(|gpu| gpu.maker) {
                Some("NVIDIA") => "nvidia.com/gpu",
                Some("AMD") => "amd.com/gpu",
                _ => {
                    return Err(
                        "A GPU of your own numbers has no maker, whose resource the nodes of Kubernetes have: \
                                 take one of the catalog."
                            .into(),
                    );
                }
            };
            notes.push("REGISTRY/IMAGE:TAG is to be replaced by an image that has the program.".into());
            notes.push("Checkpoints need a volume that outlives the pods (runtimePatches).".into());
            let files = settings.iter().map(|file| (&*file.file_name, file.body.lines().collect())).collect();
            let comments = comments(notes);
            Ok(rendered(&TrainJob { comments, nodes, name, resource, files, command }))
        }
    }
}

/// Returns the notes as comment lines.
fn comments(notes: &[Cow<'static, str>]) -> Vec<String> {
    notes.iter().flat_map(|note| comment_lines(note)).collect()
}

/// Replaces the thin spaces of figures, which scripts do not have.
pub(super) fn plain(text: &str) -> String {
    text.replace(['\u{2009}', '\u{202f}', '\u{a0}'], " ")
}

/// Returns the name of the job: Kubernetes takes small letters, digits and hyphens.
fn name(context: &ExportContext) -> String {
    let model = context.model_name().to_lowercase();
    let letters = model.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' });
    let name: String = "shardwise-".chars().chain(letters).take(NAME).collect();
    name.trim_end_matches('-').to_owned()
}
