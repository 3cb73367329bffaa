//! Books written, read, damaged and added.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::*;
use crate::board::zobrist::splitmix64;
use crate::types::Move;

/// A place for files that goes away with the test.
struct Workshop(PathBuf);

impl Workshop {
    fn new(name: &str) -> Workshop {
        let path = std::env::temp_dir().join(format!("tabula-experience-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Workshop(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn random_move(state: &mut u64) -> Move {
    loop {
        if let Some(m) = Move::from_bits(splitmix64(state) as u16) {
            return m;
        }
    }
}

/// Sorted rows of so many random positions with one to four moves each.
fn random_rows(seed: u64, positions: usize) -> Vec<Row> {
    let mut state = seed;
    let mut rows = BTreeMap::new();
    for _ in 0..positions {
        let key = splitmix64(&mut state);
        for _ in 0..1 + splitmix64(&mut state) % 4 {
            let m = random_move(&mut state);
            let games = 1 + (splitmix64(&mut state) % 1000) as u32;
            let wins = (splitmix64(&mut state) % u64::from(games + 1)) as u32;
            let row = Row {
                key,
                m,
                games,
                wins,
                draws: games - wins,
                depth_sum: games * 7,
                score_sum: splitmix64(&mut state) as i32 as i64,
            };
            rows.insert(row.place(), row);
        }
    }
    rows.into_values().collect()
}

/// Of a book that learned ten games, the shard's part of one run.
fn header(shard: u32) -> Header {
    let span = Span { source: 99, first: 10 * shard, end: 10 * shard + 10 };
    let learned = Learned::new(vec![span]).unwrap();
    Header { games: 10, learned, style: "tal".to_string(), ..Header::default() }
}

#[test]
fn what_is_written_is_read() {
    let shop = Workshop::new("round-trip");
    for positions in [0, 1, 2, 3, 100, 511, 512, 513, 20_000] {
        let rows = random_rows(positions as u64 + 1, positions);
        let path = shop.file("book.exp");
        assert_eq!(write_book(&path, &header(1), rows.iter().copied()).unwrap(), rows.len() as u64);
        let book = ExperienceBook::open(&path).unwrap();
        assert_eq!(book.header(), &header(1));
        assert_eq!(book.len(), rows.len() as u64);
        assert_eq!(book.positions(), positions as u64);
        assert!(book.rows().eq(rows.iter().copied().map(Ok)));
        assert!(book.verify().is_whole());
        for same_key in rows.chunk_by(|a, b| a.key == b.key) {
            assert!(book.lookup(same_key[0].key).eq(same_key.iter().copied()));
            assert_eq!(book.entry(same_key[0].key), ExperienceEntry::of(same_key));
        }
        let mut state = 99;
        for _ in 0..1000 {
            assert_eq!(book.lookup(splitmix64(&mut state)).count(), 0);
        }
        for key in [0, u64::MAX] {
            assert_eq!(book.entry(key), None);
        }
    }
}

#[test]
fn keys_at_both_ends_are_found() {
    let shop = Workshop::new("ends");
    let mut rows = random_rows(3, 600);
    rows.insert(0, Row { key: 0, ..rows[0] });
    rows.push(Row { key: u64::MAX, ..rows[0] });
    let path = shop.file("book.exp");
    write_book(&path, &header(1), rows.iter().copied()).unwrap();
    let book = ExperienceBook::open(&path).unwrap();
    assert_eq!(book.lookup(0).count(), 1);
    assert_eq!(book.lookup(u64::MAX).count(), 1);
}

#[test]
fn rows_in_the_wrong_order_are_refused_and_the_old_book_stays() {
    let shop = Workshop::new("order");
    let path = shop.file("book.exp");
    let rows = random_rows(5, 50);
    write_book(&path, &header(1), rows.iter().copied()).unwrap();
    let before = std::fs::read(&path).unwrap();
    let error = write_book(&path, &header(1), rows.iter().rev().copied()).unwrap_err();
    assert!(matches!(error, WriteError::Order { row: 1 }), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(!shop.file("book.exp.part").exists());
}

#[test]
fn two_writers_do_not_meet() {
    let shop = Workshop::new("writers");
    let path = shop.file("book.exp");
    let first = BookWriter::new(&path).unwrap();
    let error = BookWriter::new(&path).err().unwrap();
    assert!(matches!(error, WriteError::Busy { .. }), "{error}");
    first.write(&header(1), random_rows(1, 10).into_iter()).unwrap();
    BookWriter::new(&path).unwrap().give_up();
    assert_eq!(ExperienceBook::open(&path).unwrap().positions(), 10);
}

#[test]
fn any_flipped_bit_is_noticed_and_the_rest_stays_readable() {
    let shop = Workshop::new("flips");
    let path = shop.file("book.exp");
    let rows = random_rows(11, 1500);
    write_book(&path, &header(1), rows.iter().copied()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let damaged_path = shop.file("damaged.exp");
    let mut state = 17;
    let (mut refused, mut seen) = (0, 0);
    for _ in 0..500 {
        let bit = splitmix64(&mut state) as usize % (bytes.len() * 8);
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&damaged_path, &damaged).unwrap();
        let Ok(book) = ExperienceBook::open(&damaged_path) else {
            refused += 1;
            continue;
        };
        let found: Vec<Row> = book.rows().flatten().collect();
        // Nothing that was not written is ever read, whole blocks are all there.
        assert!(found.iter().all(|row| rows.contains(row)));
        assert!(found.len() + BLOCK_ROWS as usize >= rows.len());
        let answers = rows.iter().filter(|row| book.lookup(row.key).any(|found| found == **row)).count();
        seen += usize::from(!book.verify().is_whole());
        assert!(book.verify().is_whole() <= (answers == rows.len()), "bit {bit}");
    }
    assert_eq!(refused + seen, 500, "{refused} refused, {seen} seen");
}

#[test]
fn a_book_cut_anywhere_is_refused() {
    let shop = Workshop::new("cut");
    let path = shop.file("book.exp");
    let rows = random_rows(2, 900);
    write_book(&path, &header(1), rows.iter().copied()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let mut state = 4;
    for _ in 0..200 {
        let len = splitmix64(&mut state) as usize % bytes.len();
        std::fs::write(&path, &bytes[..len]).unwrap();
        let error = ExperienceBook::open(&path).err().unwrap_or_else(|| panic!("{len} bytes were accepted"));
        assert!(!error.to_string().is_empty());
        // With its header there, the whole blocks can be saved.
        let header_len = header(1).len();
        if len >= header_len {
            let left = ExperienceBook::salvage(&path).unwrap();
            let block = BLOCK_ROWS * ROW_BYTES as u64 + CHECK;
            let blocks = (len as u64).saturating_sub(left.layout.rows_at) / block;
            let wanted = (blocks * BLOCK_ROWS).min(rows.len() as u64) as usize;
            let saved: Vec<Row> = left.rows().flatten().collect();
            assert!(saved.len() >= wanted && rows.starts_with(&saved), "{} of {wanted} rows", saved.len());
        }
    }
}

#[test]
fn a_lost_header_is_found_at_the_end() {
    let shop = Workshop::new("copy");
    let path = shop.file("book.exp");
    let rows = random_rows(6, 700);
    write_book(&path, &header(1), rows.iter().copied()).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[..40].fill(0);
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(ExperienceBook::open(&path), Err(ExperienceError::NotABook)));
    let book = ExperienceBook::salvage(&path).unwrap();
    assert_eq!(book.header(), &header(1));
    assert!(book.rows().eq(rows.iter().copied().map(Ok)));
}

/// Opens a book with these bytes after a change to them, and says what a look at every byte finds.
fn damage_of(path: &Path, bytes: &[u8], change: impl FnOnce(&mut Vec<u8>)) -> Vec<String> {
    let mut changed = bytes.to_vec();
    change(&mut changed);
    std::fs::write(path, &changed).unwrap();
    ExperienceBook::open(path).unwrap().verify().damage()
}

#[test]
fn every_byte_of_the_copy_and_of_the_padding_and_behind_the_end_is_looked_at() {
    let shop = Workshop::new("every-byte");
    let path = shop.file("book.exp");
    write_book(&path, &header(1), random_rows(6, 700).into_iter()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let len = header(1).len();
    for at in bytes.len() - len..bytes.len() {
        let damage = damage_of(&path, &bytes, |bytes| bytes[at] ^= 1);
        assert_eq!(damage, ["1 bytes of the header's copy at the end are damaged"], "byte {at}");
    }
    for at in len..len.next_multiple_of(64) {
        let damage = damage_of(&path, &bytes, |bytes| bytes[at] ^= 0x80);
        assert_eq!(damage, ["1 bytes between the header and the rows are damaged"], "byte {at}");
    }
    for more in [1, 8, 16, 100, 4096, bytes.len()] {
        let damage = damage_of(&path, &bytes, |bytes| bytes.extend(vec![0; more]));
        assert_eq!(damage, [format!("{more} bytes stand behind the end of the book")]);
    }
    assert!(damage_of(&path, &bytes, |_| ()).is_empty());
}

#[test]
fn rows_and_entries_that_no_book_writes_are_told_under_a_right_checksum() {
    let shop = Workshop::new("impossible");
    let path = shop.file("book.exp");
    write_book(&path, &header(1), random_rows(6, 700).into_iter()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let layout = ExperienceBook::open(&path).unwrap().layout;
    let resealed = |bytes: &mut Vec<u8>, block: u64| {
        let (from, to) = layout.block_bytes(block);
        let check = checksum(&bytes[from as usize..to as usize]).to_le_bytes();
        bytes[to as usize..to as usize + check.len()].copy_from_slice(&check);
    };
    let games = layout.row_at(3) as usize + 12;
    let damage = damage_of(&path, &bytes, |bytes| {
        bytes[games..games + 4].fill(0);
        resealed(bytes, 0);
    });
    assert_eq!(damage, ["1 rows have no games, or more results than games"]);
    let entry = layout.index_entry_at(5) as usize;
    let damage = damage_of(&path, &bytes, |bytes| {
        bytes[entry..entry + 4].fill(0xFF);
        resealed(bytes, layout.row_blocks());
    });
    assert_eq!(damage, ["1 entries of the index do not lead to their rows"]);
}

/// The two headers together have what each alone has lost.
#[test]
fn a_header_damaged_at_both_ends_is_put_together_or_told_to_be_lost() {
    let shop = Workshop::new("both");
    let path = shop.file("book.exp");
    let rows = random_rows(6, 700);
    write_book(&path, &header(1), rows.iter().copied()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let len = header(1).len();
    let copy_at = bytes.len() - len;
    let mut state = 5;
    for _ in 0..200 {
        let [front, back] = [0; 2].map(|_| splitmix64(&mut state) as usize % len);
        if front == back {
            continue;
        }
        let mut damaged = bytes.clone();
        damaged[front] ^= 0x10;
        damaged[copy_at + back] ^= 0x10;
        std::fs::write(&path, &damaged).unwrap();
        let book = ExperienceBook::salvage(&path).unwrap_or_else(|error| panic!("{front} {back}: {error}"));
        assert_eq!(book.header(), &header(1));
        assert!(book.rows().eq(rows.iter().copied().map(Ok)));
    }
    let mut damaged = bytes.clone();
    damaged[40] ^= 1;
    damaged[copy_at + 40] ^= 2;
    std::fs::write(&path, &damaged).unwrap();
    let told = ExperienceBook::salvage(&path).err().expect("lost").to_string();
    assert!(
        told.contains("at the beginning of the file and at its end") && !told.contains("repair"),
        "{told}"
    );
}

/// A header may have a right checksum and say anything.
#[test]
fn extreme_headers_with_right_checksums_are_refused() {
    let shop = Workshop::new("extreme");
    let path = shop.file("book.exp");
    let rows = random_rows(6, 700);
    write_book(&path, &header(1), rows.iter().copied()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let len = header(1).len();
    let (mut refused, mut opened) = (0, 0);
    // Every field, of every width, with every extreme.
    for at in 8..len - 8 {
        for width in [1, 2, 4, 8] {
            for value in [0_u64, 1, 0x7FFF_FFFF, 0x8000_0000, u64::from(u32::MAX), i64::MAX as u64, u64::MAX]
            {
                let mut changed = bytes.clone();
                let end = (at + width).min(len - 8);
                changed[at..end].copy_from_slice(&value.to_le_bytes()[..end - at]);
                let check = checksum(&changed[..len - 8]).to_le_bytes();
                changed[len - 8..len].copy_from_slice(&check);
                std::fs::write(&path, &changed).unwrap();
                match ExperienceBook::open(&path) {
                    Ok(book) => {
                        opened += 1;
                        assert_eq!(book.rows().flatten().count(), rows.len(), "{at} {width} {value}");
                        assert!(book.lookup(rows[9].key).any(|row| row == rows[9]), "{at} {width} {value}");
                        // The copy at the end says otherwise.
                        assert_eq!(book.verify().is_whole(), changed == bytes, "{at} {width} {value}");
                    }
                    Err(error) => {
                        refused += 1;
                        assert!(!error.to_string().is_empty());
                    }
                }
                let _ = ExperienceBook::salvage(&path).map(|book| book.rows().count());
            }
        }
    }
    assert!(refused > 1000 && opened > 1000, "{refused} refused, {opened} opened");
}

#[test]
fn other_files_are_named_for_what_they_are_not() {
    let shop = Workshop::new("others");
    let path = shop.file("x");
    std::fs::write(&path, b"").unwrap();
    assert!(matches!(ExperienceBook::open(&path), Err(ExperienceError::TooShort { len: 0 })));
    std::fs::write(&path, [b'x'; 500]).unwrap();
    assert!(matches!(ExperienceBook::open(&path), Err(ExperienceError::NotABook)));
    assert!(matches!(ExperienceBook::open(&shop.file("none")), Err(ExperienceError::Io(_))));
}

#[test]
fn merging_is_addition_in_any_order_and_grouping() {
    let shop = Workshop::new("merge");
    let mut state = 23;
    // Eight shards over the same few positions, so that most rows meet.
    let shared = random_rows(1, 400);
    let names: Vec<PathBuf> = (0..8)
        .map(|shard| {
            let path = shop.file(&format!("{shard}.exp"));
            let rows = shared
                .iter()
                .filter(|_| splitmix64(&mut state).is_multiple_of(2))
                .map(|row| Row { score_sum: row.score_sum + i64::from(shard), ..*row });
            write_book(&path, &header(shard), rows.collect::<Vec<_>>().into_iter()).unwrap();
            path
        })
        .collect();
    let open = |path: &PathBuf| ExperienceBook::open(path).unwrap();
    let all: Vec<ExperienceBook> = names.iter().map(open).collect();
    merge(&all, &shop.file("all.exp")).unwrap();
    let wanted = std::fs::read(shop.file("all.exp")).unwrap();
    assert_eq!(
        open(&shop.file("all.exp")).header().learned.spans(),
        [Span { source: 99, first: 0, end: 80 }]
    );
    for round in 0..100 {
        // Take two or three books at a time until one is left.
        let mut heap = names.clone();
        let mut made = 0;
        while heap.len() > 1 {
            let take = (2 + splitmix64(&mut state) as usize % 2).min(heap.len());
            let group: Vec<ExperienceBook> = (0..take)
                .map(|_| open(&heap.swap_remove(splitmix64(&mut state) as usize % heap.len())))
                .collect();
            let path = shop.file(&format!("m{made}.exp"));
            merge(&group, &path).unwrap();
            made += 1;
            heap.push(path);
        }
        assert!(std::fs::read(&heap[0]).unwrap() == wanted, "round {round}");
    }
}

#[test]
fn games_are_never_counted_twice_and_rules_do_not_mix() {
    let shop = Workshop::new("twice");
    let (a, b) = (shop.file("a.exp"), shop.file("b.exp"));
    write_book(&a, &header(1), random_rows(1, 5).into_iter()).unwrap();
    write_book(&b, &header(1), random_rows(2, 5).into_iter()).unwrap();
    let open = |path: &PathBuf| ExperienceBook::open(path).unwrap();
    let error = merge(&[open(&a), open(&b)], &shop.file("c.exp")).unwrap_err();
    assert!(matches!(error, MergeError::Shared(..)), "{error}");
    write_book(&b, &Header { rule: Rule::Td, ..header(2) }, random_rows(2, 5).into_iter()).unwrap();
    let error = merge(&[open(&a), open(&b)], &shop.file("c.exp")).unwrap_err();
    assert!(error.to_string().contains("the rule is mean in one book and td in the other"), "{error}");
    assert!(!shop.file("c.exp").exists());
}
