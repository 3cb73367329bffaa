//! The board as a picture in text, for people at a terminal.

use std::fmt;

use super::Board;
use crate::types::Square;

impl fmt::Display for Board {
    /// Eight ranks with White below, then the FEN, the key and the pieces that give check.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const EDGE: &str = "  +---+---+---+---+---+---+---+---+";
        writeln!(f, "{EDGE}")?;
        for rank in (0..8).rev() {
            write!(f, "{} |", rank + 1)?;
            for file in 0..8 {
                let letter = self.piece_at(Square::at(file, rank)).map_or(' ', |piece| piece.letter());
                write!(f, " {letter} |")?;
            }
            writeln!(f, "\n{EDGE}")?;
        }
        writeln!(f, "    a   b   c   d   e   f   g   h\n")?;
        writeln!(f, "Fen: {}", self.fen())?;
        writeln!(f, "Key: {:016X}", self.key())?;
        write!(f, "Checkers:")?;
        for checker in self.checkers() {
            write!(f, " {checker}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_pieces_fen_key_and_checkers() {
        let board = Board::from_fen("4k3/8/8/8/7q/8/8/R3K3 w Q - 3 20").unwrap();
        let text = board.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "8 |   |   |   |   | k |   |   |   |");
        assert_eq!(lines[15], "1 | R |   |   |   | K |   |   |   |");
        assert_eq!(lines[19], "Fen: 4k3/8/8/8/7q/8/8/R3K3 w Q - 3 20");
        assert_eq!(lines[20], format!("Key: {:016X}", board.key()));
        assert_eq!(lines[21], "Checkers: h4");
    }
}
