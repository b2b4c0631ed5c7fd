//! Long histories for `git fast-import`, with a ledger of what they do to each id.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::common::{self, Repo};

/// How much of everything there is.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) commits: usize,
    pub(crate) ids: usize,
    pub(crate) renames: usize,
    pub(crate) archives: usize,
}

/// What a history does, id by id from the newest event; commits by their marks.
pub(crate) struct History {
    stream: String,
    ledger: BTreeMap<String, Vec<Value>>,
    /// Where each change lies at the end.
    places: BTreeMap<String, String>,
}

#[derive(Clone)]
struct Doc {
    /// The file's name, without its ending.
    name: String,
    /// Sections with their rows.
    sections: Vec<(String, Vec<(String, String)>)>,
}

impl Doc {
    fn path(&self) -> String {
        format!("logos/resources/test/{}.md", self.name)
    }

    fn text(&self) -> String {
        let mut out = "# Cases\n".to_owned();
        for (title, rows) in &self.sections {
            write!(out, "\n## {title}\n\n| ID | Title |\n|----|-------|\n").expect("memory");
            for (id, text) in rows {
                writeln!(out, "| {id} | {text} |").expect("memory");
            }
        }
        out
    }

    fn find(&self, id: &str) -> Option<(usize, usize)> {
        self.sections.iter().enumerate().find_map(|(s, (_, rows))| {
            let at = rows.iter().position(|(known, _)| known == id)?;
            Some((s, at))
        })
    }
}

#[derive(Clone)]
struct Project {
    docs: Vec<Doc>,
}

impl Project {
    fn find(&self, id: &str) -> (usize, usize, usize) {
        let found = self.docs.iter().enumerate().find_map(|(d, doc)| {
            let (s, at) = doc.find(id)?;
            Some((d, s, at))
        });
        found.unwrap_or_else(|| panic!("{id} is somewhere"))
    }

    fn ids(&self) -> Vec<String> {
        let rows = self
            .docs
            .iter()
            .flat_map(|doc| &doc.sections)
            .flat_map(|(_, rows)| rows);
        rows.map(|(id, _)| id.clone()).collect()
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).expect("small")
    }
}

/// Writes a history while it keeps the ledger.
struct Writer {
    history: History,
    project: Project,
    random: Random,
    mark: usize,
    tip: usize,
    /// Marks of blobs are not needed: files stand in their commits.
    next_id: usize,
    next_change: usize,
    next_name: usize,
    merged: Vec<String>,
}

/// An event as the ledger has it, where the row is now.
struct Told<'t> {
    event: &'t str,
    id: &'t str,
    place: (usize, usize),
    before: Option<&'t str>,
    after: Option<&'t str>,
}

impl Writer {
    fn commit(&mut self, parents: &[usize], message: &str, files: &[(String, Option<String>)]) -> usize {
        self.mark += 1;
        let (mark, date) = (self.mark, 1_700_000_000 + self.mark * 60);
        let out = &mut self.history.stream;
        let who = format!("Ada <ada@example.com> {date} +0000");
        write!(
            out,
            "commit refs/heads/main\nmark :{mark}\nauthor {who}\ncommitter {who}\ndata {}\n{message}\n",
            message.len()
        )
        .expect("memory");
        for (at, parent) in parents.iter().enumerate() {
            let word = if at == 0 { "from" } else { "merge" };
            writeln!(out, "{word} :{parent}").expect("memory");
        }
        for (path, content) in files {
            match content {
                Some(text) if text.starts_with("\0R ") => {
                    writeln!(out, "R {} {path}", &text[3..]).expect("memory");
                }
                Some(text) => {
                    write!(out, "M 100644 inline {path}\ndata {}\n{text}\n", text.len()).expect("memory");
                }
                None => writeln!(out, "D {path}").expect("memory"),
            }
        }
        out.push('\n');
        self.tip = mark;
        mark
    }

    fn doc(&self, at: usize) -> (String, Option<String>) {
        (self.project.docs[at].path(), Some(self.project.docs[at].text()))
    }

    fn tell(&mut self, told: &Told<'_>, change: Option<&str>, reason: Option<&str>) {
        let doc = &self.project.docs[told.place.0];
        let row = |text: Option<&str>| text.map(|text| format!("| {} | {text} |", told.id));
        let event = json!({
            "event": told.event,
            "commit": self.mark,
            "change": change,
            "document": doc.path(),
            "anchor": format!("Cases > {}", doc.sections[told.place.1].0),
            "reason": reason,
            "before": row(told.before),
            "after": row(told.after),
        });
        self.history
            .ledger
            .entry(told.id.to_owned())
            .or_default()
            .insert(0, event);
    }

