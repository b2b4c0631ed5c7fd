//! L8 as lint tells it: the conservation account of the merge plan, with two writers of one section last.

use super::{Code, Findings, Message, Target};
use crate::change::Delta;
use crate::finding::Location;
use crate::merge::MergePlan;
use crate::merge::conservation::{Loss, LossKind};

pub(super) fn check(target: &Target, plan: &MergePlan, findings: &mut Findings) {
    for (path, account) in &plan.accounts {
        let delta = target
            .change
            .counting()
            .find(|d| d.path == *path)
            .expect("accounts are of the change's deltas");
        for loss in &account.losses {
            let (code, message) = tell(delta, loss);
            findings.add(code, at(delta, loss.line), message);
        }
        let sections = delta.sections().expect("accounts are of section deltas");
        for &block in &account.writers {
            let block = &sections.blocks[block];
            let message = Message::TwoWriters {
                anchor: block.spelling.clone(),
            };
            findings.add(Code::DeltaImplicitIdRemoval, at(delta, block.marker), message);
        }
    }
}

fn at(delta: &Delta, line: usize) -> Location {
    let text = delta
        .sections()
        .map(|s| s.document.raw(line).into_owned())
        .unwrap_or_default();
    Location::line(&delta.path, line + 1, text)
}

fn tell(delta: &Delta, loss: &Loss) -> (Code, Message) {
    let sections = delta.sections().expect("losses are of section deltas");
    let anchor = sections.blocks[loss.block].spelling.clone();
    match &loss.kind {
        LossKind::NoAnchor => (Code::DeltaSectionAnchorUnresolvable, Message::NoAnchor),
        LossKind::Unresolved {
            ambiguous,
            candidates,
        } => {
            let message = Message::AnchorUnresolved {
                anchor,
                ambiguous: *ambiguous,
                candidates: candidates.clone(),
            };
            (Code::DeltaSectionAnchorUnresolvable, message)
        }
        LossKind::SecondWriter => (Code::DeltaImplicitIdRemoval, Message::TwoWriters { anchor }),
        LossKind::UnknownItem(id) => (
            Code::DeltaRemovedUnknownId,
            Message::UnknownItem {
                anchor,
                id: id.clone(),
            },
        ),
        LossKind::LoneItems => (Code::DeltaImplicitIdRemoval, Message::LoneItems { anchor }),
        LossKind::Lost(id) => (
            Code::DeltaImplicitIdRemoval,
            Message::LostId {
                anchor,
                id: id.clone(),
            },
        ),
    }
}
