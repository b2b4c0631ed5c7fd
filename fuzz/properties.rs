//! What must hold for any bytes. The fuzz targets and `tests/fuzz_seeds.rs` check the same.

use git_spec::baseline::Reader;
use git_spec::change::delta::SectionDelta;
use git_spec::change::{Proposal, Tasks};
use git_spec::clock::Timestamp;
use git_spec::files::MemoryTree;
use git_spec::flow::{self, Ground, Step, next};
use git_spec::guard::{logos, loops as loop_guard, silly as silly_guard};
use git_spec::ids;
use git_spec::impact::{self, Class, Item, Verdict};
use git_spec::loops::route::route;
use git_spec::loops::summary::Summary;
use git_spec::loops::validate::validate;
use git_spec::loops::{Gate, Source, in_folder};
use git_spec::markdown::three_way::{merge_sections, same_section};
use git_spec::markdown::{Document, Mask, Resolution, SectionAnchor};
use git_spec::silly::{
    change_list, glob, knowledge, lint, local, modules, plan, settings, split, tasks, verification,
};
use git_spec::state::append::Entry;
use git_spec::state::body::Body;
use git_spec::state::derive::Moment;
use git_spec::state::front::Parts;
use git_spec::state::malformed::Malformed;
use git_spec::state::planning::Planning;
use git_spec::state::read;
use git_spec::state::transition::{Deps, Intent, LABELS, Next, transition_core};
use git_spec::verify::import::{self, Collector, Format, KnownCases};

/// A document is its lines; headings, sections and tables lie in it; a section merged with itself is itself.
pub(crate) fn markdown_scan(data: &[u8]) {
    let document = Document::scan(data);
    let lines = document.all_lines();
    let whole: Vec<u8> = lines
        .clone()
        .flat_map(|line| document.slice(line..line + 1).to_vec())
        .collect();
    assert_eq!(whole, data, "the lines are the document");
    for (heading, own) in document.headings().iter().enumerate() {
        let section = document.section(heading);
        assert!(section.start == own.line && section.end <= lines.end && !section.is_empty());
        assert_eq!(document.mask(own.line), Mask::None, "a heading is not masked");
        assert!((1..=6).contains(&own.level));
        for above in document.ancestors(heading) {
            assert!(
                document.section(above).contains(&own.line),
                "a section lies in those above it"
            );
        }
        resolves_to_itself(&document, heading);
        let text = document.slice(document.trimmed(section));
        merges_with_itself(text);
        if heading > 0 {
            let before = document.slice(document.trimmed(document.section(heading - 1)));
            one_side_wins(text, before);
        }
    }
    for table in document.tables(lines.clone()) {
        assert!(table.lines.len() >= 3 && table.lines.end <= lines.end && !table.rows.is_empty());
        for row in &table.rows {
            assert!(table.lines.contains(&row.line));
            assert_eq!(document.mask(row.line), Mask::None, "a row is not masked");
        }
    }
    for id in ids::test_ids(&document, lines.clone()) {
        assert!(lines.contains(&id.line));
    }
    let _no_panic = ids::of_lines(&document, lines, None, false);
}

/// The title path of a section names it, unless a title has what separates titles, or is empty.
fn resolves_to_itself(document: &Document, heading: usize) {
    let path = document.title_path(heading);
    let anchor = SectionAnchor::new(&path);
    let titles = std::iter::once(heading).chain(document.ancestors(heading));
    let titles = titles.map(|h| &document.headings()[h].plain);
    if !anchor.parts().iter().rev().eq(titles) {
        return;
    }
    match anchor.resolve(document) {
        Resolution::One(found) => assert_eq!(found, heading),
        Resolution::Many(found) => assert!(found.contains(&heading)),
        Resolution::Missing => panic!("`{path}` names nothing"),
    }
}

fn merges_with_itself(text: &[u8]) {
    assert!(same_section(text, text));
    let merged = merge_sections(text, text, text, b"\n").clean();
    assert_eq!(merged.as_deref(), Some(text), "nothing changed on either side");
}

/// A change on one side only is taken as it is.
fn one_side_wins(base: &[u8], changed: &[u8]) {
    if !same_section(base, changed) {
        let ours = merge_sections(base, changed, base, b"\n").clean();
        assert_eq!(ours.as_deref(), Some(changed), "only the document changed");
        let theirs = merge_sections(base, base, changed, b"\n").clean();
        let theirs = theirs.expect("only the delta changed");
        assert!(same_section(&theirs, changed), "{}", theirs.escape_ascii());
    }
}

