"use strict";
// Matches, sequential tests and tuning runs, each with its state.

tabula.pages.tests = {
  name: "Tests",
  async open() {
    title("Tests");
    const told = await load("tests");
    show(el("h1", {}, "Tests"), gateTable(told.gates), journalCards(told.journals));
  },
};

function gateTable(gates) {
  const PART = 60, place = el("div", {});
  const draw = (most) => place.replaceChildren(table(["gate", "state", "#Elo", "games", "LLR", ""], gates.slice(0, most).map((gate) => {
    const part = gate.parts[0];
    return [el("a", { href: link("night", gate.night) }, gate.night + (gate.generation > 1 ? ", generation " + gate.generation : "") + ": " + gate.arm), pill(gate.verdict),
      part ? elo(part.elo && part.elo.value, part.elo && part.elo.error) : "–", part ? results(part.results) : "–",
      part && part.llr !== null ? part.llr.toFixed(2) + " in [" + part.lower.toFixed(2) + ", " + part.upper.toFixed(2) + "]" : "–",
      el("a", { href: link("games", gate.night, "gate-" + gate.generation + "-" + gate.arm) }, "games")];
  })), ...(most < gates.length ? [el("button", { type: "button", class: "plain", onclick: () => draw(gates.length) }, "all " + gates.length)] : []));
  draw(PART);
  return card("Gates of nights", gates.length ? place : el("p", { class: "quiet" }, "No candidate was tested yet."));
}

function journalCards(journals) {
  if (!journals.length) {
    return card("Other matches and tuning runs", el("p", { class: "quiet" }, "None. Name a folder with journals: scripts/dashboard --more FOLDER."));
  }
  const newest = [...journals].sort((one, other) => (other.changed || 0) - (one.changed || 0));
  return el("div", {}, el("h2", {}, "Other matches and tuning runs"), el("div", { class: "columns" }, newest.map((run) => (run.kind === "spsa" ? tuningRun(run) : matchCard(run)))));
}

function identityOf(run) {
  const told = run.identity.map(([name, value]) => [name, String(value).length > 300 ? String(value).slice(0, 300) + "…" : value]);
  return el("details", {}, el("summary", { class: "small quiet" }, "settings"), table(["", ""], told.map(([name, value]) => [name, el("span", { class: "mono" }, String(value))])));
}

function matchCard(run) {
  const names = run.identity.filter(([name]) => name.startsWith("engine ")).map(([, value]) => String(value).split(" ")[0]);
  return card(run.file, el("p", {}, pill(run.finished ? "finished" : "not finished"), " ", count(run.games) + " games",
    run.elo && el("b", {}, " · " + elo(run.elo.value, run.elo.error) + " Elo"), run.results && el("span", { class: "quiet" }, " in " + results(run.results))),
    el("p", { class: "quiet small" }, names.slice(0, 4).join(" – ") + (names.length > 4 ? " and more" : ""), " · changed " + date(run.changed)),
    run.sprt && Chart.llr(run.sprt.llr, run.sprt.lower, run.sprt.upper), identityOf(run));
}

function tuningRun(run) {
  return card(run.file, el("p", {}, pill(run.finished ? "finished" : "not finished"), " tuning of search parameters: ", count(run.games) + (run.of ? " of " + count(run.of) : "") + " games"),
    run.of && bar(run.games / run.of, "games played"), el("p", { class: "quiet small" }, "changed " + date(run.changed)), identityOf(run));
}
