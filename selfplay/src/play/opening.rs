//! How a game of self-play begins: random moves from the initial position or from a shuffled back rank,
//! or an opening of a book.

use engine::book::polyglot::PolyglotBook;
use engine::types::{Color, Move, Piece, PieceType, Square};
use engine::{Board, Setup};

use crate::Dice;
use crate::arena::OpeningBook;
use crate::arena::opening::OpeningError;
use crate::random_opening::walk;
use crate::record::Start;

/// Where openings come from.
pub enum OpeningSource {
    /// The initial position, always.
    Initial,
    /// Random moves from the initial position.
    Random,
    /// Random moves from a Chess960 position in which each side has an arrangement of its own.
    DoubleFischer,
    /// Random moves; from a Chess960 position in this share of the games, in millionths.
    Mixed(u32),
    /// The openings of a file, in an order that the seed decides.
    Book(OpeningBook),
}

/// The beginning of a game.
pub struct GameStart {
    /// The first position.
    pub start: Start,
    /// Moves made from it.
    pub opening: Vec<Move>,
    /// The position after them, with its history.
    pub board: Board,
}

impl OpeningSource {
    /// How often all openings were played before a game with this number: a file's come round again and again.
    pub fn round(&self, game: u64) -> u64 {
        match self {
            OpeningSource::Book(book) => game / book.len().unwrap_or(1).max(1) as u64,
            _ => game,
        }
    }

    /// Draws the `attempt`-th candidate for the opening of a game.
    pub fn draw(
        &self,
        game: u64,
        attempt: u32,
        random_plies: u32,
        dice: &mut Dice,
    ) -> Result<GameStart, OpeningError> {
        let board = match self {
            OpeningSource::Initial => {
                return Ok(GameStart { start: Start::Initial, opening: Vec::new(), board: Board::start() });
            }
            OpeningSource::Random => Board::start(),
            OpeningSource::DoubleFischer => double_fischer(dice),
            OpeningSource::Mixed(share) if dice.happens(*share) => double_fischer(dice),
            OpeningSource::Mixed(_) => Board::start(),
            OpeningSource::Book(book) => return from_book(book, game, attempt, dice),
        };
        loop {
            let plies = u64::from(random_plies) + dice.below(2);
            if let Some((opening, end)) = walk(board.clone(), plies, dice) {
                return Ok(GameStart { start: Start::of(&board), opening, board: end });
            }
        }
    }
}

impl GameStart {
    /// Goes on by the moves of a book, drawn by their weights, as long as it knows some.
    pub fn follow(&mut self, book: &PolyglotBook, longest: usize, dice: &mut Dice) {
        while self.opening.len() < longest && self.board.repetitions() == 1 {
            let mut known = book.answer(&self.board).moves;
            known.retain(|known| known.weight > 0);
            if known.is_empty() {
                return;
            }
            let weights: Vec<u64> = known.iter().map(|known| u64::from(known.weight)).collect();
            let m = known[dice.weighted(&weights)].m;
            self.board.make(m);
            self.opening.push(m);
        }
    }
}

/// A game's first candidate is the one of its number, so that a book is used evenly; later ones are drawn.
fn from_book(
    book: &OpeningBook,
    game: u64,
    attempt: u32,
    dice: &mut Dice,
) -> Result<GameStart, OpeningError> {
    let count = book.len().unwrap_or(1) as u64;
    let number = if attempt == 0 { game % count } else { dice.below(count) };
    let opening = book.opening(number as usize)?;
    let mut board = opening.first_board();
    let start = Start::of(&board);
    opening.moves().iter().for_each(|&m| board.make(m));
    Ok(GameStart { start, opening: opening.moves().to_vec(), board })
}

