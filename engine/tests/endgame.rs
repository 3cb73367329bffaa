//! The endgame rules against the truth: Syzygy tables where they are at hand, and colour symmetry.

use std::path::PathBuf;

use engine::eval::endgame::{self, Ending, KNOWN_WIN, SCALE_FULL, kpk};
use engine::types::{Color, MoveList, Piece, PieceType, Square, Value};
use engine::{Board, Setup};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use shakmaty::{CastlingMode, Chess, FromSetup};
use shakmaty_syzygy::{Tablebase, Wdl};

/// The tables, or `None` with the reason printed: they are too large to ship with the sources.
fn tables() -> Option<Tablebase<Chess>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/syzygy");
    let mut tables = Tablebase::new();
    match tables.add_directory(&folder) {
        Ok(1..) => Some(tables),
        Ok(0) => {
            println!("skipped: no Syzygy tables in {}", folder.display());
            None
        }
        Err(error) => {
            println!("skipped: no Syzygy tables at {}: {error}", folder.display());
            None
        }
    }
}

/// A position without castling or en passant, for both libraries.
fn position(pieces: &[(Piece, Square)], side_to_move: Color) -> Option<(Board, Chess)> {
    let mut setup = Setup { side_to_move, ..Setup::EMPTY };
    let mut oracle = shakmaty::Setup::empty();
    oracle.turn = shakmaty::Color::from_white(side_to_move == Color::White);
    for &(piece, square) in pieces {
        setup.pieces[square.index()] = Some(piece);
        let at = shakmaty::Square::new(square.index() as u32);
        oracle.board.set_piece_at(at, shakmaty::Piece::from_char(piece.letter()).expect("a piece"));
    }
    // The oracle refuses what is no position; `Board::from_setup` may be asked only after that.
    let oracle = Chess::from_setup(oracle, CastlingMode::Standard).ok()?;
    Some((Board::from_setup(&setup), oracle))
}

/// A legal random position with the pieces of a name such as `KQvKR`; `strong` has the first ones.
fn random_position(name: &str, strong: Color, rng: &mut impl Rng) -> (Board, Chess) {
    let (own, other) = name.split_once('v').expect("a name like KQvKR");
    loop {
        let mut pieces: Vec<(Piece, Square)> = Vec::new();
        for (color, letters) in [(strong, own), (!strong, other)] {
            for letter in letters.chars() {
                let kind = PieceType::from_letter(letter).expect("the letter of a piece");
                pieces.push((Piece::new(color, kind), Square::from_index(rng.random_range(0..64))));
            }
        }
        let distinct = (1..pieces.len()).all(|i| pieces[..i].iter().all(|(_, at)| *at != pieces[i].1));
        let side_to_move = if rng.random() { Color::White } else { Color::Black };
        if let Some(found) = distinct.then(|| position(&pieces, side_to_move)).flatten() {
            return found;
        }
    }
}

/// Where an evaluation is used: no check to answer, nothing to take, nothing to promote.
fn is_quiet(board: &Board) -> bool {
    let mut tacticals = MoveList::new();
    board.tacticals(&mut tacticals);
    tacticals.is_empty() && !board.in_check()
}

/// 1 if the strong side wins, 0 for a draw, -1 if it loses, by the tables.
fn truth(tables: &Tablebase<Chess>, oracle: &Chess, board: &Board, strong: Color) -> i32 {
    let outcome = match tables.probe_wdl_after_zeroing(oracle).expect("a table for this material") {
        Wdl::Win | Wdl::CursedWin => 1,
        Wdl::Draw => 0,
        Wdl::Loss | Wdl::BlessedLoss => -1,
    };
    if board.side_to_move() == strong { outcome } else { -outcome }
}

/// How a claim compares with the truth: how often it was made, and how often it was right.
#[derive(Default)]
struct Tally {
    made: u32,
    right: u32,
}

impl Tally {
    fn count(&mut self, right: bool) {
        self.made += 1;
        self.right += u32::from(right);
    }

    fn percent(&self) -> f64 {
        100.0 * f64::from(self.right) / f64::from(self.made.max(1))
    }
}

/// What an answer claims about the side named first.
enum Claim {
    KnownWin,
    LikelyWin,
    Draw,
    /// That side is not winning; nothing is said about the other one.
    NoWin,
    Nothing,
}

/// From here up a value counts as the claim of a win, and up to `DRAWN` as that of a draw.
const WINNING: Value = 300;
const DRAWN: Value = 50;
/// A factor up to this one says that the advantage does not win.
const HOPELESS: i32 = 10;

