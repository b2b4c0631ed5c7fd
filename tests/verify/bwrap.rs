//! The copy with the project mounted read-only by `bwrap` (verify.md 7.4, B): its own dangers, and which `bwrap` it is.
//! What holds for every way is in `sandbox`, `overlay` and `alike`.
#![cfg(target_os = "linux")]

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{Tolls, out};
use crate::overlay::{killed_in_the_middle, verify_started_by, verify_within};
use crate::sandbox::{BACKEND, boxed, give_to_nobody, is_clean, verify_as_nobody, ways};
use crate::{LEDGER, all_pass, configure, data, passing};

/// Whether there is a `bwrap` here that works; which is told if not.
fn has_bwrap() -> bool {
    ways().contains(&"bwrap")
}

/// A sandbox as [`boxed`] makes it, whose command knows where the project is.
fn boxed_at(mode: &str, command: &str) -> Tolls {
    let tolls = boxed(mode, "");
    let real = tolls.root().display().to_string();
    configure(
        &tolls,
        &json!({"verify": {
            "sandbox_mode": mode, "sandbox_root": "../boxes",
            "pre_run_command": format!("{}; {}", command.replace("$REAL", &real), passing()),
        }}),
    );
    tolls
}

#[track_caller]
fn first_text(found: &Value) -> &str {
    found["sandbox"]["diagnostics"][0].as_str().unwrap_or_default()
}

#[test]
fn it_is_a_way_that_protects() {
    if !has_bwrap() {
        return;
    }
    for mode in ["auto", "always"] {
        let tell = "pwd; id -u; id -g; umask; echo $COLOUR; grep NoNewPrivs /proc/self/status";
        let tolls = boxed_at(mode, &format!("({tell}) > $HOME/told; chown 1:1 logos || true"));
        let mut command = tolls.program();
        command.env(BACKEND, "bwrap").env("COLOUR", "blue");
        let found = data(&out(command.args(["verify", "--format", "json"]), b""));
        let sandbox = &found["sandbox"];
        assert_eq!(sandbox["status"], "pass", "{found}");
        assert_eq!(sandbox["isolated"], true, "{found}");
        assert_eq!(sandbox["diagnostics"], json!([]), "{found}");
        assert_eq!(found["gate"]["result"], "PASS", "{found}");
        assert_eq!(tolls.read(LEDGER), all_pass());
        let told = std::fs::read_to_string(tolls.home().join("told")).expect("it ran");
        let plain = out(
            tolls.command("sh").args([
                "-c",
                "id -u; id -g; umask; echo blue; printf 'NoNewPrivs:\\t1\\n'",
            ]),
            b"",
        );
        let root = sandbox["root"].as_str().expect("a folder");
        assert_eq!(told, format!("{root}\n{}", plain.stdout));
        assert!(std::path::Path::new(root).starts_with(tolls.root().with_file_name("boxes")));
        is_clean(&tolls);
    }
}

/// What a command may try; `$PID` is a process outside that is in the project and has a file of it open.
const ATTEMPTS: [&str; 28] = [
    "chmod 777 $REAL/README.md",
    "chmod 777 $REAL",
    "touch -d @1 $REAL/README.md",
    "chown 1:1 $REAL/README.md",
    "ln $REAL/README.md mine && chmod 777 mine",
    "mv $REAL/README.md $HOME",
    "umount $REAL; echo x > $REAL/new",
    "umount -l $REAL; echo x > $REAL/new",
    "umount -l /; echo x > $REAL/new",
    "mount -o remount,rw $REAL; echo x > $REAL/new",
    "mount -o remount,bind,rw $REAL; echo x > $REAL/new",
    "mount --bind $REAL . && echo x > new",
    "unshare -Urm sh -c 'umount -l $REAL; mount -o remount,bind,rw $REAL; echo x > $REAL/new'",
    "unshare -Urm sh -c 'mkdir $HOME/all; mount --rbind / $HOME/all; mount -o remount,bind,rw $HOME/all$REAL; echo x > $HOME/all$REAL/new'",
    "unshare -Urm sh -c 'mkdir $HOME/up; mount --bind $REAL/.. $HOME/up; echo x > $HOME/up/repo/new'",
    "unshare -Urm sh -c 'mkdir $HOME/it; mount --bind $REAL $HOME/it; mount -o remount,bind,rw $HOME/it; echo x > $HOME/it/new'",
    "bwrap --dev-bind / / --bind $REAL $REAL sh -c 'echo x > $REAL/new'",
    "bwrap --unshare-user --dev-bind / / sh -c 'umount -l $REAL; echo x > $REAL/new'",
    "echo x > /proc/$PID/cwd/new",
    "echo x > /proc/$PID/root$REAL/new",
    "echo x >> /proc/$PID/fd/5",
    "cd /proc/$PID/cwd && echo x > new",
    "chroot /proc/$PID/root touch $REAL/new",
    "unshare -Ur sh -c 'echo x > /proc/$PID/cwd/new; chroot /proc/$PID/root touch $REAL/new'",
    "nsenter -t $PID -m touch $REAL/new; nsenter -t $PID -U -m touch $REAL/new",
    "for p in /proc/[0-9]*; do echo x > $p/root$REAL/new; echo x >> $p/cwd/README.md; done",
    "for p in /proc/[0-9]*; do for f in $p/fd/*; do test $f -ef $REAL/README.md && echo x >> $f; done; done",
    "(setsid sh -c 'sleep 0.2; umount -l $REAL; echo x > $REAL/late' &)",
];

