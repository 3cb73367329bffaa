"use strict";
// One game of chess: board, moves, graph, book, engine.

tabula.pages.game = {
  async open(night, set, id, ply) {
    const told = await load("game", night, set, id);
    title("game " + id);
    const view = new GameView(told.game, (ply) => link("game", night, set, id, ply));
    const players = view.players();
    show(el("h1", {}, players ? players + " " : "Game " + id + " ", el("span", { class: "quiet" }, told.game.result.replaceAll("1/2", "½"))),
      el("p", { class: "quiet" }, el("a", { href: link("games", night, set) }, setName(set)), " of ", el("a", { href: link("night", night) }, night), " · " + told.game.ending),
      view.element);
    view.go(Number(ply) || 0);
    tabula.again = (parts) => parts[0] === night && parts[1] === set && parts[2] === String(id) && (view.go(Number(parts[3]) || 0), true);
  },
};

class GameView {
  constructor(game, address) {
    this.game = game;
    this.plies = game.plies;
    this.address = address;
    this.ply = 0;
    this.flipped = false;
    this.parts = Object.fromEntries(["board", "moves", "graph", "said", "book", "engine"].map((name) => [name, el("div", {})]));
    this.element = this.layout();
    this.drawMoves();
    const keys = (event) => this.key(event);
    document.addEventListener("keydown", keys);
    tabula.leave.push(() => { document.removeEventListener("keydown", keys); this.stop(); });
  }

  players() {
    const tag = (name) => (this.game.tags.find(([key]) => key === name) || [])[1];
    const [white, black] = [tag("White"), tag("Black")];
    return white && white !== "Tabula" ? white + " – " + black : "";
  }

