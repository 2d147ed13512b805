//! The rows of `tests/measured/tutel.csv`.

const ROWS: &str = include_str!("../../../../tests/measured/tutel.csv");

/// Which half of Table 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grid {
    /// 6a: the mean over settings.
    Average,
    /// 6b: the worst setting.
    Worst,
}

/// A cell of Table 6.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) gpus: u32,
    pub(crate) linear: bool,
    pub(crate) chunks: u32,
}

/// One line's cells by column name; quoted cells may hold commas.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => cells.last_mut().unwrap().push(other),
        }
    }
    cells
}

/// The single value of the rows that have these cells.
fn find(wanted: &[(&str, String)]) -> Option<f64> {
    let mut lines = ROWS.lines();
    let header = cells(lines.next().unwrap());
    let column = |name: &str| header.iter().position(|cell| cell == name).unwrap();
    let rows = lines
        .map(cells)
        .filter(|row| wanted.iter().all(|(name, cell)| row.get(column(name)).unwrap().starts_with(cell.as_str())));
    let values: Vec<f64> = rows.map(|row| row.get(column("value")).unwrap().parse().unwrap()).collect();
    assert!(values.len() <= 1, "{wanted:?}: {values:?}");
    values.first().copied()
}

/// A value of a table by its location, scale, setting and metric.
pub(crate) fn value(location: &str, gpus: u32, setting: &str, metric: &str) -> f64 {
    find(&[
        ("source_location", location.into()),
        ("num_gpus", gpus.to_string()),
        ("setting", setting.into()),
        ("metric", metric.into()),
    ])
    .unwrap()
}

/// The gain of adaptive pipelining over a static choice, in percent.
pub(crate) fn gain(grid: Grid, cell: Cell) -> f64 {
    let location = match grid {
        Grid::Average => "Table 6a",
        Grid::Worst => "Table 6b",
    };
    let algorithm = if cell.linear { "linear" } else { "2DH" };
    let setting = format!("static {algorithm} all-to-all, pipelining degree {}", cell.chunks);
    value(location, cell.gpus, &setting, "improvement")
}

/// A speed-up of Figure 14 that the text states.
pub(crate) fn figure_14(gpus: u32, setting: &str) -> Option<f64> {
    let found =
        [("source_location", "Figure 14 text".into()), ("num_gpus", gpus.to_string()), ("setting", setting.into())];
    find(&found)
}

/// The memory of a layer in Table 5, in GiB.
pub(crate) fn memory(tokens: u32, setting: &str) -> f64 {
    let found =
        [("source_location", "Table 5".into()), ("tokens_per_gpu", tokens.to_string()), ("setting", setting.into())];
    find(&found).unwrap()
}
