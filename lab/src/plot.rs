//! The picture of an experiment: average speedups against processors, as SVG.

use std::fmt::Write as _;

/// Size of the picture, and where its axes lie, in pixels.
const SIZE: (f64, f64) = (800.0, 540.0);
const LEFT: f64 = 64.0;
const RIGHT: f64 = 560.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 480.0;

/// Colours that are told apart with any eyes (Okabe and Ito), but for their yellow, which white
/// paper swallows.
const COLOURS: [&str; 7] =
    ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000"];
/// What a paper measured.
const PAPER: &str = "#777777";

/// One line of the picture.
pub struct Curve {
    name: String,
    colour: &'static str,
    /// From a paper: its points are drawn as open squares.
    quoted: bool,
    /// Processors and speedup.
    points: Vec<(f64, f64)>,
}

impl Curve {
    /// What we measured: the line number `index` of the picture.
    pub fn measured(index: usize, name: String, points: Vec<(f64, f64)>) -> Self {
        Self { name, colour: COLOURS[index % COLOURS.len()], quoted: false, points }
    }

    /// What a paper says.
    pub fn quoted(name: String, points: Vec<(f64, f64)>) -> Self {
        Self { name, colour: PAPER, quoted: true, points }
    }
}

/// Both axes are logarithmic, so that the same gain is the same height everywhere.
#[derive(Clone, Copy)]
struct Axes {
    /// Greatest number of processors.
    most: f64,
}

impl Axes {
    fn x(self, processors: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * processors.log2() / self.most.log2()
    }

    fn y(self, speedup: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * speedup.max(0.5).log2() / self.most.log2()
    }

    /// 1, 2, 4, … as far as it goes.
    fn ticks(self) -> impl Iterator<Item = f64> {
        (0..).map(|power| f64::from(1 << power)).take_while(move |tick| *tick <= self.most)
    }
}

/// Average speedups against processors, up to the greatest number of them, beside what is ideal.
pub fn speedups(curves: &[Curve]) -> String {
    let processors = curves.iter().flat_map(|curve| &curve.points).map(|&(n, _)| n);
    let axes = Axes { most: processors.fold(2.0, f64::max) };
    let mut svg = String::new();
    // Writing into a string cannot fail.
    let _ = draw(&mut svg, axes, curves);
    svg
}

fn draw(svg: &mut String, axes: Axes, curves: &[Curve]) -> std::fmt::Result {
    let (width, height) = SIZE;
    writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="13">"#
    )?;
    writeln!(svg, r##"<rect width="{width}" height="{height}" fill="#ffffff"/>"##)?;
    grid(svg, axes)?;
    for curve in curves {
        draw_curve(svg, axes, curve)?;
    }
    legend(svg, curves)?;
    writeln!(svg, "</svg>")
}

/// The grid, the numbers along it, and the line of the ideal.
fn grid(svg: &mut String, axes: Axes) -> std::fmt::Result {
    for tick in axes.ticks() {
        let (x, y) = (axes.x(tick), axes.y(tick));
        writeln!(
            svg,
            r##"<path d="M{x:.1} {TOP}V{BOTTOM}M{LEFT} {y:.1}H{RIGHT}" stroke="#dddddd" fill="none"/>"##
        )?;
        let (below, beside) = (BOTTOM + 18.0, LEFT - 8.0);
        writeln!(svg, r#"<text x="{x:.1}" y="{below}" text-anchor="middle">{tick}</text>"#)?;
        let middle = y + 4.5;
        writeln!(svg, r#"<text x="{beside}" y="{middle:.1}" text-anchor="end">{tick}</text>"#)?;
    }
    let (x, y) = (axes.x(axes.most), axes.y(axes.most));
    writeln!(
        svg,
        r##"<path d="M{LEFT} {BOTTOM}L{x:.1} {y:.1}" stroke="#999999" stroke-dasharray="2 4" fill="none"/>"##
    )?;
    let (across, down) = (f64::midpoint(LEFT, RIGHT), BOTTOM + 42.0);
    writeln!(svg, r#"<text x="{across}" y="{down}" text-anchor="middle">processors</text>"#)?;
    let (across, down) = (LEFT - 42.0, f64::midpoint(TOP, BOTTOM));
    writeln!(
        svg,
        r#"<text transform="translate({across} {down}) rotate(-90)" text-anchor="middle">average speedup, virtual time</text>"#
    )
}

fn draw_curve(svg: &mut String, axes: Axes, curve: &Curve) -> std::fmt::Result {
    let Curve { colour, quoted, points, .. } = curve;
    let place = |&(processors, speedup): &(f64, f64)| (axes.x(processors), axes.y(speedup));
    let line: Vec<String> =
        points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let dashes = if *quoted { r#" stroke-dasharray="6 4""# } else { "" };
    let line = line.join(" ");
    writeln!(
        svg,
        r#"<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>"#
    )?;
    for (x, y) in points.iter().map(place) {
        dot(svg, x, y, curve)?;
    }
    Ok(())
}

fn dot(svg: &mut String, x: f64, y: f64, curve: &Curve) -> std::fmt::Result {
    let colour = curve.colour;
    if curve.quoted {
        let (x, y) = (x - 4.0, y - 4.0);
        return writeln!(
            svg,
            r##"<rect x="{x:.1}" y="{y:.1}" width="8" height="8" fill="#ffffff" stroke="{colour}"/>"##
        );
    }
    writeln!(svg, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{colour}"/>"#)
}

/// Names, the curve that ends highest first, each with its last speedup.
fn legend(svg: &mut String, curves: &[Curve]) -> std::fmt::Result {
    let last = |curve: &Curve| curve.points.last().copied().unwrap_or((0.0, 0.0));
    let mut order: Vec<&Curve> = curves.iter().filter(|curve| !curve.points.is_empty()).collect();
    order.sort_by(|a, b| last(b).1.total_cmp(&last(a).1));
    let (x, text) = (RIGHT + 32.0, RIGHT + 48.0);
    let mut y = TOP + 8.0;
    writeln!(
        svg,
        r##"<path d="M{:.1} {y}h16" stroke="#999999" stroke-dasharray="2 4"/>"##,
        x - 8.0
    )?;
    writeln!(svg, r#"<text x="{text}" y="{}">ideal</text>"#, y + 4.5)?;
    for curve in order {
        y += 22.0;
        dot(svg, x, y, curve)?;
        let ((processors, speedup), name) = (last(curve), &curve.name);
        let y = y + 4.5;
        writeln!(svg, r#"<text x="{text}" y="{y}">{name}: {speedup:.1} on {processors}</text>"#)?;
    }
    Ok(())
}
