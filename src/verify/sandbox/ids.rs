//! Which users and groups a namespace knows: each as itself (`user_namespaces(7)`).

use std::fs;
use std::io;

use rustix::process::{getegid, geteuid};

/// Ranges of ids: a first one, and how many.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ranges(Vec<(u32, u32)>);

/// The users and groups that are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    users: Ranges,
    groups: Ranges,
}

impl Known {
    /// Whether a user and a group both are.
    pub(super) fn has(&self, (user, group): (u32, u32)) -> bool {
        self.users.has(user) && self.groups.has(group)
    }
}

impl Ranges {
    /// What a map has on its side.
    fn read(map: &str) -> Self {
        let range = |line: &str| {
            let mut fields = line.split_ascii_whitespace().map(str::parse);
            match (fields.next()?, fields.nth(1)?) {
                (Ok(first), Ok(count)) => Some((first, count)),
                _ => None,
            }
        };
        Self(map.lines().filter_map(range).collect())
    }

    fn has(&self, id: u32) -> bool {
        self.0
            .iter()
            .any(|(first, count)| id.checked_sub(*first).is_some_and(|at| at < *count))
    }

    /// The map of each id to itself.
    fn to_map(&self) -> String {
        let lines = self
            .0
            .iter()
            .map(|(first, count)| format!("{first} {first} {count}"));
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Maps the ids of a process's new namespace: all that we know if we may, else our own.
pub(super) fn map(pid: u32) -> io::Result<Known> {
    let of_process = |name: &str| format!("/proc/{pid}/{name}");
    let give = |name: &str, own: u32| -> io::Result<Ranges> {
        let all = Ranges::read(&fs::read_to_string(format!("/proc/self/{name}"))?);
        if fs::write(of_process(name), all.to_map()).is_ok() {
            return Ok(all);
        }
        if name == "gid_map" {
            // Who may not give groups may give one, when nobody can leave one any more.
            fs::write(of_process("setgroups"), "deny")?;
        }
        let own = Ranges(vec![(own, 1)]);
        fs::write(of_process(name), own.to_map())?;
        Ok(own)
    };
    Ok(Known {
        users: give("uid_map", geteuid().as_raw())?,
        groups: give("gid_map", getegid().as_raw())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_turned_into_one_of_each_to_itself() {
        let ranges = Ranges::read("         0     100000      65536\n     70000       1000          1\n");
        assert_eq!(ranges.to_map(), "0 0 65536\n70000 70000 1");
        assert!(ranges.has(0) && ranges.has(65535) && ranges.has(70000));
        assert!(!ranges.has(65536) && !ranges.has(70001));
        assert!(Ranges::read("0 0 4294967295\n").has(u32::MAX - 1));
    }
}
