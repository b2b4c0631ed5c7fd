//! A project with `.sillyspec/` (silly.md): what its files say, its database, its stages. No prompt text, no terminal.

pub mod change_list;
pub mod glob;
pub mod knowledge;
pub mod layout;
pub mod local;
pub mod modules;
pub mod plan;
pub mod quicklog;
pub mod tasks;
