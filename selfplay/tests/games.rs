//! Any game through the whole chain: Nim, whose theory is known, on every position; tic-tac-toe of the docs; searches
//! against an exact solver; and clear words for everything that does not fit.
#![cfg(unix)]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use engine::types::Color;
use selfplay::games::nim::{Nim, NimState};
use selfplay::games::player_spec::load_knowledge;
use selfplay::games::search::{Knowledge, SearchKind, think, value_of};
use selfplay::games::tictactoe::TicTacToe;
use selfplay::games::{Game, full_name};
use selfplay::play::Dice;

fn run(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_selfplay")).args(arguments.split_whitespace()).output().unwrap()
}

fn succeeds(arguments: &str) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn fails(arguments: &str) -> String {
    let output = run(arguments);
    assert!(!output.status.success(), "{arguments} succeeded");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn records(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|ending| ending == "tgr")).collect()
}

/// The exact value of a position for the side to move: 1, 0 or -1. For games small enough to be searched to the end.
fn solve<G: Game>(game: &G, state: &G::State, known: &mut HashMap<u64, i32>) -> i32 {
    if let Some(outcome) = game.outcome(state) {
        return value_of(outcome, game.mover(state)).signum();
    }
    if let Some(&value) = known.get(&game.key(state)) {
        return value;
    }
    let mut actions = Vec::new();
    game.actions(state, &mut actions);
    let value_after = |action: &u16, known: &mut HashMap<u64, i32>| {
        let mut after = state.clone();
        game.apply(&mut after, *action);
        let value = solve(game, &after, known);
        if game.mover(&after) == game.mover(state) { value } else { -value }
    };
    let value = actions.iter().map(|action| value_after(action, known)).max().unwrap();
    known.insert(game.key(state), value);
    value
}

/// Every position with at least one counter.
fn positions(game: &Nim) -> Vec<NimState> {
    let mut all = vec![Vec::new()];
    for size in game.start().heaps {
        all = all
            .iter()
            .flat_map(|heaps: &Vec<u8>| (0..=size).map(|heap| [&heaps[..], &[heap]].concat()))
            .collect();
    }
    all.retain(|heaps| heaps.iter().any(|&heap| heap > 0));
    all.into_iter().map(|heaps| NimState { heaps, mover: Color::White }).collect()
}

const NIMS: [&str; 4] = ["3-4-5", "3-4-5-misere", "1-3-5-7", "1-3-5-7-misere"];

#[test]
fn theory_and_solver_agree_about_nim_and_alpha_beta_with_both() {
    for rules in NIMS {
        let game = Nim::with_rules(rules).unwrap();
        let mut known = HashMap::new();
        for state in positions(&game) {
            let value = solve(&game, &state, &mut known);
            assert_eq!(value > 0, game.is_won(&state.heaps), "{rules} {state:?}");
            let mut dice = Dice::for_game(1, 1);
            let thought =
                think(&game, &state, SearchKind::AlphaBeta, &Knowledge::default(), 1_000_000, &mut dice);
            assert_eq!(thought.value_stm.signum(), value, "{rules} {state:?} {thought:?}");
        }
    }
}

#[test]
fn both_searches_know_tic_tac_toe() {
    let mut known = HashMap::new();
    assert_eq!(solve(&TicTacToe, &TicTacToe.start(), &mut known), 0);
    let nothing = Knowledge::default();
    let (mut positions, mut right) = (0, 0);
    for number in 0..150 {
        let mut dice = Dice::for_game(4, number);
        let mut state = TicTacToe.start();
        for _ in 0..dice.below(7) {
            let action = TicTacToe.random_action(&state, &mut dice);
            TicTacToe.apply(&mut state, action);
            if TicTacToe.outcome(&state).is_some() {
                break;
            }
        }
        if TicTacToe.outcome(&state).is_some() {
            continue;
        }
        let value = solve(&TicTacToe, &state, &mut known);
        let exact = think(&TicTacToe, &state, SearchKind::AlphaBeta, &nothing, 1_000_000, &mut dice);
        assert_eq!(exact.value_stm.signum(), value, "{state:?}");
        let sampled = think(&TicTacToe, &state, SearchKind::Mcts, &nothing, 8000, &mut dice);
        let mut after = state.clone();
        TicTacToe.apply(&mut after, sampled.action);
        positions += 1;
        right += u32::from(-solve(&TicTacToe, &after, &mut known) == value);
        let again =
            think(&TicTacToe, &state, SearchKind::Mcts, &nothing, 300, &mut Dice::for_game(5, number));
        let same = think(&TicTacToe, &state, SearchKind::Mcts, &nothing, 300, &mut Dice::for_game(5, number));
        assert_eq!(again, same, "the same dice, another thought");
    }
    println!("mcts: {right} of {positions} moves keep the value of the position");
    // It samples: now and then a trap is seen too late.
    assert!(right * 100 >= positions * 95, "{right} of {positions}");
}

