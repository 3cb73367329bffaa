//! Random games played on our board and on shakmaty's at once: no position may differ.
//!
//! `TABULA_POSITIONS` positions are looked at (20,000; the full run takes 1,000,000), a fifth of them
//! Chess960. `TABULA_SEED` chooses the games (1); a failure prints what is needed to see it again.

mod common;

use std::collections::BTreeSet;

use common::walk::{self, Rules};
use common::{in_parallel, setting};
use engine::Board;
use engine::types::{Color, Move, MoveKind, MoveList, Square};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

/// One worker's portion; games restart inside it, so every portion is checked whole and alone.
const POSITIONS_A_PORTION: usize = 500;

/// How often the rare things came up: a run that never saw them proves nothing about them.
#[derive(Default, Debug)]
struct Sights {
    positions: usize,
    moves: usize,
    checks: usize,
    mates: usize,
    stalemates: usize,
    insufficient: usize,
    fifty_moves: usize,
    repetitions: usize,
    castlings: usize,
    en_passant: usize,
    promotions: usize,
}

impl Sights {
    fn add(&mut self, other: &Sights) {
        self.positions += other.positions;
        self.moves += other.moves;
        self.checks += other.checks;
        self.mates += other.mates;
        self.stalemates += other.stalemates;
        self.insufficient += other.insufficient;
        self.fifty_moves += other.fifty_moves;
        self.repetitions += other.repetitions;
        self.castlings += other.castlings;
        self.en_passant += other.en_passant;
        self.promotions += other.promotions;
    }

    fn saw_everything(&self) -> bool {
        [
            self.checks,
            self.mates,
            self.stalemates,
            self.insufficient,
            self.fifty_moves,
            self.repetitions,
            self.castlings,
            self.en_passant,
            self.promotions,
        ]
        .iter()
        .all(|&count| count > 0)
    }
}

/// The two boards, and the game so far in a form that no key can spoil.
struct Game {
    ours: Board,
    theirs: Chess,
    /// The first four fields of the FEN of every position so far, the present one last.
    seen: Vec<String>,
    played: Vec<Move>,
}

macro_rules! ensure_eq {
    ($what:expr, $ours:expr, $expected:expr) => {
        match (&$ours, &$expected) {
            (ours, expected) if ours == expected => {}
            (ours, expected) => return Err(format!("{}: {ours:?}, expected {expected:?}", $what)),
        }
    };
}

impl Game {
    fn new(fen: &str) -> Result<Game, String> {
        let ours = Board::from_fen(fen).map_err(|error| format!("{fen}: {error}"))?;
        let theirs = fen.parse::<Fen>().map_err(|error| format!("{fen}: {error}"))?;
        let theirs =
            theirs.into_position(CastlingMode::Chess960).map_err(|error| format!("{fen}: {error}"))?;
        let seen = vec![identity(&ours)];
        Ok(Game { ours, theirs, seen, played: Vec::new() })
    }

    fn play(&mut self, m: Move) -> Result<(), String> {
        let text = self.ours.uci(m, true);
        let theirs = text.parse::<UciMove>().map_err(|error| format!("{text}: {error}"))?;
        let theirs = theirs.to_move(&self.theirs).map_err(|error| format!("{text}: {error}"))?;
        self.theirs.play_unchecked(theirs);
        self.ours.make(m);
        self.played.push(m);
        self.seen.push(identity(&self.ours));
        Ok(())
    }

    /// Everything that is known about the position, both ways.
    fn check(&mut self, rng: &mut Pcg64, sights: &mut Sights) -> Result<(), String> {
        self.check_moves()?;
        self.check_text(rng)?;
        self.check_status(rng, sights)?;
        self.check_any_bits(rng)?;
        self.check_make_and_unmake(sights)
    }

    fn check_moves(&self) -> Result<(), String> {
        let ours: BTreeSet<String> = self.ours.legal_moves().iter().map(|m| format!("{m:?}")).collect();
        let theirs: BTreeSet<String> =
            self.theirs.legal_moves().iter().map(|&m| UciMove::from_chess960(m).to_string()).collect();
        ensure_eq!("legal moves", ours, theirs);
        ensure_eq!("legal moves, each once", self.ours.legal_moves().len(), theirs.len());
        ensure_eq!("count of legal moves", self.ours.count_legal_moves(), theirs.len() as u64);

        let (mut tacticals, mut quiets) = (MoveList::new(), MoveList::new());
        self.ours.tacticals(&mut tacticals);
        self.ours.quiets(&mut quiets);
        ensure_eq!("tactical moves that are not", tacticals.iter().find(|m| !m.is_tactical()), None);
        ensure_eq!("quiet moves that are not", quiets.iter().find(|m| !m.is_quiet()), None);
        let both: BTreeSet<String> =
            tacticals.iter().chain(quiets.iter()).map(|m| format!("{m:?}")).collect();
        ensure_eq!("tactical and quiet moves together", both, theirs);
        ensure_eq!("tactical and quiet moves apart", tacticals.len() + quiets.len(), theirs.len());
        Ok(())
    }

