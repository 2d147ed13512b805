//! Reads other names of the keys and options of links: `seq_len`, `zero_stage`,
//! `per_device_train_batch_size`, `strategy=fsdp`, `model=meta-llama/Llama-3.1-8B`. Written links
//! use one spelling, the shortest.

use std::sync::LazyLock;

use super::keys;
use catalog::names::{cluster_named, clusters_near, counted, gpu_named, gpus_near, model_named, models_near};
use catalog::pick::LADDER;
use engine::nearest::{Names, nearest};
use engine::params::quantity::shorten;
use engine::params::{self, Param, ParamId, ParamKind, every};
use engine::scenario::CUSTOM;
use engine::scenario::issue::Issue;

/// A name, the value to which the row applies (`*` for any value, which the pairs then contain),
/// and the equivalent pairs of a link.
type Row = (&'static str, &'static str, &'static str);

/// Every row of `data/spelling.toml`.
const ROWS: &[Row] = include!(concat!(env!("OUT_DIR"), "/names.rs"));

/// Ambiguous names, or names that cannot be set alone, with advice to show instead.
const ADVICE: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/advice.rs"));

/// Meaning of a pair, in the keys and options of links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spelled {
    /// The pairs; the given pair itself if it has no other meaning.
    pub pairs: Vec<(String, String)>,
    /// Notes on how an ambiguous name was read.
    pub notes: Vec<Issue>,
}

/// Maximum depth of a chain of names: `fsdp` is a `strategy`, whose value has names too.
const DEEPEST: usize = 4;

/// Returns the meaning of a pair in a link.
///
/// ```
/// use links::spelling::spell;
///
/// let pairs = |key, value| spell(key, value).pairs.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join("&");
/// assert_eq!(pairs("seq_len", "8k"), "seq=8k");
/// assert_eq!(pairs("optim", "paged_adamw_8bit"), "optimizer=adamw-8bit&paged=yes");
/// assert_eq!(pairs("zero_stage", "3"), "strategy=full-shard");
/// assert_eq!(pairs("modle", "x"), "modle=x");
/// ```
pub fn spell(key: &str, value: &str) -> Spelled {
    let mut spelled = Spelled::default();
    meaning(key, value, DEEPEST, &mut spelled);
    spelled
}

fn meaning(key: &str, value: &str, depth: usize, spelled: &mut Spelled) {
    let key = canonical(key);
    // Numbers and options under the keys of links need no translation, which covers all written
    // links.
    if params::find(&key).is_some_and(|param| is_plain(param, value)) || is_entry(&key, value) {
        return spelled.push(&key, value);
    }
    translate(&key, value, depth, spelled);
}

/// Whether a pair that is no parameter is as links write it: an entry of the catalog by its
/// identifier, or a key that has no other names for its values.
fn is_entry(key: &str, value: &str) -> bool {
    match key {
        keys::MODEL_KEY => is_own(value) || catalog::model(value).is_some(),
        keys::GPU_KEY => catalog::accelerator(value).is_some(),
        keys::CLUSTER_KEY => catalog::cluster(value).is_some(),
        _ => keys::OWN_KEYS.contains(&key),
    }
}

/// Looks up other names. A function of its own, as the page loads the names late.
#[inline(never)]
fn translate(key: &str, value: &str, depth: usize, spelled: &mut Spelled) {
    let word = option(key, value);
    let row = ROWS.iter().find(|(name, with, _)| *name == key && (*with == "*" || *with == word));
    if let Some((_, _, pairs)) = row
        && depth > 0
    {
        for (key, means) in pairs.split('&').filter_map(|pair| pair.split_once('=')) {
            let means = if means == "*" { value } else { means };
            meaning(key, means, if means == value { depth - 1 } else { 0 }, spelled);
        }
        return;
    }
    entry(key, value, &word, spelled);
}

/// Whether a value needs no other spelling: a number, or an option by its key.
fn is_plain(param: &Param, value: &str) -> bool {
    match &param.kind {
        ParamKind::Number(_) => true,
        ParamKind::Choice(choice) => choice.options.iter().any(|option| option.key == value),
    }
}

