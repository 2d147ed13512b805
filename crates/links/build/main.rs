//! Generates the other names of keys and options, and the advice on ambiguous ones, from
//! `data/spelling.toml`. A wrong row fails the build.

#[path = "../../engine/build/generate.rs"]
mod generate;
#[path = "../../engine/build/rows.rs"]
#[allow(dead_code, reason = "shared with the catalog, whose tables use all of it")]
mod rows;
#[path = "../../engine/build/shape.rs"]
#[allow(dead_code, reason = "shared with the catalog, whose tables use all of it")]
mod shape;
mod texts;

use generate::Files;
use rows::File;
use shape::list;
use texts::{meanings, texts};

fn main() {
    generate::run(|root| tables(&rows::read(root, "data/spelling.toml")?));
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
