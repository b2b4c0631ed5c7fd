//! Front matter (state.md 2): a line format of its own, close to YAML but not YAML. All scalars are text.

mod read;
mod scalar;
mod write;

pub use read::{top_key, top_keys};

/// The first and the last line.
pub const OPENING: &str = "---";

/// What a key holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Text(String),
    List(Vec<String>),
    /// Further keys, or nothing at all: `key:`.
    Block(Vec<Entry>),
}

/// A key with what stands before it and how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Comment lines, and lines that are nothing else, as they were written.
    pub before: Vec<String>,
    pub key: String,
    pub value: Value,
    /// The lines it came from, where a value of ours cannot tell all that they say: a block scalar, a list of mappings.
    kept: Option<Vec<String>>,
}

impl Entry {
    /// An entry of our own making.
    pub fn new(key: &str, value: Value) -> Self {
        Self {
            before: Vec::new(),
            key: key.to_owned(),
            value,
            kept: None,
        }
    }

    /// The comments on it, and on the keys inside it.
    pub fn comments(&self) -> Vec<String> {
        let mut all = self.before.clone();
        if let Value::Block(entries) = &self.value {
            all.extend(entries.iter().flat_map(Self::comments));
        }
        all
    }

    /// This entry with lines before it.
    #[must_use]
    pub fn after(self, before: Vec<String>) -> Self {
        Self { before, ..self }
    }
}

/// The keys of a document in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrontMatter {
    pub entries: Vec<Entry>,
    /// Comments after the last key.
    pub trailing: Vec<String>,
}

impl FrontMatter {
    /// The value of a top-level key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry of a top-level key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The text of a top-level key that holds one.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Value::Text(text) => Some(text),
            Value::List(_) | Value::Block(_) => None,
        }
    }

    /// Sets a top-level key that is there; whether it is.
    pub fn set(&mut self, key: &str, value: Value) -> bool {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.key == key) else {
            return false;
        };
        if entry.value != value {
            entry.value = value;
            entry.kept = None;
        }
        true
    }

    /// The text of a key that is not blank: what counts as a stored value.
    pub fn stored(&self, key: &str) -> Option<&str> {
        self.text(key).filter(|text| !crate::text::is_blank(text))
    }

    /// The text of a key inside the block of another.
    pub fn nested(&self, key: &str, inner: &str) -> Option<&str> {
        match self.get(key)? {
            Value::Block(entries) => {
                entries
                    .iter()
                    .find(|entry| entry.key == inner)
                    .and_then(|entry| match &entry.value {
                        Value::Text(text) => Some(text.as_str()),
                        Value::List(_) | Value::Block(_) => None,
                    })
            }
            Value::Text(_) | Value::List(_) => None,
        }
    }
}

/// A document cut at its front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts<'t> {
    /// None: there is none.
    pub front: Option<FrontMatter>,
    /// Where the body begins in the text.
    pub body_start: usize,
    pub body: &'t str,
    /// The first line opens front matter, and no later line closes it.
    pub open: bool,
    /// As `open`, and the file looks as if it had some, and never closes it.
    pub unclosed: bool,
}
