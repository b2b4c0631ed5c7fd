//! Where the gate state lies that a driver cannot forge unseen (loop.md 7): below the git directory, proven by the
//! journal, whose end a reference names.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::document::{bytes, object, text};
use super::error::{Break, Error};
use super::gate::Source;
use super::journal::{Actor, Entry, Journal, gate_bytes, hash_of, link_of};
use super::{GATE, Gate, LOCK, Mode, STATE, in_folder};
use crate::clock::Timestamp;
use crate::files::{
    self, Digest, ObjectId, PidLock, PidLockRule, RepoPath, Resolved, Tree, Unread, WorkTree, read_regular,
};
use crate::git::{Repository, write_whole};
use crate::process::{host_name, is_alive};

/// No file of a loop is longer.
const LONGEST: u64 = 64 << 20;

/// How often a reader looks again at what does not hold together.
const ATTEMPTS: usize = 8;
const PAUSE: Duration = Duration::from_millis(15);

/// The store of one work tree.
pub struct Store<'r> {
    repository: &'r Repository,
    dir: PathBuf,
    reference: String,
}

/// What a store holds, proven.
#[derive(Clone, Debug)]
pub struct Stored {
    pub gate: Gate,
    pub journal: Journal,
    gate_bytes: Vec<u8>,
    commit: Option<ObjectId>,
}

/// An entry that is being written: all that is needed to end it, or to take it back.
#[derive(Serialize, Deserialize)]
struct Pending {
    line: String,
    gate: String,
    /// The new state, and the digest of the one that it replaces.
    state: Option<String>,
    before: Option<String>,
}

/// Refusals to stop, in a row.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Stops {
    /// The state in which they were.
    pub state_sha256: String,
    pub count: u32,
}

/// The file that they are counted in.
pub const STOPS: &str = "stops.json";

impl Stops {
    /// A count that cannot be read begins anew.
    pub fn read(bytes: Option<&[u8]>) -> Self {
        bytes
            .and_then(|bytes| serde_json::from_slice(bytes).ok())
            .unwrap_or_default()
    }

    pub fn text(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a text and a number are always JSON")
    }
}

/// What is to be written together.
pub struct Change<'c> {
    pub actor: Actor,
    pub op: &'static str,
    pub data: Value,
    /// None leaves the file as it is.
    pub state: Option<&'c Value>,
    pub gate: &'c Gate,
}

fn discard(path: &Path) -> Result<(), Error> {
    files::discard(path).map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match read_regular(path, LONGEST) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(Unread::Missing) => Ok(None),
        Err(Unread::NotAFile | Unread::TooLong) => Err(Error::Malformed(path.display().to_string())),
        Err(Unread::Io(source)) => Err(Error::Write {
            path: path.to_owned(),
            source,
        }),
    }
}

/// Journal and gate state as they lie there, with what a run that was killed has left made good.
struct Lying {
    journal: Option<String>,
    gate: Option<Vec<u8>>,
    /// What is to be ended when somebody may write.
    rest: Option<Rest>,
}

enum Rest {
    /// The reference has moved: everything follows it.
    Forward(Pending),
    /// It has not: the line is taken back.
    Back,
}

