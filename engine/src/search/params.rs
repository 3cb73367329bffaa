//! Every number of the search, written once: name, default, range, first step of a tuner.
//!
//! The search asks for its numbers through [`Numbers`]. [`Shipped`] answers with constants, so that the
//! compiler folds them into the code; a [`SearchParams`] answers with values of its own. The search is compiled
//! for both, and a [`Searcher`](super::Searcher) whose values are the defaults runs the constants: two players
//! with different values can play in one process, and the shipped values cost nothing.
//!
//! A parameter with the range 0..=1 switches one technique on or off.

/// One line of the list, for options and tuners.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name on the command line, in files and of the UCI option under the feature `tune`.
    pub name: &'static str,
    /// The value in use.
    pub default: i32,
    /// The least that makes sense.
    pub min: i32,
    /// The most that makes sense.
    pub max: i32,
    /// How far a tuner steps at first.
    pub step: i32,
}

impl Parameter {
    /// Whether it switches a technique on or off.
    pub const fn is_switch(&self) -> bool {
        self.min == 0 && self.max == 1
    }
}

/// Why a parameter was refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// No parameter has this name.
    #[error("no search parameter '{name}'; there are: {}", names())]
    Unknown {
        /// The name given.
        name: String,
    },
    /// The value is no whole number in the range.
    #[error("search parameter {name} takes a whole number from {min} to {max}, not '{value}'")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// The least it takes.
        min: i32,
        /// The most it takes.
        max: i32,
        /// What was given.
        value: String,
    },
    /// A line of a file is not `name = value`.
    #[error("line {line}: expected 'name = value', found '{text}'")]
    Line {
        /// Counted from 1.
        line: usize,
        /// The line.
        text: String,
    },
    /// What is wrong with a line of a file.
    #[error("line {line}: {error}")]
    At {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        error: Box<ParameterError>,
    },
}

fn names() -> String {
    ALL.iter().map(|parameter| parameter.name).collect::<Vec<_>>().join(", ")
}

/// The parameter of this name.
pub fn find(name: &str) -> Result<&'static Parameter, ParameterError> {
    let found = ALL.iter().find(|parameter| parameter.name.eq_ignore_ascii_case(name));
    found.ok_or_else(|| ParameterError::Unknown { name: name.to_string() })
}

