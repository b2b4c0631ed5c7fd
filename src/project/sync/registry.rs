//! The registry's part of a sync (logos-project.md 9.4, 1 to 5): each step over the text that the one before left.

use std::collections::HashSet;

use super::{Change, SyncError, resources};
use crate::files::{ReadError, RepoPath, Tree};
use crate::project::migration::Migration;
use crate::project::modules::SoundRegistry;
use crate::project::{Module, Registry, SeedState, layout};
use crate::text::Bytes;
use crate::voice::Voice;
use crate::yaml::edit::set_scalar;
use crate::yaml::entries::{Field, add_entries, remove_key};
use crate::yaml::{self, Style, Value};

const OLD_FLAG: &str = "baseline_seed_required";
const STATE: &str = "baseline_seed_state";
const RESOURCES: &str = "resource_index";

/// What the steps start from.
pub(super) struct Update<'a> {
    pub(super) tree: &'a dyn Tree,
    /// The project's name in the config.
    pub(super) name: Option<&'a str>,
    pub(super) derived: &'a dyn Fn(&Module) -> Result<SeedState, ReadError>,
    pub(super) voice: &'a Voice,
}

/// The registry afterwards.
pub(super) struct Updated {
    pub(super) text: Bytes,
    /// The baseline's part changed: the old text has to be kept.
    pub(super) migrated: bool,
}

