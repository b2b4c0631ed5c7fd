//! What `doctor` looks at in the clone: git, hooks, merge driver, lock, work trees, references, configuration (git.md 9).

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use super::super::trust::weakness_of_record;
use super::super::{Context, hooks as hook_command, merge_driver};
use super::Ailments;
use super::words::Ailment;
use crate::check::Policy;
use crate::files::{Records, Unread, Writer, read_regular};
use crate::git::{self, INITIALIZING, Repository, git_version};
use crate::history::{CACHE_VERSION, cache_file};
use crate::hooks::{self, State};
use crate::process::is_alive;
use crate::project::layout;
use crate::text::nearest_name;
use crate::worktree::{Layout, State as Standing, survey};

const OLDEST_GIT: (u32, u32) = (2, 38);
/// A lock held longer than this is told.
const LONG: Duration = Duration::from_secs(60);
/// Rescues older than this are told, in seconds.
const OLD_RESCUE: i64 = 90 * 24 * 60 * 60;

/// Git reads no longer file of attributes, in bytes.
const LONGEST: u64 = 100 << 20;

/// Keys of ours that are no rules and no hooks.
const KEYS: [&str; 12] = [
    "spec.branchprefix",
    "spec.defaultbranch",
    "spec.documents",
    "spec.drafts",
    "spec.judge",
    "spec.locktimeout",
    "spec.projectdepth",
    "spec.receive.deletions",
    "spec.receive.internal",
    "spec.receive.maxcommits",
    "spec.receive.rewrites",
    "spec.trailer",
];

/// Looks at git itself, and opens the repository; none if there is none, or it cannot be opened.
pub(super) fn open<'c>(ctx: &'c Context, out: &mut Ailments) -> Option<&'c Repository> {
    match git_version(&ctx.cwd) {
        Err(_) => out.push(Ailment::GitMissing),
        Ok(Some(found)) if found < OLDEST_GIT => out.push(Ailment::GitOld {
            found: format!("{}.{}", found.0, found.1),
        }),
        Ok(_) => {}
    }
    match ctx.repository() {
        Ok(found) => found,
        Err(git::Error::Refused(said)) if said.contains("ownership") => {
            out.push(Ailment::Ownership { said });
            None
        }
        Err(error) => {
            out.push(Ailment::RepositoryUnreadable {
                said: error.to_string(),
            });
            None
        }
    }
}

/// Looks at a clone.
pub(super) fn look(ctx: &Context, repository: &Repository, out: &mut Ailments) {
    hooks(repository, out);
    driver(ctx, repository, out);
    if let Some(found) = out.known(lock(ctx)) {
        out.extend(found);
    }
    worktrees(ctx, repository, out);
    references(ctx, repository, out);
    configuration(ctx, repository, out);
    own_files(repository, out);
}

fn hooks(repository: &Repository, out: &mut Ailments) {
    let status = hook_command::status_of(repository);
    let Some(status) = out.known(status) else { return };
    let is_ours = |state: State| {
        matches!(
            state,
            State::Installed | State::Outdated | State::Changed | State::Off
        )
    };
    if !status.hooks.iter().any(|hook| is_ours(hook.state)) {
        // They were never installed: nothing is promised.
        return;
    }
    for (worktree, reached) in &status.worktrees {
        if !reached {
            out.push(Ailment::HooksNotReached {
                worktree: worktree.display().to_string(),
            });
        }
    }
    for hook in &status.hooks {
        let name = hook.hook.as_str();
        match hook.state {
            State::Outdated => out.push(Ailment::HookOutdated { hook: name }),
            State::Changed => out.push(Ailment::HookChanged { hook: name }),
            State::Off => out.push(Ailment::HookBypassed { hook: name }),
            State::Installed | State::Absent | State::Foreign | State::Managed => {}
        }
    }
    let former = out.known(hooks::unforwarded(repository)).unwrap_or_default();
    out.extend(former.into_iter().map(|path| Ailment::HookForwarding {
        path: path.display().to_string(),
    }));
}

fn driver(ctx: &Context, repository: &Repository, out: &mut Ailments) {
    let configured = repository.setting("merge.spec.driver").is_some();
    let files = out.known(merge_driver::attributes_files(ctx, repository));
    let mut named = false;
    for file in files.unwrap_or_default() {
        match read_regular(&file, LONGEST) {
            Ok(bytes) => named |= names_driver(&String::from_utf8_lossy(&bytes)),
            // In these git finds no attributes.
            Err(Unread::Missing | Unread::NotAFile | Unread::TooLong) => {}
            // Nothing is known then of the driver.
            Err(Unread::Io(error)) => {
                out.push(Ailment::Unreadable {
                    said: format!("`{}`: {error}", file.display()),
                });
                return;
            }
        }
    }
    match (named, configured) {
        (true, false) => out.push(Ailment::DriverMissing),
        (false, true) => out.push(Ailment::DriverUnused),
        (true, true) | (false, false) => {}
    }
}

fn names_driver(attributes: &str) -> bool {
    attributes
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .any(|line| line.split_whitespace().skip(1).any(|word| word == "merge=spec"))
}

/// Who holds the lock for long, and what an earlier command has left.
fn lock(ctx: &Context) -> Result<Vec<Ailment>, String> {
    let rule = ctx.lock_rule("doctor").map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    let holder = match fs::read_to_string(&rule.path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read.map_err(|error| format!("`{}`: {error}", rule.path.display()))?,
    };
    let pid: Option<u32> = holder
        .strip_prefix("pid ")
        .and_then(|rest| rest.split(',').next()?.trim().parse().ok());
    let age = fs::metadata(&rule.path)
        .and_then(|meta| meta.modified())
        .ok()
        .and_then(|time| time.elapsed().ok());
    let held = pid.is_some_and(is_alive);
    if held && age.is_some_and(|age| age > LONG) {
        found.push(Ailment::LockHeld {
            by: holder.trim().to_owned(),
        });
    }
    if !held && Writer::has_leftovers(&rule) {
        found.push(Ailment::JournalLeft);
    }
    Ok(found)
}

