//! Figures of style: known games, the sample of the aggressiveness score, and texts that are hard to read.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use selfplay::record::export::pgn;
use selfplay::record::{Reader, games};
use selfplay::style::{StyleReport, read_games, read_record};

const SAMPLE: &str = include_str!("data/style.pgn");

/// A folder of data that is not part of the repository. `None`, with a line that says so, when it is not
/// there.
fn shared_data(folder: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("TABULA_SHARED") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
    };
    let path = root.join("data").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    println!("skipped: no {} (set TABULA_SHARED to the folder that holds data/{folder})", path.display());
    None
}

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is '{text}'; expected a number")),
        Err(_) => default,
    }
}

#[test]
fn famous_games_are_told_by_their_figures() {
    let read = read_games(SAMPLE);
    assert_eq!((read.games.len(), read.unfinished, read.refused.len()), (5, 1, 0));
    let report = StyleReport::of(&read.games);
    assert_eq!(report.duplicates, 1);
    // 33 and 45 half-moves: 39 on average, 19 moves; the flag does not count.
    assert_eq!(report.yardstick.moves_of_all, 19);
    let player = |name: &str| report.players.iter().find(|player| player.name == name).unwrap();
    // Both rooks and a bishop were away for seven half-moves before the queen went too.
    let anderssen = player("Anderssen");
    assert_eq!(anderssen.sacrifices, [0, 0, 0, 0, 1]);
    assert_eq!((anderssen.short_wins, anderssen.bad_draws), (1, 1));
    let morphy = player("Morphy");
    assert_eq!(morphy.sacrifices, [1, 0, 0, 0, 0]);
    assert_eq!((morphy.results.wins, morphy.results.draws, morphy.bad_draws), (1, 1, 1));
    assert!(morphy.attacking > 0.2 && morphy.attacking > player("Allies").attacking);
    // A win on time is a result and nothing else.
    let allies = player("Allies");
    assert_eq!((allies.results.wins, allies.accidents, allies.short_wins), (1, 1, 0));
    // The score asks for a balance that lasts: in these combinations it changes with every capture.
    assert_eq!(anderssen.aggressiveness.sacrifices + morphy.aggressiveness.sacrifices, 0);
    assert!(morphy.aggressiveness.score > anderssen.aggressiveness.score, "17 moves are fewer than 23");
}

#[test]
fn the_sample_of_the_aggressiveness_score_comes_out_as_expected() {
    let Some(folder) = shared_data("eas/golden_sample") else { return };
    let read = read_games(&std::fs::read_to_string(folder.join("sample.pgn")).unwrap());
    assert_eq!((read.games.len(), read.refused.len()), (3, 0));
    let report = StyleReport::of(&read.games);
    let expected = std::fs::read_to_string(folder.join("expected.txt")).unwrap();
    let lines: Vec<&str> = expected.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), report.players.len());
    for (line, player) in lines.iter().zip(&report.players) {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let number = |column: usize| columns[column].parse::<i64>().unwrap();
        assert_eq!(columns[7], player.name);
        let ours = &player.aggressiveness;
        let found =
            [ours.score, ours.sacrifices, ours.early, ours.short_wins, ours.draws, ours.moves_of_wins];
        assert_eq!(found, [1, 2, 3, 4, 5, 6].map(number), "{}", player.name);
    }
    assert_eq!((report.yardstick.moves_of_all, report.yardstick.short_win), (15, 30));
}

#[test]
fn awkward_files_are_read_without_a_fault() {
    let Some(folder) = shared_data("pgn/pgn-extract-tests") else { return };
    let (mut files, mut games, mut refused) = (0, 0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let read = read_games(&text);
        for (line, reason) in &read.refused {
            println!("{}, line {line}: {reason}", path.display());
        }
        let _ = StyleReport::of(&read.games);
        files += 1;
        games += read.games.len() + read.unfinished;
        refused += read.refused.len();
    }
    println!("{files} files, {games} games, {refused} refused");
    assert!(files > 50 && games > 10 * refused, "{files} files, {games} games, {refused} refused");
}

