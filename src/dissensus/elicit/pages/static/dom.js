// Elements are created, never parsed from HTML, so that texts of surveys and people stay text.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// Text with **bold** words.
export const bold = (text) => text.split(/\*\*(.+?)\*\*/).map((part, i) => (i % 2 ? make("strong", {}, part) : part));

// The same with paragraphs at blank lines.
export const prose = (text) => text.trim().split(/\n\s*\n/).filter(Boolean).map((paragraph) => make("p", {}, bold(paragraph)));

// The key of an element; screen readers announce it through aria-keyshortcuts, not as part of the name.
export const keyCap = (key) => (key === undefined ? null : make("kbd", { "aria-hidden": "true" }, key));

// Buttons in columns as wide as the longest name, so that no word is cut.
export function columns(buttons, classes) {
  const list = make("ul", { class: "classes" }, buttons.map((button) => make("li", {}, button)));
  list.style.setProperty("--longest", `${Math.min(24, Math.max(...classes.map((name) => name.length)))}ch`);
  return list;
}

// Marks the button of the earlier answer.
export function markEarlier(button) {
  const suffix = ", your earlier answer";
  button.dataset.before = "";
  if (button.hasAttribute("aria-label")) button.setAttribute("aria-label", button.getAttribute("aria-label") + suffix);
  else button.append(make("span", { class: "visually-hidden" }, suffix));
}

let number = 0;
export const unique = (name) => `${name}-${++number}`;