/// A process that is in the project, and has a file of it open for writing.
struct Outsider(Child);

impl Drop for Outsider {
    fn drop(&mut self) {
        self.0.kill().expect("it is ours");
        self.0.wait().expect("it was killed");
    }
}

fn outsider(tolls: &Tolls, words: &[&str]) -> Outsider {
    let mut command = tolls.command(words[0]);
    command.args(&words[1..]).args(["sh", "-c"]);
    command.arg("exec 5>>README.md; touch $HOME/is-open; exec sleep 600");
    command.current_dir(tolls.root()).stdout(Stdio::null());
    let child = Outsider(command.spawn().expect("it starts"));
    while !tolls.home().join("is-open").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

/// Tries all that as whoever `verify` is run by, with an outsider that is the same.
#[track_caller]
fn nothing_reaches_the_project(tolls: &Tolls, words: &[&str], verify: impl Fn() -> Command) {
    let outsider = outsider(tolls, words);
    let real = tolls.root().display().to_string();
    let file = || {
        let found = tolls.path("README.md").metadata().expect("it is there");
        let folder = tolls.root().metadata().expect("it is there");
        let owners = (found.uid(), found.gid(), found.nlink());
        (found.mode(), owners, found.mtime(), folder.mode())
    };
    let files = || tolls.snapshot().files_without("logos/resources/verify");
    for attempt in ATTEMPTS {
        let tried = attempt
            .replace("$REAL", &real)
            .replace("$PID", &outsider.0.id().to_string());
        let tried = format!("({tried}) 2> /dev/null; {}", passing());
        configure(
            tolls,
            &json!({"verify": {
                "sandbox_mode": "auto", "sandbox_root": "../boxes", "pre_run_command": tried,
            }}),
        );
        let before = (files(), file());
        let mut command = verify();
        let found = data(&out(command.env(BACKEND, "bwrap"), b""));
        if attempt.contains("late") {
            std::thread::sleep(Duration::from_millis(400));
        }
        assert_eq!(found["sandbox"]["isolated"], true, "{attempt}: {found}");
        assert_eq!(found["gate"]["result"], "PASS", "{attempt}: {found}");
        assert!(!first_text(&found).contains("no write protection"), "{found}");
        assert_eq!((files(), file()), before, "{attempt}");
        is_clean(tolls);
    }
}

#[test]
fn nothing_that_a_command_tries_reaches_the_project() {
    if !has_bwrap() {
        return;
    }
    let tolls = boxed("auto", "");
    tolls.write("README.md", "mine\n");
    nothing_reaches_the_project(&tolls, &["env"], || {
        let mut command = tolls.program();
        command.args(["verify", "--format", "json"]);
        command
    });
}

#[test]
fn nothing_that_a_user_without_rights_tries_reaches_it() {
    let tolls = boxed("auto", "");
    tolls.write("README.md", "mine\n");
    // For who looks at the repository and does not own it any more.
    std::fs::write(tolls.home().join(".gitconfig"), "[safe]\ndirectory = *\n").expect("written");
    if !has_bwrap() || !give_to_nobody(&tolls) {
        return;
    }
    let words = [
        "setpriv",
        "--reuid",
        "65534",
        "--regid",
        "65534",
        "--clear-groups",
    ];
    nothing_reaches_the_project(&tolls, &words, || verify_as_nobody(&tolls));
    configure(
        &tolls,
        &json!({"verify": {
            "sandbox_mode": "always", "sandbox_root": "../boxes", "pre_run_command": passing(),
        }}),
    );
    let found = data(&out(verify_as_nobody(&tolls).env(BACKEND, "bwrap"), b""));
    assert_eq!(found["sandbox"]["status"], "pass", "{found}");
}

#[test]
fn what_is_mounted_inside_the_project_is_protected_too() {
    if !has_bwrap() {
        return;
    }
    let tolls = boxed_at(
        "always",
        "test -e sub/old || exit 3; echo x > $REAL/sub/new && touch $HOME/out; echo x > $REAL/file && touch $HOME/out; true",
    );
    tolls.write("file", "mine\n");
    let preparation = format!(
        "export {BACKEND}=bwrap; mkdir sub; mount -t tmpfs none sub; touch sub/old; mount --bind README.md file"
    );
    tolls.write("README.md", "mine\n");
    let Some(found) = verify_within(&tolls, &preparation) else {
        return;
    };
    assert_eq!(found["sandbox"]["status"], "pass", "{found}");
    assert_eq!(found["pre_run"]["commands"][0]["exit_code"], 0, "{found}");
    assert!(!tolls.home().join("out").exists());
    assert_eq!(tolls.read("README.md"), "mine\n");
}

/// A filter in which the kernel knows no Landlock; `struct sock_filter` of `linux/filter.h`.
fn no_landlock() -> Vec<u8> {
    let filter: [(u16, u8, u8, u32); 4] = [
        // The number of the call; that of `landlock_create_ruleset` is the same everywhere.
        (0x20, 0, 0, 0),
        (0x15, 0, 1, 444),
        // ENOSYS
        (0x06, 0, 0, 0x0005_0026),
        (0x06, 0, 0, 0x7fff_0000),
    ];
    let bytes = |(code, yes, no, value): (u16, u8, u8, u32)| {
        let mut bytes = code.to_ne_bytes().to_vec();
        bytes.extend([yes, no]);
        bytes.extend(value.to_ne_bytes());
        bytes
    };
    filter.into_iter().flat_map(bytes).collect()
}

#[test]
fn it_stands_in_where_there_is_neither_layer_nor_landlock() {
    if !has_bwrap() {
        return;
    }
    for (mode, has_it, status) in [
        ("auto", true, "pass"),
        ("always", true, "pass"),
        ("auto", false, "warn"),
        ("always", false, "fail"),
    ] {
        let tolls = boxed_at(mode, "touch $HOME/ran; echo x > $REAL/new; true");
        std::fs::write(tolls.home().join("filter"), no_landlock()).expect("written");
        let path = if has_it {
            String::new()
        } else {
            // All but one.
            let bin = tolls.home().join("bin");
            std::fs::create_dir(&bin).expect("made");
            for name in ["sh", "git", "env", "touch"] {
                let found = out(
                    tolls.command("sh").args(["-c", &format!("command -v {name}")]),
                    b"",
                );
                std::os::unix::fs::symlink(found.stdout.trim(), bin.join(name)).expect("made");
            }
            format!("env PATH={}", bin.display())
        };
        let preparation = "mkdir sub; mount -t tmpfs none sub";
        let words = format!("exec bwrap --dev-bind / / --seccomp 9 9<$HOME/filter {path}");
        let Some(found) = verify_started_by(&tolls, preparation, &words) else {
            return;
        };
        assert_eq!(found["sandbox"]["status"], status, "{mode}: {found}");
        assert_eq!(
            tolls.home().join("ran").exists(),
            status != "fail",
            "{mode}: {found}"
        );
        if has_it {
            assert_eq!(found["gate"]["result"], "PASS", "{found}");
            assert!(!tolls.exists("new"));
        } else {
            let told = first_text(&found);
            for why in [
                "overlay: something is mounted",
                "; copy: ",
                "; bwrap: there is none",
            ] {
                assert!(told.contains(why), "{told}");
            }
        }
    }
}

/// A program `bwrap` in a folder.
fn program(at: &std::path::Path, mode: u32, text: &str) {
    std::fs::create_dir_all(at).expect("made");
    let file = at.join("bwrap");
    std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).expect("written");
    std::fs::set_permissions(file, PermissionsExt::from_mode(mode)).expect("ours");
}

