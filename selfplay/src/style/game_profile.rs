//! One game, and what each side did in it.

use engine::Board;
use engine::board::attacks;
use engine::types::{Bitboard, Color, Move, MoveList, PieceType, Square};
use serde::Serialize;

use super::material::Material;
use crate::Outcome;
use crate::pgn::PgnGame;
use crate::record::GameRecord;

/// Half-moves for which material must stay given to count as a sacrifice.
const SACRIFICE_PLIES: usize = 4;
/// The same for the aggressiveness score, which asks for more.
const LASTING_PLIES: usize = 8;
/// And there, for a mere pawn.
const LASTING_PLIES_OF_A_PAWN: usize = 12;
/// The half-moves after which men are counted: how fast a game empties the board.
pub const COUNTED_AT: [u32; 4] = [20, 36, 52, 68];
/// What a static exchange must lose to be an offer: a pawn is 100.
const OFFER: i32 = 90;
/// Pieces that must bear on the king's surroundings to make an attack.
const ATTACKERS: u32 = 2;

/// Parts of PGN's `Termination` that say that a game was not ended by chess. Without their first letters,
/// which may be capitals.
const ACCIDENTS: [&str; 9] =
    ["bandon", "talled", "onnect", "orfeit", "ime", "llegal", "raction", "ules", "oose"];

/// What one side did in a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SideProfile {
    /// Its moves.
    pub moves: u32,
    /// The most material, in pawns, that it gave and was without for four half-moves; 0: none.
    pub given: u32,
    /// The same by the stricter rule of the aggressiveness score, for which the balance must not change
    /// meanwhile: 0 to 5 pawns, 6 for the queen.
    pub lasting: u32,
    /// The half-move at which a lasting sacrifice was first complete.
    #[serde(skip)]
    pub lasting_since: Option<u32>,
    /// Moves in the middlegame, for which attacks are counted.
    pub middlegame_moves: u32,
    /// Among these, those after which several pieces bear on the enemy king.
    pub attacking_moves: u32,
    /// Checks given.
    pub checks: u32,
    /// Pawns pushed over the middle of the board towards a king on a wing.
    pub storms: u32,
    /// Moves that could have been a sound capture.
    pub captures_offered: u32,
    /// Among these, those that were something else.
    pub captures_avoided: u32,
    /// Moves with both queens on the board.
    pub moves_with_queens: u32,
    /// Even exchanges begun: a piece takes one of its worth, and does not take back.
    pub exchanges: u32,
    /// Moves that leave the moved piece to be taken at a loss of a pawn or more, by static exchange.
    pub offers: u32,
    /// Moves of pieces that come nearer to the enemy king, and those that go away from it.
    pub approaches: u32,
    /// See `approaches`.
    pub retreats: u32,
    /// Moves of pawns.
    pub pawn_moves: u32,
    /// Middlegame moves after which it is behind in material.
    pub moves_behind: u32,
}

/// A game.
#[derive(Clone, Debug)]
pub struct GameProfile {
    /// `// [color]`
    pub names: [String; 2],
    /// PGN's `Round`: in our matches the number of the opening, a dot, and the game of the pair.
    pub round: String,
    /// Who won.
    pub outcome: Outcome,
    /// Its length in half-moves.
    pub plies: u32,
    /// `// [color]`
    pub sides: [SideProfile; 2],
    /// Whether an endgame was ever reached.
    pub reached_endgame: bool,
    /// Men of both sides, kings and pawns too, after each of [`COUNTED_AT`]; of games that were over by then, at
    /// their end.
    pub men: [u32; COUNTED_AT.len()],
    /// Whether a flag, a crash or the like decided it.
    pub by_accident: bool,
    /// Equal for games that are the same move by move.
    pub fingerprint: u64,
}

