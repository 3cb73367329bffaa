//! A player of a game as the command line names it: `self:weights=w.toml,book=b.exp,search=mcts,nodes=400,name=new`.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use engine::book::experience::ExperienceError;

use super::Game;
use super::play::GamePlayer;
use super::search::knowledge::open_book;
use super::search::{Knowledge, SearchKind};
use super::weights::{Weights, WeightsError};

/// What was written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlayerSpec {
    /// What to call it.
    pub name: String,
    /// Its search, if not the game's usual one.
    pub search: Option<SearchKind>,
    /// Its nodes for each action, if not those of all.
    pub nodes: Option<u64>,
    /// Its weights.
    pub weights: Option<PathBuf>,
    /// Its book.
    pub book: Option<PathBuf>,
}

/// Why there is no such player.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// Not written as expected.
    #[error(
        "'{text}': {reason}; write self[:name=N,search=alphabeta|mcts|random,nodes=N,weights=FILE,book=FILE]"
    )]
    Form {
        /// What was written.
        text: String,
        /// What is wrong.
        reason: String,
    },
    /// Its weights cannot be used.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The game has nothing that weights could be for.
    #[error("{path}: {game} has no features, so it has no weights; a book can be learned for it")]
    NoFeatures {
        /// The weights.
        path: PathBuf,
        /// The game.
        game: &'static str,
    },
    /// Its book cannot be used.
    #[error("{path}: {cause}")]
    Book {
        /// The book.
        path: PathBuf,
        /// What is wrong.
        cause: ExperienceError,
    },
}

impl FromStr for PlayerSpec {
    type Err = PlayerError;

    fn from_str(text: &str) -> Result<PlayerSpec, PlayerError> {
        let wrong = |reason: String| PlayerError::Form { text: text.to_string(), reason };
        let settings = match text.strip_prefix("self") {
            Some("") => "",
            Some(rest) => {
                rest.strip_prefix(':').ok_or_else(|| wrong("a colon comes after self".to_string()))?
            }
            None => return Err(wrong("players of games other than chess begin with self".to_string())),
        };
        let mut spec = PlayerSpec::default();
        for part in settings.split(',').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| wrong(format!("'{part}' has no =")))?;
            match key {
                "name" => spec.name = value.to_string(),
                "search" => spec.search = Some(value.parse().map_err(wrong)?),
                "nodes" => {
                    let nodes = value.parse().ok().filter(|nodes| (1..=1_000_000_000).contains(nodes));
                    spec.nodes =
                        Some(nodes.ok_or_else(|| wrong(format!("nodes={value} is no number from 1 on")))?);
                }
                "weights" => spec.weights = Some(value.into()),
                "book" => spec.book = Some(value.into()),
                _ => return Err(wrong(format!("nothing is called '{key}'"))),
            }
        }
        if spec.name.is_empty() {
            spec.name = if settings.is_empty() { "self".to_string() } else { settings.to_string() };
        }
        Ok(spec)
    }
}

impl PlayerSpec {
    /// Opens what the player knows.
    pub fn load<G: Game>(&self, game: &G, nodes: u64) -> Result<GamePlayer, PlayerError> {
        Ok(GamePlayer {
            search: self.search.unwrap_or_else(|| SearchKind::usual(game)),
            nodes: self.nodes.unwrap_or(nodes),
            knowledge: load_knowledge(game, self.weights.as_deref(), self.book.as_deref())?,
        })
    }

    /// The files it depends on.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.weights.iter().chain(&self.book)
    }
}

/// Opens weights and book, both if they are named.
pub fn load_knowledge<G: Game>(
    game: &G,
    weights: Option<&Path>,
    book: Option<&Path>,
) -> Result<Knowledge, PlayerError> {
    let read = |path: &Path| {
        if game.feature_names().is_empty() && G::ACTION_FEATURES.is_empty() {
            return Err(PlayerError::NoFeatures { path: path.to_path_buf(), game: G::NAME });
        }
        Ok(Arc::new(Weights::read(game, path)?))
    };
    let open = |path: &Path| {
        let opened = open_book(game, path);
        opened.map(Arc::new).map_err(|cause| PlayerError::Book { path: path.to_path_buf(), cause })
    };
    Ok(Knowledge { weights: weights.map(read).transpose()?, book: book.map(open).transpose()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_read_and_refused() {
        let spec: PlayerSpec =
            "self:name=new,search=mcts,nodes=40,weights=a.toml,book=b.exp".parse().unwrap();
        assert_eq!((spec.name.as_str(), spec.search, spec.nodes), ("new", Some(SearchKind::Mcts), Some(40)));
        assert_eq!(spec.files().count(), 2);
        assert_eq!("self".parse::<PlayerSpec>().unwrap().name, "self");
        for (text, reason) in [
            ("", "begin with self"),
            ("cmd=x", "begin with self"),
            ("selfish", "a colon"),
            ("self:nodes", "has no ="),
            ("self:nodes=0", "from 1 on"),
            ("self:nodes=many", "from 1 on"),
            ("self:search=deep", "is no search"),
            ("self:colour=red", "nothing is called"),
        ] {
            let message = text.parse::<PlayerSpec>().unwrap_err().to_string();
            assert!(message.contains(reason), "{text}: {message}");
        }
    }
}
