//! The date that goes into files.

use std::time::SystemTime;

/// The date of today, UTC, as 2025-01-31. `SOURCE_DATE_EPOCH` (seconds since 1970, as reproducible builds use
/// it) stands for the clock where it is set, so that the same work gives the same bytes on any day.
pub fn today() -> String {
    let told = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.trim().parse().ok());
    let seconds: u64 = told.unwrap_or_else(|| {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
    });
    date_of(seconds / 86_400)
}

/// Days since 1970 to a date of the Gregorian calendar, counted in eras of 400 years that begin in March.
fn date_of(days_since_1970: u64) -> String {
    let days = days_since_1970.min(3_000_000) as i64 + 719_468;
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + days.div_euclid(146_097) * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::date_of;

    #[test]
    fn days_become_dates() {
        for (days, date) in
            [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_773, "2026-11-16")]
        {
            assert_eq!(date_of(days), date);
        }
    }
}
