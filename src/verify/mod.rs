//! Verification: cases, the gate, the commands that produce results, smoke and deployment (verify.md).

pub mod acceptance;
pub mod cases;
pub mod deploy;
pub mod gate;
pub mod import;
pub mod outcome;
mod outline;
pub mod page;
pub mod pre_run;
pub mod precheck;
pub mod sandbox;
pub mod settings;

pub use outline::Smoke;
