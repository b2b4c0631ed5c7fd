//! Cases of `merge`: documents at the base and now, deltas, and the documents or the conflicts that must come out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::child;
use crate::packed::Packed;

const SLUG: &str = "merge-case";
const CHANGE: &str = "logos/changes/merge-case";
/// What every case has around its documents.
const BARE: [(&str, &str); 4] = [
    (
        "logos/logos.config.json",
        "{\"name\": \"merge-case\", \"locale\": \"en\"}\n",
    ),
    (
        "logos/logos-project.yaml",
        "project:\n  name: merge-case\nmodules:\n  - id: core\n    name: Core\n    lifecycle: launched\n",
    ),
    (
        "logos/changes/merge-case/proposal.md",
        "# Change: merge case\n\n> module: core\n\n## Why\nA recorded case.\n",
    ),
    (
        "logos/changes/merge-case/tasks.md",
        "# Tasks\n\n## [delta] Spec changes\n- [x] write deltas/\n",
    ),
];
/// Folders of documents.
const TOPS: [&str; 3] = ["logos/resources", "spec", "skills"];
const LIMIT: Duration = Duration::from_secs(60);

type Files = BTreeMap<String, Vec<u8>>;

/// Builds the three commits of a case, merges, and returns what is not as expected.
pub(crate) fn check(packed: &Packed, program: &Path) -> Result<Vec<String>, String> {
    let temporary = tempfile::Builder::new()
        .prefix("merge-case-")
        .tempdir()
        .map_err(|e| e.to_string())?;
    let top = temporary.path().canonicalize().map_err(|e| e.to_string())?;
    let case = Case {
        root: top.join("p"),
        home: top.join("home"),
    };
    for dir in [&case.root, &case.home] {
        fs::create_dir(dir).map_err(|e| e.to_string())?;
    }
    let main = given(packed, "main")?;
    let base = if packed.has("base") {
        given(packed, "base")?
    } else {
        main.clone()
    };
    case.build(packed, &base, &main)?;
    let head = case.git(&["rev-parse", "HEAD"])?;
    let mut command = child::command(program, &case.root, &case.home);
    let ended = child::run(command.args(["merge", SLUG]), b"", LIMIT)?;
    let said = String::from_utf8_lossy(&ended.stderr);
    let got = case.documents()?;
    let marked = case.root.join(CHANGE).join("SPEC_MERGED").exists();
    let mut faults = Vec::new();
    if let Some(want) = packed.text("expect-conflict.txt") {
        let want: Vec<&str> = want.split('\n').filter(|line| !line.is_empty()).collect();
        let told: Vec<&str> = said
            .split('\n')
            .filter_map(|line| Some(line.strip_prefix("conflict: ")?.trim()))
            .collect();
        if ended.code == 0 {
            faults.push("expected a refusal, got exit 0".to_owned());
        }
        if told != want {
            faults.push(format!("expected conflicts {want:?}, got {told:?}"));
        }
        faults.extend(differences(&main, &got));
        if marked {
            faults.push("SPEC_MERGED was written".to_owned());
        }
        if case.git(&["rev-parse", "HEAD"])? != head || !case.is_clean()? {
            faults.push("the repository was changed".to_owned());
        }
    } else {
        if ended.code != 0 {
            let said: String = said.trim().chars().take(300).collect();
            faults.push(format!("exit {}: {said}", ended.code));
        }
        faults.extend(differences(&given(packed, "expect")?, &got));
        if !marked {
            faults.push("SPEC_MERGED is missing".to_owned());
        }
        let range = format!("{}..HEAD", head.trim());
        if case.git(&["rev-list", "--count", &range])?.trim() != "1" || !case.is_clean()? {
            faults.push("expected exactly one new commit and a clean work tree".to_owned());
        }
    }
    Ok(faults)
}

/// The documents of a case's folder; `.gitkeep` only keeps it.
fn given(packed: &Packed, folder: &str) -> Result<Files, String> {
    let mut files = packed.files(folder)?;
    files.retain(|path, _| !is_keeper(path));
    Ok(files)
}

fn is_keeper(path: &str) -> bool {
    path == ".gitkeep" || path.ends_with("/.gitkeep")
}

struct Case {
    root: PathBuf,
    home: PathBuf,
}

impl Case {
    fn build(&self, packed: &Packed, base: &Files, main: &Files) -> Result<(), String> {
        self.git(&["init", "-q", "-b", "main"])?;
        self.git(&["config", "core.autocrlf", "false"])?;
        self.lay(base)?;
        for (path, content) in BARE {
            self.write(path, content.as_bytes())?;
        }
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-q", "-m", "the change is created"])?;
        self.lay(main)?;
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-q", "--allow-empty", "-m", "the documents move on"])?;
        packed.lay("change", &self.root.join(CHANGE))?;
        self.git(&["add", "-A", "-f"])?;
        self.git(&["commit", "-q", "-m", "the deltas are written"])?;
        Ok(())
    }

    fn git(&self, args: &[&str]) -> Result<String, String> {
        child::git(&self.root, &self.home, args)
    }

    fn is_clean(&self) -> Result<bool, String> {
        Ok(self.git(&["status", "--porcelain"])?.is_empty())
    }

    /// Makes these the only documents.
    fn lay(&self, files: &Files) -> Result<(), String> {
        for top in TOPS {
            let dir = self.root.join(top);
            if dir.exists() {
                fs::remove_dir_all(&dir).map_err(|e| format!("{top}: {e}"))?;
            }
        }
        for (path, content) in files {
            self.write(path, content)?;
        }
        Ok(())
    }

    fn write(&self, path: &str, content: &[u8]) -> Result<(), String> {
        let target = self.root.join(path);
        let fail = |e: std::io::Error| format!("{path}: {e}");
        fs::create_dir_all(target.parent().expect("below the root")).map_err(fail)?;
        fs::write(target, content).map_err(fail)
    }

    fn documents(&self) -> Result<Files, String> {
        let mut files = Files::new();
        let mut open: Vec<String> = TOPS.iter().map(|top| (*top).to_owned()).collect();
        while let Some(dir) = open.pop() {
            let at = self.root.join(&dir);
            if !at.exists() {
                continue;
            }
            for entry in fs::read_dir(&at).map_err(|e| format!("{dir}: {e}"))? {
                let entry = entry.map_err(|e| format!("{dir}: {e}"))?;
                let path = format!("{dir}/{}", entry.file_name().to_string_lossy());
                if entry.file_type().map_err(|e| e.to_string())?.is_dir() {
                    open.push(path);
                } else if entry.path().is_file() && !is_keeper(&path) {
                    let content = fs::read(entry.path()).map_err(|e| format!("{path}: {e}"))?;
                    files.insert(path, content);
                }
            }
        }
        Ok(files)
    }
}

fn differences(expected: &Files, got: &Files) -> Vec<String> {
    let mut paths: Vec<&String> = expected.keys().chain(got.keys()).collect();
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        .filter(|path| expected.get(*path) != got.get(*path))
        .map(|path| {
            let show = |files: &Files| files.get(path).map_or("nothing".to_owned(), |bytes| shown(bytes));
            format!("{path}: expected {}, got {}", show(expected), show(got))
        })
        .collect()
}

/// As much of a document as helps, with its line ends to be seen.
fn shown(bytes: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(bytes))
        .chars()
        .take(300)
        .collect()
}
