// Sharing out a whole: 100 percent in numbers, or tokens placed one by one.

import { make, unique } from "./dom.js";
import { lettersOf, MANY, pressed } from "./keys.js";

export function allocate({ question, change }) {
  const { classes } = question;
  const left = make("p", { class: "left-over", role: "status" });
  const inputs = new Map();
  const whole = (text) => (/^\d{1,3}$/.test(text.trim()) ? Number(text.trim()) : text.trim() === "" ? 0 : null);
  const sum = () => [...inputs.values()].reduce((total, input) => total + (whole(input.value) ?? 0), 0);
  const draw = () => { left.textContent = sum() === 100 ? "All 100 percent are shared out." : sum() < 100 ? `${100 - sum()} percent left` : `${sum() - 100} percent too many`; };
  const rows = classes.map((name) => {
    const id = unique("part");
    const input = make("input", { type: "text", inputmode: "numeric", id, maxlength: 3, autocomplete: "off", oninput: () => { change(name, input.value); draw(); } });
    inputs.set(name, input);
    return make("div", { class: "row" }, make("label", { for: id }, name), input, make("span", {}, "%"));
  });
  draw();
  const read = () => {
    const wrong = classes.find((name) => whole(inputs.get(name).value) === null);
    if (wrong !== undefined) { inputs.get(wrong).focus(); return { problem: `${wrong}: a whole number from 0 to 100, please.` }; }
    if (sum() !== 100) return { problem: `The percents sum to ${sum()}; they have to sum to 100.` };
    return { answer: { percents: Object.fromEntries(classes.map((name) => [name, whole(inputs.get(name).value)]).filter(([, part]) => part)) } };
  };
  return { elements: [make("div", { class: "sliders" }, rows), left], read };
}

export function tokens({ question, change }) {
  const { classes, options } = question;
  const letters = classes.length > MANY ? new Map() : lettersOf(classes, "");
  const placed = new Map(classes.map((name) => [name, 0]));
  const left = make("p", { class: "left-over", role: "status" });
  const heaps = new Map();
  const sum = () => [...placed.values()].reduce((total, part) => total + part, 0);
  const move = (name, by) => {
    if (by > 0 ? sum() >= options.tokens : placed.get(name) === 0) return;
    placed.set(name, placed.get(name) + by);
    change(name, placed.get(name));
    draw();
  };
  const rows = classes.map((name) => {
    const heap = make("span", { class: "heap", role: "img" });
    heaps.set(name, heap);
    return make("div", { class: "row" }, make("span", {}, name, " ", letters.has(name) ? make("kbd", { "aria-hidden": "true" }, letters.get(name)) : null),
      make("button", { type: "button", "aria-label": `Take one from ${name}`, onclick: () => move(name, -1) }, "−"), heap,
      make("button", { type: "button", "aria-label": `Give one to ${name}`, onclick: () => move(name, 1) }, "+"));
  });
  const draw = () => {
    for (const [name, heap] of heaps) {
      heap.replaceChildren(...Array.from({ length: placed.get(name) }, () => make("i")));
      heap.setAttribute("aria-label", `${placed.get(name)} on ${name}`);
    }
    left.textContent = sum() === options.tokens ? "All tokens are placed." : `${options.tokens - sum()} of ${options.tokens} tokens left`;
  };
  draw();
  const keys = (event) => {
    const name = pressed(event, letters);
    if (name) move(name, event.shiftKey ? -1 : 1);
    return Boolean(name);
  };
  const read = () => (sum() === options.tokens
    ? { answer: { tokens: Object.fromEntries([...placed].filter(([, part]) => part)) } }
    : { problem: `Place all ${options.tokens} tokens; ${options.tokens - sum()} are left.` });
  return { elements: [make("div", { class: "sliders tokens" }, rows), left], read, keys, hint: "Keys: a letter gives its class a token, Shift and the letter takes one away" };
}
