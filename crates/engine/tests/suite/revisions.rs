//! A link of an earlier catalog revision means that revision's numbers.

use engine::share::{decode, encode};

/// Revision 1 of the catalog, a line an entry.
const REVISION_1: &str = include_str!("../../../../tests/links/revision-1.csv");

#[test]
fn links_of_the_first_revision_mean_its_numbers() {
    let mut rows = 0;
    for line in REVISION_1.lines().filter(|line| !line.starts_with('#')) {
        let (row, numbers) = line.split_once(',').unwrap();
        let (id, numbers) = numbers.split_once(',').unwrap();
        let decoded = decode(&format!("v=1&rev=1&{row}={id}"));
        assert_eq!(decoded.issues, [], "{id}");
        let scenario = decoded.scenario;
        let (gpu, network) = (scenario.accelerator.values, scenario.network.values);
        let found = if row == "gpu" {
            let efficiency = gpu.efficiency;
            vec![
                gpu.memory.gib(),
                gpu.memory_bandwidth.gb_per_s(),
                gpu.peak_16bit.tflops(),
                gpu.peak_8bit.tflops(),
                gpu.peak_32bit.tflops(),
                efficiency.matmul,
                efficiency.attention,
                efficiency.memory,
                efficiency.half_saturation_tokens,
                efficiency.launch_per_layer.us(),
            ]
        } else {
            assert_eq!(numbers.split(',').next(), Some(scenario.accelerator.id), "{id}");
            vec![
                f64::from(network.gpus_per_node),
                network.intra_node.gb_per_s(),
                network.inter_node.gbit_per_s(),
                network.intra_node_latency.us(),
                network.inter_node_latency.us(),
                network.intra_node_efficiency,
                network.inter_node_efficiency,
            ]
        };
        let expected: Vec<f64> = numbers.split(',').filter_map(|number| number.parse().ok()).collect();
        assert_eq!(found, expected, "{id}");
        // Written anew, the old numbers stand in the link.
        assert_eq!(decode(&encode(&scenario)).scenario, scenario, "{id}");
        rows += 1;
    }
    assert_eq!(rows, 28 + 34);
}

#[test]
fn a_link_of_the_first_revision_knows_no_windows() {
    let (old, new) = (decode("rev=1&model=gemma-2-9b"), decode("rev=2&model=gemma-2-9b"));
    assert_eq!((old.issues, new.issues), (vec![], vec![]));
    let (old, new) = (old.scenario.model.architecture(), new.scenario.model.architecture());
    assert_eq!((old.sliding_window, new.sliding_window), (0, 4096));
    assert_eq!(old.params(), new.params());
}

/// Revision 3 knows what the driver leaves of a GPU's memory; in links of earlier ones all of it is usable, which they say
/// when they are written anew.
#[test]
fn links_before_the_third_revision_use_all_of_the_memory() {
    let of = |link: &str| decode(link).scenario;
    for link in ["cluster=dgx-h100", "cluster=server-8x-4090&gpu=l4", "mem=48", "cluster=g5&gpu=custom"] {
        for revision in ["rev=1&", "rev=2&"] {
            let old = of(&format!("v=1&{revision}{link}"));
            let memory = old.report().memory;
            assert_eq!(memory.capacity, memory.nominal, "{link}");
            assert_eq!(of(&encode(&old)), old, "{link}");
        }
    }
    let (old, new) = (of("v=1&rev=2&cluster=dgx-h100"), of("v=1&rev=3&cluster=dgx-h100"));
    assert_eq!(old.report().memory.capacity.gib(), 80.0);
    assert!((new.report().memory.capacity.gib() - 79.11).abs() < 1e-9);
    assert_eq!(encode(&old), encode(&new).replace("&pxn=no", "&usable=100&pxn=no"));
    // The slider moves the memory as its maker names it, and the driver's share stays.
    let half = of("v=1&rev=3&cluster=dgx-h100&mem=40").report().memory;
    assert_eq!((half.nominal.gib(), half.capacity / new.report().memory.capacity), (40.0, 0.5));
    // Hosts are as little known to them.
    let hosts = |revision: u32| of(&format!("v=1&rev={revision}&cluster=gb200-nvl72")).network.values;
    assert_eq!((hosts(2).gpus_per_host(), hosts(3).gpus_per_host()), (72, 4));
    assert_eq!((hosts(2).host.memory.gib(), hosts(3).host.memory.gib()), (2048.0, 960.0));
    assert_eq!(of(&encode(&of("v=1&rev=2&cluster=gb200-nvl72"))), of("v=1&rev=2&cluster=gb200-nvl72"));
    // No driver's report of a custom GPU is known.
    let custom = of("v=1&rev=3&cluster=dgx-h100&gpu=custom&mem=120").report().memory;
    assert_eq!(custom.capacity.gib(), 120.0);
}

