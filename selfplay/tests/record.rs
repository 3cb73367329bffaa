//! The game record: what is written is read, older files stay readable, and no damage goes unnoticed.

mod common;

use std::path::Path;

use common::{header, random_game};
use selfplay::play::Dice;
use selfplay::record::export::{epd_lines, json_line, pgn, viriformat};
use selfplay::record::{GameRecord, Header, Reader, RecordError, games, map_blocks, verify, write_record};

fn write(directory: &Path, name: &str, header: &Header, games: &[GameRecord]) -> Vec<u8> {
    let path = directory.join(name);
    write_record(&path, header, games.iter().cloned().map(Ok)).unwrap();
    std::fs::read(path).unwrap()
}

fn open(bytes: Vec<u8>) -> Result<Reader, RecordError> {
    Reader::from_bytes(Path::new("test.tgr"), bytes)
}

#[test]
fn random_games_come_back_as_they_were() {
    let directory = tempfile::tempdir().unwrap();
    for (seed, range) in
        [(1, 0..1), (2, 5..6), (3, 0..300), (4, 990..1010), (5, 1_000_000_000_000..1_000_000_000_040)]
    {
        let written: Vec<GameRecord> = range.clone().map(|id| random_game(seed, id, 120)).collect();
        let name = format!("{seed}.tgr");
        write(directory.path(), &name, &header(range.clone()), &written);
        let read: Result<Vec<GameRecord>, RecordError> = games([directory.path().join(&name)]).collect();
        assert_eq!(read.unwrap(), written, "seed {seed}");
    }
}

#[test]
fn many_files_are_read_in_order_on_any_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    let mut expected = Vec::new();
    for (seed, range) in [(3, 980..1020), (1, 0..10), (2, 1990..2010)] {
        let written: Vec<GameRecord> = range.clone().map(|id| random_game(seed, id, 30)).collect();
        expected.extend(written.iter().map(|game| (seed, game.id, game.plies.len())));
        let header = Header { seed, ..header(range) };
        write(directory.path(), &format!("{seed}.tgr"), &header, &written);
        paths.push(directory.path().join(format!("{seed}.tgr")));
    }
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut seen = Vec::new();
        pool.install(|| {
            map_blocks(
                &paths,
                |header, games| {
                    games.iter().map(|game| (header.seed, game.id, game.plies.len())).collect::<Vec<_>>()
                },
                |block| {
                    seen.extend(block);
                    std::ops::ControlFlow::Continue(())
                },
            )
        })
        .unwrap();
        assert_eq!(seen, expected, "{threads} threads");
    }
}

