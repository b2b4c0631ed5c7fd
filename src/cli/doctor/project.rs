//! What `doctor` looks at in the project: its own files, the documents, the formats that are there.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;

use super::super::Context;
use super::Ailments;
use super::words::Ailment;
use crate::files::{ReadError, RepoPath, Tree, walk};
use crate::git::Repository;
use crate::project::{ConfigFile, Registry, layout};
use crate::state::malformed::Malformed;
use crate::state::planning::STATE;
use crate::text::lines;
use crate::voice::Voice;

/// Looks at the project of the current folder.
pub(super) fn look(ctx: &Context, repository: Option<&Repository>, out: &mut Ailments) {
    let Some(tree) = out.known(ctx.work_tree()) else {
        return;
    };
    if let Some(repository) = repository {
        let prefix = out.known(ctx.place()).map(|place| place.prefix.clone());
        if let Some(index) = prefix.and_then(|prefix| out.known(repository.index_tree(&prefix))) {
            let tracked = tracked(&index);
            if let Some(found) = out.known(tracked) {
                out.extend(found);
            }
            let documents = documents(&index, repository);
            if let Some(found) = out.known(documents) {
                out.extend(found);
            }
        }
    }
    if let Some(findings) = super::super::silly::findings(ctx).and_then(|found| out.known(found)) {
        out.extend(findings.into_iter().map(Ailment::Silly));
    }
    out.extend(super::super::loops::look(ctx).into_iter().map(Ailment::Loop));
    let own = own_files(&tree);
    if let Some(found) = out.known(own) {
        out.extend(found);
    }
}

/// Files of one work tree or run that are in the index.
fn tracked(index: &dyn Tree) -> Result<Vec<Ailment>, ReadError> {
    let mut found = Vec::new();
    if index.entry(&layout::guard())?.is_some() {
        found.push(Ailment::GuardTracked);
    }
    let runtime = RepoPath::of(layout::RUNTIME);
    if let Some(path) = walk(index, &runtime)?.first() {
        found.push(Ailment::RuntimeTracked {
            path: path.text().into_owned(),
        });
    }
    Ok(found)
}

/// Documents that are one file elsewhere, or have mixed line ends.
fn documents(index: &dyn Tree, repository: &Repository) -> Result<Vec<Ailment>, ReadError> {
    let mut found = Vec::new();
    let paths = walk(index, &layout::resources())?;
    let mut seen: BTreeMap<String, &RepoPath> = BTreeMap::new();
    for path in &paths {
        let folded: String = path.text().nfc().collect::<String>().to_lowercase();
        match seen.get(&folded) {
            Some(other) => found.push(Ailment::CaseCollision {
                one: other.text().into_owned(),
                other: path.text().into_owned(),
            }),
            None => {
                seen.insert(folded, path);
            }
        }
    }
    let converts = repository.setting("core.autocrlf").is_some_and(|value| {
        matches!(
            value.to_lowercase().as_str(),
            "true" | "input" | "yes" | "on" | "1"
        )
    });
    if converts {
        for path in paths.iter().filter(|path| path.has_extension("md")) {
            if index.read(path)?.is_some_and(|bytes| has_mixed_ends(&bytes)) {
                found.push(Ailment::MixedLineEnds {
                    path: path.text().into_owned(),
                });
            }
        }
    }
    Ok(found)
}

fn has_mixed_ends(bytes: &[u8]) -> bool {
    let ended = |crlf: bool| {
        lines(bytes)
            .iter()
            .any(|line| line.next > line.span.end && (line.next - line.span.end == 2) == crlf)
    };
    ended(true) && ended(false)
}

/// Config, registry and memory.
fn own_files(tree: &dyn Tree) -> Result<Vec<Ailment>, ReadError> {
    let mut found = Vec::new();
    match ConfigFile::load(tree)? {
        ConfigFile::Broken(said) => found.push(Ailment::ConfigBroken { said }),
        ConfigFile::Sound(_) => {
            let registry = Registry::load(tree)?;
            if let Some(diagnostics) = &registry.diagnostics {
                found.push(Ailment::RegistryDamaged {
                    said: diagnostics.messages(&Voice::default()).join("; "),
                });
            }
        }
        ConfigFile::Missing => {}
    }
    if let Some(bytes) = tree.read(&RepoPath::of(STATE))? {
        found.extend(Malformed::all(&bytes).into_iter().map(Ailment::StateMalformed));
    }
    Ok(found)
}
