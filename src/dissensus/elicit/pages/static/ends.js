// How people leave: what each end of the survey says, the code, and the way back to where they came from.

import { make } from "./dom.js";
import { KEPT } from "./outbox.js";

const SITES = { prolific: "Prolific", mturk: "MTurk" };
// What people do on a site that learns nothing from a link.
const STOP = { prolific: "On Prolific, please choose “Stop without completing”.", mturk: "On MTurk, please return the HIT." };

export const contact = (content) => (content.contact ? make("p", { class: "quiet" }, `Questions? ${content.contact}`) : null);

// The pages by stage. `outbox` holds what is not sent yet, `here` what the session's link carried.
export function endPages(outbox, here) {
  const source = document.body.dataset.source;
  const site = SITES[source] || "the recruiting site";
  const whose = `dissensus:returned:${location.pathname}:${(here.get("token") || "").slice(-24)}`;

  const code = (content, text) => (content.code ? [make("p", {}, text), make("p", {}, make("span", { class: "code" }, content.code))] : []);

  const back = (content) => {
    if (!content.redirect) return [];
    const link = make("a", { class: "button main", href: content.redirect, rel: "noreferrer" }, `Return to ${site}`);
    // Whoever leaves takes along what this browser has not sent yet.
    return content.automatic && !outbox.waiting().length ? countdown(content, link, site, `${whose}:${content.stage}`) : [make("div", { class: "actions" }, link)];
  };

  const early = (heading, text) => (content) => [
    make("h1", {}, heading), make("p", {}, content.redirect ? text : `${text} You can close this page.`),
    ...code(content, `Your code for ${site} is:`), content.code || content.automatic || !STOP[source] ? null : make("p", {}, STOP[source]), ...back(content), contact(content),
  ];

  return {
    done: (content) => [
      make("h1", {}, "Thank you"), make("p", {}, outbox.waiting().length ? KEPT : "All your answers are saved."),
      ...code(content, "Your completion code is:"), ...back(content), postBack(here), contact(content),
    ],
    declined: early("Thank you", "You chose not to take part. Nothing else was saved."),
    failed: early("Thank you", "The check was not passed, so the survey ends here for you."),
    // Whoever did not want to wait while others held what is missing has not come too late.
    full: (content) => (content.missing
      ? early("Thank you", "Nothing was free just now. If you like, come back later by the same link.")
      : early("Nothing is left to answer", "All items have the answers they need. Thank you for coming."))(content),
    stopped: (content) => [make("h1", {}, "The survey is paused"), make("p", {}, "No answers are taken at the moment. What you did is saved; please come back later by the same link."), contact(content)],
    elsewhere: (content) => [
      make("h1", {}, "This survey was begun somewhere else"),
      make("p", {}, "The id in your link belongs to a session that was begun in another browser or in an earlier visit, and an id alone does not open it."),
      make("p", {}, `To go on, open the link in the browser where you began. If that is not possible, or if it was not you, please ${content.contact ? "write to the people who run the survey" : "contact the people who sent you the link"}.`), contact(content),
    ],
    lost: (content) => [make("h1", {}, "This page has no session"), make("p", {}, content.text || "Please start again from the link you were sent."), outbox.waiting().length ? make("p", {}, KEPT) : null],
  };
}

// Takes people back by itself, which they see coming and can stop, once: whoever went back, or chose to stay, may stay when they
// come here again. `mark` is where this browser keeps that, for each person and outcome.
function countdown(content, link, site, mark) {
  const decided = () => { try { return localStorage.getItem(mark) !== null; } catch { return false; } };
  const decide = () => { try { localStorage.setItem(mark, "1"); } catch { /* they are taken back again if they come back */ } };
  if (decided()) return [make("div", { class: "actions" }, link)];
  link.addEventListener("click", decide);
  let left = content.wait;
  const seconds = make("span", { class: "seconds", role: "timer", "aria-live": "off" }, String(left));
  const counting = make("p", { class: "countdown" }, `You return to ${site} automatically in `, seconds, " seconds.");
  const said = make("p", { class: "visually-hidden", role: "status" });
  const stay = make("button", { type: "button", onclick: () => {
    clearInterval(ticking);
    decide();
    counting.textContent = `You stay on this page. “Return to ${site}” takes you back when you like.`;
    said.textContent = "You stay on this page.";
    stay.disabled = true;
    link.focus();
  } }, "Stay on this page");
  const ticking = setInterval(() => {
    if (!stay.isConnected) { clearInterval(ticking); return; }
    left -= 1;
    seconds.textContent = String(left);
    if (left > 0) return;
    clearInterval(ticking);
    decide();
    location.assign(content.redirect);
  }, 1000);
  // A region that is already there when its text comes is read out.
  setTimeout(() => { said.textContent = `You return to ${site} in ${left} seconds. To prevent that, choose “Stay on this page”.`; }, 500);
  return [counting, said, make("div", { class: "actions" }, link, stay)];
}

// MTurk learns of the completion by a form that the browser posts; what it needs never went through our server.
function postBack(here) {
  const target = here.get("turkSubmitTo");
  if (!target) return null;
  return make("form", { method: "post", action: `${target}/mturk/externalSubmit` },
    make("input", { type: "hidden", name: "assignmentId", value: here.get("assignmentId") }),
    make("input", { type: "hidden", name: "done", value: "1" }), make("button", { class: "main" }, "Submit to MTurk"));
}