/// Resolves an entry of the catalog by any of its names; other values stay, except yes and no,
/// which have one spelling.
fn entry(key: &str, value: &str, word: &str, spelled: &mut Spelled) {
    let taken = |name: &str| format!("“{}” is read as {name}.", shorten(value));
    match key {
        keys::MODEL_KEY => {
            if let Some(found) = model_named(value).filter(|_| !is_own(value)) {
                if found.is_taken {
                    let message = format!("“{}” is read with the shape of {}.", shorten(value), found.entry.name);
                    spelled.notes.push(Issue::note(keys::MODEL_KEY, message));
                }
                return spelled.push(key, found.entry.id);
            }
        }
        keys::GPU_KEY | keys::CLUSTER_KEY if counted(value).is_some() => {
            if let Some((gpus, gpu)) = counted(value) {
                let node = cluster_named(gpu);
                if let Some(node) = node {
                    spelled.notes.push(Issue::note(keys::CLUSTER_KEY, taken(node.entry.name)));
                    spelled.push(keys::CLUSTER_KEY, node.entry.id);
                } else if let Some(found) = gpu_named(gpu) {
                    spelled.push(keys::GPU_KEY, found.entry.id);
                }
                return spelled.push(keys::GPUS_KEY, &gpus.to_string());
            }
        }
        keys::GPU_KEY => {
            if let Some(found) = gpu_named(value).filter(|_| !is_own(value)) {
                if found.is_taken {
                    spelled.notes.push(Issue::note(keys::GPU_KEY, taken(found.entry.name)));
                }
                return spelled.push(key, found.entry.id);
            }
        }
        keys::CLUSTER_KEY => {
            if let Some(found) = cluster_named(value).filter(|_| !is_own(value)) {
                if found.is_taken {
                    spelled.notes.push(Issue::note(keys::CLUSTER_KEY, taken(found.entry.name)));
                }
                return spelled.push(key, found.entry.id);
            }
        }
        _ => {}
    }
    let is_switch = matches!(word, "yes" | "no") && params::find(key).is_some_and(is_switch);
    spelled.push(key, if is_switch { word } else { value });
}

impl Spelled {
    fn push(&mut self, key: &str, value: &str) {
        self.pairs.push((key.to_owned(), value.to_owned()));
    }
}

/// Whether a value denotes a model outside the catalog: custom or ladder.
fn is_own(value: &str) -> bool {
    let value = value.trim();
    value.eq_ignore_ascii_case(CUSTOM) || value.eq_ignore_ascii_case(LADDER)
}

/// Whether a parameter is a switch, on or off.
fn is_switch(param: &Param) -> bool {
    param.choice().is_some_and(|choice| choice.options.iter().all(|option| matches!(option.key, "yes" | "no")))
}

/// Returns the key of links for a name of the table of parameters; else the name in lower case,
/// with underscores. A flag of a command (`--seq-length`) is its name.
fn canonical(name: &str) -> String {
    let name = name.trim().trim_start_matches('-').to_ascii_lowercase();
    if keys::is_key(&name) {
        return name;
    }
    let name = name.replace(['-', ' '], "_");
    // Recurrent mixers have columns whose bare names (`heads`, `rank`) are those of attention.
    let param = every().find(|param| param.csv == name);
    param.map_or(name, |param| param.key.to_owned())
}

/// Normalises a value to the spelling of options, with one word each for on and off.
fn option(key: &str, value: &str) -> String {
    let word = value.trim().to_ascii_lowercase().replace('_', "-");
    let is_count = params::find(key).is_some_and(|param| matches!(param.kind, ParamKind::Number(_)));
    match word.as_str() {
        "true" | "on" | "enabled" => "yes".to_owned(),
        "false" | "off" | "disabled" => "no".to_owned(),
        // A stage of ZeRO is a number, not a switch.
        "1" if !is_count && !key.contains("stage") && !key.starts_with("zero") => "yes".to_owned(),
        "0" if !is_count && !key.contains("stage") && !key.starts_with("zero") => "no".to_owned(),
        _ => word,
    }
}

