//! `module rename` (logos-project.md 7): the id in the registry and in whatever names it, the files that carry it, and
//! the references to them. All of it is planned before anything is written.

use super::{MODULES, ModuleError, SoundRegistry, entries, is_module, missing, new_id, resources};
use crate::files::{ReadError, RepoPath, Tree, walk};
use crate::project::{Registry, layout};
use crate::text::{Bytes, decode};
use crate::yaml::Value;
use crate::yaml::edit::{EditError, set_scalars};
use crate::yaml::entries::rename_key;

/// Endings of the files in which references are followed.
const FOLLOWED: [&str; 7] = ["md", "yaml", "yml", "json", "txt", "ts", "js"];

/// The module in the header of a proposal changed; none if it names another.
pub type Header<'a> = &'a dyn Fn(&[u8], &str, &str) -> Option<Bytes>;

/// Everything that a new id changes.
#[derive(Clone, Debug, Default)]
pub struct Renamed {
    /// Old path, content before, new path, content after; in path order.
    pub moved: Vec<(RepoPath, Bytes, RepoPath, Bytes)>,
    /// Path, content before and after of files that stay where they are; in path order.
    pub changed: Vec<(RepoPath, Bytes, Bytes)>,
}

impl Renamed {
    /// The paths whose content changed, under their new names.
    pub fn updated(&self) -> Vec<RepoPath> {
        let moved = self.moved.iter().filter(|(_, old, _, new)| old != new);
        let mut out: Vec<RepoPath> = moved.map(|(_, _, to, _)| to.clone()).collect();
        out.extend(self.changed.iter().map(|(path, _, _)| path.clone()));
        out.sort();
        out
    }
}

/// Plans the new id of a module. `header` knows the header of a proposal.
///
/// # Errors
/// In this order: an id is missing, the new one is invalid, the registry is damaged, the old one is not registered, the
/// new one is, a file is in the way.
pub fn plan_rename(
    tree: &dyn Tree,
    old: Option<&str>,
    new: Option<&str>,
    header: Header<'_>,
) -> Result<Renamed, ModuleError> {
    let (Some(old), Some(new)) = (old, new) else {
        return Err(missing("module rename", "<old> <new>"));
    };
    new_id(new)?;
    let sound = SoundRegistry::load(tree)?;
    sound.find(old)?;
    if sound.registry.module(new).is_some() {
        return Err(ModuleError::Exists(new.to_owned()));
    }
    let names = Names::of(&sound.registry, old, new);
    let moves = moves(tree, &names)?;
    let mut plan = Renamed::default();
    for path in followed(tree)? {
        let Some(before) = tree.read(&path)? else { continue };
        let mut after = names.replaced(&before);
        if path == layout::registry() {
            after = registry(&after, &names)?;
        } else if is_proposal(&path) {
            after = header(&after, old, new).unwrap_or(after);
        }
        match moves.iter().find(|(from, _)| *from == path) {
            Some((_, to)) => plan.moved.push((path, before, to.clone(), after)),
            None if after != before => plan.changed.push((path, before, after)),
            None => {}
        }
    }
    for (from, to) in moves {
        if plan.moved.iter().all(|(path, ..)| *path != from) {
            let content = tree.read(&from)?.unwrap_or_default();
            plan.moved.push((from, content.clone(), to, content));
        }
    }
    plan.changed.extend(guard(tree, old, new)?);
    plan.moved.sort();
    plan.changed.sort();
    Ok(plan)
}

/// Files below `logos/resources` that carry the name of a module, and not the longer one of another.
pub(super) fn files_of(tree: &dyn Tree, registry: &Registry, id: &str) -> Result<Vec<RepoPath>, ReadError> {
    let names = Names::of(registry, id, id);
    let mut files = resources(tree)?;
    files.retain(|path| names.begins(path.name()));
    Ok(files)
}