  layout() {
    const button = (words, label, act) => el("button", { type: "button", class: "plain", "aria-label": label, title: label, onclick: act }, words);
    const { board, moves, graph, said, book, engine } = this.parts;
    return el("div", { class: "viewer" },
      el("div", {}, board,
        el("div", { class: "row" }, button("«", "beginning (Home)", () => this.go(0)), button("◀", "back (←)", () => this.go(this.ply - 1)), button("▶", "on (→)", () => this.go(this.ply + 1)),
          button("»", "end (End)", () => this.go(this.plies.length - 1)), button("⇅", "turn the board (f)", () => this.flip()), button("!", "next blunder (b)", () => this.nextBlunder())),
        said,
        el("div", { class: "row" }, copyButton("copy FEN", () => this.plies[this.ply].fen), copyButton("copy PGN", () => this.game.pgn),
          button("position", "the evaluation of this position", () => { location.hash = link("position", this.plies[this.ply].fen); })),
        el("p", { class: "quiet small keys" }, el("kbd", {}, "←"), " ", el("kbd", {}, "→"), " step · ", el("kbd", {}, "Home"), " ", el("kbd", {}, "End"), " · ", el("kbd", {}, "f"), " turn · ", el("kbd", {}, "b"), " next blunder")),
      el("div", {}, el("div", { class: "card" }, graph), el("div", { class: "card moves", tabindex: 0, "aria-label": "Moves" }, moves), book, engine));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
    const acts = { ArrowLeft: () => this.go(this.ply - 1), ArrowRight: () => this.go(this.ply + 1), Home: () => this.go(0), End: () => this.go(this.plies.length - 1), f: () => this.flip(), b: () => this.nextBlunder() };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  flip() {
    this.flipped = !this.flipped;
    this.drawBoard();
  }

  nextBlunder() {
    const from = this.plies.findIndex((ply, number) => number > this.ply && ply.nag);
    if (from > 0) this.go(from);
  }

  go(ply) {
    this.ply = Math.max(0, Math.min(this.plies.length - 1, ply));
    if (this.address) history.replaceState(null, "", this.address(this.ply));
    this.stop();
    this.drawBoard();
    this.drawGraph();
    this.drawSaid();
    this.drawBook();
    this.drawEngine();
    for (const move of this.parts.moves.querySelectorAll("a")) {
      const now = Number(move.dataset.ply) === this.ply;
      move.classList.toggle("now", now);
      if (now) {
        move.setAttribute("aria-current", "true");
        const box = this.parts.moves.parentElement;
        if (move.offsetTop < box.scrollTop + box.offsetTop || move.offsetTop > box.scrollTop + box.offsetTop + box.clientHeight - 30) box.scrollTop = move.offsetTop - box.offsetTop - box.clientHeight / 2;
      } else move.removeAttribute("aria-current");
    }
  }

  drawBoard(arrows) {
    const now = this.plies[this.ply], last = now.uci ? [now.uci.slice(0, 2), now.uci.slice(2, 4)] : [];
    this.parts.board.replaceChildren(Board.draw(now.fen, { flipped: this.flipped, last, arrows: arrows || [] }));
  }

  drawMoves() {
    const words = [];
    this.plies.forEach((ply, number) => {
      if (number === 0) return;
      if (ply.side === 0 || number === 1) words.push(el("span", { class: "no" }, ply.number + (ply.side === 0 ? "." : "…")), " ");
      words.push(el("a", { href: this.address ? this.address(number) : "#", class: ply.kind || null, "data-ply": number, onclick: (event) => { event.preventDefault(); this.go(number); } },
        ply.san, ply.nag && el("span", { class: "nag" }, ply.nag)), " ");
      for (const variation of (this.game.variations || []).filter((line) => line.at + 1 === number)) words.push(el("span", { class: "var" }, "(" + variation.moves.join(" ") + ")"));
    });
    this.parts.moves.replaceChildren(...words, el("b", {}, " " + (this.game.result || "")));
  }

  /** White's chances over the game, stacked, and where we are. */
  drawGraph() {
    const WIDTH = 600, HEIGHT = 130, last = Math.max(1, this.plies.length - 1);
    const x = (number) => (WIDTH * number / last).toFixed(1), known = this.plies.map((ply, number) => [number, ply]).filter(([, ply]) => ply.wdl);
    const picture = svg("svg", { class: "chart", viewBox: "0 0 " + WIDTH + " " + HEIGHT, role: "img", "aria-label": "White's chances over the game" });
    picture.append(svg("rect", { width: WIDTH, height: HEIGHT, fill: "#a9a294" }));
    if (known.length) {
      const under = known.map(([number, ply]) => x(number) + "," + (HEIGHT * (1 - ply.wdl[0] / 1000)).toFixed(1));
      const over = known.map(([number, ply]) => x(number) + "," + (HEIGHT * ply.wdl[2] / 1000).toFixed(1));
      const [first, end] = [x(known[0][0]), x(known[known.length - 1][0])];
      picture.append(svg("polygon", { points: [first + "," + HEIGHT, ...under, end + "," + HEIGHT].join(" "), fill: "#f5f1e8" }), svg("polygon", { points: [first + ",0", ...over, end + ",0"].join(" "), fill: "#3a362f" }));
      const line = known.map(([number, ply]) => x(number) + "," + (HEIGHT / 2 - HEIGHT / 2 * Math.tanh(ply.cp / 400)).toFixed(1));
      picture.append(svg("polyline", { points: line.join(" "), fill: "none", stroke: "#c0672b", "stroke-width": 2 }));
    }
    for (const [number, ply] of this.plies.entries()) if (ply.nag) picture.append(svg("circle", { cx: x(number), cy: 6, r: 3.5, fill: "#d5472b" }, svg("title", {}, ply.san + ply.nag)));
    picture.append(svg("line", { x1: x(this.ply), x2: x(this.ply), y1: 0, y2: HEIGHT, stroke: "#2f6f8f", "stroke-width": 2.5 }));
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      this.go(Math.round((event.clientX - box.left) / box.width * last));
    });
    picture.style.cursor = "pointer";
    this.parts.graph.replaceChildren(picture, el("p", { class: "legend" },
      el("span", {}, el("i", { style: { background: "#f5f1e8", outline: "1px solid #8886" } }), "White wins"), el("span", {}, el("i", { style: { background: "#a9a294" } }), "draw"),
      el("span", {}, el("i", { style: { background: "#3a362f", outline: "1px solid #8886" } }), "Black wins"), el("span", {}, el("i", { style: { background: "#c0672b" } }), "score"), el("span", {}, el("i", { style: { background: "#d5472b" } }), "blunder")));
  }

  drawSaid() {
    const now = this.plies[this.ply], kinds = { random: "drawn at random, before anybody thought", explored: "drawn at random, to see something new" };
    const words = this.ply === 0 ? "the beginning" : now.number + (now.side === 0 ? ". " : "… ") + now.san + (now.nag || "");
    const judged = now.says && el("span", {}, " · the search said ", el("b", {}, now.says), " at depth " + now.depth);
    const bar = now.wdl && el("div", { class: "wdl", role: "img", "aria-label": "White wins " + now.wdl[0] / 10 + "%, draw " + now.wdl[1] / 10 + "%, Black wins " + now.wdl[2] / 10 + "%" },
      ["w", "d", "l"].map((name, place) => el("i", { class: name, style: { width: now.wdl[place] / 10 + "%" } })));
    this.parts.said.replaceChildren(...[el("p", { "aria-live": "polite" }, el("b", {}, words), now.kind && el("span", { class: "quiet" }, " · " + kinds[now.kind]), judged), bar].filter(Boolean));
  }

  drawBook() {
    this.parts.book.replaceChildren(...(this.plies[this.ply].book ? [bookCard(this.plies[this.ply].book)] : []));
  }

  drawEngine() {
    if (tabula.isExport) return;
    const start = el("button", { type: "button", class: "plain", onclick: () => this.think() }, "let the engine look");
    this.parts.engine.replaceChildren(el("div", { class: "card" }, start));
  }

  think() {
    const place = el("div", {});
    this.parts.engine.replaceChildren(card("Engine", place));
    this.stop();
    this.stopEngine = analyse(place, this.plies[this.ply].fen, (first) => first && this.drawBoard([[first.slice(0, 2), first.slice(2, 4)]]));
  }

  stop() {
    if (this.stopEngine) this.stopEngine();
    this.stopEngine = null;
  }
}

