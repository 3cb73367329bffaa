//! Syzygy tablebases: what perfect play gives when few men are left.
//!
//! The crate shakmaty-syzygy reads the files. This room decides which files are used, turns our board
//! into its position when (and only when) a table is asked, and keeps what went wrong until somebody
//! tells the user: a table that is missing or damaged is said once, and the engine plays on without it.
//!
//! **WDL** tables know win, draw and loss under the fifty-move rule *for a position in which the count of
//! moves has just begun anew*. **DTZ** tables know the distance to the next capture or pawn move. The
//! search asks the first right after such a move; at the root the second say which moves keep the result
//! with the count as it stands ([`Tablebases::rank_root_moves`]).

use std::collections::HashSet;
use std::io::{self, Read};
use std::ops::Neg;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use shakmaty::{ByColor, ByRole, CastlingMode, Chess, FromSetup, PositionError};
use shakmaty_syzygy::filesystem::{Filesystem, RandomAccessFile, ReadHint};
use shakmaty_syzygy::{Metric, ProbeError, SyzygyError, Tablebase};

use crate::board::Board;
use crate::mapped_file::MappedFile;
use crate::regular_file;
use crate::types::{Bitboard, Color, Move, MoveList, PieceType, Value, value};

/// The most men that tables exist for.
pub const MAX_MEN: u32 = 7;

/// What separates the folders of `SyzygyPath`.
pub const PATH_SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// The result under the fifty-move rule, for the side to move, if the count of moves begins now.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wdl {
    /// Lost.
    Loss = -2,
    /// Lost but for the fifty-move rule.
    BlessedLoss = -1,
    /// Drawn.
    Draw = 0,
    /// Won but for the fifty-move rule.
    CursedWin = 1,
    /// Won.
    Win = 2,
}

impl Neg for Wdl {
    type Output = Wdl;

    fn neg(self) -> Wdl {
        match self {
            Wdl::Loss => Wdl::Win,
            Wdl::BlessedLoss => Wdl::CursedWin,
            Wdl::Draw => Wdl::Draw,
            Wdl::CursedWin => Wdl::BlessedLoss,
            Wdl::Win => Wdl::Loss,
        }
    }
}

impl From<shakmaty_syzygy::Wdl> for Wdl {
    fn from(wdl: shakmaty_syzygy::Wdl) -> Wdl {
        match wdl {
            shakmaty_syzygy::Wdl::Loss => Wdl::Loss,
            shakmaty_syzygy::Wdl::BlessedLoss => Wdl::BlessedLoss,
            shakmaty_syzygy::Wdl::Draw => Wdl::Draw,
            shakmaty_syzygy::Wdl::CursedWin => Wdl::CursedWin,
            shakmaty_syzygy::Wdl::Win => Wdl::Win,
        }
    }
}

/// A root move and what the tables say of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedMove {
    /// The move.
    pub m: Move,
    /// Moves of a higher rank are better for certain; among equals the search may choose.
    pub rank: i32,
    /// What it leads to, for the side that plays it.
    pub score: Value,
}

/// What the tables say of the moves at the root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RootRanking {
    /// Every move asked about, best first.
    pub moves: Vec<RankedMove>,
    /// Whether the distances were known. If not, the ranks are those of win, draw and loss alone, and
    /// nothing in them drives a win forward.
    pub by_distance: bool,
}

impl RootRanking {
    /// Whether the best move wins.
    pub fn is_won(&self) -> bool {
        self.moves.first().is_some_and(|best| best.score >= value::TB_WIN_IN_MAX)
    }
}

/// The rank of a move that wins for certain; that of a certain loss is minus this.
const CERTAIN: i32 = 1000;
/// From this rank up a move wins under the fifty-move rule: so far a hundred plies reach.
const WINS_IN_TIME: i32 = CERTAIN - 100;
/// What a result is worth that only the fifty-move rule takes away: hardly more than a draw.
pub const CURSED_WIN: Value = 2;

