//! What can be taken back with trouble only: refused unless the mode is `unsafe`.

use super::script::{Flags, Script, Step};

pub(super) fn find(script: &Script) -> Option<String> {
    script
        .commands()
        .map(|(list, at)| &list[at])
        .find(|step| is_one(step))
        .map(Step::shown)
}

fn is_one(step: &Step) -> bool {
    match step.name.as_str() {
        "chmod" | "chown" => true,
        "systemctl" => step.has(&["stop"]),
        "kubectl" => step.has(&["delete"]),
        "git" => step.git().is_some_and(|(command, args)| {
            let flags = Flags::of(args);
            match command.as_str() {
                "reset" => flags
                    .long
                    .iter()
                    .any(|long| long.len() >= 3 && "hard".starts_with(long.as_str())),
                "clean" => {
                    let forced = flags.has('f', "force");
                    let dry = flags.has('n', "dry-run");
                    forced && !dry && (flags.short.contains('d') || flags.short.contains('x'))
                }
                _ => false,
            }
        }),
        _ => false,
    }
}
