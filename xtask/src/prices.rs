//! Writes prices of `data/prices.toml` anew from SkyPilot's catalog: those of rows with a
//! `catalog`.
//!
//! The catalog is a repository of price lists that its authors read from the clouds' interfaces, a
//! CSV file a cloud. Of a product's prices the lowest in the United States counts.

use anyhow::{Context as _, Result, anyhow, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml_edit::{DocumentMut, Table};

use crate::shell::{fresh, output, program, read_text, root, run as run_program, step, target, write};

/// Address of the catalog's repository.
const REPOSITORY: &str = "https://github.com/skypilot-org/skypilot-catalog";
/// The beginning of a row.
const ROW: &str = "[[price]]\n";

/// Takes the prices from `from`, a clone of the catalog, or from a new one, as of `commit`.
///
/// # Errors
/// When the catalog cannot be had, or has no price of a row.
pub fn run(from: Option<&Path>, commit: &str) -> Result<()> {
    let clone = from.map_or_else(cloned, |folder| Ok(folder.to_owned()))?;
    let file = root().join("data/prices.toml");
    let mut lists = BTreeMap::new();
    let written = with_prices(&read_text(&file)?, |catalog, instance| {
        if !lists.contains_key(catalog) {
            lists.insert(catalog.to_owned(), List::read(&clone, commit, catalog)?);
        }
        lists.get(catalog).context("the list was just read")?.cheapest(instance)
    })?;
    write(&file, written)?;
    step("data/prices.toml is written: `git diff` shows what changed");
    Ok(())
}

/// Clones the catalog without its files: each file is fetched when it is read.
fn cloned() -> Result<PathBuf> {
    let folder = target().join("skypilot-catalog");
    fresh(&folder)?;
    run_program(program("git").args(["clone", "--filter=blob:none", "--no-checkout", REPOSITORY]).arg(&folder))?;
    Ok(folder)
}

/// A price of a list.
#[derive(Debug, PartialEq)]
struct Listed {
    usd_per_hour: f64,
    region: String,
    date: String,
    source: String,
}

/// Price list of a cloud.
struct List {
    text: String,
    date: String,
    source: String,
}

impl List {
    /// Reads a cloud's list as of a commit, and the day of the last change of the list by then.
    fn read(clone: &Path, commit: &str, catalog: &str) -> Result<Self> {
        let file = format!("catalogs/v8/{catalog}/vms.csv");
        let git = |arguments: &[&str]| {
            output(program("git").arg("-C").arg(clone).args(arguments))
                .ok_or_else(|| anyhow!("{} has no {file} at {commit}: is it a clone of {REPOSITORY}?", clone.display()))
        };
        let changed = git(&["log", "-1", "--format=%h %cs", commit, "--", &file])?;
        let Some((short, date)) = changed.trim().split_once(' ') else {
            bail!(
                "{} has no {file} at {commit}: correct the `catalog` of its rows in data/prices.toml.",
                clone.display()
            )
        };
        let source = format!("SkyPilot's catalog, v8 {catalog}/vms.csv @ {short}");
        Ok(Self { text: git(&["show", &format!("{commit}:{file}")])?, date: date.to_owned(), source })
    }

    /// Returns the lowest on-demand price of an instance in the United States.
    fn cheapest(&self, instance: &str) -> Result<Listed> {
        let mut reader = csv::Reader::from_reader(self.text.as_bytes());
        let mut found: Option<(f64, String)> = None;
        for row in reader.deserialize::<BTreeMap<String, String>>() {
            let row = row.with_context(|| format!("{} cannot be read", self.source))?;
            let cell = |name: &str| row.get(name).map(String::as_str).unwrap_or_default();
            let price = cell("Price").parse::<f64>().ok().filter(|price| *price > 0.0);
            let (true, Some(price)) = (cell("InstanceType") == instance && is_american(cell("Region")), price) else {
                continue;
            };
            if found.as_ref().is_none_or(|(least, _)| price < *least) {
                found = Some((price, cell("Region").to_owned()));
            }
        }
        let (usd_per_hour, region) = found.ok_or_else(|| {
            anyhow!(
                "{} has no on-demand price of {instance} in the United States: correct the row of data/prices.toml, \
                 or take its `catalog` away to keep its price.",
                self.source
            )
        })?;
        Ok(Listed { usd_per_hour, region, date: self.date.clone(), source: self.source.clone() })
    }
}

/// Whether a region is a public one of the United States: `us-east-1`, `US`, Azure's `eastus2`. Its
/// government's regions have prices of their own.
fn is_american(region: &str) -> bool {
    let region = region.to_lowercase();
    let named = region.trim_end_matches(|sign: char| sign.is_ascii_digit());
    (region.starts_with("us") || named.ends_with("us")) && !region.contains("gov")
}

/// Returns the text of the table with the prices that `price_of` finds for a catalog and an
/// instance. Everything else stays as it is written, and so does a price of a later day than the
/// list's.
fn with_prices(table: &str, mut price_of: impl FnMut(&str, &str) -> Result<Listed>) -> Result<String> {
    let mut parts = table.split(ROW);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let document: DocumentMut = part.parse().with_context(|| format!("data/prices.toml: {part}"))?;
        let row = document.as_table();
        written.push_str(ROW);
        match text(row, "catalog") {
            Some(catalog) => {
                let instance = text(row, "instance").or_else(|| text(row, "product"));
                let listed = price_of(catalog, instance.context("data/prices.toml: a row lacks a product")?)?;
                let is_newer = text(row, "date").is_some_and(|date| date > listed.date.as_str());
                written.push_str(&if is_newer { part.to_owned() } else { repriced(part, &listed) });
            }
            None => written.push_str(part),
        }
    }
    Ok(written)
}

