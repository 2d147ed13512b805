//! Generates the fitted constants of the engine, its generations of silicon and its table of
//! parameters from `data/`. A wrong
//! row fails the build.

mod fitted;
mod parameters;

use build::generations;

fn main() {
    build::run(|workspace| {
        let constants = workspace.read("data/fitted.toml")?;
        let fitted = fitted::table(&constants)?;
        let parameters = parameters::table(&workspace.read("data/parameters.toml")?)?;
        let generations = generations::table(&workspace.read("data/silicon.toml")?, &fitted::well_fitted(&constants)?)?;
        Ok(vec![("fitted.rs", fitted), ("generations.rs", generations), ("parameters.rs", parameters)])
    });
}
