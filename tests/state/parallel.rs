//! U07: writers of one document at once, some of them killed or stopped.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::SystemTime;

use git_spec::state::malformed::Malformed;
#[cfg(target_os = "linux")]
use rustix::process::{Pid, Signal, kill_process};

#[cfg(target_os = "linux")]
use super::LOCK;
use super::common::Repo;
use super::{BODY, STATE, data, litter, project, state};

const WRITERS: usize = 40;
const KILLED: usize = 5;

/// A document with front matter, whose last line tells whether it is whole.
fn document() -> String {
    format!("---\nmsd_state_version: 1.0\nstatus: executing\n---\n\n{BODY}\n## Log\n\nThe end.\n")
}

fn writer(repo: &Repo, text: &str) -> Child {
    let args = ["state", "add-decision", "--phase", "2", "--summary", text];
    let mut command = repo.program();
    started(command.args(args))
}

fn started(command: &mut Command) -> Child {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

fn text(number: usize) -> String {
    format!("decision {number:02}.")
}

/// How many of the decisions stand in a document, each at most once.
#[track_caller]
fn present(document: &str) -> BTreeSet<usize> {
    (0..WRITERS)
        .filter(|number| {
            let count = document
                .matches(&format!("- [Phase 2]: {}\n", text(*number)))
                .count();
            assert!(count <= 1, "{number} stands {count} times:\n{document}");
            count == 1
        })
        .collect()
}

/// What is there is a whole document.
#[track_caller]
fn whole(bytes: &[u8]) -> &str {
    let text = std::str::from_utf8(bytes).expect("it is UTF-8");
    assert!(
        text.starts_with("---\n") && text.ends_with("\nThe end.\n"),
        "torn: {text:?}"
    );
    assert_eq!(Malformed::all(bytes), []);
    text
}

/// Reads as long as the writers write: the file itself, and by the program.
fn read_meanwhile(repo: &Repo, ended: &AtomicBool) -> usize {
    let mut seen = BTreeSet::new();
    let mut reads = 0;
    while !ended.load(Ordering::SeqCst) {
        for _ in 0..20 {
            let bytes = std::fs::read(repo.path(STATE)).expect("it is there at every moment");
            let now = present(whole(&bytes));
            assert!(now.is_superset(&seen), "{seen:?} were there, then {now:?}");
            seen = now;
            reads += 1;
        }
        let got = data(state(repo, &["get"]));
        let content = got["content"].as_str().expect("it is text");
        seen.extend(present(whole(content.as_bytes())));
    }
    reads
}

#[test]
fn u07_whoever_said_that_it_wrote_has_written() {
    let repo = project(&document());
    let ended = AtomicBool::new(false);
    let random = |below: usize| {
        let number = RandomState::new().hash_one(0);
        usize::try_from(number % u64::try_from(below).expect("small")).expect("small")
    };
    let succeeded = std::thread::scope(|scope| {
        let reader = scope.spawn(|| read_meanwhile(&repo, &ended));
        let mut writers: Vec<Child> = (0..WRITERS).map(|number| writer(&repo, &text(number))).collect();
        let mut victims = BTreeSet::new();
        while victims.len() < KILLED {
            victims.insert(random(WRITERS));
        }
        for victim in victims {
            std::thread::sleep(Duration::from_millis(u64::try_from(random(40)).expect("small")));
            writers[victim].kill().expect("it was not waited for");
        }
        let outcomes: Vec<bool> = writers
            .iter_mut()
            .map(|writer| writer.wait().expect("it ends").success())
            .collect();
        ended.store(true, Ordering::SeqCst);
        assert!(reader.join().expect("no read failed") > 0);
        outcomes
    });
    let succeeded: BTreeSet<usize> = (0..WRITERS).filter(|number| succeeded[*number]).collect();
    assert!(succeeded.len() >= WRITERS - KILLED, "{succeeded:?}");

    let bytes = std::fs::read(repo.path(STATE)).expect("there");
    let there = present(whole(&bytes));
    assert!(there.is_superset(&succeeded), "lost: {:?}", &succeeded - &there);
    // One that was killed may have written before; nobody else is there.
    assert!(there.len() <= WRITERS);
    let after = data(state(&repo, &["add-decision", "--summary", "one more"]));
    assert_eq!(after["added"], true);
    assert_eq!(litter(&repo), [""; 0]);
}

/// A document that takes a while to be changed.
#[cfg(target_os = "linux")]
fn long_document() -> String {
    let log = "- somebody **was**: said `here`\n".repeat(60_000);
    document().replace("## Log\n\n", &format!("## Log\n\n{log}"))
}

/// A writer that holds the lock, and is halted in this moment.
#[cfg(target_os = "linux")]
fn halted_holder(repo: &Repo) -> Child {
    for attempt in 0..50 {
        let mut child = writer(repo, &format!("attempt {attempt}"));
        let own = child.id().to_string();
        let is_held = || std::fs::read_to_string(repo.path(LOCK)).is_ok_and(|pid| pid == own);
        while !is_held() && child.try_wait().expect("a child").is_none() {
            std::thread::yield_now();
        }
        if child.try_wait().expect("a child").is_none() {
            kill_process(Pid::from_child(&child), Signal::STOP).expect("it runs");
            let stat = || std::fs::read_to_string(format!("/proc/{own}/stat")).unwrap_or_default();
            while !stat().contains(") T ") && child.try_wait().expect("a child").is_none() {
                std::thread::yield_now();
            }
            if is_held() && child.try_wait().expect("a child").is_none() {
                return child;
            }
            kill_process(Pid::from_child(&child), Signal::CONT).expect("it was not waited for");
        }
        child.wait().expect("it ends");
    }
    panic!("no writer was met with the lock in its hands");
}

#[cfg(target_os = "linux")]
#[test]
fn u07_a_halted_holder_that_lost_its_lock_writes_nothing_when_it_goes_on() {
    let repo = project(&long_document());
    let mut halted = halted_holder(&repo);
    let before = repo.read(STATE);
    // Nobody waits a minute here: the lock is made older.
    let old = SystemTime::now() - Duration::from_secs(61);
    let lock = std::fs::File::options()
        .write(true)
        .open(repo.path(LOCK))
        .expect("held");
    lock.set_modified(old).expect("aged");
    data(state(
        &repo,
        &["add-decision", "--phase", "2", "--summary", "taken over"],
    ));
    let after = repo.read(STATE);
    assert!(after.contains("- [Phase 2]: taken over\n"));

    kill_process(Pid::from_child(&halted), Signal::CONT).expect("it is halted");
    let ended = halted.wait().expect("it ends");
    assert_eq!(ended.code(), Some(1));
    assert!(repo.read(STATE) == after, "the halted writer wrote");
    assert!(after.len() > before.len());
    assert_eq!(litter(&repo), [""; 0]);
}

#[cfg(target_os = "linux")]
#[test]
fn u07_a_holder_that_was_killed_is_followed_at_once_and_its_files_go() {
    let repo = project(&long_document());
    let mut halted = halted_holder(&repo);
    halted.kill().expect("it is halted");
    // Nobody has asked for it yet: to the system it is still there.
    let left = format!("{STATE}.tmp.{}", halted.id());
    repo.write(&left, "half of a docu");
    data(state(
        &repo,
        &["add-decision", "--phase", "2", "--summary", "after it"],
    ));
    whole(&std::fs::read(repo.path(STATE)).expect("there"));
    assert_eq!(litter(&repo), [""; 0]);
    halted.wait().expect("it ended");
}

/// Processor time that a process has had, in hundredths of a second.
#[cfg(target_os = "linux")]
fn ticks(child: &Child) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).expect("it runs");
    let (_, fields) = stat.rsplit_once(") ").expect("a name in parentheses");
    let fields: Vec<&str> = fields.split(' ').collect();
    [11, 12]
        .iter()
        .map(|at| fields[*at].parse::<u64>().expect("a number"))
        .sum()
}

#[cfg(target_os = "linux")]
#[test]
fn u07_waiting_takes_no_processor_time() {
    let repo = project(&document());
    // This process lives, and holds the lock.
    repo.write(LOCK, std::process::id().to_string());
    let mut waiter = writer(&repo, "patience");
    std::thread::sleep(Duration::from_millis(800));
    let begun = ticks(&waiter);
    std::thread::sleep(Duration::from_millis(1500));
    let used = ticks(&waiter) - begun;
    assert!(
        used <= 5,
        "{used} hundredths of a second in one and a half seconds"
    );
    assert!(waiter.try_wait().expect("a child").is_none(), "it does not wait");
    assert!(!repo.read(STATE).contains("patience"));
    repo.remove(LOCK);
    assert!(waiter.wait().expect("it ends").success());
    assert!(repo.read(STATE).contains("patience"));
}
