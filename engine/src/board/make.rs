//! Making and unmaking moves, in constant time.

use super::zobrist::ZOBRIST;
use super::{Board, State, Wing, attacks};
use crate::types::{Bitboard, Move, MoveKind, Piece, PieceType, Square};

impl Board {
    /// Plays a legal move.
    pub fn make(&mut self, m: Move) {
        let us = self.side_to_move;
        debug_assert!(self.is_legal(m), "{m:?}");
        let (from, to, kind) = (m.from(), m.to(), m.kind());
        self.history.push(self.state);

        let state = &mut self.state;
        // Saturating: a list of moves may be of any length.
        state.halfmove_clock = state.halfmove_clock.saturating_add(1);
        state.plies_from_null = state.plies_from_null.saturating_add(1);
        state.captured = None;
        state.last_move = Some(m);
        state.key ^= ZOBRIST.black_to_move;
        if let Some(square) = state.en_passant.take() {
            state.key ^= ZOBRIST.en_passant(square.file());
        }
        let rights = self.castling_setup.after(state.castling, from, to);
        state.key ^= self.castling_setup.key(state.castling) ^ self.castling_setup.key(rights);
        state.castling = rights;

        let piece = self.expect_piece(from);
        match kind {
            MoveKind::Quiet => {
                self.shift_keyed(piece, from, to);
                if piece.kind() == PieceType::Pawn {
                    self.state.halfmove_clock = 0;
                }
            }
            MoveKind::DoublePush => {
                self.shift_keyed(piece, from, to);
                self.state.halfmove_clock = 0;
            }
            MoveKind::Castle => {
                let wing = Wing::of(m);
                let rook = Piece::new(us, PieceType::Rook);
                self.lift_keyed(piece, from);
                self.lift_keyed(rook, to);
                self.put_keyed(piece, wing.king_target(us));
                self.put_keyed(rook, wing.rook_target(us));
            }
            MoveKind::Capture => {
                let taken = self.expect_piece(to);
                self.lift_keyed(taken, to);
                self.shift_keyed(piece, from, to);
                self.state.captured = Some(taken);
                self.state.halfmove_clock = 0;
            }
            MoveKind::EnPassant => {
                let taken = Piece::new(!us, PieceType::Pawn);
                self.lift_keyed(taken, to.forward(!us));
                self.shift_keyed(piece, from, to);
                self.state.captured = Some(taken);
                self.state.halfmove_clock = 0;
            }
            _ => {
                if m.is_capture() {
                    let taken = self.expect_piece(to);
                    self.lift_keyed(taken, to);
                    self.state.captured = Some(taken);
                }
                self.lift_keyed(piece, from);
                self.put_keyed(Piece::new(us, m.promotion().unwrap_or(PieceType::Queen)), to);
                self.state.halfmove_clock = 0;
            }
        }

        self.fullmove_number = self.fullmove_number.saturating_add(us as u16);
        self.side_to_move = !us;
        self.refresh_checks();
        if kind == MoveKind::DoublePush {
            let passed = to.forward(!us);
            if (attacks::pawn(us, passed) & self.pawns(!us)).any() && self.en_passant_is_legal(passed) {
                self.state.en_passant = Some(passed);
                self.state.key ^= ZOBRIST.en_passant(passed.file());
            }
        }
    }

    /// Takes the last move back. There must be one, and it must not be a null move.
    pub fn unmake(&mut self) {
        let us = !self.side_to_move;
        let undone = self.state;
        let m = undone.last_move.expect("unmake follows a make");
        self.state = self.pop_state();
        self.side_to_move = us;
        self.fullmove_number -= us as u16;

        let (from, to) = (m.from(), m.to());
        match m.kind() {
            MoveKind::Castle => {
                let wing = Wing::of(m);
                let king = Piece::new(us, PieceType::King);
                let rook = Piece::new(us, PieceType::Rook);
                self.lift(king, wing.king_target(us));
                self.lift(rook, wing.rook_target(us));
                self.put(king, from);
                self.put(rook, to);
            }
            MoveKind::EnPassant => {
                self.shift(Piece::new(us, PieceType::Pawn), to, from);
                self.put(Piece::new(!us, PieceType::Pawn), to.forward(!us));
            }
            _ => {
                if m.is_promotion() {
                    self.lift(self.expect_piece(to), to);
                    self.put(Piece::new(us, PieceType::Pawn), from);
                } else {
                    self.shift(self.expect_piece(to), to, from);
                }
                if let Some(taken) = undone.captured {
                    self.put(taken, to);
                }
            }
        }
    }