/// `verify` with these folders first in the `PATH`, and nothing else that protects.
fn verify_with(tolls: &Tolls, folders: &str) -> Value {
    let mut command = tolls.program();
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{folders}:{path}"));
    command.env(BACKEND, "bwrap").args(["verify", "--format", "json"]);
    data(&out(&mut command, b""))
}

#[test]
fn a_repository_brings_no_bwrap_of_its_own() {
    if !has_bwrap() {
        return;
    }
    let tolls = boxed_at("always", "echo x > $REAL/new; true");
    let (root, home) = (tolls.root(), tolls.home());
    let bad = "touch $HOME/bad";
    program(&root.join("bin"), 0o755, bad);
    program(root, 0o755, bad);
    program(&home.join("others"), 0o4755, bad);
    std::os::unix::fs::symlink(root.join("bin"), home.join("link")).expect("made");
    let folders = format!(
        ":.:bin:./bin:{root}/bin:{root}:{home}/link:{home}/../repo/bin:{home}/others",
        root = root.display(),
        home = home.display()
    );
    let found = verify_with(&tolls, &folders);
    assert_eq!(found["sandbox"]["status"], "pass", "{found}");
    assert!(!home.join("bad").exists());
    assert!(!tolls.exists("new"));
    is_clean(&tolls);
}

