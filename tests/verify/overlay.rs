//! The layer above the project (verify.md 7.4, E): its own dangers, and that it judges as the copy does.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::alike::rich;
use crate::common::{Out, Tolls, out};
use crate::sandbox::{BACKEND, boxed, give_to_nobody, is_clean, untested, verify_as_nobody, verify_by, ways};
use crate::{LEDGER, all_pass, configure, data, passing};

/// Whether there is the layer here; which is told if not.
fn has_layer() -> bool {
    ways().contains(&"overlay")
}

#[test]
fn the_command_is_at_the_project_and_is_who_it_was() {
    if !has_layer() {
        return;
    }
    let tolls = rich(
        "always",
        "pwd; id -u; id -g; stat -c %U:%a README.md src; cat link; git status --short",
    );
    let mut command = tolls.program();
    command.env(BACKEND, "overlay").args(["verify"]);
    let found = out(&mut command, b"").exits(0);
    let plain = "pwd; id -u; id -g; stat -c %U:%a README.md src; cat link; git status --short";
    let expected = out(tolls.command("sh").args(["-c", plain]), b"").exits(0);
    // Ledger and report are there afterwards only.
    let lines = |out: &Out| -> Vec<String> {
        let lines = out
            .stdout
            .lines()
            .filter(|line| !line.contains("logos/resources/verify"));
        lines.map(str::to_owned).collect()
    };
    let (found, expected) = (lines(&found), lines(&expected));
    assert_eq!(found[..expected.len()], expected);
}

