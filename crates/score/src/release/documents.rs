//! Pages of Megatron-Bridge's repository whose sections are of one release each (`## 26.06 NeMo Container`).

/// The archive as it stands at 067f987df: the line with which each release begins.
const ARCHIVE: [(u32, f64); 8] =
    [(42, 26.06), (92, 26.06), (193, 26.04), (294, 26.04), (391, 26.02), (475, 26.02), (544, 25.11), (599, 25.09)];

/// Commits of the present page: its first release, and where the releases before it begin.
const PAGES: [(&str, &[(u32, f64)]); 16] = [
    ("067f987df", &[(0, 26.08)]),
    ("668094b92", &[(0, 26.06)]),
    ("aea7cc74b", &[(0, 26.06)]),
    ("ba9f5b629", &[(0, 26.06)]),
    ("b51904d1e", &[(0, 26.04)]),
    ("cab6db381", &[(0, 26.04)]),
    ("945a4d9ca", &[(0, 26.02), (109, 25.11), (164, 25.09)]),
    ("d8348845d", &[(0, 26.02), (117, 25.11), (172, 25.09)]),
    ("df0289c18", &[(0, 26.02), (109, 25.11), (164, 25.09)]),
    ("00b7660be", &[(0, 25.11)]),
    ("1eaa55357", &[(0, 25.11)]),
    ("35b5ecb74", &[(0, 25.11)]),
    ("c5dd4b6b1", &[(0, 25.11)]),
    ("08968b395", &[(0, 25.11), (100, 25.09)]),
    ("fa55da5f8", &[(0, 25.11), (99, 25.09)]),
    ("485f1c015", &[(0, 25.09)]),
];

/// Returns the release of a page's line: `@067f987df03b docs/performance-summary-archive.md:L610`.
pub(super) fn release(location: &str) -> Option<f64> {
    let (_, after) = location.split_once('@')?;
    let (_, page) = after.split_once("docs/performance-summary")?;
    let (_, line) = page.split_once(":L")?;
    let line: u32 = line.split(|sign: char| !sign.is_ascii_digit()).next()?.parse().ok()?;
    let (_, of_page) = PAGES.iter().find(|(commit, _)| after.starts_with(commit))?;
    let sections = if page.starts_with("-archive") { &ARCHIVE[..] } else { *of_page };
    sections.iter().rev().find(|(first, _)| *first <= line).map(|(_, release)| *release)
}
