// A trial: what it shows, what it asks, and the keys that answer it.
//
// Each kind of question has a script in questions/, the one that its entry of QUESTIONS names. A script exports
//
//   ask({ items, question, stimuli, submit, change, before }) -> { elements, read, state, keys, hint, focus, placed }
//
// It is given
//   items     for each item shown `about`, the class that it is about, and `likely`, the classes to be listed first
//   question  kind, prompt, options (all of them) and texts as in Python, and classes in the order in which this person sees them
//   stimuli   the element that shows the items, one child for each
//   submit    submit(answer) hands in the answer: an object with exactly the fields that the entry names
//   change    change(field, value) notes the time of an input; call it at every change, before submit
//   before    what to begin with, or null: the answer that this person took back, or the `state` that a reload interrupted
// and gives
//   elements  what stands in the form, a list
//   read      () => ({ answer }) or ({ problem: "What is missing." }), for a question with a Next button; Enter sends, too.
//             Without it the question calls submit itself, as where one click is the answer. A `remark` beside the answer is
//             said once before it is sent
//   state     () => what is entered so far: an answer with gaps, so that `before` may be either; needed where there is read
//   keys      (event) => whether the key meant something, for keys of one character; people can switch them off. What a key
//             does has that key in aria-keyshortcuts
//   hint      what these keys do, as the end of the sentence "Keys: …."; needed where there are keys
//   focus     the field to begin in, where it is not the heading
//   placed    true where `elements` holds the stimuli already
// All but elements may be left out. Elements are made with `make` of dom.js, so that class names stay text. No state outlives
// ask: it is called anew for every trial.

import { bold, make, prose } from "./dom.js";
import { sound, unheard } from "./sounds.js";

let ask = null;
// Resolves when the script of the question is there.
export const loadQuestion = async () => { ({ ask } = await import(`./questions/${document.body.dataset.question}.js`)); };
const PLACES = { 1: [""], 2: ["left ", "right "], 3: ["upper ", "left ", "right "] };

// `visit` is what the page around it brings: times, settle, drafts, and a note above the question.
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
      ? "The picture has not loaded yet; please wait a moment." : unheard(stimuli, times);
    if (missing) { say(missing); return; }
    sent = true;
    say(await done(answer));
    sent = false;
  };
  const change = (field, value) => {
    problem.textContent = "";
    times.change(field, value);
    queueMicrotask(() => drafts.keep()); // when the question has drawn it
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

// What stays in sight beside a long answer scrolls where it is too long itself, by keyboard, too.
function reachable(stimuli) {
  new ResizeObserver(() => {
    const long = stimuli.scrollHeight > stimuli.clientHeight + 1;
    for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", "What is to be judged"]]) {
      if (long) stimuli.setAttribute(name, value);
      else stimuli.removeAttribute(name);
    }
  }).observe(stimuli);
}

function stimulus(item, place, sounding) {
  return make("figure", { class: "stimulus" }, item.parts.map((part) => {
    if (part.kind === "image") return picture(part.src, `The ${place}picture to be judged`);
    if (part.kind === "audio") return sounding(part.src, `The ${place}sound to be judged`);
    return make("blockquote", {}, part.heading ? make("strong", {}, part.heading) : null, part.text);
  }), item.about ? make("figcaption", {}, item.about) : null);
}

// A picture that does not come, as without a network, is asked for again until it does.
function picture(src, alt) {
  let again = 0;
  const image = make("img", { src, alt, draggable: "false", decoding: "sync", onerror: () => setTimeout(() => { image.src = `${src}?again=${++again}`; }, 1500) });
  return image;
}

// Resolves when all pictures are there and can be painted.
export const pictures = (page) => Promise.all([...page.querySelectorAll(".stimulus img")].map(async (image) => {
  if (!image.complete || !image.naturalWidth) await new Promise((there) => { image.addEventListener("load", there, { once: true }); });
  await image.decode().catch(() => {}); // what cannot be decoded is shown as far as it goes
}));

// Keys of one character work on this page while it is shown, can be switched off, and never while somebody types a text.
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
    try { localStorage.setItem(stored, box.checked ? "on" : "off"); } catch { /* it then holds for this page */ }
    tell();
  } });
  box.checked = on();
  tell();
  document.addEventListener("keydown", (event) => {
    // Somebody with a touch screen has a keyboard all the same: the keys are shown from now on.
    if (event.target.tagName !== "INPUT" && event.target.tagName !== "TEXTAREA") document.documentElement.classList.add("typed");
    if (!box.checked || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const at = event.target;
    if (at.tagName === "TEXTAREA" || (at.tagName === "INPUT" && at.dataset.keys === undefined && at.type !== "checkbox")) return;
    if (keys(event)) event.preventDefault();
  }, { signal: times.listen.signal });
  return make("p", { class: "quiet check" }, box, make("label", { for: "shortcuts" }, `Keys: ${hint}.`));
}

// Enter sends from wherever it does nothing else. From a slider Firefox would not send by itself, other browsers would.
function enterSends(send, times) {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.repeat || event.defaultPrevented || event.isComposing) return;
    if (event.target.closest("button, a, input:not([type=range]), textarea, audio")) return;
    event.preventDefault();
    send();
  }, { signal: times.listen.signal });
}
