//! Which tools build and test the project (silly.md 10, "local.yaml").

use std::sync::LazyLock;

use regex::Regex;

use crate::files::{ReadError, RepoPath, Tree};
use crate::text::{decode, js, trim, without_mark};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detected {
    pub kind: &'static str,
    pub build: Option<String>,
    pub test: Option<String>,
    pub lint: Option<String>,
}

impl Detected {
    fn all(kind: &'static str, build: &str, test: &str, lint: &str) -> Self {
        Self {
            kind,
            build: Some(build.to_owned()),
            test: Some(test.to_owned()),
            lint: Some(lint.to_owned()),
        }
    }
}

impl Detected {
    /// The file that says so, to be changed by hand.
    pub fn file(&self) -> String {
        // Texts of JSON are texts of YAML.
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let mut commands = String::new();
        for (name, command) in [("build", &self.build), ("test", &self.test), ("lint", &self.lint)] {
            if let Some(command) = command {
                commands += &format!("\n  {name}: {}", quoted(command));
            }
        }
        if commands.is_empty() {
            commands += " {}";
        }
        let kind = self.kind;
        format!(
            "# Settings of this machine, as they were found. Change them as you like: they are not written again, and git does not see them.
project:
  type: {kind}

commands:{commands}

# full: all tests; module: those of changed modules; skip: none.
test_strategy: module

# Where the tests of a module lie, if that is to be told:
# module_paths:
#   <module>: \"path/\"
"
        )
    }
}

/// The kind of project by the first known file at its top.
pub fn detect(tree: &dyn Tree) -> Result<Detected, ReadError> {
    let has = |name: &str| tree.is_file(&RepoPath::of(name));
    if has("package.json")? {
        return node(tree);
    }
    if has("pom.xml")? {
        return Ok(Detected::all(
            "maven",
            "mvn compile",
            "mvn test",
            "mvn checkstyle:check",
        ));
    }
    if has("build.gradle")? {
        let program = if has("gradlew")? { "./gradlew" } else { "gradle" };
        let task = |name: &str| format!("{program} {name}");
        return Ok(Detected::all(
            "gradle",
            &task("build"),
            &task("test"),
            &task("check"),
        ));
    }
    if let Some(makefile) = tree.read(&RepoPath::of("Makefile"))? {
        return Ok(Detected {
            kind: "make",
            test: Some(make_test(&decode(&makefile))),
            ..Detected::default()
        });
    }
    if has("Cargo.toml")? {
        return Ok(Detected::all(
            "cargo",
            "cargo build",
            "cargo test",
            "cargo clippy",
        ));
    }
    if has("go.mod")? {
        return Ok(Detected::all(
            "go",
            "go build ./...",
            "go test ./...",
            "go vet ./...",
        ));
    }
    if has("pyproject.toml")? {
        return Ok(Detected {
            kind: "python",
            test: Some("python -m pytest".to_owned()),
            ..Detected::default()
        });
    }
    Ok(Detected {
        kind: "generic",
        ..Detected::default()
    })
}

/// Only scripts that exist; a file that is no JSON has none.
fn node(tree: &dyn Tree) -> Result<Detected, ReadError> {
    let bytes = tree.read(&RepoPath::of("package.json"))?.unwrap_or_default();
    let package: serde_json::Value = serde_json::from_slice(without_mark(&bytes)).unwrap_or_default();
    let script = |name: &str, command: &str| package["scripts"][name].is_string().then(|| command.to_owned());
    Ok(Detected {
        kind: "nodejs",
        build: script("build", "npm run build"),
        test: script("test", "npm test"),
        lint: script("lint", "npm run lint"),
    })
}

static TEST_TARGET: LazyLock<Regex> = LazyLock::new(|| js(r"^test\s*::?(?:$|[^=:](.*)$)"));

/// The command on the line of the target, else the first one below it.
fn make_test(makefile: &str) -> String {
    let mut lines = makefile.lines();
    let on_line = lines.by_ref().find_map(|line| {
        let found = TEST_TARGET.captures(line)?;
        let rest = found.get(1).map(|rest| rest.as_str()).unwrap_or_default();
        Some(without_comment(rest).to_owned())
    });
    let command = match on_line {
        None => None,
        Some(command) if !command.is_empty() => Some(command),
        Some(_) => lines
            .find(|line| !(trim(line).is_empty() || line.starts_with('#')))
            .filter(|line| line.starts_with([' ', '\t']))
            .map(|line| trim(line).trim_start_matches('@').to_owned()),
    };
    command
        .filter(|command| !command.is_empty())
        .unwrap_or_else(|| "make test".to_owned())
}

fn without_comment(text: &str) -> &str {
    trim(text.split('#').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_says_what_was_found() {
        let text = |found: &Detected| -> String {
            let root = crate::yaml::parse(found.file().as_bytes()).expect("YAML");
            let of = |at: &[&str]| {
                let value = at.iter().try_fold(&root, |value, key| value.get(key));
                value.and_then(|value| value.as_text()).unwrap_or("-").to_owned()
            };
            ["type", "build", "test", "lint"]
                .map(|key| of(&[if key == "type" { "project" } else { "commands" }, key]))
                .join("|")
                + "|"
                + &of(&["test_strategy"])
        };
        let make = Detected {
            kind: "make",
            test: Some("a \"b\" 'c' # d: \\ \u{7}".to_owned()),
            ..Detected::default()
        };
        assert_eq!(text(&make), "make|-|a \"b\" 'c' # d: \\ \u{7}|-|module");
        let generic = Detected {
            kind: "generic",
            ..Detected::default()
        };
        assert_eq!(text(&generic), "generic|-|-|-|module");
    }

    #[test]
    fn the_command_of_the_test_target_is_found() {
        for (makefile, command) in [
            ("test: pytest -q # all\n", "pytest -q"),
            ("test:\n\tcargo test\n", "cargo test"),
            ("test:\n\t@go test ./...\n", "go test ./..."),
            ("test:\n\nall:\n", "make test"),
            ("test:\n\n# all\n\tcargo t\n", "cargo t"),
            ("test:\nall:\n\tx\n", "make test"),
            ("tests:\n\tx\ntest := y\n", "make test"),
        ] {
            assert_eq!(make_test(makefile), command, "{makefile:?}");
        }
    }
}
