//! Generates the readers of `config.json` from the rows of `data/huggingface.toml`: an invalid row,
//! or one without a source, fails the build.

mod families;
mod formula;

fn main() {
    build::run(|workspace| {
        let readers = families::readers(&workspace.read("data/huggingface.toml")?)?;
        Ok(vec![("families.rs", readers)])
    });
}
