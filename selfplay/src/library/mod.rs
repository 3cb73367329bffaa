//! A library of games: which records there are, where they lie, and where they come from.
//!
//! The [`Catalogue`] is one file of text. It names records by a hash of their bytes, so that a file may lie in many
//! places and is still one entry; it holds no game itself. Two catalogues add to a third one, which has the same
//! bytes in whatever order they are added: an entry's places are a set, and where two say different things about one
//! record the lesser text counts. A record that was dropped stays named as dropped, or the next addition would
//! bring it back.

mod catalogue;
mod entry;
mod window;

pub use catalogue::{Catalogue, CatalogueError};
pub use entry::{Entry, Origin, content_hash};
pub use window::{Taken, Window};