/// Texts that are nearly PGN, for a second (`TABULA_FUZZ_SECONDS`).
#[test]
fn damaged_texts_are_read_without_a_fault() {
    let seed = setting("TABULA_SEED", 1);
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let end = Instant::now() + Duration::from_secs(setting("TABULA_FUZZ_SECONDS", 1));
    let pieces = [
        "[", "]", "\"", "{", "}", "(", ")", ";", "\n[", "\n%", "1-0", "*", "O-O", "e8=Q+", "--", "$1", "\\",
        "…",
    ];
    let (mut texts, mut games, mut refused) = (0u64, 0, 0);
    while Instant::now() < end {
        let mut letters: Vec<char> = SAMPLE.chars().collect();
        for _ in 0..random.random_range(1..12) {
            let at = random.random_range(0..letters.len().max(1));
            match random.random_range(0..4) {
                _ if letters.is_empty() => letters.push(char::from(b'{')),
                0 => drop(letters.remove(at)),
                1 => letters[at] = char::from_u32(random.random_range(0..0x2fff)).unwrap_or('?'),
                2 => letters.truncate(at.max(1)),
                _ => drop(letters.splice(at..at, pieces[random.random_range(0..pieces.len())].chars())),
            }
        }
        let text: String = letters.into_iter().collect();
        match catch_unwind(AssertUnwindSafe(|| {
            let read = read_games(&text);
            let _ = StyleReport::of(&read.games);
            (read.games.len(), read.refused.len())
        })) {
            Ok((read, wrong)) => {
                games += read;
                refused += wrong;
            }
            Err(_) => panic!("text {texts} of TABULA_SEED={seed}: {text:?}"),
        }
        texts += 1;
    }
    println!("{texts} texts: {games} games, {refused} refused, no fault");
    assert!(games > 10 && refused > 10, "{games} games, {refused} refused: too one-sided");
}

#[test]
fn the_command_writes_tables_json_and_games() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/style.pgn");
    let per_game = std::env::temp_dir().join(format!("tabula-style-{}.jsonl", std::process::id()));
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selfplay"));
        command.arg("style").arg(&sample).args(arguments).arg("--per-game").arg(&per_game);
        command.output().expect("selfplay runs")
    };
    let table = run(&[]);
    let text = String::from_utf8_lossy(&table.stdout).into_owned();
    assert!(
        table.status.success() && text.contains("Kieseritzky") && text.contains("5 games, 1 unfinished"),
        "{text}"
    );
    let lines = std::fs::read_to_string(&per_game).unwrap();
    assert_eq!(lines.lines().count(), 10);
    let json: serde_json::Value =
        serde_json::from_slice(&run(&["--player", "Morphy", "--json"]).stdout).unwrap();
    assert_eq!(json["style"]["players"].as_array().map(Vec::len), Some(1));
    assert_eq!(json["counts"]["games"], 5);
    let nobody = run(&["--player", "Nobody"]);
    assert_eq!(nobody.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&nobody.stderr).contains("nobody has this name"));
    std::fs::remove_file(&per_game).unwrap();
}

/// A record must say the same of its games as the PGN that is exported from it.
#[test]
fn records_are_read_like_their_pgn() {
    for name in ["random-v1.tgr", "dfrc-v1.tgr"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
        let header = Reader::open(&path).unwrap().header().clone();
        let text: String = games([&path]).map(|game| pgn(&header, &game.unwrap())).collect();
        let from_pgn = read_games(&text);
        let from_record = read_record(&path).unwrap();
        assert!(from_pgn.refused.is_empty() && !from_record.is_empty());
        assert_eq!(format!("{:?}", from_pgn.games), format!("{from_record:?}"), "{name}");
        assert_eq!(from_record[0].names, ["Tabula", "Tabula"]);
    }
}
