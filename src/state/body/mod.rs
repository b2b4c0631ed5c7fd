//! The body of STATE.md: its sections and fields (state.md 3). It is never written anew: values are replaced in place.

mod field;
mod headings;
mod section;

use std::cell::OnceCell;

pub use field::{Field, Form};
pub use headings::{Heading, OpenLine, headings, open_lines, section};

use crate::text::{Span, is_blank, trim};

/// A field, and where it is looked for (state.md 3.2, "Scope").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The position section, nowhere else if there is one.
    Position,
    /// The position section, else the whole body.
    PositionFirst,
    /// The session section if there is one.
    Session,
    Body,
}

impl Scope {
    /// The scope of a label; case does not count.
    pub fn of(label: &str) -> Self {
        let is = |name: &str| label.eq_ignore_ascii_case(name);
        if is("Phase") {
            Self::Position
        } else if ["Plan", "Status", "Last activity", "Progress"]
            .into_iter()
            .any(is)
        {
            Self::PositionFirst
        } else if is("Stopped at") || is("Paused at") {
            Self::Session
        } else {
            Self::Body
        }
    }
}

/// A value that cannot stand where it was to be written: its form would end in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    pub label: String,
    pub value: String,
}

/// The text of a body with what was found in it.
#[derive(Clone, Debug)]
pub struct Body {
    text: String,
    line_end: &'static str,
    headings: OnceCell<Vec<Heading>>,
    unfit: Option<Unfit>,
}

impl Body {
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            line_end: line_end(&text),
            text,
            headings: OnceCell::new(),
            unfit: None,
        }
    }

    /// The body of a document that has more lines than these.
    pub fn of(text: &str, document: &str) -> Self {
        Self {
            line_end: line_end(document),
            ..Self::new(text)
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first value that could not be written.
    pub fn unfit(&self) -> Option<&Unfit> {
        self.unfit.as_ref()
    }

    pub fn headings(&self) -> &[Heading] {
        self.headings.get_or_init(|| headings(&self.text))
    }

    pub fn slice(&self, span: Span) -> &str {
        &self.text[span.start..span.end]
    }

    fn whole(&self) -> Span {
        Span::new(0, self.text.len())
    }

    /// The line end of the document, for lines that are added.
    pub fn line_end(&self) -> &'static str {
        self.line_end
    }

    /// Replaces a part of the text.
    pub fn splice(&mut self, span: Span, new: &str) {
        if self.slice(span) != new {
            self.text.replace_range(span.start..span.end, new);
            self.headings = OnceCell::new();
        }
    }

    /// The parts of the text that a label is looked for in, one after the other.
    fn places(&self, scope: Scope) -> Vec<Span> {
        let section = match scope {
            Scope::Position | Scope::PositionFirst => self.position(),
            Scope::Session => self.session(),
            Scope::Body => None,
        };
        match (section, scope) {
            (Some(position), Scope::PositionFirst) => vec![position, self.whole()],
            (Some(section), _) => vec![section],
            (None, _) => vec![self.whole()],
        }
    }

    fn find(&self, label: &str) -> Option<Field> {
        self.places(Scope::of(label))
            .into_iter()
            .find_map(|place| field::find(&self.text, place, label))
    }

    /// As [`Body::find`]; a label with nothing behind it is one, too.
    fn find_to_fill(&self, places: &[Span], label: &str) -> Option<(Field, bool)> {
        let filled = places
            .iter()
            .find_map(|place| field::find(&self.text, *place, label));
        let bare = || {
            places
                .iter()
                .find_map(|place| field::find_bare(&self.text, *place, label))
        };
        filled
            .map(|field| (field, true))
            .or_else(|| Some((bare()?, false)))
    }

    /// The form in which a field stands that can be set.
    pub fn form(&self, label: &str) -> Option<Form> {
        self.find_to_fill(&self.places(Scope::of(label)), label)
            .map(|(field, _)| field.form)
    }

    /// The value of a field in its scope; empty and absent differ.
    pub fn value(&self, label: &str) -> Option<&str> {
        self.find(label).map(|field| self.slice(field.value))
    }

    /// The value of the first of several fields that is there, even an empty one.
    pub fn first_of(&self, labels: &[&str]) -> Option<&str> {
        labels.iter().find_map(|label| self.value(label))
    }

    /// The value of a field in one part of the text.
    pub fn value_in(&self, within: Span, label: &str) -> Option<&str> {
        field::find(&self.text, within, label).map(|field| self.slice(field.value))
    }

    /// Replaces the value of a field; whether there is one.
    pub fn set(&mut self, label: &str, new: &str) -> bool {
        let places = self.places(Scope::of(label));
        self.set_in_first(&places, label, new)
    }

    /// As [`Body::set`], where the present value is absent, blank or one that may be replaced; whether there is a field.
    pub fn set_if(&mut self, label: &str, new: &str, may_be_replaced: fn(&str) -> bool) -> bool {
        match self.value(label) {
            Some(value) if !is_blank(value) && !may_be_replaced(value) => true,
            Some(_) | None => self.set(label, new),
        }
    }

    /// The line that a field stands in which can be set.
    pub fn line_of(&self, label: &str) -> Option<&str> {
        let (field, _) = self.find_to_fill(&self.places(Scope::of(label)), label)?;
        let at = field.value.start;
        let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        self.text[start..].lines().next()
    }

    /// As [`Body::set`], in the part of the position that writers touch.
    pub fn set_in_position(&mut self, label: &str, new: &str) -> bool {
        match self.position_own() {
            Some(position) => self.set_in_first(&[position], label, new),
            None => false,
        }
    }

    fn set_in_first(&mut self, places: &[Span], label: &str, new: &str) -> bool {
        // A value is read without the blanks around it; written with them they would be more at every write.
        let new = trim(new);
        match self.find_to_fill(places, label) {
            Some((field, true)) => {
                if self.check(label, new, field.form) {
                    self.replace(field, new);
                }
                true
            }
            Some((Field { form, value }, false)) => {
                if self.check(label, new, form) && !is_blank(new) {
                    self.splice(value, &format!(" {new}"));
                }
                true
            }
            None => false,
        }
    }

    fn replace(&mut self, field: Field, new: &str) {
        let before = self.text[..field.value.start].chars().next_back();
        let after = self.text[field.value.end..].chars().next();
        // An empty cell or a bare `Label:` gets its blanks with its value; beside a value every byte stays.
        let fills = field.value.start == field.value.end && !new.is_empty();
        let lead = fills && matches!(before, Some('|' | ':' | '*'));
        let tail = fills && field.form == Form::Table && after == Some('|');
        let new = format!(
            "{}{new}{}",
            if lead { " " } else { "" },
            if tail { " " } else { "" }
        );
        self.splice(field.value, &new);
    }

    /// Whether a value can be read again where it is to stand; if not, that is remembered.
    fn check(&mut self, label: &str, new: &str, form: Form) -> bool {
        let breaks = new.contains(['\n', '\r']) || (form == Form::Table && new.contains('|'));
        if breaks && self.unfit.is_none() {
            self.unfit = Some(Unfit {
                label: label.to_owned(),
                value: new.to_owned(),
            });
        }
        !breaks
    }
}

