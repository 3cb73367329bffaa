//! The figures of each player, added up over its games.

use std::collections::{BTreeMap, HashSet};

use engine::types::Color;
use serde::Serialize;

use super::aggressiveness::{Aggressiveness, Yardstick};
use super::game_profile::{GameProfile, SideProfile};
use crate::arena::WinDrawLoss;

/// Names of the sizes of sacrifices, and from how many pawns on they count as that.
pub const SACRIFICE_SIZES: [(&str, u32); 5] =
    [("pawn", 1), ("exchange", 2), ("piece", 3), ("rook", 5), ("queen", 9)];

/// One player.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerStyle {
    /// Its name.
    pub name: String,
    /// Its results.
    pub results: WinDrawLoss,
    /// Games decided by a flag, a crash or the like: they count as results and for nothing else.
    pub accidents: u64,
    /// Mean length of its games, in moves.
    pub moves: f64,
    /// Mean length of its wins, in moves.
    pub moves_of_wins: f64,
    /// Wins after giving material for four half-moves. `// [size]`
    pub sacrifices: [u64; 5],
    /// Games of any result in which it gave material for four half-moves.
    pub games_with_sacrifice: u64,
    /// Wins that are short by the yardstick.
    pub short_wins: u64,
    /// Draws before an endgame, or after it had been ahead.
    pub bad_draws: u64,
    /// Share of middlegame moves after which several pieces bear on the enemy king.
    pub attacking: f64,
    /// Checks in a hundred moves.
    pub checks: f64,
    /// Pawns pushed towards the king, a game.
    pub storms: f64,
    /// Share of sound captures that were not made.
    pub captures_avoided: f64,
    /// Share of moves with both queens on the board.
    pub queens_on: f64,
    /// The score after the Engine Aggressiveness Score.
    pub aggressiveness: Aggressiveness,
}

impl PlayerStyle {
    fn of(name: &str, games: &[(&GameProfile, Color)], yardstick: &Yardstick) -> PlayerStyle {
        let mut results = WinDrawLoss::default();
        let mut sum = SideProfile::default();
        let mut sacrifices = [0; 5];
        let (mut accidents, mut short_wins, mut bad_draws, mut games_with_sacrifice) = (0, 0, 0, 0);
        let (mut plies, mut plies_of_wins, mut clean_wins, mut clean_games) = (0u64, 0u64, 0u64, 0u64);
        for (game, color) in games {
            results.add(game.outcome.half_points(*color));
            bad_draws += u64::from(game.is_bad_draw_of(*color));
            if game.by_accident {
                accidents += 1;
                continue;
            }
            let side = &game.sides[color.index()];
            clean_games += 1;
            plies += u64::from(game.plies);
            games_with_sacrifice += u64::from(side.given > 0);
            if game.is_won_by(*color) {
                clean_wins += 1;
                plies_of_wins += u64::from(game.plies);
                short_wins += u64::from(i64::from(game.moves()) <= yardstick.short_win);
                if let Some(size) = SACRIFICE_SIZES.iter().rposition(|(_, pawns)| side.given >= *pawns) {
                    sacrifices[size] += 1;
                }
            }
            sum.moves += side.moves;
            sum.middlegame_moves += side.middlegame_moves;
            sum.attacking_moves += side.attacking_moves;
            sum.checks += side.checks;
            sum.storms += side.storms;
            sum.captures_offered += side.captures_offered;
            sum.captures_avoided += side.captures_avoided;
            sum.moves_with_queens += side.moves_with_queens;
        }
        let share = |part: u32, all: u32| if all == 0 { 0.0 } else { f64::from(part) / f64::from(all) };
        let mean = |sum: u64, count: u64| if count == 0 { 0.0 } else { sum as f64 / count as f64 };
        PlayerStyle {
            name: name.to_string(),
            results,
            accidents,
            moves: mean(plies, clean_games) / 2.0,
            moves_of_wins: mean(plies_of_wins, clean_wins) / 2.0,
            sacrifices,
            games_with_sacrifice,
            short_wins,
            bad_draws,
            attacking: share(sum.attacking_moves, sum.middlegame_moves),
            checks: 100.0 * share(sum.checks, sum.moves),
            storms: mean(u64::from(sum.storms), clean_games),
            captures_avoided: share(sum.captures_avoided, sum.captures_offered),
            queens_on: share(sum.moves_with_queens, sum.moves),
            aggressiveness: Aggressiveness::of(games, yardstick),
        }
    }

    /// Wins after a sacrifice of any size.
    pub fn wins_by_sacrifice(&self) -> u64 {
        self.sacrifices.iter().sum()
    }
}

/// All players of some games.
#[derive(Clone, Debug, Serialize)]
pub struct StyleReport {
    /// The most aggressive first.
    pub players: Vec<PlayerStyle>,
    /// What they are measured by.
    pub yardstick: Yardstick,
    /// Games that were there twice, move by move and by name, and count once.
    pub duplicates: usize,
}

impl StyleReport {
    /// Adds games up.
    pub fn of(games: &[GameProfile]) -> StyleReport {
        let mut seen = HashSet::new();
        let unique: Vec<&GameProfile> =
            games.iter().filter(|game| seen.insert((&game.names, game.fingerprint, game.outcome))).collect();
        let clean: Vec<&GameProfile> = unique.iter().copied().filter(|game| !game.by_accident).collect();
        let yardstick = Yardstick::of(&clean);
        let mut by_name: BTreeMap<&str, Vec<(&GameProfile, Color)>> = BTreeMap::new();
        for game in &unique {
            for color in Color::ALL {
                by_name.entry(&game.names[color.index()]).or_default().push((game, color));
            }
        }
        let mut players: Vec<PlayerStyle> =
            by_name.iter().map(|(name, games)| PlayerStyle::of(name, games, &yardstick)).collect();
        players.sort_by(|a, b| b.aggressiveness.score.cmp(&a.aggressiveness.score).then(a.name.cmp(&b.name)));
        StyleReport { players, yardstick, duplicates: games.len() - unique.len() }
    }
}
