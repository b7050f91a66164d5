// The question "allocate": 100 percent divided among the classes.

import { keyCap, make, unique } from "../dom.js";
import { keysOf, MANY, pressed } from "../keys.js";

export function ask({ question, change, before }) {
  const { classes } = question;
  const letters = classes.length > MANY ? new Map() : keysOf(classes, { digits: false });
  const left = make("output", { class: "left-over" });
  const bar = make("progress", { max: 100, value: 0, "aria-label": "Percent used" });
  const inputs = new Map();
  const whole = (text) => (/^\d{1,3}$/.test(text.trim()) ? Number(text.trim()) : text.trim() === "" ? 0 : null);
  const sum = () => [...inputs.values()].reduce((total, input) => total + (whole(input.value) ?? 0), 0);
  const draw = () => {
    bar.value = Math.min(100, sum());
    left.textContent = sum() === 100 ? "All 100 percent used" : sum() < 100 ? `${100 - sum()} percent left` : `${sum() - 100} percent too many`;
    left.classList.toggle("wrong", sum() > 100);
  };
  const rows = classes.map((name) => {
    const id = unique("part");
    const input = make("input", { type: "text", inputmode: "numeric", id, maxlength: 3, autocomplete: "off", "aria-keyshortcuts": letters.get(name), "data-keys": letters.size ? "" : undefined,
      oninput: () => { change(name, input.value); draw(); } });
    input.value = before?.percents[name] ?? "";
    inputs.set(name, input);
    return make("div", { class: "part" }, make("label", { for: id }, name), keyCap(letters.get(name)), input, make("span", { "aria-hidden": "true" }, "%"));
  });
  draw();
  const keys = (event) => {
    const match = pressed(event, letters);
    if (match) { inputs.get(match.name).focus(); inputs.get(match.name).select(); }
    return Boolean(match);
  };
  const state = () => ({ percents: Object.fromEntries([...inputs].map(([name, input]) => [name, input.value])) });
  const read = () => {
    const wrong = classes.find((name) => whole(inputs.get(name).value) === null);
    if (wrong !== undefined) { inputs.get(wrong).focus(); return { problem: `${wrong}: enter a whole number from 0 to 100.` }; }
    if (sum() !== 100) return { problem: `The percentages sum to ${sum()}, not 100.` };
    return { answer: { percents: Object.fromEntries(classes.map((name) => [name, whole(inputs.get(name).value)]).filter(([, part]) => part)) } };
  };
  return { elements: [make("div", { class: "parts" }, rows), make("div", { class: "total" }, bar, left)], read, state, keys: letters.size ? keys : null, hint: "a letter selects its class, digits enter the percentage" };
}
