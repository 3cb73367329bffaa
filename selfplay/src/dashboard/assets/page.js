"use strict";
// What all pages share: elements, data, addresses, numbers. Text from files enters a page only as text (never as HTML), so
// that no name in a file can become a script.

const tabula = { pages: {}, waiting: {}, leave: [], isExport: document.documentElement.dataset.export === "yes" };

/** An element: `el("a", { href: "#/" }, "text", child)`. */
function el(name, attributes, ...children) {
  const made = document.createElement(name);
  fill(made, attributes, children);
  return made;
}

/** The same for SVG. */
function svg(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  fill(made, attributes, children);
  return made;
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(made.style, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    made.append(child instanceof Node ? child : String(child));
  }
}

/** An address from its parts; each part may hold anything. */
const way = (...parts) => parts.map((part) => encodeURIComponent(part)).join("/");
const link = (...parts) => "#/" + way(...parts);

/** Data files of an export call this. */
function tabulaData(address, told) {
  const waiting = tabula.waiting[address];
  if (waiting) waiting(told);
}

/** Asks for data: from the server, or from the files beside this page. */
async function load(...parts) {
  const told = tabula.isExport ? await fromFile(parts) : await fromServer(way(...parts));
  if (told && told.error) throw new Error(told.error);
  return told;
}

async function fromServer(address, query) {
  const response = await fetch("data/" + address + ".json" + (query || ""));
  return response.json();
}

function fromFile(parts) {
  const address = parts.join("/");
  return new Promise((resolve, reject) => {
    const script = el("script", { src: "data/" + way(...parts) + ".js" });
    tabula.waiting[address] = (told) => { delete tabula.waiting[address]; script.remove(); resolve(told); };
    script.addEventListener("error", () => {
      delete tabula.waiting[address];
      script.remove();
      reject(new Error("this export does not hold " + address + "; more games: selfplay serve --export-games N"));
    });
    document.head.append(script);
  });
}

/** Calls `hear` with every message of running nights until the page is left. */
function follow(hear) {
  if (tabula.isExport) return;
  const source = new EventSource("events");
  source.onmessage = (event) => hear(JSON.parse(event.data));
  tabula.leave.push(() => source.close());
}

// --- numbers -----------------------------------------------------------------------------------------------------------

const count = (number) => (number === null || number === undefined ? "–" : Math.round(number).toLocaleString("en"));
const signed = (number, digits = 0) => (number > 0 ? "+" : number < 0 ? "−" : "±") + Math.abs(number).toFixed(digits);
const pawns = (centipawns) => signed(centipawns / 100, 2).replace("±", "");
const percent = (share) => (100 * share).toFixed(0) + "%";

function elo(value, error) {
  if (value === null || value === undefined) return "–";
  return signed(value) + (error === null || error === undefined ? "" : " ± " + error.toFixed(0));
}

function duration(seconds) {
  if (!seconds && seconds !== 0) return "–";
  if (seconds < 60) return seconds.toFixed(seconds < 10 ? 1 : 0) + " s";
  if (seconds < 3600) return Math.floor(seconds / 60) + " min " + String(Math.round(seconds % 60)).padStart(2, "0") + " s";
  return Math.floor(seconds / 3600) + " h " + String(Math.round((seconds % 3600) / 60)).padStart(2, "0") + " min";
}

function size(bytes) {
  if (bytes < 1e3) return bytes + " B";
  if (bytes < 1e6) return (bytes / 1e3).toFixed(0) + " kB";
  return bytes < 1e9 ? (bytes / 1e6).toFixed(1) + " MB" : (bytes / 1e9).toFixed(2) + " GB";
}

const date = (seconds) => (seconds ? new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ") : "–");

// --- parts of pages ----------------------------------------------------------------------------------------------------

const card = (title, ...children) => el("section", { class: "card" }, title && el("h2", {}, title), ...children);
const facts = (...pairs) => el("ul", { class: "facts" }, pairs.filter(Boolean).map(([name, value]) =>
  el("li", {}, el("b", {}, value), el("span", {}, name))));

/** A table in a box of its own that scrolls. A heading that begins with `#` is a column of numbers. */
function table(headings, rows, options = {}) {
  const isNumber = headings.map((heading) => heading.startsWith("#"));
  const cell = (name, value, place) => el(name, { class: isNumber[place] ? "n" : null, scope: name === "th" ? "col" : null }, value);
  return el("div", { class: "scroll" }, el("table", {},
    el("thead", {}, el("tr", {}, headings.map((heading, place) => cell("th", heading.replace(/^#/, ""), place)))),
    el("tbody", {}, rows.map((row) => {
      const cells = Array.isArray(row) ? row : row.cells;
      return el("tr", row.go ? { class: "link", onclick: () => { location.hash = row.go; } } : {}, cells.map((value, place) => cell("td", value, place)));
    }))), options.note && el("p", { class: "quiet small" }, options.note));
}

function pill(word) {
  const good = ["passed", "promoted", "finished", "reigns"], bad = ["failed", "stopped", "refused"];
  const kind = good.includes(word) ? "good" : bad.includes(word) ? "bad" : word === "running" ? "run" : "";
  return el("span", { class: "pill " + kind }, word);
}

function bar(share, label) {
  const inner = el("i", { style: { width: Math.max(0, Math.min(100, 100 * share)).toFixed(1) + "%" } });
  return el("div", { class: "bar", role: "progressbar", "aria-label": label || "done", "aria-valuenow": Math.round(100 * share), "aria-valuemin": 0, "aria-valuemax": 100 }, inner);
}

const results = (told) => (told ? "+" + told.wins + " =" + told.draws + " −" + told.losses : "–");

/** Copies a text, and says so on the button. */
function copyButton(words, text) {
  const button = el("button", { type: "button", class: "plain", onclick: async () => {
    const value = text();
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      const area = el("textarea", {}, value);
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "copied";
    setTimeout(() => { button.textContent = words; }, 1200);
  } }, words);
  return button;
}

function show(...children) {
  const main = document.getElementById("main");
  main.replaceChildren(...children.flat(Infinity).filter(Boolean));
}

function title(text) {
  document.title = text + " · Tabula";
}

/** A loss of a fit: on games that no choice has seen, or on those held out. */
const lossOf = (told) => (told && typeof told === "object" ? told.reported ?? told.held_out ?? told.fitted : told);

/** What the stage that runs is about to do. */
function eta(progress) {
  const rate = progress && progress.says && /([\d.]+) games\/s/.exec(progress.says);
  if (!rate || Number(rate[1]) <= 0) return null;
  return (progress.of - progress.games) / Number(rate[1]);
}
