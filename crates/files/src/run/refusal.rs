//! Why files are not the configuration of one run.

/// Why files are not read as one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// A sentence: the kind of the files, and advice on what to provide.
    pub(crate) sentence: String,
    /// Whether the files were recognised, so that no other reader is tried.
    pub(crate) is_certain: bool,
}

impl Refusal {
    pub(crate) fn certain(sentence: String) -> Self {
        Self { sentence, is_certain: true }
    }

    pub(crate) fn unknown(sentence: String) -> Self {
        Self { sentence, is_certain: false }
    }
}
