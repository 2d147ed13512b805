//! Replaces files atomically: write a temporary file, sync, rename.
//!
//! The new content is completely written to a temporary file in the same folder, with the mode of
//! the original, before any file is replaced. If a step fails, the originals are unchanged.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A file with its temporary replacement, which is removed on drop unless it was renamed.
pub(crate) struct Prepared {
    /// Name as typed by the user.
    name: String,
    /// Path of the file, with links resolved.
    path: PathBuf,
    beside: PathBuf,
    /// Content of the file when it was read.
    before: Vec<u8>,
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // After the rename, the temporary file no longer exists.
        let _ = fs::remove_file(&self.beside);
    }
}

/// Prepares a new text for a file with these bytes, in the file's encoding and with its byte order
/// mark.
///
/// # Errors
///
/// Returns a sentence if the file cannot be written or has changed since it was read. Nothing is
/// changed then.
pub(crate) fn prepare(name: &str, before: &[u8], text: &str) -> Result<Prepared, String> {
    let failed = |cause: std::io::Error| format!("{name} could not be written, and stays as it was: {cause}.");
    let bytes = encoded(before, text)
        .ok_or_else(|| format!("{name} stays as it was: its encoding cannot be written back without a loss."))?;
    // A link stays a link; its target is replaced.
    let (path, _) = files::run::of_function(name);
    let path = fs::canonicalize(path).map_err(failed)?;
    let metadata = fs::metadata(&path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(format!("{name} is no file that can be written: name the file itself."));
    }
    if metadata.permissions().readonly() {
        return Err(format!("{name} may only be read: it stays as it was."));
    }
    unchanged(name, &path, before)?;
    let (beside, mut file) = create_beside(&path).map_err(failed)?;
    let prepared = Prepared { name: name.to_owned(), path, beside, before: before.to_vec() };
    stop("created");
    let half = bytes.len() / 2;
    let (first, second) = bytes.split_at_checked(half).unwrap_or((&bytes, &[]));
    file.write_all(first).map_err(failed)?;
    stop("half written");
    file.write_all(second).map_err(failed)?;
    file.set_permissions(metadata.permissions()).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    stop("synced");
    Ok(prepared)
}

/// Renames the temporary files to the originals.
///
/// # Errors
///
/// Returns a sentence with the files that were written before the failure.
pub(crate) fn replace(prepared: &[Prepared]) -> Result<(), String> {
    for file in prepared {
        unchanged(&file.name, &file.path, &file.before)?;
    }
    for (place, file) in prepared.iter().enumerate() {
        fs::rename(&file.beside, &file.path).map_err(|cause| {
            let written: Vec<&str> = prepared.iter().take(place).map(|file| file.name.as_str()).collect();
            let others =
                if written.is_empty() { String::new() } else { format!(" Written were {}.", written.join(", ")) };
            format!("{} could not be written, and stays as it was: {cause}.{others}", file.name)
        })?;
        stop("renamed");
        // Sync the folder, so that the rename is durable. If the folder cannot be synced, the file
        // is still complete.
        if let Some(folder) = file.path.parent().and_then(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
    }
    Ok(())
}

/// Checks that a file is unchanged since it was read.
fn unchanged(name: &str, path: &Path, before: &[u8]) -> Result<(), String> {
    let now = fs::read(path).map_err(|cause| format!("{name} could not be read again: {cause}."))?;
    if now == before { Ok(()) } else { Err(format!("{name} has changed since it was read: nothing was written.")) }
}

/// Creates a temporary file in the folder of another file.
fn create_beside(path: &Path) -> std::io::Result<(PathBuf, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut last = None;
    for attempt in 0..100 {
        let beside = path.with_file_name(format!(".{name}.{}-{attempt}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((beside, file)),
            Err(cause) if cause.kind() == std::io::ErrorKind::AlreadyExists => last = Some(cause),
            Err(cause) => return Err(cause),
        }
    }
    Err(last.unwrap_or_else(|| std::io::Error::other("there is no free name beside it")))
}

/// Encodes a text in the encoding of `before`; `None` if `before` does not survive a round trip.
fn encoded(before: &[u8], text: &str) -> Option<Vec<u8>> {
    let encode = |text: &str| -> Vec<u8> {
        let units = |write: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(write).collect::<Vec<u8>>();
        match before {
            [0xff, 0xfe, ..] => [&[0xff, 0xfe][..], &units(u16::to_le_bytes)].concat(),
            [0xfe, 0xff, ..] => [&[0xfe, 0xff][..], &units(u16::to_be_bytes)].concat(),
            [0xef, 0xbb, 0xbf, ..] => [&[0xef, 0xbb, 0xbf][..], text.as_bytes()].concat(),
            _ => text.as_bytes().to_vec(),
        }
    };
    let own = huggingface::text_of(before.to_vec())?;
    (encode(&own) == before).then(|| encode(text))
}

/// Aborts the program at a step of writing named by a test, to simulate a kill or a power loss.
#[cfg(debug_assertions)]
fn stop(step: &str) {
    if std::env::var("SHARDWISE_STOP").is_ok_and(|named| named == step) {
        std::process::abort();
    }
}

#[cfg(not(debug_assertions))]
const fn stop(_step: &str) {}
