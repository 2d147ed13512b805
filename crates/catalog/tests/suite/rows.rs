//! Rows of `data/` that are wrong fail the build, with a sentence that names file, row and field.

#[path = "../../build"]
mod scripts {
    pub(super) mod accelerators;
    pub(super) mod examples;
    pub(super) mod low_precision;
    pub(super) mod models;
    pub(super) mod networks;
    pub(super) mod prices;
    #[allow(dead_code, reason = "shared with the build, which writes the table")]
    pub(super) mod programs;
    pub(super) mod releases;
    #[path = "../src/size.rs"]
    mod size;
}

use build::Workspace;
use build::rows::File;
use scripts::prices::Prices;
use scripts::{accelerators, examples, low_precision, models, networks, programs, releases};
use std::path::Path;

fn workspace() -> Workspace {
    Workspace::of(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// A table of `data/` with a part of its text replaced.
fn changed(name: &str, from: &str, to: &str) -> File {
    let file = workspace().read(&format!("data/{name}")).unwrap();
    assert!(file.text.contains(from), "{name} has no {from}");
    File { text: file.text.replacen(from, to, 1), ..file }
}

fn whole(name: &str) -> File {
    changed(name, "", "")
}

/// Every accelerator says how it multiplies in each format, and has its own multiprocessors.
#[test]
fn an_accelerator_that_would_borrow_a_fact_stops_the_build() {
    let says = |from: &str, to: &str| of_accelerators(from, to).replace("data/accelerators.toml: ", "");
    assert_eq!(
        says("multiprocessors = 108\n", ""),
        "a100-40gb lacks its multiprocessors: every board has its own number"
    );
    assert_eq!(
        says(
            "multiprocessors = 132\npeak_16bit_tflops = 989.4\npeak_8bit_tflops = 1978.9\n",
            "multiprocessors = 132\npeak_16bit_tflops = 989.4\n"
        ),
        "h100-sxm lacks a peak_8bit_tflops: Hopper multiplies fp8 natively"
    );
    assert_eq!(
        says("peak_16bit_tflops = 312\n", "peak_16bit_tflops = 312\npeak_8bit_tflops = 624\n"),
        "a100-40gb has a peak_8bit_tflops, but Ampere has no units for fp8"
    );
    assert_eq!(
        says("bf16_tflops = 2.3\n", ""),
        "t4 lacks a bf16_tflops: Turing emulates bf16; state the rate that was measured, or a bf16_like"
    );
    assert_eq!(
        says("peak_16bit_tflops = 312\n", "peak_16bit_tflops = 312\nbf16_tflops = 300\n"),
        "a100-40gb has a rate of emulated bf16, but Ampere has units for it"
    );
    assert_eq!(
        says("power_w = 600\nsilicon = \"gaudi\"", "power_w = 600\nmultiprocessors = 24\nsilicon = \"gaudi\""),
        "gaudi-2 has multiprocessors, as gaudi of silicon.toml has"
    );
}

fn prices() -> Prices {
    Prices::read(&whole("prices.toml")).unwrap()
}

fn of_accelerators(from: &str, to: &str) -> String {
    accelerators::tables(&whole("silicon.toml"), &changed("accelerators.toml", from, to), &prices()).unwrap_err()
}

fn of_prices(from: &str, to: &str) -> String {
    let read = Prices::read(&changed("prices.toml", from, to));
    let tables = read.and_then(|prices| {
        accelerators::tables(&whole("silicon.toml"), &whole("accelerators.toml"), &prices)?;
        networks::clusters(&whole("clusters.toml"), &prices)
    });
    tables.unwrap_err()
}

#[test]
fn a_row_without_a_source_fails() {
    let source = "source = \"NVIDIA H100 data sheet and Hopper whitepaper, SXM5\"\n";
    assert_eq!(of_accelerators(source, ""), "data/accelerators.toml: h100-sxm lacks a source");
    assert_eq!(of_accelerators(source, "source = \"\"\n"), "data/accelerators.toml: h100-sxm lacks a source");
    let error = of_prices("source = \"api-evangelist/lambda-labs, Lambda's page\"\n", "");
    assert_eq!(error, "data/prices.toml: lambda-a100-40gb lacks a source");
    let clusters = changed("clusters.toml", "source = \"NVIDIA DGX H100 data sheet: eight ConnectX-7\"\n", "");
    assert_eq!(networks::clusters(&clusters, &prices()).unwrap_err(), "data/clusters.toml: dgx-h100 lacks a source");
    let transports = changed("interconnects.toml", "source = \"as NVLink 4, not calibrated separately\"\n", "");
    let error = networks::interconnects(&transports).unwrap_err();
    assert_eq!(error, "data/interconnects.toml: infinity-fabric lacks a source");
    let recipes = changed("low_precision.toml", "source = \"pytorch/ao 36027d82, float8/config.py\"\n", "");
    assert_eq!(low_precision::tables(&recipes).unwrap_err(), "data/low_precision.toml: tensorwise lacks a source");
    let claims = changed("examples.toml", "source = \"FSDP bounds after Wang et al. 2025 (arXiv 2504.03655)\"\n", "");
    assert_eq!(examples::tables(&claims).unwrap_err(), "data/examples.toml: first-visit lacks a source");
    // A model has its architecture's.
    let architectures = changed("architectures.toml", "source = \"bigscience/bloom* config.json\"\n", "");
    let error = models::tables(&architectures, &whole("models.csv"), &whole("families.toml")).unwrap_err();
    assert_eq!(error, "data/models.csv: bloom-560m lacks a source");
}

#[test]
fn a_further_name_of_another_size_fails() {
    let of_models = |from, to| {
        let models = changed("models.csv", from, to);
        models::tables(&whole("architectures.toml"), &models, &whole("families.toml")).unwrap_err()
    };
    assert_eq!(
        of_models(",zephyr-7b ", ",zephyr-70b "),
        "data/models.csv: mistral-7b has the further name zephyr-70b, which says 70B, but its parameters are 7.2B"
    );
    assert_eq!(
        of_models(",phi4-14b ", ",phi4-270m "),
        "data/models.csv: phi-4 has the further name phi4-270m, which says 0.27B, but its parameters are 14.7B"
    );
    let families = changed("families.toml", "\"r1-distill-llama\"", "\"r1-distill-llama-8b\"");
    let error = models::tables(&whole("architectures.toml"), &whole("models.csv"), &families).unwrap_err();
    assert_eq!(
        error,
        "data/families.toml: Llama 3.1 has the further name r1-distill-llama-8b with a size: it names every size"
    );
}

#[test]
fn a_refusal_without_a_sentence_or_with_a_name_that_none_has_fails() {
    let of = |from, to| models::refused(&changed("refused.toml", from, to)).unwrap_err();
    let source = "source = \"transformers 5.24.0, MODEL_FOR_MASKED_LM_MAPPING_NAMES\"\n";
    assert_eq!(of(source, ""), "data/refused.toml: encoders of text lacks a source");
    assert_eq!(
        of("short ones only.\"\"\"", "short ones only\"\"\""),
        "data/refused.toml: DeepSeek-V4 and MiniMax-M3 has a sentence without its full stop"
    );
    assert_eq!(
        of("\"electra\"", "\"Electra\""),
        "data/refused.toml: encoders of text has the name Electra: write it in lower case, with hyphens"
    );
    assert_eq!(
        of("names = [\"deepseek-v4\", \"minimax-m3\"]", "names = []"),
        "data/refused.toml: DeepSeek-V4 and MiniMax-M3 lacks a list of names or types"
    );
}

#[test]
fn a_field_that_there_is_none_of_fails() {
    let error = of_accelerators("power_w = 400", "power = 400");
    assert!(
        error.starts_with("data/accelerators.toml: a100-40gb has the field power, which is not one of: "),
        "{error}"
    );
    let error = of_accelerators("silicon = \"ampere\"", "silicon = \"amper\"");
    assert_eq!(error, "data/accelerators.toml: a100-40gb names \"amper\", which is not a row of silicon.toml");
    let error = of_accelerators("[[accelerator]]", "[[accelerators]]");
    let expected = "data/accelerators.toml: accelerators is not one of: accelerator";
    assert_eq!(error, expected);
    let twice = changed("accelerators.toml", "id = \"a100-80gb\"", "id = \"a100-40gb\"");
    let error = accelerators::tables(&whole("silicon.toml"), &twice, &prices()).unwrap_err();
    assert_eq!(error, "data/accelerators.toml: a100-40gb occurs twice");
    let models = changed("models.csv", "BLOOM 560M,bloom,", "BLOOM 560M,blom,");
    let error = models::tables(&whole("architectures.toml"), &models, &whole("families.toml")).unwrap_err();
    assert_eq!(error, "data/models.csv: bloom-560m names \"blom\", which is not a row of architectures.toml");
}

#[test]
fn an_accelerator_without_a_cluster_fails() {
    let check = |clusters: &File| networks::every_accelerator_has_a_cluster(&whole("accelerators.toml"), clusters);
    assert_eq!(check(&whole("clusters.toml")), Ok(()));
    let error = check(&changed("clusters.toml", "accelerator = \"t4\"", "accelerator = \"l4\"")).unwrap_err();
    let expected = "data/clusters.toml has no cluster for t4: add a [[cluster]] with accelerator = \"t4\", \
                    gpus_per_node, intra_node and inter_node";
    assert_eq!(error, expected);
}

/// A release that tells something sets something, or says why not.
#[test]
fn a_release_that_tells_and_sets_nothing_fails() {
    let trl = workspace().folder("crates/programs/tables").unwrap().join("trl");
    let planted = std::env::temp_dir().join(format!("shardwise-release-{}", std::process::id()));
    std::fs::create_dir_all(planted.join("trl")).unwrap();
    let copy = |name: &str, text: String| std::fs::write(planted.join("trl").join(name), text).unwrap();
    copy("program.toml", std::fs::read_to_string(trl.join("program.toml")).unwrap());
    let text = std::fs::read_to_string(trl.join("releases.toml")).unwrap();
    let says = |text: String| {
        copy("releases.toml", text);
        programs::all(&planted).and_then(|programs| releases::tables(&programs)).map(|_| ())
    };
    assert_eq!(says(text.clone()), Ok(()));
    let reason = "changes = \"nothing computed: it concerns how files are read\"\n";
    assert!(text.contains(reason));
    let error = says(text.replacen(reason, "", 1)).unwrap_err();
    assert!(
        error.contains("the release of 2026-08-13 sets nothing: give its `set`, or say in `changes` why"),
        "{error}"
    );
    std::fs::remove_dir_all(planted).unwrap();
}

#[test]
fn a_price_of_nothing_in_the_catalog_fails() {
    assert_eq!(
        of_prices("accelerator = \"h100-sxm\"", "accelerator = \"h100\""),
        "data/prices.toml: lambda-h100-sxm names \"h100\", which is not a row of accelerators.toml"
    );
    assert_eq!(
        of_prices("cluster = \"p5\"", "cluster = \"p55\""),
        "data/prices.toml: p5 names \"p55\", which is not a row of clusters.toml"
    );
    assert_eq!(of_prices("cluster = \"p5\"\n", ""), "data/prices.toml: p5 lacks a cluster or accelerator");
}