/// Revision 4 knows what an hour of each accelerator costs; in links of earlier ones it is 2 dollars, which they say when they are
/// written anew. Products of cards with GDDR memory are as fast as measured; everything else is as it was.
#[test]
fn links_before_the_fourth_revision_cost_two_dollars_an_hour() {
    let of = |revision: u32, link: &str| decode(&format!("v=1&rev={revision}&{link}")).scenario;
    for (link, usd) in [
        ("cluster=dgx-h100", 3.99),
        ("cluster=server-8x-4090&gpu=l4", 0.49),
        ("cluster=g5&gpu=custom", 2.036),
        ("gpu=h800", 2.0),
        ("gpus=128", 1.99),
    ] {
        let new = of(4, link);
        assert_eq!(new.run.price_per_gpu_hour, usd, "{link}");
        assert_eq!(decode(&encode(&new)).scenario, new, "{link}");
        for revision in [1, 2, 3] {
            let old = of(revision, link);
            assert_eq!(old.run.price_per_gpu_hour, 2.0, "{link}");
            assert_eq!(decode(&encode(&old)).scenario, old, "{link}");
        }
        let (old, mut new) = (of(3, link), of(4, link));
        if link.contains("4090") {
            let [then, now] = [&old, &new].map(|scenario| scenario.accelerator.values.efficiency.matmul);
            assert!(then == 0.72 && now < 0.6, "{link}: {now}");
            new.accelerator.values.efficiency.matmul = then;
        }
        assert_eq!((old.report(), old.run_report().gpu_time), (new.report(), new.run_report().gpu_time), "{link}");
        assert_eq!(old.run_report().cost.get(), old.run_report().gpu_time.hours() * 2.0, "{link}");
    }
    // A price in a link counts in every revision.
    assert_eq!((1..=4).map(|revision| of(revision, "price=3").run.price_per_gpu_hour).sum::<f64>(), 12.0);
}

/// Revision 5 measured EFA, GPUDirect-TCPXO, `NVLink` 4 and 5 and PCIe through host memory; links of earlier ones keep their numbers.
#[test]
fn links_before_the_fifth_revision_keep_their_networks() {
    let of = |revision: u32, cluster: &str| decode(&format!("v=1&rev={revision}&cluster={cluster}")).scenario;
    for (cluster, then, now) in [
        ("p5", [400.0, 67.0, 58.0, 115.0], [60.0, 81.0, 80.0, 150.0]),
        ("p4d", [400.0, 67.0, 72.0, 200.0], [360.0, 67.0, 72.0, 200.0]),
        ("p6e-gb200", [400.0, 67.0, 58.0, 115.0], [60.0, 81.0, 80.0, 150.0]),
        ("gcp-a3-mega", [37.0, 60.0, 58.0, 115.0], [190.0, 92.0, 80.0, 150.0]),
        ("dgx-b200", [37.0, 70.0, 58.0, 115.0], [37.0, 70.0, 80.0, 150.0]),
        ("h800-400g", [37.0, 70.0, 72.0, 200.0], [37.0, 70.0, 80.0, 150.0]),
        ("server-8x-4090", [37.0, 60.0, 60.0, 200.0], [37.0, 60.0, 32.0, 200.0]),
        ("dgx-a100-80", [37.0, 70.0, 72.0, 200.0], [37.0, 70.0, 72.0, 200.0]),
    ] {
        for (revision, numbers) in [(4, then), (5, now)] {
            let scenario = of(revision, cluster);
            let network = scenario.network.values;
            let efficiencies =
                [network.inter_node_efficiency, network.intra_node_efficiency, network.all_reduce_passes];
            let found = [network.inter_node_latency.us()].into_iter().chain(efficiencies.map(|share| 100.0 * share));
            for (found, number) in found.zip(numbers) {
                assert!((found - number).abs() < 1e-6, "{cluster} {revision}: {found} {number}");
            }
            assert_eq!(decode(&encode(&scenario)).scenario, scenario, "{cluster}");
        }
    }
}

