//! Converts the values of a sentence to a scenario.

use analysis::held::Held;
use analysis::layouts::{self, LayoutSearch};
use analysis::ranking::Layout;
use analysis::settings::{EXECUTION, SAVING, settings_beside};
use catalog::accuracy::Fit;
use catalog::names::{gpu_with_memory, usual_node};
use catalog::pick::{LADDER, fill_hosts, pick_model};
use catalog::releases::{Release, find, newest};
use catalog::{ClusterEntry, MODELS, ModelEntry, cluster, default_scenario, model};
use engine::model::ladder;
use engine::model::odds::Verdict;
use engine::params::{ParamId, every, labels};
use engine::scenario::data::{Length, USUAL_TEXTS};
use engine::scenario::issue::Severity;
use engine::scenario::{Model, Scenario};
use engine::validate;
use links::release::{apply, apply_depending};
use links::{put, v1};

use crate::asks::is_largest_for_money;
use crate::means;
use crate::members::{below_ladder, member_near, sibling};
use crate::said::{REPLICAS, SCALED, StatedValues};

/// Default node: the most common one for training.
const USUAL_NODE: &str = "dgx-h100";
/// Default sequence length in tokens, unless the model was trained on shorter sequences.
const USUAL_LENGTH: u32 = 4096;
/// Libraries below other programs, with their framework; empty if the program above decides.
const BACKENDS: [(&str, &str); 4] =
    [("deepspeed", "deepspeed"), ("transformers", ""), ("accelerate", ""), ("peft", "")];
/// Fallback frameworks, in this order, if the default framework cannot run the scenario.
const OTHERS: [&str; 4] = ["transformers", "deepspeed", "fsdp1", "megatron"];
/// Frameworks with the sharding of their own recipes. Megatron: its distributed optimizer
/// (NVIDIA/Megatron-LM, examples/llama/train_llama3_8b_h100_fp8.sh: --use-distributed-optimizer).
const SHARDING: [(&str, &str); 1] = [("megatron", "zero1")];
/// Degrees that split a model or its sequences over GPUs.
const DEGREES: [&str; 4] = ["tp", "pp", "cp", "ep"];
/// Programs that have none of these degrees on PyTorch (hiyouga/LLaMA-Factory,
/// src/llamafactory/hparams; unslothai/unsloth, unsloth/models/llama.py). ZeRO has none either.
const WITHOUT_DEGREES: [&str; 2] = ["llama-factory", "unsloth"];
/// Completions of a step of reinforcement learning: 32 prompts of 16 completions (NVIDIA-NeMo/RL,
/// examples/configs/grpo_math_1B.yaml; train_global_batch_size is also 512 in grpo_math_8B.yaml).
const COMPLETIONS: f64 = 512.0;
/// Micro-batches of each stage of a pipeline: with four, eight stages idle for 18 % of a step.
const MICRO_BATCHES: f64 = 4.0;
/// Tokens per parameter of compute-optimal training (arXiv 2203.15556, Table 3).
pub(crate) const OPTIMAL_TOKENS: f64 = 20.0;
/// Minimum number of sequences for a batch without further words to count as global.
const LEAST_OF_ALL: f64 = 64.0;
/// Maximum number of layouts visited in a search.
const MOST_LAYOUTS: usize = 40_000;

