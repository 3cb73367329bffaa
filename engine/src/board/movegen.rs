//! Legal moves, generated directly: no move is made to find out that it was illegal.
//!
//! One generator serves everybody. It works on whole sets (all pawns that push, all squares of a
//! knight) and hands them to a [`MoveSink`]: a list takes them apart into moves, a counter only counts
//! bits, which is what perft needs at its last ply, and who judges moves does it where they come from.

use super::{Board, Wing, attacks};
use crate::types::{Bitboard, Color, Move, MoveKind, MoveList, PieceType, Square};

/// Where generated sets of moves go.
pub trait MoveSink {
    /// A piece from one square to many; those on `enemies` are captures.
    fn piece(&mut self, from: Square, targets: Bitboard, enemies: Bitboard);
    /// Pawns to many squares, each coming from `delta` squares behind.
    fn pawns(&mut self, targets: Bitboard, delta: i8, kind: MoveKind);
    /// As `pawns`, each of them to the four promotions.
    fn promotions(&mut self, targets: Bitboard, delta: i8, capture: bool);
    /// One special move.
    fn one(&mut self, m: Move);
}

impl MoveSink for MoveList {
    #[inline(always)]
    fn piece(&mut self, from: Square, targets: Bitboard, enemies: Bitboard) {
        for to in targets {
            let kind = if enemies.has(to) { MoveKind::Capture } else { MoveKind::Quiet };
            self.push(Move::new(from, to, kind));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, delta: i8, kind: MoveKind) {
        for to in targets {
            self.push(Move::new(to.offset(-delta), to, kind));
        }
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, delta: i8, capture: bool) {
        use MoveKind::*;
        let kinds = if capture {
            [CapturePromoteQueen, CapturePromoteKnight, CapturePromoteRook, CapturePromoteBishop]
        } else {
            [PromoteQueen, PromoteKnight, PromoteRook, PromoteBishop]
        };
        for to in targets {
            for kind in kinds {
                self.push(Move::new(to.offset(-delta), to, kind));
            }
        }
    }

    #[inline(always)]
    fn one(&mut self, m: Move) {
        self.push(m);
    }
}

/// Counts moves without listing them.
struct Counter(u64);

impl MoveSink for Counter {
    #[inline(always)]
    fn piece(&mut self, _: Square, targets: Bitboard, _: Bitboard) {
        self.0 += u64::from(targets.count());
    }

    #[inline(always)]
    fn pawns(&mut self, targets: Bitboard, _: i8, _: MoveKind) {
        self.0 += u64::from(targets.count());
    }

    #[inline(always)]
    fn promotions(&mut self, targets: Bitboard, _: i8, _: bool) {
        self.0 += 4 * u64::from(targets.count());
    }

    #[inline(always)]
    fn one(&mut self, _: Move) {
        self.0 += 1;
    }
}

/// From which squares each kind of piece would give check, and which pieces uncover one by moving.
/// Worked out once a node and asked for every move.
pub struct CheckInfo {
    king: Square,
    /// `// [kind]`
    pub(crate) squares: [Bitboard; 6],
    discoverers: Bitboard,
}

impl Board {
    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate_all(&mut list);
        list
    }

    /// Hands all legal moves to a sink, a piece after the other and each move once; a queen comes twice, with her
    /// diagonals and with her ranks and files. `attacked`: what the enemy attacks, if the caller knows and there is no check
    /// (out of check no slider looks through the king, so it is what the king's steps need).
    #[inline(always)]
    pub fn legal_sets(&self, sink: &mut impl MoveSink, attacked: Option<Bitboard>) {
        // One copy for both sides: who asks goes on to much other code.
        let us = self.side_to_move;
        self.generate_for::<_, true, true>(sink, us, attacked);
    }

    /// Adds all legal captures and all promotions, with or without capture.
    pub fn tacticals(&self, list: &mut MoveList) {
        self.tacticals_into(list);
    }

    /// The same for any sink.
    #[inline(always)]
    pub(crate) fn tacticals_into<S: MoveSink>(&self, sink: &mut S) {
        self.generate_for::<S, true, false>(sink, self.side_to_move, None);
    }

    /// Adds all legal moves that neither capture nor promote.
    pub fn quiets(&self, list: &mut MoveList) {
        self.quiets_into(list, None);
    }

