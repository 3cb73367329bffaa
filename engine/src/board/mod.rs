//! The board: where the pieces stand, whose turn it is, and everything that follows from it.
//!
//! `Board` is made for the search: it is changed in place by [`Board::make`] and put back by
//! [`Board::unmake`], both in constant time. What cannot be computed backwards (clocks, rights, keys,
//! checkers) is kept on a stack of [`State`]s, which is also the game's history for repetitions.

pub mod attacks;
mod castling;
mod cycle;
mod diagram;
mod draw;
mod epd;
mod fen;
mod fen_error;
mod magics;
mod make;
mod move_error;
mod movegen;
mod perft;
mod rays;
mod san;
mod see;
mod uci_text;
pub mod zobrist;

pub use castling::{CastlingRights, CastlingSetup, Wing};
pub use epd::{Epd, EpdError, Operand, Operation};
pub use fen_error::{FenError, FenField};
pub use move_error::{MoveError, MoveFault};
pub use movegen::{CheckInfo, MoveSink};
pub use see::EXCHANGE_VALUES;
use zobrist::{Key, ZOBRIST};

use crate::types::{Bitboard, Color, Move, Piece, PieceType, Square};

/// What a move changes and unmaking it needs back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    key: Key,
    pawn_key: Key,
    /// `// [color]` everything but pawns (kings included)
    non_pawn_keys: [Key; 2],
    /// Enemy pieces that give check.
    checkers: Bitboard,
    /// Pieces of either colour that alone stand between the mover's king and an enemy slider.
    blockers: Bitboard,
    /// Half-moves since the last capture or pawn move.
    halfmove_clock: u16,
    /// Half-moves since the last null move or the start: no repetition reaches back over one.
    plies_from_null: u16,
    castling: CastlingRights,
    /// Set only when an en passant capture is legal.
    en_passant: Option<Square>,
    captured: Option<Piece>,
    /// The move that led here; `None` at the start and after a null move.
    last_move: Option<Move>,
}

/// A position with its history.
#[derive(Clone, Debug)]
pub struct Board {
    /// `// [kind]`
    kinds: [Bitboard; 6],
    /// `// [color]`
    colors: [Bitboard; 2],
    /// `// [square]`
    mailbox: [Option<Piece>; 64],
    side_to_move: Color,
    state: State,
    fullmove_number: u16,
    castling_setup: CastlingSetup,
    /// The states before each move made so far, oldest first.
    history: Vec<State>,
}

/// The bare facts of a position: what a FEN says. Turned into a [`Board`] by [`Board::from_setup`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// `// [square]`
    pub pieces: [Option<Piece>; 64],
    /// Whose turn it is.
    pub side_to_move: Color,
    /// `// [color][wing]` the rooks that may still castle
    pub castling_rooks: [[Option<Square>; 2]; 2],
    /// The square a pawn just passed over; dropped if no capture there is legal.
    pub en_passant: Option<Square>,
    /// Half-moves since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// The number of the move to come, from 1.
    pub fullmove_number: u16,
}

impl Setup {
    /// No piece yet, White to move, the first move of a game.
    pub const EMPTY: Setup = Setup {
        pieces: [None; 64],
        side_to_move: Color::White,
        castling_rooks: [[None; 2]; 2],
        en_passant: None,
        halfmove_clock: 0,
        fullmove_number: 1,
    };
}

impl Board {
    /// The initial position.
    pub fn start() -> Board {
        use PieceType::*;
        let mut pieces = [None; 64];
        for (file, kind) in [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook].into_iter().enumerate()
        {
            pieces[file] = Some(Piece::new(Color::White, kind));
            pieces[8 + file] = Some(Piece::WhitePawn);
            pieces[48 + file] = Some(Piece::BlackPawn);
            pieces[56 + file] = Some(Piece::new(Color::Black, kind));
        }
        Board::from_setup(&Setup {
            pieces,
            side_to_move: Color::White,
            castling_rooks: [[Some(Square::H1), Some(Square::A1)], [Some(Square::H8), Some(Square::A8)]],
            en_passant: None,
            halfmove_clock: 0,
            fullmove_number: 1,
        })
    }

    /// A board from facts that are known to be a possible position: one king each, the side that has
    /// just moved not in check, castling rooks in place. Text from outside goes through
    /// [`Board::from_fen`], which checks all that.
    pub fn from_setup(setup: &Setup) -> Board {
        Board::from_sets(setup, Board::sets_of(&setup.pieces), Board::new_history())
    }

    /// Room for the moves of a game, so that the search never waits for memory.
    fn new_history() -> Vec<State> {
        Vec::with_capacity(512)
    }

