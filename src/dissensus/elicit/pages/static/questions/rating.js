// The questions "typicality" and "similarity": buttons for whole numbers, otherwise a slider.

import { markEarlier, make } from "../dom.js";
import { ends, untouchedSlider } from "../slider.js";

export function ask({ items, question, submit, change, before }) {
  const { low, high, step, left, right } = question.options;
  if (step === 1) {
    const answer = (value) => { change("value", value); submit({ value }); };
    const values = Array.from({ length: high - low + 1 }, (_, i) => low + i);
    const buttons = values.map((value) => make("button", { type: "button", onclick: () => answer(value),
      "aria-label": value === low ? `${value}, ${left}` : value === high ? `${value}, ${right}` : String(value) }, String(value)));
    if (before) markEarlier(buttons[values.indexOf(before.value)]);
    const keys = (event) => {
      const value = /^\d$/.test(event.key) ? Number(event.key) : null;
      if (value === null || !values.includes(value)) return false;
      answer(value);
      return true;
    };
    const both = make("div", { class: "both", "aria-hidden": "true" }, make("span", {}, left), make("span", {}, right));
    return { elements: [make("div", { class: "scale", role: "group", "aria-label": `From ${left} to ${right}` }, buttons), both], keys, hint: `the digits from ${low} to ${Math.min(high, 9)}` };
  }
  const slider = untouchedSlider(items[0].about || "Answer", low, high, step, (value) => change("value", value), undefined, before?.value);
  const read = () => (slider.value() === null ? { problem: "Set the slider first." } : { answer: { value: slider.value() } });
  return { elements: [make("div", { class: "sliders", role: "group", "aria-label": `From ${left} to ${right}` }, ends(left, right), slider.row)], read, state: () => ({ value: slider.value() }), focus: slider.input, hint: "0 to 9 set tenths, arrows change the value" };
}
