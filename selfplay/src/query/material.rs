//! Patterns of material: `KRPvKR`, with `+` one or more, `*` any number, `?` one or none of a kind.

use engine::Board;
use engine::types::{Color, PieceType};

/// How many of each kind a side may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Side {
    /// `// [kind]`
    least: [u32; 6],
    /// `// [kind]`
    most: [u32; 6],
}

/// The material of both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MaterialPattern {
    /// `// [color]`
    sides: [Side; 2],
}

impl MaterialPattern {
    /// Reads a pattern; the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<MaterialPattern, String> {
        let (white, black) = text.split_once('v').ok_or("needs both sides with a v between, like KRPvKR")?;
        Ok(MaterialPattern { sides: [Side::parse(white.trim())?, Side::parse(black.trim())?] })
    }

    /// Whether a board has this material.
    pub fn matches(&self, board: &Board) -> bool {
        Color::ALL.into_iter().all(|color| self.sides[color.index()].matches(board, color))
    }

    /// Whether it has it with the colours exchanged.
    pub fn matches_reversed(&self, board: &Board) -> bool {
        Color::ALL.into_iter().all(|color| self.sides[1 - color.index()].matches(board, color))
    }
}

impl Side {
    fn parse(text: &str) -> Result<Side, String> {
        let mut side = Side { least: [0; 6], most: [0; 6] };
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            let kind = PieceType::from_letter(letter).filter(|_| letter.is_ascii_uppercase());
            let kind = kind.ok_or_else(|| format!("`{letter}` is none of K Q R B N P"))?.index();
            let (least, most) = match letters.peek() {
                Some('+') => (1, 64),
                Some('*') => (0, 64),
                Some('?') => (0, 1),
                _ => (1, 1),
            };
            if matches!(letters.peek(), Some('+' | '*' | '?')) {
                letters.next();
            }
            side.least[kind] += least;
            side.most[kind] += most;
        }
        match side.least[PieceType::King.index()] == 1 && side.most[PieceType::King.index()] == 1 {
            true => Ok(side),
            false => Err("each side has one K".to_string()),
        }
    }

    fn matches(&self, board: &Board, color: Color) -> bool {
        PieceType::ALL.into_iter().all(|kind| {
            let count = board.pieces(color, kind).count();
            (self.least[kind.index()]..=self.most[kind.index()]).contains(&count)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_count_pieces() {
        let board = Board::from_fen("4k3/r7/8/8/8/8/P2P4/R3K3 w - - 0 1").unwrap();
        for (pattern, matches) in [
            ("KRPPvKR", true),
            ("KRP+vKR", true),
            ("KRP+vKRP*", true),
            ("KRPvKR", false),
            ("KRPPN?vKR", true),
            ("KRvKRPP", false),
        ] {
            assert_eq!(MaterialPattern::parse(pattern).unwrap().matches(&board), matches, "{pattern}");
        }
        assert!(MaterialPattern::parse("KRvKRPP").unwrap().matches_reversed(&board));
        for wrong in ["", "KR", "KvX", "QvK", "KKvK", "krvk", "K v", "+vK"] {
            assert!(MaterialPattern::parse(wrong).is_err(), "{wrong}");
        }
    }
}
