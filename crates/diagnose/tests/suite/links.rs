//! Tables of nccl-tests: the points that are read, and the links fitted to the points.

use diagnose::log::links::{Collective, Point, fit, parse_points};
use engine::units::Seconds;
use links::decode;
use proptest::prelude::*;
use std::fmt::Write;

const TABLES: &str = include_str!("../../../../tests/logs/links.txt");

#[test]
fn tables_are_fitted_as_recorded() {
    let mut all = String::new();
    for block in TABLES.split("\n\n").filter(|block| block.starts_with("source ")) {
        let (source, rest) = block.split_once('\n').unwrap();
        let (link, table) = rest.split_once('\n').unwrap();
        let decoded = decode(link.strip_prefix("scenario ").unwrap());
        assert!(decoded.issues.is_empty(), "{source}: {:?}", decoded.issues);
        let points = parse_points(table).unwrap_or_else(|error| panic!("{source}: {error}"));
        let fitted = fit(&points, &decoded.scenario).unwrap();
        assert!(fitted.errors.1 <= fitted.errors.0 * 1.001, "{source}: {:?}", fitted.errors);
        // The link contains the fitted parameters.
        let again = fit(&points, &decode(&fitted.link).scenario).unwrap();
        assert!((again.errors.0 / fitted.errors.1 - 1.0).abs() < 1e-6, "{source}");
        serde_json::to_string(&fitted).unwrap();
        writeln!(all, "{source}\n{}\n{}\n{}", fitted.sentence, fitted.changes.join(", "), fitted.link).unwrap();
        for point in &fitted.points {
            let (of, (before, after)) = (point.point, point.predicted);
            writeln!(
                all,
                "  {:?} {} {} {:.2} {before:.2} {after:.2}",
                of.collective, of.ranks, of.bytes, point.measured
            )
            .unwrap();
        }
    }
    expect_test::expect_file!["../../../../tests/logs/links_fitted.txt"].assert_eq(&all);
}

/// Points computed from known rates and latencies give these rates and latencies back.
#[test]
fn links_that_made_the_points_are_found() {
    let start = decode("cluster=dgx-h100&gpus=32").scenario;
    let mut real = start;
    let links = &mut real.network.values;
    (links.intra_node_efficiency, links.inter_node_efficiency) = (0.6, 0.7);
    links.inter_node_latency = Seconds::from_us(25.0);
    let mut points = Vec::new();
    for (ranks, nodes) in [(8, 1), (16, 2), (32, 4)] {
        for power in 16..=30 {
            for collective in [Collective::AllGather, Collective::ReduceScatter] {
                points.push(Point {
                    collective,
                    bytes: f64::from(1_u32 << power),
                    ranks,
                    nodes: Some(nodes),
                    seconds: 1.0,
                });
            }
        }
    }
    // Times that the engine predicts for the real scenario.
    let made = fit(&points, &real).unwrap();
    assert_eq!(made.points.len(), points.len());
    for (point, of) in points.iter_mut().zip(&made.points) {
        point.seconds = point.bytes * point.collective.factor(f64::from(point.ranks)) / (of.predicted.0 * 1e9);
    }
    let fitted = fit(&points, &start).unwrap();
    let found = decode(&fitted.link).scenario.network.values;
    assert!(fitted.errors.1 < 0.01, "{}", fitted.sentence);
    assert!(
        (found.intra_node_efficiency * found.intra_node.gb_per_s() / (0.6 * 450.0) - 1.0).abs() < 0.03,
        "{found:?}"
    );
    assert!((found.inter_node_efficiency / 0.7 - 1.0).abs() < 0.03, "{found:?}");
    assert!((found.inter_node_latency.us() / 25.0 - 1.0).abs() < 0.05, "{found:?}");
}

proptest! {
    #![proptest_config(crate::cases::cases(256))]

    #[test]
    fn any_table_is_answered(text in ".{0,300}", cut in 0..3000_usize) {
        let scenario = decode("").scenario;
        let real: String = TABLES.chars().skip(cut).take(500).collect();
        for text in [text, real] {
            if let Ok(fitted) = parse_points(&text).and_then(|points| fit(&points, &scenario)) {
                prop_assert!(fitted.errors.1.is_finite());
            }
        }
    }
}
