//! A sandbox that holds: what a command tries to change beside its results is not changed.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::common::{Repo, Tolls, out};
use crate::{LEDGER, REPORT, all_pass, data, passing, project, verify};

/// The variable that names the only way to isolate.
pub(crate) const BACKEND: &str = "GIT_SPEC_SANDBOX_BACKEND";

/// A project with a sandbox beside it, and a command.
pub(crate) fn boxed(mode: &str, command: &str) -> Tolls {
    project(&json!({
        "sandbox_mode": mode, "sandbox_root": "../boxes", "pre_run_command": command,
    }))
}

/// Says what this machine cannot show.
#[expect(
    clippy::print_stderr,
    reason = "a test that passes for want of something says so"
)]
pub(crate) fn untested(why: &str) {
    eprintln!("not tested: {why}");
}

/// The ways to isolate with write protection that this machine has.
pub(crate) fn ways() -> &'static [&'static str] {
    static WAYS: OnceLock<Vec<&str>> = OnceLock::new();
    WAYS.get_or_init(|| {
        let mut ways = vec!["overlay", "copy", "bwrap"];
        ways.retain(|way| {
            let found = verify_by(way, &boxed("always", &passing()));
            let holds = found["sandbox"]["status"] == "pass";
            if !holds {
                untested(&format!("this machine does not have the way `{way}`"));
            }
            holds
        });
        ways
    })
}

/// As [`verify`], with this way only.
#[track_caller]
pub(crate) fn verify_by(way: &str, repo: &Repo) -> Value {
    let mut command = repo.program();
    command.env(BACKEND, way).args(["verify", "--format", "json"]);
    data(&out(&mut command, b""))
}

/// `verify` as a user who has no rights.
pub(crate) fn verify_as_nobody(tolls: &Tolls) -> Command {
    let mut command = tolls.command("setpriv");
    command
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .args([env!("CARGO_BIN_EXE_git-spec"), "verify", "--format", "json"]);
    command
}

/// Gives all to that user; false where this cannot be done.
pub(crate) fn give_to_nobody(tolls: &Tolls) -> bool {
    let top = tolls.root().parent().expect("it has one");
    let chown = Command::new("chown")
        .args(["-R", "65534:65534"])
        .arg(top)
        .status();
    let starts = || {
        let mut command = verify_as_nobody(tolls);
        command.arg("--help").stdout(Stdio::null()).status()
    };
    let possible =
        chown.is_ok_and(|status| status.success()) && starts().is_ok_and(|status| status.success());
    if !possible {
        untested("it takes root to become nobody");
    }
    possible
}

/// Nothing of a sandbox is left: no private folder, no mount, no process.
#[track_caller]
pub(crate) fn is_clean(tolls: &Tolls) {
    let boxes = tolls.root().with_file_name("boxes");
    let left = std::fs::read_dir(&boxes).map_or(0, Iterator::count);
    assert_eq!(left, 0, "{}", boxes.display());
    let root = tolls.root().display().to_string();
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    assert!(!mounts.contains(&root), "{mounts}");
    let holders = processes()
        .into_iter()
        .filter(|words| words.contains("__layered") || words.contains("__bound"));
    let holders: Vec<String> = holders.filter(|words| words.contains(&root)).collect();
    assert_eq!(holders, [""; 0]);
}

/// The command lines of all processes that this one sees.
fn processes() -> Vec<String> {
    let entries = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(Result::ok);
    let words = |path: std::path::PathBuf| std::fs::read(path.join("cmdline")).ok();
    entries
        .filter_map(|entry| words(entry.path()))
        .map(|words| String::from_utf8_lossy(&words).replace('\0', " "))
        .collect()
}

fn texts(value: &Value) -> String {
    value.to_string()
}