fn claim(board: &Board, strong: Color) -> Claim {
    match endgame::recognise(board) {
        None => Claim::Nothing,
        Some(Ending::Value(value_white)) => {
            let value_strong = if strong == Color::White { value_white } else { -value_white };
            match value_strong {
                KNOWN_WIN.. => Claim::KnownWin,
                WINNING.. => Claim::LikelyWin,
                _ if value_strong.abs() <= DRAWN => Claim::Draw,
                _ => Claim::Nothing,
            }
        }
        Some(Ending::Scale { factors }) => match factors.map(|factor| factor <= HOPELESS) {
            [true, true] => Claim::Draw,
            hopeless if hopeless[strong.index()] => Claim::NoWin,
            _ => Claim::Nothing,
        },
    }
}

/// All the tables at hand that have a rule, with the share of quiet positions on which it must commit
/// itself, in percent.
const SIGNATURES: [(&str, u32); 31] = [
    ("KQvK", 100),
    ("KRvK", 100),
    ("KPvK", 100),
    ("KBvK", 100),
    ("KNvK", 100),
    ("KQQvK", 100),
    ("KQRvK", 100),
    ("KQBvK", 100),
    ("KQNvK", 100),
    ("KQPvK", 100),
    ("KRRvK", 100),
    ("KRBvK", 100),
    ("KRNvK", 100),
    ("KRPvK", 100),
    ("KBBvK", 100),
    ("KBNvK", 100),
    ("KNNvK", 100),
    ("KBPvK", 80),
    ("KNPvK", 75),
    ("KPPvK", 80),
    ("KQvKQ", 100),
    ("KQvKR", 100),
    ("KQvKB", 100),
    ("KQvKN", 100),
    ("KQvKP", 99),
    ("KRvKR", 100),
    ("KRvKB", 95),
    ("KRvKN", 40),
    ("KRvKP", 80),
    ("KBvKP", 100),
    ("KPvKP", 30),
];

#[test]
fn claims_agree_with_the_tables() {
    let Some(tables) = tables() else { return };
    let mut rng = Pcg64Mcg::seed_from_u64(0x5EED);
    println!("ending    quiet   known win       likely win      draw            no win");
    for (name, least_claimed) in SIGNATURES {
        let mut tallies: [Tally; 4] = Default::default();
        let mut quiet = 0;
        for _ in 0..20_000 {
            let strong = if rng.random() { Color::White } else { Color::Black };
            let (board, oracle) = random_position(name, strong, &mut rng);
            if !is_quiet(&board) {
                continue;
            }
            quiet += 1;
            let truth = truth(&tables, &oracle, &board, strong);
            match claim(&board, strong) {
                Claim::KnownWin => tallies[0].count(truth == 1),
                Claim::LikelyWin => tallies[1].count(truth == 1),
                Claim::Draw => tallies[2].count(truth == 0),
                Claim::NoWin => tallies[3].count(truth <= 0),
                Claim::Nothing => {}
            }
        }
        let cells = tallies.iter().map(|t| format!("{:6} {:6.2}%", t.made, t.percent()));
        println!("{name:7} {quiet:7}  {}", cells.collect::<Vec<_>>().join("  "));

        let claimed: u32 = tallies.iter().map(|tally| tally.made).sum();
        assert!(100 * claimed >= least_claimed * quiet, "{name}: only {claimed} of {quiet} judged");
        // A draw by small value keeps a little hope, so it may be wrong more often than the rest.
        for (tally, least) in tallies.iter().zip([99.0, 94.0, 80.0, 93.0]) {
            assert!(tally.made < 20 || tally.percent() >= least, "{name}: {:.2}% right", tally.percent());
        }
    }
}

#[test]
fn kpk_is_exact() {
    let Some(tables) = tables() else { return };
    let mut compared = 0;
    for pawn in Square::all().filter(|pawn| (1..7).contains(&pawn.rank())) {
        for king in Square::all().filter(|&king| king != pawn) {
            for weak_king in Square::all().filter(|&weak| weak != king && weak != pawn) {
                for to_move in Color::ALL {
                    let pieces =
                        [(Piece::WhiteKing, king), (Piece::WhitePawn, pawn), (Piece::BlackKing, weak_king)];
                    let Some((board, oracle)) = position(&pieces, to_move) else { continue };
                    let won = truth(&tables, &oracle, &board, Color::White) == 1;
                    let claimed = kpk::wins(Color::White, king, pawn, weak_king, to_move);
                    assert_eq!(claimed, won, "K{king} P{pawn} v K{weak_king}, {to_move:?} to move");
                    compared += 1;
                }
            }
        }
    }
    assert_eq!(compared, 331_352, "legal positions of king and pawn against king");
}

