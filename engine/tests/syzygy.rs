//! Tablebases: the reader against published values, the root against the tables, wins played out.
//!
//! `TABULA_ENDGAMES` is how many games are played out a kind of ending (10).

mod common;

use std::path::PathBuf;
use std::sync::Arc;

use common::{in_parallel, setting, shared_data};
use engine::Board;
use engine::eval::{EvalParams, Weights};
use engine::search::{Handler, Limits, SearchReport, SearchResult, Searcher, Signals, Silent, SyzygyOptions};
use engine::syzygy::{CURSED_WIN, Tablebases, Wdl};
use engine::types::{Color, Piece, PieceType, Square, value};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn tables() -> Option<Tablebases> {
    let folder = shared_data("syzygy")?;
    let tables = Tablebases::open(&[folder]);
    assert_eq!(tables.take_complaints(), Vec::<String>::new());
    assert!(tables.max_pieces() >= 4, "{}", tables.summary());
    Some(tables)
}

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn searcher(tables: Option<Tablebases>) -> Searcher {
    let mut searcher = Searcher::new(4, Arc::new(Weights::new(&EvalParams::embedded())));
    searcher.set_tablebases(tables.map(Arc::new));
    searcher
}

/// A legal random position with the men of a name such as `KQvKR`, the clock at 0.
fn random_position(name: &str, strong: Color, rng: &mut Pcg64) -> Board {
    let (own, other) = name.split_once('v').expect("a name like KQvKR");
    loop {
        let mut pieces = [None; 64];
        for (color, letters) in [(strong, own), (!strong, other)] {
            for letter in letters.chars() {
                let kind = PieceType::from_letter(letter).expect("the letter of a piece");
                pieces[rng.random_range(0..64)] = Some(Piece::new(color, kind));
            }
        }
        if pieces.iter().flatten().count() != name.len() - 1 {
            continue;
        }
        let side = if rng.random() { 'w' } else { 'b' };
        // Through a FEN, so that what is no position is refused.
        let rows: Vec<String> = (0..8)
            .rev()
            .map(|rank| {
                (0..8).map(|file| pieces[Square::at(file, rank).index()].map_or('1', Piece::letter)).collect()
            })
            .collect();
        if let Ok(board) = Board::from_fen(&format!("{} {side} - - 0 1", rows.join("/"))) {
            return board;
        }
    }
}

#[test]
fn published_values() {
    let (Some(tables), Some(folder)) = (tables(), shared_data("syzygy")) else { return };
    let text = std::fs::read_to_string(folder.join("shakmaty-syzygy_tests_chess.csv")).expect("the list");
    let (mut rows, mut wdl_known, mut dtz_known) = (0, 0, 0);
    for line in text.lines().skip(1) {
        let columns: Vec<&str> = line.split(',').collect();
        let (wdl, dtz): (i32, i32) = (columns[1].parse().expect("WDL"), columns[2].parse().expect("DTZ"));
        let board = board(&format!("{} 0 1", columns[0]));
        rows += 1;
        if let Some(found) = tables.probe_wdl(&board) {
            assert_eq!(found as i32, wdl, "{line}");
            wdl_known += 1;
        }
        if let Some(found) = tables.probe_dtz(&board) {
            assert_eq!(found, dtz, "{line}");
            dtz_known += 1;
        }
    }
    println!("of {rows} rows {wdl_known} WDL and {dtz_known} DTZ are known here, and all of them agree");
    // 200 have a table of their own; the others are known by a capture that wins.
    assert!(rows == 216 && wdl_known >= 200 && dtz_known >= 200);
}

/// The result of a position with its count of moves, if the rounding of distances leaves no doubt.
fn certain_result(tables: &Tablebases, board: &Board) -> Option<i32> {
    let dtz = tables.probe_dtz(board)?;
    match dtz.abs() + i32::from(board.halfmove_clock()) {
        _ if dtz == 0 => Some(0),
        ..100 => Some(2 * dtz.signum()),
        100 | 101 => None,
        _ => Some(dtz.signum()),
    }
}

