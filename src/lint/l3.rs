//! L3: a change that needs code must show real test ids (change.md L3).

use super::{Code, Findings, Message, Target, places};
use crate::change::evidence;
use crate::files::{ReadError, Tree};

pub(super) fn check(target: &Target, tree: &dyn Tree, findings: &mut Findings) -> Result<(), ReadError> {
    let evidence = evidence::gather(&target.change, tree)?;
    for entry in &evidence.reused {
        if let Some(fault) = entry.fault {
            let at = places::proposal(target, Some(entry.line));
            let message = Message::ReuseLine {
                fault,
                text: entry.text.clone(),
            };
            findings.add(Code::RealTestIdsRequired, at, message);
        }
    }
    if !evidence.shown {
        findings.add(
            Code::RealTestIdsRequired,
            places::tasks(target),
            Message::NoTestEvidence(evidence.stage),
        );
    }
    Ok(())
}
