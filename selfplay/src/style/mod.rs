//! How someone plays, in figures: what games show of sacrifices, attacks, short wins and needless draws.
//!
//! [`GameProfile`] reads one game and says what each side did in it. [`StyleReport`] adds the games of each
//! player up and rates its [`Aggressiveness`].

mod aggressiveness;
mod game_profile;
mod games;
mod material;
mod report;

pub use aggressiveness::Aggressiveness;
pub use game_profile::{GameProfile, SideProfile};
pub use games::{ReadGames, read_games, read_record};
pub use material::Material;
pub use report::{PlayerStyle, SACRIFICE_SIZES, StyleReport};
