//! Figures over many rows. Every one can be worked out in parts, and the parts joined in their order.

use std::collections::{HashMap, HashSet};

use super::check::{Aggregate, Grouping};
use super::nodes::Node;
use super::scene::Scene;
use super::value::Value;

/// What is worked out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum AggregateKind {
    Count,
    Mean,
    Sum,
    Min,
    Max,
    Deviation,
    Share,
    Distinct,
    First,
}

impl AggregateKind {
    /// By its name, which is known to be one.
    pub fn named(name: &str) -> AggregateKind {
        match name {
            "mean" => AggregateKind::Mean,
            "sum" => AggregateKind::Sum,
            "min" => AggregateKind::Min,
            "max" => AggregateKind::Max,
            "deviation" => AggregateKind::Deviation,
            "share" => AggregateKind::Share,
            "distinct" => AggregateKind::Distinct,
            "first" => AggregateKind::First,
            _ => AggregateKind::Count,
        }
    }
}

/// One figure of one group, so far.
#[derive(Clone, Debug)]
pub struct Figure {
    kind: AggregateKind,
    /// Values that were known.
    count: u64,
    sum: f64,
    /// The sum of squared distances from the mean.
    squares: f64,
    extreme: f64,
    seen: HashSet<Value>,
    first: Option<Value>,
}

impl Figure {
    fn new(kind: AggregateKind) -> Figure {
        let (seen, first) = (HashSet::new(), None);
        Figure { kind, count: 0, sum: 0.0, squares: 0.0, extreme: f64::NAN, seen, first }
    }

    fn add(&mut self, of: Option<&Node>, scene: &Scene) {
        let Some(node) = of else {
            self.count += 1;
            return;
        };
        match (self.kind, node) {
            (AggregateKind::First, _) => {
                self.first.get_or_insert_with(|| node.value(scene));
            }
            (AggregateKind::Distinct, _) => {
                let value = node.value(scene);
                if value.is_known() {
                    self.seen.insert(value);
                }
            }
            (_, Node::Truth(truth)) => {
                self.count += 1;
                self.sum += f64::from(u8::from(truth.at(scene)));
            }
            (_, Node::Number(number)) => self.add_number(number.at(scene)),
            _ => {}
        }
    }

    fn add_number(&mut self, number: f64) {
        if number.is_nan() {
            return;
        }
        let before = self.count as f64;
        if self.count > 0 {
            let apart = number - self.sum / before;
            self.squares += apart * apart * before / (before + 1.0);
        }
        self.count += 1;
        self.sum += number;
        self.extreme = self.more_extreme(number);
    }

    fn more_extreme(&self, number: f64) -> f64 {
        match self.kind {
            AggregateKind::Min => number.min(self.extreme),
            _ => number.max(self.extreme),
        }
    }

    fn join(&mut self, other: Figure) {
        if self.count > 0 && other.count > 0 {
            let (a, b) = (self.count as f64, other.count as f64);
            let apart = other.sum / b - self.sum / a;
            self.squares += apart * apart * a * b / (a + b);
        }
        self.squares += other.squares;
        self.count += other.count;
        self.sum += other.sum;
        self.extreme = self.more_extreme(other.extreme);
        self.seen.extend(other.seen);
        if self.first.is_none() {
            self.first = other.first;
        }
    }

    fn finish(&self) -> Value {
        let count = self.count as f64;
        Value::Number(match self.kind {
            AggregateKind::Count => count,
            AggregateKind::Sum => self.sum,
            AggregateKind::Mean | AggregateKind::Share if self.count == 0 => f64::NAN,
            AggregateKind::Mean | AggregateKind::Share => self.sum / count,
            AggregateKind::Min | AggregateKind::Max => self.extreme,
            AggregateKind::Deviation if self.count < 2 => f64::NAN,
            AggregateKind::Deviation => (self.squares / (count - 1.0)).sqrt(),
            AggregateKind::Distinct => self.seen.len() as f64,
            AggregateKind::First => return self.first.clone().unwrap_or(Value::Number(f64::NAN)),
        })
    }
}

