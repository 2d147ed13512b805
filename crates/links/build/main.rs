//! Generates the other names of keys and options, and the advice on ambiguous ones, from
//! `data/spelling.toml`. A wrong row fails the build.

use build::Files;
use build::rows::File;
use build::shape::list;
use build::texts::{meanings, texts};

fn main() {
    build::run(|workspace| tables(&workspace.read("data/spelling.toml")?));
}

fn tables(file: &File) -> Result<Files, String> {
    let [groups, advice] = file.rows([("group", "name"), ("advice", "says")])?;
    groups.iter().try_for_each(|group| group.only(&["name", "means"]))?;
    let meanings = meanings(&groups)?;
    let names = meanings.iter().map(|(text, pairs, _)| {
        let (name, value) = text.split_once('=').unwrap_or((text, "*"));
        format!("({name:?}, {value:?}, {pairs:?})")
    });
    let mut advised = Vec::new();
    for row in &advice {
        row.only(&["says", "names"])?;
        advised.extend(texts(row, "names")?.iter().map(|name| format!("({name:?}, {:?})", row.key)));
    }
    Ok(vec![("names.rs", list(&names.collect::<Vec<_>>())), ("advice.rs", list(&advised))])
}
