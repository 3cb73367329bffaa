//! Charts and boards out of [`Svg`] shapes.

use super::svg::{Anchor, Svg};

/// Points with a name.
pub struct Series<'a> {
    /// For the legend.
    pub name: &'a str,
    /// Any colour of SVG's.
    pub color: &'a str,
    /// x and y.
    pub points: Vec<[f64; 2]>,
    /// Whether a line goes through them.
    pub joined: bool,
}

/// A chart with axes.
pub struct Chart<'a> {
    /// Above it.
    pub title: &'a str,
    /// Below the x axis.
    pub x_label: &'a str,
    /// What is drawn.
    pub series: Vec<Series<'a>>,
    /// Whether the diagonal is drawn for comparison.
    pub diagonal: bool,
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 45.0;

/// A round number not below `width / 5`, to put marks at.
fn mark_distance(width: f64) -> f64 {
    let rough = (width / 5.0).max(1e-12);
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * power).find(|&step| step >= rough).unwrap_or(rough)
}

/// The least and the greatest, never the same.
fn range(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    let [low, high] = numbers
        .filter(|number| number.is_finite())
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], number| [low.min(number), high.max(number)]);
    match low.partial_cmp(&high) {
        Some(std::cmp::Ordering::Less) => [low, high],
        Some(std::cmp::Ordering::Equal) => [low - 0.5, high + 0.5],
        _ => [0.0, 1.0],
    }
}

impl Chart<'_> {
    /// Draws it.
    pub fn draw(&self) -> String {
        let all = || self.series.iter().flat_map(|series| series.points.iter());
        let [x_low, x_high] = range(all().map(|point| point[0]));
        let [y_low, y_high] = range(all().map(|point| point[1]));
        let x_at = |x: f64| LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT);
        let y_at = |y: f64| HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM);
        let mut svg = Svg::new(WIDTH, HEIGHT);
        svg.text([WIDTH / 2.0, 18.0], Anchor::Middle, 14.0, self.title);
        svg.text([WIDTH / 2.0, HEIGHT - 8.0], Anchor::Middle, 11.0, self.x_label);
        let marks = |low: f64, high: f64| {
            let distance = mark_distance(high - low);
            let first = (low / distance).ceil();
            (0..12)
                .map(move |place| (first + f64::from(place)) * distance)
                .take_while(move |&mark| mark <= high)
        };
        let number = |mark: f64, width: f64| {
            let decimals = (-mark_distance(width).log10().floor()).clamp(0.0, 7.0) as usize;
            format!("{mark:.decimals$}")
        };
        for mark in marks(y_low, y_high) {
            svg.line([LEFT, y_at(mark)], [WIDTH - RIGHT, y_at(mark)], "#ddd");
            svg.text([LEFT - 6.0, y_at(mark) + 4.0], Anchor::End, 10.0, &number(mark, y_high - y_low));
        }
        for mark in marks(x_low, x_high) {
            svg.line([x_at(mark), HEIGHT - BOTTOM], [x_at(mark), HEIGHT - BOTTOM + 4.0], "#888");
            svg.text(
                [x_at(mark), HEIGHT - BOTTOM + 16.0],
                Anchor::Middle,
                10.0,
                &number(mark, x_high - x_low),
            );
        }
        svg.line([LEFT, HEIGHT - BOTTOM], [WIDTH - RIGHT, HEIGHT - BOTTOM], "#888");
        svg.line([LEFT, TOP], [LEFT, HEIGHT - BOTTOM], "#888");
        if self.diagonal {
            let (low, high) = (x_low.max(y_low), x_high.min(y_high));
            svg.line([x_at(low), y_at(low)], [x_at(high), y_at(high)], "#aaa");
        }
        // Names beside each other, each with the room of the longest.
        let longest = self.series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
        let room =
            (35.0 + 6.5 * longest as f64).min((WIDTH - LEFT - RIGHT) / self.series.len().max(1) as f64);
        for (place, series) in self.series.iter().enumerate() {
            let points: Vec<[f64; 2]> = series
                .points
                .iter()
                .filter(|point| point.iter().all(|number| number.is_finite()))
                .map(|&[x, y]| [x_at(x), y_at(y)])
                .collect();
            if series.joined {
                svg.path(&points, series.color);
            }
            for &point in &points {
                svg.dot(point, if series.joined { 2.0 } else { 3.5 }, series.color);
            }
            let x = LEFT + room * place as f64;
            svg.rectangle([x, 28.0], [10.0, 10.0], series.color);
            svg.text([x + 15.0, 37.0], Anchor::Start, 11.0, series.name);
        }
        svg.finish()
    }
}