impl<'r> Store<'r> {
    /// The store of a work tree; none in a bare repository.
    pub fn of(repository: &'r Repository) -> Option<Self> {
        let top = repository.work_dir()?;
        let digest = Digest::of(top.as_os_str().as_encoded_bytes()).hex();
        let id = &digest[..12];
        Some(Self {
            repository,
            dir: repository.shared_spec_dir().join("loop").join(id),
            reference: format!("refs/spec/loop/{id}"),
        })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    fn lying(&self, head: &str) -> Result<Lying, Error> {
        let journal = read(&self.file("journal.jsonl"))?;
        let journal = journal
            .map(String::from_utf8)
            .transpose()
            .map_err(|_| Error::ChainBroken(Break::Line(1)))?;
        let mut lying = Lying {
            journal,
            gate: read(&self.file("gate.json"))?,
            rest: None,
        };
        let Some(pending) = read(&self.file("pending.json"))? else {
            return Ok(lying);
        };
        // What is none of ours changes nothing: the chain is judged without it.
        let Ok(pending) = serde_json::from_slice::<Pending>(&pending) else {
            return Ok(lying);
        };
        let written = lying.journal.clone().unwrap_or_default();
        if hash_of(&pending.line).as_deref() == Some(head) {
            if !written.ends_with(&pending.line) {
                lying.journal = Some(format!("{written}{}", pending.line));
            }
            lying.gate = Some(pending.gate.clone().into_bytes());
            lying.rest = Some(Rest::Forward(pending));
        } else if link_of(&pending.line).as_deref() == Some(head) {
            if let Some(rest) = written.strip_suffix(&pending.line) {
                lying.journal = (!rest.is_empty()).then(|| rest.to_owned());
            }
            lying.rest = Some(Rest::Back);
        }
        Ok(lying)
    }

    /// What is stored; none if no loop has ever begun here.
    ///
    /// # Errors
    /// [`Error::ChainBroken`] if it does not hold together.
    pub fn read(&self) -> Result<Option<Stored>, Error> {
        for _ in 0..ATTEMPTS {
            match self.look() {
                // A writer may be between two of its steps: readers take no lock.
                Err(Error::ChainBroken(_)) => std::thread::sleep(PAUSE),
                looked => return Ok(looked?.0),
            }
        }
        Ok(self.look()?.0)
    }

    fn look(&self) -> Result<(Option<Stored>, Lying), Error> {
        let tip = self.repository.chain_head(&self.reference)?;
        let nothing = Journal::default();
        let head = tip.as_ref().map_or(nothing.head(), |(_, hash)| hash);
        let lying = self.lying(head)?;
        let broken = |how| Err(Error::ChainBroken(how));
        let journal = match (&lying.journal, &tip) {
            (None, None) => return Ok((None, lying)),
            (None, Some(_)) => return broken(Break::NoJournal),
            (Some(_), None) => return broken(Break::NoReference),
            (Some(text), Some(_)) => Journal::read(text).map_err(Error::ChainBroken)?,
        };
        if journal.is_empty() || journal.head() != head {
            return broken(Break::Head);
        }
        let gate = match &lying.gate {
            Some(gate) if journal.wrote(gate) => gate.clone(),
            Some(_) | None => return broken(Break::Gate),
        };
        let Source::Known(known) = Source::parse(&gate) else {
            return broken(Break::Gate);
        };
        let stored = Stored {
            gate: known,
            journal,
            gate_bytes: gate,
            commit: tip.map(|(commit, _)| commit),
        };
        Ok((Some(stored), lying))
    }

    /// The refusals to stop so far.
    pub fn stops(&self) -> Result<Stops, Error> {
        let found = read(&self.file(STOPS))?;
        Ok(Stops::read(found.as_deref()))
    }

    pub fn keep_stops(&self, stops: &Stops) -> Result<(), Error> {
        Ok(write_whole(&self.file(STOPS), &stops.text())?)
    }
}

impl Stored {
    /// Whether the copy in the loop's folder is another one.
    pub fn differs_from_copy(&self, tree: &dyn Tree) -> Result<bool, Error> {
        let copy = files::regular_content(tree, &in_folder(GATE))?;
        Ok(copy.is_none_or(|copy| copy != self.gate_bytes))
    }
}

/// The state of a project as its file has it.
pub fn read_state(tree: &dyn Tree) -> Result<Value, Error> {
    let path = in_folder(STATE);
    let bytes = tree
        .read(&path)?
        .ok_or_else(|| Error::NoState(path.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|e| Error::Malformed(e.to_string()))
}

/// Where the lock of a project's loop is.
fn lock_file(tree: &dyn Tree, state: Option<&Value>) -> Result<RepoPath, Error> {
    let named = state
        .and_then(|state| text(state, "housekeeping.lock_file"))
        .unwrap_or(LOCK);
    let escapes = || Error::PathEscape("housekeeping.lock_file".to_owned());
    let path = RepoPath::normalised(named)
        .filter(|path| !path.is_root())
        .ok_or_else(escapes)?;
    let folder = path.parent().unwrap_or_default();
    match tree.resolve(&folder)? {
        Resolved::Inside { .. } => Ok(path),
        Resolved::Outside { .. } | Resolved::Dangling => Err(escapes()),
    }
}

/// The right to write: the lock is held, what a killed run left is settled, and everything is read after that.
pub struct Held<'s> {
    lock: PidLock,
    root: PathBuf,
    store: Option<&'s Store<'s>>,
    pub stored: Option<Stored>,
    /// The state file, if there is one.
    pub state: Option<Value>,
    before: Option<Digest>,
    now: Timestamp,
}

impl<'s> Held<'s> {
    /// Waits for the lock of the project's loop. The folder of the loop must be there.
    pub fn take(root: &Path, store: Option<&'s Store<'s>>, now: Timestamp) -> Result<Self, Error> {
        let tree = WorkTree::new(root);
        let seen = match read_state(&tree) {
            Ok(state) => Some(state),
            Err(Error::NoState(_) | Error::Malformed(_)) => None,
            Err(error) => return Err(error),
        };
        let path = lock_file(&tree, seen.as_ref())?.on_disk(root);
        let rule = PidLockRule::of_loop(path, host_name(), now);
        let lock = PidLock::acquire(&rule, &is_alive, &|| u64::from(std::process::id()))?;
        let mut held = Self {
            lock,
            root: root.to_owned(),
            store,
            stored: None,
            state: None,
            before: None,
            now,
        };
        if let Some(store) = store {
            let (stored, lying) = store.look()?;
            held.settle(store, lying)?;
            held.stored = stored;
        }
        let bytes = tree.read(&in_folder(STATE))?;
        held.before = bytes.as_deref().map(Digest::of);
        held.state = bytes
            .map(|bytes| serde_json::from_slice(&bytes).map_err(|e| Error::Malformed(e.to_string())))
            .transpose()?;
        // Times of the loop never go back, whatever the clock does.
        if let Some(last) = held.stored.as_ref().and_then(|stored| stored.journal.time()) {
            held.now = now.max(last);
        }
        Ok(held)
    }

