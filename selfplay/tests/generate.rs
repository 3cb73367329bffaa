//! `selfplay generate`: the same bytes however it is run, interrupted or split, and clear words when it
//! cannot run.
#![cfg(unix)]

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use engine::types::Color;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use selfplay::play::Dice;
use tempfile::TempDir;

/// Games 977 to 1099: two blocks, of which the first is short.
const ACROSS_BLOCKS: &str = "--games 1100 --shard 9/9 --nodes 60 --opening-nodes 60 --hash 1 --seed 5 \
                             --max-plies 120 --adjudicate 0.5 --explore plies=4,temperature=50,lines=3";

fn selfplay(arguments: &str, out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selfplay"));
    command.args(arguments.split_whitespace()).arg("--out").arg(out);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn generate(arguments: &str, out: &Path) -> Output {
    selfplay(&format!("generate {arguments}"), out).output().unwrap()
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_selfplay")).args(arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The one record in a directory, where nothing else may be left.
fn only_record(out: &Path) -> PathBuf {
    let files: Vec<PathBuf> = fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(files[0].extension().unwrap(), "tgr");
    files[0].clone()
}

fn generated(arguments: &str) -> (TempDir, Vec<u8>) {
    let out = tempfile::tempdir().unwrap();
    let output = generate(arguments, out.path());
    assert!(output.status.success(), "{}", stderr(&output));
    let bytes = fs::read(only_record(out.path())).unwrap();
    (out, bytes)
}

#[test]
fn threads_and_shards_do_not_change_the_bytes() {
    let run_of = |more: &str| generated(&format!("--games 60 --nodes 60 --hash 1 --max-plies 100 {more}"));
    let (_one, one) = run_of("--threads 1");
    let (_two, two) = run_of("--threads 2");
    assert_eq!(one, two, "1 and 2 threads");
    let (_other, other) = run_of("--threads 2 --seed 2");
    assert_ne!(one, other, "another seed");

    let shards = tempfile::tempdir().unwrap();
    for shard in ["3/4", "1/4", "4/4", "2/4"] {
        let output = generate(
            &format!("--games 60 --nodes 60 --hash 1 --max-plies 100 --shard {shard}"),
            shards.path(),
        );
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let files: Vec<String> = fs::read_dir(shards.path())
        .unwrap()
        .map(|entry| entry.unwrap().path().display().to_string())
        .collect();
    let merged = shards.path().join("merged.tgr").display().to_string();
    let mut arguments: Vec<&str> = vec!["merge"];
    arguments.extend(files.iter().map(String::as_str));
    arguments.extend(["-o", &merged]);
    let output = run(&arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(fs::read(&merged).unwrap(), one, "4 shards merged and 1 shard");
    // A gap, and a file that is there already.
    let gap = run(&["merge", &files[0], &files[0], "-o", &format!("{merged}.2")]);
    assert!(!gap.status.success() && stderr(&gap).contains("begins with game"), "{}", stderr(&gap));
    let there = run(&["merge", &files[0], "-o", &merged]);
    assert!(!there.status.success() && stderr(&there).contains("exists already"));
}

/// The games of a record, one line of moves each.
fn lines_of(record: &Path) -> Vec<String> {
    let games = selfplay::record::games([record]).map(Result::unwrap);
    games.map(|game| format!("{:?} {:?}", game.opening, game.plies)).collect()
}

#[test]
fn from_the_initial_position_drawn_moves_make_games_differ() {
    let start =
        "--games 12 --nodes 60 --hash 1 --max-plies 60 --openings start --explore plies=8,temperature=60";
    let (out, one) = generated(start);
    let (_two, two) = generated(&format!("{start} --threads 2"));
    assert_eq!(one, two, "1 and 2 threads");
    let lines = lines_of(&only_record(out.path()));
    let different: HashSet<&String> = lines.iter().collect();
    assert!(different.len() >= 10, "{} different games of 12", different.len());
}

/// Two openings, the pupil White in one round and Black in the next.
#[test]
fn only_the_pupil_draws_moves_and_the_sides_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    let openings = folder.path().join("two.epd");
    fs::write(
        &openings,
        "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -\n\
         rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n",
    )
    .unwrap();
    let sparring = format!(
        "--games 8 --nodes 60 --vary-nodes 50 --sparring --judge plies=10,nodes=200 --hash 1 --max-plies 60 \
         --opening-nodes 0 --openings {} --explore plies=20,temperature=5000,lines=4",
        openings.display()
    );
    let (out, one) = generated(&sparring);
    let (_two, two) = generated(&format!("{sparring} --threads 2"));
    assert_eq!(one, two, "1 and 2 threads");
    for game in selfplay::record::games([&only_record(out.path())]).map(Result::unwrap) {
        let pupil = if game.id / 2 % 2 == 0 { Color::White } else { Color::Black };
        let mut mover = game.first_searched().side_to_move();
        let mut drawn = 0;
        for ply in &game.plies {
            assert!(!ply.explored || mover == pupil, "game {}", game.id);
            drawn += u32::from(ply.explored);
            mover = !mover;
        }
        assert!(drawn > 0, "game {}", game.id);
    }
}

/// Kills so many runs at random moments. `TABULA_KILLS` sets how many.
#[test]
fn kill_9_at_any_moment_loses_nothing() {
    let (_whole, expected) = generated(ACROSS_BLOCKS);
    let wanted: u32 = std::env::var("TABULA_KILLS").map_or(20, |text| text.parse().unwrap());
    let mut dice = Dice::for_game(11, 0);
    let mut killed = 0;
    let mut rounds = 0;
    while killed < wanted {
        rounds += 1;
        let out = tempfile::tempdir().unwrap();
        loop {
            let threads = 1 + dice.below(2);
            let mut child = selfplay(&format!("generate {ACROSS_BLOCKS} --threads {threads}"), out.path())
                .spawn()
                .unwrap();
            sleep(Duration::from_millis(30 + dice.below(400)));
            if killed < wanted && child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                child.wait().unwrap();
                killed += 1;
                continue;
            }
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", stderr(&output));
            break;
        }
        assert_eq!(fs::read(only_record(out.path())).unwrap(), expected, "after {killed} kills");
    }
    eprintln!("{killed} kills in {rounds} runs");
}

fn wait_for_part(child: &mut Child, out: &Path) {
    for _ in 0..600 {
        let going = fs::read_dir(out)
            .unwrap()
            .any(|entry| entry.unwrap().path().extension().is_some_and(|extension| extension == "journal"));
        if going {
            return;
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended before it began");
        sleep(Duration::from_millis(20));
    }
    panic!("nothing is written");
}

#[test]
fn ctrl_c_saves_what_is_whole_and_a_second_writer_is_refused() {
    let long = "--games 80 --nodes 300 --hash 1 --max-plies 60";
    let out = tempfile::tempdir().unwrap();
    let mut child = selfplay(&format!("generate {long}"), out.path()).spawn().unwrap();
    wait_for_part(&mut child, out.path());
    let second = generate(long, out.path());
    assert!(!second.status.success());
    assert!(stderr(&second).contains("being written by another process"), "{}", stderr(&second));

    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(stderr(&output).contains("the same command goes on"), "{}", stderr(&output));

    let other = generate(&format!("{long} --seed 9"), out.path());
    assert!(other.status.success(), "another run has files of its own: {}", stderr(&other));
    let output = generate(long, out.path());
    assert!(output.status.success(), "{}", stderr(&output));
    let again = generate(long, out.path());
    assert!(again.status.success() && stderr(&again).contains("nothing to do"), "{}", stderr(&again));
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 2);
}

#[test]
fn a_full_disk_is_said_and_the_work_goes_on_later() {
    let (_whole, expected) = generated(ACROSS_BLOCKS);
    let out = tempfile::tempdir().unwrap();
    // No file may grow beyond 4 kB: the writes fail as on a full disk.
    let script = format!(
        "trap '' XFSZ; ulimit -f 4; exec '{}' generate {ACROSS_BLOCKS} --out '{}'",
        env!("CARGO_BIN_EXE_selfplay"),
        out.path().display()
    );
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let message = stderr(&output);
    assert!(message.contains("cannot write") && message.contains("journal"), "{message}");
    let output = generate(ACROSS_BLOCKS, out.path());
    assert!(output.status.success() && stderr(&output).contains("going on"), "{}", stderr(&output));
    assert_eq!(fs::read(only_record(out.path())).unwrap(), expected);
}

#[test]
fn a_place_that_cannot_be_written_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let output = generate("--games 2", &file.join("below"));
    assert!(
        !output.status.success() && stderr(&output).contains("cannot make the directory"),
        "{}",
        stderr(&output)
    );
    let locked = directory.path().join("locked");
    fs::create_dir(&locked).unwrap();
    let mut permissions = fs::metadata(&locked).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&locked, permissions).unwrap();
    if fs::write(locked.join("probe"), "").is_ok() {
        eprintln!("skipped: a read-only directory, since this user may write everywhere");
        return;
    }
    let output = generate("--games 2 --nodes 50", &locked);
    assert!(!output.status.success() && stderr(&output).contains("cannot open"), "{}", stderr(&output));
}

