//! A command line as a shell would take it: simple commands with their words, redirections and what runs inside them.
//! Nothing is expanded but what is written: quotes, escapes, braces. What only a shell knows is marked as such.

mod lex;
mod parse;
mod unwrap;

pub use parse::parse;
pub use unwrap::{Program, program};

/// One word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Without quotes and escapes; expansions are left out, as if they were empty.
    pub text: String,
    /// Holds an expansion or a pattern: the shell may make another text of it.
    pub dynamic: bool,
    /// Some of it is quoted.
    pub quoted: bool,
}

impl Word {
    /// A word without anything for the shell to do.
    pub fn plain(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }
}

/// Where a command reads from or writes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    pub kind: RedirectKind,
    pub target: Word,
}

/// What a redirection does with its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>>`, `>|`, `&>`, `&>>`, `<>`
    Write,
    /// `>&1`, `2>&-`, `<&3`: no file.
    Descriptor,
    /// `<<`, `<<<`: the text itself.
    Text,
}

/// One simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// `name=value` before the command.
    pub assignments: Vec<Word>,
    pub words: Vec<Word>,
    pub redirects: Vec<Redirect>,
    /// It reads what the command before it writes.
    pub piped: bool,
    /// It stands inside a substitution of the command that follows in the list.
    pub inner: bool,
}

/// The line is no shell script that can be read: a quote or a bracket never closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;
