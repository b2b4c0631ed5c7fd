//! Sections that are only ever added to: entries of both sides stay (git.md 6, state.md 7 and 8).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::GivenUp;
use super::count::{count, number};
use super::labels::label;
use super::version::Version;
use crate::markdown::three_way::{Listing, settle_additions};
use crate::markdown::{Document, Heading};
use crate::state::transition::is_decisions;
use crate::text::{Bytes, Span, js, splice};

/// Texts that say that there is nothing yet.
const PLACEHOLDERS: [&str; 4] = ["None yet.", "No decisions yet.", "None", "None."];

/// What a section that is added to holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Entries,
    /// Numbers with their names, and tables, of which that of the plans is added to.
    Metrics,
    /// Fields, and what else is noted.
    Session,
}

impl Kind {
    fn of(title: &str) -> Option<Self> {
        let title = title.trim_end_matches('#').trim().to_lowercase();
        match title.as_str() {
            "concerns" | "roadmap evolution" | "recently completed" | "deferred items" | "pending todos"
            | "sessions" => Some(Self::Entries),
            "performance metrics" => Some(Self::Metrics),
            "session" | "session continuity" => Some(Self::Session),
            other if is_decisions(other) => Some(Self::Entries),
            other if other.starts_with("blockers") => Some(Self::Entries),
            _ => None,
        }
    }

    const fn listing(self) -> Listing {
        Listing {
            is_appended: match self {
                Self::Metrics => |header| {
                    header
                        .first()
                        .is_some_and(|cell| cell.eq_ignore_ascii_case("plan"))
                },
                Self::Entries | Self::Session => |_| true,
            },
            name: match self {
                Self::Entries => |_| None,
                Self::Metrics | Self::Session => name,
            },
            is_placeholder: |text| PLACEHOLDERS.contains(&text),
        }
    }
}

/// The name of a value, as an item or a field.
fn name(text: &str) -> Option<String> {
    let line = text.lines().next()?;
    let line = line.strip_prefix(['-', '*', '+']).map_or(line, str::trim_start);
    // A label without a value names what stands below it.
    let is_named = !line.trim_end().ends_with([':', '*']);
    label(line).filter(|_| is_named).map(str::to_lowercase)
}

/// The own lines of the sections that are added to, by the titles from the outermost; of equal ones which it is.
fn sections(doc: &Document) -> BTreeMap<(Vec<String>, usize), (Kind, Range<usize>)> {
    let headings = doc.headings();
    let mut found = BTreeMap::new();
    let mut seen: HashMap<Vec<String>, usize> = HashMap::new();
    let mut above: Vec<&Heading> = Vec::new();
    for (at, heading) in headings.iter().enumerate() {
        above.truncate(above.partition_point(|above| above.level < heading.level));
        above.push(heading);
        let Some(kind) = Kind::of(&heading.title).filter(|_| (2..=4).contains(&heading.level)) else {
            continue;
        };
        let path: Vec<String> = above.iter().map(|above| above.title.clone()).collect();
        let end = headings.get(at + 1).map_or(doc.line_count(), |next| next.line);
        let mut lines = heading.line + 1..end;
        while lines.start < lines.end && doc.is_blank(lines.end - 1) {
            lines.end -= 1;
        }
        let nth = seen.entry(path.clone()).and_modify(|nth| *nth += 1).or_insert(0);
        found.insert((path, *nth), (kind, lines));
    }
    found
}

pub(super) fn settle(versions: &mut [Version; 3], given_up: &mut GivenUp) {
    let docs = versions
        .each_ref()
        .map(|version| Document::scan(version.body.text()));
    let found = docs.each_ref().map(sections);
    let mut edits: [Vec<(Span, Bytes)>; 3] = [Vec::new(), Vec::new(), Vec::new()];
    for (path, (kind, _)) in &found[1] {
        let spans: [Option<Span>; 3] =
            std::array::from_fn(|i| found[i].get(path).map(|(_, lines)| docs[i].span(lines.clone())));
        if spans[2].is_none() {
            continue;
        }
        let texts = std::array::from_fn(|i| spans[i].map_or(&b""[..], |span| span.of(docs[i].bytes())));
        if texts[1] == texts[2] || texts[0] == texts[1] || texts[0] == texts[2] {
            continue;
        }
        let counted = match kind {
            Kind::Metrics => settle_counts(texts, given_up),
            Kind::Entries | Kind::Session => texts.map(<[u8]>::to_vec),
        };
        let [base, ours, theirs] = &counted;
        let listed = settle_additions([base, ours, theirs], &kind.listing());
        let settled = listed.unwrap_or_else(|| counted.clone());
        for (i, text) in settled.into_iter().enumerate() {
            edits[i].extend(spans[i].map(|span| (span, text)));
        }
    }
    given_up.extend(PLACEHOLDERS);
    for ((version, doc), mut edits) in versions.iter_mut().zip(&docs).zip(edits) {
        edits.sort_by_key(|(span, _)| *span);
        let text = splice(doc.bytes(), &edits);
        if let Ok(text) = String::from_utf8(text) {
            let whole = Span::new(0, version.body.text().len());
            version.body.splice(whole, &text);
        }
    }
}

static COUNTED: LazyLock<Regex> =
    LazyLock::new(|| js(r"^[-*+] +(?:\*\*)?([^:*|]+):(?:\*\*)?\s*(\d{1,18})\s*$"));

/// Items that are a number with its name: the number counts what both sides added.
fn settle_counts(texts: [&[u8]; 3], given_up: &mut GivenUp) -> [Bytes; 3] {
    let mut texts = texts.map(|text| String::from_utf8_lossy(text).into_owned());
    let found = texts.each_ref().map(|text| numbers(text));
    let mut edits: [Vec<(Span, Bytes)>; 3] = [Vec::new(), Vec::new(), Vec::new()];
    for name in found[1].keys() {
        let all: [Option<&Number>; 3] = std::array::from_fn(|i| found[i].get(name));
        if all[2].is_none() {
            continue;
        }
        let numbers = all.map(|number| number.map(|number| number.value));
        let is_changed = numbers[1] != numbers[0] || numbers[2] != numbers[0];
        let Some(sum) = count(numbers).filter(|_| is_changed) else {
            continue;
        };
        for (i, number) in all.into_iter().enumerate() {
            if let Some(number) = number.filter(|number| number.value != sum) {
                given_up.extend([&number.line]);
                edits[i].push((number.span, sum.to_string().into_bytes()));
            }
        }
    }
    let mut out = [Bytes::new(), Bytes::new(), Bytes::new()];
    for ((out, text), mut edits) in out.iter_mut().zip(&mut texts).zip(edits) {
        edits.sort_by_key(|(span, _)| *span);
        *out = splice(text.as_bytes(), &edits);
    }
    out
}

struct Number {
    value: u64,
    /// Where its digits are.
    span: Span,
    line: String,
}

fn numbers(text: &str) -> BTreeMap<String, Number> {
    let mut found = BTreeMap::new();
    let mut repeated = BTreeSet::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        if let Some(captures) = COUNTED.captures(content) {
            let (Some(name), Some(digits)) = (captures.get(1), captures.get(2)) else {
                continue;
            };
            let number = number(digits.as_str()).map(|value| Number {
                value,
                span: Span::new(start + digits.start(), start + digits.end()),
                line: content.to_owned(),
            });
            let name = name.as_str().trim().to_lowercase();
            if let Some(number) = number
                && found.insert(name.clone(), number).is_some()
            {
                repeated.insert(name);
            }
        }
        start += line.len();
    }
    found.retain(|name, _| !repeated.contains(name));
    found
}
