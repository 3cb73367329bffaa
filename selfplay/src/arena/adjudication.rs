//! Ending games that are decided in all but name.

use std::str::FromStr;
use std::sync::Arc;

use engine::Board;
use engine::syzygy::{Tablebases, Wdl};
use engine::types::Color;

use super::engine_score::EngineScore;
use crate::Outcome;

/// A draw when both sides say so for long enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawRule {
    /// Not before this move.
    pub move_number: u32,
    /// So many moves of each side in a row.
    pub move_count: u32,
    /// Every score within this many centipawns of 0.
    pub score: i32,
}

/// A loss when a side has given up for long enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResignRule {
    /// So many moves of the loser in a row.
    pub move_count: u32,
    /// Every score this many centipawns or more below 0.
    pub score: i32,
    /// Only if the winner's scores agree.
    pub two_sided: bool,
}

/// Why a rule was refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// A key that the rule does not have.
    #[error("unknown key '{key}' in '{text}'; write {form}")]
    UnknownKey {
        /// The key.
        key: String,
        /// The whole text.
        text: String,
        /// How it is written.
        form: &'static str,
    },
    /// A value that is no number.
    #[error("'{key}' in '{text}' needs a whole number of 0 or more; write {form}")]
    BadNumber {
        /// The key.
        key: String,
        /// The whole text.
        text: String,
        /// How it is written.
        form: &'static str,
    },
}

/// Reads `a=1,b=2,flag` into the slots named; a slot without a number is a flag and becomes 1.
fn read_keys(text: &str, form: &'static str, slots: &mut [(&str, &mut i32, bool)]) -> Result<(), RuleError> {
    for part in text.split([',', ' ']).filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let owned = || (key.to_string(), text.to_string());
        let Some((_, slot, is_flag)) = slots.iter_mut().find(|(name, ..)| *name == key) else {
            let (key, text) = owned();
            return Err(RuleError::UnknownKey { key, text, form });
        };
        **slot = match (*is_flag, value) {
            (true, "" | "true") => 1,
            (true, "false") => 0,
            _ => value.parse().ok().filter(|number| *number >= 0).ok_or_else(|| {
                let (key, text) = owned();
                RuleError::BadNumber { key, text, form }
            })?,
        };
    }
    Ok(())
}

impl FromStr for DrawRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<DrawRule, RuleError> {
        let (mut number, mut count, mut score) = (40, 8, 10);
        let mut slots = [
            ("movenumber", &mut number, false),
            ("movecount", &mut count, false),
            ("score", &mut score, false),
        ];
        read_keys(text, "movenumber=40,movecount=8,score=10", &mut slots)?;
        let (move_number, move_count) = (number.unsigned_abs(), count.unsigned_abs().max(1));
        Ok(DrawRule { move_number, move_count, score })
    }
}

impl FromStr for ResignRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<ResignRule, RuleError> {
        let (mut count, mut score, mut two_sided) = (4, 800, 0);
        let mut slots = [
            ("movecount", &mut count, false),
            ("score", &mut score, false),
            ("twosided", &mut two_sided, true),
        ];
        read_keys(text, "movecount=4,score=800[,twosided]", &mut slots)?;
        Ok(ResignRule { move_count: count.unsigned_abs().max(1), score, two_sided: two_sided != 0 })
    }
}

/// The rules of a match.
#[derive(Clone, Debug, Default)]
pub struct Adjudication {
    /// Draws.
    pub draw: Option<DrawRule>,
    /// Resignations.
    pub resign: Option<ResignRule>,
    /// A game of so many moves is drawn.
    pub max_moves: Option<u32>,
    /// Endings that these know have the result that they say.
    pub tablebases: Option<Arc<Tablebases>>,
}

/// Follows one game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: Adjudication,
    /// Scores near 0 in a row, plies of both sides.
    level_plies: u32,
    /// `// [color]` own moves in a row with a score that the side would resign on
    lost_moves: [u32; 2],
    /// `// [color]` own moves in a row with a score that claims a win
    won_moves: [u32; 2],
    plies: u32,
}

impl Adjudicator {
    /// For a new game.
    pub fn new(rules: Adjudication) -> Adjudicator {
        Adjudicator { rules, level_plies: 0, lost_moves: [0; 2], won_moves: [0; 2], plies: 0 }
    }

    /// The result by the tablebases. They count the fifty moves from zero, so they are asked only right
    /// after a capture or a pawn move; what that rule takes away is a draw.
    pub fn decide_by_tables(&self, board: &Board) -> Option<Outcome> {
        let tablebases = self.rules.tablebases.as_ref()?;
        if board.halfmove_clock() != 0 || board.occupied().count() > tablebases.max_pieces() {
            return None;
        }
        Some(match tablebases.probe_wdl(board)? {
            Wdl::Win => Outcome::win_for(board.side_to_move()),
            Wdl::Loss => Outcome::win_for(!board.side_to_move()),
            Wdl::CursedWin | Wdl::Draw | Wdl::BlessedLoss => Outcome::Draw,
        })
    }

