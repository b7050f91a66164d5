// Choose one: labels around the picture, in a list, or found by typing. A click or a key is the answer.

import { make } from "./dom.js";
import { lettersOf, MANY, pressed } from "./keys.js";
import { searchBox } from "./search.js";

export function choose({ question, stimuli, submit, change }) {
  const { classes, options } = question;
  const answer = (name) => { change("choice", name); submit({ choice: name }); };
  if (options.layout === "search" || classes.length > MANY) {
    const box = searchBox("Type the first letters of the class, then press Enter", () => classes, answer);
    queueMicrotask(() => box.input.focus());
    return { elements: [box.element], focus: true };
  }
  const letters = lettersOf(classes);
  const buttons = classes.map((name) => make("button", { type: "button", onclick: () => answer(name) }, name, " ", letters.has(name) ? make("kbd", { "aria-hidden": "true" }, letters.get(name)) : null));
  const keys = (event) => {
    const name = pressed(event, letters);
    if (name && !event.shiftKey) answer(name);
    return Boolean(name);
  };
  const hint = "Keys: the letter beside a class chooses it";
  if (options.layout === "around" && classes.length <= 14) {
    const places = around(classes.length);
    buttons.forEach((button, i) => { button.style.gridArea = places[i]; });
    return { elements: [make("div", { class: "around", role: "group", "aria-label": "Classes" }, stimuli, buttons)], placed: true, keys, hint };
  }
  return { elements: [make("ul", { class: "classes" }, buttons.map((button) => make("li", {}, button)))], keys, hint };
}

// Cells of a 4 x 5 grid around its middle, clockwise from the top left: top row, right side, bottom row, left side.
function around(count) {
  const cells = ["1/1", "1/2", "1/3", "1/4", "2/4", "3/4", "4/4", "5/4", "5/3", "5/2", "5/1", "4/1", "3/1", "2/1"];
  return Array.from({ length: count }, (_, i) => cells[Math.round((i * cells.length) / count) % cells.length]);
}
