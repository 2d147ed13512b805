//! Compressed copies of the site's files.

use anyhow::{Context as _, Result, bail};
use brotli::BrotliCompress;
use brotli::enc::BrotliEncoderParams;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::Profile;
use super::modules::size;
use crate::shell::{below, name, write};

/// Highest quality of brotli.
const BEST: i32 = 11;
/// Quality for a site that only tests load: as fast as copying.
const QUICK: i32 = 1;

/// Extensions of text and code; pictures and fonts are already compressed.
const COMPRESSED: [&str; 9] = ["css", "html", "js", "json", "md", "py", "svg", "txt", "wasm"];

/// Compresses a file with brotli, at the highest quality and with the default window of servers.
///
/// # Errors
/// When the file cannot be read.
pub fn brotli(file: &Path) -> Result<Vec<u8>> {
    brotli_at(BEST, file)
}

fn brotli_at(quality: i32, file: &Path) -> Result<Vec<u8>> {
    let bytes = std::fs::read(file).with_context(|| format!("{} could not be read", file.display()))?;
    let params = BrotliEncoderParams { quality, lgwin: 22, ..Default::default() };
    let mut small = Vec::new();
    BrotliCompress(&mut bytes.as_slice(), &mut small, &params).context("brotli failed")?;
    Ok(small)
}

/// Writes a compressed copy `FILE.br` of every file below a folder that brotli makes smaller, for
/// servers that send such copies; uses all cores.
///
/// # Errors
/// When a file cannot be read or written.
pub(super) fn compress(folder: &Path, profile: Profile) -> Result<()> {
    let quality = if profile == Profile::Shipped { BEST } else { QUICK };
    let is_text = |file: &PathBuf| file.extension().is_some_and(|kind| COMPRESSED.iter().any(|known| kind == *known));
    let files = Mutex::new(below(folder)?.into_iter().filter(is_text));
    let next = || files.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || -> Result<()> {
        while let Some(file) = next() {
            let (small, whole) = (brotli_at(quality, &file)?, size(&file)?);
            if file.extension().is_some_and(|kind| kind == "wasm") {
                println!("    {}: {whole} bytes, {} after brotli", name(&file), small.len());
            }
            if (small.len() as u64) < whole {
                write(&PathBuf::from(format!("{}.br", file.display())), small)?;
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|_| bail!("brotli failed")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::root;

    #[test]
    fn a_compressed_copy_has_the_same_text() -> Result<()> {
        let file = root().join("docs/book/accuracy/dense.md");
        let (small, mut text) = (brotli(&file)?, Vec::new());
        brotli::BrotliDecompress(&mut small.as_slice(), &mut text)?;
        assert!(text == std::fs::read(&file)? && small.len() * 3 < text.len(), "{} bytes", small.len());
        Ok(())
    }
}
