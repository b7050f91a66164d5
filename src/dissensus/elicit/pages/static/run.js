// The one page of a survey: asks the server what comes next, shows it, and hands in what was done.

import { make, prose } from "./dom.js";
import { Drafts } from "./drafts.js";
import { contact, endPages } from "./ends.js";
import { Feedback } from "./feedback.js";
import { KEPT, Outbox } from "./outbox.js";
import { keepPresent } from "./presence.js";
import { Settle } from "./settle.js";
import { takeBack } from "./take_back.js";
import { loadQuestion, pictures, showTrial } from "./trial.js";
import { Times } from "./times.js";
import { lookAgain, waiting } from "./waiting.js";

const page = document.getElementById("page");
const status = document.getElementById("status");
const tell = (text) => { if (status.textContent !== text) status.textContent = text; };

// What the link carried. A session that was begun here goes on by the token that this browser keeps; a link without a token names
// whose session it means, so that nobody goes on in somebody else's on a machine that they share.
function session() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const key = `dissensus:${location.pathname}:session`;
  const whose = fragment.get("whose");
  try {
    if (!fragment.get("token")) {
      const kept = new URLSearchParams(localStorage.getItem(whose ? `${key}:${whose}` : key) || "");
      return kept.get("token") ? new URLSearchParams([...new Map([...kept, ...fragment])]) : fragment;
    }
    for (const name of [key, `${key}:${whose}`]) localStorage.setItem(name, location.hash.slice(1));
  } catch { /* resuming needs the link then */ }
  return fragment;
}

const here = session();
const outbox = new Outbox(here.get("token") || "", tell);
const drafts = new Drafts(outbox.prefix);
const feedback = new Feedback(outbox.prefix);
const settle = new Settle(page);
let times = null;
let shown = null; // the page that is shown, or nothing where it must not be replaced
let busy = 0; // requests on their way that may change the page

// Hands in a page and says what comes next. The queue sends it again for as long as nobody answers.
async function handIn(name, answer) {
  page.setAttribute("aria-busy", "true");
  const entry = { page: name, answer, times: times ? times.soFar() : {}, client: Date.now() / 1000 };
  const reply = await outbox.submit(entry);
  if (reply.problem) page.removeAttribute("aria-busy");
  if (reply.problem || reply.page) return reply;
  const now = await outbox.page();
  if (reply.stays) tell(reply.stays);
  return { page: now };
}

// Shows a page, whose content is as the server sent it; every page hands itself in through `done`.
function show(content) {
  document.title = content.title || document.title;
  progress(content);
  const draw = PAGES[content.stage] || PAGES.lost;
  times?.stop();
  let ready = () => {};
  const whole = new Promise((there) => { ready = there; });
  const draft = drafts.begin(content.page);
  times = new Times(whole, draft?.times);
  drafts.measure(times);
  shown = content.page;
  page.replaceChildren(...drawn(draw, { ...content, before: draft?.state ?? content.before }, async (answer) => {
    busy += 1;
    const reply = await handIn(content.page, answer);
    busy -= 1;
    if (reply.problem) return reply.problem;
    drafts.end();
    showAfter(reply.feedback, reply.page);
    return "";
  }).filter(Boolean), lastAnswer(content));
  page.removeAttribute("aria-busy");
  settle.begin(times, whole);
  pictures(page).then(ready);
  scrollTo(0, 0);
  focus(page.querySelector("[data-focus]") || page.querySelector("h1"));
  for (const src of content.preload || []) new Image().src = src;
}

// A script that fails must not leave people waiting: they are told, and nothing that they sent before is lost.
function drawn(draw, content, done) {
  try {
    return draw(content, done);
  } catch (error) {
    console.error(error);
    return PAGES.broken(content);
  }
}

// The heading is read out and is where Tab goes on from, as after a page that was loaded. A field below it is read out with the question.
function focus(element) {
  const heading = page.querySelector("h1");
  heading.id = "asked";
  if (element === heading) element.tabIndex = -1;
  else element.setAttribute("aria-describedby", heading.id);
  element.focus({ preventScroll: true });
}

