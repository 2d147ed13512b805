//! Readers of each program: the meanings of its keys.

mod accelerate;
mod args;
mod axolotl;
mod config;
mod deepspeed;
mod low_precision;
mod maxtext;
mod megatron;
mod nemo;
mod peft;
mod shared;
pub(super) mod table;
mod torchtitan;
mod trainer;
mod trl;

pub(super) use table::is_met;

use super::File;
use super::draft::Draft;
use super::keys::Keys;
use args::Args;
use catalog::programs::Program;

/// A function that reads keys which depend on each other.
type Function = fn(&mut Args, &mut Draft);

/// Functions that rows of tables name.
const FUNCTIONS: &[(&str, Function)] = &[
    ("bridge.adapters", |args, draft| nemo::bridge_adapters(args.keys, draft)),
    ("bridge.mixed_precision", nemo::bridge_mixed_precision),
    ("bridge.model", |args, draft| nemo::bridge_model(args.keys, draft)),
    ("length_of_model", |_, draft| draft.length_of_model()),
    ("maxtext.mesh", |args, draft| maxtext::mesh(args.keys, draft)),
    ("maxtext.recomputation", |args, draft| maxtext::kept_products(args.keys, draft)),
    ("megatron.dropout", megatron::dropout),
    ("megatron.expert_tensor_parallel", megatron::expert_tensor_parallel),
    ("megatron.fsdp", megatron::fsdp),
    ("megatron.low_precision", megatron::low_precision),
    ("megatron.precision", megatron::precision),
    ("megatron.recomputation", megatron::recomputation),
    ("megatron.shape", megatron::shape),
    ("megatron.stages", megatron::stages),
    ("nemo.adapters", |args, draft| nemo::nemo_adapters(args.keys, draft)),
    ("nemo.model", nemo::model),
    ("nemo.precision", nemo::precision),
    ("trainer.arguments", |args, draft| trainer::arguments(args.keys, draft)),
    ("trainer.precision", |args, draft| trainer::precision(args.keys, draft, None)),
    ("trainer.sharding", |args, draft| trainer::sharding(args.keys, draft)),
];

/// Returns a function by its name in tables.
pub(super) fn function(name: &str) -> Option<Function> {
    FUNCTIONS.iter().find_map(|(known, function)| (*known == name).then_some(*function))
}

/// Reads a file of a program.
///
/// # Errors
///
/// A sentence if a model's config cannot be read, or if the program has no reader.
pub(super) fn read_by_format(program: Program, keys: &mut Keys, draft: &mut Draft, file: &File) -> Result<(), String> {
    shared::launcher(keys, draft);
    match program {
        Program::ConfigJson => config::read_config(keys, draft, file)?,
        Program::Peft => config::read_adapter(keys, draft, file)?,
        Program::Transformers => trainer::read(keys, draft),
        Program::Trl => trl::read(keys, draft),
        Program::Axolotl => axolotl::read(keys, draft),
        Program::Torchtitan => torchtitan::read(keys, draft),
        Program::Accelerate => accelerate::read(keys, draft),
        Program::FsdpConfig => trainer::fsdp(keys, draft, "", ""),
        Program::Deepspeed => deepspeed::read(keys, draft),
        _ => table::read_by_program(program, keys, draft)?,
    }
    accelerate::launched(keys, draft);
    Ok(())
}