macro_rules! search_params {
    ($($(#[$doc:meta])* $name:ident: $default:literal in $min:literal ..= $max:literal step $step:literal;)*) => {
        /// Every parameter, in order.
        pub const ALL: &[Parameter] = &[
            $(Parameter { name: stringify!($name), default: $default, min: $min, max: $max, step: $step },)*
        ];

        /// Where the search gets its numbers from.
        pub trait Numbers: Copy + Send + Sync {
            $( $(#[$doc])* fn $name(self) -> i32; )*
        }

        /// The shipped values, as constants.
        #[derive(Clone, Copy, Debug)]
        pub struct Shipped;

        impl Numbers for Shipped {
            $( #[inline(always)] fn $name(self) -> i32 { $default } )*
        }

        /// Values of one's own.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct SearchParams {
            $( $(#[$doc])* pub $name: i32, )*
        }

        impl Default for SearchParams {
            fn default() -> SearchParams {
                SearchParams { $( $name: $default, )* }
            }
        }

        impl Numbers for &SearchParams {
            $( #[inline(always)] fn $name(self) -> i32 { self.$name } )*
        }

        impl SearchParams {
            /// The value of a parameter by name.
            pub fn get(&self, name: &str) -> Result<i32, ParameterError> {
                Ok(match find(name)?.name {
                    $( stringify!($name) => self.$name, )*
                    other => unreachable!("{other} is in the list"),
                })
            }

            fn slot(&mut self, name: &'static str) -> &mut i32 {
                match name {
                    $( stringify!($name) => &mut self.$name, )*
                    other => unreachable!("{other} is in the list"),
                }
            }
        }
    };
}

impl SearchParams {
    /// Whether all values are the shipped ones.
    pub fn is_default(&self) -> bool {
        *self == SearchParams::default()
    }

    /// Sets a parameter by name to a value as text. On an error nothing changes.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ParameterError> {
        let &Parameter { name, min, max, .. } = find(name)?;
        match text.trim().parse() {
            Ok(value) if (min..=max).contains(&value) => *self.slot(name) = value,
            _ => return Err(ParameterError::OutOfRange { name, min, max, value: text.trim().to_string() }),
        }
        Ok(())
    }

    /// Reads a file of parameters: a line `name = value` each, `#` begins a comment; what is not named keeps its
    /// default.
    pub fn from_text(text: &str) -> Result<SearchParams, ParameterError> {
        let mut params = SearchParams::default();
        for (index, full) in text.lines().enumerate() {
            let line = index + 1;
            let content = full.split('#').next().unwrap_or_default().trim();
            if content.is_empty() {
                continue;
            }
            let Some((name, value)) = content.split_once('=') else {
                return Err(ParameterError::Line { line, text: full.chars().take(80).collect() });
            };
            params
                .set(name.trim(), value)
                .map_err(|error| ParameterError::At { line, error: Box::new(error) })?;
        }
        Ok(params)
    }

    /// As a file of parameters: those that differ from the defaults.
    pub fn to_text(&self) -> String {
        let mut text = String::from("# Search parameters that differ from the shipped ones.\n");
        for &Parameter { name, default, .. } in ALL {
            if let Ok(value) = self.get(name)
                && value != default
            {
                text += &format!("{name} = {value} # shipped: {default}\n");
            }
        }
        text
    }
}

search_params! {
    // Aspiration windows.
    /// Half width of the first aspiration window, centipawns.
    aspiration_window: 6 in 4..=60 step 3;
    /// From this depth on the window is narrow.
    aspiration_depth: 4 in 2..=10 step 1;
    /// A window that failed grows by this share of its half width, in hundredths.
    aspiration_growth: 50 in 10..=200 step 10;
    /// Wider than this the window is open.
    aspiration_open: 600 in 100..=2000 step 60;

    // Whole-node pruning.
    /// Reverse futility on or off.
    rfp: 1 in 0..=1 step 1;
    /// Reverse futility: margin a ply.
    rfp_margin: 80 in 30..=150 step 8;
    /// Reverse futility: margin taken off while the evaluation improves.
    rfp_improving: 70 in 0..=150 step 8;
    /// Reverse futility: deepest depth.
    rfp_depth: 9 in 4..=14 step 1;
    /// Reverse futility: share of the evaluation in the value returned, in 1024ths; the rest is beta's.
    rfp_blend: 512 in 0..=1024 step 64;
    /// Razoring on or off.
    razor: 1 in 0..=1 step 1;
    /// Razoring: deepest depth.
    razor_depth: 4 in 1..=8 step 1;
    /// Razoring: margin.
    razor_base: 160 in 100..=500 step 20;
    /// Razoring: margin times depth squared.
    razor_slope: 140 in 50..=300 step 15;
    /// Null move on or off.
    nmp: 1 in 0..=1 step 1;
    /// Null move: base reduction, in 1024ths of a ply.
    nmp_base: 4096 in 2048..=6144 step 200;
    /// Null move: reduction a ply of depth, in 1024ths.
    nmp_depth: 330 in 100..=512 step 20;
    /// Null move: evaluation above beta for each further ply.
    nmp_eval: 90 in 80..=400 step 15;
    /// Null move: plies that the evaluation adds at most.
    nmp_eval_max: 3 in 1..=6 step 1;
    /// Null move: the static evaluation may be this much a ply below beta when deep.
    nmp_slack: 20 in 0..=40 step 3;
    /// Null move: and must be this much above it at depth zero.
    nmp_margin: 120 in 0..=300 step 15;
    /// Null move: from this depth on it is verified.
    nmp_verify_depth: 14 in 8..=30 step 1;
    /// Internal iterative reduction on or off.
    iir: 1 in 0..=1 step 1;
    /// Internal iterative reduction: least depth.
    iir_depth: 4 in 2..=10 step 1;
    /// ProbCut on or off.
    probcut: 1 in 0..=1 step 1;
    /// ProbCut: least depth.
    probcut_depth: 5 in 3..=10 step 1;
    /// ProbCut: margin above beta.
    probcut_margin: 125 in 80..=300 step 12;
    /// ProbCut: margin taken off while improving.
    probcut_improving: 40 in 0..=100 step 8;

    /// Reverse futility: not in nodes that were on a principal variation.
    rfp_off_pv: 1 in 0..=1 step 1;
    /// Reverse futility: margin for each centipawn of correction, in hundredths.
    rfp_correction: 90 in 0..=200 step 10;
    /// Null move in cut nodes only.
    nmp_cut_only: 1 in 0..=1 step 1;
    /// Null move: not if the table says that the node fails low.
    nmp_table_guard: 1 in 0..=1 step 1;
    /// Table cutoffs: the early quiet move before it is punished.
    cut_malus: 1 in 0..=1 step 1;
    /// Hindsight: depth changes by how the parent's reduction looks now.
    hindsight: 1 in 0..=1 step 1;
    /// Hindsight: both sides' evaluations add up to this much at least to lose a ply.
    hindsight_margin: 135 in 20..=400 step 15;
    /// A node that failed low below a node on a principal variation counts as on it.
    spread_pv: 1 in 0..=1 step 1;

    // Pruning of moves.
    /// Pruning of late moves by their count, on or off.
    lmp: 1 in 0..=1 step 1;
    /// Late moves while improving: count at depth zero, in hundredths.
    lmp_base: 300 in 50..=900 step 30;
    /// Late moves while improving: count times depth squared, in hundredths.
    lmp_slope: 100 in 40..=200 step 8;
    /// Late moves while not improving: count at depth zero, in hundredths.
    lmp_worse_base: 150 in 25..=600 step 20;
    /// Late moves while not improving: count times depth squared, in hundredths.
    lmp_worse_slope: 50 in 20..=150 step 5;
    /// History pruning on or off.
    history_pruning: 1 in 0..=1 step 1;
    /// History pruning: threshold a ply.
    history_prune: 3200 in 1000..=8000 step 300;
    /// History pruning: greatest reduced depth.
    history_prune_depth: 4 in 1..=10 step 1;
    /// Futility pruning on or off.
    futility: 1 in 0..=1 step 1;
    /// Futility of quiet moves: base.
    futility_base: 100 in 20..=250 step 12;
    /// Futility of quiet moves: a ply of reduced depth.
    futility_slope: 60 in 40..=200 step 8;
    /// Futility of quiet moves: greatest reduced depth.
    futility_depth: 7 in 3..=16 step 1;
    /// Futility of quiet moves: what a history of 8192 adds.
    futility_history: 30 in 0..=300 step 20;
    /// Pruning of moves that lose material, on or off.
    see_pruning: 1 in 0..=1 step 1;
    /// Quiet moves that lose this much in exchange (times depth squared) are not tried.
    see_quiet: 22 in 8..=60 step 3;
    /// Captures that lose this much in exchange (times depth) are not tried.
    see_capture: 82 in 30..=200 step 8;
    /// Capture history that makes up for a centipawn lost in exchange.
    see_capture_history: 64 in 16..=256 step 8;

    // Extensions.
    /// Checks that lose no material are extended.
    check_extension: 1 in 0..=1 step 1;
    /// Triple extension on or off.
    triple: 1 in 0..=1 step 1;
    /// Below the margin by this much, extend three times.
    triple_margin: 90 in 30..=300 step 10;
    /// Plies less when the table move fails high and others may too.
    singular_fails_high: 2 in 0..=4 step 1;
    /// Plies less in a cut node whose table move is not singular.
    singular_cut: 1 in 0..=4 step 1;
    /// Singular extensions on or off.
    singular: 1 in 0..=1 step 1;
    /// Singular extension: least depth.
    singular_depth: 5 in 4..=10 step 1;
    /// Singular extension: how much shallower the table's entry may be.
    singular_table_depth: 3 in 2..=5 step 1;
    /// Singular extension: margin a ply, in sixteenths.
    singular_margin: 10 in 8..=64 step 3;
    /// Singular extension: below the margin by this much, extend twice.
    double_margin: 20 in 2..=60 step 3;
    /// Double extensions in one line at most.
    double_max: 16 in 0..=20 step 1;

    // Late-move reductions.
    /// Late-move reductions on or off.
    lmr: 1 in 0..=1 step 1;
    /// Late-move reduction of quiet moves: base, in 1024ths of a ply.
    lmr_base: 950 in 0..=2000 step 80;
    /// Late-move reduction of quiet moves: factor of ln·ln, in 1024ths.
    lmr_factor: 400 in 200..=800 step 25;
    /// Late-move reduction of captures: base, in 1024ths.
    lmr_capture_base: 0 in 0..=1500 step 60;
    /// Late-move reduction of captures: factor, in 1024ths.
    lmr_capture_factor: 310 in 100..=600 step 20;
    /// More while not improving.
    lmr_worse: 1130 in 0..=2048 step 100;
    /// More for quiet moves of cut nodes.
    lmr_cut_quiet: 2048 in 0..=4096 step 150;
    /// More for captures of cut nodes.
    lmr_cut_capture: 1024 in 0..=3072 step 120;
    /// More for quiet moves when the table move is a capture.
    lmr_table_capture: 1024 in 0..=2048 step 100;
    /// More when the next ply cut off often.
    lmr_cutoffs: 1024 in 0..=2048 step 100;
    /// So many cutoffs are often.
    lmr_cutoffs_many: 3 in 0..=8 step 1;
    /// Less in a PV node.
    lmr_pv: 850 in 0..=2048 step 100;
    /// Less in a node that is or was on a principal variation (ttPv).
    lmr_was_pv: 1500 in 0..=2048 step 100;
    /// Less for moves that give check.
    lmr_gives_check: 1024 in 0..=2048 step 100;
    /// Less for evasions.
    lmr_in_check: 1250 in 0..=2048 step 100;
    /// Less for killers and the counter-move.
    lmr_refutation: 1600 in 0..=2048 step 100;
    /// History that makes up for a ply of reduction.
    lmr_history: 8800 in 3000..=20000 step 500;
    /// A history of this much is taken as none.
    lmr_history_offset: -2000 in -8000..=12000 step 600;
    /// Deeper re-search after a reduced move surprised by this much.
    deeper_margin: 45 in 10..=120 step 6;
    /// Shallower re-search after a reduced move was better by less than this.
    shallower_margin: 5 in 0..=40 step 3;
    /// After a move raised alpha, later ones lose a ply: least depth.
    raised_min_depth: 3 in 2..=8 step 1;
    /// And below this depth.
    raised_max_depth: 8 in 4..=24 step 1;

    /// A reduced search may be a ply deeper than the full one.
    lmr_extend: 1 in 0..=1 step 1;

    // Quiescence.
    /// The first ply of quiescence tries quiet checks that lose no material.
    qs_checks: 1 in 0..=1 step 1;
    /// Quiet evasions that are tried besides the one that shows that it is no mate.
    qs_evasions: 2 in 0..=8 step 1;
    /// Quiescence: what a capture may fall short of alpha.
    qs_futility: 90 in 60..=400 step 15;
    /// Quiescence: captures that lose more than this in exchange are not tried.
    qs_see: 25 in 0..=120 step 8;

    // Histories.
    /// History bonus a ply.
    bonus_slope: 210 in 60..=400 step 15;
    /// History bonus at most.
    bonus_max: 2000 in 600..=4000 step 120;
    /// History malus a ply.
    malus_slope: 140 in 60..=500 step 15;
    /// History malus at most.
    malus_max: 950 in 400..=4000 step 120;
    /// A cutoff this far above beta counts as a ply deeper.
    bonus_margin: 92 in 10..=300 step 12;
    /// Share of the bonus that the move gets to which every reply failed, in hundredths.
    refuted_share: 80 in 0..=150 step 8;

    /// A cutoff by a quiet move is rewarded if any quiet move failed before it.
    learn_single: 1 in 0..=1 step 1;
    /// A best move that raised alpha without a cutoff is rewarded too.
    learn_exact: 1 in 0..=1 step 1;
    /// Refutations are rewarded from depth 3 on and only by a whole node.
    refuted_deep: 1 in 0..=1 step 1;
    /// A quiet move that is refuted at once is punished.
    refuted_malus: 1 in 0..=1 step 1;
    /// The change of the static evaluation is a bonus for the quiet move that made it.
    eval_bonus: 1 in 0..=1 step 1;
    /// That bonus for each centipawn.
    eval_bonus_slope: 12 in 2..=40 step 2;
    /// That bonus at most.
    eval_bonus_max: 1200 in 300..=4000 step 100;
    /// Histories by pawn structure, on or off.
    pawn_history: 1 in 0..=1 step 1;
    /// No plain history goes beyond plus or minus this.
    history_plain_max: 9000 in 2048..=16384 step 1500;
    /// Order of quiet moves: weight of the plain history, in 128ths.
    order_plain: 256 in 0..=512 step 24;
    /// Order of quiet moves: weight of the continuation history of one ply ago.
    order_after_1: 280 in 0..=512 step 24;
    /// Order of quiet moves: of two plies ago.
    order_after_2: 128 in 0..=512 step 24;
    /// Order of quiet moves: of four plies ago.
    order_after_4: 128 in 0..=512 step 24;
    /// Order of quiet moves: weight of the history by pawn structure.
    order_pawns: 200 in 0..=512 step 24;
    /// Quiet moves that give check come earlier by this much.
    order_check: 8000 in 0..=32000 step 1000;

    // The table.
    /// A deep entry of an earlier search is kept against a shallow one of the same position.
    table_keep_deep: 1 in 0..=1 step 1;

    // Correction history.
    /// How much correction history moves the static evaluation, in 1024ths.
    correction_weight: 780 in 0..=2000 step 60;
    /// Correction by pawns: its share, in 200ths.
    correction_pawns: 200 in 0..=500 step 15;
    /// Correction by each side's pieces: its share.
    correction_pieces: 130 in 0..=500 step 15;
    /// Correction by the last two moves: its share.
    correction_moves: 90 in 0..=500 step 15;
    /// Corrections learn what the corrected evaluation still lacks, not the whole error: else a correction
    /// that the leaves carry too confirms itself.
    correction_residual: 1 in 0..=1 step 1;
    /// How much of a correction is forgotten when it learns, in 256ths: all of it makes a running mean.
    correction_leak: 128 in 0..=256 step 16;
    /// How fast a correction learns at most, in 256ths.
    correction_rate_max: 16 in 4..=64 step 3;
    /// The largest error it learns from, centipawns.
    correction_error_max: 250 in 50..=1000 step 40;

    // Time, in thousandths.
    /// Share of the clock for a move.
    time_share: 42 in 20..=120 step 5;
    /// Share of the increment for a move.
    time_increment: 750 in 300..=1000 step 50;
    /// `MoveOverhead` is set aside once instead of being taken from every increment.
    overhead_once: 1 in 0..=1 step 1;
    /// The hard limit as a multiple of the soft one.
    time_hard: 5000 in 1500..=10000 step 400;
    /// The hard limit as a share of the clock at most.
    time_hard_share: 400 in 100..=800 step 40;
    /// While the best move changes every iteration.
    time_unstable: 1750 in 1000..=3000 step 100;
    /// After it stood for one iteration.
    time_stable_1: 1200 in 700..=2000 step 60;
    /// After two.
    time_stable_2: 950 in 600..=1500 step 50;
    /// After three.
    time_stable_3: 850 in 500..=1300 step 50;
    /// After more.
    time_stable: 750 in 400..=1200 step 50;
    /// Longer for each centipawn that the score fell.
    time_drop: 10 in 0..=40 step 2;
    /// With no nodes in the best move.
    time_effort_base: 1650 in 1000..=3000 step 80;
    /// Less for the share of the nodes in the best move.
    time_effort_slope: 1150 in 300..=2500 step 80;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_makes_sense_and_the_two_sources_agree() {
        let params = SearchParams::default();
        assert!(params.is_default());
        assert_eq!((&params).rfp_margin(), Shipped.rfp_margin());
        for parameter in ALL {
            assert!((parameter.min..=parameter.max).contains(&parameter.default), "{}", parameter.name);
            assert!(
                parameter.step > 0 && parameter.step <= parameter.max - parameter.min,
                "{}",
                parameter.name
            );
            assert_eq!(params.get(parameter.name), Ok(parameter.default));
        }
    }

    #[test]
    fn a_file_of_parameters_round_trips_and_errors_name_line_and_range() {
        let mut params = SearchParams::default();
        params.set("RFP_margin", " 80 ").unwrap();
        params.set("time_share", "50").unwrap();
        assert!(!params.is_default());
        assert_eq!(SearchParams::from_text(&params.to_text()), Ok(params.clone()));

        let error = params.set("rfp_margin", "1000").unwrap_err().to_string();
        assert!(error.contains("from 30 to 150"), "{error}");
        let error = params.set("rfp_margn", "80").unwrap_err().to_string();
        assert!(error.contains("no search parameter 'rfp_margn'") && error.contains("rfp_margin"), "{error}");
        let error = SearchParams::from_text("# fine\nrfp_margin = x\n").unwrap_err().to_string();
        assert!(error.starts_with("line 2: "), "{error}");
        let error = SearchParams::from_text("rfp_margin 80\n").unwrap_err().to_string();
        assert!(error.contains("name = value"), "{error}");
        assert_eq!(params.rfp_margin, 80, "a refused value changes nothing");
    }
}
