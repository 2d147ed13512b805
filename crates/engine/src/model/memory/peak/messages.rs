//! Buffers of the messages between the stages of a pipeline.

use crate::model::per_rank;
use crate::model::setup::Setup;
use crate::model::stages::Stage;
use crate::model::states::recipe_bytes;
use crate::units::Bytes;

/// Returns the buffers of received messages in addition to the activations of the micro-batches in
/// flight, whose inputs they hold, where they exist from the start to the end of a step: for every
/// micro-batch one input of each of the GPU's model chunks but the model's first, and one gradient
/// of the output of each but the last.
///
/// ```
/// # use links::decode;
/// # use engine::model::{memory::message_buffers, stages::stages};
/// let of = |micro_batches: u32| {
///     let link = "cluster=gb200-nvl72&model=llama-3.1-8b&seq=16384&gpus=8&shard=2&tp=2&pp=2";
///     let setup = decode(&format!("{link}&accum={micro_batches}")).scenario.setup();
///     message_buffers(&setup, &stages(&setup).first).gib()
/// };
/// // 16,384 tokens of 4,096 elements on two GPUs: 64 MiB a micro-batch, where torchtitan on GB200
/// // reserves 51.6, 55.3, 62.7 and 79.2 GiB at 64, 128, 256 and 512, 63 MiB more for each
/// // (github daddyofadoggy/blog db07f84, posts/torchtitan/3d.md, table 1).
/// assert_eq!(of(512) - of(64), 448.0 / 16.0);
/// assert!(((of(512) - of(64)) / (79.2 - 51.6) - 1.0).abs() < 0.02);
/// ```
pub fn message_buffers(setup: &Setup, stage: &Stage) -> Bytes {
    if setup.mesh.pp <= 1 || !setup.traits().buffers_all_messages {
        return Bytes::ZERO;
    }
    let hidden = f64::from(setup.architecture.hidden_size) * per_rank::sequence_share(setup);
    let message = hidden * recipe_bytes(setup.recipe).activation * per_rank::tokens(setup);
    let (chunks, micro_batches) = (f64::from(setup.chunks()), f64::from(setup.batch.grad_accum_steps));
    let without = |end: bool| chunks - f64::from(u8::from(end));
    let (inputs, gradients) = (without(stage.embedding), without(stage.head));
    Bytes::new(message * (inputs * (micro_batches - stage.in_flight) + gradients * micro_batches))
}
