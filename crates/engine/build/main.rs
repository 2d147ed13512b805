//! Generates the fitted constants of the engine, its generations of silicon and its table of
//! parameters from `data/`. A wrong
//! row fails the build.

mod fitted;
mod generate;
mod generations;
mod parameters;
#[allow(dead_code, reason = "shared with the catalog, whose tables use all of it")]
mod rows;
#[allow(dead_code, reason = "shared with the catalog, whose tables use all of it")]
mod shape;

fn main() {
    generate::run(|root| {
        let fitted = fitted::table(&rows::read(root, "data/fitted.toml")?)?;
        let parameters = parameters::table(&rows::read(root, "data/parameters.toml")?)?;
        let generations = generations::table(&rows::read(root, "data/silicon.toml")?)?;
        Ok(vec![("fitted.rs", fitted), ("generations.rs", generations), ("parameters.rs", parameters)])
    });
}
