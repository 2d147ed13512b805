//! Models that are scaled along their families.

use catalog::{MODELS, families::FAMILIES};
use engine::model::family::{between, beyond, params};
use engine::model::transformer::{Architecture, Experts};
use engine::params::{ParamId, scale};
use engine::scenario::{CUSTOM, Model, Scenario};

/// Every model of the catalog that is not on the ladder, and each as a custom model.
fn models() -> impl Iterator<Item = Model> {
    let all = MODELS.iter().flat_map(|entry| [entry.pick(), Model::Custom { architecture: entry.architecture }]);
    all.filter(|model| !model.family().is_some_and(|family| family.on_ladder))
}

/// The sizes at the positions of the slider.
fn slider(model: &Model) -> Vec<f64> {
    let scenario = Scenario { model: *model, ..catalog::default_scenario() };
    let number = ParamId::ModelSize.number().unwrap().within(&scenario);
    (0..=scale::slider_steps(&number)).map(|index| scale::slider_value(&number, index)).collect()
}

#[test]
fn a_published_size_is_the_published_model() {
    for family in FAMILIES.iter().filter(|family| !family.on_ladder) {
        for from in family.members {
            let model = catalog::model(from.id).unwrap().pick();
            for to in family.members {
                let resized = model.resized(params(&to.architecture));
                assert_eq!(resized, catalog::model(to.id).unwrap().pick(), "{} to {}", from.id, to.id);
                // The result does not depend on intermediate sizes.
                let away = model.resized(1.37 * params(&to.architecture));
                assert_eq!(away.resized(params(&to.architecture)), resized, "{} to {}", from.id, to.id);
            }
        }
    }
    for model in models() {
        assert_eq!(model.resized(model.size()), model);
        assert_eq!(model.resized(1.37 * model.size()).resized(model.size()), model);
    }
}

/// The curve meets published sizes even without the rule that snaps to them.
#[test]
fn the_curve_itself_meets_every_published_size() {
    for family in FAMILIES {
        for pair in family.members.windows(2) {
            let [low, high] = [pair[0].architecture, pair[1].architecture];
            let meets = |published: &Architecture| {
                let found = between(&low, &high, params(published));
                let Architecture { num_hidden_layers, hidden_size, num_attention_heads, .. } = found;
                assert_eq!(
                    (num_hidden_layers, hidden_size, num_attention_heads),
                    (published.num_hidden_layers, published.hidden_size, published.num_attention_heads),
                    "{}",
                    family.name
                );
                assert_eq!(found.params(), published.params(), "{}", family.name);
            };
            meets(&low);
            meets(&high);
        }
    }
    for entry in MODELS {
        assert_eq!(beyond(&entry.architecture, params(&entry.architecture)), entry.architecture, "{}", entry.id);
    }
}

#[test]
fn every_size_of_the_slider_is_met_within_two_percent_and_grows() {
    for model in models() {
        let mut last = (0.0, 0.0);
        for size in slider(&model) {
            let resized = model.resized(size);
            let found = params(&resized.architecture());
            // Parameters outside the scaled layers stay, whatever the size of the layers.
            let extra = model.architecture().extra;
            let tower = model.architecture().tower;
            let beside = (extra.layers + extra.outside) as f64 + (tower.params + tower.projector_params) as f64;
            if size < 2.0 * beside {
                continue;
            }
            if matches!(resized, Model::Scaled { .. }) {
                // A few layers of one block each, most of them without an MLP that could absorb the
                // rest, are coarser.
                let shape = resized.architecture();
                let few = shape.pattern.is_used() && shape.num_hidden_layers < 16;
                let near = if few { 0.06 } else { 0.02 };
                assert!((found / size - 1.0).abs() < near, "{model:?} at {size}: {found}, {resized:?}");
            }
            // Two positions may mean one published size.
            let same = found == last.1 && !matches!(resized, Model::Scaled { .. });
            assert!(
                size < 1.015 * last.0 || found > last.1 || same || resized.architecture().pattern.is_used(),
                "{model:?}: {found} at {size} after {last:?}, {resized:?}"
            );
            last = (size, found);
        }
    }
}

