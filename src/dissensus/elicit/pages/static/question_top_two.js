// The most probable class, perhaps a second, a percentage for each, and what it is definitely not: by keyboard alone.
//
// A letter names a class, digits say how sure, x rules out all the rest, Enter sends. With Shift a letter rules out one class.

import { make, unique } from "./dom.js";
import { lettersOf, MANY, pressed } from "./keys.js";
import { searchBox } from "./search.js";

export function topTwo({ question, submit, change }) {
  const { classes, options } = question;
  const many = options.layout === "search" || classes.length > MANY;
  const letters = many ? new Map() : lettersOf(classes);
  const state = { first: null, second: null, out: new Set() };
  const rest = () => classes.filter((name) => name !== state.first && name !== state.second);
  const live = make("p", { class: "visually-hidden", role: "status" });
  const percents = { first: amount("first"), second: amount("second") };
  const chips = make("div", { class: "chips", role: "group", "aria-label": "Chosen classes" });
  const buttons = new Map(many ? [] : classes.map((name) => [name, make("button", { type: "button", onclick: () => pick(name) })]));
  const outButton = options.ruling_out
    ? make("button", { type: "button", onclick: () => ruleOutRest() }, "Definitely none of the rest ", make("kbd", { "aria-hidden": "true" }, "x")) : null;

  function amount(role) {
    const id = unique(role);
    const input = make("input", { type: "text", inputmode: "numeric", id, maxlength: 5, autocomplete: "off", "data-keys": "" });
    input.addEventListener("input", () => change(`${role}_percent`, input.value));
    const label = make("label", { for: id });
    return { input, label, box: make("div", { hidden: true }, label, make("span", { class: "amount" }, input, "%")) };
  }

  function pick(name) {
    if (state.first === name) { state.first = state.second; state.second = null; swapPercents(); } else if (state.second === name) state.second = null;
    else if (state.first === null) state.first = name;
    else if (options.second) state.second = name;
    else state.first = name;
    state.out.delete(name);
    change("named", [state.first, state.second]);
    draw();
    const role = state.second === name ? "second" : "first";
    if (state[role] === name) { percents[role].input.focus(); percents[role].input.select(); }
  }

  function swapPercents() {
    percents.first.input.value = percents.second.input.value;
    percents.second.input.value = "";
  }

  function ruleOut(name) {
    if (!options.ruling_out || name === state.first || name === state.second) return;
    if (!state.out.delete(name)) state.out.add(name);
    change("ruled_out", [...state.out]);
    draw();
  }

  function ruleOutRest() {
    if (!options.ruling_out || state.first === null) return;
    const all = rest();
    const undo = all.every((name) => state.out.has(name));
    state.out = new Set(undo ? [] : all);
    change("ruled_out", [...state.out]);
    draw();
    live.textContent = undo ? "Nothing is ruled out" : `${all.length} classes are ruled out`;
  }

  const roleOf = (name) => (name === state.first ? "first" : name === state.second ? "second" : state.out.has(name) ? "out" : "");
  const spoken = { first: "most probable", second: "second most probable", out: "definitely not", "": "" };

  function draw() {
    for (const [name, button] of buttons) {
      const role = roleOf(name);
      button.dataset.role = role;
      button.setAttribute("aria-pressed", String(role === "first" || role === "second"));
      button.replaceChildren(make("kbd", { "aria-hidden": "true" }, letters.get(name) || "·"), make("span", {}, name), make("span", { class: "role" }, spoken[role]));
    }
    for (const role of ["first", "second"]) {
      percents[role].box.hidden = state[role] === null;
      percents[role].label.textContent = `How probable is ${state[role] || ""}?`;
    }
    percents.second.input.placeholder = remainder() === null ? "" : `rest ${remainder()}`;
    if (outButton) outButton.disabled = state.first === null;
    if (many) {
      chips.replaceChildren(...["first", "second"].filter((role) => state[role]).map((role) => make("button", {
        type: "button", "data-role": role, onclick: () => pick(state[role]), "aria-label": `Remove ${state[role]}, ${spoken[role]}` }, `${state[role]} ×`)),
      ...[...state.out].slice(0, 12).map((name) => make("button", { type: "button", "data-role": "out", onclick: () => ruleOut(name), "aria-label": `${name} is ruled out; allow it` }, name)),
      state.out.size > 12 ? make("span", { class: "quiet" }, `and ${state.out.size - 12} more ruled out`) : "");
    }
  }

  const number = (text) => (/^\d{1,3}([.,]\d)?$/.test(text.trim()) ? Number(text.trim().replace(",", ".")) : null);
  const remainder = () => {
    const first = number(percents.first.input.value);
    return first === null || first > 100 ? null : Math.round((100 - first) * 10) / 10;
  };

  function read() {
    const first = number(percents.first.input.value);
    if (state.first === null) return { problem: "Choose the most probable class." };
    if (first === null || first > 100) { percents.first.input.focus(); return { problem: `Say how probable ${state.first} is: a number from 0 to 100.` }; }
    let second = null;
    if (state.second !== null) {
      if (!percents.second.input.value.trim() && remainder() !== null) {
        percents.second.input.value = remainder();
        change("second_percent", `rest ${remainder()}`);
        percents.second.input.select();
        return { problem: `${state.second} gets the rest, ${remainder()} percent. Press Enter again if that is right.` };
      }
      second = number(percents.second.input.value);
      if (second === null || second > 100) { percents.second.input.focus(); return { problem: `Say how probable ${state.second} is: a number from 0 to 100.` }; }
    }
    return { answer: { first: state.first, first_percent: first, second: state.second, second_percent: second, ruled_out: classes.filter((name) => state.out.has(name)) } };
  }

  const keys = (event) => {
    if (event.key.toLowerCase() === "x" && !event.shiftKey && outButton) { ruleOutRest(); return true; }
    const name = pressed(event, letters);
    if (!name) return false;
    if (event.shiftKey) ruleOut(name);
    else pick(name);
    return true;
  };

  const stated = make("div", { class: "stated" }, percents.first.box, percents.second.box);
  let chooser;
  if (many) {
    const box = searchBox("Type the first letters of a class, then press Enter", () => classes.filter((name) => !roleOf(name)), pick,
      (event, typed) => !typed && event.key === "x" && state.first !== null && (ruleOutRest(), true));
    queueMicrotask(() => box.input.focus());
    chooser = [chips, box.element];
  } else {
    const grid = make("ul", { class: "classes" }, [...buttons.values()].map((button) => make("li", {}, button)));
    chooser = [grid];
  }
  draw();
  return {
    elements: [make("fieldset", {}, make("legend", { class: "visually-hidden" }, "Classes"), chooser), stated, make("div", { class: "actions" }, outButton), live],
    read, keys, focus: many,
    hint: many ? "Keys: x rules out all the rest" : "Keys: a letter names a class, digits say how sure, Shift and a letter rules one out, x rules out all the rest",
  };
}
