//! `selfplay query` from outside: answers, errors, limits, and the same answer whatever the threads.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use selfplay::query::{Format, Limits, compile, execute, render};
use selfplay::record::write_record;

fn data(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name).display().to_string()
}

fn ask(text: &str) -> String {
    let plans = compile(text).unwrap_or_else(|problem| panic!("{}", problem.render(text)));
    let found = execute(&plans, &Limits::default(), |_| {}).unwrap();
    let answers = plans.iter().zip(&found).map(|(plan, found)| {
        assert_eq!(found.halt, None, "{text}");
        render(plan, found, Format::Csv)
    });
    answers.collect::<Vec<_>>().join("\n")
}

/// The lines of an answer without its titles.
fn rows(text: &str) -> Vec<String> {
    ask(text).lines().skip(1).map(str::to_string).collect()
}

fn refuse(text: &str) -> String {
    match compile(text) {
        Ok(_) => panic!("{text} was understood"),
        Err(problem) => problem.render(text),
    }
}

/// A record of random games.
fn record(directory: &Path, games: u64) -> PathBuf {
    let path = directory.join("random.tgr");
    let played = (0..games).map(|id| Ok(common::random_game(3, id, 60)));
    write_record(&path, &common::header(0..games), played).unwrap();
    path
}

fn command(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_selfplay")).arg("query").args(arguments).output().unwrap()
}

#[test]
fn counting_agrees_with_the_games_themselves() {
    let directory = tempfile::tempdir().unwrap();
    let path = record(directory.path(), 2500);
    let games: Vec<_> = (0..2500).map(|id| common::random_game(3, id, 60)).collect();
    let source = format!("games \"{}\"", path.display());
    let positions: usize = games.iter().map(|game| game.length() + 1).sum();
    assert_eq!(rows(&format!("{source} count")), [positions.to_string()]);
    let drawn: usize = games
        .iter()
        .filter(|game| game.outcome == selfplay::Outcome::Draw && game.id >= 700)
        .map(|game| game.length().saturating_sub(9))
        .sum();
    assert_eq!(rows(&format!("{source} where drawn and game >= 700 and ply > 9 count")), [drawn.to_string()]);
    let deep = games.iter().flat_map(|game| &game.plies).filter(|ply| ply.depth > 20 && ply.explored).count();
    assert_eq!(rows(&format!("{source} where depth > 20 and explored count")), [deep.to_string()]);
    // Three queries and one pass: the same answers as alone.
    let script =
        ["drawn", "check", "score > 100"].map(|condition| format!("{source} where {condition} count"));
    let alone: Vec<String> = script.iter().map(|query| ask(query)).collect();
    assert_eq!(ask(&script.join(";")), alone.join("\n"));
}

#[test]
fn the_order_is_the_same_whatever_the_threads() {
    let directory = tempfile::tempdir().unwrap();
    let path = record(directory.path(), 3000);
    let query = format!(
        "games \"{0}\" where capture and check take 500 select game, ply, san, eval; \
         games \"{0}\" where searched order by score desc, depth take 300 select game, ply, score, depth; \
         games \"{0}\" group by ending, stm select count, mean(score), deviation(depth), first(fen), distinct(key); \
         random 30 plies times 600 where check perft 2 select fen, leaves",
        path.display()
    );
    let plans = compile(&query).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| execute(&plans, &Limits::default(), |_| {}).unwrap());
        plans.iter().zip(&found).map(|(plan, found)| render(plan, found, Format::Json)).collect::<Vec<_>>()
    };
    let one = run(1);
    assert!(one[0].lines().count() > 2000 && one[1].contains("score"));
    for threads in [2, 5] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}

