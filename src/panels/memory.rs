//! The memory of a GPU: by part, over a step, and of the engine that generates.

pub mod bar;
pub mod generation;
pub mod step_memory;
