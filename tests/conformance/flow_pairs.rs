//! Cases with `pair.json` of kind `flow`: several steps, then the rows of the database and the files that result.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use regex::Regex;
use rusqlite::types::ValueRef;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::child;
use crate::packed::Packed;
use crate::steps::glob;

const LIMIT: Duration = Duration::from_secs(120);
const DATABASE: &str = ".sillyspec/.runtime/sillyspec.db";

/// How the rows of each table are read: without ids, joined to their change and stage.
const QUERIES: [(&str, &str); 6] = [
    ("project", "SELECT name, schema_version FROM project ORDER BY id"),
    (
        "changes",
        "SELECT name, current_stage, status, no_worktree FROM changes ORDER BY name",
    ),
    (
        "stages",
        "SELECT c.name, s.stage, s.status, s.started_at IS NOT NULL, s.completed_at IS NOT NULL \
         FROM stages s JOIN changes c ON c.id = s.change_id ORDER BY c.name, s.stage",
    ),
    (
        "steps",
        "SELECT c.name, s.stage, t.name, t.status, t.output, t.completed_at IS NOT NULL \
         FROM steps t JOIN stages s ON s.id = t.stage_id JOIN changes c ON c.id = s.change_id \
         ORDER BY c.name, s.stage, t.ordering, t.id",
    ),
    (
        "batch_progress",
        "SELECT c.name, b.total, b.completed, b.failed, b.skipped FROM batch_progress b \
         JOIN changes c ON c.id = b.change_id ORDER BY c.name",
    ),
    (
        "approvals",
        "SELECT c.name, a.status, a.approved_by, a.rejection_reason FROM approvals a \
         JOIN changes c ON c.id = a.change_id ORDER BY c.name",
    ),
];

#[derive(Deserialize)]
struct Pair {
    kind: String,
    #[serde(default)]
    git: String,
    steps: Vec<Step>,
    #[serde(default)]
    show: Vec<String>,
    #[serde(default)]
    ignore: Vec<String>,
    /// A shown file is compared from the first of this text on.
    #[serde(default)]
    tail: BTreeMap<String, String>,
    #[serde(default)]
    tables: Vec<String>,
    #[serde(default)]
    exits: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Step {
    Run {
        run: Vec<String>,
        #[serde(default)]
        stdin: Value,
    },
    Write {
        write: BTreeMap<String, String>,
    },
    Remove {
        remove: Vec<String>,
    },
    Mkdir {
        mkdir: Vec<String>,
    },
    /// Their time of change is put a day back.
    TouchOld {
        touch_old: Vec<String>,
    },
    Git {
        git: Vec<String>,
    },
}

/// Runs a case and returns what differs from `expected.json`.
pub(crate) fn check(packed: &Packed, program: &Path) -> Result<Vec<String>, String> {
    let pair: Pair =
        serde_json::from_value(packed.json("pair.json")?).map_err(|e| format!("pair.json: {e}"))?;
    if pair.kind != "flow" {
        return Err(format!("pair.json: kind `{}` is not of this runner", pair.kind));
    }
    let temporary = tempfile::Builder::new()
        .prefix("pairs-")
        .tempdir()
        .map_err(|e| e.to_string())?;
    let top = temporary.path().canonicalize().map_err(|e| e.to_string())?;
    let (root, home) = (top.join("p"), top.join("home"));
    for dir in [&root, &home] {
        fs::create_dir(dir).map_err(|e| e.to_string())?;
    }
    packed.lay("input", &root)?;
    let flow = Flow { root, home, program };
    if pair.git == "commit" {
        flow.git(&["init", "-q", "-b", "main"])?;
        flow.git(&["add", "-A"])?;
        flow.git(&["commit", "-q", "--allow-empty", "-m", "base"])?;
    }
    let exits = flow.run(&pair.steps)?;
    let mut got = flow.result(&pair)?;
    if pair.exits {
        got["exits"] = json!(exits);
    }
    let mut faults = Vec::new();
    compare(&packed.json("expected.json")?, &got, "", &mut faults);
    Ok(faults)
}

struct Flow<'a> {
    root: std::path::PathBuf,
    home: std::path::PathBuf,
    program: &'a Path,
}