/// A scenario, with the decisions made for it.
#[derive(Clone)]
pub(crate) struct SettledScenario {
    /// The scenario.
    pub(crate) scenario: Scenario,
    /// Whether the scenario is new.
    pub(crate) is_new: bool,
    /// Contradictory or impossible values.
    pub(crate) conflicts: Vec<String>,
    /// Choices beyond the stated values: key, value and reason.
    pub(crate) chosen: Vec<(&'static str, String, String)>,
    /// Keys of stated values, which a search leaves as they are.
    pub(crate) held: Vec<&'static str>,
    /// Keys that the scenario does not have as the text says, each with what to say after its
    /// words: links that these GPUs lack, another number of replicas.
    pub(crate) differing: Vec<(&'static str, String)>,
    /// Keys that the words stand for, but not beside the other words.
    pub(crate) dropped: Vec<&'static str>,
    /// Whether the strategy is the program's own, which the choice of a layout keeps.
    has_own_sharding: bool,
}

impl SettledScenario {
    /// Builds a scenario from the stated values. `seeks` requests a layout search; `plans` means
    /// that the answer chooses hardware and layout; `compares` that the run is one of several.
    pub(crate) fn build(
        text: &str,
        said: &StatedValues,
        now: &Scenario,
        seeks: bool,
        plans: bool,
        compares: bool,
    ) -> Self {
        let is_largest = is_largest_for_money(said);
        let is_new = said.has(&["model", "size"]) || is_largest;
        let scenario = if is_new { default_scenario() } else { *now };
        let held = every().map(|param| param.key).filter(|key| said.has(&[key])).collect();
        let mut settled = Self {
            scenario,
            is_new,
            conflicts: Vec::new(),
            chosen: Vec::new(),
            held,
            differing: Vec::new(),
            dropped: Vec::new(),
            has_own_sharding: false,
        };
        settled.pick(said);
        settled.count(said);
        settled.software(text, said);
        settled.precision(said);
        for param in every().filter(|param| !FIRST.contains(&param.key)) {
            if let Some(value) = said.value(param.key) {
                settled.put(param.key, value);
            }
        }
        settled.hosts(said);
        settled.joins(said);
        settled.length(said);
        settled.runnable(said);
        settled.sharding(said);
        settled.offloading(text, said);
        settled.batch(said);
        let has_micro_batch = said.number("batchword").is_some_and(|number| number < LEAST_OF_ALL);
        if has_micro_batch {
            settled.held.push("mbs");
        }
        if settled.is_without_degrees() {
            settled.held.extend(DEGREES.into_iter().filter(|key| !said.has(&[key])));
        }
        // What is said of the layout is held, and the search chooses the rest.
        let is_open = (is_new || compares) && !plans;
        if let Some(dollars) = said.number("ask.budget").filter(|_| is_largest) {
            settled.largest_for(dollars, said.has(&["gpus", "nodes"]));
        } else if said.has(&["ask.smallest"]) && is_open && !said.has(&["hw", "cluster", "card"]) {
            settled.smallest_gpu(said.has(&["gpus", "nodes"]));
        } else if seeks || is_open && settled.scenario.report().verdict() != Verdict::Fits {
            settled.lay_out(seeks);
        }
        settled.replicas(said);
        settled.data(said);
        // Problems that a text leaves as they are on screen are not its own.
        let before = if is_new { Vec::new() } else { validate::issues(now) };
        let issues = validate::issues(&settled.scenario);
        let is_own = |message: &String| !before.iter().any(|issue| issue.message == *message);
        let errors = issues.into_iter().filter(|issue| issue.severity == Severity::Error).map(|issue| issue.message);
        settled.conflicts.extend(errors.filter(is_own));
        if settled.conflicts.is_empty() {
            settled.layout_said(said);
        }
        settled
    }

    /// Sets a value by its key in links.
    pub(crate) fn put(&mut self, key: &str, value: &str) {
        self.conflicts.extend(put(&mut self.scenario, key, value).map(|issue| issue.message));
    }

    pub(crate) fn chose(&mut self, key: &'static str, value: impl Into<String>, why: impl Into<String>) {
        self.chosen.push((key, value.into(), why.into()));
    }

    /// Reports the model of a text that has only its size.
    fn chose_by_size(&mut self, shape: &str) {
        let size = engine::format::params(self.scenario.model.size());
        let name = match shape {
            "" => format!("a GPT-style model of {size}"),
            of => format!("{of} scaled to {size}"),
        };
        self.chose("model", name, "the text has only its size; name a model for its shape");
    }

    /// Picks cluster, GPU and model.
    fn pick(&mut self, said: &StatedValues) {
        let card = said.number("card");
        let of_card = card.filter(|_| !said.has(&["hw", "cluster"])).and_then(gpu_with_memory);
        let gpu = said.value("hw").or_else(|| said.value("gpu")).or(of_card.map(|entry| entry.id));
        if let Some(gpu) = gpu {
            match means::cluster_of(gpu) {
                Some(cluster) => self.put(v1::CLUSTER_KEY, cluster),
                None => self.put(v1::GPU_KEY, gpu),
            }
        } else if let Some(cluster) = said.value("cluster") {
            self.put(v1::CLUSTER_KEY, cluster);
        } else if self.is_new {
            self.put(v1::CLUSTER_KEY, USUAL_NODE);
        }
        if let Some(entry) = of_card {
            self.chose("gpu", entry.name, "the text has only its memory, and this common card has as much");
        }
        if let Some(gib) = card {
            let own = self.scenario.accelerator.values.memory.gib();
            if (own - gib).abs() > 2.0 {
                self.put("mem", &gib.to_string());
            }
        }
        let of_teacher = said.value("teacher").and_then(model).zip(said.number("size"));
        if let Some((entry, size)) = of_teacher.filter(|_| !said.has(&["model"])) {
            // “distill Llama 3.1 70B into 8B”: the student is of the teacher's family.
            let student = sibling(entry, size).unwrap_or(entry);
            self.put(v1::MODEL_KEY, student.id);
            self.chose("model", student.name, "the student is of the teacher's family");
        } else if let Some((id, size)) =
            said.value("model").zip(said.value(SCALED).and_then(|size| means::number_of("size", size)))
        {
            let entry = member_near(id, size);
            self.put(v1::MODEL_KEY, entry.map_or(id, |entry| entry.id));
            self.put("size", &format!("{size}"));
            let name = entry.map_or(id, |entry| entry.name);
            let size = engine::format::params(size);
            self.chose("model", format!("{name} scaled to {size}"), "no model of this family has the size");
        } else if let Some(id) = said.value("model") {
            self.put(v1::MODEL_KEY, id);
        } else if let Some(entry) = said.number("size").and_then(beyond_ladder) {
            self.put(v1::MODEL_KEY, entry.id);
            self.chose("model", entry.name, "the text has only its size, and this model has it");
        } else if let Some((size, entry)) = said.value("size").zip(said.number("size").and_then(below_ladder)) {
            self.put(v1::MODEL_KEY, entry.id);
            self.put("size", size);
            self.chose_by_size(entry.name);
        } else if let Some(size) = said.value("size") {
            pick_model(&mut self.scenario, LADDER);
            self.put("size", size);
            self.chose_by_size("");
        }
        if self.is_new {
            let longest = match self.scenario.model {
                Model::Preset { id, .. } | Model::Scaled { id, .. } => {
                    model(id).map(|entry| entry.max_position_embeddings).filter(|most| *most > 0)
                }
                _ => None,
            };
            self.scenario.seq_len = longest.map_or(USUAL_LENGTH, |most| most.min(USUAL_LENGTH));
        }
    }

    /// Sets the number of GPUs: as stated, by nodes, or the GPUs of one node.
    fn count(&mut self, said: &StatedValues) {
        let node = self.scenario.network.values.gpus_per_node;
        let has_hardware = said.has(&["hw", "cluster", "card"]);
        let card = said.number("card");
        let (gpus, nodes) = (said.number("gpus"), said.number("nodes"));
        let each = said.number("pernode").filter(|each| *each >= 1.0);
        if let Some(each) = each.filter(|each| *each as u32 != node) {
            self.put("node", &each.to_string());
            self.scenario.shard_size = self.scenario.network.values.gpus_per_node;
        }
        let of_node = f64::from(self.scenario.network.values.gpus_per_node);
        let single = said.value("cluster").and_then(cluster);
        let total = match (gpus, nodes) {
            (Some(gpus), Some(nodes)) if (gpus - nodes * of_node).abs() < 0.5 => Some(gpus),
            // `8xH100, 2 nodes` means eight GPUs per node.
            (Some(gpus), Some(nodes)) if (gpus - of_node).abs() < 0.5 && nodes > 1.0 => {
                let all = format!("{}", gpus * nodes);
                self.chose("gpus", means::counted(&all, "GPU"), "the text has the GPUs of one of the nodes");
                Some(gpus * nodes)
            }
            (Some(gpus), Some(nodes)) if nodes <= gpus && gpus % nodes == 0.0 => {
                self.put("node", &format!("{}", gpus / nodes));
                self.scenario.shard_size = self.scenario.network.values.gpus_per_node;
                Some(gpus)
            }
            (Some(gpus), Some(nodes)) => {
                self.conflicts.push(format!("{gpus} GPUs do not divide over {nodes} nodes: {gpus} GPUs are used."));
                Some(gpus)
            }
            (Some(gpus), None) => Some(gpus),
            (None, Some(nodes)) => Some(nodes * of_node),
            (None, None) => {
                let cores = said.number("cores").map(|cores| (cores / 2.0).max(1.0).floor());
                let degrees = ["tp", "pp", "cp"].into_iter().filter_map(|key| said.number(key));
                cores.or_else(|| Some(said.number(REPLICAS)? * degrees.product::<f64>()))
            }
        };
        match total {
            Some(total) => self.put(v1::GPUS_KEY, &format!("{total}")),
            None if self.is_new || has_hardware => {
                let usual =
                    single.filter(|entry| entry.is_single_machine()).map(|entry| entry.usual_gpus(of_node as u32));
                // A card that is sold individually instead of in nodes: one that PCIe joins to
                // others.
                let is_alone = usual_node(self.scenario.accelerator.id).is_some_and(ClusterEntry::is_of_pcie_cards);
                let is_card = card.is_some() && !said.has(&["hw", "cluster"]);
                let is_single = said.value("cluster").is_none() && (is_alone || is_card);
                self.scenario.gpus = usual.unwrap_or(if is_single { 1 } else { of_node as u32 }).max(1);
            }
            None => {}
        }
    }

    /// Returns the scenario with a release and all that the text says, on which the release's
    /// conditional defaults depend.
    fn with_said(&self, release: &'static Release, said: &StatedValues) -> Scenario {
        let mut later = self.scenario;
        apply(release, &mut later, &self.scenario);
        if let Some(strategy) = self.own_sharding(ParamId::Framework.option(&later), said) {
            let _ = put(&mut later, "strategy", strategy);
        }
        for param in every() {
            if let Some(value) = said.value(param.key) {
                // Problems are reported where the value is set.
                let _ = put(&mut later, param.key, value);
            }
        }
        later
    }

    /// Puts cards into one host, if the text has only their number.
    fn hosts(&mut self, said: &StatedValues) {
        if said.has(&["nodes", "pernode", "cluster", "node"]) || !said.has(&["gpus"]) {
            return;
        }
        if let Some(cards) = fill_hosts(&mut self.scenario) {
            self.chose("node", format!("{cards} cards in a host"), "the text has only their number");
        }
    }

    /// Sets training program and framework.
    fn software(&mut self, text: &str, said: &StatedValues) {
        let programs: Vec<_> = said.all(v1::RELEASE_KEY).filter_map(find).collect();
        let backend = |key: &str| BACKENDS.iter().find(|(own, _)| *own == key).map(|(_, framework)| *framework);
        let own: Vec<_> = programs.iter().filter(|release| backend(release.program_key()).is_none()).collect();
        let chosen = own.last().copied().or(programs.last());
        if let [.., before, last] = own.as_slice()
            && before.program != last.program
        {
            let names = [before.program, last.program];
            self.conflicts
                .push(format!("{} and {} are both training programs: {} is used.", names[0], names[1], names[1]));
        }
        if let Some(release) = chosen {
            let mut later = self.with_said(release, said);
            apply(release, &mut self.scenario, &later);
            for other in programs.iter().filter(|other| other.program != release.program) {
                if let Some(framework) = backend(other.program_key()).filter(|framework| !framework.is_empty()) {
                    self.put("framework", framework);
                }
            }
            // Some defaults of the program depend on values that are set later.
            let depends = release.depends();
            if depends {
                later.choices.framework = self.scenario.framework;
                apply_depending(release, &mut self.scenario, &later);
            }
        }
        if let Some(framework) = said.value("framework") {
            self.put("framework", framework);
        }
        // ZeRO implies DeepSpeed, also below another program.
        let strategy = said.text_of(text, "strategy").unwrap_or_default().to_ascii_lowercase();
        let is_zero = ["zero", "z1", "z2", "z3", "stage", "deepspeed"].iter().any(|word| strategy.starts_with(word));
        let is_named = programs.iter().any(|release| release.program_key() == "deepspeed");
        let framework = said.value("framework");
        let may_be = match framework {
            Some(framework) => framework == "transformers",
            None => is_zero && chosen.is_none_or(|release| release.framework == "transformers"),
        };
        if (is_zero || is_named) && may_be && !splits(said, &["tp", "pp", "cp"]) {
            match newest("deepspeed").filter(|_| chosen.is_none() && framework.is_none() && self.is_new) {
                Some(release) => {
                    self.put(v1::RELEASE_KEY, release.id);
                    self.chose(
                        "framework",
                        Release::full_name(release),
                        "ZeRO is part of DeepSpeed, and the text names no other program",
                    );
                }
                None => self.put("framework", "deepspeed"),
            }
        }
    }

    /// Returns whether the program splits the data alone: no model or sequence, unless the text
    /// says so.
    fn is_without_degrees(&self) -> bool {
        let program = self.scenario.release.map(|release| release.0.program_key());
        let is_one = program.is_some_and(|program| WITHOUT_DEGREES.contains(&program));
        match ParamId::Framework.option(&self.scenario) {
            "deepspeed" => true,
            "megatron" | "megatron-fsdp" => false,
            _ => is_one,
        }
    }

    /// Sets formats that depend on other values.
    fn precision(&mut self, said: &StatedValues) {
        if let Some(format) = said.value("sixteen") {
            if ParamId::Recipe.option(&self.scenario) == "fp32" && !said.has(&["recipe"]) {
                self.put("recipe", "fsdp2-bf16");
            }
            self.put("sixteen", format);
        }
        if let Some(format) = said.value("quantized") {
            if said.value("train") == Some("all") {
                let text = "Weights in 4 or 8 bits cannot be trained: the run trains LoRA adapters instead.";
                self.conflicts.push(text.to_owned());
                self.put("train", "lora");
            } else if !said.has(&["train"]) {
                self.put("train", "lora");
                self.chose("train", "LoRA", "weights in 4 or 8 bits stay frozen, so adapters train");
            }
            self.put("base", format);
        }
        if said.has(&["rank"]) && !said.has(&["train", "quantized"]) && self.is_new {
            self.put("train", "lora");
        }
    }

    /// Notes a length above the one the model was trained on.
    fn length(&mut self, said: &StatedValues) {
        let Model::Preset { id, .. } = self.scenario.model else { return };
        let most = model(id).map_or(0, |entry| entry.max_position_embeddings);
        if said.has(&["seq"]) && most > 0 && self.scenario.seq_len > most {
            let [own, most] = [self.scenario.seq_len, most].map(|length| means::counted(&length.to_string(), "token"));
            self.chose(
                "seq",
                own,
                format!("the model was trained on at most {most}, and longer sequences are computed the same way"),
            );
        }
    }

    /// Picks a framework that can run the scenario, if none is named.
    fn runnable(&mut self, said: &StatedValues) {
        if !self.is_new || said.has(&["framework", "release"]) || self.scenario.release.is_some() {
            return;
        }
        let with = |framework: &&str| {
            let mut other = self.scenario;
            let issue = put(&mut other, "framework", framework);
            (issue.is_none() && other.lack().is_none()).then_some(other)
        };
        // Adapters and preference objectives are mostly trained with Hugging Face's libraries. A
        // distillation is not: under FSDP TRL leaves its teacher whole.
        let of_libraries = said.has(&["train", "quantized", "rank", "objective"])
            && !self.scenario.objective.task.distills()
            && (!self.scenario.trained.is_all() || !self.scenario.objective.is_next_token());
        // Model parallelism suggests Megatron.
        let first = splits(said, &["tp", "pp", "ep", "vpp"]).then_some("megatron");
        let is_needed = of_libraries || self.scenario.lack().is_some() || self.is_without_zero(said);
        if let Some(other) = first.iter().chain(&OTHERS).find_map(with).filter(|_| is_needed) {
            self.scenario = other;
        }
    }

    /// Returns the strategy of a framework's recipes, if the text has none.
    fn own_sharding(&self, framework: &str, said: &StatedValues) -> Option<&'static str> {
        let own = SHARDING.iter().find(|(own, _)| *own == framework).map(|(_, strategy)| *strategy);
        own.filter(|_| self.is_new && self.scenario.gpus > 1 && !said.has(&["strategy"]))
    }

    /// Shards as the recipes of the framework do, if the text has no strategy.
    fn sharding(&mut self, said: &StatedValues) {
        let Some(strategy) = self.own_sharding(ParamId::Framework.option(&self.scenario), said) else { return };
        self.put("strategy", strategy);
        self.has_own_sharding = true;
        let name = labels::chosen(ParamId::Strategy, &self.scenario);
        let framework = labels::chosen(ParamId::Framework, &self.scenario);
        self.chose("strategy", name, format!("recipes of {framework} use it, and the text names no other"));
    }

    /// Sets the global batch.
    fn batch(&mut self, said: &StatedValues) {
        let length = f64::from(self.scenario.seq_len);
        let replicas = f64::from(self.scenario.degrees().dp);
        let word = said.number("batchword");
        // A batch too large for one GPU is global.
        let is_global = |number: f64| number >= LEAST_OF_ALL && number >= replicas;
        if let Some(number) = word.filter(|number| !is_global(*number)) {
            self.put("mbs", &number.to_string());
            self.chose(
                "mbs",
                number.to_string(),
                "a batch without “global” is read as the sequences of one GPU at once",
            );
        }
        let of_word = word.filter(|number| is_global(*number));
        if let Some(number) = of_word {
            let value = means::counted(&number.to_string(), "sequence");
            self.chose("batch", value, "a batch this large is read as that of all GPUs");
        }
        let wanted = said.number("batch").or(of_word).or_else(|| Some((said.number("batchtokens")? / length).max(1.0)));
        let is_open = (self.is_new || said.has(&["objective"])) && !said.has(&["batchword", "accum"]);
        let stages = f64::from(self.scenario.degrees().pp);
        let usual = if is_open && self.scenario.objective.task.generates() {
            Some(COMPLETIONS)
        } else {
            let of_stages = replicas * f64::from(self.scenario.micro_batch_size) * stages * MICRO_BATCHES;
            Some(of_stages).filter(|_| is_open && said.has(&["pp"]) && stages > 1.0)
        };
        let Some(wanted) = wanted.or(usual) else { return };
        let is_usual = usual.is_some() && !said.has(&["batch", "batchtokens"]);
        let step = replicas * f64::from(self.scenario.micro_batch_size);
        let micro_batches = (wanted / step).round().clamp(1.0, 4096.0);
        self.scenario.grad_accum_steps = micro_batches as u32;
        let found = micro_batches * step;
        if is_usual {
            let why = if self.scenario.objective.task.generates() {
                "the text has none, and recipes have hundreds of completions (NeMo RL: 32 prompts of 16)"
            } else {
                "the text has none, and a pipeline idles less with four micro-batches a stage"
            };
            self.chose("batch", means::counted(&format!("{found}"), "sequence"), why);
        } else if (found - wanted).abs() > 0.5 {
            let [found, wanted] =
                [found, wanted.round()].map(|number| means::counted(&format!("{number}"), "sequence"));
            self.chose(
                "batch",
                found,
                format!("{wanted} are not a multiple of the sequences that the GPUs take at once"),
            );
        }
    }

    /// Returns the best layout of a search.
    fn searched(&self, held: Held) -> Option<Layout> {
        let mut search = LayoutSearch::of_batch(&self.scenario, layouts::sequences(&self.scenario), held);
        while !search.ranking().is_over() && search.ranking().progress().visited < MOST_LAYOUTS {
            search.advance(1000);
        }
        // A layout that the framework cannot run is no answer, unless the text says one.
        search.best().copied().filter(|layout| layout.lack.is_none() || self.scenario.lack().is_some())
    }

    /// Picks the fastest layout that is sure to fit.
    pub(crate) fn lay_out(&mut self, seeks: bool) {
        let own = self.has_own_sharding.then_some("strategy");
        let stated = Held::from_keys(self.held.iter().copied().chain(own));
        // Only a sentence that asks for the best layout leaves open what the program sets.
        let held = if seeks { stated } else { stated.and(&EXECUTION).and(&SAVING) };
        // The degrees as they are come first: without more tensor, pipeline or context parallelism.
        let plain = self.searched(held.and(&[ParamId::Tp, ParamId::Pp, ParamId::Cp]));
        let plain = plain.filter(|layout| layout.is_sure() && !seeks);
        let Some(layout) = plain.or_else(|| self.searched(held)) else {
            let now = self.scenario.report();
            if !Fit::check(&self.scenario, &now).fits && !seeks {
                if !self.held.contains(&"recompute") {
                    self.put("recompute", "full");
                }
                self.chose("layout", layout_of(&self.scenario), "no searched layout fits");
            }
            return;
        };
        let before = self.scenario;
        self.scenario = layout.scenario;
        let why = match (seeks, layout.is_sure()) {
            (true, _) => "this is the fastest searched layout that is sure to fit",
            (false, true) => "the plain layout is not sure to fit, but this one is",
            (false, false) => "no layout is sure to fit, and this is the fastest that may fit",
        };
        let settings = settings_beside(&before, &self.scenario);
        let chosen: Vec<String> = core::iter::once(layout_of(&self.scenario)).chain(settings).collect();
        self.chose("layout", chosen.join(", "), why);
    }

    /// Sets the tokens of a run that is given in samples and epochs, of a fine-tuning run, whose
    /// data are samples and epochs, and of a compute-optimal run.
    fn data(&mut self, said: &StatedValues) {
        if let Some((tokens, epochs)) = said.number("tokens").zip(said.number("epochs")) {
            // A number of tokens beside epochs is that of the data.
            if epochs > 1.0 && !said.has(&["samples"]) {
                self.put("tokens", &format!("{}", tokens * epochs));
                let data = Length::Tokens(tokens * epochs).to_string();
                self.chose("tokens", data, "the tokens of the text are those of one epoch");
            }
        }
        if said.has(&["tokens"]) {
            return;
        }
        if said.has(&["optimal"]) && !is_largest_for_money(said) {
            let tokens = OPTIMAL_TOKENS * self.scenario.model.architecture().active_params() as f64;
            self.put("tokens", &format!("{tokens:.0}"));
            let why = "compute-optimal training takes 20 for each active parameter (arXiv 2203.15556, Table 3)";
            self.chose("tokens", Length::Tokens(tokens).to_string(), why);
            return;
        }
        let (samples, epochs) = (said.number("samples"), said.number("epochs"));
        if self.scenario.has_texts() {
            if samples.is_some() && epochs.is_none() && self.is_new {
                let epochs = means::counted(&self.scenario.texts.epochs.to_string(), "epoch");
                self.chose("epochs", epochs, "the text has none");
            }
            return;
        }
        let generates = self.scenario.objective.task.generates();
        let is_usual = samples.is_none() && epochs.is_none();
        let has_samples = matches!(self.scenario.length(), Length::Texts(..));
        if is_usual && (!said.has(&["tunes"]) || generates || has_samples) {
            return;
        }
        let (texts, passes) = (samples.unwrap_or(USUAL_TEXTS.0), epochs.unwrap_or(USUAL_TEXTS.1));
        // A sample of reinforcement learning is a prompt.
        let of_each = if generates { f64::from(self.scenario.objective.group.max(1)) } else { 1.0 };
        let tokens = texts * passes * of_each * f64::from(self.scenario.seq_len);
        self.put("tokens", &format!("{tokens}"));
        let why = match (samples, epochs) {
            (None, None) => "fine-tuning is on texts, and their number is not given",
            (Some(_), None) => "epochs are not given, and every text is as long as a sequence",
            (None, Some(_)) => "the number of texts is not given, and each is as long as a sequence",
            (Some(_), Some(_)) => "every text is assumed to be as long as a sequence",
        };
        let data = Length::Texts(texts, passes);
        let completions = if generates { format!(" x {of_each} completions") } else { String::new() };
        self.chose("tokens", format!("{data}{completions}, {}", Length::Tokens(tokens)), why);
    }
}

/// Returns whether the text has one of these degrees above 1.
fn splits(said: &StatedValues, degrees: &[&str]) -> bool {
    degrees.iter().any(|key| said.number(key).is_some_and(|degree| degree > 1.0))
}

/// Returns the catalog model of a size beyond the GPT-style models.
fn beyond_ladder(size: f64) -> Option<&'static ModelEntry> {
    let is_near = |entry: &&ModelEntry| (entry.params as f64 / size - 1.0).abs() < 0.01;
    (size > ladder::SIZES.1).then(|| MODELS.iter().rfind(is_near)).flatten()
}

/// Keys that are set before or after all others.
const FIRST: [&str; 6] = ["size", "gpus", "mem", "framework", "node", "base_"];

/// Describes a layout with its micro-batch and recomputation.
pub(crate) fn layout_of(scenario: &Scenario) -> String {
    let micro = means::counted(&scenario.micro_batch_size.to_string(), "sequence");
    let recompute = labels::recompute(scenario).to_lowercase();
    format!("{}, {micro} at once, activation checkpointing {recompute}", labels::layout(scenario))
}
