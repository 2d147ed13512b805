//! The global batch of a plan, in tokens per step.

use crate::layout_space::sequences;
use engine::model::objective::Task;
use engine::model::trained::Method;
use engine::scenario::Scenario;

/// Compute of Llama 2 7B, whose batch is [`TOKENS`]: 6 × 6.7e9 parameters × 2e12 tokens, rounded.
const FLOPS: f64 = 1e23;
/// Tokens per step of every Llama 2 (arXiv 2307.09288, Table 1): 4M.
const TOKENS: f64 = (4 * MIB) as f64;
const MIB: u64 = 1024 * 1024;
/// Smallest and largest batch of the rule: 64k and 64M tokens.
const ENDS: (f64, f64) = ((MIB / 16) as f64, (64 * MIB) as f64);

/// Returns the usual global batch of a pre-training run of a given size, in tokens per step:
/// `B = 4M (6 N D / 1e23)^(1/4)`, rounded to the nearest power of two.
///
/// N is the number of active parameters per token, D the number of tokens. The exponent is that of
/// the critical batch: Kaplan et al. 2020 (arXiv 2001.08361) have `B ∝ C^0.24` after McCandlish et
/// al. 2018 (arXiv 1812.06162), and Zhang et al. 2024 (arXiv 2410.21676) `B ∝ D^0.47` for every
/// model size, which is `C^0.24` if the tokens grow with the parameters. The factor is Llama 2's.
/// The published batches of GPT-3, Llama 2, Llama 3 and OLMo 2 are all within a factor of 2.2;
/// DeepSeek's are up to eight times as large.
///
/// ```
/// # use analysis::plan::published_batch;
/// // Llama 2 7B: 4M tokens per step, 2T tokens (arXiv 2307.09288, Table 1).
/// assert_eq!(published_batch(6.7e9, 2e12), 4.0 * 1024.0 * 1024.0);
/// ```
pub fn published_batch(params: f64, tokens: f64) -> f64 {
    let batch = TOKENS * (6.0 * params * tokens / FLOPS).sqrt().sqrt();
    let mut nearest = ENDS.0;
    while nearest < ENDS.1 && nearest * core::f64::consts::SQRT_2 < batch {
        nearest *= 2.0;
    }
    nearest
}

/// Returns the tokens of a step of a scenario, padding included.
pub fn own_batch(scenario: &Scenario) -> f64 {
    f64::from(sequences(scenario)) * f64::from(scenario.seq_len)
}

/// Returns the default batch of a plan: the scenario's batch if the user chose it or the model is
/// fine-tuned, else the published batch for the model's size ([`published_batch`]).
pub fn usual_batch(scenario: &Scenario) -> f64 {
    let own = own_batch(scenario);
    if is_tuned(scenario) || is_chosen(scenario) { own } else { larger_batch(scenario).unwrap_or(own) }
}

/// Returns the published batch for the scenario's size; `None` for fine-tuning, whose batches
/// follow the data.
pub fn larger_batch(scenario: &Scenario) -> Option<f64> {
    let params = scenario.model.architecture().active_params() as f64;
    (!is_tuned(scenario)).then(|| published_batch(params, scenario.train_tokens()))
}

fn is_tuned(scenario: &Scenario) -> bool {
    scenario.objective.task != Task::NextToken || scenario.trained.method != Method::All || scenario.has_texts()
}

/// Whether the batch differs from that of the first visit, in its micro-batches and in its tokens.
fn is_chosen(scenario: &Scenario) -> bool {
    let first = catalog::default_scenario();
    let of = |scenario: &Scenario| (scenario.micro_batch_size, scenario.grad_accum_steps);
    of(scenario) != of(&first) && own_batch(scenario) != own_batch(&first)
}

/// Returns the sequences of a step of `batch` tokens, at least one. A number close to a power of
/// two is rounded to it: 4M tokens, as people write it, are 512 sequences of 8,192 tokens and not
/// 488.
pub fn sequences_of(batch: f64, seq_len: u32) -> u32 {
    let exact = batch / f64::from(seq_len.max(1));
    let whole = exact.round().max(1.0) as u32;
    let above = whole.checked_next_power_of_two().unwrap_or(whole);
    let is_near = |power: &u32| (exact / f64::from(*power) - 1.0).abs() < NEAR;
    let near = [above, above / 2].into_iter().find(is_near);
    near.filter(|_| exact.fract() != 0.0).unwrap_or(whole)
}

/// Relative distance that counts as close: 1,000,000 is within 5 % of 1,048,576.
const NEAR: f64 = 0.05;

/// At most one part in `PARTS` of a batch may be lost if the GPUs do not divide the batch.
const PARTS: u32 = 4;

