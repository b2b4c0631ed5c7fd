//! The `yaml` blocks of the README, run as the CI provider runs them: in a checkout of its making, with the variables that
//! it sets (git.md 10.1).

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_yaml::Value;

use crate::common::{self, Out, Repo};
use crate::path_with_program;

/// The blocks in their order.
fn blocks() -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let found = text.split("\n```yaml\n").skip(1);
    let yaml = found.map(|rest| rest.split("\n```").next().expect("the rest begins with it"));
    yaml.map(|yaml| serde_yaml::from_str(yaml).unwrap_or_else(|e| panic!("{e}:\n{yaml}")))
        .collect()
}

/// The steps of the GitHub workflow.
fn github_steps() -> Vec<Value> {
    let found = blocks()
        .into_iter()
        .find_map(|block| block.as_sequence().cloned());
    found.expect("the README shows steps")
}

/// The one GitLab job.
fn gitlab_job() -> Value {
    let found = blocks().into_iter().find_map(|block| {
        let jobs = block.as_mapping()?;
        jobs.values().find(|job| job.get("script").is_some()).cloned()
    });
    found.expect("the README shows a job")
}

/// How a run of a workflow ended.
#[derive(Debug, PartialEq, Eq)]
enum Ended {
    Deployed,
    Skipped,
    /// A step failed, and said so.
    Failed(String),
}

impl Ended {
    #[track_caller]
    fn fails_with(self, part: &str) {
        let Self::Failed(said) = self else {
            panic!("{self:?} instead of a failure with {part}");
        };
        assert!(said.contains(part), "{said}");
    }
}

/// The repository on the server, and a clone to be made of it for every job.
struct Server {
    repo: Repo,
    path: std::ffi::OsString,
    jobs: std::cell::Cell<u32>,
}

impl Server {
    fn new() -> Self {
        let repo = Repo::new();
        repo.write("deploy", "#!/bin/sh\necho deployed >\"$DEPLOYED\"\n");
        repo.write("src/a", "1\n");
        std::fs::set_permissions(repo.path("deploy"), PermissionsExt::from_mode(0o755)).expect("it is ours");
        repo.commit("Begin");
        let path = path_with_program(&repo);
        Self {
            repo,
            path,
            jobs: std::cell::Cell::default(),
        }
    }

    /// Commits one file and returns the ids before and after.
    fn commit(&self, path: &str) -> (String, String) {
        let before = self.repo.git(["rev-parse", "HEAD"]).trim().to_owned();
        self.repo.write(path, format!("{path}\n"));
        let message = format!("Write {path}");
        (before, self.repo.commit(&message))
    }