/** What the Experience Book knows of a position. */
function bookCard(rows) {
  return card("Experience Book", table(["move", "#games", "won = drawn = lost", "#score"], rows.map(([san, games, wins, draws, losses, score]) => [san, count(games),
    el("div", { class: "wdl", role: "img", "aria-label": "+" + wins + " =" + draws + " −" + losses, title: "+" + wins + " =" + draws + " −" + losses }, [["w", wins], ["d", draws], ["l", losses]].map(([name, number]) => el("i", { class: name, style: { width: 100 * number / games + "%" } }))),
    pawns(score)])), el("p", { class: "quiet small" }, "From the side of whoever is to move."));
}

/** Asks the engine of the server; answers a function that ends it. */
function analyse(place, fen, hear, lines = 3) {
  place.replaceChildren(el("p", { class: "quiet" }, "thinking …"));
  const found = [];
  const source = new EventSource("analyse?lines=" + lines + "&nodes=1500000&fen=" + encodeURIComponent(fen));
  const end = () => source.close();
  source.onerror = () => { end(); if (!found.length) place.replaceChildren(el("p", { class: "error" }, "the engine cannot be asked just now")); };
  source.onmessage = (event) => {
    const told = JSON.parse(event.data);
    if (told.error) place.replaceChildren(el("p", { class: "error" }, told.error));
    if (told.error || told.end) return end();
    found[told.line - 1] = told;
    place.replaceChildren(table(["#score", "line"], found.filter(Boolean).map((line) => [line.says, el("span", {}, line.moves.slice(0, 14).join(" "))])),
      el("p", { class: "quiet small" }, "depth " + told.depth + " · " + count(told.nodes) + " nodes" + (told.milliseconds ? " · " + count(told.nodes / told.milliseconds * 1000) + " nodes/s" : "") + " · scores from White's side"));
    if (told.line === 1 && hear) hear(told.first);
  };
  return end;
}
