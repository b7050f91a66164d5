// A slider without a position until it is set.

import { keyCap, make, unique } from "./dom.js";

// A click, an arrow key, a digit (tenths of the scale) or the space bar sets it; `before` is an earlier value.
export function untouchedSlider(label, low, high, step, change, key, before) {
  const id = unique("slider");
  const shown = make("output", { for: id, "aria-hidden": "true" }, "–"); // the slider itself announces its value
  const input = make("input", { type: "range", id, min: low, max: high, step, class: "untouched", "aria-valuetext": "not set", "aria-keyshortcuts": key, "data-keys": key ? "" : undefined });
  input.value = (low + high) / 2;
  let touched = false;
  const draw = () => {
    touched = true;
    input.classList.remove("untouched");
    input.style.setProperty("--filled", `${(100 * (input.value - low)) / (high - low)}%`);
    shown.textContent = step >= 1 ? input.value : Number(input.value).toFixed(2);
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  const touch = () => { draw(); change(Number(input.value)); };
  if (typeof before === "number") { input.value = before; draw(); }
  input.addEventListener("input", touch);
  // A click on the exact middle changes nothing, so the browser sends no input event.
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

export const ends = (left, right) => make("div", { class: "row ends", "aria-hidden": "true" }, make("span"), make("span", { class: "both" }, make("span", {}, left), make("span", {}, right)), make("span"));
