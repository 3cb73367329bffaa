//! Adding books: any order, any grouping, the same bytes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use super::{Action, DamagedBlock, ExperienceBook, Learned, Row, Span, WriteError, write_book};

/// Why books cannot be added.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// None given.
    #[error("there is no book to merge")]
    Nothing,
    /// Their scores mean different things.
    #[error("{a} and {b} do not mix: {reason}")]
    Unlike {
        /// One.
        a: PathBuf,
        /// The other.
        b: PathBuf,
        /// What differs.
        reason: String,
    },
    /// Several learned the same games: their sums would count them twice.
    #[error("the books overlap: {0} and {1}; learn each game into one of them only")]
    Shared(Span, Span),
    /// A book has lost rows.
    #[error("{path}: {damage}; `selfplay book repair` makes a whole book of the rest")]
    Damaged {
        /// The book.
        path: PathBuf,
        /// Where.
        damage: DamagedBlock,
    },
    /// The sum cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Adds books into a new one; the rows written.
pub fn merge(books: &[ExperienceBook], out: &Path) -> Result<u64, MergeError> {
    let first = books.first().ok_or(MergeError::Nothing)?;
    let mut header = first.header().clone();
    let mut spans = header.learned.spans().to_vec();
    for book in &books[1..] {
        header.mixes_with(book.header()).map_err(|reason| MergeError::Unlike {
            a: first.path().to_path_buf(),
            b: book.path().to_path_buf(),
            reason,
        })?;
        header.games += book.header().games;
        spans.extend(book.header().learned.spans());
    }
    header.learned = Learned::new(spans).map_err(|[a, b]| MergeError::Shared(a, b))?;
    // Damage is looked for first: a sum without the lost rows must not look whole.
    for book in books {
        if let Some(damage) = book.rows().find_map(Result::err) {
            return Err(MergeError::Damaged { path: book.path().to_path_buf(), damage });
        }
    }
    let sources = books.iter().map(|book| book.rows().flatten()).collect();
    Ok(write_book(out, &header, merge_sorted(sources))?)
}

/// Rows of several sorted sources as one, rows of the same move added.
pub fn merge_sorted<A: Action, I: Iterator<Item = Row<A>>>(sources: Vec<I>) -> impl Iterator<Item = Row<A>> {
    let mut sources: Vec<Peekable<I>> = sources.into_iter().map(Iterator::peekable).collect();
    let mut heads: BinaryHeap<Reverse<((u64, u16), usize)>> = sources
        .iter_mut()
        .enumerate()
        .filter_map(|(number, source)| source.peek().map(|row| Reverse((row.place(), number))))
        .collect();
    std::iter::from_fn(move || {
        let mut sum: Option<Row<A>> = None;
        while let Some(mut head) = heads.peek_mut() {
            let Reverse((place, number)) = *head;
            if sum.is_some_and(|sum| sum.place() != place) {
                break;
            }
            let row = sources[number].next()?;
            match &mut sum {
                Some(sum) => sum.absorb(&row),
                None => sum = Some(row),
            }
            match sources[number].peek() {
                Some(next) => *head = Reverse((next.place(), number)),
                None => _ = PeekMut::pop(head),
            }
        }
        sum
    })
}
