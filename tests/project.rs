//! `init`, `detect`, `change` and the UI checks on real folders and repositories.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use assert_fs::TempDir;
use serde_json::Value;

const BIN: &str = env!("CARGO_BIN_EXE_git-spec");

const ENV: [(&str, &str); 9] = [
    ("GIT_AUTHOR_NAME", "Ada"),
    ("GIT_AUTHOR_EMAIL", "ada@example.com"),
    ("GIT_COMMITTER_NAME", "Ada"),
    ("GIT_COMMITTER_EMAIL", "ada@example.com"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("LC_ALL", "C.UTF-8"),
    ("TZ", "UTC"),
    ("GIT_SPEC_NOW", "2026-01-02T03:04:05Z"),
];

fn command(program: &str, dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(args)
        .current_dir(dir)
        .envs(ENV)
        .stdin(std::process::Stdio::null());
    for name in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_PREFIX",
        "GIT_SPEC_LANG",
    ] {
        command.env_remove(name);
    }
    command
}

fn run(dir: &Path, args: &[&str]) -> Output {
    command(BIN, dir, args).output().expect("the program starts")
}

fn git(dir: &Path, args: &[&str]) {
    let out = command("git", dir, args).output().expect("git starts");
    assert!(out.status.success(), "git {args:?}: {}", text(&out.stderr));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn write(path: &Path, content: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
    std::fs::write(path, content).expect("files can be written");
}

fn lay(root: &Path, name: &str) {
    write(
        &root.join("logos/logos.config.json"),
        format!(r#"{{"name":"{name}"}}"#),
    );
    write(
        &root.join("logos/logos-project.yaml"),
        "modules:\n  - id: core\n    name: Core\n",
    );
}

fn project() -> TempDir {
    let dir = TempDir::new().expect("a temporary folder");
    lay(dir.path(), "p");
    dir
}

/// Every file and folder below a path, sorted.
fn listing(root: &Path) -> Vec<String> {
    fn into(root: &Path, dir: &Path, out: &mut Vec<String>) {
        for entry in std::fs::read_dir(dir).expect("readable") {
            let path = entry.expect("readable").path();
            out.push(path.strip_prefix(root).expect("below").display().to_string());
            if path.is_dir() && !path.ends_with(".git") {
                into(root, &path, out);
            }
        }
    }
    let mut out = Vec::new();
    into(root, root, &mut out);
    out.sort();
    out
}

/// The name of the project that `detect` finds.
fn found(out: &Output) -> Option<String> {
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(text(&out.stderr), "");
    let answer: Value = serde_json::from_slice(&out.stdout).expect("one line of JSON");
    answer["data"]["project"]["name"].as_str().map(str::to_owned)
}

const DETECT: [&str; 3] = ["detect", "--format", "json"];

/// The code of an error that was told as one line of JSON.
fn code(out: &Output) -> String {
    assert_eq!(text(&out.stdout), "");
    let line = text(&out.stderr);
    assert_eq!(line.matches('\n').count(), 1, "{line}");
    let envelope: Value = serde_json::from_str(&line).expect("one line of JSON");
    assert!(
        !envelope["error"]["message"]
            .as_str()
            .expect("a message")
            .is_empty()
    );
    envelope["error"]["code"].as_str().expect("a code").to_owned()
}

struct Monorepo {
    _dir: TempDir,
    outer: PathBuf,
    top: PathBuf,
}

/// An outer repository with a project; in it a repository with two projects, a submodule with its own, and a linked
/// worktree.
fn monorepo() -> Monorepo {
    let dir = TempDir::new().expect("a temporary folder");
    let outer = std::fs::canonicalize(dir.path()).expect("it exists");
    git(&outer, &["init", "-q", "-b", "main"]);
    lay(&outer, "outer");
    let sub = outer.join("source-of-sub");
    lay(&sub, "sub");
    git(&sub, &["init", "-q", "-b", "main"]);
    git(&sub, &["add", "-A"]);
    git(&sub, &["commit", "-q", "-m", "sub"]);
    let top = outer.join("work/top");
    for name in ["tolls", "ferry"] {
        lay(&top.join("apps").join(name), name);
        write(&top.join("apps").join(name).join("src/deep/file"), "");
    }
    lay(&top.join("node_modules/dependency"), "dependency");
    git(&top, &["init", "-q", "-b", "main"]);
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
    git(
        &top,
        &[&add[..], &[sub.to_str().expect("UTF-8"), "parts/sub"]].concat(),
    );
    git(&top, &["add", "-A"]);
    git(&top, &["commit", "-q", "-m", "start"]);
    git(&top, &["worktree", "add", "-q", "-b", "side", "../side"]);
    Monorepo {
        _dir: dir,
        outer,
        top,
    }
}

#[test]
fn the_nearest_project_upwards_is_used_from_anywhere() {
    let repo = monorepo();
    let side = repo.outer.join("work/side");
    let link = repo.outer.join("link");
    std::os::unix::fs::symlink(repo.top.join("apps/ferry/src"), &link).expect("links can be made");
    for (dir, expected) in [
        (repo.top.join("apps/tolls"), Some("tolls")),
        (repo.top.join("apps/ferry"), Some("ferry")),
        (repo.top.join("apps/tolls/src/deep"), Some("tolls")),
        (repo.top.join("apps"), None),
        (repo.top.clone(), None),
        (repo.top.join("parts/sub"), Some("sub")),
        (repo.top.join("parts/sub/logos"), Some("sub")),
        (side.join("apps/ferry/src/deep"), Some("ferry")),
        (side, None),
        (link.join("deep"), Some("ferry")),
        (repo.outer.join("work"), Some("outer")),
    ] {
        let out = run(&dir, &DETECT);
        assert_eq!(found(&out).as_deref(), expected, "in {}", dir.display());
    }
}

#[test]
fn git_may_start_it_and_point_it_at_a_repository() {
    let repo = monorepo();
    let folder = Path::new(BIN)
        .parent()
        .expect("a program lies in a folder")
        .to_owned();
    let path = std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    )))
    .expect("a search path");
    let through_git = |dir: &Path, args: &[&str]| {
        found(
            &command("git", dir, args)
                .env("PATH", &path)
                .output()
                .expect("git starts"),
        )
    };
    let deep = repo.top.join("apps/tolls/src/deep");
    assert_eq!(
        through_git(&deep, &["spec", "detect", "--format", "json"]).as_deref(),
        Some("tolls")
    );
    let at = ["-C", "apps/ferry/src", "spec", "detect", "--format", "json"];
    assert_eq!(through_git(&repo.top, &at).as_deref(), Some("ferry"));
    // An alias starts at the top level, wherever it is called.
    let alias = ["-c", "alias.s=!git-spec", "s", "detect", "--format", "json"];
    assert_eq!(
        through_git(&repo.top.join("parts/sub/logos"), &alias).as_deref(),
        Some("sub")
    );
    assert_eq!(through_git(&deep, &alias), None);

    let mut told = command(BIN, &deep, &DETECT);
    told.env("GIT_DIR", repo.top.join(".git"))
        .env("GIT_WORK_TREE", &repo.top);
    assert_eq!(
        found(&told.output().expect("it starts")).as_deref(),
        Some("tolls")
    );
    let named = run(
        &repo.top,
        &["--project", "apps/ferry/", "detect", "--format", "json"],
    );
    assert_eq!(found(&named).as_deref(), Some("ferry"));
}

