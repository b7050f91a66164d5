// A slider for each class, without a position until it is touched; all have to be touched.

import { keyCap, make, unique } from "./dom.js";
import { keysOf, MANY, pressed } from "./keys.js";

// A slider that starts nowhere. A click, an arrow key, a digit (tenths of the way) or the space bar gives it a value.
export function untouchedSlider(label, low, high, step, change, key) {
  const id = unique("slider");
  const shown = make("output", { for: id, "aria-hidden": "true" }, "–"); // the slider itself tells its value
  const input = make("input", { type: "range", id, min: low, max: high, step, class: "untouched", "aria-valuetext": "not set", "aria-keyshortcuts": key, "data-keys": key ? "" : undefined });
  input.value = (low + high) / 2;
  let touched = false;
  const touch = () => {
    touched = true;
    input.classList.remove("untouched");
    input.style.setProperty("--filled", `${(100 * (input.value - low)) / (high - low)}%`);
    shown.textContent = step >= 1 ? input.value : Number(input.value).toFixed(2);
    input.setAttribute("aria-valuetext", shown.textContent);
    change(Number(input.value));
  };
  input.addEventListener("input", touch);
  // A click on the very middle changes nothing, so the browser does not tell of it.
  input.addEventListener("pointerup", () => { if (!touched) touch(); });
  input.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !/^[0-9 ]$/.test(event.key)) return;
    if (event.key !== " ") input.value = low + ((high - low) * Number(event.key)) / 10;
    touch();
    event.preventDefault();
  });
  const row = make("div", { class: "row" }, make("span", { class: "named" }, make("label", { for: id }, label), keyCap(key)), input, shown);
  return { row, input, value: () => (touched ? Number(input.value) : null) };
}

export function sliders({ question, change }) {
  const { classes, options } = question;
  const letters = classes.length > MANY ? new Map() : keysOf(classes, { digits: false });
  const made = new Map(classes.map((name) => [name, untouchedSlider(name, 0, 1, 0.01, (value) => change(name, value), letters.get(name))]));
  const keys = (event) => {
    const found = pressed(event, letters);
    if (found) made.get(found.name).input.focus();
    return Boolean(found);
  };
  const read = () => {
    const missing = classes.filter((name) => made.get(name).value() === null);
    if (missing.length) {
      made.get(missing[0]).input.focus();
      return { problem: `Set every slider; ${missing.length === 1 ? `${missing[0]} is` : `${missing.length} are`} not set yet.` };
    }
    return { answer: { values: Object.fromEntries(classes.map((name) => [name, made.get(name).value()])) } };
  };
  return {
    elements: [make("div", { class: "sliders", role: "group", "aria-label": `From ${options.left} to ${options.right}` }, ends(options.left, options.right),
      [...made.values()].map((one) => one.row))],
    read, keys: letters.size ? keys : null, first: made.get(classes[0]).input,
    hint: `${letters.size ? "a letter goes to its slider; " : ""}0 to 9 set tenths, End the top, arrows and the space bar as usual`,
  };
}

export const ends = (left, right) => make("div", { class: "row ends", "aria-hidden": "true" }, make("span"), make("span", { class: "both" }, make("span", {}, left), make("span", {}, right)), make("span"));