    fn on_disk(&self, name: &str) -> PathBuf {
        in_folder(name).on_disk(&self.root)
    }

    /// Ends what a killed run has begun.
    fn settle(&self, store: &Store<'_>, lying: Lying) -> Result<(), Error> {
        let Some(rest) = lying.rest else {
            return Ok(());
        };
        match lying.journal {
            Some(journal) => write_whole(&store.file("journal.jsonl"), journal.as_bytes())?,
            None => discard(&store.file("journal.jsonl"))?,
        }
        if let Rest::Forward(pending) = rest {
            write_whole(&store.file("gate.json"), pending.gate.as_bytes())?;
            self.write_copy(pending.gate.as_bytes())?;
            let now = read(&self.on_disk(STATE))?.map(|bytes| Digest::of(&bytes).hex());
            if let Some(state) = pending.state.filter(|_| now == pending.before) {
                self.write_state(state.as_bytes())?;
            }
        }
        discard(&store.file("pending.json"))
    }

    fn write_copy(&self, gate: &[u8]) -> Result<(), Error> {
        let path = self.on_disk(GATE);
        let written = self.lock.replace_read_only(&path, gate);
        written.map_err(|source| Error::Write { path, source })
    }

    fn write_state(&self, state: &[u8]) -> Result<(), Error> {
        let path = self.on_disk(STATE);
        let written = self.lock.replace(&path, state);
        written.map_err(|source| Error::Write {
            path: path.clone(),
            source,
        })?;
        // A convenience of the reference: without it nothing is lost.
        let _best_effort = self.lock.replace(&self.on_disk("state.json.bak"), state);
        Ok(())
    }

