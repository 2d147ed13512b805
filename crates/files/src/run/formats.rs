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
        Program::Maxtext => maxtext::read(keys, draft),
        Program::Accelerate => accelerate::read(keys, draft),
        Program::FsdpConfig => trainer::fsdp(keys, draft, "", ""),
        Program::Deepspeed => deepspeed::read(keys, draft),
        _ => table::read_by_program(program, keys, draft)?,
    }
    accelerate::launched(keys, draft);
    Ok(())
}
