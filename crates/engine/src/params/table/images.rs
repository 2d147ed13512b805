//! Images or audio clips in the sequences, for models that read them.

use super::architecture::tower::has_tower;
use super::{Group, Param, Unit, choice, count, option, position, whole};
use crate::model::images::TowerTraining;
use crate::scenario::Scenario;

fn has_pixels(scenario: &Scenario) -> bool {
    has_tower(scenario) && scenario.model.architecture().tower.fixed_positions == 0
}

counted!(
    /// Images of a sequence.
    PER_SEQUENCE, Data, images.per_sequence, "images", "Images per sequence", "images_per_sequence", 0.0..=1000.0,
    [when(has_tower), relevant(has_tower), window(0.0, 32.0)],
    "Images, tiles of images or clips of sound in each sequence. The sequence length counts their tokens."
);
counted!(
    /// Pixels of an image.
    RESOLUTION, Data, images.resolution, "imageres", "Image resolution", "image_resolution", 0.0..=16_384.0,
    [when(has_pixels), relevant(has_pixels), window(0.0, 2048.0)],
    "Pixels of an image along one side; of one that is no square, the root of its area. 0 for what the model usually reads."
);
picked!(
    /// The training of the encoder.
    TOWER, Trained, images.tower, "tower", "Encoder of images", "tower", [when(has_tower), relevant(has_tower)],
    "Whether the encoder of images or sound trains with the language model.",
    TowerTraining::Frozen => "frozen", "Frozen", "It runs forward alone and keeps no activations.";
    TowerTraining::Passed => "passed", "Frozen, gradients pass it", "As checkpointing in transformers 5 has it: its layers keep their inputs and compute gradients that nothing reads.";
    TowerTraining::Trained => "trained", "Trained", "Its gradients, optimizer state and activations are on the GPUs too.";
);
picked!(
    /// Whether the projection is trained.
    PROJECTOR, Trained, images.trains_projector, "projector", "Projection of images", "projector", [when(has_tower), relevant(has_tower)],
    "Whether the projection from the encoder to the language model trains: then gradients pass all layers of the language model.",
    false => "frozen", "Frozen", "It runs forward alone.";
    true => "trained", "Trained", "As in both stages of LLaVA's training.";
);
