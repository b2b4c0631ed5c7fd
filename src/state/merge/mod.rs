//! The merge of two versions of STATE.md, for the merge driver (git.md 6): what has a rule of its own is settled here,
//! and put into all versions alike; change.md 6.7 merges the rest. The order of the two sides does not show.

mod choice;
mod count;
mod front;
mod labels;
mod lists;
mod progress;
mod version;

use crate::markdown::three_way::{Clash, Merged, Rules, Settled, merge_fields};
use crate::text::Bytes;

use version::Version;

/// The rules of STATE.md.
pub const RULES: Rules = Rules {
    settle,
    front: front::keyed,
    refine,
};

/// Where the file that these rules are for lies, below the top of a project.
const PATH: &[u8] = b".planning/STATE.md";

/// Whether a path names a STATE.md.
pub fn is_state(path: &[u8]) -> bool {
    path.strip_suffix(PATH)
        .is_some_and(|dir| dir.is_empty() || dir.ends_with(b"/"))
}

/// Lines that a rule has replaced or dropped.
#[derive(Default)]
struct GivenUp(Bytes);

impl GivenUp {
    fn extend(&mut self, lines: impl IntoIterator<Item: AsRef<[u8]>>) {
        for line in lines {
            self.0.extend_from_slice(line.as_ref());
            self.0.push(b'\n');
        }
    }
}

fn settle(texts: [&[u8]; 3]) -> Settled {
    let [Ok(base), Ok(ours), Ok(theirs)] = texts.map(std::str::from_utf8) else {
        return Settled {
            versions: texts.map(<[u8]>::to_vec),
            given_up: Bytes::new(),
        };
    };
    let mut versions = [base, ours, theirs].map(Version::of);
    let mut given_up = GivenUp::default();
    let decisions = front::settle(&mut versions, &mut given_up);
    labels::settle(&mut versions, &decisions, &mut given_up);
    lists::settle(&mut versions, &mut given_up);
    Settled {
        versions: versions.map(Version::into_bytes),
        given_up: given_up.0,
    }
}

/// Fields that stand in one paragraph clash one by one.
fn refine(clash: &Clash) -> Option<Merged> {
    let fields = |text: &[u8]| labels::fields(std::str::from_utf8(text).ok()?);
    merge_fields(
        &fields(&clash.base)?,
        &fields(&clash.ours)?,
        &fields(&clash.theirs)?,
    )
}

#[cfg(test)]
mod tests;