    /// The time of this command.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The state, which must be there.
    pub fn own_state(&self) -> Result<Value, Error> {
        self.state
            .clone()
            .ok_or_else(|| Error::NoState(in_folder(STATE).to_string()))
    }

    /// The gate state: the stored one, else the one in the loop's folder, else a new one.
    pub fn gate(&self) -> Result<Gate, Error> {
        if let Some(stored) = &self.stored {
            return Ok(stored.gate.clone());
        }
        match Source::read(&WorkTree::new(&self.root), &in_folder(GATE)) {
            Source::Known(gate) => Ok(gate),
            Source::Missing => Ok(super::fresh_gate()),
            Source::Broken(why) => Err(Error::Gate(why)),
        }
    }

    /// The mode that counts: as it was at `init`, or as the state has it where nothing is stored.
    pub fn mode(&self) -> Result<Mode, Error> {
        let stored = self.stored.as_ref().and_then(|stored| stored.journal.mode());
        let written = || Mode::parse(text(self.state.as_ref()?, "config.mode")?);
        stored.or_else(written).ok_or(Error::Field("config.mode"))
    }

    /// Writes the copy of the gate state anew, if it is another one; whether it was.
    pub fn restore_copy(&self) -> Result<bool, Error> {
        let Some(stored) = &self.stored else {
            return Ok(false);
        };
        let differs = stored.differs_from_copy(&WorkTree::new(&self.root))?;
        if differs {
            self.write_copy(&stored.gate_bytes)?;
        }
        Ok(differs)
    }

    /// Writes an entry with all that goes with it: gate state first, then the state.
    pub fn write(&mut self, change: &Change<'_>) -> Result<(), Error> {
        let state = change.state.map(bytes);
        let gate = gate_bytes(change.gate);
        if let Some(store) = self.store {
            self.write_stored(store, change, state.as_deref(), &gate)?;
        } else {
            self.write_copy(&gate)?;
            if let Some(state) = &state {
                self.write_state(state)?;
            }
        }
        if let Some(state) = &state {
            self.before = Some(Digest::of(state));
            self.state = change.state.cloned();
        }
        let line = format!("[{}] [{}] {}\n", self.now.rfc3339(), change.op, change.data);
        // Failing to log never changes a decision (loop.md 1).
        let _best_effort = files::append(&self.on_disk("runs.log"), &line);
        Ok(())
    }

    fn write_stored(
        &mut self,
        store: &Store<'_>,
        change: &Change<'_>,
        state: Option<&[u8]>,
        gate: &[u8],
    ) -> Result<(), Error> {
        let (journal, commit) = match &self.stored {
            Some(stored) => (stored.journal.clone(), stored.commit),
            None => (Journal::default(), None),
        };
        let entry = Entry {
            actor: change.actor,
            op: change.op,
            data: if change.data.is_object() {
                change.data.clone()
            } else {
                object([])
            },
            state: state.map(Digest::of).or(self.before),
            gate: Digest::of(gate),
        };
        let line = journal.line(&entry, self.now);
        let journal = journal.with(&line).map_err(Error::ChainBroken)?;
        let utf8 = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let pending = Pending {
            line,
            gate: utf8(gate),
            state: state.map(utf8),
            before: self.before.map(|digest| digest.hex()),
        };
        let pending = serde_json::to_vec(&pending).map_err(|e| Error::Malformed(e.to_string()))?;
        write_whole(&store.file("pending.json"), &pending)?;
        write_whole(&store.file("journal.jsonl"), journal.text().as_bytes())?;
        let head = format!("{}\n", journal.head());
        let subject = format!("loop: {}", change.op);
        let moved = store
            .repository
            .extend_chain(&store.reference, commit, head.as_bytes(), &subject)?;
        write_whole(&store.file("gate.json"), gate)?;
        self.write_copy(gate)?;
        if let Some(state) = state {
            self.write_state(state)?;
        }
        discard(&store.file("pending.json"))?;
        self.stored = Some(Stored {
            gate: change.gate.clone(),
            journal,
            gate_bytes: gate.to_vec(),
            commit: Some(moved),
        });
        Ok(())
    }
}