impl GameProfile {
    /// Plays a game through. `None`: it has no result.
    pub fn of(game: &PgnGame) -> Option<GameProfile> {
        let tag = |name: &str| game.tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let text = |name: &str| tag(name).unwrap_or("?").to_string();
        let outcome = game.outcome?;
        let first =
            game.first_fen.as_deref().and_then(|fen| Board::from_fen(fen).ok()).unwrap_or_else(Board::start);
        let by_accident =
            tag("Termination").is_some_and(|text| ACCIDENTS.iter().any(|part| text.contains(part)));
        let profile = GameProfile::played(first, game.moves.iter().copied(), outcome);
        Some(GameProfile {
            names: [text("White"), text("Black")],
            round: text("Round"),
            by_accident,
            ..profile
        })
    }

    /// Plays a game of self-play through. Both sides are `player`.
    pub fn of_record(player: &str, game: &GameRecord) -> GameProfile {
        let searched = game.plies.iter().map(|ply| ply.played);
        let moves = game.opening.iter().copied().chain(searched);
        let profile = GameProfile::played(game.start.board(), moves, game.outcome);
        GameProfile { names: [player.to_string(), player.to_string()], round: game.id.to_string(), ..profile }
    }

    /// What the moves show; nobody has a name yet.
    fn played(mut board: Board, moves: impl Iterator<Item = Move>, outcome: Outcome) -> GameProfile {
        let mut watch = Watch::new(&board);
        let mut fingerprint = 0xcbf2_9ce4_8422_2325u64 ^ board.key();
        let mut plies = 0;
        for m in moves {
            watch.before_move(&board, m);
            board.make(m);
            watch.after_move(&board, m);
            fingerprint = (fingerprint ^ u64::from(m.bits())).wrapping_mul(0x0100_0000_01b3);
            plies += 1;
        }
        GameProfile {
            names: Default::default(),
            round: String::new(),
            outcome,
            plies,
            sides: watch.sides,
            reached_endgame: watch.reached_endgame,
            men: watch.men,
            by_accident: false,
            fingerprint,
        }
    }

    /// Whether this side won.
    pub fn is_won_by(&self, color: Color) -> bool {
        self.outcome == Outcome::win_for(color)
    }

    /// The result from this side, as a word.
    pub fn result_of(&self, color: Color) -> &'static str {
        match self.outcome.half_points(color) {
            0 => "loss",
            1 => "draw",
            _ => "win",
        }
    }

    /// Its length in moves, a half one counted as one.
    pub fn moves(&self) -> u32 {
        self.plies.div_ceil(2)
    }

    /// A draw that this side should not have made: before an endgame, or after it had been ahead for long;
    /// not if it had been behind for long.
    pub fn is_bad_draw_of(&self, color: Color) -> bool {
        let behind = |side: Color| self.sides[side.index()].lasting >= 1;
        self.outcome == Outcome::Draw && !behind(color) && (!self.reached_endgame || behind(!color))
    }
}

/// A condition, and for how many positions in a row it has held.
#[derive(Clone, Copy, Default)]
struct Streak(usize);

impl Streak {
    /// Whether the condition still holds `plies` half-moves after it arose.
    fn lasts(&mut self, holds: bool, plies: usize) -> bool {
        self.0 = if holds { self.0 + 1 } else { 0 };
        self.0 > plies
    }

    /// The same, but counted anew when something changed meanwhile.
    fn lasts_unchanged(&mut self, holds: bool, changed: bool, plies: usize) -> bool {
        if changed {
            self.0 = 0;
        }
        self.lasts(holds, plies)
    }
}

/// What must be remembered while a game is played through.
struct Watch {
    /// `// [color]`
    sides: [SideProfile; 2],
    reached_endgame: bool,
    plies: u32,
    /// See [`GameProfile::men`].
    men: [u32; COUNTED_AT.len()],
    /// Where the last move took something.
    taken_on: Option<Square>,
    /// By how much White was behind in the first position: openings with odds are nobody's sacrifice.
    first_deficit_white: i32,
    /// `// [color][pawns given - 1]`
    given: [[Streak; 9]; 2],
    /// `// [color][level - 1]`
    lasting: [[Streak; 6]; 2],
    /// `// [color]` a mere pawn
    lasting_pawn: [Streak; 2],
    /// `// [color]` what the opponent had more, in the last position
    surplus: [[i32; 4]; 2],
}

