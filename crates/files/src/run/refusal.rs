//! Why files are not the configuration of one run.

/// Why files are not read as one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// What they are instead, and what to give.
    pub(crate) sentence: String,
    /// Whether the files are known for what they are, so that nothing else can be made of them.
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
