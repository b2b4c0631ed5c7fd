//! The table of who may use whom, as the library's documentation holds it.

use std::collections::BTreeSet;

/// Stands for all modules between the core and this entry.
const DOMAIN: &str = "domain";
/// Ends the core: what follows may use all of it.
const CORE_ABOVE: &str = "core above";

struct Entry {
    module: String,
    uses: Vec<String>,
    is_core: bool,
}

/// The table, in its order.
pub(crate) struct Table {
    entries: Vec<Entry>,
}

impl Table {
    /// Reads the first `text` block of the `//!` of a source. Also returns what is wrong with it.
    pub(crate) fn read(source: &str) -> (Self, Vec<String>) {
        let block: Vec<&str> = source
            .lines()
            .map_while(|line| line.strip_prefix("//!"))
            .map(str::trim)
            .skip_while(|line| *line != "```text")
            .skip(1)
            .take_while(|line| *line != "```")
            .collect();
        let mut entries: Vec<Entry> = Vec::new();
        let mut faults = Vec::new();
        let mut is_core = true;
        for item in block.iter().flat_map(|line| line.split('·')).map(str::trim) {
            if item == CORE_ABOVE {
                is_core = false;
            } else if let Some((module, uses)) = item.split_once(':') {
                entries.push(Entry {
                    module: module.trim().to_owned(),
                    uses: uses.split_whitespace().map(str::to_owned).collect(),
                    is_core,
                });
            } else if !item.is_empty() {
                faults.push(format!(
                    "`{item}` is neither `module: modules` nor `{CORE_ABOVE}`"
                ));
            }
        }
        if is_core {
            faults.push(format!("no line `{CORE_ABOVE}`"));
        }
        (Self { entries }, faults)
    }

    /// What is wrong with the table itself, and where it and the modules of the library differ.
    pub(crate) fn faults_against(&self, modules: &[String]) -> Vec<String> {
        let mut faults = Vec::new();
        let mut before = BTreeSet::new();
        for entry in &self.entries {
            let module = entry.module.as_str();
            for used in entry.uses.iter().filter(|used| *used != DOMAIN) {
                if !before.contains(used.as_str()) {
                    faults.push(format!(
                        "`{module}` names `{used}`, which does not stand before it"
                    ));
                }
            }
            if !before.insert(module) {
                faults.push(format!("`{module}` stands twice in the table"));
            }
            if !modules.contains(&entry.module) {
                faults.push(format!(
                    "`{module}` stands in the table, but there is no such module"
                ));
            }
        }
        for module in modules.iter().filter(|module| !before.contains(module.as_str())) {
            faults.push(format!("`{module}` is missing from the table"));
        }
        faults
    }

    /// Whether one module may use the other.
    pub(crate) fn allows(&self, module: &str, used: &str) -> bool {
        let place = |name: &str| self.entries.iter().position(|entry| entry.module == name);
        let (Some(own), Some(other)) = (place(module), place(used)) else {
            return false;
        };
        let entry = &self.entries[own];
        let is_core = self.entries[other].is_core;
        let by_name = entry.uses.iter().any(|name| name == used);
        let as_domain = !is_core && other < own && entry.uses.iter().any(|name| name == DOMAIN);
        by_name || as_domain || is_core && !entry.is_core
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//! Prose.\n//!\n//! ```text\n//! text: · voice: text\n//! core above\n\
                          //! ids: · lint: ids · report: domain · cli: report domain\n//! ```\n//! More: prose.\n\nuse a;\n";

    fn modules(names: &str) -> Vec<String> {
        names.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn an_arrow_needs_an_entry_the_core_or_the_word_domain() {
        let (table, faults) = Table::read(SOURCE);
        assert_eq!(faults, [""; 0]);
        let allowed = [
            "voice text",
            "ids text",
            "lint ids",
            "lint voice",
            "report ids",
            "report lint",
            "cli report",
        ];
        let refused = [
            "text voice",
            "voice ids",
            "ids lint",
            "lint report",
            "report cli",
            "lint x",
            "x text",
        ];
        for (arrows, expected) in [(allowed, true), (refused, false)] {
            for arrow in arrows {
                let (from, to) = arrow.split_once(' ').expect("two words");
                assert_eq!(table.allows(from, to), expected, "{arrow}");
            }
        }
    }

    #[test]
    fn table_and_modules_must_be_the_same() {
        let (table, _) = Table::read(SOURCE);
        assert_eq!(
            table.faults_against(&modules("text voice ids lint report cli")),
            [""; 0]
        );
        assert_eq!(
            table.faults_against(&modules("text voice ids report cli yaml")),
            [
                "`lint` stands in the table, but there is no such module",
                "`yaml` is missing from the table"
            ]
        );
    }

    #[test]
    fn what_the_table_cannot_mean_is_told() {
        let (table, faults) = Table::read("//! ```text\n//! voice: text · text: · text: · what\n//! ```\n");
        assert_eq!(
            faults,
            [
                "`what` is neither `module: modules` nor `core above`",
                "no line `core above`"
            ]
        );
        assert_eq!(
            table.faults_against(&modules("text voice")),
            [
                "`voice` names `text`, which does not stand before it",
                "`text` stands twice in the table"
            ]
        );
    }
}
