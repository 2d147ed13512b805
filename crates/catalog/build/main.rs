//! Generates the tables of the catalog from the rows of `data/`, and from the folders of
//! programs, `crates/programs/tables`. A row that is wrong, or has no source, fails
//! the build.

mod accelerators;
mod examples;
mod low_precision;
mod models;
mod networks;
mod prices;
mod programs;
mod releases;
mod revisions;
#[path = "../src/size.rs"]
mod size;

use build::{Files, Workspace};
use prices::Prices;

fn main() {
    build::run(tables);
}

/// Generates all tables.
fn tables(workspace: &Workspace) -> Result<Files, String> {
    let data = |name: &str| workspace.read(&format!("data/{name}"));
    let programs = programs::all(&workspace.folder("crates/programs/tables")?)?;
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
