//! Stub.
use crate::run::draft::Draft;
use crate::run::keys::Keys;
/// Reads a file.
pub(super) fn read(_keys: &mut Keys, _draft: &mut Draft) {}
