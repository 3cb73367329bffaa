"use strict";
// Which page an address means.

tabula.route = async () => {
  const parts = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map((part) => decodeURIComponent(part));
  const name = parts[0] || "overview";
  // A page may know how to move to an address of its own.
  if (tabula.again && name === tabula.shown && tabula.again(parts.slice(1))) {
    document.body.dataset.ready = location.hash;
    return;
  }
  tabula.leave.splice(0).forEach((leave) => leave());
  tabula.again = null;
  tabula.shown = name;
  for (const item of document.querySelectorAll("#nav a")) {
    if (item.dataset.page === name) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  const page = tabula.pages[name];
  try {
    if (!page) throw new Error("there is no page " + name);
    await page.open(...parts.slice(1));
    performance.mark("ready");
    document.body.dataset.ready = location.hash || "#/";
  } catch (error) {
    show(el("h1", {}, "This page cannot be shown"), el("p", { class: "error" }, error.message), el("p", {}, el("a", { href: "#/" }, "to the overview")));
    document.body.dataset.ready = "error";
  }
};

(() => {
  const shown = Object.entries(tabula.pages).filter(([, page]) => page.name && !(page.live && tabula.isExport));
  document.getElementById("nav").append(...shown.map(([name, page]) => el("a", { href: "#/" + (name === "overview" ? "" : name), "data-page": name }, page.name)));
  const root = document.documentElement, button = document.getElementById("theme");
  let theme = null;
  try { theme = localStorage.getItem("theme"); } catch { /* a page from the disk may have no storage */ }
  if (theme) root.dataset.theme = theme;
  button.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* then only for now */ }
  });
  document.getElementById("footer").textContent = tabula.isExport ? "Written by selfplay serve --export." : "Read from the folders of nights; nothing is written there.";
  window.addEventListener("hashchange", tabula.route);
  tabula.route();
})();