#[test]
fn one_that_fails_or_lies_is_none() {
    if !has_bwrap() {
        return;
    }
    let real = Command::new("sh").args(["-c", "command -v bwrap"]).output();
    let real = String::from_utf8(real.expect("sh starts").stdout).expect("a path");
    let swap = |from: &str, to: &str| {
        let real = real.trim();
        format!(
            "for w; do shift; test \"$w\" = {from} && w={to}; set -- \"$@\" \"$w\"; done; exec {real} \"$@\""
        )
    };
    let bad = [
        ("echo 'bwrap: not today' >&2; exit 1", "bwrap: bwrap: not today"),
        ("exit 0", "bwrap: "),
        ("echo '{\"child-pid\": 4294967295}'; exec sleep 9", "bwrap: "),
        (
            // All goes well but for what matters.
            &swap("--ro-bind", "--bind"),
            "` is not protected",
        ),
        (&swap("--dev-bind", "--ro-bind"), "Read-only file system"),
    ];
    for (text, why) in bad {
        for (mode, status) in [("auto", "warn"), ("always", "fail")] {
            let tolls = boxed_at(mode, "touch $HOME/ran");
            program(&tolls.home().join("bin"), 0o755, text);
            let folder = tolls.home().join("bin").display().to_string();
            let found = verify_with(&tolls, &folder);
            assert_eq!(found["sandbox"]["status"], status, "{text}: {found}");
            assert_eq!(
                tolls.home().join("ran").exists(),
                mode == "auto",
                "{text}: {found}"
            );
            let told = first_text(&found);
            assert!(told.contains(why), "{text}: {told}");
            is_clean(&tolls);
        }
    }
}

/// Who is in the namespace is ended with the command: it must never be the one that we are in.
#[test]
fn one_that_makes_no_mounts_of_its_own_is_none() {
    if !has_bwrap() {
        return;
    }
    let tolls = boxed_at("auto", "true");
    let text = "exec 5<&0; unshare -U sh -c 'read -r mapped; echo ready; cat' <&5 & sleep 0.5
        echo \"{\\\"child-pid\\\": $!}\"; wait";
    program(&tolls.home().join("bin"), 0o755, text);
    let preparation = format!("export {BACKEND}=bwrap PATH=$HOME/bin:$PATH");
    let Some(found) = verify_within(&tolls, &preparation) else {
        return;
    };
    let told = first_text(&found);
    assert!(
        told.contains("bwrap: it has no mount namespace of its own"),
        "{told}"
    );
}

/// Killed, we cannot clean up: the folder stays, as everywhere. The holder ends all the same.
#[test]
fn killed_at_once_it_leaves_no_holder() {
    if !has_bwrap() {
        return;
    }
    let tolls = killed_in_the_middle("bwrap");
    is_clean(&tolls);
}
