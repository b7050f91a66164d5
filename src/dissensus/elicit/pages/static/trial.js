// A trial: what it shows, what it asks, and the keys that answer it.

import { make } from "./dom.js";
import { allocate, tokens } from "./question_parts.js";
import { choose } from "./question_choose.js";
import { rating, triplet } from "./question_scales.js";
import { sliders } from "./question_sliders.js";
import { topTwo } from "./question_top_two.js";
import { topTwoForm } from "./question_top_two_form.js";

const CROWD = "Imagine that 100 other people are asked this. Answer as you think they would.";
const QUESTIONS = { choose, sliders, allocate, tokens, typicality: rating, similarity: rating, triplet, "top-two": topTwo };

export function showTrial(told, done, times, note) {
  const question = told.question;
  const stimuli = make("div", { class: question.kind === "triplet" ? "stimuli triplet" : "stimuli" }, told.stimuli.map(stimulus));
  const problem = make("p", { class: "problem", role: "alert" });
  let sent = false;
  const submit = async (answer) => {
    if (sent) return;
    sent = true;
    problem.textContent = await done(answer);
    sent = false;
  };
  const build = question.kind === "top-two" && question.options.layout === "form" ? topTwoForm : QUESTIONS[question.kind];
  const asked = build({ told, question, stimuli, submit, change: (field, value) => times.change(field, value) });
  const send = () => {
    const read = asked.read();
    if (read.problem) problem.textContent = read.problem;
    else submit(read.answer);
  };
  const form = make("form", { id: "answer", tabindex: "-1", onsubmit: (event) => { event.preventDefault(); send(); } },
    asked.elements, problem,
    asked.read ? make("div", { class: "actions" }, make("button", { class: "main", type: "submit" }, "Next"), make("span", { class: "quiet" }, keyHint())) : null);
  if (asked.keys) form.append(shortcuts(asked.keys, asked.hint, times));
  return [
    note ? make("p", { class: "quiet" }, note) : null,
    make("h1", { tabindex: "-1", "data-focus": asked.focus ? undefined : true }, question.prompt),
    question.options.frame === "crowd" ? make("p", {}, CROWD) : null,
    asked.placed ? null : stimuli, form,
  ];
}

const keyHint = () => make("span", {}, make("kbd", {}, "Enter"), " sends it");

function stimulus(one) {
  return make("figure", { class: "stimulus" }, one.parts.map((part) => {
    if (part.kind === "image") return make("img", { src: part.src, alt: "The picture to be judged", draggable: "false" });
    if (part.kind === "audio") return make("audio", { src: part.src, controls: true, "aria-label": "The sound to be judged" });
    return make("blockquote", {}, part.heading ? make("strong", {}, part.heading) : null, part.text);
  }), one.about ? make("figcaption", {}, one.about) : null);
}

// Keys of one character work on this page while it is shown, can be switched off, and never while somebody types a text.
function shortcuts(keys, hint, times) {
  const stored = "dissensus:shortcuts";
  const on = () => { try { return localStorage.getItem(stored) !== "off"; } catch { return true; } };
  const box = make("input", { type: "checkbox", id: "shortcuts", onchange: () => {
    try { localStorage.setItem(stored, box.checked ? "on" : "off"); } catch { /* it then holds for this page */ }
  } });
  box.checked = on();
  document.addEventListener("keydown", (event) => {
    if (!box.checked || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const at = event.target;
    if (at.tagName === "TEXTAREA" || (at.tagName === "INPUT" && at.dataset.keys === undefined && at.type !== "checkbox")) return;
    if (keys(event)) event.preventDefault();
  }, { signal: times.listen.signal });
  return make("p", { class: "quiet check" }, box, make("label", { for: "shortcuts" }, hint));
}
