"use strict";
// The one module that draws charts in pages.

const Chart = (() => {
  const LEFT = 50, RIGHT = 14, TOP = 12, BOTTOM = 26;
  // About as wide as it will be shown, so that its text has the size of the page's small text.
  const wide = () => (innerWidth < 800 ? Math.max(280, innerWidth - 60) : 520);
  const color = (number) => "var(--series" + (1 + (number % 4)) + ")";

  /** Round steps for an axis: at most `most` of them. */
  function ticks(low, high, most) {
    const raw = (high - low || 1) / most, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw);
    const marks = [];
    for (let mark = Math.ceil(low / step) * step; mark <= high + step * 1e-9; mark += step) marks.push(Math.abs(mark) < step * 1e-9 ? 0 : mark);
    return { marks, digits: Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9))) };
  }

  /**
   * Lines with error bars. `series`: [{ name, points: [[x, y, low, high]], dots, dashed, band }].
   * Options: label (for readers of the screen), height, zero (show y = 0), xText(x), yText(y), diagonal, onpick(x), unit.
   */
  function lines(series, options = {}) {
    const shown = series.filter((line) => line.points.length);
    if (!shown.length) return el("p", { class: "quiet" }, options.empty || "nothing to draw yet");
    const height = options.height || 240, WIDTH = wide();
    const all = shown.flatMap((line) => line.points);
    let [left, right] = [Math.min(...all.map((p) => p[0])), Math.max(...all.map((p) => p[0]))];
    let low = Math.min(...all.map((p) => p[2] ?? p[1])), high = Math.max(...all.map((p) => p[3] ?? p[1]));
    if (options.zero) { low = Math.min(low, 0); high = Math.max(high, 0); }
    if (left === right) { left -= 0.5; right += 0.5; }
    const margin = (high - low || 1) * 0.06;
    low -= margin; high += margin;
    const x = (value) => LEFT + (WIDTH - LEFT - RIGHT) * (value - left) / (right - left);
    const y = (value) => TOP + (height - TOP - BOTTOM) * (high - value) / (high - low);
    const picture = svg("svg", { class: "chart", viewBox: "0 0 " + WIDTH + " " + height, role: "img", "aria-label": options.label || "chart" });
    axes(picture, { left, right, low, high, height, x, y }, options);
    shown.forEach((line) => drawLine(picture, line, line.color || color(series.indexOf(line)), x, y));
    const legend = shown.length > 1 && el("p", { class: "legend" }, shown.map((line) =>
      el("span", {}, el("i", { style: { background: line.color || color(series.indexOf(line)) } }), line.name)));
    return el("div", {}, picture, legend);
  }

  function axes(picture, frame, options) {
    const { left, right, low, high, height, x, y } = frame;
    const up = ticks(low, high, 6), across = ticks(left, right, 7), WIDTH = wide();
    for (const mark of up.marks) {
      const text = options.yText ? options.yText(mark) : mark.toFixed(up.digits);
      picture.append(svg("line", { class: mark === 0 && options.zero ? "zero" : "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(mark).toFixed(1), y2: y(mark).toFixed(1) }),
        svg("text", { x: LEFT - 7, y: (y(mark) + 4).toFixed(1), "text-anchor": "end" }, text));
    }
    for (const mark of across.marks) {
      if (options.whole && mark !== Math.round(mark)) continue;
      const text = options.xText ? options.xText(mark) : mark.toFixed(across.digits);
      picture.append(svg("text", { x: x(mark).toFixed(1), y: height - 8, "text-anchor": "middle" }, text));
    }
    if (options.diagonal) picture.append(svg("line", { class: "zero", x1: x(left), y1: y(left), x2: x(right), y2: y(right), "stroke-dasharray": "3 4" }));
  }

  function drawLine(picture, line, stroke, x, y) {
    const path = (points) => points.map((p) => x(p[0]).toFixed(1) + "," + y(p[1]).toFixed(1)).join(" ");
    const barred = line.points.filter((p) => p[2] !== undefined && p[2] !== null);
    // Many error bars are a band.
    if (barred.length > 60) {
      const upper = barred.map((p) => [p[0], p[3]]), lower = barred.map((p) => [p[0], p[2]]).reverse();
      picture.append(svg("polygon", { points: path([...upper, ...lower]), fill: stroke, "fill-opacity": 0.15 }));
    } else {
      for (const p of barred) picture.append(svg("line", { x1: x(p[0]).toFixed(1), x2: x(p[0]).toFixed(1), y1: y(p[2]).toFixed(1), y2: y(p[3]).toFixed(1), stroke, "stroke-opacity": 0.6 }));
    }
    if (!line.dots) picture.append(svg("polyline", { points: path(line.points), fill: "none", stroke, "stroke-width": 2, "stroke-linejoin": "round", "stroke-dasharray": line.dashed ? "4 4" : null }));
    if (line.dots || line.points.length <= 60) {
      for (const p of line.points) {
        const dot = svg("circle", { cx: x(p[0]).toFixed(1), cy: y(p[1]).toFixed(1), r: line.dots ? 3 : 3.2, fill: stroke });
        if (p[4]) dot.append(svg("title", {}, p[4]));
        picture.append(dot);
      }
    }
  }

  /** Where a log-likelihood ratio stands between its bounds. */
  function llr(value, lower, upper) {
    const x = (number) => 20 + 320 * (Math.max(lower, Math.min(upper, number)) - lower) / (upper - lower);
    const tone = value >= upper ? "var(--good)" : value <= lower ? "var(--bad)" : "var(--accent)";
    return svg("svg", { class: "chart half", viewBox: "0 0 360 40", role: "img", "aria-label": "LLR " + value.toFixed(2) + " between " + lower.toFixed(2) + " and " + upper.toFixed(2) },
      svg("line", { x1: 20, x2: 340, y1: 14, y2: 14, class: "grid", "stroke-width": 6, "stroke-linecap": "round" }),
      svg("line", { x1: x(0), x2: x(value), y1: 14, y2: 14, stroke: tone, "stroke-width": 6 }),
      svg("line", { x1: x(0), x2: x(0), y1: 8, y2: 20, class: "zero" }),
      svg("circle", { cx: x(value), cy: 14, r: 6, fill: tone }),
      svg("text", { x: 20, y: 34 }, lower.toFixed(2)), svg("text", { x: 340, y: 34, "text-anchor": "end" }, upper.toFixed(2)),
      svg("text", { x: Math.max(80, Math.min(280, x(value))), y: 34, "text-anchor": "middle", class: "name" }, "LLR " + value.toFixed(2)));
  }

  /** Bars beside each other with their numbers: [[name, value]]. */
  function bars(pairs, options = {}) {
    const height = options.height || 120, step = 340 / pairs.length, most = Math.max(1, ...pairs.map((pair) => pair[1]));
    const picture = svg("svg", { class: "chart half", viewBox: "0 0 360 " + height, role: "img", "aria-label": options.label || pairs.map((pair) => pair.join(": ")).join(", ") });
    pairs.forEach(([name, value], place) => {
      const tall = (height - 46) * value / most, at = 10 + step * place;
      picture.append(svg("rect", { x: at + 4, y: height - 22 - tall, width: step - 8, height: tall, rx: 2, fill: pairs[place][2] || color(0) }),
        svg("text", { x: at + step / 2, y: height - 26 - tall, "text-anchor": "middle" }, count(value)),
        svg("text", { x: at + step / 2, y: height - 7, "text-anchor": "middle" }, name));
    });
    return picture;
  }

  /** Bars to the left and the right of a middle: [[name, value]]. */
  function changes(pairs, options = {}) {
    const row = 20, WIDTH = wide(), left = Math.min(210, WIDTH * 0.55), height = row * pairs.length + 8;
    const most = Math.max(1, ...pairs.map((pair) => Math.abs(pair[1])));
    const picture = svg("svg", { class: "chart", viewBox: "0 0 " + WIDTH + " " + height, role: "img", "aria-label": options.label || "changes" });
    const middle = left + (WIDTH - left - 40) / 2, half = (WIDTH - left - 40) / 2 - 6;
    picture.append(svg("line", { class: "zero", x1: middle, x2: middle, y1: 0, y2: height }));
    pairs.forEach(([name, value], place) => {
      const y = 4 + row * place, long = half * Math.abs(value) / most;
      picture.append(svg("text", { x: left - 8, y: y + 12, "text-anchor": "end" }, name),
        svg("rect", { x: value < 0 ? middle - long : middle, y: y + 2, width: long, height: row - 8, rx: 2, fill: value < 0 ? "var(--bad)" : "var(--good)" }),
        svg("text", { x: WIDTH - 8, y: y + 12, "text-anchor": "end" }, signed(value)));
    });
    return picture;
  }

  return { lines, llr, bars, changes, color };
})();