/// How many positions a player calls right: the sign of its value, and a move that keeps the win.
fn called_right(game: &Nim, knowledge: &Knowledge, nodes: u64) -> (usize, usize) {
    let all = positions(game);
    let is_right = |state: &&NimState| {
        let thought = think(game, state, SearchKind::AlphaBeta, knowledge, nodes, &mut Dice::for_game(6, 0));
        let mut after = NimState::clone(state);
        game.apply(&mut after, thought.action);
        match game.is_won(&state.heaps) {
            true => thought.value_stm > 0 && !game.is_won(&after.heaps),
            false => thought.value_stm < 0,
        }
    };
    (all.iter().filter(is_right).count(), all.len())
}

/// Generate, learn, play, round after round, each by the command line. One node: the search sees no further than the
/// position after its own move, and what it knows of that is what was learned.
#[test]
fn nim_is_perfect_after_learning() {
    for rules in NIMS {
        let game = Nim::with_rules(rules).unwrap();
        let name = full_name(&game);
        let (untaught, all) = called_right(&game, &Knowledge::default(), 1);
        assert!(untaught * 2 < all, "{name}: {untaught} of {all} are right without learning anything");
        let folder = tempfile::tempdir().unwrap();
        let mut book: Option<PathBuf> = None;
        let mut called = 0;
        for round in 1..=30 {
            let games = folder.path().join(format!("round-{round}"));
            let asks = book.as_ref().map_or(String::new(), |book| format!("--book {}", book.display()));
            succeeds(&format!(
                "generate --game {name} --games 10000 --nodes 1 --opening-plies 6 --explore 0.05 --seed {round} {asks} \
                 --threads 2 --out {}",
                games.display()
            ));
            // Each book is learned from the last games alone: their values are those of the book before, one ply on.
            let next = folder.path().join(format!("{round}.exp"));
            succeeds(&format!(
                "learn --game {name} --games {} --book {} --alpha 0.2",
                games.display(),
                next.display()
            ));
            let knowledge = load_knowledge(&game, None, Some(&next)).unwrap();
            book = Some(next);
            (called, _) = called_right(&game, &knowledge, 1);
            println!("{name}, round {round}: {called} of {all} positions right");
            if called == all {
                break;
            }
        }
        assert_eq!(called, all, "{name}");
    }
}

#[test]
fn tic_tac_toe_is_drawn_after_learning() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().display();
    let mut asks = String::new();
    for round in 1..=2 {
        succeeds(&format!(
            "generate --game tictactoe --games 6000 --nodes 100 --opening-plies 6 --explore 0.05 --seed {round} {asks} \
             --threads 2 --out {place}/{round}"
        ));
        succeeds(&format!("learn --game tictactoe --games {place}/{round} --book {place}/all.exp"));
        asks = format!("--book {place}/all.exp");
    }
    let player = format!("self:book={place}/all.exp");
    let report = succeeds(&format!(
        "match --game tictactoe --engine {player},name=a --engine {player},name=b --nodes 100 --games 100 \
         --opening-plies 0 --json"
    ));
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["results"]["draws"], 100, "{report}");
    // Nor does it lose to perfect play, and without what it has learned it does.
    let against_perfect = |player: &str| {
        let report = succeeds(&format!(
            "match --game tictactoe --engine {player} --engine self:nodes=100000,name=perfect --nodes 100 --games 40 \
             --opening-plies 0 --json"
        ));
        serde_json::from_str::<serde_json::Value>(&report).unwrap()["results"]["losses"].as_u64().unwrap()
    };
    assert_eq!(against_perfect(&player), 0);
    assert!(against_perfect("self") > 0);
}