    /// The same where the sets of the pieces are known already and there is memory for moves.
    #[inline(always)]
    fn from_sets(
        setup: &Setup,
        (kinds, colors): ([Bitboard; 6], [Bitboard; 2]),
        mut history: Vec<State>,
    ) -> Board {
        attacks::choose_fast_path();
        history.clear();
        let mut board = Board {
            kinds,
            colors,
            mailbox: setup.pieces,
            side_to_move: setup.side_to_move,
            state: State {
                key: 0,
                pawn_key: 0,
                non_pawn_keys: [0; 2],
                checkers: Bitboard::EMPTY,
                blockers: Bitboard::EMPTY,
                halfmove_clock: setup.halfmove_clock,
                plies_from_null: 0,
                castling: CastlingRights::NONE,
                en_passant: None,
                captured: None,
                last_move: None,
            },
            fullmove_number: setup.fullmove_number.max(1),
            castling_setup: CastlingSetup::NONE,
            history,
        };
        let kings = Color::ALL.map(|color| board.king(color));
        (board.castling_setup, board.state.castling) = CastlingSetup::new(kings, setup.castling_rooks);
        board.refresh_checks();
        if let Some(passed) = setup.en_passant
            && board.en_passant_is_legal(passed)
        {
            board.state.en_passant = Some(passed);
        }
        let keys = board.recompute_keys();
        (board.state.key, board.state.pawn_key, board.state.non_pawn_keys) = keys;
        board
    }

    /// `// [kind]` and `// [color]` the squares of pieces. Without a branch a square: where pieces stand is
    /// nothing a processor could guess, and millions of positions are read for tuning.
    fn sets_of(pieces: &[Option<Piece>; 64]) -> ([Bitboard; 6], [Bitboard; 2]) {
        // The last set is that of the empty squares.
        let mut sets = [0u64; Piece::ALL.len() + 1];
        for (square, piece) in pieces.iter().enumerate() {
            sets[piece.map_or(Piece::ALL.len(), Piece::index)] |= 1 << square;
        }
        Board::merged(&sets)
    }

    /// The same from the squares of every piece.
    fn merged(sets: &[u64; Piece::ALL.len() + 1]) -> ([Bitboard; 6], [Bitboard; 2]) {
        let (mut kinds, mut colors) = ([Bitboard::EMPTY; 6], [Bitboard::EMPTY; 2]);
        for piece in Piece::ALL {
            let set = Bitboard(sets[piece.index()]);
            kinds[piece.kind().index()] |= set;
            colors[piece.color().index()] |= set;
        }
        (kinds, colors)
    }

    /// The bare facts of the position, without its history.
    pub fn setup(&self) -> Setup {
        Setup {
            pieces: self.mailbox,
            side_to_move: self.side_to_move,
            castling_rooks: self.castling_setup.rooks(self.state.castling),
            en_passant: self.state.en_passant,
            halfmove_clock: self.state.halfmove_clock,
            fullmove_number: self.fullmove_number,
        }
    }

