//! The percentage of two counts (state.md 5.6).

/// Done of total in percent, rounded half up, at most 100; none of nothing.
pub fn fraction(done: u64, total: u64) -> Option<u64> {
    if total == 0 {
        return None;
    }
    let (done, total) = (u128::from(done.min(total)), u128::from(total));
    u64::try_from((200 * done + total) / (2 * total)).ok()
}

/// The smaller of the fractions that are known; none if neither is.
pub fn percent(plans: Option<u64>, phases: Option<u64>) -> Option<u64> {
    plans.into_iter().chain(phases).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_up_and_nothing_is_above_100() {
        for (done, total, expected) in [
            (1, 8, Some(13)),
            (2, 3, Some(67)),
            (1, 3, Some(33)),
            (0, 4, Some(0)),
            (199, 200, Some(100)),
            (9, 3, Some(100)),
            (0, 0, None),
            (u64::MAX, u64::MAX, Some(100)),
        ] {
            assert_eq!(fraction(done, total), expected, "{done}/{total}");
        }
    }

    #[test]
    fn the_smaller_one_counts() {
        assert_eq!(percent(fraction(6, 7), fraction(2, 3)), Some(67));
        assert_eq!(percent(None, Some(20)), Some(20));
        assert_eq!(percent(None, None), None);
    }
}