#[test]
fn damage_in_the_part_file_is_cut_off_and_played_again() {
    let (_whole, expected) = generated(ACROSS_BLOCKS);
    for torn in ["part", "journal"] {
        let out = tempfile::tempdir().unwrap();
        let mut child = selfplay(&format!("generate {ACROSS_BLOCKS}"), out.path()).spawn().unwrap();
        wait_for_part(&mut child, out.path());
        sleep(Duration::from_millis(300));
        child.kill().unwrap();
        child.wait().unwrap();
        for entry in fs::read_dir(out.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == torn) {
                let mut bytes = fs::read(&path).unwrap();
                bytes.extend(b"TGRB and then something that is no block");
                fs::write(&path, bytes).unwrap();
            }
        }
        let output = generate(ACROSS_BLOCKS, out.path());
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(fs::read(only_record(out.path())).unwrap(), expected);
    }
}

#[test]
fn what_makes_no_sense_is_refused_at_once() {
    let out = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        ("--games 0", "0"),
        ("--games 10 --nodes 0", "0"),
        ("--games 10 --shard 5/4", "3/8"),
        ("--games 3 --shard 1/5", "more shards than games"),
        ("--games 10 --adjudicate 1.5", "between 0 and 1"),
        ("--games 10 --tb /nowhere", "--adjudicate 0.5"),
        ("--games 10 --adjudicate 0.5 --tb /nowhere", "no Syzygy tables"),
        ("--games 10 --openings start", "--explore plies=8"),
        ("--games 10 --book nowhere.bin", "nowhere.bin"),
        ("--games 10 --explore plies=0", "temperature=40"),
        ("--games 10 --judge plies=3", "plies=16,nodes=10000"),
        ("--games 10 --openings nowhere.epd", "nowhere.epd"),
        ("--games 10 --weights nowhere.toml", "nowhere.toml"),
        ("--games 10 --style nobody", "nobody"),
        ("--games 10 --threads 0", "0"),
    ] {
        let output = generate(arguments, out.path());
        assert!(!output.status.success(), "{arguments}");
        assert!(stderr(&output).contains(expected), "{arguments}: {}", stderr(&output));
    }
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
}

