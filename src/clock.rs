//! The one reader of the clock, and the shape of its instants (RFC 3339, UTC, milliseconds).

use std::time::{SystemTime, UNIX_EPOCH};

/// An instant: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Reads the system clock. Commands do it once, in `cli`.
    pub fn now() -> Self {
        Self::of(SystemTime::now())
    }

    /// An instant of the file system.
    pub fn of(time: SystemTime) -> Self {
        let since = |d: std::time::Duration| i64::try_from(d.as_millis()).unwrap_or(i64::MAX);
        Self(match time.duration_since(UNIX_EPOCH) {
            Ok(after) => since(after),
            Err(before) => -since(before.duration()),
        })
    }

    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// Milliseconds since 1970.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS[.fff][Z|±HH:MM]` (no zone: UTC), or seconds since the epoch.
    pub fn parse(s: &str) -> Option<Self> {
        if let Ok(seconds) = s.parse::<i64>() {
            return Some(Self(seconds.checked_mul(1000)?));
        }
        let number = |range: std::ops::Range<usize>| -> Option<i64> {
            let digits = s.get(range)?;
            digits
                .bytes()
                .all(|b| b.is_ascii_digit())
                .then(|| digits.parse().ok())?
        };
        let at = |i: usize| s.as_bytes().get(i).copied();
        if at(4)? != b'-'
            || at(7)? != b'-'
            || !matches!(at(10)?, b'T' | b't' | b' ')
            || at(13)? != b':'
            || at(16)? != b':'
        {
            return None;
        }
        let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
        let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let mut rest = &s[19..];
        let mut millis = 0;
        if let Some(fraction) = rest.strip_prefix('.') {
            let digits = fraction.len() - fraction.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if digits == 0 {
                return None;
            }
            millis = format!("{:0<3}", &fraction[..digits.min(3)]).parse().ok()?;
            rest = &fraction[digits..];
        }
        let offset = match rest {
            "" | "Z" | "z" => 0,
            zone => {
                let sign = match zone.as_bytes()[0] {
                    b'+' => 1,
                    b'-' => -1,
                    _ => return None,
                };
                let digits: String = zone[1..].chars().filter(|c| *c != ':').collect();
                if digits.len() != 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return None;
                }
                let (h, m): (i64, i64) = (digits[..2].parse().ok()?, digits[2..].parse().ok()?);
                sign * (h * 3600 + m * 60)
            }
        };
        let midnight = days_from_civil(year, month, day) * 86_400;
        if civil(midnight).2 != day {
            // There is no such day in this month.
            return None;
        }
        let seconds = midnight + hour * 3600 + minute * 60 + second - offset;
        Some(Self(seconds * 1000 + millis))
    }

    /// `2026-01-02T03:04:05.000Z`.
    pub fn rfc3339(self) -> String {
        let (y, mo, d, h, mi, s) = civil(self.seconds());
        format!(
            "{y:04}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}.{:03}Z",
            self.0.rem_euclid(1000)
        )
    }

    /// `YYYYMMDD-HHMM` at an offset from UTC in seconds: the stamp of an archived folder (change.md part 7).
    pub fn stamp(self, offset: i64) -> String {
        let (y, mo, d, h, mi, _) = civil(self.seconds() + offset);
        format!("{y:04}{mo:02}{d:02}-{h:02}{mi:02}")
    }

    /// `YYYYMMDDTHHMMSSZ`: the stamp of a rescue (git.md 5.6).
    pub fn compact(self) -> String {
        let (y, mo, d, h, mi, s) = civil(self.seconds());
        format!("{y:04}{mo:02}{d:02}T{h:02}{mi:02}{s:02}Z")
    }

    /// `YYYY-MM-DD HH:mm:ss` at an offset from UTC in seconds: the time in documents of a `.sillyspec/` project (silly.md 9).
    pub fn local(self, offset: i64) -> String {
        Self(self.0 + offset * 1000).rfc3339()[..19].replace('T', " ")
    }

    /// `YYYY-MM-DD` at an offset from UTC in seconds.
    pub fn date(self, offset: i64) -> String {
        let (y, mo, d, ..) = civil(self.seconds() + offset);
        format!("{y:04}-{mo:02}-{d:02}")
    }
}

/// An instant to the nanosecond, whatever zone it was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant {
    seconds: i64,
    nanos: u32,
}

/// Whether a text is an RFC 3339 instant, strictly.
pub fn is_rfc3339(text: &str) -> bool {
    instant(text).is_some()
}

