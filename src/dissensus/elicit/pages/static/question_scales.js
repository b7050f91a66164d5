// One number for what is shown (typicality, similarity), or one of two (triplets).

import { make } from "./dom.js";
import { untouchedSlider } from "./question_sliders.js";

export function rating({ told, question, submit, change }) {
  const { low, high, step, left, right } = question.options;
  const ends = make("div", { class: "ends" }, make("span", {}, left), make("span", {}, right));
  if (step === 1) {
    const answer = (value) => { change("value", value); submit({ value }); };
    const values = Array.from({ length: high - low + 1 }, (_, i) => low + i);
    const buttons = values.map((value) => make("button", { type: "button", onclick: () => answer(value),
      "aria-label": value === low ? `${value}, ${left}` : value === high ? `${value}, ${right}` : String(value) }, String(value)));
    const keys = (event) => {
      const value = /^\d$/.test(event.key) ? Number(event.key) : null;
      if (value === null || !values.includes(value)) return false;
      answer(value);
      return true;
    };
    return { elements: [ends, make("div", { class: "scale", role: "group", "aria-label": `From ${left} to ${right}` }, buttons)], keys, hint: `Keys: ${low} to ${high}` };
  }
  const about = told.stimuli[0].about || "Answer";
  const slider = untouchedSlider(about, low, high, step, (value) => change("value", value));
  const read = () => (slider.value() === null ? { problem: "Set the slider first. The space bar sets it where it stands." } : { answer: { value: slider.value() } });
  return { elements: [ends, make("div", { class: "sliders" }, slider.row)], read };
}

export function triplet({ submit, change, stimuli }) {
  const answer = (closer) => { change("closer", closer); submit({ closer }); };
  const buttons = [["first", "The left one", "←"], ["second", "The right one", "→"]].map(([closer, text, key]) =>
    make("button", { type: "button", onclick: () => answer(closer) }, text, " ", make("kbd", { "aria-hidden": "true" }, key)));
  const keys = (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return false;
    answer(event.key === "ArrowLeft" ? "first" : "second");
    return true;
  };
  return { elements: [stimuli, make("div", { class: "scale", role: "group", "aria-label": "Which is closer" }, buttons)], placed: true, keys, hint: "Keys: the arrows left and right" };
}
