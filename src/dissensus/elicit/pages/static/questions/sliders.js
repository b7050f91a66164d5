// The question "sliders": a slider for each class, without a position until it is set; all must be set.

import { make } from "../dom.js";
import { keysOf, MANY, pressed } from "../keys.js";
import { ends, untouchedSlider } from "../slider.js";

export function ask({ question, change, before }) {
  const { classes, options } = question;
  const letters = classes.length > MANY ? new Map() : keysOf(classes, { digits: false });
  const made = new Map(classes.map((name) => [name, untouchedSlider(name, 0, 1, 0.01, (value) => change(name, value), letters.get(name), before?.values[name])]));
  const keys = (event) => {
    const match = pressed(event, letters);
    if (match) made.get(match.name).input.focus();
    return Boolean(match);
  };
  const values = () => Object.fromEntries(classes.map((name) => [name, made.get(name).value()]));
  const read = () => {
    const missing = classes.filter((name) => made.get(name).value() === null);
    if (missing.length) {
      made.get(missing[0]).input.focus();
      return { problem: `Set every slider: ${missing.length === 1 ? `${missing[0]} is` : `${missing.length} are`} not set.` };
    }
    return { answer: { values: values() } };
  };
  return {
    elements: [make("div", { class: "sliders", role: "group", "aria-label": `From ${options.left} to ${options.right}` }, ends(options.left, options.right),
      [...made.values()].map((slider) => slider.row))],
    read, state: () => ({ values: values() }), keys: letters.size ? keys : null,
    hint: `${letters.size ? "a letter selects its slider, " : ""}0 to 9 set tenths, arrows change the value`,
  };
}
