//! proposal.md: the module it names and its deployment decision (change.md 2.3 and L5).

use std::sync::LazyLock;

use regex::Regex;

use super::headings;
use crate::markdown::Document;
use crate::text::{Bytes, Span, decode, is_space, js, lines, splice, trim};

static MODULE: LazyLock<Regex> =
    LazyLock::new(|| js(r"^>\s*(?i-u:module):\s*((?i-u:[a-z][a-z0-9-]*))\s*(\|.*)?$"));
static LEVEL_TWO: LazyLock<Regex> = LazyLock::new(|| js(r"^##\s+"));
static FIELD: LazyLock<Regex> = LazyLock::new(|| js(r"^-\s*([^:：]*?)\s*[：:]\s*(.+)$"));

/// The proposal of a change, scanned.
#[derive(Clone, Debug)]
pub struct Proposal {
    document: Document,
}

impl Proposal {
    pub fn read(bytes: Bytes) -> Self {
        Self {
            document: Document::scan(bytes),
        }
    }

    pub fn document(&self) -> &Document {
        &self.document
    }

    pub fn bytes(&self) -> &[u8] {
        self.document.bytes()
    }

    /// The module its header names, as written.
    pub fn module(&self) -> Option<String> {
        let header = |text: &str| MODULE.captures(trim(text)).map(|found| found[1].to_owned());
        self.document
            .unmasked(self.document.all_lines())
            .find_map(|(_, text)| header(&text))
    }

    /// The proposal with another module in its header; none if the header does not name `old`.
    pub fn with_module(bytes: &[u8], old: &str, new: &str) -> Option<Bytes> {
        let proposal = Self::read(bytes.to_vec());
        let document = proposal.document();
        let place = document.unmasked(document.all_lines()).find_map(|(line, text)| {
            let indent = text.len() - text.trim_start_matches(is_space).len();
            let named = MODULE.captures(trim(&text))?.get(1)?.range();
            let start = document.span(line..line + 1).start + indent + named.start;
            Some(Span::new(start, start + named.len()))
        })?;
        (place.of(bytes) == old.as_bytes()).then(|| splice(bytes, &[(place, new.as_bytes().to_vec())]))
    }

    /// Whether it says that the change is deployed; none if it does not decide. Fences are not looked at.
    pub fn deployment_required(&self) -> Option<bool> {
        let bytes = self.bytes();
        let mut all = lines(bytes).into_iter().map(|line| decode(line.span.of(bytes)));
        all.find(|line| headings::DEPLOYMENT.is(trim(line)))?;
        let section = all.take_while(|line| !LEVEL_TWO.is_match(line));
        let (label, value) = section
            .filter_map(|line| {
                FIELD
                    .captures(&line)
                    .map(|found| (found[1].to_owned(), found[2].to_owned()))
            })
            .find(|(label, _)| headings::DEPLOYMENT_REQUIRED.is(label))?;
        // English answers belong to the English label (flow.md 21, row 1).
        let english = label == headings::DEPLOYMENT_REQUIRED.english;
        match trim(&value) {
            "是" => Some(true),
            "否" => Some(false),
            word if english && word.eq_ignore_ascii_case("yes") => Some(true),
            word if english && word.eq_ignore_ascii_case("no") => Some(false),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(field: &str) -> Option<bool> {
        Proposal::read(format!("## 部署影响\n\n{field}\n").into_bytes()).deployment_required()
    }

    #[test]
    fn another_module_comes_into_the_header_and_nowhere_else() {
        let with = |text: &str| Proposal::with_module(text.as_bytes(), "tide", "swell");
        let text =
            "# t\r\n```\r\n> module: tide\r\n```\r\n > Module: tide | created: x\r\n> module: tide\r\n";
        let at = text.find("Module: tide").expect("it is there") + "Module: ".len();
        let expected = format!("{}swell{}", &text[..at], &text[at + 4..]);
        assert_eq!(with(text), Some(expected.into_bytes()));
        assert_eq!(with("> module: tide-gauge\n> module: tide\n"), None);
    }

    #[test]
    fn english_answers_belong_to_the_english_label() {
        assert_eq!(decision("- 是否需要部署：是"), Some(true));
        assert_eq!(decision("-是否需要部署 : 否 "), Some(false));
        assert_eq!(decision("- 是否需要部署：yes"), None);
        assert_eq!(decision("- Deployment required: YES"), Some(true));
        assert_eq!(decision("- Deployment required: yes / no"), None);
    }
}