impl Watch {
    fn new(board: &Board) -> Watch {
        let [white, black] = Color::ALL.map(|color| Material::of(board, color));
        let mut watch = Watch {
            sides: Default::default(),
            reached_endgame: false,
            plies: 0,
            men: [board.occupied().count(); COUNTED_AT.len()],
            taken_on: None,
            first_deficit_white: black.value() - white.value(),
            given: Default::default(),
            lasting: Default::default(),
            lasting_pawn: Default::default(),
            surplus: Default::default(),
        };
        watch.look_at_material(board);
        watch
    }

    /// What the mover could have done.
    fn before_move(&mut self, board: &Board, m: Move) {
        let side = &mut self.sides[board.side_to_move().index()];
        side.moves += 1;
        let mut tacticals = MoveList::new();
        board.tacticals(&mut tacticals);
        // Even exchanges count: what is avoided is simplification.
        if tacticals.iter().any(|&m| m.is_capture() && board.see_ge(m, 0)) {
            side.captures_offered += 1;
            side.captures_avoided += u32::from(!m.is_capture());
        }
        side.offers += u32::from(!m.is_castle() && !board.see_ge(m, -OFFER));
        let is_recapture = self.taken_on == Some(m.to());
        side.exchanges += u32::from(m.is_capture() && !is_recapture && is_even_exchange(board, m));
        self.taken_on = m.is_capture().then_some(m.to());
        match board.kind_at(m.from()) {
            Some(PieceType::Pawn) => side.pawn_moves += 1,
            Some(kind) if kind != PieceType::King => {
                let king = board.king(!board.side_to_move());
                let (before, after) = (distance(m.from(), king), distance(m.to(), king));
                side.approaches += u32::from(after < before);
                side.retreats += u32::from(after > before);
            }
            _ => {}
        }
    }

    /// What it did.
    fn after_move(&mut self, board: &Board, m: Move) {
        self.plies += 1;
        let mover = !board.side_to_move();
        let side = &mut self.sides[mover.index()];
        side.checks += u32::from(board.in_check());
        side.storms += u32::from(is_storm(board, mover, m));
        let has_queen = |color| board.pieces(color, PieceType::Queen).any();
        side.moves_with_queens += u32::from(has_queen(Color::White) && has_queen(Color::Black));
        for (men, at) in self.men.iter_mut().zip(COUNTED_AT) {
            if self.plies <= at {
                *men = board.occupied().count();
            }
        }
        self.look_at_material(board);
        if !self.reached_endgame {
            let side = &mut self.sides[mover.index()];
            side.middlegame_moves += 1;
            let [own, theirs] = [mover, !mover].map(|color| Material::of(board, color).value());
            side.moves_behind += u32::from(own < theirs);
            side.attacking_moves += u32::from(king_attackers(board, mover) >= ATTACKERS);
        }
    }

    fn look_at_material(&mut self, board: &Board) {
        let materials = Color::ALL.map(|color| Material::of(board, color));
        self.reached_endgame |= Material::is_endgame(&materials[0], &materials[1]);
        for color in Color::ALL {
            let (own, opponent) = (materials[color.index()], materials[(!color).index()]);
            let deficit = opponent.value() - own.value();
            let first_deficit = match color {
                Color::White => self.first_deficit_white,
                Color::Black => -self.first_deficit_white,
            };
            let side = &mut self.sides[color.index()];
            for (pawns, streak) in (1..).zip(&mut self.given[color.index()]) {
                if streak.lasts(deficit - first_deficit.max(0) >= pawns, SACRIFICE_PLIES) {
                    side.given = side.given.max(pawns as u32);
                }
            }
            let mut level = 0;
            let streak = &mut self.lasting_pawn[color.index()];
            if streak.lasts(is_pawn_down(&own, &opponent), LASTING_PLIES_OF_A_PAWN) {
                level = 1;
            }
            let surplus = opponent.surplus_over(&own);
            let changed = std::mem::replace(&mut self.surplus[color.index()], surplus) != surplus;
            for (pawns, streak) in (1..).zip(&mut self.lasting[color.index()]) {
                let is_down = is_down(&own, &opponent, pawns);
                if streak.lasts_unchanged(is_down, changed, LASTING_PLIES) {
                    level = pawns as u32;
                }
            }
            if level > 0 && side.lasting_since.is_none() {
                side.lasting_since = Some(self.plies);
            }
            side.lasting = side.lasting.max(level);
        }
    }
}