#[test]
fn without_a_project_the_ones_below_the_top_level_are_listed() {
    let repo = monorepo();
    let out = run(&repo.top, &["change", "x"]);
    assert_eq!((out.status.code(), text(&out.stdout)), (Some(1), String::new()));
    let told = text(&out.stderr);
    assert!(told.starts_with("Error [PROJECT_NOT_INITIALIZED]: "), "{told}");
    let listed: Vec<&str> = told
        .lines()
        .filter(|l| l.starts_with("  "))
        .map(str::trim)
        .collect();
    assert_eq!(listed, ["apps/ferry", "apps/tolls"]);
    assert_eq!(
        text(&run(&repo.top.join("apps"), &["change", "x"]).stderr)
            .lines()
            .count(),
        2
    );
    let json = run(&repo.top, &["change", "x", "--format", "json"]);
    assert_eq!(code(&json), "PROJECT_NOT_INITIALIZED");
    assert!(!text(&json.stderr).contains("apps/"));
}

#[test]
fn hostile_registries_are_answered_in_time() {
    let dir = project();
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 2 });
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let line = format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 10].join(", "));
        bomb.push_str(&line);
    }
    let modules = "modules:\n  - id: core\n    name: Core\n";
    let mega = |unit: &str| unit.repeat((10 << 20) / unit.len());
    for (what, content) in [
        ("bomb", format!("{bomb}{modules}")),
        ("deep brackets", format!("{modules}x: {}\n", "[".repeat(200_000))),
        (
            "deep dashes",
            format!("{modules}x:\n  {}\n", "- ".repeat(200_000)),
        ),
        ("tabs", format!("x:\n{}{modules}", "\ty: 1\n".repeat(1000))),
        (
            "10 MB of small mappings",
            format!("{modules}x:\n{}", mega("- {a: 1, b: [x, y]}\n")),
        ),
        (
            "10 MB of open quotes",
            format!("{modules}x:\n{}", mega("  - \"\n  - '\n")),
        ),
        ("10 MB of one word", format!("{modules}x: {}\n", mega("word "))),
    ] {
        write(&dir.path().join("logos/logos-project.yaml"), &content);
        let start = Instant::now();
        let out = run(dir.path(), &DETECT);
        let took = start.elapsed();
        assert!(took < limit, "{what} took {took:?}");
        assert!(out.status.success(), "{what}: {}", text(&out.stderr));
        let answer: Value = serde_json::from_slice(&out.stdout).expect("one line of JSON");
        let data = &answer["data"];
        assert_eq!(
            data["project"]["modules"][0]["id"], "core",
            "{what}: {}",
            data["yaml_diagnostics"]
        );
        if let Some(messages) = data["yaml_diagnostics"]["messages"].as_array() {
            assert_eq!(messages.len(), 3, "{what}");
        }
    }
}

