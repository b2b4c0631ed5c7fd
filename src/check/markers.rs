//! Whether the markers of a change can be true (git.md 2.6).

use std::collections::BTreeMap;

use super::rules::{MARKER_DROPPED, MARKER_FORGED};
use super::step::View;
use super::words::{Forgery, Message};
use super::{About, Error, Report};
use crate::change::marks::{Place, claims, is_marked};
use crate::change::provenance::{self, PLAN_APPROVED, Provenance};
use crate::change::{ChangeFolder, MERGED, SPEC_MERGED, Tasks, deltas, read_proposal};
use crate::files::{Digest, ObjectId, ReadError, RepoPath, regular_content};
use crate::ledger::reported::{self, SMOKE_GATE, VERIFY_GATE};
use crate::ledger::{Outcome, Records};
use crate::project::{Config, Slug, layout};
use crate::text::Bytes;

const VERIFY_PASS: &str = "VERIFY_PASS";
const SMOKE_PASS: &str = "SMOKE_PASS";
const VERDICTS: [&str; 2] = [VERIFY_PASS, "VERIFY_FAIL"];
const PROTOTYPE_HASHES: &str = "UI_PROTOTYPE_HASHES.json";

pub(super) fn judge(view: &View<'_, '_>, report: &mut Report<'_>) -> Result<(), Error> {
    for path in view.own_paths() {
        let Some(Place { slug, folder, inner }) = Place::of(path) else {
            continue;
        };
        let slug = String::from_utf8_lossy(slug).into_owned();
        let Some(name) = inner.parts().next().map(ToString::to_string) else {
            continue;
        };
        let is_direct = inner.parts().count() == 1;
        let mut judge = Judge {
            view,
            folder,
            path,
            slug,
            report,
        };
        match name.as_str() {
            SPEC_MERGED | MERGED if !is_direct => judge.forged(Forgery::NotAFile),
            SPEC_MERGED | MERGED if view.new_version(path).is_some() => judge.merge_marker()?,
            SPEC_MERGED if is_direct => judge.dropped()?,
            name if is_direct && VERDICTS.contains(&name) => {
                judge.verdicts()?;
                if name == VERIFY_PASS {
                    judge.verified()?;
                }
            }
            SMOKE_PASS if is_direct => judge.smoke_tested()?,
            PLAN_APPROVED if is_direct => judge.approval()?,
            PROTOTYPE_HASHES if is_direct => judge.prototype_hashes()?,
            _ => {}
        }
    }
    Ok(())
}

/// One marker that a step brings or takes.
struct Judge<'j, 's, 'r, 'p> {
    view: &'j View<'s, 'r>,
    folder: RepoPath,
    path: &'j RepoPath,
    slug: String,
    report: &'j mut Report<'p>,
}

impl Judge<'_, '_, '_, '_> {
    fn about(&self) -> About {
        About {
            change: Some(self.slug.clone()),
            ..About::default()
        }
    }

    fn forged(&mut self, why: Forgery) {
        let about = self.about();
        self.report
            .add(MARKER_FORGED, self.path, Message::Forged(why), about);
    }

