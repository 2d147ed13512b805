//! The texts of the tables.

/// Keys of programs, each with the text of its table.
pub const KEYS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// Tables next to the folders, whose rows several programs include, each with its text.
pub const INCLUDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/included.rs"));

/// The refusals of programs, each with the text of its table.
pub const REFUSALS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/refusals.rs"));

/// Keys of programs that change neither memory nor speed, each with the text of its list.
pub const QUIET: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/quiet.rs"));

/// Keys of all programs that change neither memory nor speed.
pub const QUIET_OF_ALL: &str = include_str!("../tables/quiet.toml");

/// Words of keys' names that may decide memory or speed.
pub const DECIDING: &str = include_str!("../tables/deciding.toml");

/// Configurations of torchtune by name, with the recipe that starts each.
pub const TORCHTUNE_CONFIGS: &str = include_str!("../tables/torchtune/configs.csv");

/// Configurations of torchtitan by name.
pub const TORCHTITAN_CONFIGS: &str = include_str!("../tables/torchtitan/configs.csv");

/// Recipes of `NeMo` 2, functions of their models' modules.
pub const NEMO_RECIPES: &str = include_str!("../tables/nemo/recipes.csv");