    /// The same for any sink. `attacked`: see [`Board::legal_sets`].
    #[inline(always)]
    pub(crate) fn quiets_into<S: MoveSink>(&self, sink: &mut S, attacked: Option<Bitboard>) {
        self.generate_for::<S, false, true>(sink, self.side_to_move, attacked);
    }

    /// Adds all legal quiet moves that give check.
    pub fn quiet_checks(&self, list: &mut MoveList) {
        let info = self.check_info();
        let mut quiets = MoveList::new();
        self.quiets(&mut quiets);
        for &m in quiets.iter() {
            if self.gives_check(&info, m) {
                list.push(m);
            }
        }
    }

    /// How many legal moves there are.
    pub fn count_legal_moves(&self) -> u64 {
        let mut counter = Counter(0);
        self.generate_all(&mut counter);
        counter.0
    }

    /// Everything, compiled for each side: perft does nothing else. In a search, where both sides take turns
    /// between much other code, one copy that stays in the cache is faster.
    #[inline(always)]
    fn generate_all<S: MoveSink>(&self, sink: &mut S) {
        match self.side_to_move {
            Color::White => self.generate_for::<S, true, true>(sink, Color::White, None),
            Color::Black => self.generate_for::<S, true, true>(sink, Color::Black, None),
        }
    }

    /// `us` is the side to move. `attacked`: see [`Board::legal_sets`].
    #[inline(always)]
    fn generate_for<S: MoveSink, const TACTICAL: bool, const QUIET: bool>(
        &self,
        sink: &mut S,
        us: Color,
        attacked: Option<Bitboard>,
    ) {
        debug_assert!(attacked.is_none_or(|known| !self.in_check() && known == self.attacked_by(!us)));
        let king = self.king(us);
        let enemies = self.by_color(!us);
        let occupied = self.occupied();
        let wanted = match (TACTICAL, QUIET) {
            (true, true) => !self.by_color(us),
            (true, false) => enemies,
            _ => !occupied,
        };

        self.king_moves::<S, QUIET>(sink, us, wanted, attacked);
        let checkers = self.checkers();
        if checkers.several() {
            return; // double check: only the king can move
        }
        // Out of check a move must take the checker or step in between.
        let allowed = match checkers.first() {
            Some(checker) => attacks::between(king, checker) | checkers,
            None => Bitboard::ALL,
        };
        let pinned = self.state.blockers & self.by_color(us);

        self.pawn_moves::<S, TACTICAL, QUIET>(sink, us, allowed, pinned);
        let targets = wanted & allowed;
        for from in self.pieces(us, PieceType::Knight) - pinned {
            sink.piece(from, attacks::knight(from) & targets, enemies);
        }
        for from in self.diagonal_sliders(us) - pinned {
            sink.piece(from, attacks::bishop(from, occupied) & targets, enemies);
        }
        for from in self.straight_sliders(us) - pinned {
            sink.piece(from, attacks::rook(from, occupied) & targets, enemies);
        }
        // A pinned slider may move along its line; never out of a check.
        if pinned.any() && checkers.is_empty() {
            for from in self.diagonal_sliders(us) & pinned & attacks::bishop_rays(king) {
                let along = attacks::line(king, from);
                sink.piece(from, attacks::bishop(from, occupied) & targets & along, enemies);
            }
            for from in self.straight_sliders(us) & pinned & attacks::rook_rays(king) {
                let along = attacks::line(king, from);
                sink.piece(from, attacks::rook(from, occupied) & targets & along, enemies);
            }
        }
    }