    fn check_text(&self, rng: &mut Pcg64) -> Result<(), String> {
        let fen = Fen::from_position(&self.theirs, EnPassantMode::Legal).to_string();
        ensure_eq!("FEN", self.ours.fen(), fen);
        for text in [fen, self.ours.shredder_fen()] {
            let again = Board::from_fen(&text).map_err(|error| format!("{text}: {error}"))?;
            ensure_eq!("setup read from the FEN", again.setup(), self.ours.setup());
            ensure_eq!("key of the FEN", again.key(), self.ours.key());
            ensure_eq!("checkers of the FEN", again.checkers(), self.ours.checkers());
            ensure_eq!("pins of the FEN", again.pinned(), self.ours.pinned());
        }
        // Text is slow, and what is special about it sits in few moves: those, and some others.
        for &m in self.ours.legal_moves().iter() {
            let special = m.is_promotion() || matches!(m.kind(), MoveKind::Castle | MoveKind::EnPassant);
            if special || rng.random_range(0..8) == 0 {
                self.check_move_text(m)?;
            }
        }
        Ok(())
    }

    fn check_move_text(&self, m: Move) -> Result<(), String> {
        let walk = self.ours.uci(m, true);
        let theirs = walk
            .parse::<UciMove>()
            .ok()
            .and_then(|text| text.to_move(&self.theirs).ok())
            .ok_or_else(|| format!("UCI {walk} is refused"))?;
        ensure_eq!("UCI", self.ours.parse_uci(&walk), Ok(m));
        let standard = self.ours.uci(m, false);
        ensure_eq!("UCI with the king's walk", self.ours.parse_uci(&standard), Ok(m));
        if !m.is_castle() || standard != walk {
            ensure_eq!("UCI text", standard, UciMove::from_standard(theirs).to_string());
        }
        let san = self.ours.san(m);
        ensure_eq!("SAN", san, SanPlus::from_move(self.theirs.clone(), theirs).to_string());
        ensure_eq!("SAN read again", self.ours.parse_san(&san), Ok(m));
        Ok(())
    }

    fn check_status(&self, rng: &mut Pcg64, sights: &mut Sights) -> Result<(), String> {
        let (ours, theirs) = (&self.ours, &self.theirs);
        let no_move = ours.count_legal_moves() == 0;
        let mate = no_move && ours.in_check();
        let stalemate = no_move && !ours.in_check();
        ensure_eq!("check", ours.in_check(), theirs.is_check());
        ensure_eq!("checkers", ours.checkers().0, u64::from(theirs.checkers()));
        ensure_eq!("mate", mate, theirs.is_checkmate());
        ensure_eq!("stalemate", stalemate, theirs.is_stalemate());
        ensure_eq!("insufficient material", ours.insufficient_material(), theirs.is_insufficient_material());
        ensure_eq!("fifty moves", ours.fifty_moves_passed(), theirs.halfmoves() >= 100);

        let now = self.seen.len() - 1;
        let earlier: Vec<usize> = (1..=now).filter(|ago| self.seen[now - ago] == self.seen[now]).collect();
        ensure_eq!("repetitions", ours.repetitions(), earlier.len() + 1);
        let ply = rng.random_range(0..40);
        let in_search = earlier.len() >= 2 || earlier.iter().any(|&ago| ago < ply);
        ensure_eq!("search repetition", ours.is_search_repetition(ply), in_search);

        sights.checks += usize::from(ours.in_check());
        sights.mates += usize::from(mate);
        sights.stalemates += usize::from(stalemate);
        sights.insufficient += usize::from(ours.insufficient_material());
        sights.fifty_moves += usize::from(ours.fifty_moves_passed());
        sights.repetitions += usize::from(!earlier.is_empty());
        Ok(())
    }

    /// A move from a table may be any sixteen bits: it is legal exactly if it is in the list.
    fn check_any_bits(&self, rng: &mut Pcg64) -> Result<(), String> {
        let moves = self.ours.legal_moves();
        let own: Vec<Square> = self.ours.by_color(self.ours.side_to_move()).into_iter().collect();
        for round in 0..96 {
            let mut bits: u16 = rng.random();
            if round % 4 != 0 {
                // Few random moves start from an own piece; those are the hard ones.
                bits = bits & !63 | own[rng.random_range(0..own.len())].index() as u16;
            }
            let Some(m) = Move::from_bits(bits) else { continue };
            ensure_eq!(
                format!("is_legal of {m:?} ({:?})", m.kind()),
                self.ours.is_legal(m),
                moves.contains(&m)
            );
        }
        Ok(())
    }

