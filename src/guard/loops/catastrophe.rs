//! What no mode lets pass: machines switched off, devices written, tables dropped, pushes forced.

use std::sync::OnceLock;

use regex::Regex;

use super::script::{Flags, List, Script, Step};
use super::{Ground, removal};
use crate::text::js;

/// A program and what must stand behind it; all of `needs` must hold.
struct Row {
    programs: &'static [&'static str],
    needs: &'static [Need],
}

enum Need {
    /// One of these words, case ignored.
    Any(&'static [&'static str]),
    /// One of these words as it is written.
    Exact(&'static [&'static str]),
    /// A word that begins so.
    Begins(&'static str),
    /// None of these words.
    Without(&'static [&'static str]),
    /// A drive: a letter and a colon.
    Drive,
}

const ROWS: [Row; 16] = [
    Row {
        programs: &["poweroff", "reboot", "halt", "cryptsetup", "diskpart", "mke2fs"],
        needs: &[],
    },
    Row {
        programs: &["shutdown"],
        needs: &[Need::Any(&[
            "-h",
            "-r",
            "-p",
            "--halt",
            "--poweroff",
            "--reboot",
            "now",
            "/r",
            "/s",
            "/p",
        ])],
    },
    Row {
        programs: &["systemctl"],
        needs: &[Need::Any(&["poweroff", "reboot", "halt", "kexec"])],
    },
    Row {
        programs: &["systemctl"],
        needs: &[
            Need::Any(&["disable", "mask"]),
            Need::Any(&["sshd", "sshd.service", "ssh", "ssh.service"]),
        ],
    },
    Row {
        programs: &["init", "telinit"],
        needs: &[Need::Any(&["0", "6"])],
    },
    Row {
        programs: &["iptables", "ip6tables"],
        needs: &[Need::Exact(&["-F", "-X", "--flush", "--delete-chain"])],
    },
    Row {
        programs: &["iptables", "ip6tables"],
        needs: &[
            Need::Exact(&["-P", "--policy"]),
            Need::Any(&["input"]),
            Need::Any(&["accept"]),
        ],
    },
    Row {
        programs: &["nft"],
        needs: &[Need::Any(&["flush"]), Need::Any(&["ruleset"])],
    },
    Row {
        programs: &["docker", "podman"],
        needs: &[Need::Any(&["system"]), Need::Any(&["prune"])],
    },
    Row {
        programs: &["del", "erase"],
        needs: &[Need::Any(&["/f"]), Need::Any(&["/s"])],
    },
    Row {
        programs: &["rd", "rmdir"],
        needs: &[Need::Any(&["/s"]), Need::Any(&["/q"])],
    },
    Row {
        programs: &["reg"],
        needs: &[Need::Any(&["delete"])],
    },
    Row {
        programs: &["fdisk", "sfdisk", "sgdisk", "parted", "wipefs"],
        needs: &[
            Need::Begins("/dev/"),
            Need::Without(&["-l", "--list", "-p", "--print", "print"]),
        ],
    },
    Row {
        programs: &["format"],
        needs: &[Need::Drive],
    },
    Row {
        programs: &["tee", "cp", "mv", "shred", "install"],
        needs: &[Need::Begins("/dev/sd")],
    },
    Row {
        programs: &["tee", "cp", "mv", "shred", "install"],
        needs: &[Need::Begins("/dev/nvme")],
    },
];

/// Devices that hold file systems.
const DISKS: [&str; 7] = [
    "/dev/sd",
    "/dev/hd",
    "/dev/vd",
    "/dev/xvd",
    "/dev/nvme",
    "/dev/mmcblk",
    "/dev/disk",
];
/// Devices that lose nothing.
const HARMLESS: [&str; 5] = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/full", "/dev/fd/"];

/// Programs that only look for a text.
const SEARCHING: [&str; 7] = ["grep", "egrep", "fgrep", "rg", "ag", "ack", "fd"];

