// Sharing out a whole: 100 percent in numbers, or tokens placed one by one.

import { keyCap, make, unique } from "./dom.js";
import { keysOf, MANY, pressed } from "./keys.js";

export function allocate({ question, change }) {
  const { classes } = question;
  const letters = classes.length > MANY ? new Map() : keysOf(classes, { digits: false });
  const left = make("output", { class: "left-over" });
  const bar = make("progress", { max: 100, value: 0, "aria-label": "Shared out so far" });
  const inputs = new Map();
  const whole = (text) => (/^\d{1,3}$/.test(text.trim()) ? Number(text.trim()) : text.trim() === "" ? 0 : null);
  const sum = () => [...inputs.values()].reduce((total, input) => total + (whole(input.value) ?? 0), 0);
  const draw = () => {
    bar.value = Math.min(100, sum());
    left.textContent = sum() === 100 ? "All 100 percent are shared out" : sum() < 100 ? `${100 - sum()} percent left` : `${sum() - 100} percent too many`;
    left.classList.toggle("wrong", sum() > 100);
  };
  const rows = classes.map((name) => {
    const id = unique("part");
    const input = make("input", { type: "text", inputmode: "numeric", id, maxlength: 3, autocomplete: "off", "aria-keyshortcuts": letters.get(name), "data-keys": letters.size ? "" : undefined,
      oninput: () => { change(name, input.value); draw(); } });
    inputs.set(name, input);
    return make("div", { class: "part" }, make("label", { for: id }, name), keyCap(letters.get(name)), input, make("span", { "aria-hidden": "true" }, "%"));
  });
  draw();
  const keys = (event) => {
    const found = pressed(event, letters);
    if (found) { inputs.get(found.name).focus(); inputs.get(found.name).select(); }
    return Boolean(found);
  };
  const read = () => {
    const wrong = classes.find((name) => whole(inputs.get(name).value) === null);
    if (wrong !== undefined) { inputs.get(wrong).focus(); return { problem: `${wrong}: a whole number from 0 to 100, please.` }; }
    if (sum() !== 100) return { problem: `The percents sum to ${sum()}; they have to sum to 100.` };
    return { answer: { percents: Object.fromEntries(classes.map((name) => [name, whole(inputs.get(name).value)]).filter(([, part]) => part)) } };
  };
  return { elements: [make("div", { class: "parts" }, rows), make("div", { class: "total" }, bar, left)], read, first: [...inputs.values()][0],
    keys: letters.size ? keys : null, hint: "a letter goes to its class, digits say how much" };
}

export function tokens({ question, change }) {
  const { classes, options } = question;
  const letters = classes.length > MANY ? new Map() : keysOf(classes);
  const placed = new Map(classes.map((name) => [name, 0]));
  const left = make("p", { class: "left-over" });
  const live = make("p", { class: "visually-hidden", role: "status" });
  const heaps = new Map();
  const sum = () => [...placed.values()].reduce((total, part) => total + part, 0);
  const move = (name, by) => {
    if (by > 0 ? sum() < options.tokens : placed.get(name) > 0) {
      placed.set(name, placed.get(name) + by);
      change(name, placed.get(name));
      draw();
    }
    live.textContent = `${placed.get(name)} on ${name}. ${left.textContent}.`;
  };
  const rows = classes.map((name) => {
    const heap = make("span", { class: "heap", role: "img" });
    heaps.set(name, heap);
    return make("div", { class: "row" }, make("span", { class: "named" }, make("span", {}, name), keyCap(letters.get(name))),
      make("button", { type: "button", "aria-label": `Take one from ${name}`, onclick: () => move(name, -1) }, "−"), heap,
      make("button", { type: "button", "aria-label": `Give one to ${name}`, "aria-keyshortcuts": letters.get(name), onclick: () => move(name, 1) }, "+"));
  });
  const draw = () => {
    for (const [name, heap] of heaps) {
      heap.replaceChildren(...Array.from({ length: placed.get(name) }, () => make("i")));
      heap.setAttribute("aria-label", `${placed.get(name)} on ${name}`);
    }
    left.textContent = sum() === options.tokens ? `All ${options.tokens} tokens are placed` : `${options.tokens - sum()} of ${options.tokens} tokens left`;
  };
  draw();
  const keys = (event) => {
    const found = pressed(event, letters);
    if (found) move(found.name, found.shifted ? -1 : 1);
    return Boolean(found);
  };
  const read = () => (sum() === options.tokens
    ? { answer: { tokens: Object.fromEntries([...placed].filter(([, part]) => part)) } }
    : { problem: `Place all ${options.tokens} tokens; ${options.tokens - sum()} are left.` });
  return { elements: [make("div", { class: "sliders tokens" }, rows), make("div", { class: "total" }, left, live)], read, keys: letters.size ? keys : null,
    hint: "a key gives its class a token, with Shift it takes one away" };
}