    fn new_id(&mut self) -> String {
        self.next_id += 1;
        format!("UT-S{:02}-{:03}", self.next_id % 30, self.next_id)
    }

    fn some_id(&mut self) -> String {
        let ids = self.project.ids();
        ids[self.random.below(ids.len())].clone()
    }

    /// Proposes a change and merges it: the new text of a row, or none to leave it out.
    fn merge_change(&mut self) {
        let id = self.some_id();
        let (d, s, at) = self.project.find(&id);
        self.next_change += 1;
        let slug = format!("change-{}", self.next_change);
        let folder = format!("logos/changes/{slug}");
        let text = format!("by {slug}");
        let doc = &self.project.docs[d];
        let (name, title) = (doc.name.clone(), doc.sections[s].0.clone());
        let removes = self.random.below(3) == 0 && doc.sections[s].1.len() > 2;
        let renumbers = removes && self.random.below(2) == 0;
        let new = renumbers.then(|| self.new_id());
        let before = self.project.docs[d].sections[s].1[at].1.clone();
        let rows = &mut self.project.docs[d].sections[s].1;
        if let Some(new) = &new {
            rows[at] = (new.clone(), text.clone());
        } else if removes {
            rows.remove(at);
        } else {
            rows[at].1.clone_from(&text);
        }
        let mut delta = format!("## MODIFIED — {title}\n\n| ID | Title |\n|----|-------|\n");
        for (id, text) in &self.project.docs[d].sections[s].1 {
            writeln!(delta, "| {id} | {text} |").expect("memory");
        }
        if removes {
            writeln!(
                delta,
                "\n## REMOVED-ITEMS — {title}\n- {id} — {slug} is without it"
            )
            .expect("memory");
        }
        let tip = self.tip;
        let deltas = (format!("{folder}/deltas/test/{name}.md"), Some(delta));
        let proposal = (
            format!("{folder}/proposal.md"),
            Some(format!("# Change: {slug}\n")),
        );
        let propose = self.commit(&[tip], "Propose", &[proposal, deltas]);
        let marker = (format!("{folder}/SPEC_MERGED"), Some("{}\n".to_owned()));
        let changed = self.doc(d);
        self.commit(&[propose], "Merge", &[marker, changed]);
        self.history.places.insert(slug.clone(), folder);
        let reason = format!("{slug} is without it");
        let place = (d, s);
        let told = |event, id, before, after| Told {
            event,
            id,
            place,
            before,
            after,
        };
        if let Some(new) = new {
            let mut event = |of: &str| {
                let doc = &self.project.docs[d];
                let event = json!({
                    "event": "renumbered",
                    "from": id,
                    "commit": self.mark,
                    "change": slug,
                    "document": doc.path(),
                    "anchor": format!("Cases > {title}"),
                    "reason": reason,
                    "before": format!("| {id} | {before} |"),
                    "after": format!("| {new} | {text} |"),
                });
                self.history
                    .ledger
                    .entry(of.to_owned())
                    .or_default()
                    .insert(0, event);
            };
            event(&id);
            event(&new);
        } else if removes {
            self.tell(
                &told("removed", &id, Some(&before), None),
                Some(&slug),
                Some(&reason),
            );
        } else {
            self.tell(
                &told("changed", &id, Some(&before), Some(&text)),
                Some(&slug),
                None,
            );
        }
        self.merged.push(slug);
    }

    fn archive(&mut self) {
        let Some(slug) = self.merged.pop() else { return };
        let to = format!("logos/changes/archive/20260102-0304-{slug}");
        let from = format!("\0R logos/changes/{slug}");
        let tip = self.tip;
        self.commit(
            &[tip],
            &format!("Archive\n\nSpec-Change: {slug}\n"),
            &[(to.clone(), Some(from))],
        );
        self.history.places.insert(slug, to);
    }

    fn rename(&mut self) {
        let d = self.random.below(self.project.docs.len());
        let old = self.project.docs[d].path();
        self.next_name += 1;
        self.project.docs[d].name = format!("core-renamed-{}", self.next_name);
        let (new, tip) = (self.project.docs[d].path(), self.tip);
        self.commit(&[tip], "Rename", &[(new, Some(format!("\0R {old}")))]);
        for (s, (_, rows)) in self.project.docs[d].sections.clone().iter().enumerate() {
            for (id, text) in rows {
                let (event, before, after) = ("moved", Some(text.as_str()), Some(text.as_str()));
                self.tell(
                    &Told {
                        event,
                        id,
                        place: (d, s),
                        before,
                        after,
                    },
                    None,
                    None,
                );
            }
        }
    }

