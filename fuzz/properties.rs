//! What must hold for any bytes. The fuzz targets and `tests/fuzz_seeds.rs` check the same.

use git_spec::baseline::Reader;
use git_spec::change::delta::SectionDelta;
use git_spec::change::{Proposal, Tasks};
use git_spec::clock::Timestamp;
use git_spec::files::MemoryTree;
use git_spec::flow::{self, Ground, Step, next};
use git_spec::ids;
use git_spec::impact::{self, Class, Item, Verdict};
use git_spec::markdown::three_way::{merge_sections, same_section};
use git_spec::markdown::{Document, Mask, Resolution, SectionAnchor};
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