/// The groups of a query, so far.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// The figures of the only group of a query without `group by`.
    only: Option<Vec<Figure>>,
    groups: HashMap<Vec<Value>, Vec<Figure>>,
    /// How much is kept: groups, and values that were told apart.
    size: usize,
}

impl Groups {
    /// No rows yet.
    pub fn new(grouping: &Grouping) -> Groups {
        let only = grouping.keys.is_empty().then(|| figures(&grouping.aggregates));
        Groups { only, groups: HashMap::new(), size: 0 }
    }

    /// Takes a row in.
    pub fn add(&mut self, grouping: &Grouping, scene: &Scene) {
        let figures = match &mut self.only {
            Some(figures) => figures,
            None => {
                let key = grouping.keys.iter().map(|(_, node)| node.value(scene)).collect();
                self.groups.entry(key).or_insert_with(|| {
                    self.size += 1;
                    figures(&grouping.aggregates)
                })
            }
        };
        for (figure, aggregate) in figures.iter_mut().zip(&grouping.aggregates) {
            let before = figure.seen.len();
            figure.add(aggregate.of.as_ref(), scene);
            self.size += figure.seen.len() - before;
        }
    }

    /// Takes in the groups of rows that come later.
    pub fn join(&mut self, other: Groups) {
        if let (Some(figures), Some(others)) = (&mut self.only, other.only) {
            self.size += join_all(figures, others);
        }
        for (key, others) in other.groups {
            match self.groups.entry(key) {
                std::collections::hash_map::Entry::Vacant(entry) => {
                    self.size += 1 + others.iter().map(|figure| figure.seen.len()).sum::<usize>();
                    entry.insert(others);
                }
                std::collections::hash_map::Entry::Occupied(mut entry) => {
                    self.size += join_all(entry.get_mut(), others);
                }
            }
        }
    }

    /// How much is kept: groups, and values that were told apart.
    pub const fn size(&self) -> usize {
        self.size
    }

    /// Keys and figures of each group, by key.
    pub fn finish(&self) -> Vec<Vec<Value>> {
        let mut rows: Vec<Vec<Value>> = Vec::with_capacity(self.groups.len() + 1);
        rows.extend(self.only.iter().map(|figures| figures.iter().map(Figure::finish).collect()));
        for (key, figures) in &self.groups {
            rows.push(key.iter().cloned().chain(figures.iter().map(Figure::finish)).collect());
        }
        rows.sort_by(|a, b| {
            let orders = a.iter().zip(b).map(|(a, b)| a.order(b));
            orders.into_iter().find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        rows
    }
}

/// Joins the figures of a group; says how many values were not known before.
fn join_all(figures: &mut [Figure], others: Vec<Figure>) -> usize {
    let joined = figures.iter_mut().zip(others).map(|(figure, other)| {
        let before = figure.seen.len();
        figure.join(other);
        figure.seen.len() - before
    });
    joined.sum()
}

fn figures(aggregates: &[Aggregate]) -> Vec<Figure> {
    aggregates.iter().map(|aggregate| Figure::new(aggregate.kind)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_join_to_the_whole() {
        let numbers: Vec<f64> = (0..100).map(|n| f64::from(n * n % 37) - 11.5).collect();
        for kind in [AggregateKind::Mean, AggregateKind::Deviation, AggregateKind::Min, AggregateKind::Max] {
            let mut whole = Figure::new(kind);
            numbers.iter().for_each(|&number| whole.add_number(number));
            let mut joined = Figure::new(kind);
            for part in numbers.chunks(13) {
                let mut figure = Figure::new(kind);
                part.iter().for_each(|&number| figure.add_number(number));
                joined.join(figure);
            }
            let (Value::Number(a), Value::Number(b)) = (whole.finish(), joined.finish()) else { panic!() };
            assert!((a - b).abs() < 1e-9, "{kind:?}: {a} {b}");
        }
    }
}
