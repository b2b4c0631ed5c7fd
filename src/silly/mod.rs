//! A project with `.sillyspec/` (silly.md): what its files say, its database, its stages. No prompt text, no terminal.

pub mod archive;
pub mod authorship;
pub mod change_list;
pub mod database;
pub mod doctor;
pub mod gate;
pub mod glob;
mod health;
pub mod impact;
pub mod init;
pub mod knowledge;
pub mod layout;
pub mod left_behind;
pub mod lint;
pub mod local;
pub mod module_doc;
pub mod modules;
pub mod plan;
pub mod progress;
pub mod quicklog;
pub mod rows;
pub mod run;
pub mod sections;
pub mod settings;
pub mod split;
pub mod stage;
pub mod sync_docs;
pub mod table;
pub mod tasks;
pub mod verification;
mod words;

pub use words::{Note, Refused};
