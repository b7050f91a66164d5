// Elements are made, never parsed: what a study or a person wrote is text and stays text.

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

// Plain text with paragraphs at blank lines and **bold** words.
export function prose(text) {
  return text.trim().split(/\n\s*\n/).filter(Boolean).map((paragraph) =>
    make("p", {}, paragraph.split(/\*\*(.+?)\*\*/).map((part, i) => (i % 2 ? make("strong", {}, part) : part))));
}

// The key that does the same as what it stands beside; screen readers have the list of keys below the question.
export const keyCap = (key) => (key === undefined ? null : make("kbd", { "aria-hidden": "true" }, key));

let number = 0;
export const unique = (name) => `${name}-${++number}`;
