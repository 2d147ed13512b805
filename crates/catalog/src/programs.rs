//! Training programs, one for each folder of `crates/programs/tables`.

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// A part of a run that a file describes, in the order in which files are read: a model first,
/// launchers and the files they refer to last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The model.
    Model,
    /// An adapter of the model.
    Adapter,
    /// The whole run.
    Run,
    /// The launcher of a script.
    Launcher,
    /// Options to which a run or a launcher refers.
    Options,
}

impl Program {
    /// Returns the name of the program's folder, which begins the keys of its releases.
    pub const fn key(self) -> &'static str {
        self.row().0
    }

    /// Returns the name of the program.
    pub const fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns the key of the engine's framework that the program runs on.
    pub const fn framework(self) -> &'static str {
        self.row().2
    }

    /// Returns the part of a run that the program's files describe.
    pub const fn part(self) -> Part {
        self.row().3
    }

    /// Returns the program of a key or a name.
    ///
    /// ```
    /// use catalog::programs::Program;
    ///
    /// let program = Program::find("llama-factory");
    /// assert_eq!(program, Some(Program::LlamaFactory));
    /// assert_eq!(Program::find("LLaMA-Factory"), program);
    /// ```
    pub fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| [program.key(), program.name()].contains(&text))
    }
}
