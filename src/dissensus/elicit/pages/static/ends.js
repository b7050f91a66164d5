// The pages at the end of a survey: a message, the code, and the link back.

import { make } from "./dom.js";
import { KEPT } from "./outbox.js";

const SITES = { prolific: "Prolific", mturk: "MTurk" };
// Instructions for sites that a link does not inform.
const STOP = { prolific: "On Prolific, please choose “Stop without completing”.", mturk: "On MTurk, please return the HIT." };

export const contact = (content) => (content.contact ? make("p", { class: "quiet" }, `Questions? ${content.contact}`) : null);

// The pages by stage. `outbox` has answers that are not sent yet, `here` the parameters of the session's link.
export function endPages(outbox, here) {
  const source = document.body.dataset.source;
  const site = SITES[source] || "the recruiting site";
  const whose = `dissensus:returned:${location.pathname}:${(here.get("token") || "").slice(-24)}`;

  const code = (content, text) => (content.code ? [make("p", {}, text), make("p", {}, make("span", { class: "code" }, content.code))] : []);

  const back = (content) => {
    if (!content.redirect) return [];
    const link = make("a", { class: "button main", href: content.redirect, rel: "noreferrer" }, `Return to ${site}`);
    // No redirect while answers are not sent yet: leaving would delay them.
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
    failed: early("Thank you", "You did not pass the check, so the survey ends here."),
    // A person who stopped waiting may come back, since answers are still missing.
    full: (content) => (content.missing
      ? early("Thank you", "Nothing was free. You can come back later with the same link.")
      : early("The survey is complete", "All items have enough answers. Thank you for coming."))(content),
    stopped: (content) => [make("h1", {}, "The survey is paused"), make("p", {}, "Your answers so far are saved. Please come back later with the same link."), contact(content)],
    elsewhere: (content) => [
      make("h1", {}, "This survey was started somewhere else"),
      make("p", {}, "Your link belongs to a session in another browser or an earlier visit. For your protection, the link alone does not open it."),
      make("p", {}, `To continue, open the link in the browser where you started. If that is not possible, or if it was not you, please ${content.contact ? "write to the people who run the survey" : "contact the people who sent you the link"}.`), contact(content),
    ],
    lost: (content) => [make("h1", {}, "No session"), make("p", {}, content.text || "Please start again from the link you were sent."), outbox.waiting().length ? make("p", {}, KEPT) : null],
  };
}

// Redirects after a countdown that people can stop. It happens once: people who went back or chose to stay are not redirected when
// they return. `mark` is the storage key of that choice, for each person and outcome.
function countdown(content, link, site, mark) {
  const decided = () => { try { return localStorage.getItem(mark) !== null; } catch { return false; } };
  const decide = () => { try { localStorage.setItem(mark, "1"); } catch { /* without storage, they are redirected again */ } };
  if (decided()) return [make("div", { class: "actions" }, link)];
  link.addEventListener("click", decide);
  let left = content.wait;
  const seconds = make("span", { class: "seconds", role: "timer", "aria-live": "off" }, String(left));
  const counting = make("p", { class: "countdown" }, `You return to ${site} automatically in `, seconds, " seconds.");
  const live = make("p", { class: "visually-hidden", role: "status" });
  const stay = make("button", { type: "button", onclick: () => {
    clearInterval(ticking);
    decide();
    counting.textContent = `You stay on this page. “Return to ${site}” takes you back.`;
    live.textContent = "You stay on this page.";
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
  // Screen readers announce a live region only if it exists before its text.
  setTimeout(() => { live.textContent = `You return to ${site} in ${left} seconds. To prevent that, choose “Stay on this page”.`; }, 500);
  return [counting, live, make("div", { class: "actions" }, link, stay)];
}

// The browser submits the completion to MTurk with this form; its data do not pass through our server.
function postBack(here) {
  const target = here.get("turkSubmitTo");
  if (!target) return null;
  return make("form", { method: "post", action: `${target}/mturk/externalSubmit` },
    make("input", { type: "hidden", name: "assignmentId", value: here.get("assignmentId") }),
    make("input", { type: "hidden", name: "done", value: "1" }), make("button", { class: "main" }, "Submit to MTurk"));
}
