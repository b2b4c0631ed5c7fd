//! The modules of the registry, changed in place (logos-project.md 4.3, 4.4 and 7): what is refused, what the file is
//! afterwards. Plans only.

mod rename;
mod words;

pub use rename::{Header, Renamed, plan_rename};

use super::{Diagnostics, Module, ParseStatus, Registry, layout};
use crate::files::{ReadError, RepoPath, Tree, walk};
use crate::text::Bytes;
use crate::voice::{Fail, Invocation};
use crate::yaml::edit::{EditError, set_scalar};
use crate::yaml::entries::{add_entry, remove_entry};
use crate::yaml::{self, Value};

/// What a product type may be, in the order of the contract.
pub const PRODUCT_TYPES: [&str; 8] = [
    "web", "desktop", "mobile", "cli", "api", "library", "skills", "service",
];

/// The module that cannot be removed.
const PROTECTED: &str = "core";

/// The section of the registry.
const MODULES: &str = "modules";

/// Why the modules stay as they are.
#[derive(Debug, thiserror::Error)]
pub enum ModuleError {
    #[error("something is missing; usage: {} {usage}", .command.command)]
    MissingArgument {
        command: Invocation,
        usage: &'static str,
    },
    #[error("`{0}` is no id for a module")]
    InvalidName(String),
    #[error("`{0}` is no product type")]
    InvalidProductType(String),
    #[error("module `{0}` is registered already")]
    Exists(String),
    #[error("module `{id}` is not registered")]
    NotFound { id: String, known: Vec<String> },
    #[error("module `core` cannot be removed")]
    Protected,
    #[error("the registry is damaged: {}", .0.error)]
    Damaged(Diagnostics),
    #[error("the registry cannot be changed: {0}")]
    Edit(#[from] EditError),
    #[error("`{to}` is there already; `{from}` cannot take its place")]
    Occupied { from: RepoPath, to: RepoPath },
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Fail for ModuleError {
    fn code(&self) -> &'static str {
        match self {
            Self::MissingArgument { .. } => "MISSING_ARGUMENT",
            Self::InvalidName(_) => "INVALID_MODULE_NAME",
            Self::InvalidProductType(_) => "INVALID_PRODUCT_TYPE",
            Self::Exists(_) => "MODULE_EXISTS",
            Self::NotFound { .. } => "MODULE_NOT_FOUND",
            Self::Protected => "MODULE_PROTECTED",
            Self::Damaged(diagnostics) => match diagnostics.status {
                ParseStatus::Recovered => "PROJECT_YAML_DEGRADED_WRITE_REFUSED",
                ParseStatus::Error => "PROJECT_YAML_UNPARSABLE",
            },
            Self::Edit(_) => "PROJECT_YAML_NOT_CHANGED",
            Self::Occupied { .. } => "TARGET_EXISTS",
            Self::Read(_) => "PROJECT_UNREADABLE",
        }
    }
}

/// A registry that may be written: what it holds, and its bytes; none where there is no file.
#[derive(Clone, Debug)]
pub struct SoundRegistry {
    pub registry: Registry,
    pub bytes: Option<Bytes>,
}

impl SoundRegistry {
    /// Reads the registry for a command that will write it.
    ///
    /// # Errors
    /// If it is damaged, even where everything could be recovered (logos-project.md 4.3).
    pub fn load(tree: &dyn Tree) -> Result<Self, ModuleError> {
        let bytes = tree.read(&layout::registry())?;
        let mut registry = bytes.as_deref().map(Registry::parse).unwrap_or_default();
        match registry.diagnostics.take() {
            Some(diagnostics) => Err(ModuleError::Damaged(diagnostics)),
            None => Ok(Self { registry, bytes }),
        }
    }

    /// The registered module with this id.
    ///
    /// # Errors
    /// If there is none; the error names those that are.
    pub fn find(&self, id: &str) -> Result<&Module, ModuleError> {
        self.registry.module(id).ok_or_else(|| ModuleError::NotFound {
            id: id.to_owned(),
            known: self.registry.registered().iter().map(|m| m.id.clone()).collect(),
        })
    }

    /// The file with one field of a registered module set.
    ///
    /// # Errors
    /// If the module is not registered, or the field cannot be set in place.
    pub fn with_field(&self, id: &str, field: &str, value: &str) -> Result<Bytes, ModuleError> {
        let index = self.index(id)?.to_string();
        Ok(set_scalar(self.text(), &[MODULES, &index, field], value)?)
    }

