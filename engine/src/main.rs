//! The UCI engine `tabula`. Everything it does is in the library.

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let depth: u32 = args.get(1).and_then(|t| t.parse().ok()).unwrap_or(6);
    let mut board = match args.get(2) {
        Some(f) => engine::Board::from_fen(f).unwrap(),
        None => engine::Board::start(),
    };
    let t = std::time::Instant::now();
    let n = board.perft(depth);
    let s = t.elapsed().as_secs_f64();
    println!("{n} {:.1} Mn/s {}", n as f64 / s / 1e6, engine::board::attacks::fast_path());
}
