"use strict";
// One night: what it does now, its stages, its gates, its games, what came of it.

tabula.pages.night = {
  async open(name) {
    title(name);
    const told = await load("night", name);
    const live = el("div", {}), stages = el("div", {}), gates = el("div", {});
    show(
      el("h1", {}, "Night " + name), live, headline(told), gates, gamesOfNight(told), bookOfNight(told), fits(told), shipped(told),
      card("Stages", stages), settingsOf(told), logs(told));
    drawStages(stages, told.stages);
    drawGates(gates, told.generations.map((row) => row.gate), told);
    if (told.alive) drawRunning(live, [runningOf(told)]);
    let ended = told.finished;
    follow((news) => {
      const now = news.nights.find((night) => night.name === name);
      if (!now) return;
      drawRunning(live, [now]);
      drawStages(stages, now.stages);
      drawGates(gates, now.gates, told);
      // What only the end brings: verdicts in words, pictures, the archive.
      if (now.finished && !ended) {
        ended = true;
        tabula.route();
      }
    });
  },
};

function runningOf(told) {
  const sum = (what) => told.stages.reduce((all, row) => all + row[what], 0);
  return { ...told, done: sum("done"), tasks: sum("tasks"), runs: told.stages.find((row) => row.runs) };
}

function headline(told) {
  const sum = (what) => told.stages.reduce((all, row) => all + (row[what] || 0), 0);
  const promoted = told.generations.filter((row) => row.choice && row.choice.arm && !row.choice.refused);
  const judged = told.generations.filter((row) => row.choice);
  const words = !judged.length ? null : promoted.length
    ? el("p", { class: "good" }, "A new champion: " + promoted.map((row) => row.choice.arm + " of generation " + row.generation).join(", ") + ".")
    : el("p", {}, "The champion stays. Nothing passed its test, which is a normal night.");
  return el("div", {}, words,
    judged.flatMap((row) => Object.entries(row.gate).map(([arm, verdict]) => el("p", { class: "quiet small" }, (told.generations.length > 1 ? "generation " + row.generation + ", " : "") + arm + ": " + (verdict.reason || verdict.verdict)))),
    facts(["begun (UTC)", date(told.begun)], sum("seconds") && ["working time", duration(sum("seconds"))], sum("cpu") && ["CPU time", duration(sum("cpu"))],
      ["games of earlier nights", count(told.earlier_games)], told.commit && ["commit", String(told.commit).slice(0, 9)]),
    told.has_report && !tabula.isExport && el("p", {}, el("a", { href: "report/" + way(told.name) }, "the night's own report")));
}

function drawStages(place, stages) {
  place.replaceChildren(table(["generation", "stage", "state", "#done", "#time", "#CPU"], stages.map((row) => {
    const state = row.done === row.tasks ? el("span", { class: "good" }, "✓ done") : row.runs ? pill("running") : el("span", { class: "quiet" }, "waits");
    const progress = row.progress && row.runs ? el("span", { class: "quiet small" }, " " + count(row.progress.games) + " of at most " + count(row.progress.of) + " games") : "";
    return [row.generation || "", row.stage, el("span", {}, state, progress), row.done + " of " + row.tasks, duration(row.seconds), duration(row.cpu)];
  })));
}

function drawGates(place, generations, told) {
  const cards = [];
  generations.forEach((arms, number) => Object.entries(arms || {}).forEach(([arm, verdict]) => {
    cards.push(gateCard(generations.length > 1 ? "Gate " + (number + 1) + ": " + arm : "Gate: " + arm, verdict, told, number + 1, arm));
  }));
  const choices = told.generations.map((row) => row.choice && row.choice.outsider).filter((said) => said && said.candidate);
  for (const said of choices) {
    cards.push(card("Outsider: " + said.name, el("p", {}, said.objects ? "It objects: the candidate is clearly worse against it than the champion." : "It agrees."),
      table(["", "games", "#score", "#Elo"], ["candidate", "champion"].map((who) => [who, results(said[who].results), percent(said[who].score), elo(said[who].elo && said[who].elo.value, said[who].elo && said[who].elo.error)]))));
  }
  place.replaceChildren(el("div", { class: "columns" }, cards));
}