    fn edit(&mut self) {
        let id = self.some_id();
        let (d, s, at) = self.project.find(&id);
        let named = self.random.below(2) == 0;
        let text = format!("edited {}", self.mark);
        let before = std::mem::replace(&mut self.project.docs[d].sections[s].1[at].1, text.clone());
        let message = if named {
            "Edit\n\nSpec-Change: by-hand\n"
        } else {
            "Edit"
        };
        let (files, tip) = ([self.doc(d)], self.tip);
        self.commit(&[tip], message, &files);
        let (event, before, after) = ("changed", Some(before.as_str()), Some(text.as_str()));
        let told = Told {
            event,
            id: &id,
            place: (d, s),
            before,
            after,
        };
        self.tell(&told, named.then_some("by-hand"), None);
    }

    fn add(&mut self) {
        let id = self.new_id();
        let d = self.random.below(self.project.docs.len());
        let s = self.random.below(self.project.docs[d].sections.len());
        let row = (id.clone(), "new".to_owned());
        self.project.docs[d].sections[s].1.push(row);
        let (files, tip) = ([self.doc(d)], self.tip);
        self.commit(&[tip], "Add", &files);
        let (event, before, after) = ("added", None, Some("new"));
        self.tell(
            &Told {
                event,
                id: &id,
                place: (d, s),
                before,
                after,
            },
            None,
            None,
        );
    }

    /// Moves a row to a section of any document.
    fn carry(&mut self) {
        let id = self.some_id();
        let (d, s, at) = self.project.find(&id);
        let to = self.random.below(self.project.docs.len());
        let section = self.random.below(self.project.docs[to].sections.len());
        if self.project.docs[d].sections[s].1.len() < 3 {
            return;
        }
        let row = self.project.docs[d].sections[s].1.remove(at);
        let text = row.1.clone();
        self.project.docs[to].sections[section].1.insert(0, row);
        let (files, tip) = ([self.doc(d), self.doc(to)], self.tip);
        self.commit(&[tip], "Carry", &files);
        if (d, s) != (to, section) {
            let (event, text) = ("moved", Some(text.as_str()));
            let place = (to, section);
            self.tell(
                &Told {
                    event,
                    id: &id,
                    place,
                    before: text,
                    after: text,
                },
                None,
                None,
            );
        }
    }

    /// Edits that are none: blank lines, and blanks around cells.
    fn reformat(&mut self) {
        let d = self.random.below(self.project.docs.len());
        let (path, text) = self.doc(d);
        let text = text
            .expect("it has one")
            .replace(" |\n", "  |\n")
            .replace("\n## ", "\n\n## ");
        let tip = self.tip;
        self.commit(&[tip], "Reformat", &[(path, Some(text))]);
    }

    /// Two branches that change a row each, and their merge: clean, or with a row that neither has.
    fn branch(&mut self) {
        let start = self.project.clone();
        let fork = self.tip;
        let [one, other] = [self.some_id(), self.some_id()];
        if one == other {
            return;
        }
        let mut ends = Vec::new();
        for id in [&one, &other] {
            self.project = start.clone();
            let (d, s, at) = self.project.find(id);
            let text = format!("branched {}", self.mark);
            let before = std::mem::replace(&mut self.project.docs[d].sections[s].1[at].1, text.clone());
            let files = [self.doc(d)];
            let end = self.commit(&[fork], "Branch", &files);
            let (event, before, after) = ("changed", Some(before.as_str()), Some(text.as_str()));
            self.tell(
                &Told {
                    event,
                    id,
                    place: (d, s),
                    before,
                    after,
                },
                None,
                None,
            );
            ends.push((end, (d, s, at), text));
        }
        self.project = start;
        let evil = self.random.below(2) == 0;
        for (_, (d, s, at), text) in &ends {
            self.project.docs[*d].sections[*s].1[*at].1.clone_from(text);
        }
        let (d, s, at) = ends[1].1;
        let text = format!("merged {}", self.mark);
        let before = ends[1].2.clone();
        if evil {
            self.project.docs[d].sections[s].1[at].1.clone_from(&text);
        }
        let files = [self.doc(ends[0].1.0), self.doc(d)];
        self.commit(&[ends[0].0, ends[1].0], "Join", &files);
        if evil {
            let event = "changed";
            // The first parent has the row as it was at the fork.
            let first = self.before_branches(&other, &before);
            let told = Told {
                event,
                id: &other,
                place: (d, s),
                before: Some(&first),
                after: Some(&text),
            };
            self.tell(&told, None, None);
        }
    }