/// A back rank of Chess960 for each side.
fn double_fischer(dice: &mut Dice) -> Board {
    let mut setup = Setup::EMPTY;
    for color in Color::ALL {
        let rank = back_rank(dice);
        let home = |file: usize| Square::at(file as u8, 0).relative(color);
        for (file, &kind) in rank.iter().enumerate() {
            setup.pieces[home(file).index()] = Some(Piece::new(color, kind));
            let pawn = home(file).forward(color);
            setup.pieces[pawn.index()] = Some(Piece::new(color, PieceType::Pawn));
        }
        let mut rooks = rank.iter().enumerate().filter(|(_, kind)| **kind == PieceType::Rook);
        let mut next_rook = || rooks.next().map(|(file, _)| home(file));
        let (queen_side, king_side) = (next_rook(), next_rook());
        setup.castling_rooks[color.index()] = [king_side, queen_side];
    }
    Board::from_setup(&setup)
}

/// Bishops on squares of both colours, the king between the rooks. `// [file]`
fn back_rank(dice: &mut Dice) -> [PieceType; 8] {
    use PieceType::*;
    let mut rank = [None; 8];
    rank[2 * dice.below(4) as usize] = Some(Bishop);
    rank[2 * dice.below(4) as usize + 1] = Some(Bishop);
    for kind in [Queen, Knight, Knight] {
        let free: Vec<usize> = (0..8).filter(|&file| rank[file].is_none()).collect();
        rank[dice.choose(&free)] = Some(kind);
    }
    let mut last = [Rook, King, Rook].into_iter();
    rank.map(|kind| kind.or_else(|| last.next()).unwrap_or(Rook))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use engine::board::attacks;
    use engine::types::Bitboard;

    use super::*;

    #[test]
    fn random_openings_are_sound_and_belong_to_their_game() {
        let draw = |game| OpeningSource::Random.draw(game, 0, 8, &mut Dice::for_game(7, game)).unwrap();
        let mut keys = HashSet::new();
        for game in 0..200 {
            let start = draw(game);
            assert_eq!(start.opening, draw(game).opening);
            assert!([8, 9].contains(&start.opening.len()));
            keys.insert(start.board.key());
        }
        assert!(keys.len() > 195, "{} different ones", keys.len());
    }

    #[test]
    fn a_book_goes_on_with_an_opening() {
        let mut builder = engine::book::polyglot::PolyglotBuilder::new();
        let mut board = Board::start();
        for text in ["e2e4", "c7c5", "g1f3"] {
            let m = board.parse_uci(text).unwrap();
            builder.add(&board, m, 3);
            board.make(m);
        }
        let bytes: Vec<u8> = builder.sorted().iter().flat_map(|entry| entry.to_bytes()).collect();
        let book = PolyglotBook::from_bytes("test", bytes).unwrap();
        let mut dice = Dice::for_game(1, 1);
        let mut start = OpeningSource::Initial.draw(0, 0, 8, &mut dice).unwrap();
        start.follow(&book, 100, &mut dice);
        assert_eq!((start.opening.len(), start.board.key()), (3, board.key()));
    }

    #[test]
    fn a_share_of_the_games_begins_elsewhere() {
        let draw =
            |game| OpeningSource::Mixed(200_000).draw(game, 0, 4, &mut Dice::for_game(1, game)).unwrap();
        let elsewhere = (0..1_000).filter(|&game| draw(game).start != Start::Initial).count();
        assert!((150..250).contains(&elsewhere), "{elsewhere} of 1000");
    }

    #[test]
    fn double_fischer_positions_are_legal() {
        let mut seen = HashSet::new();
        for game in 0..500 {
            let start = OpeningSource::DoubleFischer.draw(game, 0, 4, &mut Dice::for_game(1, game)).unwrap();
            let board = start.start.board();
            let read = Board::from_fen(&board.shredder_fen()).unwrap();
            assert_eq!(read.key(), board.key());
            assert!(board.castling_rights().any(Color::White) && board.castling_rights().any(Color::Black));
            for color in Color::ALL {
                let bishops = board.pieces(color, PieceType::Bishop);
                assert!((bishops & Bitboard::DARK).any() && (bishops & Bitboard::LIGHT).any());
                let rooks = board.pieces(color, PieceType::Rook);
                let (first, last) = (rooks.first().unwrap(), rooks.last().unwrap());
                assert!((attacks::between(first, last)).has(board.king(color)));
            }
            seen.insert(board.key());
        }
        assert!(seen.len() > 490);
    }
}
