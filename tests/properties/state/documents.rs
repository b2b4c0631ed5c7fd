//! Random documents and intents.

use git_spec::state::append::Entry as Record;
use git_spec::state::transition::{Intent, LABELS, Next};
use proptest::prelude::*;
use proptest::sample::select;

/// Labels that no list of labels names, beside [`LABELS`].
pub(super) const MORE_LABELS: [&str; 4] = ["Paused at", "Last Date", "Core value", "Owner"];

pub(super) const LABEL_IN_VALUE: &str = "**Plan:** 7";

pub(super) const VALUES: [&str; 24] = [
    "1",
    "2 of 3 (Mast)",
    "2.1 — Keel",
    "1 of 3 in current phase",
    "0 of TBD",
    "Executing Phase 2",
    "Ready to plan",
    "Phase 1 complete",
    "Paused by hand",
    "Whatever it is",
    "2026-01-02",
    "2025-12-20",
    "2025-12-20 — planked",
    "2027-01-01",
    "[███░░░░░░░] 30% of it",
    "40%",
    "None",
    "Not started",
    "—",
    "x: y # z",
    LABEL_IN_VALUE,
    "`$1` \\ & \"q\"",
    "日本 🌊",
    "---",
];

pub(super) const HEADINGS: [&str; 16] = [
    "# Project State",
    "## Current Position",
    "### Current Position",
    "## Session",
    "## Session Continuity",
    "## Decisions",
    "### Decisions Made",
    "### Blockers/Concerns",
    "## Blockers",
    "## Performance Metrics",
    "## Accumulated Context",
    "### Roadmap Evolution",
    "## Operator Next Steps",
    "## Recently Completed",
    "#### Deep",
    "## Log",
];

pub(super) const LINES: [&str; 22] = [
    "",
    "   ",
    "Some prose.",
    "  indented Phase: 9",
    "- [Phase 1]: Oak keel",
    "- [Phase 2]: Hemp rope — cheap",
    "- a bullet of Phase 1",
    "- ~~Phase 1 crane~~",
    "- [RESOLVED] Phase 3 wood",
    "None yet.",
    "None",
    "| Plan | Duration | Tasks | Files |",
    "|------|----------|-------|-------|",
    "| Phase 1 P1 | 1h | 2 tasks | 3 files |",
    "| 1 | 2 | 4h | 2h |",
    "| 2 | 2 | 4h | 2h |",
    "- Phase 2 changed: Split",
    "```",
    "~~~~",
    "***",
    "**no label**",
    "ends with blanks  ",
];

/// A field in one of its forms.
pub(super) fn field() -> impl Strategy<Value = String> {
    let label = select([&LABELS[..], &MORE_LABELS].concat());
    let case = |label: &str, how| match how {
        0 => label.to_lowercase(),
        1 => label.to_uppercase(),
        _ => label.to_owned(),
    };
    (label, select(&VALUES[..]), 0..9_u8, 0..8_u8).prop_map(move |(label, value, form, how)| {
        let label = case(label, how);
        match form {
            0 | 1 => format!("**{label}:** {value}"),
            2..=4 => format!("{label}: {value}"),
            5 | 6 => format!("| {label} | {} |", value.replace('|', "/")),
            7 => format!("**{label}:**"),
            _ => format!("{label}:"),
        }
    })
}

pub(super) fn body() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        5 => field(),
        3 => select(&HEADINGS[..]).prop_map(str::to_owned),
        3 => select(&LINES[..]).prop_map(str::to_owned),
    ];
    prop::collection::vec(line, 0..24).prop_map(|lines| lines.join("\n"))
}

/// Keys that are ours, with what somebody may have stored.
pub(super) const KNOWN: [(&str, &[&str]); 12] = [
    ("milestone", &["v1.2", "v9.9"]),
    ("milestone_name", &["Night Berths", "milestone"]),
    ("current_phase", &["2", "02", "3"]),
    ("current_phase_name", &["The tall Mast"]),
    ("current_plan", &["1"]),
    ("status", &["verifying", "unknown", "completed"]),
    ("stopped_at", &["By hand", "\"a: b\""]),
    ("paused_at", &["noon"]),
    ("last_updated", &["\"2025-12-20T10:00:00.000Z\""]),
    ("last_activity", &["2025-12-20", "2027-03-04"]),
    ("last_activity_desc", &["Planked"]),
    ("state_head", &["4f3c2b1a9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b"]),
];

/// Keys that are not, as they are written.
pub(super) const OTHERS: [&str; 9] = [
    "owner: mira",
    "next_phases: [2, 3]",
    "next_action: null",
    "budget:\n  hours: 12\n  # of the yard\n  note: tight",
    "brief: |\n  first: line\n    # no comment\n\n  last line",
    "crew:\n  - name: ida\n    age: 40\n  - name: tom",
    "tags:\n  - one\n  - two\n  - three\n  - four",
    "quoted: \"a # b\"",
    "empty:",
];

pub(super) const BLOCK: &str =
    "progress:\n  total_phases: 9\n  # by hand\n  completed_phases: 7\n  percent: 78\n  own: key\n  # last";

