// A slider for each class, without a position until it is touched; all have to be touched.

import { make, unique } from "./dom.js";

// A slider that starts nowhere. Arrow keys, a click or the space bar give it a value.
export function untouchedSlider(label, low, high, step, change) {
  const id = unique("slider");
  const shown = make("output", { for: id }, "–");
  const input = make("input", { type: "range", id, min: low, max: high, step, class: "untouched", "aria-valuetext": "not set" });
  input.value = (low + high) / 2;
  let touched = false;
  const touch = () => {
    touched = true;
    input.classList.remove("untouched");
    shown.textContent = step >= 1 ? input.value : Number(input.value).toFixed(2);
    input.setAttribute("aria-valuetext", shown.textContent);
    change(Number(input.value));
  };
  input.addEventListener("input", touch);
  input.addEventListener("pointerup", touch);
  input.addEventListener("keydown", (event) => { if (event.key === " ") { touch(); event.preventDefault(); } });
  return { row: make("div", { class: "row" }, make("label", { for: id }, label), input, shown), input, value: () => (touched ? Number(input.value) : null) };
}

export function sliders({ question, change }) {
  const { classes, options } = question;
  const made = new Map(classes.map((name) => [name, untouchedSlider(name, 0, 1, 0.01, (value) => change(name, value))]));
  const read = () => {
    const missing = classes.filter((name) => made.get(name).value() === null);
    if (missing.length) {
      made.get(missing[0]).input.focus();
      return { problem: `Set every slider; ${missing.length === 1 ? `${missing[0]} is` : `${missing.length} are`} not set yet. The space bar sets one where it stands.` };
    }
    return { answer: { values: Object.fromEntries(classes.map((name) => [name, made.get(name).value()])) } };
  };
  return {
    elements: [make("div", { class: "ends", "aria-hidden": "true" }, make("span", {}, options.left), make("span", {}, options.right)),
      make("div", { class: "sliders", role: "group", "aria-label": `From ${options.left} to ${options.right}` }, [...made.values()].map((one) => one.row))],
    read,
  };
}
