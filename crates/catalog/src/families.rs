//! Families of models: published sizes of one recipe, along which the model-size slider scales.
//!
//! Members of a family share the vocabulary (up to padding), the number of experts and the kind of
//! attention, and were published together. A model without a family scales in its own proportions.

use super::ModelEntry;
use super::models::ALL;
use engine::model::family::{Family, Member};
use engine::scenario::Model;

/// Every family: rows of `data/families.toml`, to which rows of models refer.
pub static FAMILIES: &[Family] = include!(concat!(env!("OUT_DIR"), "/families.rs"));

const fn member(entry: &ModelEntry) -> Member {
    Member { id: entry.id, architecture: entry.architecture }
}

/// Returns the family of a catalog model.
pub fn model_family(id: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.members.iter().any(|member| member.id == id))
}

/// Returns the name that a model shares with its other sizes: the family's name, or the model's
/// own; `None` for a custom model.
pub fn name_of(model: &Model) -> Option<&'static str> {
    match *model {
        Model::Preset { family: Some(family), .. } | Model::Scaled { family: Some(family), .. } => Some(family.name),
        Model::Preset { id, .. } | Model::Scaled { id, .. } => super::model(id).map(|entry| entry.name),
        Model::Ladder { .. } | Model::Custom { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_catalog_entries_in_one_family_each_smallest_first() {
        for family in FAMILIES {
            assert!(family.members.is_sorted_by_key(|member| member.architecture.params()), "{}", family.name);
            for member in family.members {
                let entry = crate::model(member.id).unwrap_or_else(|| panic!("{}: {}", family.name, member.id));
                assert_eq!(entry.architecture, member.architecture);
                assert!(
                    family.on_ladder
                        || entry
                            .name
                            .starts_with(family.name.trim_end_matches(" (benchmark)").trim_end_matches(" MoE")),
                    "{}",
                    entry.name
                );
                assert_eq!(model_family(member.id).map(|found| found.name), Some(family.name));
            }
        }
    }

    #[test]
    fn members_share_what_a_family_keeps() {
        for family in FAMILIES {
            let first = family.members.first().unwrap().architecture;
            for Member { architecture, id } in family.members {
                assert_eq!(architecture.experts.num_experts, first.experts.num_experts, "{id}");
                assert_eq!(architecture.gated_mlp, first.gated_mlp, "{id}");
                let ratio = f64::from(architecture.vocab_size) / f64::from(first.vocab_size);
                assert!((0.98..1.02).contains(&ratio), "{id}: {}", architecture.vocab_size);
            }
        }
    }
}