/// The rank of a move by the distance after it to the next capture or pawn move, positive if it wins.
/// `clock` is the count at the root; `repeated`, whether a position has come twice since it began.
fn rank_by_distance(dtz: i32, clock: i32, repeated: bool) -> i32 {
    match dtz {
        // Wins that stay within the hundred plies whatever the search picks are all alike, so that it may
        // pick the one that leads to mate. Distances may be one ply too small, so the last ply counts as
        // doubtful. Once a position has come twice there is no more leisure: the shortest way.
        1.. if dtz + clock < 100 && !repeated => CERTAIN,
        1.. => CERTAIN - (dtz + clock),
        0 => 0,
        // A loss that the other side has ample time for is a loss: let the search find the hardest one.
        _ if -2 * dtz + clock < 100 => -CERTAIN,
        _ => -CERTAIN + (-dtz + clock),
    }
}

/// The value of a rank. `fifty_moves`: whether that rule is in force.
fn score_of_rank(rank: i32, fifty_moves: bool) -> Value {
    let decisive = if fifty_moves { WINS_IN_TIME } else { 1 };
    match rank {
        _ if rank >= decisive => value::TB_WIN,
        _ if rank <= -decisive => -value::TB_WIN,
        0 => value::DRAW,
        _ => CURSED_WIN * rank.signum(),
    }
}

/// A kind of ending that there is a WDL table for.
struct Ending {
    material: Material,
    /// False after a fault: to open a damaged file again and again would cost time.
    usable: AtomicBool,
}

/// The men of both sides but the kings, four bits a kind: White's in the low half.
type Material = u64;

fn material_of(board: &Board) -> Material {
    const KINDS: [PieceType; 5] =
        [PieceType::Pawn, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Queen];
    let mut material = 0;
    for color in [Color::Black, Color::White] {
        for kind in KINDS {
            material = material << 4 | Material::from(board.pieces(color, kind).count());
        }
        if color == Color::Black {
            material <<= 12; // to the halves' boundary: five kinds take twenty bits
        }
    }
    material
}

/// The material of a table's name such as `KQPvKP`, and how many men it has. `None` if it is no such name.
fn material_of_name(name: &str) -> Option<(Material, u32)> {
    let (white, black) = name.split_once('v')?;
    let side = |letters: &str| -> Option<u64> {
        let mut counts = 0;
        for letter in letters.strip_prefix('K')?.chars() {
            let place = "QRBNP".find(letter)?;
            counts += 1 << (4 * place);
        }
        Some(counts)
    };
    let men = white.len() as u32 + black.len() as u32;
    if !(3..=MAX_MEN).contains(&men) {
        return None;
    }
    Some((side(white)? | side(black)? << 32, men))
}

/// The same with the colours exchanged.
fn mirrored(material: Material) -> Material {
    material.rotate_left(32)
}

/// The most sentences that are kept until somebody tells them.
const MOST_COMPLAINTS: usize = 20;

/// What went wrong and was not told yet.
#[derive(Default)]
struct Complaints {
    pending: Vec<String>,
    /// Tables that were already complained about.
    known: HashSet<String>,
    /// Of an incomplete set dozens may be missing; one is named.
    missing_known: bool,
}

/// The tables of some folders.
pub struct Tablebases {
    tables: Tablebase<Chess>,
    /// Sorted by material, each ending as both colours may have it.
    endings: Vec<Ending>,
    max_pieces: u32,
    wdl_files: usize,
    dtz_files: usize,
    complaints: Mutex<Complaints>,
}

impl std::fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tablebases({})", self.summary())
    }
}

impl Tablebases {
    /// The tables of these folders. What cannot be read or is plainly damaged is left out and complained
    /// about; files that are no tables are passed over. The tables themselves are read when they are
    /// first asked.
    pub fn open<P: AsRef<Path>>(folders: &[P]) -> Tablebases {
        let mut opened = Tablebases {
            tables: empty_tables(),
            endings: Vec::new(),
            max_pieces: 0,
            wdl_files: 0,
            dtz_files: 0,
            complaints: Mutex::default(),
        };
        let mut seen = HashSet::new();
        for folder in folders {
            match table_files(folder.as_ref()) {
                Ok(files) => {
                    for (path, table) in files {
                        // The first of several folders wins; the sides may be named in either order.
                        let sides = [table.material, mirrored(table.material)];
                        if !sides.iter().any(|&sides| seen.contains(&(sides, table.metric)))
                            && opened.add(&path, &table)
                        {
                            seen.insert((table.material, table.metric));
                        }
                    }
                }
                Err(cause) => {
                    opened.complain(format!("cannot read the folder {}: {cause}", folder.as_ref().display()))
                }
            }
        }
        opened.endings.sort_by_key(|ending| ending.material);
        opened
    }