    fn command(&self, program: &str, dir: &Path) -> Command {
        let mut command = self.repo.command(program);
        command
            .env_clear()
            .current_dir(dir)
            .env("PATH", &self.path)
            .env("HOME", self.repo.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("DEPLOYED", dir.with_extension("deployed"));
        command
    }

    fn git(&self, dir: &Path, args: &[&str]) {
        let out = common::out(self.command("git", dir).args(args), b"");
        assert_eq!(out.code, 0, "git {args:?}: {}", out.stderr);
    }

    /// An empty clone with the server as `origin`.
    fn new_clone(&self) -> PathBuf {
        let job = self.jobs.get();
        self.jobs.set(job + 1);
        let dir = self.repo.root().with_file_name(format!("job{job}"));
        std::fs::create_dir(&dir).expect("the folder is new");
        self.git(&dir, &["init", "-q"]);
        let url = format!("file://{}", self.repo.root().display());
        self.git(&dir, &["remote", "add", "origin", &url]);
        dir
    }

    /// As `actions/checkout` does it: one commit of one reference, or all of history with `fetch-depth: 0`.
    fn github_checkout(&self, reference: &str, sha: &str, depth: u64) -> PathBuf {
        let dir = self.new_clone();
        let (local, branch) = match reference.strip_prefix("refs/heads/") {
            Some(branch) => (format!("refs/remotes/origin/{branch}"), Some(branch)),
            None => (reference.replace("refs/pull/", "refs/remotes/pull/"), None),
        };
        let spec = format!("+{sha}:{local}");
        if depth == 0 {
            let all = ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"];
            self.git(&dir, &[&["fetch", "-q", "--prune", "origin"], &all[..]].concat());
            self.git(&dir, &["fetch", "-q", "origin", &spec]);
        } else {
            let depth = format!("--depth={depth}");
            self.git(
                &dir,
                &["fetch", "-q", "--no-tags", "--prune", &depth, "origin", &spec],
            );
        }
        match branch {
            Some(branch) => self.git(&dir, &["checkout", "-q", "--force", "-B", branch, &local]),
            None => self.git(&dir, &["checkout", "-q", "--force", "--detach", &local]),
        }
        dir
    }

    /// As GitLab's runner does it: the pipeline's own reference and that of the branch, or all of them with `GIT_DEPTH: 0`;
    /// always detached.
    fn gitlab_checkout(&self, branch: &str, sha: &str, depth: u64) -> PathBuf {
        let dir = self.new_clone();
        self.repo.git(["update-ref", "refs/pipelines/7", sha]);
        let own = "+refs/pipelines/7:refs/pipelines/7";
        if depth == 0 {
            let all = ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"];
            self.git(
                &dir,
                &[&["fetch", "-q", "--prune", "origin", own], &all[..]].concat(),
            );
        } else {
            let depth = format!("--depth={depth}");
            let spec = format!("+refs/heads/{branch}:refs/remotes/origin/{branch}");
            self.git(&dir, &["fetch", "-q", "--prune", &depth, "origin", own, &spec]);
        }
        self.git(&dir, &["checkout", "-q", "--force", sha]);
        dir
    }

    /// Runs the steps of the README's workflow. `depth` stands in for what its checkout says.
    fn github(&self, name: &str, reference: &str, sha: &str, event: &str, depth: Option<u64>) -> Ended {
        let (mut dir, mut outputs) = (PathBuf::new(), Vec::new());
        for step in github_steps() {
            if let Some(condition) = step.get("if").and_then(Value::as_str)
                && !holds(condition, &outputs)
            {
                continue;
            }
            if let Some(action) = step.get("uses") {
                assert_eq!(action.as_str(), Some("actions/checkout@v4"));
                let said = step["with"]["fetch-depth"].as_u64().unwrap_or(1);
                dir = self.github_checkout(reference, sha, depth.unwrap_or(said));
                continue;
            }
            let (output, event_file) = (dir.with_extension("output"), dir.with_extension("event"));
            std::fs::write(&output, "").expect("written");
            std::fs::write(&event_file, event).expect("written");
            let mut shell = self.command("bash", &dir);
            shell
                .envs([
                    ("CI", "true"),
                    ("GITHUB_ACTIONS", "true"),
                    ("GITHUB_EVENT_NAME", name),
                    ("GITHUB_REF", reference),
                    ("GITHUB_SHA", sha),
                ])
                .env("GITHUB_EVENT_PATH", &event_file)
                .env("GITHUB_OUTPUT", &output);
            let script = step["run"].as_str().expect("a step runs something");
            let out = common::out(shell.args(["-e", "-c", script]), b"");
            let said = std::fs::read_to_string(&output).expect("read");
            if out.code != 0 {
                assert_eq!(said, "", "a failed step has no output");
                return failed(&dir, &out);
            }
            let id = step.get("id").and_then(Value::as_str).unwrap_or_default();
            let pairs = said.lines().filter_map(|line| line.split_once('='));
            outputs.extend(pairs.map(|(key, value)| (format!("steps.{id}.outputs.{key}"), value.to_owned())));
        }
        ended_well(&dir)
    }

    /// Runs the script of the README's job. `depth` stands in for what its variables say.
    fn gitlab(&self, branch: &str, before: &str, sha: &str, depth: Option<u64>) -> Ended {
        let job = gitlab_job();
        let said = job["variables"]["GIT_DEPTH"].as_u64().unwrap_or(20);
        let dir = self.gitlab_checkout(branch, sha, depth.unwrap_or(said));
        let lines = job["script"].as_sequence().expect("a list of commands");
        let script: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
        let mut shell = self.command("sh", &dir);
        shell.envs([
            ("CI", "true"),
            ("GITLAB_CI", "true"),
            ("CI_PIPELINE_SOURCE", "push"),
            ("CI_COMMIT_SHA", sha),
            ("CI_COMMIT_BEFORE_SHA", before),
            ("CI_COMMIT_BRANCH", branch),
            ("CI_DEFAULT_BRANCH", "main"),
        ]);
        let out = common::out(shell.args(["-e", "-c", &script.join("\n")]), b"");
        if out.code == 0 {
            ended_well(&dir)
        } else {
            failed(&dir, &out)
        }
    }
}

fn ended_well(dir: &Path) -> Ended {
    if dir.with_extension("deployed").exists() {
        Ended::Deployed
    } else {
        Ended::Skipped
    }
}

fn failed(dir: &Path, out: &Out) -> Ended {
    assert_eq!(ended_well(dir), Ended::Skipped, "a failed job deploys nothing");
    Ended::Failed(out.stderr.clone())
}

/// The one kind of condition that the README needs: `<output> != '<value>'`.
fn holds(condition: &str, outputs: &[(String, String)]) -> bool {
    let (name, value) = condition.split_once(" != ").expect("a condition this test knows");
    let value = value.trim_matches('\'');
    !outputs.iter().any(|(n, v)| n == name && v == value)
}

const ZEROS: &str = "0000000000000000000000000000000000000000";
const DOCS: &str = "logos/changes/c/proposal.md";

fn push_event(before: &str) -> String {
    format!(r#"{{"before": "{before}", "forced": false, "repository": {{"default_branch": "main"}}}}"#)
}

#[test]
fn a_github_push_deploys_unless_it_only_moved_proposals_about() {
    let server = Server::new();
    let (before, docs) = server.commit(DOCS);
    let push =
        |before: &str, sha: &str| server.github("push", "refs/heads/main", sha, &push_event(before), None);
    assert_eq!(push(&before, &docs), Ended::Skipped);
    let (_, code) = server.commit("src/b");
    assert_eq!(push(&docs, &code), Ended::Deployed);
    let (_, more) = server.commit("logos/changes/c/tasks.md");
    assert_eq!(push(&docs, &more), Ended::Deployed);
    assert_eq!(push(&code, &more), Ended::Skipped);
    assert_eq!(push(ZEROS, &more), Ended::Deployed);
    push(&"5".repeat(40), &more).fails_with("IMPACT_GIT_DIFF_FAILED");
}

#[test]
fn a_new_branch_a_request_and_a_tag_are_judged_in_github_as_well() {
    let server = Server::new();
    server.repo.git(["tag", "v1"]);
    server.repo.git(["checkout", "-q", "-b", "side"]);
    let (_, side) = server.commit(DOCS);
    server.repo.git(["checkout", "-q", "main"]);
    let (_, main) = server.commit("src/b");
    server
        .repo
        .git(["merge", "-q", "--no-ff", "-m", "Test merge", "side"]);
    let merge = server.repo.git(["rev-parse", "HEAD"]).trim().to_owned();
    server.repo.git(["update-ref", "refs/pull/1/merge", &merge]);
    server.repo.git(["reset", "-q", "--hard", &main]);
    let first = server.github("push", "refs/heads/side", &side, &push_event(ZEROS), None);
    assert_eq!(first, Ended::Skipped);
    let request = format!(
        r#"{{"pull_request": {{"head": {{"sha": "{side}"}}, "base": {{"sha": "{main}", "ref": "main"}}}}}}"#
    );
    let request = |depth| server.github("pull_request", "refs/pull/1/merge", &merge, &request, depth);
    assert_eq!(request(None), Ended::Skipped);
    // For a request the last two commits suffice, and the message says so.
    assert_eq!(request(Some(2)), Ended::Skipped);
    request(Some(1)).fails_with("`fetch-depth: 2`");
    server.repo.git(["tag", "v2", &side]);
    assert_eq!(
        server.github("push", "refs/tags/v2", &side, "{}", None),
        Ended::Skipped
    );
    server.repo.git(["tag", "v3", &main]);
    assert_eq!(
        server.github("push", "refs/tags/v3", &main, "{}", None),
        Ended::Deployed
    );
}

#[test]
fn with_the_checkout_of_every_day_the_github_step_fails_and_says_what_helps() {
    let server = Server::new();
    let (before, docs) = server.commit(DOCS);
    let shallow = server.github("push", "refs/heads/main", &docs, &push_event(&before), Some(1));
    shallow.fails_with("`fetch-depth: 0`");
    server.repo.git(["checkout", "-q", "-b", "side"]);
    let (_, side) = server.commit("src/b");
    let new = server.github("push", "refs/heads/side", &side, &push_event(ZEROS), Some(1));
    new.fails_with("`git fetch origin main:refs/remotes/origin/main`");
}

#[test]
fn a_gitlab_push_deploys_unless_it_only_moved_proposals_about() {
    let server = Server::new();
    let (before, docs) = server.commit(DOCS);
    assert_eq!(server.gitlab("main", &before, &docs, None), Ended::Skipped);
    let (_, code) = server.commit("src/b");
    assert_eq!(server.gitlab("main", &before, &code, None), Ended::Deployed);
    server.repo.git(["checkout", "-q", "-b", "side"]);
    let (_, side) = server.commit("logos/changes/c/tasks.md");
    assert_eq!(server.gitlab("side", ZEROS, &side, None), Ended::Skipped);
    assert_eq!(
        server.gitlab("side", &"5".repeat(40), &side, None),
        Ended::Skipped
    );
    // As the runner fetches without the setting, a short history is told and not judged.
    server
        .gitlab("main", &docs, &code, Some(1))
        .fails_with("`GIT_DEPTH: 0`");
    server
        .gitlab("side", ZEROS, &side, Some(1))
        .fails_with("IMPACT_GIT_DIFF_FAILED");
    assert_eq!(server.gitlab("main", &docs, &code, Some(20)), Ended::Deployed);
}
