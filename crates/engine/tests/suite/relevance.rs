//! A control that the page does not show has no effect: whatever it is set to, step and run stay as
//! they are. A link keeps what it is set to.

use engine::params::{Param, ParamId, ParamKind, every, is_held};
use engine::scenario::Scenario;
use links::{decode, encode, without_effect};
use proptest::prelude::*;

use crate::cases::cases;
use crate::laws::any_valid_scenario;

/// Scenarios in which much, and in which little, has no effect.
const LINKS: [&str; 7] = [
    "",
    "model=llama-3.1-8b&gpus=8&cluster=dgx-h100",
    "gpus=64&tp=2&cp=2&pp=2&accum=8&schedule=interleaved&strategy=hybrid-shard&shard=4",
    "gpus=64&strategy=zero1&recompute=fraction&accum=2&optimizer=galore",
    "model=mixtral-8x7b&gpus=64&ep=8&recompute=modules&recipe=fsdp2-bf16",
    "model=llama-3.1-8b&train=lora&texts=packed&gpus=8",
    "model=llama-3.1-8b&objective=grpo&gpus=16&strategy=ddp",
];

/// The scenario with every option of a choice, and with numbers over all of the bounds.
fn changed(param: &Param, scenario: &Scenario) -> Vec<Scenario> {
    let with = |set: &dyn Fn(&mut Scenario)| {
        let mut changed = *scenario;
        set(&mut changed);
        changed
    };
    match param.kind {
        ParamKind::Choice(choice) => {
            (0..choice.options.len()).map(|index| with(&|it| (choice.set)(it, index))).collect()
        }
        ParamKind::Number(number) => {
            let number = number.within(scenario);
            let between = (number.min.max(1.0) * number.max).sqrt().round();
            [number.min, between, number.max].map(|value| with(&|it| (number.set)(it, value))).to_vec()
        }
    }
}

#[test]
fn what_the_page_does_not_show_has_no_effect_and_stays_in_the_link() {
    let mut hidden = 0;
    for link in LINKS {
        let scenario = decode(link).scenario;
        let results = (scenario.report(), scenario.run_report());
        for param in every().filter(|param| !param.is_shown(&scenario)) {
            hidden += 1;
            for changed in changed(param, &scenario) {
                assert_eq!((changed.report(), changed.run_report()), results, "`{link}`: {} has an effect", param.key);
                assert_eq!(decode(&encode(&changed)).scenario, changed, "`{link}`: {} is lost", param.key);
            }
        }
    }
    assert!(hidden > 100, "{hidden}");
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn what_the_page_does_not_show_has_no_effect_in_any_valid_scenario(scenario in any_valid_scenario()) {
        let results = (scenario.report(), scenario.run_report());
        for param in every().filter(|param| !param.is_shown(&scenario)) {
            for changed in changed(param, &scenario) {
                prop_assert_eq!((changed.report(), changed.run_report()), results, "{} has an effect", param.key);
            }
        }
    }
    /// A stated value without effect is named, unless it is an option that holds anyway, or a
    /// number that means off; one that has an effect is not.
    #[test]
    fn a_stated_value_without_effect_is_named_in_any_valid_scenario(scenario in any_valid_scenario()) {
        let results = (scenario.report(), scenario.run_report());
        for param in every().filter(|param| is_held(param, &scenario)) {
            for stated in changed(param, &scenario) {
                let link = encode(&stated);
                let in_link = link.split('&').filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == param.key);
                let is_named = !without_effect(&stated, &[param.key.to_owned()]).is_empty();
                // A switch is off anyway where there is nothing to switch.
                let is_on = in_link.is_some_and(|(_, value)| value != "no");
                let is_number = param.number().is_some_and(|number| (number.get)(&stated) > 1.0);
                // The 16-bit format of a run in 16 bits is true of it, whatever it costs.
                let is_true = param.id == ParamId::HalfFormat && (param.applies)(&stated);
                let is_idle = !param.is_shown(&stated) && (is_on || is_number) && !is_true;
                prop_assert_eq!(is_named, is_idle, "{} in {}", param.key, link);
                let has_effect = (stated.report(), stated.run_report()) != results;
                prop_assert!(!(is_named && has_effect), "{} has an effect in {link}", param.key);
            }
        }
    }
}
