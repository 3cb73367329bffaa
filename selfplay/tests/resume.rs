//! `kill -9` in the middle of a match: the same command goes on, and the result is that of a match that was
//! never disturbed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use selfplay::pgn::{PgnGame, split_games};

const GAMES: usize = 60;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tabula-resume-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a place to write");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Three engines in process: nodes decide, so that every run plays the same games.
fn match_command(pgn: &Path, seed: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selfplay"));
    command.args(["match", "--engine", "self:hash=1,name=a", "--engine", "self:hash=1,nodes=150,name=b"]);
    command.args(["--engine", "self:hash=1,style=Tal,name=c", "--games", &(GAMES / 2).to_string()]);
    command.args(["--nodes", "250", "--max-moves", "60", "--concurrency", "2", "--seed", seed, "--json"]);
    command.arg("--pgn").arg(pgn);
    command
}

fn start(pgn: &Path) -> Child {
    match_command(pgn, "1").stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("selfplay runs")
}

fn finish(pgn: &Path) -> Output {
    match_command(pgn, "1").output().expect("selfplay runs")
}

/// The moves of every game, by round, White and Black.
fn games(pgn: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(pgn).expect("the games");
    let mut games = BTreeMap::new();
    for (line, text) in split_games(&text) {
        let game = PgnGame::parse(text).unwrap_or_else(|error| panic!("line {line}: {error}"));
        assert!(game.outcome.is_some(), "line {line}: half a game");
        let tag = |name: &str| game.tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let key = ["Round", "White", "Black"].map(|name| tag(name).unwrap_or("?")).join(" ");
        let moves = format!("{:?} {:?}", game.moves, game.outcome);
        assert!(games.insert(key.clone(), moves).is_none(), "{key} was played twice");
    }
    games
}

fn journal_lines(pgn: &Path) -> usize {
    std::fs::read_to_string(pgn.with_extension("pgn.journal")).map_or(0, |text| text.lines().count())
}

/// Without what depends on the clock.
fn results(output: &Output) -> serde_json::Value {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let mut json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    json.as_object_mut().expect("an object").remove("seconds");
    json
}

#[test]
fn a_match_killed_again_and_again_ends_as_if_undisturbed() {
    let folder = Folder::new("killed");
    let (whole, killed) = (folder.0.join("whole.pgn"), folder.0.join("killed.pgn"));
    let undisturbed = results(&finish(&whole));
    assert_eq!(undisturbed["games"], GAMES);

    let mut random = Pcg64Mcg::seed_from_u64(5);
    let (mut kills, mut lines) = (0, 0);
    while kills < 12 && lines < GAMES {
        let mut child = start(&killed);
        // At least one more game each time, so that it gets to its end; then at any moment.
        let deadline = Instant::now() + Duration::from_secs(60);
        while journal_lines(&killed) <= lines.max(2) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_micros(random.random_range(0..60_000)));
        child.kill().expect("it can be killed");
        child.wait().expect("it can be waited for");
        lines = journal_lines(&killed);
        kills += 1;
    }
    assert!(kills >= 3, "the match was over after {kills} kills: nothing was tested");
    let output = finish(&killed);
    assert!(String::from_utf8_lossy(&output.stderr).contains("going on after"));
    assert_eq!(results(&output), undisturbed);
    assert_eq!(games(&killed), games(&whole));
    assert_eq!(games(&killed).len(), GAMES);

    // Finished: the command says the result again and plays nothing.
    let size = std::fs::metadata(&killed).expect("the games").len();
    let again = finish(&killed);
    assert!(String::from_utf8_lossy(&again.stderr).contains("already"), "{again:?}");
    assert_eq!(results(&again), undisturbed);
    assert_eq!(std::fs::metadata(&killed).expect("the games").len(), size);
}

#[test]
fn a_changed_command_is_refused_with_what_changed() {
    let folder = Folder::new("changed");
    let pgn = folder.0.join("games.pgn");
    let mut child = start(&pgn);
    let deadline = Instant::now() + Duration::from_secs(60);
    while journal_lines(&pgn) < 4 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    let meanwhile = finish(&pgn);
    assert!(String::from_utf8_lossy(&meanwhile.stderr).contains("in use"), "{meanwhile:?}");
    child.kill().expect("it can be killed");
    child.wait().expect("it can be waited for");
    let before = std::fs::read(&pgn).expect("the games");
    let refused = match_command(&pgn, "2").output().expect("selfplay runs");
    let stderr = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("--seed was '1' and is now '2'"), "{stderr}");
    assert_eq!(std::fs::read(&pgn).expect("the games"), before, "nothing was touched");
}
