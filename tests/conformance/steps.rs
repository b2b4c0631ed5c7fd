//! Cases with `case.json`: a project, steps, and what every run must show.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::time::Duration;

use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::child;
use crate::compare::differences;
use crate::normal::{Normal, stamp};
use crate::packed::Packed;
use crate::schemas;

const LIMIT: Duration = Duration::from_secs(120);

/// What a case does.
#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    git: String,
    #[serde(default)]
    dirs: Vec<String>,
    #[serde(default = "here")]
    cwd: String,
    steps: Vec<Step>,
    #[serde(default)]
    show: Vec<String>,
    #[serde(default)]
    ignore: Vec<String>,
}

fn here() -> String {
    ".".to_owned()
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Step {
    Write {
        write: BTreeMap<String, String>,
    },
    Remove {
        remove: Vec<String>,
    },
    Git {
        git: Vec<String>,
    },
    Run {
        run: Vec<String>,
        #[serde(default)]
        stdin: Option<String>,
        #[serde(default)]
        env: HashMap<String, String>,
    },
}

/// Runs a case and returns what differs from `expected.json`.
pub(crate) fn check(packed: &Packed, program: &Path) -> Result<Vec<String>, String> {
    check_family(packed, program, &[])
}

/// As [`check`], of a family whose cases leave its own words out.
pub(crate) fn check_silly(packed: &Packed, program: &Path) -> Result<Vec<String>, String> {
    check_family(packed, program, &["silly"])
}

fn check_family(packed: &Packed, program: &Path, family: &[&str]) -> Result<Vec<String>, String> {
    let case: Case =
        serde_json::from_value(packed.json("case.json")?).map_err(|e| format!("case.json: {e}"))?;
    let temporary = tempfile::Builder::new()
        .prefix("conform-")
        .tempdir()
        .map_err(|e| e.to_string())?;
    let top = temporary.path().canonicalize().map_err(|e| e.to_string())?;
    let got = Runner::new(&case, packed, program, family, &top)?.run()?;
    let Value::Array(expected) = packed.json("expected.json")? else {
        return Err("expected.json is no list".to_owned());
    };
    let mut faults = Vec::new();
    if expected.len() != got.len() {
        faults.push(format!(
            "expected {} run steps, got {}",
            expected.len(),
            got.len()
        ));
    }
    for (i, (want, have)) in expected.iter().zip(&got).enumerate() {
        let want = recorded(want);
        let words: Vec<&str> = want["run"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for part in ["exit", "stdout", "stderr", "effects"] {
            for difference in differences(&want[part], &have[part]) {
                faults.push(format!("step {i} `{}` {part}{difference}", words.join(" ")));
            }
        }
        for part in ["schema", "commit"] {
            for fault in have[part].as_array().into_iter().flatten() {
                faults.push(format!("step {i} `{}` {fault}", words.join(" ")));
            }
        }
    }
    Ok(faults)
}

/// A recorded step, normalised by the rules of today.
fn recorded(step: &Value) -> Value {
    let normal = Normal { root: "\0" };
    let mut step = step.clone();
    for stream in ["stdout", "stderr"] {
        let said = &step[stream];
        step[stream] = match said.as_array() {
            Some(lines) => lines.iter().map(|line| normal.value(line, None)).collect(),
            None => normal.value(said, None),
        };
    }
    for kind in ["created", "changed"] {
        if let Some(files) = step["effects"][kind].as_object_mut() {
            for content in files.values_mut() {
                if let Value::String(text) = content {
                    *content = Value::from(normal.text(text));
                }
            }
        }
    }
    step
}

struct Runner<'a> {
    case: &'a Case,
    program: &'a Path,
    /// Words in front of those of every run.
    family: &'a [&'a str],
    root: std::path::PathBuf,
    home: std::path::PathBuf,
    show: Vec<Regex>,
    ignore: Vec<Regex>,
}

