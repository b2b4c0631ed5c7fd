//! Rules that one kind of document has beside change.md 6.7. What they decide is put into all three versions alike, so
//! that the common merge finds nothing left to decide there.

use super::{Clash, Field, Merged};
use crate::text::Bytes;

/// The rules of a kind of document.
pub struct Rules {
    /// Settles what the rules decide: base, ours, theirs, lines ended by LF.
    pub settle: fn([&[u8]; 3]) -> Settled,
    /// The keys of the front matter with their lines; none where it is one unit.
    pub front: fn(&[u8]) -> Option<Vec<Field>>,
    /// A clash taken apart; none where it is as small as can be.
    pub refine: fn(&Clash) -> Option<Merged>,
}

/// Three versions after the rules of their kind.
pub struct Settled {
    pub versions: [Bytes; 3],
    /// Lines that a rule has replaced or dropped: nobody is to miss them in the result.
    pub given_up: Bytes,
}
