//! Begins the commonest changes: writes the rows that `CONTRIBUTING.md` describes, with blanks that
//! the build refuses until they are filled, and prints what is left to do.

use anyhow::{Result, anyhow, bail};
use std::path::Path;
use std::str::FromStr;

use crate::shell::{make, root, write};

/// A thing that can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// An accelerator of the catalog.
    Accelerator,
    /// A key of a program with a table.
    Key,
    /// A program that is read by a table.
    Program,
    /// A parameter of a scenario, on or off.
    Parameter,
}

impl FromStr for Thing {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "accelerator" => Ok(Self::Accelerator),
            "key" => Ok(Self::Key),
            "program" => Ok(Self::Program),
            "parameter" => Ok(Self::Parameter),
            _ => Err("accelerator, key, program or parameter".to_owned()),
        }
    }
}

/// Text that is added to a file, in front of a line or at the end; a file that does not exist is
/// created.
struct Addition {
    file: String,
    before: Option<&'static str>,
    text: String,
}

/// Writes the files of a new thing, and prints the next steps.
///
/// # Errors
///
/// Returns a sentence if names are missing or taken, or if a file cannot be written.
pub fn run(thing: Thing, names: &[String]) -> Result<()> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (additions, next) = match (thing, names.as_slice()) {
        (Thing::Accelerator, [id]) => accelerator(id),
        (Thing::Key, [folder, name]) => key(&root(), folder, name)?,
        (Thing::Program, [id]) => program(id),
        (Thing::Parameter, [field]) => parameter(field),
        (Thing::Accelerator, _) => bail!("Name the accelerator: `cargo xtask new accelerator rtx-6000-ada`."),
        (Thing::Key, _) => bail!("Name program and key: `cargo xtask new key ms-swift task_type`."),
        (Thing::Program, _) => bail!("Name the program's folder: `cargo xtask new program ms-swift`."),
        (Thing::Parameter, _) => bail!("Name the parameter's field: `cargo xtask new parameter async_save`."),
    };
    for addition in &additions {
        add(&root(), addition)?;
        println!("{}", addition.file);
    }
    println!("\n{next}");
    Ok(())
}

fn add(root: &Path, Addition { file, before, text }: &Addition) -> Result<()> {
    let path = root.join(file);
    let old = std::fs::read_to_string(&path).unwrap_or_default();
    if old.contains(text.trim()) {
        bail!("{file} has this already.");
    }
    let at = match before {
        None => old.len(),
        Some(line) => old.find(line).ok_or_else(|| anyhow!("{file} lacks the line “{}”.", line.trim()))?,
    };
    let (head, tail) = old.split_at(at);
    make(path.parent().unwrap_or(root))?;
    write(&path, format!("{head}{text}{tail}"))
}

fn accelerator(id: &str) -> (Vec<Addition>, String) {
    let text = format!(
        "\n[[accelerator]]\nid = \"{id}\"\nname = \"\"\nmaker = \"\"\nsource = \"\"\nmemory_gib = 0\nusable_gib = 0\n\
         usable_source = \"\"\nbandwidth_gb_per_s = 0\nmultiprocessors = 0\npeak_16bit_tflops = 0\npeak_32bit_tflops = 0\n\
         host_link_gb_per_s = 0\npower_w = 0\nsilicon = \"\"\n"
    );
    let node = format!(
        "\n[[cluster]]\nid = \"server-8x-{id}\"\nname = \"\"\nsource = \"\"\nkind = \"server\"\naccelerator = \"{id}\"\n\
         gpus_per_node = 8\nintra_node = \"\"\ninter_node = \"\"\n"
    );
    let next = "Fill in both rows: the comments at the top of their files explain each field. The build names \
                missing fields.\nAdd its price to data/prices.toml if it is rented out.\nThen `cargo xtask test --fast`.";
    let [rows, nodes] = [("data/accelerators.toml", text), ("data/clusters.toml", node)].map(|(file, text)| Addition {
        file: file.to_owned(),
        before: None,
        text,
    });
    (vec![rows, nodes], next.to_owned())
}

fn key(root: &Path, program: &str, key: &str) -> Result<(Vec<Addition>, String)> {
    let file = format!("crates/programs/tables/{program}/keys.toml");
    if !root.join(&file).is_file() {
        bail!("{program} has no table {file}: its reader is crates/files/src/run/formats, if it has one.");
    }
    let text = format!("\n[[key]]\nname = [\"{key}\"]\nis = \"\"\n");
    let next = format!(
        "Write in `is` the key of links that {key} sets, and `values` if its words are not those of \
         links\n(crates/programs/tables/README.md). Then put a file with the key into tests/runs/{program}, \
         and\n`cargo xtask test --record` records the values read from it."
    );
    Ok((vec![Addition { file, before: None, text }], next))
}

