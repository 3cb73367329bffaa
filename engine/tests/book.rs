//! Polyglot books against real ones, and keys against shakmaty.

mod common;

use common::walk::{self, Rules};
use common::{setting, shared_data};
use engine::Board;
use engine::book::polyglot::{PolyglotBook, key};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use shakmaty::fen::Fen;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

#[test]
fn keys_are_those_of_the_published_lists() {
    let Some(folder) = shared_data("polyglot") else { return };
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file of the folder");
    let mut rows = 0;
    for line in read("zobrist_test_vectors.tsv").lines().skip(1) {
        let (fen, expected) = line.split_once('\t').expect("two columns");
        let board = Board::from_fen(fen).expect("a position");
        assert_eq!(format!("{:016x}", key(&board)), expected, "{fen}");
        rows += 1;
    }
    assert_eq!(rows, 9);
    for line in read("zobrist.csv").lines().filter(|line| line.starts_with("chess,")) {
        let columns: Vec<&str> = line.split(',').collect();
        let mut board = Board::start();
        for text in columns[1].split_whitespace() {
            board.make(board.parse_uci(text).unwrap_or_else(|error| panic!("{line}: {error}")));
        }
        // The low half of a key of 128 bits.
        let expected = &columns[2][columns[2].len() - 16..];
        assert_eq!(format!("{:016x}", key(&board)), expected, "{line}");
        rows += 1;
    }
    assert_eq!(rows, 109);
}

#[test]
fn keys_of_random_games_are_those_of_shakmaty() {
    let mut rng = Pcg64::seed_from_u64(setting("TABULA_SEED", 1));
    let mut positions = 0;
    while positions < 20_000 {
        let mut board = Board::from_fen(&walk::start(Rules::Standard, &mut rng)).expect("a start");
        let mut played = Vec::new();
        for _ in 0..rng.random_range(20..200) {
            let Some(m) = walk::next_move(&board, &played, &mut rng) else { break };
            board.make(m);
            played.push(m);
            // Our FEN has no en passant square that cannot be used; the format counts some of those.
            if board.en_passant().is_none() && board.last_move().is_some_and(|last| last.kind() == DOUBLE) {
                continue;
            }
            let fen: Fen = board.fen().parse().expect("our FEN");
            let position: Chess = fen.into_position(CastlingMode::Chess960).expect("our position");
            let Zobrist64(expected) = position.zobrist_hash(EnPassantMode::PseudoLegal);
            assert_eq!(key(&board), expected, "{}", board.fen());
            positions += 1;
        }
    }
}

const DOUBLE: engine::types::MoveKind = engine::types::MoveKind::DoublePush;

#[test]
fn the_initial_position_in_real_books() {
    let Some(folder) = shared_data("polyglot") else { return };
    let answer = |name: &str| -> Vec<(String, u32)> {
        let book = PolyglotBook::open(&folder.join(name)).expect("a book");
        let board = Board::start();
        let answer = book.answer(&board);
        assert_eq!(answer.skipped, 0, "{name}");
        answer.moves.iter().map(|known| (board.uci(known.m, false), known.weight)).collect()
    };
    let texts = |pairs: &[(&str, u32)]| -> Vec<(String, u32)> {
        pairs.iter().map(|&(text, weight)| (text.to_string(), weight)).collect()
    };
    assert_eq!(answer("performance.bin"), texts(&[("e2e4", 1), ("d2d4", 1), ("c2c4", 1)]));
    let expected =
        texts(&[("e2e4", 10_439), ("d2d4", 10_366), ("g1f3", 2_146), ("c2c4", 1_645), ("g2g3", 102)]);
    assert_eq!(answer("gm2001.bin")[..5], expected);
    assert_eq!(answer("lasker-trap.bin"), []);
}

/// Random games that follow a book: whatever it knows of a position must be legal there. Castling,
/// promotions and en passant come up by themselves.
#[test]
fn every_move_met_in_real_books_is_legal() {
    let Some(folder) = shared_data("polyglot") else { return };
    let mut rng = Pcg64::seed_from_u64(5);
    for (name, at_least) in [("performance.bin", 50_000), ("gm2001.bin", 20_000)] {
        let book = PolyglotBook::open(&folder.join(name)).expect("a book");
        let (mut met, mut castlings, mut skipped) = (0, 0, 0);
        for _ in 0..4_000 {
            let mut board = Board::start();
            loop {
                let answer = book.answer(&board);
                met += answer.moves.len();
                skipped += answer.skipped;
                castlings += answer.moves.iter().filter(|known| known.m.is_castle()).count();
                if answer.moves.is_empty() {
                    break;
                }
                board.make(answer.moves[rng.random_range(0..answer.moves.len())].m);
            }
        }
        println!("{name}: {met} moves met in 4000 games, {castlings} castlings, {skipped} illegal");
        assert!(met > at_least && castlings > 500, "{name}: {met} moves, {castlings} castlings");
        assert_eq!(skipped, 0, "{name}");
    }
}
