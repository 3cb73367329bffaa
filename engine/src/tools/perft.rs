//! Perft with all it takes to be useful: by first move, on several threads, with a hash table.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use crate::board::Board;
use crate::search::has_room;
use crate::types::Move;

/// The deepest that can be asked for. With a hash table, endings get this far in reasonable time, and
/// their counts still mostly fit 64 bits.
pub const MAX_DEPTH: u32 = 30;

/// How a count is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerftRequest {
    /// Plies.
    pub depth: u32,
    /// Print the count below each root move.
    pub divide: bool,
    /// Threads that share the work.
    pub threads: usize,
    /// Size of the table of known counts in MB; 0: none.
    pub hash_mb: usize,
}

impl Default for PerftRequest {
    fn default() -> PerftRequest {
        PerftRequest { depth: 5, divide: false, threads: 1, hash_mb: 0 }
    }
}

/// Counts, prints what was asked for, and returns the closing line.
pub fn run(
    board: &Board,
    request: &PerftRequest,
    chess960: bool,
    cancel: &AtomicBool,
    print: &mut dyn FnMut(&str),
) -> Result<String, String> {
    let table = match request.hash_mb {
        0 => None,
        megabytes => Some(CountTable::new(megabytes)?),
    };
    let start = Instant::now();
    let counts = divide(board, request.depth, request.threads, table.as_ref(), cancel);
    let seconds = start.elapsed().as_secs_f64();
    if cancel.load(Ordering::Acquire) {
        return Err("perft: stopped before its end".to_string());
    }
    if request.divide {
        for (m, nodes) in &counts {
            print(&format!("{}: {nodes}", board.uci(*m, chess960)));
        }
        print("");
    }
    let nodes = match request.depth {
        0 => 1,
        _ => counts.iter().fold(0u64, |sum, (_, nodes)| sum.saturating_add(*nodes)),
    };
    let at_least = if nodes == u64::MAX { "at least " } else { "" };
    print(&format!("Nodes searched: {at_least}{nodes}"));
    Ok(format!("Time: {seconds:.3} s, {:.1} Mn/s", nodes as f64 / seconds.max(1e-9) / 1e6))
}

