//! A sandbox that holds: what a command tries to change beside its results is not changed.

use serde_json::{Value, json};

use crate::common::Tolls;
use crate::{LEDGER, REPORT, all_pass, passing, project, verify};

/// A project with a sandbox beside it, and a command.
fn boxed(mode: &str, command: &str) -> Tolls {
    project(&json!({
        "sandbox_mode": mode, "sandbox_root": "../boxes", "pre_run_command": command,
    }))
}

fn is_confinable() -> bool {
    let tolls = boxed("always", &passing());
    verify(&tolls)["sandbox"]["status"] == "pass"
}

/// No copy is left.
fn is_clean(tolls: &Tolls) {
    let boxes = tolls.root().with_file_name("boxes");
    let left = std::fs::read_dir(&boxes).map_or(0, Iterator::count);
    assert_eq!(left, 0, "{}", boxes.display());
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
    let confinable = is_confinable();
    for (mode, status, result) in [("auto", "warn", "PASS"), ("always", "fail", "FAIL")] {
        // Without write protection nothing runs under `always`.
        if mode == "always" && !confinable {
            continue;
        }
        let tolls = boxed(mode, &command);
        tolls.write("README.md", "mine\n");
        let before = tolls.read("logos/logos-project.yaml");
        let found = verify(&tolls);
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
    if !is_confinable() {
        return;
    }
    let ways = [
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
    ];
    for way in ways {
        let command = format!("{way}; {}", passing());
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
        let found = verify(&tolls);
        std::thread::sleep(std::time::Duration::from_millis(400));
        assert_eq!(found["sandbox"]["isolated"], true, "{way}: {found}");
        assert_eq!(files(), before, "{way}");
        assert_eq!(tolls.read(".git/HEAD"), head, "{way}");
        is_clean(&tolls);
    }
}

#[test]
fn what_a_command_leaves_running_ends_with_it() {
    let mark = format!("{}", std::process::id());
    let tolls = boxed("auto", &format!("(exec sleep 61.{mark}) & {}", passing()));
    let found = verify(&tolls);
    assert_eq!(found["pre_run"]["commands"][0]["status"], "pass", "{found}");
    let list = std::process::Command::new("sh")
        .args([
            "-c",
            &format!(
                "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'sleep 61.{mark}' || true"
            ),
        ])
        .output()
        .expect("sh starts");
    // The list itself names it.
    let count = String::from_utf8_lossy(&list.stdout).trim().parse::<usize>();
    assert!(count.is_ok_and(|count| count <= 1), "{list:?}");
    is_clean(&tolls);
}

#[test]
fn an_interrupted_run_leaves_no_copy() {
    for signal in ["INT", "TERM"] {
        let tolls = boxed("auto", &format!("touch {LEDGER}.begun; sleep 60"));
        let mut command = tolls.program();
        command.args(["verify", "--format", "json"]);
        command
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let boxes = tolls.root().with_file_name("boxes");
        let begun = || {
            let copies = std::fs::read_dir(&boxes)
                .into_iter()
                .flatten()
                .filter_map(Result::ok);
            copies
                .into_iter()
                .any(|copy| copy.path().join(format!("{LEDGER}.begun")).exists())
        };
        for _ in 0..1000 {
            if begun() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert!(begun(), "the command does not begin");
        let kill = std::process::Command::new("kill")
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
    let given = std::process::Command::new("sh").arg("-c").arg(count).output();
    let given = String::from_utf8(given.expect("sh starts").stdout).expect("a number");
    let tolls = boxed("off", &format!("{count} > count; {}", passing()));
    verify(&tolls);
    assert_eq!(tolls.read("count"), given);
}

#[test]
fn a_link_that_leads_out_is_no_way_out() {
    let confinable = is_confinable();
    for (target, leads_out) in [
        ("/etc/hostname", true),
        ("../outside", true),
        ("logos/../../outside", true),
        ("logos", false),
        ("nowhere/at/all", false),
    ] {
        for mode in ["auto", "always"] {
            if mode == "always" && !confinable {
                continue;
            }
            let tolls = boxed(mode, &format!("touch ran; {}", passing()));
            std::os::unix::fs::symlink(target, tolls.path("link")).expect("a link can be made");
            let found = verify(&tolls);
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
    for make in [
        format!("rm -f {LEDGER}; ln -s /etc/hostname {LEDGER}"),
        format!("rm -f {LEDGER}; mkdir {LEDGER}"),
        format!("rm -f {LEDGER}; mkfifo {LEDGER}"),
    ] {
        let tolls = boxed("auto", &make);
        let found = verify(&tolls);
        assert_eq!(found["sandbox"]["status"], "warn", "{make}: {found}");
        assert_eq!(tolls.read(LEDGER), "", "{make}");
        is_clean(&tolls);
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