#[test]
fn what_is_no_result_stays_in_the_copy() {
    let command = format!(
        "{}; echo x > README.md; rm logos/logos-project.yaml; ln -s / escape",
        passing()
    );
    let modes = [("auto", "warn", "PASS"), ("always", "fail", "FAIL")];
    for (way, (mode, status, result)) in ways().iter().flat_map(|way| modes.map(|mode| (way, mode))) {
        let tolls = boxed(mode, &command);
        tolls.write("README.md", "mine\n");
        let before = tolls.read("logos/logos-project.yaml");
        let found = verify_by(way, &tolls);
        assert_eq!(found["sandbox"]["isolated"], true, "{found}");
        assert_eq!(found["sandbox"]["status"], status, "{found}");
        assert_eq!(found["gate"]["result"], result, "{found}");
        assert_eq!(tolls.read("README.md"), "mine\n");
        assert_eq!(tolls.read("logos/logos-project.yaml"), before);
        assert!(!tolls.exists("escape"));
        let ledger = if mode == "auto" { all_pass() } else { String::new() };
        assert_eq!(tolls.read(LEDGER), ledger);
        if mode == "auto" {
            let told = texts(&found["sandbox"]["diagnostics"]);
            for path in ["README.md", "logos/logos-project.yaml", "escape"] {
                assert!(told.contains(path), "{told}");
            }
        }
        is_clean(&tolls);
    }
}

