//! A case packed into one JSON file: every file of its folder, by path.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::Deserialize;
use serde_json::Value;

/// The content of one file of a case.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Link { symlink: String },
    Script { text: String, executable: bool },
    Bytes { base64: String },
    Json(Value),
}

#[derive(Debug, Deserialize)]
struct Folder {
    files: BTreeMap<String, Content>,
}

/// One case.
pub(crate) struct Packed {
    pub(crate) name: String,
    files: BTreeMap<String, Content>,
}

/// All cases of an area, by name.
pub(crate) fn all(area: &Path) -> Vec<Packed> {
    let entries = fs::read_dir(area).unwrap_or_else(|e| panic!("{}: {e}", area.display()));
    let mut cases: Vec<Packed> = entries
        .map(|entry| entry.expect("a folder of testdata can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .map(|path| read(&path))
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!cases.is_empty(), "{} holds no case", area.display());
    cases
}

fn read(path: &Path) -> Packed {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let folder: Folder = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let stem = path.file_stem().expect("a packed case has a name");
    Packed {
        name: stem.to_string_lossy().into_owned(),
        files: folder.files,
    }
}

impl Packed {
    /// The sentence that says which rule the case pins.
    pub(crate) fn title(&self) -> String {
        if let Some(title) = self.text("title.txt") {
            return title.trim().to_owned();
        }
        let case = self.json("case.json").or_else(|_| self.json("pair.json"));
        case.ok()
            .and_then(|c| Some(c.get("title")?.as_str()?.to_owned()))
            .unwrap_or_default()
    }

    /// A text file of the case, if it is there.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        match self.files.get(path)? {
            Content::Text(text) | Content::Script { text, .. } => Some(text),
            Content::Link { .. } | Content::Bytes { .. } | Content::Json(_) => None,
        }
    }

    /// A JSON file at the top of the case.
    pub(crate) fn json(&self, path: &str) -> Result<Value, String> {
        match self.files.get(path) {
            Some(Content::Json(value)) => Ok(value.clone()),
            Some(_) => Err(format!("`{path}` is not JSON")),
            None => Err(format!("the case has no `{path}`")),
        }
    }

    /// Whether the case has that folder.
    pub(crate) fn has(&self, folder: &str) -> bool {
        self.below(folder).next().is_some()
    }

    /// The files below a folder as bytes, by their path in it.
    pub(crate) fn files(&self, folder: &str) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let mut out = BTreeMap::new();
        for (path, content) in self.below(folder) {
            let bytes = match content {
                Content::Text(text) | Content::Script { text, .. } => text.clone().into_bytes(),
                Content::Bytes { base64 } => decode(base64)?,
                Content::Link { .. } | Content::Json(_) => {
                    return Err(format!("`{folder}/{path}` is no plain file"));
                }
            };
            out.insert(path.to_owned(), bytes);
        }
        Ok(out)
    }

    /// Writes the files below a folder of the case to a folder on disk.
    pub(crate) fn lay(&self, folder: &str, to: &Path) -> Result<(), String> {
        for (path, content) in self.below(folder) {
            let target = to.join(path);
            let fail = |e: std::io::Error| format!("{}: {e}", target.display());
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent).map_err(fail)?;
            }
            match content {
                Content::Text(text) => fs::write(&target, text).map_err(fail)?,
                Content::Bytes { base64 } => fs::write(&target, decode(base64)?).map_err(fail)?,
                Content::Link { symlink } => std::os::unix::fs::symlink(symlink, &target).map_err(fail)?,
                Content::Script { text, executable } => {
                    fs::write(&target, text).map_err(fail)?;
                    let mode = if *executable { 0o755 } else { 0o644 };
                    let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
                    fs::set_permissions(&target, mode).map_err(fail)?;
                }
                Content::Json(_) => return Err(format!("`{path}` is JSON below `{folder}`")),
            }
            // A lock of a case was left there long ago: its cases are about that.
            if Path::new(path).extension().is_some_and(|e| e == "lock") {
                let then = SystemTime::now() - Duration::from_secs(3600);
                let file = fs::File::options().write(true).open(&target);
                file.and_then(|file| file.set_modified(then)).map_err(fail)?;
            }
        }
        Ok(())
    }

    fn below(&self, folder: &str) -> impl Iterator<Item = (&str, &Content)> {
        self.files
            .iter()
            .filter_map(move |(path, content)| Some((path.strip_prefix(folder)?.strip_prefix('/')?, content)))
    }
}

/// Standard base64 with padding.
fn decode(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let (mut bits, mut held) = (0u32, 0);
    for byte in text.bytes().filter(|b| *b != b'=') {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            other => return Err(format!("`{}` is not base64", char::from(other))),
        };
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held & 0xff) as u8);
        }
    }
    Ok(out)
}

#[test]
fn base64_of_every_length_is_read() {
    let cases: [(&str, &[u8]); 5] = [
        ("", b""),
        ("/w==", b"\xff"),
        ("/wA=", b"\xff\0"),
        ("/wB+", b"\xff\0~"),
        ("YWJjZGVmZw==", b"abcdefg"),
    ];
    for (text, bytes) in cases {
        assert_eq!(decode(text), Ok(bytes.to_vec()));
    }
}