fn worktrees(ctx: &Context, repository: &Repository, out: &mut Ailments) {
    if let Some(all) = out.known(repository.worktrees()) {
        let unfinished = all
            .iter()
            .skip(1)
            .filter(|tree| tree.locked.as_deref() == Some(INITIALIZING));
        out.extend(unfinished.map(|tree| Ailment::WorktreeHalfMade {
            path: tree.path.display().to_string(),
        }));
    }
    let Some(place) = out.known(ctx.place()) else {
        return;
    };
    let layouts = [
        Layout::beside(repository, vec![layout::guard()]),
        Layout::inside(repository, &place.prefix),
    ];
    for layout in layouts {
        let Some(layout) = out.known(layout) else { continue };
        let Some(standings) = out.known(survey(repository, &layout, &place.prefix.text())) else {
            continue;
        };
        for standing in &standings {
            let path = || {
                standing
                    .path()
                    .map(|path| path.display().to_string())
                    .unwrap_or_default()
            };
            match standing.state {
                Standing::Missing => out.push(Ailment::WorktreeMissing { path: path() }),
                Standing::Broken => out.push(Ailment::WorktreeBroken { path: path() }),
                Standing::Ok | Standing::BranchOnly => {}
            }
        }
    }
}

fn references(ctx: &Context, repository: &Repository, out: &mut Ailments) {
    let now = ctx.now.millis() / 1000;
    let rescues = out.known(repository.rescues(None)).unwrap_or_default();
    let old = rescues
        .into_iter()
        .filter(|rescue| now - rescue.time > OLD_RESCUE);
    out.extend(old.map(|rescue| Ailment::RescueOld { name: rescue.name }));
    let pushed = repository.remotes_that_get_our_refs().into_iter();
    out.extend(pushed.map(|remote| Ailment::RefsPushed { remote }));
    if out
        .known(repository.shallow_boundary())
        .is_some_and(|boundary| !boundary.is_empty())
    {
        out.push(Ailment::Shallow);
    }
    if repository.is_partial() {
        out.push(Ailment::Partial);
    }
    if repository.has_grafts() {
        out.push(Ailment::Grafts);
    }
    if out.known(repository.has_replace_refs()) == Some(true) {
        out.push(Ailment::ReplaceRefs);
    }
}

/// Keys and values of `spec.*` that nobody understands.
fn configuration(ctx: &Context, repository: &Repository, out: &mut Ailments) {
    let mut policy = Policy::default();
    policy.add_git(repository);
    if let Ok(tree) = ctx.work_tree() {
        out.known(policy.add_project(&tree));
    }
    for unknown in &policy.warnings {
        out.push(Ailment::ConfigUnknown {
            key: unknown.key.clone(),
            value: unknown.value.clone(),
            nearest: None,
        });
    }
    let rules: Vec<String> = crate::check::rule_names()
        .into_iter()
        .map(|name| format!("spec.rule.{name}"))
        .collect();
    let hooks = hooks::Hook::ALL.map(|hook| format!("spec.hook.{}", hook.as_str()));
    let known: Vec<&str> = KEYS
        .into_iter()
        .chain(["spec.worktreedir"])
        .chain(rules.iter().map(String::as_str))
        .chain(hooks.iter().map(String::as_str))
        .collect();
    for (key, value) in repository.section_keys("spec") {
        if !known.contains(&key.as_str()) {
            let nearest = nearest_name(&key, known.iter().copied()).map(str::to_owned);
            out.push(Ailment::ConfigUnknown { key, value, nearest });
        }
    }
}

fn own_files(repository: &Repository, out: &mut Ailments) {
    let cache = cache_file(repository);
    if Records::is_damaged(&cache, CACHE_VERSION) {
        out.push(Ailment::CacheDamaged {
            path: cache.display().to_string(),
        });
    }
    let (record, weak) = weakness_of_record(repository);
    if weak {
        out.push(Ailment::TrustUnsafe {
            path: record.display().to_string(),
        });
    }
}

/// Cures what can be cured without losing anything: hooks, driver, journal, work trees, cache, trust.
pub(super) fn mend(ctx: &Context, repository: &Repository, found: &[Ailment]) -> Vec<String> {
    let has = |codes: &[&str]| found.iter().any(|ailment| codes.contains(&ailment.code()));
    let mut failed = Vec::new();
    let mut tell = |result: Result<(), String>| failed.extend(result.err());
    if has(&[
        "hooks_not_reached",
        "hooks_outdated",
        "hooks_changed",
        "hooks_forwarding",
    ]) {
        tell(hook_command::install_again(ctx).map_err(|error| error.to_string()));
    }
    if has(&["driver_missing", "driver_unused"]) {
        tell(merge_driver::install_in_clone(ctx));
    }
    if has(&["journal_left"]) {
        tell(ctx.settle_leftovers("doctor").map_err(|error| error.to_string()));
    }
    if has(&["worktree_broken"]) {
        tell(repository.repair_worktrees().map_err(|error| error.to_string()));
    }
    for ailment in found {
        if let Ailment::CacheDamaged { path } | Ailment::TrustUnsafe { path } = ailment {
            tell(remove(Path::new(path)));
        }
    }
    failed
}

fn remove(path: &Path) -> Result<(), String> {
    crate::files::discard(path).map_err(|error| format!("`{}`: {error}", path.display()))
}