/// Returns advice on a name with several meanings; `None` for other names.
pub fn advice(key: &str) -> Option<&'static str> {
    let name = canonical(key);
    ADVICE.iter().find(|(own, _)| *own == name).map(|(_, said)| *said)
}

/// Lists keys similar to an unknown one, as they may be typed.
pub fn keys_near(key: &str) -> Vec<&'static str> {
    static KEYS: LazyLock<Names<'static>> = LazyLock::new(|| {
        let names = every().flat_map(|param| [param.key, param.csv]);
        let own = keys::OWN_KEYS.iter().copied();
        Names::new(own.chain(names).chain(ROWS.iter().filter(|row| is_alias(row)).map(|(name, _, _)| *name)))
    });
    KEYS.nearest(key)
}

/// Whether a row names a key rather than an option of a key.
fn is_alias((name, _, _): &Row) -> bool {
    !keys::is_key(name)
}

/// Lists values similar to an invalid one: the key's options by all their names, or entries of the
/// catalog.
pub fn values_near(key: &str, value: &str) -> Vec<&'static str> {
    match key {
        keys::MODEL_KEY => models_near(value),
        keys::GPU_KEY => gpus_near(value),
        keys::CLUSTER_KEY => clusters_near(value),
        _ => nearest(value, option_names(key)),
    }
}

/// Lists all names of a key's options.
pub fn option_names(key: &str) -> impl Iterator<Item = &'static str> {
    let options = params::find(key).and_then(|param| param.choice()).map_or(&[][..], |choice| choice.options);
    let others = ROWS.iter().filter(move |(name, with, _)| *name == key && *with != "*").map(|(_, with, _)| *with);
    options.iter().map(|option| option.key).chain(others)
}

/// Lists the values of a name that is no key and has a meaning with some values alone: `yes` of
/// `use_lora`.
pub fn options_of_name(name: &str) -> impl Iterator<Item = &'static str> {
    let name = canonical(name);
    let rows = ROWS.iter().filter(move |row| is_alias(row) && row.0 == name && row.1 != "*");
    rows.map(|(_, with, _)| *with)
}

/// Lists every name that is read in addition to the keys of links, each once.
pub fn known_names() -> impl Iterator<Item = &'static str> {
    let mut names: Vec<&str> = ROWS.iter().filter(|row| is_alias(row)).map(|(name, _, _)| *name).collect();
    names.extend(every().map(|param| param.csv).filter(|name| !keys::is_key(name)));
    names.sort_unstable();
    names.dedup();
    names.into_iter()
}

