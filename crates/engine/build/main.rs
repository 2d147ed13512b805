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
        let constants = rows::read(root, "data/fitted.toml")?;
        let fitted = fitted::table(&constants)?;
        let parameters = parameters::table(&rows::read(root, "data/parameters.toml")?)?;
        let generations =
            generations::table(&rows::read(root, "data/silicon.toml")?, &fitted::well_fitted(&constants)?)?;
        Ok(vec![("fitted.rs", fitted), ("generations.rs", generations), ("parameters.rs", parameters)])
    });
}