/// A GPU and a network of the user's own start from the numbers of the link's revision too.
#[test]
fn custom_hardware_starts_from_the_links_revision() {
    let pcie = |rev: u32| decode(&format!("v=1&rev={rev}&cluster=g5&gpu=custom")).scenario;
    assert_eq!(
        (pcie(1).network.values.intra_node.gb_per_s(), pcie(2).network.values.intra_node.gb_per_s()),
        (32.0, 31.5)
    );
    let b200 = |rev: u32| decode(&format!("v=1&rev={rev}&cluster=dgx-b200&gpu=custom&mem=192")).scenario.accelerator;
    let bandwidth = |rev: u32| b200(rev).values.memory_bandwidth.gb_per_s();
    assert_eq!((bandwidth(1), bandwidth(2), b200(1).id), (8000.0, 7700.0, "custom"));
}

#[test]
fn products_in_4_bits_reached_what_those_in_8_did_up_to_the_fourth_revision() {
    let reached = |link: &str| {
        let efficiency = decode(link).scenario.accelerator.values.efficiency;
        [efficiency.matmul_8bit, efficiency.matmul_4bit]
    };
    assert_eq!(reached("v=1&rev=4&cluster=dgx-b200&compute=fp4"), [0.60, 0.60]);
    assert_eq!(reached("v=1&rev=4&cluster=dgx-b200&compute=fp4&matmul8=50"), [0.50, 0.50]);
    assert_eq!(reached("v=1&rev=4&cluster=dgx-b200&compute=fp4&matmul8=50&matmul4=40"), [0.50, 0.40]);
    let [_, in_4_bits] = reached("v=1&rev=7&cluster=dgx-b200&compute=fp4");
    assert_eq!(reached("v=1&rev=7&cluster=dgx-b200&compute=fp4&matmul8=50"), [0.50, in_4_bits]);
    for link in ["v=1&rev=4&cluster=dgx-b200&compute=fp4", "v=1&rev=1&cluster=dgx-b200&compute=fp4&matmul8=50"] {
        let scenario = decode(link).scenario;
        assert_eq!(decode(&encode(&scenario)).scenario, scenario, "{link}");
    }
}

/// Up to revision 5 an H20's kernels reached the shares of an H100's, whose power limits them.
#[test]
fn links_before_the_sixth_revision_hold_back_the_h20() {
    let shares = |link: &str| {
        let efficiency = decode(link).scenario.accelerator.values.efficiency;
        [efficiency.matmul, efficiency.matmul_8bit, efficiency.attention, efficiency.attention_tuned]
    };
    assert_eq!(shares("rev=5&cluster=h20-400g"), shares("rev=7&cluster=dgx-h100"));
    assert_eq!(shares("rev=4&cluster=h20-400g"), shares("rev=4&cluster=dgx-h100"));
    assert_eq!(shares("rev=7&cluster=h20-400g"), [0.88, 0.88, 0.51, 0.80]);
    assert_eq!(shares("rev=5&cluster=dgx-h100"), shares("rev=7&cluster=dgx-h100"));
}

/// Up to revision 6 kernels on Leonardo reached the A100's shares of its peaks, as if it had 108 multiprocessors in place of 124.
#[test]
fn links_before_the_seventh_revision_have_leonardos_gpu_as_an_a100() {
    let shares = |link: &str| {
        let efficiency = decode(link).scenario.accelerator.values.efficiency;
        [efficiency.matmul, efficiency.matmul_8bit, efficiency.attention, efficiency.attention_tuned]
    };
    assert_eq!(shares("rev=6&cluster=leonardo-booster"), shares("rev=7&cluster=dgx-a100-80"));
    for (own, usual) in shares("rev=7&cluster=leonardo-booster").into_iter().zip(shares("rev=7&cluster=dgx-a100-80")) {
        assert!((own / usual / (124.0 / 108.0) - 1.0).abs() < 0.003, "{own} {usual}");
    }
    let own = decode("rev=6&cluster=leonardo-booster&matmul=60").scenario;
    assert_eq!(own.accelerator.values.efficiency.matmul, 0.60);
}