#[test]
fn what_a_family_keeps_stays() {
    for model in models() {
        let own = model.architecture();
        for size in slider(&model).into_iter().step_by(7) {
            let Model::Scaled { base, architecture: found, id, .. } = model.resized(size) else { continue };
            let kept = |of: fn(&Architecture) -> u32| assert_eq!(of(&found), of(&base), "{id} at {size}");
            kept(|shape| shape.vocab_size);
            kept(|shape| shape.head_dim);
            kept(|shape| shape.experts.num_experts);
            kept(|shape| shape.experts.num_experts_per_tok);
            kept(|shape| shape.sliding_window);
            assert!(
                found.num_attention_heads.is_multiple_of(found.num_key_value_heads)
                    || !own.num_attention_heads.is_multiple_of(own.num_key_value_heads),
                "{id} at {size}: {found:?}"
            );
            assert_eq!(found.has_experts(), own.has_experts(), "{id} at {size}");
            let widths = |shape: &Architecture| f64::from(shape.hidden_size) / f64::from(shape.num_attention_heads);
            assert!((widths(&found) / widths(&base) - 1.0).abs() < 0.01, "{id} at {size}");
        }
    }
}

/// Llama 3.1 keeps eight heads of keys and values from 8B to 405B (arXiv 2407.21783, Table 3);
/// below 8B their grouping stays.
#[test]
fn llama_grows_as_published() {
    let llama = catalog::model("llama-3.1-8b").unwrap().pick();
    let shape = |size: f64| llama.resized(size).architecture();
    let of = |shape: Architecture| {
        (shape.num_hidden_layers, shape.hidden_size, shape.num_attention_heads, shape.num_key_value_heads)
    };
    assert_eq!(of(shape(13e9)), (35, 5120, 40, 8));
    assert_eq!(of(shape(150e9)), (94, 11_264, 88, 8));
    assert_eq!(of(shape(3.2e9)), (20, 3072, 24, 6));
}

#[test]
fn a_size_that_is_none_changes_nothing_and_one_too_far_is_the_last() {
    for model in models() {
        let (least, most) = model.sizes();
        assert_eq!(model.resized(f64::NAN).architecture().params(), model.architecture().params());
        for (asked, met) in [(0.0, least), (-1.0, least), (f64::INFINITY, most), (1e300, most)] {
            assert_eq!(model.resized(asked), model.resized(met));
        }
    }
}

/// A scaled model may become a custom one, which a link can represent.
#[test]
fn a_scaled_shape_is_within_the_bounds_of_a_custom_one() {
    let wide =
        Architecture { hidden_size: 8, intermediate_size: 163_584, ..catalog::model("gpt-2").unwrap().architecture };
    let experts = catalog::model("deepseek-v3").unwrap().architecture.experts;
    let wider = Architecture { experts: Experts { moe_intermediate_size: 2_000_000, ..experts }, ..wide };
    for model in models().chain([wide, wider].map(|architecture| Model::Custom { architecture })) {
        let (least, most) = model.sizes();
        for size in [least, 1.1 * least, (least * most).sqrt(), 0.9 * most, most] {
            let architecture = model.resized(size).architecture();
            let scenario = Scenario { model: Model::Custom { architecture }, ..catalog::default_scenario() };
            for param in engine::params::ARCHITECTURE {
                assert!(engine::params::is_within_bounds(param, &scenario), "{}: {architecture:?}", param.key);
            }
        }
    }
}

/// Shapes typed by users.
#[test]
fn no_shape_is_too_strange() {
    let least = Architecture {
        num_hidden_layers: 0,
        hidden_size: 0,
        num_attention_heads: 0,
        num_key_value_heads: 0,
        head_dim: 0,
        intermediate_size: 0,
        vocab_size: 0,
        ..catalog::model("llama-3.1-8b").unwrap().architecture
    };
    let uneven = Architecture { num_attention_heads: 7, num_key_value_heads: 5, hidden_size: 1001, ..least };
    let most = Architecture {
        num_hidden_layers: u32::MAX,
        hidden_size: u32::MAX,
        num_attention_heads: u32::MAX,
        intermediate_size: u32::MAX,
        ..least
    };
    for architecture in [least, uneven, most] {
        let model = Model::Custom { architecture };
        for size in [1.0, 1e6, 13e9, 1e12, 1e30] {
            let Model::Scaled { id, architecture, .. } = model.resized(size) else { continue };
            assert_eq!(id, CUSTOM);
            assert!(architecture.num_hidden_layers > 0 && architecture.hidden_size > 0);
        }
    }
}
