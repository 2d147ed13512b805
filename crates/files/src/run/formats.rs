//! Readers of each program: the meanings of its keys.

mod accelerate;
mod args;
mod axolotl;
mod config;
mod deepspeed;
mod distillation;
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

pub(super) use distillation::prepared as teacher_prepared;
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
    ("accelerate.formats", |args, draft| accelerate::formats(args.keys, draft)),
    ("accelerate.sharding", |args, draft| accelerate::sharding(args.keys, draft)),
    ("axolotl.completions", |args, draft| axolotl::completions(args.keys, draft)),
    ("axolotl.packing", |args, draft| axolotl::packing(args.keys, draft)),
    ("axolotl.precision", |args, draft| axolotl::precision(args.keys, draft)),
    ("axolotl.selective_checkpointing", |args, draft| axolotl::selective_checkpointing(args.keys, draft)),
    ("axolotl.sharding", |args, draft| axolotl::sharding(args.keys, draft)),
    ("axolotl.unfrozen", |args, draft| axolotl::unfrozen(args.keys, draft)),
    ("bridge.adapters", |args, draft| nemo::bridge_adapters(args.keys, draft)),
    ("bridge.mixed_precision", nemo::bridge_mixed_precision),
    ("bridge.model", |args, draft| nemo::bridge_model(args.keys, draft)),
    ("deepspeed.formats", |args, draft| deepspeed::formats(args.keys, draft)),
    ("deepspeed.rest", |args, _| deepspeed::rest(args.keys)),
    ("deepspeed.script", |args, draft| deepspeed::script(args.keys, draft)),
    ("deepspeed.sharding", |args, draft| deepspeed::sharding(args.keys, draft)),
    ("distillation.swift", |args, draft| distillation::of_swift(args.keys, draft)),
    ("distillation.verl", |args, draft| distillation::teachers_of_verl(args.keys, draft)),
    ("fsdp_config", |args, draft| trainer::fsdp(args.keys, draft, "", "")),
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
    ("peft.parameters", |args, draft| peft::parameters(args.keys, draft)),
    ("torchtitan.checkpointing", |args, draft| torchtitan::checkpointing(args.keys, draft)),
    ("torchtitan.compilation", |args, draft| torchtitan::compilation(args.keys, draft)),
    ("torchtitan.low_precision", |args, draft| torchtitan::low_precision(args.keys, draft)),
    ("torchtitan.model", |args, draft| torchtitan::model(args.keys, draft)),
    ("trainer.adapters", |args, draft| trainer::adapters(args.keys, draft)),
    ("trainer.checkpointing", |args, draft| trainer::checkpointing(args.keys, draft)),
    ("trainer.galore", |args, draft| trainer::galore(args.keys, draft)),
    ("trainer.length", |args, draft| trainer::length(args.keys, draft)),
    ("trainer.packing", |args, draft| trainer::packing(args.keys, draft)),
    ("trainer.precision", |args, draft| trainer::precision(args.keys, draft, None)),
    ("trainer.sharding", |args, draft| trainer::sharding(args.keys, draft)),
    ("trl.checkpointing", |args, draft| trl::checkpointing(args.keys, draft)),
    ("trl.length", |args, draft| trl::length(args.keys, draft)),
    ("trl.objective", |args, draft| trl::objective(args.keys, draft)),
    ("trl.precision", |args, draft| trl::precision(args.keys, draft)),
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
        _ => table::read_by_program(program, keys, draft)?,
    }
    accelerate::launched(keys, draft);
    Ok(())
}
