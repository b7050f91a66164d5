// The page of a survey: fetches the current page from the server, shows it, and submits answers.

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

// The parameters of the link. A session that started here continues with the token in this browser. A link without a token names
// its session, so that people who share a machine do not continue each other's sessions.
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
  } catch { /* without storage, resuming needs the link */ }
  return fragment;
}

const here = session();
const outbox = new Outbox(here.get("token") || "", tell);
const drafts = new Drafts(outbox.prefix);
const feedback = new Feedback(outbox.prefix);
const settle = new Settle(page);
let times = null;
let shown = null; // the name of the shown page, or null if it must not be replaced
let busy = 0; // pending requests that may change the page

// Submits a page and returns the next one. The outbox retries until the server replies.
async function submitPage(name, answer) {
  page.setAttribute("aria-busy", "true");
  const entry = { page: name, answer, times: times ? times.soFar() : {}, client: Date.now() / 1000 };
  const reply = await outbox.submit(entry);
  if (reply.problem) page.removeAttribute("aria-busy");
  if (reply.problem || reply.page) return reply;
  const now = await outbox.page();
  if (reply.stays) tell(reply.stays);
  return { page: now };
}

// Shows a page from the server; every page submits itself through `done`.
function show(content) {
  document.title = content.title || document.title;
  page.dataset.stage = content.stage;
  progress(content);
  const draw = PAGES[content.stage] || PAGES.lost;
  times?.stop();
  let ready = () => {};
  const whole = new Promise((resolve) => { ready = resolve; });
  const draft = drafts.begin(content.page);
  times = new Times(whole, draft?.times);
  drafts.measure(times);
  shown = content.page;
  page.replaceChildren(...drawn(draw, { ...content, before: draft?.state ?? content.before }, async (answer) => {
    busy += 1;
    const reply = await submitPage(content.page, answer);
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

// If a script fails, the page reports it instead of staying blank; submitted answers are safe.
function drawn(draw, content, done) {
  try {
    return draw(content, done);
  } catch (error) {
    console.error(error);
    page.dataset.stage = "broken";
    return PAGES.broken(content);
  }
}

// Focuses the heading, as after loading a page, or a field, which is then described by the heading.
function focus(element) {
  const heading = page.querySelector("h1");
  heading.id = "asked";
  if (element === heading) element.tabIndex = -1;
  else element.setAttribute("aria-describedby", heading.id);
  element.focus({ preventScroll: true });
}

// Updates the page for a person who returns from another tab or on another day.
let asking = false; // without a network, a request stays pending
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

// Reports errors after the page is drawn, such as on a click.
addEventListener("error", () => tell("Something on this page does not work. Your answers so far are saved. Please reload the page."));

// Following the link would replace the address of the session.
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); page.focus(); });

// A key that is held down counts once.
document.addEventListener("keydown", (event) => {
  if (event.repeat && event.key === "Enter" && event.target.tagName !== "TEXTAREA") event.preventDefault();
}, { capture: true });

// The button below the page that reopens the last answer. A trial reserves its place, so that nothing moves.
function lastAnswer(content) {
  return make("div", { class: content.question ? "last-answer kept" : "last-answer" }, content.take_back ? takeBack(async () => {
    if (busy) return "";
    busy += 1;
    const trial = await outbox.takeBack(content.take_back);
    busy -= 1;
    if (busy || shown !== content.page) return ""; // the page was answered while the network was down
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

// Shows the feedback of a practice trial, if any, and then the next page.
function showAfter(text, next) {
  if (!text) { show(next); return; }
  feedback.say(text);
  page.dataset.stage = "feedback";
  shown = null;
  times?.stop();
  times = new Times();
  page.replaceChildren(make("h1", {}, "About your practice answer"), make("div", { class: "feedback", id: "feedback" }, prose(text)), actions("Continue", () => { feedback.read(); show(next); }));
  page.removeAttribute("aria-busy");
  const button = page.querySelector("button");
  settle.begin(times);
  button.setAttribute("aria-describedby", "feedback"); // so that screen readers read it, since the focus is after it
  button.focus();
}

// Buttons of which one can be pressed once, unless a problem occurs.
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

// `before` has the values of the fields before a reload, by name.
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

function requiredNote(asked) {
  const required = asked.filter((field) => field.required).length;
  if (!required) return null;
  return make("p", { class: "quiet" }, required < asked.length ? "Questions marked “required” need an answer." : "All questions need an answer.");
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
    make("p", {}, content.again ? "At least one answer was wrong. Please try again." : "Please answer all questions about the task."),
    form(content.asked.map((check, i) => options(`q${i}`, check.question, check.options, true)), "Check my answers",
      (data) => ({ chosen: content.asked.map((_, i) => data.get(`q${i}`)) }), done, content.before),
  ],
  practice: (trial, done) => showTrial(trial, done, { times, settle, drafts, note: "Practice" }),
  trial: (trial, done) => showTrial(trial, done, { times, settle, drafts, note: trial.again ? "Change your last answer" : "" }),
  waiting: (content, done) => [...waiting(content), actions("Check now", comeBack, [content.answered ? "Finish now" : "Stop waiting", () => done({})]), contact(content)],
  break: (content, done) => [
    make("h1", {}, "Time for a short break"), make("p", {}, `You have done ${content.place - 1} of ${content.of}. Continue when you are ready.`),
    actions("Continue", () => done({})),
  ],
  debrief: (content, done) => [
    make("h1", {}, "Almost done"), ...prose(content.text), requiredNote(content.asked),
    form(content.asked.map((field) => (field.options.length
      ? options(field.name, field.question, field.options, field.required)
      : make("fieldset", {}, make("label", { for: `f-${field.name}` }, field.question, " ", mark(field.required)), make("br"),
        make("textarea", { id: `f-${field.name}`, name: field.name, required: field.required, maxlength: 10000 })))),
    "Finish", (data) => Object.fromEntries(content.asked.map((field) => [field.name, data.get(field.name) || ""])), done, content.before),
  ],
  broken: (content) => [make("h1", {}, "This page does not work"), make("p", {}, "Your answers so far are saved. Please reload the page. If that does not help, tell the people who run the survey."),
    contact(content), actions("Reload the page", () => { location.reload(); })],
  ...endPages(outbox, here),
};

async function begin() {
  if (!here.get("token")) { show({ stage: here.get("whose") ? "elsewhere" : "lost", contact: document.body.dataset.contact }); return; }
  const script = loadQuestion().catch((error) => { console.error(error); }); // a trial then shows the page "broken"
  const { stays, feedback: unsent } = await outbox.flush();
  const first = await outbox.page();
  await script;
  showAfter(unsent || feedback.unread(), first);
  if (stays || outbox.waiting().length) tell(stays || KEPT);
}

begin();
