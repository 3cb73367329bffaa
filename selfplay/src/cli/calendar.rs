//! Today's date, for PGN.

use std::time::{SystemTime, UNIX_EPOCH};

/// `YYYY.MM.DD`, UTC.
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    pgn_date((seconds / 86_400) as i64)
}

/// The date so many days after 1970-01-01, in the Gregorian calendar. Years are counted from March, so
/// that the leap day is the last of its year.
fn pgn_date(days: i64) -> String {
    let days = days + 719_468; // from 0000-03-01
    let era = days.div_euclid(146_097); // 400 years
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}.{month:02}.{day:02}")
}

#[cfg(test)]
mod tests {
    use super::pgn_date;

    #[test]
    fn known_days() {
        for (days, date) in
            [(0, "1970.01.01"), (59, "1970.03.01"), (11_016, "2000.02.29"), (20_773, "2026.11.16")]
        {
            assert_eq!(pgn_date(days), date);
        }
    }
}
