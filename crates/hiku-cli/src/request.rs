//! Filters as they are typed, to the library's conditions: the same for flags and for tools.

use hiku::Condition;

/// The conditions of repeated values of one filter.
pub(crate) fn conditions<'t>(values: impl IntoIterator<Item = &'t str>) -> Vec<Condition> {
    values.into_iter().map(condition).collect()
}

/// A hyphen in front excludes.
fn condition(value: &str) -> Condition {
    let (exclude, value) = match value.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, value),
    };
    Condition { value: value.to_owned(), exclude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hyphen_in_front_excludes() {
        let check = |value: &str, expected: &str, exclude: bool| {
            let expected = Condition { value: expected.to_owned(), exclude };
            assert_eq!(condition(value), expected, "{value}");
        };
        check("draft", "draft", false);
        check("-draft", "draft", true);
        check("--draft", "-draft", true);
        check("-", "", true);
    }
}
