//! Hardware that a machine prints about itself: `nvidia-smi`, `rocm-smi`, the head of a table of
//! nccl-tests, the environment of LLaMA-Factory.

use catalog::AcceleratorEntry;
use catalog::names::{gpu_assumed, gpu_named};
use catalog::pick::move_to_accelerator;
use engine::format;
use engine::scenario::Scenario;
use engine::units::Bytes;
use std::collections::BTreeSet;

use super::{Import, ImportKind};

/// GPUs of one kind.
#[derive(Clone, Copy)]
pub(super) struct Gpus {
    entry: &'static AcceleratorEntry,
    number: u32,
}

impl Gpus {
    /// Returns the scenario on these GPUs.
    pub(super) fn applied(self, scenario: &Scenario) -> Scenario {
        let mut scenario = *scenario;
        move_to_accelerator(&mut scenario, self.entry.id);
        scenario.gpus = self.number;
        scenario
    }

    /// Whether a scenario has these GPUs, however many.
    pub(super) fn are_of(self, scenario: &Scenario) -> bool {
        scenario.accelerator.id == self.entry.id
    }

    /// Returns the GPUs in words: `8 MI300X`.
    pub(super) fn named(self) -> String {
        format!("{} {}", self.number, self.entry.name)
    }
}

/// Returns the GPU of a name as drivers write it.
fn gpu(name: &str) -> Option<&'static AcceleratorEntry> {
    let name = name.trim().trim_end_matches("...");
    gpu_named(name).map(|found| found.entry).or_else(|| gpu_assumed(name))
}

/// Returns the GPUs of the ranks that a table of nccl-tests or rccl-tests lists (`# Rank  0 Group 0
/// Pid 41230 on node-01 device  0 [0000:05:00] AMD Instinct MI300X`); `None` if it lists none, or
/// one that the catalog lacks.
pub(super) fn of_table(text: &str) -> Option<Gpus> {
    let device = |line: &str| {
        let rest = line.split_once("Rank ")?.1;
        let name = rest.rsplit_once(']')?.1.trim().trim_start_matches("AMD Instinct").trim().to_owned();
        let place = rest.split_once(" on ")?.1.split(']').next()?.to_owned();
        (!name.is_empty()).then_some((place, name))
    };
    let ranks: BTreeSet<(String, String)> = text.lines().filter_map(device).collect();
    let (_, first) = ranks.first()?;
    let entry = gpu(first)?;
    ranks.iter().all(|(_, name)| name == first).then_some(Gpus { entry, number: ranks.len() as u32 })
}

/// Devices that a tool lists.
#[derive(Default)]
struct Listed<'a> {
    /// The tool.
    tool: &'static str,
    /// Names of the GPUs.
    names: Vec<&'a str>,
    /// The most memory that is taken on one of them, in MiB; 0 if the tool does not say.
    taken: f64,
    /// Parts into which GPUs are cut, as the tool names them.
    parts: Vec<&'a str>,
}

/// Imports what a tool prints about the GPUs of a machine; `None` if the text is no such output.
pub(super) fn import(text: &str, scenario: &Scenario) -> Option<Result<Import, String>> {
    if let Some(links) = import_topology(text, scenario) {
        return Some(Ok(links));
    }
    let readers = [nvidia_smi_table, nvidia_smi_list, nvidia_smi_query, rocm_smi, llamafactory_env];
    let listed = readers.iter().find_map(|read| read(text))?;
    Some(imported(&listed, scenario))
}

/// Whether a text is what a tool prints about the GPUs of a machine.
pub(super) fn is_output(text: &str, scenario: &Scenario) -> bool {
    import(text, scenario).is_some()
}

fn imported(listed: &Listed, scenario: &Scenario) -> Result<Import, String> {
    let tool = listed.tool;
    let Some(first) = listed.names.first() else {
        return Err(format!("{tool} names no GPU here: give it by hand (gpu=, gpus=)."));
    };
    if let Some(part) = listed.parts.first() {
        let count = listed.parts.len();
        return Err(format!(
            "{tool} lists {first}, cut into {count} {} by MIG ({part}): a process has one part and its memory. Give that \
             memory by hand (gpu=, mem=, gpus=1).",
            if count == 1 { "part" } else { "parts" }
        ));
    }
    let Some(entry) = gpu(first) else {
        return Err(format!("{tool} names {first}, which the catalog lacks: give the GPU by hand (gpu=)."));
    };
    if listed.names.iter().any(|name| name != first) {
        return Err(format!("{tool} lists several kinds of GPUs: a run has one kind; give it by hand (gpu=)."));
    }
    let gpus = Gpus { entry, number: listed.names.len() as u32 };
    let used = if listed.taken > 0.0 {
        format!(
            " At most {} are taken on one of them, needed and cache of what runs there together.",
            format::bytes(Bytes::from_gib(listed.taken / 1024.0))
        )
    } else {
        String::new()
    };
    let said = format!("{tool} lists {}: the scenario has them now.{used}", gpus.named());
    let scenario = links::encode(&gpus.applied(scenario));
    Ok(Import { names_gpus: true, ..Import::new(ImportKind::Rates, scenario, said, String::new()) })
}

