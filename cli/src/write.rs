//! Writes files so that none is ever lost or half written: beside, synced, renamed.
//!
//! A change is prepared whole in a new file of the same folder, with the mode of the old one,
//! before anything is replaced; whatever fails, every byte stays as it was.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A file with new bytes beside it, which is taken away again unless it takes the old one's place.
pub(crate) struct Prepared {
    /// As it was typed.
    name: String,
    /// The file itself, behind links.
    path: PathBuf,
    beside: PathBuf,
    /// What the file held when it was read.
    before: Vec<u8>,
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // It is gone where it has taken the old one's place.
        let _ = fs::remove_file(&self.beside);
    }
}

/// Prepares another text of a file that holds these bytes: in the same encoding, with the same byte
/// order mark.
///
/// # Errors
///
/// A sentence where the file cannot be written, or is no longer what was read; nothing has changed
/// then.
pub(crate) fn prepare(name: &str, before: &[u8], text: &str) -> Result<Prepared, String> {
    let failed = |cause: std::io::Error| format!("{name} could not be written, and stays as it was: {cause}.");
    let bytes = encoded(before, text)
        .ok_or_else(|| format!("{name} stays as it was: its encoding cannot be written back without a loss."))?;
    // A link stays a link: what it leads to is replaced.
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

/// Puts new files in the place of the old ones.
///
/// # Errors
///
/// A sentence with the files that were written before one failed.
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
        // The name is safe once its folder is; where a folder cannot be synced the file is whole
        // all the same.
        if let Some(folder) = file.path.parent().and_then(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
    }
    Ok(())
}

/// Makes sure that a file holds what was read of it.
fn unchanged(name: &str, path: &Path, before: &[u8]) -> Result<(), String> {
    let now = fs::read(path).map_err(|cause| format!("{name} could not be read again: {cause}."))?;
    if now == before { Ok(()) } else { Err(format!("{name} has changed since it was read: nothing was written.")) }
}

/// A new file in the folder of another.
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

/// A text in the encoding of bytes; nothing where the bytes would not come back from their own
/// text.
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

/// Ends the program at a step of writing that a test names, as a kill or a loss of power would.
#[cfg(debug_assertions)]
fn stop(step: &str) {
    if std::env::var("SHARDWISE_STOP").is_ok_and(|named| named == step) {
        std::process::abort();
    }
}

#[cfg(not(debug_assertions))]
const fn stop(_step: &str) {}