impl Flow<'_> {
    fn git(&self, args: &[&str]) -> Result<String, String> {
        child::git(&self.root, &self.home, args)
    }

    /// 0 or 1 for each step that runs the program.
    fn run(&self, steps: &[Step]) -> Result<Vec<i32>, String> {
        let mut exits = Vec::new();
        for step in steps {
            match step {
                Step::Run { run, stdin } => {
                    let input = match stdin.as_str() {
                        Some(text) => text.to_owned(),
                        None if stdin.is_null() => String::new(),
                        None => stdin.to_string(),
                    };
                    let mut command = child::command(self.program, &self.root, &self.home);
                    let ended = child::run(command.arg("silly").args(run), input.as_bytes(), LIMIT)?;
                    exits.push(i32::from(ended.code != 0));
                }
                Step::Git { git } => {
                    let words: Vec<&str> = git.iter().map(String::as_str).collect();
                    self.git(&words)?;
                }
                Step::Write { .. } | Step::Remove { .. } | Step::Mkdir { .. } | Step::TouchOld { .. } => {
                    self.change(step).map_err(|e| e.to_string())?;
                }
            }
        }
        Ok(exits)
    }

    fn change(&self, step: &Step) -> std::io::Result<()> {
        let at = |path: &String| self.root.join(path);
        match step {
            Step::Write { write } => {
                for (path, content) in write {
                    let target = at(path);
                    fs::create_dir_all(target.parent().expect("below the root"))?;
                    fs::write(target, content)?;
                }
            }
            Step::Remove { remove } => {
                for path in remove.iter().map(at) {
                    match path.is_dir() {
                        true => fs::remove_dir_all(path)?,
                        false => fs::remove_file(path)?,
                    }
                }
            }
            Step::Mkdir { mkdir } => mkdir.iter().map(at).try_for_each(fs::create_dir_all)?,
            Step::TouchOld { touch_old } => {
                let then = SystemTime::now() - Duration::from_secs(86_400);
                for path in touch_old.iter().map(at) {
                    fs::File::options().write(true).open(path)?.set_modified(then)?;
                }
            }
            Step::Run { .. } | Step::Git { .. } => {}
        }
        Ok(())
    }

    fn result(&self, pair: &Pair) -> Result<Value, String> {
        let globs = |list: &[String]| list.iter().map(|g| glob(g)).collect::<Result<Vec<_>, _>>();
        let (show, ignore) = (globs(&pair.show)?, globs(&pair.ignore)?);
        let mut tables = Map::new();
        for table in &pair.tables {
            tables.insert(table.clone(), self.table(table)?);
        }
        let (mut files, mut text) = (BTreeSet::new(), Map::new());
        for path in self.files()? {
            let is_beside = path.ends_with("-wal") || path.ends_with("-shm");
            if is_beside || ignore.iter().any(|glob| glob.is_match(&path)) {
                continue;
            }
            let key = self.normal(&path);
            if show.iter().any(|glob| glob.is_match(&path)) {
                text.insert(key.clone(), self.shown(&path, &pair.tail)?);
            }
            files.insert(key);
        }
        Ok(json!({"tables": tables, "files_set": files, "text": text}))
    }

    fn shown(&self, path: &str, tail: &BTreeMap<String, String>) -> Result<Value, String> {
        let Ok(mut text) = fs::read_to_string(self.root.join(path)) else {
            return Ok(Value::from("<binary>"));
        };
        for (pattern, mark) in tail {
            if glob(pattern)?.is_match(path) {
                text = text
                    .find(mark)
                    .map(|at| text[at..].to_owned())
                    .unwrap_or_default();
            }
        }
        let text = self.normal(&text);
        Ok(serde_json::from_str(&text).unwrap_or(Value::from(text)))
    }

    fn table(&self, table: &str) -> Result<Value, String> {
        let path = self.root.join(DATABASE);
        if !path.exists() {
            return Ok(Value::Null);
        }
        let (_, query) = QUERIES
            .iter()
            .find(|(name, _)| *name == table)
            .ok_or_else(|| format!("pair.json: there is no table `{table}`"))?;
        let fail = |e: rusqlite::Error| format!("{table}: {e}");
        let connection = rusqlite::Connection::open(path).map_err(fail)?;
        connection.execute_batch("PRAGMA query_only = ON").map_err(fail)?;
        let mut found = connection.prepare(query).map_err(fail)?;
        let columns = found.column_count();
        let rows = found
            .query_map([], |row| {
                (0..columns)
                    .map(|column| {
                        Ok(match row.get_ref(column)? {
                            ValueRef::Integer(number) => Value::from(number),
                            ValueRef::Text(text) => Value::from(self.normal(&String::from_utf8_lossy(text))),
                            ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => Value::Null,
                        })
                    })
                    .collect::<rusqlite::Result<Vec<Value>>>()
            })
            .map_err(fail)?;
        let rows: Vec<Vec<Value>> = rows.collect::<rusqlite::Result<_>>().map_err(fail)?;
        Ok(json!(rows))
    }

    fn files(&self) -> Result<Vec<String>, String> {
        let mut out = Vec::new();
        let mut open = vec![(self.root.clone(), String::new())];
        while let Some((dir, prefix)) = open.pop() {
            for entry in fs::read_dir(&dir).map_err(|e| format!("{}: {e}", dir.display()))? {
                let entry = entry.map_err(|e| e.to_string())?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if !entry.path().is_dir() {
                    out.push(format!("{prefix}{name}"));
                } else if name != ".git" {
                    open.push((entry.path(), format!("{prefix}{name}/")));
                }
            }
        }
        Ok(out)
    }

    fn normal(&self, text: &str) -> String {
        static TIMES: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(
                r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?|[0-9]{4}/[0-9]{1,2}/[0-9]{1,2} [0-9]{1,2}:[0-9]{2}:[0-9]{2}",
            )
            .expect("a pattern")
        });
        static STAMP: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"(^|[^0-9])20[0-9]{12,15}($|[^0-9])").expect("a pattern"));
        let text = text.replace(&self.root.display().to_string(), "<root>");
        let text = TIMES.replace_all(&text, "<timestamp>");
        let text = STAMP.replace_all(&text, "${1}<stamp>${2}");
        let today = git_spec::clock::Timestamp::now().date(0);
        text.replace(&today, "<today>")
    }
}

