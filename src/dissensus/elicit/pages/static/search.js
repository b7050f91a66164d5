// Finding one of many classes by typing: those used last come first, then those that begin with what was typed.

import { make, unique } from "./dom.js";

const RECENT = "dissensus:recent";

export function recent() {
  try { return JSON.parse(sessionStorage.getItem(RECENT) || "[]"); } catch { return []; }
}

export function remember(name) {
  try { sessionStorage.setItem(RECENT, JSON.stringify([name, ...recent().filter((one) => one !== name)].slice(0, 8))); } catch { /* only convenience */ }
}

export function ranked(classes, typed, used) {
  const wanted = typed.trim().toLowerCase();
  const rank = (name) => {
    const low = name.toLowerCase();
    const place = used.indexOf(name);
    if (!wanted) return place >= 0 ? place : 100;
    if (low === wanted) return -1;
    if (low.startsWith(wanted)) return place >= 0 ? place : 20;
    if (low.split(/[\s_-]+/).some((word) => word.startsWith(wanted))) return 40;
    return low.includes(wanted) ? 60 : Infinity;
  };
  return classes.map((name, i) => [rank(name), i, name]).filter(([r]) => r < Infinity).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , name]) => name);
}

// A combobox as the ARIA practices describe it. `pick` is called with the chosen class.
export function searchBox(label, classes, pick, onKey) {
  const list = make("ul", { id: unique("list"), role: "listbox", "aria-label": label });
  const input = make("input", {
    type: "text", id: unique("search"), role: "combobox", "aria-controls": list.id, "aria-expanded": "true", "aria-autocomplete": "list",
    autocomplete: "off", autocapitalize: "off", spellcheck: "false", "data-keys": undefined,
  });
  let found = [];
  let at = 0;
  const draw = () => {
    found = ranked(classes(), input.value, recent()).slice(0, 30);
    at = Math.min(at, Math.max(found.length - 1, 0));
    list.replaceChildren(...found.map((name, i) => make("li", {
      role: "option", id: `${list.id}-${i}`, "aria-selected": String(i === at), onpointerdown: (event) => { event.preventDefault(); choose(name); },
    }, name)));
    if (found.length) input.setAttribute("aria-activedescendant", `${list.id}-${at}`);
    else input.removeAttribute("aria-activedescendant");
    list.children[at]?.scrollIntoView({ block: "nearest" });
  };
  const choose = (name) => {
    remember(name);
    input.value = "";
    at = 0;
    pick(name);
    draw();
  };
  input.addEventListener("input", () => { at = 0; draw(); });
  input.addEventListener("keydown", (event) => {
    if (onKey && onKey(event, input.value)) { event.preventDefault(); return; }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      at = (at + (event.key === "ArrowDown" ? 1 : -1) + found.length) % Math.max(found.length, 1);
      draw();
      event.preventDefault();
    } else if (event.key === "Enter" && input.value && found.length) {
      choose(found[at]);
      event.preventDefault();
    }
  });
  draw();
  return { element: make("div", { class: "search" }, make("label", { for: input.id }, label), input, list), input, draw };
}
