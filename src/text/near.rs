//! How far two texts are apart, and which of some names a mistyped one may mean.

/// Levenshtein distance in characters; long texts are compared by their first hundred.
pub fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(100).collect(), b.chars().take(100).collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The name nearest to a mistyped one, if it is near: at most a third of its letters differ, and of short ones one.
pub fn nearest_name<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let length = wanted.chars().take(100).count();
    let limit = (length / 3).max(1);
    names
        .filter(|name| name.chars().take(100).count().abs_diff(length) <= limit)
        .map(|name| (edit_distance(name, wanted), name))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_near_name_is_meant() {
        let nearest = |wanted| nearest_name(wanted, ["verify", "deploy", "code"].into_iter());
        assert_eq!(nearest("verfy"), Some("verify"));
        assert_eq!(nearest("codes"), Some("code"));
        assert_eq!(nearest("baking"), None);
        assert_eq!(nearest(""), None);
    }
}
