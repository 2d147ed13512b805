//! Generates the tables of the catalog from the rows of `data/`, and from the folders of
//! programs, `crates/programs/tables`. A row that is wrong, or has no source, fails
//! the build.

mod accelerators;
mod examples;
#[path = "../../engine/build/generate.rs"]
mod generate;
#[allow(dead_code, reason = "shared with the engine, which writes the table")]
#[path = "../../engine/build/generations.rs"]
mod generations;
mod low_precision;
mod models;
mod networks;
mod prices;
mod programs;
mod releases;
mod revisions;
#[path = "../../engine/build/rows.rs"]
mod rows;
#[path = "../../engine/build/shape.rs"]
mod shape;
#[path = "../src/size.rs"]
mod size;

use std::path::Path;

use generate::Files;
use prices::Prices;

fn main() {
    generate::run(tables);
}

/// Generates all tables.
fn tables(root: &Path) -> Result<Files, String> {
    let data = |name: &str| rows::read(root, &format!("data/{name}"));
    let programs = programs::all(&root.join("crates/programs/tables"))?;
    let mut files = releases::tables(&programs)?;
    files.push(("programs.rs", programs::table(&programs)?));
    files.push(("revisions.rs", revisions::table(&data("revisions.csv")?)?));
    files.extend(models::tables(&data("architectures.toml")?, &data("models.csv")?, &data("families.toml")?)?);
    files.push(("refused.rs", models::refused(&data("refused.toml")?)?));
    let (accelerators, clusters) = (data("accelerators.toml")?, data("clusters.toml")?);
    let prices = Prices::read(&data("prices.toml")?)?;
    networks::every_accelerator_has_a_cluster(&accelerators, &clusters)?;
    files.extend(accelerators::tables(&data("silicon.toml")?, &accelerators, &prices)?);
    files.extend(low_precision::tables(&data("low_precision.toml")?)?);
    files.extend(examples::tables(&data("examples.toml")?)?);
    files.extend(networks::interconnects(&data("interconnects.toml")?)?);
    files.extend(networks::clusters(&clusters, &prices)?);
    Ok(files)
}
