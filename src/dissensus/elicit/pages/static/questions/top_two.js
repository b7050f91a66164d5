// The question "top-two": one or two classes with percentages, and classes ruled out, also by keyboard alone.
//
// A letter names a class, digits enter its percentage, minus rules out all other classes, Enter submits. Shift and a letter rules out
// one class. Digit classes are named by their digits: Space leaves the percentage, so that the next digit names the second class.

import { bold, columns, keyCap, make, prose, unique } from "../dom.js";
import { digitsOnly, keysOf, MANY, pressed } from "../keys.js";
import { searchBox } from "../search.js";
import { remarkOn, topTwoForm } from "../top_two_form.js";

const TITLES = { first: "Most probable", second: "Second, if any" };
const SPOKEN = { first: "most probable", second: "second most probable", out: "definitely not", "": "" };
const SIGN = { first: "1", second: "2", out: "×", "": "" };

export const ask = (trial) => (trial.question.options.layout === "form" ? topTwoForm(trial) : topTwo(trial));

function topTwo({ items, question, change, before }) {
  const { classes, options, texts } = question;
  const many = options.layout === "search" || classes.length > MANY;
  const modal = !many && digitsOnly(classes);
  const letters = many ? new Map() : keysOf(classes);
  const roles = options.second ? ["first", "second"] : ["first"];
  const state = { first: before?.first ?? null, second: before?.second ?? null, out: new Set(before?.ruled_out) };
  const others = () => classes.filter((name) => name !== state.first && name !== state.second);
  const live = make("p", { class: "visually-hidden", role: "status" });
  const slots = Object.fromEntries(roles.map((role) => [role, slot(role)]));
  const listed = make("p", { class: "quiet listed" });
  const buttons = new Map(many ? [] : classes.map((name) => [name, classButton(name)]));
  const outButton = options.ruling_out
    ? make("button", { type: "button", class: "none-of-the-rest", "aria-keyshortcuts": "-", onclick: () => ruleOutRest() }, make("span", {}, "Definitely no others"), keyCap("-")) : null;
  // For touch screens, which have no Shift key: while pressed, choosing a class rules it out.
  const oneByOne = options.ruling_out ? make("button", { type: "button", class: "one-by-one", "aria-pressed": "false", onclick: () => {
    const on = !ruling();
    oneByOne.setAttribute("aria-pressed", String(on));
    live.textContent = on ? "Choosing a class now rules it out" : "Choosing a class now names it";
  } }, "Rule out one by one") : null;
  const ruling = () => oneByOne?.getAttribute("aria-pressed") === "true";

  function classButton(name) {
    return make("button", { type: "button", "aria-keyshortcuts": letters.get(name), onclick: () => (ruling() ? ruleOut(name) : pick(name, true)) }, keyCap(letters.get(name)), make("span", {}, name),
      make("span", { class: "sign", "aria-hidden": "true" }), make("span", { class: "visually-hidden" }));
  }

  // Texts of the survey, each at its field; by default the short labels of this layout suffice.
  function sentences(...names) {
    return names.flatMap((name) => (texts[name] ? prose(texts[name]) : []));
  }

  // The named class with its percentage; its place is reserved, so that nothing moves.
  function slot(role) {
    const id = unique(role);
    const input = make("input", { type: "text", inputmode: "decimal", id, maxlength: 5, autocomplete: "off", disabled: true, "data-keys": "" });
    input.addEventListener("input", () => { change(`${role}_percent`, input.value); draw(); });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Backspace" && input.value === "" && !event.repeat) { unname(role); event.preventDefault(); }
    });
    input.value = before?.[`${role}_percent`] ?? "";
    const name = make("strong", {}, "–");
    const label = make("label", { for: id, class: "visually-hidden" });
    const box = make("div", { class: "slot", "data-role": "" }, make("span", { class: "rank" }, TITLES[role]), name, label, make("span", { class: "amount" }, input, make("span", { "aria-hidden": "true" }, "%")));
    const text = make("div", { id: `${id}-text` }, sentences(...(role === "second" ? ["second"] : []), `${role}_percent`));
    if (text.childElementCount) input.setAttribute("aria-describedby", text.id);
    return { input, name, label, box, element: make("div", { class: "with-sentences" }, text.childElementCount ? text : null, box) };
  }

  function pick(name, toggle) {
    const had = roles.find((role) => state[role] === name);
    if (had && toggle) { unname(had); return; }
    const role = had || (state.first === null || !options.second ? "first" : "second");
    if (!had) {
      state[role] = name;
      state.out.delete(name);
      change("named", [state.first, state.second]);
    }
    draw();
    slots[role].input.focus();
    slots[role].input.select();
  }

  function unname(role) {
    if (role === "first" && state.second !== null) {
      state.first = state.second;
      slots.first.input.value = slots.second.input.value;
      role = "second";
    }
    state[role] = null;
    slots[role].input.value = "";
    change("named", [state.first, state.second]);
    draw();
    live.textContent = state.first === null ? "No class is named" : `Named: ${state.first}`;
    leave();
  }

  const leave = () => (many ? finder.input : document.getElementById("answer")).focus({ preventScroll: true });

  function ruleOut(name) {
    if (!options.ruling_out || name === state.first || name === state.second) return;
    if (!state.out.delete(name)) state.out.add(name);
    ruled(name, `${name} is ${state.out.has(name) ? "ruled out" : "possible"}`);
  }

  function ruleOutRest() {
    if (!options.ruling_out || state.first === null) return;
    const undo = others().every((name) => state.out.has(name));
    state.out = new Set(undo ? [] : others());
    ruled(!undo, undo ? "Nothing is ruled out" : state.out.size === 1 ? "1 class is ruled out" : `${state.out.size} classes are ruled out`);
  }

  // Records the class that changed, true for all other classes at once, or false for none.
  function ruled(changed, spoken) {
    change("ruled_out", changed);
    draw();
    live.textContent = spoken;
  }

  const roleOf = (name) => (name === state.first ? "first" : name === state.second ? "second" : state.out.has(name) ? "out" : "");

  function draw() {
    for (const [name, button] of buttons) {
      const role = roleOf(name);
      button.dataset.role = role;
      button.setAttribute("aria-pressed", String(role === "first" || role === "second"));
      const [sign, spoken] = [...button.children].slice(-2);
      sign.textContent = SIGN[role];
      spoken.textContent = SPOKEN[role] && `, ${SPOKEN[role]}`;
    }
    for (const role of roles) {
      const { input, name, label, box } = slots[role];
      box.dataset.role = state[role] === null ? "" : role;
      input.disabled = state[role] === null;
      name.textContent = state[role] ?? "–";
      label.textContent = state[role] === null ? `${TITLES[role]}: percent` : `How probable is ${state[role]}, in percent?`;
    }
    if (slots.second) slots.second.input.placeholder = state.second === null || remainder() === null ? "" : String(remainder());
    if (outButton) {
      outButton.disabled = state.first === null;
      outButton.setAttribute("aria-pressed", String(others().length > 0 && others().every((name) => state.out.has(name))));
    }
    if (many) drawListed();
  }

  function drawListed() {
    const [some, all] = [[...state.out].slice(0, 5).join(", "), state.out.size];
    listed.textContent = all === 0 ? "Nothing is ruled out yet." : all > 5 ? `${all} ruled out: ${some}, …` : `Ruled out: ${some}`;
    finder?.draw();
  }

  const number = (text) => (/^\d{1,3}([.,]\d)?$/.test(text.trim()) && parseFloat(text) <= 100 ? Number(text.trim().replace(",", ".")) : null);
  const remainder = () => {
    const first = number(slots.first.input.value);
    return first === null ? null : Math.round((100 - first) * 10) / 10;
  };

  function read() {
    if (state.first === null) return { problem: "Name the most probable class." };
    const percents = { first: number(slots.first.input.value), second: null };
    let remark = "";
    if (percents.first === null) { slots.first.input.focus(); return { problem: `Enter a percentage from 0 to 100 for ${state.first}.` }; }
    if (state.second !== null) {
      const { input } = slots.second;
      if (!input.value.trim()) {
        input.value = remainder();
        change("second_percent", `rest ${remainder()}`);
        input.focus();
        input.select();
        remark = `${state.second} gets the other ${remainder()} percent. Confirm with Enter.`;
      }
      percents.second = number(input.value);
      if (percents.second === null) { input.focus(); return { problem: `Enter a percentage from 0 to 100 for ${state.second}.` }; }
    }
    const answer = { ...soFar(), first_percent: percents.first, second_percent: percents.second };
    return { answer, remark: remark || remarkOn(answer) };
  }

  const soFar = () => ({ first: state.first, first_percent: slots.first.input.value, second: state.second, second_percent: slots.second?.input.value ?? null,
    ruled_out: classes.filter((name) => state.out.has(name)) });

  const keys = (event) => {
    const typing = event.target.dataset.keys === "";
    if (event.key === "-" && outButton) { ruleOutRest(); return true; }
    if (event.key === " " && typing) { leave(); return true; }
    // A letter in a percentage starts the search for the second class.
    if (many && typing && /^\p{L}$/u.test(event.key) && options.second) { leave(); return false; }
    const match = modal && typing ? null : pressed(event, letters);
    if (!match) return false;
    if (match.shifted) ruleOut(match.name);
    else pick(match.name, false);
    return true;
  };

  let finder = null;
  if (many) {
    finder = searchBox("Type to find a class, then choose it", () => classes.filter((name) => !roleOf(name) || roleOf(name) === "out"), (name) => pick(name, false), {
      likely: items[0].likely, onKey: (event, typed) => !typed && event.key === "-" && state.first !== null && (ruleOutRest(), true),
      tag: (name) => (state.out.has(name) ? "ruled out" : ""),
      also: options.ruling_out ? ruleOut : null, always: ruling,
    });
  }
  const chooser = many ? finder.element : columns([...buttons.values()], classes);
  draw();
  return {
    elements: [make("fieldset", {}, texts.first ? make("legend", {}, bold(texts.first)) : make("legend", { class: "visually-hidden" }, "Classes"), chooser, many && options.ruling_out ? listed : null),
      make("div", { class: "slots" }, roles.map((role) => slots[role].element)), ...(outButton ? [...sentences("ruled_out"), make("div", { class: "actions ruling" }, outButton, oneByOne)] : []), live],
    read, state: soFar, keys, focus: many ? finder.input : null, hint: hint(many, modal, options),
  };
}

function hint(many, modal, { second, ruling_out: ruling }) {
  const parts = many
    ? ["letters find a class and Enter names it", "digits enter the percentage", second && "letters then find a second", ruling && "Shift and Enter (or Shift and a click) rules one out", ruling && "- rules out all others"]
    : modal
      ? ["a digit names a class", "the next digits enter the percentage", second && "Space, then a digit names a second", ruling && "Shift and a digit rules one out", ruling && "- rules out all others"]
      : ["a letter names a class", "digits enter the percentage", ruling && "Shift and a letter rules one out", ruling && "- rules out all others"];
  return parts.filter(Boolean).join(", ");
}
