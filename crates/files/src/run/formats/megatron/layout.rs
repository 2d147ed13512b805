//! Megatron's layers of each stage (`--pipeline-model-parallel-layout`,
//! core/transformer/pipeline_parallel_layer_layout.py), such as `Ettt|(tt|)*29m|L`: `E` is the
//! embedding, `t` a layer, `m` the module that predicts further tokens, `L` the loss; stages are
//! separated by `|`.

use std::ops::Range;

use engine::params::ParamId;

use crate::run::draft::Draft;
use crate::run::formats::args::Args;

/// Most chunks and most letters of an unrolled layout.
const MOST: usize = 65_536;

/// Returns the layout without commas, with `(..)*n` and `x*n` written out; `None` if the text is
/// not a layout.
fn unrolled(text: &str) -> Option<String> {
    let mut rest: String = text.chars().filter(|letter| !matches!(letter, ',' | ' ' | '"' | '\'')).collect();
    while let Some(close) = rest.find(")*") {
        let open = rest.get(..close)?.rfind('(')?;
        repeat(&mut rest, open..close + 1)?;
    }
    while let Some(star) = rest.find('*') {
        let letter = rest.get(..star)?.chars().last()?;
        repeat(&mut rest, star - letter.len_utf8()..star)?;
    }
    rest.chars().all(|letter| "EtmL|".contains(letter)).then_some(rest)
}

/// Repeats a part of the text by the number after its star, without brackets.
fn repeat(text: &mut String, part: Range<usize>) -> Option<()> {
    let digits: String = text.get(part.end + 1..)?.chars().take_while(char::is_ascii_digit).collect();
    let times = digits.parse::<usize>().ok().filter(|times| *times <= 4096)?;
    let once = text.get(part.clone())?;
    let repeated = once.strip_prefix('(').and_then(|once| once.strip_suffix(')')).unwrap_or(once).repeat(times);
    text.replace_range(part.start..part.end + 1 + digits.len(), &repeated);
    (text.len() <= MOST).then_some(())
}

/// Returns the number of layers of each chunk, in the order of the layers.
fn chunks(text: &str) -> Option<Vec<u32>> {
    let text = unrolled(text)?;
    Some(text.split('|').map(|chunk| u32::try_from(chunk.matches('t').count()).unwrap_or(u32::MAX)).collect())
}

/// Reads the layout: the number of chunks per stage, and the layers of the first and the last stage
/// if these differ.
pub(super) fn read_pipeline_layout(args: &mut Args, draft: &mut Draft) {
    let Some(found) = args.text(&["pipeline_model_parallel_layout"]).filter(|found| found.value != "None") else {
        return;
    };
    let pp = draft.scenario.pp.max(1) as usize;
    let Some(chunks) = chunks(&found.value).filter(|chunks| chunks.len() % pp == 0 && chunks.len() >= pp) else {
        draft.assume(format!("{} is not understood with {pp} stages: layers are divided evenly.", found.key));
        return;
    };
    let per_stage = chunks.len() / pp;
    let of_stage = |stage: usize| chunks.iter().skip(stage).step_by(pp).sum::<u32>();
    let layers: Vec<u32> = (0..pp).map(of_stage).collect();
    draft.record(&found, format!("Layers of the stages: {}", stages(&layers)));
    let (sum, of_model) = (layers.iter().sum::<u32>(), draft.scenario.model.architecture().num_hidden_layers);
    if draft.has_model && sum != of_model {
        draft.contradict(format!(
            "{} places {sum} layers, and the model has {of_model}: Megatron stops. Write one t a layer.",
            draft.key(&found)
        ));
    }
    if per_stage > 1 {
        draft.set_option(ParamId::PipelineSchedule, "interleaved");
        draft.set_number(ParamId::VirtualStages, per_stage as f64);
    }
    let (Some(&first), Some(&last)) = (layers.first(), layers.last()) else { return };
    let middle = layers.get(1..pp.saturating_sub(1)).unwrap_or_default();
    let usual = middle.first().copied().unwrap_or(last);
    if middle.iter().any(|layers| *layers != usual) {
        draft.assume("Stages between the first and the last differ in the layout: here they have equally many layers.");
    }
    for (id, layers) in [(ParamId::FirstLayers, first), (ParamId::LastLayers, last)] {
        if pp > 1 && layers != usual && layers > 0 {
            draft.set_number(id, f64::from(layers));
        }
    }
}

/// Formats numbers as runs of equal neighbours.
fn stages(layers: &[u32]) -> String {
    let mut runs: Vec<(u32, usize)> = Vec::new();
    for layers in layers {
        match runs.last_mut() {
            Some((same, times)) if same == layers => *times += 1,
            _ => runs.push((*layers, 1)),
        }
    }
    let shown =
        runs.iter().map(|(layers, times)| if *times > 1 { format!("{times} x {layers}") } else { layers.to_string() });
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{chunks, stages};

    #[test]
    fn layouts_are_unrolled_as_megatron_does() {
        // The example of `parse_str_to_list`.
        let example = chunks("Ettt|(tt|)*29,m|L").unwrap();
        assert_eq!((example.len(), example.iter().sum::<u32>()), (32, 61));
        assert_eq!(stages(&example), "3, 29 x 2, 2 x 0");
        assert_eq!(chunks("Et*3|t*4L"), Some(vec![3, 4]));
        assert_eq!(chunks("Et|(t|"), None);
        assert_eq!(chunks("Et*99999999999|L"), None);
    }
}
