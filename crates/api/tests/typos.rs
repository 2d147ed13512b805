//! A typo never describes another run: common names of parameters are accepted, and misspelled ones
//! are refused with the right spelling.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where its data is wrong")]

use api::Given;
use api::given::Code;
use catalog::names::{cluster_named, gpu_named, model_named};
use catalog::{ACCELERATORS, CLUSTERS, MODELS};
use engine::params::{ParamKind, every};
use engine::scenario::Scenario;
use links::spelling::{known_names, spell};
use links::v1;

fn read(text: &str) -> Result<Scenario, api::Refusal> {
    Given::from(text).read_scenario().map(|read| read.scenario)
}

/// Calls with names from PyTorch, torchtitan, Hugging Face, DeepSpeed and Megatron, each with the
/// equivalent link.
const CALLS: [(&str, &str); 32] = [
    ("seq_len=8192", "seq=8192"),
    ("sequence_length=8k", "seq=8192"),
    ("max_seq_length=8192", "seq=8192"),
    ("context_length=8192", "seq=8192"),
    ("micro_batch_size=2", "mbs=2"),
    ("per_device_train_batch_size=2", "mbs=2"),
    ("train_micro_batch_size_per_gpu=2", "mbs=2"),
    ("gradient_accumulation_steps=4", "accum=4"),
    ("global_batch_size=256", "accum=4"),
    ("num_gpus=128", "gpus=128"),
    ("world_size=128", "gpus=128"),
    ("num_nodes=16", "gpus=128"),
    ("tensor_parallel_size=2", "tp=2"),
    ("tensor_model_parallel_size=2", "tp=2"),
    ("pipeline_model_parallel_size=2", "pp=2"),
    ("context_parallel_degree=2", "cp=2"),
    ("zero_stage=3", "strategy=full-shard"),
    ("zero_stage=1", "strategy=zero1"),
    ("strategy=fsdp", "strategy=full-shard"),
    ("strategy=zero3", "strategy=full-shard"),
    ("strategy=FULL_SHARD", "strategy=full-shard"),
    ("strategy=hsdp", "strategy=hybrid-shard"),
    ("gradient_checkpointing=True", "recompute=full"),
    ("activation_checkpointing=selective", "recompute=selective"),
    ("optimizer=adam", "optimizer=adamw"),
    ("optim=adamw_bnb_8bit", "optimizer=adamw-8bit"),
    ("torch_compile=true", "compile=yes"),
    ("model=meta-llama/Llama-3.1-8B", "model=llama-3.1-8b"),
    ("model=Llama 3.1 8B", "model=llama-3.1-8b"),
    ("cluster=dgx_h100", "cluster=dgx-h100"),
    ("cluster=h100", "cluster=dgx-h100"),
    ("gpu=NVIDIA H100 80GB HBM3", "gpu=h100-sxm"),
];

#[test]
fn calls_in_the_words_that_people_know_are_answered() {
    // A call may override these values.
    const REST: [&str; 4] = ["cluster=dgx-h100", "model=llama-3.1-8b", "gpus=64", "mbs=1"];
    let whole = |own: &str| {
        let set: Vec<String> = spelled_keys(own);
        let rest = REST.iter().filter(|pair| !set.contains(&pair.split_once('=').unwrap().0.to_owned()));
        rest.copied().chain([own]).collect::<Vec<_>>().join("&")
    };
    for (call, link) in CALLS {
        let asked = whole(call);
        let meant = whole(link);
        // Nodes and the global batch replace GPUs and micro-batches.
        let asked = if call.starts_with("num_nodes") { asked.replace("&gpus=64", "") } else { asked };
        assert_eq!(read(&asked).unwrap(), read(&meant).unwrap(), "{call}");
    }
}

fn spelled_keys(pair: &str) -> Vec<String> {
    let (key, value) = pair.split_once('=').unwrap();
    spell(key, value).pairs.into_iter().map(|(key, _)| key).collect()
}

/// A fixed sequence of pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }

    /// Applies a typo: omits, doubles, changes or swaps a letter.
    fn slip(&mut self, name: &str) -> String {
        let mut letters: Vec<char> = name.chars().collect();
        let place = self.below(letters.len());
        let letter = char::from(b'a' + u8::try_from(self.below(26)).unwrap());
        match self.below(4) {
            0 if letters.len() > 1 => drop(letters.remove(place)),
            1 => letters.insert(place, letter),
            2 if place + 1 < letters.len() => letters.swap(place, place + 1),
            _ => letters[place] = letter,
        }
        letters.into_iter().collect()
    }
}