    fn text(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or_default()
    }

    /// Where the module stands in the list as it is written, broken entries counted.
    fn index(&self, id: &str) -> Result<usize, ModuleError> {
        self.find(id)?;
        let found =
            entries(self.text(), MODULES).and_then(|items| items.iter().position(|item| is_module(item, id)));
        Ok(found.expect("a module that was found stands in the list"))
    }
}

/// The items of a top-level list of a file that parses.
fn entries(bytes: &[u8], section: &str) -> Option<Vec<Value>> {
    let root = yaml::parse(bytes).ok()?;
    Some(root.get(section)?.as_list()?.to_vec())
}

fn is_module(item: &Value, id: &str) -> bool {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    text("id") == Some(id) && text("name").is_some()
}

/// The id of a new module: a lower-case letter, then such letters, digits and hyphens.
fn new_id(id: &str) -> Result<&str, ModuleError> {
    let inner = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-';
    let valid = id.starts_with(|c: char| c.is_ascii_lowercase()) && id.as_bytes().iter().all(inner);
    valid
        .then_some(id)
        .ok_or_else(|| ModuleError::InvalidName(id.to_owned()))
}

fn product_type(wanted: &str) -> Result<&str, ModuleError> {
    let valid = PRODUCT_TYPES.contains(&wanted);
    valid
        .then_some(wanted)
        .ok_or_else(|| ModuleError::InvalidProductType(wanted.to_owned()))
}

fn missing(command: &'static str, usage: &'static str) -> ModuleError {
    ModuleError::MissingArgument {
        command: Invocation::new(command, &[]),
        usage,
    }
}

/// Arguments of `module add`, judged before any file is read.
#[derive(Clone, Copy, Debug)]
pub struct Addition<'a> {
    pub id: &'a str,
    pub product_type: Option<&'a str>,
}

impl<'a> Addition<'a> {
    pub fn of(id: Option<&'a str>, wanted: Option<&'a str>) -> Result<Self, ModuleError> {
        Ok(Self {
            id: new_id(id.ok_or_else(|| missing("module add", "<id> [--product-type <type>]"))?)?,
            product_type: wanted.map(product_type).transpose()?,
        })
    }

    /// The registry with the new module behind the others.
    pub fn apply(&self, sound: &SoundRegistry) -> Result<Bytes, ModuleError> {
        if sound.registry.module(self.id).is_some() {
            return Err(ModuleError::Exists(self.id.to_owned()));
        }
        let mut fields = vec![("id", self.id), ("name", self.id), ("lifecycle", "initial")];
        fields.extend(self.product_type.map(|wanted| ("product_type", wanted)));
        Ok(add_entry(sound.text(), MODULES, &fields)?)
    }
}

/// Arguments of `module set-product-type`, judged before any file is read.
#[derive(Clone, Copy, Debug)]
pub struct Typing<'a> {
    pub id: &'a str,
    pub product_type: &'a str,
}

/// What becomes of a product type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The new registry; none if the type is what it was.
    pub file: Option<Bytes>,
    pub is_gui: bool,
    /// The project had no module with a user interface before, and has one now.
    pub first_gui: bool,
}

impl<'a> Typing<'a> {
    pub fn of(id: Option<&'a str>, wanted: Option<&'a str>) -> Result<Self, ModuleError> {
        let (Some(id), Some(wanted)) = (id, wanted) else {
            return Err(missing("module set-product-type", "<id> <type>"));
        };
        Ok(Self {
            id,
            product_type: product_type(wanted)?,
        })
    }

    pub fn apply(&self, sound: &SoundRegistry) -> Result<Typed, ModuleError> {
        let module = sound.find(self.id)?;
        let file = if module.product_type.as_deref() == Some(self.product_type) {
            None
        } else {
            Some(sound.with_field(self.id, "product_type", self.product_type)?)
        };
        let after = Module {
            product_type: Some(self.product_type.to_owned()),
            ..module.clone()
        };
        let had_gui = sound.registry.registered().iter().any(Module::is_gui);
        Ok(Typed {
            is_gui: after.is_gui(),
            first_gui: file.is_some() && after.is_gui() && !had_gui,
            file,
        })
    }
}

/// Arguments of `module remove`, judged before any file is read.
#[derive(Clone, Copy, Debug)]
pub struct Removal<'a> {
    pub id: &'a str,
}