/// Every square through `change`, and the colours swapped if `swap`.
fn transformed(board: &Board, swap: bool, change: impl Fn(Square) -> Square) -> Board {
    let mut setup = board.setup();
    let color = |color: Color| if swap { !color } else { color };
    for square in Square::all() {
        setup.pieces[change(square).index()] =
            board.piece_at(square).map(|piece| Piece::new(color(piece.color()), piece.kind()));
    }
    setup.side_to_move = color(setup.side_to_move);
    Board::from_setup(&setup)
}

#[test]
fn colours_and_wings_are_alike() {
    let more = [
        "KBPvKB", "KBPPvKB", "KRPvKR", "KQvKRP", "KQvKRPP", "KBPPvKP", "KPPvKP", "KRvKBP", "KRBvKR",
        "KBBvKN", "KNNvKP", "KQvKBB", "KQBvKQ", "KRRvKRB", "KBNvKN", "KPPPvK", "KBBPvK", "KNNPvK",
    ];
    let names = SIGNATURES.iter().map(|(name, _)| *name).chain(more);
    let mut rng = Pcg64Mcg::seed_from_u64(0xC0105);
    let mut recognised = 0;
    for name in names {
        for _ in 0..2_000 {
            let (board, _) = random_position(name, Color::White, &mut rng);
            let ending = endgame::recognise(&board);
            recognised += u32::from(ending.is_some());
            let other_wing = transformed(&board, false, Square::flip_file);
            assert_eq!(endgame::recognise(&other_wing), ending, "{name} mirrored: {:?}", board.setup());
            let other_color = transformed(&board, true, Square::flip_rank);
            let expected = ending.map(|ending| match ending {
                Ending::Value(value_white) => Ending::Value(-value_white),
                Ending::Scale { factors: [white, black] } => Ending::Scale { factors: [black, white] },
            });
            assert_eq!(endgame::recognise(&other_color), expected, "{name} turned: {:?}", board.setup());
        }
    }
    assert!(recognised > 60_000, "only {recognised} positions had a rule");
}

#[test]
fn values_stay_below_the_decided_ones() {
    for fen in ["7k/8/8/QQQQQ3/QQQQ4/RR6/BBNN4/K7 b - - 0 1", "7k/8/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"] {
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let Some(Ending::Value(value_white)) = endgame::recognise(&board) else { panic!("{fen} is a win") };
        assert!(
            (KNOWN_WIN..=engine::types::value::EVAL_LIMIT).contains(&value_white),
            "{fen}: {value_white}"
        );
    }
}

/// A position, and what is known of it from White's view.
enum Expect {
    KnownWin,
    Winning,
    Drawn,
    /// White, though ahead, cannot win.
    Held,
    /// If White is ahead, the evaluation speaks alone.
    Unknown,
}