/// Counts the lines below each root move. After a cancellation the counts are incomplete.
///
/// The work is cut into lines of two moves, or three where there are few: several hundred pieces, taken
/// by whichever thread is free. Cut at the root alone, twenty pieces of unequal size would leave one
/// thread waiting for the other.
pub fn divide(
    board: &Board,
    depth: u32,
    threads: usize,
    table: Option<&CountTable>,
    cancel: &AtomicBool,
) -> Vec<(Move, u64)> {
    let root_moves = board.legal_moves();
    if depth == 0 {
        return Vec::new();
    }
    let pieces = cut(board, depth, threads);
    let next_piece = AtomicUsize::new(0);
    let totals: Vec<AtomicU64> = root_moves.iter().map(|_| AtomicU64::new(0)).collect();
    let work = || {
        let mut board = board.clone();
        while let Some(piece) = pieces.get(next_piece.fetch_add(1, Ordering::Relaxed))
            && !cancel.load(Ordering::Relaxed)
        {
            for &m in &piece.line {
                board.make(m);
            }
            let nodes = count(&mut board, depth - piece.line.len() as u32, table, cancel);
            for _ in &piece.line {
                board.unmake();
            }
            let total = &totals[piece.root_index];
            // Two threads may work below one root move. The closure always returns Some, so this
            // cannot fail.
            let _ = total
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |sum| Some(sum.saturating_add(nodes)));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.clamp(1, pieces.len().max(1)) {
            // Without a thread that the system refuses it takes longer.
            if !has_room() || std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    root_moves.iter().copied().zip(totals.into_iter().map(AtomicU64::into_inner)).collect()
}

/// A piece of the work: the lines that begin like this.
struct WorkPiece {
    root_index: usize,
    line: Vec<Move>,
}

/// Cuts the tree into enough pieces to keep every thread busy to the end.
fn cut(board: &Board, depth: u32, threads: usize) -> Vec<WorkPiece> {
    const PIECES_A_THREAD: usize = 64;
    /// Below this there is nothing to share out.
    const LEAST_DEPTH_LEFT: u32 = 2;
    let root_moves = board.legal_moves();
    let root_piece = |(root_index, &m)| WorkPiece { root_index, line: vec![m] };
    let mut pieces: Vec<WorkPiece> = root_moves.iter().enumerate().map(root_piece).collect();
    if threads == 1 {
        return pieces;
    }
    let mut board = board.clone();
    for plies in 2..=4 {
        if plies + LEAST_DEPTH_LEFT > depth || (plies > 2 && pieces.len() >= PIECES_A_THREAD * threads) {
            break;
        }
        let mut finer = Vec::new();
        for piece in pieces {
            for &m in &piece.line {
                board.make(m);
            }
            for &m in board.legal_moves().iter() {
                let line = [&piece.line[..], &[m]].concat();
                finer.push(WorkPiece { root_index: piece.root_index, line });
            }
            for _ in &piece.line {
                board.unmake();
            }
        }
        pieces = finer;
    }
    pieces
}

/// Counts the leaves below a position.
fn count(board: &mut Board, depth: u32, table: Option<&CountTable>, cancel: &AtomicBool) -> u64 {
    /// Trees this flat are counted without looking up: at two plies a look-up costs more than it saves
    /// only without a table, and a cancellation is soon enough noticed above.
    const FLAT: u32 = 3;
    if depth <= 1 || (table.is_none() && depth <= FLAT) {
        return board.perft(depth);
    }
    if let Some(nodes) = table.and_then(|table| table.get(board.key(), depth)) {
        return nodes;
    }
    let mut nodes = 0u64;
    for &m in board.legal_moves().iter() {
        if depth > FLAT && cancel.load(Ordering::Relaxed) {
            return nodes;
        }
        board.make(m);
        nodes = nodes.saturating_add(count(board, depth - 1, table, cancel));
        board.unmake();
    }
    // After a cancellation some counts below may be short; such a sum must not be kept.
    if let Some(table) = table
        && !(depth > FLAT && cancel.load(Ordering::Relaxed))
    {
        table.put(board.key(), depth, nodes);
    }
    nodes
}

/// Counts that are known, by position and depth. Threads share it without locks: an entry is two
/// words, the second the count and depth, the first the key xor the second. A torn write makes words
/// that do not fit together, and the look-up misses.
pub struct CountTable {
    entries: Vec<[AtomicU64; 2]>,
}

impl CountTable {
    const DEPTH_BITS: u32 = 5;

    /// A table of at most this many MB.
    pub fn new(megabytes: usize) -> Result<CountTable, String> {
        let len = (megabytes << 20) / size_of::<[AtomicU64; 2]>();
        let mut entries = Vec::new();
        entries.try_reserve_exact(len).map_err(|error| {
            format!("perft: no memory for a hash of {megabytes} MB ({error}); ask for less")
        })?;
        entries.resize_with(len, Default::default);
        Ok(CountTable { entries })
    }

    fn entry(&self, key: u64, depth: u32) -> &[AtomicU64; 2] {
        // Spread the depths of one position over the table, then scale the hash to its length.
        let mixed = key.wrapping_add(u64::from(depth).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        &self.entries[((u128::from(mixed) * self.entries.len() as u128) >> 64) as usize]
    }

    fn get(&self, key: u64, depth: u32) -> Option<u64> {
        let [check, data] = self.entry(key, depth);
        let data = data.load(Ordering::Relaxed);
        let fits = check.load(Ordering::Relaxed) ^ data == key
            && data & ((1 << CountTable::DEPTH_BITS) - 1) == u64::from(depth);
        fits.then_some(data >> CountTable::DEPTH_BITS)
    }

    fn put(&self, key: u64, depth: u32, nodes: u64) {
        if nodes >> (64 - CountTable::DEPTH_BITS) != 0 {
            return; // does not fit; rather count again than be wrong
        }
        let [check, data] = self.entry(key, depth);
        let word = nodes << CountTable::DEPTH_BITS | u64::from(depth);
        check.store(key ^ word, Ordering::Relaxed);
        data.store(word, Ordering::Relaxed);
    }
}

const _: () = assert!(MAX_DEPTH < 1 << CountTable::DEPTH_BITS);

#[cfg(test)]
mod tests {
    use super::*;

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    fn total(fen: &str, depth: u32, threads: usize, hash_mb: usize) -> u64 {
        let board = Board::from_fen(fen).expect("a test position");
        let table = (hash_mb > 0).then(|| CountTable::new(hash_mb).expect("a small table"));
        divide(&board, depth, threads, table.as_ref(), &AtomicBool::new(false)).iter().map(|(_, n)| n).sum()
    }

    #[test]
    fn every_way_of_counting_counts_the_same() {
        for threads in [1, 2, 3] {
            for hash_mb in [0, 1] {
                assert_eq!(
                    total(KIWIPETE, 4, threads, hash_mb),
                    4_085_603,
                    "{threads} threads, {hash_mb} MB"
                );
                assert_eq!(total(KIWIPETE, 1, threads, hash_mb), 48);
            }
        }
    }

    #[test]
    fn no_piece_of_work_is_lost_when_lines_end_early() {
        // Half of the lines end in mate or stalemate before the depth is reached.
        let fen = "7k/8/5KQ1/8/8/8/8/8 w - - 0 1";
        let board = Board::from_fen(fen).expect("a test position");
        for depth in 1..=6 {
            assert_eq!(total(fen, depth, 3, 0), board.clone().perft(depth), "depth {depth}");
        }
    }

    #[test]
    fn divide_names_each_root_move() {
        let counts = divide(&Board::start(), 3, 2, None, &AtomicBool::new(false));
        assert_eq!(counts.len(), 20);
        let of = |text: &str| {
            let m = Board::start().parse_uci(text).expect("legal");
            counts.iter().find(|(other, _)| *other == m).map(|(_, nodes)| *nodes)
        };
        assert_eq!((of("e2e4"), of("a2a3"), of("b1c3")), (Some(600), Some(380), Some(440)));
    }

    #[test]
    fn a_mated_position_has_no_lines_and_depth_zero_one() {
        let mated =
            Board::from_fen("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3").expect("valid");
        let text = |board: &Board, depth| {
            let mut lines = Vec::new();
            let request = PerftRequest { depth, ..PerftRequest::default() };
            run(board, &request, false, &AtomicBool::new(false), &mut |line| lines.push(line.to_string()))
                .expect("no table, no failure");
            lines.join("\n")
        };
        assert_eq!(text(&mated, 3), "Nodes searched: 0");
        assert_eq!(text(&mated, 0), "Nodes searched: 1");
    }

    #[test]
    fn a_cancelled_count_says_so_and_spoils_no_table() {
        let request = PerftRequest { depth: 9, threads: 2, ..PerftRequest::default() };
        let result = run(&Board::start(), &request, false, &AtomicBool::new(true), &mut |_| {});
        assert!(result.is_err());
        let table = CountTable::new(1).expect("a small table");
        count(&mut Board::start(), 5, Some(&table), &AtomicBool::new(true));
        assert_eq!(table.get(Board::start().key(), 5), None);
    }

    #[test]
    fn counts_too_large_for_an_entry_are_not_kept() {
        let table = CountTable::new(1).expect("a small table");
        table.put(7, 3, 1 << 59);
        assert_eq!(table.get(7, 3), None);
        table.put(7, 3, (1 << 59) - 1);
        assert_eq!(table.get(7, 3), Some((1 << 59) - 1));
        assert_eq!(table.get(7, 4), None);
    }

    #[test]
    fn a_table_beyond_memory_is_refused() {
        assert!(CountTable::new(usize::MAX >> 21).is_err());
    }
}