/// Every key that is expected must be there and equal; lists of files are sets, and other keys may be there.
fn compare(expected: &Value, got: &Value, path: &str, faults: &mut Vec<String>) {
    let differ = || format!("{path}: expected {expected}, got {got}");
    match (expected, got) {
        (Value::Object(want), Value::Object(have)) => {
            for (key, value) in want {
                match have.get(key) {
                    Some(other) => compare(value, other, &format!("{path}.{key}"), faults),
                    None => faults.push(format!("{path}.{key}: missing")),
                }
            }
        }
        (Value::Array(want), Value::Array(have)) if path.ends_with("files_set") => {
            let set = |list: &[Value]| list.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
            if set(want) != set(have) {
                faults.push(differ());
            }
        }
        (Value::Array(want), Value::Array(have)) if want.len() == have.len() => {
            for (at, (value, other)) in want.iter().zip(have).enumerate() {
                compare(value, other, &format!("{path}[{at}]"), faults);
            }
        }
        _ if expected == got => {}
        _ => faults.push(differ()),
    }
}

#[test]
fn a_missing_key_and_another_set_are_faults() {
    let expected = json!({"files_set": ["a", "b"], "text": {"x": 1}});
    let mut faults = Vec::new();
    compare(
        &expected,
        &json!({"files_set": ["b", "a"], "text": {"x": 1, "y": 2}}),
        "",
        &mut faults,
    );
    assert!(faults.is_empty(), "{faults:?}");
    compare(
        &expected,
        &json!({"files_set": ["a"], "text": {}}),
        "",
        &mut faults,
    );
    assert_eq!(faults.len(), 2, "{faults:?}");
}
