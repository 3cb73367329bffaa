//! Files whose checksums are right and whose contents nobody would write: whoever can compute a checksum can write them.

mod common;

use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use common::{header, random_game};
use selfplay::record::{GameRecord, NEWEST_VERSION, Reader, RecordError, verify, write_record};
use xxhash_rust::xxh3::xxh3_64;
use xxhash_rust::xxh64::xxh64;

const EXTREMES: [u64; 9] =
    [0, 1, 0x7FFF_FFFF, 0x8000_0000, u32::MAX as u64, i64::MAX as u64, 1 << 63, u64::MAX - 1, u64::MAX];
/// Bytes of a block before its frame; the last eight are its checksum.
const HEAD: usize = 40;

/// Games in two blocks.
fn record() -> (Vec<u8>, Vec<GameRecord>) {
    let games: Vec<GameRecord> = (990..1010).map(|id| random_game(3, id, 20)).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("whole.tgr");
    write_record(&path, &header(990..1010), games.iter().cloned().map(Ok)).unwrap();
    (std::fs::read(&path).unwrap(), games)
}

fn seal(bytes: &mut [u8], checked: Range<usize>) {
    let check = xxh64(&bytes[checked.clone()], 0).to_le_bytes();
    bytes[checked.end..checked.end + 8].copy_from_slice(&check);
}

fn open(bytes: Vec<u8>) -> Result<Reader, RecordError> {
    Reader::from_bytes(Path::new("hostile.tgr"), bytes)
}

/// Reads all there is. What is read without an error was written; the numbers of the games aside.
fn read_everything(bytes: Vec<u8>, written: &[GameRecord], what: &str) {
    let Ok(reader) = open(bytes) else { return };
    let _ = verify(&reader);
    for game in reader.into_games().flatten() {
        let known = written.iter().any(|known| GameRecord { id: game.id, ..known.clone() } == game);
        assert!(known, "{what}: a game that nobody wrote");
    }
}

