//! How the games of a block become bytes and come back: all that a record of one game has of its own.

use super::block;
use super::frame::BlockHead;
use super::game::GameRecord;

/// The games of a block, there and back. The same games are always the same bytes.
pub trait BlockCodec: Send + Sync {
    /// A game.
    type Game: Clone + Send;
    /// Its number.
    fn id(game: &Self::Game) -> u64;
    /// The bytes of a block, head and frame. The ids of the games follow each other.
    fn encode(&self, games: &[Self::Game]) -> Vec<u8>;
    /// The games of a frame.
    fn decode(&self, head: &BlockHead, frame: &[u8]) -> Result<Vec<Self::Game>, String>;
}

/// Chess.
pub struct ChessCodec;

impl BlockCodec for ChessCodec {
    type Game = GameRecord;

    fn id(game: &GameRecord) -> u64 {
        game.id
    }

    fn encode(&self, games: &[GameRecord]) -> Vec<u8> {
        block::encode(games)
    }

    fn decode(&self, head: &BlockHead, frame: &[u8]) -> Result<Vec<GameRecord>, String> {
        Ok(block::decode(head, frame)?.into_iter().map(|(game, _)| game).collect())
    }
}
