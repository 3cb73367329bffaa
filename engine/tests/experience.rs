//! The Experience Book as the engine uses it: what a search makes of it, and what a GUI sees.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use engine::Board;
use engine::book::experience::{ExperienceBook, Header, Row, write_book};
use engine::book::game_log::{Evidence, GameLog, GameResult};
use engine::eval::{EvalParams, Weights};
use engine::search::{Limits, SearchResult, Searcher, Signals, Silent};

/// A folder of this test's own that vanishes.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tabula-experience-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// A book that knows the last moves of lines from a position: the line, games, and the score for the side
    /// that plays its last move.
    fn book(&self, board: &Board, known: &[(&str, u32, i64)]) -> PathBuf {
        let row = |&(line, games, score): &(&str, u32, i64)| {
            let mut board = board.clone();
            let (before, last) = line.rsplit_once(' ').unwrap_or(("", line));
            for text in before.split_whitespace() {
                let m = board.parse_uci(text).unwrap();
                board.make(m);
            }
            Row {
                key: board.key(),
                m: board.parse_uci(last).unwrap(),
                games,
                wins: games / 2,
                draws: games / 4,
                depth_sum: 9 * games,
                score_sum: 256 * score * i64::from(games),
            }
        };
        let mut rows: Vec<Row> = known.iter().map(row).collect();
        rows.sort_by_key(Row::place);
        let path = self.0.join("test.exp");
        write_book(&path, &Header::default(), rows.into_iter()).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn search(board: &Board, book: Option<&Path>, weight: u32) -> SearchResult {
    let mut searcher = Searcher::new(4, Arc::new(Weights::new(&EvalParams::embedded())));
    searcher.set_experience(book.map(|path| Arc::new(ExperienceBook::open(path).unwrap())));
    searcher.options.experience_weight = weight;
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    searcher.search(board, &limits, &Signals::new(), &mut Silent)
}

#[test]
fn what_was_learned_changes_the_choice_and_weight_0_does_not() {
    let folder = Folder::new("choice");
    let board = Board::start();
    let plain = search(&board, None, 100);
    let best = board.uci(plain.best.unwrap(), false);
    // The favourite lost again and again, another move won.
    let other = if best == "g1f3" { "b1c3" } else { "g1f3" };
    let book = folder.book(&board, &[(&best, 50, -300), (other, 50, 200)]);
    let taught = search(&board, Some(&book), 100);
    assert_eq!(board.uci(taught.best.unwrap(), false), other);
    assert!(taught.score.abs() < 150, "the score recorded is the search's own: {}", taught.score);
    // At most the order of moves changes, so a move that the search itself finds bad is not played.
    let book = folder.book(&board, &[("g2g4", 1000, 600)]);
    assert_ne!(board.uci(search(&board, Some(&book), 0).best.unwrap(), false), "g2g4");
}

/// A line is worth what its best continuation is worth, however often worse ones were tried.
#[test]
fn mistakes_that_need_not_be_repeated_do_not_count() {
    let folder = Folder::new("lines");
    let board = Board::start();
    let with_best_continuation = |score| {
        let known = [
            ("d2d4", 10, 20),
            ("e2e4", 10, -100),
            ("e2e4 e7e5", 10, 100),
            ("e2e4 e7e5 g2g4", 7, -200),
            ("e2e4 e7e5 g1f3", 3, score),
        ];
        let book = folder.book(&board, &known);
        board.uci(search(&board, Some(&book), 100).best.unwrap(), false)
    };
    assert_eq!(with_best_continuation(160), "e2e4");
    assert_eq!(with_best_continuation(-150), "d2d4");
}

/// A move that nobody tried is not praised for what another one achieved.
#[test]
fn a_known_good_move_is_preferred_to_a_new_one() {
    let folder = Folder::new("new");
    let board = Board::start();
    let best = board.uci(search(&board, None, 100).best.unwrap(), false);
    let other = if best == "g1f3" { "b1c3" } else { "g1f3" };
    let book = folder.book(&board, &[(other, 3, 150)]);
    assert_eq!(board.uci(search(&board, Some(&book), 100).best.unwrap(), false), other);
    // All that was tried lost: something else is worth a try.
    let book = folder.book(&board, &[(&best, 3, -300)]);
    assert_ne!(board.uci(search(&board, Some(&book), 100).best.unwrap(), false), best);
}

#[test]
fn a_search_outside_the_book_is_the_search_without_one() {
    let folder = Folder::new("outside");
    let book = folder.book(&Board::start(), &[("e2e4", 9, 20)]);
    let board = Board::from_fen("r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9").unwrap();
    assert_same(search(&board, Some(&book), 100), search(&board, None, 100));
}

#[test]
fn a_search_with_an_empty_book_is_the_search_without_one() {
    let folder = Folder::new("empty");
    let book = folder.book(&Board::start(), &[]);
    assert_same(search(&Board::start(), Some(&book), 100), search(&Board::start(), None, 100));
}

fn assert_same(one: SearchResult, other: SearchResult) {
    assert_eq!(
        (one.best, one.score, one.depth, one.nodes, one.pv),
        (other.best, other.score, other.depth, other.nodes, other.pv)
    );
}

#[test]
fn a_mate_on_the_board_outweighs_everything_learned() {
    let folder = Folder::new("mate");
    let board = Board::from_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1").unwrap();
    let book = folder.book(&board, &[("d1d8", 1000, -600), ("h2h3", 1000, 600)]);
    assert_eq!(board.uci(search(&board, Some(&book), 100).best.unwrap(), false), "d1d8");
}

/// The engine's process, spoken to by lines.
struct Session {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Session {
    fn start() -> Session {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tabula"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Session { child, output }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// All lines up to one that begins so, that one included.
    fn hear(&mut self, beginning: &str) -> Vec<String> {
        let mut heard = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "no {beginning} in {heard:?}");
            heard.push(line.trim_end().to_string());
            if line.starts_with(beginning) {
                return heard;
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_gui_is_told_what_is_known_and_what_is_wrong() {
    let folder = Folder::new("gui");
    let book = folder.book(&Board::start(), &[("e2e4", 9, 20), ("d2d4", 40, 35)]);
    let mut session = Session::start();
    session.say(&format!("setoption name ExperienceFile value {}", book.display()));
    session.say("go nodes 500");
    let heard = session.hear("bestmove");
    let told = heard.iter().find(|line| line.starts_with("info string experience: ")).expect("a word of it");
    assert!(told.contains("2 moves known: d2d4 +0.35 in 40 games (+20 =10 -10), e2e4"), "{told}");

    session.say("setoption name UseExperienceBook value false");
    session.say("go nodes 500");
    assert!(!session.hear("bestmove").iter().any(|line| line.contains("experience")));

    std::fs::write(folder.0.join("bad.exp"), b"nonsense").unwrap();
    session.say(&format!("setoption name ExperienceFile value {}", folder.0.join("bad.exp").display()));
    session.say("isready");
    let heard = session.hear("readyok");
    assert!(heard[0].contains("bad.exp") && heard[0].contains("no Experience Book"), "{heard:?}");
}

#[test]
fn games_are_kept_and_survive_a_kill() {
    let folder = Folder::new("kept");
    let mut session = Session::start();
    session.say(&format!("setoption name ExperienceLog value {}", folder.0.display()));
    let mut moves = String::new();
    let mut board = Board::start();
    for _ in 0..4 {
        session.say(&format!("position startpos moves {moves}"));
        session.say("go nodes 200");
        let heard = session.hear("bestmove");
        let best = heard.last().unwrap().split_whitespace().nth(1).unwrap().to_string();
        board.make(board.parse_uci(&best).unwrap());
        let reply = board.legal_moves()[0];
        moves.push_str(&format!("{best} {} ", board.uci(reply, false)));
        board.make(reply);
    }
    session.say("experience result 1/2-1/2");
    session.say("experience result 2-0");
    session.say("isready");
    let heard = session.hear("readyok");
    assert!(heard[0].contains("kept in") && heard[1].contains("expected 'result 1-0'"), "{heard:?}");
    drop(session); // as kill -9 does

    let logs: Vec<PathBuf> =
        std::fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path()).collect();
    let log = GameLog::read(&logs[0]).unwrap();
    assert_eq!((logs.len(), log.games.len(), log.torn_at), (1, 1, None));
    let game = &log.games[0];
    assert_eq!((game.result, game.evidence, game.plies.len()), (GameResult::Draw, Evidence::Said, 7));
    assert!(game.plies.iter().enumerate().all(|(n, ply)| ply.value_mover.is_some() == (n % 2 == 0)));
}
