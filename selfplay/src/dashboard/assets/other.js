"use strict";
// A game of another kind, ply by ply, as the boards that the game draws of itself.

tabula.pages.other = {
  async open(record, id, ply) {
    const told = await load("other", record, id);
    title(told.game);
    let now = 0, view = told.views[0];
    const board = el("pre", { "aria-live": "polite" }), words = el("p", {}), list = el("div", { class: "card moves", tabindex: 0 });
    const draw = () => {
      const at = told.plies[now];
      board.textContent = at.views[view];
      words.textContent = now === 0 ? "the beginning" : (at.side === 0 ? "White" : "Black") + ": " + at.text + (at.score === null ? ", drawn at random" : ", " + signed(at.score) + " at depth " + at.depth + (at.explored ? ", explored" : ""));
      history.replaceState(null, "", link("other", record, id, now));
      list.querySelectorAll("a").forEach((move, number) => move.classList.toggle("now", number + 1 === now));
    };
    const go = (to) => { now = Math.max(0, Math.min(told.plies.length - 1, to)); draw(); };
    const keys = (event) => {
      const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: told.plies.length }[event.key];
      if (to === undefined || /INPUT|SELECT/.test(event.target.tagName)) return;
      event.preventDefault();
      go(to);
    };
    document.addEventListener("keydown", keys);
    tabula.leave.push(() => document.removeEventListener("keydown", keys));
    const [first, end] = told.games, number = Number(id);
    const step = (words, to) => el("button", { type: "button", class: "plain", onclick: () => go(to()) }, words);
    told.plies.slice(1).forEach((at, place) => list.append(el("a", { href: "#", onclick: (event) => { event.preventDefault(); go(place + 1); } }, at.text), " "));
    show(el("h1", {}, told.game + ", game " + id + " ", el("span", { class: "quiet" }, told.result)), el("p", { class: "quiet" }, told.ending),
      el("div", { class: "row" }, step("«", () => 0), step("◀", () => now - 1), step("▶", () => now + 1), step("»", () => told.plies.length),
        told.views.length > 1 && el("label", {}, "view ", el("select", { onchange: (event) => { view = event.target.value; draw(); } }, told.views.map((name) => el("option", {}, name)))),
        number > first && el("a", { href: link("other", record, number - 1, 0) }, "the game before"), number + 1 < end && el("a", { href: link("other", record, number + 1, 0) }, "the next game")),
      words, card(null, board), list);
    go(Number(ply) || 0);
    tabula.again = (parts) => parts[0] === record && parts[1] === String(id) && (go(Number(parts[2]) || 0), true);
  },
};
