//! Games and moves as text: `W[P56q10];B[P8q9];W[pass]`.
//!
//! A move is the player, the tile and the cell. The tile's number counts its connected sides anticlockwise from the top
//! right one (1, 2, 4 …); rows are letters from the bottom (a) to the top (q), columns numbers from 1 to 17.

use engine::types::Color;

use super::cells::{COORDINATES, cell_at};
use super::{PASS, action_of, parts_of};

/// A tile's number to its sides and back: one counts anticlockwise, the other clockwise, from the same side.
pub fn other_way_round(tile: u8) -> u8 {
    (0..6).fold(0, |turned, side| turned | (tile >> side & 1) << ((6 - side) % 6))
}

/// The name of a cell.
pub fn cell_text(cell: u8) -> String {
    let (q, r) = COORDINATES[usize::from(cell)];
    format!("{}{}", char::from(b'a' + (8 - r) as u8), q + 9)
}

/// An action without its player: `P56q10`, `pass`.
pub fn action_text(action: u16) -> String {
    match parts_of(action) {
        None => "pass".to_string(),
        Some((cell, sides)) => format!("P{}{}", other_way_round(sides), cell_text(cell)),
    }
}

/// A move with its player: `W[P56q10]`.
pub fn move_text(mover: Color, action: u16) -> String {
    let player = if mover == Color::White { 'W' } else { 'B' };
    format!("{player}[{}]", action_text(action))
}

/// An action without its player. Whether it is allowed is another question.
pub fn parse_action(text: &str) -> Result<u16, String> {
    if text.eq_ignore_ascii_case("pass") {
        return Ok(PASS);
    }
    let wrong =
        |why: &str| Err(format!("'{text}': {why}; write P56q10 (tile 56 on row q, column 10) or pass"));
    let Some(rest) = text.strip_prefix('P') else { return wrong("no move begins so") };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let tile = match rest[..digits].parse::<u8>() {
        Ok(tile @ 1..=63) => tile,
        _ => return wrong("tiles have numbers from 1 to 63"),
    };
    let mut rest = rest[digits..].chars();
    let row = match rest.next() {
        Some(row @ 'a'..='q') => 8 - (row as i32 - 'a' as i32),
        _ => return wrong("rows are letters from a to q"),
    };
    let column = match rest.as_str().parse::<i32>() {
        Ok(column @ 1..=17) if !rest.as_str().starts_with('+') => column - 9,
        _ => return wrong("columns have numbers from 1 to 17"),
    };
    match cell_at(column, row) {
        Some(cell) => Ok(action_of(cell, other_way_round(tile))),
        None => wrong("this cell is not on the board"),
    }
}

/// A move with its player.
pub fn parse_move(text: &str) -> Result<(Color, u16), String> {
    let inside = |player: char| text.strip_prefix(player)?.strip_prefix('[')?.strip_suffix(']');
    match (inside('W'), inside('B')) {
        (Some(action), _) => Ok((Color::White, parse_action(action)?)),
        (_, Some(action)) => Ok((Color::Black, parse_action(action)?)),
        _ => Err(format!("'{text}' is no move: write W[…] or B[…]")),
    }
}

/// The moves of a game. Whether they are allowed is another question.
pub fn parse_game(text: &str) -> Result<Vec<(Color, u16)>, String> {
    let moves = text.trim().split(';').map(str::trim).filter(|part| !part.is_empty());
    moves
        .enumerate()
        .map(|(number, part)| parse_move(part).map_err(|why| format!("move {}: {why}", number + 1)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::play::Dice;

    #[test]
    fn every_action_comes_back() {
        for cell in 0..217 {
            for sides in 1..64 {
                let action = action_of(cell, sides);
                assert_eq!(parse_action(&action_text(action)), Ok(action));
                assert_eq!(parse_move(&move_text(Color::Black, action)), Ok((Color::Black, action)));
            }
        }
        assert_eq!(parse_move("W[pass]"), Ok((Color::White, PASS)));
        // Top left, left and bottom left, on the second cell of the top row.
        assert_eq!(parse_action("P14q10"), Ok(action_of(1, 0b11_1000)));
    }

    #[test]
    fn what_is_no_move_is_refused_with_a_reason() {
        for (text, reason) in [
            ("X[P1a1]", "W[…] or B[…]"),
            ("W[P64i9]", "from 1 to 63"),
            ("W[P0i9]", "from 1 to 63"),
            ("W[Pi9]", "from 1 to 63"),
            ("W[P999999999i9]", "from 1 to 63"),
            ("W[P5r9]", "from a to q"),
            ("W[P5]", "from a to q"),
            ("W[P5i18]", "from 1 to 17"),
            ("W[P5i]", "from 1 to 17"),
            ("W[P5i+9]", "from 1 to 17"),
            ("W[P5a17]", "not on the board"),
            ("W[ä]", "no move begins so"),
            ("W[]", "no move begins so"),
        ] {
            let message = parse_game(&format!("W[P63i9];{text}")).unwrap_err();
            assert!(message.starts_with("move 2: ") && message.contains(reason), "{text}: {message}");
        }
    }

    /// Any text is read or refused. `TABULA_FUZZ_SECONDS` sets for how long.
    #[test]
    fn no_text_can_do_harm() {
        let seconds = std::env::var("TABULA_FUZZ_SECONDS").map_or(1, |text| text.parse().unwrap());
        let until = Instant::now() + Duration::from_secs(seconds);
        let pieces = [
            "W", "B", "[", "]", "P", "63", "0", "i", "9", "q", "10", ";", "pass", "é", "+", "-", " ", "\n",
            "256",
        ];
        let mut trial = 0;
        while trial < 1000 || Instant::now() < until {
            let mut dice = Dice::for_game(12, trial);
            trial += 1;
            let text: String = (0..dice.below(14)).map(|_| dice.choose(&pieces)).collect();
            if let Ok(moves) = parse_game(&text) {
                let again: Vec<String> =
                    moves.iter().map(|&(mover, action)| move_text(mover, action)).collect();
                assert_eq!(parse_game(&again.join(";")), Ok(moves), "{text}");
            }
        }
    }
}