    /// The king's steps and, among the quiet moves, castling: both need to know what the enemy attacks.
    #[inline(always)]
    fn king_moves<S: MoveSink, const QUIET: bool>(
        &self,
        sink: &mut S,
        us: Color,
        wanted: Bitboard,
        attacked: Option<Bitboard>,
    ) {
        let king = self.king(us);
        let targets = attacks::king(king) & wanted;
        // The king itself must not hide the squares behind it from a slider.
        let occupied = self.occupied() ^ king.into();
        if !QUIET {
            // Few enemies stand beside a king: cheaper to ask for each than for all squares at once.
            for target in targets {
                if !self.is_attacked(target, !us, occupied) {
                    sink.piece(king, target.into(), targets);
                }
            }
            return;
        }
        let may_castle = self.state.castling.any(us) && self.checkers().is_empty();
        let castling = Wing::BOTH.map(|wing| may_castle && self.castling_is_open(us, wing));
        if targets.is_empty() && castling == [false; 2] {
            return;
        }
        let attacked = attacked.unwrap_or_else(|| self.attacked_through(!us, occupied));
        sink.piece(king, targets - attacked, self.by_color(!us));
        for wing in Wing::BOTH {
            if castling[wing as usize] && (self.castling_setup.king_path(us, wing) & attacked).is_empty() {
                sink.one(Move::new(king, self.castling_setup.rook(us, wing), MoveKind::Castle));
            }
        }
    }

    /// Whether the right is left, the way is free, and the rook does not uncover an attack on the king by
    /// leaving (a Chess960 rook on the king's rank can be pinned). What is attacked is another question.
    #[inline(always)]
    fn castling_is_open(&self, us: Color, wing: Wing) -> bool {
        self.state.castling.has(us, wing)
            && (self.castling_setup.must_be_empty(us, wing) & self.occupied()).is_empty()
            && !self.state.blockers.has(self.castling_setup.rook(us, wing))
    }

    #[inline(always)]
    fn pawn_moves<S: MoveSink, const TACTICAL: bool, const QUIET: bool>(
        &self,
        sink: &mut S,
        us: Color,
        allowed: Bitboard,
        pinned: Bitboard,
    ) {
        let king = self.king(us);
        let (ahead, east, west) = if us == Color::White { (8, 9, 7) } else { (-8, -7, -9) };
        let last_rank = Bitboard::relative_rank(us, 7);
        let pawns = self.pawns(us);
        let empty = !self.occupied();

        // A pinned pawn pushes only on its king's file.
        let pushers = pawns & (!pinned | Bitboard::file(king.file()));
        let one_step = pushers.forward(us) & empty;
        if QUIET {
            let two_steps = (one_step & Bitboard::relative_rank(us, 2)).forward(us) & empty & allowed;
            sink.pawns((one_step & allowed) - last_rank, ahead, MoveKind::Quiet);
            sink.pawns(two_steps, 2 * ahead, MoveKind::DoublePush);
        }
        if TACTICAL {
            // A pinned pawn takes only along the diagonal that its king stands on.
            let (east_line, west_line) = if us == Color::White {
                (attacks::diagonal(king), attacks::anti_diagonal(king))
            } else {
                (attacks::anti_diagonal(king), attacks::diagonal(king))
            };
            let takeable = self.by_color(!us) & allowed;
            let to_east = (pawns & (!pinned | east_line)).east().forward(us) & takeable;
            let to_west = (pawns & (!pinned | west_line)).west().forward(us) & takeable;
            sink.pawns(to_east - last_rank, east, MoveKind::Capture);
            sink.pawns(to_west - last_rank, west, MoveKind::Capture);
            if (pawns & Bitboard::relative_rank(us, 6)).any() {
                sink.promotions(to_east & last_rank, east, true);
                sink.promotions(to_west & last_rank, west, true);
                sink.promotions(one_step & allowed & last_rank, ahead, false);
            }
            if let Some(passed) = self.state.en_passant {
                for from in attacks::pawn(!us, passed) & pawns {
                    if self.en_passant_keeps_king_safe(from, passed) {
                        sink.one(Move::new(from, passed, MoveKind::EnPassant));
                    }
                }
            }
        }
    }