/// Puts every extreme into every place of some bytes, in every width, and seals them again.
fn with_extremes(bytes: &[u8], checked: Range<usize>, mut look: impl FnMut(Vec<u8>, &str)) {
    for at in checked.clone() {
        for width in [1, 2, 4, 8] {
            for value in EXTREMES {
                let end = (at + width).min(checked.end);
                let mut changed = bytes.to_vec();
                changed[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
                seal(&mut changed, checked.clone());
                look(changed, &format!("{value} in {width} bytes at {at}"));
            }
        }
    }
}

#[test]
fn extreme_headers_and_block_heads_are_refused_or_harmless() {
    let (bytes, games) = record();
    let header_length = open(bytes.clone()).unwrap().header_length();
    with_extremes(&bytes, 8..header_length - 8, |mut changed, what| {
        seal(&mut changed, 0..header_length - 8);
        read_everything(changed, &games, what);
    });
    let head = header_length..header_length + HEAD - 8;
    with_extremes(&bytes, head, |changed, what| read_everything(changed, &games, what));
}

#[test]
fn extreme_footers_are_refused() {
    let (bytes, games) = record();
    let footer = bytes.windows(4).rposition(|four| four == b"TGRI").unwrap();
    let checked = footer..bytes.len() - 16;
    with_extremes(&bytes, checked, |changed, what| {
        if changed != bytes {
            let damage = open(changed.clone()).unwrap().into_damage();
            assert!(!damage.is_empty(), "{what} was not noticed");
        }
        read_everything(changed, &games, what);
    });
}

/// The record with another frame in its first block, and everything about it right.
fn with_frame(bytes: &[u8], frame: &[u8]) -> Vec<u8> {
    let at = open(bytes.to_vec()).unwrap().header_length();
    let mut changed = bytes[..at + HEAD].to_vec();
    changed[at + 4..at + 8].copy_from_slice(&(frame.len() as u32).to_le_bytes());
    changed[at + 24..at + 32].copy_from_slice(&xxh64(frame, 0).to_le_bytes());
    seal(&mut changed, at..at + 32);
    changed.extend(frame);
    changed
}

#[test]
fn frames_that_unpack_to_too_much_are_refused() {
    let (bytes, _) = record();
    let zeros = |megabytes: usize| zstd::bulk::compress(&vec![0; megabytes << 20], 1).unwrap();
    for (megabytes, reason) in [(300, "claims to hold"), (40, "")] {
        let frame = zeros(megabytes);
        assert!(frame.len() < megabytes << 10, "{megabytes} MB in {} bytes", frame.len());
        let reader = open(with_frame(&bytes, &frame)).unwrap();
        let error = reader.decode(0).expect_err("no games").to_string();
        assert!(error.contains(reason) && error.contains("hostile.tgr"), "{error}");
    }
    // A size that is not said, one that is a lie, and a second frame behind the first.
    let unsaid = zstd::stream::encode_all(std::io::repeat(0).take(1 << 20), 1).unwrap();
    let mut lie = zstd::bulk::compress(&[0; 1000], 1).unwrap();
    let twice = [lie.clone(), lie.clone()].concat();
    lie[5] = lie[5].wrapping_add(9);
    for frame in [unsaid, lie, twice] {
        assert!(open(with_frame(&bytes, &frame)).unwrap().decode(0).is_err());
    }
}

#[test]
fn a_record_of_a_later_version_is_named_as_such() {
    let (bytes, _) = record();
    let header_length = open(bytes.clone()).unwrap().header_length();
    for version in [0_u16, NEWEST_VERSION + 1, 9, u16::MAX] {
        let mut changed = bytes.clone();
        changed[8..10].copy_from_slice(&version.to_le_bytes());
        seal(&mut changed, 0..header_length - 8);
        let error = open(changed).err().expect("another version").to_string();
        assert!(error.contains(&format!("version {version}")), "{error}");
    }
    // Version 2 is for other games, and must say for which.
    let mut changed = bytes.clone();
    changed[8..10].copy_from_slice(&2_u16.to_le_bytes());
    seal(&mut changed, 0..header_length - 8);
    let error = open(changed).err().expect("a game without a name").to_string();
    assert!(error.contains("does not name its game"), "{error}");
}

/// Thousands of places that look like the beginning of something large cost no time.
#[test]
fn many_false_beginnings_are_passed_quickly() {
    let (bytes, games) = record();
    let header_length = open(bytes.clone()).unwrap().header_length();
    let mut changed = bytes[..header_length].to_vec();
    for _ in 0..100_000 {
        changed.extend(b"TGRI");
        changed.extend(10_000_u32.to_le_bytes());
    }
    let started = std::time::Instant::now();
    read_everything(changed, &games, "false beginnings");
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

/// A log of games with right checksums.
fn log(version: u32, frames: &[Vec<u8>]) -> Vec<u8> {
    let sealed = |bytes: Vec<u8>| [&bytes[..], &xxh3_64(&bytes).to_le_bytes()].concat();
    let mut bytes =
        sealed([&b"TABULAGL"[..], &version.to_le_bytes(), &[0; 4], &77_u64.to_le_bytes()].concat());
    for content in frames {
        bytes.extend(sealed([&(content.len() as u32).to_le_bytes()[..], content].concat()));
    }
    bytes
}

fn learn(folder: &Path, name: &str, bytes: &[u8]) -> (Option<i32>, String) {
    let (games, book) = (folder.join(name), folder.join(format!("{name}.exp")));
    std::fs::write(&games, bytes).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_selfplay"));
    command.args(["learn", "--json", "--games"]).arg(&games).arg("--book").arg(&book);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (output.status.code(), said)
}

#[test]
fn logs_with_right_checksums_and_impossible_games_teach_nothing_and_break_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let frame = |head: [u8; 3], fen: &[u8], count: u16, plies: &[u8]| {
        [&head[..], fen, &count.to_le_bytes(), plies].concat()
    };
    let e2e4 = [0x0C, 0x17]; // not a code of ours: the move is looked at before it is believed
    let ply = |bits: [u8; 2], value: i16, depth: u8| [&bits[..], &value.to_le_bytes(), &[depth]].concat();
    let mut frames = vec![
        frame([0, 0, 0], b"", 0, &[]),
        frame([2, 1, 0], b"", 1, &ply(e2e4, i16::MAX, 255)),
        frame([2, 1, 0], b"", 1, &ply([0xFF, 0xFF], -1, 0)),
        frame([1, 2, 0], b"", u16::MAX, &ply([1, 0], 3, 3).repeat(usize::from(u16::MAX))[..100_000]),
        frame([9, 0, 0], b"", 0, &[]),
        frame([0, 9, 0], b"", 0, &[]),
        frame([0, 0, 255], &[b'/'; 255], 0, &[]),
        frame([0, 0, 7], b"8/8 w -", 0, &[]),
    ];
    // A frame with the same place for the pieces of both sides, and all sixteen bits as moves.
    for bits in 0..=255_u8 {
        frames.push(frame([2, 0, 0], b"", 1, &ply([bits, bits.wrapping_mul(37)], 9, 9)));
    }
    for (number, content) in frames.iter().enumerate() {
        if number % 16 != 0 && number > 16 {
            continue; // a process each: a share of them, and all together below
        }
        let (code, said) =
            learn(folder.path(), &format!("{number}.tgl"), &log(1, std::slice::from_ref(content)));
        assert!(matches!(code, Some(0 | 1)), "frame {number}: {code:?} {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
    let (code, said) = learn(folder.path(), "all.tgl", &log(1, &frames));
    assert!(matches!(code, Some(0 | 1)), "{code:?} {said}");
    let (code, said) = learn(folder.path(), "later.tgl", &log(2, &[]));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("version 2") && said.contains("later.tgl"), "{said}");
}
