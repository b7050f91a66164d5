// Elements are made, never parsed: what a survey or a person wrote is text and stays text.

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

// The key that does the same as what it stands beside; screen readers announce it by aria-keyshortcuts, not as part of the name.
export const keyCap = (key) => (key === undefined ? null : make("kbd", { "aria-hidden": "true" }, key));

// Buttons in columns that are wide enough for the longest name, so that no word is cut.
export function columns(buttons, classes) {
  const list = make("ul", { class: "classes" }, buttons.map((button) => make("li", {}, button)));
  list.style.setProperty("--longest", `${Math.min(24, Math.max(...classes.map((name) => name.length)))}ch`);
  return list;
}

// A button that would give the answer that was taken back.
export function answeredBefore(button) {
  const said = ", your answer before";
  button.dataset.before = "";
  if (button.hasAttribute("aria-label")) button.setAttribute("aria-label", button.getAttribute("aria-label") + said);
  else button.append(make("span", { class: "visually-hidden" }, said));
}

let number = 0;
export const unique = (name) => `${name}-${++number}`;