/// Reads the table of `nvidia-smi`.
fn nvidia_smi_table(text: &str) -> Option<Listed<'_>> {
    if !text.contains("NVIDIA-SMI") || !text.contains("MiB /") {
        return None;
    }
    let mut listed = Listed { tool: "nvidia-smi", ..Listed::default() };
    let (whole, parts) = text.split_once("MIG devices:").unwrap_or((text, ""));
    for line in whole.lines().map(|line| line.trim().trim_start_matches('|')) {
        let mut words = line.split_whitespace();
        let is_number = words.next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        let column = line.split('|').next().unwrap_or_default();
        if is_number && (column.contains("  On") || column.contains("  Off")) {
            let name = column.trim().trim_start_matches(|letter: char| letter.is_ascii_digit());
            listed.names.push(name.trim().trim_end_matches("On").trim_end_matches("Off").trim());
        } else if let Some((used, _)) = line.split_once("MiB /") {
            let used = used.split_whitespace().next_back().and_then(|used| used.parse::<f64>().ok());
            listed.taken = listed.taken.max(used.unwrap_or_default());
        }
    }
    let sizes = parts.lines().filter_map(|line| line.split_once("MiB /")?.1.split('|').next());
    listed.parts = sizes.map(str::trim).filter(|size| size.ends_with("MiB")).take(listed.names.len() * 7).collect();
    (!listed.names.is_empty()).then_some(listed)
}

/// Reads `nvidia-smi -L`: `GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5c4)`.
fn nvidia_smi_list(text: &str) -> Option<Listed<'_>> {
    let mut listed = Listed { tool: "nvidia-smi -L", ..Listed::default() };
    for line in text.lines().map(str::trim) {
        let Some((before, _)) = line.split_once("(UUID: ") else { continue };
        if let Some(part) = before.strip_prefix("MIG ") {
            listed.parts.push(part.split_whitespace().next().unwrap_or(part));
        } else if let Some((_, name)) = before.strip_prefix("GPU ").and_then(|rest| rest.split_once(": ")) {
            listed.names.push(name.trim());
        }
    }
    (!listed.names.is_empty()).then_some(listed)
}

/// Reads `nvidia-smi --query-gpu=name,memory.used --format=csv`, with or without its header.
fn nvidia_smi_query(text: &str) -> Option<Listed<'_>> {
    let mut listed = Listed { tool: "nvidia-smi --query-gpu", ..Listed::default() };
    let (mut used_at, mut has_header) = (None, false);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('$')) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let is_header = fields.iter().any(|field| matches!(*field, "name" | "gpu_name"));
        if is_header && listed.names.is_empty() {
            used_at = fields.iter().position(|field| field.starts_with("memory.used"));
            has_header = true;
            continue;
        }
        let name = fields.iter().find(|field| NAMES.iter().any(|name| field.starts_with(name)));
        // A sentence has commas and GPUs as well.
        let is_row = has_header || fields.iter().any(|field| field.ends_with(" MiB"));
        listed.names.push(name.filter(|_| is_row && fields.len() > 1)?);
        let used = used_at.and_then(|at| fields.get(at)?.split_whitespace().next()?.parse::<f64>().ok());
        listed.taken = listed.taken.max(used.unwrap_or_default());
    }
    (!listed.names.is_empty()).then_some(listed)
}

/// First words of NVIDIA's names.
const NAMES: [&str; 4] = ["NVIDIA ", "Tesla ", "Quadro ", "GeForce "];

/// AMD's GPUs by their PCI identifiers, which `rocm-smi` prints in place of names
/// (`data/amdgpu.ids` of Mesa's libdrm). Those of MI250 are left out, as one identifier has two.
const IDS: [(&str, &str); 8] = [
    ("0x74a0", "MI300A"),
    ("0x74a1", "MI300X"),
    ("0x74b5", "MI300X"),
    ("0x74a5", "MI325X"),
    ("0x75a0", "MI350X"),
    ("0x75b0", "MI350X"),
    ("0x75a3", "MI355X"),
    ("0x75b3", "MI355X"),
];

