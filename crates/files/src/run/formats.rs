//! Readers of each program: the meanings of its keys.

mod accelerate;
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
use catalog::programs::Program;

/// A function that reads keys which depend on each other.
type Function = fn(&mut Keys, &mut Draft);

/// Functions that rows of tables name.
const FUNCTIONS: &[(&str, Function)] = &[
    ("length_of_model", |_, draft| draft.length_of_model()),
    ("maxtext.mesh", maxtext::mesh),
    ("maxtext.recomputation", maxtext::kept_products),
    ("trainer.arguments", trainer::arguments),
    ("trainer.precision", |keys, draft| trainer::precision(keys, draft, None)),
    ("trainer.sharding", trainer::sharding),
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
        Program::MegatronLm => megatron::read(keys, draft),
        Program::MegatronBridge => nemo::read_bridge(keys, draft),
        Program::Nemo => nemo::read(keys, draft),
        Program::Accelerate => accelerate::read(keys, draft),
        Program::FsdpConfig => trainer::fsdp(keys, draft, "", ""),
        Program::Deepspeed => deepspeed::read(keys, draft),
        _ => table::read_by_program(program, keys, draft)?,
    }
    accelerate::launched(keys, draft);
    Ok(())
}