#[test]
fn of_two_changes_begun_at_once_exactly_one_wins() {
    for in_git in [true, false] {
        let dir = project();
        if in_git {
            git(dir.path(), &["init", "-q"]);
        }
        for round in 0..5 {
            let names = [format!("a{round}"), format!("b{round}")];
            let started = names.clone().map(|name| {
                let mut command = command(BIN, dir.path(), &["change", &name, "--format", "json"]);
                command
                    .stdout(std::process::Stdio::piped())
                    .stderr(std::process::Stdio::piped());
                command.spawn().expect("it starts")
            });
            let ended = started.map(|child| child.wait_with_output().expect("it ends"));
            let won: Vec<usize> = (0..2).filter(|n| ended[*n].status.success()).collect();
            assert_eq!(won.len(), 1, "{:?}", ended.each_ref().map(|o| text(&o.stderr)));
            assert_eq!(code(&ended[1 - won[0]]), "ACTIVE_CHANGE");
            let guard = std::fs::read(dir.path().join("logos/.openlogos-guard")).expect("written");
            let guard: Value = serde_json::from_slice(&guard).expect("JSON");
            assert_eq!(guard["activeChange"], names[won[0]].as_str());
            assert!(!dir.path().join("logos/changes").join(&names[1 - won[0]]).exists());
            std::fs::remove_file(dir.path().join("logos/.openlogos-guard")).expect("there");
        }
        let left = listing(dir.path())
            .into_iter()
            .filter(|p| p.contains(".runtime/git-spec") || p.contains("git/spec"));
        assert_eq!(
            left.collect::<Vec<_>>(),
            [""; 0],
            "the lock leaves nothing behind"
        );
    }
}

#[test]
fn a_change_lays_down_its_files_and_says_what_comes_next() {
    let dir = project();
    let out = run(dir.path(), &["change", "add-boats"]);
    assert_eq!((out.status.code(), text(&out.stderr)), (Some(0), String::new()));
    assert_eq!(
        text(&out.stdout),
        "change `add-boats` begun for module `core` (the only one registered)\n  \
         logos/changes/add-boats/proposal.md\n  logos/changes/add-boats/tasks.md\n  logos/.openlogos-guard\n\
         fill in proposal.md and tasks.md, write deltas below deltas/, then `git spec change-lint`\n"
    );
    let change = dir.path().join("logos/changes/add-boats");
    assert_eq!(
        listing(&change),
        [
            "deltas",
            "deltas/api",
            "deltas/database",
            "deltas/prd",
            "deltas/scenario",
            "proposal.md",
            "tasks.md"
        ]
    );
    let proposal = std::fs::read_to_string(change.join("proposal.md")).expect("written");
    assert!(
        proposal.contains("\n> module: core | created: 2026-01-02\n"),
        "{proposal}"
    );
}

