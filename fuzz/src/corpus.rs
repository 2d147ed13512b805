//! Saved corpora of the fuzz targets: one input per line, in hexadecimal, the shortest first.
//! `xtask` includes this module.

/// Reads the inputs of a saved corpus; `None` where a line is not hexadecimal.
pub fn read(text: &str) -> Option<Vec<Vec<u8>>> {
    text.lines().map(input).collect()
}

fn input(line: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = line.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

/// Writes inputs as a saved corpus.
pub fn write(mut inputs: Vec<Vec<u8>>) -> String {
    inputs.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    inputs.dedup();
    let line = |input: Vec<u8>| input.iter().map(|byte| format!("{byte:02x}")).chain(["\n".to_owned()]).collect();
    inputs.into_iter().map(line).collect::<Vec<String>>().concat()
}
