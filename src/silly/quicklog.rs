//! The quick log: entries, their ids, and when a file is put aside (silly.md 11, "Quick log").

use std::sync::LazyLock;

use regex::Regex;

use crate::clock::Timestamp;
use crate::files::{ReadError, Tree};
use crate::silly::layout;
use crate::text::{decode, js, trim};

/// A file of more lines is put aside.
const MOST_LINES: usize = 500;
const LONGEST_TEXT: usize = 120;
const LONGEST_USER: usize = 64;

/// What is to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appending {
    /// The file of the user, in the folder of logs.
    pub file: String,
    /// The name under which what it held is put aside first.
    pub aside: Option<String>,
    pub id: String,
    pub entry: String,
}

static DATED: LazyLock<Regex> =
    LazyLock::new(|| js(r"^## (?:ql-\d{8}-\d+-[0-9a-z]+ \| )?(\d{4}-\d\d-\d\d) "));
static OWN_ID: LazyLock<Regex> = LazyLock::new(|| js(r"^## ql-(\d{8})-(\d+)-"));

/// A name that is one part of a file name.
fn clean_user(user: &str) -> String {
    let mut out = String::new();
    for c in user
        .chars()
        .filter(|c| !matches!(c, '/' | '\\') && !c.is_control())
    {
        if c != '.' || !out.ends_with('.') {
            out.push(c);
        }
    }
    let short: String = trim(&out).chars().take(LONGEST_USER).collect();
    if short.is_empty() {
        "unknown".to_owned()
    } else {
        short
    }
}

/// Plans one entry. `random` makes its id differ from one that another clone makes at the same time; `offset` is that of
/// the local time in seconds.
pub fn plan(
    tree: &dyn Tree,
    user: &str,
    text: &str,
    change: Option<&str>,
    now: Timestamp,
    offset: i64,
    random: u16,
) -> Result<Appending, ReadError> {
    let user = clean_user(user);
    let file = format!("QUICKLOG-{user}.md");
    let today = now.date(offset);
    let day = today.replace('-', "");
    let mut highest = 0;
    let mut own = None;
    for (name, _) in tree.list(&layout::quicklog())? {
        if !name.starts_with(b"QUICKLOG-") || !name.ends_with(b".md") {
            continue;
        }
        let Some(bytes) = tree.read(&layout::quicklog().join(&name))? else {
            continue;
        };
        let content = decode(&bytes).into_owned();
        highest = highest.max(highest_of(&content, &day));
        if name == file.as_bytes() {
            own = Some(content);
        }
    }
    let aside = own
        .filter(|content| content.split('\n').count() > MOST_LINES)
        .map(|content| {
            let date = last_date(&content).unwrap_or_else(|| today.clone());
            format!("QUICKLOG-{user}-{date}.md")
        });
    let id = format!("ql-{day}-{:03}-{random:04x}", highest + 1);
    let at = now.local(offset);
    let text: String = one_line(text).chars().take(LONGEST_TEXT).collect();
    let change = change.map(one_line).filter(|change| !change.is_empty());
    let change = change.as_deref().unwrap_or("无");
    Ok(Appending {
        entry: format!("\n## {id} | {at} | {text}\n状态：进行中\n关联变更：{change}\n文件：无\n"),
        file,
        aside,
        id,
    })
}

fn one_line(text: &str) -> String {
    trim(&text.replace(['\r', '\n'], " ")).to_owned()
}

fn highest_of(content: &str, day: &str) -> u64 {
    let own = content.lines().filter_map(|line| OWN_ID.captures(line));
    own.filter(|found| &found[1] == day)
        .filter_map(|found| found[2].parse().ok())
        .max()
        .unwrap_or(0)
}

fn last_date(content: &str) -> Option<String> {
    let dates = content.lines().filter_map(|line| DATED.captures(line));
    dates.reduce(|_, last| last).map(|found| found[1].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    fn planned(files: &[(&str, &str)], user: &str, text: &str) -> Appending {
        let tree = MemoryTree::new(
            files
                .iter()
                .map(|(name, content)| (format!(".sillyspec/quicklog/{name}"), (*content).to_owned())),
        );
        let now = Timestamp::parse("2026-03-02T10:00:00Z").expect("an instant");
        plan(&tree, user, text, None, now, 0, 0xab).expect("planned")
    }

    #[test]
    fn numbers_go_on_over_all_files_of_the_day() {
        let files = [
            (
                "QUICKLOG-a.md",
                "## ql-20260302-007-00aa | 2026-03-02 09:00:00 | x\n",
            ),
            (
                "QUICKLOG-b.md",
                "## ql-20260301-009-00aa | 2026-03-01 09:00:00 | x\n",
            ),
        ];
        let made = planned(&files, "b", "one\ntwo");
        assert_eq!(made.id, "ql-20260302-008-00ab");
        assert!(
            made.entry.contains(" | 2026-03-02 10:00:00 | one two\n"),
            "{}",
            made.entry
        );
    }

    #[test]
    fn a_user_is_part_of_a_file_name() {
        assert_eq!(clean_user("../a/b"), ".ab");
        assert_eq!(clean_user("\u{7}"), "unknown");
        assert_eq!(clean_user(&"x".repeat(70)).len(), 64);
    }

    #[test]
    fn the_older_head_dates_an_entry_too() {
        let long = format!("## 2026-02-03 10:00:00 — x\n{}", "y\n".repeat(500));
        let made = planned(&[("QUICKLOG-a.md", &long)], "a", "x");
        assert_eq!(made.aside.as_deref(), Some("QUICKLOG-a-2026-02-03.md"));
        let short = "y\n".repeat(499);
        assert_eq!(planned(&[("QUICKLOG-a.md", &short)], "a", "x").aside, None);
    }
}