#[test]
fn a_change_answers_in_json() {
    let dir = project();
    let out = run(
        dir.path(),
        &["change", "--format", "json", "--module", "core", "s"],
    );
    let answer: Value = serde_json::from_slice(&out.stdout).expect("one line of JSON");
    let expected = serde_json::json!({
        "slug": "s", "module": "core", "module_source": "explicit", "path": "logos/changes/s",
        "files": ["logos/changes/s/proposal.md", "logos/changes/s/tasks.md", "logos/.openlogos-guard"],
    });
    assert_eq!(answer["data"], expected);
    for (args, expected) in [
        (&["change"][..], "SLUG_MISSING"),
        (&["change", "a/b"], "SLUG_INVALID"),
        (&["change", "-x"], "SLUG_INVALID"),
        (&["change", "s"], "CHANGE_EXISTS"),
        (&["change", "t"], "ACTIVE_CHANGE"),
        (&["change", "t", "--worktree"], "NOT_A_REPOSITORY"),
        (&["change", "t", "--module"], "USAGE"),
    ] {
        let before = listing(dir.path());
        let out = run(
            dir.path(),
            &[&["--color", "never"], args, &["--format", "json"]].concat(),
        );
        // The last case takes `--format` for no value.
        assert_eq!(
            (out.status.code(), code(&out).as_str()),
            (Some(1), expected),
            "{args:?}"
        );
        assert_eq!(listing(dir.path()), before, "{args:?}");
    }
}

#[cfg(debug_assertions)]
#[test]
fn a_change_that_fails_or_is_killed_on_the_way_is_made_whole_or_not_at_all() {
    for fault in ["GIT_SPEC_FAIL_AT", "GIT_SPEC_ABORT_AT"] {
        for step in 1.. {
            let dir = project();
            let mut failing = command(BIN, dir.path(), &["change", "s"]);
            let out = failing.env(fault, step.to_string()).output().expect("it starts");
            if out.status.success() {
                assert!(step > 5, "there are steps to fail at");
                break;
            }
            // The next run ends what was begun, and then makes the change or finds it made.
            let again = run(dir.path(), &["change", "s", "--format", "json"]);
            if !again.status.success() {
                assert_eq!(code(&again), "CHANGE_EXISTS", "{fault} {step}");
            }
            let now = listing(dir.path());
            for path in [
                "logos/.openlogos-guard",
                "logos/changes/s/tasks.md",
                "logos/changes/s/deltas/scenario",
            ] {
                assert!(now.iter().any(|p| p == path), "{fault} {step}: {now:?}");
            }
            let litter = now
                .iter()
                .any(|p| p.contains(".tmp") || p.contains("journal") || p.contains("saved"));
            assert!(!litter, "{fault} {step}: {now:?}");
        }
    }
}

#[test]
fn a_chinese_project_gets_chinese_templates_and_text() {
    let dir = TempDir::new().expect("a temporary folder");
    let init = run(dir.path(), &["init", "港口", "--locale", "zh"]);
    assert!(
        text(&init.stdout).starts_with("已建立项目 `港口`"),
        "{}",
        text(&init.stdout)
    );
    let out = run(dir.path(), &["change", "s"]);
    assert!(
        text(&out.stdout).starts_with("已为模块 `core`"),
        "{}",
        text(&out.stdout)
    );
    let proposal = std::fs::read_to_string(dir.path().join("logos/changes/s/proposal.md")).expect("written");
    assert!(
        proposal.starts_with("# 变更提案：s\n\n> module: core | created: 2026-01-02\n\n## 变更原因\n"),
        "{proposal}"
    );
}

