//! Writes files back: none is ever lost or half written, and each keeps its owner, group, mode and
//! attributes.
//!
//! Each new content is written whole and synced beside the original, before any file is replaced,
//! and then renamed to the original. If the new file cannot get the owner or the attributes of the
//! original, if the original has several names (hard links), or if nothing may be created in its
//! folder, the original is written in place; a synced copy of the old content exists meanwhile.
//! If a step fails, the originals are unchanged.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// A file with its new content; temporary files are removed on drop.
pub(crate) struct Prepared {
    /// Name as typed by the user.
    name: String,
    /// Path of the file, with links resolved.
    path: PathBuf,
    /// Content of the file when it was read.
    before: Vec<u8>,
    way: Way,
}

/// The way in which a file is replaced.
enum Way {
    /// The new content is in a file beside the original.
    Rename(Temporary),
    /// The new content is written into the original; the old content is in a copy.
    InPlace { original: File, after: Vec<u8>, copy: Temporary },
}

/// A temporary file, which is removed on drop.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // After a rename, the temporary file no longer exists.
        let _ = fs::remove_file(&self.0);
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
    let failed = |cause: std::io::Error| format!("{name} could not be written and is unchanged: {cause}.");
    let after = encoded(before, text)
        .ok_or_else(|| format!("{name} is unchanged: its encoding cannot be written back without loss."))?;
    // A link stays a link; its target is replaced.
    let (path, _) = files::run::split_function(name);
    let path = fs::canonicalize(path).map_err(failed)?;
    let metadata = fs::metadata(&path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(format!("{name} is not a writable file: name the file itself."));
    }
    if metadata.permissions().readonly() {
        return Err(format!("{name} is read-only: it is unchanged."));
    }
    unchanged(name, &path, before)?;
    let way = if let Some(beside) = renamable(&path, &metadata, &after).map_err(failed)? {
        Way::Rename(beside)
    } else {
        let original = OpenOptions::new().write(true).open(&path).map_err(failed)?;
        Way::InPlace { original, copy: copied(&path, before).map_err(failed)?, after }
    };
    stop("synced");
    Ok(Prepared { name: name.to_owned(), path, before: before.to_vec(), way })
}

/// Writes the new content beside the original; `None` if a rename would lose something of the
/// original.
fn renamable(path: &Path, metadata: &Metadata, after: &[u8]) -> std::io::Result<Option<Temporary>> {
    if kept::has_other_names(metadata) {
        return Ok(None);
    }
    let (beside, mut file) = match create(|name| path.with_file_name(name), path) {
        Ok(created) => created,
        Err(cause) if cause.kind() == std::io::ErrorKind::PermissionDenied => return Ok(None),
        Err(cause) => return Err(cause),
    };
    stop("created");
    let (first, second) = after.split_at_checked(after.len() / 2).unwrap_or((after, &[]));
    file.write_all(first)?;
    stop("half written");
    file.write_all(second)?;
    let is_like_the_original = kept::copy(path, metadata, &file)?;
    file.sync_all()?;
    Ok(is_like_the_original.then_some(beside))
}

/// Writes a copy of the old content, beside the original or else into the folder of temporary
/// files.
fn copied(path: &Path, before: &[u8]) -> std::io::Result<Temporary> {
    let beside = create(|name| path.with_file_name(name), path);
    let (copy, mut file) = beside.or_else(|_| create(|name| std::env::temp_dir().join(name), path))?;
    file.write_all(before)?;
    file.sync_all()?;
    stop("copied");
    Ok(copy)
}

/// Replaces the originals.
///
/// # Errors
///
/// Returns a sentence with the files that were written before the failure.
pub(crate) fn replace(prepared: Vec<Prepared>) -> Result<(), String> {
    for file in &prepared {
        unchanged(&file.name, &file.path, &file.before)?;
    }
    let mut written: Vec<String> = Vec::new();
    for Prepared { name, path, before, way } in prepared {
        let others = if written.is_empty() { String::new() } else { format!(" {} were written.", written.join(", ")) };
        let replaced = match way {
            Way::Rename(beside) => fs::rename(&beside.0, &path).map_err(|cause| (cause, None)),
            Way::InPlace { original, after, copy } => in_place(original, &before, &after, copy),
        };
        replaced.map_err(|(cause, lost)| match lost {
            None => format!("{name} could not be written and is unchanged: {cause}.{others}"),
            Some(copy) => {
                format!("{name} could not be written: {cause}. Its old content is in {}.{others}", copy.display())
            }
        })?;
        stop("renamed");
        // Sync the folder, so that the rename is durable. If the folder cannot be synced, the file
        // is still complete.
        if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
        written.push(name);
    }
    Ok(())
}

