//! Numbers that both sides count up (git.md 6).

/// The base and what both sides added, at least the larger side. Without a base nobody knows what was added: the larger.
pub(super) fn count([base, ours, theirs]: [Option<u64>; 3]) -> Option<u64> {
    let (Some(ours), Some(theirs)) = (ours, theirs) else {
        return ours.or(theirs);
    };
    let larger = ours.max(theirs);
    let Some(base) = base else {
        return Some(larger);
    };
    let sum = i128::from(ours) + i128::from(theirs) - i128::from(base);
    // A sum below the larger side is no sum of what was added.
    Some(u64::try_from(sum).unwrap_or(0).max(larger))
}

/// A text that is a number and nothing else.
pub(super) fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_added_is_added_up_and_the_larger_side_is_the_least() {
        for (base, ours, theirs, expected) in [
            (5, 6, 7, 8),
            (5, 6, 6, 7),
            (5, 4, 7, 7),
            (5, 5, 7, 7),
            (5, 3, 4, 4),
            (0, u64::MAX, u64::MAX, u64::MAX),
        ] {
            assert_eq!(count([Some(base), Some(ours), Some(theirs)]), Some(expected));
            assert_eq!(count([Some(base), Some(theirs), Some(ours)]), Some(expected));
        }
        assert_eq!(count([None, Some(2), Some(3)]), Some(3));
        assert_eq!(count([Some(9), None, Some(3)]), Some(3));
        assert_eq!(count([Some(9), None, None]), None);
    }
}