/// Blocks follow each other; task lists and proposals keep their bytes.
pub(crate) fn delta_grammar(data: &[u8]) {
    let delta = SectionDelta::read(data);
    assert_eq!(delta.document.bytes(), data);
    let mut last = 0;
    for block in &delta.blocks {
        assert!(last <= block.marker && block.body.start == block.marker + 1);
        assert!(block.body.start <= block.body.end && block.body.end <= delta.document.line_count());
        last = block.body.end;
        for (id, line) in delta.named_items(block) {
            assert!(block.body.contains(&line) && !id.is_empty());
        }
    }
    let tasks = Tasks::read(data.to_vec());
    assert_eq!(tasks.bytes(), data);
    if let Some(reset) = tasks.reset_code("Implement code changes") {
        let again = Tasks::read(reset.tasks);
        assert!(again.section("code").is_some(), "the section stays");
    }
    let proposal = Proposal::read(data.to_vec());
    assert_eq!(proposal.bytes(), data);
    let _no_panic = (proposal.module(), proposal.deployment_required());
}

/// Nothing uncertain is ever pure lifecycle, with or without a prefix.
pub(crate) fn name_status(data: &[u8]) {
    let records = impact::parse(data);
    assert!(!records.is_empty(), "an empty stream is a fault");
    for prefix in ["", "shop"] {
        let prefix = impact::prefix(prefix.as_bytes()).expect("a plain folder");
        let verdict = Verdict::of(data, &prefix);
        let known = records
            .iter()
            .filter(|item| matches!(item, Item::Record(_)))
            .count();
        assert_eq!(
            (verdict.files.len(), verdict.faults.len()),
            (known, records.len() - known)
        );
        let is_lifecycle =
            !verdict.files.is_empty() && verdict.files.iter().all(|f| f.class == Class::Lifecycle);
        assert_eq!(verdict.lifecycle_only, is_lifecycle && verdict.faults.is_empty());
        assert_eq!(
            verdict.non_lifecycle_paths.is_empty(),
            verdict.files.iter().all(|f| f.class == Class::Lifecycle)
        );
        assert!(verdict.lifecycle_only || verdict.operations.is_empty());
    }
}

/// The files of a project, in the order in which they stand in the data, a file separator between them.
const FILES: [&str; 10] = [
    "logos/logos-project.yaml",
    "logos/flow/launched.yaml",
    "logos/flow/initial.yaml",
    "logos/.openlogos-guard",
    "logos/changes/x/proposal.md",
    "logos/changes/x/tasks.md",
    "logos/changes/x/LOOP_ITERS",
    "logos/resources/verify/test-results.jsonl",
    "logos/logos.config.json",
    "logos/changes/x/SLICES_APPROVED",
];

/// Any bytes as the files that a status is derived from; markers are there by the first bits.
pub(crate) fn project_state(data: &[u8]) {
    let markers = [
        "PLAN_APPROVED",
        "SPEC_MERGED",
        "VERIFY_PASS",
        "VERIFY_FAIL",
        "DEPLOY_DONE",
        "SMOKE_FAIL",
    ];
    let bits = data.first().copied().unwrap_or_default();
    let set = markers.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
    let set = set.map(|(_, name)| (format!("logos/changes/x/{name}"), Vec::new()));
    let files = data
        .split(|b| *b == 0x1c)
        .zip(FILES)
        .filter(|(content, _)| !content.is_empty());
    let files = files.map(|(content, path)| (path.to_owned(), content.to_vec()));
    let tree = MemoryTree::new(files.chain(set));
    let now = Timestamp::from_seconds(0);
    let baseline = Reader::open(&tree, &|_| false, now).expect("memory can be read");
    let Ok(ground) = Ground::read(&baseline) else {
        return;
    };
    let Ok(status) = flow::derive(&ground, None, None) else {
        return;
    };
    for module in status.modules.iter().flatten().chain(&status.legacy) {
        if module.step().is_some_and(Step::is_before_code) {
            assert!(module.loop_state.is_none(), "a loop before the code");
        }
        if let Some(state) = &module.loop_state {
            assert!(!(state.escalated && state.converged));
        }
        if let Some(slices) = &module.slices {
            assert_eq!(slices.remaining() > 0, slices.current.is_some());
        }
    }
    let auto = next::auto(&ground, &status, None);
    let answer = next::assemble(&ground, &status, None, Some(auto), None).expect("memory can be read");
    let auto = answer.auto.expect("it was asked for");
    assert!(
        !(auto.gate.passed && auto.execute),
        "a gate is passed, or a command is ordered"
    );
    assert!(!auto.gate.passed || auto.gate.gate.is_some());
    assert_eq!(
        answer.items.len(),
        status.modules.iter().flatten().chain(&status.legacy).count()
    );
}