#[test]
fn the_first_rank_keeps_the_result() {
    let Some(tables) = tables() else { return };
    let mut rng = Pcg64::seed_from_u64(1);
    let mut checked = 0;
    for name in ["KQvK", "KPvK", "KRvKP", "KPvKP", "KBNvK", "KQvKR", "KNvKP", "KPPvK", "KNNvK"] {
        for _ in 0..150 {
            let strong = if rng.random() { Color::White } else { Color::Black };
            let clock = rng.random_range(0..100);
            let fen = random_position(name, strong, &mut rng).fen().replace(" 0 1", &format!(" {clock} 90"));
            let mut board = board(&fen);
            let moves = board.legal_moves();
            let Some(ranking) = tables.rank_root_moves(&board, &moves, true) else {
                assert!(moves.is_empty(), "{fen}");
                continue;
            };
            assert!(ranking.by_distance);
            let Some(before) = certain_result(&tables, &board) else { continue };
            let best = ranking.moves[0];
            for ranked in ranking.moves.iter().take_while(|ranked| ranked.rank == best.rank) {
                board.make(ranked.m);
                let mated = board.in_check() && board.legal_moves().is_empty();
                // A count that is full makes a draw of everything but mate.
                let after = match () {
                    _ if mated => Some(-2),
                    _ if board.fifty_moves_passed() => Some(0),
                    _ => certain_result(&tables, &board),
                };
                board.unmake();
                if let Some(after) = after {
                    let kept = -after >= before || (before.abs() < 2 && after.abs() < 2);
                    assert!(kept, "{:?} in {fen}: {before} becomes {}", ranked.m, -after);
                    checked += 1;
                }
            }
        }
    }
    println!("{checked} moves keep the result");
    assert!(checked > 3000, "{checked}");
}

/// The engine wins with few nodes a move against the defence that lasts longest by the tables.
fn play_out(name: &str, seed: u64, folder: &PathBuf) -> Result<usize, String> {
    let tables = Arc::new(Tablebases::open(&[folder]));
    let mut rng = Pcg64::seed_from_u64(seed);
    let strong = if rng.random() { Color::White } else { Color::Black };
    let mut game = loop {
        let board = random_position(name, strong, &mut rng);
        let wanted = if board.side_to_move() == strong { Wdl::Win } else { Wdl::Loss };
        if tables.probe_wdl(&board) == Some(wanted) && !board.legal_moves().is_empty() {
            break board;
        }
    };
    let start = game.fen();
    let mut searcher = searcher(None);
    searcher.set_tablebases(Some(tables.clone()));
    let limits = Limits { nodes: Some(400), ..Limits::default() };
    for plies in 0.. {
        if game.legal_moves().is_empty() {
            return match game.in_check() && game.side_to_move() != strong {
                true => Ok(plies),
                false => Err(format!("{start}: no mate but {}", game.fen())),
            };
        }
        if game.fifty_moves_passed() || game.repetitions() >= 3 || game.insufficient_material() {
            return Err(format!("{start}: a draw in {} after {plies} plies", game.fen()));
        }
        let m = if game.side_to_move() == strong {
            searcher.search(&game, &limits, &Signals::new(), &mut Silent).best
        } else {
            longest_defence(&tables, &game, &mut rng)
        };
        game.make(m.expect("there are moves"));
    }
    unreachable!("a game ends by the fifty-move rule")
}

