//! One lesson: a trap that loses by force is avoided after ten games at most.
//!
//! The Elephant Trap of the Queen's Gambit: the knight on f6 seems pinned, the pawn on d5 seems free; White
//! takes it, Black takes back, White wins the queen and loses it again to a check, a piece down. A small
//! search sees the pawn and not the check. It falls in, loses the game, and learns from it.

use std::path::Path;
use std::sync::Arc;

use engine::Board;
use engine::book::experience::{ExperienceBook, Rule};
use engine::book::game_log::{Evidence, GameLogWriter, GameResult, LoggedGame, LoggedPly};
use engine::eval::{EvalParams, Weights};
use engine::search::{Limits, Searcher, Signals, Silent};
use engine::types::{Color, Move};
use selfplay::learn::{Discount, Method, learn_files};

const BEFORE_THE_TRAP: &str = "r1bqkb1r/pppn1ppp/5n2/3p2B1/3P4/2N5/PP2PPPP/R2QKBNR w KQkq - 0 6";
const NODES: u64 = 120;
/// The teacher knows the trap: in its first two moves it looks as deep as it takes.
const TEACHER_NODES: u64 = 60_000;
/// A game is decided when the teacher says so.
const DECIDED: i32 = 400;
const MOST_PLIES: usize = 60;

fn searcher() -> Searcher {
    Searcher::new(1, Arc::new(Weights::new(&EvalParams::embedded())))
}

fn think(searcher: &mut Searcher, board: &Board, nodes: u64) -> (Move, i32, u32) {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let result = searcher.search(board, &limits, &Signals::new(), &mut Silent);
    (result.best.expect("a move"), result.score, result.depth)
}

/// The pupil plays White with what it has learned, the teacher Black.
fn play(book: &Path) -> LoggedGame {
    let (mut pupil, mut teacher) = (searcher(), searcher());
    if book.exists() {
        pupil.set_experience(Some(Arc::new(ExperienceBook::open(book).unwrap())));
    }
    let mut board = Board::from_fen(BEFORE_THE_TRAP).unwrap();
    let mut plies = Vec::new();
    let mut result = GameResult::Draw;
    while plies.len() < MOST_PLIES && board.count_legal_moves() > 0 && board.repetitions() < 3 {
        let is_pupil = board.side_to_move() == Color::White;
        let (m, value, depth) = match is_pupil {
            true => think(&mut pupil, &board, NODES),
            false => think(&mut teacher, &board, if plies.len() < 4 { TEACHER_NODES } else { NODES }),
        };
        plies.push(LoggedPly { m, value_mover: Some(value), depth: depth as u8 });
        board.make(m);
        if !is_pupil && value.abs() >= DECIDED {
            result = if value > 0 { GameResult::BlackWins } else { GameResult::WhiteWins };
            break;
        }
    }
    LoggedGame { first_fen: BEFORE_THE_TRAP.to_string(), plies, result, evidence: Evidence::Score }
}

#[test]
fn a_trap_is_avoided_after_a_few_games() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("lesson.exp");
    let mut log = GameLogWriter::new(folder.path(), 1);
    let method = Method {
        rule: Rule::Mean,
        discount: Discount { alpha_milli: 800, ..Discount::default() },
        style: String::new(),
        coin: None,
    };
    let trap = Board::from_fen(BEFORE_THE_TRAP).unwrap().parse_uci("c3d5").unwrap();

    let mut fell_in = Vec::new();
    for _ in 0..13 {
        let game = play(&book);
        fell_in.push(game.plies[0].m == trap);
        log.append(&game).unwrap();
        // The log grows; what was learned of it before is known by its number.
        let report = learn_files(&book, &[log.path().to_path_buf()], &method, &|_| {}).unwrap();
        assert_eq!((report.games, report.known), (1, fell_in.len() as u64 - 1));
    }
    println!("fell into the trap: {fell_in:?}");
    assert!(fell_in[0], "the engine sees through the trap without a lesson: take a harder one");
    let last = fell_in.iter().rposition(|&fell| fell).unwrap_or(0);
    assert!(last < 10, "still falling in: {fell_in:?}");
}
