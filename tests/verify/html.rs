//! A page of HTML, read as strictly as XML, and what must hold of every one.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use quick_xml::Reader;
use quick_xml::escape::{resolve_predefined_entity, unescape};
use quick_xml::events::{BytesStart, Event};

/// A page, read by somebody who forgives nothing.
#[derive(Default)]
pub(crate) struct Page {
    /// What a reader sees of the body, a line per element that is a line.
    pub(crate) text: String,
    /// The start tags, each with its attributes.
    tags: Vec<(String, Vec<(String, String)>)>,
    style: String,
    /// The tags and the style: all but the text.
    markup: String,
}

impl Page {
    #[track_caller]
    pub(crate) fn read(html: &str) -> Self {
        assert!(html.starts_with("<!DOCTYPE html>\n<html lang="), "{html}");
        let mut reader = Reader::from_str(html);
        reader.config_mut().check_end_names = true;
        reader.config_mut().allow_unmatched_ends = false;
        let (mut page, mut open, mut roots) = (Self::default(), Vec::new(), 0);
        loop {
            let event = reader.read_event().unwrap_or_else(|e| panic!("{e}: {html}"));
            match &event {
                Event::Start(tag) => {
                    roots += usize::from(open.is_empty());
                    open.push(page.tag(tag));
                }
                Event::Empty(tag) => {
                    page.tag(tag);
                    page.text.push('\n');
                }
                Event::End(_) => {
                    let name = open.pop().expect("something is open");
                    if !matches!(name.as_str(), "strong" | "span") {
                        page.text.push('\n');
                    }
                }
                Event::Text(text) => {
                    let text = text.to_string();
                    if open.last().is_some_and(|name| name == "style") {
                        page.style += &text;
                        page.markup += &text;
                    } else {
                        assert!(!text.contains(['"', '\'']), "{text:?} has a bare quote");
                        page.text += &text;
                    }
                }
                Event::GeneralRef(name) => {
                    let name = name.to_string();
                    let known = resolve_predefined_entity(&name).map(str::to_owned);
                    let found =
                        known.unwrap_or_else(|| unescape(&format!("&{name};")).expect("a number").into());
                    page.text += &found;
                }
                Event::DocType(_) => assert!(open.is_empty() && roots == 0, "{html}"),
                Event::Eof => break,
                Event::CData(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {
                    panic!("{event:?} is nothing that a page needs")
                }
            }
        }
        assert!(open.is_empty() && roots == 1, "{open:?}: {html}");
        page
    }

    fn tag(&mut self, tag: &BytesStart<'_>) -> String {
        let name = tag.name().as_ref().to_owned();
        write!(self.markup, "<{name}").expect("memory");
        let mut attributes = Vec::new();
        // A name that is given twice is an error.
        for attribute in tag.attributes() {
            let attribute = attribute.expect("well-formed");
            assert!(!attribute.value.contains('<'), "{}", attribute.value);
            attributes.push((attribute.key.as_ref().to_owned(), attribute.value.into_owned()));
        }
        for (key, value) in &attributes {
            write!(self.markup, " {key}={value}").expect("memory");
        }
        self.markup.push('>');
        self.tags.push((name.clone(), attributes));
        name
    }

    fn count(&self, name: &str) -> usize {
        self.tags.iter().filter(|(tag, _)| tag == name).count()
    }

    pub(crate) fn lines(&self) -> BTreeSet<&str> {
        self.text.lines().collect()
    }

    /// What holds of every page, whatever it tells.
    #[track_caller]
    pub(crate) fn is_harmless_and_readable(&self, language: &str) {
        let markup = self.markup.to_lowercase();
        for never in [
            "http:", "https:", "src=", "href=", "<script", "<link", "<img", "url(", "@import", " on",
        ] {
            assert!(!markup.contains(never), "{never}: {markup}");
        }
        let allowed = [
            "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "strong", "section",
            "div", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "span", "br",
        ];
        for (name, attributes) in &self.tags {
            assert!(allowed.contains(&name.as_str()), "<{name}>");
            match name.as_str() {
                "html" => assert_eq!(attributes, &[("lang".to_owned(), language.to_owned())]),
                "th" => assert!(attributes.iter().any(|(key, _)| key == "scope"), "{attributes:?}"),
                "div" => assert!(
                    attributes.iter().any(|(_, value)| value == "scroll"),
                    "{attributes:?}"
                ),
                _ => {}
            }
        }
        assert_eq!(
            (self.count("h1"), self.count("title"), self.count("main")),
            (1, 1, 1)
        );
        assert_eq!(self.count("h2"), self.count("section"));
        assert_eq!(
            (self.count("table"), self.count("thead")),
            (self.count("div"), self.count("div"))
        );
        assert!(
            markup.contains("name=viewport content=width=device-width, initial-scale=1>"),
            "{markup}"
        );
        assert!(self.style.contains("(prefers-color-scheme: dark)") && self.style.contains("@media print"));
        assert!(self.style.contains(".scroll { overflow-x: auto; }"));
        let fixed = self.style.split([';', '{']).map(str::trim);
        let fixed: Vec<&str> = fixed.filter(|rule| rule.starts_with("width:")).collect();
        assert_eq!(fixed, [""; 0]);
        let bidi = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(
            !self
                .text
                .contains(|c: char| bidi(c) || (c.is_control() && c != '\n')),
            "{:?}",
            self.text
        );
    }
}
