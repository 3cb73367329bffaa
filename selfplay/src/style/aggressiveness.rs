//! The aggressiveness score of a player: after Stefan Pohl's Engine Aggressiveness Score, version 6.
//!
//! Four parts: draws that were not given away, wins in few moves, sacrifices in won games, and sacrifices
//! made early. All arithmetic is in whole numbers and truncates, as in the original. Only shares of the
//! player's own wins and draws count, so that strength alone scores nothing. It is reliable from about 50
//! wins and 30 draws on.

use engine::types::Color;
use serde::Serialize;

use super::game_profile::GameProfile;

/// Points for a hundredth of a percent of the wins that are short: the tightest limit first.
const SHORT_WIN_POINTS: [i64; 5] = [100, 68, 42, 27, 18];
/// Points for a hundredth of a percent of the wins with a sacrifice. `// [level - 1]`
const SACRIFICE_POINTS: [i64; 6] = [10, 50, 100, 150, 200, 250];
/// Points for every move that the wins are shorter than the games of all.
const POINTS_PER_MOVE: i64 = 5000;

/// The score and its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Aggressiveness {
    /// All of it.
    pub score: i64,
    /// For sacrifices.
    pub sacrifices: i64,
    /// For early sacrifices, and for wins shorter than those of all.
    pub early: i64,
    /// For short wins.
    pub short_wins: i64,
    /// For draws that were not bad.
    pub draws: i64,
    /// Mean length of the player's wins in moves.
    pub moves_of_wins: i64,
}

/// What all games have in common, whoever is rated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Yardstick {
    /// Mean length of all decided games in moves.
    pub moves_of_all: i64,
    /// Wins up to this many moves are short.
    pub short_win: i64,
    /// A sacrifice complete by this half-move is early.
    pub early_ply: i64,
}

impl Yardstick {
    /// From all games.
    pub fn of(games: &[&GameProfile]) -> Yardstick {
        let moves_of_all = mean_moves(
            games.iter().filter(|game| game.is_won_by(Color::White) || game.is_won_by(Color::Black)),
        );
        Yardstick {
            moves_of_all,
            short_win: (moves_of_all - 15).clamp(30, 95),
            early_ply: (moves_of_all / 2).max(10) + 8,
        }
    }
}

impl Aggressiveness {
    /// Of a player, from its games with the colour it had.
    pub fn of(games: &[(&GameProfile, Color)], yardstick: &Yardstick) -> Aggressiveness {
        let wins: Vec<_> =
            games.iter().filter(|(game, color)| game.is_won_by(*color) && !game.by_accident).collect();
        let draws: Vec<_> = games.iter().filter(|(game, _)| game.outcome == crate::Outcome::Draw).collect();
        let bad = draws.iter().filter(|(game, color)| game.is_bad_draw_of(*color)).count();
        let good_percent = hundredths(draws.len(), draws.len() - bad) / 100;
        let draw_points = (good_percent.pow(3) / 3000).pow(2);

        // Each win counts once, in the tightest band: five moves apart, from twenty below the limit.
        let mut bands = [0; 5];
        for (game, _) in &wins {
            let band = (0..5).find(|band| i64::from(game.moves()) <= yardstick.short_win - 20 + 5 * band);
            if let Some(band) = band {
                bands[band as usize] += 1;
            }
        }
        let short_wins = points(wins.len(), &bands, &SHORT_WIN_POINTS);

        let mut levels = [0; 6];
        let (mut sacrifices, mut early) = (0, 0);
        for (game, color) in &wins {
            let side = &game.sides[color.index()];
            if side.lasting > 0 {
                levels[side.lasting as usize - 1] += 1;
                sacrifices += 1;
                early +=
                    usize::from(side.lasting_since.is_some_and(|ply| i64::from(ply) <= yardstick.early_ply));
            }
        }
        let sacrifice_points = points(wins.len(), &levels, &SACRIFICE_POINTS);
        let moves_of_wins = mean_moves(wins.iter().map(|(game, _)| game));
        let early_points = (hundredths(sacrifices, early) / 18).pow(2)
            + POINTS_PER_MOVE * (yardstick.moves_of_all - moves_of_wins).max(0);
        Aggressiveness {
            score: draw_points + short_wins + sacrifice_points + early_points,
            sacrifices: sacrifice_points,
            early: early_points,
            short_wins,
            draws: draw_points,
            moves_of_wins,
        }
    }
}

fn points<const N: usize>(wins: usize, counts: &[usize; N], points: &[i64; N]) -> i64 {
    counts.iter().zip(points).map(|(&count, points)| hundredths(wins, count) * points).sum()
}

/// A share in hundredths of a percent, rounded at its third digit: of nine digits that truncate.
fn hundredths(all: usize, part: usize) -> i64 {
    if all == 0 {
        return 0;
    }
    let nine_digits = 1_000_000_000 / all as i64 * part as i64;
    ((nine_digits / 10_000 + 5) / 10).min(10_000)
}

/// The mean length in moves: half-moves are rounded first, and then halved. The original reads a mean that
/// is printed with two digits, and rounds up where those digits, read as a number without trailing zeros,
/// are at least 50: 93.51 becomes 94, but 93.5 ends in 5 and becomes 93.
fn mean_moves<'a>(games: impl Iterator<Item = &'a &'a GameProfile>) -> i64 {
    let (mut plies, mut count) = (0i64, 0i64);
    for game in games {
        plies += i64::from(game.plies);
        count += 1;
    }
    if count == 0 {
        return 0;
    }
    let (whole, digits) = {
        let in_hundredths = (200 * plies + count) / (2 * count);
        (in_hundredths / 100, in_hundredths % 100)
    };
    let as_read = if digits % 10 == 0 { digits / 10 } else { digits };
    (whole + i64::from(as_read >= 50)) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_at_the_third_digit() {
        assert_eq!(hundredths(2, 1), 5000);
        assert_eq!(hundredths(3, 1), 3333);
        assert_eq!(hundredths(3, 2), 6667);
        assert_eq!(hundredths(7, 7), 10_000);
        assert_eq!(hundredths(0, 0), 0);
    }
}
