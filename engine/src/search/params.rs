//! The numbers of the search, written once: name, default, range, step for a tuner.
//!
//! In a normal build each is a constant. With the feature `tune` each is an atomic that UCI options of
//! the same name can set, so that a tuner can play games with other values.

/// One line of the list, for options and tuners.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name, also the UCI option's under the feature `tune`.
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

macro_rules! search_params {
    ($($(#[$doc:meta])* $name:ident: $default:literal in $min:literal ..= $max:literal step $step:literal;)*) => {
        /// Every parameter, in order.
        pub const ALL: &[Parameter] = &[
            $(Parameter { name: stringify!($name), default: $default, min: $min, max: $max, step: $step },)*
        ];

        $( $(#[$doc])* #[cfg(not(feature = "tune"))] #[inline(always)] pub const fn $name() -> i32 { $default } )*

        #[cfg(feature = "tune")]
        mod live {
            use std::sync::atomic::AtomicI32;
            $( #[allow(non_upper_case_globals)] pub static $name: AtomicI32 = AtomicI32::new($default); )*
        }

        $( $(#[$doc])* #[cfg(feature = "tune")] #[inline(always)] pub fn $name() -> i32 {
            live::$name.load(std::sync::atomic::Ordering::Relaxed)
        } )*

        /// Sets a parameter by name; `false` if there is none of that name or the value is out of range.
        #[cfg(feature = "tune")]
        pub fn set(name: &str, value: i32) -> bool {
            match name {
                $(stringify!($name) if ($min..=$max).contains(&value) => {
                    live::$name.store(value, std::sync::atomic::Ordering::Relaxed);
                    true
                })*
                _ => false,
            }
        }
    };
}

search_params! {
    /// Half width of the first aspiration window, centipawns.
    aspiration_window: 12 in 4..=60 step 3;
    /// Reverse futility: margin a ply.
    rfp_margin: 75 in 30..=150 step 8;
    /// Reverse futility: margin taken off while the evaluation improves.
    rfp_improving: 60 in 0..=150 step 8;
    /// Reverse futility: deepest depth.
    rfp_depth: 9 in 4..=14 step 1;
    /// Razoring: margin.
    razor_base: 220 in 100..=500 step 20;
    /// Razoring: margin times depth squared.
    razor_slope: 140 in 50..=300 step 15;
    /// Null move: base reduction.
    nmp_base: 4 in 2..=6 step 1;
    /// Null move: depth divisor of the reduction.
    nmp_divisor: 4 in 2..=8 step 1;
    /// Null move: evaluation above beta for each further ply.
    nmp_eval: 180 in 80..=400 step 15;
    /// Null move: the static evaluation may be this much a ply below beta when shallow.
    nmp_slack: 20 in 0..=40 step 3;
    /// ProbCut: margin above beta.
    probcut_margin: 160 in 80..=300 step 12;
    /// ProbCut: margin taken off while improving.
    probcut_improving: 40 in 0..=100 step 8;
    /// Futility of quiet moves: base.
    futility_base: 100 in 20..=250 step 12;
    /// Futility of quiet moves: a ply of reduced depth.
    futility_slope: 95 in 40..=200 step 8;
    /// Late moves: count before pruning at depth zero.
    lmp_base: 3 in 1..=8 step 1;
    /// History pruning: threshold a ply.
    history_prune: 3200 in 1000..=8000 step 300;
    /// Quiet moves that lose this much in exchange (times depth squared) are not tried.
    see_quiet: 22 in 8..=60 step 3;
    /// Captures that lose this much in exchange (times depth) are not tried.
    see_capture: 95 in 30..=200 step 8;
    /// Singular extension: margin a ply, in sixteenths.
    singular_margin: 20 in 8..=64 step 3;
    /// Singular extension: below the margin by this much, extend twice.
    double_margin: 18 in 2..=60 step 3;
    /// Late-move reduction of quiet moves: base, in 1024ths of a ply.
    lmr_base: 850 in 0..=2000 step 80;
    /// Late-move reduction of quiet moves: factor of ln·ln, in 1024ths.
    lmr_factor: 455 in 200..=800 step 25;
    /// Late-move reduction of captures: base, in 1024ths.
    lmr_capture_base: 100 in 0..=1500 step 60;
    /// Late-move reduction of captures: factor, in 1024ths.
    lmr_capture_factor: 310 in 100..=600 step 20;
    /// History that makes up for a ply of reduction.
    lmr_history: 8200 in 3000..=20000 step 500;
    /// Quiescence: what a capture may fall short of alpha.
    qs_futility: 160 in 60..=400 step 15;
    /// Quiescence: captures that lose more than this in exchange are not tried.
    qs_see: 20 in 0..=120 step 8;
    /// Deeper re-search after a reduced move surprised by this much.
    deeper_margin: 45 in 10..=120 step 6;
    /// History bonus a ply.
    bonus_slope: 170 in 60..=400 step 15;
    /// History bonus at most.
    bonus_max: 1700 in 600..=4000 step 120;
    /// History malus a ply.
    malus_slope: 190 in 60..=500 step 15;
    /// History malus at most.
    malus_max: 1500 in 400..=4000 step 120;
    /// How much correction history moves the static evaluation, in 1024ths.
    correction_weight: 700 in 100..=2000 step 60;
}
