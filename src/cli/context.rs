//! What a command starts from: folder, environment, clock, voice; repository and project once they are asked for.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Globals;
use super::trouble::Trouble;
use crate::clock::Timestamp;
use crate::files::{
    LockError, LockRule, NothingOutside, ObjectId, ReadError, RepoPath, Tree, WorkTree, WriteError, Writer,
};
use crate::git::{self, Commits, Repository};
use crate::project::{self, layout::CONFIG};
use crate::text::escape;
use crate::voice::{Language, Voice};

/// The environment, read in one place.
#[derive(Clone, Copy, Debug)]
pub struct Env(());

impl Env {
    pub(super) fn of_process() -> Self {
        Self(())
    }

    pub fn get(self, name: &str) -> Option<OsString> {
        std::env::var_os(name)
    }

    /// A variable as text; empty and not UTF-8 is not set.
    pub fn text(self, name: &str) -> Option<String> {
        self.get(name)
            .and_then(|v| v.into_string().ok())
            .filter(|v| !v.is_empty())
    }

    /// The commits that git takes into a merge, before it writes `MERGE_HEAD`: each names a variable (git.md 3.1).
    pub fn merged_heads(self) -> Vec<ObjectId> {
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let mut ids: Vec<ObjectId> = names
            .filter_map(|name| ObjectId::from_hex(name.strip_prefix("GITHEAD_")?))
            .collect();
        ids.sort();
        ids
    }

    pub(super) fn number(self, name: &str) -> u64 {
        self.text(name).and_then(|v| v.parse().ok()).unwrap_or(0)
    }

    /// The instant that `GIT_SPEC_NOW` gives, else the clock's; an error if it gives none that can be read.
    pub(super) fn now(self) -> Result<Timestamp, String> {
        let Some(given) = self.get("GIT_SPEC_NOW").filter(|v| !v.is_empty()) else {
            return Ok(Timestamp::now());
        };
        given.to_str().and_then(Timestamp::parse).ok_or_else(|| {
            let given = escape(&given.to_string_lossy()).into_owned();
            format!(
                "`GIT_SPEC_NOW` is `{given}`: it must be like `2026-01-02T03:04:05Z`, or seconds since 1970"
            )
        })
    }
}

/// Where the project is.
pub struct Place {
    /// The folder that holds `logos/`; the current folder if there is none.
    pub root: PathBuf,
    /// Its path from the top level of the repository.
    pub prefix: RepoPath,
}

/// The start of a command.
pub struct Context {
    pub cwd: PathBuf,
    pub env: Env,
    pub now: Timestamp,
    program: String,
    project: Option<String>,
    color: Option<String>,
    repository: OnceCell<Option<Repository>>,
    place: OnceCell<Place>,
    voice: OnceCell<Voice>,
}

impl Context {
    pub(super) fn new(globals: &Globals, env: Env, now: Timestamp, program: &str) -> Result<Self, String> {
        for dir in &globals.dir {
            std::env::set_current_dir(dir).map_err(|e| format!("`{}`: {e}", Path::new(dir).display()))?;
        }
        if let Some(project) = &globals.project {
            RepoPath::new(project.trim_matches('/')).map_err(|e| format!("`--project`: {e}"))?;
        }
        let cwd = std::env::current_dir().map_err(|e| format!("the current folder: {e}"))?;
        Ok(Self {
            cwd,
            project: globals.project.clone(),
            color: globals.color.clone(),
            ..Self::nowhere(env, now, program.to_owned())
        })
    }

    /// The start of a command that has an answer also where no folder can be told: the current one may be deleted.
    pub(super) fn nowhere(env: Env, now: Timestamp, program: String) -> Self {
        Self {
            cwd: PathBuf::new(),
            env,
            now,
            program,
            project: None,
            color: None,
            repository: OnceCell::new(),
            place: OnceCell::new(),
            voice: OnceCell::new(),
        }
    }

    /// Whether there is a current folder; only [`Context::nowhere`] has none.
    pub(super) fn is_somewhere(&self) -> bool {
        self.cwd.is_absolute()
    }

