//! How each program is started on one of several nodes.
//!
//! The environment has `NODE_RANK`, `MASTER_ADDR` and `MASTER_PORT`, and their `PET_` names for
//! `torchrun`. Read in the programs' sources: torchtitan b5bcd76c (`docs/checkpoint.md`),
//! Megatron-LM d98e8a64 (`training_config.py`), Accelerate 16cb6eb8 (`utils/launch.py`), TRL
//! f2cd5771 (`scripts/sft.py`), Axolotl 067b021c (`cli/utils/train.py`, `utils/train.py`),
//! LLaMA-Factory ff6d4d12 (`launcher.py`, `hparams/parser.py`), torchtune bd2a0fc7 (`_cli/run.py`).

use catalog::programs::Program;

use super::schedule::Schedule;
use crate::settings::accelerate::Backend;
use crate::settings::context::ExportContext;
use crate::settings::torchtune;

/// The start of a program.
pub(super) struct Launch {
    /// The command on one node.
    pub(super) command: String,
    /// Whether the program goes on from its newest checkpoint by itself, or its script is to.
    pub(super) resumes: bool,
    /// Whether the program writes a checkpoint and ends at SIGTERM.
    pub(super) saves_at_signal: bool,
    /// Steps before the job starts.
    pub(super) notes: Vec<String>,
}

/// Facts of a program beyond its command.
struct Row {
    program: Program,
    resumes: bool,
    saves_at_signal: bool,
    note: &'static str,
}

/// Note on scripts of the user's own.
const OWN_SCRIPT: &str = "train.py is your own script: let it write checkpoints at this interval, and go on from the \
                          newest when it starts.";

/// Every program that a job starts.
const ROWS: [Row; 9] = [
    Row {
        program: Program::Pytorch,
        resumes: true,
        saves_at_signal: false,
        note: "train_fsdp2.py has functions alone: add the loop that reads data, saves at this interval, and goes on \
               from the newest checkpoint.",
    },
    Row { program: Program::Torchtitan, resumes: true, saves_at_signal: false, note: "" },
    Row { program: Program::Deepspeed, resumes: true, saves_at_signal: false, note: OWN_SCRIPT },
    Row {
        program: Program::MegatronLm,
        resumes: true,
        saves_at_signal: true,
        note: "pretrain_gpt.py is in Megatron-LM's folder: start the job there.",
    },
    Row { program: Program::Accelerate, resumes: true, saves_at_signal: false, note: OWN_SCRIPT },
    Row {
        program: Program::Trl,
        resumes: false,
        saves_at_signal: false,
        note: "trl.scripts.sft starts from the first step in every job: to go on, start a script of your own that calls \
               trainer.train(resume_from_checkpoint=True) once there is a checkpoint.",
    },
    Row { program: Program::Axolotl, resumes: true, saves_at_signal: false, note: "" },
    Row { program: Program::LlamaFactory, resumes: true, saves_at_signal: false, note: "" },
    Row {
        program: Program::Torchtune,
        resumes: false,
        saves_at_signal: false,
        note: "The recipe starts from the first step in every job unless resume_from_checkpoint is true, which fails in \
               the first.",
    },
];

impl Launch {
    /// Returns the start of a program.
    pub(super) fn new(program: Program, context: &ExportContext, schedule: &Schedule) -> Result<Self, String> {
        let row = ROWS.iter().find(|row| row.program == program);
        let Some(&Row { resumes, saves_at_signal, note, .. }) = row else {
            return Err(format!(
                "{} starts no training: name the program that does, such as axolotl or torchtitan.",
                program.name()
            ));
        };
        let mut notes = vec![note.to_owned()];
        if program == Program::LlamaFactory && !is_plain(context) {
            notes.push("src/train.py is in LLaMA-Factory's folder: start the job there.".to_owned());
        }
        notes.retain(|note| !note.is_empty());
        Ok(Self { command: command(program, context, schedule), resumes, saves_at_signal, notes })
    }
}

/// Whether LLaMA-Factory starts its processes itself, without Accelerate.
fn is_plain(context: &ExportContext) -> bool {
    matches!(Backend::select(context), Backend::One | Backend::Ddp)
}

/// Returns the command of a program on one node.
fn command(program: Program, context: &ExportContext, schedule: &Schedule) -> String {
    let [nodes, gpus] = context.nodes();
    let steps = schedule.save_steps;
    let (torchrun, environment) = (context.torchrun(), context.environment());
    let is_one = context.setup.mesh.gpus() == 1;
    let accelerate = || {
        let mut words = format!("{environment}accelerate launch --config_file accelerate.yaml");
        if nodes > 1 {
            words += " --machine_rank \"$NODE_RANK\" --main_process_ip \"$MASTER_ADDR\" --main_process_port \"$MASTER_PORT\"";
            if Backend::select(context) == Backend::DeepSpeed {
                // Accelerate's own choice, pdsh, starts all nodes from the first.
                words += " --deepspeed_multinode_launcher standard";
            }
        }
        words
    };
    match program {
        Program::Torchtitan => format!(
            "{torchrun} -m torchtitan.train --module shardwise_config --config shardwise --checkpoint.enable \
             --checkpoint.interval {steps}"
        ),
        Program::MegatronLm => format!(
            "source ./megatron.sh --save checkpoints --load checkpoints --save-interval {steps} --exit-signal-handler"
        ),
        Program::Deepspeed => format!("{torchrun} train.py --deepspeed --deepspeed_config ds_config.json"),
        Program::Accelerate => format!("{} train.py", accelerate()),
        Program::Trl if is_one => {
            format!("{environment}trl sft --config trl.yaml --save_strategy steps --save_steps {steps}")
        }
        Program::Trl => {
            format!("{} -m trl.scripts.sft --config trl.yaml --save_strategy steps --save_steps {steps}", accelerate())
        }
        Program::Axolotl => {
            let launcher = if is_one { String::new() } else { " --launcher torchrun".to_owned() };
            let of_torchrun =
                if is_one { String::new() } else { format!(" -- --nnodes {nodes} --nproc-per-node {gpus}") };
            format!(
                "{environment}axolotl train axolotl.yaml{launcher} --save-steps {steps} --auto-resume-from-checkpoints{of_torchrun}"
            )
        }
        Program::LlamaFactory if is_one => {
            format!("{environment}llamafactory-cli train llamafactory.yaml save_steps={steps}")
        }
        Program::LlamaFactory if is_plain(context) => format!(
            "{environment}FORCE_TORCHRUN=1 NNODES={nodes} NPROC_PER_NODE={gpus} llamafactory-cli train \
             llamafactory.yaml save_steps={steps}"
        ),
        Program::LlamaFactory => format!("{} src/train.py llamafactory.yaml save_steps={steps}", accelerate()),
        Program::Torchtune => {
            let recipe = torchtune::recipe(context);
            // Without an endpoint among its arguments the command starts one node alone.
            let meeting = " --rdzv_backend c10d --rdzv_endpoint \"$MASTER_ADDR:$MASTER_PORT\"";
            let several = match (is_one, nodes > 1) {
                (true, _) => String::new(),
                (false, false) => format!(" --nnodes 1 --nproc_per_node {gpus}"),
                (false, true) => format!(" --nnodes {nodes} --nproc_per_node {gpus}{meeting}"),
            };
            format!("{environment}tune run{several} {recipe} --config torchtune.yaml")
        }
        _ => format!("{torchrun} train_fsdp2.py"),
    }
}