#[test]
fn textbook_positions() {
    use Expect::*;
    let cases = [
        // A lone king.
        ("8/8/8/3k4/8/8/8/KQ6 w - - 0 1", KnownWin),
        ("k7/2Q5/8/8/8/8/8/K7 b - - 0 1", Drawn), // stalemate
        ("8/8/8/3k4/8/8/8/KBB5 w - - 0 1", KnownWin),
        ("8/8/8/3k4/8/8/8/KB1B4 w - - 0 1", Drawn), // bishops of one colour
        ("8/8/8/3k4/8/8/8/KBN5 w - - 0 1", KnownWin),
        ("8/8/8/3k4/8/8/8/KNN5 w - - 0 1", Drawn),
        ("8/8/8/3k4/8/8/8/KNNN4 w - - 0 1", KnownWin),
        ("8/8/8/3k4/8/8/8/KB6 w - - 0 1", Drawn),
        // Pawns and a lone king.
        ("8/8/8/4k3/8/4K3/4P3/8 b - - 0 1", KnownWin),
        ("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1", Drawn),
        ("k7/8/8/8/P7/P7/P7/K7 w - - 0 1", Drawn), // three rook pawns, the corner held
        ("8/8/8/8/2k5/8/PP6/7K w - - 0 1", Unknown),
        // Rook pawn and bishop: the wrong one, the right one, and the king too late.
        ("k7/8/8/8/P7/8/8/K1B5 w - - 0 1", Drawn),
        ("7k/8/8/8/7P/6K1/8/1B6 w - - 0 1", Drawn),
        ("6k1/8/8/6KP/7P/3B4/8/8 b - - 0 1", Drawn),
        ("8/8/8/1k6/8/KP6/8/1B6 w - - 0 1", KnownWin),
        ("k7/8/8/8/P7/KB6/8/8 w - - 0 1", KnownWin),
        ("8/8/8/8/7P/6K1/k7/3B4 w - - 0 1", KnownWin),
        // A knight does not help a rook pawn on the seventh.
        ("k7/P7/8/3N4/8/8/8/K7 w - - 0 1", Drawn),
        // The wrong bishop, with a pawn to help the weak side, and with one that lets the pawn off its file.
        ("7k/8/8/3p4/7P/8/8/K2B4 w - - 0 1", Held),
        ("7k/8/6p1/8/7P/8/8/K2B4 w - - 0 1", Unknown),
        // Queen against pawn.
        ("8/8/8/8/8/8/p6Q/1k5K w - - 0 1", Drawn),
        ("8/8/8/8/8/8/2p4Q/1k5K w - - 0 1", Drawn),
        ("8/8/8/8/8/8/1p5Q/2k4K w - - 0 1", Winning),
        ("8/8/8/8/8/1K6/p6Q/1k6 w - - 0 1", Winning),
        // Rook against pawn: our king in front, the kings racing, the pawn too far.
        ("8/8/8/8/3k4/3p4/8/R2K4 w - - 0 1", Winning),
        ("7R/8/7K/8/8/2kp4/8/8 w - - 0 1", Drawn),
        ("R7/8/8/3kp3/8/8/4K3/8 w - - 0 1", Winning),
        // Queen against rook; rook against a minor piece.
        ("8/8/8/3k4/8/8/3r4/KQ6 w - - 0 1", Winning),
        ("6bk/8/6K1/8/8/8/8/R7 w - - 0 1", Drawn),
        ("4k3/3n4/4K3/8/8/8/8/R7 w - - 0 1", Drawn),
        // Pawn against pawn: neither gets through.
        ("8/8/3k4/3p4/3P4/3K4/8/8 w - - 0 1", Drawn),
        // Bishops: the king before the pawn, out of reach; opposite bishops and two pawns blockaded.
        ("3k4/8/3K4/3P4/8/2B5/8/6b1 w - - 0 1", Unknown),
        ("8/3k4/8/3P4/3K4/2B5/8/5b2 w - - 0 1", Held),
        ("8/8/4k3/2b1P3/3PK3/2B5/8/8 w - - 0 1", Unknown),
        ("8/8/4k3/3bP3/3PK3/4B3/8/8 w - - 0 1", Held),
        // Rook endings: the third-rank defence, checks from behind, and a Lucena position.
        ("4k3/8/r7/3KP3/8/8/8/7R b - - 0 1", Held),
        ("4k3/8/3KP3/8/8/8/8/r6R b - - 0 1", Held),
        ("3K4/3P2k1/8/8/8/8/2r5/5R2 w - - 0 1", Unknown),
        // A queen before a guarded rook.
        ("8/1kp5/3r4/8/4K3/8/8/7Q w - - 0 1", Held),
        // Too little to win whatever happens, and a matter of degree.
        ("8/8/8/3kp3/8/8/8/KN6 w - - 0 1", Held),
        ("8/8/8/3k4/3r4/8/8/KRB5 w - - 0 1", Unknown),
        ("8/8/8/3kn3/8/8/8/KNN5 w - - 0 1", Held),
        // Not an ending at all.
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", Unknown),
    ];
    for (fen, expect) in cases {
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let ending = endgame::recognise(&board);
        let as_expected = match (expect, ending) {
            (KnownWin, Some(Ending::Value(value_white))) => value_white >= KNOWN_WIN,
            (Winning, Some(Ending::Value(value_white))) => (WINNING..KNOWN_WIN).contains(&value_white),
            (Drawn, Some(Ending::Value(value_white))) => (-DRAWN..=DRAWN).contains(&value_white),
            (Drawn, Some(Ending::Scale { factors })) => factors == [0, 0],
            (Held, Some(Ending::Scale { factors })) => factors[0] <= HOPELESS,
            (Unknown, Some(Ending::Scale { factors })) => factors[0] == SCALE_FULL,
            (Unknown, None) => true,
            _ => false,
        };
        assert!(as_expected, "{fen}: {ending:?}");
    }
}

