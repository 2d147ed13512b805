//! Generates the readers of `config.json` from the rows of `data/huggingface.toml`: an invalid row,
//! or one without a source, fails the build.

mod families;
mod formula;
#[path = "../../engine/build/generate.rs"]
mod generate;
#[path = "../../engine/build/rows.rs"]
#[allow(dead_code, reason = "shared with the catalog, whose tables use all of it")]
mod rows;

fn main() {
    generate::run(|root| {
        let readers = families::readers(&rows::read(root, "data/huggingface.toml")?)?;
        Ok(vec![("families.rs", readers)])
    });
}