    /// The repository around the current folder, opened at the first call.
    pub fn repository(&self) -> Result<Option<&Repository>, git::Error> {
        if self.repository.get().is_none() {
            let mut found = Repository::discover(&self.cwd, self.env.get("GIT_DIR").is_some())?;
            let own = self.env.get("GIT_OBJECT_DIRECTORY").filter(|own| !own.is_empty());
            let others = self
                .env
                .get("GIT_ALTERNATE_OBJECT_DIRECTORIES")
                .unwrap_or_default();
            if own.is_some() || !others.is_empty() {
                let others = others.as_encoded_bytes();
                let told = |found: Repository| found.with_objects_in(own.as_deref().map(Path::new), others);
                found = found.map(told).transpose()?;
            }
            let _first = self.repository.set(found);
        }
        Ok(self.repository.get().expect("just set").as_ref())
    }

    /// The project: the nearest folder upwards with a config, not past the top of the work tree; outside a repository
    /// the current folder only (logos-project.md part 1). `--project` names it from the top level.
    pub fn place(&self) -> Result<&Place, git::Error> {
        if self.place.get().is_none() {
            let found = self.find_place()?;
            let _first = self.place.set(found);
        }
        Ok(self.place.get().expect("just set"))
    }

    fn find_place(&self) -> Result<Place, git::Error> {
        let repository = self.repository()?;
        if repository.is_none() && self.project.is_some() {
            // There is no top level to name it from; the current folder is not what was asked for.
            return Err(git::Error::NotARepository);
        }
        let Some(top) = repository.and_then(Repository::work_dir) else {
            return Ok(Place {
                root: self.here(),
                prefix: RepoPath::root(),
            });
        };
        let prefix_of = |root: &Path| {
            root.strip_prefix(&top)
                .ok()
                .and_then(RepoPath::from_disk)
                .unwrap_or_default()
        };
        if let Some(project) = self.project.as_deref().map(|p| p.trim_matches('/')) {
            let root = if project.is_empty() {
                top.clone()
            } else {
                top.join(project)
            };
            return Ok(Place {
                prefix: prefix_of(&root),
                root,
            });
        }
        let here = self.start_folder(&top);
        let found = here
            .ancestors()
            .take_while(|dir| dir.starts_with(&top))
            .find(|dir| dir.join(CONFIG).exists());
        let root = found.unwrap_or(&here).to_owned();
        Ok(Place {
            prefix: prefix_of(&root),
            root,
        })
    }

    fn here(&self) -> PathBuf {
        std::fs::canonicalize(&self.cwd).unwrap_or_else(|_| self.cwd.clone())
    }

    /// Where the search for a project begins. As git does it: outside of the work tree, which the environment may name,
    /// one stands at its top.
    pub(super) fn start_folder(&self, top: &Path) -> PathBuf {
        let here = self.here();
        if here.starts_with(top) {
            here
        } else {
            top.to_owned()
        }
    }

    /// The project's files on disk.
    pub fn work_tree(&self) -> Result<WorkTree, git::Error> {
        Ok(WorkTree::new(&self.place()?.root))
    }

    /// The prefix given with `--project`, without slashes at its ends.
    pub fn project_option(&self) -> Option<&str> {
        self.project.as_deref().map(|p| p.trim_matches('/'))
    }

    /// The project in a commit: the one of the work tree, else the one named, else the only one (product.md, "Rules").
    pub(super) fn place_at(&self, repository: &Repository, commit: ObjectId) -> Result<Place, git::Error> {
        if repository.work_dir().is_some() {
            let place = self.place()?;
            return Ok(Place {
                root: place.root.clone(),
                prefix: place.prefix.clone(),
            });
        }
        let named = |prefix: &str| RepoPath::new(prefix).expect("checked when the command began");
        let prefix = if let Some(project) = self.project_option() {
            named(project)
        } else {
            let top = repository.commit_tree(commit, &RepoPath::root())?;
            let fail = |e: ReadError| git::Error::Object {
                what: commit.to_string(),
                reason: e.to_string(),
            };
            match project::Search::new(repository)?
                .find(&top)
                .map_err(fail)?
                .as_slice()
            {
                [only] => only.clone(),
                _ => RepoPath::root(),
            }
        };
        Ok(Place {
            root: self.cwd.clone(),
            prefix,
        })
    }