/// Front matter: chunks of whole lines in any order, comments among them.
pub(super) fn front() -> impl Strategy<Value = Vec<String>> {
    let known: Vec<_> = KNOWN
        .iter()
        .map(|(key, values)| select(*values).prop_map(move |value| format!("{key}: {value}")))
        .collect();
    let others: Vec<String> = OTHERS
        .iter()
        .chain(&[BLOCK])
        .map(|text| (*text).to_owned())
        .collect();
    let version = select(vec!["msd_state_version: 1.0", "gsd_state_version: '1.0'"]).prop_map(str::to_owned);
    let chosen = (known, Just(others), version)
        .prop_map(|(known, others, version)| [known, others, vec![version]].concat());
    let some = chosen.prop_flat_map(|all| {
        let count = all.len();
        prop::sample::subsequence(all, 0..=count).prop_shuffle()
    });
    (some, any::<[bool; 32]>()).prop_map(|(chunks, commented)| {
        let mut out = Vec::new();
        for (number, chunk) in chunks.into_iter().enumerate() {
            if commented[number] {
                out.push(format!("# comment {number}"));
            }
            out.push(chunk);
        }
        if commented[31] {
            out.push("# the end".to_owned());
        }
        out
    })
}

#[derive(Clone, Debug)]
pub(super) struct Document {
    pub(super) front: Option<Vec<String>>,
    pub(super) body: String,
    pub(super) crlf: bool,
    pub(super) mark: bool,
}

impl Document {
    pub(super) fn text(&self) -> String {
        let front = self.front.as_ref().map(|chunks| {
            let lines = chunks.join("\n");
            let end = if chunks.is_empty() { "" } else { "\n" };
            format!("---\n{lines}{end}---\n\n")
        });
        let text = front.unwrap_or_default() + &self.body + "\n";
        let text = if self.crlf {
            text.replace('\n', "\r\n")
        } else {
            text
        };
        if self.mark {
            format!("\u{feff}{text}")
        } else {
            text
        }
    }
}

pub(super) fn document() -> impl Strategy<Value = Document> {
    (
        prop::option::weighted(0.8, front()),
        body(),
        any::<bool>(),
        prop::bool::weighted(0.1),
    )
        .prop_map(|(front, body, crlf, mark)| Document {
            front,
            body,
            crlf,
            mark,
        })
}

pub(super) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(&VALUES[..]).prop_map(str::to_owned),
        1 => "[ -~]{0,20}",
        1 => "\\PC{1,8}",
        1 => select(vec!["a\nb", "| x |", "", "None yet."]).prop_map(str::to_owned),
    ]
}

pub(super) fn intent() -> impl Strategy<Value = Intent> {
    let phase = || select(vec!["1", "2", "02", "2.1", "3"]).prop_map(str::to_owned);
    let name = || prop::option::of(select(vec!["Mast", "Ma (x) — st", "$&"]).prop_map(str::to_owned));
    let plans = || prop::option::of(0..5_u64);
    let label = || {
        let free = [&LABELS[..], &MORE_LABELS, &["owner", "status", "budget"]].concat();
        prop_oneof![9 => select(free).prop_map(str::to_owned), 1 => "\\PC{0,5}"]
    };
    prop_oneof![
        (phase(), name(), plans()).prop_map(|(phase, name, plans)| Intent::BeginPhase { phase, name, plans }),
        Just(Intent::AdvancePlan),
        (phase(), phase(), name()).prop_map(|(phase, next, name)| Intent::CompletePhase {
            phase,
            next: Next::Phase { phase: next, name }
        }),
        phase().prop_map(|phase| Intent::CompletePhase {
            phase,
            next: Next::Last
        }),
        prop::option::of(phase()).prop_map(|phase| Intent::MarkPhase { phase }),
        (phase(), name(), plans()).prop_map(|(phase, name, plans)| Intent::PlannedPhase {
            phase,
            name,
            plans
        }),
        name().prop_map(|name| Intent::MilestoneSwitch {
            version: "v2.0".to_owned(),
            name
        }),
        text().prop_map(|next_command| Intent::MilestoneComplete {
            version: "v1.2".to_owned(),
            next_command
        }),
        prop::collection::vec((label(), text()), 1..4).prop_map(Intent::Patch),
        (label(), text()).prop_map(|(field, value)| Intent::Update { field, value }),
        any::<bool>().prop_map(|verify| Intent::Sync { verify }),
        (0..4_u64, any::<bool>()).prop_map(|(keep_recent, dry_run)| Intent::Prune { keep_recent, dry_run }),
        Just(Intent::UpdateProgress),
        record().prop_map(Intent::Append),
    ]
}

pub(super) fn record() -> impl Strategy<Value = Record> {
    let some = || prop::option::of(text());
    prop_oneof![
        (some(), text(), some()).prop_map(|(phase, summary, rationale)| Record::Decision {
            phase,
            summary,
            rationale
        }),
        text().prop_map(|text| Record::Blocker { text }),
        text().prop_map(|text| Record::ResolveBlocker { text }),
        (text(), some(), some()).prop_map(|(duration, tasks, files)| Record::Metric {
            phase: "2".to_owned(),
            plan: "1".to_owned(),
            duration,
            tasks,
            files
        }),
        (some(), some()).prop_map(|(stopped_at, resume_file)| Record::Session {
            stopped_at,
            resume_file
        }),
        (some(), text(), some(), any::<bool>()).prop_map(|(phase, note, after, urgent)| Record::Evolution {
            phase,
            action: "changed".to_owned(),
            after,
            note,
            urgent
        }),
    ]
}
