//! Randomness that is the same on every machine and for ever: a game's dice depend on the seed and the
//! number of the game alone.

use rand::Rng;
use rand_pcg::Pcg64;
use xxhash_rust::xxh64::xxh64;

/// The dice of one game. What they show is computed here and not by a library's distributions, whose
/// results may change from version to version.
pub struct Dice(Pcg64);

impl Dice {
    /// For one game of a run.
    pub fn for_game(seed: u64, game: u64) -> Dice {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..].copy_from_slice(&game.to_le_bytes());
        let word = |salt| u128::from(xxh64(&bytes, salt));
        Dice(Pcg64::new(word(0) << 64 | word(1), word(2) << 64 | word(3)))
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // The high half of a product: its bias is below 2^-32 for all bounds in use.
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// One of the items of a slice that is not empty.
    pub fn choose<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    /// Puts items into any order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in (1..items.len()).rev() {
            items.swap(place, self.below(place as u64 + 1) as usize);
        }
    }

    /// Whether something with this chance in a million happens.
    pub fn happens(&mut self, millionths: u32) -> bool {
        self.below(1_000_000) < u64::from(millionths)
    }

    /// An index, drawn by its weight; the weights are not all 0.
    pub fn weighted(&mut self, weights: &[u64]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (index, &weight) in weights.iter().enumerate() {
            if left < weight {
                return index;
            }
            left -= weight;
        }
        unreachable!("the number drawn is below the sum")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_pinned() {
        // Games can be made again only while these numbers stay.
        let first = |seed, game| Dice::for_game(seed, game).below(1 << 32);
        assert_eq!([first(1, 0), first(1, 1), first(2, 0)], [153_016_515, 718_287_934, 3_431_399_193]);
    }

    #[test]
    fn weights_are_kept() {
        let mut dice = Dice::for_game(3, 3);
        let mut counts = [0; 3];
        (0..60_000).for_each(|_| counts[dice.weighted(&[1, 0, 5])] += 1);
        assert!(counts[1] == 0 && (9_500..10_500).contains(&counts[0]), "{counts:?}");
    }
}
