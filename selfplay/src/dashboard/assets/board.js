"use strict";
// The chess board: squares, pieces drawn here, marks, arrows, and clicks.

const Board = (() => {
  const SIZE = 60;
  // Silhouettes in a box of 100, and lines inside them.
  const SHAPES = {
    p: [["M50 20a14 14 0 0 1 9 25l7 3-2 7h-6c1 13 6 20 14 25v10H28V80c8-5 13-12 14-25h-6l-2-7 7-3a14 14 0 0 1 9-25z"], []],
    r: [["M26 18h13v9h6v-9h10v9h6v-9h13v20l-9 8v24l9 9v11H26V79l9-9V46l-9-8z"], ["M35 46h30", "M35 70h30"]],
    n: [["M32 90c-2-20 14-28 18-42-7 7-14 8-20 15l-9-4c-3-10 5-15 9-23 2-7 6-9 7-20l10 8c20-2 36 14 36 44 0 10-2 16-3 22z"], ["M37 38l3-3", "M58 32c10 6 15 18 14 40"]],
    b: [["M50 10a6 6 0 0 1 4 10c12 9 18 20 18 30 0 8-4 13-8 17h-3l3 8 10 6v9H26v-9l10-6 3-8h-3c-4-4-8-9-8-17 0-10 6-21 18-30a6 6 0 0 1 4-10z"], ["M55 32L45 46", "M39 67h22"]],
    q: [["M14 30a6 6 0 1 1 7 5l11 15 3-23a6 6 0 1 1 7-1l8 20 8-20a6 6 0 1 1 7 1l3 23 11-15a6 6 0 1 1 7-5 6 6 0 0 1-5 6l-7 36 4 7v11H22V79l4-7-7-36a6 6 0 0 1-5-6z"], ["M26 72h48", "M25 64c16-4 34-4 50 0"]],
    k: [["M46 8h8v7h7v8h-7v11c8-6 32-8 32 12 0 12-9 18-12 26l3 7v11H23V79l3-7c-3-8-12-14-12-26 0-20 24-18 32-12V23h-7v-8h7z"], ["M26 72h48", "M50 40v24", "M27 64c14-4 32-4 46 0"]],
  };

  /** The squares of a FEN's first field: "e4" → "P". */
  function pieces(fen) {
    const found = {};
    fen.split(" ")[0].split("/").forEach((rank, row) => {
      let file = 0;
      for (const letter of rank) {
        if (/\d/.test(letter)) file += Number(letter);
        else found["abcdefgh"[file++] + (8 - row)] = letter;
      }
    });
    return found;
  }

  function drawPiece(letter, x, y) {
    const white = letter === letter.toUpperCase();
    const [outlines, lines] = SHAPES[letter.toLowerCase()];
    const group = svg("g", { transform: "translate(" + x + " " + y + ") scale(" + SIZE / 100 + ")" });
    for (const d of outlines) group.append(svg("path", { d, class: white ? "pw" : "pb", "stroke-width": 4, "stroke-linejoin": "round" }));
    for (const d of lines) group.append(svg("path", { d, class: white ? "in-w" : "in-b", fill: "none", "stroke-width": 3.4, "stroke-linecap": "round" }));
    return group;
  }

  /**
   * A board. Options: flipped, last ([from, to]), arrows ([[from, to]]), marks (squares), targets (squares), worth
   * ({ square: text }), onsquare(square).
   */
  function draw(fen, options = {}) {
    const at = (square) => {
      const file = square.charCodeAt(0) - 97, rank = Number(square[1]) - 1;
      return options.flipped ? [(7 - file) * SIZE, rank * SIZE] : [file * SIZE, (7 - rank) * SIZE];
    };
    const board = svg("svg", { class: "board", viewBox: "0 0 480 480", role: "img", "aria-label": "position " + fen });
    const on = pieces(fen);
    for (let rank = 1; rank <= 8; rank++) {
      for (const file of "abcdefgh") {
        const square = file + rank, [x, y] = at(square);
        const dark = (file.charCodeAt(0) + rank) % 2 === 0;
        const cell = svg("rect", { x, y, width: SIZE, height: SIZE, class: dark ? "sd" : "sl" });
        board.append(cell);
        if ((options.last || []).includes(square)) board.append(svg("rect", { x, y, width: SIZE, height: SIZE, class: "last" }));
        if ((options.marks || []).includes(square)) board.append(svg("rect", { x, y, width: SIZE, height: SIZE, class: "pick" }));
        if (x === 0) board.append(svg("text", { x: x + 3, y: y + 13, class: "co" }, rank));
        if (y === 7 * SIZE) board.append(svg("text", { x: x + SIZE - 10, y: y + SIZE - 4, class: "co" }, file));
        if (on[square]) board.append(drawPiece(on[square], x, y));
        if ((options.targets || []).includes(square)) board.append(svg("circle", { cx: x + 30, cy: y + 30, r: on[square] ? 26 : 9, class: on[square] ? "pick" : "dot" }));
        if (options.worth && options.worth[square]) board.append(svg("text", { x: x + 30, y: y + 56, "text-anchor": "middle", class: "worth", fill: "#7a1f10", stroke: "#fff", "stroke-width": 2.5, "paint-order": "stroke" }, options.worth[square]));
      }
    }
    for (const [from, to] of options.arrows || []) board.append(arrow(at(from), at(to)));
    if (options.onsquare) {
      board.addEventListener("click", (event) => {
        const box = board.getBoundingClientRect();
        const column = Math.floor((event.clientX - box.left) / box.width * 8), row = Math.floor((event.clientY - box.top) / box.height * 8);
        const file = options.flipped ? 7 - column : column, rank = options.flipped ? row : 7 - row;
        if (file >= 0 && file < 8 && rank >= 0 && rank < 8) options.onsquare("abcdefgh"[file] + (rank + 1));
      });
      board.style.cursor = "pointer";
    }
    return board;
  }

  function arrow([x1, y1], [x2, y2]) {
    const [a, b, c, d] = [x1 + 30, y1 + 30, x2 + 30, y2 + 30], angle = Math.atan2(d - b, c - a);
    const tip = (turn, long) => (c + long * Math.cos(angle + turn)).toFixed(1) + "," + (d + long * Math.sin(angle + turn)).toFixed(1);
    return svg("g", { class: "arrow" },
      svg("line", { x1: a, y1: b, x2: c - 16 * Math.cos(angle), y2: d - 16 * Math.sin(angle), "stroke-width": 9, "stroke-linecap": "round" }),
      svg("polygon", { points: [c.toFixed(1) + "," + d.toFixed(1), tip(2.7, 26), tip(-2.7, 26)].join(" "), "stroke-width": 0 }));
  }

  /** A small board of numbers, such as a change for each square; `columns` is 4 for half a board. */
  function numbers(name, values, columns) {
    const size = 26, rows = values.length / columns, most = Math.max(4, ...values.map(Math.abs));
    const picture = svg("svg", { class: "chart", viewBox: "0 0 " + (columns * size + 16) + " " + (rows * size + 30), role: "img", "aria-label": name + " by square" });
    picture.style.maxWidth = (columns * size + 16) * 1.5 + "px";
    picture.append(svg("text", { x: 14, y: 11, class: "name" }, name));
    values.forEach((value, place) => {
      const file = place % columns, rank = Math.floor(place / columns), x = 14 + file * size, y = 16 + (rows - 1 - rank) * size;
      const square = "abcdefgh"[file + 8 - columns] + (rank + 1);
      picture.append(svg("rect", { x, y, width: size - 1, height: size - 1, rx: 2, fill: value < 0 ? "var(--bad)" : value > 0 ? "var(--good)" : "var(--line)", "fill-opacity": value ? 0.15 + 0.7 * Math.abs(value) / most : 0.4 },
        svg("title", {}, name + " " + square + ": " + signed(value))));
      if (value) picture.append(svg("text", { x: x + size / 2 - 0.5, y: y + size / 2 + 4, "text-anchor": "middle", class: "tiny" }, signed(value).replace("±", "")));
    });
    for (let file = 0; file < columns; file++) picture.append(svg("text", { x: 14 + file * size + 13, y: rows * size + 27, "text-anchor": "middle" }, "abcdefgh"[file + 8 - columns]));
    for (let rank = 0; rank < rows; rank++) picture.append(svg("text", { x: 2, y: 16 + (rows - 1 - rank) * size + 17 }, rank + 1));
    return picture;
  }

  return { draw, pieces, numbers };
})();
