//! The answers of `check-ui-prototype` and `check-ui-hash-match` (change.md part 5).

use std::io;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Answer, Screen, Style};
use crate::change::provenance::HashMatch;
use crate::change::ui::Prototypes;
use crate::project::Slug;
use crate::say;
use crate::text::Bytes;
use crate::voice::{Say, Voice};

/// The gate passes; with the prototypes if there was something to compare.
pub struct PrototypesPass {
    pub slug: Slug,
    pub prototypes: Option<Prototypes>,
}

#[derive(Serialize)]
pub struct PrototypeData {
    slug: String,
    status: &'static str,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hashes: Option<Map<String, Value>>,
}

fn hashes(prototypes: &Prototypes) -> Map<String, Value> {
    let entry = |(name, digest): &(String, crate::files::Digest)| (name.clone(), Value::from(digest.hex()));
    prototypes.pages.iter().map(entry).collect()
}

/// The content of `UI_PROTOTYPE_HASHES.json`: basename to SHA-256.
pub fn hashes_file(prototypes: &Prototypes) -> Bytes {
    let mut text = serde_json::to_vec_pretty(&hashes(prototypes)).expect("a map of texts is always JSON");
    text.push(b'\n');
    text
}

impl Answer for PrototypesPass {
    type Data = PrototypeData;

    /// `reason` is a fixed text of the format, in Chinese whatever the project's language: drivers compare it.
    fn data(&self, _: &Voice) -> PrototypeData {
        let reason = match &self.prototypes {
            None => "ui_impact 非 true，UI/UX 对账节点无需执行（when 不满足）。".to_owned(),
            Some(p) => format!(
                "UI/UX 对账通过（mode={}，{} 页）。",
                p.mode.as_str(),
                p.pages.len()
            ),
        };
        let prototypes = self.prototypes.as_ref();
        PrototypeData {
            slug: self.slug.as_str().to_owned(),
            status: "pass",
            reason,
            mode: prototypes.map(|p| p.mode.as_str()),
            pages: prototypes.map(|p| p.pages.iter().map(|(name, _)| name.clone()).collect()),
            hashes: prototypes.map(hashes),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let (voice, slug) = (screen.voice, &self.slug);
        let Some(prototypes) = &self.prototypes else {
            return screen.line(&say!(
                voice,
                "`{slug}` declares no UI impact: no prototypes are needed",
                "`{slug}` 未声明影响 UI：不需要原型"
            ));
        };
        let (mode, count) = (prototypes.mode.as_str(), prototypes.pages.len());
        let done = say!(
            voice,
            "`{slug}`: the declared prototypes are there ({mode}, {count})",
            "`{slug}`：声明的原型齐备（{mode}，{count} 个）"
        );
        screen.line(&screen.paint(Style::Good, &done))?;
        for (name, digest) in &prototypes.pages {
            screen.line(&format!("  {name}  {}", digest.hex()))?;
        }
        Ok(())
    }
}

/// The prototypes are as approved, or nothing was approved that could be compared.
pub struct HashesMatch {
    pub slug: Slug,
    /// `legacy`, `partial` or `full`.
    pub class: &'static str,
    pub comparison: HashMatch,
}

#[derive(Serialize)]
pub struct HashData {
    slug: String,
    provenance_class: &'static str,
    advisory: bool,
    code: &'static str,
}

impl Answer for HashesMatch {
    type Data = HashData;

    fn data(&self, _: &Voice) -> HashData {
        HashData {
            slug: self.slug.as_str().to_owned(),
            provenance_class: self.class,
            advisory: self.comparison == HashMatch::LegacyAdvisory,
            code: self.comparison.as_str(),
        }
    }

    fn print(&self, screen: &mut Screen<'_>) -> io::Result<()> {
        let (slug, outcome) = (&self.slug, self.comparison.say(screen.voice));
        let line = say!(screen.voice, "`{slug}`: {outcome}", "`{slug}`：{outcome}");
        screen.line(&line)
    }
}
