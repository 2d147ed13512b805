//! Readers of each format: the meanings of its keys.

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

use super::File;
use super::draft::Draft;
use super::format::Format;
use super::keys::Keys;

/// Reads a file of a format.
///
/// # Errors
///
/// A sentence if a model's config cannot be read.
pub(super) fn read(format: Format, keys: &mut Keys, draft: &mut Draft, file: &File) -> Result<(), String> {
    shared::launcher(keys, draft);
    match format {
        Format::Config => config::read(keys, draft, file)?,
        Format::Peft => config::read_adapter(keys, draft, file)?,
        Format::Trainer => trainer::read(keys, draft),
        Format::Trl => trl::read(keys, draft),
        Format::Axolotl => axolotl::read(keys, draft),
        Format::Torchtitan => torchtitan::read(keys, draft),
        Format::Megatron => megatron::read(keys, draft),
        Format::Bridge => nemo::read_bridge(keys, draft),
        Format::Nemo => nemo::read(keys, draft),
        Format::MaxText => maxtext::read(keys, draft),
        Format::Accelerate => accelerate::read(keys, draft),
        Format::FsdpConfig => trainer::fsdp(keys, draft, "", ""),
        Format::DeepSpeed => deepspeed::read(keys, draft),
        Format::Table(program) => table::read(program, keys, draft)?,
    }
    Ok(())
}
