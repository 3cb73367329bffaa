//! Tic-tac-toe: the example of `docs/11-games.md`, which shows this file.

use engine::types::Color;

use super::Game;
use crate::Outcome;

/// Three in a row wins. There is nothing to choose about its rules.
#[derive(Clone)]
pub struct TicTacToe;

/// Squares of White (x) and Black (o), a bit each, from the top left one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Marks {
    /// `// [color]`
    pub of: [u16; 2],
}

const FULL: u16 = 0b111_111_111;
const ROWS: [u16; 8] = [
    0b111_000_000,
    0b000_111_000,
    0b000_000_111, // across
    0b100_100_100,
    0b010_010_010,
    0b001_001_001, // down
    0b100_010_001,
    0b001_010_100, // from corner to corner
];

impl Game for TicTacToe {
    type State = Marks;
    const NAME: &'static str = "tictactoe";

    fn with_rules(rules: &str) -> Result<TicTacToe, String> {
        if rules.is_empty() { Ok(TicTacToe) } else { Err("tictactoe has no rules to choose".to_string()) }
    }

    fn rules(&self) -> String {
        String::new()
    }

    fn start(&self) -> Marks {
        Marks { of: [0, 0] }
    }

    fn mover(&self, state: &Marks) -> Color {
        let marks = (state.of[0] | state.of[1]).count_ones();
        if marks.is_multiple_of(2) { Color::White } else { Color::Black }
    }

    fn outcome(&self, state: &Marks) -> Option<Outcome> {
        let has_row = |marks: u16| ROWS.iter().any(|row| marks & row == *row);
        match state.of {
            [white, _] if has_row(white) => Some(Outcome::WhiteWins),
            [_, black] if has_row(black) => Some(Outcome::BlackWins),
            [white, black] if white | black == FULL => Some(Outcome::Draw),
            _ => None,
        }
    }

    fn actions(&self, state: &Marks, actions: &mut Vec<u16>) {
        if self.outcome(state).is_none() {
            let taken = state.of[0] | state.of[1];
            actions.extend((0..9).filter(|square| taken >> square & 1 == 0));
        }
    }

    fn apply(&self, state: &mut Marks, action: u16) {
        let mover = self.mover(state).index();
        state.of[mover] |= 1 << action;
    }

    fn key(&self, state: &Marks) -> u64 {
        let marks = u64::from(state.of[0]) << 9 | u64::from(state.of[1]);
        (marks + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// `b2` is the middle; letters go across, numbers down.
    fn action_text(&self, _state: &Marks, action: u16) -> String {
        let column = ['a', 'b', 'c'][usize::from(action % 3)];
        format!("{column}{}", action / 3 + 1)
    }

    fn diagram(&self, state: &Marks) -> String {
        let mark = |square: usize| match state.of.map(|marks| marks >> square & 1) {
            [1, _] => 'x',
            [_, 1] => 'o',
            _ => '.',
        };
        let row =
            |row: usize| format!("{} {}{}{}\n", row + 1, mark(3 * row), mark(3 * row + 1), mark(3 * row + 2));
        (0..3).map(row).collect::<String>() + "  abc\n"
    }
}
