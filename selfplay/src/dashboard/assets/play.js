"use strict";
// A game against the engine. The server knows the rules; the page sends the moves so far.

tabula.pages.play = {
  name: "Play",
  live: true,
  async open() {
    title("Play");
    if (tabula.isExport) return show(el("h1", {}, "Play"), el("p", {}, "This page asks the engine, which an export does not have: selfplay serve."));
    const choices = await load("choices");
    const game = new PlayedGame(choices);
    show(el("h1", {}, "Play"), game.element);
    await game.begin();
  },
};

class PlayedGame {
  constructor(choices) {
    const steps = [];
    for (let level = Math.ceil(choices.lowest / 100) * 100; level < choices.highest; level += 100) steps.push(level);
    this.level = el("select", { "aria-label": "level" }, steps.map((level) => el("option", { value: level, selected: level === 1500 }, "about " + level)), el("option", { value: "" }, "full strength"));
    this.style = el("select", { "aria-label": "style" }, choices.styles.map((style) => el("option", { value: style.name, title: style.about }, style.name)));
    this.color = el("select", { "aria-label": "your colour" }, el("option", { value: 0 }, "White"), el("option", { value: 1 }, "Black"));
    this.fen = el("input", { type: "text", size: 24, placeholder: "FEN, or nothing", "aria-label": "beginning" });
    this.typed = el("input", { type: "text", size: 8, placeholder: "e2e4", "aria-label": "your move", autocomplete: "off" });
    [this.board, this.said, this.moves, this.after] = [0, 1, 2, 3].map(() => el("div", {}));
    this.element = this.layout();
  }

  layout() {
    const button = (words, act) => el("button", { type: "button", class: "plain", onclick: act }, words);
    return el("div", { class: "viewer" },
      el("div", {}, this.board, el("form", { class: "row", onsubmit: (event) => { event.preventDefault(); this.type(); } }, el("label", {}, "your move ", this.typed), el("button", { class: "plain" }, "play"),
        button("take back", () => this.back()), button("resign", () => this.resign()))),
      el("div", {}, card("Game", el("div", { class: "row" }, el("label", {}, "level ", this.level), el("label", {}, "style ", this.style), el("label", {}, "you ", this.color), el("label", {}, "from ", this.fen),
        el("button", { type: "button", class: "plain main", onclick: () => this.begin() }, "new game"))), el("div", { class: "card" }, this.said, el("div", { class: "moves" }, this.moves)), this.after));
  }

  async begin() {
    this.made = [];
    this.resigned = null;
    this.picked = null;
    this.side = Number(this.color.value);
    this.start = this.fen.value.trim();
    this.after.replaceChildren();
    await this.ask(false);
    if (this.state && this.state.side !== this.side) await this.ask(true);
  }

  wish(engineMoves) {
    return { fen: this.start, moves: this.made, level: this.level.value ? Number(this.level.value) : null, style: this.style.value, engine_moves: engineMoves, resigned: this.resigned };
  }

  async send(address, engineMoves) {
    const response = await fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(this.wish(engineMoves)) });
    return response.json();
  }

  async ask(engineMoves) {
    this.busy = true;
    const told = await this.send("play", engineMoves);
    this.busy = false;
    if (told.error) return this.said.replaceChildren(el("p", { class: "error" }, told.error));
    this.state = told;
    this.made = told.plies.map((ply) => ply.uci);
    this.draw();
  }

  draw() {
    const { plies, fen, result } = this.state, last = plies[plies.length - 1];
    const from = this.picked && this.state.legal.filter((move) => move.startsWith(this.picked));
    this.board.replaceChildren(Board.draw(fen, { flipped: this.side === 1, last: last ? [last.uci.slice(0, 2), last.uci.slice(2, 4)] : [], marks: this.picked ? [this.picked] : [], targets: from ? from.map((move) => move.slice(2, 4)) : [], onsquare: (square) => this.pick(square) }));
    // For programs that play, such as the browser's test.
    Object.assign(this.board.querySelector("svg").dataset, { plies: plies.length, legal: this.state.legal.join(" ") });
    const words = result ? result.replaceAll("1/2", "½") + ", " + this.state.ending : this.state.side === this.side ? "your move" + (this.state.check ? ": check" : "") : "the engine thinks …";
    this.said.replaceChildren(el("p", { role: "status", "aria-live": "polite" }, el("b", {}, words)));
    this.moves.replaceChildren(...plies.flatMap((ply, number) => [ply.side === 0 || number === 0 ? el("span", { class: "no" }, ply.number + (ply.side === 0 ? ". " : "… ")) : "", ply.san + " "]));
    if (result) this.end();
  }

  async pick(square) {
    if (this.busy || !this.state || this.state.result || this.state.side !== this.side) return;
    const moves = this.state.legal.filter((move) => this.picked && move.startsWith(this.picked) && move.slice(2, 4) === square);
    if (moves.length) return this.move(moves.find((move) => move.endsWith("q")) || moves[0]);
    this.picked = this.state.legal.some((move) => move.startsWith(square)) ? square : null;
    this.draw();
  }

  async type() {
    const text = this.typed.value.trim().toLowerCase();
    if (this.busy || !this.state.legal.includes(text)) return this.said.replaceChildren(el("p", { class: "error" }, "Not possible here. Write the squares: e2e4, e7e8q."));
    this.typed.value = "";
    await this.move(text);
  }

  async move(uci) {
    this.picked = null;
    this.made = [...this.made, uci];
    await this.ask(false);
    if (!this.state.result) await this.ask(true);
  }

  async back() {
    if (this.busy || this.made.length < 2 || this.state.result) return;
    this.made = this.made.slice(0, this.state.side === this.side ? -2 : -1);
    await this.ask(false);
  }

  async resign() {
    if (this.busy || !this.state || this.state.result) return;
    this.resigned = this.side;
    await this.ask(false);
  }

  end() {
    const keep = el("button", { type: "button", class: "plain", onclick: async () => {
      const told = await this.send("record", false);
      keep.replaceWith(told.error ? el("p", { class: "error" }, told.error) : el("p", {}, "Kept in ", el("code", {}, told.file), ". The engine learns from it with ", el("code", {}, "selfplay learn --games " + told.file), "."));
    } }, "keep this game to learn from");
    this.after.replaceChildren(card("Afterwards", el("div", { class: "row" }, keep, copyButton("copy PGN", () => this.pgn()))));
  }

  pgn() {
    const human = "Somebody", engine = "Tabula (" + (this.level.value || "full strength") + ", " + this.style.value + ")";
    const players = this.side === 0 ? [human, engine] : [engine, human], result = this.state.result;
    const moves = this.state.plies.map((ply, number) => (ply.side === 0 ? ply.number + ". " : number === 0 ? ply.number + "... " : "") + ply.san).join(" ");
    return '[Event "A game in the page"]\n[White "' + players[0] + '"]\n[Black "' + players[1] + '"]\n[Result "' + result + '"]\n' + (this.start ? '[SetUp "1"]\n[FEN "' + this.start.replaceAll('"', "") + '"]\n' : "") + "\n" + moves + " " + result + "\n";
  }
}