#[test]
fn the_project_cannot_be_written_by_any_way() {
    let attempts = [
        "echo x > $REAL/README.md",
        "echo x > $REAL/new",
        "rm -f $REAL/README.md",
        "mv $REAL/README.md $REAL/other",
        "ln $REAL/README.md $REAL/hard",
        "ln -sf $REAL/README.md link; echo x > link",
        "echo x > ../../tolls-link/README.md",
        "cd $REAL && echo x > README.md",
        "echo x > /proc/self/root$REAL/README.md",
        "truncate -s 0 $REAL/README.md",
        "mkdir $REAL/folder",
        "(sleep 0.3; echo x > $REAL/late) &",
        "python3 -c \"open('$REAL/README.md','w').write('x')\"",
        "cp /dev/null $REAL/logos/logos.config.json",
        "echo x > $REAL/.git/HEAD",
        "for p in 1 $PPID self; do echo x > /proc/$p/root$REAL/new; done",
        "for p in 1 $PPID; do echo x > /proc/$p/cwd/new; done",
        "for p in 1 $PPID; do nsenter -t $p -m touch $REAL/new; done",
        "umount -l $REAL; echo x > $REAL/new",
        "unshare -Urm sh -c 'umount -l $REAL; echo x > $REAL/new'",
        "unshare -Urm sh -c 'mkdir $HOME/all && mount --bind / $HOME/all && echo x > $HOME/all$REAL/new'",
        "mkdir $HOME/all && mount --bind / $HOME/all && echo x > $HOME/all$REAL/new",
        "mount -t tmpfs none $REAL",
        "unshare -Urm sh -c 'mkdir $HOME/all && mount --rbind / $HOME/all && { umount -l $HOME/all$REAL; echo x > $HOME/all$REAL/new; }'",
        "unshare -Urm sh -c 'mount -t tmpfs none $REAL/logos; umount -l /; umount -l $REAL/..; echo x > $REAL/new'",
        "chroot /proc/1/root touch $REAL/new",
        "unshare -Ur chroot /proc/$PPID/cwd /bin/touch /new",
        "for h in /proc/[0-9]*; do case $(tr '\\0' ' ' < $h/cmdline) in *__layered\\ $REAL*|*__bound\\ $REAL*)
            nsenter -t ${h#/proc/} -U -m sh -c 'umount -l $REAL; echo x > $REAL/new'; kill -STOP ${h#/proc/};;
            esac; done",
    ];
    for (way, attempt) in ways()
        .iter()
        .flat_map(|way| attempts.map(|attempt| (way, attempt)))
    {
        let command = format!("({attempt}); {}", passing());
        let tolls = project(&json!({}));
        tolls.write("README.md", "mine\n");
        let real = tolls.root().display().to_string();
        crate::configure(
            &tolls,
            &json!({"verify": {
                "sandbox_mode": "auto", "sandbox_root": "../boxes",
                "pre_run_command": command.replace("$REAL", &real),
            }}),
        );
        let files = || tolls.snapshot().files_without("logos/resources/verify");
        let (before, head) = (files(), tolls.read(".git/HEAD"));
        let _link = std::os::unix::fs::symlink(tolls.root(), tolls.root().with_file_name("tolls-link"));
        let found = verify_by(way, &tolls);
        if attempt.contains("late") {
            std::thread::sleep(std::time::Duration::from_millis(400));
        }
        assert_eq!(found["sandbox"]["isolated"], true, "{way}: {attempt}: {found}");
        assert_eq!(found["gate"]["result"], "PASS", "{way}: {attempt}: {found}");
        assert_eq!(files(), before, "{way}: {attempt}");
        assert_eq!(tolls.read(".git/HEAD"), head, "{way}: {attempt}");
        is_clean(&tolls);
    }
}

#[test]
fn what_a_command_leaves_running_ends_with_it() {
    for way in ways() {
        // Who has left the group of the command is found by its namespace only.
        for start in ["exec", "exec setsid"] {
            if *way == "copy" && start != "exec" {
                continue;
            }
            let mark = format!("61.{}", std::process::id());
            let tolls = boxed(
                "auto",
                &format!("({start} sleep {mark}) & sleep 0.1; {}", passing()),
            );
            let found = verify_by(way, &tolls);
            assert_eq!(found["pre_run"]["commands"][0]["status"], "pass", "{found}");
            let left = processes()
                .into_iter()
                .filter(|words| *words == format!("sleep {mark} "));
            assert_eq!(left.collect::<Vec<_>>(), [""; 0], "{way}: {start}");
            is_clean(&tolls);
        }
    }
}

#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    for (way, signal) in ways()
        .iter()
        .flat_map(|way| ["INT", "TERM"].map(|signal| (way, signal)))
    {
        let tolls = boxed("auto", "touch $HOME/begun; sleep 60");
        let mut command = tolls.program();
        command.env(BACKEND, way).args(["verify", "--format", "json"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let begun = tolls.home().join("begun");
        for _ in 0..1000 {
            if begun.exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(begun.exists(), "the command does not begin");
        let kill = Command::new("kill")
            .args([format!("-{signal}"), child.id().to_string()])
            .status();
        assert!(kill.expect("kill starts").success());
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), None, "{signal}: {status:?}");
        is_clean(&tolls);
        assert!(!tolls.exists(REPORT));
    }
}

#[test]
fn no_file_of_ours_is_handed_down() {
    let count = "ls /proc/self/fd | wc -l";
    // Who started us may hand files down to us and to what we start.
    let given = Command::new("sh").arg("-c").arg(count).output();
    let given = String::from_utf8(given.expect("sh starts").stdout).expect("a number");
    let tolls = boxed("off", &format!("{count} > count; {}", passing()));
    verify(&tolls);
    assert_eq!(tolls.read("count"), given);
}

#[test]
fn a_link_that_leads_out_is_no_way_out() {
    let targets = [
        ("/etc/hostname", true),
        ("../outside", true),
        ("logos/../../outside", true),
        ("logos", false),
        ("nowhere/at/all", false),
    ];
    for (way, (target, leads_out)) in ways().iter().flat_map(|way| targets.map(|target| (way, target))) {
        for mode in ["auto", "always"] {
            let tolls = boxed(mode, &format!("touch ran; {}", passing()));
            std::os::unix::fs::symlink(target, tolls.path("link")).expect("a link can be made");
            let found = verify_by(way, &tolls);
            let isolated = found["sandbox"]["isolated"] == true;
            assert_eq!(isolated, !leads_out, "{mode} {target}: {found}");
            // In place it runs, refused it does not, and what it makes in a copy stays there.
            assert_eq!(
                tolls.exists("ran"),
                leads_out && mode == "auto",
                "{mode} {target}"
            );
            if leads_out {
                assert!(
                    texts(&found["sandbox"]["diagnostics"]).contains("`link`"),
                    "{found}"
                );
            }
            is_clean(&tolls);
        }
    }
}

#[test]
fn a_result_that_is_no_file_of_the_copy_is_not_brought_back() {
    let folder = "logos/resources/verify";
    let attempts = [
        format!("rm -f {LEDGER}; ln -s /etc/hostname {LEDGER}"),
        format!("rm -f {LEDGER}; mkdir {LEDGER}"),
        format!("rm -f {LEDGER}; mkfifo {LEDGER}"),
        format!(
            "mkdir ../away; echo x > ../away/test-results.jsonl; rm -r {folder}; ln -s $PWD/../away {folder}"
        ),
        format!(
            "mkdir ../away2; echo x > ../away2/test-results.jsonl; rm -r {folder}; ln -s ../../../away2 {folder}"
        ),
    ];
    for (way, make) in ways()
        .iter()
        .flat_map(|way| attempts.iter().map(move |make| (way, make)))
    {
        let tolls = boxed("auto", make);
        let found = verify_by(way, &tolls);
        assert_eq!(found["sandbox"]["status"], "warn", "{way}: {make}: {found}");
        let told = texts(&found["sandbox"]["diagnostics"]);
        assert!(told.contains("not brought back"), "{way}: {make}: {told}");
        assert_eq!(tolls.read(LEDGER), "", "{way}: {make}");
        for name in ["away", "away2"] {
            let _there = std::fs::remove_dir_all(tolls.root().with_file_name("boxes").join(name));
        }
        is_clean(&tolls);
    }
}

#[test]
fn a_result_is_brought_back_as_a_plain_file() {
    for way in ways() {
        let tolls = boxed("always", &format!("{}; chmod 6755 {LEDGER}", passing()));
        let found = verify_by(way, &tolls);
        assert_eq!(found["sandbox"]["status"], "pass", "{way}: {found}");
        let found = std::fs::metadata(tolls.path(LEDGER)).expect("it is there");
        let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions());
        assert_eq!(mode & 0o7777, 0o755, "{way}");
    }
}

