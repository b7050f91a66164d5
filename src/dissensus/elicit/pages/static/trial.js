// A trial: what it shows, what it asks, and the keys that answer it.
//
// Each kind of question has a script in questions/, the one that its entry of QUESTIONS names. A script exports
//
//   ask({ items, question, stimuli, submit, change }) -> { elements, read, keys, hint, focus, placed, intro }
//
// It is given
//   items     for each item shown `about`, the class that it is about, and `likely`, the classes to be listed first
//   question  kind, prompt, options (all of them) and texts as in Python, and classes in the order in which this person sees them
//   stimuli   the element that shows the items, one child for each
//   submit    submit(answer) hands in the answer: an object with exactly the fields that the entry names
//   change    change(field, value) notes the time of an input; call it at every change, before submit
// and gives
//   elements  what stands in the form, a list
//   read      () => ({ answer }) or ({ problem: "What is missing." }), for a question with a Next button; Enter sends, too.
//             Without it the question calls submit itself, as where one click is the answer
//   keys      (event) => whether the key meant something, for keys of one character; people can switch them off. What a key
//             does has that key in aria-keyshortcuts
//   hint      what these keys do, as the end of the sentence "Keys: …."; needed where there are keys
//   focus     the field to begin in, where it is not the heading
//   placed    true where `elements` holds the stimuli already
//   intro     more to read below the prompt
// All but elements may be left out. Elements are made with `make` of dom.js, so that class names stay text. No state outlives
// ask: it is called anew for every trial.

import { bold, make, prose } from "./dom.js";

let ask = null;
// Resolves when the script of the question is there.
export const loadQuestion = async () => { ({ ask } = await import(`./questions/${document.body.dataset.question}.js`)); };
const PLACES = { 1: [""], 2: ["left ", "right "], 3: ["upper ", "left ", "right "] };

export function showTrial(trial, done, times, note) {
  const question = trial.question;
  const stimuli = make("div", { class: `stimuli ${trial.stimuli.length === 3 ? "triplet" : ""}` }, trial.stimuli.map((item, i) => stimulus(item, PLACES[trial.stimuli.length][i])));
  const problem = make("p", { class: "problem", "aria-live": "assertive" });
  let sent = false;
  const submit = async (answer) => {
    if (sent) return;
    if ([...stimuli.querySelectorAll("img")].some((image) => !image.complete || !image.naturalWidth)) {
      problem.textContent = "The picture has not loaded yet; please wait a moment.";
      return;
    }
    sent = true;
    problem.textContent = await done(answer);
    sent = false;
  };
  const asked = ask({ items: trial.stimuli, question, stimuli, submit, change: (field, value) => { problem.textContent = ""; times.change(field, value); } });
  const send = () => {
    const read = asked.read();
    problem.textContent = read.problem || "";
    if (!read.problem) submit(read.answer);
  };
  const form = make("form", { id: "answer", tabindex: "-1", "aria-label": "Your answer", onsubmit: (event) => { event.preventDefault(); send(); } },
    asked.elements, problem,
    asked.read ? make("div", { class: "actions" }, make("button", { class: "main", type: "submit" }, make("span", {}, "Next"), make("kbd", { "aria-hidden": "true" }, "Enter"))) : null,
    asked.keys ? shortcuts(asked, times) : asked.hint ? make("p", { class: "quiet hint" }, `Keys: ${asked.hint}.`) : null);
  if (asked.read) enterSends(send, times);
  asked.focus?.setAttribute("data-focus", "");
  const beside = trial.stimuli.length === 1 && !asked.placed;
  return [make("div", { class: `trial ${beside ? "beside" : ""} ${stimuli.querySelector("img, audio") ? "" : "words"}` },
    make("div", { class: "asked" }, note ? make("p", { class: "note" }, note) : null,
      make("h1", {}, bold(question.prompt)), prose(question.texts.intro), asked.intro),
    asked.placed ? null : stimuli, form)];
}

function stimulus(item, place) {
  return make("figure", { class: "stimulus" }, item.parts.map((part) => {
    if (part.kind === "image") return picture(part.src, `The ${place}picture to be judged`);
    if (part.kind === "audio") return make("audio", { src: part.src, controls: true, "aria-label": `The ${place}sound to be judged` });
    return make("blockquote", {}, part.heading ? make("strong", {}, part.heading) : null, part.text);
  }), item.about ? make("figcaption", {}, item.about) : null);
}

// A picture that does not come, as without a network, is asked for again until it does.
function picture(src, alt) {
  let again = 0;
  const image = make("img", { src, alt, draggable: "false", decoding: "sync", onerror: () => setTimeout(() => { image.src = `${src}?again=${++again}`; }, 1500) });
  return image;
}

// Resolves when all pictures are there.
export const pictures = (page) => Promise.all([...page.querySelectorAll(".stimulus img")].map((image) => (image.complete && image.naturalWidth ? null
  : new Promise((there) => { image.addEventListener("load", there, { once: true }); }))));

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