impl<'a> Removal<'a> {
    pub fn of(id: Option<&'a str>) -> Result<Self, ModuleError> {
        match id {
            None => Err(missing("module remove", "<id> [--yes]")),
            Some(PROTECTED) => Err(ModuleError::Protected),
            Some(id) => Ok(Self { id }),
        }
    }

    /// The registry without the module.
    pub fn apply(&self, sound: &SoundRegistry) -> Result<Bytes, ModuleError> {
        Ok(remove_entry(sound.text(), MODULES, sound.index(self.id)?)?)
    }

    /// Files below `logos/resources` that carry the module's name and stay.
    pub fn remaining(&self, tree: &dyn Tree, registry: &Registry) -> Result<Vec<RepoPath>, ReadError> {
        rename::files_of(tree, registry, self.id)
    }
}

/// Everything below the folder of resources, links not followed.
fn resources(tree: &dyn Tree) -> Result<Vec<RepoPath>, ReadError> {
    walk(tree, &layout::resources())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::MemoryTree;

    fn sound(text: &str) -> SoundRegistry {
        SoundRegistry::load(&MemoryTree::new([(layout::REGISTRY, text)])).expect("it is sound")
    }

    fn code<T>(result: Result<T, ModuleError>) -> &'static str {
        match result {
            Ok(_) => "done",
            Err(error) => error.code(),
        }
    }

    #[test]
    fn a_new_id_is_a_lower_case_letter_then_letters_digits_and_hyphens() {
        for bad in [
            "", "Quay", "2quay", "quay_2", "../q", "-q", "码头", "quay ", "quay\n",
        ] {
            assert_eq!(
                code(Addition::of(Some(bad), None)),
                "INVALID_MODULE_NAME",
                "{bad}"
            );
        }
        assert_eq!(
            code(Addition::of(Some("q-2"), Some("Web"))),
            "INVALID_PRODUCT_TYPE"
        );
        assert_eq!(code(Addition::of(None, Some("Web"))), "MISSING_ARGUMENT");
    }

    #[test]
    fn arguments_are_judged_in_order_and_before_the_file() {
        assert_eq!(code(Typing::of(Some("a"), None)), "MISSING_ARGUMENT");
        assert_eq!(code(Typing::of(Some("a"), Some("WEB"))), "INVALID_PRODUCT_TYPE");
        assert_eq!(code(Removal::of(Some("core"))), "MODULE_PROTECTED");
        for (text, expected) in [
            (
                "modules: [{id: a, name: A}]\nx: [\n",
                "PROJECT_YAML_DEGRADED_WRITE_REFUSED",
            ),
            ("x: [\n", "PROJECT_YAML_UNPARSABLE"),
        ] {
            let tree = MemoryTree::new([(layout::REGISTRY, text)]);
            assert_eq!(code(SoundRegistry::load(&tree)), expected);
        }
    }

    #[test]
    fn the_entry_that_is_changed_is_the_one_that_is_read() {
        let registry = sound("modules:\n- null\n- {id: a}\n- {id: a, name: A, product_type: 7}\n");
        let typed = Typing::of(Some("a"), Some("web"))
            .and_then(|t| t.apply(&registry))
            .expect("it is set");
        assert_eq!(
            typed.file.as_deref(),
            Some(&b"modules:\n- null\n- {id: a}\n- {id: a, name: A, product_type: web}\n"[..])
        );
        assert!(typed.is_gui && typed.first_gui);
        let left = Removal { id: "a" }.apply(&registry).expect("it is removed");
        assert_eq!(left, b"modules:\n- null\n- {id: a}\n");
    }

    #[test]
    fn the_same_type_again_writes_nothing_and_only_the_first_gui_module_calls_for_a_sync() {
        let registry = sound("modules:\n- {id: a, name: A, product_type: web}\n- {id: b, name: B}\n");
        let set = |id, wanted| Typing::of(Some(id), Some(wanted)).and_then(|t| t.apply(&registry));
        let same = set("a", "web").expect("it is registered");
        assert!(same.file.is_none() && same.is_gui && !same.first_gui);
        let second = set("b", "mobile").expect("it is registered");
        assert!(second.file.is_some() && !second.first_gui);
        assert_eq!(code(set("c", "web")), "MODULE_NOT_FOUND");
    }
}
