//! The program of a file, by its keys.

mod programs;
mod signatures;

use catalog::programs::Program;

use ::programs::keys::Table;

pub(super) use programs::{recognise, refused};

/// Whether a program runs transformers' Trainer.
pub(super) fn is_hugging_face(program: Program) -> bool {
    Table::find(program).is_some_and(|table| table.trainer)
}