    /// Whether a parent has the same file in the open folder of the change: it came with the move to the archive.
    fn is_moved(&self, id: ObjectId) -> Result<bool, Error> {
        let before = layout::changes().join(&self.slug).join(self.path.name());
        for parent in &self.view.parents {
            if parent.entry(&before)?.and_then(|entry| entry.id) == Some(id) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn merge_marker(&mut self) -> Result<(), Error> {
        let Some(version) = self.view.new_version(self.path) else {
            return Ok(());
        };
        if !version.mode.is_regular() {
            self.forged(Forgery::NotAFile);
            return Ok(());
        }
        if self.path.name() != SPEC_MERGED || self.is_moved(version.id)? {
            return Ok(());
        }
        let claims = claims(self.view.result(), &self.folder)?;
        let deltas = deltas::load(self.view.result(), &self.folder)?;
        if claims.no_delta && deltas.iter().any(|d| d.mergeable && d.path.has_extension("md")) {
            self.forged(Forgery::HasDeltas);
        }
        let targeted = |document: &String| {
            let mut targets = deltas
                .iter()
                .filter(|d| d.mergeable)
                .filter_map(|d| d.target.as_ref());
            targets.any(|target| target.text() == document.as_str())
        };
        if let Some(other) = claims.documents.iter().find(|document| !targeted(document)) {
            self.forged(Forgery::OtherDocument(other.clone()));
        }
        if let Some(base) = &claims.base {
            let repository = self.view.step.repository;
            let commit = ObjectId::from_hex(base)
                .map(|id| repository.commit_of(id))
                .transpose()?;
            if commit.flatten().is_none() && repository.shallow_boundary()?.is_empty() {
                self.forged(Forgery::UnknownBase(base.clone()));
            }
        }
        Ok(())
    }

    /// The marker goes while the change stays, and a document that it names is what the merge made of it.
    fn dropped(&mut self) -> Result<(), Error> {
        let result = self.view.result();
        if !result.exists(&self.folder)? || is_marked(result, &self.folder)? {
            return Ok(());
        }
        let mut before = self.view.parents[0].as_ref();
        for parent in &self.view.parents {
            if is_marked(parent.as_ref(), &self.folder)? {
                before = parent.as_ref();
                break;
            }
        }
        let documents = claims(before, &self.folder)?.documents;
        let mut stays = documents.is_empty();
        for document in documents
            .iter()
            .filter_map(|document| RepoPath::new(document).ok())
        {
            stays |= before.entry(&document)? == result.entry(&document)?;
        }
        if stays {
            let (about, slug) = (self.about(), self.slug.clone());
            self.report
                .add(MARKER_DROPPED, self.path, Message::MarkerDropped { slug }, about);
        }
        Ok(())
    }

    fn verdicts(&mut self) -> Result<(), Error> {
        for name in VERDICTS {
            if self.view.result().entry(&self.folder.join(name))?.is_none() {
                return Ok(());
            }
        }
        // Told once, at the one that comes last; both may come together.
        let last = self
            .view
            .own_paths()
            .filter(|path| path.parent().as_ref() == Some(&self.folder));
        let last = last
            .filter(|path| VERDICTS.iter().any(|name| path.name() == *name))
            .last();
        if last == Some(self.path) {
            self.forged(Forgery::BothVerdicts);
        }
        Ok(())
    }

    /// `VERIFY_PASS` comes with a report and a ledger that bear it out, as far as both are tracked.
    fn verified(&mut self) -> Result<(), Error> {
        let evidence = self.evidence(
            "verify",
            layout::TEST_RESULTS,
            None,
            layout::ACCEPTANCE_REPORT,
            VERIFY_GATE,
        )?;
        let Some(ledger) = evidence else { return Ok(()) };
        let tasks = self
            .view
            .result()
            .read(&self.folder.join("tasks.md"))?
            .unwrap_or_default();
        let required = Tasks::read(tasks).required_cases();
        let records = Records::read(&ledger[..]).map_err(|error| ReadError::new(self.path, error))?;
        let failed = |id: &&String| records.rows.contains(&((*id).clone(), Outcome::Fail));
        if let Some(id) = required.iter().find(failed) {
            self.forged(Forgery::FailedCase(id.clone()));
        }
        Ok(())
    }

    fn smoke_tested(&mut self) -> Result<(), Error> {
        let (results, report) = (layout::SMOKE_RESULTS, layout::SMOKE_REPORT);
        self.evidence("smoke", results, Some("report_path"), report, SMOKE_GATE)?;
        Ok(())
    }

    /// The ledger behind a new marker, after the report of the gate was judged; none if nothing can be said.
    fn evidence(
        &mut self,
        section: &str,
        results: &str,
        report_key: Option<&str>,
        report: &str,
        gate: &str,
    ) -> Result<Option<Bytes>, Error> {
        let Some(version) = self.view.new_version(self.path) else {
            return Ok(None);
        };
        if self.view.was_there(self.path)? || self.is_moved(version.id)? {
            return Ok(None);
        }
        let result = self.view.result();
        let config = Config::load(result)?.unwrap_or_default();
        let configured = |key: &str, default: &str| {
            let text = config.text_of(section, key).unwrap_or(default);
            RepoPath::normalised(text)
                .map(|path| regular_content(result, &path))
                .transpose()
        };
        let ledger = configured("result_path", results)?.flatten();
        let content = match report_key {
            Some(key) => configured(key, report)?.flatten(),
            None => regular_content(result, &RepoPath::of(report))?,
        };
        let (Some(ledger), Some(content)) = (ledger, content) else {
            return Ok(None);
        };
        if reported::is_open(&content, gate) != Some(true) {
            self.forged(Forgery::NotReported(report.to_owned()));
        }
        Ok(Some(ledger))
    }

    fn approval(&mut self) -> Result<(), Error> {
        let result = self.view.result();
        let provenance = Provenance::load(result, &self.folder)?;
        let Some(slug) = Slug::lexical(&self.slug) else {
            return Ok(());
        };
        if !matches!(provenance, Provenance::Full(_)) || !self.is_open() {
            return Ok(());
        }
        let change = ChangeFolder {
            slug,
            path: self.folder.clone(),
        };
        let proposal = read_proposal(result, &change)?;
        if !provenance::compare(result, &self.folder, &provenance, proposal.document())?.passes() {
            self.forged(Forgery::OtherPrototypes);
        }
        Ok(())
    }

    fn is_open(&self) -> bool {
        self.folder.parent() == Some(layout::changes())
    }

    fn prototype_hashes(&mut self) -> Result<(), Error> {
        let result = self.view.result();
        let Some(bytes) = result.read(self.path)?.filter(|_| self.is_open()) else {
            return Ok(());
        };
        let Ok(hashes) = serde_json::from_slice::<BTreeMap<String, String>>(&bytes) else {
            return Ok(());
        };
        let prototypes = self.folder.join(layout::PAGE_DESIGN_DELTAS);
        for (name, hash) in hashes {
            let file = RepoPath::new(&name).ok().map(|name| name.below(&prototypes));
            let content = file.map(|file| result.read(&file)).transpose()?.flatten();
            if content.is_none_or(|content| Digest::of(&content).hex() != hash.to_ascii_lowercase()) {
                self.forged(Forgery::OtherPrototypes);
                return Ok(());
            }
        }
        Ok(())
    }
}
