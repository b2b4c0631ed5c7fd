//! The formats by name, and by content.

use super::collect::Collector;
use super::error::{Fault, Reason};
use super::source::Source;
use super::{go, junit, libtest, playwright, tap, vitest};

/// What a report is written as. The names are those of the config and of `--from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Auto,
    Junit,
    PytestJunit,
    Tap,
    GoTest,
    Nextest,
    Playwright,
    Vitest,
}

impl Format {
    pub const ALL: [Self; 8] = [
        Self::Auto,
        Self::Junit,
        Self::PytestJunit,
        Self::Tap,
        Self::GoTest,
        Self::Nextest,
        Self::Playwright,
        Self::Vitest,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Junit => "junit",
            Self::PytestJunit => "pytest-junit",
            Self::Tap => "tap",
            Self::GoTest => "go-test-json",
            Self::Nextest => "nextest-json",
            Self::Playwright => "playwright-json",
            Self::Vitest => "vitest-json",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_str() == name)
    }

    pub(super) fn read(self, source: &mut Source<'_>, into: &mut Collector<'_>) -> Result<(), Fault> {
        let format = if self == Self::Auto {
            let seen = of_content(source.head()?);
            seen.ok_or_else(|| source.fault(Reason::Unrecognised))?
        } else {
            self
        };
        match format {
            Self::Auto | Self::Junit | Self::PytestJunit => junit::read(source, into),
            Self::Tap => tap::read(source, into),
            Self::GoTest => go::read(source, into),
            Self::Nextest => libtest::read(source, into),
            Self::Playwright => playwright::read(source, into),
            Self::Vitest => vitest::read(source, into),
        }
    }
}

/// The format by how a report begins. Output of something else may stand before it.
fn of_content(head: &str) -> Option<Format> {
    if head.trim_start().starts_with('<') {
        return Some(Format::Junit);
    }
    let mut at = 0;
    head.split_inclusive('\n').find_map(|line| {
        let rest = &head[at..];
        at += line.len();
        let line = line.trim_end();
        if tap::is_tap(line) {
            return Some(Format::Tap);
        }
        if go::is_package_failure(line) {
            return Some(Format::GoTest);
        }
        of_key(first_key(rest)?)
    })
}

/// The first key of an object that begins here.
fn first_key(text: &str) -> Option<&str> {
    let inside = text.trim_start().strip_prefix('{')?;
    let key = inside.trim_start().strip_prefix('"')?;
    Some(&key[..key.find('"')?])
}

fn of_key(key: &str) -> Option<Format> {
    Some(match key {
        "Time" | "Action" | "Package" | "ImportPath" | "Test" | "Elapsed" | "Output" => Format::GoTest,
        "type" | "event" => Format::Nextest,
        "config" | "suites" | "errors" | "stats" => Format::Playwright,
        "testResults" | "success" | "startTime" | "snapshot" | "openHandles" | "wasInterrupted"
        | "coverageMap" => Format::Vitest,
        counter if counter.starts_with("num") => Format::Vitest,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_seen_in_the_beginning() {
        for (head, format) in [
            ("\n <?xml version=\"1.0\"?>\n<testsuites/>", Some(Format::Junit)),
            ("# hello\nTAP version 14\n", Some(Format::Tap)),
            ("1..3\nok 1\n", Some(Format::Tap)),
            ("not ok 1 - a\n", Some(Format::Tap)),
            (
                "# pkg\nx.go:1: bad\nFAIL\tpkg [build failed]\n",
                Some(Format::GoTest),
            ),
            ("{\"Time\":\"x\",\"Action\":\"start\"}\n", Some(Format::GoTest)),
            (
                "{ \"reason\": \"build-finished\" }\n{ \"type\": \"suite\" }\n",
                Some(Format::Nextest),
            ),
            ("{\n  \"config\": {", Some(Format::Playwright)),
            ("{\"numTotalTestSuites\":1", Some(Format::Vitest)),
            ("okay\n1..x\n", None),
            ("{}", None),
            ("", None),
        ] {
            assert_eq!(of_content(head), format, "{head}");
        }
        for format in Format::ALL {
            assert_eq!(Format::named(format.as_str()), Some(format));
        }
    }
}
