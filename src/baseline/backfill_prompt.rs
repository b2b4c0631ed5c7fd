//! What `logos/feature-backfill-prompt.md` says (logos-project.md 11.2): how numbers are given, which scenarios have no
//! feature, which candidates may become scenarios, and what there is to judge them by.

use super::backfill::Unregistered;
use crate::files::{ReadError, RepoPath, Tree, walk};
use crate::project::excerpt::{excerpt, fenced};
use crate::project::{Registry, Scenario, layout};
use crate::say;
use crate::text::{Bytes, decode, escape};
use crate::voice::{Say, Voice};

/// What the work is about.
pub struct Work<'a> {
    pub registry: &'a Registry,
    pub scenarios: &'a [&'a Scenario],
    pub candidates: &'a [Unregistered],
}

/// The work instruction.
pub fn prompt(tree: &dyn Tree, work: &Work<'_>, voice: &Voice) -> Result<Bytes, ReadError> {
    let file = layout::REGISTRY;
    let mut out = task(work.registry, voice);
    if let Some(damage) = &work.registry.diagnostics {
        let error = damage.error.say(voice);
        out += &say!(
            voice,
            "\nThe file is damaged; repair it first: {error}\n",
            "\n该文件已损坏，请先修复：{error}\n"
        );
    }
    out += &scenarios(work.scenarios, voice);
    out += &candidates(work.candidates, voice);
    out += &say!(voice, "\n## Feature specifications\n", "\n## 功能规格\n");
    for path in walk(tree, &RepoPath::of(layout::FEATURE_SPECS))? {
        if path.name().ends_with(b".gitkeep") {
            continue;
        }
        // Removed since it was listed: nothing to judge by.
        if let Some(content) = tree.read(&path)? {
            out += &excerpt(&path, &content, voice);
        }
    }
    out += &say!(voice, "\n## `{file}` as it is\n\n", "\n## 当前的 `{file}`\n\n");
    let registry = tree.read(&layout::registry())?.unwrap_or_default();
    out += &fenced(&decode(&registry), "yaml");
    Ok(out.into_bytes())
}

fn task(registry: &Registry, voice: &Voice) -> String {
    let file = layout::REGISTRY;
    let feature = next(
        registry.feature_next,
        'F',
        registry.features.iter().map(|f| f.id.as_str()),
    );
    let scenario = next(
        registry.scenario_next,
        'S',
        registry.scenarios.iter().map(|s| s.id.as_str()),
    );
    say!(
        voice,
        "# Give scenarios their features\n\n\
         In `{file}` bring together what belongs together: a feature is what a user would call one thing the product does.\n\n\
         1. Give each scenario below without a feature one, in its key `feature`. One that has a feature of its module \
         keeps it: fill only what is open.\n\
         2. A feature that is not there yet becomes an entry of `features` with `id`, `name`, `module` and, where there is \
         one, `spec`.\n\
         3. A candidate that is a scenario becomes an entry of `scenarios` with `id`, `name` (exactly as listed), `module` \
         and `feature`. Candidates are guesses from existing code: unverified, and not registered. Leave out those that are \
         no scenarios. Change neither `verified` nor anything else in their documents.\n\
         4. Numbers: take the larger of `feature_counter.next_id` (or 1) and the highest feature number there is plus one, \
         and store the number after it as the new `next_id`; the same with `scenario_counter` for scenarios. As things \
         stand the next feature is `F{feature:02}` and the next scenario `S{scenario:02}`. Numbers are unique over the whole \
         project; never use one again and never renumber.\n\
         5. Leave everything else in the file as it is, comments and order too.\n",
        "# 为场景归属功能\n\n\
         请在 `{file}` 中把相关内容归到一起：一个功能即用户眼中产品所做的一件事。\n\n\
         1. 为下列未归属的每个场景填写 `feature`。已归属本模块功能的场景保持不变：只填写空缺。\n\
         2. 尚不存在的功能在 `features` 中新增条目，含 `id`、`name`、`module`，如有规格则含 `spec`。\n\
         3. 确为场景的候选在 `scenarios` 中新增条目，含 `id`、`name`（与所列逐字相同）、`module` 和 `feature`。\
         候选是从现有代码推测而来：未经确认，也未登记。不是场景的请略过。不要改动其文档中的 `verified` 或其他内容。\n\
         4. 编号：取 `feature_counter.next_id`（缺省为 1）与现有最大功能编号加一中的较大者，并把其后一个编号存为新的 `next_id`；\
         场景同理，使用 `scenario_counter`。目前下一个功能为 `F{feature:02}`，下一个场景为 `S{scenario:02}`。\
         编号在整个项目内唯一；不得重复使用，也不得重新编号。\n\
         5. 文件中其余内容（包括注释和顺序）保持不变。\n"
    )
}

/// The number that the next entry gets (logos-project.md 4.2).
fn next<'a>(counter: Option<u64>, letter: char, ids: impl Iterator<Item = &'a str>) -> u64 {
    let numbers = ids.filter_map(|id| id.strip_prefix(letter)?.parse::<u64>().ok());
    let free = numbers.max().map_or(1, |highest| highest.saturating_add(1));
    counter.unwrap_or(1).max(free)
}

fn scenarios(all: &[&Scenario], voice: &Voice) -> String {
    let count = all.len();
    let mut out = say!(voice, "\n## Scenarios: {count}\n\n", "\n## 场景：{count} 个\n\n");
    for scenario in all {
        let (id, name, module) = (
            escape(&scenario.id),
            escape(scenario.shown_name()),
            escape(scenario.module_id()),
        );
        out += &match scenario.feature.as_deref().map(escape) {
            Some(feature) => say!(
                voice,
                "- `{id}` {name} (module `{module}`, feature `{feature}`)\n",
                "- `{id}` {name}（模块 `{module}`，功能 `{feature}`）\n"
            ),
            None => say!(
                voice,
                "- `{id}` {name} (module `{module}`, no feature)\n",
                "- `{id}` {name}（模块 `{module}`，未归属）\n"
            ),
        };
    }
    out
}

fn candidates(all: &[Unregistered], voice: &Voice) -> String {
    let count = all.len();
    let mut out = say!(
        voice,
        "\n## Candidates, unverified and not registered: {count}\n\n",
        "\n## 候选（未确认、未登记）：{count} 个\n\n"
    );
    for Unregistered { module, candidate } in all {
        let (name, key, module) = (escape(candidate.name()), escape(&candidate.key), escape(module));
        let anchor = escape(candidate.anchor.as_deref().unwrap_or_default());
        out += &say!(
            voice,
            "- {name} (module `{module}`, `verified: false`, found at `{anchor}`, key `{key}`)\n",
            "- {name}（模块 `{module}`，`verified: false`，位于 `{anchor}`，键 `{key}`）\n"
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_never_given_twice() {
        assert_eq!(next(None, 'F', [].into_iter()), 1);
        assert_eq!(next(None, 'F', ["F02", "F10", "Fx", "S99"].into_iter()), 11);
        assert_eq!(next(Some(4), 'S', ["S02"].into_iter()), 4);
        assert_eq!(next(Some(2), 'S', ["S02"].into_iter()), 3);
    }
}
