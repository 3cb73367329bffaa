//! From games to positions, and back into the fit.

mod common;

use std::collections::HashSet;

use engine::Board;
use engine::eval::EvalParams;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use tuner::extract::{
    Collector, ExtractOptions, LeafFinder, PlayedGame, PlayedPly, Tally, positions, write_packed,
};
use tuner::load::{LoadOptions, load};

/// Games of random moves, scored by material.
fn games(number: u64) -> Vec<PlayedGame> {
    (0..number)
        .map(|number| {
            let mut rng = Pcg64Mcg::seed_from_u64(number);
            let mut board = Board::start();
            let mut plies = Vec::new();
            for _ in 0..120 {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let played = moves[rng.random_range(0..moves.len())];
                let white = board.side_to_move() == engine::types::Color::White;
                let score = common::material(&board).clamp(-2_000, 2_000);
                let score_stm = if white { score } else { -score };
                plies.push(PlayedPly { played, score_stm, explored: rng.random_bool(0.05), labelled: true });
                board.make(played);
            }
            let result_white = match common::material(&board) {
                0 => 0.5,
                more if more > 0 => 1.0,
                _ => 0.0,
            };
            PlayedGame { number, start: Board::start(), result_white, plies }
        })
        .collect()
}

#[test]
fn only_quiet_undecided_positions_past_the_opening_are_kept() {
    let options = ExtractOptions { per_game: 0, ..ExtractOptions::default() };
    let mut tally = Tally::default();
    for game in games(60) {
        let kept = positions(&game, &options, None, &mut tally);
        let mut board = game.start.clone();
        let mut expected = Vec::new();
        for (ply, played) in game.plies.iter().enumerate() {
            let quiet = played.played.is_quiet() && !played.explored && !board.in_check();
            if ply >= 16 && quiet && played.score_stm.abs() <= 1_500 {
                expected.push((ply as u16, board.key()));
            }
            board.make(played.played);
        }
        let found: Vec<(u16, u64)> =
            kept.iter().map(|position| (position.ply, Board::from_setup(&position.setup).key())).collect();
        assert_eq!(found, expected);
        assert!(kept.iter().all(|position| position.label.result == Some(game.result_white)));
    }
    let left_out = tally.early + tally.in_check + tally.noisy + tally.decided;
    assert!(tally.early > 0 && tally.in_check > 0 && tally.noisy > 0 && tally.decided > 0, "{tally:?}");
    assert!(tally.not_drawn == 0 && left_out < tally.positions);
}

#[test]
fn only_labels_are_kept_and_the_first_of_two_counts() {
    let options = ExtractOptions { per_game: 0, ..ExtractOptions::default() };
    let mut collector = Collector::default();
    // The same games with other scores: the older label of a position.
    for newer in [true, false] {
        for mut game in games(20) {
            for (number, ply) in game.plies.iter_mut().enumerate() {
                ply.labelled = number % 3 == 0;
                ply.score_stm = if newer { 17 } else { 90 };
            }
            let mut tally = Tally::default();
            let kept = positions(&game, &options, None, &mut tally);
            assert!(kept.iter().all(|position| position.ply % 3 == 0), "only labels");
            assert!(tally.unlabelled > 0);
            collector.take(kept, &tally);
        }
    }
    assert!(collector.tally.repeated as usize >= collector.positions.len());
    let score = |position: &tuner::packed::PackedPosition| position.label.score.map(i16::abs);
    assert!(collector.positions.iter().all(|position| score(position) == Some(17)), "the newest label wins");
}

#[test]
fn draws_a_few_a_game_always_the_same() {
    let options = ExtractOptions { per_game: 5, ..ExtractOptions::default() };
    for game in games(20) {
        let twice: Vec<_> = (0..2).map(|_| positions(&game, &options, None, &mut Tally::default())).collect();
        assert_eq!(twice[0], twice[1]);
        assert!(twice[0].len() <= 5);
    }
}

#[test]
fn leaves_have_no_capture_left_that_the_search_would_make() {
    let weights = std::sync::Arc::new(engine::eval::Weights::new(&EvalParams::embedded()));
    let mut finder = LeafFinder::new(weights);
    // The queen on d5 can be taken for nothing.
    let board = Board::from_fen("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1").expect("a position");
    assert_eq!(finder.leaf(&board).fen(), "4k3/8/8/3P4/8/8/8/4K3 b - - 0 1");
    let quiet = Board::start();
    assert_eq!(finder.leaf(&quiet).fen(), quiet.fen());
}

