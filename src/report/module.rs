//! The answers of the `module` commands (logos-project.md 7).

use std::io;

use serde::Serialize;

use super::detect::{YamlDiagnostics, lifecycle};
use super::{Answer, Screen, Style};
use crate::files::RepoPath;
use crate::project::{Registry, layout};
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say, Voice};

/// The registered modules.
pub struct Listed(pub Registry);

#[derive(Serialize)]
pub struct ListData {
    modules: Vec<Entry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    yaml_diagnostics: Option<YamlDiagnostics>,
}

#[derive(Serialize)]
struct Entry {
    id: String,
    name: String,
    lifecycle: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    product_type: Option<String>,
}

fn texts(paths: &[RepoPath]) -> Vec<String> {
    paths.iter().map(|path| path.text().into_owned()).collect()
}

impl Answer for Listed {
    type Data = ListData;

    fn data(&self, voice: &Voice) -> ListData {
        let entry = |module: &crate::project::Module| Entry {
            id: module.id.clone(),
            name: module.name.clone(),
            lifecycle: lifecycle(module.launched),
            product_type: module.product_type.clone(),
        };
        ListData {
            modules: self.0.registered().iter().map(entry).collect(),
            yaml_diagnostics: self
                .0
                .diagnostics
                .as_ref()
                .map(|damage| YamlDiagnostics::of(damage, voice)),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let voice = screen.voice;
        if let Some(damage) = &self.0.diagnostics {
            for message in damage.messages(voice) {
                screen.warn(&escape(&message))?;
            }
        }
        let modules = self.0.registered();
        if modules.is_empty() {
            let add = format!("{} <id>", Invocation::new("module add", &[]).say(voice));
            return screen.line(&say!(
                voice,
                "no module is registered; `{add}` registers one",
                "尚未注册模块；用 `{add}` 注册"
            ));
        }
        let (initial, launched): (Vec<_>, Vec<_>) = modules.iter().partition(|m| !m.launched);
        for module in initial.into_iter().chain(launched) {
            let (id, name) = (escape(&module.id), escape(&module.name));
            let mut line = format!(
                "{}  {name}  {}",
                screen.paint(Style::Bold, &id),
                lifecycle(module.launched)
            );
            if let Some(product_type) = &module.product_type {
                line.push_str(&format!("  {}", escape(product_type)));
            }
            screen.line(&line)?;
        }
        Ok(())
    }
}

/// A module that was registered.
pub struct Added {
    pub id: String,
    pub product_type: Option<String>,
    /// The registry was not there before.
    pub created_file: bool,
}

#[derive(Serialize)]
pub struct AddData {
    module_id: String,
    product_type: Option<String>,
    created_file: bool,
}

impl Answer for Added {
    type Data = AddData;

    fn data(&self, _: &Voice) -> AddData {
        AddData {
            module_id: self.id.clone(),
            product_type: self.product_type.clone(),
            created_file: self.created_file,
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let (voice, id, file) = (screen.voice, &self.id, layout::REGISTRY);
        let done = say!(voice, "module `{id}` registered", "已注册模块 `{id}`");
        screen.line(&screen.paint(Style::Good, &done))?;
        if self.created_file {
            screen.line(&say!(voice, "`{file}` is new", "已新建 `{file}`"))?;
        }
        Ok(())
    }
}

/// A product type that was set, or was what it is to be.
pub struct TypeSet {
    pub id: String,
    pub product_type: String,
    pub is_gui: bool,
    pub changed: bool,
    /// The project has its first module with a user interface.
    pub sync: bool,
}

#[derive(Serialize)]
pub struct TypeData {
    module_id: String,
    product_type: String,
    is_gui: bool,
    changed: bool,
    overlay_sync_hint: Option<String>,
}

impl TypeSet {
    fn hint(&self, voice: &Voice) -> Option<String> {
        self.sync.then(|| Invocation::new("sync", &[]).say(voice))
    }
}

impl Answer for TypeSet {
    type Data = TypeData;

