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
    near_names(wanted, names).into_iter().next()
}

/// The names near to a mistyped one, the nearest first, of equally near ones in the order given.
pub fn near_names<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let length = wanted.chars().take(100).count();
    let limit = (length / 3).max(1);
    let mut near: Vec<(usize, &str)> = names
        .filter(|name| name.chars().take(100).count().abs_diff(length) <= limit)
        .map(|name| (edit_distance(name, wanted), name))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().map(|(_, name)| name).collect()
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
        let names = ["UT-S01-12", "UT-S01-02", "UT-S09-01", "ST-X"];
        assert_eq!(
            near_names("UT-S01-01", names.into_iter()),
            ["UT-S01-02", "UT-S09-01", "UT-S01-12"]
        );
    }
}