#[test]
fn errors_show_the_place_and_the_way_out() {
    for (query, parts) in [
        (
            "games \"x\" where scroe > 5 count",
            &["unknown name `scroe`", "column 17", "did you mean `score`?"][..],
        ),
        ("gmaes \"x\" count", &["unknown source `gmaes`", "did you mean `games`?"]),
        ("games \"x\" wehre drawn count", &["unknown stage or output `wehre`", "did you mean `where`?"]),
        ("games \"x\" where ply count", &["a condition is needed here, and this is a number"]),
        ("games \"x\" where pieces(white, kinght) = e4", &["did you mean `knight`?"]),
        ("games \"x\" where pieces(white)", &["a set of squares", "any(SET)"]),
        ("games \"x\" where result = \"1-1\"", &["unknown value `1-1`", "did you mean"]),
        ("games \"x\" where phase = endgam", &["unknown name `endgam`"]),
        ("games \"x\" where value > 5", &["`value` is known only after a `search`"]),
        ("games \"x\" where leaves > 5", &["known only after a `perft`"]),
        ("games \"x\" where 1 < ply < 5", &["cannot be chained"]),
        ("games \"x\" where term(\"Mobilty\") > 5", &["did you mean `Mobility`?"]),
        ("games \"x\" where material(\"KRX\")", &["the pattern"]),
        ("games \"x\" group by stm select score", &["not the same for all rows of a group"]),
        ("games \"x\" group by stm where drawn", &["only `order by` and `take` can follow"]),
        ("games \"x\" where mean(score) > 5", &["works on many rows"]),
        ("games \"x\" walk 2 where next(check)", &["looks along a game"]),
        ("games \"x\" follow", &["needs a line to follow"]),
        ("games \"x\" prune with check", &["right after a `walk`"]),
        ("games \"x\" count as jsno", &["did you mean `json`?"]),
        ("games \"x\" select fen as epd", &["leave out `select`"]),
        ("position \"8/8/8/8 w - - 0 1\" count", &["line 1, column 11"]),
        ("games \"x\" walk 99 count", &["99 plies of a walk are more than the limit of 12"]),
        ("position start perft 50", &["limit of 9"]),
        ("games \"x\" take 99999999999 count", &["more than the limit"]),
        ("games x", &["file name in quotation marks"]),
        ("games \"x\" select \"open", &["no closing quotation mark"]),
    ] {
        let shown = refuse(query);
        for part in parts {
            assert!(shown.contains(part), "{query}: {part:?} is not in\n{shown}");
        }
    }
}

#[test]
fn hostile_queries_are_bounded() {
    let halted = |text: &str, limits: &Limits| {
        let found = execute(&compile(text).unwrap(), limits, |_| {}).unwrap();
        found[0].halt.as_ref().map(ToString::to_string).unwrap_or_default()
    };
    let limits = Limits::new(1000, 100_000);
    assert!(halted("position start walk 12 count", &limits).contains("more than 100000 positions"));
    assert!(halted("position start perft 9 select leaves", &Limits::new(1000, 100_000)).contains("--budget"));
    assert!(
        halted("position start walk 3 select fen", &Limits::new(1000, 100_000))
            .contains("more than 1000 rows")
    );
    assert!(halted("position start walk 3 group by fen", &Limits::new(1000, 100_000)).contains("--rows"));
    assert_eq!(halted("position start walk 3 take 5 select fen", &Limits::new(1000, 100_000)), "");
    for text in [
        "(".repeat(900),
        "not ".repeat(1500),
        "1+".repeat(950) + "1 > 0",
        "-".repeat(1500) + "1 > 0",
        "some a in e4: ".repeat(300) + "check",
        "check then ".repeat(600) + "check",
        "ever(".repeat(400),
    ] {
        let _ = compile(&format!("games \"x\" where {text} count"));
    }
    // What is deep but allowed runs as well.
    let deep = "1+".repeat(900) + "1 = 901";
    assert_eq!(rows(&format!("position start where {deep} count")), ["1"]);
}

#[test]
fn an_interrupted_query_gives_what_there_is() {
    let limits = Limits::default();
    let plans = compile("random 10 plies times 1000000 count").unwrap();
    let mut calls = 0;
    let found = execute(&plans, &limits, |_| {
        calls += 1;
        if calls == 3 {
            limits.stop();
        }
    });
    let found = found.unwrap().pop().unwrap();
    assert_eq!(found.halt.map(|halt| halt.to_string()).as_deref(), Some("interrupted"));
    assert!(found.positions > 0 && found.positions < 1_000_000);
    assert_eq!(found.rows[0][0].to_string(), found.positions.to_string());
}

#[test]
fn walks_and_perft_count_the_same_leaves() {
    let kiwipete = "position \"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\"";
    assert_eq!(rows(&format!("{kiwipete} perft 3 select leaves")), ["97862"]);
    assert_eq!(rows(&format!("{kiwipete} walk 3 count")), ["97862"]);
    assert_eq!(rows(&format!("{kiwipete} walk 2 perft 1 select sum(leaves)")), ["97862"]);
    // Of the 48 moves eight take something: the walk does not go on after them.
    let quiet = rows(&format!("{kiwipete} walk 1 prune with men < 32 count"));
    assert_eq!(quiet, ["40"]);
    assert_eq!(
        rows("position start walk 4 where checkmate select line"),
        rows("position start walk 4 where checkmate and stm = white select line")
    );
    assert_eq!(rows("position start walk 4 where checkmate count"), ["8"]);
}

