//! Division of the model's layers among the stages of a pipeline.

use engine::model::setup::Setup;
use engine::model::stages::stages;

/// Returns the layers of every stage, in the model's order. A stage is a chunk of a GPU: first the
/// first chunks of all GPUs, then their second ones (with ZB-V from the last GPU back to the
/// first), and so on.
pub(super) fn layers_of_stages(setup: &Setup) -> Vec<u32> {
    let (pp, chunks) = (setup.mesh.pp, setup.chunks());
    let gpus = layers_of_gpus(setup);
    let mut layers = Vec::new();
    let is_v_shaped = setup.pipeline.schedule.is_v_shaped();
    for chunk in 0..chunks {
        let runs_back = is_v_shaped && chunk % 2 == 1;
        for place in 0..pp {
            let gpu = if runs_back { pp - 1 - place } else { place };
            let layers_of_gpu = gpus.get(gpu as usize).copied().unwrap_or(0);
            // Remaining layers go to later chunks, as the first chunk has the embedding; on the
            // last GPU to earlier ones, as the last chunk has the head.
            let has_head = gpu + 1 == pp && !is_v_shaped;
            let turn = if has_head { chunk } else { chunks - 1 - chunk };
            layers.push(layers_of_gpu / chunks + u32::from(turn < layers_of_gpu % chunks));
        }
    }
    layers
}

/// Returns the layers of every GPU of the pipeline.
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

/// Whether all stages have the same number of layers.
pub(super) fn are_even(layers: &[u32]) -> bool {
    layers.windows(2).all(|pair| pair.first() == pair.last())
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;
    use links::decode;

    fn of(link: &str) -> Vec<u32> {
        layers_of_stages(&decode(link).scenario.setup())
    }

    #[test]
    fn every_layer_has_a_stage() {
        assert_eq!(layers_of_stages(&default_scenario().setup()), [40]);
        assert_eq!(of("model=llama-3-8b&gpus=64&pp=4"), [8; 4]);
        assert_eq!(of("model=llama-3-8b&gpus=64&pp=4&schedule=interleaved&vpp=2"), [4; 8]);
        // The remainder of 126 layers goes to the middle stages.
        assert_eq!(of("model=llama-3.1-405b&gpus=64&pp=4"), [31, 32, 32, 31]);
        // A V: the first GPU has the first and the last chunk.
        assert_eq!(of("model=llama-3-8b&gpus=64&pp=4&schedule=zero-bubble-v&firstlayers=5"), [2, 4, 4, 4, 5, 5, 5, 3]);
    }
}
