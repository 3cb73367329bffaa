//! Learning through the command line: what a user sees, and what must never happen to a book.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use engine::Board;
use engine::book::experience::{ExperienceBook, Row};
use engine::book::polyglot::PolyglotBook;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn selfplay(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_selfplay")).args(arguments).output().expect("selfplay runs")
}

/// Runs a command that must succeed; what it printed.
fn succeed(arguments: &[&str]) -> String {
    let output = selfplay(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs a command that must fail; what it complained about.
fn fail(arguments: &[&str]) -> String {
    let output = selfplay(arguments);
    assert!(!output.status.success(), "{arguments:?} succeeded");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("plain names")
}

/// Sixty quick games in three shards.
fn games(folder: &Path) -> Vec<PathBuf> {
    for shard in ["1/3", "2/3", "3/3"] {
        let common =
            ["--games", "60", "--nodes", "60", "--opening-nodes", "60", "--hash", "1", "--max-plies", "120"];
        let place = ["--seed", "7", "--shard", shard, "--out", text(folder)];
        succeed(&[&["generate"][..], &common, &place].concat());
    }
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "tgr"));
    files.sort();
    assert_eq!(files.len(), 3);
    files
}

#[test]
fn a_shard_counts_once_however_it_comes() {
    let folder = tempfile::tempdir().unwrap();
    let shards = games(folder.path());
    let file = |name: &str| folder.path().join(name);
    let learn = |games: &[&Path], book: &Path| {
        let mut arguments = vec!["learn", "--book", text(book)];
        for games in games {
            arguments.extend(["--games", text(games)]);
        }
        succeed(&arguments)
    };
    let bytes = |book: &Path| std::fs::read(book).unwrap();

    let all = file("all.exp");
    let said = learn(&[folder.path()], &all);
    assert!(said.contains("learned 60 games"), "{said}");
    let book = ExperienceBook::open(&all).unwrap();
    assert_eq!(book.header().games, 60);
    assert!(book.verify().is_whole());

    // Again: nothing changes.
    let before = bytes(&all);
    let said = learn(&[folder.path()], &all);
    assert!(said.contains("60 games were known"), "{said}");
    assert!(bytes(&all) == before);

    // One after the other, in another order.
    let single = file("single.exp");
    for shard in [2, 0, 1] {
        learn(&[&shards[shard]], &single);
    }
    assert!(bytes(&single) == before);

    // Each by itself, then added.
    for (number, shard) in shards.iter().enumerate() {
        learn(&[shard], &file(&format!("part{number}.exp")));
    }
    let parts: Vec<PathBuf> = [1, 2, 0].map(|number| file(&format!("part{number}.exp"))).to_vec();
    let sum = file("sum.exp");
    succeed(&["book", "merge", text(&parts[0]), text(&parts[1]), text(&parts[2]), "-o", text(&sum)]);
    assert!(bytes(&sum) == before);

    // The shards joined into one record are still the same games.
    let joined = file("joined.record");
    succeed(&["merge", text(&shards[0]), text(&shards[1]), text(&shards[2]), "--output", text(&joined)]);
    let said = learn(&[&joined], &sum);
    assert!(said.contains("60 games were known"), "{said}");

    // Two books that share games do not add.
    let complaint = fail(&["book", "merge", text(&parts[0]), text(&all), "-o", text(&file("x.exp"))]);
    assert!(complaint.contains("the books overlap"), "{complaint}");
}

#[test]
fn the_running_average_has_its_own_book() {
    let folder = tempfile::tempdir().unwrap();
    games(folder.path());
    let book = folder.path().join("td.exp");
    let learn = ["learn", "--games", text(folder.path()), "--book", text(&book)];
    succeed(&[&learn[..], &["--rule", "td"]].concat());
    let complaint = fail(&learn);
    assert!(complaint.contains("the rule is td in one book and mean in the other"), "{complaint}");
    assert!(succeed(&["book", "info", text(&book)]).contains("td (alpha 0.500, gamma 0.990"));
}

