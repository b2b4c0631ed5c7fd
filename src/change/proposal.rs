//! proposal.md: the module it names and its deployment decision (change.md 2.3 and L5).

use std::sync::LazyLock;

use regex::Regex;

use super::headings;
use crate::markdown::Document;
use crate::text::{Bytes, decode, js, lines, trim};

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
    fn english_answers_belong_to_the_english_label() {
        assert_eq!(decision("- 是否需要部署：是"), Some(true));
        assert_eq!(decision("-是否需要部署 : 否 "), Some(false));
        assert_eq!(decision("- 是否需要部署：yes"), None);
        assert_eq!(decision("- Deployment required: YES"), Some(true));
        assert_eq!(decision("- Deployment required: yes / no"), None);
    }
}
