// A trial: its stimuli, its question, and the keys that answer it.
//
// Each kind of question has a script in questions/, named by its entry in QUESTIONS. A script exports
//
//   ask({ items, question, stimuli, submit, change, before }) -> { elements, read, state, keys, hint, focus, placed }
//
// Parameters
//   items     for each shown item `about`, the class that it is about, and `likely`, the classes to list first
//   question  kind, prompt, all options and texts as in Python, and the classes in the order for this person
//   stimuli   the element that shows the items, with one child per item
//   submit    submit(answer) submits the answer: an object with exactly the fields of the entry
//   change    change(field, value) records the time of an input; call it at every change, before submit
//   before    the initial value or null: the answer that this person reopened, or the `state` before a reload
// Returns
//   elements  list of elements for the form
//   read      () => ({ answer }) or ({ problem: "What is missing." }), for a question with a Next button; Enter submits too.
//             Without it, the question calls submit itself, for example on a click. A `remark` with the answer is shown once
//             before the answer is sent
//   state     () => the input so far, an answer with gaps, so that `before` may be either; required with read
//   keys      (event) => whether the key was used, for keys of one character, which people can switch off. The element that a
//             key activates has it in aria-keyshortcuts
//   hint      what these keys do, to complete the sentence "Keys: …."; required with keys
//   focus     the field to focus, if not the heading
//   placed    true if `elements` contains the stimuli already
// All but elements are optional. Make elements with `make` of dom.js, so that class names stay text. Keep no state outside of ask,
// which is called for every trial.

import { bold, make, prose } from "./dom.js";
import { sound, unheard } from "./sounds.js";

let ask = null;
// Resolves when the script of the question is loaded.
export const loadQuestion = async () => { ({ ask } = await import(`./questions/${document.body.dataset.question}.js`)); };
const PLACES = { 1: [""], 2: ["left ", "right "], 3: ["upper ", "left ", "right "] };

// The last parameter comes from the page: times, settle, drafts, and a note above the question.
export function showTrial(trial, done, { times, settle, drafts, note }) {
  const question = trial.question;
  let sounds = 0;
  const stimuli = make("div", { class: `stimuli ${trial.stimuli.length === 3 ? "triplet" : ""}` },
    trial.stimuli.map((item, i) => stimulus(item, PLACES[trial.stimuli.length][i], (src, name) => sound(src, name, sounds++, times))));
  const problem = make("p", { class: "problem", "aria-live": "assertive" });
  const say = (text, quietly = false) => {
    problem.classList.toggle("remark", quietly);
    problem.textContent = text;
  };
  let sent = false;
  const submit = async (answer) => {
    if (sent) return;
    const missing = [...stimuli.querySelectorAll("img")].some((image) => !image.complete || !image.naturalWidth)
      ? "The picture is still loading. Please wait a moment." : unheard(stimuli, times);
    if (missing) { say(missing); return; }
    sent = true;
    say(await done(answer));
    sent = false;
  };
  const change = (field, value) => {
    problem.textContent = "";
    times.change(field, value);
    queueMicrotask(() => drafts.keep()); // after the question has drawn the change
  };
  const asked = ask({ items: trial.stimuli, question, stimuli, submit, change, before: trial.before ?? null });
  drafts.hold(asked.state || (() => null));
  const remarks = new Set();
  const send = () => {
    if (!settle.sends()) return;
    const read = asked.read();
    if (read.problem) { say(read.problem); return; }
    if (read.remark && !remarks.has(read.remark)) {
      remarks.add(read.remark);
      say(read.remark, true);
      settle.said();
      return;
    }
    submit(read.answer);
  };
  const form = make("form", { id: "answer", tabindex: "-1", "aria-label": "Your answer", onsubmit: (event) => { event.preventDefault(); send(); } },
    asked.elements, problem,
    asked.read ? make("div", { class: "actions" }, make("button", { class: "main", type: "submit" }, make("span", {}, "Next"), make("kbd", { "aria-hidden": "true" }, "Enter"))) : null,
    asked.keys ? shortcuts(asked, times) : asked.hint ? make("p", { class: "quiet hint" }, `Keys: ${asked.hint}.`) : null);
  if (asked.read) enterSends(send, times);
  reachable(stimuli);
  asked.focus?.setAttribute("data-focus", "");
  const beside = trial.stimuli.length === 1 && !asked.placed;
  return [make("div", { class: `trial ${beside ? "beside" : ""} ${stimuli.querySelector("img, audio") ? "" : "words"}` },
    make("div", { class: "asked" }, note ? make("p", { class: "note" }, note) : null,
      make("h1", {}, bold(question.prompt)), prose(question.texts.intro)),
    asked.placed ? null : stimuli, form)];
}