    fn check_make_and_unmake(&mut self, sights: &mut Sights) -> Result<(), String> {
        let before = self.ours.clone();
        let info = before.check_info();
        let mut checking_quiets = Vec::new();
        let mut repeats = false;
        for &m in before.legal_moves().iter() {
            let name = |what: &str| format!("{what} of {m:?} ({:?})", m.kind());
            ensure_eq!(name("is_legal"), before.is_legal(m), true);
            self.ours.make(m);
            ensure_eq!(name("keys after"), keys(&self.ours), self.ours.recompute_keys());
            ensure_eq!(name("gives_check"), before.gives_check(&info, m), self.ours.in_check());
            if m.is_quiet() && self.ours.in_check() {
                checking_quiets.push(m);
            }
            repeats |= self.ours.repetitions() > 1;
            self.ours.unmake();
            ensure_eq!(name("unmake"), self.ours == before, true);
            sights.moves += 1;
            sights.castlings += usize::from(m.is_castle());
            sights.en_passant += usize::from(m.is_en_passant());
            sights.promotions += usize::from(m.is_promotion());
        }
        let mut quiet_checks = MoveList::new();
        before.quiet_checks(&mut quiet_checks);
        ensure_eq!("quiet checks", quiet_checks.to_vec(), checking_quiets);
        ensure_eq!("upcoming repetition", before.upcoming_repetition(usize::MAX), repeats);
        if !before.in_check() {
            self.ours.make_null();
            ensure_eq!("keys after a null move", keys(&self.ours), self.ours.recompute_keys());
            ensure_eq!("side after a null move", self.ours.side_to_move(), !before.side_to_move());
            self.ours.unmake_null();
            ensure_eq!("null move taken back", self.ours == before, true);
        }
        Ok(())
    }
}

/// What makes two positions the same for the repetition rule.
fn identity(board: &Board) -> String {
    board.shredder_fen().split(' ').take(4).collect::<Vec<_>>().join(" ")
}

fn keys(board: &Board) -> (u64, u64, [u64; 2]) {
    (board.key(), board.pawn_key(), Color::ALL.map(|color| board.non_pawn_key(color)))
}

/// Plays and checks one portion. An error says how to come back to the position.
fn portion(rules: Rules, seed: u64, number: usize, positions: usize) -> Result<Sights, String> {
    let mut rng = Pcg64::seed_from_u64(seed ^ (number as u64) << 20 ^ (rules as u64) << 60);
    let mut sights = Sights::default();
    while sights.positions < positions {
        let start = walk::start(rules, &mut rng);
        let mut game = Game::new(&start)?;
        for _ in 0..walk::length(&mut rng) {
            let at = |game: &Game, what: String| {
                format!(
                    "{what}\n  in {}\n  after {:?} from {start}\n  (TABULA_SEED={seed}, {rules:?} portion {number})",
                    game.ours.fen(),
                    game.played
                )
            };
            game.check(&mut rng, &mut sights).map_err(|what| at(&game, what))?;
            sights.positions += 1;
            if sights.positions == positions {
                break;
            }
            if game.ours.insufficient_material() && rng.random_bool(0.1) {
                break; // bare kings wander on for long and show nothing new
            }
            let Some(m) = walk::next_move(&game.ours, &game.played, &mut rng) else { break };
            game.play(m).map_err(|what| at(&game, what))?;
        }
    }
    Ok(sights)
}

fn compare(rules: Rules, positions: usize) -> Sights {
    let seed = setting("TABULA_SEED", 1);
    let begun = std::time::Instant::now();
    let portions = positions.div_ceil(POSITIONS_A_PORTION);
    let results = in_parallel(portions, |number| {
        portion(rules, seed, number, POSITIONS_A_PORTION.min(positions - number * POSITIONS_A_PORTION))
    });
    let mut sights = Sights::default();
    let mut differences = 0;
    for result in &results {
        match result {
            Ok(seen) => sights.add(seen),
            Err(what) => {
                differences += 1;
                if differences <= 5 {
                    println!("{rules:?}: {what}");
                }
            }
        }
    }
    println!("{rules:?}: {differences} differences, {:.1} s, {sights:?}", begun.elapsed().as_secs_f64());
    assert_eq!(differences, 0, "{rules:?}");
    sights
}

#[test]
fn random_games_agree_with_shakmaty() {
    let positions = setting("TABULA_POSITIONS", 20_000) as usize;
    let mut sights = compare(Rules::Standard, positions - positions / 5);
    let chess960 = compare(Rules::Chess960, positions / 5);
    sights.add(&chess960);
    assert!(chess960.castlings > 0, "no castling was seen in Chess960: {chess960:?}");
    assert!(sights.saw_everything(), "too little was seen: {sights:?}");
}