#[test]
fn a_book_can_be_looked_into_mended_and_turned_into_others() {
    let folder = tempfile::tempdir().unwrap();
    games(folder.path());
    let file = |name: &str| folder.path().join(name);
    let book = file("book.exp");
    succeed(&["learn", "--games", text(folder.path()), "--book", text(&book), "--json"]);
    let open = |path: &Path| ExperienceBook::open(path).unwrap();
    let rows: Vec<Row> = open(&book).rows().map(Result::unwrap).collect();

    let info: serde_json::Value =
        serde_json::from_str(&succeed(&["book", "info", text(&book), "--json"])).unwrap();
    assert_eq!(info["games"], 60);
    assert_eq!(info["rows"], rows.len());
    assert!(succeed(&["book", "show", text(&book), &Board::start().fen()]).contains(&Board::start().fen()));
    assert!(fail(&["book", "show", text(&book), "e2e5"]).contains("is no move in"));

    let csv = succeed(&["book", "export", text(&book), "--csv"]);
    assert_eq!(csv.lines().count(), rows.len() + 1);

    let pruned = file("pruned.exp");
    succeed(&["book", "prune", text(&book), "--min-games", "2", "-o", text(&pruned)]);
    assert!(open(&pruned).rows().flatten().eq(rows.iter().copied().filter(|row| row.games >= 2)));

    let shuffled = file("shuffled.exp");
    succeed(&["book", "shuffle", text(&book), "--seed", "3", "-o", text(&shuffled)]);
    let others: Vec<Row> = open(&shuffled).rows().flatten().collect();
    assert!(others.iter().map(Row::place).eq(rows.iter().map(Row::place)));
    let total = |rows: &[Row]| {
        rows.iter()
            .map(|row| (i64::from(row.games), row.score_sum))
            .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    };
    assert_eq!(total(&others), total(&rows));
    assert_ne!(others, rows);

    // Damage in the middle: seen, refused for learning, mended but for the block.
    assert!(succeed(&["book", "verify", text(&book)]).contains("all whole"));
    let mut bytes = std::fs::read(&book).unwrap();
    bytes[5_000] ^= 4;
    let damaged = file("damaged.exp");
    std::fs::write(&damaged, &bytes).unwrap();
    assert!(fail(&["book", "verify", text(&damaged)]).contains("damaged"));
    let complaint = fail(&["learn", "--games", text(folder.path()), "--book", text(&damaged)]);
    assert!(complaint.contains("selfplay book repair"), "{complaint}");
    let mended = file("mended.exp");
    succeed(&["book", "repair", text(&damaged), "-o", text(&mended)]);
    assert!(open(&mended).verify().is_whole());
    assert!(open(&mended).len() + 512 >= rows.len() as u64 && open(&mended).len() < rows.len() as u64);

    // Games from random openings have no line from the initial position.
    let complaint = fail(&["book", "polyglot", text(&book), "-o", text(&file("x.bin"))]);
    assert!(complaint.contains("no line from the initial position"), "{complaint}");
}

/// A book whose lines begin at the start becomes a Polyglot book that answers there.
#[test]
fn lines_from_the_start_become_a_polyglot_book() {
    use engine::book::experience::{Header, write_book};
    let folder = tempfile::tempdir().unwrap();
    let (book, polyglot) = (folder.path().join("book.exp"), folder.path().join("book.bin"));
    let start = Board::start();
    let row = |text: &str, games, wins| Row {
        key: start.key(),
        m: start.parse_uci(text).unwrap(),
        games,
        wins,
        draws: 0,
        depth_sum: 9,
        score_sum: 0,
    };
    let mut rows = vec![row("e2e4", 10, 6), row("d2d4", 8, 4), row("a2a4", 9, 1), row("h2h4", 1, 1)];
    rows.sort_by_key(Row::place);
    write_book(&book, &Header::default(), rows.into_iter()).unwrap();
    succeed(&["book", "polyglot", text(&book), "-o", text(&polyglot)]);
    let answer = PolyglotBook::open(&polyglot).unwrap().answer(&start);
    let weight = |text: &str| {
        let m = start.parse_uci(text).unwrap();
        answer.moves.iter().find(|known| known.m == m).map(|known| known.weight)
    };
    // Half points; a move that fails is known and not played, one game is too few.
    assert_eq!(["e2e4", "d2d4", "a2a4", "h2h4"].map(weight), [Some(12), Some(8), Some(0), None]);
}

