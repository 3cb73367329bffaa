//! Which games a book has learned: so that none is learned twice.

use std::fmt;

/// Bytes of a span in the file.
pub(super) const SPAN_BYTES: usize = 16;

/// Games of one source: a run of self-play, a PGN file, a log.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// A hash of all that the games of the source depend on.
    pub source: u64,
    /// The number of the first game.
    pub first: u32,
    /// The number behind the last game.
    pub end: u32,
}

impl Span {
    /// Games in it.
    pub fn games(&self) -> u64 {
        u64::from(self.end.saturating_sub(self.first))
    }

    fn meets(&self, other: &Span) -> bool {
        self.source == other.source && self.first < other.end && other.first < self.end
    }

    pub(super) fn to_bytes(self) -> [u8; SPAN_BYTES] {
        let mut bytes = [0; SPAN_BYTES];
        bytes[..8].copy_from_slice(&self.source.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.first.to_le_bytes());
        bytes[12..].copy_from_slice(&self.end.to_le_bytes());
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; SPAN_BYTES]) -> Span {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Span { source: u64::from(word(0)) | u64::from(word(4)) << 32, first: word(8), end: word(12) }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "games {} to {} of source {:016x}", self.first, self.end.saturating_sub(1), self.source)
    }
}

/// The games a book has learned: sorted, apart, and joined where they touch, so that the same games are
/// always the same spans, however they came.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Learned {
    spans: Vec<Span>,
}

impl Learned {
    /// Spans in any order. They may touch, not overlap: then the pair that does is the error.
    pub fn new(mut spans: Vec<Span>) -> Result<Learned, [Span; 2]> {
        spans.retain(|span| span.first < span.end);
        spans.sort_unstable();
        let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
        for span in spans {
            match joined.last_mut() {
                Some(last) if last.meets(&span) => return Err([*last, span]),
                Some(last) if last.source == span.source && last.end == span.first => last.end = span.end,
                _ => joined.push(span),
            }
        }
        Ok(Learned { spans: joined })
    }

    /// All of them, sorted.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// What of a span is not learned yet.
    pub fn missing(&self, wanted: Span) -> Vec<Span> {
        let mut missing = Vec::new();
        let mut from = wanted.first;
        for known in self.spans.iter().filter(|known| known.meets(&wanted)) {
            if from < known.first {
                missing.push(Span { first: from, end: known.first, ..wanted });
            }
            from = from.max(known.end);
        }
        if from < wanted.end {
            missing.push(Span { first: from, ..wanted });
        }
        missing
    }

    /// Adds a span of which nothing was learned before; else the two that overlap are the error.
    pub fn add(&mut self, span: Span) -> Result<(), [Span; 2]> {
        let spans = self.spans.iter().copied().chain([span]).collect();
        *self = Learned::new(spans)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::zobrist::splitmix64;

    fn span(source: u64, first: u32, end: u32) -> Span {
        Span { source, first, end }
    }

    #[test]
    fn spans_that_touch_become_one_in_any_order() {
        let mut parts: Vec<Span> = (0..10).map(|n| span(7, n * 5, n * 5 + 5)).collect();
        let mut state = 1;
        for _ in 0..50 {
            let at = splitmix64(&mut state) as usize % parts.len();
            parts.rotate_left(at);
            let mut learned = Learned::default();
            for &part in &parts {
                learned.add(part).unwrap();
            }
            assert_eq!(learned.spans(), [span(7, 0, 50)]);
        }
    }

    #[test]
    fn what_is_missing_lies_between_what_is_known() {
        let learned = Learned::new(vec![span(1, 10, 20), span(1, 30, 40), span(2, 0, 100)]).unwrap();
        assert_eq!(learned.missing(span(1, 0, 50)), [span(1, 0, 10), span(1, 20, 30), span(1, 40, 50)]);
        assert_eq!(learned.missing(span(1, 12, 18)), []);
        assert_eq!(learned.missing(span(3, 5, 6)), [span(3, 5, 6)]);
    }

    #[test]
    fn overlaps_are_refused_and_nothing_changes() {
        let mut learned = Learned::new(vec![span(1, 10, 20)]).unwrap();
        assert_eq!(learned.add(span(1, 19, 21)), Err([span(1, 10, 20), span(1, 19, 21)]));
        assert_eq!(learned.spans(), [span(1, 10, 20)]);
        assert!(learned.add(span(2, 10, 20)).is_ok());
    }

    #[test]
    fn bytes_round_trip() {
        let wanted = span(0x0123_4567_89AB_CDEF, 3, u32::MAX);
        assert_eq!(Span::from_bytes(&wanted.to_bytes()), wanted);
    }
}