/// A report, whatever it is, becomes whole rows or nothing.
pub(crate) fn test_reports(data: &[u8]) {
    let known = KnownCases {
        defined: ["UT-S01-03", "UT-A-1.2", "UT-A-1-2"].map(str::to_owned).into(),
        manual: ["ST-S01-09".to_owned()].into(),
    };
    for format in Format::ALL {
        let mut collector = Collector::new(&known, Timestamp::from_seconds(0));
        if import::read(data, format, "report", &mut collector).is_err() {
            continue;
        }
        let imported = collector.finish();
        let lines = imported.ledger.split_inclusive(|byte| *byte == b'\n').count();
        assert_eq!(lines, imported.rows, "a row is a line");
        assert!(imported.ledger.is_empty() || imported.ledger.ends_with(b"\n"));
        assert!(imported.unmapped <= imported.tests);
        assert!(imported.unmapped_failures.len() as u64 <= imported.unmapped_failure_count);
    }
}

/// Every reader reads it; what a writer makes of it is a document, in which a field that was set reads as it was set.
pub(crate) fn state_document(data: &[u8]) {
    let _no_panic = Malformed::all(data);
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let tree = MemoryTree::new([
        (".planning/ROADMAP.md", text.as_bytes()),
        (".planning/phases/02-mast/02-01-PLAN.md", text.as_bytes()),
    ]);
    let version = read::stored_version(text);
    let planning = Planning::new(&tree, version.as_deref());
    let moment = Moment {
        now: Timestamp::from_seconds(0),
        today: "1970-01-01".to_owned(),
        head: None,
    };
    let _no_panic = read::snapshot(text);
    read::fields(text, &planning, &moment).expect("memory can be read");
    read::validate(data, &planning).expect("memory can be read");
    for label in LABELS {
        let _no_panic = read::get(text, label);
    }
    if let Some(front) = Parts::of(text).front {
        let written = front.write();
        let again = Parts::of(&written).front.expect("it is closed");
        assert_eq!(again.write(), written, "what is written once is written again");
    }
    let deps = Deps {
        planning: &planning,
        moment: &moment,
        archive: Some(text),
    };
    for intent in intents() {
        let Ok(outcome) = transition_core(text, &intent, &deps) else {
            continue;
        };
        let Some(new) = outcome.content else { continue };
        let parts = Parts::of(&new);
        assert!(parts.front.is_some() && new.ends_with('\n'));
        if let Intent::Update { field, value } = &intent {
            assert_eq!(Body::new(parts.body).value(field), Some(value.as_str()));
            let again = transition_core(&new, &intent, &deps).expect("it was done once");
            assert_eq!(again.content, None, "a second run finds nothing to do");
        }
    }
}

fn intents() -> Vec<Intent> {
    let phase = || "2".to_owned();
    vec![
        Intent::BeginPhase {
            phase: phase(),
            name: Some("Mast".to_owned()),
            plans: Some(3),
        },
        Intent::AdvancePlan,
        Intent::CompletePhase {
            phase: phase(),
            next: Next::Last,
        },
        Intent::MarkPhase { phase: None },
        Intent::PlannedPhase {
            phase: phase(),
            name: None,
            plans: None,
        },
        Intent::MilestoneComplete {
            version: "v1.2".to_owned(),
            next_command: "x".to_owned(),
        },
        Intent::Update {
            field: "Status".to_owned(),
            value: "Paused".to_owned(),
        },
        Intent::Update {
            field: "Plan".to_owned(),
            value: "2 of 3".to_owned(),
        },
        Intent::Sync { verify: false },
        Intent::Prune {
            keep_recent: 0,
            dry_run: false,
        },
        Intent::UpdateProgress,
        Intent::Append(Entry::Decision {
            phase: None,
            summary: "x".to_owned(),
            rationale: None,
        }),
        Intent::Append(Entry::Metric {
            phase: phase(),
            plan: "1".to_owned(),
            duration: "1h".to_owned(),
            tasks: None,
            files: None,
        }),
        Intent::Append(Entry::Session {
            stopped_at: Some("here".to_owned()),
            resume_file: None,
        }),
    ]
}

