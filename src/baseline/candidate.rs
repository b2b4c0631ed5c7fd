//! One candidate: a guess at what existing code does, and the key that its anchor gives it (logos-project.md 10.1).

use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use crate::files::Digest;
use crate::text::{is_space, js};
use crate::yaml::Value;

/// How many digits of an anchor's hash a key has.
const KEY_DIGITS: usize = 12;

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Also the reading of any word that is none of the others.
    Active,
    /// No run finds it any more.
    Tombstone,
    Retired,
}

impl State {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Tombstone => "tombstone",
            Self::Retired => "retired",
        }
    }
}

/// One entry of `candidates`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub key: String,
    pub anchor: Option<String>,
    pub display: Option<String>,
    pub state: State,
    pub verified: bool,
    /// Older anchors.
    pub aliases: Vec<String>,
    pub superseded_by: Vec<String>,
    pub confirmed_by: Option<String>,
    pub evidence: Option<String>,
    pub confirmed_at: Option<String>,
    pub retired_by: Option<String>,
    pub retire_event_id: Option<String>,
    /// `state` is written, and is `active` to the letter.
    pub says_active: bool,
    /// `verified` is written, and is false.
    pub says_unverified: bool,
}

impl Candidate {
    /// Reads an entry; none without a key.
    pub(super) fn read(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let texts = |name: &str| {
            let items = value.get(name).and_then(Value::as_list).unwrap_or_default();
            items
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect()
        };
        let state = value.get("state").and_then(Value::as_str);
        let verified = value.get("verified").and_then(Value::as_bool);
        Some(Self {
            key: text("key").filter(|key| !key.is_empty())?,
            anchor: text("anchor"),
            display: text("display"),
            state: match state {
                Some("tombstone") => State::Tombstone,
                Some("retired") => State::Retired,
                Some(_) | None => State::Active,
            },
            verified: verified == Some(true),
            aliases: texts("aliases"),
            superseded_by: texts("superseded_by"),
            confirmed_by: text("confirmed_by"),
            evidence: text("evidence"),
            confirmed_at: text("confirmed_at"),
            retired_by: text("retired_by"),
            retire_event_id: text("retire_event_id"),
            says_active: state == Some("active"),
            says_unverified: verified == Some(false),
        })
    }

    /// Its anchor and the older ones.
    pub fn anchors(&self) -> impl Iterator<Item = &str> {
        self.anchor.iter().chain(&self.aliases).map(String::as_str)
    }

    /// Whether its key is one that an anchor of it gives in this module. A prefix is not enough: keys of examples and
    /// made-up keys do not count.
    pub fn belongs_to(&self, module: &str) -> bool {
        self.anchors().any(|anchor| key_of(module, anchor) == self.key)
    }

    /// What it is called: its display name, else its anchor, else its key.
    pub fn name(&self) -> &str {
        let named = self.display.as_deref().or(self.anchor.as_deref());
        named.unwrap_or(&self.key)
    }
}

/// An anchor as it is compared and hashed: NFKC, lower case, trimmed, one blank for each run of white space.
pub fn normalised(anchor: &str) -> String {
    let folded = anchor.nfkc().collect::<String>().to_lowercase();
    let words = folded.split(is_space).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// The key that an anchor has in a module.
pub fn key_of(module: &str, anchor: &str) -> String {
    let hash = Digest::of(normalised(anchor).as_bytes()).hex();
    format!("{module}::{}", &hash[..KEY_DIGITS])
}

static CANONICAL: LazyLock<Regex> = LazyLock::new(|| js(r"^([a-z0-9][a-z0-9-]*)::([0-9a-f]{12})$"));

/// Whether a key has the form that every key has, in this module.
pub fn is_canonical(key: &str, module: &str) -> bool {
    CANONICAL.captures(key).is_some_and(|found| &found[1] == module)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    fn candidate(text: &str) -> Option<Candidate> {
        Candidate::read(&yaml::parse(text.as_bytes()).expect(text))
    }

    #[test]
    fn an_anchor_is_hashed_as_it_is_compared() {
        assert_eq!(normalised("  ＣＬＩ:\u{3000} LogIn\t"), "cli: login");
        assert_eq!(key_of("core", "  ＣＬＩ:   LogIn "), "core::df2b13627dee");
    }

    #[test]
    fn a_candidate_belongs_by_its_anchor_or_an_older_one_never_by_its_prefix() {
        let own = candidate("{key: 'core::df2b13627dee', anchor: x, aliases: ['cli: login']}");
        assert!(own.as_ref().is_some_and(|c| c.belongs_to("core")));
        assert!(own.is_some_and(|c| !c.belongs_to("cor")));
        let made_up = candidate("{key: 'core::0123456789ab', anchor: 'cli: login'}");
        assert!(made_up.is_some_and(|c| !c.belongs_to("core")));
    }

    #[test]
    fn an_unknown_state_reads_as_active_but_does_not_say_so() {
        let odd = candidate("{key: k, state: Active, verified: 'false'}").expect("it has a key");
        assert_eq!((odd.state, odd.says_active), (State::Active, false));
        assert!(!odd.verified && !odd.says_unverified);
        assert!(candidate("{key: '', anchor: x}").is_none() && candidate("[a]").is_none());
    }

    #[test]
    fn canonical_keys_name_their_module() {
        assert!(is_canonical("core::0123456789ab", "core"));
        for key in [
            "core::0123456789AB",
            "core::0123456789abc",
            "Core::0123456789ab",
            "core::0123456789ab\n",
        ] {
            assert!(!is_canonical(key, "core"), "{key}");
        }
        assert!(!is_canonical("core::0123456789ab", "tide"));
    }
}
