//! The bytes of chess records and of chess Experience Books, pinned: what makes other games possible must not change
//! them. Neither depends on the search: the games are random, their scores too.

mod common;

use std::fs;
use std::path::Path;

use common::{header, random_game};
use engine::book::experience::Rule;
use selfplay::learn::{Discount, Method, learn_files};
use selfplay::record::write_record;
use xxhash_rust::xxh64::xxh64;

fn book_hash(record: &Path, rule: Rule) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.exp");
    let method = Method { rule, discount: Discount::default(), style: String::new(), coin: None };
    learn_files(&book, &[record.to_path_buf()], &method, &|_| ()).unwrap();
    xxh64(&fs::read(book).unwrap(), 0)
}

#[test]
fn a_chess_record_and_its_books_have_the_same_bytes_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("random.tgr");
    write_record(&record, &header(900..1100), (900..1100).map(|id| Ok(random_game(21, id, 80)))).unwrap();
    let found =
        [xxh64(&fs::read(&record).unwrap(), 0), book_hash(&record, Rule::Mean), book_hash(&record, Rule::Td)];
    assert_eq!(
        found.map(|hash| format!("{hash:016x}")),
        ["921e3664e1474141", "e8527470fad53d2a", "dec5103a00c869ff"]
    );
}

#[test]
fn the_books_of_a_played_record_have_the_same_bytes_for_ever() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/random-v1.tgr");
    let found = [book_hash(&golden, Rule::Mean), book_hash(&golden, Rule::Td)];
    assert_eq!(found.map(|hash| format!("{hash:016x}")), ["453cd4ce72b073f5", "c7c7915279311a04"]);
}