/// Whether a side is a pawn down and nothing else, in a middlegame that is no longer the opening.
fn is_pawn_down(own: &Material, opponent: &Material) -> bool {
    let after_opening = match (own.rooks, own.minors) {
        (0 | 1, 0..=4) => true,
        (2, 4) => own.pawns <= 5,
        (2, 3) => own.pawns <= 6,
        (2, 0..=2) => true,
        _ => false,
    };
    own.queens == 1 && after_opening && own.same_pieces(opponent) && opponent.pawns == own.pawns + 1
}

/// Whether a side is down by this level of the aggressiveness score, with enough left to make it a
/// sacrifice: three pawns, and a queen on the board. Level 6 is the queen itself, for less than four pawns
/// too little.
fn is_down(own: &Material, opponent: &Material, level: i32) -> bool {
    let deficit = opponent.value() - own.value();
    let queen_against_none = own.queens == 0 && opponent.queens == 1;
    let sacrifice = own.pawns >= 3 && (own.queens >= 1 || queen_against_none);
    match level {
        1 => {
            let mere_pawn = own.same_pieces(opponent) && deficit == 1;
            sacrifice && deficit >= 1 && !mere_pawn
        }
        6 => sacrifice && queen_against_none && deficit >= 5,
        _ => sacrifice && deficit >= level,
    }
}

/// Whether a piece takes one of its worth: knights and bishops are worth the same.
fn is_even_exchange(board: &Board, m: Move) -> bool {
    let worth = |square| match board.kind_at(square) {
        Some(PieceType::Bishop) => Some(PieceType::Knight),
        kind => kind,
    };
    worth(m.from()) == worth(m.to()) && worth(m.from()) != Some(PieceType::Pawn)
}

/// King's moves from one square to the other.
fn distance(from: Square, to: Square) -> u8 {
    from.file().abs_diff(to.file()).max(from.rank().abs_diff(to.rank()))
}

/// Whether the move pushes a pawn beyond the middle of the board, next to a king that stands on a wing at
/// home.
fn is_storm(board: &Board, mover: Color, m: Move) -> bool {
    let enemy_king = board.king(!mover);
    let to = m.to();
    // The move is made; a promoted pawn is no pawn any more and no storm either.
    board.kind_at(to) == Some(PieceType::Pawn)
        && !m.is_capture()
        && !m.is_castle()
        && to.relative_rank(mover) >= 4
        && enemy_king.relative_rank(!mover) <= 1
        && !(3..=4).contains(&enemy_king.file())
        && to.file().abs_diff(enemy_king.file()) <= 1
}

