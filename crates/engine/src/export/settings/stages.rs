//! The layers of each stage of a pipeline, in the model's order.

use crate::model::parallel::Schedule;
use crate::model::setup::Setup;
use crate::model::stages::stages;

/// Layers of every stage, a chunk of a GPU each: those of all GPUs' first chunks, then of their second (under ZB-V from the last GPU
/// back to the first), and so on.
pub(super) fn layers(setup: &Setup) -> Vec<u32> {
    let (pp, chunks) = (setup.mesh.pp, setup.chunks());
    let gpus = layers_of_gpus(setup);
    let mut all = Vec::new();
    let turns = setup.pipeline.schedule == Schedule::ZeroBubbleV;
    for chunk in 0..chunks {
        let turned = turns && chunk % 2 == 1;
        for place in 0..pp {
            let gpu = if turned { pp - 1 - place } else { place };
            let held = gpus.get(gpu as usize).copied().unwrap_or(0);
            // What is left over goes to later chunks, as the first one has the embedding; on the last GPU to earlier ones, for the head.
            let early = gpu + 1 == pp && !turns;
            let place = if early { chunk } else { chunks - 1 - chunk };
            all.push(held / chunks + u32::from(place < held % chunks));
        }
    }
    all
}

/// Layers on every GPU of the pipeline.
pub(super) fn layers_of_gpus(setup: &Setup) -> Vec<u32> {
    let (pp, all) = (setup.mesh.pp, setup.architecture.num_hidden_layers);
    let stages = stages(setup).map(|stage| stage.layers);
    let (first, Some(last)) = (stages.first, stages.last) else {
        return vec![all];
    };
    let (between, rest) = (pp.saturating_sub(2), all.saturating_sub(first).saturating_sub(last));
    let share = rest.checked_div(between).unwrap_or(0);
    let longer = rest.checked_rem(between).unwrap_or(0);
    let mut layers = vec![first];
    layers.extend((0..between).map(|place| share + u32::from(place < longer)));
    layers.push(last);
    layers
}

/// Whether all stages are alike.
pub(super) fn are_even(layers: &[u32]) -> bool {
    layers.windows(2).all(|pair| pair.first() == pair.last())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::default_scenario;
    use crate::share::decode;

    fn of(link: &str) -> Vec<u32> {
        layers(&decode(link).scenario.setup())
    }

    #[test]
    fn every_layer_has_a_stage() {
        assert_eq!(layers(&default_scenario().setup()), [40]);
        assert_eq!(of("model=llama-3-8b&gpus=64&pp=4"), [8; 4]);
        assert_eq!(of("model=llama-3-8b&gpus=64&pp=4&schedule=interleaved&vpp=2"), [4; 8]);
        // What is left over of 126 layers goes to the stages between.
        assert_eq!(of("model=llama-3.1-405b&gpus=64&pp=4"), [31, 32, 32, 31]);
        // A V: the first GPU has the first and the last chunk.
        assert_eq!(of("model=llama-3-8b&gpus=64&pp=4&schedule=zero-bubble-v&firstlayers=5"), [2, 4, 4, 4, 5, 5, 5, 3]);
    }
}
