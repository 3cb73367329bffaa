//! The folders that are shown, and the only way to a file in them: part by part, each part checked, and the end of the way
//! still inside. Nothing is ever written here.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde_json::Value;

use super::problem::Problem;

/// The longest name of a file or a folder that is looked for.
const LONGEST_NAME: usize = 128;
/// The largest JSON file that is read; those of nights have a few hundred kilobytes.
const LARGEST_JSON: u64 = 32 << 20;
/// Of a log only the end is shown.
const LOG_TAIL: u64 = 64 << 10;

/// A folder whose files may be shown. It knows where it must not be left.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
    path: PathBuf,
}

impl Folder {
    /// A folder that the command line named: everything below it may be shown.
    pub fn open(path: &Path) -> Result<Folder, Problem> {
        let root = path.canonicalize().map_err(|error| Problem::of_file(path, error))?;
        match root.is_dir() {
            true => Ok(Folder { path: root.clone(), root }),
            false => Err(Problem::of_file(path, "this is no folder")),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is called.
    pub fn name(&self) -> String {
        self.path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
    }

    /// A folder inside.
    pub fn folder(&self, parts: &[&str]) -> Result<Folder, Problem> {
        let path = self.way(parts)?;
        match path.is_dir() {
            true => Ok(Folder { root: self.root.clone(), path }),
            false => Err(Problem::Unknown(format!("{} is no folder", parts.join("/")))),
        }
    }

    /// A file inside.
    pub fn file(&self, parts: &[&str]) -> Result<PathBuf, Problem> {
        let path = self.way(parts)?;
        match path.is_file() {
            true => Ok(path),
            false => Err(Problem::Unknown(format!("{} is no file", parts.join("/")))),
        }
    }

    /// Whether there is such a file or folder.
    pub fn has(&self, parts: &[&str]) -> bool {
        self.way(parts).is_ok()
    }

    /// The way to something inside. Links are followed, and must not lead out of the folders that are shown.
    fn way(&self, parts: &[&str]) -> Result<PathBuf, Problem> {
        let unknown = || Problem::Unknown(format!("there is no {}", parts.join("/")));
        if !parts.iter().all(|part| is_plain(part)) {
            return Err(unknown());
        }
        let asked = parts.iter().fold(self.path.clone(), |path, part| path.join(part));
        let found = asked.canonicalize().map_err(|_| unknown())?;
        if found.starts_with(&self.root) { Ok(found) } else { Err(unknown()) }
    }

    /// The names inside, in order; nothing where there is no such folder.
    pub fn names(&self, parts: &[&str]) -> Vec<String> {
        let Ok(path) = self.way(parts) else { return Vec::new() };
        let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.retain(|name| is_plain(name));
        names.sort();
        names
    }

    /// A file of JSON; nothing if it is not there.
    pub fn json(&self, parts: &[&str]) -> Result<Option<Value>, Problem> {
        let Ok(path) = self.file(parts) else { return Ok(None) };
        let size = fs::metadata(&path).map_err(|error| Problem::of_file(&path, error))?.len();
        if size > LARGEST_JSON {
            return Err(Problem::of_file(&path, format!("{size} bytes are too many for a page")));
        }
        let bytes = fs::read(&path).map_err(|error| Problem::of_file(&path, error))?;
        serde_json::from_slice(&bytes).map(Some).map_err(|error| Problem::of_file(&path, error))
    }

    /// As [`Folder::json`], where a damaged file is as good as none.
    pub fn json_or_null(&self, parts: &[&str]) -> Value {
        self.json(parts).ok().flatten().unwrap_or(Value::Null)
    }

    /// The end of a text.
    pub fn tail(&self, parts: &[&str]) -> Result<String, Problem> {
        use std::io::{Read, Seek, SeekFrom};
        let path = self.file(parts)?;
        let failed = |error| Problem::of_file(&path, error);
        let mut file = fs::File::open(&path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        file.seek(SeekFrom::Start(size.saturating_sub(LOG_TAIL))).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(LOG_TAIL).read_to_end(&mut bytes).map_err(failed)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// When something was changed last, in seconds; nothing if it is not there.
    pub fn changed(&self, parts: &[&str]) -> Option<f64> {
        let time = fs::metadata(self.way(parts).ok()?).ok()?.modified().ok()?;
        Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs_f64())
    }
}

/// Whether a text can be the name of one file or folder, and nothing else: no separator, no step upwards, nothing hidden.
pub fn is_plain(name: &str) -> bool {
    let allowed = |letter: char| !letter.is_control() && !matches!(letter, '/' | '\\' | '%' | '\0');
    !name.is_empty() && name.len() <= LONGEST_NAME && !name.starts_with('.') && name.chars().all(allowed)
}

/// All folders that are shown.
#[derive(Clone, Debug)]
pub struct Place {
    /// The folder of all nights.
    pub nights: Folder,
    /// More folders, with matches, tests and records.
    pub more: Vec<Folder>,
}

impl Place {
    /// The folders of the command line.
    pub fn open(nights: &Path, more: &[PathBuf]) -> Result<Place, Problem> {
        let more = more.iter().map(|path| Folder::open(path)).collect::<Result<_, _>>()?;
        Ok(Place { nights: Folder::open(nights)?, more })
    }

    /// The folder of a night.
    pub fn night(&self, name: &str) -> Result<Folder, Problem> {
        let night = self.nights.folder(&[name]);
        let night = night.map_err(|_| Problem::Unknown(format!("there is no night {name}")))?;
        match night.has(&["manifest.json"]) {
            true => Ok(night),
            false => Err(Problem::Unknown(format!("{name} is no night: it has no manifest.json"))),
        }
    }

    /// The nights, in the order in which they began.
    pub fn nights(&self) -> Vec<(Folder, Value)> {
        let mut found: Vec<(Folder, Value)> = (self.nights.names(&[]).iter())
            .filter_map(|name| self.nights.folder(&[name]).ok())
            .filter_map(|night| Some((night.clone(), night.json(&["manifest.json"]).ok()??)))
            .filter(|(_, manifest)| manifest["settings"].is_object())
            .collect();
        found.sort_by_key(|(night, manifest)| (manifest["begun"].as_u64().unwrap_or(0), night.name()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_way_leads_out() {
        let house = tempfile::tempdir().unwrap();
        let inside = house.path().join("nights");
        fs::create_dir_all(inside.join("one")).unwrap();
        fs::write(inside.join("one/manifest.json"), "{\"settings\":{},\"begun\":1}").unwrap();
        fs::write(house.path().join("secret.json"), "{}").unwrap();
        let place = Place::open(&inside, &[]).unwrap();
        assert!(place.night("one").is_ok());
        for name in ["..", "../nights/one", "one/..", "", ".", "%2e%2e", "one\0", "/etc", "..%2fsecret"] {
            assert!(place.night(name).is_err(), "{name:?}");
            assert!(place.nights.file(&["one", name, "secret.json"]).is_err(), "{name:?}");
        }
        assert!(place.nights.file(&["..", "secret.json"]).is_err());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(house.path(), inside.join("out")).unwrap();
            std::os::unix::fs::symlink(house.path().join("secret.json"), inside.join("one/leak.json"))
                .unwrap();
            std::os::unix::fs::symlink(inside.join("one"), inside.join("champion")).unwrap();
            assert!(place.nights.file(&["out", "secret.json"]).is_err(), "a link out");
            assert!(place.nights.file(&["one", "leak.json"]).is_err(), "a linked file");
            assert!(place.nights.file(&["champion", "manifest.json"]).is_ok(), "a link inside");
        }
    }
}
