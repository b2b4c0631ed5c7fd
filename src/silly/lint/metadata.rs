//! Who made a document, and when: both are told, and the time has its form.

use super::{Code, Findings};
use crate::clock::Timestamp;
use crate::silly::authorship;

pub(super) fn judge(bytes: &[u8], found: &mut Findings<'_>) {
    let told = authorship::read(bytes);
    if told.author.is_none_or(|author| author.value.is_empty()) {
        found.warn(Code::MetadataMissing, None, "author");
    }
    match told.created_at {
        None => found.warn(Code::MetadataMissing, None, "created_at"),
        Some(authorship::Told { line, value }) => {
            if value.len() != 19 || value.as_bytes()[10] != b' ' || Timestamp::parse(&value).is_none() {
                found.warn(Code::MetadataFormat, Some(line), value);
            }
        }
    }
}