/// Names of one kind, a function that recognizes a name, and a function that builds a scenario from
/// it.
struct Names {
    all: Vec<String>,
    known: fn(&str) -> Option<String>,
    text: fn(&str) -> String,
    code: Code,
}

fn kinds() -> Vec<Names> {
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let is_key = |name: &str| {
        let pairs = spell(name, "3").pairs;
        pairs.iter().all(|(key, _)| v1::is_key(key)).then(|| format!("{pairs:?}"))
    };
    let options = every().filter_map(|param| match &param.kind {
        ParamKind::Choice(choice) => Some(choice.options.iter().map(|option| format!("{}={}", param.key, option.key))),
        ParamKind::Number(_) => None,
    });
    vec![
        Names {
            all: owned(every().map(|param| param.key).chain(known_names()).collect()),
            known: is_key,
            text: |name| format!("{name}=3&model=llama-3-8b"),
            code: Code::UnknownKey,
        },
        Names {
            all: options.flatten().collect(),
            known: |_| None,
            text: |pair| format!("{pair}&model=llama-3-8b"),
            code: Code::UnknownName,
        },
        Names {
            all: owned(MODELS.iter().map(|entry| entry.id).collect()),
            known: |name| model_named(name).map(|found| found.entry.id.to_owned()),
            text: |id| format!("model={id}"),
            code: Code::UnknownName,
        },
        Names {
            all: owned(ACCELERATORS.iter().map(|entry| entry.id).collect()),
            known: |name| gpu_named(name).map(|found| found.entry.id.to_owned()),
            text: |id| format!("gpu={id}"),
            code: Code::UnknownName,
        },
        Names {
            all: owned(CLUSTERS.iter().map(|entry| entry.id).collect()),
            known: |name| cluster_named(name).map(|found| found.entry.id.to_owned()),
            text: |id| format!("cluster={id}"),
            code: Code::UnknownName,
        },
    ]
}

#[test]
fn a_slip_of_the_fingers_is_refused_with_the_right_spelling() {
    let mut random = Random(35);
    for names in kinds() {
        let (mut refused, mut suggested, mut missed) = (0, 0, Vec::new());
        while refused < 200 {
            let right = &names.all[random.below(names.all.len())];
            let wrong = match right.split_once('=') {
                Some((key, option)) => format!("{key}={}", random.slip(option)),
                None => random.slip(right),
            };
            // A link's pin is a key as well.
            let exactly = names.all.iter().any(|other| other.eq_ignore_ascii_case(&wrong)) || wrong == "pin";
            match read(&(names.text)(&wrong)) {
                Ok(scenario) => {
                    // Another existing name, an alternative spelling of it, or `yes` for `true`.
                    let own = (names.known)(&wrong);
                    let is_same = read(&(names.text)(right)).is_ok_and(|meant| meant == scenario);
                    let is_letters = |name: &str| engine::nearest::letters(name);
                    let is_known = own.is_some_and(|own| {
                        names.all.iter().any(|name| is_letters(name) == is_letters(&wrong))
                            || is_letters(&own) == is_letters(&wrong)
                            // LLaMA 13B has the id llama-1-13b.
                            || catalog::model(&own).is_some_and(|entry| is_letters(entry.name) == is_letters(&wrong))
                            // The end of a name may be a name, too: v4 is a TPU, and L4 a GPU.
                            || own.ends_with(&wrong)
                    });
                    // A switch also accepts on and off.
                    let is_switch = wrong.split_once('=').is_some_and(|(_, option)| matches!(option, "on" | "off"));
                    let is_option = right.contains('=') && (exactly || is_switch);
                    assert!(is_same || is_known || is_option || exactly, "{wrong}, for {right}, is another run");
                }
                Err(refusal) if refusal.code == names.code => {
                    refused += 1;
                    let right = right.split_once('=').map_or(right.as_str(), |(_, option)| option);
                    if refusal.message.contains(&format!("“{right}”")) {
                        suggested += 1;
                    } else {
                        missed.push(format!("{wrong} for {right}: {refusal}"));
                    }
                }
                // A value that is invalid for the right key, too.
                Err(_) => {}
            }
        }
        assert!(suggested * 10 >= refused * 9, "{suggested} of {refused}: {:#?}", &missed[..missed.len().min(40)]);
    }
}