    /// The folders of a path as the option has it.
    pub fn folders(path: &str) -> Vec<PathBuf> {
        path.split(PATH_SEPARATOR).map(str::trim).filter(|part| !part.is_empty()).map(PathBuf::from).collect()
    }

    /// Adds a table, or complains and returns false.
    fn add(&mut self, path: &Path, table: &TableName) -> bool {
        let checked = check_header(path, table)
            .and_then(|()| self.tables.add_file(path).map_err(|error| error.to_string()));
        if let Err(cause) = checked {
            self.complain(format!("{}: {cause}; it is not used", path.display()));
            return false;
        }
        match table.metric {
            Metric::Dtz => self.dtz_files += 1,
            Metric::Wdl => {
                self.wdl_files += 1;
                self.max_pieces = self.max_pieces.max(table.men);
                let ending = |material| Ending { material, usable: AtomicBool::new(true) };
                self.endings.push(ending(table.material));
                if mirrored(table.material) != table.material {
                    self.endings.push(ending(mirrored(table.material)));
                }
            }
        }
        true
    }

    /// The most men of any table; 0 if there is none.
    pub fn max_pieces(&self) -> u32 {
        self.max_pieces
    }

    /// What there is, in a few words.
    pub fn summary(&self) -> String {
        match self.max_pieces {
            0 => "no tables found".to_string(),
            most => format!("{} WDL and {} DTZ tables, up to {most} men", self.wdl_files, self.dtz_files),
        }
    }

    /// What went wrong since this was last asked, a sentence each. Nothing is said twice.
    pub fn take_complaints(&self) -> Vec<String> {
        std::mem::take(&mut self.complaints.lock().unwrap_or_else(PoisonError::into_inner).pending)
    }

    fn complain(&self, sentence: String) {
        let mut complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        // A path may name any number of folders that are not there.
        match complaints.pending.len() {
            0..MOST_COMPLAINTS => complaints.pending.push(sentence),
            MOST_COMPLAINTS => {
                complaints.pending.push("and more is wrong with other folders or files".to_string())
            }
            _ => {}
        }
    }

    /// The result of a position as if the count of the fifty-move rule began now. `None` with castling
    /// rights, too many men, or without a table that can be read.
    pub fn probe_wdl(&self, board: &Board) -> Option<Wdl> {
        let (position, ending) = match self.lookup(board)? {
            Lookup::BareKings => return Some(Wdl::Draw),
            Lookup::Table(position, ending) => (position, ending),
        };
        match self.tables.probe_wdl_after_zeroing(&position) {
            Ok(wdl) => Some(wdl.into()),
            Err(error) => self.fail(&error, ending),
        }
    }

    /// The plies to the next capture or pawn move that keeps the result, or to mate; perhaps one too few.
    /// Positive if the side to move wins, 0 for a draw, beyond ±100 if only the fifty-move rule saves the
    /// other side. `None` as with [`Tablebases::probe_wdl`].
    pub fn probe_dtz(&self, board: &Board) -> Option<i32> {
        let (position, ending) = match self.lookup(board)? {
            Lookup::BareKings => return Some(0),
            Lookup::Table(position, ending) => (position, ending),
        };
        match self.tables.probe_dtz(&position) {
            Ok(dtz) => Some(dtz.ignore_rounding().0),
            Err(error) => self.fail(&error, ending),
        }
    }

