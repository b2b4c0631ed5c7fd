//! TAP 13 and 14: test points, subtests, diagnostics in YAML, plans.

use std::collections::HashMap;

use super::case::Titles;
use super::collect::{Collector, Nesting, Test};
use super::document::micros;
use super::error::{Fault, Reason};
use super::format::Format;
use super::lines::Lines;
use super::source::Source;
use crate::ledger::Outcome;
use crate::text::is_blank;

/// Subtests inside of one another.
const DEEPEST: usize = 1000;
/// A subtest is indented by as many blanks.
const INDENT: usize = 4;

/// Whether a line can only be one of TAP.
pub(super) fn is_tap(line: &str) -> bool {
    let is_word = |word: &str| {
        line.strip_prefix(word)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    line.starts_with("TAP version ")
        || line.starts_with("Bail out!")
        || is_word("ok")
        || is_word("not ok")
        || plan(line).is_some()
}

pub(super) fn read(source: &mut Source<'_>, into: &mut Collector<'_>) -> Result<(), Fault> {
    let mut lines = Lines::of(source);
    let mut report = Report {
        into,
        levels: vec![Level::default()],
        titles: Vec::new(),
        point: None,
        yaml: None,
        broken: None,
        is_report: false,
    };
    while let Some(line) = lines.next()? {
        let line = kept(line);
        let went = report.take(line);
        if let Err(reason) = went {
            return Err(lines.fault(reason));
        }
        if report.is_over() {
            break;
        }
    }
    if !report.is_report {
        return Err(lines.fault(Reason::NotOfFormat(Format::Tap)));
    }
    report.end();
    Ok(())
}

/// The beginning of a line: what is longer holds no name.
fn kept(line: &str) -> &str {
    const KEPT: usize = 64 << 10;
    let end = (line.len().min(KEPT)..=line.len()).find(|end| line.is_char_boundary(*end));
    &line[..end.unwrap_or(line.len())]
}

/// The points of one stream: the whole, or a subtest.
#[derive(Default)]
struct Level {
    planned: Option<u64>,
    points: u64,
    /// Whether a point of a subtest of the next point has failed.
    has_failed_inside: bool,
    has_failed: bool,
    /// What the next subtest says it is.
    subtest: Option<String>,
}

/// A test point whose diagnostics may still come.
struct Point {
    level: usize,
    name: String,
    outcome: Outcome,
    is_echo: bool,
    micros: Option<u64>,
    message: String,
}

struct Report<'c, 'k> {
    into: &'c mut Collector<'k>,
    levels: Vec<Level>,
    /// Of the subtests that are open.
    titles: Vec<String>,
    point: Option<Point>,
    yaml: Option<Yaml>,
    /// The first thing that kept the run from its plan.
    broken: Option<String>,
    is_report: bool,
}

/// The diagnostics of a point while they are read.
struct Yaml {
    indent: usize,
    /// The message is on the lines that follow.
    is_block: bool,
    values: HashMap<&'static str, String>,
}

impl Report<'_, '_> {
    fn take(&mut self, line: &str) -> Result<(), Reason> {
        if self.take_yaml(line) {
            return Ok(());
        }
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        if self
            .point
            .as_ref()
            .is_some_and(|point| indent == point.level * INDENT + 2)
            && text.trim_end() == "---"
        {
            self.yaml = Some(Yaml {
                indent,
                is_block: false,
                values: HashMap::new(),
            });
            return Ok(());
        }
        let level = indent / INDENT;
        if let Some(title) = text
            .strip_prefix("# Subtest: ")
            .or_else(|| text.strip_prefix("# Subtest:"))
        {
            self.enter(level)?;
            self.name_subtest(level, unescaped(title.trim()));
            return Ok(());
        }
        if !is_tap(text) || !indent.is_multiple_of(INDENT) {
            return Ok(());
        }
        self.is_report = true;
        if let Some(why) = text.strip_prefix("Bail out!") {
            self.tell_point();
            self.broken.get_or_insert_with(|| format!("Bail out!{why}"));
        } else if let Some(planned) = plan(text) {
            self.enter(level)?;
            self.levels[level].planned = Some(planned);
        } else if let Some(rest) = text.strip_prefix("not ok") {
            self.enter(level)?;
            self.begin(level, rest, Outcome::Fail);
        } else if let Some(rest) = text.strip_prefix("ok") {
            self.enter(level)?;
            self.begin(level, rest, Outcome::Pass);
        }
        Ok(())
    }

    /// The title is of the subtest that follows. Older writers indent it as what is in the subtest, which has none yet.
    fn name_subtest(&mut self, level: usize, title: String) {
        let is_first = self.levels[level].points == 0;
        match level.checked_sub(1).map(|around| &mut self.titles[around]) {
            Some(around) if is_first && around.is_empty() => *around = title,
            Some(_) | None => self.levels[level].subtest = Some(title),
        }
    }

    fn is_over(&self) -> bool {
        self.broken
            .as_ref()
            .is_some_and(|why| why.starts_with("Bail out!"))
    }

    /// Goes to a level: deeper ones are over, missing ones begin.
    fn enter(&mut self, level: usize) -> Result<(), Reason> {
        if level >= DEEPEST {
            return Err(Reason::TooDeep);
        }
        self.tell_point();
        while self.levels.len() > level + 1 {
            self.leave();
        }
        while self.levels.len() <= level {
            let title = self.levels.last_mut().and_then(|above| above.subtest.take());
            self.titles.push(title.unwrap_or_default());
            self.levels.push(Level::default());
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.titles.pop();
        if let Some(level) = self.levels.pop() {
            self.check_plan(&level);
            if let Some(above) = self.levels.last_mut() {
                above.has_failed_inside |= level.has_failed;
            }
        }
    }

    fn check_plan(&mut self, level: &Level) {
        let points = level.points;
        let why = match level.planned {
            Some(planned) if planned == points => return,
            Some(planned) => format!("{planned} tests were planned, {points} were run"),
            None => format!("no plan, {points} tests were run"),
        };
        self.broken.get_or_insert(why);
    }

    fn begin(&mut self, level: usize, rest: &str, outcome: Outcome) {
        let here = &mut self.levels[level];
        here.points += 1;
        here.subtest = None;
        let has_failed_inside = std::mem::take(&mut here.has_failed_inside);
        let (description, directive) = split_directive(rest);
        let description = description.trim();
        let unnumbered = description
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start();
        let own = unescaped(unnumbered.strip_prefix('-').unwrap_or(unnumbered).trim());
        let name = if own.is_empty() {
            format!("test {}", here.points)
        } else {
            own
        };
        let mut point = Point {
            level,
            name,
            outcome,
            is_echo: has_failed_inside,
            micros: None,
            message: String::new(),
        };
        match directive {
            Some(Directive::Skipped) => point.outcome = Outcome::Skip,
            Some(Directive::Took(taken)) => point.micros = Some(taken),
            None => {}
        }
        here.has_failed |= point.outcome == Outcome::Fail;
        self.point = Some(point);
    }

    /// Takes a line of diagnostics, if one is open.
    fn take_yaml(&mut self, line: &str) -> bool {
        let Some(yaml) = &mut self.yaml else { return false };
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        if indent < yaml.indent && !is_blank(line) {
            // They were never closed.
            self.yaml = None;
            return false;
        }
        if indent == yaml.indent && text.trim_end() == "..." {
            self.close_yaml();
        } else if indent == yaml.indent {
            yaml.take_key(text);
        } else if yaml.is_block && !is_blank(text) {
            yaml.values.insert("message", text.to_owned());
            yaml.is_block = false;
        }
        true
    }

    fn close_yaml(&mut self) {
        if let (Some(yaml), Some(point)) = (self.yaml.take(), &mut self.point) {
            let taken = yaml
                .values
                .get("duration_ms")
                .and_then(|millis| millis.parse().ok());
            let taken = taken.and_then(|millis: f64| micros(millis / 1000.0));
            point.micros = taken.or(point.micros);
            point.message = yaml.values.get("message").cloned().unwrap_or_default();
        }
    }

    /// The last point has all that belongs to it.
    fn tell_point(&mut self) {
        self.close_yaml();
        let Some(point) = self.point.take() else { return };
        self.into.test(&Test {
            name: &point.name,
            titles: Titles::of(&self.titles),
            explicit: "",
            outcome: point.outcome,
            micros: point.micros,
            message: &point.message,
            ended: None,
            nesting: Nesting {
                is_inside: true,
                is_echo: point.is_echo,
            },
        });
    }

    fn end(&mut self) {
        self.tell_point();
        while self.levels.len() > 1 {
            self.leave();
        }
        if let Some(whole) = self.levels.pop() {
            self.check_plan(&whole);
        }
        if let Some(why) = &self.broken {
            self.into.failure("the plan", why);
        }
    }
}

impl Yaml {
    fn take_key(&mut self, text: &str) {
        self.is_block = false;
        let Some((key, value)) = text.split_once(':') else {
            return;
        };
        let value = value.trim();
        match key {
            "duration_ms" => drop(self.values.insert("duration_ms", value.to_owned())),
            "message" | "error" if !self.values.contains_key("message") => {
                if value.starts_with(['|', '>']) {
                    self.is_block = true;
                } else {
                    let bare = value.trim_matches(['\'', '"']);
                    self.values.insert("message", bare.to_owned());
                }
            }
            _ => {}
        }
    }
}

enum Directive {
    Skipped,
    Took(u64),
}

/// A description, and the directive behind its last unescaped `#`.
fn split_directive(text: &str) -> (&str, Option<Directive>) {
    let mut hashes = text.match_indices('#').map(|(at, _)| at);
    let is_free = |at: &usize| {
        let before = &text[..*at];
        let escapes = before.len() - before.trim_end_matches('\\').len();
        escapes.is_multiple_of(2) && (before.is_empty() || before.ends_with(' '))
    };
    while let Some(at) = hashes.find(is_free) {
        let words = text[at + 1..].trim_start();
        let begins = |word: &str| {
            words
                .get(..word.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        if begins("skip") || begins("todo") {
            return (&text[..at], Some(Directive::Skipped));
        }
        let millis = words
            .strip_prefix("time=")
            .and_then(|time| time.trim_end().strip_suffix("ms"));
        if let Some(taken) = millis.and_then(|millis| micros(millis.parse::<f64>().ok()? / 1000.0)) {
            return (&text[..at], Some(Directive::Took(taken)));
        }
    }
    (text, None)
}

/// The number of tests that a plan names.
fn plan(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("1..")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = rest.split_at(digits);
    let is_end = rest.trim_start().is_empty() || rest.trim_start().starts_with('#');
    number.parse().ok().filter(|_| is_end)
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_escape = c == '\\' && matches!(chars.peek(), Some('#' | '\\'));
        out.extend(if is_escape { chars.next() } else { Some(c) });
    }
    out
}
