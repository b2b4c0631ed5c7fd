//! The envelope that all JSON output shares (seed 003 §1.2): one compact line.

use serde::Serialize;

use crate::clock::Timestamp;

#[derive(Serialize)]
struct Envelope<'a, D: Serialize> {
    command: &'a str,
    version: &'static str,
    timestamp: String,
    #[serde(flatten)]
    body: Body<D>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Body<D: Serialize> {
    Data(D),
    Error(D),
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    code: &'a str,
    message: &'a str,
}

fn line(envelope: &impl Serialize) -> String {
    serde_json::to_string(envelope).expect("answers are plain structs with text keys")
}

/// The line of a command that did its work.
pub fn success(command: &str, now: Timestamp, data: impl Serialize) -> String {
    line(&Envelope {
        command,
        version: env!("CARGO_PKG_VERSION"),
        timestamp: now.rfc3339(),
        body: Body::Data(data),
    })
}

/// The line of a command that could not.
pub fn failure(command: &str, now: Timestamp, code: &str, message: &str) -> String {
    failure_of(command, now, ErrorBody { code, message })
}

/// As [`failure`], with an error that says more than code and message.
pub(super) fn failure_of(command: &str, now: Timestamp, error: impl Serialize) -> String {
    let body = Body::Error(error);
    line(&Envelope {
        command,
        version: env!("CARGO_PKG_VERSION"),
        timestamp: now.rfc3339(),
        body,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stand_in_contract_order() {
        let now = Timestamp::from_seconds(0);
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            failure("detect", now, "X", "no\n"),
            format!(
                r#"{{"command":"detect","version":"{version}","timestamp":"1970-01-01T00:00:00.000Z","error":{{"code":"X","message":"no\n"}}}}"#
            )
        );
    }
}