fn text<'a>(row: &'a Table, field: &str) -> Option<&'a str> {
    row.get(field)?.as_str()
}

/// Returns the lines of a row with another price. Region and date stand before the source.
fn repriced(row: &str, listed: &Listed) -> String {
    let lines = row.lines().flat_map(|line| match line.split(" = ").next().unwrap_or_default() {
        "usd_per_hour" => vec![format!("usd_per_hour = {}", listed.usd_per_hour)],
        "region" | "date" => Vec::new(),
        "source" => [("region", &listed.region), ("date", &listed.date), ("source", &listed.source)]
            .map(|(field, value)| format!("{field} = \"{value}\""))
            .to_vec(),
        _ => vec![line.to_owned()],
    });
    lines.map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(rows: &str) -> List {
        let text = format!("InstanceType,AcceleratorName,Price,SpotPrice,Region\n{rows}");
        List { text, date: "2026-11-01".to_owned(), source: "the list".to_owned() }
    }

    #[test]
    fn the_cheapest_american_price_counts() {
        let list = list(
            "big,H100,60,30,us-east-1\nbig,H100,55.04,20,us-west-2\nbig,H100,40,10,eu-west-1\n\
             big,H100,39,10,us-gov-west-1\nbig,H100,,1,us-east-2\nbig,H100,0.0,1,us-south-1\nsmall,H100,7,1,us-east-1\n",
        );
        let found = list.cheapest("big").expect("a price");
        assert_eq!(
            (found.usd_per_hour, found.region.as_str(), found.date.as_str()),
            (55.04, "us-west-2", "2026-11-01")
        );
        let missing = list.cheapest("huge").expect_err("none").to_string();
        assert!(missing.starts_with("the list has no on-demand price of huge in the United States:"), "{missing}");
    }

    #[test]
    fn regions_of_the_united_states_are_known_by_each_clouds_names() {
        for region in ["us-east-1", "us-central1", "us-chicago-1", "US", "eastus", "westus3", "southcentralus"] {
            assert!(is_american(region), "{region}");
        }
        for region in ["eu-north1", "australiaeast", "ap-southeast-2", "us-gov-east-1", "usgovvirginia", "CA"] {
            assert!(!is_american(region), "{region}");
        }
    }

    #[test]
    fn only_rows_with_a_catalog_change() {
        let table = "# Head: [[price]] rows.\n\n[[price]]\nid = \"a\"\nproduct = \"x\"\nusd_per_hour = 1\nsource = \"page\"\n\n\
                     [[price]]\nid = \"b\"\nproduct = \"8x big\"\ncatalog = \"aws\"\ninstance = \"big\"\nusd_per_hour = 2\nof = 8\n\
                     date = \"2025-01-01\"\nsource = \"old\"\n";
        let listed = |catalog: &str, instance: &str| {
            assert_eq!((catalog, instance), ("aws", "big"));
            list("big,H100,55.04,20,us-west-2\n").cheapest(instance)
        };
        let written = with_prices(table, listed).expect("written");
        let expected = table.replace("usd_per_hour = 2\n", "usd_per_hour = 55.04\n").replace(
            "date = \"2025-01-01\"\nsource = \"old\"",
            "region = \"us-west-2\"\ndate = \"2026-11-01\"\nsource = \"the list\"",
        );
        assert_eq!(written, expected);
        let later = table.replace("2025-01-01", "2026-11-02");
        assert_eq!(with_prices(&later, listed).expect("written"), later);
        // A second run changes nothing.
        assert_eq!(with_prices(&written, listed).expect("written"), written);
    }
}