// Whoever comes back to this page from another tab, or from another day, sees where the session is by now.
let asking = false; // without a network a question stays open until there is one
async function comeBack() {
  if (document.visibilityState !== "visible" || busy || !shown || asking) return;
  const before = shown;
  asking = true;
  const now = await outbox.page();
  asking = false;
  if (!busy && shown === before && now.page !== shown) show(now);
}
document.addEventListener("visibilitychange", comeBack);
lookAgain(() => shown, comeBack);
keepPresent(here.get("token") || "", () => /^(trial|break|waiting)/.test(shown || ""));
addEventListener("pageshow", (event) => { if (event.persisted) comeBack(); });

// What fails after a page is drawn, as at a click, is said above it.
addEventListener("error", () => tell("Something on this page does not work. All that you sent is saved; please load the page again."));

// Following the link would put another address in the place of the session's.
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); page.focus(); });

// A key that is held down answers once.
document.addEventListener("keydown", (event) => {
  if (event.repeat && event.key === "Enter" && event.target.tagName !== "TEXTAREA") event.preventDefault();
}, { capture: true });

// Below the page: the way back to the last answer. A trial keeps the place for it, so that nothing moves.
function lastAnswer(content) {
  return make("div", { class: content.question ? "last-answer kept" : "last-answer" }, content.take_back ? takeBack(async () => {
    if (busy) return "";
    busy += 1;
    const trial = await outbox.takeBack(content.take_back);
    busy -= 1;
    if (busy || shown !== content.page) return ""; // while there was no network this page was answered, which is the next answer
    if (trial.problem) return trial.problem;
    show(trial);
    return "";
  }, times.listen.signal) : null);
}

function progress(content) {
  const box = document.getElementById("progress");
  box.hidden = !(content.of && (content.stage === "trial" || content.stage === "break" || content.stage === "practice"));
  document.getElementById("count").textContent = box.hidden ? "" : `${content.place} of ${content.of}`;
  if (!box.hidden) document.getElementById("bar").value = (content.place - 1) / content.of;
}

// Shows a page, after what is to be said about the practice before it, if anything.
function showAfter(text, next) {
  if (!text) { show(next); return; }
  feedback.say(text);
  shown = null;
  times?.stop();
  times = new Times();
  page.replaceChildren(make("h1", {}, "About your practice answer"), make("div", { class: "feedback", id: "feedback" }, prose(text)), actions("Continue", () => { feedback.read(); show(next); }));
  page.removeAttribute("aria-busy");
  const button = page.querySelector("button");
  settle.begin(times);
  button.setAttribute("aria-describedby", "feedback"); // so that it is read out, as the focus is behind it
  button.focus();
}

// Buttons of which one can be pressed, once, unless there is a problem with that.
function actions(text, act, ...more) {
  const problem = make("p", { class: "problem", role: "alert" });
  const press = async (pressed, does) => {
    buttons.forEach((button) => { button.disabled = true; });
    problem.textContent = (await does()) || "";
    buttons.forEach((button) => { button.disabled = false; });
    if (problem.textContent) pressed.focus();
  };
  const buttons = [[text, act], ...more].map(([name, does], i) => make("button", { class: i ? null : "main", type: "button", onclick: (event) => press(event.currentTarget, does) }, name));
  return make("div", {}, make("div", { class: "actions" }, buttons), problem);
}

const mark = (required) => (required ? make("span", { class: "required" }, "required") : null);

function options(name, question, choices, required) {
  return make("fieldset", { class: "options", role: "radiogroup", "aria-required": String(required) }, make("legend", {}, question, " ", mark(required)), choices.map((choice) =>
    make("label", {}, make("input", { type: "radio", name, value: choice, required, "aria-invalid": "false" }), make("span", {}, choice))));
}