fn longest_defence(tables: &Tablebases, game: &Board, rng: &mut Pcg64) -> Option<engine::types::Move> {
    let moves = game.legal_moves();
    let mut after = game.clone();
    moves
        .iter()
        .copied()
        .map(|m| {
            after.make(m);
            let distance = match after.halfmove_clock() {
                0 => 0, // a capture or pawn move: the count begins anew, and so does the win
                _ => tables.probe_dtz(&after).unwrap_or(0),
            };
            let draws = tables.probe_wdl(&after).is_some_and(|wdl| wdl < Wdl::Win);
            after.unmake();
            (draws, distance, rng.random::<u32>(), m)
        })
        .max_by_key(|&(draws, distance, lot, _)| (draws, distance, lot))
        .map(|(_, _, _, m)| m)
}

#[test]
fn won_endings_are_won_within_the_fifty_move_rule() {
    let Some(folder) = shared_data("syzygy") else { return };
    let games = setting("TABULA_ENDGAMES", 10) as usize;
    for name in ["KBNvK", "KQvKR", "KRPvK", "KPvKP", "KQPvKP", "KRNvKR"] {
        let results = in_parallel(games, |seed| play_out(name, seed as u64, &folder));
        let longest = results.iter().map(|result| *result.as_ref().unwrap_or_else(|fault| panic!("{fault}")));
        println!("{name}: {games} of {games} won, the longest in {} plies", longest.max().unwrap_or(0));
    }
}

/// Keeps the last report.
struct Last(Option<SearchReport>);

impl Handler for Last {
    fn report(&mut self, report: &SearchReport) {
        self.0 = Some(report.clone());
    }
}

fn search(searcher: &mut Searcher, fen: &str, depth: u32) -> (SearchResult, SearchReport) {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let mut last = Last(None);
    searcher.new_game();
    let result = searcher.search(&board(fen), &limits, &Signals::new(), &mut last);
    (result, last.0.expect("a report"))
}

/// KRBvKR has no table here; taking the rook leads to KRBvK, which has.
const INTO_A_WIN: &str = "8/8/8/3k4/8/r3K3/8/R3B3 w - - 0 1";

#[test]
fn the_search_asks_after_captures() {
    let Some(tables) = tables() else { return };
    let mut searcher = searcher(Some(tables));
    let (result, report) = search(&mut searcher, INTO_A_WIN, 4);
    assert!(report.tbhits > 0);
    assert!(result.score >= value::TB_WIN_IN_MAX, "{}", result.score);
    assert!(!value::is_mate(result.score) && result.score < value::TB_WIN, "{}", result.score);
    assert_eq!(result.pv.first(), result.best.as_ref());
    searcher.options.syzygy = SyzygyOptions { probe_limit: 3, ..SyzygyOptions::default() };
    let (_, report) = search(&mut searcher, INTO_A_WIN, 4);
    assert_eq!(report.tbhits, 0, "a limit of three men");
    searcher.options.syzygy = SyzygyOptions::default();
    searcher.set_tablebases(None);
    let (result, report) = search(&mut searcher, INTO_A_WIN, 4);
    assert!(report.tbhits == 0 && !value::is_decided(result.score), "without tables");
}