    /// Whether a move that came from elsewhere (a table, a file) is legal here.
    pub fn is_legal(&self, m: Move) -> bool {
        let us = self.side_to_move;
        let (from, to) = (m.from(), m.to());
        let Some(piece) = self.piece_at(from) else { return false };
        if piece.color() != us {
            return false;
        }
        let king = self.king(us);
        let occupied = self.occupied();
        if m.is_castle() {
            let wing = Wing::of(m);
            let without_king = occupied ^ king.into();
            return from == king
                && !self.in_check()
                && self.castling_setup.rook(us, wing) == to
                && self.castling_is_open(us, wing)
                && (self.castling_setup.king_path(us, wing) - Bitboard::of(king))
                    .into_iter()
                    .all(|square| !self.is_attacked(square, !us, without_king));
        }
        if m.is_en_passant() {
            return piece.kind() == PieceType::Pawn
                && self.state.en_passant == Some(to)
                && attacks::pawn(us, from).has(to)
                && self.en_passant_keeps_king_safe(from, to);
        }
        if self.by_color(us).has(to) || m.is_capture() != self.by_color(!us).has(to) {
            return false;
        }
        if piece.kind() == PieceType::King {
            return matches!(m.kind(), MoveKind::Quiet | MoveKind::Capture)
                && attacks::king(king).has(to)
                && !self.is_attacked(to, !us, occupied ^ king.into());
        }
        let reaches = match piece.kind() {
            PieceType::Pawn => {
                let promotes = Bitboard::relative_rank(us, 7).has(to);
                promotes == m.is_promotion()
                    && if m.is_capture() {
                        attacks::pawn(us, from).has(to)
                    } else if m.kind() == MoveKind::DoublePush {
                        Bitboard::relative_rank(us, 1).has(from)
                            && to == from.forward(us).forward(us)
                            && !occupied.has(from.forward(us))
                    } else {
                        to == from.forward(us)
                    }
            }
            kind => {
                matches!(m.kind(), MoveKind::Quiet | MoveKind::Capture)
                    && match kind {
                        PieceType::Knight => attacks::knight(from),
                        PieceType::Bishop => attacks::bishop(from, occupied),
                        PieceType::Rook => attacks::rook(from, occupied),
                        _ => attacks::queen(from, occupied),
                    }
                    .has(to)
            }
        };
        let answers_check = || match self.checkers().first() {
            None => true,
            Some(checker) => {
                !self.checkers().several() && (attacks::between(king, checker) | self.checkers()).has(to)
            }
        };
        reaches && answers_check() && (!self.state.blockers.has(from) || attacks::line(king, from).has(to))
    }

    /// What [`Board::gives_check`] needs to know about this position.
    pub fn check_info(&self) -> CheckInfo {
        let us = self.side_to_move;
        let king = self.king(!us);
        let occupied = self.occupied();
        let (bishop, rook) = (attacks::bishop(king, occupied), attacks::rook(king, occupied));
        CheckInfo {
            king,
            squares: [
                attacks::pawn(!us, king),
                attacks::knight(king),
                bishop,
                rook,
                bishop | rook,
                Bitboard::EMPTY,
            ],
            discoverers: self.blockers_for(king, us) & self.by_color(us),
        }
    }

    /// Whether a legal move gives check.
    pub fn gives_check(&self, info: &CheckInfo, m: Move) -> bool {
        let us = self.side_to_move;
        let (from, to) = (m.from(), m.to());
        let kind = self.expect_piece(from).kind();
        if !m.is_castle()
            && (info.squares[kind.index()].has(to)
                || (info.discoverers.has(from) && !attacks::line(from, to).has(info.king)))
        {
            return true;
        }
        match m.kind() {
            MoveKind::Quiet | MoveKind::DoublePush | MoveKind::Capture => false,
            MoveKind::Castle => {
                let wing = Wing::of(m);
                let (king_to, rook_to) = (wing.king_target(us), wing.rook_target(us));
                let occupied = (self.occupied() ^ from.into() ^ to.into()) | king_to.into() | rook_to.into();
                attacks::rook(rook_to, occupied).has(info.king)
            }
            MoveKind::EnPassant => {
                let taken = to.forward(!us);
                let occupied = (self.occupied() ^ from.into() ^ taken.into()) | to.into();
                (attacks::rook(info.king, occupied) & self.straight_sliders(us)).any()
                    || (attacks::bishop(info.king, occupied) & self.diagonal_sliders(us)).any()
            }
            _ => {
                let occupied = self.occupied() ^ from.into();
                match m.promotion() {
                    Some(PieceType::Knight) => attacks::knight(to),
                    Some(PieceType::Bishop) => attacks::bishop(to, occupied),
                    Some(PieceType::Rook) => attacks::rook(to, occupied),
                    _ => attacks::queen(to, occupied),
                }
                .has(info.king)
            }
        }
    }
}
