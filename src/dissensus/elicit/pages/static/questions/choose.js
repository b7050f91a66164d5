// The question "choose": classes around the picture, in a list, or in a search. A click or a key is the answer.

import { markEarlier, columns, keyCap, make } from "../dom.js";
import { digitsOnly, keysOf, MANY, pressed } from "../keys.js";
import { searchBox } from "../search.js";

const MOST_AROUND = 16;

export function ask({ items, question, stimuli, submit, change, before }) {
  const { classes, options } = question;
  const answer = (name) => { change("choice", name); submit({ choice: name }); };
  if (options.layout === "search" || classes.length > MANY) {
    const box = searchBox("Type to find the class, then choose it", () => classes, answer, {
      likely: before ? [before.choice, ...items[0].likely] : items[0].likely, tag: (name) => (name === before?.choice ? "your earlier answer" : ""),
    });
    return { elements: [box.element], focus: box.input };
  }
  const letters = keysOf(classes);
  const buttons = classes.map((name) => make("button", { type: "button", "aria-keyshortcuts": letters.get(name), onclick: () => answer(name) }, make("span", {}, name), letters.get(name) === name ? null : keyCap(letters.get(name))));
  if (before) markEarlier(buttons[classes.indexOf(before.choice)]);
  const keys = (event) => {
    const match = pressed(event, letters);
    if (match && !match.shifted) answer(match.name);
    return Boolean(match);
  };
  const hint = digitsOnly(classes) ? "a digit chooses its class" : "a letter chooses its class";
  if (options.layout === "around" && classes.length <= MOST_AROUND) {
    const { places, sides } = around(classes.length);
    buttons.forEach((button, i) => { [button.style.gridRow, button.style.gridColumn] = places[i]; });
    stimuli.style.gridRow = `2 / ${2 + sides}`;
    return { elements: [make("div", { class: "around", role: "group", "aria-label": "Classes" }, stimuli, buttons)], placed: true, keys, hint };
  }
  return { elements: [columns(buttons, classes)], keys, hint };
}

// Rows and columns of a grid with 12 columns, clockwise from the top left: top, right side, bottom, left side.
function around(count) {
  const sides = Math.max(1, Math.floor(count / 4));
  const top = Math.ceil((count - 2 * sides) / 2);
  const bottom = count - 2 * sides - top;
  const row = (number, cells) => Array.from({ length: cells }, (_, i) => [String(number), `${1 + (i * 12) / cells} / ${1 + ((i + 1) * 12) / cells}`]);
  const side = (column) => Array.from({ length: sides }, (_, i) => [String(2 + i), column]);
  return { sides, places: [...row(1, top), ...side("10 / 13"), ...row(2 + sides, bottom).reverse(), ...side("1 / 4").reverse()] };
}
