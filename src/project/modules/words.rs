//! What is said of modules, in both languages.

use super::{ModuleError, PRODUCT_TYPES};
use crate::project::{ParseStatus, layout};
use crate::say;
use crate::text::escape;
use crate::voice::{Say, Voice, quoted_list};

impl Say for ModuleError {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::MissingArgument { command, usage } => {
                let command = command.say(voice);
                say!(
                    voice,
                    "an argument is missing; usage: `{command} {usage}`",
                    "缺少参数；用法：`{command} {usage}`"
                )
            }
            Self::InvalidName(id) => {
                let id = escape(id);
                say!(
                    voice,
                    "`{id}` is no id for a module: a lower-case letter, then lower-case letters, digits and `-`",
                    "`{id}` 不能作为模块 id：须以小写字母开头，其后为小写字母、数字和 `-`"
                )
            }
            Self::InvalidProductType(wanted) => {
                let (wanted, known) = (escape(wanted), PRODUCT_TYPES.join(", "));
                say!(
                    voice,
                    "`{wanted}` is no product type; there is {known}",
                    "`{wanted}` 不是产品类型；可用：{known}"
                )
            }
            Self::Exists(id) => {
                let id = escape(id);
                say!(voice, "module `{id}` is registered already", "模块 `{id}` 已注册")
            }
            Self::NotFound { id, known } => not_found(id, known, voice),
            Self::Protected => say!(
                voice,
                "module `core` cannot be removed; it stands for everything that names no module",
                "不能移除模块 `core`：未指明模块的内容都属于它"
            ),
            Self::Damaged(diagnostics) => {
                let (file, error) = (layout::REGISTRY, diagnostics.error.say(voice));
                match diagnostics.status {
                    ParseStatus::Recovered => say!(
                        voice,
                        "`{file}` is damaged and is not written before it is mended by hand: {error}",
                        "`{file}` 已损坏，手工修复之前不会写入：{error}"
                    ),
                    ParseStatus::Error => say!(
                        voice,
                        "`{file}` is damaged, and no module could be recovered; mend it by hand: {error}",
                        "`{file}` 已损坏，未能恢复任何模块，请手工修复：{error}"
                    ),
                }
            }
            Self::Edit(error) => {
                let (file, error) = (layout::REGISTRY, error.say(voice));
                say!(voice, "`{file}`: {error}", "`{file}`：{error}")
            }
            Self::Occupied { from, to } => say!(
                voice,
                "`{from}` would become `{to}`, which is there already; move one of them away first",
                "`{from}` 将改名为 `{to}`，但后者已存在；请先移走其中之一"
            ),
            Self::Read(error) => error.say(voice),
        }
    }
}

fn not_found(id: &str, known: &[String], voice: &Voice) -> String {
    let id = escape(id);
    if known.is_empty() {
        return say!(
            voice,
            "module `{id}` is not registered; no module is",
            "模块 `{id}` 未注册；尚无任何模块"
        );
    }
    let known = quoted_list(known);
    say!(
        voice,
        "module `{id}` is not registered; there is {known}",
        "模块 `{id}` 未注册；已注册：{known}"
    )
}
