//! Dates for the files that our programs write.

use std::time::{SystemTime, UNIX_EPOCH};

/// A day of the Gregorian calendar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Date {
    /// As in 2026.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
}

impl Date {
    /// Today, UTC.
    pub fn today() -> Date {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        Date::after_days((seconds / 86_400) as i64)
    }

    /// Today; where `SOURCE_DATE_EPOCH` is set (seconds since 1970, as reproducible builds use it) the day that it
    /// names, so that the same work gives the same bytes on any day.
    pub fn of_the_work() -> Date {
        let told = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.trim().parse::<u64>().ok());
        told.map_or_else(Date::today, |seconds| Date::after_days((seconds / 86_400).min(3_000_000) as i64))
    }

    /// The date so many days after 1970-01-01. Years are counted from March, so that the leap day is the last
    /// of its year.
    fn after_days(days: i64) -> Date {
        let days = days + 719_468; // from 0000-03-01
        let era = days.div_euclid(146_097); // 400 years
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let march_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
        let year = era * 400 + year_of_era + i64::from(month <= 2);
        Date { year, month, day }
    }

    /// `YYYY.MM.DD`, as PGN writes it.
    pub fn pgn(self) -> String {
        format!("{:04}.{:02}.{:02}", self.year, self.month, self.day)
    }

    /// `YYYY-MM-DD`.
    pub fn iso(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::Date;

    #[test]
    fn known_days() {
        for (days, date) in
            [(0, "1970.01.01"), (59, "1970.03.01"), (11_016, "2000.02.29"), (20_773, "2026.11.16")]
        {
            assert_eq!(Date::after_days(days).pgn(), date);
            assert_eq!(Date::after_days(days).iso(), date.replace('.', "-"));
        }
    }
}