#[test]
fn a_folder_for_copies_inside_the_project_is_none() {
    for (mode, ran) in [("auto", true), ("always", false)] {
        let tolls = project(&json!({
            "sandbox_mode": mode, "sandbox_root": "inside", "pre_run_command": format!("touch ran; {}", passing()),
        }));
        let found = verify(&tolls);
        assert_eq!(found["sandbox"]["isolated"], false, "{found}");
        assert_eq!(tolls.exists("ran"), ran);
    }
}

#[test]
fn a_way_that_nobody_knows_is_an_error() {
    let tolls = boxed("auto", &passing());
    let mut command = tolls.program();
    command.env(BACKEND, "magic").args(["verify", "--format", "json"]);
    let found = out(&mut command, b"").exits(1);
    assert!(found.stderr.contains("`magic`"), "{found:?}");
}

#[test]
fn without_write_protection_there_is_no_way_that_needs_it() {
    for name in [
        "GIT_SPEC_SANDBOX_WRITE_PROTECTION",
        "OPENLOGOS_SANDBOX_WRITE_PROTECTION",
    ] {
        for (mode, status) in [("auto", "warn"), ("always", "fail")] {
            let tolls = boxed(
                mode,
                &format!("pwd > $REAL; {}", passing()).replace("$REAL", "../place"),
            );
            let mut command = tolls.program();
            command.env(name, "off").args(["verify", "--format", "json"]);
            let found = data(&out(&mut command, b""));
            assert_eq!(found["sandbox"]["status"], status, "{found}");
            // A copy has another path; what is not run has none.
            assert!(!tolls.root().with_file_name("place").exists());
            let copied = tolls.root().with_file_name("boxes").join("place");
            assert_eq!(copied.exists(), mode == "auto");
            if copied.exists() {
                std::fs::remove_file(copied).expect("it is ours");
            }
            is_clean(&tolls);
        }
    }
}

#[test]
fn a_phase_may_write_the_stage_file_of_the_other() {
    let row = |id: &str| json!({"id": id, "status": "pass"}).to_string();
    let tolls = project(&json!({
        "regression_command": format!("echo '{}' > s/r.jsonl; : > s/i.jsonl", row("UT-S01-01")),
        "incremental_command": format!("printf '%s\\n' '{}' '{}' > s/i.jsonl", row("UT-S01-02"), row("UT-S01-03")),
        "regression_result_path": "s/r.jsonl",
        "incremental_result_path": "s/i.jsonl",
        "sandbox_mode": "always",
    }));
    let found = verify(&tolls);
    if found["sandbox"]["isolated"] == true {
        assert_eq!(found["sandbox"]["status"], "pass", "{found}");
        assert_eq!(found["gate"]["result"], "PASS", "{found}");
    }
}