impl<'a> Runner<'a> {
    /// Lays the project down and, if the case says so, commits it.
    fn new(
        case: &'a Case,
        packed: &Packed,
        program: &'a Path,
        family: &'a [&'a str],
        top: &Path,
    ) -> Result<Self, String> {
        let globs = |list: &[String]| list.iter().map(|g| glob(g)).collect::<Result<Vec<_>, _>>();
        let runner = Self {
            case,
            program,
            family,
            root: top.join("p"),
            home: top.join("home"),
            show: globs(&case.show)?,
            ignore: globs(&case.ignore)?,
        };
        for dir in [&runner.root, &runner.home] {
            fs::create_dir(dir).map_err(|e| e.to_string())?;
        }
        packed.lay("project", &runner.root)?;
        for dir in &case.dirs {
            fs::create_dir_all(runner.root.join(dir)).map_err(|e| format!("{dir}: {e}"))?;
        }
        match case.git.as_str() {
            "" | "none" => {}
            "commit" => {
                runner.git(&["init", "-q", "-b", "main"])?;
                runner.git(&["add", "-A"])?;
                runner.git(&["commit", "-q", "--allow-empty", "-m", "base"])?;
            }
            other => return Err(format!("case.json: `git` is `{other}`")),
        }
        Ok(runner)
    }

    fn run(&self) -> Result<Vec<Value>, String> {
        let mut out = Vec::new();
        for step in &self.case.steps {
            match step {
                Step::Write { write } => self.write(write)?,
                Step::Remove { remove } => self.remove(remove)?,
                Step::Git { git } => {
                    let words: Vec<&str> = git.iter().map(String::as_str).collect();
                    self.git(&words)?;
                }
                Step::Run { run, stdin, env } => {
                    out.push(self.program(run, stdin.as_deref().unwrap_or_default(), env)?);
                }
            }
        }
        Ok(out)
    }

    fn git(&self, args: &[&str]) -> Result<String, String> {
        child::git(&self.root, &self.home, args)
    }

    fn write(&self, files: &BTreeMap<String, String>) -> Result<(), String> {
        for (path, content) in files {
            let target = self.root.join(path);
            let fail = |e: std::io::Error| format!("{path}: {e}");
            fs::create_dir_all(target.parent().expect("below the root")).map_err(fail)?;
            fs::write(&target, content).map_err(fail)?;
        }
        Ok(())
    }

    fn remove(&self, paths: &[String]) -> Result<(), String> {
        for path in paths {
            let target = self.root.join(path);
            let fail = |e: std::io::Error| format!("{path}: {e}");
            if fs::symlink_metadata(&target).map_err(fail)?.is_dir() {
                fs::remove_dir_all(&target).map_err(fail)?;
            } else {
                fs::remove_file(&target).map_err(fail)?;
            }
        }
        Ok(())
    }

    fn program(&self, args: &[String], stdin: &str, env: &HashMap<String, String>) -> Result<Value, String> {
        let before = snapshot(&self.root)?;
        let mut command = child::command(self.program, &self.root.join(&self.case.cwd), &self.home);
        let words = command.args(self.family).args(args);
        let ended = child::run(words.envs(env), stdin.as_bytes(), LIMIT)?;
        let after = snapshot(&self.root)?;
        let root = self
            .root
            .to_str()
            .ok_or("the temporary folder's name is not UTF-8")?;
        let normal = Normal { root };
        Ok(json!({
            "run": args,
            "exit": ended.code,
            "stdout": normal.stream(&ended.stdout),
            "stderr": normal.stream(&ended.stderr),
            "effects": self.effects(&normal, &before, &after),
            "schema": schemas::faults(&ended.stdout, &ended.stderr),
            "commit": self.faults_of_commit(args, &ended)?,
        }))
    }

    /// What a `status` says of the project as git holds it, against what it says of the same project in a commit, and
    /// what `watch` says first.
    fn faults_of_commit(&self, args: &[String], ended: &child::Ended) -> Result<Vec<String>, String> {
        let is_status =
            args.first().is_some_and(|word| word == "status") && args.iter().any(|word| word == "json");
        if !is_status || ended.code != 0 || self.root.join(".git").exists() {
            return Ok(Vec::new());
        }
        let top = self.root.with_file_name("held");
        let (bare, held) = (top.join("from"), top.join("clone"));
        let git = |args: &[&str]| child::git(&self.root, &self.home, args);
        let (bare, held) = (bare.display().to_string(), held.display().to_string());
        let files = ["--git-dir", &bare, "--work-tree", "."];
        git(&["init", "-q", "--bare", "-b", "main", &bare])?;
        git(&[&files[..], &["add", "-A", "-f"]].concat())?;
        git(&[&files[..], &["commit", "-q", "--allow-empty", "-m", "held"]].concat())?;
        git(&["clone", "-q", &bare, &held])?;
        let data = |more: &[&str]| -> Result<Value, String> {
            let dir = Path::new(&held).join(&self.case.cwd);
            // Git holds no empty folder.
            fs::create_dir_all(&dir).map_err(|e| e.to_string())?;
            let mut command = child::command(self.program, &dir, &self.home);
            let ended = child::run(command.args(args).args(more), b"", LIMIT)?;
            let said = if ended.code == 0 {
                &ended.stdout
            } else {
                &ended.stderr
            };
            let mut said: Value = serde_json::from_slice(said).map_err(|e| e.to_string())?;
            Ok(json!([said["data"].take(), said["error"].take()]))
        };
        let here = data(&[])?;
        let faults = differences(&here, &data(&["--at", "HEAD"])?);
        let mut watch = child::command(self.program, &Path::new(&held).join(&self.case.cwd), &self.home);
        let first = child::first_line(watch.arg("watch").args(&args[1..]))?;
        let event: Value = serde_json::from_str(&first).map_err(|e| format!("watch: {e}: {first}"))?;
        let watched = differences(&here[0], &event["data"]["status"]);
        fs::remove_dir_all(&top).map_err(|e| e.to_string())?;
        let faults = faults.into_iter().map(|fault| format!("--at HEAD{fault}"));
        let watched = watched.into_iter().map(|fault| format!("watch{fault}"));
        Ok(faults.chain(watched).collect())
    }

    fn effects(&self, normal: &Normal, before: &Files, after: &Files) -> Value {
        let commits: BTreeSet<String> = if self.root.join(".git").exists() {
            let listed = self.git(&["rev-list", "--all"]).unwrap_or_default();
            listed.split_whitespace().map(str::to_owned).collect()
        } else {
            BTreeSet::new()
        };
        let (mut created, mut changed, mut removed) = (Map::new(), Map::new(), Vec::new());
        let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for path in paths {
            if self.ignore.iter().any(|glob| glob.is_match(path)) {
                continue;
            }
            let Some(content) = after.get(path) else {
                removed.push(stamp(path));
                continue;
            };
            let old = before.get(path);
            if old == Some(content) {
                continue;
            }
            let shown = if self.show.iter().any(|glob| glob.is_match(path)) {
                normal.file(content, &commits)
            } else {
                Value::from("<file>")
            };
            let list = if old.is_none() { &mut created } else { &mut changed };
            list.insert(stamp(path), shown);
        }
        json!({"created": created, "changed": changed, "removed": removed})
    }
}

