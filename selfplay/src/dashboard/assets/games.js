"use strict";
// The games of a set, with filters. Parts of the list are read one after the other; filters apply to what is read.

const ID = 0, RESULT = 1, PLIES = 2, ENDING = 3, OPENING = 4, GIVEN_WHITE = 6, GIVEN_BLACK = 7, ATTACK_WHITE = 8, ATTACK_BLACK = 9, WHITE = 10, BLACK = 11;
const RESULTS = ["0-1", "½-½", "1-0"];

tabula.pages.games = {
  async open(night, set) {
    title("games of " + night);
    const state = { rows: [], shown: 100, done: false, left: false };
    tabula.leave.push(() => { state.left = true; });
    const list = el("div", {}), said = el("p", { class: "quiet small", role: "status" });
    const filters = gameFilters(() => { state.shown = 100; draw(); });
    show(el("h1", {}, setName(set)), el("p", {}, el("a", { href: link("night", night) }, "night " + night)), filters.form, card(null, said, list));
    const draw = () => drawGames(list, said, night, set, state, filters.passes, draw);
    for (let chunk = 0; ; chunk++) {
      const part = await load("games", night, set, chunk);
      if (state.left) return;
      state.rows.push(...part.rows);
      state.done = chunk + 1 >= part.chunks;
      draw();
      if (state.done) return;
    }
  },
};

function setName(set) {
  const [kind, generation, arm] = set.split("-");
  const words = { games: "Games for the weights", lines: "Lines for the book", gate: "Games of the gate" };
  return (words[kind] || kind) + (arm ? " (" + arm + ")" : "") + ", generation " + generation;
}

function gameFilters(changed) {
  const choose = (name, label, options) => el("label", {}, label + " ", el("select", { name, onchange: changed }, options.map(([value, words]) => el("option", { value }, words))));
  const type = (name, label, hint) => el("label", {}, label + " ", el("input", { name, type: "text", size: 12, placeholder: hint, oninput: changed }));
  const form = el("form", { class: "card row", onsubmit: (event) => event.preventDefault(), "aria-label": "Filters" },
    choose("result", "result", [["", "any"], ["2", "White wins"], ["1", "draw"], ["0", "Black wins"]]),
    type("opening", "begins with", "e4 c5"), type("ending", "ends by", "mate"), type("player", "player", "name"),
    choose("moves", "length", [["", "any"], ["0-40", "to 20 moves"], ["41-80", "21 to 40"], ["81-160", "41 to 80"], ["161-9999", "over 80"]]),
    choose("given", "sacrifice", [["0", "any"], ["1", "a pawn or more"], ["3", "a piece or more"], ["5", "a rook or more"]]),
    choose("attack", "style", [["0", "any"], ["25", "attacks in a quarter"], ["40", "attacks in 40%"], ["60", "attacks in 60%"]]));
  const value = (name) => form.elements[name].value.trim();
  const passes = (row) => {
    const [shortest, longest] = (value("moves") || "0-99999").split("-").map(Number);
    const beginning = row[OPENING].toLowerCase(), players = ((row[WHITE] || "") + " " + (row[BLACK] || "")).toLowerCase();
    return (value("result") === "" || row[RESULT] === Number(value("result"))) &&
      beginning.startsWith(value("opening").toLowerCase()) && row[ENDING].toLowerCase().includes(value("ending").toLowerCase()) &&
      players.includes(value("player").toLowerCase()) && row[PLIES] >= shortest && row[PLIES] <= longest &&
      Math.max(row[GIVEN_WHITE], row[GIVEN_BLACK]) >= Number(value("given")) && Math.max(row[ATTACK_WHITE], row[ATTACK_BLACK]) >= Number(value("attack"));
  };
  return { form, passes };
}

function drawGames(list, said, night, set, state, passes, again) {
  const found = state.rows.filter(passes);
  said.textContent = count(found.length) + " of " + count(state.rows.length) + " games" + (state.done ? "" : ", reading …");
  const named = state.rows.some((row) => row.length > WHITE);
  const given = (row) => [row[GIVEN_WHITE] && "White " + row[GIVEN_WHITE], row[GIVEN_BLACK] && "Black " + row[GIVEN_BLACK]].filter(Boolean).join(", ") || "–";
  list.replaceChildren(table(["#game", "result", ...(named ? ["White", "Black"] : []), "beginning", "#moves", "end", "pawns given", "#attacks W/B"], found.slice(0, state.shown).map((row) => ({
    go: link("game", night, set, row[ID], 0),
    cells: [el("a", { href: link("game", night, set, row[ID], 0) }, row[ID]), RESULTS[row[RESULT]], ...(named ? [row[WHITE] || "", row[BLACK] || ""] : []), row[OPENING], Math.ceil(row[PLIES] / 2), row[ENDING],
      given(row), row[ATTACK_WHITE] + "% / " + row[ATTACK_BLACK] + "%"],
  }))), ...(found.length > state.shown ? [el("button", { type: "button", class: "plain", onclick: () => { state.shown += 300; again(); } }, "more")] : []));
}
