//! Two sets of weights side by side.

use std::fmt::Write;

use engine::eval::EvalParams;

/// A weight that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Its flat index.
    pub index: usize,
    /// Before: middlegame, endgame.
    pub before: [i32; 2],
    /// After.
    pub after: [i32; 2],
}

impl Difference {
    /// How far both halves moved together.
    pub fn size(&self) -> i32 {
        (0..2).map(|half| (self.after[half] - self.before[half]).abs()).sum()
    }
}

/// The weights that differ, most first.
pub fn differences(before: &EvalParams, after: &EvalParams) -> Vec<Difference> {
    let both = before.to_vec().into_iter().zip(after.to_vec());
    let mut differences: Vec<Difference> = both
        .enumerate()
        .filter(|(_, (before, after))| before != after)
        .map(|(index, (before, after))| Difference {
            index,
            before: [before.mg(), before.eg()],
            after: [after.mg(), after.eg()],
        })
        .collect();
    differences.sort_by_key(|difference| (-difference.size(), difference.index));
    differences
}

/// A table of the first `most`, and how much each section moved.
pub fn table(differences: &[Difference], most: usize) -> String {
    let mut text = format!("{} of {} weights differ\n", differences.len(), EvalParams::COUNT);
    if differences.is_empty() {
        return text;
    }
    let mut sections: Vec<&str> = EvalParams::FIELDS.iter().map(|field| field.section).collect();
    sections.dedup();
    let _ = writeln!(text, "\n{:<16} {:>8} {:>12}", "section", "differ", "mean change");
    for section in sections {
        let own: Vec<&Difference> = differences
            .iter()
            .filter(|difference| EvalParams::field(difference.index).section == section)
            .collect();
        if !own.is_empty() {
            let mean = own.iter().map(|difference| f64::from(difference.size()) / 2.0).sum::<f64>()
                / own.len() as f64;
            let _ = writeln!(text, "{section:<16} {:>8} {mean:>12.1}", own.len());
        }
    }
    let _ = writeln!(text, "\n{:<32} {:>14} {:>14} {:>14}", "weight", "before", "after", "change");
    for difference in differences.iter().take(most) {
        let pair = |pair: [i32; 2]| format!("[{}, {}]", pair[0], pair[1]);
        let change = std::array::from_fn(|half| difference.after[half] - difference.before[half]);
        let name = EvalParams::name(difference.index);
        let _ = writeln!(
            text,
            "{name:<32} {:>14} {:>14} {:>14}",
            pair(difference.before),
            pair(difference.after),
            pair(change)
        );
    }
    if differences.len() > most {
        let _ = writeln!(text, "… and {} more (--all)", differences.len() - most);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::eval::Score;

    #[test]
    fn most_first_and_nothing_that_stayed() {
        let before = EvalParams::default();
        let mut after = before.clone();
        after.tempo = Score::new(before.tempo.mg() + 3, before.tempo.eg());
        after.bishop_pair = Score::new(before.bishop_pair.mg() - 5, before.bishop_pair.eg() + 4);
        let found = differences(&before, &after);
        let names: Vec<String> = found.iter().map(|difference| EvalParams::name(difference.index)).collect();
        assert_eq!(names, ["bishop_pair", "tempo"]);
        assert!(table(&found, 1).contains("[-5, 4]") && table(&found, 1).contains("1 more"));
        assert!(differences(&before, &before).is_empty());
    }
}
