//! Games read from a text that may be anything, or from a record of self-play.

use std::ops::ControlFlow;
use std::path::Path;

use super::game_profile::GameProfile;
use crate::pgn::{PgnGame, split_games};
use crate::record::{Header, RecordError, map_blocks};

/// What a text had in it.
#[derive(Debug, Default)]
pub struct ReadGames {
    /// The games that were understood and have a result.
    pub games: Vec<GameProfile>,
    /// Games without a result.
    pub unfinished: usize,
    /// Games that were refused: the line where they begin (from 1), and why.
    pub refused: Vec<(usize, String)>,
}

/// Reads the games of a PGN text. What cannot be understood is passed over and said.
pub fn read_games(text: &str) -> ReadGames {
    let mut read = ReadGames::default();
    for (line, text) in split_games(text) {
        let mut rest = text;
        // Without tags only a result tells where a game ends and the next begins.
        loop {
            match PgnGame::parse_first(rest) {
                Ok((game, after)) => {
                    match GameProfile::of(&game) {
                        Some(profile) => read.games.push(profile),
                        // Tags or comments alone at the end of a file are no game.
                        None if game.moves.is_empty() => {}
                        None => read.unfinished += 1,
                    }
                    rest = after.trim_start();
                }
                Err(error) => {
                    read.refused.push((line, error.to_string()));
                    break;
                }
            }
            if rest.is_empty() {
                break;
            }
        }
    }
    read
}

/// Reads the games of a record. Its player is called Tabula, and by its style if it has one.
pub fn read_record(path: &Path) -> Result<Vec<GameProfile>, RecordError> {
    let mut profiles = Vec::new();
    map_blocks(
        [path],
        |header, games| {
            let player = player_of(header);
            games.iter().map(|game| GameProfile::of_record(&player, game)).collect::<Vec<_>>()
        },
        |block| {
            profiles.extend(block);
            ControlFlow::Continue(())
        },
    )?;
    Ok(profiles)
}

fn player_of(header: &Header) -> String {
    let style = header.settings.lines().find_map(|line| line.strip_prefix("style="));
    match style.and_then(|text| text.split(' ').next()) {
        None | Some("normal" | "") => "Tabula".to_string(),
        Some(style) => format!("Tabula ({style})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_without_tags_and_games_that_are_wrong() {
        let text = "1. e4 e5 1-0\n\n1. d4 d5 2. c4 1/2-1/2 1. c4 *\n\n[White \"A\"]\n1. e5 1-0\n\n[White \"B\"]\n1. e4 0-1";
        let read = read_games(text);
        assert_eq!(read.games.len(), 3);
        assert_eq!(read.unfinished, 1);
        assert_eq!(read.refused.len(), 1);
        assert_eq!(read.refused[0].0, 5);
        assert_eq!(read.games[2].names[0], "B");
    }
}