/// A text of several lines with other line ends.
fn with_line_end(text: &str, end: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', end)
}

fn line_end(text: &str) -> &'static str {
    if crate::text::line_end(text.as_bytes()) == b"\r\n" {
        "\r\n"
    } else {
        "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "# S\n\nStatus: old\n**Phase:** 9\n\n## Current Position\n\nPhase: 1 of 2 (Keel)\nPlan:\n| Status | x |\n\n### Notes\n\nPlan: 7\n\n## Session\n\nStopped at: here\n\n## Archive\n\n**Stopped At:** there\n**Plan:** 5\n";

    #[test]
    fn fields_are_looked_for_in_their_section() {
        let body = Body::new(DOCUMENT);
        assert_eq!(body.value("Phase"), Some("1 of 2 (Keel)"));
        assert_eq!(body.value("status"), Some("x"));
        assert_eq!(body.value("Plan"), Some("7"));
        assert_eq!(body.value("Stopped At"), Some("here"));
        assert_eq!(body.value("Last activity"), None);
        let none = Body::new("Status: a\n\n## Current Position\n\nno fields\n");
        assert_eq!(none.value("Status"), Some("a"));
        assert_eq!(
            Body::new("Phase: 1\n\n## Current Position\n").value("Phase"),
            None
        );
    }

    #[test]
    fn a_writer_changes_what_the_reader_reads() {
        let mut body = Body::new(DOCUMENT);
        assert!(body.set("Status", "y & $1 \\1"));
        assert!(body.set("Stopped at", "elsewhere"));
        assert!(!body.set("Progress", "1%"));
        assert!(body.set_in_position("Plan", "1 of 3"));
        let expected = DOCUMENT
            .replace("| x |", "| y & $1 \\1 |")
            .replace("at: here", "at: elsewhere")
            .replace("Plan:\n", "Plan: 1 of 3\n");
        assert_eq!(body.text(), expected);
    }

    #[test]
    fn empty_values_are_filled() {
        for (text, expected) in [
            ("**Plan:**   \n", "**Plan:**   x\n"),
            ("**Plan:**\n", "**Plan:** x\n"),
            ("Plan: \r\n", "Plan: x\r\n"),
            ("| Plan | |\n", "| Plan | x |\n"),
            ("| Plan ||\n", "| Plan | x |\n"),
            ("| Plan |   |\n", "| Plan | x  |\n"),
            ("| Plan |1|\n", "| Plan |x|\n"),
        ] {
            let mut body = Body::new(text);
            assert!(body.set("Plan", " x "), "{text}");
            assert_eq!(body.text(), expected);
            assert_eq!(body.value("plan"), Some("x"));
        }
    }

    #[test]
    fn what_would_break_its_form_is_refused() {
        let mut body = Body::new("| Plan | 1 |\nStatus: a\n");
        assert!(body.set("Plan", "a|b"));
        assert_eq!(body.unfit().map(|unfit| unfit.value.as_str()), Some("a|b"));
        assert!(body.set("Status", "a\nb"));
        assert_eq!(body.text(), "| Plan | 1 |\nStatus: a\n");
    }
}