/// How often a test kills.
fn kills() -> usize {
    std::env::var("TABULA_BOOK_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(20)
}

/// Starts a command that writes `book` again and again, and kills it at random moments of the time that it takes. Each
/// time `check` looks at the book, which must be whole, and makes it old again. Many kills must come while the new book
/// is being written (its part file is left behind), or nothing was tried.
fn kill_again_and_again(arguments: &[&str], book: &Path, seed: u64, check: impl Fn(&ExperienceBook)) {
    let mut random = Pcg64::seed_from_u64(seed);
    let part = book.with_extension("exp.part");
    let mut takes = Duration::ZERO;
    let mut amid = 0;
    for kill in 0..kills() {
        let check = || {
            let opened = ExperienceBook::open(book).unwrap_or_else(|error| panic!("kill {kill}: {error}"));
            assert!(opened.verify().is_whole(), "kill {kill}");
            check(&opened);
        };
        if kill % 10 == 0 {
            // How long it takes changes with what else the machine does.
            let started = Instant::now();
            succeed(arguments);
            takes = started.elapsed();
            check();
        }
        let mut writer = Command::new(env!("CARGO_BIN_EXE_selfplay"))
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(takes.mul_f64(random.random_range(0.0..1.1)));
        writer.kill().unwrap();
        writer.wait().unwrap();
        check();
        amid += usize::from(std::fs::metadata(&part).is_ok_and(|part| part.len() > 0));
    }
    println!("{amid} of {} kills came while the book was written", kills());
    assert!(amid > 0 || kills() < 100, "no kill came while the book was written");
}

/// Killed at random moments, the book always opens, and what was acknowledged stays.
#[test]
fn killed_while_learning_the_old_book_stays_whole() {
    let folder = tempfile::tempdir().unwrap();
    let shards = games(folder.path());
    let (book, first) = (folder.path().join("book.exp"), folder.path().join("first.exp"));
    succeed(&["learn", "--games", text(&shards[0]), "--book", text(&first)]);
    let acknowledged = ExperienceBook::open(&first).unwrap().header().games;
    let all = ["learn", "--games", text(folder.path()), "--book", text(&book)];
    std::fs::copy(&first, &book).unwrap();
    kill_again_and_again(&all, &book, 3, |opened| {
        assert!(opened.header().games >= acknowledged);
        // Whoever got to the end has learned everything: there must be something to do again.
        if opened.header().games > acknowledged {
            std::fs::copy(&first, &book).unwrap();
        }
    });
    succeed(&all);
    let undisturbed = folder.path().join("undisturbed.exp");
    succeed(&["learn", "--games", text(folder.path()), "--book", text(&undisturbed)]);
    assert!(std::fs::read(&book).unwrap() == std::fs::read(&undisturbed).unwrap());
}

/// The same for adding books, into a new one and over one that is there.
#[test]
fn killed_while_merging_the_old_book_stays_whole() {
    let folder = tempfile::tempdir().unwrap();
    let parts: Vec<PathBuf> = games(folder.path())
        .iter()
        .enumerate()
        .map(|(number, shard)| {
            let part = folder.path().join(format!("{number}.exp"));
            succeed(&["learn", "--games", text(shard), "--book", text(&part)]);
            part
        })
        .collect();
    let sum = folder.path().join("sum.exp");
    let merge = ["book", "merge", text(&parts[0]), text(&parts[1]), text(&parts[2]), "-o", text(&sum)];
    std::fs::copy(&parts[0], &sum).unwrap();
    let whole = {
        let undisturbed = folder.path().join("undisturbed.exp");
        succeed(&[
            "book",
            "merge",
            text(&parts[0]),
            text(&parts[1]),
            text(&parts[2]),
            "-o",
            text(&undisturbed),
        ]);
        std::fs::read(undisturbed).unwrap()
    };
    let old = std::fs::read(&parts[0]).unwrap();
    kill_again_and_again(&merge, &sum, 4, |_| {
        let bytes = std::fs::read(&sum).unwrap();
        assert!(bytes == old || bytes == whole);
        std::fs::write(&sum, &old).unwrap();
    });
    for part in &parts {
        assert!(ExperienceBook::open(part).unwrap().verify().is_whole());
    }
    succeed(&merge);
    assert!(std::fs::read(&sum).unwrap() == whole);
}

#[test]
fn anyones_games_can_be_imported_once() {
    let folder = tempfile::tempdir().unwrap();
    let (pgn, book) = (folder.path().join("club.pgn"), folder.path().join("club.exp"));
    let games = "[Result \"1-0\"]\n\n1. e4 {+0.30/9 1s} e5 {[%eval 0.25]} 2. Qh5 Ke7 3. Qxe5# 1-0\n\n\
                 [Result \"*\"]\n\n1. d4 *\n\n[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n\
                 [Result \"1-0\"]\n\n1. e4 e4 1-0\n";
    std::fs::write(&pgn, games).unwrap();
    let import = ["book", "import", text(&pgn), "--book", text(&book)];
    let said = succeed(&import);
    assert!(said.contains("learned 2 games, 9 positions"), "{said}");
    assert!(said.contains("2 games have no result or no legal moves"), "{said}");
    let before = std::fs::read(&book).unwrap();
    assert!(succeed(&import).contains("4 games were known"));
    assert!(std::fs::read(&book).unwrap() == before);
    let shown: serde_json::Value =
        serde_json::from_str(&succeed(&["book", "show", text(&book), "--json", &Board::start().fen()]))
            .unwrap();
    let moves = shown["moves"].as_array().unwrap();
    let find = |name: &str| moves.iter().find(|known| known["move"] == name).unwrap();
    assert!(find("e2e4")["wins"] == 1 && find("e2e4")["depth"] == 9);
    assert!(find("f2f3")["losses"] == 1 && find("f2f3")["score"].as_i64().unwrap() < -1000);
    assert!(fail(&["book", "import", text(&book), "--book", text(&book)]).contains("club.exp"));
}