/// Files of every version, and what is in them. A version stays readable for ever, and while it is the
/// newest one its games are written as the same bytes.
#[test]
fn golden_files() {
    for name in ["random-v1", "dfrc-v1"] {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        let path = place.join(format!("{name}.tgr"));
        let reader = Reader::open(&path).unwrap();
        assert!(verify(&reader).faults.is_empty(), "{name}");
        let header = reader.header().clone();
        let read: Vec<GameRecord> = reader.into_games().collect::<Result<_, _>>().unwrap();
        let lines: String = read.iter().map(|game| json_line(game) + "\n").collect();
        let expected = std::fs::read_to_string(place.join(format!("{name}.jsonl"))).unwrap();
        assert_eq!(lines, expected, "{name}");
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(
            write(directory.path(), "again.tgr", &header, &read),
            std::fs::read(&path).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn a_flipped_bit_or_a_cut_is_noticed_and_costs_one_block_at_most() {
    let directory = tempfile::tempdir().unwrap();
    let written: Vec<GameRecord> = (998..2002).map(|id| random_game(9, id, 6)).collect();
    let whole = write(directory.path(), "whole.tgr", &header(998..2002), &written);
    assert!(reads(&whole).is_ok_and(|(blocks, damaged)| blocks == [2, 1000, 2] && !damaged));

    let trials = std::env::var("TABULA_FLIPS").map_or(10_000, |text| text.parse().unwrap());
    let mut dice = Dice::for_game(1, 1);
    for _ in 0..trials {
        let mut bytes = whole.clone();
        let bit = dice.below(8 * bytes.len() as u64) as usize;
        bytes[bit / 8] ^= 1 << (bit % 8);
        match reads(&bytes) {
            // Without its header a file has no meaning.
            Err(_) => assert!(bit / 8 < 200, "bit {bit}"),
            Ok((blocks, damaged)) => {
                assert!(damaged, "bit {bit} was flipped and nobody noticed");
                assert!(blocks.len() >= 2, "bit {bit} cost more than a block: {blocks:?}");
            }
        }
    }
    for _ in 0..trials / 10 {
        let length = dice.below(whole.len() as u64) as usize;
        match reads(&whole[..length]) {
            Err(_) => assert!(length < 200, "cut to {length}"),
            Ok((blocks, damaged)) => {
                assert!(damaged, "cut to {length} and nobody noticed");
                assert!([&[][..], &[2], &[2, 1000], &[2, 1000, 2]].contains(&&blocks[..]));
            }
        }
    }
    let longer = [&whole[..], &[0]].concat();
    assert!(reads(&longer).is_ok_and(|(blocks, damaged)| blocks.len() == 3 && damaged));
}

/// How many games each block has that can be read, and whether anything is wrong.
fn reads(bytes: &[u8]) -> Result<(Vec<usize>, bool), RecordError> {
    let reader = open(bytes.to_vec())?;
    let decoded: Vec<_> = (0..reader.blocks().len()).map(|number| reader.decode(number)).collect();
    let damaged = !reader.damage().is_empty() || decoded.iter().any(Result::is_err);
    Ok((decoded.into_iter().flatten().map(|games| games.len()).collect(), damaged))
}

#[test]
fn what_is_no_record_is_refused() {
    let good = header(0..3).encode();
    for (bytes, expected) in [
        (&b""[..], "not a game record"),
        (b"[Event \"a PGN\"]", "not a game record"),
        (&good[..20], "ends within"),
        (&[&good[..8], &[9, 0], &good[10..]].concat()[..], "version 9"),
        (&[&good[..16], &[0xFF], &good[17..]].concat()[..], "checksum"),
    ] {
        let message = open(bytes.to_vec()).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains(expected) && message.contains("test.tgr"), "{message}");
    }
    let empty = open(good).unwrap();
    assert!(empty.damage()[0].to_string().contains("without its footer"));
}

#[test]
fn a_missing_or_a_doubled_block_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let written: Vec<GameRecord> = (998..1003).map(|id| random_game(9, id, 6)).collect();
    let whole = write(directory.path(), "whole.tgr", &header(998..1003), &written);
    let reader = open(whole.clone()).unwrap();
    let sizes: Vec<usize> = reader.blocks().map(|head| head.size()).collect();
    let start = reader.header_length();
    let (first, second) =
        (&whole[start..start + sizes[0]], &whole[start + sizes[0]..start + sizes[0] + sizes[1]]);
    let rest = &whole[start + sizes[0] + sizes[1]..];
    for forged in
        [[first, rest].concat(), [second, first, rest].concat(), [first, first, second, rest].concat()]
    {
        let (_, damaged) = reads(&[&whole[..start], &forged].concat()).unwrap();
        assert!(damaged);
    }
    // Games written under a header that promises others.
    let other = write(directory.path(), "other.tgr", &header(998..1005), &written);
    assert!(reads(&other).unwrap().1);
}

#[test]
fn exports_say_what_the_game_says() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/dfrc-v1.tgr");
    let reader = Reader::open(&golden).unwrap();
    let header = reader.header().clone();
    for game in reader.into_games() {
        let game = game.unwrap();
        let text = pgn(&header, &game);
        let read = selfplay::pgn::PgnGame::parse(&text).unwrap();
        let played: Vec<_> =
            game.opening.iter().copied().chain(game.plies.iter().map(|ply| ply.played)).collect();
        assert_eq!(read.moves, played);
        assert!(text.contains(&format!("[Result \"{}\"]", game.outcome.pgn())));

        let lines = epd_lines(&game, Default::default());
        assert_eq!(lines.lines().count(), game.plies.len());
        let mut board = game.first_searched();
        for (line, ply) in lines.lines().zip(&game.plies) {
            let epd = engine::Board::from_epd(line).unwrap();
            assert_eq!(epd.board.key(), board.key());
            let result = epd.operation("c9").and_then(|operation| operation.values().next());
            assert_eq!(result, Some(game.outcome.pgn()));
            board.make(ply.played);
        }
        assert_eq!(viriformat(&game).len(), 36 + 4 * game.plies.len());
    }
}