/// Reads the table of `rocm-smi`, or its `--showproductname`.
fn rocm_smi(text: &str) -> Option<Listed<'_>> {
    if !text.contains("ROCm System Management Interface") {
        return None;
    }
    let mut listed = Listed { tool: "rocm-smi", ..Listed::default() };
    let (mut by_id, mut by_name) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let lower = line.to_ascii_lowercase();
        let is_row = line.trim_start().starts_with(|first: char| first.is_ascii_digit());
        let id = IDS.iter().find(|(id, _)| is_row && lower.contains(id)).map(|(_, name)| *name);
        by_id.extend(id.or(is_row.then_some("a GPU without a name")));
        if lower.contains("card series:") && line.trim_start().starts_with("GPU[") {
            by_name.extend(line.rsplit(':').next().map(series));
        }
    }
    listed.names = if by_name.is_empty() { by_id } else { by_name };
    Some(listed)
}

/// Returns the name of a series of AMD's: `AMD Instinct MI300X OAM` is an MI300X.
fn series(name: &str) -> &str {
    let name = name.trim();
    [" OAM", " VF", " HF"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// Reads what `llamafactory-cli env` prints of the GPUs (src/llamafactory/extras/env.py).
fn llamafactory_env(text: &str) -> Option<Listed<'_>> {
    let value = |key: &str| text.lines().find_map(|line| line.trim().trim_start_matches("- ").strip_prefix(key));
    let name = value("GPU type: ")?.trim();
    let number: usize = value("GPU number: ")?.trim().parse().ok()?;
    let is_some = (1..=MOST_GPUS).contains(&number);
    is_some.then(|| Listed { tool: "llamafactory-cli env", names: vec![name; number], ..Listed::default() })
}

/// Most GPUs of one machine.
const MOST_GPUS: usize = 1024;

/// Returns a text without the lines of `llamafactory-cli env`; `None` if it has none.
pub(super) fn without_env(text: &str) -> Option<String> {
    llamafactory_env(text)?;
    let is_env = |line: &&str| {
        let key = line.trim().trim_start_matches("- ").split_once(": ").map_or("", |(key, _)| key);
        key.ends_with(" version") || ENV.contains(&key)
    };
    let rest: String = text.split_inclusive('\n').filter(|line| !is_env(line)).collect();
    (!rest.trim().is_empty()).then_some(rest)
}

/// Keys of `llamafactory-cli env` besides versions.
const ENV: [&str; 7] =
    ["Platform", "GPU type", "GPU number", "GPU memory", "NPU type", "Git commit", "Default data directory"];

/// Imports `nvidia-smi topo -m`: the number of GPUs, and what joins them.
fn import_topology(text: &str, scenario: &Scenario) -> Option<Import> {
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let is_gpu = words.next()?.strip_prefix("GPU")?.bytes().all(|byte| byte.is_ascii_digit());
        is_gpu.then(|| words.map(str::to_owned).collect::<Vec<_>>())
    };
    let rows: Vec<Vec<String>> =
        text.lines().filter_map(row).filter(|words| words.iter().any(|word| word == "X")).collect();
    let number = rows.len();
    if number == 0 || !text.lines().any(|line| line.split_whitespace().next() == Some("GPU0")) {
        return None;
    }
    let joined = rows.iter().flat_map(|row| row.iter().take(number)).filter(|word| *word != "X");
    let kinds: BTreeSet<&str> = joined.map(String::as_str).collect();
    let of_nvlink = |word: &str| word.strip_prefix("NV").and_then(|links| links.parse::<u32>().ok());
    let described = kinds.iter().filter_map(|kind| match (of_nvlink(kind), *kind) {
        (Some(1), _) => Some("1 NVLink (NV1)".to_owned()),
        (Some(links), _) => Some(format!("{links} NVLinks ({kind})")),
        (None, "PIX") => Some("one PCIe switch (PIX)".to_owned()),
        (None, "PXB") => Some("several PCIe switches (PXB)".to_owned()),
        (None, "PHB") => Some("PCIe and the CPU (PHB)".to_owned()),
        (None, "NODE") => Some("PCIe within a socket (NODE)".to_owned()),
        (None, "SYS") => Some("PCIe and the link between sockets (SYS)".to_owned()),
        _ => None,
    });
    let described: Vec<String> = described.collect();
    let has_nvlink = kinds.iter().any(|kind| of_nvlink(kind).is_some());
    let advice = match (has_nvlink, kinds.len()) {
        (true, 1) => "",
        (true, _) => " Keep tensor parallelism among GPUs that NVLink joins.",
        (false, _) => " No NVLink joins them.",
    };
    let listed: Vec<&str> = described.iter().map(String::as_str).collect();
    let by = if listed.is_empty() { String::new() } else { format!(", joined by {}", format::listed(&listed)) };
    let gpus = if number == 1 { "1 GPU".to_owned() } else { format!("{number} GPUs") };
    let said = format!("nvidia-smi topo lists {gpus}{by}: the scenario has as many now.{advice}");
    let scenario = links::encode(&Scenario { gpus: number as u32, ..*scenario });
    let mut brought = Import::new(ImportKind::Rates, scenario, said, String::new());
    brought.ask(vec!["Which GPU is it? This table does not name it (gpu=, or nvidia-smi -L).".to_owned()]);
    Some(brought)
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;

    #[test]
    fn a_table_names_its_gpus() {
        let text = "#  Rank  0 Group  0 Pid  1 on   n1 device  0 [0000:05:00] AMD Instinct MI300X\n\
                    #  Rank  1 Group  0 Pid  2 on   n1 device  1 [0000:15:00] AMD Instinct MI300X\n";
        assert_eq!(of_table(text).map(Gpus::named).as_deref(), Some("2 MI300X"));
        assert!(of_table("#  Rank  0 Pid 1 on n1 device 0 [0x1] Some Card").is_none());
    }

    #[test]
    fn nvidia_smi_sets_the_gpus_and_says_what_is_taken() {
        let row = |index: u32| {
            format!(
                "|   {index}  NVIDIA A100-SXM4-80GB          On  |   00000000:01:00.0 Off |                    0 |\n\
                 | N/A   62C    P0            341W /  400W |   71243MiB /  81920MiB |    100%      Default |\n"
            )
        };
        let text = format!("| NVIDIA-SMI 560.35.03   CUDA Version: 12.6 |\n{}{}", row(0), row(1));
        let import = import(&text, &default_scenario()).unwrap().unwrap();
        let scenario = ::links::decode(&import.scenario).scenario;
        assert_eq!((scenario.accelerator.id, scenario.gpus), ("a100-80gb", 2));
        assert!(import.said.contains("69.6"), "{}", import.said);
    }

    fn said(text: &str) -> Result<(String, u32, String), String> {
        let import = import(text, &default_scenario()).unwrap()?;
        let scenario = ::links::decode(&import.scenario).scenario;
        Ok((scenario.accelerator.id.to_owned(), scenario.gpus, import.said))
    }

    #[test]
    fn lists_and_queries_name_the_gpus() {
        let (gpu, number, _) =
            said("GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\nGPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-2)").unwrap();
        assert_eq!((gpu.as_str(), number), ("h100-sxm", 2));
        let text = "name, memory.total [MiB], memory.used [MiB]\nNVIDIA L40S, 46068 MiB, 44012 MiB\nNVIDIA L40S, 46068 MiB, 3 MiB\n";
        let (gpu, number, words) = said(text).unwrap();
        assert_eq!((gpu.as_str(), number), ("l40s", 2));
        assert!(words.contains("43.0"), "{words}");
        let (gpu, number, _) = said("0, NVIDIA L40S, 46068 MiB\n").unwrap();
        assert_eq!((gpu.as_str(), number), ("l40s", 1));
        for text in [
            "name, price\nchair, 3\n",
            "llama 3.1 8b, lora, NVIDIA A100 80GB, 4 of them",
            "NVIDIA H100, 8",
            "GPU type: NVIDIA A100-PCIE-40GB\n",
            "NVIDIA L40S is the GPU",
            "name: x\n",
            "",
        ] {
            assert!(import(text, &default_scenario()).is_none(), "{text}");
        }
    }

    #[test]
    fn a_gpu_that_mig_cuts_is_no_whole_one() {
        let text = "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5c4)\n  MIG 3g.20gb     Device  0: (UUID: MIG-a)\n";
        let refused = said(text).unwrap_err();
        assert!(refused.contains("3g.20gb") && refused.contains("mem="), "{refused}");
    }

    #[test]
    fn rocm_smi_names_gpus_by_their_identifiers() {
        let head = "==== ROCm System Management Interface ====\n";
        let row = "0       2     0x74a1,   28851  55.0°C      241.0W    NPS1, SPX, 0  2105Mhz 1300Mhz 0%   auto  750.0W  93%    100%\n";
        let (gpu, number, _) = said(&format!("{head}{row}{row}")).unwrap();
        assert_eq!((gpu.as_str(), number), ("mi300x", 2));
        let names = "GPU[0]\t\t: Card series: \t\tAMD Instinct MI300X OAM\nGPU[0]\t\t: Card model: \t\t0x74a1\n";
        let (gpu, number, _) = said(&format!("{head}{names}")).unwrap();
        assert_eq!((gpu.as_str(), number), ("mi300x", 1));
        assert!(said(&format!("{head}0   0x1234, 3  55.0°C\n")).is_err());
    }

    #[test]
    fn a_topology_says_what_joins_the_gpus() {
        let text = "        GPU0    GPU1    CPU Affinity    NUMA Affinity\n\
                    GPU0     X      NV12    0-31    0\nGPU1    NV12     X      0-31    0\n";
        let (_, number, words) = said(text).unwrap();
        assert_eq!(number, 2);
        assert!(words.contains("12 NVLinks (NV12)"), "{words}");
    }
}
