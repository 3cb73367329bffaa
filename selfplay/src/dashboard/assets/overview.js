"use strict";
// All nights: what runs now, the curves, the champions, the table.

tabula.pages.overview = {
  name: "Overview",
  async open() {
    title("Overview");
    const told = await load("overview");
    const live = el("div", {});
    show(el("h1", {}, "Tabula, learning"), live, totals(told), curves(told), lineage(told), nightTable(told), otherGames(told));
    const running = told.nights.filter((night) => night.alive).map((night) => ({ ...night, gates: [] }));
    drawRunning(live, running);
    follow((news) => drawRunning(live, news.nights));
  },
};

function drawRunning(place, nights) {
  place.replaceChildren(...nights.map((night) => runningCard(night)));
}

/** A night that runs: stage, percentage, speed, what is left. */
function runningCard(night) {
  const runs = night.runs, progress = runs && runs.progress, left = eta(progress);
  const stage = runs ? (runs.generation ? "generation " + runs.generation + ": " : "") + runs.stage : night.finished ? "finished" : "stopped";
  const inside = progress ? progress.games / Math.max(1, progress.of) : 0;
  return card(null,
    el("div", { class: "row" }, el("b", {}, night.finished ? "Finished: " : "Running: ", el("a", { href: link("night", night.name) }, night.name)),
      pill(night.finished ? "finished" : night.alive ? "running" : "stopped"), el("span", { class: "quiet" }, stage)),
    bar((night.done + inside) / Math.max(1, night.tasks), "stages done"),
    el("p", { class: "quiet small" }, night.done + " of " + night.tasks + " tasks",
      progress ? " · " + count(progress.games) + " of at most " + count(progress.of) + " games" : "",
      progress && progress.says ? " · " + progress.says : "", left ? " · about " + duration(left) + " left in this stage" : "",
      runs && runs.seconds ? " · for " + duration(runs.seconds) : ""));
}

function totals(told) {
  const sum = (what) => told.nights.reduce((all, night) => all + (night[what] || 0), 0);
  const promoted = told.champions.entries.length;
  return facts(
    ["nights", count(told.nights.length)], ["champions", count(promoted)], ["games of self-play", count(sum("games"))],
    ["games of gates", count(sum("gate_games"))], ["positions", count(sum("positions"))],
    sum("cpu") > 0 && ["CPU-hours", (sum("cpu") / 3600).toFixed(1)],
    told.library && ["games in the library", count(told.library.games)]);
}

function curves(told) {
  const place = new Map(told.nights.map((night, number) => [night.name, number + 1]));
  const name = (number) => (told.nights[number - 1] || {}).name || "";
  const outside = [], inside = [];
  for (const night of told.nights) {
    for (const generation of night.generations) {
      const said = generation.outsider;
      if (said && said[2] !== null) outside.push([place.get(night.name), said[2], said[2] - (said[3] || 0), said[2] + (said[3] || 0), night.name + ": " + elo(said[2], said[3]) + " against " + said[0]]);
    }
  }
  for (const [night, , value, low, high] of told.ratings) inside.push([place.get(night), value, low, high, night + ": " + elo(value, (high - low) / 2)]);
  const options = { whole: true, xText: (mark) => String(mark), yText: (mark) => signed(mark).replace("±", "") };
  const first = outside.length && card("Against an outsider",
    el("p", { class: "quiet small" }, "Elo of whoever reigned after the night against an engine that never saw our games, with 95% error bars, at a fixed handicap in nodes. Across: the number of the night."),
    Chart.lines([{ name: "against the outsider", points: outside }], { ...options, label: "Elo against the outsider over nights" }));
  const second = card("Rating over nights",
    el("p", { class: "quiet small" }, "One rating of all champions from everything they played (gates, ratings, outsiders), in Elo above the first, with 95% error bars. ",
      inside.length ? "Last: " + name(inside[inside.length - 1][0]) + "." : ""),
    Chart.lines([{ name: "champion", points: inside }], { ...options, zero: true, label: "Rating of the champion over nights", empty: "no generation was judged yet" }));
  return el("div", { class: "columns" }, first, second);
}

function lineage(told) {
  const { entries, reigning } = told.champions;
  if (!entries.length) return card("Champions", el("p", { class: "quiet" }, "What is shipped reigns: no candidate has passed its gate yet."));
  const many = entries.length > 12;
  const shown = many ? entries.slice(-12) : entries;
  return card("Champions", el("ol", { class: "lineage" }, many && el("li", {}, el("span", { class: "quiet" }, "… " + (entries.length - 12) + " earlier →")),
    shown.map((entry, number) => el("li", {}, number > 0 && el("span", { class: "quiet" }, "→"),
      el("a", { class: "box" + (entry.name === reigning ? " reigns" : ""), href: link("night", entry.night) },
        el("b", {}, entry.name.split("-")[0].replace(/^0+/, "") + ". " + entry.night), el("br"), (entry.arm || "") + " " + elo(entry.elo && entry.elo.value, entry.elo && entry.elo.error),
        entry.name === reigning && el("span", { class: "good" }, " reigns"))))));
}

const VERDICT = { passed: "better", failed: "not better", undecided: "undecided", unchanged: "nothing changed" };

function outcome(night) {
  const promoted = night.generations.filter((generation) => generation.promoted && !generation.refused);
  if (promoted.length) return el("span", { class: "good" }, "new champion (" + promoted.map((generation) => generation.promoted).join(", ") + ")");
  if (night.alive) return pill("running");
  if (!night.finished) return pill("stopped");
  return el("span", { class: "quiet" }, "the champion stays");
}

function best(night) {
  const arms = night.generations.flatMap((generation) => generation.arms).filter((arm) => arm[2] !== null);
  if (!arms.length) return "–";
  const top = arms.reduce((one, other) => (other[2] > one[2] ? other : one));
  return elo(top[2], top[3]) + " " + (VERDICT[top[1]] || top[1]);
}

function nightTable(told) {
  const PART = 60;
  const nights = [...told.nights].reverse();
  const place = el("div", {});
  const draw = (most) => {
    place.replaceChildren(table(["night", "#games", "#nodes", "best candidate", "outcome", "#CPU", "#time"], nights.slice(0, most).map((night) => ({
      go: link("night", night.name),
      cells: [el("a", { href: link("night", night.name) }, night.name), count(night.games), count(night.nodes), best(night), outcome(night),
        night.cpu ? duration(night.cpu) : "–", night.seconds ? duration(night.seconds) : "–"],
    }))), ...(most < nights.length ? [el("button", { type: "button", class: "plain", onclick: () => draw(nights.length) }, "all " + nights.length + " nights")] : []));
  };
  draw(PART);
  if (!nights.length) return card("Nights", el("p", { class: "quiet" }, "No night yet. Begin one with scripts/nightly."));
  return card("Nights", place);
}

function otherGames(told) {
  if (!told.other_games.length) return null;
  return card("Other games", table(["game", "record", "#games"], told.other_games.map((record) => ({
    go: link("other", record.id, record.first, 0),
    cells: [el("a", { href: link("other", record.id, record.first, 0) }, record.game), record.file, count(record.end - record.first)],
  }))));
}
