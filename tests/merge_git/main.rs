//! `merge` and `archive` as commits of real repositories, whatever they are configured to be.
#![cfg(unix)]

#[path = "../common/mod.rs"]
mod common;

mod archives;
mod commits;
mod decisions;
mod hooks;
mod locks;
mod names;
mod repositories;

use common::{Repo, Tolls};

const SLUG: &str = "car-price";

/// The tolls with a change of one price, proposed and committed.
fn tolls() -> Tolls {
    let tolls = Tolls::new();
    tolls.change(SLUG, &[(Tolls::DELTA, &Tolls::prices("6", "12", "0"))]);
    tolls
}

/// The paths that the newest commit touched, with their letters.
fn touched(repo: &Repo) -> Vec<String> {
    let said = repo.git(["show", "--format=", "--name-status", "--no-renames", "HEAD"]);
    said.lines().map(|l| l.replace('\t', " ")).collect()
}

/// The index as git lists it, without the entries of these paths.
fn index_without(repo: &Repo, paths: &[&str]) -> Vec<String> {
    let all = repo.git(["ls-files", "-s"]);
    let other = |line: &&str| !paths.iter().any(|p| line.ends_with(&format!("\t{p}")));
    all.lines().filter(other).map(str::to_owned).collect()
}

/// An executable hook.
fn hook(repo: &Repo, path: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    repo.write(path, format!("#!/bin/sh\n{script}\n"));
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(repo.path(path), mode).expect("it is ours");
}
