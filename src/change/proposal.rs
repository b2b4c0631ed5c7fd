//! proposal.md: the module it names and its deployment decision (change.md 2.3 and L5).

use std::sync::LazyLock;

use regex::Regex;

use super::headings::{self, Words};
use super::template;
use crate::markdown::Document;
use crate::text::{Bytes, Span, decode, each_line, is_blank, is_space, js, splice, trim};

static MODULE: LazyLock<Regex> =
    LazyLock::new(|| js(r"^>\s*(?i-u:module):\s*((?i-u:[a-z][a-z0-9-]*))\s*(\|.*)?$"));
static LEVEL_TWO: LazyLock<Regex> = LazyLock::new(|| js(r"^##\s+"));
static FIELD: LazyLock<Regex> = LazyLock::new(|| js(r"^-\s*([^:：]*?)\s*[：:]\s*(.+)$"));
/// Both answers at once: nothing is decided.
static OPEN: LazyLock<Regex> = LazyLock::new(|| js(r"^(?:是\s*/\s*否|(?i-u:yes)\s*/\s*(?i-u:no))$"));

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

    /// The line of a heading, in either language, outside fences and comments.
    pub fn heading_line(&self, heading: &Words) -> Option<usize> {
        self.document
            .unmasked(self.document.all_lines())
            .find(|(_, text)| heading.is(trim(text)))
            .map(|(line, _)| line)
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
        self.deployment()?.is_required()
    }

    /// Its section about deployment, if it has one (flow.md 7.5). Fences are not looked at.
    pub fn deployment(&self) -> Option<DeploymentSection> {
        let bytes = self.bytes();
        let mut all = each_line(bytes).map(|line| decode(line.span.of(bytes)));
        all.find(|line| headings::DEPLOYMENT.is(trim(line)))?;
        let section = all.take_while(|line| !LEVEL_TWO.is_match(line));
        let fields = section.filter_map(|line| {
            let found = FIELD.captures(&line)?;
            Some((found[1].to_owned(), trim(&found[2]).to_owned()))
        });
        Some(DeploymentSection {
            fields: fields.collect(),
        })
    }

    /// Whether everything that the template asks for was answered (flow.md 7.2).
    pub fn is_filled(&self) -> bool {
        let text = decode(self.bytes());
        let has = |words: &Words| text.contains(words.chinese) || text.contains(words.english);
        !is_blank(&text)
            && REQUIRED_HEADINGS.iter().all(has)
            && !template::PLACEHOLDERS.iter().any(has)
            && self.deployment().is_none_or(|section| section.is_filled())
    }
}

/// Headings without which a proposal is not filled.
const REQUIRED_HEADINGS: [Words; 4] = [
    headings::REASON,
    headings::CHANGE_TYPE,
    headings::SCOPE,
    headings::SUMMARY,
];

/// Decisions that the template leaves open.
const DECISIONS: [Words; 4] = [
    headings::DEPLOYMENT_REQUIRED,
    headings::DATA_MIGRATION,
    headings::ROLLBACK,
    headings::SMOKE,
];

/// The fields of a proposal's section about deployment, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeploymentSection {
    /// Label and trimmed value.
    fields: Vec<(String, String)>,
}

impl DeploymentSection {
    /// The first field with this label, and whether the label is the English one; an empty value is none.
    fn field(&self, label: &Words) -> Option<(&str, bool)> {
        let (found, value) = self.fields.iter().find(|(found, _)| label.is(found))?;
        (!value.is_empty()).then_some((value, found == label.english))
    }

    /// Whether the change is deployed; none if it is not decided.
    pub fn is_required(&self) -> Option<bool> {
        self.decision(&headings::DEPLOYMENT_REQUIRED)
    }

    /// What the proposal decides. English answers belong to the English label (flow.md 21, row 1).
    fn decision(&self, label: &Words) -> Option<bool> {
        let (value, english) = self.field(label)?;
        match value {
            "是" => Some(true),
            "否" => Some(false),
            word if english && word.eq_ignore_ascii_case("yes") => Some(true),
            word if english && word.eq_ignore_ascii_case("no") => Some(false),
            _ => None,
        }
    }

    /// Whether the change is smoke-tested; none if it is not decided.
    pub fn smoke_required(&self) -> Option<bool> {
        self.decision(&headings::SMOKE)
    }

    /// Why it is deployed or not; the template's place holder is no reason.
    pub fn reason(&self) -> Option<&str> {
        let (reason, _) = self.field(&headings::DEPLOYMENT_REASON)?;
        (!template::DEPLOYMENT_REASON.is(reason)).then_some(reason)
    }

    fn is_filled(&self) -> bool {
        let open = |label: &Words| self.field(label).is_some_and(|(value, _)| OPEN.is_match(value));
        let is = |label: &Words, placeholder: &Words| {
            self.field(label).is_some_and(|(value, _)| placeholder.is(value))
        };
        !DECISIONS.iter().any(open)
            && !is(&headings::DEPLOYMENT_REASON, &template::DEPLOYMENT_REASON)
            && !is(&headings::ENVIRONMENTS, &template::ENVIRONMENTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voice::Language;

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
    fn a_proposal_is_filled_when_no_place_holder_is_left() {
        for language in [Language::English, Language::Chinese] {
            let pick = |words: Words| words.of(language);
            let template = template::proposal(language, "x", "core", "2026-01-02");
            let filled = |text: &str| Proposal::read(text.as_bytes().to_vec()).is_filled();
            assert!(!filled(&template));
            let mut text = template;
            for words in [
                template::REASON,
                template::CHANGE_TYPE,
                template::LIST,
                template::SUMMARY,
                template::DEPLOYMENT_REASON,
                template::ENVIRONMENTS,
            ] {
                assert!(!filled(&text), "before {words:?}");
                text = text.replace(pick(words), "as it is");
            }
            assert!(!filled(&text), "the decisions are open");
            let decided = text.replace(pick(template::UNDECIDED), "是");
            assert!(filled(&decided));
            assert!(!filled(&decided.replacen(pick(headings::SUMMARY), "## Other", 1)));
        }
        assert!(!Proposal::read("\u{feff} \n".as_bytes().to_vec()).is_filled());
    }

    #[test]
    fn the_first_field_of_a_label_counts_and_an_empty_one_is_none() {
        let section = |text: &str| {
            Proposal::read(text.as_bytes().to_vec())
                .deployment()
                .expect("there")
        };
        let read = section(
            "## Deployment Impact\n- Smoke required: no\n- Smoke required: yes\n- 部署原因：[说明为什么需要或不需要部署]\n",
        );
        assert_eq!((read.smoke_required(), read.reason()), (Some(false), None));
        assert_eq!(section("## 部署影响\n- 部署原因：  x \n").reason(), Some("x"));
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
