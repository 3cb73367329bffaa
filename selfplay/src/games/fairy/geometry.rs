//! Boards of any size: squares as numbers, their names, sets of them.

/// No variant has more cells, both boards of Alice chess together.
pub const MOST_CELLS: usize = 160;
/// What stands on each square; see [`piece_of`].
pub type Cells = [u8; MOST_CELLS];
/// A step: files to the right, ranks up.
pub type Vector = (i8, i8);

/// What a cell holds for a type of piece of a side; 0 is an empty cell.
pub const fn cell_of(piece: u8, side: u8) -> u8 {
    1 + piece * 2 + side
}

/// Type and side of a cell that is not empty.
pub const fn piece_of(cell: u8) -> (u8, u8) {
    ((cell - 1) >> 1, (cell - 1) & 1)
}

/// The size of a board, and how many there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Files.
    pub width: u8,
    /// Ranks.
    pub height: u8,
    /// 1, or 2 for Alice chess.
    pub boards: u8,
}

impl Geometry {
    /// Cells of one board.
    pub const fn area(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Cells of all boards.
    pub const fn cells(self) -> usize {
        self.area() * self.boards as usize
    }

    /// The square at a place, if it is on the board.
    pub const fn square(self, x: i16, y: i16, board: u8) -> Option<u8> {
        if x < 0 || y < 0 || x >= self.width as i16 || y >= self.height as i16 {
            return None;
        }
        Some((board as usize * self.area() + y as usize * self.width as usize + x as usize) as u8)
    }

    /// File, rank (from 0) and board.
    pub const fn place(self, square: u8) -> (i16, i16, u8) {
        let (board, rest) = (square as usize / self.area(), square as usize % self.area());
        ((rest % self.width as usize) as i16, (rest / self.width as usize) as i16, board as u8)
    }

    /// The rank as a side counts it, from 1.
    pub const fn rank_for(self, square: u8, side: u8) -> u8 {
        let (_, y, _) = self.place(square);
        if side == 0 { y as u8 + 1 } else { self.height - y as u8 }
    }

    /// The square that a step leads to on the same board.
    pub const fn step(self, square: u8, vector: Vector) -> Option<u8> {
        let (x, y, board) = self.place(square);
        self.square(x + vector.0 as i16, y + vector.1 as i16, board)
    }

    /// The same square seen from the other side.
    pub const fn mirrored(self, square: u8) -> u8 {
        let (x, y, board) = self.place(square);
        (board as usize * self.area()
            + (self.height as usize - 1 - y as usize) * self.width as usize
            + x as usize) as u8
    }

    /// The same square of the other board.
    pub const fn other_board(self, square: u8) -> u8 {
        let area = self.area() as u8;
        if square >= area { square - area } else { square + area }
    }

    /// `e4`; a square of the second board is `e4'`.
    pub fn name(self, square: u8) -> String {
        let (x, y, board) = self.place(square);
        format!("{}{}{}", (b'a' + x as u8) as char, y + 1, if board == 1 { "'" } else { "" })
    }

    /// The square of a name.
    pub fn parse(self, text: &str) -> Option<u8> {
        let (text, board) = match text.strip_suffix('\'') {
            Some(text) if self.boards == 2 => (text, 1),
            Some(_) => return None,
            None => (text, 0),
        };
        let file = text.bytes().next().filter(u8::is_ascii_lowercase)?;
        let rank: i16 =
            text[1..].parse().ok().filter(|_| text.as_bytes()[1..].iter().all(u8::is_ascii_digit))?;
        self.square(i16::from(file - b'a'), rank.checked_sub(1)?, board)
    }

    /// The squares of `d1-f3 e5`: names, and rectangles from corner to corner.
    pub fn parse_set(self, text: &str) -> Result<Bits, String> {
        let mut set = Bits::EMPTY;
        for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
            let square = |name: &str| {
                self.parse(name)
                    .ok_or_else(|| format!("'{name}' is no square of a board of {}", self.words()))
            };
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            let ((x0, y0, board), (x1, y1, _)) = (self.place(square(first)?), self.place(square(last)?));
            for y in y0.min(y1)..=y0.max(y1) {
                (x0.min(x1)..=x0.max(x1)).filter_map(|x| self.square(x, y, board)).for_each(|on| set.add(on));
            }
        }
        if set == Bits::EMPTY { Err("it names no square".to_string()) } else { Ok(set) }
    }

    /// `8 files and 8 ranks`.
    pub fn words(self) -> String {
        format!("{} files and {} ranks", self.width, self.height)
    }
}

/// A set of squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bits([u64; 3]);

impl Bits {
    /// No square.
    pub const EMPTY: Bits = Bits([0; 3]);
    /// Every square of every board.
    pub const ALL: Bits = Bits([u64::MAX; 3]);

    /// Adds a square.
    pub const fn add(&mut self, square: u8) {
        self.0[square as usize >> 6] |= 1 << (square & 63);
    }

    /// Takes a square away.
    pub const fn remove(&mut self, square: u8) {
        self.0[square as usize >> 6] &= !(1 << (square & 63));
    }

    /// Whether a square is in it.
    pub const fn has(self, square: u8) -> bool {
        self.0[square as usize >> 6] >> (square & 63) & 1 == 1
    }

    /// Squares in both.
    pub const fn and(self, other: Bits) -> Bits {
        let (a, b) = (self.0, other.0);
        Bits([a[0] & b[0], a[1] & b[1], a[2] & b[2]])
    }

    /// Whether some square is in both.
    pub const fn meets(self, other: Bits) -> bool {
        let (a, b) = (self.0, other.0);
        (a[0] & b[0]) | (a[1] & b[1]) | (a[2] & b[2]) != 0
    }

    /// Whether there is no square.
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] == 0
    }

    /// How many there are.
    pub const fn count(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones() + self.0[2].count_ones()
    }
}

impl Iterator for Bits {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        for (number, word) in self.0.iter_mut().enumerate() {
            if *word != 0 {
                let bit = word.trailing_zeros();
                *word &= *word - 1;
                return Some((number * 64) as u8 + bit as u8);
            }
        }
        None
    }
}

impl FromIterator<u8> for Bits {
    fn from_iter<I: IntoIterator<Item = u8>>(squares: I) -> Bits {
        let mut set = Bits::EMPTY;
        squares.into_iter().for_each(|square| set.add(square));
        set
    }
}
