//! The board for a terminal: rows are shifted by half a cell.

use std::fmt::Write;

use engine::types::Color;

use super::board::{Board, HELD_BY_BLACK, OWNED_BY_BLACK};
use super::cells::cell_at;
use super::notation::other_way_round;

/// What a cell shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// Who controls it (W, B) and three octal digits: owner, left sides, right sides.
    Tiles,
    /// Who controls it and the number of its group.
    Groups,
    /// Who controls it alone; `+` for cells where the mover may place something.
    Control,
}

/// Names of the views for the command line.
pub const VIEWS: [&str; 4] = ["tiles", "groups", "control", "hands"];

/// Draws the board, with the score below it.
pub fn draw(board: &Board, view: View) -> String {
    let candidates = board.candidates();
    let mut text = String::new();
    for r in -8..=8i32 {
        let row = char::from(b'a' + (8 - r) as u8);
        let first = -8 - r.min(0);
        // Writing to a String does not fail.
        let _ = write!(text, "{row}{:<3}{}", first + 9, "   ".repeat(r.unsigned_abs() as usize));
        for q in -8..=8 {
            let Some(cell) = cell_at(q, r) else { continue };
            let tile = board.tile(cell);
            let holder = if tile & HELD_BY_BLACK == 0 { 'W' } else { 'B' };
            let shown = match (tile, view) {
                (0, View::Control) if candidates.contains(cell) => "+".to_string(),
                (0, _) => ".".to_string(),
                (_, View::Tiles) => format!("{holder}{}", octal(tile)),
                (_, View::Groups) => format!("{holder}{}", board.group_number(cell)),
                (_, View::Control) => holder.to_string(),
            };
            let _ = write!(text, "{shown:^6}");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    for (name, color) in [("White", Color::White), ("Black", Color::Black)] {
        let (held, hand) = (board.held(color).len(), board.hand(color).count_ones());
        let _ = writeln!(text, "{name}: {held} tiles held, {hand} in hand, score {:+}", board.score(color));
    }
    text
}

/// Owner (0 White, 1 Black), the left sides (top, middle, bottom: 4, 2, 1), the right sides likewise.
fn octal(tile: u8) -> String {
    let bit = |side: u8, worth: u8| (tile >> side & 1) * worth;
    let left = bit(5, 4) + bit(4, 2) + bit(3, 1);
    let right = bit(0, 4) + bit(1, 2) + bit(2, 1);
    format!("{}{left}{right}", u8::from(tile & OWNED_BY_BLACK != 0))
}

/// The numbers of the tiles that each side has not played, as the notation counts them.
pub fn hands(board: &Board) -> String {
    let numbers = |color: Color| {
        let tiles = (1..64u8).filter(|&tile| board.hand(color) >> other_way_round(tile) & 1 != 0);
        tiles.map(|tile| tile.to_string()).collect::<Vec<_>>().join(" ")
    };
    format!("White: {}\nBlack: {}\n", numbers(Color::White), numbers(Color::Black))
}
