//! What of a clone makes other tools, or other people, see something else than we do (git.md 9).

use std::path::Path;

use bstr::ByteSlice;

use super::config::key_values;
use super::{Error, Git, Repository};

/// Major and minor version of the git program; none if it tells none that can be read.
///
/// # Errors
/// If there is no git program.
pub fn git_version(start: &Path) -> Result<Option<(u32, u32)>, Error> {
    let asked = Git::anywhere(start).args(["version"]).output()?;
    Ok(parse_version(&String::from_utf8_lossy(&asked.stdout)))
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split_whitespace().nth(2)?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

impl Repository {
    /// Every key of a section of the configuration with its values, names in lower case.
    pub fn section_keys(&self, section: &str) -> Vec<(String, String)> {
        self.with(|repo| {
            let config = repo.config_snapshot();
            let sections = config.plumbing().sections_by_name(section);
            sections.into_iter().flatten().flat_map(key_values).collect()
        })
    }

    /// Remotes to which a push sends `refs/spec/`: mirrors, and those with such a refspec.
    pub fn remotes_that_get_our_refs(&self) -> Vec<String> {
        let mut found: Vec<String> = self
            .section_keys("remote")
            .into_iter()
            .filter(|(key, value)| {
                let sends = |value: &str| {
                    let source = value
                        .trim_start_matches('+')
                        .split(':')
                        .next()
                        .unwrap_or_default();
                    source.starts_with("refs/spec/") || source == "refs/*" || source == "refs/spec"
                };
                match key.rsplit_once('.').map(|(_, last)| last) {
                    Some("mirror") => value != "false",
                    Some("push") => sends(value),
                    Some(_) | None => false,
                }
            })
            .filter_map(|(key, _)| {
                let name = key.strip_prefix("remote.")?;
                name.rsplit_once('.').map(|(name, _)| name.to_owned())
            })
            .collect();
        found.dedup();
        found
    }

    /// Whether objects may be missing that a remote has promised.
    pub fn is_partial(&self) -> bool {
        let promised = |(key, value): &(String, String)| key.ends_with(".promisor") && value != "false";
        self.setting("extensions.partialClone").is_some() || self.section_keys("remote").iter().any(promised)
    }

    /// Whether grafts give commits other parents.
    pub fn has_grafts(&self) -> bool {
        self.common_dir().join("info/grafts").exists()
    }

    /// Whether references replace objects by others.
    ///
    /// # Errors
    /// If git cannot tell.
    pub fn has_replace_refs(&self) -> Result<bool, Error> {
        let listed = self
            .question()
            .args(["for-each-ref", "--count=1", "refs/replace/"])
            .ask()?;
        Ok(!listed.trim().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(parse_version("git version 2.43.0\n"), Some((2, 43)));
        assert_eq!(
            parse_version("git version 2.39.5 (Apple Git-154)\n"),
            Some((2, 39))
        );
        assert_eq!(parse_version("git version 2.38.windows.1\n"), Some((2, 38)));
        assert_eq!(parse_version("hub"), None);
    }
}