function gateCard(name, verdict, told, generation, arm) {
  const part = (verdict.parts || [])[0];
  const set = told.sets.find((set) => set.name === "gate-" + generation + "-" + arm);
  return card(name, el("p", {}, pill(verdict.verdict), " ", part ? el("b", {}, elo(part.elo && part.elo.value, part.elo && part.elo.error) + " Elo") : "", part ? el("span", { class: "quiet" }, " in " + results(part.results)) : ""),
    part && part.sprt && Chart.llr(part.sprt.llr, part.sprt.lower, part.sprt.upper),
    part && part.pentanomial && Chart.bars(part.pentanomial.map((value, place) => [["0", "½", "1", "1½", "2"][place], value, ["var(--bad)", "var(--bad)", "var(--quiet)", "var(--good)", "var(--good)"][place]]), { height: 96, label: "pairs of games by points" }),
    part && el("p", { class: "quiet small" }, "pairs of games by the candidate's points", verdict.verdict === "running" && part.likely_games_left ? " · about " + count(part.likely_games_left) + " more games at this rate" : ""),
    set && el("p", {}, el("a", { href: link("games", told.name, set.name) }, "the games")));
}

function gamesOfNight(told) {
  const rows = [];
  for (const set of told.sets.filter((set) => set.kind !== "gate")) {
    const row = told.generations.find((row) => row.generation === Number(set.name.split("-")[1])) || {};
    const stats = row[set.kind] || {};
    const all = stats.games || 0;
    rows.push([el("a", { href: link("games", told.name, set.name) }, (set.kind === "lines" ? "lines for the book" : "games for the weights") + (told.generations.length > 1 ? ", generation " + row.generation : "")),
      count(stats.games), count(stats.positions), all ? percent(stats.white_wins / all) : "–", all ? percent(stats.draws / all) : "–", all ? percent(stats.black_wins / all) : "–",
      (stats.diversity || []).map((at) => (at.games ? percent(at.distinct / at.games) : "–")).join(" · "), size(set.bytes)]);
  }
  if (!rows.length) return null;
  return card("Games", table(["games", "#number", "#positions", "#White", "#draws", "#Black", "distinct at ply 8 · 16 · 24", "#file"], rows));
}

function bookOfNight(told) {
  const rows = told.generations.filter((row) => row.book && row.book.rows);
  if (!rows.length) return null;
  return card("Experience Book", table(["generation", "#moves it knows", "#positions", "#games learned", "#moves a position"], rows.map((row) => [
    row.generation, count(row.book.rows), count(row.book.positions), count(row.book.games), row.book.positions ? (row.book.rows / row.book.positions).toFixed(2) : "–"])));
}

function fits(told) {
  const rows = told.generations.filter((row) => row.fit && lossOf(row.fit.loss_after));
  if (!rows.length) return null;
  return card("Weights", table(["generation", "#loss before", "#loss after", "#change", ""], rows.map((row) => [
    row.generation, lossOf(row.fit.loss_before).toFixed(5), lossOf(row.fit.loss_after).toFixed(5),
    (100 * (lossOf(row.fit.loss_after) / lossOf(row.fit.loss_before) - 1)).toFixed(2) + "%", el("a", { href: link("tuning", told.name, row.generation) }, "what changed")])),
    el("p", { class: "quiet small" }, "On games that no fit has seen. The loss says how well results are predicted; only a match says who is stronger."));
}

function shipped(told) {
  if (!told.archives.length) return null;
  return card("Shipped", told.archives.map((archive) => el("p", {}, tabula.isExport ? archive.name : el("a", { href: "archive/" + way(told.name, archive.name), download: archive.name }, archive.name), el("span", { class: "quiet" }, " " + size(archive.bytes)))));
}

function settingsOf(told) {
  return el("details", { class: "card" }, el("summary", {}, "What decided all this"), table(["setting", "value"], Object.entries(told.settings).map(([name, value]) => [el("span", { class: "mono" }, "--" + name.replaceAll("_", "-")), String(value)])));
}

function logs(told) {
  if (!told.logs.length) return null;
  const place = el("div", {});
  const open = async (name) => {
    try {
      const log = await load("log", told.name, name);
      place.replaceChildren(el("h3", {}, name), el("pre", { tabindex: 0 }, log.text));
      const pre = place.querySelector("pre");
      pre.scrollTop = pre.scrollHeight;
    } catch (error) {
      place.replaceChildren(el("p", { class: "error" }, error.message));
    }
  };
  return el("details", { class: "card" }, el("summary", {}, "Logs (" + told.logs.length + ")"),
    el("p", { class: "row" }, told.logs.map((name) => el("button", { type: "button", class: "plain small", onclick: () => open(name) }, name.replace(/\.log$/, "")))), place);
}
