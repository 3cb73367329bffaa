//! The file that names all records of a library.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use engine::unfinished_file;

use super::entry::Entry;

/// The first line of every catalogue of this layout.
const FIRST_LINE: &str = "tabula-library 1";

/// Why a catalogue could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// The system would not.
    #[error("the library {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Not one of ours.
    #[error("{0} is no library (its first line is not 'tabula-library 1'); name another file")]
    NotALibrary(PathBuf),
    /// A line that says nothing we know.
    #[error(
        "the library {path}, line {line}: damaged ({reason}); delete this line and add its record again, the others are \
         whole"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// Why.
        reason: String,
    },
}

/// All records, by the hash of their content.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Catalogue {
    entries: BTreeMap<String, Entry>,
}

impl Catalogue {
    /// Reads a catalogue; one that is not there is empty.
    pub fn read(path: &Path) -> Result<Catalogue, CatalogueError> {
        match fs::read_to_string(path) {
            Ok(text) => Catalogue::parse(path, &text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Catalogue::default()),
            Err(source) => Err(CatalogueError::Io { path: path.into(), source }),
        }
    }

    fn parse(path: &Path, text: &str) -> Result<Catalogue, CatalogueError> {
        let mut lines = text.lines().enumerate();
        if lines.next().is_none_or(|(_, line)| line != FIRST_LINE) {
            return Err(CatalogueError::NotALibrary(path.into()));
        }
        let mut catalogue = Catalogue::default();
        for (number, line) in lines {
            let damaged =
                |reason: String| CatalogueError::Damaged { path: path.into(), line: number + 1, reason };
            let (checksum, json) = line.split_once(' ').ok_or_else(|| damaged("no checksum".to_string()))?;
            if checksum != format!("{:08x}", crc32fast::hash(json.as_bytes())) {
                return Err(damaged("the checksum is wrong".to_string()));
            }
            let entry = serde_json::from_str(json).map_err(|error| damaged(error.to_string()))?;
            catalogue.add(entry);
        }
        Ok(catalogue)
    }

    /// The same entries give the same text.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut text = format!("{FIRST_LINE}\n");
        for entry in self.entries.values() {
            let json = serde_json::to_string(entry)?;
            text.push_str(&format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes())));
        }
        Ok(text)
    }

    /// Changes the catalogue of a file: one process at a time, and all of it or nothing.
    pub fn change<T>(path: &Path, how: impl FnOnce(&mut Catalogue) -> T) -> Result<T, CatalogueError> {
        let failed = |source| CatalogueError::Io { path: path.into(), source };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        // Beside the file, which is replaced: a lock on the old one would not keep anybody from the new one.
        let lock = File::options().create(true).append(true).open(beside(path, "lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut catalogue = Catalogue::read(path)?;
        let answer = how(&mut catalogue);
        let text = catalogue.to_text().map_err(|error| failed(error.into()))?;
        unfinished_file::write_whole(path, ".part", text.as_bytes()).map_err(failed)?;
        Ok(answer)
    }

    /// Adds an entry to what is known of its record.
    pub fn add(&mut self, entry: Entry) {
        let joined = match self.entries.remove(&entry.hash) {
            Some(known) => known.joined(entry),
            None => entry,
        };
        self.entries.insert(joined.hash.clone(), joined);
    }

    /// Adds all entries of another catalogue.
    pub fn merge(&mut self, other: Catalogue) {
        other.entries.into_values().for_each(|entry| self.add(entry));
    }

    /// Keeps a record out from now on; whether it was there.
    pub fn drop_record(&mut self, hash: &str, reason: &str) -> bool {
        let entry = self.entries.get_mut(hash).filter(|entry| entry.is_kept());
        entry.map(|entry| entry.dropped = reason.to_string()).is_some()
    }

    /// What may be taken, the newest first; of one date in the order of their hashes.
    pub fn newest_first(&self) -> Vec<&Entry> {
        let mut kept: Vec<&Entry> = self.entries.values().filter(|entry| entry.is_kept()).collect();
        kept.sort_by(|a, b| b.origin.date.cmp(&a.origin.date).then_with(|| a.hash.cmp(&b.hash)));
        kept
    }

    /// All entries, those that were dropped among them.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".");
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::entry::Origin;
    use super::*;
    use crate::Dice;

    fn random_entry(dice: &mut Dice) -> Entry {
        let night = format!("n{}", dice.below(4));
        Entry {
            hash: format!("{:032x}", dice.below(6)),
            dropped: dice.choose(&["", "", "", "bad", "worse"]).to_string(),
            origin: Origin { date: dice.below(5), night, ..Origin::default() },
            games: dice.below(3),
            other_starts: 0,
            labels: 0,
            bytes: 10,
            weights: String::new(),
            engine: String::new(),
            seed: 1,
            settings: "nodes=1\nbook=\"a\"\n".to_string(),
            places: BTreeSet::from([format!("place {}", dice.below(3))]),
        }
    }

    fn random_catalogue(dice: &mut Dice) -> Catalogue {
        let mut catalogue = Catalogue::default();
        (0..dice.below(8)).for_each(|_| catalogue.add(random_entry(dice)));
        catalogue
    }

    #[test]
    fn merging_has_no_order_and_no_effect_the_second_time() {
        let mut dice = Dice::for_game(1, 1);
        for _ in 0..2_000 {
            let [a, b, c] = [0; 3].map(|_| random_catalogue(&mut dice));
            let merged = |parts: &[&Catalogue]| {
                let mut all = Catalogue::default();
                parts.iter().for_each(|&part| all.merge(part.clone()));
                all.to_text().unwrap()
            };
            let expected = merged(&[&a, &b, &c]);
            for order in [[&a, &c, &b], [&b, &a, &c], [&b, &c, &a], [&c, &a, &b], [&c, &b, &a]] {
                assert_eq!(merged(&order), expected);
            }
            let mut grouped = b.clone();
            grouped.merge(c.clone());
            assert_eq!(merged(&[&a, &grouped, &a, &grouped]), expected);
            assert_eq!(Catalogue::parse(Path::new("x"), &expected).unwrap().to_text().unwrap(), expected);
        }
    }

    #[test]
    fn damage_is_named_wherever_it_is() {
        let mut dice = Dice::for_game(2, 2);
        let mut catalogue = random_catalogue(&mut dice);
        catalogue.add(random_entry(&mut dice));
        let text = catalogue.to_text().unwrap();
        let path = Path::new("library");
        for place in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[place] ^= 1;
            let Ok(changed) = String::from_utf8(bytes) else { continue };
            // A line end that vanished joins two lines, of which the second is no JSON.
            assert!(Catalogue::parse(path, &changed).is_err(), "byte {place}");
        }
        assert!(matches!(Catalogue::parse(path, ""), Err(CatalogueError::NotALibrary(_))));
    }
}
