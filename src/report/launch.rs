//! The answer of `launch` (logos-project.md 9.3).

use std::io;

use serde::Serialize;

use super::{Answer, Screen, Style};
use crate::project::layout;
use crate::say;
use crate::text::escape;
use crate::voice::{Invocation, Say, Voice};

/// A module that is launched.
pub struct Launched {
    pub module: String,
    /// It was not launched before.
    pub changed: bool,
    /// The config lost its old `lifecycle`, which named none of several modules.
    pub key_without_module: bool,
}

#[derive(Serialize)]
pub struct Data {
    module: String,
    lifecycle: &'static str,
    changed: bool,
    /// The gates not met; whoever gets an answer has met them all.
    missing: [&'static str; 0],
}

impl Answer for Launched {
    type Data = Data;

    fn data(&self, _: &Voice) -> Data {
        Data {
            module: self.module.clone(),
            lifecycle: "launched",
            changed: self.changed,
            missing: [],
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let (voice, module) = (screen.voice, escape(&self.module));
        if self.key_without_module {
            let config = layout::CONFIG;
            screen.warn(&say!(
                voice,
                "`lifecycle: active` in `{config}` named none of the modules and is gone",
                "`{config}` 中的 `lifecycle: active` 未指明模块，已删除"
            ))?;
        }
        if !self.changed {
            return screen.line(&say!(
                voice,
                "module `{module}` is launched already; nothing was written",
                "模块 `{module}` 早已上线，未写入任何内容"
            ));
        }
        let done = say!(voice, "module `{module}` is launched", "模块 `{module}` 已上线");
        screen.line(&screen.paint(Style::Good, &done))?;
        let next = format!("{} <slug>", Invocation::new("change", &[]).say(voice));
        screen.line(&say!(
            voice,
            "its documents change only through a change from here on: `{next}`",
            "此后其文档只通过变更提案修改：`{next}`"
        ))
    }
}