/// Reads an RFC 3339 instant, strictly: `T`, seconds, at most nine digits of fraction, a zone, a real day.
pub fn instant(text: &str) -> Option<Instant> {
    let shaped = |shape: &str, text: &str| {
        let fits = |(form, byte): (u8, u8)| {
            if form == b'0' {
                byte.is_ascii_digit()
            } else {
                byte == form
            }
        };
        shape.len() == text.len() && shape.bytes().zip(text.bytes()).all(fits)
    };
    let number = |range: std::ops::Range<usize>| text[range].parse::<i64>().unwrap_or(i64::MAX);
    if !text.is_ascii() || text.len() < 20 || !shaped("0000-00-00T00:00:00", &text[..19]) {
        return None;
    }
    let mut zone = &text[19..];
    let mut nanos = 0;
    if let Some(fraction) = zone.strip_prefix('.') {
        let end = fraction
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(fraction.len());
        if !(1..=9).contains(&end) {
            return None;
        }
        let digits: u32 = fraction[..end].parse().ok()?;
        nanos = (end..9).fold(digits, |nanos, _| nanos * 10);
        zone = &fraction[end..];
    }
    let offset = match zone.strip_prefix(['+', '-']) {
        None if zone == "Z" => 0,
        Some(hours) if shaped("00:00", hours) && &hours[..2] <= "23" && &hours[3..] <= "59" => {
            let of = |range: std::ops::Range<usize>| hours[range].parse::<i64>().ok();
            let seconds = of(0..2)? * 3600 + of(3..5)? * 60;
            if zone.starts_with('-') { -seconds } else { seconds }
        }
        _ => return None,
    };
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    let real_day = (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
    let (hour, minute, second) = (number(11..13), number(14..16), number(17..19));
    (real_day && hour <= 23 && minute <= 59 && second <= 59).then(|| Instant {
        seconds: days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset,
        nanos,
    })
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let doy = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    era * 146_097 + doe - 719_468
}

fn civil(seconds: i64) -> (i64, i64, i64, i64, i64, i64) {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + i64::from(month <= 2);
    (year, month, day, rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn instants_are_read_and_written() {
        for (given, written) in [
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"),
            ("2024-02-29T23:59:59.1234+02:00", "2024-02-29T21:59:59.123Z"),
            ("1969-12-31 23:59:59", "1969-12-31T23:59:59.000Z"),
            ("0", "1970-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(
                Timestamp::parse(given).map(Timestamp::rfc3339).as_deref(),
                Some(written),
                "{given}"
            );
        }
        assert_eq!(Timestamp::parse("2026-13-02T03:04:05Z"), None);
        assert_eq!(Timestamp::parse("2026-02-29T03:04:05Z"), None);
        assert_eq!(Timestamp::parse("yesterday"), None);
    }

    #[test]
    fn an_instant_is_judged_strictly() {
        for good in [
            "2026-01-02T03:04:05Z",
            "2024-02-29T23:59:59.123456789+23:59",
            "0001-01-01T00:00:00-00:00",
        ] {
            assert!(super::is_rfc3339(good), "{good}");
        }
        for bad in [
            "",
            "2026-01-02",
            "2026-01-02T03:04:05",
            "2026-01-02 03:04:05Z",
            "2026-02-29T03:04:05Z",
            "2026-13-01T03:04:05Z",
            "2026-00-01T03:04:05Z",
            "2026-01-00T03:04:05Z",
            "2026-01-02T24:00:00Z",
            "2026-01-02T03:60:05Z",
            "2026-01-02T03:04:60Z",
            "2026-01-02T03:04:05.Z",
            "2026-01-02T03:04:05.1234567890Z",
            "2026-01-02T03:04:05+24:00",
            "2026-01-02T03:04:05+01:60",
            "2026-01-02T03:04:05+1:00",
            "2026-01-02T03:04:05z",
            " 2026-01-02T03:04:05Z",
            "2026-01-02T03:04:05Z ",
            "٢٠٢٦-01-02T03:04:05Z",
        ] {
            assert!(!super::is_rfc3339(bad), "{bad}");
        }
    }

    #[test]
    fn a_stamp_is_in_local_time() {
        let t = Timestamp::parse("2026-12-31T23:30:00Z").expect("valid");
        assert_eq!(
            (t.stamp(3600), t.date(-3600)),
            ("20270101-0030".to_owned(), "2026-12-31".to_owned())
        );
    }

    #[test]
    fn only_days_of_the_calendar_are_instants() {
        for year in [1900, 2000, 2023, 2024] {
            for month in 0..=13 {
                for day in 0..=32 {
                    let text = format!("{year}-{month:02}-{day:02}T00:00:00Z");
                    let real = Timestamp::parse(&text).is_some();
                    assert_eq!(super::is_rfc3339(&text), real, "{text}");
                }
            }
        }
    }
}
