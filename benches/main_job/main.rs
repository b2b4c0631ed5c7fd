//! Whole commands, from the start of the process to its end, beside git's answer to the same question or a walk of the
//! same files.
//!
//! `cargo bench --bench main_job`, or `benches/compare.sh` for processor time and ratios.

#[path = "../../tests/common/mod.rs"]
mod common;
mod generate;

use std::process::{Command, Stdio};
use std::time::Duration;

use common::Repo;
use criterion::{Criterion, criterion_group, criterion_main};

criterion_group! {
    name = commands;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(5));
    targets = start, flow, lint, merge, impact
}
criterion_main!(commands);

fn start(c: &mut Criterion) {
    let repo = generate::small();
    let mut group = c.benchmark_group("start");
    group.bench_function("git-spec --version", |b| b.iter(|| spec(&repo, &["--version"])));
    group.bench_function("git --version", |b| b.iter(|| git(&repo, &["--version"])));
    group.finish();
}

fn flow(c: &mut Criterion) {
    let demo = Repo::without_git();
    demo.spec(["demo", "."]).exits(0);
    let walk = [
        "logos",
        "-path",
        "logos/changes/archive",
        "-prune",
        "-o",
        "-type",
        "f",
        "-print",
    ];
    let mut group = c.benchmark_group("flow");
    for command in ["status", "next"] {
        let args = [command, "--format", "json"];
        group.bench_function(format!("{command}, the demo project"), |b| {
            b.iter(|| run(demo.program().current_dir(demo.path("tolls")).args(args)));
        });
    }
    for archived in [0, 2_000, 20_000] {
        let repo = generate::grown(archived);
        for command in ["status", "next"] {
            group.bench_function(format!("{command}, 500 documents, {archived} archived"), |b| {
                b.iter(|| spec(&repo, &[command, "--format", "json"]));
            });
        }
        group.bench_function(format!("find of the same, {archived} archived"), |b| {
            b.iter(|| run(repo.command("find").args(walk)));
        });
    }
    group.finish();
}

fn lint(c: &mut Criterion) {
    let mut group = c.benchmark_group("change-lint");
    let lint = ["change-lint", "--slug", generate::SLUG, "--format", "json"];
    let small = generate::small();
    group.bench_function("1 document, 1 delta", |b| b.iter(|| spec(&small, &lint)));
    let large = generate::large();
    group.bench_function("500 documents, 200 deltas", |b| b.iter(|| spec(&large, &lint)));
    group.finish();
}

fn merge(c: &mut Criterion) {
    let mut group = c.benchmark_group("merge");
    let long = generate::long();
    let merge = ["merge", generate::SLUG, "--dry-run"];
    group.bench_function("dry run, 1 MB document", |b| b.iter(|| spec(&long, &merge)));
    group.finish();
}

fn impact(c: &mut Criterion) {
    let mut group = c.benchmark_group("impact");
    let wide = generate::wide();
    let impact = ["impact", "--base", "HEAD~1", "--head", "HEAD", "--format", "json"];
    group.bench_function("10,000 of 100,000 files", |b| b.iter(|| spec(&wide, &impact)));
    let diff = ["diff", "--no-relative", "--name-status", "-z", "HEAD~1", "HEAD"];
    group.bench_function("git diff of the same", |b| b.iter(|| git(&wide, &diff)));
    group.finish();
}

fn spec(repo: &Repo, args: &[&str]) {
    run(repo.program().args(args));
}

fn git(repo: &Repo, args: &[&str]) {
    run(repo.command("git").args(args));
}

/// Runs a command to its end. What a check finds is an answer; a command that cannot do its work is none.
fn run(command: &mut Command) {
    let output = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .expect("it can be started");
    let is_answer = matches!(output.status.code(), Some(0 | 2));
    assert!(
        is_answer,
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