/// What lies in the folders of sandboxes while a command waits.
fn entries_meanwhile(way: &str, tolls: &Tolls) -> usize {
    let mut command = tolls.program();
    command
        .env(BACKEND, way)
        .args(["verify", "--format", "json"])
        .stdout(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    let waits = tolls.home().join("waits");
    while !waits.exists() {
        assert!(child.try_wait().expect("it is ours").is_none(), "it ended");
        std::thread::sleep(Duration::from_millis(10));
    }
    let count = Command::new("find")
        .arg(tolls.root().with_file_name("boxes"))
        .output();
    let count = String::from_utf8_lossy(&count.expect("find starts").stdout)
        .lines()
        .count();
    std::fs::write(tolls.home().join("go"), "").expect("written");
    assert!(child.wait().expect("it ends").success());
    std::fs::remove_file(waits).expect("it was there");
    std::fs::remove_file(tolls.home().join("go")).expect("it was there");
    count
}

#[test]
fn nothing_is_copied() {
    for way in ways() {
        let tolls = boxed("auto", "");
        let wait = format!(
            "touch $HOME/waits; until test -e $HOME/go; do sleep 0.05; done; {}",
            passing()
        );
        configure(
            &tolls,
            &json!({"verify": {
                "sandbox_mode": "auto", "sandbox_root": "../boxes", "pre_run_command": wait,
            }}),
        );
        for number in 0..1500 {
            tolls.write(&format!("target/{}/{number}", number % 10), "built");
        }
        let count = entries_meanwhile(way, &tolls);
        let is_layer = *way == "overlay";
        assert_eq!(count > 1500, !is_layer, "{way}: {count}");
        assert!(!is_layer || count < 20, "{count}");
        is_clean(&tolls);
    }
}

/// Runs `verify` in namespaces of its own, after a preparation there with the rights to mount. None if it cannot be tried.
pub(crate) fn verify_within(tolls: &Tolls, preparation: &str) -> Option<Value> {
    verify_started_by(tolls, preparation, "exec")
}

/// As [`verify_within`]; these words start the program.
pub(crate) fn verify_started_by(tolls: &Tolls, preparation: &str, words: &str) -> Option<Value> {
    let text = format!("set -e\n{preparation}\n{words} \"$0\" verify --format json");
    let mut command = tolls.command("unshare");
    command.args(["-Urm", "sh", "-c", &text, env!("CARGO_BIN_EXE_git-spec")]);
    let possible = tolls.command("unshare").args(["-Urm", "true"]).status();
    if !possible.is_ok_and(|status| status.success()) {
        untested("there are no namespaces here");
        return None;
    }
    Some(data(&out(&mut command, b"")))
}

/// Where the command ran: at the project, or in a copy.
fn with_place(tolls: &Tolls) -> impl Fn() -> bool {
    let file = tolls.home().join("place");
    let root = tolls.root().display().to_string();
    configure(
        tolls,
        &json!({"verify": {
            "sandbox_mode": "always", "sandbox_root": "../boxes",
            "pre_run_command": format!("pwd > {}; {}", file.display(), passing()),
        }}),
    );
    move || std::fs::read_to_string(&file).expect("it ran").trim_end() == root
}

#[test]
fn where_no_layer_can_be_there_is_a_copy() {
    if !has_layer() || !ways().contains(&"copy") {
        return;
    }
    let preparations = [
        ("", true),
        ("echo 0 > /proc/sys/user/max_user_namespaces", false),
        ("mkdir -p sub; mount -t tmpfs none sub", false),
        (
            "mkdir ../a ../b ../c ../boxes; mount -t overlay -o lowerdir=../a,upperdir=../b,workdir=../c,userxattr none ../boxes",
            false,
        ),
        (
            "mkdir ../a ../b ../c ../d; mv * ../d; mount -t overlay -o lowerdir=../d,upperdir=../b,workdir=../c,userxattr none .; cd \"$PWD\"",
            true,
        ),
    ];
    for (preparation, is_layer) in preparations {
        let tolls = boxed("always", "");
        let ran_at_project = with_place(&tolls);
        let Some(found) = verify_within(&tolls, preparation) else {
            return;
        };
        assert_eq!(found["sandbox"]["status"], "pass", "{preparation}: {found}");
        assert_eq!(ran_at_project(), is_layer, "{preparation}");
        let _left = std::fs::remove_dir_all(tolls.root().with_file_name("c"));
    }
}

#[test]
fn another_mount_of_the_project_is_no_way_to_it() {
    for way in ways() {
        let tolls = boxed(
            "auto",
            &format!(
                "for at in all/repo one sub; do echo x > ../$at/new; done; {}",
                passing()
            ),
        );
        tolls.write("src/one", "1\n");
        let top = tolls.root().with_file_name("").display().to_string();
        configure(
            &tolls,
            &json!({"verify": {
                "sandbox_mode": "auto", "sandbox_root": "../boxes",
                "pre_run_command": format!("for at in all/repo one sub; do echo x > {top}$at/new; done; {}", passing()),
            }}),
        );
        let preparation = format!(
            "export {BACKEND}={way}\nmkdir ../all ../one ../sub; mount --bind .. ../all; mount --bind . ../one; mount --bind src ../sub"
        );
        let before = tolls.snapshot().files_without("logos/resources/verify");
        let Some(found) = verify_within(&tolls, &preparation) else {
            return;
        };
        assert_eq!(found["sandbox"]["isolated"], true, "{way}: {found}");
        assert_eq!(found["gate"]["result"], "PASS", "{way}: {found}");
        assert_eq!(
            tolls.snapshot().files_without("logos/resources/verify"),
            before,
            "{way}"
        );
        let told = found["sandbox"]["diagnostics"].to_string();
        assert_eq!(
            told.contains("`new` `src/new`"),
            *way == "overlay",
            "{way}: {told}"
        );
    }
}

#[test]
fn the_folder_of_sandboxes_may_not_be_the_project_by_another_mount() {
    let tolls = boxed("auto", "");
    configure(
        &tolls,
        &json!({"verify": {
            "sandbox_mode": "always", "sandbox_root": "../one/boxes", "pre_run_command": passing(),
        }}),
    );
    if let Some(found) = verify_within(&tolls, "mkdir ../one; mount --bind . ../one") {
        assert_eq!(found["sandbox"]["status"], "fail", "{found}");
        assert_eq!(found["sandbox"]["isolated"], false, "{found}");
    }
}

#[test]
fn what_is_handed_down_open_is_no_way_to_the_project() {
    let deed = "echo x > /proc/self/fd/9/new; echo x >&8; echo x > /proc/self/fd/9/README.md; test -p /dev/fd/7 || exit 3";
    for way in ways() {
        let tolls = rich("auto", deed);
        let before = tolls.snapshot().files_without("logos/resources/verify");
        let mut command = tolls.command("sh");
        let text = "true | { exec 9<. 8>>README.md 7<&0; exec \"$0\" verify --format json; }";
        command
            .env(BACKEND, way)
            .args(["-c", text, env!("CARGO_BIN_EXE_git-spec")]);
        let found = data(&out(&mut command, b""));
        assert_eq!(found["pre_run"]["commands"][0]["exit_code"], 0, "{way}: {found}");
        assert_eq!(
            tolls.snapshot().files_without("logos/resources/verify"),
            before,
            "{way}"
        );
    }
}

#[test]
fn reports_are_read_where_the_command_wrote_them() {
    let write = "mkdir -p out; printf '<testsuite><testcase name=\"UT-S01-01\"/></testsuite>' > out/a.xml; ln -s a.xml out/b.xml";
    for way in ways() {
        let tolls = boxed("auto", "");
        configure(
            &tolls,
            &json!({"verify": {
                "sandbox_mode": "auto", "sandbox_root": "../boxes", "pre_run_command": write,
                "imports": [{"format": "junit", "path": "out/*.xml"}],
            }}),
        );
        let found = verify_by(way, &tolls);
        assert_eq!(found["summary"]["passed_count"], 1, "{way}: {found}");
        assert_eq!(found["sandbox"]["status"], "pass", "{way}: {found}");
        assert!(!tolls.exists("out"));
        is_clean(&tolls);
    }
}

#[test]
fn why_there_is_no_protection_is_told() {
    for (preparation, why) in [
        (
            "mkdir sub; mount -t tmpfs none sub",
            "overlay: something is mounted inside the project",
        ),
        (
            "echo 0 > /proc/sys/user/max_user_namespaces",
            "overlay: no namespaces: ",
        ),
    ] {
        let tolls = boxed("auto", &passing());
        let preparation = format!("export {BACKEND}=overlay; {preparation}");
        let Some(found) = verify_within(&tolls, &preparation) else {
            return;
        };
        assert_eq!(found["sandbox"]["status"], "warn", "{found}");
        let told = found["sandbox"]["diagnostics"][0].as_str().unwrap_or_default();
        assert!(told.contains(why), "{told}");
    }
}

/// A project in whose sandbox a command was at work when we were killed; the folder of the sandbox can be removed.
pub(crate) fn killed_in_the_middle(backend: &str) -> Tolls {
    let tolls = boxed("auto", "touch $HOME/begun; sleep 3");
    let mut command = tolls.program();
    command
        .env(BACKEND, backend)
        .args(["verify", "--format", "json"])
        .stdout(Stdio::null());
    let mut child = command.spawn().expect("it starts");
    while !tolls.home().join("begun").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it is ours");
    child.wait().expect("it was killed");
    std::thread::sleep(Duration::from_millis(300));
    let boxes = tolls.root().with_file_name("boxes");
    let removed = Command::new("rm").arg("-rf").arg(boxes).status();
    assert!(removed.is_ok_and(|status| status.success()));
    tolls
}

/// Killed, we cannot clean up: the folder stays, as everywhere. Mounts and holder end all the same.
#[test]
fn killed_at_once_it_leaves_no_mount_and_no_holder() {
    if !has_layer() {
        return;
    }
    let tolls = killed_in_the_middle("overlay");
    is_clean(&tolls);
    assert!(!tolls.exists(LEDGER) || tolls.read(LEDGER).is_empty());
}

#[test]
fn a_time_limit_ends_what_runs_in_the_layer() {
    for way in ways() {
        let tolls = boxed("auto", "");
        configure(
            &tolls,
            &json!({"verify": {
                "sandbox_mode": "auto", "sandbox_root": "../boxes", "timeout_seconds": 1,
                "pre_run_command": format!("{}; setsid sleep 60.5 & sleep 60", passing()),
            }}),
        );
        let found = verify_by(way, &tolls);
        let command = &found["pre_run"]["commands"][0];
        assert_eq!(
            (&command["status"], command.get("exit_code")),
            (&json!("fail"), None),
            "{way}: {found}"
        );
        assert_eq!(tolls.read(LEDGER), all_pass());
        // Who has left the group of the command is found by its namespace only.
        if *way != "copy" {
            is_clean(&tolls);
        }
    }
}

#[test]
fn how_a_command_ends_is_told_as_it_is() {
    for way in ways() {
        for (end, code) in [
            ("exit 7", Some(7)),
            ("exit 137", Some(137)),
            ("kill -9 $$", None),
            ("kill -TERM $$", None),
            ("no-such-command-here", Some(127)),
        ] {
            let tolls = boxed("auto", &format!("{}; {end}", passing()));
            let found = verify_by(way, &tolls);
            let command = &found["pre_run"]["commands"][0];
            assert_eq!(
                command.get("exit_code"),
                code.map(|code| json!(code)).as_ref(),
                "{way}: {end}: {found}"
            );
            assert_eq!(tolls.read(LEDGER), all_pass(), "{way}: {end}");
        }
    }
}

#[test]
fn a_user_without_rights_has_the_layer_too() {
    let tolls = boxed("always", "");
    let ran_at_project = with_place(&tolls);
    if !has_layer() || !give_to_nobody(&tolls) {
        return;
    }
    let found = data(&out(&mut verify_as_nobody(&tolls), b""));
    assert_eq!(found["sandbox"]["status"], "pass", "{found}");
    assert!(ran_at_project());
    // A file of somebody else could not be written in the layer: then there is a copy.
    tolls.write("foreign", "x");
    let found = data(&out(&mut verify_as_nobody(&tolls), b""));
    assert_eq!(found["sandbox"]["status"], "pass", "{found}");
    assert!(!ran_at_project());
}
