//! The statistics against a reference: 50 recorded counts recomputed with scipy (`reference_stats.py`).

use selfplay::arena::sprt::EloModel;
use selfplay::arena::stats::Interval;
use selfplay::arena::{Pentanomial, Sprt, SprtState};
use serde_json::Value;

const TOLERANCE: f64 = 1e-6;

fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some(text) => text.parse().unwrap(),
        None => value.as_f64().unwrap(),
    }
}

/// How far apart, relative to the larger of 1 and the reference.
fn distance(ours: f64, reference: f64) -> f64 {
    if ours == reference { 0.0 } else { (ours - reference).abs() / reference.abs().max(1.0) }
}

#[test]
fn fifty_counts_agree_with_scipy() {
    let text = include_str!("data/reference_stats.json");
    let rows: Vec<Value> = serde_json::from_str(text).unwrap();
    assert_eq!(rows.len(), 50);
    let mut ratios = 0;
    let mut verdicts = [0; 3];
    for row in &rows {
        let counts = Pentanomial(serde_json::from_value(row["counts"].clone()).unwrap());
        let check = |what: &str, ours: f64, reference: f64| {
            let apart = distance(ours, reference);
            assert!(apart < TOLERANCE, "{counts:?} {what}: {ours}, reference {reference}");
        };
        let check_interval = |what: &str, ours: Interval, reference: &Value| {
            check(what, ours.value, number(&reference[0]));
            check(what, ours.low, number(&reference[1]));
            check(what, ours.high, number(&reference[2]));
        };
        check_interval("Elo", counts.elo().unwrap(), &row["elo"]);
        check_interval("normalised Elo", counts.normalised_elo().unwrap(), &row["normalised_elo"]);
        check("superiority", counts.likelihood_of_superiority().unwrap(), number(&row["superiority"]));
        for test in row["tests"].as_array().unwrap() {
            for (name, model) in [("logistic", EloModel::Logistic), ("normalised", EloModel::Normalised)] {
                let sprt = Sprt {
                    elo0: number(&test["elo0"]),
                    elo1: number(&test["elo1"]),
                    alpha: number(&test["alpha"]),
                    beta: number(&test["beta"]),
                    model,
                };
                let (lower, upper) = sprt.bounds();
                check("lower bound", lower, number(&test["lower"]));
                check("upper bound", upper, number(&test["upper"]));
                check(&format!("{name} LLR of {sprt:?}"), sprt.llr(&counts), number(&test[name]["llr"]));
                let state = sprt.state(&counts);
                let reference: String = serde_json::from_value(test[name]["state"].clone()).unwrap();
                assert_eq!(serde_json::to_value(state).unwrap(), reference, "{counts:?} {sprt:?}");
                ratios += 1;
                verdicts[match state {
                    SprtState::Running => 0,
                    SprtState::AcceptH0 => 1,
                    SprtState::AcceptH1 => 2,
                }] += 1;
            }
        }
    }
    assert_eq!(ratios, 300);
    assert!(verdicts.iter().all(|&count| count > 20), "all three verdicts occur: {verdicts:?}");
}
