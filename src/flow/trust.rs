//! Which flow files the user lets run their commands, by the digest of their bytes (git.md 9). A file that changes is
//! another file.

use super::resolved::ResolvedFlow;
use crate::clock::Timestamp;
use crate::files::{Digest, RepoPath};
use crate::say;
use crate::text::{Bytes, decode};
use crate::voice::{Invocation, Say, Voice};

/// One line of the record: `sha256 path time`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// 64 hexadecimal digits.
    pub digest: String,
    /// From the top of the repository, as it is shown. It names the file for people; trust hangs on the digest alone.
    pub path: String,
    /// When it was recorded.
    pub time: String,
}

/// All that is trusted in a clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    entries: Vec<Entry>,
}

impl Record {
    /// Reads the record. A line that is none is passed over: it can only take trust away.
    pub fn parse(bytes: &[u8]) -> Self {
        let text = decode(bytes);
        Self {
            entries: text.lines().filter_map(entry).collect(),
        }
    }

    pub fn to_bytes(&self) -> Bytes {
        let line = |e: &Entry| format!("{} {} {}\n", e.digest, e.path, e.time);
        self.entries.iter().map(line).collect::<String>().into_bytes()
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether the commands of this flow may run. A flow without overlay is ours.
    pub fn trusts(&self, flow: &ResolvedFlow) -> bool {
        match flow.digest() {
            Some(digest) => self.holds(&digest),
            None => true,
        }
    }

    pub fn holds(&self, digest: &Digest) -> bool {
        let digest = digest.hex();
        self.entries.iter().any(|entry| entry.digest == digest)
    }

    /// Adds a file. Returns whether it is new here.
    pub fn add(&mut self, digest: &Digest, path: &RepoPath, now: Timestamp) -> bool {
        let entry = Entry {
            digest: digest.hex(),
            path: path.to_string(),
            time: now.rfc3339(),
        };
        let known = |old: &Entry| old.digest == entry.digest && old.path == entry.path;
        if self.entries.iter().any(known) {
            return false;
        }
        self.entries.push(entry);
        true
    }

    /// Takes out all entries that are meant, and returns them.
    pub fn revoke(&mut self, is_meant: impl Fn(&Entry) -> bool) -> Vec<Entry> {
        let (gone, kept) = std::mem::take(&mut self.entries).into_iter().partition(is_meant);
        self.entries = kept;
        gone
    }
}

fn entry(line: &str) -> Option<Entry> {
    let (digest, rest) = line.split_once(' ')?;
    let (path, time) = rest.rsplit_once(' ')?;
    let is_digest = digest.len() == 64 && digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    is_digest.then(|| Entry {
        digest: digest.to_owned(),
        path: path.to_owned(),
        time: time.to_owned(),
    })
}

impl ResolvedFlow {
    /// The digest of the overlay file as it was read; none without one.
    pub fn digest(&self) -> Option<Digest> {
        self.source.as_ref().map(|source| Digest::of(&source.bytes))
    }
}

/// A flow file whose commands are not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untrusted(pub RepoPath);

impl Say for Untrusted {
    fn say(&self, voice: &Voice) -> String {
        let (file, trust) = (&self.0, Invocation::new("trust", &[]).say(voice));
        say!(
            voice,
            "the commands of `{file}` are not run: it is not trusted as it is now; read it, then `{trust}`",
            "不运行 `{file}` 中的命令：其当前内容未获信任；请先阅读，再执行 `{trust}`"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;
    use crate::flow::Lifecycle;

    fn flow(text: &str) -> ResolvedFlow {
        let tree = MemoryTree::new([("logos/flow/launched.yaml", text)]);
        ResolvedFlow::load(&tree, Lifecycle::Launched).expect(text)
    }

    fn now() -> Timestamp {
        Timestamp::from_seconds(0)
    }

    #[test]
    fn a_changed_byte_ends_trust_and_the_way_back_restores_it() {
        let (one, other) = (flow("overlay: []\n"), flow("overlay: [] \n"));
        let mut record = Record::default();
        let path = Lifecycle::Launched.overlay_path();
        assert!(record.add(&one.digest().expect("a file"), &path, now()));
        assert!(!record.add(&one.digest().expect("a file"), &path, now()));
        assert!(record.trusts(&one) && !record.trusts(&other));
        assert!(record.trusts(&ResolvedFlow::builtin(Lifecycle::Launched)));
    }

    #[test]
    fn the_record_is_read_as_it_was_written_whatever_the_path() {
        let mut record = Record::default();
        for path in ["logos/flow/initial.yaml", "a b/x\ny/logos/flow/launched.yaml"] {
            record.add(&Digest::of(path.as_bytes()), &RepoPath::of(path), now());
        }
        let text = record.to_bytes();
        assert_eq!(crate::text::lines(&text).len(), 2);
        assert_eq!(Record::parse(&text), record);
    }

    #[test]
    fn lines_that_are_none_trust_nothing() {
        let hex = "0".repeat(64);
        let text = format!(
            "\n{hex}\nx y z\n{} p t\n{} p t\n{hex} p t\n",
            "0".repeat(63),
            "G".repeat(64)
        );
        assert_eq!(Record::parse(text.as_bytes()).entries().len(), 1);
    }
}
