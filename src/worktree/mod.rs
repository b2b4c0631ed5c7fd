//! One work tree per change (git.md 5): which there are and where they stand, how one is made, taken away without losing
//! anything, kept in a rescue, and brought into another. Knows no project: what lies where is a [`Layout`].

mod add;
mod apply;
mod catch_up;
mod changed;
mod error;
mod journal;
mod layout;
mod mend;
mod meta;
mod name;
mod portion;
mod record;
mod refusal;
mod remove;
mod rescue;
mod standing;
mod taking;
mod words;

pub use add::{Added, Note, Wanted, add, plan as plan_add};
pub use apply::{Applied, Apply, Mode, apply};
pub use catch_up::catch_up;
pub use changed::{ChangedFile, changed_here, changed_there, fork_point};
pub use error::Error;
pub use journal::{Ended, settle};
pub use layout::{Layout, Records, SILLY, SILLY_TREES, told_by_place};
pub use mend::{delete_reached, forget_missing, record_again};
pub use meta::{Told, told_in};
pub use name::{ARCHIVE_NAME, NameError, check_name};
pub use portion::{Portion, bring, portion, refuse_dirty};
pub use record::{RECORD, Record};
pub use refusal::{Class, Refusal};
pub use remove::{Kept, Removal, Removed, remove};
pub use rescue::{Restored, drop_rescue, restore};
pub use standing::{Standing, State, Work, find, survey};