    /// Ranks moves of a position by what they keep of its result, best first, in view of its history.
    /// `None` if the tables do not know all of them.
    pub fn rank_root_moves(&self, board: &Board, moves: &[Move], fifty_moves: bool) -> Option<RootRanking> {
        if board.occupied().count() > self.max_pieces || moves.is_empty() {
            return None;
        }
        if has_castling(board) {
            return None;
        }
        let material = material_of(board);
        if material != 0 && self.ending(material).is_none() {
            self.miss("WDL", &name_of(board));
            return None;
        }
        let mut board = board.clone();
        if let Some(distances) = self.each_after(&mut board, moves, Tablebases::distance_after_move) {
            let (clock, repeated) = (i32::from(board.halfmove_clock()), board.has_repeated());
            let ranks = distances.iter().map(|&dtz| rank_by_distance(dtz, clock, repeated));
            let mut ranked: Vec<(i32, RankedMove)> = moves
                .iter()
                .zip(ranks)
                .zip(&distances)
                .map(|((&m, rank), &dtz)| {
                    (dtz, RankedMove { m, rank, score: score_of_rank(rank, fifty_moves) })
                })
                .collect();
            // Among equals the nearest first: it is played if there is no time to search at all. A loss
            // is put off as long as possible.
            ranked.sort_by_key(|&(dtz, ranked)| (std::cmp::Reverse(ranked.rank), dtz));
            let moves = ranked.into_iter().map(|(_, ranked)| ranked).collect();
            return Some(RootRanking { moves, by_distance: true });
        }
        let results = self.each_after(&mut board, moves, |tables, board| {
            if is_drawn_by_history(board) { Some(Wdl::Draw) } else { tables.probe_wdl(board).map(Neg::neg) }
        })?;
        let rank = |wdl: Wdl| match wdl {
            Wdl::Win | Wdl::Loss => wdl as i32 / 2 * CERTAIN,
            _ => wdl as i32 * (WINS_IN_TIME - 1),
        };
        let ranked = |(&m, wdl): (&Move, Wdl)| RankedMove {
            m,
            rank: rank(wdl),
            score: score_of_rank(rank(wdl), fifty_moves),
        };
        let mut moves: Vec<RankedMove> = moves.iter().zip(results).map(ranked).collect();
        moves.sort_by_key(|ranked| std::cmp::Reverse(ranked.rank));
        Some(RootRanking { moves, by_distance: false })
    }

    /// Asks about the position after each move; `None` as soon as one is not known.
    fn each_after<T>(
        &self,
        board: &mut Board,
        moves: &[Move],
        ask: impl Fn(&Tablebases, &Board) -> Option<T>,
    ) -> Option<Vec<T>> {
        let after = |&m: &Move| {
            board.make(m);
            let known = ask(self, board);
            board.unmake();
            known
        };
        moves.iter().map(after).collect()
    }

    /// The distance for the side that has just moved, its move included.
    fn distance_after_move(&self, board: &Board) -> Option<i32> {
        if board.halfmove_clock() == 0 {
            // The move itself was the capture or pawn move.
            return Some(match -self.probe_wdl(board)? {
                Wdl::Win => 1,
                Wdl::CursedWin => 101,
                Wdl::Draw => 0,
                Wdl::BlessedLoss => -101,
                Wdl::Loss => -1,
            });
        }
        if board.in_check() && board.count_legal_moves() == 0 {
            return Some(1);
        }
        if is_drawn_by_history(board) {
            return Some(0);
        }
        let dtz = -self.probe_dtz(board)?;
        Some(dtz + dtz.signum())
    }

    fn ending(&self, material: Material) -> Option<&Ending> {
        let index = self.endings.binary_search_by_key(&material, |ending| ending.material).ok()?;
        Some(&self.endings[index])
    }

