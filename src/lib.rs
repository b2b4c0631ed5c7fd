//! git-spec: the git-native toolchain for spec-driven development.
//!
//! One module is one subject:
//!
//! - `cli` arguments, order of steps, one file per command
//! - `report` one file per answer: its JSON and its text
//! - `ledger` result and loop records, lenient reading
//! - `ids` what counts as an id, and where it stands
//! - `project` config, registry, guard file, init, sync, features, documents to index
//! - `change` the change folder: proposal, tasks, deltas, UI declaration, base
//! - `merge` planner, conservation, conflicts, three-way merge of sections
//! - `lint` the checks L1 to L8, warnings, fixes
//! - `archive` preconditions, the move and its commit
//! - `check` judges the way from one tree to the next; policy
//! - `history` log, blame, show: one id through commits
//! - `flow` the two flows, overlays, predicates, trust; steps, phases, loops
//! - `baseline` candidates drawn from existing code: scan, runs, journal, recovery
//! - `verify` cases, gate, pre-run, sandbox, imported reports, own reports, smoke, deploy
//! - `impact` name-status stream, path classes, verdict
//! - `hooks` the scripts, where they are laid, lines of a push
//! - `radar` open changes on all branches: what collides, new numbers for ids
//! - `ci` provider, facts of its variables and event file, choice of the range
//! - `worktree` one work tree per change: made, taken away, rescued, brought back
//! - `loops` a driver's loop: its state, its gate state, routing, what lets it end
//! - `guard` tool calls judged before they run: shell words, what writes, rules
//! - `silly` a `.sillyspec/` project: its parsers, its database, its stages
//! - `state` STATE.md: the document, policies, transitions, the status line
//! - `git` the only caller of gix and of the git program
//! - `markdown` line scan, sections, anchors, tables
//! - `yaml` parse with spans, salvage, edit in place
//! - `files` trees, writer, locks
//! - `process` a child process
//! - `text` bytes, lines, spans, order
//! - `finding`, `voice`, `clock`, `fault`
//!
//! # Who may use whom
//! Every domain module may use the core; beyond that what its entry names. `tests/architecture/` reads this block.
//!
//! ```text
//! fault: · text: · clock: · voice: text · process: text voice · files: text voice clock fault · markdown: text · yaml: text voice
//! git: files process text voice clock fault · finding: files text voice
//! core above
//! ids: · ledger: · project: · impact: · ci: · hooks: · worktree: · state: · loops: · silly: worktree
//! baseline: project · change: project ids · merge: change project ids · lint: merge change project ids
//! archive: change project · check: lint merge archive baseline change project ledger state ids · history: change project ids
//! radar: merge change project ids · guard: change project silly loops · flow: change baseline project ledger ids · verify: flow change project ledger ids
//! report: domain · cli: report domain
//! ```

pub mod archive;
pub mod baseline;
pub mod change;
pub mod check;
pub mod ci;
pub mod cli;
pub mod clock;
pub mod fault;
pub mod files;
pub mod finding;
pub mod flow;
pub mod git;
pub mod guard;
pub mod history;
pub mod hooks;
pub mod ids;
pub mod impact;
pub mod ledger;
pub mod lint;
pub mod loops;
pub mod markdown;
pub mod merge;
pub mod process;
pub mod project;
pub mod radar;
pub mod report;
pub mod silly;
pub mod state;
pub mod text;
pub mod verify;
pub mod voice;
pub mod worktree;
pub mod yaml;