    /// All squares with a piece on them.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The squares of one side's pieces.
    #[inline(always)]
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The squares of one kind of piece, both colours.
    #[inline(always)]
    pub fn by_kind(&self, kind: PieceType) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// The squares of one side's pieces of one kind.
    #[inline(always)]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.kinds[kind.index()] & self.colors[color.index()]
    }

    /// One side's pawns.
    #[inline(always)]
    pub fn pawns(&self, color: Color) -> Bitboard {
        self.pieces(color, PieceType::Pawn)
    }

    /// Bishops and queens of one side.
    #[inline(always)]
    pub fn diagonal_sliders(&self, color: Color) -> Bitboard {
        (self.kinds[PieceType::Bishop.index()] | self.kinds[PieceType::Queen.index()])
            & self.colors[color.index()]
    }

    /// Rooks and queens of one side.
    #[inline(always)]
    pub fn straight_sliders(&self, color: Color) -> Bitboard {
        (self.kinds[PieceType::Rook.index()] | self.kinds[PieceType::Queen.index()])
            & self.colors[color.index()]
    }

    /// Where a side's king stands.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        self.pieces(color, PieceType::King).first_unchecked()
    }

    /// The piece on a square.
    #[inline(always)]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.mailbox[square.index()]
    }

    /// The kind of piece on a square.
    #[inline(always)]
    pub fn kind_at(&self, square: Square) -> Option<PieceType> {
        self.mailbox[square.index()].map(Piece::kind)
    }

    /// Whose turn it is.
    #[inline(always)]
    pub fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// The square a pawn just passed over, if taking it there is legal.
    #[inline(always)]
    pub fn en_passant(&self) -> Option<Square> {
        self.state.en_passant
    }

    /// Who may still castle to which side.
    #[inline(always)]
    pub fn castling_rights(&self) -> CastlingRights {
        self.state.castling
    }

    /// With which rooks, and which squares that needs.
    #[inline(always)]
    pub fn castling_setup(&self) -> &CastlingSetup {
        &self.castling_setup
    }

    /// Half-moves since the last capture or pawn move.
    #[inline(always)]
    pub fn halfmove_clock(&self) -> u16 {
        self.state.halfmove_clock
    }

    /// The number of the move to come, from 1.
    #[inline(always)]
    pub fn fullmove_number(&self) -> u16 {
        self.fullmove_number
    }

    /// The Zobrist key of the position: pieces, side, castling rooks, en passant.
    #[inline(always)]
    pub fn key(&self) -> Key {
        self.state.key
    }

    /// A key of the pawns of both sides alone.
    #[inline(always)]
    pub fn pawn_key(&self) -> Key {
        self.state.pawn_key
    }

    /// A key of one side's pieces without its pawns, king included.
    #[inline(always)]
    pub fn non_pawn_key(&self, color: Color) -> Key {
        self.state.non_pawn_keys[color.index()]
    }

    /// The pieces that give check to the side to move.
    #[inline(always)]
    pub fn checkers(&self) -> Bitboard {
        self.state.checkers
    }

    /// Whether the side to move is in check.
    #[inline(always)]
    pub fn in_check(&self) -> bool {
        self.state.checkers.any()
    }

    /// The mover's pieces that may not leave the line to their king.
    #[inline(always)]
    pub fn pinned(&self) -> Bitboard {
        self.state.blockers & self.colors[self.side_to_move.index()]
    }

    /// The move that led here, if one was made on this board and it was not a null move.
    #[inline(always)]
    pub fn last_move(&self) -> Option<Move> {
        self.state.last_move
    }

    /// How many moves (null moves too) were made on this board since it was set up.
    #[inline(always)]
    pub fn plies_made(&self) -> usize {
        self.history.len()
    }

    /// Whether a side has a knight, bishop, rook or queen: without one, zugzwang is near.
    #[inline(always)]
    pub fn has_pieces(&self, color: Color) -> bool {
        let pawns_and_king = self.kinds[PieceType::Pawn.index()] | self.kinds[PieceType::King.index()];
        (self.colors[color.index()] - pawns_and_king).any()
    }

    /// Pieces of both colours that attack a square, given an occupancy.
    #[inline(always)]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let straight = self.kinds[PieceType::Rook.index()] | self.kinds[PieceType::Queen.index()];
        let diagonal = self.kinds[PieceType::Bishop.index()] | self.kinds[PieceType::Queen.index()];
        (attacks::pawn(Color::Black, square) & self.pawns(Color::White))
            | (attacks::pawn(Color::White, square) & self.pawns(Color::Black))
            | (attacks::knight(square) & self.kinds[PieceType::Knight.index()])
            | (attacks::king(square) & self.kinds[PieceType::King.index()])
            | (attacks::bishop(square, occupied) & diagonal)
            | (attacks::rook(square, occupied) & straight)
    }

    /// Whether a side attacks a square, given an occupancy.
    #[inline(always)]
    pub fn is_attacked(&self, square: Square, by: Color, occupied: Bitboard) -> bool {
        (attacks::pawn(!by, square) & self.pawns(by)).any()
            || (attacks::knight(square) & self.pieces(by, PieceType::Knight)).any()
            || (attacks::king(square) & self.pieces(by, PieceType::King)).any()
            || (attacks::bishop(square, occupied) & self.diagonal_sliders(by)).any()
            || (attacks::rook(square, occupied) & self.straight_sliders(by)).any()
    }

    /// Every square that a side attacks.
    pub fn attacked_by(&self, color: Color) -> Bitboard {
        self.attacked_through(color, self.occupied())
    }

    /// Every square that a side attacks, given an occupancy.
    #[inline(always)]
    fn attacked_through(&self, color: Color, occupied: Bitboard) -> Bitboard {
        let mut attacked = attacks::pawns(color, self.pawns(color)) | attacks::king(self.king(color));
        for square in self.pieces(color, PieceType::Knight) {
            attacked |= attacks::knight(square);
        }
        for square in self.diagonal_sliders(color) {
            attacked |= attacks::bishop(square, occupied);
        }
        for square in self.straight_sliders(color) {
            attacked |= attacks::rook(square, occupied);
        }
        attacked
    }

    /// The pieces (of either colour) that alone stand between `king` and a slider of `by`.
    pub fn blockers_for(&self, king: Square, by: Color) -> Bitboard {
        self.slider_contacts(king, by).1
    }

    /// Each slider of `by` on a line with `king`, and the pieces that stand in between. Needs no slider
    /// look-up: only sliders on the king's lines matter, and there are few.
    #[inline(always)]
    fn sliders_on_lines(&self, king: Square, by: Color) -> impl Iterator<Item = (Square, Bitboard)> {
        let on_lines = (attacks::rook_rays(king) & self.straight_sliders(by))
            | (attacks::bishop_rays(king) & self.diagonal_sliders(by));
        let occupied = self.occupied();
        on_lines.into_iter().map(move |slider| (slider, attacks::between(king, slider) & occupied))
    }

    /// Sliders of `by` that attack `king`, and the lone pieces that keep others from doing so.
    #[inline(always)]
    fn slider_contacts(&self, king: Square, by: Color) -> (Bitboard, Bitboard) {
        let (mut attackers, mut blockers) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for (slider, standing_between) in self.sliders_on_lines(king, by) {
            if standing_between.is_empty() {
                attackers |= slider.into();
            } else if !standing_between.several() {
                blockers |= standing_between;
            }
        }
        (attackers, blockers)
    }

    /// Computes checkers and blockers for the side to move.
    #[inline(always)]
    fn refresh_checks(&mut self) {
        let us = self.side_to_move;
        let king = self.king(us);
        let (sliders, blockers) = self.slider_contacts(king, !us);
        self.state.blockers = blockers;
        self.state.checkers = sliders
            | (attacks::pawn(us, king) & self.pawns(!us))
            | (attacks::knight(king) & self.pieces(!us, PieceType::Knight));
    }

    /// Whether some pawn of the side to move may take the pawn that just passed over `passed`.
    fn en_passant_is_legal(&self, passed: Square) -> bool {
        let us = self.side_to_move;
        let takers = attacks::pawn(!us, passed) & self.pawns(us);
        takers.into_iter().any(|from| self.en_passant_keeps_king_safe(from, passed))
    }

    /// Whether taking in passing leaves the king unattacked: two pawns leave their lines at once, which
    /// no pin shows, so the sliders are looked up afresh.
    fn en_passant_keeps_king_safe(&self, from: Square, passed: Square) -> bool {
        let us = self.side_to_move;
        let king = self.king(us);
        let taken = passed.forward(!us);
        let occupied = (self.occupied() ^ from.into() ^ taken.into()) | passed.into();
        let leapers = self.kinds[PieceType::Pawn.index()] | self.kinds[PieceType::Knight.index()];
        ((self.checkers() & leapers) - Bitboard::of(taken)).is_empty()
            && (attacks::rook(king, occupied) & self.straight_sliders(!us)).is_empty()
            && (attacks::bishop(king, occupied) & self.diagonal_sliders(!us)).is_empty()
    }

    /// The three keys from nothing: what the incremental ones must equal.
    pub fn recompute_keys(&self) -> (Key, Key, [Key; 2]) {
        // White's pieces, Black's pieces, pawns: chosen by index, not by a branch.
        let mut keys = [0; 3];
        for square in self.occupied() {
            let Some(piece) = self.piece_at(square) else { continue };
            let slot = if piece.kind() == PieceType::Pawn { 2 } else { piece.color().index() };
            keys[slot] ^= ZOBRIST.piece(piece, square);
        }
        let [white, black, pawn_key] = keys;
        let non_pawn_keys = [white, black];
        let mut key = pawn_key ^ non_pawn_keys[0] ^ non_pawn_keys[1];
        key ^= self.castling_setup.key(self.state.castling);
        if self.side_to_move == Color::Black {
            key ^= ZOBRIST.black_to_move;
        }
        if let Some(square) = self.state.en_passant {
            key ^= ZOBRIST.en_passant(square.file());
        }
        (key, pawn_key, non_pawn_keys)
    }
}

impl PartialEq for Board {
    /// Equal in every field, history included: what make and unmake must give back.
    fn eq(&self, other: &Board) -> bool {
        self.kinds == other.kinds
            && self.colors == other.colors
            && self.mailbox == other.mailbox
            && self.side_to_move == other.side_to_move
            && self.state == other.state
            && self.fullmove_number == other.fullmove_number
            && self.castling_setup == other.castling_setup
            && self.history == other.history
    }
}

impl Eq for Board {}