    /// Whether there is something to ask, and the position as the reader of the tables wants it.
    fn lookup(&self, board: &Board) -> Option<Lookup<'_>> {
        if has_castling(board) || board.occupied().count() > self.max_pieces + 1 {
            return None;
        }
        let material = material_of(board);
        if material == 0 {
            return Some(Lookup::BareKings);
        }
        let ending = self.ending(material);
        match ending {
            Some(ending) if !ending.usable.load(Ordering::Relaxed) => return None,
            // Without a table of its own a position is known if a capture wins: that one's table says so.
            None if !can_capture(board) => return None,
            _ => {}
        }
        Some(Lookup::Table(position(board)?, ending))
    }

    /// Takes note of a probe that failed.
    fn fail<T>(&self, error: &SyzygyError, ending: Option<&Ending>) -> Option<T> {
        match error {
            SyzygyError::Castling | SyzygyError::TooManyPieces => {}
            // Nobody promised an answer to a position without a table.
            SyzygyError::MissingTable { .. } if ending.is_none() => {}
            SyzygyError::MissingTable { metric, material } => {
                self.miss(metric_name(*metric), &material.to_string());
            }
            SyzygyError::ProbeFailed { metric, material, error } => {
                // The fault may be in a table that this ending leads to; then it is of no use either.
                if let Some(ending) = ending {
                    ending.usable.store(false, Ordering::Relaxed);
                }
                let cause = match &**error {
                    ProbeError::Read { error } => format!("cannot be read: {error}"),
                    ProbeError::Magic { .. } => "has a wrong header".to_string(),
                    ProbeError::CorruptedTable { .. } => "is damaged".to_string(),
                };
                let table = format!("the {} table {material}", metric_name(*metric));
                let mut complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
                if complaints.known.insert(table.clone()) {
                    complaints.pending.push(format!("{table} {cause}; endings that need it are searched"));
                }
            }
        }
        None
    }

    /// Takes note of a table that would have been needed.
    fn miss(&self, metric: &str, name: &str) {
        let mut complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        if !complaints.missing_known {
            complaints.missing_known = true;
            complaints.pending.push(format!(
                "there is no {metric} table {name}, perhaps others are missing too; endings without a \
                 table are searched"
            ));
        }
    }
}

enum Lookup<'a> {
    BareKings,
    Table(Chess, Option<&'a Ending>),
}

fn metric_name(metric: Metric) -> &'static str {
    match metric {
        Metric::Wdl => "WDL",
        Metric::Dtz => "DTZ",
    }
}

fn can_capture(board: &Board) -> bool {
    let mut tacticals = MoveList::new();
    board.tacticals(&mut tacticals);
    tacticals.iter().any(|m| m.is_capture())
}

fn has_castling(board: &Board) -> bool {
    Color::ALL.iter().any(|&color| board.castling_rights().any(color))
}

/// Whether a game that reaches this position is drawn here, so that its result by the tables is past.
fn is_drawn_by_history(board: &Board) -> bool {
    board.fifty_moves_passed() || board.repetitions() >= 3
}

/// The name of a position's table, White's men first.
fn name_of(board: &Board) -> String {
    let side = |color: Color| -> String {
        let kinds = PieceType::ALL.iter().rev();
        kinds
            .flat_map(|&kind| {
                let letter = kind.letter().to_ascii_uppercase();
                std::iter::repeat_n(letter, board.pieces(color, kind).count() as usize)
            })
            .collect()
    };
    format!("{}v{}", side(Color::White), side(Color::Black))
}

fn empty_tables() -> Tablebase<Chess> {
    // The reader checks what it reads: a file that another program writes to gives a wrong result or an error.
    #[cfg(target_pointer_width = "64")]
    return Tablebase::with_filesystem(Arc::new(MappedTables));
    // A map of all tables would not fit into the addresses.
    #[cfg(not(target_pointer_width = "64"))]
    Tablebase::new()
}

/// Tables are read through maps that survive a file being cut short.
#[cfg(target_pointer_width = "64")]
struct MappedTables;

#[cfg(target_pointer_width = "64")]
impl Filesystem for MappedTables {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        regular_file::open(path)?.metadata().map(|metadata| metadata.len())
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect()
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        Ok(Box::new(MappedFile::open(path)?))
    }
}

#[cfg(target_pointer_width = "64")]
impl RandomAccessFile for MappedFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let gone = io::ErrorKind::UnexpectedEof;
        let end = (offset as usize).checked_add(buffer.len()).ok_or(gone)?;
        buffer.copy_from_slice(self.get(offset as usize..end).ok_or(gone)?);
        if self.was_cut() { Err(gone.into()) } else { Ok(buffer.len()) }
    }
}

/// What the name of a file says.
struct TableName {
    material: Material,
    men: u32,
    metric: Metric,
}

impl TableName {
    fn of_path(path: &Path) -> Option<TableName> {
        let metric = match path.extension()?.to_str()? {
            "rtbw" => Metric::Wdl,
            "rtbz" => Metric::Dtz,
            _ => return None,
        };
        let (material, men) = material_of_name(path.file_stem()?.to_str()?)?;
        Some(TableName { material, men, metric })
    }
}

