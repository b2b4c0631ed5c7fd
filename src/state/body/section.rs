//! The sections of a state document and what is appended to them (state.md 3.1, 14).

use super::headings::closing_fence;
use super::{Body, Heading, section, with_line_end};
use crate::text::{Span, is_space};

impl Body {
    /// The position section, as readers see it.
    pub fn position(&self) -> Option<Span> {
        let at = self.position_heading()?;
        let level = self.headings()[at].level;
        Some(section(self.text(), self.headings(), at, |next| next <= level))
    }

    /// The part of the position section that writers touch.
    pub fn position_own(&self) -> Option<Span> {
        let at = self.position_heading()?;
        Some(section(self.text(), self.headings(), at, |next| next >= 2))
    }

    fn position_heading(&self) -> Option<usize> {
        self.heading(|heading| (2..=3).contains(&heading.level), &["Current Position"])
    }

    /// The session section.
    pub fn session(&self) -> Option<Span> {
        let is_second = |heading: &Heading| heading.level == 2;
        let at = self
            .heading(is_second, &["Session"])
            .or_else(|| self.heading(is_second, &["Session Continuity"]))?;
        Some(section(self.text(), self.headings(), at, |next| next <= 2))
    }

    /// The content of the first section of a level that has a name, up to the next heading of its own or a higher level.
    pub fn section_named(&self, level: usize, name: &str) -> Option<Span> {
        let at = self.heading(|heading| heading.level == level, &[name])?;
        Some(section(self.text(), self.headings(), at, |next| next <= level))
    }

    /// The first heading of a kind that has one of some names.
    pub fn heading(&self, is_kind: impl Fn(&Heading) -> bool, names: &[&str]) -> Option<usize> {
        self.headings().iter().position(|heading| {
            is_kind(heading) && names.iter().any(|name| heading.is_named(self.text(), name))
        })
    }

    /// Puts new lines in place of what a section holds, set off from what stands around it.
    pub fn replace_content(&mut self, span: Span, lines: &[String]) {
        let end = self.line_end();
        let mut content = String::from(end);
        for line in lines {
            content.push_str(&with_line_end(line, end));
            content.push_str(end);
        }
        if span.end < self.text().len() {
            content.push_str(end);
        }
        self.splice(span, &content);
    }

    /// Appends a section to the end of the document.
    pub fn append_section(&mut self, heading: &str, lines: &[String]) {
        let end = self.line_end();
        let kept = self.text().trim_end_matches(is_space).len();
        let mut content = String::new();
        // In a code fence that nobody closed it would be no section.
        if let Some(fence) = closing_fence(&self.text()[..kept]) {
            content.push_str(end);
            content.push_str(&fence);
        }
        if kept > 0 {
            content.push_str(end);
            content.push_str(end);
        }
        content.push_str(heading);
        content.push_str(end);
        content.push_str(end);
        for line in lines {
            content.push_str(&with_line_end(line, end));
            content.push_str(end);
        }
        self.splice(Span::new(kept, self.text().len()), &content);
    }

    /// Adds lines at the end of what a section holds, right below its last line that is not blank.
    pub fn append_lines(&mut self, span: Span, lines: &[String]) {
        let end = self.line_end();
        let content = self.slice(span);
        let kept = content.trim_end_matches(is_space);
        let at = span.start + kept.len();
        let mut added = String::new();
        if kept.trim_start_matches(is_space).is_empty() {
            // Below the heading, after an empty line.
            return self.replace_content(span, lines);
        }
        // In a code fence that nobody closed they would be code.
        let fence = closing_fence(kept);
        for line in fence.iter().chain(lines) {
            added.push_str(end);
            added.push_str(&with_line_end(line, end));
        }
        if self.text()[at..].is_empty() {
            added.push_str(end);
        }
        self.splice(Span::new(at, at), &added);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_after_a_fence_that_nobody_closed_is_a_section() {
        let mut body = Body::new("# S\r\n\r\n~~~~md\r\n## Log\r\n");
        body.append_section("## Decisions", &["- one".to_owned()]);
        assert_eq!(
            body.text(),
            "# S\r\n\r\n~~~~md\r\n## Log\r\n~~~~\r\n\r\n## Decisions\r\n\r\n- one\r\n"
        );
        assert!(body.section_named(2, "Decisions").is_some() && body.section_named(2, "Log").is_none());
        let mut body = Body::new("## Log\n```\n- one\n");
        let log = body.section_named(2, "Log").expect("there");
        body.append_lines(log, &["- two".to_owned()]);
        assert_eq!(body.text(), "## Log\n```\n- one\n```\n- two\n");
    }
}