/// Writes new content into a file. If that fails, the old content is written again.
///
/// # Errors
///
/// Returns the cause, and the path of the copy if the old content could not be written again.
fn in_place(
    mut original: File,
    before: &[u8],
    after: &[u8],
    copy: Temporary,
) -> Result<(), (std::io::Error, Option<PathBuf>)> {
    let Err(cause) = overwrite(&mut original, after) else { return Ok(()) };
    if overwrite(&mut original, before).is_ok() {
        return Err((cause, None));
    }
    let path = copy.0.clone();
    // The copy is all that is left of the old content.
    std::mem::forget(copy);
    Err((cause, Some(path)))
}

fn overwrite(file: &mut File, bytes: &[u8]) -> std::io::Result<()> {
    file.rewind()?;
    let (first, second) = bytes.split_at_checked(bytes.len() / 2).unwrap_or((bytes, &[]));
    file.write_all(first)?;
    stop("half overwritten");
    file.write_all(second)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// Owner, group, mode and extended attributes of a file.
#[cfg(unix)]
mod kept {
    use std::ffi::OsString;
    use std::fs::{File, Metadata};
    use std::os::unix::fs::{MetadataExt as _, fchown};
    use std::path::Path;

    use xattr::FileExt as _;

    /// Whether a file has several names: hard links.
    pub(super) fn has_other_names(metadata: &Metadata) -> bool {
        metadata.nlink() > 1
    }

    /// Copies owner, group, mode and attributes to a new file. Returns whether the new file has
    /// them.
    pub(super) fn copy(path: &Path, metadata: &Metadata, file: &File) -> std::io::Result<bool> {
        let own = |of: &Metadata| (of.uid(), of.gid(), of.mode());
        let created = file.metadata()?;
        if (created.uid(), created.gid()) != (metadata.uid(), metadata.gid()) {
            // Without the permission, the comparison below fails.
            let _ = fchown(file, Some(metadata.uid()), Some(metadata.gid()));
        }
        let original = File::open(path)?;
        let wanted = attributes(&original);
        let present = attributes(file);
        for (name, value) in wanted.iter().filter(|pair| !present.contains(pair)) {
            let _ = file.set_xattr(name, value);
        }
        // After the owner, whose change clears bits of the mode.
        file.set_permissions(metadata.permissions())?;
        Ok(own(&file.metadata()?) == own(metadata) && attributes(file) == wanted)
    }

    /// Returns the attributes of a file in order; none if the file system has none.
    fn attributes(file: &File) -> Vec<(OsString, Vec<u8>)> {
        let names = file.list_xattr().into_iter().flatten();
        let mut pairs: Vec<_> =
            names.map(|name| (name.clone(), file.get_xattr(name).ok().flatten().unwrap_or_default())).collect();
        pairs.sort();
        pairs
    }
}

/// The mode of a file, where a file has no owner of Unix.
#[cfg(not(unix))]
mod kept {
    use std::fs::{File, Metadata};
    use std::path::Path;

    pub(super) const fn has_other_names(_metadata: &Metadata) -> bool {
        false
    }

    pub(super) fn copy(_path: &Path, metadata: &Metadata, file: &File) -> std::io::Result<bool> {
        file.set_permissions(metadata.permissions())?;
        Ok(true)
    }
}

/// Checks that a file is unchanged since it was read.
fn unchanged(name: &str, path: &Path, before: &[u8]) -> Result<(), String> {
    let now = fs::read(path).map_err(|cause| format!("{name} could not be read again: {cause}."))?;
    if now == before { Ok(()) } else { Err(format!("{name} has changed since it was read: nothing was written.")) }
}

/// Creates a temporary file for another file at the place of a name, readable by its owner alone.
fn create(place: impl Fn(String) -> PathBuf, path: &Path) -> std::io::Result<(Temporary, File)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut last = None;
    for attempt in 0..100 {
        let created = place(format!(".{name}.{}-{attempt}.tmp", std::process::id()));
        match options.open(&created) {
            Ok(file) => return Ok((Temporary(created), file)),
            Err(cause) if cause.kind() == std::io::ErrorKind::AlreadyExists => last = Some(cause),
            Err(cause) => return Err(cause),
        }
    }
    Err(last.unwrap_or_else(|| std::io::Error::other("no free name is left in its folder")))
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