/// Knights, bishops, rooks and queens of a side that attack the squares at the enemy king.
fn king_attackers(board: &Board, color: Color) -> u32 {
    let king = board.king(!color);
    let zone = attacks::king(king) | Bitboard::of(king);
    let occupied = board.occupied();
    let attacking = |kind: PieceType, attacks: fn(Square, Bitboard) -> Bitboard| -> u32 {
        board.pieces(color, kind).into_iter().filter(|&from| (attacks(from, occupied) & zone).any()).count()
            as u32
    };
    attacking(PieceType::Knight, |from, _| attacks::knight(from))
        + attacking(PieceType::Bishop, attacks::bishop)
        + attacking(PieceType::Rook, attacks::rook)
        + attacking(PieceType::Queen, attacks::queen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(text: &str) -> GameProfile {
        GameProfile::of(&PgnGame::parse(text).unwrap()).unwrap()
    }

    /// Morphy's opera game: a rook and both minor pieces given, then the queen, mate on move 17.
    const OPERA: &str = "[White \"Morphy\"]\n[Black \"Duke\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 d6 3. d4 Bg4 \
        4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 \
        12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0";

    #[test]
    fn the_opera_game() {
        let game = profile(OPERA);
        assert_eq!((game.plies, game.moves(), game.is_won_by(Color::White)), (33, 17, true));
        let [white, black] = &game.sides;
        // A pawn short of a piece after 11. Bxb5+, for more than four half-moves; nobody gave Black's away.
        assert_eq!((white.given, black.given), (1, 0));
        assert_eq!(white.moves, 17);
        assert!(white.checks == 4 && black.checks == 0, "{white:?}");
        assert!(white.attacking_moves > 3 && black.attacking_moves == 0, "{white:?} {black:?}");
        assert!(!game.reached_endgame && !game.by_accident);
    }

    #[test]
    fn odds_are_nobodys_sacrifice() {
        // White plays without the queen's rook, and nothing is captured.
        let moves = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. d3 d6 5. O-O Nf6 1-0";
        let text = format!("[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1\"]\n\n{moves}");
        assert_eq!(profile(&text).sides[0].given, 0);
    }

    #[test]
    fn moves_are_told_apart() {
        // 4. Bxc6 begins an exchange that 4... dxc6 ends; 6. Nxf7 offers a knight for a pawn.
        let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. Nxe5 Qe7 6. Nxf7 Kxf7 1-0";
        let game = profile(moves);
        let [white, black] = &game.sides;
        assert_eq!((white.exchanges, black.exchanges), (1, 0));
        assert_eq!((white.offers, black.offers), (1, 0));
        assert_eq!((white.pawn_moves, black.pawn_moves), (1, 3));
        // Nf3, Bb5 and the captures on c6, e5 and f7: each ends nearer to the king on e8.
        assert_eq!((white.approaches, white.retreats), (5, 0));
        assert_eq!((white.moves_behind, black.moves_behind), (0, 1));
        assert_eq!(game.men, [27; COUNTED_AT.len()]);
    }

    #[test]
    fn draws_before_an_endgame_are_bad_for_both() {
        let game = profile("1. e4 e5 2. Nf3 Nc6 1/2-1/2");
        assert!(game.is_bad_draw_of(Color::White) && game.is_bad_draw_of(Color::Black));
        let ending = profile("[FEN \"4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 1\"]\n\n1. Ke2 Ke7 1/2-1/2");
        assert!(!ending.is_bad_draw_of(Color::White));
    }

    #[test]
    fn storms_are_pushes_towards_a_king_on_a_wing() {
        let fen = "[FEN \"rnbq1rk1/pppppppp/8/8/6PP/8/PPPPPP2/RNBQKBNR w - - 0 1\"]\n\n";
        let game = profile(&format!("{fen}1. g5 a6 2. h5 a5 3. h6 a4 4. a3 b5 1-0"));
        assert_eq!((game.sides[0].storms, game.sides[1].storms), (3, 0));
    }

    #[test]
    fn accidents_are_known_by_their_termination() {
        for (text, accident) in
            [("time forfeit", true), ("Abandoned", true), ("normal", false), ("adjudication", false)]
        {
            let game = profile(&format!("[Termination \"{text}\"]\n\n1. e4 1-0"));
            assert_eq!(game.by_accident, accident, "{text}");
        }
    }

    #[test]
    fn captures_avoided_are_counted_where_there_was_a_sound_one() {
        // After 1. e4 d5, exd5 is even; 2. e5 avoids it. Then nothing can be taken.
        let game = profile("1. e4 d5 2. e5 c6 1-0");
        assert_eq!((game.sides[0].captures_offered, game.sides[0].captures_avoided), (1, 1));
        let game = profile("1. e4 d5 2. exd5 Qxd5 1-0");
        assert_eq!((game.sides[0].captures_offered, game.sides[0].captures_avoided), (1, 0));
    }
}
