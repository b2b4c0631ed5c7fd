//! The binary: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(git_spec::cli::run(std::env::args_os().collect()))
}
