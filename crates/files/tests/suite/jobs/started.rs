//! Starts jobs with programs in place of the schedulers and launchers, and reads what a launcher
//! gets on the second of two nodes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use catalog::programs::Program;
use files::jobs::Job;

use super::{body, job, scalars, with};

const RUN: &str = "cluster=dgx-h100&model=llama-3.1-8b&gpus=16&seq=8k&mbs=1&train=lora";
/// Text that a launcher prints instead of starting processes.
const LAUNCHER: &str =
    "echo \"$NODE_RANK $MASTER_ADDR:$MASTER_PORT $PET_NODE_RANK $PET_MASTER_ADDR:$PET_MASTER_PORT $0 $*\"";
const PROGRAMS: [(&str, &str); 7] = [
    ("scontrol", "printf 'first\\nsecond\\n'"),
    ("srun", "while [ \"${1#--}\" != \"$1\" ]; do shift; done; SLURM_NODEID=1 exec \"$@\""),
    ("torchrun", LAUNCHER),
    ("accelerate", LAUNCHER),
    ("axolotl", LAUNCHER),
    ("llamafactory-cli", LAUNCHER),
    ("tune", LAUNCHER),
];

/// A folder with these programs, in which jobs run.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("shardwise-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in PROGRAMS {
            let file = folder.join(name);
            fs::write(&file, format!("#!/bin/bash\n{text}\n")).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self(folder)
    }

    /// Runs a script, and returns what the launcher printed.
    fn ran(&self, script: &str, arguments: &[&str], environment: &[(&str, &str)]) -> String {
        fs::write(self.0.join("script"), script).unwrap();
        let path = format!("{}:{}", self.0.display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("bash");
        command.arg("script").args(arguments).current_dir(&self.0).env("PATH", path).envs(environment.iter().copied());
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
        said.replace(&format!("{}/", Path::new(&self.0).display()), "")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_launcher_gets_rank_and_address_from_every_scheduler() {
    let place = Place::new("jobs");
    let slurm = [("SLURM_JOB_NODELIST", "n[0-1]"), ("SLURM_JOB_ID", "12"), ("SLURM_CPUS_PER_TASK", "64")];
    let sky = [
        ("SKYPILOT_NUM_NODES", "2"),
        ("SKYPILOT_NUM_GPUS_PER_NODE", "8"),
        ("SKYPILOT_NODE_IPS", "first\nsecond"),
        ("SKYPILOT_NODE_RANK", "1"),
    ];
    let kubeflow = [("PET_NODE_RANK", "1"), ("PET_MASTER_ADDR", "first"), ("PET_MASTER_PORT", "29500")];
    let of_yaml = |kind, program| {
        let read = scalars(&body(kind, RUN, with(program)));
        read.into_iter().find(|scalar| scalar.contains("set -euo pipefail")).unwrap()
    };
    for (program, launcher) in [
        (Program::Torchtitan, "torchrun --nnodes 2 --nproc-per-node 8 -m torchtitan.train"),
        (Program::MegatronLm, "torchrun --nnodes 2 --nproc-per-node 8 pretrain_gpt.py"),
        (
            Program::Accelerate,
            "accelerate launch --config_file accelerate.yaml --machine_rank 1 --main_process_ip first",
        ),
        (Program::Trl, "-m trl.scripts.sft --config trl.yaml --save_strategy steps"),
        (Program::Axolotl, "--auto-resume-from-checkpoints -- --nnodes 2 --nproc-per-node 8"),
        (Program::LlamaFactory, "src/train.py llamafactory.yaml save_steps="),
        (Program::Torchtune, "--rdzv_backend c10d --rdzv_endpoint first:"),
    ] {
        // The settings of Megatron-LM are the script that starts it.
        for file in job(Job::Slurm, RUN, with(program)).unwrap().1 {
            fs::write(place.0.join(&*file.file_name), &file.body).unwrap();
        }
        let said = [
            place.ran(&body(Job::Torchrun, RUN, with(program)), &["1", "first"], &[]),
            place.ran(&body(Job::Srun, RUN, with(program)), &[], &slurm),
            place.ran(&body(Job::Slurm, RUN, with(program)), &[], &slurm),
            place.ran(&of_yaml(Job::SkyPilot, program), &[], &sky),
            place.ran(&of_yaml(Job::Kubernetes, program), &[], &kubeflow),
        ];
        for (said, port) in said.iter().zip(["29500", "20012", "20012", "29500", "29500"]) {
            let meeting = format!("1 first:{port} 1 first:{port} ");
            assert!(said.starts_with(&meeting) && said.contains(launcher), "{}: {said}", program.name());
        }
        if program == Program::MegatronLm {
            assert!(
                said.iter().all(|said| said.contains("--mock-data --save checkpoints --load checkpoints")),
                "{said:?}"
            );
        }
    }
}
