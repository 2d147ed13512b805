//! Parameters of adapters against PEFT's own count (`tests/peft/counts.py`).

use engine::model::choices::Choices;
use engine::model::software::Framework;
use engine::model::stages::stages;
use engine::model::trained::{Method, Targets, Trained};
use engine::params::{ParamId, ParamKind};
use engine::scenario::{Scenario, Strategy};

const COUNTS: &str = include_str!("../../../../tests/peft/counts.csv");

#[test]
fn adapters_have_as_many_parameters_as_peft_counts() {
    let rows: Vec<Vec<&str>> = COUNTS.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert!(rows.len() >= 30, "{}", rows.len());
    for row in rows {
        let number = |column: usize| row[column].parse::<u64>().unwrap();
        let trained = Trained {
            method: if number(3) == 1 { Method::Dora } else { Method::Lora },
            rank: u32::try_from(number(2)).unwrap(),
            embeddings: number(4) == 1,
            targets: targets(row[1]),
            ..Trained::ALL
        };
        let model = catalog::model(row[0]).unwrap().pick();
        let scenario = Scenario {
            model,
            gpus: 1,
            strategy: Strategy::Ddp,
            choices: Choices { trained, framework: Framework::Transformers, ..Choices::DEFAULT },
            ..catalog::default_scenario()
        };
        let params = stages(&scenario.setup()).first.params;
        assert_eq!(params.trained.all(), number(5) as f64, "trained of {row:?}");
        assert_eq!(params.held.all(), number(6) as f64, "all of {row:?}");
    }
}

fn targets(key: &str) -> Targets {
    let mut scenario = catalog::default_scenario();
    let ParamKind::Choice(choice) = ParamId::LoraTargets.param().kind else { panic!("targets are a choice") };
    let index = choice.options.iter().position(|option| option.key == key).unwrap();
    (choice.set)(&mut scenario, index);
    scenario.trained.targets
}
