//! STATE.md: whatever the document and the intent, a transition changes what it names and nothing else.

mod documents;
mod fronts;
mod judge;

use documents::{LABEL_IN_VALUE, MORE_LABELS, body, document, intent};
use fronts::front_matter;
use git_spec::clock::Timestamp;
use git_spec::files::MemoryTree;
use git_spec::state::append::Entry as Record;
use git_spec::state::derive::Moment;
use git_spec::state::front::{FrontMatter, Parts};
use git_spec::state::malformed::Malformed;
use git_spec::state::planning::Planning;
use git_spec::state::policy::FIELDS;
use git_spec::state::read;
use git_spec::state::transition::{Deps, Done, Intent, LABELS, Next, Outcome, transition_core};
use judge::{body_of, is_idempotent, own_lines, the_rest_stays, value};
use proptest::prelude::*;

/// Roadmap and disk of one kind or another.
fn tree(kind: u8) -> MemoryTree {
    const ROADMAP: &str =
        "# R\n\n## v1.2 Night Berths\n\n### Phase 1: Keel\n\n### Phase 2: Mast\n\n### Phase 3: Rigging\n";
    const DIRECTORIES: [(&str, &str); 4] = [
        (".planning/phases/01-keel/01-01-PLAN.md", ""),
        (".planning/phases/01-keel/01-01-SUMMARY.md", ""),
        (".planning/phases/02-mast/02-01-PLAN.md", ""),
        (".planning/phases/02-mast/02-02-PLAN.md", ""),
    ];
    let roadmap = [(".planning/ROADMAP.md", ROADMAP)];
    match kind {
        0 => MemoryTree::new::<&str, &str>([]),
        1 => MemoryTree::new(roadmap),
        2 => MemoryTree::new(DIRECTORIES),
        _ => MemoryTree::new(roadmap.into_iter().chain(DIRECTORIES)),
    }
}

fn moment() -> Moment {
    Moment {
        now: Timestamp::parse("2026-01-02T03:04:05Z").expect("an instant"),
        today: "2026-01-02".to_owned(),
        head: Some("1f".repeat(20)),
    }
}