    /// Passes the turn. Not allowed in check.
    pub fn make_null(&mut self) {
        debug_assert!(!self.in_check());
        self.history.push(self.state);
        let state = &mut self.state;
        state.halfmove_clock = state.halfmove_clock.saturating_add(1);
        state.plies_from_null = 0;
        state.captured = None;
        state.last_move = None;
        state.key ^= ZOBRIST.black_to_move;
        if let Some(square) = state.en_passant.take() {
            state.key ^= ZOBRIST.en_passant(square.file());
        }
        self.fullmove_number = self.fullmove_number.saturating_add(self.side_to_move as u16);
        self.side_to_move = !self.side_to_move;
        self.refresh_checks();
    }

    /// Takes a null move back.
    pub fn unmake_null(&mut self) {
        self.state = self.pop_state();
        self.side_to_move = !self.side_to_move;
        self.fullmove_number -= self.side_to_move as u16;
    }

    /// The key after a move, without making it: good enough to fetch a table entry early. Castling,
    /// en passant and promotion are approximated.
    #[inline(always)]
    pub fn key_after(&self, m: Move) -> u64 {
        let (from, to) = (m.from(), m.to());
        let piece = self.expect_piece(from);
        let mut key =
            self.state.key ^ ZOBRIST.black_to_move ^ ZOBRIST.piece(piece, from) ^ ZOBRIST.piece(piece, to);
        if let Some(taken) = self.piece_at(to) {
            key ^= ZOBRIST.piece(taken, to);
        }
        key
    }

    /// The key after a null move; en passant is approximated.
    #[inline(always)]
    pub fn key_after_null(&self) -> u64 {
        self.state.key ^ ZOBRIST.black_to_move
    }

    #[inline(always)]
    fn pop_state(&mut self) -> State {
        self.history.pop().expect("unmake follows a make")
    }

    #[inline(always)]
    pub(crate) fn expect_piece(&self, square: Square) -> Piece {
        self.mailbox[square.index()].expect("a legal move starts from and takes a piece")
    }

    #[inline(always)]
    fn toggle(&mut self, piece: Piece, squares: Bitboard) {
        self.kinds[piece.kind().index()] ^= squares;
        self.colors[piece.color().index()] ^= squares;
    }

    #[inline(always)]
    fn put(&mut self, piece: Piece, square: Square) {
        self.toggle(piece, square.into());
        self.mailbox[square.index()] = Some(piece);
    }

    #[inline(always)]
    fn lift(&mut self, piece: Piece, square: Square) {
        self.toggle(piece, square.into());
        self.mailbox[square.index()] = None;
    }

    #[inline(always)]
    fn shift(&mut self, piece: Piece, from: Square, to: Square) {
        self.toggle(piece, Bitboard::of(from) | Bitboard::of(to));
        self.mailbox[from.index()] = None;
        self.mailbox[to.index()] = Some(piece);
    }

    #[inline(always)]
    fn toggle_key(&mut self, piece: Piece, key: u64) {
        self.state.key ^= key;
        match piece.kind() {
            PieceType::Pawn => self.state.pawn_key ^= key,
            _ => self.state.non_pawn_keys[piece.color().index()] ^= key,
        }
    }

    #[inline(always)]
    fn put_keyed(&mut self, piece: Piece, square: Square) {
        self.put(piece, square);
        self.toggle_key(piece, ZOBRIST.piece(piece, square));
    }

    #[inline(always)]
    fn lift_keyed(&mut self, piece: Piece, square: Square) {
        self.lift(piece, square);
        self.toggle_key(piece, ZOBRIST.piece(piece, square));
    }

    #[inline(always)]
    fn shift_keyed(&mut self, piece: Piece, from: Square, to: Square) {
        self.shift(piece, from, to);
        self.toggle_key(piece, ZOBRIST.piece(piece, from) ^ ZOBRIST.piece(piece, to));
    }
}
