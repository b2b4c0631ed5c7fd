//! `silly quicklog`: one entry of the quick log.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::super::Context;
use super::error::Error;
use super::place;
use crate::files::{LockBody, PidLock, PidLockRule, RepoPath, Tree, WorkTree, make_folder, rename};
use crate::git::Repository;
use crate::process::is_alive;
use crate::report::silly::parsed::Logged;
use crate::silly::{layout, quicklog};
use crate::text::Bytes;

/// Add an entry to the quick log of a user
///
/// A file of more than 500 lines is put aside first, under the date of its last entry.
#[derive(clap::Args)]
pub(super) struct Quicklog {
    /// Whose log
    #[arg(value_name = "USER")]
    user: String,
    /// What is done
    #[arg(value_name = "TEXT")]
    text: String,
    /// The change it belongs to
    #[arg(value_name = "CHANGE")]
    change: Option<String>,
}

impl Quicklog {
    pub(super) fn run(self, ctx: &Context) -> Result<Logged, Error> {
        let root = place::root(ctx);
        let folder = place::inside(&root, &layout::quicklog())?;
        make_folder(&folder).map_err(|source| failed(&folder, source))?;
        let rule = PidLockRule {
            path: folder.join("QUICKLOG.lock"),
            wait: Duration::from_secs(60),
            pause: Duration::from_millis(20),
            unnamed: Duration::from_secs(30),
            forgotten: Duration::from_secs(30),
            body: LockBody::Pid,
        };
        let random = random()?;
        let lock = PidLock::acquire(&rule, &is_alive, &|| u64::from(random))?;
        let tree = WorkTree::new(&root);
        let offset = Repository::local_offset();
        let change = self.change.as_deref();
        let planned = quicklog::plan(&tree, &self.user, &self.text, change, ctx.now, offset, random)?;
        write(&tree, &lock, &planned)?;
        Ok(Logged {
            id: planned.id,
            file: planned.file,
            rotated_to: planned.aside,
        })
    }
}

fn write(tree: &WorkTree, lock: &PidLock, planned: &quicklog::Appending) -> Result<(), Error> {
    let at = |name: &str| layout::quicklog().join(name);
    let own = at(&planned.file);
    let mut content = tree.read(&own)?.unwrap_or_default();
    let replace = |path: &RepoPath, content: &[u8]| {
        let path = path.on_disk(tree.root());
        lock.replace(&path, content)
            .map_err(|source| failed(&path, source))
    };
    if let Some(aside) = planned.aside.as_deref().map(at) {
        if let Some(earlier) = tree.read(&aside)? {
            replace(&aside, &[with_end(earlier), content].concat())?;
        } else {
            let (from, to) = (own.on_disk(tree.root()), aside.on_disk(tree.root()));
            rename(&from, &to).map_err(|source| failed(&to, source))?;
        }
        content = Bytes::new();
    }
    let mut content = with_end(content);
    content.extend_from_slice(planned.entry.as_bytes());
    replace(&own, &content)
}

fn with_end(mut content: Bytes) -> Bytes {
    if content.last().is_some_and(|last| *last != b'\n') {
        content.push(b'\n');
    }
    content
}

fn failed(path: &Path, source: io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        source,
    }
}

fn random() -> Result<u16, Error> {
    let mut bytes = [0; 2];
    getrandom::fill(&mut bytes).map_err(Error::Random)?;
    Ok(u16::from_le_bytes(bytes))
}