fn apply(text: &str, intent: &Intent, tree: &MemoryTree, archive: Option<&str>) -> Option<Outcome> {
    let version = read::stored_version(text);
    let planning = Planning::new(tree, version.as_deref());
    let deps = Deps {
        planning: &planning,
        moment: &moment(),
        archive,
    };
    transition_core(text, intent, &deps).ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_transition_changes_what_it_names_and_nothing_else(document in document(), intent in intent(), kind in 0..4_u8) {
        let (text, tree) = (document.text(), tree(kind));
        let Some(outcome) = apply(&text, &intent, &tree, None) else { return Ok(()) };
        let Some(new) = &outcome.content else {
            prop_assert!(outcome.archive.is_none());
            return Ok(());
        };
        let (before, after) = (body_of(&text), body_of(new));

        // What it says it changed is what reads differently.
        let told = serde_json::to_value(&outcome.done).expect("it is data");
        if !matches!(outcome.done, Done::Patched(_) | Done::Updated(_)) && told["updated"].is_array() && !matches!(intent, Intent::Append(_)) {
            let differ: Vec<&str> = LABELS.into_iter().filter(|label| value(&before, label) != value(&after, label)).collect();
            prop_assert_eq!(&told["updated"], &serde_json::json!(differ), "{}", new);
        }
        for label in LABELS.iter().chain(&MORE_LABELS) {
            prop_assert_eq!(after.value(label).map(str::to_owned), value(&after, label), "{}\n{}", label, new);
        }

        the_rest_stays(&intent, &before, &after, outcome.archive.as_deref())?;
        let parts = Parts::of(new);
        let front = parts.front.expect("a write leaves front matter");
        if !matches!(intent, Intent::MilestoneSwitch { .. } | Intent::Patch(_)) {
            let written = front.write();
            let is_there: Vec<&str> = written.lines().collect();
            for line in own_lines(&document).into_iter().filter(|line| !line.is_empty()) {
                prop_assert!(is_there.contains(&line), "gone: {:?}\n{}", line, new);
            }
        }
        let place = |key: &str| FIELDS.iter().position(|field| field.key == key || key == "gsd_state_version" && field.key == "msd_state_version").unwrap_or(99);
        prop_assert!(front.entries.is_sorted_by_key(|entry| place(&entry.key)), "{}", new);
        prop_assert_eq!(Malformed::all(new.as_bytes()), []);
        prop_assert!(new.ends_with('\n') && new.starts_with("---"));
        if document.crlf {
            prop_assert_eq!(new.matches('\n').count(), new.matches("\r\n").count(), "{:?}", new);
        }
    }

    #[test]
    fn a_transition_that_was_made_is_not_made_again(document in document(), intent in intent(), kind in 0..4_u8) {
        let (text, tree) = (document.text(), tree(kind));
        // A bold label in the value of another field is the field for as long as the value stands (state.md 3.2).
        if format!("{text}{intent:?}").contains(LABEL_IN_VALUE) {
            return Ok(());
        }
        // The first write stores the version that the roadmap tells, and the second one counts by it.
        let counts = matches!(intent, Intent::Sync { .. } | Intent::UpdateProgress);
        if counts && kind % 2 == 1 && !text.contains("\nmilestone: ") {
            return Ok(());
        }
        // A last phase that is not the current one gets the name of the current one, at the second run for sure.
        if matches!(intent, Intent::CompletePhase { next: Next::Last, .. }) && text.contains("current_phase_name:") {
            return Ok(());
        }
        let Some(once) = apply(&text, &intent, &tree, None) else { return Ok(()) };
        let Some(mut new) = once.content else { return Ok(()) };
        let archive = once.archive.clone();
        let goes_on = matches!(
            intent,
            Intent::BeginPhase { .. } | Intent::MilestoneComplete { .. } | Intent::Append(Record::Session { .. })
        );
        if goes_on {
            // The second time a phase is resumed, and a field is another one where the first stood in a section that was
            // replaced; the third time that is known.
            let again = apply(&new, &intent, &tree, None).expect("what was done can be done again");
            new = again.content.unwrap_or(new);
        } else if !is_idempotent(&intent) {
            return Ok(());
        }
        let again = apply(&new, &intent, &tree, archive.as_deref());
        // What the first run settled may leave nothing to say: then it is refused.
        if let Some(again) = again {
            prop_assert!(again.archive.is_none() || again.archive == archive);
            if let Some(content) = again.content {
                prop_assert_eq!(content, new);
            }
        }
    }

    #[test]
    fn no_text_makes_a_reader_or_a_writer_fail(bytes in super::soup(), more in body(), front in any::<bool>(), intent in intent(), kind in 0..4_u8) {
        let soup = String::from_utf8_lossy(&bytes).into_owned();
        let text = if front { format!("---\n{soup}\n---\n{more}") } else { format!("{more}\n{soup}") };
        let tree = tree(kind);
        let _ = Malformed::all(text.as_bytes());
        let _ = read::snapshot(&text);
        for label in LABELS {
            let _ = read::get(&text, label);
        }
        let version = read::stored_version(&text);
        let planning = Planning::new(&tree, version.as_deref());
        read::validate(text.as_bytes(), &planning).expect("memory can be read");
        read::fields(&text, &planning, &moment()).expect("memory can be read");
        let parts = Parts::of(&text);
        if let Some(front) = parts.front {
            let written = front.write();
            let again = Parts::of(&written).front.expect("it is closed");
            prop_assert_eq!(again.write(), written);
        }
        if let Some(Outcome { content: Some(new), .. }) = apply(&text, &intent, &tree, None) {
            prop_assert!(Parts::of(&new).front.is_some());
        }
    }

    #[test]
    fn what_is_written_is_read_back(front in front_matter()) {
        let written = front.write();
        let inner = written.strip_prefix("---\n").and_then(|text| text.strip_suffix("---\n")).expect("dashes");
        prop_assert_eq!(&FrontMatter::read(inner), &front, "{}", written);
        prop_assert_eq!(&FrontMatter::read(&inner.replace('\n', "\r\n")), &front);
        let whole = format!("{written}\n# Body\n");
        let parts = Parts::of(&whole);
        prop_assert_eq!((parts.front.as_ref(), parts.body), (Some(&front), "# Body\n"));
    }
}