// `before` is what was in its fields when it was reloaded, by their names.
function form(children, text, read, done, before) {
  const problem = make("p", { class: "problem", "aria-live": "assertive" });
  const button = make("button", { class: "main", type: "submit" }, text);
  const made = make("form", {
    oninput: () => drafts.keep(),
    onsubmit: async (event) => {
      event.preventDefault();
      button.disabled = true;
      problem.textContent = await done(read(new FormData(made)));
      button.disabled = false;
    },
  }, children, problem, make("div", { class: "actions" }, button));
  for (const [name, value] of Object.entries(before || {})) {
    const field = made.elements.namedItem(name);
    if (field) field.value = value;
  }
  drafts.hold(() => Object.fromEntries(new FormData(made)));
  return made;
}

function whatIsRequired(asked) {
  const required = asked.filter((field) => field.required).length;
  if (!required) return null;
  return make("p", { class: "quiet" }, required < asked.length ? "What is marked “required” needs an answer; the rest may be left empty." : "All of it needs an answer.");
}

const PAGES = {
  consent: (content, done) => [
    make("h1", {}, content.title), ...prose(content.text), contact(content),
    actions("I agree and want to take part", () => done({ agreed: true }), ["I do not want to take part", () => done({ agreed: false })]),
  ],
  instructions: (content, done) => [
    make("h1", {}, "Instructions"), ...prose(content.text), content.of > 1 ? make("p", { class: "quiet" }, `Page ${content.place} of ${content.of}`) : null,
    actions("Continue", () => done({})),
  ],
  comprehension: (content, done) => [
    make("h1", {}, "A short check"),
    make("p", {}, content.again ? "That was not quite right. Please read the questions again and try once more." : "Please answer these questions about the task.", " All of them need an answer."),
    form(content.asked.map((check, i) => options(`q${i}`, check.question, check.options, true)), "Check my answers",
      (data) => ({ chosen: content.asked.map((_, i) => data.get(`q${i}`)) }), done, content.before),
  ],
  practice: (trial, done) => showTrial(trial, done, { times, settle, drafts, note: "Practice" }),
  trial: (trial, done) => showTrial(trial, done, { times, settle, drafts, note: trial.again ? "Your last answer, to be changed" : "" }),
  waiting: (content, done) => [...waiting(content), actions("Look again now", comeBack, [content.answered ? "Finish now" : "Stop waiting", () => done({})]), contact(content)],
  break: (content, done) => [
    make("h1", {}, "Time for a short break"), make("p", {}, `You have done ${content.place - 1} of ${content.of}. Rest your eyes, and go on when you like.`),
    actions("Go on", () => done({})),
  ],
  debrief: (content, done) => [
    make("h1", {}, "Almost done"), ...prose(content.text), whatIsRequired(content.asked),
    form(content.asked.map((field) => (field.options.length
      ? options(field.name, field.question, field.options, field.required)
      : make("fieldset", {}, make("label", { for: `f-${field.name}` }, field.question, " ", mark(field.required)), make("br"),
        make("textarea", { id: `f-${field.name}`, name: field.name, required: field.required, maxlength: 10000 })))),
    "Finish", (data) => Object.fromEntries(content.asked.map((field) => [field.name, data.get(field.name) || ""])), done, content.before),
  ],
  broken: (content) => [make("h1", {}, "This page cannot be shown"), make("p", {}, "Something in it does not work. All that you sent is saved. Please load the page again; if that does not help, tell the people who run the survey."),
    contact(content), actions("Load the page again", () => { location.reload(); })],
  ...endPages(outbox, here),
};

async function begin() {
  if (!here.get("token")) { show({ stage: here.get("whose") ? "elsewhere" : "lost", contact: document.body.dataset.contact }); return; }
  const script = loadQuestion().catch((error) => { console.error(error); }); // a trial then says that it cannot be shown
  const { stays, said } = await outbox.flush();
  const first = await outbox.page();
  await script;
  showAfter(said || feedback.unread(), first);
  if (stays || outbox.waiting().length) tell(stays || KEPT);
}

begin();
