//! Values of git's configuration, as git resolves it, and of files in its syntax.

use bstr::ByteSlice;

use super::{Error, Repository};

impl Repository {
    /// The last value of a key; empty is not set.
    pub fn setting(&self, key: &str) -> Option<String> {
        self.settings(key).pop().filter(|value| !value.is_empty())
    }

    /// All values of a key, those of the strongest file last.
    pub fn settings(&self, key: &str) -> Vec<String> {
        self.with(|repo| {
            let config = repo.config_snapshot();
            let values = config.plumbing().strings(key).unwrap_or_default();
            values
                .iter()
                .map(|value| value.to_str_lossy().into_owned())
                .collect()
        })
    }

    /// The number that a key sets.
    pub fn number(&self, key: &'static str) -> Result<Option<usize>, Error> {
        self.read(key, "a number", |value| value.parse().ok())
    }

    /// Which of some words a key sets.
    pub fn word<W: Copy>(
        &self,
        key: &'static str,
        words: &[(&str, W)],
        wanted: &'static str,
    ) -> Result<Option<W>, Error> {
        let find = |value: &str| {
            words
                .iter()
                .find_map(|(word, it)| (*word == value).then_some(*it))
        };
        self.read(key, wanted, find)
    }

    /// What a key says, in any form that git has for yes and no.
    pub fn boolean(&self, key: &'static str) -> Result<Option<bool>, Error> {
        let read = |value: &str| gix::config::Boolean::try_from(bstr::BStr::new(value)).ok();
        Ok(self.read(key, "a boolean", read)?.map(|it| it.0))
    }

    fn read<T>(
        &self,
        key: &'static str,
        wanted: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let Some(value) = self.setting(key) else {
            return Ok(None);
        };
        match read(&value) {
            Some(it) => Ok(Some(it)),
            None => Err(Error::Setting { key, value, wanted }),
        }
    }
}

/// The values of a file in git's configuration syntax, by key in lower case; nothing is included. An error tells what
/// is wrong with it.
pub fn config_file(bytes: &[u8]) -> Result<Vec<(String, String)>, String> {
    let file =
        gix::config::File::try_from(String::from_utf8_lossy(bytes).as_ref()).map_err(|e| e.to_string())?;
    Ok(file.sections().flat_map(key_values).collect())
}

/// The values of one section, by key; section and name in lower case.
pub(super) fn key_values(section: gix::config::file::SectionRef<'_>) -> Vec<(String, String)> {
    let header = section.header();
    let name = header.name().to_string().to_ascii_lowercase();
    let sub = header
        .subsection_name()
        .map(|sub| format!(".{sub}"))
        .unwrap_or_default();
    let mut out = Vec::new();
    for key in section.body().value_names() {
        let full = format!("{name}{sub}.{}", key.to_ascii_lowercase());
        let values = section.body().values(&key).into_iter();
        out.extend(values.map(|value| (full.clone(), value.to_string())));
    }
    out
}