#[test]
fn castling_rights_keep_the_tables_out() {
    let Some(tables) = tables() else { return };
    assert_eq!(tables.probe_wdl(&board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")), None);
    assert_eq!(tables.probe_wdl(&board("4k3/8/8/8/8/8/8/4K2R w - - 0 1")), Some(Wdl::Win));
    assert_eq!(tables.probe_wdl(&board("4k3/8/8/8/8/8/8/4K3 w - - 0 1")), Some(Wdl::Draw), "bare kings");
    assert_eq!(tables.take_complaints(), Vec::<String>::new());
}

#[test]
fn the_root_says_what_the_tables_say() {
    let Some(tables) = tables() else { return };
    let mut searcher = searcher(Some(tables));
    let (won, report) = search(&mut searcher, "8/8/3k4/8/3r4/8/1Q6/K7 w - - 0 1", 2);
    assert_eq!((won.score, report.tbhits), (value::TB_WIN, 20), "a hit for each move");
    // A rook ahead, and drawn: stalemate or the pawn's loss cannot be helped.
    let (drawn, _) = search(&mut searcher, "8/8/8/8/8/k7/p7/K7 b - - 0 1", 6);
    assert_eq!(drawn.score, value::DRAW);
    let (mate, _) = search(&mut searcher, "7k/8/6K1/8/8/8/8/1Q6 w - - 0 1", 3);
    assert!(value::is_mate(mate.score), "a mate on the board is said as one");
}

#[test]
fn several_lines_come_best_result_first() {
    let Some(tables) = tables() else { return };
    let board = board("8/8/3k4/8/3r4/8/1Q6/K7 w - - 0 1");
    let ranking = tables.rank_root_moves(&board, &board.legal_moves(), true).expect("KQvKR is here");
    let score_of =
        |m| ranking.moves.iter().find(|ranked| ranked.m == m).map(|ranked| ranked.score).expect("ranked");
    struct Lines(Vec<SearchReport>);
    impl Handler for Lines {
        fn report(&mut self, report: &SearchReport) {
            if report.multipv == 1 {
                self.0.clear();
            }
            self.0.push(report.clone());
        }
    }
    let mut searcher = searcher(Some(tables_again()));
    searcher.options.multipv = 20;
    let mut lines = Lines(Vec::new());
    let limits = Limits { depth: Some(4), ..Limits::default() };
    searcher.search(&board, &limits, &Signals::new(), &mut lines);
    assert_eq!(lines.0.len(), 20);
    assert!(lines.0.windows(2).all(|pair| pair[0].score >= pair[1].score));
    for line in &lines.0 {
        let told = score_of(line.pv[0]);
        assert!(line.score == told || value::is_mate(line.score), "{} told {}", told, line.score);
    }
    assert!(lines.0.iter().any(|line| line.score == value::DRAW), "some moves let the win go");
}

fn tables_again() -> Tablebases {
    tables().expect("they were here a moment ago")
}

/// Mate takes 58 plies, and 60 were played already: only without the rule is it a win.
#[test]
fn the_fifty_move_rule_can_be_left_aside() {
    let Some(tables) = tables() else { return };
    let fen = |clock: u32| format!("8/8/8/3k4/8/8/8/2BNK3 w - - {clock} 90");
    let dtz = tables.probe_dtz(&board(&fen(0))).expect("KBNvK is here");
    let mut searcher = searcher(Some(tables));
    for (clock, fifty_move_rule, expected) in
        [(99 - dtz, true, value::TB_WIN), (102 - dtz, true, CURSED_WIN), (102 - dtz, false, value::TB_WIN)]
    {
        searcher.options.syzygy.fifty_move_rule = fifty_move_rule;
        let (result, report) = search(&mut searcher, &fen(clock as u32), 3);
        assert_eq!((result.score, report.tbhits), (expected, 15), "clock {clock}, rule {fifty_move_rule}");
    }
}

/// A folder with some of the tables; it goes when the test does.
struct Selection(PathBuf);

impl Selection {
    fn new(name: &str, wanted: impl Fn(&str) -> bool) -> Option<Selection> {
        let folder = shared_data("syzygy")?;
        let path = std::env::temp_dir().join(format!("tabula {name} {}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder is writable");
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let file = entry.expect("a file").path();
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_string();
            if wanted(&name) {
                std::fs::copy(&file, path.join(name)).expect("a copy");
            }
        }
        Some(Selection(path))
    }
}

impl Drop for Selection {
    fn drop(&mut self) {
        // If it cannot be removed, it stays in the temporary folder; no reason to fail.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn without_distances_the_result_is_kept_all_the_same() {
    let Some(selection) = Selection::new("tables without distances", |name| name.ends_with(".rtbw")) else {
        return;
    };
    let tables = Tablebases::open(&[&selection.0]);
    let won = board("8/8/3k4/8/3r4/8/1Q6/K7 w - - 0 1");
    let ranking = tables.rank_root_moves(&won, &won.legal_moves(), true).expect("WDL is enough");
    assert!(!ranking.by_distance && ranking.is_won());
    let complaints = tables.take_complaints();
    assert!(complaints.len() == 1 && complaints[0].contains("no DTZ table"), "{complaints:?}");
    // The search goes on asking: only so does it see where a win leads.
    let mut searcher = searcher(Some(tables));
    let (result, report) = search(&mut searcher, "8/8/3k4/8/3r4/8/1Q6/K7 w - - 0 1", 8);
    assert!(report.tbhits > 20, "{}", report.tbhits);
    assert!(result.score >= value::TB_WIN_IN_MAX);
}

#[test]
fn an_incomplete_set_is_told_once() {
    let Some(selection) = Selection::new("some tables", |name| !name.starts_with("KBNvK")) else { return };
    let tables = Tablebases::open(&[&selection.0]);
    assert_eq!(tables.take_complaints(), Vec::<String>::new());
    let missing = board("8/8/8/3k4/8/8/8/2BNK3 w - - 0 1");
    for _ in 0..3 {
        assert!(tables.rank_root_moves(&missing, &missing.legal_moves(), true).is_none());
    }
    let complaints = tables.take_complaints();
    assert!(complaints.len() == 1 && complaints[0].contains("KBNvK"), "{complaints:?}");
    assert!(tables.take_complaints().is_empty());
    let mut searcher = searcher(Some(tables));
    let (result, _) = search(&mut searcher, "8/8/8/3k4/8/8/8/2BNK3 w - - 0 1", 4);
    assert!(result.best.is_some(), "it plays on");
}

#[test]
fn truncated_empty_and_random_tables_are_named() {
    let Some(selection) = Selection::new("damaged tables by hand", |name| name.starts_with("KQvK")) else {
        return;
    };
    let whole = std::fs::read(selection.0.join("KQvK.rtbw")).expect("copied");
    let with = |name: &str, bytes: &[u8]| {
        std::fs::write(selection.0.join(name), bytes).expect("the temporary folder is writable");
    };
    with("KRvK.rtbw", &whole[..whole.len() / 2 + 1]);
    with("KBvK.rtbw", &[]);
    with("KNvK.rtbw", &vec![0xA5; 64 * 9 + 16]);
    with("KPvK.rtbz", &whole); // a WDL table by another name
    with("readme.txt", b"not a table");
    std::fs::create_dir(selection.0.join("KBBvK.rtbw")).expect("the temporary folder is writable");
    let mut beginning = vec![0x71, 0xE8, 0x23, 0x5D, 1];
    beginning.resize(64 * 4 + 16, 0xFF);
    with("KRRvK.rtbw", &beginning); // begins as it should: found out when it is asked

    let tables = Tablebases::open(&[&selection.0]);
    let complaints = tables.take_complaints();
    for (file, cause) in [
        ("KRvK.rtbw", "cut off"),
        ("KBvK.rtbw", "is empty"),
        ("KNvK.rtbw", "does not begin as a WDL table does"),
        ("KPvK.rtbz", "does not begin as a DTZ table does"),
        ("KBBvK.rtbw", "a folder, not a file"),
    ] {
        let told = complaints.iter().filter(|text| text.contains(file) && text.contains(cause)).count();
        assert_eq!(told, 1, "{file}: {complaints:#?}");
    }
    assert_eq!(complaints.len(), 5, "{complaints:#?}");

    let rooks = board("8/8/8/8/8/2k5/8/K2RR3 w - - 0 1");
    for _ in 0..3 {
        assert_eq!(tables.probe_wdl(&rooks), None);
    }
    let complaints = tables.take_complaints();
    assert!(complaints.len() == 1 && complaints[0].contains("KRRvK is damaged"), "{complaints:?}");
    assert_eq!(tables.probe_wdl(&board("8/8/8/8/8/2k5/8/K2Q4 w - - 0 1")), Some(Wdl::Win), "the sound one");
}
