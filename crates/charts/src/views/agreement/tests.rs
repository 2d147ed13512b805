use super::*;
use crate::{describe, marks, readout};
use analysis::published::Published;

/// Returns rows of two sources whose measurements are the predictions times `ratios`.
fn rows(ratios: &[f64]) -> ScoredRows {
    let mut all = ScoredRows::default();
    for (place, ratio) in ratios.iter().enumerate() {
        let mut row = Published {
            source: ["one", "other"][place % 2].into(),
            model: format!("model {place}"),
            set: Set::ALL[place % 3],
            fitted: place == 0,
            step_s: None,
            batch_share: 1.0,
            peak: None,
            link: format!("v=1&gpus={}", 8 << place),
        };
        row.step_s = Some(row.predicted_step(&row.scenario()) * ratio);
        all.push(row);
    }
    all
}

#[test]
fn every_filter_says_how_many_it_shows() {
    let all = rows(&[1.0, 0.9, 2.0, 1.1]);
    let filters = filters(&all, Measure::StepTime);
    let counts: Vec<(&str, usize)> = filters.iter().map(|&(_, name, count)| (name, count)).collect();
    assert_eq!(counts[0].1, 4);
    assert_eq!(counts[1..4].iter().map(|kind| kind.1).collect::<Vec<_>>(), [2, 1, 1]);
    assert_eq!(counts[4..], [("one", 2), ("other", 2)]);
    for (shown, &(_, name, count)) in filters.iter().enumerate() {
        let (spec, places) = agreement(&all, AgreementView { shown, ..AgreementView::default() }, None);
        assert_eq!((spec.marks.len(), places.len()), (count, count), "{name}");
    }
    assert!(super::filters(&all, Measure::PeakMemory).iter().all(|filter| filter.2 == 0));
}

#[test]
fn a_mark_tells_its_row_and_the_error() {
    let all = rows(&[1.0, 0.8, 2.0]);
    let (spec, places) = agreement(&all, AgreementView::default(), Some(2));
    let (x, y) = spec.here.unwrap();
    assert_eq!((x, y), (2.0 * y, y), "measured twice of what was predicted");
    let at = marks::nearest(&spec, (x, y)).unwrap();
    assert_eq!(places[at], 2);
    let said = readout::readout(&spec, x, y);
    assert!(said.place[0].name.contains("model 2 on 32 A100 40 GB, FSDP FULL_SHARD"), "{said:?}");
    assert!(said.sentence.contains("−50\u{2009}%") && !said.sentence.contains("as measured"), "{said:?}");
}

#[test]
fn the_caption_has_the_median_and_the_share_that_is_near() {
    let all = rows(&[1.0, 0.8, 2.0]);
    let caption = agreement(&all, AgreementView::default(), None).0.caption;
    assert!(
        caption.starts_with("3 published step times: median error 25.0\u{2009}%, 33.3\u{2009}% within 20 %."),
        "{caption}"
    );
    assert!(caption.contains("fitted to 1 of them"), "{caption}");
    let none = AgreementView { measure: Measure::PeakMemory, shown: 0 };
    let (spec, _) = agreement(&all, none, None);
    assert_eq!(spec.caption, "None of these rows has a measured peak memory.");
    let summary = describe::chart(&spec);
    assert!(!summary.contains("NaN") && !summary.contains("undefined"), "{summary}");
}

#[test]
fn the_axes_are_the_same_and_the_lines_stay_inside() {
    let all = rows(&[0.01, 100.0, 1.0]);
    let (spec, _) = agreement(&all, AgreementView::default(), None);
    assert_eq!((spec.x.min, spec.x.max), (spec.y.min, spec.y.max));
    let inside = |value: f64| (spec.x.min * 0.999..=spec.x.max * 1.001).contains(&value);
    for &(x, y) in spec.lines.iter().flat_map(|line| line.segments.iter().flatten()) {
        assert!(inside(x) && inside(y));
    }
    assert!(spec.marks.iter().all(|mark| inside(mark.at.0) && inside(mark.at.1)));
}
