//! The fields of the front matter: where each comes from and what a write does with what was stored (state.md 6.1; seed
//! 002, decision 4). One row a field; nothing else decides.

use super::body::Body;
use super::meaning;
use crate::text::is_blank;

/// Where a field has its value from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Clock and repository.
    Free,
    /// The roadmap.
    External,
    Body,
    /// People, with the body or the disk as a proposal.
    Curated,
    /// The plans and summaries below `phases/`.
    Disk,
}

/// What becomes of a stored value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preservation {
    /// Nothing: the derived value, or none.
    Derive,
    /// It stands while the body source of the field stays as it was.
    WhenUnchanged,
    /// It stands, with its companion, where the derived name is none.
    IfPlaceholder,
    /// It stands whole where a command does not look at the disk.
    Always,
}

/// One row of the table.
#[derive(Clone, Copy)]
pub struct Field {
    pub key: &'static str,
    pub source: Source,
    pub preservation: Preservation,
    /// What of the body the field is drawn from.
    pub body_source: Option<fn(&Body) -> Option<String>>,
    /// Whether a stored value is worth keeping.
    pub guard: fn(&str) -> bool,
}

/// The keys below `progress`, in their order.
pub const PROGRESS: [&str; 5] = [
    "total_phases",
    "completed_phases",
    "total_plans",
    "completed_plans",
    "percent",
];

/// The version key of a new file, …
pub const VERSION_KEY: &str = "msd_state_version";
/// … and the one that files of the older program have.
pub const OLD_VERSION_KEY: &str = "gsd_state_version";

/// The table, in the order in which the keys are written. The version key stands for both of its names.
pub const FIELDS: [Field; 14] = [
    free(VERSION_KEY),
    row("milestone", Source::External, Preservation::IfPlaceholder, None),
    row(
        "milestone_name",
        Source::External,
        Preservation::IfPlaceholder,
        None,
    ),
    body("current_phase", |body| {
        meaning::current_phase(body).map(str::to_owned)
    }),
    row(
        "current_phase_name",
        Source::Curated,
        Preservation::WhenUnchanged,
        Some(|body| label(body, "Phase")),
    ),
    body("current_plan", |body| label(body, "Current Plan")),
    Field {
        guard: |stored| stored != "unknown",
        ..body("status", |body| label(body, "Status"))
    },
    body("stopped_at", |body| label(body, "Stopped at")),
    body("paused_at", |body| label(body, "Paused at")),
    free("last_updated"),
    row("last_activity", Source::Body, Preservation::Derive, None),
    body("last_activity_desc", meaning::activity_description),
    free("state_head"),
    row("progress", Source::Curated, Preservation::Always, None),
];

fn label(body: &Body, label: &str) -> Option<String> {
    body.value(label).map(str::to_owned)
}

const fn row(
    key: &'static str,
    source: Source,
    preservation: Preservation,
    body_source: Option<fn(&Body) -> Option<String>>,
) -> Field {
    Field {
        key,
        source,
        preservation,
        body_source,
        guard: |_| true,
    }
}

const fn body(key: &'static str, source: fn(&Body) -> Option<String>) -> Field {
    row(key, Source::Body, Preservation::WhenUnchanged, Some(source))
}

const fn free(key: &'static str) -> Field {
    row(key, Source::Free, Preservation::Derive, None)
}

/// The row of a key; the numbers of the progress block have theirs too.
pub fn classify(key: &str) -> Option<(Source, Preservation)> {
    if key == OLD_VERSION_KEY {
        return classify(VERSION_KEY);
    }
    if let Some(inner) = key.strip_prefix("progress.") {
        return PROGRESS
            .contains(&inner)
            .then_some((Source::Disk, Preservation::Derive));
    }
    let field = FIELDS.iter().find(|field| field.key == key)?;
    Some((field.source, field.preservation))
}

impl Field {
    /// The stored value, if it is one to keep after a write that made `after` of `before`.
    pub fn kept<'s>(&self, stored: Option<&'s str>, before: &Body, after: &Body) -> Option<&'s str> {
        let source = self.body_source?;
        stored
            .filter(|stored| !is_blank(stored) && (self.guard)(stored))
            .filter(|_| source(before) == source(after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_document_has_a_row() {
        assert_eq!(
            classify("current_phase_name"),
            Some((Source::Curated, Preservation::WhenUnchanged))
        );
        assert_eq!(
            classify("progress.percent"),
            Some((Source::Disk, Preservation::Derive))
        );
        assert_eq!(classify(OLD_VERSION_KEY), classify(VERSION_KEY));
        assert_eq!(classify("owner"), None);
        assert_eq!(classify("active_phase"), None);
    }

    #[test]
    fn a_changed_source_gives_way() {
        let field = FIELDS
            .iter()
            .find(|field| field.key == "status")
            .expect("the row");
        let (before, after) = (Body::new("Status: a\n"), Body::new("Status: b\n"));
        assert_eq!(
            field.kept(Some("verifying"), &before, &before.clone()),
            Some("verifying")
        );
        assert_eq!(field.kept(Some("verifying"), &before, &after), None);
        assert_eq!(field.kept(Some("unknown"), &before, &before.clone()), None);
        assert_eq!(field.kept(Some(" "), &before, &before.clone()), None);
    }
}