    fn data(&self, voice: &Voice) -> TypeData {
        TypeData {
            module_id: self.id.clone(),
            product_type: self.product_type.clone(),
            is_gui: self.is_gui,
            changed: self.changed,
            overlay_sync_hint: self.hint(voice),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let (voice, id, wanted) = (screen.voice, escape(&self.id), &self.product_type);
        if !self.changed {
            return screen.line(&say!(
                voice,
                "module `{id}` is of type {wanted} already; nothing was written",
                "模块 `{id}` 的类型已是 {wanted}，未写入任何内容"
            ));
        }
        let done = say!(
            voice,
            "module `{id}` is now of type {wanted}",
            "模块 `{id}` 的类型已设为 {wanted}"
        );
        screen.line(&screen.paint(Style::Good, &done))?;
        match self.hint(voice) {
            None => Ok(()),
            Some(sync) => screen.line(&say!(
                voice,
                "it is the first with a user interface: `{sync}` adds the steps for prototypes to the flow",
                "这是首个带用户界面的模块：`{sync}` 会把原型步骤加入流程"
            )),
        }
    }
}

/// What became of a removal.
pub struct Removed {
    pub id: String,
    /// False if it was not confirmed.
    pub removed: bool,
    /// Files with the module's name, which stay.
    pub remaining: Vec<RepoPath>,
}

#[derive(Serialize)]
pub struct RemoveData {
    module_id: String,
    removed: bool,
    remaining_files: Vec<String>,
}

/// Says which files stay when a module goes.
pub fn print_remaining(screen: &mut Screen<'_>, remaining: &[RepoPath]) -> io::Result<()> {
    if remaining.is_empty() {
        return Ok(());
    }
    let line = say!(screen.voice, "files that stay:", "保留的文件：");
    screen.line(&line)?;
    remaining
        .iter()
        .try_for_each(|path| screen.line(&format!("  {path}")))
}

impl Answer for Removed {
    type Data = RemoveData;

    fn data(&self, _: &Voice) -> RemoveData {
        RemoveData {
            module_id: self.id.clone(),
            removed: self.removed,
            remaining_files: texts(&self.remaining),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let (voice, id) = (screen.voice, escape(&self.id));
        if !self.removed {
            return screen.line(&say!(
                voice,
                "not confirmed: module `{id}` stays, nothing was written",
                "未确认：模块 `{id}` 保留，未写入任何内容"
            ));
        }
        let done = say!(
            voice,
            "module `{id}` removed from the registry",
            "已从注册表移除模块 `{id}`"
        );
        screen.line(&screen.paint(Style::Good, &done))?;
        print_remaining(screen, &self.remaining)
    }
}

/// A module that has a new id.
pub struct Renamed {
    pub from: String,
    pub to: String,
    pub moved: Vec<(RepoPath, RepoPath)>,
    pub updated: Vec<RepoPath>,
}

#[derive(Serialize)]
pub struct RenameData {
    from: String,
    to: String,
    renamed: Vec<Move>,
    updated: Vec<String>,
}

#[derive(Serialize)]
struct Move {
    from: String,
    to: String,
}

impl Answer for Renamed {
    type Data = RenameData;

    fn data(&self, _: &Voice) -> RenameData {
        let entry = |(from, to): &(RepoPath, RepoPath)| Move {
            from: from.text().into_owned(),
            to: to.text().into_owned(),
        };
        RenameData {
            from: self.from.clone(),
            to: self.to.clone(),
            renamed: self.moved.iter().map(entry).collect(),
            updated: texts(&self.updated),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let (voice, from, to) = (screen.voice, escape(&self.from), escape(&self.to));
        let done = say!(
            voice,
            "module `{from}` is now `{to}`",
            "模块 `{from}` 已改名为 `{to}`"
        );
        screen.line(&screen.paint(Style::Good, &done))?;
        if !self.moved.is_empty() {
            screen.line(&say!(voice, "renamed files:", "改名的文件："))?;
        }
        for (from, to) in &self.moved {
            screen.line(&format!("  {from} -> {to}"))?;
        }
        if !self.updated.is_empty() {
            screen.line(&say!(voice, "updated files:", "更新的文件："))?;
        }
        self.updated
            .iter()
            .try_for_each(|path| screen.line(&format!("  {path}")))
    }
}