/// Returns the sequences of a step on `gpus` GPUs, at most `most`: `most` itself if the odd factor
/// of the number of GPUs divides or exceeds it. Else `most` is rounded down to a multiple of the
/// odd factor, doubled while it is at most an eighth of `most`. If that loses more than a quarter,
/// `most`, which no layout divides.
pub(super) fn dividing(most: u32, gpus: u32) -> u32 {
    let odd = gpus.checked_shr(gpus.trailing_zeros()).unwrap_or(1).max(1);
    if most.is_multiple_of(odd) || odd > most {
        return most;
    }
    let mut unit = odd;
    while unit <= most / PARTS / 2 {
        unit *= 2;
    }
    let batch = most / unit * unit;
    if batch >= most - most / PARTS { batch } else { most }
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    /// Published batches: active parameters, tokens, batch, and the factor within which the rule
    /// holds.
    #[test]
    fn published_batches_are_reproduced() {
        let mib = MIB as f64;
        for (name, params, tokens, batch, factor) in [
            // GPT-3 (arXiv 2005.14165, Table 2.1), 300B tokens each.
            ("GPT-3 125M", 125e6, 300e9, 0.5e6, 2.2),
            ("GPT-3 1.3B", 1.3e9, 300e9, 1e6, 2.2),
            ("GPT-3 13B", 13e9, 300e9, 2e6, 2.2),
            ("GPT-3 175B", 175e9, 300e9, 3.2e6, 2.2),
            // Llama 2 (arXiv 2307.09288, Table 1).
            ("Llama 2 7B", 6.7e9, 2e12, 4e6, 2.2),
            ("Llama 2 70B", 69e9, 2e12, 4e6, 2.2),
            // Llama 3 (arXiv 2407.21783, section 3.4.1): 16M in the end.
            ("Llama 3 405B", 405e9, 15.6e12, 16.0 * mib, 2.2),
            // OLMo 2 13B: 2,048 sequences of 4,096 (allenai/OLMo, OLMo2-13B-stage1.yaml).
            ("OLMo 2 13B", 13.7e9, 5e12, 2048.0 * 4096.0, 2.2),
            // DeepSeek-V3 (arXiv 2412.19437, section 4.2): 15,360 sequences of 4K.
            ("DeepSeek-V3", 37e9, 14.8e12, 15_360.0 * 4096.0, 8.0),
        ] {
            let rule = published_batch(params, tokens);
            let off = (rule / batch).max(batch / rule);
            assert!(off <= factor, "{name}: {rule} for {batch}, {off:.2} times");
        }
    }

    #[test]
    fn the_rule_grows_with_model_and_data_and_has_ends() {
        let at = |power: i32| published_batch(1e6 * 10_f64.powi(power), 1e12);
        assert!((0..12).all(|power| at(power) <= at(power + 1)));
        for (params, tokens) in [(0.0, 0.0), (1e30, 1e30), (f64::INFINITY, 1.0), (f64::NAN, 1.0)] {
            let batch = published_batch(params, tokens);
            assert!((ENDS.0..=ENDS.1).contains(&batch), "{batch}");
        }
    }

    #[test]
    fn a_batch_that_somebody_chose_is_that_of_the_plan_and_the_first_visits_is_not() {
        let usual = |link: &str| usual_batch(&decode(&["v=1&", link].concat()).scenario) / MIB as f64;
        assert_eq!(usual("cluster=dgx-h100&model=llama-3.1-8b&gpus=64&tokens=2T"), 4.0);
        assert_eq!(usual("cluster=dgx-h100&model=llama-3.1-8b&gpus=64&accum=8&tokens=2T"), 2.0);
        assert_eq!(usual("cluster=dgx-h100&model=llama-3.1-8b&gpus=8&train=lora"), 8.0 * 4096.0 / MIB as f64);
    }

    #[test]
    fn tokens_are_whole_sequences_and_millions_are_powers_of_two() {
        for (batch, seq_len, sequences) in [
            (4e6, 8192, 512),
            (4_194_304.0, 8192, 512),
            (4.19e6, 8192, 512),
            (1e6, 4096, 256),
            (500.0 * 8192.0, 8192, 500),
        ] {
            assert_eq!(sequences_of(batch, seq_len), sequences, "{batch}");
        }
        assert_eq!([1.0, 0.1, 1e300].map(|batch| sequences_of(batch, 8192)), [1, 1, u32::MAX]);
    }

    /// The GPUs divide the batch, which loses at most a quarter and is never larger than requested.
    #[test]
    fn the_batch_divides_by_the_gpus() {
        for most in [1, 2, 3, 24, 64, 512, 1000, 1024] {
            for gpus in 1..=2048_u32 {
                let batch = dividing(most, gpus);
                let odd = gpus >> gpus.trailing_zeros();
                assert!(batch <= most && batch >= most - most / PARTS, "{most} {gpus} {batch}");
                assert!(batch.is_multiple_of(odd) || batch == most, "{most} {gpus} {batch}");
                assert!(!gpus.is_power_of_two() || batch == most);
            }
        }
    }
}