/// A board of numbers: rows of eight from the first rank up, `columns` of them a row.
pub struct Board<'a> {
    /// Above it.
    pub title: String,
    /// From A1.
    pub numbers: Vec<f64>,
    /// 8, or 4 for half a board.
    pub columns: usize,
    /// The letter of the first file.
    pub first_file: char,
    /// How strongly numbers are coloured: this one is full colour.
    pub full: f64,
    /// Below it.
    pub note: &'a str,
}

const CELL: f64 = 34.0;

/// Draws boards in rows of `across`.
pub fn boards(boards: &[Board], across: usize) -> String {
    let (board_width, board_height) = (8.0 * CELL + 40.0, 8.0 * CELL + 60.0);
    let rows = boards.len().div_ceil(across);
    let mut svg = Svg::new(board_width * across as f64, board_height * rows as f64);
    for (place, board) in boards.iter().enumerate() {
        let left = board_width * (place % across) as f64 + 25.0;
        let top = board_height * (place / across) as f64 + 30.0;
        svg.text([left, top - 8.0], Anchor::Start, 13.0, &board.title);
        for (index, &number) in board.numbers.iter().enumerate() {
            let (file, rank) = (index % board.columns, index / board.columns);
            let corner = [left + CELL * file as f64, top + CELL * (7 - rank) as f64];
            svg.rectangle(corner, [CELL - 1.0, CELL - 1.0], &heat(number / board.full));
            let middle = [corner[0] + CELL / 2.0, corner[1] + CELL / 2.0 + 4.0];
            svg.text(middle, Anchor::Middle, 10.0, &format!("{number:.0}"));
        }
        for rank in 0..8 {
            let y = top + CELL * (7 - rank) as f64 + CELL / 2.0 + 4.0;
            svg.text([left - 6.0, y], Anchor::End, 10.0, &format!("{}", rank + 1));
        }
        for file in 0..board.columns {
            let letter = char::from(board.first_file as u8 + file as u8);
            let x = left + CELL * file as f64 + CELL / 2.0;
            svg.text([x, top + 8.0 * CELL + 12.0], Anchor::Middle, 10.0, &letter.to_string());
        }
        svg.text([left, top + 8.0 * CELL + 25.0], Anchor::Start, 10.0, board.note);
    }
    svg.finish()
}

/// From red over white to green.
fn heat(share: f64) -> String {
    let full = if share < 0.0 { [235.0, 95.0, 85.0] } else { [80.0, 180.0, 110.0] };
    let [red, green, blue] = full.map(|full: f64| 255.0 + (full - 255.0) * share.abs().min(1.0));
    format!("rgb({red:.0},{green:.0},{blue:.0})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_of_anything_are_well_formed() {
        for points in
            [vec![], vec![[0.0, 1.0]], vec![[0.0, f64::NAN], [1.0, 2.0]], vec![[0.0, 0.0], [5.0, 1e-7]]]
        {
            let series = vec![Series { name: "a < b", color: "red", points, joined: true }];
            let text = Chart { title: "t & u", x_label: "x", series, diagonal: true }.draw();
            assert!(text.starts_with("<svg") && text.ends_with("</svg>\n"));
            assert!(text.contains("a &lt; b") && text.contains("t &amp; u"));
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }

    #[test]
    fn nothing_is_white_and_more_than_full_is_full() {
        assert_eq!(heat(0.0), "rgb(255,255,255)");
        assert_eq!(heat(-7.0), heat(-1.0));
        assert_ne!(heat(0.5), heat(-0.5));
    }

    #[test]
    fn marks_are_round() {
        for (width, distance) in [(1.0, 0.2), (10.0, 2.0), (0.03, 0.01), (24.0, 5.0)] {
            assert!((mark_distance(width) - distance).abs() < 1e-9, "{width}: {}", mark_distance(width));
        }
    }
}