type Files = BTreeMap<String, Vec<u8>>;

/// Every file outside `.git` folders; a link to a folder is no file.
fn snapshot(root: &Path) -> Result<Files, String> {
    let mut files = Files::new();
    let mut open = vec![(root.to_owned(), String::new())];
    while let Some((dir, prefix)) = open.pop() {
        // A folder that cannot be listed has no files to compare.
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        for entry in entries {
            let entry = entry.map_err(|e| format!("{}: {e}", dir.display()))?;
            let kind = entry.file_type().map_err(|e| e.to_string())?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path();
            if kind.is_dir() {
                if name != ".git" {
                    open.push((path, format!("{prefix}{name}/")));
                }
            } else if !path.is_dir() {
                let content = fs::read(&path).unwrap_or_else(|_| b"<unreadable>".to_vec());
                files.insert(format!("{prefix}{name}"), content);
            }
        }
    }
    Ok(files)
}

/// A shell pattern over a whole path: `*` and `?` match slashes too.
pub(crate) fn glob(glob: &str) -> Result<Regex, String> {
    let mut pattern = String::from(r"(?s)\A");
    let mut rest = glob;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        // A set ends at the first `]` that does not open it; without one, `[` is itself.
        let start = usize::from(rest.starts_with('!'));
        let end = rest.get(start..).and_then(|set| {
            let opening = usize::from(set.starts_with(']'));
            Some(start + opening + set.get(opening..)?.find(']')?)
        });
        match (c, end) {
            ('*', _) => pattern.push_str(".*"),
            ('?', _) => pattern.push('.'),
            ('[', Some(end)) => {
                pattern.push_str(if start == 1 { "[^" } else { "[" });
                for member in rest[start..end].chars() {
                    if member.is_ascii_punctuation() && member != '-' {
                        pattern.push('\\');
                    }
                    pattern.push(member);
                }
                pattern.push(']');
                rest = &rest[end + 1..];
            }
            (c, _) => pattern.push_str(&regex::escape(&c.to_string())),
        }
    }
    pattern.push_str(r"\z");
    Regex::new(&pattern).map_err(|e| format!("`{glob}`: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_matches_whole_paths_as_a_shell_matches_names() {
        let cases = [
            ("logos/changes/*/tasks.md", "logos/changes/a/b/tasks.md", true),
            ("b/*", "a/b/c", false),
            ("a?c", "a/c", true),
            ("[!a-c]x", "dx", true),
            ("[!a-c]x", "bx", false),
            ("[]]", "]", true),
            ("[a", "[a", true),
            ("a.b", "acb", false),
            ("*", "a\nb", true),
        ];
        for (pattern, path, expected) in cases {
            let matched = glob(pattern).map(|g| g.is_match(path));
            assert_eq!(matched, Ok(expected), "`{pattern}` against `{path}`");
        }
    }

    #[test]
    fn a_snapshot_holds_files_and_links_to_files() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| dir.path().join(name);
        for folder in ["a", ".git", "a/.git"] {
            fs::create_dir(at(folder)).expect("a new folder");
        }
        for file in ["a/x", ".git/no", "a/.git/no"] {
            fs::write(at(file), file).expect("a new file");
        }
        for (target, link) in [("a", "folder"), ("a/x", "file"), ("nothing", "broken")] {
            std::os::unix::fs::symlink(target, at(link)).expect("a new link");
        }
        let expected = Files::from([
            ("a/x".to_owned(), b"a/x".to_vec()),
            ("file".to_owned(), b"a/x".to_vec()),
            ("broken".to_owned(), b"<unreadable>".to_vec()),
        ]);
        assert_eq!(snapshot(dir.path()), Ok(expected));
    }
}