impl Update<'_> {
    pub(super) fn apply(
        &self,
        sound: &SoundRegistry,
        migration: &Migration,
        changes: &mut Vec<Change>,
    ) -> Result<Updated, SyncError> {
        let mut text = sound.bytes.clone().unwrap_or_default();
        if let Migration::Launches(id) = migration {
            text = sound.with_field(id, "lifecycle", "launched")?;
            changes.push(Change::Launched(id.clone()));
        }
        let before = changes.len();
        text = self.seed_states(text, changes)?;
        let migrated = changes.len() > before;
        text = self.project_name(text, changes)?;
        text = self.scenario_modules(text, changes)?;
        text = self.resource_index(text, changes)?;
        Ok(Updated { text, migrated })
    }

    /// The old boolean goes; an adopted module has its state written out.
    fn seed_states(&self, mut text: Bytes, changes: &mut Vec<Change>) -> Result<Bytes, SyncError> {
        for (index, entry) in items(&text, "modules").iter().enumerate() {
            let at = index.to_string();
            let path = ["modules", at.as_str()];
            let flag = entry.get(OLD_FLAG);
            // What is read of an entry is read as of a registry that holds it alone.
            let module = Module::of(entry);
            let id = module.as_ref().map(|m| m.id.clone()).unwrap_or_default();
            if let Some(state) = self.missing_state(entry, module.as_ref())? {
                text = set_scalar(&text, &[path[0], path[1], STATE], state.as_str())?;
                let module = id.clone();
                changes.push(Change::SeedState { module, state });
            }
            if flag.is_some() {
                text = remove_key(&text, &path, OLD_FLAG)?;
                changes.push(Change::SeedFlag(id));
            }
        }
        Ok(text)
    }

    fn missing_state(&self, entry: &Value, module: Option<&Module>) -> Result<Option<SeedState>, ReadError> {
        let written = entry.get(STATE).and_then(Value::as_str);
        if written.is_some_and(|word| SeedState::of(word).is_some()) {
            return Ok(None);
        }
        if entry.get(OLD_FLAG).and_then(Value::as_bool) == Some(true) {
            return Ok(Some(SeedState::Required));
        }
        match module.filter(|module| module.adopted) {
            Some(module) => (self.derived)(module).map(Some),
            None => Ok(None),
        }
    }

    /// The first line `name: "…"` gets the name of the config.
    fn project_name(&self, text: Bytes, changes: &mut Vec<Change>) -> Result<Bytes, SyncError> {
        let Some(name) = self.name.filter(|name| !name.is_empty()) else {
            return Ok(text);
        };
        let Some(line) = root(&text).and_then(|root| name_line(&text, &root)) else {
            return Ok(text);
        };
        if line.name == name {
            return Ok(text);
        }
        changes.push(Change::Name(name.to_owned()));
        let path: Vec<&str> = line.path.iter().map(String::as_str).collect();
        Ok(set_scalar(&text, &path, name)?)
    }

    /// A scenario without module gets the one whose document it has.
    fn scenario_modules(&self, mut text: Bytes, changes: &mut Vec<Change>) -> Result<Bytes, SyncError> {
        let registry = Registry::parse(&text);
        let mut documents = None;
        for (index, entry) in items(&text, "scenarios").iter().enumerate() {
            let (Some(id), None | Some(Value::Null(_))) =
                (entry.get("id").and_then(Value::as_str), entry.get("module"))
            else {
                continue;
            };
            let names = match &documents {
                Some(names) => names,
                None => documents.insert(self.scenario_documents()?),
            };
            let has_document = |module: &&Module| {
                let start = format!("{}-{id}", module.id);
                let rest = |name: &String| {
                    name.strip_prefix(&start)
                        .is_some_and(|rest| rest.starts_with(['-', '.']))
                };
                names.iter().any(rest)
            };
            let module = registry.registered().iter().find(has_document);
            let module = module.map_or("core", |module| module.id.as_str()).to_owned();
            text = set_scalar(&text, &["scenarios", &index.to_string(), "module"], &module)?;
            let scenario = id.to_owned();
            changes.push(Change::ScenarioModule { scenario, module });
        }
        Ok(text)
    }

    /// Names of what lies directly in the folder of scenario documents.
    fn scenario_documents(&self) -> Result<Vec<String>, ReadError> {
        let folder = RepoPath::of(layout::SCENARIO_DOCUMENTS);
        let names = self.tree.list(&folder)?.into_iter();
        // A name that is no text cannot be that of a module and a scenario.
        Ok(names
            .filter_map(|(name, _)| String::from_utf8(name.into()).ok())
            .collect())
    }

    /// Documents that are not listed yet come to the end of the list.
    fn resource_index(&self, text: Bytes, changes: &mut Vec<Change>) -> Result<Bytes, SyncError> {
        let listed = items(&text, RESOURCES);
        let listed: HashSet<&str> = listed
            .iter()
            .filter_map(|entry| entry.get("path").and_then(Value::as_str))
            .collect();
        let mut new = resources::documents(self.tree, self.voice)?;
        new.retain(|document| !listed.contains(&*document.path.text()));
        if new.is_empty() {
            return Ok(text);
        }
        let paths: Vec<String> = new.iter().map(|d| d.path.text().into_owned()).collect();
        let fields: Vec<[(&str, Field<'_>); 2]> = new
            .iter()
            .zip(&paths)
            .map(|(document, path)| {
                [
                    ("path", Field::Text(path)),
                    ("desc", Field::Text(&document.description)),
                ]
            })
            .collect();
        let entries: Vec<&[(&str, Field<'_>)]> = fields.iter().map(|fields| &fields[..]).collect();
        let text = add_entries(&text, RESOURCES, &entries)?;
        changes.extend(new.into_iter().map(|document| Change::Indexed(document.path)));
        Ok(text)
    }
}

/// The value of a file that was found sound.
fn root(text: &[u8]) -> Option<Value> {
    yaml::parse(text).ok()
}

/// The entries of a list, broken ones too.
fn items(text: &[u8], key: &str) -> Vec<Value> {
    let root = root(text);
    let list = root.as_ref().and_then(|root| root.get(key)?.as_list());
    list.unwrap_or_default().to_vec()
}

/// A value that stands in a line `name: "…"`.
struct NameLine {
    start: usize,
    path: Vec<String>,
    name: String,
}

/// The first of them in the text.
fn name_line(text: &[u8], value: &Value) -> Option<NameLine> {
    let found = |step: String, value: &Value| {
        let mut line = name_line(text, value)?;
        line.path.insert(0, step);
        Some(line)
    };
    match value {
        Value::Map(map) => {
            let own = map
                .entries
                .iter()
                .filter_map(|(key, value)| own_name(text, key, value));
            let inner = map.iter().filter_map(|(key, value)| found(key.to_owned(), value));
            own.chain(inner).min_by_key(|line| line.start)
        }
        Value::List(list) => {
            let inner = list.items.iter().enumerate();
            inner
                .filter_map(|(index, value)| found(index.to_string(), value))
                .min_by_key(|line| line.start)
        }
        Value::Null(_) | Value::Bool(..) | Value::Number(..) | Value::String(_) => None,
    }
}

fn own_name(text: &[u8], key: &Value, value: &Value) -> Option<NameLine> {
    let (key, Value::String(name)) = (key.scalar()?, value) else {
        return None;
    };
    let start = key.span.start;
    let line = text[..start]
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |end| end + 1);
    let begins_line = text[line..start].iter().all(|b| matches!(b, b' ' | b'\t'));
    let one_line = !text[start..name.span.end].contains(&b'\n');
    let named = key.text == "name" && key.style == Style::Plain && name.style == Style::Double;
    (named && begins_line && one_line).then(|| NameLine {
        start,
        path: vec![key.text.clone()],
        name: name.text.clone(),
    })
}
