//! The date that a note states: in its front matter, else in its name. Days since 1970 without a
//! time zone: the day as it is written.

use crate::vault::VaultPath;

/// Front matter keys that hold a note's date, the first found counts.
const DATE_KEYS: [&str; 4] = ["date", "created", "published", "updated"];
/// The day that a note states, if any.
pub(super) fn stated_day(fields: &[(String, String)], path: &VaultPath) -> Option<i32> {
    let field = |wanted: &&str| fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(wanted));
    DATE_KEYS
        .iter()
        .find_map(|key| field(key).and_then(|(_, value)| find_day(value)))
        .or_else(|| find_day(path.stem()))
}

/// The first `YYYY-MM-DD` in a text (also with `_`, `.`, `/` or nothing between), as a day.
fn find_day(text: &str) -> Option<i32> {
    let bytes = text.as_bytes();
    (0..bytes.len()).find_map(|start| {
        let before = start.checked_sub(1).map(|at| bytes[at]);
        if before.is_some_and(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let (year, at) = digits(bytes, start, 4)?;
        let (month, at) = digits(bytes, skip_joint(bytes, at), 2)?;
        let (day, at) = digits(bytes, skip_joint(bytes, at), 2)?;
        let more = bytes.get(at).is_some_and(u8::is_ascii_digit);
        if more { None } else { to_day(year, month, day) }
    })
}

fn digits(bytes: &[u8], start: usize, count: usize) -> Option<(i32, usize)> {
    let text = bytes.get(start..start + count)?;
    let number = text.iter().try_fold(0i32, |number, byte| {
        byte.is_ascii_digit().then(|| number * 10 + i32::from(byte - b'0'))
    })?;
    Some((number, start + count))
}

fn skip_joint(bytes: &[u8], at: usize) -> usize {
    at + usize::from(matches!(bytes.get(at), Some(b'-' | b'_' | b'.' | b'/')))
}

/// Days since 1970 of a date of the Gregorian calendar (Howard Hinnant, "chrono-Compatible
/// Low-Level Date Algorithms", `days_from_civil`); `None` for no such date.
pub(crate) fn to_day(year: i32, month: i32, day: i32) -> Option<i32> {
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let length = match month {
        2 => 28 + i32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) || !(1..=9999).contains(&year) {
        return None;
    }
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// `YYYY-MM-DD` of a day (`civil_from_days` of the same source).
pub(crate) fn day_text(day: i32) -> String {
    let shifted = i64::from(day) + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 { month_index + 3 } else { month_index - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day_of_month:02}")
}

/// The day of a `YYYY-MM-DD` and nothing else.
pub(crate) fn parse_day(text: &str) -> Option<i32> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return None };
    if year.len() != 4 || month.len() != 2 || day.len() != 2 {
        return None;
    }
    to_day(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_texts_are_inverse() {
        for (text, day) in
            [("1970-01-01", 0), ("2026-12-01", 20_788), ("2000-02-29", 11_016), ("1969-12-31", -1)]
        {
            assert_eq!(parse_day(text), Some(day), "{text}");
            assert_eq!(day_text(day), text);
        }
        for text in ["2025-02-29", "2025-13-01", "2025-1-1", "x", ""] {
            assert_eq!(parse_day(text), None, "{text}");
        }
    }

    #[test]
    fn front_matter_beats_the_name() {
        let path = VaultPath::verbatim("daily/2026-06-18 log.md");
        let fields = vec![("created".to_owned(), "2025-01-02T10:00".to_owned())];
        let stated = |fields: &[(String, String)], path| stated_day(fields, path).map(day_text);
        assert_eq!(stated(&fields, &path).as_deref(), Some("2025-01-02"));
        assert_eq!(stated(&[], &path).as_deref(), Some("2026-06-18"));
        let compact = VaultPath::verbatim("20260618.md");
        assert_eq!(stated(&[], &compact).as_deref(), Some("2026-06-18"));
        assert_eq!(stated(&[], &VaultPath::verbatim("v12026-06-18.md")), None);
    }
}
