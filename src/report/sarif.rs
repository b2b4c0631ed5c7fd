//! Findings as SARIF 2.1.0: one run, one line of JSON.

use serde::Serialize;

use super::Answer;
use crate::files::{Digest, RepoPath};
use crate::finding::{Finding, Severity};
use crate::voice::Voice;

#[derive(Serialize)]
struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Serialize)]
struct Run {
    tool: Tool,
    results: Vec<Record>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
struct Rule {
    id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    rule_id: &'static str,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    partial_fingerprints: Fingerprints,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Physical,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
}

#[derive(Serialize)]
struct Fingerprints {
    #[serde(rename = "gitSpec/v1")]
    own: String,
}

/// The log of a run; `prefix` is the project's path from the top level of the repository.
pub fn log(answer: &impl Answer, prefix: &RepoPath, voice: &Voice) -> String {
    let findings = answer.findings();
    let mut ids: Vec<&'static str> = findings.iter().map(|f| f.code).collect();
    ids.sort_unstable();
    ids.dedup();
    let driver = Driver {
        name: "git-spec",
        version: env!("CARGO_PKG_VERSION"),
        rules: ids.into_iter().map(|id| Rule { id }).collect(),
    };
    let results = findings.iter().enumerate();
    let results = results
        .map(|(at, finding)| record(finding, answer.identity(at), prefix, voice))
        .collect();
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver },
            results,
        }],
    };
    serde_json::to_string(&log).expect("a log is plain structs")
}

fn record(finding: &Finding, identity: Option<Vec<u8>>, prefix: &RepoPath, voice: &Voice) -> Record {
    let message = finding.message.say(voice);
    let text = match &finding.fix {
        Some(fix) => format!("{message}\n{}", fix.say(voice)),
        None => message,
    };
    let path = finding.at.path.below(prefix);
    let english = finding.message.say(&Voice::default());
    let identity =
        identity.unwrap_or_else(|| [finding.code.as_bytes(), path.as_bytes(), english.as_bytes()].join(&0));
    Record {
        rule_id: finding.code,
        level: match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: Message { text },
        locations: [Location {
            physical_location: Physical {
                artifact_location: Artifact {
                    uri: uri(path.as_bytes()),
                },
                region: finding.at.line.as_ref().map(|line| Region {
                    start_line: line.number,
                }),
            },
        }],
        partial_fingerprints: Fingerprints {
            own: Digest::of(&identity).hex(),
        },
    }
}

/// A relative URI: all but unreserved characters and `/` percent-encoded.
fn uri(path: &[u8]) -> String {
    let mut out = String::with_capacity(path.len());
    for b in path {
        match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(*b));
            }
            b => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn names_that_bite_are_encoded() {
        assert_eq!(uri("a b/计\n%".as_bytes()), "a%20b/%E8%AE%A1%0A%25");
    }
}
