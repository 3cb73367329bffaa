//! Every unsafe block of the three packages is in the table of docs/12-safety.md, and nothing else is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// (Apart, so that no line of this file looks like what it looks for.)
const WORD: &str = "unsafe";
const PAGE: &str = include_str!("../../docs/12-safety.md");

/// Where a block is: the file, and the function or macro around it.
type Place = (String, String);

/// The blocks of the table's rows: place in the first column, their number in the second.
fn table() -> BTreeMap<Place, usize> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim().strip_prefix('|')?.strip_suffix('|')?.split('|').collect();
        let &[place, count, relies_on, reached_by, covered_by] = cells.as_slice() else { return None };
        let (file, function) = place.trim().strip_prefix('`')?.strip_suffix('`')?.split_once("` `")?;
        for cell in [relies_on, reached_by, covered_by] {
            assert!(cell.trim().len() > 3, "an empty cell: {line}");
        }
        Some(((file.to_string(), function.to_string()), count.trim().parse().ok()?))
    };
    PAGE.lines().filter_map(row).collect()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of ours").flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The word that stands after another in a line, as far as it can be a name.
fn name_after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let rest = &line[line.find(word)? + word.len()..];
    Some(&rest[..rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len())])
}

/// How many blocks, functions and implementations are unsafe in a text, by the function or macro they are in.
fn unsafe_in(text: &str) -> BTreeMap<String, usize> {
    let mut around = String::new();
    let mut found = BTreeMap::new();
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or_default();
        if let Some(name) = name_after(code, "fn ").or_else(|| name_after(code, "macro_rules! "))
            && !name.is_empty()
        {
            around = name.to_string();
        }
        let beginnings = ["{", "fn ", "impl ", "extern "].map(|rest| format!("{WORD} {rest}"));
        let count: usize = beginnings.iter().map(|beginning| code.matches(beginning.as_str()).count()).sum();
        if count > 0 {
            *found.entry(around.clone()).or_default() += count;
        }
    }
    found
}

#[test]
fn every_unsafe_block_is_in_the_table_and_the_table_names_no_other() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for folder in ["src", "tests", "examples", "benches", "fuzz"] {
        for package in ["engine", "selfplay", "tuner"] {
            let folder = root.join(package).join(folder);
            if folder.is_dir() {
                rust_files(&folder, &mut files);
            }
        }
    }
    assert!(files.len() > 100, "only {} files", files.len());
    let mut found: BTreeMap<Place, usize> = BTreeMap::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a file of ours");
        let name = path.strip_prefix(&root).expect("under the root").to_string_lossy().replace('\\', "/");
        for (function, count) in unsafe_in(&text) {
            found.insert((name.clone(), function), count);
        }
    }
    let table = table();
    let missing: Vec<_> = found.iter().filter(|(place, count)| table.get(*place) != Some(count)).collect();
    let gone: Vec<_> = table.keys().filter(|place| !found.contains_key(*place)).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "docs/12-safety.md: not in its table (or with another number of blocks): {missing:#?}; in it, but not in the code: {gone:#?}"
    );
}

#[test]
fn unsafe_is_found_where_it_is_and_nowhere_else() {
    let word = WORD;
    let text = format!(
        "fn a() {{\n    {word} {{ x() }}\n}}\n// {word} {{\n{word} fn b() {{\n    {word} {{ y() }}\n}}\nlet {word}_checks = 1;\n"
    );
    let found = unsafe_in(&text);
    assert_eq!(found, BTreeMap::from([("a".to_string(), 1), ("b".to_string(), 2)]));
}