#[test]
fn init_keeps_what_is_there_and_takes_no_option_for_a_name() {
    let dir = TempDir::new().expect("a temporary folder");
    let root = dir.path();
    for args in [
        &["init", "--frobnicate", "--locale", "en"][..],
        &["init", "--locale", "fr"],
        &["init", "--locale", "en", "--ai-tool", "abacus"],
        &["init", "a", "b", "--locale", "en"],
        &["init"],
    ] {
        let out = run(root, args);
        assert_eq!(
            (out.status.code(), text(&out.stdout)),
            (Some(1), String::new()),
            "{args:?}"
        );
        assert!(listing(root).is_empty(), "{args:?}");
    }
    write(&root.join("logos/logos-project.yaml"), "# mine\nmodules: []\n");
    write(
        &root.join("package.json"),
        r#"{"name":"@a/web","scripts":{"test":"x"}}"#,
    );
    let out = run(root, &["init", "--locale", "en", "--aitool", "codex"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("`logos/logos-project.yaml` was there and stays as it is"));
    let registry = std::fs::read_to_string(root.join("logos/logos-project.yaml")).expect("there");
    assert_eq!(registry, "# mine\nmodules: []\n");
    let config = std::fs::read(root.join("logos/logos.config.json")).expect("written");
    let config: Value = serde_json::from_slice(&config).expect("JSON");
    assert_eq!(config["name"], "web");
    assert_eq!(config["aiTool"], "codex");
    assert_eq!(config["verify"]["pre_run_command"], "npm test");
    assert!(!root.join("logos/.runtime").exists());
    let again = run(root, &["init", "--locale", "en"]);
    assert!(
        text(&again.stderr).contains("git spec adopt"),
        "{}",
        text(&again.stderr)
    );
}

#[test]
fn a_project_below_a_project_is_laid_down_by_name() {
    let repo = monorepo();
    let deep = repo.top.join("apps/tolls/src");
    assert_eq!(run(&deep, &["init", "--locale", "en"]).status.code(), Some(1));
    let out = run(&deep, &["--project", "apps/tolls/src", "init", "--locale", "en"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_eq!(found(&run(&deep, &DETECT)).as_deref(), Some("src"));
}

fn change_with_page(root: &Path) -> PathBuf {
    lay(root, "p");
    let change = root.join("logos/changes/s");
    write(
        &change.join("proposal.md"),
        "> module: core\n\n## UI/UX Change Declaration\n\n```yaml\nui_impact: true\ndesign_system_mode: fallback\n\
         design_system_fallback_reason: none yet\npages: [{prototype: core-01-home.html}]\n```\n",
    );
    write(
        &change.join("deltas/prd/2-product-design/2-page-design/core-01-home.html"),
        "<p>\n",
    );
    change
}

#[test]
fn ui_checks_name_changes_and_never_leave_their_folder() {
    let dir = TempDir::new().expect("a temporary folder");
    change_with_page(dir.path());
    write(&dir.path().join("elsewhere/proposal.md"), "x");
    std::os::unix::fs::symlink(dir.path().join("elsewhere"), dir.path().join("logos/changes/out"))
        .expect("a link");
    for check in ["check-ui-prototype", "check-ui-hash-match"] {
        for (slug, expected) in [
            ("../../elsewhere", "slug_invalid"),
            ("..", "slug_invalid"),
            ("out", "slug_invalid"),
            ("Not There", "proposal_dir_missing"),
            ("nope", "proposal_dir_missing"),
        ] {
            let out = run(dir.path(), &[check, slug, "--format", "json"]);
            assert_eq!(
                (out.status.code(), code(&out).as_str()),
                (Some(1), expected),
                "{check} {slug}"
            );
        }
    }
    std::fs::remove_file(dir.path().join("logos/changes/out")).expect("there");
    // The only change is meant, and `json` is no slug.
    let out = run(dir.path(), &["check-ui-prototype", "--format", "json"]);
    let answer: Value = serde_json::from_slice(&out.stdout).expect("one line of JSON");
    assert_eq!(
        (&answer["data"]["slug"], &answer["data"]["mode"]),
        (&"s".into(), &"fallback".into())
    );
}

#[test]
fn a_prototype_that_changed_after_its_approval_is_told() {
    let dir = TempDir::new().expect("a temporary folder");
    let change = change_with_page(dir.path());
    assert!(run(dir.path(), &["check-ui-prototype"]).status.success());
    let hashes = std::fs::read_to_string(change.join("UI_PROTOTYPE_HASHES.json")).expect("written");
    write(
        &change.join("PLAN_APPROVED"),
        format!(r#"{{"ui_prototype_rendered":true,"pages":["core-01-home.html"],"hashes":{hashes}}}"#),
    );
    let json = ["check-ui-hash-match", "s", "--format", "json"];
    assert!(run(dir.path(), &json).status.success());
    write(
        &change.join("deltas/prd/2-product-design/2-page-design/core-01-home.html"),
        "<b>\n",
    );
    assert_eq!(code(&run(dir.path(), &json)), "hash_content_mismatch");
    let text_mode = run(dir.path(), &["check-ui-hash-match", "s"]);
    assert!(
        text(&text_mode.stderr).contains("`core-01-home.html` has changed"),
        "{}",
        text(&text_mode.stderr)
    );
}

#[test]
fn detect_answers_whatever_is_there() {
    let dir = project();
    std::fs::remove_file(dir.path().join("logos/logos-project.yaml")).expect("there");
    std::fs::create_dir(dir.path().join("logos/logos-project.yaml")).expect("made");
    let out = run(dir.path(), &DETECT);
    let answer: Value = serde_json::from_slice(&out.stdout).expect("one line of JSON");
    assert_eq!(answer["data"]["yaml_diagnostics"]["parse_status"], "error");
    std::fs::remove_file(dir.path().join("logos/logos.config.json")).expect("there");
    std::fs::create_dir(dir.path().join("logos/logos.config.json")).expect("made");
    assert_eq!(found(&run(dir.path(), &DETECT)), None);
    let mut lost = command(BIN, dir.path(), &DETECT);
    assert_eq!(
        found(&lost.env("GIT_DIR", "/nowhere").output().expect("it starts")),
        None
    );
}

#[test]
fn a_named_project_lies_in_the_repository() {
    let dir = TempDir::new().expect("a folder");
    git(dir.path(), &["init", "-q"]);
    for project in ["../elsewhere", "/..", "a//b"] {
        let out = run(dir.path(), &["detect", "--format", "json", "--project", project]);
        assert_eq!(
            (out.status.code(), code(&out).as_str()),
            (Some(1), "USAGE"),
            "{project}"
        );
        assert!(text(&out.stderr).contains("--project"), "{}", text(&out.stderr));
        assert!(out.stdout.is_empty(), "{project}");
    }
}

#[test]
fn a_project_cannot_be_named_where_there_is_no_repository() {
    let dir = TempDir::new().expect("a folder");
    write(&dir.path().join("sub/x"), "");
    let out = run(
        dir.path(),
        &["--project", "sub", "init", "--locale", "en", "--format", "json"],
    );
    assert_eq!(
        (out.status.code(), code(&out).as_str()),
        (Some(1), "NOT_A_REPOSITORY")
    );
    assert!(!dir.path().join("logos").exists() && !dir.path().join("sub/logos").exists());
}

#[test]
fn a_clock_that_cannot_be_read_is_told_and_not_replaced() {
    let dir = TempDir::new().expect("a folder");
    for given in ["yesterday", "2026-02-30T00:00:00Z", "99999999999999999999"] {
        let mut command = command(BIN, dir.path(), &["init", "--locale", "en", "--format", "json"]);
        let out = command.env("GIT_SPEC_NOW", given).output().expect("it starts");
        assert_eq!(
            (out.status.code(), code(&out).as_str()),
            (Some(1), "USAGE"),
            "{given}"
        );
        assert!(
            text(&out.stderr).contains("GIT_SPEC_NOW"),
            "{}",
            text(&out.stderr)
        );
        assert!(!dir.path().join("logos").exists(), "{given}");
    }
    let mut version = command(BIN, dir.path(), &["--version"]);
    let out = version
        .env("GIT_SPEC_NOW", "yesterday")
        .output()
        .expect("it starts");
    assert_eq!(out.status.code(), Some(0));
}