#[test]
fn the_commands_that_read_say_what_is_there() {
    let (out, bytes) = generated(
        "--games 30 --nodes 100 --hash 1 --openings dfrc --opening-plies 4 --adjudicate 0.5 --explore plies=8",
    );
    let path = only_record(out.path()).display().to_string();
    let text = |arguments: &[&str]| {
        let output = run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(text(&["verify", &path]).contains("whole: 1 blocks, 30 games"));
    let stats: serde_json::Value = serde_json::from_str(&text(&["stats", "--json", &path])).unwrap();
    assert_eq!(stats["games"], 30);
    assert_eq!(stats["bytes"], bytes.len());
    assert!(stats["explored"].as_u64().unwrap() > 10);
    assert!(text(&["stats", &path]).contains("different at ply 16"));
    let positions = stats["positions"].as_u64().unwrap() as usize;
    assert_eq!(text(&["epd", &path]).lines().count(), positions);
    assert!(text(&["epd", "--quiet", &path]).lines().count() < positions);
    assert_eq!(text(&["cat", &path]).lines().count(), 30);
    assert_eq!(text(&["cat", "--first", "7", &path]).lines().count(), 7);
    assert_eq!(text(&["pgn", &path]).matches("[Event ").count(), 30);
    assert!(text(&["show", "--game", "3", &path]).contains("White's score"));
    let viri = out.path().join("games.viri").display().to_string();
    text(&["viriformat", &path, "-o", &viri]);
    assert_eq!(fs::metadata(&viri).unwrap().len() as usize, 30 * 36 + 4 * positions);

    // And damage is told by words and by the exit code.
    let mut damaged = bytes;
    let middle = damaged.len() / 2;
    damaged[middle] ^= 4;
    fs::write(&path, damaged).unwrap();
    let output = run(&["verify", &path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("DAMAGED"));
    for command in ["stats", "pgn", "cat"] {
        assert_eq!(run(&[command, &path]).status.code(), Some(1), "{command}");
    }
}
