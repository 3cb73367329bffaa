"use strict";
// What a fit did: how the loss fell, how true its predictions are, what moved. And two sets of weights side by side.

tabula.pages.tuning = {
  name: "Tuning",
  async open(night, generation) {
    title("Tuning");
    if (!night) return compareWeights();
    const told = await load("tuning", night, generation);
    show(el("h1", {}, "Tuning, generation " + generation), el("p", {}, el("a", { href: link("night", night) }, "night " + night)),
      told.fit && lossOf(told.fit.loss_after) && facts(["loss before", lossOf(told.fit.loss_before).toFixed(5)], ["loss after", lossOf(told.fit.loss_after).toFixed(5)], told.moved && ["weights that moved", count(told.moved.changed) + " of " + count(told.moved.all)]),
      el("div", { class: "columns" }, lossCurve(told), calibration(told)), told.moved && movedParts(told.moved));
  },
};

function lossCurve(told) {
  if (!told.curve) return null;
  // A descent may begin behind other steps (the scale of the scores): what was before them is the first point.
  const before = (told.fit && told.fit.loss_before) || {}, first = told.curve[0] || {};
  const shift = before.fitted && Math.abs(before.fitted - first.loss) > 1e-9 ? 1 : 0;
  const points = (of, start) => {
    const line = told.curve.filter((step) => step[of] !== null && step[of] !== undefined).map((step) => [step.iteration + shift, step[of]]);
    return shift && start ? [[0, start], ...line] : line;
  };
  return card("Loss", Chart.lines([{ name: "held out", points: points("holdout", before.held_out) }, { name: "fitted to", points: points("loss", before.fitted) }], { label: "mean squared error over the descent", height: 280, whole: true }),
    el("p", { class: "quiet small" }, "Mean squared error; 0 is the weights before. A fit that goes on while the upper line rises learns by heart. Loss is not strength."));
}

function calibration(told) {
  if (!told.calibration) return null;
  const of = (when) => told.calibration.filter((bin) => bin.weights === when).map((bin) => [bin.predicted, bin.came, undefined, undefined, count(bin.positions) + " positions"]);
  return card("Calibration", Chart.lines([{ name: "before", points: of("before"), dots: true }, { name: "after", points: of("after") }], { diagonal: true, height: 280, label: "what was predicted and what came" }),
    el("p", { class: "quiet small" }, "Across: the result that was predicted for White; up: what came. The dotted line would be perfect."));
}

function movedParts(moved) {
  if (!moved.changed) return card("What changed", el("p", {}, "Nothing: the weights are the same."));
  const boards = moved.boards.map((board) => card(board.name, el("div", { class: "boards" }, ["middlegame", "endgame"].map((half, place) =>
    Board.numbers(half, board.squares.map((square) => square[place + 2] - square[place]), board.squares.length === 32 ? 4 : 8)))));
  const rows = [...moved.rows].map(([name, section, halves]) => [name, section, halves, Math.abs(halves[2] - halves[0]) + Math.abs(halves[3] - halves[1])]).sort((one, other) => other[3] - one[3]);
  return el("div", {},
    card("The largest changes", el("div", { class: "columns" }, ["middlegame", "endgame"].map((half, place) => el("div", {}, el("h3", {}, half + ", in centipawns"),
      Chart.changes([...rows].sort((one, other) => Math.abs(other[2][place + 2] - other[2][place]) - Math.abs(one[2][place + 2] - one[2][place])).slice(0, 15).map((row) => [row[0], row[2][place + 2] - row[2][place]]))))),
      el("details", {}, el("summary", {}, "all " + rows.length + " of them"), table(["weight", "part", "#before mg / eg", "#after mg / eg"], rows.map(([name, section, halves]) => [name, section, halves[0] + " / " + halves[1], halves[2] + " / " + halves[3]])))),
    boards.length > 0 && el("h2", {}, "Pieces and squares"), boards.length > 0 && el("p", { class: "quiet small" }, "As the side sees the board, mirrored so that its king stands on the files e to h. Change in centipawns."),
    el("div", { class: "columns" }, boards));
}

async function compareWeights() {
  const told = await load("weights"), place = el("div", {});
  const choose = (label, chosen) => el("label", {}, label + " ", el("select", { onchange: draw }, told.weights.map((set, number) => el("option", { value: set.id, selected: number === chosen }, set.name))));
  const [one, other] = [choose("before", Math.min(1, told.weights.length - 1)), choose("after", 0)];
  async function draw() {
    const value = (label) => encodeURIComponent(label.querySelector("select").value);
    const found = await fromServer("compare", "?one=" + value(one) + "&other=" + value(other));
    place.replaceChildren(found.error ? el("p", { class: "error" }, found.error) : el("div", {}, facts(["weights that differ", count(found.moved.changed) + " of " + count(found.moved.all)]), movedParts(found.moved)));
  }
  const fits = told.weights.filter((set) => set.id.includes("~tune")).map((set) => set.id.split("~"));
  show(el("h1", {}, "Tuning"), fits.length > 0 && card("Fits", fits.slice(0, 60).map(([, name, generation]) => el("p", {}, el("a", { href: link("tuning", name, generation.split("-")[1]) }, name + ", generation " + generation.split("-")[1])))),
    !tabula.isExport && card("Compare two sets of weights", el("div", { class: "row" }, one, other), place));
  if (!tabula.isExport) await draw();
}
