//! Files that options name and that are no files, have no end, or change while they are in use.
#![cfg(unix)]

mod common;

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::driven_engine::Engine;
use engine::Board;
use engine::book::experience::{Header, Row, write_book};
use engine::book::polyglot::{PolyglotBuilder, PolyglotEntry};

const FILE_OPTIONS: [&str; 5] = ["EvalFile", "StyleFile", "ParamFile", "BookFile", "ExperienceFile"];

/// A folder of this test's own that vanishes.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tabula-hostile-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes a pipe that nobody writes to.
fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo is there").success());
}

/// The engine refuses the file in one line that names it, and plays on.
fn assert_refused(option: &str, path: &Path) {
    let mut engine = Engine::start();
    let told = engine.info_string(&format!("setoption name {option} value {}", path.display()));
    assert!(told.contains(&path.display().to_string()), "{option}: {told}");
    assert!(told.contains("unchanged"), "{option}: {told}");
    engine.send("go nodes 500");
    engine.read_until("bestmove");
    engine.quit();
}

#[test]
fn pipes_folders_and_devices_are_refused_by_every_option() {
    let folder = Folder::new("kinds");
    let (waiting, endless) = (folder.file("pipe"), folder.file("link to endless zeros"));
    pipe(&waiting);
    symlink("/dev/zero", &endless).unwrap();
    for option in FILE_OPTIONS {
        assert_refused(option, &waiting);
        assert_refused(option, &endless);
        assert_refused(option, &folder.0);
    }
}

#[test]
fn a_file_that_calls_itself_regular_and_never_answers_is_refused() {
    let messages = Path::new("/proc/kmsg");
    if !messages.exists() {
        println!("skipped: no {}", messages.display());
        return;
    }
    for option in FILE_OPTIONS {
        assert_refused(option, messages);
    }
}

#[test]
fn files_of_text_are_read_up_to_a_size() {
    let folder = Folder::new("size");
    let path = folder.file("sparse");
    File::create(&path).unwrap().set_len(100 << 30).unwrap();
    assert_refused("EvalFile", &path);
    assert_refused("StyleFile", &path);
    assert_refused("ParamFile", &path);
}

/// The tables' folder may hold anything, too.
#[test]
fn a_pipe_called_like_a_table_is_passed_over() {
    let folder = Folder::new("tables");
    pipe(&folder.file("KQvK.rtbw"));
    let mut engine = Engine::start();
    let told = engine.ask(&format!("setoption name SyzygyPath value {}", folder.0.display()));
    assert!(told.iter().any(|line| line.contains("KQvK.rtbw: cannot be read")), "{told:?}");
    engine.quit();
}

fn experience_book(path: &Path) {
    let board = Board::start();
    let row = |key, text: &str| Row {
        key,
        m: board.parse_uci(text).unwrap(),
        games: 9,
        wins: 4,
        draws: 1,
        depth_sum: 90,
        score_sum: 900,
    };
    // Many pages, of which the start position's is one.
    let mut rows: Vec<Row> = (1..20_000).map(|n: u64| row(n << 48, "e2e4")).collect();
    rows.push(row(board.key(), "d2d4"));
    rows.sort_by_key(Row::place);
    write_book(path, &Header::default(), rows.into_iter()).unwrap();
}

fn opening_book(path: &Path) {
    let board = Board::start();
    let mut builder = PolyglotBuilder::new();
    builder.add(&board, board.parse_uci("d2d4").unwrap(), 1);
    for n in 1..20_000 {
        builder.add_entry(PolyglotEntry { key: n << 48, move_bits: 1, weight: 1, learn: 0 });
    }
    builder.write(path).unwrap();
}

fn cut(path: &Path, bytes: u64) {
    File::options().write(true).open(path).unwrap().set_len(bytes).unwrap();
}

/// The book goes, with a word; the engine stays.
fn assert_survives_cut(option: &str, write: fn(&Path), left: u64) {
    let folder = Folder::new(&format!("cut-{option}-{left}"));
    let path = folder.file("book");
    write(&path);
    let mut engine = Engine::start();
    assert!(engine.ask(&format!("setoption name {option} value {}", path.display())).is_empty());
    cut(&path, left);
    engine.send("go depth 6");
    let told = engine.read_until("bestmove");
    let complaints =
        told.iter().filter(|line| line.contains("has become shorter while it was in use")).count();
    assert_eq!(complaints, 1, "{option}, {left} bytes left: {told:#?}");
    engine.send("go depth 4");
    let again = engine.read_until("bestmove");
    assert!(!again.iter().any(|line| line.contains("shorter")), "{again:#?}");
    // It can be set again once it is whole.
    write(&path);
    assert!(engine.ask(&format!("setoption name {option} value {}", path.display())).is_empty());
    engine.send("go depth 4");
    let told = engine.read_until("bestmove");
    let uses_it = if option == "BookFile" { "info string book " } else { "info string experience: " };
    assert!(told.iter().any(|line| line.starts_with(uses_it)), "{told:#?}");
    engine.quit();
}

#[test]
fn a_book_cut_short_while_it_is_in_use_is_lost_and_the_engine_plays_on() {
    for left in [0, 1, 5_000, 100_000] {
        assert_survives_cut("ExperienceFile", experience_book, left);
        assert_survives_cut("BookFile", opening_book, left);
    }
}

/// In the middle of a search, again and again: whatever page it touches next is gone.
#[test]
fn a_book_cut_short_during_a_search_does_not_end_it() {
    let folder = Folder::new("during");
    let path = folder.file("book");
    let mut engine = Engine::start();
    for _ in 0..5 {
        experience_book(&path);
        assert!(engine.ask(&format!("setoption name ExperienceFile value {}", path.display())).is_empty());
        engine.send("go infinite");
        engine.read_until("info depth 5");
        cut(&path, 0);
        engine.read_until("info depth 8");
        engine.send("stop");
        engine.read_until("bestmove");
    }
    engine.quit();
}

#[test]
fn a_table_cut_short_while_it_is_in_use_is_left_out() {
    let Some(shared) = common::shared_data("syzygy") else { return };
    let folder = Folder::new("table");
    let mut copied = Vec::new();
    for name in ["KQvK", "KRvK", "KPvK", "KBvK", "KNvK"] {
        for ending in ["rtbw", "rtbz"] {
            let path = folder.file(&format!("{name}.{ending}"));
            let Ok(bytes) = fs::read(shared.join(format!("{name}.{ending}"))) else { continue };
            fs::write(&path, bytes).unwrap();
            copied.push(path);
        }
    }
    if copied.is_empty() {
        println!("skipped: no tables of three men in {}", shared.display());
        return;
    }
    let mut engine = Engine::start();
    engine.ask(&format!("setoption name SyzygyPath value {}", folder.0.display()));
    engine.send("position fen 8/8/8/4k3/8/8/4P3/4K3 w - - 0 1");
    engine.send("go depth 8");
    engine.read_until("bestmove");
    copied.iter().for_each(|path| cut(path, 0));
    engine.send("ucinewgame");
    engine.send("position fen 8/4k3/8/8/8/4K3/4P3/8 w - - 0 1");
    engine.send("go depth 8");
    let told = engine.read_until("bestmove");
    assert!(told.iter().any(|line| line.contains("SyzygyPath: ")), "{told:#?}");
    engine.quit();
}