#[test]
fn searches_find_mates_and_follow_lines() {
    let mate = "position \"6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1\"";
    assert_eq!(rows(&format!("{mate} search depth 4 select best, value_white > 31000")), ["Ra8#,yes"]);
    assert_eq!(
        rows(&format!("{mate} search depth 4 follow select checkmate, stm, line")),
        ["yes,black,Ra8#"]
    );
    let lines = rows("position start search depth 4 lines 5 select rank_of_line, value, best");
    assert_eq!(lines.len(), 5);
    let values: Vec<i32> =
        lines.iter().map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect();
    assert!(values.is_sorted_by(|a, b| a >= b), "{lines:?}");
    // Rows that were kept are searched, not all.
    let source = format!("positions \"{}\"", data("tiny.epd"));
    let kept = rows(&format!("{source} order by legal desc take 1 search depth 3 select legal, has(best)"));
    assert!(kept.len() == 1 && kept[0].ends_with(",yes"), "{kept:?}");
}

#[test]
fn games_in_every_form_give_the_same_positions() {
    let directory = tempfile::tempdir().unwrap();
    let path = record(directory.path(), 300);
    let pgn = directory.path().join("games.pgn");
    let exported = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args(["pgn", "--output"])
        .args([&pgn, &path])
        .status()
        .unwrap();
    assert!(exported.success());
    let again = directory.path().join("again.pgn");
    std::fs::write(&again, ask(&format!("games \"{}\" as pgn", path.display()))).unwrap();
    let epd = directory.path().join("positions.epd");
    std::fs::write(&epd, ask(&format!("games \"{}\" as epd", path.display()))).unwrap();
    let wanted = rows(&format!("games \"{}\" select fen", path.display()));
    for source in [&pgn, &again] {
        assert_eq!(
            rows(&format!("games \"{}\" select fen", source.display())),
            wanted,
            "{}",
            source.display()
        );
    }
    assert_eq!(rows(&format!("positions \"{}\" select fen", epd.display())), wanted);
    let scores = |path: &Path| {
        rows(&format!("games \"{}\" where searched and not decided select score, depth", path.display()))
    };
    assert_eq!(scores(&pgn), scores(&path));
}

#[test]
fn sequences_paths_and_motifs() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("games.pgn");
    let games = "[White \"A\"]\n[Black \"B\"]\n\n1. Nf3 d5 2. Nd4 e5 3. Nf5 h6 4. Ng7+ Bxg7 5. e4 dxe4 1-0\n\n\
                 [White \"C\"]\n[Black \"D\"]\n\n1. e4 e5 (1... c5 2. Nf3 (2. c3)) 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n";
    std::fs::write(&path, games).unwrap();
    let source = format!("games \"{}\"", path.display());
    let walked = "some n in pieces(white, knight): ranks(visited(n)) >= 5";
    assert_eq!(rows(&format!("{source} where {walked} once select game, ply")), ["1,7"]);
    assert_eq!(
        rows(&format!("{source} where moved = queen then checkmate within 1 select game, ply")),
        ["2,6"]
    );
    assert_eq!(rows(&format!("{source} where capture and next(capture) select game, ply")), ["1,6"]);
    assert_eq!(rows(&format!("{source} where ply = 0 and ever(checkmate) select white")), ["C"]);
    assert_eq!(
        rows(&format!("{source} where ply = 0 select times(capture), first_ply(check)")),
        ["3,7", "1,7"]
    );
    assert_eq!(rows(&format!("{source} where white = \"C\" and ply = 3 select san")), ["Nc6"]);
    assert_eq!(
        rows(&format!("{source} with variations where last select game, san, ply")),
        ["1,,10", "2,,7", "2,,3", "2,,3"]
    );
    assert_eq!(rows(&format!("game 2 at 3 black of \"{}\" select san", path.display())), ["Nf6"]);
    let fork = "position \"r3k3/2N5/8/8/8/8/8/4K3 b - - 0 1\"";
    assert_eq!(rows(&format!("{fork} select forks(white), any(forks(black)), hanging(black)")), ["c7,no,a8"]);
    assert_eq!(
        rows(&format!("{fork} select pieces_left, material(\"KNvKR\"), either(\"KRvKN\"), balance")),
        ["KNvKR,yes,yes,-2"]
    );
    assert_eq!(rows(&format!("{fork} select those x in occupied: any(attackers(white, x))")), ["a8 e8"]);
    assert_eq!(
        rows("position start select round(term(\"Material\")), term(piece_value, white) > 3000"),
        ["0,yes"]
    );
}

