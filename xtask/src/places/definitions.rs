//! Where Rust files define a name. Read line by line, as rustfmt writes them.

use std::collections::BTreeMap;

/// Keywords before the name of an item.
const ITEMS: [&str; 9] = ["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "macro_rules!"];

/// The files that define each name.
#[derive(Default)]
pub(super) struct Definitions(BTreeMap<String, Vec<Definition>>);

/// A definition of a name.
struct Definition {
    file: String,
    /// The type whose `impl`, `enum` or `trait` it is in.
    owner: Option<String>,
}

impl Definitions {
    /// Adds the names that a file defines: its module, items, public fields, and variants.
    pub(super) fn add(&mut self, file: &str, text: &str) {
        let module = file.trim_end_matches(".rs").trim_end_matches("/lib").trim_end_matches("/src");
        self.insert(module.rsplit('/').next().unwrap_or_default().replace('-', "_"), file, None);
        let mut owner: Option<Owner> = None;
        for line in text.lines() {
            let own = line.trim_start();
            let depth = line.len() - own.len();
            if owner.as_ref().is_some_and(|owner| depth <= owner.depth && !own.is_empty() && !own.starts_with("//")) {
                owner = None;
            }
            let named = |owner: &Option<Owner>| owner.as_ref().map(|owner| owner.name.clone());
            if let Some(name) = item(own) {
                self.insert(name.to_owned(), file, named(&owner));
            } else if let Some(name) = field(own) {
                self.insert(name.to_owned(), file, named(&owner));
            } else if owner.as_ref().is_some_and(|owner| owner.is_enum && depth == owner.depth + 4) {
                let variant = word(own);
                if variant.starts_with(char::is_uppercase) {
                    self.insert(variant.to_owned(), file, named(&owner));
                }
            }
            owner = Owner::parse(own, depth).or(owner);
        }
    }

    fn insert(&mut self, name: String, file: &str, owner: Option<String>) {
        self.0.entry(name).or_default().push(Definition { file: file.to_owned(), owner });
    }

    /// Returns what is wrong with a name that one of these files should define.
    pub(super) fn fault_in(&self, name: &str, files: &[&String]) -> Option<String> {
        let places = self.places(name);
        if places.iter().any(|place| files.iter().any(|file| place == file)) {
            return None;
        }
        let first = files.first()?;
        let near = places.iter().max_by_key(|place| common_start(place, first));
        Some(match near {
            Some(near) => format!("`{name}` is not defined in {first} but in {near}."),
            None => format!("`{name}` is not defined in {first}, and {}.", self.nearest(name)),
        })
    }

    /// Returns what is wrong with a name that some file should define.
    pub(super) fn fault(&self, name: &str) -> Option<String> {
        let last = name.rsplit("::").next().unwrap_or_default();
        self.places(name).is_empty().then(|| format!("`{name}` is defined nowhere; {}.", self.nearest(last)))
    }

    /// Returns the files that define a name: in the type before it, or below the module before it.
    fn places(&self, name: &str) -> Vec<&str> {
        let mut words = name.rsplit("::");
        let last = words.next().unwrap_or_default();
        let above = words.next();
        let fits = |place: &&Definition| match above {
            None => true,
            Some(above) if above.starts_with(char::is_uppercase) => place.owner.as_deref() == Some(above),
            Some(above) => {
                let path = place.file.replace('-', "_");
                path.split(['/', '.']).any(|part| part == above)
            }
        };
        let all = self.0.get(last).into_iter().flatten();
        all.filter(fits).map(|place| place.file.as_str()).collect()
    }

    /// Returns the name with the longest common beginning.
    fn nearest(&self, name: &str) -> String {
        // Of equally near names the shortest.
        let near = self.0.iter().max_by_key(|(other, _)| (common_start(name, other), usize::MAX - other.len()));
        let place = near.and_then(|(other, places)| Some((other, places.first()?)));
        place.map_or(String::new(), |(other, place)| format!("the nearest is {other} in {}", place.file))
    }
}

/// An open `impl`, `enum`, `struct` or `trait`.
struct Owner {
    name: String,
    depth: usize,
    is_enum: bool,
}

impl Owner {
    /// Reads a line that opens one.
    fn parse(line: &str, depth: usize) -> Option<Self> {
        let rest = unqualified(line);
        let (keyword, rest) = rest.strip_suffix(" {")?.split_once([' ', '<'])?;
        let name = match keyword {
            "enum" | "struct" | "trait" => rest,
            "impl" => rest
                .rsplit_once(" for ")
                .map_or_else(|| rest.rsplit_once("> ").map_or(rest, |(_, name)| name), |(_, name)| name),
            _ => return None,
        };
        let name = word(name.rsplit("::").next().unwrap_or_default()).to_owned();
        Some(Self { name, depth, is_enum: keyword == "enum" })
    }
}

/// Returns the name of the item that a line defines.
fn item(line: &str) -> Option<&str> {
    let (keyword, rest) = unqualified(line).split_once(' ')?;
    let name = word(rest);
    (ITEMS.contains(&keyword) && !name.is_empty()).then_some(name)
}

/// Returns the name of the public field that a line defines.
fn field(line: &str) -> Option<&str> {
    let rest = line.starts_with("pub").then(|| unqualified(line))?;
    let name = word(rest);
    rest.get(name.len()..)?.starts_with(": ").then_some(name)
}

/// Returns a line without the words before its keyword.
fn unqualified(line: &str) -> &str {
    if let Some((_, rest)) = line.strip_prefix("pub(").and_then(|rest| rest.split_once(") ")) {
        return unqualified(rest);
    }
    match line.split_once(' ') {
        // `const` is a qualifier in `const fn` alone.
        Some(("const", rest)) if rest.starts_with("fn ") => rest,
        Some(("async" | "pub", rest)) => unqualified(rest),
        _ => line,
    }
}

/// Number of characters with which two texts begin alike.
pub(super) fn common_start(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

/// Returns the word at the start of a text.
fn word(text: &str) -> &str {
    let end = text.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
pub(in crate::model) const fn a() {}
    pub const B: f64 = 1.0;
pub enum Action {
    /// Ends a gesture.
    Settle,
    Slide { key: u8 },
}
impl<T: Copy> From<T> for State {
    fn apply(&self) {
        Report { peak: 1 };
        other(2);
    }
}
impl<C: Cost<T>> Plan<C> {
    fn over() {}
}
impl State {
    pub(super) key: u8,
}
fn free() {
    peak: 1,
}
";

    #[test]
    fn definitions_are_items_fields_and_variants_but_no_uses() {
        let mut definitions = Definitions::default();
        definitions.add("crates/my-state/src/lib.rs", TEXT);
        for name in [
            "a",
            "B",
            "Action",
            "Action::Settle",
            "Action::Slide",
            "State::apply",
            "Plan::over",
            "State::key",
            "my_state::free",
        ] {
            assert_eq!(definitions.fault(name), None, "{name}");
        }
        for name in ["Settled", "State::Settle", "Report", "peak", "other", "engine::free"] {
            assert!(definitions.fault(name).is_some_and(|fault| fault.contains("defined nowhere")), "{name}");
        }
    }
}
