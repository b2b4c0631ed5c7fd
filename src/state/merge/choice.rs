//! Which of two sides a value is taken from.

use std::cmp::Ordering;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Choice {
    /// Both sides say the same.
    #[default]
    Alike,
    Ours,
    Theirs,
    /// Both sides changed it, differently.
    Open,
}

impl Choice {
    /// The side that changed a value of base, ours, theirs.
    pub(super) fn changed<T: PartialEq>([base, ours, theirs]: &[T; 3]) -> Self {
        if ours == theirs {
            Self::Alike
        } else if ours == base {
            Self::Theirs
        } else if theirs == base {
            Self::Ours
        } else {
            Self::Open
        }
    }

    /// The side with the greater value.
    pub(super) fn greater<T: Ord>(ours: &T, theirs: &T) -> Self {
        match ours.cmp(theirs) {
            Ordering::Less => Self::Theirs,
            Ordering::Equal => Self::Alike,
            Ordering::Greater => Self::Ours,
        }
    }

    /// This choice if it is one of a side, else another.
    pub(super) fn or(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Ours | Self::Theirs => self,
            Self::Alike | Self::Open => other(),
        }
    }

    /// The index of the chosen one among base, ours, theirs, and that of the other.
    pub(super) const fn sides(self) -> Option<(usize, usize)> {
        match self {
            Self::Ours => Some((1, 2)),
            Self::Theirs => Some((2, 1)),
            Self::Alike | Self::Open => None,
        }
    }
}