#[test]
fn threads_shards_and_kills_do_not_change_the_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let generate = |name: &str, more: &str| {
        format!(
            "generate --game nim:3-4-5 --games 1200 --nodes 40 --explore 0.2 {more} --out {}",
            place(name).display()
        )
    };
    succeeds(&generate("one", ""));
    succeeds(&generate("two", "--threads 2"));
    let bytes = |name: &str| fs::read(&records(&place(name))[0]).unwrap();
    let expected = bytes("one");
    assert_eq!(expected, bytes("two"));
    let mut kills = 0;
    for trial in 0..30u64 {
        let name = format!("killed-{}", trial / 6);
        let command = generate(&name, "--threads 2");
        let mut child = Command::new(env!("CARGO_BIN_EXE_selfplay"))
            .args(command.split_whitespace())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(5 + trial * 7 % 60));
        kills += u32::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        child.wait().unwrap();
        if trial % 6 == 5 {
            succeeds(&command);
            assert_eq!(bytes(&name), expected, "after {kills} kills");
        }
    }
    assert!(kills > 0, "every run ended before it was killed");
    let record = records(&place("one"))[0].display().to_string();
    assert!(succeeds(&format!("verify {record}")).contains("1200 games"));
    assert!(succeeds(&format!("verify --game nim:3-4-5 {record}")).contains("whole"));
    assert!(succeeds(&format!("show {record} --game 7")).contains("game 7, ply 0"));
    assert!(succeeds(&format!("show {record} --game nim:3-4-5 --id 7")).contains("1: ooo"));
    let header = selfplay::record::Reader::open_any(&record).unwrap().header().clone();
    assert_eq!((header.version, header.game()), (2, "nim:3-4-5".to_string()));
    assert!(header.settings.starts_with("game=nim\nrules=3-4-5\n"), "{}", header.settings);
}

/// A record, a book and weights of one game are refused by every other, with the name of the game they are of.
#[test]
fn files_of_another_game_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().display();
    succeeds(&format!("generate --game nim:3-4-5 --games 20 --nodes 10 --out {place}/nim"));
    let record = records(&folder.path().join("nim"))[0].display().to_string();
    succeeds(&format!("learn --game nim:3-4-5 --games {record} --book {place}/nim.exp"));
    let chess = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/random-v1.tgr");
    let chess = chess.display();
    fs::write(folder.path().join("w.toml"), "game = \"nim:3-4-5\"\n").unwrap();
    for (command, words) in [
        (format!("verify --game tictactoe {record}"), None),
        (format!("stats {record}"), Some("games of nim:3-4-5, not of chess")),
        (format!("pgn {record}"), Some("games of nim:3-4-5, not of chess")),
        (format!("learn --games {record} --book {place}/new.exp"), Some("games of nim:3-4-5, not of chess")),
        (
            format!("learn --game nim:1-3-5-7 --games {record} --book {place}/new.exp"),
            Some("games of nim:3-4-5, not of nim:1-3-5-7"),
        ),
        (
            format!("learn --game nim:3-4-5 --games {chess} --book {place}/new.exp"),
            Some("games of chess, not of nim:3-4-5"),
        ),
        (
            format!("learn --games {chess} --book {place}/nim.exp"),
            Some("a book of the game nim, not of chess"),
        ),
        (format!("book info {place}/nim.exp"), Some("a book of the game nim, not of chess")),
        (
            format!("generate --games 2 --book {place}/nim.exp --out {place}/x"),
            Some("a book of the game nim"),
        ),
        (
            format!("generate --game tictactoe --games 2 --book {place}/nim.exp --out {place}/x"),
            Some("a book of the game nim"),
        ),
        (
            format!(
                "match --game dominions --engine self:weights={place}/w.toml --engine self:name=b --games 2"
            ),
            Some("weights of nim:3-4-5, not of dominions"),
        ),
        (
            format!("match --game nim --engine self:weights={place}/w.toml --engine self:name=b --games 2"),
            Some("nim has no features"),
        ),
    ] {
        let output = run(&command);
        assert!(!output.status.success(), "{command} succeeded");
        let text =
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(words.unwrap_or("games of nim:3-4-5, not of tictactoe")), "{command}: {text}");
        assert!(!text.contains("panicked"), "{command}: {text}");
    }
}