#[test]
fn each_position_once_and_no_kind_too_often_and_the_file_goes_into_the_fit() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let options = ExtractOptions { skip_plies: 0, per_game: 0, ..ExtractOptions::default() };
    let mut collector = Collector::default();
    for game in games(150) {
        let mut tally = Tally::default();
        let kept = positions(&game, &options, None, &mut tally);
        collector.take(kept, &tally);
    }
    assert!(collector.tally.repeated > 50, "every game has the start position: {:?}", collector.tally);
    let keys: HashSet<u64> =
        collector.positions.iter().map(|position| Board::from_setup(&position.setup).key()).collect();
    assert_eq!(keys.len(), collector.positions.len());
    let all = collector.positions.len();
    collector.balance(1);
    assert!(collector.positions.len() < all && collector.tally.unbalanced > 0);

    let path = directory.path().join("positions.tps");
    write_packed(&path, &collector.positions).unwrap_or_else(|error| panic!("{error}"));
    let data = load(
        std::slice::from_ref(&path),
        &EvalParams::embedded(),
        &LoadOptions { holdout: 0.3, ..LoadOptions::default() },
    )
    .unwrap_or_else(|error| panic!("{error}"));
    assert!(data.games_known);
    assert_eq!(data.train.len() + data.holdout.len(), collector.positions.len());
    let share = data.holdout.len() as f64 / collector.positions.len() as f64;
    assert!((0.15..0.45).contains(&share), "{share}");

    // A flipped bit is noticed.
    let mut bytes = std::fs::read(&path).expect("it was written");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 16;
    std::fs::write(&path, bytes).expect("it can be written");
    assert!(load(&[path], &EvalParams::embedded(), &LoadOptions::default()).is_err());
}

/// Recorded games become positions, positions become weights.
#[test]
fn records_go_through_the_commands() {
    use selfplay::Outcome;
    use selfplay::record::{Ending, GameRecord, Header, Ply, Start, VERSION, write_record};
    let directory = tempfile::tempdir().expect("a temporary directory");
    let directory = directory.path();
    std::fs::create_dir(directory.join("games")).expect("a directory");
    let records: Vec<GameRecord> = games(60)
        .into_iter()
        .map(|game| GameRecord {
            id: game.number,
            start: Start::Initial,
            opening: Vec::new(),
            outcome: match game.result_white {
                1.0 => Outcome::WhiteWins,
                0.0 => Outcome::BlackWins,
                _ => Outcome::Draw,
            },
            ending: Ending::PlyLimit,
            plies: game
                .plies
                .iter()
                .map(|ply| Ply {
                    played: ply.played,
                    score_stm: ply.score_stm as i16,
                    depth: 1,
                    explored: ply.explored,
                })
                .collect(),
        })
        .collect();
    let header =
        Header { version: VERSION, engine: 1, weights: 2, seed: 3, games: 0..60, settings: String::new() };
    write_record(&directory.join("games/a.tgr"), &header, records.into_iter().map(Ok))
        .unwrap_or_else(|error| panic!("{error}"));
    let extract = |more: &[&str]| {
        let arguments = [&["extract", "games", "--per-game", "0", "--skip-plies", "4"], more].concat();
        let output = common::tune(directory, &arguments);
        assert!(output.status.success(), "{}", common::text(&output));
        common::text(&output)
    };
    let said = extract(&["--threads", "1", "--out", "one.tps"]);
    assert!(said.starts_with("60 games, ") && said.contains("in check"), "{said}");
    extract(&["--threads", "2", "--out", "two.tps"]);
    let read = |name: &str| std::fs::read(directory.join(name)).expect("it was written");
    assert_eq!(read("one.tps"), read("two.tps"));
    extract(&["--resolve", "--balance", "--out", "leaves.tps"]);
    assert_ne!(read("one.tps"), read("leaves.tps"));
    let output = common::tune(directory, &["--texel", "one.tps", "leaves.tps", "--only", "piece_value"]);
    let said = common::text(&output);
    assert!(output.status.success() && said.contains("held out by game"), "{said}");
    if cfg!(feature = "frames") {
        extract(&["--out", "three.tps", "--parquet", "three.parquet"]);
        assert!(read("three.parquet").starts_with(b"PAR1"));
    } else {
        let output = common::tune(directory, &["extract", "games", "--parquet", "three.parquet"]);
        let said = common::text(&output);
        assert!(!output.status.success() && said.contains("--features frames"), "{said}");
    }
    let output = common::tune(directory, &["extract", "nowhere"]);
    assert!(common::text(&output).contains("nowhere is not there"), "{}", common::text(&output));
}
