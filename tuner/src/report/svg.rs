//! Pictures as text: the few shapes that the report needs.

use std::fmt::Write;

/// A picture being drawn, in pixels from the upper left.
pub struct Svg {
    width: f64,
    height: f64,
    shapes: String,
}

/// Where a text is held.
#[derive(Clone, Copy)]
pub enum Anchor {
    /// At its begin.
    Start,
    /// In its middle.
    Middle,
    /// At its end.
    End,
}

impl Svg {
    /// An empty picture.
    pub fn new(width: f64, height: f64) -> Svg {
        Svg { width, height, shapes: String::new() }
    }

    // Writing to a String cannot fail: the results are dropped.

    /// A filled rectangle.
    pub fn rectangle(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], fill: &str) {
        let _ = writeln!(
            self.shapes,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" fill="{fill}"/>"#
        );
    }

    /// A straight line.
    pub fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], stroke: &str) {
        let _ = writeln!(
            self.shapes,
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{stroke}"/>"#
        );
    }

    /// A line through points.
    pub fn path(&mut self, points: &[[f64; 2]], stroke: &str) {
        let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            self.shapes,
            r#"<polyline points="{}" fill="none" stroke="{stroke}" stroke-width="2"/>"#,
            points.join(" ")
        );
    }

    /// A dot.
    pub fn dot(&mut self, [x, y]: [f64; 2], radius: f64, fill: &str) {
        let _ = writeln!(self.shapes, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{fill}"/>"#);
    }

    /// A text.
    pub fn text(&mut self, [x, y]: [f64; 2], anchor: Anchor, size: f64, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = writeln!(
            self.shapes,
            r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}" font-size="{size}">{}</text>"#,
            escaped(text)
        );
    }

    /// The whole file.
    pub fn finish(self) -> String {
        let Svg { width, height, shapes } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n{shapes}</svg>\n"
        )
    }
}

/// Text as it may stand between tags.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