#[test]
fn what_cannot_be_is_said() {
    for (command, words) in [
        ("generate --game go --games 2 --out x", "there is no game 'go'"),
        ("generate --game nim:0 --games 2 --out x", "are no heaps"),
        ("generate --game nim:3-99 --games 2 --out x", "are no heaps"),
        ("generate --game nim:03-4 --games 2 --out x", "are no heaps"),
        ("generate --game nim:1-1-1-1-1-1-1-1-1 --games 2 --out x", "are no heaps"),
        ("generate --game tictactoe:4 --games 2 --out x", "no rules to choose"),
        ("generate --game dominions:big --games 2 --out x", "no rules 'big'"),
        ("generate --game nim --games 0 --out x", "0 is not in"),
        ("generate --game nim --games 2 --explore 2 --out x", "not a number from 0 to 1"),
        ("generate --game nim --games 2 --tb x --out x", "unexpected argument '--tb'"),
        ("generate --game nim --games 2 --search deep --out x", "is no search"),
        ("match --game nim --engine self --games 2", "give --engine twice"),
        ("match --game nim --engine self --engine self --games 3", "must be even"),
        ("match --game nim --engine cmd=x --engine self --games 2", "begin with self"),
        ("play --game nim --from 9x1", "'9x1' cannot be played here"),
        ("play --game dominions --from W[P63i9];B[P63i9]", "action 2: 'B[P63i9]': the cell is occupied"),
        ("fit --game nim --games x -o y", "has no features"),
        ("fit -o y --games x", "--game"),
        ("game-night --game nim --out /dev/null/x", "/dev/null/x"),
    ] {
        let message = fails(command);
        assert!(message.contains(words) && !message.contains("panicked"), "{command}: {message}");
    }
}

/// The second searcher of chess, against the engine's own in one match.
#[test]
fn tree_search_plays_chess() {
    let report = succeeds(
        "match --engine self:search=mcts --engine self:depth=1 --nodes 200 --games 4 --max-moves 30 --json",
    );
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["games"], 4);
    assert_eq!(report["engines"][0]["name"], "tabula-mcts");
    assert_eq!(report["engines"][0]["failures"]["illegal_moves"], 0);
    let message = fails("match --engine self:search=mcts --engine self --depth 3 --games 2");
    assert!(message.contains("limited by nodes alone"), "{message}");
}

/// A person in the terminal: moves, undo, views, the end.
#[test]
fn a_game_is_played_in_the_terminal() {
    use std::io::Write;
    use std::process::Stdio;
    let talk = |arguments: &str, lines: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_selfplay"))
            .args(arguments.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let text = talk("play --game nim:1-2", "moves\n1x9\n2x1\ngame\nundo\nquit\n");
    assert!(
        text.contains("3 actions: 1x1 2x1 2x2") && text.contains("'1x9' cannot be played here"),
        "{text}"
    );
    // White takes one of two and leaves 1-1; whatever Black takes, one is left.
    assert!(text.contains("2x1;"), "{text}");
    let text = talk(
        "play --game dominions --side both",
        "P63i9\nview groups\nview hands\nP63i9\nundo\nundo\npass\npass\n",
    );
    assert!(text.contains("W077") && text.contains("W1") && text.contains("the cell is occupied"), "{text}");
    assert!(
        text.contains("there is nothing to take back") && text.contains("The game is over: 1/2-1/2"),
        "{text}"
    );
}

/// A night that is killed again and again ends as one that was left alone.
#[test]
fn a_night_goes_on_after_every_kill() {
    let folder = tempfile::tempdir().unwrap();
    let night = |name: &str| {
        format!(
            "game-night --game nim:3-4-5 --out {} --rounds 2 --games 300 --nodes 20 --gate-games 40 --explore 0.2",
            folder.path().join(name).display()
        )
    };
    let champion = succeeds(&night("whole"));
    let files =
        ["night.json", "round-1/book.exp", "round-1/gate.json", "round-2/book.exp", "round-2/gate.json"];
    let bytes = |name: &str| files.map(|file| fs::read(folder.path().join(name).join(file)).unwrap());
    let mut kills = 0;
    for trial in 0..12 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_selfplay"))
            .args(night("killed").split_whitespace())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(10 + trial * 13 % 90));
        kills += u32::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        child.wait().unwrap();
    }
    println!("{kills} kills");
    let again = succeeds(&night("killed"));
    assert_eq!(bytes("killed"), bytes("whole"), "after {kills} kills");
    assert_eq!(again.lines().next(), champion.lines().next());
    assert!(fails(&(night("whole") + " --seed 5")).contains("a night with other settings"));
}

/// The page that shows how to add a game shows the file that is compiled here, and that is short.
#[test]
fn the_docs_show_tic_tac_toe_as_it_is() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = fs::read_to_string(home.join("src/games/tictactoe.rs")).unwrap();
    let page = fs::read_to_string(home.join("../docs/11-games.md")).unwrap();
    assert!(file.lines().count() < 150);
    assert!(
        page.contains(&format!("```rust\n{file}```\n")),
        "docs/11-games.md does not show src/games/tictactoe.rs"
    );
}
