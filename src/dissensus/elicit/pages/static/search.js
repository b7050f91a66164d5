// Search for one of many classes. Before typing, likely classes of the item come first, then recent ones.

import { make, unique } from "./dom.js";

const RECENT = "dissensus:recent";
const MOST_SHOWN = 30;

export function recent() {
  try { return JSON.parse(sessionStorage.getItem(RECENT) || "[]"); } catch { return []; }
}

export function remember(name) {
  try { sessionStorage.setItem(RECENT, JSON.stringify([name, ...recent().filter((recentName) => recentName !== name)].slice(0, 8))); } catch { /* only convenience */ }
}

// Ranks an exact name first, then names that start with the text, then names with a word that does, then names that contain it.
export function ranked(classes, typed, first) {
  const wanted = typed.trim().toLowerCase();
  const rank = (name) => {
    const low = name.toLowerCase();
    if (!wanted) return 0;
    if (low === wanted) return 0;
    if (low.startsWith(wanted)) return 1;
    if (low.split(/[\s_-]+/).some((word) => word.startsWith(wanted))) return 2;
    return low.includes(wanted) ? 3 : Infinity;
  };
  const early = (name) => (first.includes(name) ? first.indexOf(name) : first.length);
  return classes.map((name, i) => [rank(name), early(name), i, name]).filter(([r]) => r < Infinity)
    .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]).map(([, , , name]) => name);
}

// A combobox according to the ARIA practices. Calls `pick` with the chosen class, or `also` if Shift is held or `always` is true.
export function searchBox(label, classes, pick, { likely = [], onKey, tag = () => "", also, always = () => false } = {}) {
  const list = make("ul", { id: unique("list"), role: "listbox", "aria-label": "Classes", tabindex: "-1" });
  const input = make("input", {
    type: "text", id: unique("search"), role: "combobox", "aria-controls": list.id, "aria-expanded": "true", "aria-autocomplete": "list",
    autocomplete: "off", autocapitalize: "off", spellcheck: "false",
  });
  const count = make("p", { class: "quiet count", role: "status" });
  let listed = [];
  let at = -1;
  const tagOf = (name) => tag(name) || (likely.includes(name) ? "likely" : recent().includes(name) ? "recent" : "");
  const draw = () => {
    const all = ranked(classes(), input.value, [...likely, ...recent()]);
    listed = all.slice(0, MOST_SHOWN);
    at = Math.min(input.value.trim() ? Math.max(at, 0) : at, listed.length - 1);
    list.replaceChildren(...listed.map((name, i) => make("li", {
      role: "option", id: `${list.id}-${i}`, "aria-selected": String(i === at), onpointerdown: (event) => event.preventDefault(), onclick: (event) => choose(name, event.shiftKey),
    }, make("span", {}, name), make("span", { class: "quiet" }, tagOf(name)))));
    if (at >= 0) input.setAttribute("aria-activedescendant", `${list.id}-${at}`);
    else input.removeAttribute("aria-activedescendant");
    // Not scrollIntoView, which would scroll the page as well.
    const row = list.children[at];
    if (row) list.scrollTop = Math.min(Math.max(list.scrollTop, row.offsetTop + row.offsetHeight - list.clientHeight), row.offsetTop);
    else list.scrollTop = 0;
    count.textContent = all.length === 0 ? "No matching class." : all.length > MOST_SHOWN ? `${MOST_SHOWN} of ${all.length} classes shown. Type to find the others.` : `${all.length} ${all.length === 1 ? "class" : "classes"}`;
  };
  const reset = () => { input.value = ""; at = -1; };
  const choose = (name, shifted) => {
    const alternative = (shifted || always()) && also;
    if (!alternative) remember(name);
    reset();
    (alternative || pick)(name);
    draw();
  };
  input.addEventListener("input", () => { at = -1; draw(); });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (onKey && onKey(event, input.value)) { event.preventDefault(); return; }
    if ((event.key === "ArrowDown" || event.key === "ArrowUp") && listed.length) {
      at = event.key === "ArrowDown" ? (at + 1) % listed.length : (at <= 0 ? listed.length : at) - 1;
      draw();
      event.preventDefault();
    } else if (event.key === "Enter" && at >= 0) {
      choose(listed[at], event.shiftKey);
      event.preventDefault();
    } else if (event.key === "Enter" && input.value.trim()) {
      event.preventDefault(); // no class matches, so there is nothing to submit
    } else if (event.key === "Escape") {
      reset();
      draw();
    }
  });
  draw();
  return { element: make("div", { class: "search" }, make("label", { for: input.id }, label), input, list, count), input, draw };
}