// Long stimuli beside a long answer scroll, also by keyboard.
function reachable(stimuli) {
  new ResizeObserver(() => {
    const long = stimuli.scrollHeight > stimuli.clientHeight + 1;
    for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", "Item to be judged"]]) {
      if (long) stimuli.setAttribute(name, value);
      else stimuli.removeAttribute(name);
    }
  }).observe(stimuli);
}

function stimulus(item, place, sounding) {
  return make("figure", { class: "stimulus" }, item.parts.map((part) => {
    if (part.kind === "image") return picture(part.src, `The ${place}picture`);
    if (part.kind === "audio") return sounding(part.src, `The ${place}sound`);
    return make("blockquote", {}, part.heading ? make("strong", {}, part.heading) : null, part.text);
  }), item.about ? make("figcaption", {}, item.about) : null);
}

// Retries to load a picture, for example without a network.
function picture(src, alt) {
  let again = 0;
  const image = make("img", { src, alt, draggable: "false", decoding: "sync", onerror: () => setTimeout(() => { image.src = `${src}?again=${++again}`; }, 1500) });
  return image;
}

// Resolves when all pictures are loaded and decoded.
export const pictures = (page) => Promise.all([...page.querySelectorAll(".stimulus img")].map(async (image) => {
  if (!image.complete || !image.naturalWidth) await new Promise((resolve) => { image.addEventListener("load", resolve, { once: true }); });
  await image.decode().catch(() => {}); // a damaged picture is shown as far as possible
}));

// Keys of one character: people can switch them off, and they do not work in text fields.
function shortcuts({ elements, keys, hint }, times) {
  const stored = "dissensus:shortcuts";
  const on = () => { try { return localStorage.getItem(stored) !== "off"; } catch { return true; } };
  const keyed = elements.flatMap((element) => [...element.querySelectorAll("[aria-keyshortcuts]")]).map((element) => [element, element.getAttribute("aria-keyshortcuts")]);
  const tell = () => {
    document.getElementById("page").classList.toggle("without-keys", !box.checked);
    for (const [element, key] of keyed) {
      if (box.checked) element.setAttribute("aria-keyshortcuts", key);
      else element.removeAttribute("aria-keyshortcuts");
    }
  };
  const box = make("input", { type: "checkbox", id: "shortcuts", onchange: () => {
    try { localStorage.setItem(stored, box.checked ? "on" : "off"); } catch { /* without storage, it applies to this page */ }
    tell();
  } });
  box.checked = on();
  tell();
  document.addEventListener("keydown", (event) => {
    // A device with a touch screen has a keyboard too: show the keys from now on.
    if (event.target.tagName !== "INPUT" && event.target.tagName !== "TEXTAREA") document.documentElement.classList.add("typed");
    if (!box.checked || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const at = event.target;
    if (at.tagName === "TEXTAREA" || (at.tagName === "INPUT" && at.dataset.keys === undefined && at.type !== "checkbox")) return;
    if (keys(event)) event.preventDefault();
  }, { signal: times.listen.signal });
  return make("p", { class: "quiet check" }, box, make("label", { for: "shortcuts" }, `Keys: ${hint}.`));
}

// Enter submits wherever it has no other function. Firefox does not submit from a slider by itself.
function enterSends(send, times) {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.repeat || event.defaultPrevented || event.isComposing) return;
    if (event.target.closest("button, a, input:not([type=range]), textarea, audio")) return;
    event.preventDefault();
    send();
  }, { signal: times.listen.signal });
}
