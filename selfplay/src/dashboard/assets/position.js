"use strict";
// A position: the evaluation term by term, what each piece is worth, the book, the engine.

tabula.pages.position = {
  name: "Position",
  live: true,
  async open(fen) {
    title("Position");
    if (tabula.isExport) return show(el("h1", {}, "Position"), el("p", {}, "This page asks the engine, which an export does not have: selfplay serve."));
    const told = await fromServer("position", "?fen=" + encodeURIComponent(fen || ""));
    const field = el("input", { type: "text", value: fen || told.fen || "", size: 60, "aria-label": "FEN", style: { flex: "1" } });
    const form = el("form", { class: "row", onsubmit: (event) => { event.preventDefault(); location.hash = link("position", field.value.trim()); } }, field, el("button", { class: "plain main" }, "look"));
    if (told.error) return show(el("h1", {}, "Position"), form, el("p", { class: "error" }, told.error));
    const engine = el("div", {}), board = el("div", {});
    const worth = Object.fromEntries(told.pieces.map(([square, value, side]) => [square, pawns(side === "white" ? value : -value)]));
    const draw = (arrows) => board.replaceChildren(Board.draw(told.fen, { worth, arrows }));
    draw([]);
    show(el("h1", {}, "Position"), form, el("div", { class: "viewer" },
      el("div", {}, board, el("p", { class: "quiet small" }, "On each piece: what its side would lose without it, in pawns, as the evaluation sees it here.")),
      el("div", {}, card(null, el("p", {}, "The evaluation says ", el("b", {}, pawns(told.value_white)), " for White, without searching (" + told.judge + ")."),
        el("p", { class: "quiet small" }, "phase " + told.phase + " of " + told.full_phase + " · initiative " + told.initiative.map((number) => signed(number)).join(" / ") + " · scale " + told.scale.join(" / ") + " of 64")),
        sections(told), told.book && bookCard(told.book), card("Engine", engine))));
    const start = el("button", { type: "button", class: "plain", onclick: () => { tabula.leave.push(analyse(engine, told.fen, (first) => first && draw([[first.slice(0, 2), first.slice(2, 4)]]))); } }, "let the engine look");
    engine.append(start);
  },
};

function sections(told) {
  const blend = ([mg, eg]) => (mg * told.phase + eg * (told.full_phase - told.phase)) / told.full_phase;
  const value = (section) => blend(section.white) - blend(section.black);
  const shown = told.sections.filter((section) => section.white.concat(section.black).some(Boolean));
  const rows = [...shown].sort((one, other) => Math.abs(value(other)) - Math.abs(value(one)));
  return card("Term by term", Chart.changes(rows.filter((section) => Math.abs(value(section)) >= 0.5).map((section) => [section.title, value(section)]), { label: "what each part adds for White, in centipawns" }),
    el("p", { class: "quiet small" }, "Centipawns for White, at this phase of the game."),
    rows.map((section) => el("details", {}, el("summary", {}, section.title + " ", el("span", { class: "quiet" }, signed(value(section)))),
      table(["term", "#White mg / eg", "#Black mg / eg", "#now"], section.rows.map(([name, white, black]) => [name.replaceAll("_", " "), white.join(" / "), black.join(" / "), signed(blend(white) - blend(black), 1)])))));
}