    /// The project as a commit has it.
    pub(super) fn commit_at(&self, revision: &str) -> Result<git::CommitTree<'_>, git::Error> {
        let repository = self.repository()?.ok_or(git::Error::NotARepository)?;
        let commit = repository.commit_id(revision)?;
        let place = self.place_at(repository, commit)?;
        repository.commit_tree(commit, &place.prefix)
    }

    /// Whether the program runs under the name of the tool it can stand in for.
    pub(super) fn is_drop_in(&self) -> bool {
        self.program == "openlogos"
    }

    /// Language and program name of all text: `GIT_SPEC_LANG`, else the project's locale.
    pub fn voice(&self) -> &Voice {
        self.voice.get_or_init(|| {
            // A place that cannot be found is told by the command itself; its text is English then.
            self.voice_with(|| locale_of(&self.work_tree().ok()?))
        })
    }

    fn voice_with(&self, locale: impl FnOnce() -> Option<String>) -> Voice {
        let locale = self.env.text("GIT_SPEC_LANG").or_else(locale);
        Voice {
            language: locale.as_deref().map_or(Language::English, Language::of_locale),
            program: self.program.clone(),
        }
    }

    /// A voice for what looks at no project, and so does not know its language.
    pub(super) fn plain_voice(&self) -> Voice {
        self.voice_with(|| None)
    }

    /// Makes [`Context::plain_voice`] the voice of this command, which must open no repository to find one.
    pub(super) fn speak_plainly(&self) {
        let _asked_before = self.voice.set(self.plain_voice());
    }

    /// Makes the language of the project in a tree the voice of this command, without a repository.
    pub(super) fn speak_as(&self, tree: &dyn Tree) {
        let _asked_before = self.voice.set(self.voice_with(|| locale_of(tree)));
    }

    /// The voice of files that belong to the project: in its language, not in that of the caller.
    pub(super) fn project_voice(&self, tree: &dyn Tree) -> Result<Voice, ReadError> {
        let locale = project::Config::load(tree)?.and_then(|config| config.locale);
        Ok(Voice {
            language: locale.as_deref().map_or(Language::English, Language::of_locale),
            ..self.voice().clone()
        })
    }

    /// Whether text to a stream may be coloured.
    pub fn color(&self, terminal: bool) -> bool {
        match self.color.as_deref() {
            Some("always") => true,
            Some("never") => false,
            _ if self.env.text("NO_COLOR").is_some() => false,
            _ if self.env.text("CLICOLOR_FORCE").is_some_and(|v| v != "0") => true,
            _ => terminal,
        }
    }

    /// The lock of the project: below the git directory, or in `logos/.runtime` without one (git.md 1.3).
    pub fn lock_rule(&self, command: &str) -> Result<LockRule, git::Error> {
        let mut wait = Duration::from_secs(10);
        let (dir, keep) = if let Some(repository) = self.repository()? {
            wait = repository.lock_timeout()?.map_or(wait, Duration::from_secs);
            (repository.spec_dir(), repository.git_dir())
        } else {
            let root = &self.place()?.root;
            let logos = root.join("logos");
            // A link is no folder of the project: it is refused below the root.
            let is_folder = logos.symlink_metadata().is_ok_and(|meta| meta.is_dir());
            let keep = if is_folder { &logos } else { root };
            (logos.join(".runtime/git-spec"), keep.clone())
        };
        Ok(LockRule {
            path: dir.join("lock"),
            holder: command.to_owned(),
            wait,
            keep,
            nested: self.env.get("GIT_SPEC_TRANSACTION").is_some(),
        })
    }

    /// Waits for the project's lock and ends what an earlier run left: the right to write.
    pub(super) fn writer(&self, command: &str) -> Result<Writer, Trouble> {
        self.writer_by(&self.lock_rule(command)?)
    }

    /// Ends what an earlier run left, if there is such a thing and nobody else is at work.
    pub(super) fn settle_leftovers(&self, command: &str) -> Result<(), Trouble> {
        let rule = LockRule {
            wait: Duration::ZERO,
            ..self.lock_rule(command)?
        };
        if !Writer::has_leftovers(&rule) {
            return Ok(());
        }
        match self.writer_by(&rule) {
            // Whoever holds the lock ends it.
            Ok(_) | Err(Trouble::Write(WriteError::Lock(LockError::Held(_) | LockError::Nested))) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn writer_by(&self, rule: &LockRule) -> Result<Writer, Trouble> {
        let place = self.place()?;
        let writer = match self.repository()? {
            Some(repository) => {
                let outside = Commits {
                    repository,
                    prefix: &place.prefix,
                };
                Writer::open(&place.root, rule, &outside)
            }
            None => Writer::open(&place.root, rule, &NothingOutside),
        };
        Ok(writer?)
    }
}

/// The locale that a project names. A config that cannot be read is told by the command itself; its text is English then.
fn locale_of(tree: &dyn Tree) -> Option<String> {
    project::Config::load(tree).ok().flatten()?.locale
}
