//! The kinds of faults, and the checks of single values that the rules are written with.

use serde_json::{Map, Value};

use super::Found;
use crate::loops::document::{integer, is_comment};
use crate::say;
use crate::text::escape;
use crate::voice::{Say, Voice};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Dotted keys, `name[2]` for an item.
    pub path: String,
    pub code: Code,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Code {
    Unreadable(String),
    Missing(String),
    Type(&'static str),
    Value(String),
    Range(&'static str),
    Limit(&'static str),
    Phase,
    Sum,
    Reference(&'static str),
    Inline,
    NoGate,
    BrokenGate(String),
    NoStatus,
    Prose,
}

impl Code {
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "unreadable",
            Self::Missing(_) => "missing",
            Self::Type(_) => "type",
            Self::Value(_) => "value",
            Self::Range(_) => "range",
            Self::Limit(_) => "limit",
            Self::Phase => "termination_phase",
            Self::Sum => "sum",
            Self::Reference(_) => "reference",
            Self::Inline => "inline",
            Self::NoGate => "no_gate",
            Self::BrokenGate(_) => "broken_gate",
            Self::NoStatus => "no_status",
            Self::Prose => "prose_status",
        }
    }
}

impl Say for Code {
    fn say(&self, voice: &Voice) -> String {
        match self {
            Self::Unreadable(why) => {
                let why = escape(why);
                say!(voice, "the state cannot be read: {why}", "无法读取状态：{why}")
            }
            Self::Missing(key) => say!(voice, "`{key}` is missing", "缺少 `{key}`"),
            Self::Type(wanted) => say!(voice, "it must be {wanted}", "类型应为 {wanted}"),
            Self::Value(value) => {
                let value = escape(value);
                say!(voice, "`{value}` is no value of it", "`{value}` 不是它的有效值")
            }
            Self::Range(wanted) => say!(voice, "it must be {wanted}", "取值应为 {wanted}"),
            Self::Limit(limit) => say!(voice, "it is beyond `{limit}`", "超出了 `{limit}`"),
            Self::Phase => say!(
                voice,
                "the status of the termination and the phase contradict each other",
                "终止状态与阶段相互矛盾"
            ),
            Self::Sum => say!(
                voice,
                "the counts by status do not add up to `total`",
                "各状态的数量之和不等于 `total`"
            ),
            Self::Reference(wanted) => {
                say!(voice, "it must be `{wanted}`", "应为 `{wanted}`")
            }
            Self::Inline => say!(
                voice,
                "the termination stands in the gate state; here is only its `_ref`",
                "终止状态在闸门状态中；此处只应有它的 `_ref`"
            ),
            Self::NoGate => say!(
                voice,
                "there is no gate state: the termination is not judged",
                "没有闸门状态：不检查终止状态"
            ),
            Self::BrokenGate(why) => {
                let why = escape(why);
                say!(
                    voice,
                    "the gate state cannot be read: {why}",
                    "无法读取闸门状态：{why}"
                )
            }
            Self::NoStatus => say!(
                voice,
                "the gate state has no status of the termination",
                "闸门状态中没有终止状态"
            ),
            Self::Prose => say!(
                voice,
                "`awaiting_user` is read as `pending`",
                "`awaiting_user` 按 `pending` 读取"
            ),
        }
    }
}

/// Collects faults.
#[derive(Default)]
pub(super) struct Check {
    pub(super) found: Found,
}

/// What an integer must be.
#[derive(Clone, Copy)]
pub(super) enum Least {
    Any,
    Zero,
    One,
}

pub(super) type Object = Map<String, Value>;

impl Check {
    pub(super) fn error(&mut self, path: &str, code: Code) {
        self.found.errors.push(Fault {
            path: path.to_owned(),
            code,
        });
    }

    pub(super) fn warning(&mut self, path: &str, code: Code) {
        self.found.warnings.push(Fault {
            path: path.to_owned(),
            code,
        });
    }

    pub(super) fn missing(&mut self, path: &str, key: &str) {
        self.error(path, Code::Missing(key.to_owned()));
    }

    /// The object that a value must be; a fault if it is none.
    pub(super) fn object<'v>(&mut self, value: &'v Value, path: &str) -> Option<&'v Object> {
        let object = value.as_object();
        if object.is_none() {
            self.error(path, Code::Type("an object"));
        }
        object
    }

    pub(super) fn list<'v>(&mut self, value: &'v Value, path: &str) -> &'v [Value] {
        let list = value.as_array();
        if list.is_none() {
            self.error(path, Code::Type("a list"));
        }
        list.map_or(&[], Vec::as_slice)
    }

    /// Looks for keys; one that is missing is told at the object itself.
    pub(super) fn keys(&mut self, object: &Object, path: &str, keys: &[&str]) {
        for key in keys {
            if !object.contains_key(*key) {
                self.missing(path, key);
            }
        }
    }

    pub(super) fn int(&mut self, value: &Value, path: &str, least: Least) -> Option<i128> {
        let Some(number) = integer(value) else {
            self.error(path, Code::Type("an integer"));
            return None;
        };
        let wanted = match least {
            Least::Zero if number < 0 => "0 or more",
            Least::One if number < 1 => "1 or more",
            Least::Any | Least::Zero | Least::One => return Some(number),
        };
        self.error(path, Code::Range(wanted));
        None
    }

    pub(super) fn bool(&mut self, value: &Value, path: &str) {
        if !value.is_boolean() {
            self.error(path, Code::Type("true or false"));
        }
    }

    pub(super) fn string<'v>(&mut self, value: &'v Value, path: &str) -> Option<&'v str> {
        let text = value.as_str();
        if text.is_none() {
            self.error(path, Code::Type("a string"));
        }
        text
    }

    pub(super) fn optional_string(&mut self, value: &Value, path: &str) {
        if !value.is_null() && !value.is_string() {
            self.error(path, Code::Type("a string or null"));
        }
    }

    pub(super) fn strings(&mut self, value: &Value, path: &str) {
        for (at, item) in self.list(value, path).iter().enumerate() {
            self.string(item, &format!("{path}[{at}]"));
        }
    }

    /// A string that `known` knows.
    pub(super) fn one_of<T>(
        &mut self,
        value: &Value,
        path: &str,
        known: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.string(value, path)?;
        let found = known(text);
        if found.is_none() {
            self.error(path, Code::Value(text.to_owned()));
        }
        found
    }

    /// As [`Check::one_of`]; null will do, too.
    pub(super) fn none_or_one_of<T>(&mut self, value: &Value, path: &str, known: impl Fn(&str) -> Option<T>) {
        if !value.is_null() {
            self.one_of(value, path, known);
        }
    }

    /// An object whose keys all stand, each with an integer of 0 or more.
    pub(super) fn counts(&mut self, value: &Value, path: &str, keys: &[&str]) -> Option<i128> {
        self.integers(value, path, keys, Least::Zero)
    }

    /// An object whose keys all stand, each with an integer; their sum.
    pub(super) fn integers(
        &mut self,
        value: &Value,
        path: &str,
        keys: &[&str],
        least: Least,
    ) -> Option<i128> {
        let object = self.object(value, path)?;
        self.keys(object, path, keys);
        let numbers: Vec<Option<i128>> = keys
            .iter()
            .filter_map(|key| Some((key, object.get(*key)?)))
            .map(|(key, value)| self.int(value, &format!("{path}.{key}"), least))
            .collect();
        let all: Option<Vec<i128>> = numbers.into_iter().collect();
        all.filter(|numbers| numbers.len() == keys.len())
            .map(|numbers| numbers.iter().sum())
    }

    /// A list whose items are objects with these keys.
    pub(super) fn entries(&mut self, value: &Value, path: &str, keys: &[&str]) {
        for (at, item) in self.list(value, path).iter().enumerate() {
            let path = format!("{path}[{at}]");
            if let Some(entry) = self.object(item, &path) {
                self.keys(entry, &path, keys);
            }
        }
    }
}

/// The keys of an object that are no documentation.
pub(super) fn own_keys(object: &Object) -> impl Iterator<Item = (&String, &Value)> {
    object.iter().filter(|(key, _)| !is_comment(key))
}