fn program(id: &str) -> (Vec<Addition>, String) {
    let folder = format!("crates/programs/tables/{id}");
    let program = format!("name = \"{id}\"\nframework = \"\"\n");
    let table = "about = \"\"\nsource = \"\"\n\n[usual]\n\n[[key]]\nname = [\"model\"]\nis = \"model\"\n".to_owned();
    let marks = format!("\n[[program]]\nname = \"{id}\"\ncommands = []\nkeys = []\n");
    let additions = vec![
        Addition { file: format!("{folder}/program.toml"), before: None, text: program },
        Addition { file: format!("{folder}/keys.toml"), before: None, text: table },
        Addition { file: "crates/files/data/programs.toml".to_owned(), before: None, text: marks },
    ];
    let next = format!(
        "Fill in program.toml and keys.toml (crates/programs/tables/README.md) and the marks in data/programs.toml, whose order counts.\n\
         Put three files or more that others wrote into tests/runs/{id}, with their origin, and the values that a careful\n\
         person reads in each into its expected.jsonl. Then `cargo xtask test --record`."
    );
    (additions, next)
}

fn parameter(field: &str) -> (Vec<Addition>, String) {
    let choices = "crates/engine/src/model/choices.rs";
    let key = field.replace('_', "");
    let id: String = field
        .split('_')
        .flat_map(|word| word.chars().take(1).map(|first| first.to_ascii_uppercase()).chain(word.chars().skip(1)))
        .collect();
    let row = format!(
        "[[control]]\nid = \"{id}\"\nfield = \"{field}\"\nkey = \"{key}\"\nlabel = \"\"\ncsv = \"{field}\"\n\
         group = \"Training\"\nhelp = \"\"\n\n"
    );
    let additions = vec![
        Addition {
            file: choices.to_owned(),
            before: Some("    /// The FLOPs that the MFU counts."),
            text: format!("    /// Whether {}.\n    pub {field}: bool,\n", field.replace('_', " ")),
        },
        Addition {
            file: choices.to_owned(),
            before: Some("        mfu_convention: "),
            text: format!("        {field}: false,\n"),
        },
        Addition { file: "data/parameters.toml".to_owned(), before: Some("[[constant]]\n"), text: row },
    ];
    let next = format!(
        "Fill in the row of data/parameters.toml, move it to its place on the page, and read `setup.{field}` in the\n\
         formula. Then `cargo xtask test --record` writes the link, glossary, types and exports that the row needs."
    );
    (additions, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(additions: &[Addition]) -> Vec<(String, String)> {
        let folder = std::env::temp_dir().join(format!("scaffold-{}-{}", std::process::id(), additions[0].file.len()));
        let mut written = Vec::new();
        for addition in additions {
            let copy = folder.join(&addition.file);
            if !copy.exists() {
                std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
                let _ = std::fs::copy(root().join(&addition.file), &copy);
            }
            add(&folder, addition).unwrap();
            assert!(add(&folder, addition).is_err(), "{} twice", addition.file);
            written.push((addition.file.clone(), std::fs::read_to_string(&copy).unwrap()));
        }
        std::fs::remove_dir_all(folder).unwrap();
        written
    }

    #[test]
    fn rows_land_in_their_files() {
        let [(_, rows), (_, nodes)] = &tried(&accelerator("b400").0)[..] else { panic!() };
        assert!(rows.trim_end().ends_with("silicon = \"\"") && rows.contains("id = \"b400\""));
        assert!(nodes.contains("accelerator = \"b400\"\ngpus_per_node = 8"));
        let [(_, rows)] = &tried(&key(&root(), "ms-swift", "task_kind").unwrap().0)[..] else { panic!() };
        assert!(rows.ends_with("name = [\"task_kind\"]\nis = \"\"\n"));
        let files = tried(&parameter("async_save").0);
        let (_, choices) = &files[1];
        assert!(choices.contains("    pub async_save: bool,\n") && choices.contains("        async_save: false,\n"));
        let (_, rows) = &files[2];
        assert!(rows.find("id = \"AsyncSave\"") < rows.find("\n[[constant]]"));
        assert_eq!(tried(&program("new-trainer").0).len(), 3);
    }

    #[test]
    fn names_that_lack_are_asked_for() {
        for (thing, names) in [(Thing::Accelerator, vec![]), (Thing::Key, vec!["ms-swift".to_owned()])] {
            assert!(run(thing, &names).unwrap_err().to_string().contains("cargo xtask new"));
        }
        assert!(key(&root(), "no-program", "x").is_err());
    }
}
