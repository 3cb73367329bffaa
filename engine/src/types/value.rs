//! Numbers of the search: their type, the named ones, and the tests on them.

/// A search number in centipawns, from the side to move unless its name says otherwise.
pub type Value = i32;

/// The deepest line the search follows, in plies from the root.
pub const MAX_PLY: usize = 128;

/// A draw.
pub const DRAW: Value = 0;
/// Above every value that can occur.
pub const INFINITE: Value = 32_001;
/// "No value": for example the static evaluation of a node in check.
pub const NONE: Value = 32_002;
/// Mate at the root; mate in `n` plies is `MATE - n`.
pub const MATE: Value = 32_000;
/// From here up (and from minus this down) a value announces a mate.
pub const MATE_IN_MAX: Value = MATE - MAX_PLY as Value;
/// A tablebase win at the root; a win found `n` plies on is `TB_WIN - n`.
pub const TB_WIN: Value = 30_000;
/// From here up a value announces a tablebase win or a mate.
pub const TB_WIN_IN_MAX: Value = TB_WIN - MAX_PLY as Value;
/// The widest an evaluation may be: it never reaches into the decided values.
pub const EVAL_LIMIT: Value = TB_WIN_IN_MAX - 1;

/// The value of being mated `ply` plies from the root.
#[inline(always)]
pub const fn mated_in(ply: usize) -> Value {
    -MATE + ply as Value
}

/// The value of giving mate `ply` plies from the root.
#[inline(always)]
pub const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// The value of a tablebase win found `ply` plies from the root; that of a loss is minus this.
#[inline(always)]
pub const fn tb_win_in(ply: usize) -> Value {
    TB_WIN - ply as Value
}

/// Whether the value announces a mate or a tablebase result for either side.
#[inline(always)]
pub const fn is_decided(value: Value) -> bool {
    value >= TB_WIN_IN_MAX || value <= -TB_WIN_IN_MAX
}

/// Whether the value announces a mate for either side.
#[inline(always)]
pub const fn is_mate(value: Value) -> bool {
    value >= MATE_IN_MAX || value <= -MATE_IN_MAX
}
