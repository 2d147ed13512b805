//! Generates the corrections of data sheets since the first release.

use build::rows::File;
use build::shape::list;

/// Generates the table from lines of `revision,table,id,key,old`.
pub(crate) fn table(file: &File) -> Result<String, String> {
    let wrong = |says: String| format!("{}: {says}", file.name);
    let rows = file.text.lines().skip(1).map(|line| match line.split(',').collect::<Vec<_>>().as_slice() {
        &[revision, table @ ("gpu" | "cluster"), id, key, old] => {
            let whole =
                revision.parse::<u32>().map_err(|_| wrong(format!("“{revision}” is not a revision in “{line}”")))?;
            let old = old.parse::<f64>().map_err(|_| wrong(format!("“{old}” is not a number in “{line}”")))?;
            Ok(format!("Revised {{ revision: {whole}, table: {table:?}, id: {id:?}, key: {key:?}, old: {old:?} }}"))
        }
        _ => Err(wrong(format!("“{line}” must be revision,table,id,key,old with the table gpu or cluster"))),
    });
    Ok(list(&rows.collect::<Result<Vec<_>, _>>()?))
}