/// A small alpha-beta search, just enough to see whether the values lead anywhere. Side to move.
fn search(board: &mut Board, depth: u32, mut alpha: Value, beta: Value, ply: usize) -> Value {
    let moves = board.legal_moves();
    if moves.is_empty() {
        return if board.in_check() { -engine::types::value::mate_in(ply) } else { 0 };
    }
    if board.fifty_moves_passed() || board.is_search_repetition(ply) {
        return 0;
    }
    let mut best = -engine::types::value::INFINITE;
    let mut tacticals = MoveList::new();
    let candidates = if depth == 0 && !board.in_check() {
        let value_white = match endgame::recognise(board) {
            Some(Ending::Value(value_white)) => value_white,
            _ => 0,
        };
        best = if board.side_to_move() == Color::White { value_white } else { -value_white };
        alpha = alpha.max(best);
        board.tacticals(&mut tacticals);
        &tacticals
    } else {
        &moves
    };
    for &m in candidates.iter() {
        if alpha >= beta {
            break;
        }
        board.make(m);
        let value = -search(board, depth.saturating_sub(1), -beta, -alpha, ply + 1);
        board.unmake();
        best = best.max(value);
        alpha = alpha.max(value);
    }
    best
}

/// Plays with a search of `depth` plies for both sides; the plies until the mate, if there was one.
fn play_out(board: &mut Board, depth: u32, most_plies: usize) -> Option<usize> {
    for plies in 0..=most_plies {
        let moves = board.legal_moves();
        if moves.is_empty() {
            return board.in_check().then_some(plies);
        }
        let (mut best, mut alpha) = (moves[0], -engine::types::value::INFINITE);
        for &m in moves.iter() {
            board.make(m);
            let value = -search(board, depth - 1, -engine::types::value::INFINITE, -alpha, 1);
            board.unmake();
            if value > alpha {
                (best, alpha) = (m, value);
            }
        }
        board.make(best);
    }
    None
}

/// A line of `data/endgame_wins.txt`, whose head describes the fields.
struct WonPosition {
    ending: &'static str,
    fen: &'static str,
    moves: usize,
    /// `None`: not for a search as small as the one above.
    depth: Option<u32>,
}

fn won_positions() -> Vec<WonPosition> {
    let lines = include_str!("data/endgame_wins.txt").lines().map(str::trim);
    let parse = |line: &'static str| {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [ending, fen, moves, depth] = fields[..] else { panic!("not four fields: {line}") };
        let number = |text: &str| text.parse().unwrap_or_else(|error| panic!("{line}: {text}: {error}"));
        let depth = (depth != "-").then(|| number(depth));
        WonPosition { ending, fen, moves: number(moves) as usize, depth }
    };
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(parse).collect()
}

#[test]
fn won_positions_are_played_to_mate() {
    for WonPosition { ending, fen, moves, depth } in won_positions() {
        let mut board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let Some(depth) = depth else { continue };
        let plies = play_out(&mut board, depth, 2 * moves);
        println!("{ending:6} {fen:42} {plies:?} of {} plies", 2 * moves);
        assert!(plies.is_some(), "{ending} {fen}: no mate in {moves} moves");
    }
}

#[test]
fn won_positions_are_won() {
    let Some(tables) = tables() else { return };
    for WonPosition { ending, fen, moves, .. } in won_positions() {
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let oracle: Chess = fen
            .parse::<shakmaty::fen::Fen>()
            .ok()
            .and_then(|fen| fen.into_position(CastlingMode::Standard).ok())
            .unwrap_or_else(|| panic!("{fen} is no position"));
        let name_of = |color| {
            let kinds = PieceType::ALL.into_iter().rev();
            let letters = kinds.flat_map(|kind| {
                let letter = kind.letter().to_ascii_uppercase();
                std::iter::repeat_n(letter, board.pieces(color, kind).count() as usize)
            });
            letters.collect::<String>()
        };
        let winner =
            if truth(&tables, &oracle, &board, Color::White) == 1 { Color::White } else { Color::Black };
        assert_eq!(truth(&tables, &oracle, &board, winner), 1, "{fen} is not won");
        assert_eq!(ending, format!("{}v{}", name_of(winner), name_of(!winner)), "{fen}");
        // The first capture, pawn move or mate, at the latest, comes well before the moves run out.
        let zeroing = tables.probe_dtz(&oracle).expect("a table for this material").ignore_rounding();
        assert!(i32::from(zeroing).unsigned_abs() as usize <= 2 * moves, "{fen}: {zeroing:?}");
    }
}