/// The old and the new beginning of a name, and the longer ids that begin like the old one.
struct Names<'a> {
    old: &'a str,
    new: &'a str,
    prefix: Bytes,
    longer: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn of(registry: &'a Registry, old: &'a str, new: &'a str) -> Self {
        let prefix = format!("{old}-");
        let longer = registry.registered().iter().map(|m| m.id.as_str());
        Self {
            old,
            new,
            longer: longer.filter(|id| id.starts_with(&prefix)).collect(),
            prefix: prefix.into_bytes(),
        }
    }

    /// Whether a text begins with the module's prefix, and not with another module's id.
    fn begins(&self, text: &[u8]) -> bool {
        let is_longer = |id: &&str| {
            let rest = text.strip_prefix(id.as_bytes());
            rest.is_some_and(|rest| !rest.first().is_some_and(|b| is_inner(*b) && *b != b'-'))
        };
        text.starts_with(&self.prefix) && !self.longer.iter().any(is_longer)
    }

    /// The text with every reference replaced that does not go on from a word.
    fn replaced(&self, text: &[u8]) -> Bytes {
        let mut out = Bytes::with_capacity(text.len());
        let mut at = 0;
        for found in bstr::ByteSlice::find_iter(text, &self.prefix) {
            let inside = found > 0 && is_inner(text[found - 1]);
            if found < at || inside || !self.begins(&text[found..]) {
                continue;
            }
            out.extend_from_slice(&text[at..found]);
            out.extend_from_slice(self.new.as_bytes());
            at = found + self.old.len();
        }
        out.extend_from_slice(&text[at..]);
        out
    }
}

/// What an id goes on with.
fn is_inner(b: u8) -> bool {
    b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'
}

fn moves(tree: &dyn Tree, names: &Names<'_>) -> Result<Vec<(RepoPath, RepoPath)>, ModuleError> {
    let mut out = Vec::new();
    for from in resources(tree)? {
        if !names.begins(from.name()) {
            continue;
        }
        let name = [names.new.as_bytes(), &from.name()[names.old.len()..]].concat();
        let to = from.parent().unwrap_or_default().join(name);
        if tree.entry(&to)?.is_some() {
            return Err(ModuleError::Occupied { from, to });
        }
        out.push((from, to));
    }
    Ok(out)
}

/// The files in which references are followed; finished changes and what belongs to a running host are left alone.
fn followed(tree: &dyn Tree) -> Result<Vec<RepoPath>, ReadError> {
    let runtime = RepoPath::of(layout::RUNTIME);
    let mut files = walk(tree, &RepoPath::of("logos"))?;
    files.extend(walk(tree, &RepoPath::of("spec"))?);
    files.retain(|path| {
        let name = decode(path.name()).into_owned();
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        ending.is_some_and(|ending| FOLLOWED.contains(&ending))
            && !path.starts_with(&layout::archive())
            && !path.starts_with(&runtime)
            && *path != layout::registry()
    });
    // Also where it is a link: without it nothing is renamed.
    files.push(layout::registry());
    Ok(files)
}

fn is_proposal(path: &RepoPath) -> bool {
    let folder = path.parent().and_then(|folder| folder.parent());
    path.name() == "proposal.md" && folder == Some(layout::changes())
}

/// The registry with the id changed wherever it stands for the module. A scenario without module belongs to `core`, and
/// says so once that has another name.
fn registry(bytes: &[u8], names: &Names<'_>) -> Result<Bytes, EditError> {
    let mut bytes = bytes.to_vec();
    let mut set = |section: &str, field: &str, is_meant: &dyn Fn(&Value) -> bool| {
        let items = entries(&bytes, section).unwrap_or_default();
        let meant = (0..).zip(&items).filter(|(_, item)| is_meant(item));
        let places: Vec<String> = meant.map(|(index, _): (usize, _)| index.to_string()).collect();
        let paths: Vec<[&str; 3]> = places.iter().map(|index| [section, index, field]).collect();
        let paths: Vec<&[&str]> = paths.iter().map(<[&str; 3]>::as_slice).collect();
        bytes = set_scalars(&bytes, &paths, names.new)?;
        Ok::<(), EditError>(())
    };
    let of_module = |item: &Value| item.get("module").and_then(Value::as_str) == Some(names.old);
    let unnamed = |item: &Value| {
        let text = |key: &str| item.get(key).and_then(Value::as_str);
        names.old == "core" && text("id").is_some() && text("module").is_none()
    };
    set(MODULES, "id", &|item| is_module(item, names.old))?;
    set("scenarios", "module", &|item| of_module(item) || unnamed(item))?;
    set("features", "module", &of_module)?;
    bytes = rename_key(&bytes, "deployment_gates", names.old, names.new)?;
    rename_key(&bytes, "baseline_index", names.old, names.new)
}