/// The files of a folder that are called like tables, in a fixed order.
fn table_files(folder: &Path) -> std::io::Result<Vec<(PathBuf, TableName)>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if let Some(table) = TableName::of_path(&path) {
            files.push((path, table));
        }
    }
    files.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(files)
}

/// What can be seen without reading the table: that it is a whole file of the right kind.
fn check_header(path: &Path, table: &TableName) -> Result<(), String> {
    let &TableName { material, men, metric } = table;
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    let mut file = regular_file::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    // Blocks of 64 bytes and a checksum of 16.
    match metadata.len() {
        0 => return Err("is empty".to_string()),
        bytes if bytes % 64 != 16 => {
            return Err(format!("has {bytes} bytes, which no table has: it was cut off or damaged"));
        }
        _ => {}
    }
    let mut magic = [0; 4];
    file.read_exact(&mut magic).map_err(unreadable)?;
    let expected = match metric {
        Metric::Wdl => [0x71, 0xE8, 0x23, 0x5D],
        Metric::Dtz => [0xD7, 0x66, 0x0C, 0xA5],
    };
    if magic != expected {
        return Err(format!("does not begin as a {} table does: it is damaged", metric_name(metric)));
    }
    let has_pawns = material & 0x000F_0000_000F_0000 != 0;
    if metric == Metric::Dtz && has_pawns && mirrored(material) == material {
        let mut header = Vec::new();
        file.take(HEADER_BYTES).read_to_end(&mut header).map_err(unreadable)?;
        if !white_to_move_throughout(&header, men as usize) {
            return Err("says Black where only White can be: it is damaged".to_string());
        }
    }
    Ok(())
}

/// More than the headers of four parts of a table take: 4095 symbols of three bytes each at most.
const HEADER_BYTES: u64 = 1 << 16;

/// A DTZ table holds one side to move; the other is found by a move that leads to it. With the same men on
/// both sides there is only White to move: a table that says Black would send the reader from one to the
/// other for ever. `header` is what follows the magic number.
fn white_to_move_throughout(header: &[u8], men: usize) -> bool {
    const PARTS: usize = 4; // one for each file of the leading pawn
    const BLACK_TO_MOVE: u8 = 1;
    const SINGLE_VALUE: u8 = 128;
    let byte = |at: usize| header.get(at).copied();
    let word = |at: usize| Some(usize::from(byte(at)?) | usize::from(byte(at + 1)?) << 8);
    // After the layout, each part has two bytes of order (both sides have pawns) and one a man; then the
    // parts' headers begin, at an even place of the file. The magic number took four bytes.
    let mut at = 1 + PARTS * (2 + men);
    at += at & 1;
    let mut part = || {
        let flags = byte(at)?;
        if flags & SINGLE_VALUE != 0 {
            at += 2;
        } else {
            let lengths = usize::from(byte(at + 8)?.checked_sub(byte(at + 9)?)?) + 1;
            let symbols = word(at + 10 + 2 * lengths)?;
            at += 10 + 2 * lengths + 2 + 3 * symbols + (symbols & 1);
        }
        Some(flags & BLACK_TO_MOVE == 0)
    };
    (0..PARTS).all(|_| part() == Some(true))
}