/// The documents of a change in a `.sillyspec/` project: every reader takes any bytes, and tells lines that are there.
pub(crate) fn silly_documents(data: &[u8]) {
    let lines = Document::scan(data).all_lines().len();
    let files = change_list::parse(data);
    for (at, file) in files.iter().enumerate() {
        assert!(!file.path.is_empty() && !file.path.starts_with(".sillyspec/"));
        assert!(
            files[..at].iter().all(|known| known.path != file.path),
            "a file is listed once"
        );
        assert!(glob::matches(&file.path, &file.path));
    }
    for task in plan::parse(data).iter().flat_map(|wave| &wave.tasks) {
        assert!(task.line < lines && !task.name.contains('\n'));
    }
    for task in tasks::parse(data) {
        assert!(task.line < lines && task.id().starts_with("task-"));
    }
    if let Ok(modules) = modules::parse(data) {
        assert!(
            modules
                .iter()
                .all(|module| !module.id.contains('\0') || data.contains(&b'\\'))
        );
    }
    for entry in knowledge::parse(data) {
        assert!(!entry.file.is_empty());
    }
    let _packages = split::parse(data);
    let _conclusion = verification::conclusion(data);
    let (one, other) = data.split_at(data.len() / 2);
    let (one, other) = (String::from_utf8_lossy(one), String::from_utf8_lossy(other));
    assert_eq!(
        glob::matches(&one, &other),
        glob::matches(&other, &one),
        "either way round"
    );
    let names = [
        "proposal.md",
        "design.md",
        "requirements.md",
        "tasks.md",
        "plan.md",
        "module-impact.md",
        "verification.md",
    ];
    let change = names.map(|name| (format!(".sillyspec/changes/c/{name}"), data.to_vec()));
    let rest =
        ["package.json", "Makefile", ".sillyspec/local.yaml"].map(|path| (path.to_owned(), data.to_vec()));
    let tree = MemoryTree::new(change.into_iter().chain(rest));
    for finding in lint::lint(&tree, "c").expect("memory can be read") {
        assert!(
            finding.line.is_none_or(|line| (1..=lines.max(1)).contains(&line)),
            "{finding:?}"
        );
    }
    local::detect(&tree).expect("memory can be read");
    settings::Settings::load(&tree).expect("memory can be read");
}

/// A loop whose state and gate state are any JSON: it is judged, and never worth more than it says.
pub(crate) fn loop_state(data: &[u8]) {
    let gate = Source::parse(data);
    let _status = gate.status();
    let Ok(state) = serde_json::from_slice::<serde_json::Value>(data) else {
        return;
    };
    let tree = MemoryTree::new([(in_folder("state.json").to_string(), data.to_vec())]);
    for gate in [Source::Missing, gate, Source::Known(Gate(state.clone()))] {
        let found = validate(&state, &gate);
        assert!(
            found
                .errors
                .iter()
                .chain(&found.warnings)
                .all(|fault| !fault.path.is_empty())
        );
        Summary::of(&tree, &state, &gate).expect("memory can be read");
    }
    let _route = route(&state);
}

/// A command line before each of the three guards: what is refused is refused behind a harmless command too.
pub(crate) fn tool_calls(data: &[u8]) {
    let line = String::from_utf8_lossy(data);
    let behind = format!("true\n{line}");
    let tree = MemoryTree::new([
        ("logos/logos.config.json", "{\"name\": \"t\"}"),
        (
            "logos/logos-project.yaml",
            "modules:\n  - {id: core, name: Core, lifecycle: launched}\n",
        ),
    ]);
    let place = |path: &str| match git_spec::files::RepoPath::normalised(path) {
        Some(path) => logos::Place::Inside(path),
        None => logos::Place::Outside,
    };
    let by_logos = |line: &str| {
        let call = logos::Call::Shell(line.to_owned());
        logos::judge(&tree, &call, &place)
            .expect("memory can be read")
            .allowed
    };
    assert!(by_logos(&line) || !by_logos(&behind), "logos");
    let place = |path: &str| match git_spec::files::RepoPath::normalised(path) {
        Some(path) => silly_guard::Place::Inside(path),
        None => silly_guard::Place::Outside(vec![path.to_owned()]),
    };
    for stage in [None, Some("execute".to_owned())] {
        let scene = silly_guard::Scene {
            stage,
            in_worktree: false,
            readonly: &[],
            place: &place,
        };
        let refuses =
            |line: &str| silly_guard::judge(&scene, &silly_guard::Call::Shell(line.to_owned())).is_some();
        assert!(!refuses(&line) || refuses(&behind), "silly {:?}", scene.stage);
    }
    let ground = loop_guard::Ground {
        root: "/p".into(),
        cwd: "/p".into(),
        home: Some("/home/u".into()),
        temporary: None,
        real: |path| path.to_owned(),
    };
    let refuses = |line: &str| {
        let call = loop_guard::Call {
            file_path: None,
            command: Some(line.to_owned()),
            cwd: None,
        };
        let state = loop_guard::judge_state(&call).is_some();
        [
            state,
            loop_guard::judge_command(&call, &ground, &|| false).is_some(),
        ]
    };
    for (alone, behind) in refuses(&line).into_iter().zip(refuses(&behind)) {
        assert!(!alone || behind, "loop");
    }
}