/// The guard file, if it names the module; one that is no JSON object is left as it is.
fn guard(tree: &dyn Tree, old: &str, new: &str) -> Result<Option<(RepoPath, Bytes, Bytes)>, ReadError> {
    let path = layout::guard();
    if !tree.is_file(&path)? {
        return Ok(None);
    }
    let Some(before) = tree.read(&path)? else {
        return Ok(None);
    };
    let Ok(mut value) = serde_json::from_slice::<serde_json::Value>(&before) else {
        return Ok(None);
    };
    match value.get_mut("module") {
        Some(module) if module.as_str() == Some(old) => *module = new.into(),
        Some(_) | None => return Ok(None),
    }
    let after = serde_json::to_vec_pretty(&value).expect("what was JSON is JSON");
    Ok(Some((path, before, after)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;
    use crate::voice::Fail;

    const REGISTRY: &str = "modules:\n  - {id: tide, name: T}\n  - {id: tide-gauge, name: G}\n";

    fn no_header(_: &[u8], _: &str, _: &str) -> Option<Bytes> {
        None
    }

    #[test]
    fn references_of_a_longer_id_and_within_a_word_are_left_alone() {
        let registry = Registry::parse(REGISTRY.as_bytes());
        let names = Names::of(&registry, "tide", "tide-2");
        let text =
            b"tide-1 tide-gauge tide-gauge-1 tide-gauges x-tide-1 ebbtide-1 _tide-1 Tide-1 tide-tide-1 tide";
        assert_eq!(
            String::from_utf8(names.replaced(text)).expect("ASCII"),
            "tide-2-1 tide-gauge tide-gauge-1 tide-2-gauges x-tide-1 ebbtide-1 _tide-2-1 Tide-1 tide-2-tide-1 tide"
        );
    }

    #[test]
    fn core_takes_its_unnamed_scenarios_along() {
        let text = "modules: [{id: core, name: C}]\nscenarios:\n  - id: S01\n  - {id: S02, module: other}\n\
                    baseline_index: {core: {}}\n";
        let registry_of = Registry::parse(text.as_bytes());
        let after =
            registry(text.as_bytes(), &Names::of(&registry_of, "core", "quay")).expect("it can be edited");
        assert_eq!(
            String::from_utf8(after).expect("ASCII"),
            "modules: [{id: quay, name: C}]\nscenarios:\n  - id: S01\n    module: quay\n  - {id: S02, module: other}\n\
             baseline_index: {quay: {}}\n"
        );
    }

    #[test]
    fn the_archive_is_history_and_an_occupied_name_refuses_everything() {
        let file = "logos/resources/test/tide-1.md";
        let mut files = vec![
            (layout::REGISTRY, REGISTRY),
            (layout::GUARD, r#"{"activeChange": "x", "module": "tide"}"#),
            (file, "see tide-1"),
            ("logos/changes/archive/x/proposal.md", "tide-1"),
            ("spec/a.rs", "tide-1"),
        ];
        let rename = |files: &[(&str, &str)]| {
            plan_rename(
                &MemoryTree::new(files.iter().copied()),
                Some("tide"),
                Some("swell"),
                &no_header,
            )
        };
        let plan = rename(&files).expect("nothing is in the way");
        let to = RepoPath::of("logos/resources/test/swell-1.md");
        assert_eq!(plan.moved.len(), 1);
        assert_eq!(
            (&plan.moved[0].2, &plan.moved[0].3[..]),
            (&to, &b"see swell-1"[..])
        );
        assert_eq!(plan.updated(), [layout::guard(), layout::registry(), to]);
        files.push(("logos/resources/test/swell-1.md", ""));
        assert_eq!(
            rename(&files).expect_err("a file is in the way").code(),
            "TARGET_EXISTS"
        );
    }
}