impl Need {
    fn holds(&self, step: &Step) -> bool {
        let word = |wanted: &dyn Fn(&str) -> bool| step.args.iter().any(|word| wanted(&word.text));
        match self {
            Self::Any(words) => step.has(words),
            Self::Exact(words) => word(&|text| words.contains(&text)),
            Self::Begins(start) => word(&|text| text.to_lowercase().starts_with(start)),
            Self::Without(words) => !step.has(words),
            Self::Drive => word(&|text| {
                let text = text.as_bytes();
                text.len() >= 2 && text[0].is_ascii_alphabetic() && text[1] == b':'
            }),
        }
    }
}

pub(super) fn find(script: &Script, ground: &Ground) -> Option<String> {
    script.commands().find_map(|(list, at)| {
        let step = &list[at];
        let hit = ROWS.iter().any(|row| {
            row.programs.contains(&step.name.as_str()) && row.needs.iter().all(|need| need.holds(step))
        });
        let hit = hit
            || step.name.starts_with("mkfs")
            || writes_disk(step)
            || forces_push(step)
            || opens_system(step, ground)
            || drops(list, at)
            || is_fork_bomb(list, at);
        hit.then(|| step.shown())
    })
}

fn writes_disk(step: &Step) -> bool {
    let is_disk = |text: &str| DISKS.iter().any(|disk| text.to_lowercase().starts_with(disk));
    if step.writes().any(|to| is_disk(&to.text)) {
        return true;
    }
    let to_device = |text: &str| {
        text.to_lowercase()
            .strip_prefix("of=")
            .is_some_and(|to| to.starts_with("/dev/") && !HARMLESS.iter().any(|known| to.starts_with(known)))
    };
    step.name == "dd" && step.args.iter().any(|word| to_device(&word.text))
}

/// A push that overwrites what is there: by an option, or by `+` before a reference.
fn forces_push(step: &Step) -> bool {
    let Some((command, args)) = step.git() else {
        return false;
    };
    let flags = Flags::of(args);
    let forced = flags.short.contains('f')
        || flags
            .long
            .iter()
            .any(|long| long.starts_with("force") || long == "mirror")
        || flags.operands.iter().any(|word| word.text.starts_with('+'));
    command == "push" && forced
}

/// Rights for everybody on what is not the project's.
fn opens_system(step: &Step, ground: &Ground) -> bool {
    if step.name != "chmod" {
        return false;
    }
    let flags = step.flags();
    let mut operands = flags.operands.iter();
    let mode = operands
        .next()
        .map(|word| word.text.to_lowercase())
        .unwrap_or_default();
    let opens = mode.trim_start_matches('0').ends_with("777")
        || ["a+rwx", "ugo+rwx", "+rwx", "a=rwx", "o+w", "a+w", "ugo+w"].contains(&mode.as_str());
    opens && operands.any(|word| removal::is_foreign(word, step, ground))
}

/// `DROP TABLE` and `DROP DATABASE` in what some program is told.
fn drops(list: &List, at: usize) -> bool {
    static DROP: OnceLock<Regex> = OnceLock::new();
    let drop = DROP.get_or_init(|| js(r"\bdrop\s+(?:table|database|schema)\b"));
    let step = &list[at];
    // What is shown is text, unless somebody reads it.
    let is_read = list
        .get(at + 1)
        .is_some_and(|next| next.command.piped && !next.command.inner);
    if SEARCHING.contains(&step.name.as_str()) || (step.talks() && !is_read) {
        return false;
    }
    let words: Vec<&str> = if step.talks() {
        step.args.iter().map(|word| word.text.as_str()).collect()
    } else {
        step.spoken().into_iter().map(|word| word.text.as_str()).collect()
    };
    let is_reader = !["cat", "tee"].contains(&step.name.as_str()) || is_read;
    drop.is_match(&words.join(" ").to_lowercase())
        || is_reader && step.given().any(|text| drop.is_match(&text.to_lowercase()))
}

/// `:(){ :|:& };:` by any name: a command, and then itself piped into itself.
fn is_fork_bomb(list: &List, at: usize) -> bool {
    let alone = |at: usize| match list.get(at)?.command.words.as_slice() {
        [word] => Some((word.text.as_str(), list[at].command.piped)),
        _ => None,
    };
    match (alone(at), alone(at + 1), alone(at + 2)) {
        (Some((name, false)), Some((one, false)), Some((other, true))) => name == one && one == other,
        _ => false,
    }
}
