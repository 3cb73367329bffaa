//! Perft: how many lines of a given length there are. The proof of a move generator.

use super::Board;

impl Board {
    /// Counts the leaves of the legal tree, the last ply without making its moves.
    pub fn perft(&mut self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => self.count_legal_moves(),
            _ => {
                let mut nodes = 0;
                for &m in self.legal_moves().iter() {
                    self.make(m);
                    nodes += self.perft(depth - 1);
                    self.unmake();
                }
                nodes
            }
        }
    }
}