/// The position as the reader of the tables wants it.
fn position(board: &Board) -> Option<Chess> {
    let bits = |squares: Bitboard| shakmaty::Bitboard(squares.0);
    let by_role = ByRole {
        pawn: bits(board.by_kind(PieceType::Pawn)),
        knight: bits(board.by_kind(PieceType::Knight)),
        bishop: bits(board.by_kind(PieceType::Bishop)),
        rook: bits(board.by_kind(PieceType::Rook)),
        queen: bits(board.by_kind(PieceType::Queen)),
        king: bits(board.by_kind(PieceType::King)),
    };
    let by_color =
        ByColor { white: bits(board.by_color(Color::White)), black: bits(board.by_color(Color::Black)) };
    let setup = shakmaty::Setup {
        board: shakmaty::Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: shakmaty::Color::from_white(board.side_to_move() == Color::White),
        ep_square: board.en_passant().map(|passed| shakmaty::Square::new(passed.index() as u32)),
        halfmoves: u32::from(board.halfmove_clock()),
        ..shakmaty::Setup::empty()
    };
    Chess::from_setup(setup, CastlingMode::Chess960).or_else(PositionError::ignore_impossible_check).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_boards_agree_on_the_material() {
        for (name, fen) in [
            ("KQvK", "8/8/8/8/8/2k5/8/K2Q4 w - - 0 1"),
            ("KQPvKP", "8/5p2/8/8/4P3/2k5/8/K2Q4 w - - 0 1"),
            ("KRBNvKNN", "8/5nn1/8/8/8/1k6/8/K2RBN2 w - - 0 1"),
        ] {
            let board = Board::from_fen(fen).expect("a test position");
            let men = board.occupied().count();
            assert_eq!(material_of_name(name), Some((material_of(&board), men)), "{name}");
            assert_eq!(name_of(&board), name);
        }
        let exchanged = Board::from_fen("8/8/8/8/8/1K6/8/k2q4 w - - 0 1").expect("a test position");
        let (queen, _) = material_of_name("KQvK").expect("a name");
        assert_eq!(material_of(&exchanged), mirrored(queen));
        for odd in ["KvK", "KQK", "QvK", "KQvQ", "KKvK", "KXvK", "KQvK2", "", "v", "KQRBNvKQRBN"] {
            assert_eq!(material_of_name(odd), None, "{odd}");
        }
    }

    #[test]
    fn ranks_keep_the_fifty_move_rule() {
        // Any safe win is as good as another, and better than a doubtful one.
        assert_eq!(rank_by_distance(1, 0, false), rank_by_distance(60, 20, false));
        assert!(rank_by_distance(60, 20, false) > rank_by_distance(60, 40, false));
        // Exactly a hundred plies is doubtful, yet a win; beyond it is a draw that must be defended.
        assert_eq!(score_of_rank(rank_by_distance(60, 40, false), true), value::TB_WIN);
        assert_eq!(score_of_rank(rank_by_distance(61, 40, false), true), CURSED_WIN);
        assert_eq!(score_of_rank(rank_by_distance(61, 40, false), false), value::TB_WIN);
        // After a repetition only the shortest way counts.
        assert!(rank_by_distance(3, 10, true) > rank_by_distance(5, 10, true));
        // Losing: the longer the better once the rule may save us.
        assert_eq!(rank_by_distance(-1, 0, false), rank_by_distance(-40, 0, false));
        assert!(rank_by_distance(-70, 20, false) > rank_by_distance(-60, 20, false));
        assert!(rank_by_distance(-101, 0, false) > rank_by_distance(-60, 0, false));
        assert_eq!(score_of_rank(rank_by_distance(-101, 0, false), true), -CURSED_WIN);
        assert_eq!(score_of_rank(rank_by_distance(-30, 0, false), true), -value::TB_WIN);
        assert_eq!(score_of_rank(rank_by_distance(0, 30, false), true), value::DRAW);
    }

    #[test]
    fn a_path_is_cut_into_folders() {
        let path = format!("/a b/c{PATH_SEPARATOR}{PATH_SEPARATOR} d {PATH_SEPARATOR}");
        assert_eq!(Tablebases::folders(&path), [PathBuf::from("/a b/c"), PathBuf::from("d")]);
        assert!(Tablebases::folders("").is_empty());
    }

    #[test]
    fn a_folder_that_is_not_there_is_told_once() {
        let tables = Tablebases::open(&["no such folder"]);
        let complaints = tables.take_complaints();
        assert!(complaints.len() == 1 && complaints[0].contains("no such folder"), "{complaints:?}");
        assert!(tables.take_complaints().is_empty());
        assert_eq!((tables.max_pieces(), tables.summary().as_str()), (0, "no tables found"));
        let board = Board::from_fen("8/8/8/8/8/2k5/8/K2Q4 w - - 0 1").expect("a test position");
        assert_eq!(tables.probe_wdl(&board), None);
        assert!(tables.rank_root_moves(&board, &board.legal_moves(), true).is_none());
    }
}