    /// Takes note of a move and says whether it decides the game. `move_number` as PGN counts.
    pub fn decide(&mut self, mover: Color, move_number: u32, score: Option<EngineScore>) -> Option<Outcome> {
        self.plies += 1;
        // A move without a score breaks every row: silence is no agreement.
        let score_stm = score.map(EngineScore::centipawns);
        let count = |row: &mut u32, goes_on: bool| *row = if goes_on { *row + 1 } else { 0 };

        if let Some(rule) = self.rules.resign {
            let me = mover.index();
            count(&mut self.lost_moves[me], score_stm.is_some_and(|score| score <= -rule.score));
            count(&mut self.won_moves[me], score_stm.is_some_and(|score| score >= rule.score));
            for loser in Color::ALL {
                let given_up = self.lost_moves[loser.index()] >= rule.move_count;
                let agreed = !rule.two_sided || self.won_moves[(!loser).index()] >= rule.move_count;
                if given_up && agreed {
                    return Some(Outcome::win_for(!loser));
                }
            }
        }
        if let Some(rule) = self.rules.draw {
            count(&mut self.level_plies, score_stm.is_some_and(|score| score.abs() <= rule.score));
            if move_number >= rule.move_number && self.level_plies >= 2 * rule.move_count {
                return Some(Outcome::Draw);
            }
        }
        if self.rules.max_moves.is_some_and(|most| self.plies >= 2 * most) {
            return Some(Outcome::Draw);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(rules: &Adjudication, first_move: u32, scores: &[i32]) -> Option<(usize, Outcome)> {
        let mut adjudicator = Adjudicator::new(rules.clone());
        scores.iter().enumerate().find_map(|(ply, &score)| {
            let mover = Color::ALL[ply % 2];
            let score = Some(EngineScore::Centipawns(score));
            adjudicator.decide(mover, first_move + ply as u32 / 2, score).map(|outcome| (ply + 1, outcome))
        })
    }

    #[test]
    fn draws_need_both_sides_and_time() {
        let rules = Adjudication {
            draw: Some("movenumber=3,movecount=2,score=10".parse().unwrap()),
            ..Default::default()
        };
        assert_eq!(play(&rules, 1, &[0; 10]), Some((5, Outcome::Draw)));
        assert_eq!(play(&rules, 10, &[0, 0, 11, 0, -10, 10, 0]), Some((7, Outcome::Draw)));
        assert_eq!(play(&rules, 10, &[0, 0, 0, 11, 0, 0, 0, -11]), None);
    }

    #[test]
    fn resigning_one_sided_and_two_sided() {
        let rule = |text: &str| Adjudication { resign: Some(text.parse().unwrap()), ..Default::default() };
        let scores = [-900, 100, -900, 900, -900, 900, -900, 900];
        assert_eq!(play(&rule("movecount=3,score=800"), 1, &scores), Some((5, Outcome::BlackWins)));
        assert_eq!(play(&rule("movecount=3,score=800,twosided"), 1, &scores), Some((8, Outcome::BlackWins)));
        assert_eq!(play(&rule("movecount=1,score=800"), 1, &[0, -800]), Some((2, Outcome::WhiteWins)));
    }

    #[test]
    fn tablebases_decide_after_captures_and_pawn_moves() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/syzygy");
        if !folder.is_dir() {
            println!("skipped: no Syzygy tables in {}", folder.display());
            return;
        }
        let tablebases = Some(Arc::new(Tablebases::open(&[folder])));
        let adjudicator = Adjudicator::new(Adjudication { tablebases, ..Default::default() });
        for (fen, expected) in [
            ("8/8/8/3k4/8/8/8/2BNK3 w - - 0 90", Some(Outcome::WhiteWins)),
            ("8/8/8/3k4/8/8/8/2BNK3 b - - 0 90", Some(Outcome::WhiteWins)),
            ("8/8/8/3K4/8/8/8/2bnk3 w - - 0 90", Some(Outcome::BlackWins)),
            ("8/8/8/8/8/k7/p7/K7 b - - 0 90", Some(Outcome::Draw)),
            ("8/8/8/3k4/8/8/8/2BNK3 w - - 1 90", None), // the count runs: not theirs to say
            ("4k3/8/8/8/8/8/8/4K2R w K - 0 90", None),  // castling is not in the tables
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", None),
        ] {
            let board = Board::from_fen(fen).unwrap();
            assert_eq!(adjudicator.decide_by_tables(&board), expected, "{fen}");
            assert_eq!(Adjudicator::new(Adjudication::default()).decide_by_tables(&board), None, "{fen}");
        }
    }

    #[test]
    fn silence_breaks_a_row() {
        let mut adjudicator = Adjudicator::new(Adjudication {
            resign: Some(ResignRule { move_count: 2, score: 500, two_sided: false }),
            ..Default::default()
        });
        let lost = Some(EngineScore::Mate(-3));
        assert_eq!(adjudicator.decide(Color::White, 1, lost), None);
        assert_eq!(adjudicator.decide(Color::White, 2, None), None);
        assert_eq!(adjudicator.decide(Color::White, 3, lost), None);
        assert_eq!(adjudicator.decide(Color::White, 4, lost), Some(Outcome::BlackWins));
    }

    #[test]
    fn rules_refused() {
        assert!("movecount=x".parse::<DrawRule>().is_err());
        assert!("moves=3".parse::<ResignRule>().unwrap_err().to_string().contains("movecount=4"));
        assert!("score=-800".parse::<ResignRule>().is_err());
    }
}