#[test]
fn the_command_answers_and_explains() {
    let pgn = data("style.pgn");
    let output = command(&["--json", &format!("games \"{pgn}\" group by result count")]);
    assert!(output.status.success(), "{output:?}");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        answer.as_array().is_some_and(|rows| !rows.is_empty() && rows[0]["count"].is_number()),
        "{answer}"
    );
    let output = command(&["--explain", "games \"x.tgr\" where check and game < 9 and drawn count"]);
    let plan = String::from_utf8(output.stdout).unwrap();
    let [label, result, board] =
        ["before a block", "before moves are", "on boards"].map(|part| plan.find(part));
    assert!(label < result && result < board && label.is_some(), "{plan}");
    let output = command(&["games \"no-such.tgr\" count"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no file no-such.tgr"));
    let output = command(&["--budget", "1000", "position start walk 9 count"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--budget"));
    let output = command(&["games \"no.tgr\" where scroe > 1"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean `score`?"));
    let output = command(&[&format!("games \"{pgn}\" histogram length by 20 as svg")]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("<svg"));
    let output = command(&["--words"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("visited(SET)"));
}

#[test]
fn damaged_files_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = record(directory.path(), 50);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let damaged = directory.path().join("damaged.tgr");
    std::fs::write(&damaged, bytes).unwrap();
    for query in ["count", "where drawn count", "where check count"] {
        let output = command(&[&format!("games \"{}\" {query}", damaged.display())]);
        let message = String::from_utf8_lossy(&output.stderr).to_string();
        assert!(!output.status.success() && message.contains("damaged.tgr"), "{message}");
    }
    let pgn = directory.path().join("bad.pgn");
    std::fs::write(&pgn, "[White \"a\"]\n\n1. e4 Ke3 *\n\n[White \"b\"]\n\n1. d4 *\n").unwrap();
    let output = command(&[&format!("games \"{}\" count", pgn.display())]);
    let message = String::from_utf8_lossy(&output.stderr).to_string();
    assert!(output.status.success() && message.contains("bad.pgn, line 1: passed over"), "{message}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "count\n    2");
}

/// Every recipe of the language's page runs, with games of our own in place of its files.
#[test]
fn the_recipes_run() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_selfplay")).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["generate", "--games", "40", "--nodes", "50", "--seed", "5", "--out", &path("night")]);
    let shard = std::fs::read_dir(path("night")).unwrap().flatten().next().unwrap();
    std::fs::rename(shard.path(), path("night.tgr")).unwrap();
    std::fs::copy(data("style.pgn"), path("games.pgn")).unwrap();
    std::fs::copy(data("tiny.epd"), path("suite.epd")).unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/10-query.md");
    let page = std::fs::read_to_string(page).unwrap();
    let recipes: Vec<&str> =
        page.split("```query\n").skip(1).filter_map(|part| part.split("```").next()).collect();
    assert!(recipes.len() >= 18, "{}", recipes.len());
    for recipe in recipes {
        let mut text = recipe.to_string();
        for name in ["night.tgr", "games.pgn", "suite.epd"] {
            text = text.replace(&format!("\"{name}\""), &format!("\"{}\"", path(name)));
        }
        let answer = ask(&text);
        assert!(!answer.is_empty() || recipe.contains("as "), "{recipe}");
        if recipe.contains("at 10 black") || recipe.contains("mean(eval_white)") || recipe.contains("perft") {
            assert!(answer.lines().count() >= 2, "{recipe}\n{answer}");
        }
    }
}

/// Every name of the language is explained once and used by no other.
#[test]
fn names_are_told_apart() {
    let mut names: Vec<&str> = selfplay::query::FIELDS.iter().map(|word| word.name).collect();
    names.extend(selfplay::query::FUNCTIONS.iter().map(|function| function.name));
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// Counts of perft that everybody agrees on, where the collections are there.
#[test]
fn perft_of_many_positions_is_the_known_one() {
    let shared = std::env::var("TABULA_SHARED").unwrap_or_else(|_| "../../shared".to_string());
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join(shared).join("data/perft/standard.epd");
    if !suite.exists() {
        println!("skipped: no {}", suite.display());
        return;
    }
    let query = format!("positions \"{}\" perft 3 select tag(\"D3\"), leaves", suite.display());
    let found = rows(&query);
    let known: Vec<&String> = found.iter().filter(|row| !row.starts_with(',')).collect();
    assert!(known.len() > 100, "{}", known.len());
    for row in known {
        let (wanted, counted) = row.split_once(',').unwrap();
        assert_eq!(wanted, counted);
    }
    println!("{} positions", found.len());
}

#[cfg(unix)]
#[test]
fn ctrl_c_prints_what_there_is() {
    use std::process::Stdio;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let child = Command::new(env!("CARGO_BIN_EXE_selfplay"))
        .args(["query", "--threads", "1", "random 40 plies times 100000000 count"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let counted: u64 =
        String::from_utf8_lossy(&output.stdout).split_whitespace().last().unwrap().parse().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("interrupted") && message.contains(&counted.to_string()), "{message}");
}