/// Lists the names of a parameter in addition to its key, for lists and for searching.
pub fn names_of(id: ParamId) -> impl Iterator<Item = &'static str> {
    let param = id.param();
    let direct = move |row: &&Row| {
        is_alias(row) && row.2.strip_prefix(param.key).is_some_and(|rest| rest.starts_with('=') && !rest.contains('&'))
    };
    core::iter::once(param.csv).chain(ROWS.iter().filter(direct).map(|(name, _, _)| *name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode;

    #[test]
    fn what_links_write_means_itself() {
        let models = catalog::MODELS.iter().map(|entry| (keys::MODEL_KEY, entry.id));
        let gpus = catalog::ACCELERATORS.iter().map(|entry| (keys::GPU_KEY, entry.id));
        let clusters = catalog::CLUSTERS.iter().map(|entry| (keys::CLUSTER_KEY, entry.id));
        let others = keys::OWN_KEYS.into_iter().flat_map(|key| ["1", "custom", "no"].map(|value| (key, value)));
        let own = [CUSTOM, LADDER].map(|value| (keys::MODEL_KEY, value));
        for (key, value) in models.chain(gpus).chain(clusters).chain(others).chain(own) {
            let (mut translated, mut written) = (Spelled::default(), Spelled::default());
            translate(key, value, DEEPEST, &mut translated);
            written.push(key, value);
            assert!(!is_entry(key, value) || translated == written, "{key}={value}: {translated:?}");
        }
    }

    /// Rows whose pairs hold any value go on to a key; all others to options that it has.
    #[test]
    fn every_row_means_something_and_no_name_two_things() {
        for (place, (name, with, pairs)) in ROWS.iter().enumerate() {
            assert!(
                ROWS.iter()
                    .skip(place + 1)
                    .all(|(other, value, _)| other != name || value != with && *value != "*" && *with != "*"),
                "{name}={with} means two things"
            );
            assert_eq!(name, &canonical(name), "{name} is spelled as it is read");
            assert!(!ADVICE.iter().any(|(other, _)| other == name), "{name} has a meaning and needs no advice");
            assert!(keys::is_key(name) || every().all(|param| param.csv != *name), "{name} is in the table already");
            if *with == "*" {
                assert!(!keys::is_key(name), "{name} is a key of links");
                continue;
            }
            let spelled = spell(name, with);
            assert!(!spelled.pairs.is_empty(), "{name}");
            let text: Vec<String> = spelled.pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
            let wrong: Vec<Issue> = decode(&format!("model=llama-3-8b&{}", text.join("&"))).issues;
            assert!(wrong.is_empty(), "{name}={with}, {pairs}: {wrong:?}");
        }
        for (name, _) in ADVICE {
            assert!(!keys::is_key(name), "{name}");
        }
    }

    /// Names of the table of parameters do not denote another row's key.
    #[test]
    fn a_name_in_the_table_is_no_other_key() {
        for param in every() {
            let own = canonical(param.csv);
            let first = every().find(|other| other.csv == param.csv).map(|other| other.key);
            assert!(own == param.key || Some(own.as_str()) == first || own == param.csv, "{} is {own}", param.csv);
        }
    }

    #[test]
    fn names_that_people_know_are_read() {
        for (typed, link) in [
            ("per_device_train_batch_size=4", "mbs=4"),
            ("micro_batch_size=4", "mbs=4"),
            ("tensor-parallel-size=8", "tp=8"),
            ("gradient_checkpointing=True", "recompute=full"),
            ("gradient_checkpointing=false", "recompute=none"),
            ("strategy=FSDP", "strategy=full-shard"),
            ("strategy=zero3", "strategy=full-shard"),
            ("zero_stage=1", "strategy=zero1"),
            ("optimizer=adam", "optimizer=adamw"),
            ("compile=True", "compile=yes"),
            ("cluster=8xH100", "cluster=dgx-h100"),
            ("model=Llama 3.1 8B", "model=llama-3.1-8b"),
            ("sharding_strategy=SHARD_GRAD_OP", "strategy=shard-grad-op"),
            ("attn_implementation=flash_attention_1", "attnkernel=flash-1"),
            ("attnkernel=fa2", "attnkernel=flash"),
            ("flash_attn=fa4", "attnkernel=flash-tuned"),
            ("adapter=qlora", "train=lora&base=nf4"),
            ("--tensor-model-parallel-size=4", "tp=4"),
            ("training.seq_len=8192", "seq=8192"),
            ("zero_optimization.stage=3", "strategy=full-shard"),
            ("dtype=torch.bfloat16", "recipe=fsdp2-bf16&sixteen=bf16"),
        ] {
            let [known, own] = [typed, link].map(|text| decode(&format!("gpus=64&{text}")));
            assert_eq!(known.scenario, own.scenario, "{typed}");
            assert!(own.issues.is_empty(), "{typed}: {:?}", own.issues);
        }
        // A node's GPUs are the run's GPUs if no pair sets their number.
        assert_eq!(decode("cluster=8xH100").scenario, decode("cluster=dgx-h100&gpus=8").scenario);
        assert_eq!(decode("cluster=8xH100&nodes=4").scenario, decode("cluster=dgx-h100&gpus=32").scenario);
        assert_eq!(keys_near("modle").first(), Some(&"model"));
        assert!(advice("batch-size").is_some());
        assert!(names_of(ParamId::SequenceLength).any(|name| name == "max_seq_length"));
    }
}