    /// What the first parent of the last merge has for a row: the text before the newest event.
    fn before_branches(&self, id: &str, last: &str) -> String {
        let newest = &self.history.ledger[id][0];
        assert_eq!(newest["after"], format!("| {id} | {last} |"));
        let row = newest["before"].as_str().expect("it was there");
        let text = row.split('|').nth(2).expect("two cells");
        text.trim().to_owned()
    }
}

/// Makes a history of about so many commits.
pub(crate) fn history(size: Size, seed: u64) -> History {
    let mut writer = Writer {
        history: History {
            stream: String::new(),
            ledger: BTreeMap::new(),
            places: BTreeMap::new(),
        },
        project: Project { docs: Vec::new() },
        random: Random(seed),
        mark: 0,
        tip: 0,
        next_id: 0,
        next_change: 0,
        next_name: 0,
        merged: Vec::new(),
    };
    let config = (
        "logos/logos.config.json".to_owned(),
        Some("{\"name\":\"tolls\"}\n".to_owned()),
    );
    let registry =
        "project:\n  name: tolls\nmodules:\n  - id: core\n    name: Core\n    lifecycle: launched\n";
    let registry = ("logos/logos-project.yaml".to_owned(), Some(registry.to_owned()));
    let mut files = vec![config, registry];
    for d in 0..size.ids.div_ceil(15) {
        let mut doc = Doc {
            name: format!("core-{d:02}-test-cases"),
            sections: Vec::new(),
        };
        for s in 0..3 {
            let rows = (0..5).map(|_| (writer.new_id(), "first".to_owned())).collect();
            doc.sections.push((format!("Part {s}"), rows));
        }
        writer.project.docs.push(doc);
        files.push(writer.doc(d));
    }
    writer.commit(&[], "Lay down", &files);
    for id in writer.project.ids() {
        let (d, s, _) = writer.project.find(&id);
        let (event, before, after) = ("added", None, Some("first"));
        writer.tell(
            &Told {
                event,
                id: &id,
                place: (d, s),
                before,
                after,
            },
            None,
            None,
        );
    }
    let (mut renames, mut archives) = (size.renames, size.archives);
    while writer.mark < size.commits {
        let left = size.commits - writer.mark;
        if renames * 20 > left || (renames > 0 && writer.random.below(left) < renames) {
            renames -= 1;
            writer.rename();
        } else if archives > 0 && writer.merged.len() > 3 && writer.random.below(left) < archives * 2 {
            archives -= 1;
            writer.archive();
        } else {
            match writer.random.below(12) {
                0..=3 => writer.merge_change(),
                4..=6 => writer.edit(),
                7 => writer.add(),
                8 => writer.carry(),
                9 => writer.reformat(),
                _ => writer.branch(),
            }
        }
    }
    writer.history
}

impl History {
    /// Reads the history into a repository; the ledger comes back with the ids of the commits.
    pub(crate) fn lay_down(&self, repo: &Repo) -> BTreeMap<String, Vec<Value>> {
        let marks = repo.path("marks");
        let mut import = repo.command("git");
        import.args(["fast-import", "--quiet"]);
        import.arg(format!("--export-marks={}", marks.display()));
        let out = common::out(&mut import, self.stream.as_bytes());
        assert_eq!((out.code, out.stderr.as_str()), (0, ""));
        let marks = std::fs::read_to_string(marks).expect("it was written");
        let commits: BTreeMap<usize, &str> = marks
            .lines()
            .map(|line| {
                let (mark, id) = line.trim_start_matches(':').split_once(' ').expect("two words");
                (mark.parse().expect("a number"), id)
            })
            .collect();
        repo.remove("marks");
        let mut ledger = self.ledger.clone();
        for event in ledger.values_mut().flatten() {
            let mark = usize::try_from(event["commit"].as_u64().expect("a mark")).expect("small");
            event["commit"] = json!(commits[&mark]);
            let place = event["change"]
                .as_str()
                .and_then(|change| self.places.get(change));
            event["change_path"] = json!(place);
        }
        ledger
    }
}
