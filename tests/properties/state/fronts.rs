//! Random front matter of our own making.

use std::collections::BTreeMap;

use git_spec::state::front::{Entry, FrontMatter, Value};
use proptest::prelude::*;
use proptest::sample::select;

use super::documents::VALUES;

pub(super) fn key() -> impl Strategy<Value = String> {
    "[A-Za-z_][A-Za-z0-9_-]{0,8}"
}

pub(super) fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => select(&VALUES[..]).prop_map(str::to_owned),
        2 => "[ -~\t\r\n]{0,12}",
        1 => "\\PC{0,6}",
        1 => any::<String>(),
    ]
}

pub(super) fn front_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        3 => scalar().prop_map(Value::Text),
        1 => prop::collection::vec(scalar(), 0..6).prop_map(Value::List),
        1 => Just(Value::Block(Vec::new())),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| entries(inner).prop_map(Value::Block))
}

pub(super) fn entries(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Vec<Entry>> {
    let comment = select(vec!["# a comment", "#", "# key: value", "#- x"]).prop_map(str::to_owned);
    let entry = (key(), value, prop::collection::vec(comment, 0..2));
    prop::collection::vec(entry, 0..5).prop_map(|entries| {
        let mut seen = BTreeMap::new();
        for (key, value, before) in entries {
            seen.entry(key.clone())
                .or_insert_with(|| Entry::new(&key, value).after(before));
        }
        seen.into_values().collect()
    })
}

pub(super) fn front_matter() -> impl Strategy<Value = FrontMatter> {
    (entries(front_value()), any::<bool>()).prop_map(|(entries, ends)| FrontMatter {
        entries,
        trailing: if ends {
            vec!["# the end".to_owned()]
        } else {
            Vec::new()
        },
    })
}
