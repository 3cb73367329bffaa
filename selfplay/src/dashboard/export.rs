//! The same pages as files, for any web server or none: data are scripts, which a page may read from a disk.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::assets::ASSETS;
use super::problem::Problem;
use super::request::Request;
use super::state::Dashboard;

/// What was written.
#[derive(Default, Debug)]
pub struct Exported {
    /// Files.
    pub files: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Games with a page of their own.
    pub games: u64,
}

struct Export<'a> {
    dashboard: &'a Dashboard,
    out: PathBuf,
    /// Games of each set that get a page.
    most_games: usize,
    done: Exported,
    written: HashSet<String>,
}

/// Writes the pages into a folder that is new, or holds an earlier export.
pub fn export(dashboard: &Dashboard, out: &Path, most_games: usize) -> Result<Exported, Problem> {
    check_folder(out)?;
    let mut export = Export {
        dashboard,
        out: out.to_path_buf(),
        most_games,
        done: Exported::default(),
        written: HashSet::new(),
    };
    export.assets()?;
    let overview = export.page(&Request::Overview)?;
    for request in [Request::Tests, Request::Weights] {
        export.page(&request)?;
    }
    for night in overview["nights"].as_array().map(Vec::as_slice).unwrap_or_default() {
        if let Some(name) = night["name"].as_str() {
            export.night(name)?;
        }
    }
    for record in overview["other_games"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let (Some(id), Some(first), Some(end)) =
            (record["id"].as_str(), record["first"].as_u64(), record["end"].as_u64())
        else {
            continue;
        };
        for game in (first..end).take(most_games) {
            export.page(&Request::Other(id.to_string(), game))?;
        }
    }
    Ok(export.done)
}

/// Nothing of anybody else is overwritten.
fn check_folder(out: &Path) -> Result<(), Problem> {
    let is_full = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some());
    if is_full && !out.join("data").join("overview.js").exists() {
        return Err(Problem::of_file(out, "this folder holds other files; name a new one"));
    }
    fs::create_dir_all(out.join("data")).map_err(|error| Problem::of_file(out, error))
}

impl Export<'_> {
    fn assets(&mut self) -> Result<(), Problem> {
        for asset in ASSETS {
            let way = if asset.name == "index.html" { String::new() } else { "assets/".to_string() };
            let (_, text) = super::assets::find(asset.name).unwrap_or((asset.kind, asset.text.to_string()));
            // The page learns from its mark that there is no server behind it.
            let text = match asset.name {
                "index.html" => text.replace("<html ", "<html data-export=\"yes\" "),
                _ => text,
            };
            self.write(&format!("{way}{}", asset.name), &text)?;
        }
        Ok(())
    }

    fn night(&mut self, name: &str) -> Result<(), Problem> {
        let night = self.page(&Request::Night(name.to_string()))?;
        for generation in night["generations"].as_array().map(Vec::as_slice).unwrap_or_default() {
            if let Some(generation) = generation["generation"].as_u64()
                && !night["generations"][generation as usize - 1]["fit"].is_null()
            {
                self.page(&Request::Tuning(name.to_string(), generation))?;
            }
        }
        for log in night["logs"].as_array().map(Vec::as_slice).unwrap_or_default() {
            if let Some(log) = log.as_str() {
                self.page(&Request::Log(name.to_string(), log.to_string()))?;
            }
        }
        for set in night["sets"].as_array().map(Vec::as_slice).unwrap_or_default() {
            if let Some(set) = set["name"].as_str() {
                self.set(name, set)?;
            }
        }
        Ok(())
    }

    fn set(&mut self, night: &str, set: &str) -> Result<(), Problem> {
        let (mut chunk, mut left) = (0, self.most_games);
        loop {
            let page = self.page(&Request::Games(night.to_string(), set.to_string(), chunk))?;
            let rows = page["rows"].as_array().map(Vec::as_slice).unwrap_or_default();
            for row in rows.iter().take(left) {
                if let Some(id) = row[0].as_u64() {
                    self.page(&Request::Game(night.to_string(), set.to_string(), id))?;
                    self.done.games += 1;
                }
            }
            left = left.saturating_sub(rows.len());
            chunk += 1;
            if chunk as u64 >= page["chunks"].as_u64().unwrap_or(0) {
                return Ok(());
            }
        }
    }

    /// Writes an answer, and gives it. What cannot be answered is a page that says why.
    fn page(&mut self, request: &Request) -> Result<Value, Problem> {
        let told =
            request.answer(self.dashboard).unwrap_or_else(|problem| json!({"error": problem.to_string()}));
        let address = request.address();
        if self.written.insert(address.clone()) {
            let text = format!("tabulaData({}, {told});\n", json!(address));
            self.write(&format!("data/{address}.js"), &text)?;
        }
        Ok(told)
    }

    fn write(&mut self, name: &str, text: &str) -> Result<(), Problem> {
        let path = self.out.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| Problem::of_file(folder, error))?;
        }
        fs::write(&path, text).map_err(|error| Problem::of_file(&path, error))?;
        self.done.files += 1;
        self.done.bytes += text.len() as u64;
        Ok(())
    }
}
