//! Findings as workflow annotations: `::error file=…,line=…,title=<code>::message` (git.md 2.7).

use std::fmt::Write as _;

use crate::files::RepoPath;
use crate::finding::{Finding, Severity};
use crate::say;
use crate::text::escape;
use crate::voice::Voice;

/// More than this many are counted instead of shown.
const SHOWN: usize = 50;

/// The annotations, a line each.
pub fn annotations(findings: &[&Finding], prefix: &RepoPath, voice: &Voice) -> String {
    let mut out = String::new();
    for finding in findings.iter().take(SHOWN) {
        let level = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let path = property(&finding.at.path.below(prefix).text());
        let line = finding
            .at
            .line
            .as_ref()
            .map_or(String::new(), |line| format!(",line={}", line.number));
        let message = message(&finding.message.say(voice));
        let _ = writeln!(
            out,
            "::{level} file={path}{line},title={}::{message}",
            property(finding.code)
        );
    }
    if findings.len() > SHOWN {
        let more = findings.len() - SHOWN;
        let _ = writeln!(
            out,
            "::notice::{}",
            say!(
                voice,
                "{more} more findings are not shown",
                "另有 {more} 条未显示"
            )
        );
    }
    out
}

fn message(text: &str) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    // Other controls could still act on the terminal that the log is read in; a tab does no harm, and stands in paths.
    text.split('\t').map(escape).collect::<Vec<_>>().join("\t")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{message, property};

    #[test]
    fn no_name_can_open_a_command_of_its_own() {
        assert_eq!(property("a\n::error::x,y"), "a%0A%3A%3Aerror%3A%3Ax%2Cy");
        assert_eq!(message("50%\r\n"), "50%25%0D%0A");
        assert_eq!(property("\u{1b}[31m"), "\\x1B[31m");
    }
}
