// The question "tokens": tokens placed on classes one by one.

import { keyCap, make } from "../dom.js";
import { keysOf, MANY, pressed } from "../keys.js";

export function ask({ question, change, before }) {
  const { classes, options } = question;
  const letters = classes.length > MANY ? new Map() : keysOf(classes);
  const placed = new Map(classes.map((name) => [name, before?.tokens[name] ?? 0]));
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
      make("button", { type: "button", "aria-label": `Remove one from ${name}`, onclick: () => move(name, -1) }, "−"), heap,
      make("button", { type: "button", "aria-label": `Add one to ${name}`, "aria-keyshortcuts": letters.get(name), onclick: () => move(name, 1) }, "+"));
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
    const match = pressed(event, letters);
    if (match) move(match.name, match.shifted ? -1 : 1);
    return Boolean(match);
  };
  const state = () => ({ tokens: Object.fromEntries([...placed].filter(([, part]) => part)) });
  const read = () => (sum() === options.tokens
    ? { answer: state() }
    : { problem: `Place all ${options.tokens} tokens: ${options.tokens - sum()} left.` });
  return { elements: [make("div", { class: "sliders tokens" }, rows), make("div", { class: "total" }, left, live)], read, state, keys: letters.size ? keys : null,
    hint: "a key adds a token to its class, Shift and the key removes one" };
}
