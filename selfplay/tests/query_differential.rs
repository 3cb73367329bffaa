//! The same questions answered twice: by `selfplay query`, and by programs for python-chess that know nothing of
//! it (`query_oracle.py`). On games of our own, read from the record and from PGN, and on games of people.
//!
//! Needs python-chess in `target/venv` (`scripts/test --full` puts it there).

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use selfplay::query::{Format, Limits, compile, execute, render};

/// Names and queries, as they stand behind the source.
const QUERIES: [(&str, &str); 39] = [
    ("all", "count"),
    ("check", "where check count"),
    ("checkmate", "where checkmate count"),
    ("stalemate", "where stalemate count"),
    ("capture", "where capture count"),
    ("promotion", "where promotion count"),
    ("castling", "where castling count"),
    ("en_passant", "where en_passant count"),
    ("gives_check", "where gives_check count"),
    ("moved", "where has(san) group by moved count"),
    ("taken", "where capture group by taken count"),
    ("results", "where ply = 0 group by result count"),
    ("phases", "group by phase count"),
    ("first_moves", "where ply = 0 and not last group by san count"),
    ("legal", "histogram legal by 5"),
    ("balance", "group by balance count"),
    ("rook_endings", "where material(\"KRP*vKRP*\") count"),
    ("minor_endings", "where either(\"KNP*vKP*\") count"),
    ("bishop_power", "select sum(count(attacks(pieces(black, bishop))))"),
    ("pinned", "select sum(count(pinned(white) | pinned(black)))"),
    ("forks", "select sum(count(forks(white))) + sum(count(forks(black)))"),
    ("skewers", "select sum(count(skewers(white) | skewers(black)))"),
    ("hanging", "select sum(count(hanging(white) | hanging(black)))"),
    ("passed", "select sum(count(passed(white) | passed(black)))"),
    ("isolated", "select sum(count(isolated(mover))) + sum(count(isolated(opponent)))"),
    ("recaptures", "where capture and next(capture) and target = next(target) count"),
    ("after_castling", "where castling then check within 10 count"),
    ("knight_paths", "where some n in pieces(white, knight): ranks(visited(n)) >= 5 once count"),
    ("kings_near", "where distance(king(white), king(black)) <= 2 count"),
    ("may_castle", "where may_castle(white) count"),
    ("attackers_of_e4", "select sum(count(attackers(black, e4)))"),
    ("threefold", "where repetitions >= 3 count"),
    ("insufficient", "where insufficient count"),
    ("distinct", "select distinct(fen)"),
    ("clock", "max clock"),
    ("checked_games", "where ply = 0 and ever(check) select count, sum(length)"),
    ("scored", "where searched and not decided and score > 100 and stm = white count"),
    ("quiet", "where not check and has(san) and not (capture or promotion or gives_check) count"),
    ("perft", "where ply = 20 perft 2 select leaves"),
];

fn python() -> Option<PathBuf> {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/venv/bin/python");
    let has_chess = Command::new(&python).args(["-c", "import chess.pgn"]).output();
    has_chess.is_ok_and(|output| output.status.success()).then_some(python)
}

type Answers = BTreeMap<String, Vec<Vec<String>>>;

fn oracle(python: &Path, pgn: &Path) -> Answers {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/query_oracle.py");
    let output = Command::new(python).arg(script).arg(pgn).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Our own answers: all queries in one script, one pass.
fn ours(path: &Path) -> Answers {
    let source = format!("games \"{}\"", path.display());
    let script: Vec<String> = QUERIES.iter().map(|(_, query)| format!("{source} {query}")).collect();
    let script = script.join(";\n");
    let plans = compile(&script).unwrap_or_else(|problem| panic!("{}", problem.render(&script)));
    let found = execute(&plans, &Limits::default(), |_| {}).unwrap();
    let answers = QUERIES.iter().zip(plans.iter().zip(&found)).map(|((name, _), (plan, found))| {
        assert_eq!((&found.halt, found.refused), (&None, 0), "{name}: {:?}", found.complaints);
        let text = render(plan, found, Format::Csv);
        let rows = text.lines().skip(1).map(|line| line.split(',').map(str::to_string).collect()).collect();
        (name.to_string(), rows)
    });
    answers.collect()
}

fn compare(oracle: &Answers, path: &Path) {
    let ours = ours(path);
    for (name, query) in QUERIES {
        // python-chess lists groups by name, and so do we.
        assert_eq!(ours[name], oracle[name], "{name} ({query}) on {}", path.display());
    }
    println!("{}: {} queries, {} positions: the same", path.display(), QUERIES.len(), oracle["all"][0][0]);
}

#[test]
fn our_games_from_records_and_pgn() {
    let Some(python) = python() else {
        println!("skipped: no python-chess in target/venv");
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let (games, pgn) = (directory.path().join("own"), directory.path().join("own.pgn"));
    let selfplay = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_selfplay")).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    selfplay(&[
        "generate",
        "--games",
        "60",
        "--nodes",
        "60",
        "--seed",
        "11",
        "--out",
        games.to_str().unwrap(),
    ]);
    let record = std::fs::read_dir(&games).unwrap().flatten().next().unwrap().path();
    selfplay(&["pgn", "--output", pgn.to_str().unwrap(), record.to_str().unwrap()]);
    let oracle = oracle(&python, &pgn);
    compare(&oracle, &record);
    compare(&oracle, &pgn);
}

#[test]
fn games_of_people() {
    let Some(python) = python() else {
        println!("skipped: no python-chess in target/venv");
        return;
    };
    let shared = std::env::var("TABULA_SHARED").unwrap_or_else(|_| "../../shared".to_string());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(shared).join("data/pgn/players");
    let games: usize = std::env::var("TABULA_QUERY_GAMES").map_or(25, |text| text.parse().unwrap());
    let directory = tempfile::tempdir().unwrap();
    for player in ["Tal", "Capablanca"] {
        let Ok(bytes) = std::fs::read(folder.join(format!("{player}.pgn"))) else {
            println!("skipped: no {player}.pgn in {}", folder.display());
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let first: String = selfplay::pgn::split_games(&text).take(games).map(|(_, game)| game).collect();
        let path = directory.path().join(format!("{player}.pgn"));
        std::fs::write(&path, first).unwrap();
        compare(&oracle(&python, &path), &path);
    }
}

/// Stockfish, where it is installed: Debian puts it among the games.
fn stockfish() -> Option<PathBuf> {
    let path = PathBuf::from("/usr/games/stockfish");
    path.exists().then_some(path)
}

#[test]
fn perft_of_random_positions_is_another_engines() {
    let Some(stockfish) = stockfish() else {
        println!("skipped: no /usr/games/stockfish");
        return;
    };
    let query = "random 40 plies times 40 seed 3 perft 3 select fen, leaves";
    let plans = compile(query).unwrap();
    let found = execute(&plans, &Limits::default(), |_| {}).unwrap();
    let mut commands = String::new();
    for row in &found[0].rows {
        commands.push_str(&format!("position fen {}\ngo perft 3\n", row[0]));
    }
    commands.push_str("quit\n");
    let mut child = Command::new(stockfish).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let counted: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("Nodes searched: ")).collect();
    let ours: Vec<String> = found[0].rows.iter().map(|row| row[1].to_string()).collect();
    assert_eq!(ours.len(), 40);
    assert_eq!(ours, counted);
}
